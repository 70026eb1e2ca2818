"""Tests of reductions of complex numbers: the bits of the calls on their parts that define them, NumPy's dtypes and
shapes, special values, out, strides, and errors."""

from __future__ import annotations

import re
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
        (lambda x: weft.max(x), "x has dtype complex64; of complex numbers there are sum, mean, norm2, variance and std"),
        (lambda x: weft.argmin(x, 0), "x has dtype complex64; of complex numbers there are sum, mean"),
        (lambda x: weft.sum(x, dtype="f4"), "dtype is float32; of complex numbers it must be complex64 or complex128"),
        (lambda x: weft.sum(x, out=np.empty((), "f4")), "out has dtype float32; it must be complex64"),
        (lambda x: weft.sum(x, where=np.ones(3, bool)), "x has dtype complex64; it must be one of"),
    ],
)
def test_errors(call: Any, message: str) -> None:
    with pytest.raises(TypeError, match=re.escape(message)):
        call(np.ones(3, "c8"))
