"""Tests of operations along axes: the bits of the 1-D call on each vector, NumPy's shapes and dtypes, any strides, out,
and errors."""

from __future__ import annotations

import inspect
import itertools
from typing import Any, Callable, Optional

import numpy as np
import pytest
import pyweft as weft

RNG = np.random.default_rng(20261126)
REDUCTIONS = ["sum", "prod", "min", "max", "argmin", "argmax", "any", "all", "count_nonzero", "mean", "norm1", "norm2",
              "norminf", "variance"]
BITWISE = ["bitwise_and", "bitwise_or", "bitwise_xor"]
NUMPY: dict[str, Callable[..., Any]] = {
    **{name: getattr(np, name) for name in REDUCTIONS[:10]},
    "variance": np.var,
    **{name: getattr(np, name).reduce for name in BITWISE},
}
DTYPES = ["f4", "f8", "i1", "i4", "i8", "u1", "u2", "u8", "?"]
F = RNG.uniform(-1, 1, (3, 5, 4))


def layouts(x: Any) -> dict[str, Any]:
    """Arrays of equal values and other strides."""
    wide = np.zeros((2, *x.shape, 3), x.dtype)
    wide[1, ..., 1] = x
    return {
        "C": x,
        "Fortran": np.asfortranarray(x),
        "gaps": wide[1, ..., 1],
        "reversed": np.ascontiguousarray(x[::-1, ..., ::-1])[::-1, ..., ::-1],
        "transposed": np.ascontiguousarray(x.transpose(1, 2, 0)).transpose(2, 0, 1),
        "big-endian": x.astype(x.dtype.newbyteorder(">")),
        "misaligned": np.frombuffer(b"-" + x.tobytes(), np.uint8)[1:].view(x.dtype).reshape(x.shape),
    }


def one_by_one(function: Callable[..., Any], x: Any, axes: tuple[int, ...]) -> Any:
    """The results of calls for contiguous vectors of x, each of which has the elements along the axes."""
    outer = [k for k in range(x.ndim) if k not in axes]
    moved = x.transpose([*outer, *axes])
    shape = tuple(x.shape[k] for k in outer)
    vectors = np.ascontiguousarray(moved).reshape(*shape, -1)
    return np.array([function(vectors[index]) for index in np.ndindex(shape)]).reshape(shape)


def same(found: Any, expected: Any) -> None:
    assert found.dtype == expected.dtype and found.shape == expected.shape
    assert found.tobytes() == expected.tobytes()


# ------------------------------------------------------------------------------------- reductions


@pytest.mark.parametrize("layout", layouts(F))
@pytest.mark.parametrize("name", [*REDUCTIONS, *BITWISE])
def test_results_have_the_bits_of_each_vector(name: str, layout: str) -> None:
    x = layouts((F * 100).astype("i4") if name in BITWISE else F)[layout]
    function = getattr(weft, name)
    for axes in itertools.chain.from_iterable(itertools.permutations(range(3), count) for count in range(1, 4)):
        expected = one_by_one(function, x, axes)
        same(np.asarray(function(x, axis=axes)), expected)
        same(np.asarray(function(x, axis=tuple(k - 3 for k in axes))), expected)
        kept = function(x, axis=axes, keepdims=True)
        assert kept.shape == np.sum(x, axis=axes, keepdims=True).shape
        assert np.squeeze(kept, axes).tobytes() == expected.tobytes()
    for axis in range(3):
        same(function(x, axis), one_by_one(function, x, (axis,)))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", NUMPY)
def test_values_and_dtypes_are_those_of_numpy(name: str, dtype: str) -> None:
    if name in BITWISE and dtype[0] == "f":
        return
    x = RNG.integers(0, 4, (4, 3, 2)).astype(dtype)
    tolerance = 1e-6 if dtype == "f4" else 1e-14
    for axis in [0, 1, -1] if name.startswith("arg") else [0, 1, -1, (0, 1), (0, 1, 2)]:
        found, expected = getattr(weft, name)(x, axis=axis), NUMPY[name](x, axis=axis)
        assert found.dtype == weft_dtype(name, x, expected)
        assert found.shape == expected.shape
        assert np.allclose(found.astype("f8"), expected.astype("f8"), rtol=tolerance, atol=0)


def weft_dtype(name: str, x: Any, expected: Any) -> Any:
    return getattr(weft, name)(x).dtype if name in ("mean", "variance") else expected.dtype


@pytest.mark.parametrize("name", REDUCTIONS)
def test_no_axis_is_the_flattened_array(name: str) -> None:
    function = getattr(weft, name)
    for x in layouts(F).values():
        same(function(x), function(np.ascontiguousarray(x).ravel()))
        same(function(x, axis=None), function(x))
        kept = function(x, keepdims=True)
        assert kept.shape == (1, 1, 1) and kept.tobytes() == function(x).tobytes()


def test_one_value_for_all_axes_is_a_scalar() -> None:
    assert isinstance(weft.sum(F, axis=(0, 1, 2)), np.float64)
    assert isinstance(weft.sum(np.float64(3), axis=()), np.float64)
    assert weft.sum(np.float64(3), keepdims=True) == 3


def test_without_axes_each_element_is_reduced() -> None:
    same(weft.norm1(F, axis=()), np.abs(F))


def test_the_order_of_axes_numbers_the_elements() -> None:
    x = np.array([[3, 9, 1], [2, 1, 9]])
    assert weft.argmax(x, axis=(0, 1)) == 1 and weft.argmax(x, axis=(1, 0)) == 2


