"""Tests of GPU arrays with stand-ins: objects with __cuda_array_interface__ whose memory is host memory, processed by
the CPU. They test addresses, shapes, kinds and refusals without a GPU. With a GPU, arrays of CuPy, PyTorch, JAX and
Numba are tested too, each if it can be imported."""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any, Iterator, Optional

import numpy as np
import pytest
import pyweft as weft
from pyweft import _arrays, _kinds
from pyweft import _contexts as contexts
from pyweft._native import ffi, lib


class StandIn:
    """Wraps a NumPy array in __cuda_array_interface__."""

    def __init__(self, array: Any, index: int = 0, stream: Optional[int] = None, **more: Any) -> None:
        self.array, self.index = array, index
        strides = None if array.flags.c_contiguous else array.strides
        self.__cuda_array_interface__ = {
            "shape": array.shape,
            "typestr": array.dtype.str,
            "data": (array.ctypes.data, not array.flags.writeable),
            "strides": strides,
            "stream": stream,
            "version": 3,
            **more,
        }

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, self.index

    def __getitem__(self, part: Any) -> "StandIn":
        return StandIn(self.array[part])


@pytest.fixture(autouse=True)
def _stand_in_kind(monkeypatch: Any) -> Iterator[None]:
    kind = _kinds.Kind(
        "stand-in", lambda shape, dtype, index: StandIn(np.empty(shape, dtype), index), lambda made: made
    )
    monkeypatch.setitem(_kinds.GPU_KINDS, __name__.partition(".")[0], kind)
    yield


@pytest.fixture
def on_the_cpu(monkeypatch: Any) -> None:
    """Redirects calls for a GPU to the CPU, because the stand-ins are in host memory."""
    open_context = contexts.context
    monkeypatch.setattr(contexts, "context", lambda device: open_context("cpu"))


X = np.random.default_rng(20260404).uniform(-1, 1, 5000)


@pytest.mark.usefixtures("on_the_cpu")
def test_results_are_of_the_kind() -> None:
    x = StandIn(X)
    total = weft.sum(x)
    assert isinstance(total, StandIn) and total.array.tobytes() == weft.sum(X).tobytes()
    running = weft.cumsum(x)
    assert isinstance(running, StandIn) and running.array.tobytes() == weft.cumsum(X).tobytes()
    kept = weft.select(x, gt=0)
    assert isinstance(kept, StandIn) and np.array_equal(kept.array, X[X > 0])
    values, indices = weft.top_k(x, 5)
    assert np.array_equal(X[indices.array.astype(int)], values.array)
    square = StandIn(X[:4900].reshape(70, 70))
    product = weft.matmul(square, square)
    assert product.array.tobytes() == weft.matmul(square.array, square.array).tobytes()
    assert np.array_equal(weft.fft(StandIn(X[:4096] + 0j)).array, weft.fft(X[:4096] + 0j))


@pytest.mark.usefixtures("on_the_cpu")
def test_views_are_processed_in_place() -> None:
    cube = X[:4920].reshape(10, 41, 12)
    for view in (cube, cube.T, cube[::-2, 3:, ::5], np.asfortranarray(cube)):
        x = StandIn(view)
        total = weft.sum(x, axis=(0, 2))
        assert isinstance(total, StandIn) and total.array.tobytes() == weft.sum(view, axis=(0, 2)).tobytes()
        assert weft.variance(x, 1, keepdims=True).array.shape == np.var(view, 1, keepdims=True).shape
        running = weft.cumsum(x, 1)
        assert isinstance(running, StandIn) and running.array.tobytes() == weft.cumsum(view, 1).tobytes()
        copied = weft.copy(x)
        assert isinstance(copied, StandIn) and np.array_equal(copied.array, view)
    out = StandIn(np.zeros((12, 10)).T)
    assert weft.max(StandIn(cube), 1, out=out) is out and np.array_equal(out.array, cube.max(1))
    with pytest.raises(ValueError, match="contiguous in C order"):
        weft.sum(StandIn(cube.T))


