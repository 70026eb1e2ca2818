"""Layouts, kinds, out= and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import pyweft as weft

rng = np.random.default_rng(20260403)
X = rng.uniform(-1, 1, (60, 70)).astype(np.float32)


def _misaligned(x: Any) -> Any:
    buffer = np.empty(x.nbytes + 1, np.uint8)[1:]
    y = buffer.view(x.dtype).reshape(x.shape)
    y[...] = x
    assert not y.flags.aligned
    return y


LAYOUTS = {
    "fortran": np.asfortranarray,
    "transposed": lambda x: x.T.copy().T,
    "strided": lambda x: np.repeat(x, 2, axis=1)[:, ::2],
    "backwards": lambda x: x[::-1, ::-1].copy()[::-1, ::-1],
    "swapped": lambda x: x.astype(x.dtype.newbyteorder()),
    "misaligned": _misaligned,
    "read-only": lambda x: np.frombuffer(x.tobytes(), x.dtype).reshape(x.shape),
    "list": lambda x: [[np.float32(v) for v in row] for row in x],
    "subclass": lambda x: x.view(np.matrix),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_any_layout_gives_the_same_bits(name: str) -> None:
    x = LAYOUTS[name](X)
    if name == "list":
        x = np.array(x, object).astype(np.float32).tolist()
        assert weft.sum(x) == weft.sum(X.astype(float))
        return
    assert weft.sum(x).tobytes() == weft.sum(X).tobytes()
    assert np.array_equal(weft.cumsum(x), weft.cumsum(X))
    assert np.array_equal(weft.matmul(x, X.T), weft.matmul(X, X.T))


def test_no_copy_of_a_contiguous_array() -> None:
    x = np.arange(10.0)
    assert weft.cumsum(x, out=x) is x and x[9] == 45
    u = rng.uniform(0, 1, (4, 4, 4))
    assert weft.laplace(u, 2, out=u) is u


def test_out() -> None:
    x = np.arange(6.0)
    for out in (np.zeros(6), np.zeros(12)[::2], np.zeros(6)[::-1], _misaligned(np.zeros(6))):
        assert weft.cumsum(x, out=out) is out
        assert np.array_equal(out, np.cumsum(x))
    total = np.zeros((), np.float64)
    assert weft.sum(x, out=total) is total and total == 15
    buffer = np.zeros(6)
    kept = weft.select(x, gt=2, out=buffer)
    assert kept.base is buffer and np.array_equal(kept, [3, 4, 5])


@pytest.mark.parametrize(
    "out, exception, sentence",
    [
        (np.zeros(5), ValueError, r"out has shape \(5,\); it must be \(6,\)"),
        (np.zeros(6, "f4"), TypeError, "out has dtype float32; it must be float64"),
        (np.broadcast_to(np.zeros(1), 6), ValueError, "out is read-only"),
        ([0.0] * 6, TypeError, "out is a list; it must be an array"),
    ],
)
def test_bad_out(out: Any, exception: Any, sentence: str) -> None:
    with pytest.raises(exception, match=sentence):
        weft.cumsum(np.arange(6.0), out=out)


def test_overlap_is_refused() -> None:
    x = np.arange(10.0)
    with pytest.raises(ValueError, match="overlaps"):
        weft.cumsum(x[:-1], out=x[1:])
    assert np.array_equal(x, np.arange(10.0))


class Refused:
    """Not an array at all."""


@pytest.mark.parametrize(
    "x, sentence",
    [
        (np.array([1, "a"], object), "x has dtype object"),
        (np.zeros(3, "c8"), "x has dtype complex64"),
        (np.zeros(3, "M8[s]"), "x has dtype datetime64"),
        (np.zeros(3, [("a", "f4")]), "x has dtype"),
        (["a", "b"], "x has dtype <U1"),
        (np.ma.masked_array([1.0, 2.0], [False, True]), "masked"),
        (Refused(), "x has dtype object"),
        (None, "x has dtype object"),
    ],
)
def test_what_is_no_array_of_numbers(x: Any, sentence: str) -> None:
    with pytest.raises(TypeError, match=sentence):
        weft.sort(x)


def price(payoff: str, **more: Any) -> weft.Valuation:
    return weft.price(payoff, start=[1, 2], volatility=0.1, rate=0.05, maturity=1, **more)


@pytest.mark.parametrize(
    "call, exception, sentence",
    [
        (lambda: weft.min([]), ValueError, "0 elements|no value|empty|has no"),
        (lambda: weft.bitwise_and([1.0]), TypeError, "requires integer elements"),
        (lambda: weft.sum([1.0], dtype="f4"), TypeError, "cannot accumulate in f32"),
        (lambda: weft.sum([1.0], dtype="c8"), TypeError, "dtype is complex64"),
        (lambda: weft.dot([1.0], [1.0, 2.0]), ValueError, r"x has shape \(1,\) and y \(2,\)"),
        (lambda: weft.dot([1.0], [1]), TypeError, "x has dtype float64 and y int64"),
        (lambda: weft.variance([1.0], ddof=1), ValueError, "."),
        (lambda: weft.variance([1.0], ddof=-1), ValueError, "ddof is -1"),
        (lambda: weft.scan([1], "mean"), ValueError, "op is 'mean'; it must be one of sum, prod"),
        (lambda: weft.scan([1], init=1.5), ValueError, "init is 1.5, which int64 cannot represent"),
        (lambda: weft.scan(np.zeros(1, "u1"), init=300), ValueError, "init is 300, which uint8 cannot represent"),
        (lambda: weft.scan([1], init="a"), TypeError, "init is 'a'; it must be a number"),
        (lambda: weft.scan([1], init=np.nan), ValueError, "init is nan, which int64 cannot represent"),
        (lambda: weft.segmented_reduce([1], offsets=[0, 2]), ValueError, "."),
        (lambda: weft.segmented_reduce([1], offsets=[-1, 1]), ValueError, "."),
        (lambda: weft.segmented_reduce([1], offsets=[]), TypeError, "offsets has dtype float64"),
        (lambda: weft.segmented_reduce([1]), TypeError, "exactly one of offsets and heads"),
        (lambda: weft.segmented_reduce([1], heads=[True, False]), ValueError, "heads has 2 elements and x 1"),
        (lambda: weft.select([1]), TypeError, "exactly one of flags, lt, le, eq, ne, ge, gt"),
        (lambda: weft.select([1], lt=1, gt=0), TypeError, "not lt, gt"),
        (lambda: weft.select([1], [True], gt=0), TypeError, "not flags, gt"),
        (lambda: weft.select([1], like=3), TypeError, "not like"),
        (lambda: weft.select([1], [True, False]), ValueError, "flags has 2 elements and x 1"),
        (lambda: weft.sort([1, 2], 1), ValueError, "axis 1 is out of range: the array has 1 dimension,"),
        (lambda: weft.argsort(3), ValueError, "axis -1 is out of range: the array has 0 dimensions"),
        (lambda: weft.argsort([1], dtype="f8"), (TypeError, ValueError), "."),
        (lambda: weft.sort_bits([1.0], 0, 4), TypeError, "."),
        (lambda: weft.sort_bits([1], -1, 4), ValueError, "first_bit is -1"),
        (lambda: weft.sort_bits([1], 60, 10), ValueError, "."),
        (lambda: weft.top_k([1], 2), ValueError, "k is 2; it must be 0 to 1"),
        (lambda: weft.merge([1], [1.0]), TypeError, "a has dtype int64 and b float64"),
        (lambda: weft.search_sorted([1], [1], side="up"), ValueError, "side is 'up'"),
        (lambda: weft.histogram([1], 3), ValueError, "range is required"),
        (lambda: weft.histogram([1], 0, range=(0, 1)), ValueError, "bins is 0"),
        (lambda: weft.histogram([1], [0, 2, 1]), ValueError, "."),
        (lambda: weft.histogram([1.0], 3, range=(1, 0)), ValueError, "."),
        (lambda: weft.matmul([[1.0]], [1.0]), ValueError, "b has 1 dimension;"),
        (lambda: weft.matmul([[1.0]], [[1.0], [2.0]]), ValueError, "a is 1 x 1 and b 2 x 1"),
        (lambda: weft.matmul([[1]], [[1]]), TypeError, "a has dtype int64"),
        (lambda: weft.matmul(np.ones((2, 1, 1)), np.ones((3, 1, 1))), ValueError, r"shapes \(2,\) and \(3,\)"),
        (lambda: weft.matmul([[1.0]], [[1.0]], beta=1), ValueError, "beta is 1, which requires out"),
        (lambda: weft.fft(np.ones(3, "c8"), 0), ValueError, "has 0 values; it must have at least 1"),
        (lambda: weft.fft(["a"]), TypeError, "x has dtype <U1; it must be one of"),
        (lambda: weft.irfft(np.ones(3, "c8"), -3), ValueError, "has -3 values; it must have at least 1"),
        (lambda: weft.convolve([], [1.0]), ValueError, "x has 0 elements"),
        (lambda: weft.convolve([1.0], [1.0], "middle"), ValueError, "mode is 'middle'"),
        (lambda: weft.tridiag(1.0, 1.0, [1.0, 2.0], [1.0]), ValueError, r"c has shape \(2,\)"),
        (lambda: weft.block_tridiag(np.eye(2), np.eye(3), np.eye(2), np.ones((4, 2))), ValueError, r"b has shape \(3, 3\)"),
        (lambda: weft.block_tridiag(np.eye(2), np.eye(2), np.eye(2), np.ones(4)), ValueError, "d has 1 dimension;"),
        (lambda: weft.heat(np.ones((2, 2, 2, 2))), ValueError, "dimensions is 4; it must be 1, 2 or 3"),
        (lambda: weft.heat([1.0], dimensions=2), ValueError, "dimensions is 2; it must be 1, 2 or 3 and at most the 1"),
        (lambda: weft.heat([1.0], lam=[1.0, 2.0]), ValueError, "lam has 2 numbers"),
        (lambda: weft.heat([1.0], lam=0.0), ValueError, "invalid lambda 0 of axis 0"),
        (lambda: weft.heat([1.0], method="euler"), ValueError, "method is 'euler'"),
        (lambda: weft.heat([1.0], -1), ValueError, "steps is -1"),
        (lambda: weft.laplace(np.ones((3, 3))), ValueError, "u has 2 dimensions"),
        (lambda: weft.laplace(np.ones((3, 3, 3)), -1), ValueError, "sweeps is -1"),
        (lambda: weft.laplace_solve(np.ones((3, 3, 3)), "gauss"), ValueError, "method is 'gauss'"),
        (lambda: weft.laplace_solve(np.ones((3, 3, 3)), omega=2.5), ValueError, "invalid omega 2.5"),
        (lambda: weft.laplace_solve(np.ones((3, 3, 3)), tolerance=-1.0), ValueError, "invalid tolerance -1"),
        (lambda: weft.recurrence([1.0, 2.0, 3.0], [1.0, 2.0]), ValueError, "broadcast"),
        (lambda: weft.sum([1.0], device="tpu"), weft.Error, "unknown device"),
        (lambda: weft.sum([1.0], device=3), TypeError, "device is a int"),
        (lambda: weft.set_device("cuda:99"), weft.Error, "."),
        (lambda: weft.set_threads(-1), ValueError, "number of threads -1"),
        (lambda: weft.verify("gentle"), ValueError, "gentle"),
        (lambda: weft.map("x +* 2", x=[1]), ValueError, r"expected a value\n  x \+\* 2\n     \^"),
        (lambda: weft.map("x\0", x=[1]), ValueError, "NUL"),
        (lambda: weft.map(3, x=[1]), TypeError, "the formula is a int"),
        (lambda: weft.map(["x"], x=[1]), TypeError, "the formula is a list"),
        (lambda: weft.map("x + y", x=[1]), ValueError, "the variable y of the formula is not bound"),
        (lambda: weft.map("x", x=[1], y=2), ValueError, "y is bound, but the formula has no variable of this name"),
        (lambda: weft.map("x + y", x=[1, 2], y=[1] * 3), ValueError, r"x has shape \(2,\) and y \(3,\)"),
        (lambda: weft.map("a", a=1), ValueError, "no array is given; shape= is required"),
        (
            lambda: weft.map("x", x=[1], shape=2),
            ValueError,
            r"shape cannot be combined with arrays; x has shape \(1,\)",
        ),
        (lambda: weft.map("i", shape=-1), ValueError, "shape is -1"),
        (lambda: weft.map("i", shape=1.5), TypeError, "shape is 1.5; it must be an integer"),
        (lambda: weft.map("x", x=[1.5], dtype="i4"), TypeError, "x is f64, which cannot be evaluated in i32"),
        (lambda: weft.map("x", x=[1], dtype="u1"), TypeError, "not in u8"),
        (lambda: weft.map("sqrt(x)", x=[1]), TypeError, "sqrt is not defined for i64"),
        (lambda: weft.map("x", x=["a"]), TypeError, "x has dtype <U1"),
        (lambda: weft.map_reduce("median", "x", x=[1]), ValueError, "op is 'median'; it must be one of sum, prod"),
        (lambda: weft.map_reduce("mean", "i", shape=0), ValueError, "0 elements"),
        (lambda: weft.map_reduce("mean", "i", shape=1 << 63), ValueError, "fewer than 2\\^63"),
        (lambda: weft.random.normal(3), TypeError, "seed"),
        (lambda: weft.random.normal(3, seed=-1), ValueError, "seed is -1; it must be 0 to"),
        (lambda: weft.random.normal(3, seed=1 << 64), ValueError, "seed is 18446744073709551616"),
        (lambda: weft.random.normal(3, seed=0.5), TypeError, "seed is 0.5; it must be an integer"),
        (lambda: weft.random.normal(3, seed=1, first=1 << 63), ValueError, "first = 9223372036854775808"),
        (lambda: weft.random.normal(3, deviation=-1, seed=1), ValueError, "standard deviation b = -1"),
        (lambda: weft.random.normal(3, seed=1, dtype="i4"), TypeError, "f32, f64, f16 or bf16, not i32"),
        (lambda: weft.random.uniform(3, 2, 1, seed=1), ValueError, "a = 2 is not less than b = 1"),
        (lambda: weft.random.bernoulli(3, 1.5, seed=1), ValueError, "probability a = 1.5"),
        (lambda: weft.random.sobol(3, 1112), ValueError, "invalid number of dimensions 1112: expected 1 to 1111"),
        (lambda: weft.random.sobol(3, 2, "full"), ValueError, "'full'; it must be one of none, shift, owen"),
        (lambda: weft.random.integers(3, 5, 1, seed=1), ValueError, "lower = 5 is greater than upper = 1"),
        (lambda: weft.random.integers(3, 0.5, seed=1), ValueError, "lower is 0.5, which int64 cannot represent"),
        (lambda: weft.random.integers(3, seed=1, dtype="u1"), TypeError, "or u64, not u8"),
        (lambda: weft.match_count("a", "ab"), TypeError, "words is a str; it must be a list of words"),
        (lambda: weft.match_count("a", ["a", 1]), TypeError, r"words\[1\] is a int"),
        (lambda: weft.match_count("a", []), ValueError, "number of patterns 0"),
        (lambda: weft.match_count("a", ["a", ""]), ValueError, "pattern 1 is empty"),
        (lambda: weft.match_list("a", ["a" * 257]), ValueError, "pattern 0 has 257 bytes"),
        (lambda: weft.match_count([1, 2], ["a"]), TypeError, "text has dtype int64; it must be one of uint8"),
        (lambda: weft.match_count(np.zeros((2, 2), "u1"), ["a"]), ValueError, "text has 2 dimensions"),
        (lambda: weft.match_count("abc", ["a"], first=2, end=1), ValueError, "first = 2, end = 1 in a text of 3"),
        (lambda: weft.match_count("abc", ["a"], first=-1), ValueError, "first is -1"),
        (lambda: price("cal"), ValueError, "payoff is 'cal'; it must be one of call, put"),
        (lambda: price("call"), ValueError, "invalid strike nan"),
        (lambda: price("call", strike=1, barrier="up"), ValueError, "barrier is 'up'; it must be one of None, up-out"),
        (lambda: price("call", strike=1, observed="often"), ValueError, "observed is 'often'"),
        (lambda: price("call", strike=1, scheme="heun"), ValueError, "scheme is 'heun'"),
        (lambda: price("call", strike=1, weights=[1, 2, 3]), ValueError, r"start has shape \(2,\)"),
        (lambda: price("call", strike=1, correlation=[1, 2]), ValueError, r"correlation has shape \(2,\)"),
        (lambda: price("call", strike=1, correlation=2), ValueError, "assets 1 and 0 is 2"),
        (lambda: price("call", strike=1, paths=1), ValueError, "number of paths 1"),
        (lambda: price("call", strike=1, steps=-1), ValueError, "steps is -1"),
        (lambda: price("call", strike=1, dtype="i4"), TypeError, "paths of f32 or f64, not i32"),
    ],
)
def test_bad_arguments_are_told(call: Any, exception: Any, sentence: str) -> None:
    with pytest.raises(exception, match=sentence) as caught:
        call()
    assert str(caught.value)


@pytest.mark.parametrize("dtype", ["i1", "u1", "i8", "u8"])
def test_numbers_that_an_integer_has(dtype: str) -> None:
    limits, x = np.iinfo(dtype), np.zeros(1, dtype)
    ends = [int(limits.min), int(limits.max)]
    swapped = [np.array(end, np.dtype(dtype).newbyteorder()) for end in ends]
    for value in [*ends, *swapped, np.uint8(7), True, 7.0, np.float16(7), np.longdouble(7), _misaligned(np.array(7.0))]:
        assert weft.scan(x, init=value, op="or").tolist() == [int(value)]
    for value in [ends[0] - 1, ends[1] + 1, 2.0**64, -1.5, 0.5, np.inf, -np.inf, np.nan]:
        with pytest.raises((TypeError, ValueError), match="which .* cannot represent|it must be a number"):
            weft.scan(x, init=value, op="or")


def test_memory_that_is_not_there() -> None:
    with pytest.raises(MemoryError):
        weft.cumsum(np.broadcast_to(np.float64(1), 1 << 45))


def test_empty_arrays() -> None:
    empty = np.empty(0, np.float32)
    assert weft.sum(empty) == 0 and weft.prod(empty) == 1 and weft.dot(empty, empty) == 0
    for function in (weft.cumsum, weft.sort, weft.unique, weft.argsort):
        assert function(empty).shape == (0,)
    assert weft.segmented_reduce(empty, offsets=np.array([0, 0])).tolist() == [0]
    assert weft.recurrence(np.empty((3, 0)), np.empty((3, 0))).shape == (3, 0)
    assert weft.matmul(np.empty((2, 0)), np.empty((0, 3))).tolist() == [[0] * 3] * 2
    assert weft.fft(np.empty((0, 4), "c8")).shape == (0, 4)
    assert weft.tridiag(1.0, 2.0, 1.0, np.empty((0, 3))).shape == (0, 3)
    assert weft.map("x + 1", x=empty).shape == (0,) and weft.map_reduce("sum", "x + 1", x=empty) == 0
    assert weft.random.normal((2, 0), seed=1).shape == (2, 0)
    assert weft.match_count("", ["a"]).tolist() == [0] and weft.match_list(b"", ["a"])[0].shape == (0,)


def test_formulas_in_place_and_of_any_layout() -> None:
    expected = weft.map("2*x", x=X)
    assert expected.shape == X.shape and expected.dtype == np.float32
    for name, change in LAYOUTS.items():
        if name != "list":
            assert np.array_equal(weft.map("2*x", x=change(X)), expected), name
    x = X.copy()
    assert weft.map("2*x", x=x, out=x) is x and np.array_equal(x, expected)
    with pytest.raises(ValueError, match="overlaps"):
        weft.map("x", x=x[:-1], out=x[1:])


def test_types_of_formulas() -> None:
    f4, i4, i2 = (np.ones(2, dtype) for dtype in ("f4", "i4", "i2"))
    assert weft.map("x*a", x=f4, a=0.5).dtype == np.float32
    assert weft.map("x*a", x=i4, a=2).dtype == np.int32
    assert weft.map("x + y", x=f4, y=i4).dtype == weft.map("x", x=i2).dtype == np.float64
    assert weft.map("x", x=np.ones(2, bool), dtype=np.uint32).dtype == np.uint32
    assert weft.map("x**2**3", x=[2.0]) == weft.map("x^2^3", x=[2.0]) == 256
    assert repr(weft.expr("x**2")) == "weft.expr('x**2')"


def test_texts_of_any_kind() -> None:
    text = b"abracadabra"
    array = np.frombuffer(text, np.uint8)
    for same in (text, text.decode(), bytearray(text), memoryview(text), array, np.repeat(array, 2)[::2]):
        assert weft.match_count(same, ["a", b"abra"]).tolist() == [5, 2]
    assert weft.match_list("über über", ["ü", "b"])[0].tolist() == [0, 2, 6, 8]  # of the UTF-8
    pieces = [weft.match_count(text, ["abra"], first=at, end=at + 1)[0] for at in range(len(text))]
    assert pieces == [1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]


def test_bool_arrays() -> None:
    flags = np.array([True, False, True])
    assert (
        weft.sum(flags) == 2
        and weft.select(flags, flags).dtype == bool
        and weft.sort(flags).tolist() == [False, True, True]
    )


def test_devices_give_the_same_bits() -> None:
    expected = weft.sum(X).tobytes()
    for device in ("ref", "cpu:base", "auto", *(one.id for one in weft.devices())):
        assert weft.sum(X, device=device).tobytes() == expected
    weft.set_device("ref")
    try:
        assert weft.sum(X).tobytes() == expected
    finally:
        weft.set_device("cpu")


def test_jax_arrays_on_the_cpu() -> None:
    jax = pytest.importorskip("jax")
    x = jax.numpy.asarray(X)
    y = weft.cumsum(x)
    assert isinstance(y, jax.Array) and np.array_equal(np.asarray(y), weft.cumsum(X))
    assert isinstance(weft.sum(x), jax.Array) and isinstance(weft.map("a*x", x=x, a=2), jax.Array)


def test_torch_tensors_on_the_cpu() -> None:
    torch = pytest.importorskip("torch")
    x = torch.from_numpy(X.copy())
    y = weft.cumsum(x)
    assert isinstance(y, torch.Tensor) and np.array_equal(y.numpy(), weft.cumsum(X))
    out = torch.zeros(X.size)
    assert weft.cumsum(x, out=out) is out and torch.equal(out, y)
    assert isinstance(weft.map("a*x", x=x, a=2), torch.Tensor)