def test_dtype_accumulate_and_ddof() -> None:
    x = F.astype("f4")
    same(weft.sum(x, 0, dtype=np.float64), one_by_one(lambda v: weft.sum(v, dtype=np.float64), x, (0,)))
    same(weft.sum(F, (0, 2), accumulate="exact"), one_by_one(lambda v: weft.sum(v, accumulate="exact"), F, (0, 2)))
    same(weft.variance(F, 1, ddof=1), one_by_one(lambda v: weft.variance(v, ddof=1), F, (1,)))
    exactly = one_by_one(lambda v: weft.variance(v, accumulate="exact"), x, (1,))
    same(weft.variance(x, 1, accumulate="exact"), exactly)
    with pytest.raises(ValueError, match="variance of 3 elements with ddof 3 is undefined"):
        weft.variance(F, 0, ddof=3)


@pytest.mark.parametrize("name", REDUCTIONS)
def test_float16_is_reduced_as_float32_and_rounded_once(name: str) -> None:
    x = (F * 100).astype("f2")
    function = getattr(weft, name)
    for axis in (None, 0, (2, 1)):
        found, of_f32 = function(x, axis), function(x.astype("f4"), axis)
        if of_f32.dtype != np.float32:
            same(np.asarray(found), np.asarray(of_f32))
            continue
        takes_dtype = "dtype" in inspect.signature(function).parameters
        in_f64 = takes_dtype and name not in ("sum", "prod")
        with np.errstate(over="ignore"):
            expected = (function(x, axis, dtype=np.float64) if in_f64 else of_f32).astype("f2")
        same(np.asarray(found), np.asarray(expected))
        if takes_dtype:
            same(np.asarray(function(x, axis, dtype=np.float16)), np.asarray(expected))
            same(np.asarray(function(x, axis, dtype=np.float32)), np.asarray(of_f32))


def test_empty_arrays() -> None:
    x = np.zeros((0, 3, 2))
    same(weft.sum(x, 0), np.zeros((3, 2)))
    same(weft.sum(x, 1), np.zeros((0, 2)))
    same(weft.max(x, 1), np.zeros((0, 2)))
    same(weft.cumsum(x, 1), x)
    same(weft.prod(x, (1, 0)), np.ones(2))
    assert not np.signbit(weft.sum(x, 0)).any()
    for name in ("min", "argmax", "mean"):
        with pytest.raises(ValueError, match=f"{name} of 0 elements is undefined"):
            getattr(weft, name)(x, 0)


def test_readonly_broadcasts() -> None:
    row = np.arange(1.0, 5.0)
    x = np.broadcast_to(row, (6, 4))
    assert not x.flags.writeable and x.strides[0] == 0
    same(weft.sum(x, 0), 6 * row)
    same(weft.sum(x, 1), np.full(6, 10.0))
    same(weft.cumsum(x, 0), np.cumsum(x, 0))


def test_fields_of_records() -> None:
    records = np.zeros((4, 3), [("a", "u1"), ("x", "f4"), ("y", "f8")])  # packed: x and y are not aligned
    records["y"] = RNG.uniform(size=(4, 3))
    same(weft.max(records["y"], 0), records["y"].max(0))
    aligned = np.zeros((4, 3), np.dtype([("a", "u1"), ("y", "f8")], align=True))
    aligned["y"] = records["y"]
    same(weft.max(aligned["y"], 1), records["y"].max(1))
    # NumPy calls an array without elements aligned, whatever its strides are.
    packed = np.zeros((4, 3), [("y", "f8"), ("a", "u1")])["y"]
    same(weft.sum(packed[:, :0], 1), np.zeros(4))
    same(weft.cumsum(packed[:, :0], 0), np.zeros((4, 0)))
    same(weft.copy(packed[:1, :1]), np.zeros((1, 1)))


# ------------------------------------------------------------------------------------------ scans


@pytest.mark.parametrize("layout", layouts(F))
@pytest.mark.parametrize("op", ["sum", "prod", "min", "max"])
@pytest.mark.parametrize("exclusive", [False, True])
def test_scans_have_the_bits_of_each_vector(op: str, exclusive: bool, layout: str) -> None:
    x = layouts(F)[layout]
    for axis in (0, 1, 2, -1):
        for init in (None, 0.5):
            found = weft.scan(x, op, axis=axis, exclusive=exclusive, init=init)
            assert found.shape == x.shape and found.dtype == F.dtype
            vectors = np.moveaxis(x, axis, -1)
            for index in np.ndindex(vectors.shape[:-1]):
                expected = weft.scan(vectors[index], op, exclusive=exclusive, init=init)
                assert np.moveaxis(found, axis, -1)[index].tobytes() == expected.tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
def test_running_sums_are_those_of_numpy(dtype: str) -> None:
    x = RNG.integers(0, 4, (4, 3, 2)).astype(dtype)
    for axis in (0, 1, -1):
        same(weft.cumsum(x, axis), np.cumsum(x, axis))
        same(weft.cumprod(x, axis=axis), np.cumprod(x, axis=axis))
    same(weft.cumsum(x), np.cumsum(x))
    if dtype[0] != "f":
        same(weft.scan(x, "or", axis=1), np.bitwise_or.accumulate(x, axis=1))
        same(weft.scan(x, "max", axis=1, exclusive=True)[:, 1:], np.maximum.accumulate(x, axis=1)[:, :-1])


# ------------------------------------------------------------------------------------------ sorts


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("axis", [0, 1, 2, -1, None])
def test_sorts_are_those_of_numpy(dtype: str, axis: Optional[int]) -> None:
    x = RNG.integers(-3 if dtype[0] in "if" else 0, 4, (6, 50, 7)).astype(dtype)
    keys, indices = np.sort(x, axis), np.argsort(x, axis, kind="stable")
    for layout in layouts(x).values():
        same(weft.sort(layout, axis), keys)
        same(weft.argsort(layout, axis), indices)
        same(weft.argsort(layout, axis=axis, dtype=np.uint32), indices.astype(np.uint32))
    same(weft.sort(x), np.sort(x))
    same(weft.argsort(x.tolist()), np.argsort(x, kind="stable"))


