"""Tests of formulas over arrays of several dimensions: NumPy's values, shapes and broadcasting, any strides, out,
and errors."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest
import pyweft as weft
from test_axes import layouts, random_view, same

RNG = np.random.default_rng(20261127)
F = RNG.uniform(-1, 1, (3, 5, 4))

# Formulas whose values NumPy computes with the same rounding steps.
FLOATS: dict[str, Callable[..., Any]] = {
    "x + y": lambda x, y: x + y,
    "x*y - y": lambda x, y: x * y - y,
    "x/y": lambda x, y: x / y,
    "sqrt(x*x + y*y)": lambda x, y: np.sqrt(x * x + y * y),
    "x < y ? x - 2*y : y/3": lambda x, y: np.where(x < y, x - 2 * y, y / 3),
}
INTEGERS: dict[str, Callable[..., Any]] = {
    "x + y": lambda x, y: x + y,
    "x*y - 3*x": lambda x, y: x * y - 3 * x,
    "x < y": lambda x, y: (x < y).astype(x.dtype),
    "x > y ? x : y": np.maximum,
}


def random_shapes() -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Two shapes that are broadcast to one."""
    lengths = RNG.integers(0 if RNG.random() < 0.1 else 1, 7, RNG.integers(0, 5))
    one, other = (tuple(int(n) if RNG.random() < 0.75 else 1 for n in lengths) for _ in range(2))
    start, end = int(RNG.integers(0, len(one) + 1)), int(RNG.integers(0, 2))
    return (one[start * end :], other[start * (1 - end) :])[:: 1 if RNG.random() < 0.5 else -1]


def values(shape: tuple[int, ...], dtype: str) -> Any:
    if dtype[0] == "f":
        return np.asarray(RNG.uniform(-1, 1, shape)).astype(dtype)
    return np.asarray(RNG.integers(0, 1 << 31, shape)).astype(dtype)


@pytest.mark.parametrize("device", ["cpu", "ref"])
@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "i8", "u4", "u8"])
def test_values_are_those_of_numpy(dtype: str, device: str) -> None:
    for formula, function in (FLOATS if dtype[0] == "f" else INTEGERS).items():
        for _ in range(60):
            x, y = (random_view(values(shape, dtype)) for shape in random_shapes())
            with np.errstate(over="ignore"):
                expected = np.asarray(function(x, y))
            same(np.asarray(weft.map(formula, x=x, y=y, device=device)), expected)
            out = random_view(np.zeros((2, *expected.shape), dtype))
            assert weft.map(formula, x=x, y=y, out=out, device=device) is out
            assert (out == expected).all()


def test_large_arrays() -> None:
    x = RNG.uniform(-1, 1, (70, 300, 41))
    row, column, plane = x[0, 0], x[:, :1, :1], x[3, :, 5:6]
    same(weft.map("(x - a)/b + c", x=x, a=row, b=column, c=plane), (x - row) / column + plane)
    same(weft.map("x*y", x=x.T, y=x[::-1, ::-1, ::-1].T), x.T * x[::-1, ::-1, ::-1].T)
    same(weft.map("x + y", x=x[:, :1, ::2], y=x[:1, ::-3, ::-2]), x[:, :1, ::2] + x[:1, ::-3, ::-2])


@pytest.mark.parametrize("layout", layouts(F))
def test_layouts(layout: str) -> None:
    x = layouts(F)[layout]
    before = x.copy()
    same(weft.map("sqrt(x*x) + y/3", x=x, y=F[1]), np.sqrt(F * F) + F[1] / 3)
    same(weft.map("exp(x)", x=x), weft.map("exp(x)", x=F))
    assert np.array_equal(x, before)


def test_strided_arrays_are_not_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: Any, **options: Any) -> Any:
        raise AssertionError("a copy was made")

    from pyweft import _arrays

    monkeypatch.setattr(_arrays, "_copy", refuse)
    same(weft.map("x - y", x=F.T, y=F[0, :, ::-1].T[..., None]), F.T - F[0, :, ::-1].T[..., None])
    same(weft.map("x", x=np.broadcast_to(F[0], F.shape)), np.broadcast_to(F[0], F.shape).copy())


def test_arrays_without_dimensions_or_elements() -> None:
    half = np.array(0.5, np.float32)
    assert isinstance(weft.map("x*x", x=half), np.float32) and weft.map("x*x", x=half) == 0.25
    assert weft.map("x + y", x=half, y=np.float64(1)).dtype == np.float64
    assert weft.map("a*x", x=np.ones(2, "f4"), a=np.float64(2)).dtype == np.float32  # a number, not an array
    assert weft.map("a*x", x=np.array(2), a=3) == 6
    for shape, other in (((0, 3), (3,)), ((4, 0, 1), (1, 1, 5)), ((0,), ()), ((0,), (1,))):
        x, y = np.ones(shape), np.ones(other)
        same(weft.map("x + y", x=x, y=y), x + y)
        same(weft.map("x + y", x=x[::-1], y=y), x + y)
    out = np.zeros((2, 3))
    assert weft.map("a", a=np.array(0.5), out=out[:, ::2]) is not None and out.tolist() == [[0.5, 0, 0.5]] * 2