@pytest.mark.usefixtures("on_the_cpu")
def test_masks_and_initial_values() -> None:
    cube = X[:4920].reshape(10, 41, 12)
    mask = cube > 0.25
    for values in (cube.T, cube.astype("f4"), (cube * 100).astype("i1"), cube > 0):
        x, taken = StandIn(values), StandIn(mask.T if values.shape != mask.shape else mask)
        for name, initial in (("sum", None), ("prod", 1), ("min", None), ("max", 1), ("any", None), ("variance", None)):
            more = {} if initial is None else {"initial": initial}
            expected = getattr(weft, name)(values, 1, where=taken.array, **more)
            for where in (taken, taken.array):
                found = getattr(weft, name)(x, 1, where=where, **more)
                assert isinstance(found, StandIn) and found.array.dtype == expected.dtype
                assert found.array.tobytes() == expected.tobytes()
        out = StandIn(np.zeros((12, 10), values.dtype).T if values.shape == mask.shape else np.zeros((12, 10)))
        assert weft.max(x, 1, initial=1, out=out) is out and np.array_equal(out.array, values.max(1, initial=1))
    assert np.array_equal(weft.map("x > 0", x=StandIn(cube), dtype=bool).array, cube > 0)
    with pytest.raises(TypeError, match="dtype float16 on cuda:0; with where, dtype must be float32 or float64"):
        weft.mean(StandIn(cube.astype("f2")), where=mask)


@pytest.mark.usefixtures("on_the_cpu")
@pytest.mark.parametrize(
    "call",
    [
        lambda x, mask: weft.sum(x),
        lambda x, mask: weft.variance(x, 0),
        lambda x, mask: weft.sum(x, 1, where=mask),
        lambda x, mask: weft.std(x, where=mask),
        lambda x, mask: weft.vecdot(x, x),
        lambda x, mask: weft.cumsum(x),
        lambda x, mask: weft.cumsum(x, 0),
        lambda x, mask: weft.scan(x, axis=1, init=1 - 2j),
    ],
)
def test_complex_numbers(call: Any) -> None:
    x, mask = X.view("c16").reshape(50, 50), X[:50] > 0
    for where in (mask, StandIn(mask)):
        found = call(StandIn(x), where)
        assert isinstance(found, StandIn) and found.array.tobytes() == np.asarray(call(x, mask)).tobytes()


@pytest.mark.usefixtures("on_the_cpu")
def test_real_numbers_are_made_complex(monkeypatch: Any) -> None:
    kind = _kinds.gpu_kind(StandIn(X))._replace(cast=lambda x, dtype: StandIn(x.array.astype(dtype)))
    monkeypatch.setitem(_kinds.GPU_KINDS, __name__.partition(".")[0], kind)
    found = weft.fft(StandIn(X[:4096]))
    assert isinstance(found, StandIn) and found.array.tobytes() == weft.fft(X[:4096]).tobytes()


@pytest.mark.usefixtures("on_the_cpu")
def test_indices_and_bools_are_those_of_numpy() -> None:
    x, flags = StandIn(X), StandIn(X > 0)
    for found, dtype in (
        (weft.argmin(x), "i8"),
        (weft.histogram(x, 4, range=(-1, 1)), "i8"),
        (weft.any(x), "?"),
        (weft.max(flags), "?"),
        (weft.sum(flags), "i8"),
        (weft.cumsum(flags), "i8"),
    ):
        assert found.array.dtype == dtype
    with pytest.raises(TypeError, match="x has dtype bool on a GPU; pass its uint8 view"):
        weft.segmented_reduce(flags, "and", offsets=StandIn(np.array([0, 0, 5000])))
    with pytest.raises(TypeError, match="offsets has dtype int32 on cuda:0; it must be int64 or uint64 there"):
        weft.segmented_reduce(x, offsets=StandIn(np.array([0, 5000], "i4")))