def test_sorts_have_the_bits_of_each_vector() -> None:
    x = F.copy()
    x[0, :, 1], x[1, 2] = np.nan, [-0.0, 0.0, np.inf, -np.nan]
    for descending in (False, True):
        for axis in (0, 1, 2):
            keys, indices = (np.moveaxis(f(x, axis, descending=descending), axis, -1) for f in (weft.sort, weft.argsort))
            for index in np.ndindex(keys.shape[:-1]):
                vector = np.moveaxis(x, axis, -1)[index]
                assert keys[index].tobytes() == weft.sort(vector, descending=descending).tobytes()
                assert indices[index].tobytes() == weft.argsort(vector, descending=descending).tobytes()


def test_sorts_in_place_and_without_elements() -> None:
    x = F.copy()
    assert weft.sort(x[:, ::2], 1, out=x[:, ::2]) is not None
    assert np.array_equal(x[:, ::2], np.sort(F[:, ::2], 1)) and np.array_equal(x[:, 1::2], F[:, 1::2])
    y = np.zeros((4, 5, 3), np.int64).transpose(2, 1, 0)
    assert weft.argsort(F, 1, out=y) is y and np.array_equal(y, np.argsort(F, 1, kind="stable"))
    same(weft.sort(np.zeros((3, 0)), 1), np.zeros((3, 0)))
    same(weft.argsort(np.zeros((3, 0)), 0), np.zeros((3, 0), np.int64))
    same(weft.sort(np.zeros((3, 0)), None), np.zeros(0))


# ------------------------------------------------------------------------------------------ top_k


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("axis", [0, 1, 2, -1, None])
def test_top_k_is_the_start_of_a_sort(dtype: str, axis: Optional[int]) -> None:
    x = RNG.integers(-3 if dtype[0] in "if" else 0, 4, (6, 50, 7)).astype(dtype)
    n = x.size if axis is None else x.shape[axis]
    for layout in layouts(x).values():
        for largest in (False, True):
            keys = weft.sort(x, axis, descending=largest)
            indices = weft.argsort(x, axis, descending=largest)
            for k in (0, 1, 5, n):
                first = [slice(None)] * keys.ndim
                first[axis or 0] = slice(k)
                values, positions = weft.top_k(layout, min(k, n), axis, largest=largest)
                same(values, keys[tuple(first)])
                same(positions, indices[tuple(first)])


def test_top_k_has_the_bits_of_each_vector() -> None:
    x = F.copy()
    x[0, :, 1], x[1, 2] = np.nan, [-0.0, 0.0, np.inf, -np.nan]
    for axis in (0, 1, 2):
        values, indices = (np.moveaxis(y, axis, -1) for y in weft.top_k(x, 3, axis))
        for index in np.ndindex(values.shape[:-1]):
            alone = weft.top_k(np.moveaxis(x, axis, -1)[index], 3)
            assert values[index].tobytes() == alone[0].tobytes() and indices[index].tobytes() == alone[1].tobytes()
    same(weft.top_k(np.zeros((3, 0)), 2, 0)[1], np.zeros((2, 0), np.int64))
    with pytest.raises(ValueError, match="k is 4; it must be 0 to 3"):
        weft.top_k(np.zeros((3, 5)), 4, axis=0)
    with pytest.raises(ValueError, match="axis 2 is out of range"):
        weft.top_k(np.zeros((3, 5)), 1, 2)


# -------------------------------------------------------------------------------------- quantiles

METHODS = ["linear", "lower", "higher", "nearest", "midpoint"]


@pytest.mark.parametrize("dtype", ["f8", "i1", "i4", "u2", "u8"])
@pytest.mark.parametrize("method", METHODS)
def test_quantiles_are_those_of_numpy(dtype: str, method: str) -> None:
    x = (RNG.uniform(-1, 1, (6, 51, 4)) if dtype == "f8" else RNG.integers(0, 100, (6, 51, 4))).astype(dtype)
    for q in (0.5, 0.0, 1.0, 0.3, [0.25, 0.5, 0.123], np.array([[0.5, 1], [0.01, 0.99]]), []):
        for axis in (None, 0, 1, 2, -1):
            for keepdims in (False, True):
                expected = np.asarray(np.quantile(x, q, axis=axis, method=method, keepdims=keepdims))
                for layout in layouts(x).values():
                    same(np.asarray(weft.quantile(layout, q, axis, method=method, keepdims=keepdims)), expected)


@pytest.mark.parametrize("dtype", ["f4", "f8", "i2"])
def test_medians_are_those_of_numpy(dtype: str) -> None:
    x = (RNG.uniform(-9, 9, (5, 31, 7)) * 10).astype(dtype)
    for axis in (None, 0, 1, -1):
        for keepdims in (False, True):
            found, expected = (m.median(x, axis=axis, keepdims=keepdims) for m in (weft, np))
            same(np.asarray(found), np.asarray(expected))
    assert weft.median([1, 2]) == 1.5 and weft.median(np.array([False, True, True])) == 1