def test_the_index_is_that_of_c_order() -> None:
    for shape in ((3, 4), (2, 3, 5), (7,), ()):
        expected = np.arange(np.prod(shape, dtype=int)).reshape(shape)
        for _ in range(8):
            x = random_view(np.zeros(shape, "i8"))
            same(np.asarray(weft.map("x + i", x=x)), expected)
            assert weft.map("i", out=x, dtype=np.int64) is x and np.array_equal(x, expected)
    same(weft.map("x + y + i", x=np.zeros((2, 1), "i8"), y=np.zeros(3, "i8")), np.arange(6).reshape(2, 3))


def test_numbers_and_the_index_fill_out() -> None:
    out = np.zeros((4, 3))
    assert weft.map("2*i + a", a=1, out=out.T) is not None and np.array_equal(out.T.ravel(), np.arange(1, 25, 2))
    assert weft.map("a", a=7, out=out) is out and (out == 7).all()
    assert weft.map("i", shape=(4, 3), out=out[::-1]) is not None and out[3].tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match=r"out has shape \(4, 3\); it must be \(12,\)"):
        weft.map("i", shape=12, out=out)


def test_mixed_dtypes() -> None:
    i2, f4, u8 = np.arange(5, dtype="i2"), F.astype("f4")[:, :, :1], np.arange(3, dtype="u8")[:, None, None]
    same(weft.map("x*y + z", x=i2[::-1], y=f4, z=u8), i2[::-1] * f4.astype("f8") + u8)
    same(weft.map("x*y", x=f4, y=f4.T, dtype=np.float64), f4.astype("f8") * f4.T)
    flags = F > 0
    same(weft.map("m ? x : 0", m=flags.T, x=F.T), np.where(flags, F, 0).T)
    found = weft.map("x + y", x=i2[:, None], y=np.arange(3, dtype="i1"), dtype="i4")
    same(found, np.add.outer(i2, range(3)).astype("i4"))
    same(weft.map("x*y", x=np.uint32([[1], [1 << 31]]), y=np.uint32([2, 3])), np.uint32([[2, 3], [0, 1 << 31]]))
    with pytest.raises(ValueError, match="a is -1, which uint32 cannot represent"):
        weft.map("x + a", x=np.zeros((2, 2), "u4").T, a=-1)


def test_in_place() -> None:
    for view in (lambda x: x, lambda x: x.T, lambda x: x[::-1, ::2], lambda x: x[:, 3:1:-1, ::-3], lambda x: x[1]):
        x = F.copy()
        y = view(x)
        assert weft.map("2*x - y", x=y, y=F[0, 0, 0], out=y) is y
        expected = F.copy()
        view(expected)[...] = 2 * view(F) - F[0, 0, 0]
        assert np.array_equal(x, expected)


def test_out_that_overlaps_an_array() -> None:
    x = F.copy()
    assert weft.map("x + y", x=x.T, y=x[::-1].T, out=x.T) is not None and np.array_equal(x, F + F[::-1])
    x = F.copy()
    weft.map("x - y", x=x, y=x[:1], out=x)
    assert np.array_equal(x, F - F[:1])
    x = F.copy()
    weft.map("x*x", x=x[:, :, 0], out=x[:, :, 1])
    assert np.array_equal(x[:, :, 1], F[:, :, 0] ** 2) and np.array_equal(x[:, :, 2:], F[:, :, 2:])
    x = F.copy()
    weft.map("x", x=x[0], out=x)
    assert np.array_equal(x, np.broadcast_to(F[0], F.shape))


def test_out_to_which_the_arrays_are_broadcast() -> None:
    out = np.zeros((2, 5, 4))
    assert weft.map("x + y", x=F[0], y=F[1, 0], out=out) is out and np.array_equal(out, [F[0] + F[1, 0]] * 2)
    assert weft.map("x", x=[1.0, 2, 3, 4], out=out[:, ::-2]) is not None and out[1, 4].tolist() == [1, 2, 3, 4]
    bytes_ = np.zeros(F.nbytes + 1, np.uint8)
    misaligned = bytes_[1:].view(np.float64).reshape(F.shape)
    assert weft.map("x - y", x=F, y=F[:1], out=misaligned) is misaligned and np.array_equal(misaligned, F - F[:1])


def test_compiled_formulas_are_broadcast() -> None:
    f = weft.expr("a*x + y")
    same(f(a=2, x=F, y=F[0, 0]), 2 * F + F[0, 0])