@pytest.mark.usefixtures("on_the_cpu")
def test_host_arrays_with_gpu_arrays() -> None:
    for pair in ((X, StandIn(X)), (StandIn(X), X)):
        product = weft.dot(*pair)
        assert isinstance(product, StandIn) and product.array == weft.dot(X, X)


@pytest.mark.usefixtures("on_the_cpu")
def test_formulas() -> None:
    y = weft.map("x*y + a", x=StandIn(X), y=X, a=2)
    assert isinstance(y, StandIn) and y.array.tobytes() == weft.map("x*y + a", x=X, y=X, a=2).tobytes()
    total = weft.map_reduce("sum", "x*x", x=StandIn(X))
    assert isinstance(total, StandIn) and total.array.tobytes() == weft.map_reduce("sum", "x*x", x=X).tobytes()
    one = weft.map("x + 1", x=StandIn(X[:1].reshape(())))  # a value in GPU memory is an array
    assert one.array.shape == () and one.array == X[0] + 1
    scaled = weft.map("a*x", x=StandIn(X), a=StandIn(X[:1].reshape(())))
    assert np.array_equal(scaled.array, X[0] * X)


@pytest.mark.usefixtures("on_the_cpu")
def test_formulas_of_views() -> None:
    cube = X[:4920].reshape(10, 41, 12)
    for view in (cube, cube.T, cube[::-2, 3:, ::5], np.asfortranarray(cube)):
        y = weft.map("x - y", x=StandIn(view), y=view[:1])
        assert isinstance(y, StandIn) and np.array_equal(y.array, view - view[:1])
        assert isinstance(weft.flip(StandIn(view), 1), StandIn)
        assert np.array_equal(weft.flip(StandIn(view), 1).array, view[:, ::-1])
        for axis in (None, 1, (0, 2)):
            assert np.array_equal(weft.roll(StandIn(view), 5, axis).array, np.roll(view, 5, axis))
    out = StandIn(np.zeros((12, 41, 10)).T)
    assert weft.map("x*x", x=StandIn(cube), out=out) is out and np.array_equal(out.array, cube * cube)
    assert weft.map("x + 1", x=out, out=out) is out and np.array_equal(out.array, cube * cube + 1)
    assert weft.map("i", out=out) is out and np.array_equal(out.array, np.arange(4920.0).reshape(cube.shape))
    assert weft.roll(StandIn(cube), 7, out=out) is out and np.array_equal(out.array, np.roll(cube, 7))
    host = np.zeros(cube.shape)[::-1]
    assert weft.map("x - y", x=StandIn(cube), y=X[:12], out=host) is host and np.array_equal(host, cube - X[:12])
    with pytest.raises(TypeError, match="out is on cuda:0, but no input is"):
        weft.map("x", x=cube, out=out)
    with pytest.raises(ValueError, match=r"x has shape \(10, 41, 12\) and y \(41,\); they cannot be broadcast"):
        weft.map("x + y", x=StandIn(cube), y=X[:41])


@pytest.mark.usefixtures("on_the_cpu")
def test_what_is_made_of_no_array_goes_where_out_is() -> None:
    out = StandIn(np.zeros(5000))
    assert weft.random.normal(5000, seed=1, out=out) is out
    assert out.array.tobytes() == weft.random.normal(5000, seed=1).tobytes()
    assert weft.map("0.5*i", shape=5000, out=out) is out and out.array[9] == 4.5
    with pytest.raises(ValueError, match="on cuda:0, but device is cpu"):
        weft.random.normal(5000, seed=1, out=out, device="cpu")
    with pytest.raises(TypeError, match="out has dtype float64; it must be one of float32"):
        weft.random.normal(5000, seed=1, dtype="f4", out=out)