def test_quantiles_of_special_values() -> None:
    x = F.astype("f4")
    x[0, 0, 0], x[1, 1, 1] = np.nan, np.inf
    assert np.isnan(weft.quantile(x, [0, 1])).all() and weft.quantile(x, 1, method="lower").dtype == "f4"
    for axis in (0, 1, 2):
        assert np.isnan(weft.median(x, axis)).sum() == 1
    assert weft.quantile([-np.inf, np.inf, np.inf], 0.75) == np.inf and np.isnan(weft.median([-np.inf, np.inf]))
    assert weft.median(np.array([-1.7e308, 1.7e308])) == 0
    same(weft.quantile(np.array([True, False]), [0, 1], method="nearest"), np.array([False, True]))
    same(weft.quantile(np.zeros((3, 0)), 0.5, 0), np.zeros(0))


def test_quantiles_in_out_and_errors() -> None:
    out = np.zeros((2, 3, 4))
    assert weft.quantile(F, [0.5, 1], 1, out=out) is out
    same(out, weft.quantile(F, [0.5, 1], 1))
    assert weft.median(F, 1, out=out[0]) is not None
    with pytest.raises(ValueError, match="q\\[1\\] is 1.5: expected a number from 0 to 1"):
        weft.quantile(F, [0, 1.5])
    with pytest.raises(ValueError, match="method is 'mean'; it must be one of linear, lower"):
        weft.quantile(F, 0.5, method="mean")
    with pytest.raises(ValueError, match="axis 3 is out of range"):
        weft.median(F, 3)
    with pytest.raises(ValueError, match="quantiles of 0 elements"):
        weft.median([])


# ------------------------------------------------------------------------------------- histograms


@pytest.mark.parametrize("dtype", ["f4", "f8", "i1", "i4", "i8", "u1", "u2", "u8", "?"])
def test_histograms_have_the_counts_of_each_vector(dtype: str) -> None:
    x = RNG.integers(0, 2 if dtype == "?" else 9, (4, 50, 3)).astype(dtype)
    edges = np.array([0, 1] if dtype == "?" else [0, 2, 3, 7], dtype)
    ways: list[dict[str, Any]] = [{"bins": edges}, {"bins": 3, "range": (0, 1 if dtype == "?" else 7)}]
    for axis, way in itertools.product((0, 1, 2, -1, -3), ways):
        vectors = np.moveaxis(x, axis, -1)
        each = [weft.histogram(vectors[index].copy(), **way) for index in np.ndindex(vectors.shape[:-1])]
        expected = np.moveaxis(np.array(each).reshape(*vectors.shape[:-1], -1), -1, axis)
        for layout in layouts(x).values():
            same(weft.histogram(layout, axis=axis, **way), np.ascontiguousarray(expected))


def test_histograms_are_those_of_numpy() -> None:
    found = weft.histogram(F, [-1.0, -0.5, 0.0, 0.75], axis=1)
    for i, k in np.ndindex(3, 4):
        assert np.array_equal(found[i, :, k], np.histogram(F[i, :, k], [-1, -0.5, 0, 0.75])[0])


def test_histograms_of_float16_have_bins_of_float32() -> None:
    x = RNG.standard_normal((30, 20)).astype("f2")
    edges = np.array([-1, 0.1, 0.10001, 2], "f4")
    for way in ({"bins": edges}, {"bins": [-1, 0.5, 2]}, {"bins": 7, "range": (-1.1, 2)}):
        same(weft.histogram(x, **way), weft.histogram(x.astype("f4"), **way))
        same(weft.histogram(x, axis=0, **way), weft.histogram(x.astype("f4"), axis=0, **way))


def test_histograms_in_out_and_without_elements() -> None:
    table = np.full((3, 5, 4, 2), 9)
    assert weft.histogram(F, 5, range=(-1, 1), axis=1, out=table[..., 1]) is not None
    assert np.array_equal(table[..., 1], weft.histogram(F, 5, range=(-1, 1), axis=-2)) and (table[..., 0] == 9).all()
    same(weft.histogram(np.zeros((2, 0)), 3, range=(0, 1), axis=1), np.zeros((2, 3), np.int64))
    same(weft.histogram(np.zeros((2, 0)), [0, 1], axis=0), np.zeros((1, 0), np.int64))
    same(weft.histogram([3, 4, 5], [3, 5, 6], axis=-1), np.array([2, 1]))


def test_wrong_histograms() -> None:
    with pytest.raises(ValueError, match="range is required"):
        weft.histogram(F, 3, axis=0)
    with pytest.raises(ValueError, match="bins is 0"):
        weft.histogram(F, 0, range=(0, 1), axis=0)
    with pytest.raises(ValueError, match="bins has 1 edges"):
        weft.histogram(F, [1.0], axis=0)
    with pytest.raises(TypeError, match="x has dtype float64 and bins float32"):
        weft.histogram(F, np.array([0, 1], "f4"), axis=0)
    with pytest.raises(ValueError, match="edges must be strictly ascending"):
        weft.histogram(F, [1, 0], axis=0)
    with pytest.raises(ValueError, match="axis 3 is out of range"):
        weft.histogram(F, [0, 1], axis=3)
    with pytest.raises(ValueError, match=r"out has shape \(3, 2\); it must be \(3, 1, 4\)"):
        weft.histogram(F, [0, 1], axis=1, out=np.zeros((3, 2), int))
    with pytest.raises(TypeError, match="x has dtype float16 and bins float16; they must be float32"):
        weft.histogram(F.astype("f2"), np.array([0, 1], "f2"), axis=1)
    with pytest.raises(TypeError, match="x has dtype float16 and bins float64; they must be float32"):
        weft.histogram(F.astype("f2"), np.array([0.0, 1]))


# -------------------------------------------------------------------------------------------- out


