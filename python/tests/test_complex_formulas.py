"""Tests of formulas of complex numbers: the bits of formulas of their parts, NumPy's values where they are exact, dtypes,
shapes, out, and errors."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
import pyweft as weft

RNG = np.random.default_rng(20261129)
PARTS = {"c8": "f4", "c16": "f8"}


def numbers(dtype: str, *shape: int) -> Any:
    parts = RNG.uniform(-1, 1, (*shape, 2)) * 2.0 ** RNG.integers(-20, 20, (*shape, 2))
    return parts.astype(PARTS[dtype]).view(dtype)[..., 0]


def whole(*shape: int) -> Any:
    """Numbers whose sums and products are exact."""
    return RNG.integers(-9, 10, shape) + 1j * RNG.integers(-9, 10, shape)


def same(found: Any, expected: Any) -> None:
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.dtype == expected.dtype and found.shape == expected.shape
    assert found.tobytes() == expected.tobytes()


def of_parts(re_formula: str, im_formula: str, **bindings: Any) -> Any:
    re_part, im_part = (
        weft.map(formula, **{name: bindings[name] for name in weft.expr(formula).names})
        for formula in (re_formula, im_formula)
    )
    joined = np.empty((*re_part.shape, 2), re_part.dtype)
    joined[..., 0], joined[..., 1] = re_part, im_part
    return joined.view({"f4": "c8", "f8": "c16"}[re_part.dtype.str[1:]])[..., 0]


@pytest.mark.parametrize("dtype", PARTS)
def test_bits_are_those_of_formulas_of_the_parts(dtype: str) -> None:
    z, w, t = numbers(dtype, 40, 30), numbers(dtype, 30), numbers(dtype, 40, 1).real.copy()
    parts = {"a": z.real, "b": z.imag, "c": w.real, "d": w.imag}
    of_z, of_t = {"a": z.real, "b": z.imag}, {"a": z.real, "b": z.imag, "t": t}
    same(weft.map("z*w", z=z, w=w), of_parts("fma(a, c, -(b*d))", "fma(b, c, a*d)", **parts))
    same(weft.map("z + w", z=z, w=w), of_parts("a + c", "b + d", **parts))
    same(weft.map("z*t", z=z, t=t), of_parts("a*t", "b*t", **of_t))
    same(weft.map("exp(z/100000)", z=z), of_parts("exp(a/100000)*cos(b/100000)", "exp(a/100000)*sin(b/100000)", **of_z))
    modulus = "max(abs(a), abs(b))*sqrt(1 + (min(abs(a), abs(b))/max(abs(a), abs(b)))^2)"
    same(weft.map("abs(z)", z=z), weft.map(modulus, **of_z))
    rotated = of_parts("fma(a, cos(t), -(b*sin(t)))", "fma(b, cos(t), a*sin(t))", **of_t)
    same(weft.map("z*complex(cos(t), sin(t))", z=z, t=t), rotated)


@pytest.mark.parametrize("dtype", PARTS)
def test_quotients_are_accurate(dtype: str) -> None:
    z, w = numbers(dtype, 1000), numbers(dtype, 1000)
    exact = z.astype("clongdouble") / w.astype("clongdouble")
    assert (np.abs(weft.map("z/w", z=z, w=w) - exact) <= 4 * np.finfo(dtype).eps * np.abs(exact)).all()
    large, small = np.array([2**126 * (1 + 1j)], "c8"), np.array([2.0**-100 * (3 - 4j)], "c8")
    same(weft.map("z/z", z=large), np.array([1], "c8"))
    same(weft.map("z/z", z=small), np.array([1], "c8"))


def test_values_are_those_of_numpy() -> None:
    z, w, t = whole(6, 5), whole(5), RNG.integers(-9, 10, (6, 1)).astype(float)
    same(weft.map("z*w - z*t + conj(w)", z=z, w=w, t=t), z * w - z * t + w.conj())
    same(weft.map("z**3", z=z), z * z * z)
    same(weft.map("z^2*w^4", z=z, w=w), (z * z) * ((w * w) * (w * w)))
    same(weft.map("re(z)*im(w)", z=z, w=w), z.real * w.imag)
    same(weft.map("t > 0 ? z : w", z=z, w=w, t=t), np.where(t > 0, z, w))
    same(weft.map("z == w || z != z", z=z, w=z[0], dtype=bool), z == z[0])
    same(weft.map("z/4 + (1 + i)*t", z=z, t=t), z / 4 + np.arange(1, 31).reshape(6, 5) * t)


def test_dtypes() -> None:
    z8, z16, f4, f8, i4 = np.ones(3, "c8"), np.ones(3, "c16"), np.ones(3, "f4"), np.ones(3), np.ones(3, "i4")
    for bindings, dtype in (
        ({"x": z8, "y": z8}, "c8"),
        ({"x": z8, "y": f4}, "c8"),
        ({"x": z8, "y": 2.5}, "c8"),
        ({"x": z8, "y": 2j}, "c8"),
        ({"x": z8, "y": z16}, "c16"),
        ({"x": z8, "y": f8}, "c16"),
        ({"x": z8, "y": i4}, "c16"),
        ({"x": f4, "y": 2j}, "c8"),
        ({"x": f4, "y": np.complex128(2j)}, "c8"),
        ({"x": np.ones(3, "f2"), "y": 2j}, "c8"),
        ({"x": i4, "y": 2j}, "c16"),
        ({"x": [1, 2j], "y": [1, 2]}, "c16"),
    ):
        assert weft.map("x*y", **bindings).dtype == dtype
        assert weft.map("abs(x*y)", **bindings).dtype == PARTS[dtype]
    assert weft.map("x*x", x=z8, dtype="c16").dtype == "c16"
    assert weft.map("abs(x)", x=z8, dtype="f8").dtype == "f8"
    assert weft.map("complex(x, 1)", x=i4).dtype == "c16"
    same(weft.map("x*y", x=z16[0], y=2j), np.complex128(2j))
    same(weft.map("x*complex(0, i)", x=1j, shape=3), np.array([0, -1, -2], "c16"))
    same(weft.map("complex(i, 1)", shape=(2, 1), dtype="c8"), np.array([[1j], [1 + 1j]], "c8"))


def test_out_and_strides() -> None:
    z, w = whole(6, 5), whole(5, 6)
    product = z * w.T
    same(weft.map("z*w", z=z, w=w.T), product)
    same(weft.map("z*w", z=z[::-1, ::-1], w=w.T), z[::-1, ::-1] * w.T)
    out = np.full((6, 10), 7j)
    assert weft.map("z*w", z=z, w=w.T, out=out[:, ::2]) is not None
    same(out[:, ::2], product)
    assert (out[:, 1::2] == 7j).all()
    for formula, expected in (("z*w", product), ("conj(z)*w", z.conj() * w.T), ("w/z*z", None)):
        a = z.copy() if expected is not None else z + 20
        apart = weft.map(formula, z=a.copy(), w=w.T)
        assert weft.map(formula, z=a, w=w.T, out=a) is a
        same(a, apart if expected is None else expected)
    a = z.copy()
    weft.map("z*2", z=a[:, :-1], out=a[:, 1:])
    same(a[:, 1:], 2 * z[:, :-1])
    a = z.copy()
    weft.map("abs(z)", z=a, out=a.real)
    same(a.real, weft.map("abs(z)", z=z))
    same(weft.map("z", z=np.empty((0, 3), "c8")), np.empty((0, 3), "c8"))


@pytest.mark.parametrize("dtype", PARTS)
def test_reductions(dtype: str) -> None:
    z, w = numbers(dtype, 40, 300), numbers(dtype, 300)
    values = weft.map("z*w", z=z, w=w)
    for op, function in (("sum", weft.sum), ("mean", weft.mean)):
        for axis in (0, 1, (1, 0)):
            same(weft.map_reduce(op, "z*w", z=z, w=w, axis=axis), function(values, axis))
        same(weft.map_reduce(op, "z*w", z=z, w=w, axis=1, keepdims=True), function(values, 1, keepdims=True))
        same(weft.map_reduce(op, "z*w", z=z, w=w, axis=0, accumulate="c16"), function(values, 0, dtype="c16"))
        same(weft.map_reduce(op, "z*w", z=z, w=w, axis=0, accumulate="exact"), function(values, 0, accumulate="exact"))
        same(weft.map_reduce(op, "z*z", z=z), function(weft.map("z*z", z=z)))
    out = np.zeros(40, dtype)
    assert weft.map_reduce("sum", "z*w", z=z, w=w, axis=1, out=out) is out
    same(out, weft.sum(values, 1))
    same(weft.map_reduce("norm1", "abs(z)", z=z), weft.norm1(weft.map("abs(z)", z=z)))
    same(weft.map_reduce("argmax", "abs(z*w)", z=z, w=w, axis=1), weft.argmax(weft.map("abs(z*w)", z=z, w=w), axis=1))
    same(weft.map_reduce("sum", "complex(i, 1)", shape=4), np.complex128(6 + 4j))


def test_a_formula_is_compiled_for_each_kind_of_operands() -> None:
    f = weft.expr("x*y")
    assert f.names == ("x", "y")
    same(f(x=[2.0], y=[3.0]), np.array([6.0]))
    same(f(x=[2j], y=[3.0]), np.array([6j]))
    same(f(x=[2.0], y=[3j]), np.array([6j]))
    same(f(x=[2j], y=[3j]), np.array([-6 + 0j]))
    same(f(x=[2.0], y=[3.0]), np.array([6.0]))
    same(f.reduce("sum", x=[2j, 1], y=[3.0, 1]), np.complex128(1 + 6j))


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda z: weft.map("1 + min(z, 1)", z=z), ValueError, "complex numbers have no order: compare their parts"),
        (lambda z: weft.map("1 + min(z, 1)", z=z), ValueError, "\n  1 + min(z, 1)\n      ^"),
        (lambda z: weft.map("sqrt(z)", z=z), ValueError, "sqrt is not defined for complex numbers"),
        (lambda z: weft.map("2^z", z=z), ValueError, "a power of complex numbers requires an exponent that is"),
        (lambda z: weft.map("x", x=1.0, z=z), ValueError, "z is complex, but the formula has no variable of this name"),
        (lambda z: weft.map("z", z=z, dtype="f8"), TypeError, "dtype is float64; of complex numbers it must be"),
        (lambda z: weft.map("abs(z)", z=z, dtype="c16"), TypeError, "dtype is complex128"),
        (lambda z: weft.map("abs(z)", z=z, dtype="i4"), TypeError, "evaluated in f32 or f64, not in i32"),
        (
            lambda z: weft.map("z", z=z, dtype=bool),
            TypeError,
            "dtype is bool, but the values of the formula are complex",
        ),
        (lambda z: weft.map("z", z=z, out=np.empty(3)), TypeError, "out has dtype float64; it must be complex128"),
        (lambda z: weft.map("z", z=z, shape=3), ValueError, "shape cannot be combined with arrays"),
        (lambda z: weft.map("z*w", z=z, w=z[:2]), ValueError, "z has shape (3,) and w (2,); they cannot be broadcast"),
        (lambda z: weft.map_scan("sum", "z", z=z), TypeError, "z is complex; map_scan takes real numbers"),
        (lambda z: weft.map_scan("sum", "complex(i, 1)", shape=3), TypeError, "the formula is complex; map_scan takes"),
        (lambda z: weft.map_reduce("max", "z", z=z), TypeError, "of these there are sum and mean, not max"),
        (lambda z: weft.map_reduce("sum", "z", z=z, accumulate="f8"), TypeError, "it must be complex64 or complex128"),
        (lambda z: weft.map_reduce("sum", "z*w", z=z, w=z[:1]), ValueError, "they must be the same"),
    ],
)
def test_errors(call: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=re.escape(words)):
        call(np.array([1 + 2j, 3, 4j]))