def test_errors() -> None:
    cannot = "they cannot be broadcast to one shape"
    with pytest.raises(ValueError, match=rf"x has shape \(2,\) and y \(3,\); {cannot}"):
        weft.map("x + y", x=[1, 2], y=[1, 2, 3])
    with pytest.raises(ValueError, match=rf"y has shape \(3, 5, 4\) and z \(4, 5\); {cannot}"):
        weft.map("x + y + z", x=F[0, 0, :1], y=F, z=F[0].T)
    with pytest.raises(ValueError, match=r"out has shape \(5, 3\); it must be \(3, 5\), or a shape to which"):
        weft.map("x + y", x=F[:, :, 0], y=F[0, :, 0], out=np.zeros((5, 3)))
    with pytest.raises(ValueError, match=r"out has shape \(5, 4\); it must be \(3, 5, 4\)"):
        weft.map("x", x=F, out=np.zeros((5, 4)))
    with pytest.raises(ValueError, match=r"out has shape \(\); it must be \(3, 5, 4\)"):
        weft.map("x", x=F, out=np.zeros(()))
    with pytest.raises(TypeError, match="out has dtype float32; it must be float64"):
        weft.map("x", x=F.T, out=np.zeros(F.T.shape, "f4"))
    with pytest.raises(TypeError, match="out is a list; it must be an array"):
        weft.map("x", x=F.T, out=[1.0])
    with pytest.raises(ValueError, match="out is read-only"):
        weft.map("x", x=F, out=np.broadcast_to(0.0, F.shape))
    overlapping = np.lib.stride_tricks.as_strided(np.zeros(12), (3, 4), (0, 8))
    with pytest.raises(ValueError, match=r"out: elements of shape \(3, 4\) with strides \(0, 8\) overlap"):
        weft.map("x", x=F[:, 0], out=overlapping)
    with pytest.raises(ValueError, match="the array has 17 dimensions; at most 16 are supported"):
        weft.map("x + y", x=np.zeros((1,) * 17), y=[1.0, 2])
    assert weft.map("x + 1", x=np.zeros((1,) * 17)).shape == (1,) * 17
    with pytest.raises(ValueError, match="the variable y of the formula is not bound"):
        weft.map("x + y", x=F.T)
    with pytest.raises(TypeError, match="x is f64, which cannot be evaluated in i32"):
        weft.map("x", x=F.T, dtype=np.int32)


def test_reductions_and_scans_of_formulas_take_one_shape() -> None:
    with pytest.raises(ValueError, match=r"x has shape \(3, 5, 4\) and y \(4,\); they must be the same"):
        weft.map_reduce("sum", "x + y", x=F, y=F[0, 0])
    with pytest.raises(ValueError, match=r"x has shape \(3, 5, 4\) and y \(4,\); they must be the same"):
        weft.map_scan("sum", "x + y", x=F, y=F[0, 0])
    same(weft.map_reduce("sum", "x + y", x=F.T, y=F.T), weft.sum(F.T + F.T))


@pytest.mark.parametrize("seed", range(60))
def test_reductions_along_axes(seed: int) -> None:
    op = ("sum", "max", "argmin", "mean", "any", "prod")[seed % 6]
    shapes = random_shapes()
    x, y = (random_view(values(shape, "f8" if seed % 2 else "i8")) for shape in shapes)
    whole = weft.map("x*y - x", x=x, y=y) if x.ndim or y.ndim else None
    if whole is None or not whole.size:
        return
    chosen = RNG.permutation(whole.ndim)[: RNG.integers(0, whole.ndim + 1)]
    axes = tuple(int(k) - (whole.ndim if seed % 3 else 0) for k in chosen)
    axis: Any = axes[0] if len(axes) == 1 else axes
    keepdims = bool(seed % 4 == 0)
    expected = getattr(weft, op)(whole, axis=axis, keepdims=keepdims)
    found = weft.map_reduce(op, "x*y - x", axis=axis, keepdims=keepdims, x=x, y=y)
    assert np.shape(found) == np.shape(expected)
    same(np.asarray(found), np.asarray(expected))
    out = np.zeros(np.shape(expected), np.asarray(expected).dtype, order="F")
    assert weft.map_reduce(op, "x*y - x", axis=axis, keepdims=keepdims, x=x, y=y, out=out) is out
    same(out, np.asarray(expected))


def test_reductions_along_axes_of_a_shape() -> None:
    i = np.arange(12.0).reshape(3, 4)
    same(weft.map_reduce("sum", "i + a", axis=0, shape=(3, 4), a=1), (i + 1).sum(axis=0))
    assert weft.map_reduce("sum", "i", axis=(0, 1), shape=(3, 4)) == 66
    f = weft.expr("(x - m)^2")
    m = weft.mean(F, axis=1, keepdims=True)
    same(f.reduce("sum", axis=1, x=F, m=m), weft.sum(f(x=F, m=m), axis=1))
    exact = weft.map_reduce("sum", "x*x", axis=2, accumulate="exact", x=F)
    same(exact, weft.sum(weft.map("x*x", x=F), axis=2, accumulate="exact"))
    with pytest.raises(ValueError, match="axis 3 is out of range: the array has 3 dimensions"):
        f.reduce("sum", axis=3, x=F, m=m)
    with pytest.raises(ValueError, match="cannot be broadcast to one shape"):
        f.reduce("sum", axis=0, x=F, m=F[:2])
    with pytest.raises(ValueError, match=r"out has shape \(3, 5\); it must be \(3, 4\)"):
        f.reduce("sum", axis=1, x=F, m=m, out=np.zeros((3, 5)))