def test_out_of_any_strides() -> None:
    total, table = weft.sum(F, 1), np.zeros((3, 9))
    assert weft.sum(F, 1, out=table[:, ::-2][:, :4]) is not None
    assert np.array_equal(table[:, ::-2][:, :4], total) and not table[:, 1::2].any()
    out = np.zeros((4, 1, 3)).T
    assert weft.sum(F, axis=1, keepdims=True, out=out) is out and np.array_equal(out[:, 0], total)
    y = np.zeros((4, 5, 3)).transpose(2, 1, 0)
    assert weft.cumsum(F, 2, out=y) is y and np.array_equal(y, weft.cumsum(F, 2))
    bytes_ = np.zeros(total.nbytes + 1, np.uint8)
    misaligned = bytes_[1:].view(np.float64).reshape(3, 4)
    assert weft.sum(F, 1, out=misaligned) is misaligned and np.array_equal(misaligned, total)
    counts = np.zeros(4, np.int64)
    assert weft.argmax(F[0], 0, out=counts) is counts and np.array_equal(counts, F[0].argmax(0))


def test_out_that_overlaps_the_input() -> None:
    x = F.copy()
    weft.cumsum(x, 1, out=x)
    assert np.array_equal(x, weft.cumsum(F, 1))
    x = F.copy()
    weft.cumsum(x[:, :, ::2], 0, out=x[:, :, ::2])
    assert np.array_equal(x[:, :, ::2], weft.cumsum(F[:, :, ::2], 0)) and np.array_equal(x[:, :, 1::2], F[:, :, 1::2])
    x = F.copy()
    weft.cumsum(x, 1, out=x[:, ::-1])
    assert np.array_equal(x[:, ::-1], weft.cumsum(F, 1))
    x = F.copy()
    weft.sum(x[:, 1:], 1, out=x[:, 0])
    assert np.array_equal(x[:, 0], weft.sum(F[:, 1:], 1))
    x = F.copy()
    weft.copy(x[::-1], out=x)
    assert np.array_equal(x, F[::-1])


def test_wrong_out() -> None:
    with pytest.raises(ValueError, match=r"out has shape \(5,\); it must be \(3, 4\)"):
        weft.sum(F, 1, out=np.zeros(5))
    with pytest.raises(TypeError, match="out has dtype float32; it must be float64"):
        weft.cumsum(F, 1, out=np.zeros(F.shape, "f4"))
    with pytest.raises(ValueError, match="out is read-only"):
        weft.sum(F, 1, out=np.broadcast_to(0.0, (3, 4)))
    overlapping = np.lib.stride_tricks.as_strided(np.zeros(12), (3, 4), (0, 8))
    with pytest.raises(ValueError, match=r"out: elements of shape \(3, 4\) with strides \(0, 8\) overlap"):
        weft.sum(F, 1, out=overlapping)


# ----------------------------------------------------------------------------------------- errors


def test_wrong_axes() -> None:
    error: Any = getattr(np, "exceptions", np).AxisError
    message = r"axis 3 is out of range: the array has 3 dimensions, shape \(3, 5, 4\)"
    for call in (lambda: weft.sum(F, 3), lambda: weft.mean(F, (0, 3)), lambda: weft.cumsum(F, 3)):
        with pytest.raises(error, match=message):
            call()
    with pytest.raises(error, match="axis -4 is out of range"):
        weft.scan(F, "max", axis=-4)
    with pytest.raises(ValueError, match=r"axis is \(0, -3\), which contains an axis twice"):
        weft.sum(F, (0, -3))
    with pytest.raises(TypeError):
        weft.sum(F, 1.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="the array has 17 dimensions; at most 16 are supported"):
        weft.sum(np.zeros((1,) * 17), 0)
    assert weft.sum(np.ones((1,) * 16 ), 15).shape == (1,) * 15


def test_each_operation_along_axes_is_offered() -> None:
    names = ("scan", "cumsum", "cumprod", "sort", "argsort", "top_k", "quantile", "median", "histogram")
    for name in (*REDUCTIONS, *BITWISE, *names):
        assert "axis" in inspect.signature(getattr(weft, name)).parameters, name


# ----------------------------------------------------------------------------------------- copies


@pytest.mark.parametrize("dtype", ["i1", "u2", "f2", "f4", "f8", "?", "c8", "c16"])
def test_copies(dtype: str) -> None:
    x = (RNG.integers(0, 100, (3, 5, 4)) * (1 + 2j if dtype[0] == "c" else 1)).astype(dtype)
    for y in layouts(x).values():
        found = weft.copy(y)
        assert found.flags.c_contiguous and found.flags.writeable and not np.shares_memory(found, y)
        same(found, np.ascontiguousarray(y).astype(dtype))
    same(weft.copy(x.T), np.ascontiguousarray(x.T))
    out = np.zeros((2, 4, 5, 3), dtype).transpose(0, 3, 2, 1)
    assert weft.copy(x, out=out) is out and (out == x).all()
    assert (weft.copy(x[:, :1], out=out) == x[:, :1]).all()


def test_copies_keep_bits() -> None:
    x = np.array([[0x7FC00001, 0xFFC12345], [0x80000000, 1]], np.uint32).view(np.float32)
    assert weft.copy(x.T).tobytes() == np.ascontiguousarray(x.T).tobytes()


def test_wrong_copies() -> None:
    with pytest.raises(ValueError, match=r"x of shape \(3, 5, 4\) cannot be broadcast to y of shape \(3, 4\)|more than y"):
        weft.copy(F, out=np.zeros((3, 4)))
    with pytest.raises(TypeError, match="out has dtype float32; it must be float64"):
        weft.copy(F, out=np.zeros(F.shape, "f4"))
    with pytest.raises(TypeError, match="out is a list; it must be an array"):
        weft.copy(1.0, out=[1.0])
    with pytest.raises(TypeError, match="x has dtype"):
        weft.copy(np.array(["a"]))