@pytest.mark.usefixtures("on_the_cpu")
def test_texts() -> None:
    text = StandIn(np.frombuffer(b"abracadabra", np.uint8))
    counts = weft.match_count(text, ["abra", "cad"])
    assert isinstance(counts, StandIn) and counts.array.tolist() == [2, 1]
    positions, numbers = weft.match_list(text, ["abra", "cad"])
    assert positions.array.tolist() == [0, 4, 7] and numbers.array.tolist() == [0, 1, 0]


@pytest.mark.usefixtures("on_the_cpu")
def test_out() -> None:
    out = StandIn(np.zeros(5000))
    assert weft.cumsum(StandIn(X), out=out) is out and np.array_equal(out.array, weft.cumsum(X))
    host = np.zeros(5000)
    assert weft.cumsum(StandIn(X), out=host) is host and np.array_equal(host, out.array)


@pytest.mark.parametrize(
    "call, exception, sentence",
    [
        (lambda: weft.sum(StandIn(X[::2])), ValueError, "strides .* must be contiguous"),
        (lambda: weft.unique(StandIn(X.astype("f2"))), TypeError, "x has dtype float16"),
        (lambda: weft.sum(StandIn(X, mask=StandIn(X))), TypeError, "masked"),
        (lambda: weft.dot(StandIn(X), StandIn(X, index=1)), ValueError, "cuda:0, stream 0x0, and on cuda:1"),
        (
            lambda: weft.dot(StandIn(X, stream=7), StandIn(X, stream=8)),
            ValueError,
            "stream 0x7, and on cuda:0, stream 0x8",
        ),
        (lambda: weft.sum(StandIn(X), device="cpu"), ValueError, "on cuda:0, but device is cpu"),
        (lambda: weft.cumsum(X, out=StandIn(np.zeros(5000))), TypeError, "out is on cuda:0, but no input is"),
        (lambda: weft.sum(StandIn(X), device="cuda:1"), ValueError, "the array is on cuda:0"),
        (lambda: weft.cumsum(StandIn(X), out=StandIn(np.broadcast_to(np.zeros(5000), 5000))), ValueError, "read-only"),
        (lambda: weft.cumsum(StandIn(X), out=StandIn(np.zeros(5000), 1)), ValueError, "cuda:1"),
        (lambda: weft.cumsum(StandIn(X), out=StandIn(np.zeros(4))), ValueError, "out has shape"),
    ],
)
def test_refusals(call: Any, exception: Any, sentence: str) -> None:
    with pytest.raises(exception, match=sentence):
        call()


def test_the_call_is_made_on_the_stream_of_the_array(monkeypatch: Any) -> None:
    calls: list[tuple[Any, ...]] = []

    def record(function: Any, device: Any, *arguments: Any) -> None:
        calls.append((function, device, *arguments))

    monkeypatch.setattr(_arrays.contexts, "call", record)
    weft.cumsum(StandIn(X, index=1, stream=0x70))
    assert [call[:2] for call in calls] == [
        (lib.weft_set_stream, "cuda:1"),
        (lib.weft_scan, "cuda:1"),
        (lib.weft_set_stream, "cuda:1"),
    ]
    assert calls[0][2] == ffi.cast("void *", 0x70) and calls[2][2] == ffi.NULL


@pytest.mark.usefixtures("on_the_cpu")
def test_the_default_stream_has_two_names() -> None:
    """And the context's own stream waits for it, so that it need not be set: a CPU would refuse that."""
    assert weft.dot(StandIn(X), StandIn(X, stream=1)).array == weft.dot(X, X)


@pytest.mark.usefixtures("on_the_cpu")
def test_the_interface_is_asked_for_once() -> None:
    """Libraries make it anew each time, which takes as long as the rest of a call."""
    asked = []

    class Counted(StandIn):
        def __getattribute__(self, name: str) -> Any:
            if name == "__cuda_array_interface__":
                asked.append(self)
            return super().__getattribute__(name)

    x, out = Counted(X), Counted(np.zeros(5000))
    assert weft.cumsum(x, out=out) is out
    assert asked == [x, out]


