"""Tests of where= and initial= of the reductions, and of formulas with bools as results: the bits of the calls that
define them, NumPy's values and dtypes, special values, out, and errors."""

from __future__ import annotations

import itertools
import re
import warnings
from typing import Any, Callable

import numpy as np
import pytest
import pyweft as weft

RNG = np.random.default_rng(20261128)
TOTALS = ["sum", "prod", "min", "max"]
BITWISE = ["bitwise_and", "bitwise_or", "bitwise_xor"]
TRUTHS = ["any", "all"]
MOMENTS = ["mean", "variance", "std"]
NUMPY: dict[str, Callable[..., Any]] = {
    **{name: getattr(np, name) for name in [*TOTALS, *TRUTHS, "mean", "std"]},
    "variance": np.var,
    **{name: getattr(np, name).reduce for name in BITWISE},
}
DTYPES = ["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?"]
F = RNG.uniform(-1, 1, (3, 5, 4))
MASK = RNG.random((3, 5, 4)) < 0.6
LONG = (RNG.uniform(-1, 1, 30000) * 2.0 ** RNG.integers(-20, 20, 30000)).astype("f4")
TAKEN = RNG.random(30000) < 0.7


def same(found: Any, expected: Any) -> None:
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.dtype == expected.dtype and found.shape == expected.shape
    assert found.tobytes() == expected.tobytes()


def identity(name: str, dtype: Any) -> Any:
    """The value of an element that is not taken."""
    floats, bools = dtype.kind == "f", dtype == np.bool_
    if name in ("min", "max"):
        least, most = (-np.inf, np.inf) if floats else (0, 1) if bools else (np.iinfo(dtype).min, np.iinfo(dtype).max)
        return most if name == "min" else least
    ones = 1 if bools else -1 if dtype.kind == "i" else 2 ** (8 * dtype.itemsize) - 1
    return {"sum": -0.0 if floats else 0, "prod": 1, "all": 1, "bitwise_and": ones}.get(name, 0)


def replaced(name: str, x: Any, mask: Any) -> Any:
    """x with the identity where the mask is False."""
    return np.where(mask, x, np.array(identity(name, x.dtype)).astype(x.dtype))


def arrays(dtype: str) -> Any:
    if dtype[0] == "f":
        return (F * 30).astype(dtype)
    return RNG.integers(-9 if dtype[0] == "i" else 0, 9, (3, 5, 4)).astype(dtype)


# ------------------------------------------------------------------------------------------ where


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", [*TOTALS, *TRUTHS, *BITWISE])
def test_elements_that_are_not_taken_are_identities(name: str, dtype: str) -> None:
    if name in BITWISE and dtype[0] == "f":
        return
    x, function = arrays(dtype), getattr(weft, name)
    for axis in (None, 0, 1, -1, (2, 0), (0, 1, 2), ()):
        for keepdims in (False, True):
            expected = np.asarray(function(replaced(name, x, MASK), axis, keepdims=keepdims))
            if name == "sum" and dtype[0] == "f":  # the sum of no elements is +0
                axes = axis if axis is None or isinstance(axis, tuple) else (axis,)
                expected = np.where(np.any(MASK, axis=axes, keepdims=keepdims), expected, expected.dtype.type(0))
            same(function(x, axis, keepdims=keepdims, where=MASK), expected)
            same(function(x[::-1].T, axis, keepdims=keepdims, where=MASK[::-1].T), function(
                np.ascontiguousarray(x[::-1].T), axis, keepdims=keepdims, where=np.ascontiguousarray(MASK[::-1].T)))


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i2", "u8", "?"])
@pytest.mark.parametrize("name", [*TOTALS, *TRUTHS, *MOMENTS])
def test_results_have_the_bits_of_each_vector(name: str, dtype: str) -> None:
    x, function = arrays(dtype), getattr(weft, name)
    for axes in itertools.chain.from_iterable(itertools.permutations(range(3), count) for count in (1, 2)):
        outer = [k for k in range(3) if k not in axes]
        vectors, masks = (y.transpose(*outer, *axes) for y in (x, MASK))
        found = function(x, axes, where=MASK)
        for index in np.ndindex(found.shape):
            same(found[index], function(vectors[index].ravel(), where=masks[index].ravel()))


@pytest.mark.parametrize("name", [*TOTALS, *TRUTHS, "mean"])
def test_masks_that_take_all_elements_change_no_bit(name: str) -> None:
    function = getattr(weft, name)
    for x in (LONG, LONG.astype("f8"), (LONG / 100).astype("f2"), (LONG * 100).astype("i4"), (LONG * 9).astype("i8")):
        same(function(x, where=np.True_), function(x))
        table = x.reshape(100, 300)
        same(function(table, 0, where=np.ones(300, bool)), function(table, 0))