def random_view(x: Any) -> Any:
    """A view of random strides, of both signs, whose values and shape are those of x."""
    order = RNG.permutation(x.ndim)
    steps = RNG.choice([-3, -2, -1, 1, 2, 3], x.ndim)
    memory = np.zeros([n * abs(int(step)) for n, step in zip(np.array(x.shape, int)[order], steps)], x.dtype)
    view = memory[(*(slice(None, None, int(step)) for step in steps), ...)].transpose(np.argsort(order))
    view[...] = x
    return view


@pytest.mark.parametrize("dtype", ["i1", "f2", "f4", "f8", "c16"])
def test_flips_and_rolls_are_those_of_numpy(dtype: str) -> None:
    for _ in range(40):
        shape = tuple(RNG.integers(0 if RNG.random() < 0.1 else 1, 6, RNG.integers(0, 5)))
        x = random_view(np.asarray(RNG.integers(0, 100, shape) * (1 + 2j if dtype[0] == "c" else 1)).astype(dtype))
        axes = tuple(int(k) - x.ndim * int(RNG.integers(2)) for k in RNG.permutation(x.ndim)[: RNG.integers(0, 5)])
        shifts = tuple(int(s) for s in RNG.integers(-9, 10, len(axes)))
        for axis in (None, axes, *axes):
            found, expected = weft.flip(x, axis), np.flip(x, axis)
            same(np.asarray(found), np.ascontiguousarray(expected).reshape(shape))
            for shift in (0, 2, -11, shifts) if isinstance(axis, tuple) else (0, 2, -11):
                rolled = np.roll(x, shift, axis) if x.ndim else x.copy()  # np.roll(x, (), ()) fails of 0 dimensions
                same(np.asarray(weft.roll(x, shift, axis)), rolled)
            out = random_view(np.zeros(shape, dtype))
            assert weft.flip(x, axis, out=out) is out and np.array_equal(out, expected)
            assert weft.roll(x, shift, axis, out=out) is out and np.array_equal(out, rolled)


def test_flips_and_rolls_of_lists_and_in_place() -> None:
    assert weft.flip([1, 2, 3]).tolist() == [3, 2, 1] and weft.roll([1, 2, 3], 1).tolist() == [3, 1, 2]
    same(weft.roll(F, (1, 2, 1), (0, -1, 0)), np.roll(F, (1, 2, 1), (0, -1, 0)))
    same(weft.roll(F, (1, 2)), np.roll(F, (1, 2)))
    same(weft.roll(F, 10**30, 1), np.roll(F, 0, 1))
    x = F.copy()
    assert weft.flip(x, 1, out=x) is x and np.array_equal(x, F[:, ::-1])
    x = F.copy()
    assert weft.roll(x, -1, out=x) is x and np.array_equal(x, np.roll(F, -1))


def test_wrong_flips_and_rolls() -> None:
    with pytest.raises(ValueError, match="axis 3 is out of range: the array has 3 dimensions"):
        weft.flip(F, 3)
    with pytest.raises(ValueError, match=r"axis is \(0, -3\), which contains an axis twice"):
        weft.flip(F, (0, -3))
    with pytest.raises(ValueError, match="axis -4 is out of range"):
        weft.roll(F, 1, -4)
    with pytest.raises(ValueError, match=r"shift is \[\[1\]\] and axis 0; they must be integers or tuples"):
        weft.roll(F, [[1]], 0)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="integer"):
        weft.roll(F, 1.5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="x has dtype"):
        weft.flip(np.array(["a"]))


# --------------------------------------------------------------------------------- elements by index


@pytest.mark.parametrize("dtype", [*DTYPES, "f2", "c8", "c16"])
def test_takes(dtype: str) -> None:
    for _ in range(40):
        shape = tuple(int(n) for n in RNG.integers(1, 6, RNG.integers(1, 5)))
        x = random_view(np.asarray(RNG.integers(0, 100, shape) * (1 + 2j if dtype[0] == "c" else 1)).astype(dtype))
        axis = int(RNG.integers(-x.ndim, x.ndim))
        wanted = tuple(int(n) for n in RNG.integers(0, 5, RNG.integers(0, 4)))
        kind = str(RNG.choice(["i4", "i8", "u4", "u8", "i2"]))
        indices = RNG.integers(0, x.shape[axis], wanted).astype(kind)
        same(np.asarray(weft.take(x, indices, axis)), np.asarray(np.take(x, indices.astype("i8"), axis)))
        flat = RNG.integers(0, x.size, wanted)
        same(np.asarray(weft.take(x, flat)), np.asarray(np.take(x, flat)))
        along = list(x.shape)
        along[axis] = int(RNG.integers(0, 7))
        own = random_view(RNG.integers(0, x.shape[axis], along))
        expected = np.take_along_axis(x, own, axis)
        same(weft.take_along_axis(x, own, axis), expected)
        out = random_view(np.zeros(along, dtype))
        assert weft.take_along_axis(x, own, axis, out=out) is out and np.array_equal(out, expected)


@pytest.mark.parametrize("layout", layouts(F))
def test_takes_from_any_layout(layout: str) -> None:
    x, indices = layouts(F)[layout], [[2, 0], [1, 1]]
    same(weft.take(x, indices, 1), np.ascontiguousarray(np.take(F, indices, 1)))
    same(weft.take(x, indices), np.take(F, indices))
    order = weft.argsort(x, axis=1)
    same(weft.take_along_axis(x, order, 1), np.sort(F, 1))
    same(weft.take_along_axis(x, layouts(order)[layout], 1), np.sort(F, 1))


