"""Tests of reductions, masks, dot products and scans of complex numbers: the bits of the calls on their parts that
define them, NumPy's dtypes and shapes, special values, out, strides, and errors."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import pyweft as weft

RNG = np.random.default_rng(20261129)
PARTS = {"c8": "f4", "c16": "f8"}
SHAPE = (5, 4, 300)
AXES = [None, 0, 1, -1, (2, 0), (0, 1, 2), ()]


def numbers(dtype: str, shape: tuple[int, ...] = SHAPE) -> Any:
    parts = RNG.uniform(-1, 1, (*shape, 2)) * 2.0 ** RNG.integers(-20, 20, (*shape, 2))
    return parts.astype(PARTS[dtype]).view(dtype)[..., 0]


def same(found: Any, expected: Any) -> None:
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.dtype == expected.dtype and found.shape == expected.shape
    assert found.tobytes() == expected.tobytes()


def joined(real: Any, imaginary: Any) -> Any:
    made = np.empty(np.shape(real), np.result_type(real, np.complex64))
    made.real, made.imag = real, imaginary
    return made


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("dtype", PARTS)
@pytest.mark.parametrize("name", ["sum", "mean"])
def test_parts_are_reduced_separately(name: str, dtype: str, axis: Any) -> None:
    x, function = numbers(dtype), getattr(weft, name)
    found = function(x, axis)
    same(found, joined(function(x.real.copy(), axis), function(x.imag.copy(), axis)))
    assert np.asarray(found).dtype == dtype and np.shape(found) == np.shape(getattr(np, name)(x, axis))
    same(function(x.T, axis, keepdims=True), function(x.T.copy(), axis, keepdims=True))


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("dtype", PARTS)
def test_norm2_is_that_of_the_parts(dtype: str, axis: Any) -> None:
    x = numbers(dtype)
    axes = tuple(range(x.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis % x.ndim,)
    parts = np.stack([x.real, x.imag], -1)
    same(weft.norm2(x, axis), weft.norm2(parts, (*axes, x.ndim)))
    assert np.asarray(weft.norm2(x, axis)).dtype == PARTS[dtype]


@pytest.mark.parametrize("axis", AXES[:-1])
@pytest.mark.parametrize("dtype", PARTS)
def test_variance_is_the_sum_of_those_of_the_parts(dtype: str, axis: Any) -> None:
    x = numbers(dtype)
    expected = weft.variance(x.real.copy(), axis, ddof=1) + weft.variance(x.imag.copy(), axis, ddof=1)
    same(weft.variance(x, axis, ddof=1), expected)
    same(weft.std(x, axis, ddof=1), np.sqrt(expected))
    assert weft.variance(x.astype("c16"), axis) == pytest.approx(np.var(x.astype("c16"), axis), rel=1e-12)


def test_wider_results() -> None:
    x = numbers("c8")
    same(weft.sum(x, dtype=np.complex128), joined(*[weft.sum(p.copy(), dtype="f8") for p in (x.real, x.imag)]))
    same(weft.mean(x, 0, dtype="c16"), joined(*[weft.mean(p.copy(), 0, dtype="f8") for p in (x.real, x.imag)]))
    same(weft.norm2(x, dtype="f8"), weft.norm2(x.ravel().view("f4"), dtype="f8"))
    same(weft.sum(x, accumulate="exact"), joined(*[weft.sum(p.copy(), accumulate="exact") for p in (x.real, x.imag)]))


def products(x: Any, y: Any, conjugate: bool, **arguments: Any) -> Any:
    """Dot products along the last axis, made of those of the parts."""
    (xr, xi), (yr, yi) = (x.real.copy(), x.imag.copy()), (y.real.copy(), y.imag.copy())
    rr, ii, ri, ir = [weft.vecdot(a, b, **arguments) for a, b in ((xr, yr), (xi, yi), (xr, yi), (xi, yr))]
    return joined(rr + ii, ri - ir) if conjugate else joined(rr - ii, ri + ir)


@pytest.mark.parametrize("dtype", PARTS)
def test_dot_products(dtype: str) -> None:
    x, y = numbers(dtype, (3000,)), numbers(dtype, (3000,))
    same(weft.dot(x, y), products(x, y, False))
    same(weft.vdot(x, y), products(x, y, True))
    same(weft.vdot(x[::-3], y[::-3]), products(x[::-3], y[::-3], True))
    same(weft.vdot(x, y, accumulate="exact"), products(x, y, True, accumulate="exact"))
    assert weft.vdot(x.astype("c16"), y.astype("c16")) == pytest.approx(np.vdot(x, y), rel=1e-3)
    assert weft.dot(x[:0], y[:0]) == 0


@pytest.mark.parametrize("dtype", PARTS)
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_dot_products_along_an_axis(axis: int, keepdims: bool, dtype: str) -> None:
    x, y = numbers(dtype, (4, 6, 7)), numbers(dtype, (4, 6, 7))
    expected = products(np.moveaxis(x, axis, -1), np.moveaxis(y, axis, -1), True)
    same(weft.vecdot(x, y, axis, keepdims=keepdims), np.expand_dims(expected, axis) if keepdims else expected)
    out = np.zeros((*expected.shape, 2), dtype)[..., 0]
    assert weft.vecdot(x, y, axis, out=out) is out
    same(out, expected)


def test_dot_products_are_broadcast() -> None:
    x, y = numbers("c8", (5, 1, 9)), numbers("c8", (3, 9))
    same(weft.vecdot(x, y), products(*np.broadcast_arrays(x, y), True))
    same(weft.vecdot(x, y, dtype=np.complex128), products(*np.broadcast_arrays(x, y), True, dtype=np.float64))


MASKS = [RNG.random(SHAPE) < 0.6, RNG.random(300) < 0.5, np.zeros((4, 1), bool), np.True_, np.False_]


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("dtype", PARTS)
@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_masks_take_both_parts(mask: Any, dtype: str, axis: Any) -> None:
    x = numbers(dtype)
    real, imaginary = x.real.copy(), x.imag.copy()
    for name in ("sum", "mean", "variance"):
        function = getattr(weft, name)
        for more in ({}, {"keepdims": True}, {"dtype": "f8" if name == "variance" else "c16"}):
            of_parts = {**more, "dtype": "f8"} if "dtype" in more else more
            parts = [function(part, axis, where=mask, **of_parts) for part in (real, imaginary)]
            found = function(x, axis, where=mask, **more)
            same(found, parts[0] + parts[1] if name == "variance" else joined(*parts))
    same(weft.std(x, axis, where=mask), np.sqrt(weft.variance(x, axis, where=mask)))
    same(weft.sum(x, axis, where=mask), weft.sum(np.where(mask, x, x.dtype.type(complex(-0.0, -0.0))), axis) + 0)
    assert weft.mean(x.astype("c16"), axis, where=mask) == pytest.approx(
        np.mean(x.astype("c16"), axis, where=mask), rel=1e-9, nan_ok=True
    )


def test_masks_of_views_and_results_in_out() -> None:
    x, mask = numbers("c16"), MASKS[0]
    expected = weft.sum(x, 1, where=mask)
    turned, taken = x.T[:, ::-1], mask.T[:, ::-1]
    same(weft.sum(turned, 1, where=taken), weft.sum(turned.copy(), 1, where=taken.copy()))
    wide = np.full((300, 10), 7 + 7j)
    out = wide[:, ::2].T
    assert weft.sum(x, 1, where=mask, out=out) is out
    same(out, expected)
    assert (wide[:, 1::2] == 7 + 7j).all()
    assert weft.sum(x, 1, where=mask, out=x[:, 0]) is not None
    same(x[:, 0], expected)
    y = numbers("c8")
    exact = [weft.sum(part[mask], accumulate="exact") for part in (y.real, y.imag)]
    same(weft.sum(y, where=mask, accumulate="exact"), joined(*exact))
    same(weft.sum(np.empty((0, 2), "c8"), 0, where=[True, False]), np.zeros(2, "c8"))
    found = weft.sum(np.array([complex(np.nan, 1), 2j, complex(3, np.inf)]), where=[False, True, False])
    same(found, np.complex128(2j))


def scanned(x: Any, init: Any = (None, None), **arguments: Any) -> Any:
    """Scans of the real and of the imaginary parts."""
    return joined(*[weft.scan(p.copy(), init=first, **arguments) for p, first in zip((x.real, x.imag), init)])


@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("axis", [None, 0, 1, -1])
@pytest.mark.parametrize("dtype", PARTS)
def test_parts_are_scanned_separately(dtype: str, axis: Any, exclusive: bool) -> None:
    x = numbers(dtype)
    for given in (x, x[::-1, :, ::3], x.T, x[:0], x[..., :1]):
        found, expected = weft.scan(given, axis=axis, exclusive=exclusive), np.cumsum(given, axis)
        same(found, scanned(given, axis=axis, exclusive=exclusive))
        assert found.dtype == expected.dtype and found.shape == expected.shape
        if not exclusive:
            same(weft.cumsum(given, axis), found)
    wide = x.astype("c16")
    assert weft.cumsum(wide, axis) == pytest.approx(np.cumsum(wide, axis), rel=1e-9)


@pytest.mark.parametrize("init", [3, -2.5, 1 - 2j, complex(-0.0, 0.0), np.complex64(0.1 + 7j)])
@pytest.mark.parametrize("axis", [None, 0, -1])
def test_scans_with_an_initial_value(axis: Any, init: Any) -> None:
    x, value = numbers("c8"), complex(init)
    parts = value.real, value.imag
    for exclusive in (False, True):
        same(weft.scan(x, axis=axis, exclusive=exclusive, init=init), scanned(x, parts, axis=axis, exclusive=exclusive))


def test_types_and_special_values_of_scans() -> None:
    x = numbers("c8")
    same(weft.cumsum(x, dtype=np.complex128), scanned(x, dtype="f8"))
    same(weft.cumsum(x, 1, dtype="c16"), scanned(x, axis=1, dtype="f8"))
    same(weft.cumsum(np.complex64(3 + 1j)), np.array([3 + 1j], "c8"))
    same(weft.cumsum(np.array([complex(-0.0, -0.0)] * 3)), np.array([complex(-0.0, -0.0)] * 3))
    same(weft.scan(np.array([complex(-0.0, -0.0)]), exclusive=True), np.zeros(1, "c16"))
    same(weft.cumsum(x.astype(">c8")), weft.cumsum(x))
    found = weft.cumsum(np.array([complex(np.nan, 1), complex(1, -np.inf), complex(1, np.inf)]))
    assert np.isnan(found.real).all() and found.imag[1] == -np.inf and np.isnan(found.imag[2])


@pytest.mark.parametrize("init", [None, 2 - 1j])
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_scans_are_written_to_out(axis: Any, init: Any) -> None:
    x = numbers("c16", (50, 40))
    expected = weft.scan(x, axis=axis, init=init)
    wide = np.full((*expected.shape, 2), 7 + 7j)
    assert weft.scan(x, axis=axis, init=init, out=(out := wide[..., 0])) is out
    same(out, expected)
    assert (wide[..., 1] == 7 + 7j).all()
    overlapping = np.concatenate([x.ravel(), x.ravel()[:1]])
    for start in (0, 1):  # in place, and one element later
        source, copied = overlapping[:-1].reshape(x.shape), overlapping.copy()
        place = copied[:-1].reshape(x.shape)
        target = copied[start : start + x.size].reshape(expected.shape)
        assert weft.scan(place, axis=axis, init=init, out=target) is target
        same(target, weft.scan(source, axis=axis, init=init))


def test_special_values() -> None:
    same(weft.sum(np.array([complex(-0.0, -0.0)] * 3)), np.complex128(complex(-0.0, -0.0)))
    same(weft.sum(np.empty(0, "c8")), np.complex64(0))
    found = weft.sum(np.array([complex(np.nan, 1), complex(np.inf, 2)]))
    assert np.isnan(found.real) and found.imag == 3
    assert weft.norm2(np.array([complex(np.nan, 1)])) != weft.norm2(np.array([1j]))
    assert weft.sum([1 + 2j, 3]) == 4 + 2j


def test_out_is_written_in_place() -> None:
    x, wide = numbers("c16"), np.full((300, 8), 7 + 7j)
    out = wide[:, ::2].T
    assert weft.sum(x, 0, out=out) is out
    same(out, weft.sum(x, 0))
    assert (wide[:, 1::2] == 7 + 7j).all()


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda x: weft.max(x), "x has dtype complex64; of complex numbers there are sum, mean, norms, variance and std"),
        (lambda x: weft.argmin(x, 0), "x has dtype complex64; of complex numbers there are sum, mean"),
        (lambda x: weft.sum(x, dtype="f4"), "dtype is float32; of complex numbers it must be complex64 or complex128"),
        (lambda x: weft.sum(x, out=np.empty((), "f4")), "out has dtype float32; it must be complex64"),
        (lambda x: weft.dot(x, x, dtype="f8"), "dtype is float64; of complex numbers it must be complex64 or complex128"),
        (lambda x: weft.vecdot(x, x.real), "x has dtype complex64 and y float32; they must be the same"),
        (lambda x: weft.cumprod(x), "x has dtype complex64; of complex numbers the only scan is that with sum"),
        (lambda x: weft.scan(x, "max", axis=0), "x has dtype complex64; of complex numbers the only scan is that with"),
        (lambda x: weft.cumsum(x, dtype="f4"), "dtype is float32; of complex numbers it must be complex64 or complex128"),
        (lambda x: weft.cumsum(x, 0, out=np.empty(3, "f4")), "out has dtype float32; it must be complex64"),
        (lambda x: weft.cumsum(x.astype("c16"), dtype="c8"), "scan with sum of f64 cannot accumulate in f32"),
        (lambda x: weft.scan(x, init=[1]), "init is [1]; it must be a number"),
        (lambda x: weft.prod(x, where=[True] * 3), "x has dtype complex64; of complex numbers there are sum, mean"),
        (lambda x: weft.min(x, 0, where=[True] * 3), "x has dtype complex64; of complex numbers there are sum"),
        (lambda x: weft.sum(x, initial=1), "x has dtype complex64; initial must be None for complex numbers"),
    ],
)
def test_errors(call: Any, message: str) -> None:
    with pytest.raises(TypeError, match=re.escape(message)):
        call(np.ones(3, "c8"))


def test_errors_of_masks() -> None:
    x = np.ones((4, 3), "c8")
    with pytest.raises(ValueError, match=re.escape("where has shape (2, 4, 3); it must be one that can be broadcast")):
        weft.sum(x, where=np.ones((2, 4, 3), bool))
    with pytest.raises(ValueError, match="accumulate is 'exact', which cannot be combined with where"):
        weft.mean(x, where=np.ones(3, bool), accumulate="exact")


@pytest.mark.parametrize("dtype", PARTS)
@pytest.mark.parametrize("left, right", [((5, 7), (7, 3)), ((2, 1, 5, 7), (3, 7, 4)), ((300, 200), (200, 1)), ((2, 0), (0, 3))])
def test_matmul_is_made_of_products_of_parts(dtype: str, left: tuple[int, ...], right: tuple[int, ...]) -> None:
    a, b = numbers(dtype, left), numbers(dtype, right)
    ar, ai, br, bi = (np.ascontiguousarray(part) for part in (a.real, a.imag, b.real, b.imag))
    expected = joined(weft.matmul(ar, br) - weft.matmul(ai, bi), weft.matmul(ar, bi) + weft.matmul(ai, br))
    found = weft.matmul(a, b)
    same(found, expected)
    assert found.shape == np.matmul(a, b).shape
    same(weft.matmul(b.swapaxes(-1, -2), a.swapaxes(-1, -2)).swapaxes(-1, -2), found)
    gaps = np.repeat(a, 2, axis=-1)[..., ::2]
    same(weft.matmul(gaps, b), found)
    out = np.full(found.shape, 1 - 2j, dtype)
    real, imaginary = np.full(found.shape, 1, ar.dtype), np.full(found.shape, -2, ar.dtype)
    weft.matmul(ar, br, alpha=3, beta=2, out=real)
    weft.matmul(ai, bi, alpha=-3, beta=1, out=real)
    weft.matmul(ar, bi, alpha=3, beta=2, out=imaginary)
    weft.matmul(ai, br, alpha=3, beta=1, out=imaginary)
    assert weft.matmul(a, b, alpha=3, beta=2, out=out) is out
    same(out, joined(real, imaginary))


def test_matmul_accumulates_in_float64_or_exactly() -> None:
    a, b = numbers("c8", (6, 5000)), numbers("c8", (5000, 2))
    exact = a.astype("c16") @ b.astype("c16")
    for options in ({"dtype": "c16"}, {"accumulate": "exact"}):
        found = weft.matmul(a, b, **options)
        assert found.dtype == "c8"
        np.testing.assert_allclose(found, exact, rtol=3e-7, atol=1e-7 * np.abs(exact).max())


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda x: weft.matmul(x, x.real), TypeError, "a has dtype complex128 and b float64"),
        (lambda x: weft.matmul(x, x), ValueError, "a is 2 x 3 and b 2 x 3"),
        (lambda x: weft.matmul(x, x.T, alpha=1j), TypeError, "alpha is 1j; it must be a number"),
        (lambda x: weft.matmul(x, x.T, dtype="f8"), TypeError, "of complex numbers it must be complex64 or complex128"),
        (lambda x: weft.matmul(x[0], x), ValueError, "a has 1 dimension;"),
    ],
)
def test_matmul_refuses(call: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=re.escape(words)):
        call(numbers("c16", (2, 3)))


def moduli(x: Any) -> Any:
    """The moduli in float64, by the operations of docs/guide/complex.md."""
    a, b = np.abs(x.real).astype("f8"), np.abs(x.imag).astype("f8")
    if x.dtype == "c8":
        return np.sqrt(a * a + b * b)
    most, least = np.maximum(a, b), np.minimum(a, b)
    with np.errstate(all="ignore"):
        return np.where((most > 0) & (most < np.inf), most * np.sqrt(1 + (least / most) ** 2), most)


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("dtype", PARTS)
@pytest.mark.parametrize("name", ["norm1", "norminf"])
def test_norms_of_moduli(name: str, dtype: str, axis: Any) -> None:
    x, function, numpy = numbers(dtype), getattr(weft, name), {"norm1": np.sum, "norminf": np.max}[name]
    expected = function(moduli(x), axis)
    same(function(x, axis, dtype="f8"), expected)
    same(function(x, axis), expected.astype(PARTS[dtype]))
    same(function(x, axis, keepdims=True), function(moduli(x), axis, keepdims=True).astype(PARTS[dtype]))
    same(function(x.T[::-1], axis), function(moduli(x.T[::-1]), axis).astype(PARTS[dtype]))
    assert function(x, axis) == pytest.approx(numpy(np.abs(x), axis), rel={"c8": 1e-5, "c16": 1e-12}[dtype])
    shape = np.shape(expected)
    out = np.zeros((*shape, 2), PARTS[dtype])[..., 0]
    assert function(x, axis, out=out) is out
    same(out, function(x, axis))


@pytest.mark.parametrize("dtype", PARTS)
def test_moduli_neither_overflow_nor_underflow(dtype: str) -> None:
    large, small = np.finfo(dtype).max / 8, np.finfo(dtype).smallest_subnormal
    for z, modulus in (
        (complex(3 * large, -4 * large), 5 * large),
        (complex(-4 * small, 3 * small), 5 * small),
        (complex(0, -0.0), 0.0),
        (complex(-0.0, -2), 2.0),
        (complex(np.inf, -np.inf), np.inf),
        (complex(1, np.inf), np.inf),
        (complex(np.nan, 1), np.nan),
        (complex(0, np.nan), np.nan),
    ):
        x = np.array([z], dtype)
        for found in (weft.norm1(x), weft.norminf(x), weft.norm1(x[0]), weft.norminf(x, 0)):
            same(found, np.array(modulus, PARTS[dtype]))
    empty = np.empty((0, 2), dtype)
    same(weft.norm1(empty, 0), np.zeros(2, PARTS[dtype]))
    same(weft.norminf(empty), np.array(0, PARTS[dtype]))


def test_modulus_of_complex128_is_accurate() -> None:
    x = numbers("c16", (2000,))
    for z, found in zip(x.tolist(), [weft.norm1(x[k : k + 1]) for k in range(2000)]):
        squares = Fraction(z.real) ** 2 + Fraction(z.imag) ** 2
        error = abs(Fraction(float(found)) ** 2 / squares - 1) / 2  # that of the modulus, relative
        assert error < Fraction(33, 10 << 53)


def test_exact_sums_of_moduli() -> None:
    x = numbers("c16")
    same(weft.norm1(x, accumulate="exact"), np.float64(math.fsum(moduli(x).ravel())))
    same(weft.norm1(x, 1, accumulate="exact"), weft.norm1(x[:, ::-1], 1, accumulate="exact"))
    with pytest.raises(ValueError, match="accumulate is 'exact', but x has dtype complex64; it must be complex128"):
        weft.norm1(x.astype("c8"), accumulate="exact")