def test_order_of_long_vectors() -> None:
    for x in (LONG, LONG.astype("f8")):
        same(weft.sum(x, where=TAKEN), weft.sum(np.where(TAKEN, x, x.dtype.type(-0.0))))
        total = weft.sum(np.where(TAKEN, x, x.dtype.type(-0.0)), dtype=np.float64)
        mean = total / TAKEN.sum()
        same(weft.mean(x, where=TAKEN), x.dtype.type(mean))
        same(weft.mean(x, where=TAKEN, dtype=np.float64), mean)
        squares = np.where(TAKEN, (x - mean) * (x - mean), -0.0)
        for ddof in (0, 1):
            variance = weft.sum(squares) / (TAKEN.sum() - ddof)
            same(weft.variance(x, where=TAKEN, ddof=ddof), x.dtype.type(variance))
            same(weft.std(x, where=TAKEN, ddof=ddof), np.sqrt(x.dtype.type(variance)))
        same(weft.sum(x, where=TAKEN, dtype=np.float64), total)
        same(weft.sum(x, where=TAKEN, accumulate="exact"), weft.sum(x[TAKEN], accumulate="exact"))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", NUMPY)
def test_values_and_dtypes_are_those_of_numpy(name: str, dtype: str) -> None:
    if name in BITWISE and dtype[0] == "f":
        return
    x = RNG.integers(0, 4, (4, 3, 2)).astype(dtype)
    tolerance = {"f2": 2e-3, "f4": 1e-6}.get(dtype, 1e-13)
    more = {"initial": 1} if name in ("min", "max") else {}
    for mask in (MASK[:, :3, :2][[0, 1, 2, 0]], np.array([True, False]), np.array([[[True]], [[False]]] * 2), np.True_):
        for axis in (0, 1, -1, (0, 1), (0, 1, 2)):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                expected = NUMPY[name](x, axis=axis, where=mask, **more)
            found = getattr(weft, name)(x, axis, where=mask, **more)
            assert found.shape == expected.shape
            if name not in MOMENTS or dtype not in ("f2", "f4"):  # NumPy has float64 or the type of float elements
                assert found.dtype == expected.dtype
            assert np.allclose(found.astype("f8"), expected.astype("f8"), rtol=tolerance, atol=0, equal_nan=True)


def test_special_values() -> None:
    x = np.array([np.nan, 1, -0.0, np.inf])
    assert weft.sum(x, where=[False, True, True, False]) == 1 and weft.max(x, where=[False, True, True, True]) == np.inf
    assert np.isnan(weft.sum(x, where=[True, False, False, False]))
    assert np.signbit(weft.sum(x, where=[False, False, True, False]))
    assert np.signbit(weft.min(np.array([0.0, -0.0]), where=[True, True]))
    assert weft.any(x, where=[True, False, False, False]) and not weft.any(x, where=[False, False, True, False])
    assert weft.mean(x, where=[False, True, True, False]) == 0.5
    assert weft.variance(x, where=[False, True, True, False]) == 0.25


def test_no_elements_are_taken() -> None:
    for dtype in DTYPES:
        x = arrays(dtype)
        for name in (*TOTALS, *TRUTHS, *(BITWISE if dtype[0] != "f" else [])):
            found = getattr(weft, name)(x, 1, where=False)
            wanted = identity(name, x.dtype)
            assert (found == np.array(wanted).astype(found.dtype)).all() and found.shape == (3, 4)
            assert name != "sum" or not np.signbit(found.astype("f8")).any()
        for name in MOMENTS:
            found = getattr(weft, name)(x, 1, where=False)
            same(found, np.full((3, 4), np.nan, found.dtype))
    assert weft.variance([1.0, 3.0, 5.0], where=[True, True, False], ddof=2) == np.inf


def test_empty_arrays_and_masks() -> None:
    same(weft.sum(np.zeros((0, 3)), 0, where=np.zeros((0, 3), bool)), np.zeros(3))
    same(weft.sum(np.zeros((0, 3)), 1, where=[True, False, True]), np.zeros(0))
    same(weft.mean(np.zeros((2, 0)), 1, where=np.True_), np.full(2, np.nan))
    with pytest.raises(ValueError, match="min of 0 elements is undefined"):
        weft.min(np.zeros((0, 3)), 0, where=np.True_)