@pytest.mark.parametrize("dtype", [*DTYPES, "f2", "c8", "c16"])
def test_puts(dtype: str) -> None:
    for _ in range(40):
        shape = tuple(int(n) for n in RNG.integers(1, 6, RNG.integers(1, 5)))
        x = np.asarray(RNG.integers(0, 100, shape) * (1 + 2j if dtype[0] == "c" else 1)).astype(dtype)
        axis = int(RNG.integers(-x.ndim, x.ndim))
        along = list(shape)
        along[axis] = int(RNG.integers(0, shape[axis] + 1))
        kind = str(RNG.choice(["i4", "i8", "u4", "u8", "i2"]))
        own = random_view(np.take(np.argsort(RNG.random(shape), axis), np.arange(along[axis]), axis).astype(kind))
        narrow = tuple(n if RNG.random() < 0.7 else 1 for n in along)
        values = random_view(np.asarray(RNG.integers(100, 200, narrow)).astype(dtype))
        expected = x.copy()
        np.put_along_axis(expected, own.astype("i8"), values, axis)
        out = random_view(x)
        assert weft.put_along_axis(out, own, values, axis) is None and np.array_equal(out, expected)
        flat = np.argsort(RNG.random(x.size))[: x.size // 2]
        np.put_along_axis(expected, flat, np.ones((), dtype), None)
        weft.put_along_axis(out, flat, np.ones((), dtype), None)
        assert np.array_equal(out, expected)


@pytest.mark.parametrize("layout", layouts(F))
def test_puts_to_any_layout(layout: str) -> None:
    expected = F.copy()
    np.put_along_axis(expected, np.array([[[2], [0]]]), 7.0, 1)
    x = layouts(F.copy())[layout]
    if layout in ("big-endian", "misaligned"):
        x = np.frombuffer(bytearray(b"-" + F.tobytes()), np.uint8)[1:].view(F.dtype).reshape(F.shape)
    weft.put_along_axis(x, [[[2], [0]]], 7, 1)
    assert np.array_equal(x, expected)
    order = weft.argsort(F, axis=1)
    back = np.zeros_like(F)
    weft.put_along_axis(back, order, weft.sort(F, axis=1), 1)
    assert np.array_equal(back, F)


def test_puts_in_place_and_skip() -> None:
    x = np.arange(12.0).reshape(3, 4)
    weft.put_along_axis(x, [[1, 0], [0, 1], [2, 3]], x[:, 2:])  # values overlap x
    assert np.array_equal(x, [[3, 2, 2, 3], [6, 7, 6, 7], [8, 9, 10, 11]])
    weft.put_along_axis(x, [[9], [-1], [0]], [[5.0], [5.0], [5.0]], skip=True)
    assert np.array_equal(x[:, 0], [3, 6, 5])
    weft.put_along_axis(x.T, [[0], [0], [1], [1]], -1, 1)
    assert x[0, 0] == -1 and x[1, 2] == -1 and x[0, 2] == 2


def test_wrong_puts() -> None:
    x = F.copy()
    with pytest.raises(ValueError, match=r"index\[1\] is -1: expected 0 to 4"):
        weft.put_along_axis(x, [[[0], [-1]]], 0, 1)
    with pytest.raises(ValueError, match=r"index\[0\] and index\[2\] are 3: put_axis requires different indices"):
        weft.put_along_axis(x, [[[3], [0], [3]]], 0, 1)
    with pytest.raises(ValueError, match="indices has 1 dimension; it must have 3"):
        weft.put_along_axis(x, [0], 0, 1)
    with pytest.raises(ValueError, match=r"x of shape \(2\) cannot be broadcast to targets of shape \(3, 1, 4\)"):
        weft.put_along_axis(x, [[[0]]], [1, 2], 1)
    with pytest.raises(ValueError, match="axis 3 is out of range"):
        weft.put_along_axis(x, [[[0]]], 0, 3)
    with pytest.raises(TypeError, match="values has dtype float32 and out float64"):
        weft.put_along_axis(x, [[[0]]], np.float32(1), 1)
    with pytest.raises(TypeError, match="out is a list; it must be an array"):
        weft.put_along_axis([1.0, 2.0], [0], 3.0)
    with pytest.raises(ValueError, match="out is read-only"):
        weft.put_along_axis(np.broadcast_to(1.0, 3), [0], 2.0)
    assert np.array_equal(x, F)


def test_takes_are_broadcast_and_flat() -> None:
    same(weft.take_along_axis(F, [[[1], [0]]], 1), np.take_along_axis(F, np.array([[[1], [0]]]), 1))
    narrow = F[:1, :, :1]
    own = RNG.integers(0, 5, (3, 2, 4))
    same(weft.take_along_axis(narrow, own, 1), np.take_along_axis(narrow, own, 1))
    same(weft.take_along_axis(F, [3, 0, 59], None), np.take_along_axis(F, np.array([3, 0, 59]), None))
    assert weft.take([10, 20, 30], 1) == 20 and weft.take(F, 2, 0).shape == (5, 4)
    assert weft.take([True, False], [1, 0]).tolist() == [False, True]


def test_takes_of_out_and_skip() -> None:
    out = np.full((2, 4), 7.0)
    assert weft.take(F[0], [1, 9], 0, out=out, skip=True) is out
    assert np.array_equal(out, [F[0, 1], [7.0] * 4])
    assert weft.take([10, 20], [1, -1], skip=True).tolist() == [20, 0]
    with_gaps = np.full((2, 8), 7.0)[:, ::2]
    assert weft.take(F[0], [4, -5], 0, out=with_gaps, skip=True) is with_gaps
    assert np.array_equal(with_gaps, [F[0, 4], [7.0] * 4])
    out.fill(7)
    assert weft.take_along_axis(F[0], [[0, -1, 1, 5]], 0, out=out[:1], skip=True).shape == (1, 4)
    assert np.array_equal(out, [[F[0, 0, 0], 7.0, F[0, 1, 2], 7.0], [7.0] * 4])


def test_wrong_takes() -> None:
    with pytest.raises(ValueError, match=r"index\[1\] is -1: expected 0 to 4"):
        weft.take(F, [0, -1], 1)
    with pytest.raises(ValueError, match=r"index\[2\] is 60: expected 0 to 59"):
        weft.take(F, [[0, 1], [60, 61]])
    with pytest.raises(ValueError, match=r"index\[0\] is 4: expected 0 to 3"):
        weft.take_along_axis(F, [[[4]]])
    with pytest.raises(ValueError, match="axis 3 is out of range: the array has 3 dimensions"):
        weft.take(F, [0], 3)
    with pytest.raises(ValueError, match="indices has 1 dimension; it must have 3"):
        weft.take_along_axis(F, [0], 1)
    with pytest.raises(ValueError, match="indices has 2 dimensions; it must have 1"):
        weft.take_along_axis(F, [[0]], None)
    with pytest.raises(ValueError, match="broadcast"):
        weft.take_along_axis(F, np.zeros((2, 5, 4), np.int64), 1)
    with pytest.raises(TypeError, match="indices has dtype float64"):
        weft.take(F, [0.5])
    with pytest.raises(TypeError, match="x has dtype"):
        weft.take(np.array(["a"]), [0])
    with pytest.raises(ValueError, match=r"out has shape \(3, 1, 4\); it must be \(3, 2, 4\)"):
        weft.take(F, [0, 1], 1, out=np.zeros((3, 1, 4)))


VECDOT_SHAPES = [
    ((4, 5), (4, 5), -1, (4,)),
    ((4, 5), (4, 5), 0, (5,)),
    ((3, 4, 5), (5,), -1, (3, 4)),
    ((4, 1, 5), (3, 5), -1, (4, 3)),
    ((5, 3), (2, 5, 3), -2, (2, 3)),
    ((5,), (5,), 0, ()),
    ((2, 0), (2, 0), -1, (2,)),
]


@pytest.mark.parametrize("left, right, axis, shape", VECDOT_SHAPES)
@pytest.mark.parametrize("dtype", [np.int8, np.uint64, np.float16, np.float32, np.float64])
def test_vecdot_of_vectors(left: Any, right: Any, axis: int, shape: Any, dtype: Any) -> None:
    x = np.arange(np.prod(left)).astype(dtype).reshape(left)
    y = (np.arange(np.prod(right)) % 5 + 1).astype(dtype).reshape(right)
    found = weft.vecdot(x, y, axis)
    a, b = np.broadcast_arrays(np.moveaxis(x, axis, -1), np.moveaxis(y, axis, -1))
    assert found.shape == shape
    for index in np.ndindex(shape):
        assert found[index] == weft.dot(a[index], b[index])
    if dtype in (np.float32, np.float64):
        np.testing.assert_allclose(found, np.sum(a * b, axis=-1))
    kept = weft.vecdot(x, y, axis, keepdims=True)
    np.testing.assert_array_equal(kept, np.expand_dims(found, axis))


def test_vecdot_of_strided_arrays() -> None:
    x = np.arange(60.0).reshape(3, 4, 5)
    y = np.arange(60.0)[::-1].reshape(3, 4, 5)
    np.testing.assert_array_equal(weft.vecdot(x.T, y.T, 1), np.sum(x.T * y.T, axis=1))
    np.testing.assert_array_equal(weft.vecdot(x[:, ::-2], y[:, ::-2]), np.sum(x[:, ::-2] * y[:, ::-2], axis=-1))
    out = np.zeros((3, 8))[:, ::2]
    assert weft.vecdot(x, y, out=out) is out
    np.testing.assert_array_equal(out, np.sum(x * y, axis=-1))
    overlapping = x[:, :, 0]
    expected = np.sum(x * y, axis=-1)
    assert weft.vecdot(x, y, out=overlapping) is overlapping
    np.testing.assert_array_equal(overlapping, expected)


def test_vecdot_types() -> None:
    x = np.full((2, 3), 300, np.float16)
    assert weft.vecdot(x, x).dtype == np.float16 and np.all(np.isinf(weft.vecdot(x, x)))
    assert weft.vecdot(x, x, dtype=np.float64).tolist() == [270000, 270000]
    wide = weft.vecdot(x.astype(np.float32), x.astype(np.float32), dtype=np.float64)
    assert wide.dtype == np.float64
    assert weft.vecdot(np.float32([[1e30, 1, -1e30]]), np.float32([1, 1, 1]), accumulate="exact").tolist() == [1]
    assert weft.dot(np.float16([2, 3]), np.float16([4, 0.5])) == np.float16(9.5)


def test_vecdot_refuses() -> None:
    x = np.zeros((2, 3))
    with pytest.raises(ValueError, match="the same length along axis -1"):
        weft.vecdot(x, np.zeros(1))
    with pytest.raises(ValueError, match="axis 2 is out of range"):
        weft.vecdot(x, x, 2)
    with pytest.raises(ValueError, match="axis -1 is out of range"):
        weft.vecdot(x, 1.0)
    with pytest.raises(TypeError, match="they must be the same"):
        weft.vecdot(x, x.astype(np.float32))
    with pytest.raises(ValueError):
        weft.vecdot(np.zeros((2, 3)), np.zeros((4, 3)))