@pytest.mark.usefixtures("on_the_cpu")
def test_strides_that_say_what_the_shape_says() -> None:
    for shape, strides in (((5000,), (8,)), ((50, 100), (800, 8)), ((1, 5000, 1), (7, 8, 9)), ((5000, 0), (1, 2))):
        x = X[: int(np.prod(shape))].reshape(shape)
        assert weft.sum(StandIn(x, strides=strides)).array == weft.sum(x)
    for strides in ((8, 400), (1600, 8), (800, -8)):
        with pytest.raises(ValueError, match="must be contiguous"):
            weft.sum(StandIn(X.reshape(50, 100), strides=strides))


@pytest.mark.usefixtures("on_the_cpu")
def test_arrays_that_are_not_computed_yet_are_waited_for(monkeypatch: Any) -> None:
    waited: list[Any] = []
    kind = _kinds.gpu_kind(StandIn(X))._replace(wait=waited.append)
    monkeypatch.setitem(_kinds.GPU_KINDS, __name__.partition(".")[0], kind)
    x = StandIn(X)
    weft.sum(x)
    assert waited == [x]


def test_a_gpu_that_is_not_there() -> None:
    if any(device.id.startswith("cuda") for device in weft.devices()):
        pytest.skip("there is a GPU")
    with pytest.raises(weft.Error):
        weft.sum(StandIn(X))


def test_dlpack_alone_in_host_memory() -> None:
    class Exporter:
        def __dlpack__(self, **options: Any) -> Any:
            return X.__dlpack__(**options)

        def __dlpack_device__(self) -> Any:
            return X.__dlpack_device__()

    assert weft.sum(Exporter()) == weft.sum(X)


def test_dlpack_alone_in_gpu_memory_needs_cupy(monkeypatch: Any) -> None:
    class Exporter:
        def __dlpack_device__(self) -> tuple[int, int]:
            return 2, 0

    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(TypeError, match="require cupy"):
        weft.sum(Exporter())


# ------------------------------------------------------------------------------------ on a GPU


def gpu_library(name: str) -> Any:
    """A library of GPU arrays, where there is a GPU; WEFT_PYTHON_GPU says that there must be."""
    if not any(device.id == "cuda:0" for device in weft.devices()):
        (pytest.fail if "WEFT_PYTHON_GPU" in os.environ else pytest.skip)("weft finds no GPU")
    try:
        return importlib.import_module(name)
    except ImportError as missing:
        return pytest.skip(f"{name} cannot be imported: {missing}")


SINGLE = X.astype("f4")
SQUARE = SINGLE[:4900].reshape(70, 70)

# Each of an array or a matrix, with results of types that all libraries have.
CALLS = {
    "sum": lambda x, m: weft.sum(x),
    "cumsum": lambda x, m: weft.cumsum(x),
    "sort": lambda x, m: weft.sort(x),
    "select": lambda x, m: weft.select(x, gt=0),
    "matmul": lambda x, m: weft.matmul(m, m),
    "rfft": lambda x, m: weft.rfft(x[:4096]),
    "map": lambda x, m: weft.map("x < 0 ? exp(x) : sqrt(x)", x=x),
    "map of views": lambda x, m: weft.map("a - b*c", a=m.T, b=m[0], c=m[:1, ::2][0, 3:4]),
    "flip": lambda x, m: weft.flip(m.T, 1),
    "roll": lambda x, m: weft.roll(m, (3, -1), (0, 1)),
    "map_reduce": lambda x, m: weft.map_reduce("mean", "a*x^2 + x", x=x, a=2),
    "with a host array": lambda x, m: weft.dot(x, SINGLE),
    "any": lambda x, m: weft.any(x),
    "argmin": lambda x, m: weft.argmin(x),
    "histogram": lambda x, m: weft.histogram(x, 8, range=(-1, 1)),
    "histogram along an axis": lambda x, m: weft.histogram(m.T, 8, range=(-1, 1), axis=0),
    "run_length": lambda x, m: weft.run_length(x)[1],
    "fft of real numbers": lambda x, m: weft.fft(x[:4096]),
}