def test_numbers_and_lists() -> None:
    assert weft.sum(3, where=False) == 0 and weft.sum(3.0, where=True) == 3
    assert weft.mean(np.float32(3), where=np.True_).dtype == np.float32
    assert weft.prod([2, 3, 7], where=[True, False, True]) == 14
    assert isinstance(weft.sum([1.0, 2.0], where=[True, False]), np.float64)
    assert isinstance(weft.any([1.0, 2.0], where=[True, False]), np.bool_)


# ---------------------------------------------------------------------------------------- initial


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", [*TOTALS, *BITWISE])
def test_initial_is_combined_last(name: str, dtype: str) -> None:
    if name in BITWISE and dtype[0] == "f":
        return
    x, function = arrays(dtype), getattr(weft, name)
    initial = 1 if dtype == "?" else 5
    for mask in (True, MASK):
        for axis in (None, 1, (2, 0), ()):
            alone = np.asarray(function(x, axis, where=mask))
            total = np.full_like(alone, initial)
            more = {"dtype": alone.dtype} if name in ("sum", "prod") else {}
            expected = function(np.stack([total, alone]), 0, **more)
            same(function(x, axis, where=mask, initial=initial), expected)
            values = NUMPY[name](x, axis=axis if axis is not None or name in TOTALS else (0, 1, 2), initial=initial,
                                 where=mask)
            assert np.allclose(np.asarray(expected, "f8"), np.asarray(values, "f8"), rtol=2e-2 if dtype == "f2" else 1e-5)
    same(function(x, 1, keepdims=True, initial=initial), np.expand_dims(function(x, 1, initial=initial), 1))


def test_initial_rounds_once_more() -> None:
    same(weft.sum(LONG, initial=0.1), np.float32(0.1) + weft.sum(LONG))
    same(weft.sum(LONG, initial=0.1, dtype=np.float64), 0.1 + weft.sum(LONG, dtype=np.float64))
    same(weft.prod(LONG[:9], initial=0.1), np.float32(0.1) * weft.prod(LONG[:9]))
    half = F.astype("f2")
    same(weft.sum(half, initial=0.1), np.float16(np.float32(np.float16(0.1)) + np.float32(weft.sum(half))))
    same(weft.sum(LONG, initial=2, accumulate="exact"), np.float32(2) + weft.sum(LONG, accumulate="exact"))


def test_initial_of_no_elements() -> None:
    empty = np.zeros((3, 0, 4))
    for name in TOTALS:
        same(getattr(weft, name)(empty, 1, initial=-2.5), np.full((3, 4), -2.5))
        same(getattr(weft, name)(F, 1, initial=-2.5, where=False), np.full((3, 4), -2.5))
        same(getattr(weft, name)([], initial=-0.0), np.float64(-0.0))
        same(getattr(weft, name)(F, 1, initial=-0.0, where=False), np.full((3, 4), -0.0))
    same(weft.min(np.zeros((0, 2), bool), 0, initial=False), np.zeros(2, bool))
    same(weft.max(empty, 0, initial=1), np.zeros((0, 4)))


def test_initial_of_a_minimum() -> None:
    same(weft.min([3, 5], initial=4), np.int64(3))
    same(weft.max(np.array([3, 5], np.uint8), initial=255), np.uint8(255))
    assert np.isnan(weft.min([1.0, 2.0], initial=np.nan)) and np.isnan(weft.max([np.nan], initial=np.inf))
    same(weft.min([0.0], initial=-0.0), np.float64(-0.0))


# ------------------------------------------------------------------------------------ out, errors


def test_out() -> None:
    for name in (*TOTALS, *TRUTHS, *MOMENTS):
        function = getattr(weft, name)
        expected = function(F, 1, where=MASK)
        out = np.zeros((3, 8), expected.dtype)[:, ::-2]
        assert function(F, 1, where=MASK, out=out) is out and np.array_equal(out, expected)
        single = np.zeros((), expected.dtype)
        assert function(F, where=MASK, out=single) is single and single == function(F, where=MASK)
    x, mask = F.copy(), MASK.copy()
    weft.sum(x[:, 1:], 1, where=mask[:, 1:], initial=1, out=x[:, 0])
    assert np.array_equal(x[:, 0], weft.sum(F[:, 1:], 1, where=MASK[:, 1:], initial=1))
    weft.any(F, 1, where=mask, out=mask[:, 0])
    assert np.array_equal(mask[:, 0], weft.any(F, 1, where=MASK))
    with pytest.raises(ValueError, match=r"out has shape \(5,\); it must be \(3, 4\)"):
        weft.mean(F, 1, where=MASK, out=np.zeros(5))
    with pytest.raises(ValueError, match=r"out has shape \(2, 3, 4\); it must be \(3, 4\)"):
        weft.std(F, 1, where=MASK, out=np.zeros((2, 3, 4)))
    with pytest.raises(TypeError, match="out has dtype float64; it must be bool"):
        weft.all(F, where=MASK, out=np.zeros(()))