def check_calls(give: Any, take: Any, kind: Any) -> None:
    """The bits of the CPU, from arrays that `give` makes, in arrays of the kind, which `take` makes NumPy's."""
    x, m = give(SINGLE), give(SQUARE)
    for name, function in CALLS.items():
        result = function(x, m)
        assert isinstance(result, kind), name
        assert take(result).tobytes() == function(SINGLE, SQUARE).tobytes(), name


def test_cupy_on_a_gpu() -> None:
    cupy = gpu_library("cupy")
    for stream in (cupy.cuda.Stream.null, cupy.cuda.Stream(non_blocking=True), cupy.cuda.Stream.ptds):
        with stream:
            check_calls(cupy.asarray, cupy.asnumpy, cupy.ndarray)
            x = cupy.asarray(X)
            values, places = map(cupy.asnumpy, weft.top_k(x, 5))
            assert places.dtype == np.int64 and np.array_equal(X[places.astype(int)], values)
            out = cupy.empty(1000)
            assert weft.random.normal(1000, seed=1, out=out) is out
            assert cupy.asnumpy(out).tobytes() == weft.random.normal(1000, seed=1).tobytes()
            with pytest.raises(ValueError, match="must be contiguous"):
                weft.sum(x[::2])


def test_cupy_arrays_are_used_in_the_order_of_their_stream() -> None:
    """A long kernel writes the input, weft reads it, and a later kernel overwrites it. Without stream order, weft would
    read other values."""
    cupy = gpu_library("cupy")
    host = np.arange(1 << 24, dtype="f4") % 1000
    for stream in (cupy.cuda.Stream.null, cupy.cuda.Stream(non_blocking=True)):
        with stream:
            source = cupy.asarray(host)
            x, y = cupy.zeros_like(source), cupy.zeros_like(source)
            for _ in range(20):
                cupy.copyto(x, cupy.sqrt(source * source))
                weft.cumsum(x, out=y)
                total = weft.sum(x)
                x.fill(np.nan)
            assert cupy.asnumpy(total).tobytes() == weft.sum(host).tobytes()
            assert cupy.asnumpy(y).tobytes() == weft.cumsum(host).tobytes()


def test_torch_on_a_gpu() -> None:
    torch = gpu_library("torch")
    for stream in (torch.cuda.default_stream(), torch.cuda.Stream()):
        with torch.cuda.stream(stream):
            check_calls(lambda x: torch.from_numpy(x).cuda(), lambda y: y.cpu().numpy(), torch.Tensor)
            x = torch.from_numpy(X).cuda()
            assert weft.cumsum(x, out=x) is x and x.cpu().numpy().tobytes() == weft.cumsum(X).tobytes()
            assert weft.argsort(x).cpu().numpy().tobytes() == weft.argsort(weft.cumsum(X)).tobytes()


def test_jax_on_a_gpu(monkeypatch: Any) -> None:
    monkeypatch.setenv("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    jax = gpu_library("jax")
    gpu_library("cupy")
    if jax.default_backend() != "gpu":
        pytest.skip("JAX has no GPU")
    check_calls(jax.numpy.asarray, np.asarray, jax.Array)
    x = jax.numpy.asarray(SINGLE)
    assert np.asarray(weft.cumsum(x + x)).tobytes() == weft.cumsum(SINGLE + SINGLE).tobytes()


def test_numba_on_a_gpu() -> None:
    cuda = gpu_library("numba.cuda")
    if not cuda.is_available():
        pytest.skip("Numba has no GPU")
    x = cuda.to_device(SINGLE)
    y = weft.cumsum(x)
    assert type(y) is type(x) and y.copy_to_host().tobytes() == weft.cumsum(SINGLE).tobytes()