def test_wrong_masks() -> None:
    for mask, shape in ((MASK[:2], r"\(2, 5, 4\)"), (MASK[None], r"\(1, 3, 5, 4\)"), (MASK[0, 0, :3], r"\(3,\)")):
        with pytest.raises(ValueError, match=f"where has shape {shape}; it must be one that can be broadcast to that"):
            weft.sum(F, where=mask)
    with pytest.raises(TypeError, match="where has dtype int64; it must be one of bool"):
        weft.mean(F, where=MASK.astype("i8"))
    for name in ("mean", "variance", "std"):
        with pytest.raises(ValueError, match="accumulate is 'exact', which cannot be combined with where"):
            getattr(weft, name)(F, where=MASK, accumulate="exact")
    with pytest.raises(ValueError, match="axis 3 is out of range"):
        weft.sum(F, 3, where=MASK)
    with pytest.raises(ValueError, match="ddof is -1; it must not be negative"):
        weft.variance(F, where=MASK, ddof=-1)
    with pytest.raises(TypeError, match="and .*f64"):
        weft.bitwise_and(F, where=MASK)


def test_wrong_initial() -> None:
    for initial, dtype in ((300, "u1"), (1.5, "i8"), (2, "?"), (1e300, "f4"), (70000, "f2")):
        with pytest.raises(ValueError, match=re.escape(f"initial is {initial!r}, which {np.dtype(dtype)} cannot")):
            weft.max(np.zeros(3, dtype), initial=initial)
    for initial in ("1", [1, 2], 1j):
        with pytest.raises(TypeError, match="initial is .*; it must be a number"):
            weft.sum(F, initial=initial)
    same(weft.sum(np.zeros(3, "f4"), initial=np.inf), np.float32(np.inf))


# ------------------------------------------------------------------------------ formulas of bools


def test_formulas_with_bools_as_results() -> None:
    same(weft.map("x > y", x=F, y=F[0], dtype=bool), F > F[0])
    same(weft.map("x", x=[0.0, -0.0, np.nan, 1e-300], dtype=bool), np.array([False, False, True, True]))
    same(weft.map("x*x", x=np.array([0, 1e-6], "f2"), dtype=bool), np.array([False, True]))
    same(weft.map("i - 2", shape=4, dtype=bool), np.array([True, True, False, True]))
    same(weft.map("a && !b", a=MASK, b=MASK[:1], dtype=np.bool_), MASK & ~MASK[:1])
    same(weft.map("x > 0", x=np.float32(2), dtype=bool), np.True_)
    assert weft.map("x > 0", x=np.float32(2), dtype=bool) is np.True_
    same(weft.map("x == 9007199254740993", x=np.array([2**53, 2**53 + 1]), dtype=bool), np.array([False, True]))


def test_bools_of_formulas_in_out() -> None:
    out = np.zeros((2, 3, 8), bool)[..., ::-2]
    assert weft.map("x > 0", x=F[:, 0], dtype=bool, out=out) is out and np.array_equal(out, [F[:, 0] > 0] * 2)
    assert weft.map("i > 3", dtype=bool, out=out).sum() == 20
    mask = F > 0
    assert weft.map("!m", m=mask, dtype=bool, out=mask) is mask and np.array_equal(mask, F <= 0)
    with pytest.raises(TypeError, match="out has dtype float64; it must be bool"):
        weft.map("x > 0", x=F, dtype=bool, out=np.zeros(F.shape))
    with pytest.raises(ValueError, match="cannot be broadcast to one shape"):
        weft.map("x > y", x=F, y=F[:2], dtype=bool)
    with pytest.raises(ValueError, match="no array is given; shape= is required"):
        weft.map("i", dtype=bool)


def test_masks_of_formulas() -> None:
    positive = weft.map("x > 0", x=F, dtype=bool)
    same(weft.sum(F, 1, where=positive), weft.sum(np.where(F > 0, F, -0.0), 1))
    assert np.array_equal(F[positive], weft.select(F.ravel(), gt=0))
