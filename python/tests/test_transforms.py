"""Transforms and recurrences along axes: the bits of calls of each vector."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pyweft as weft

rng = np.random.default_rng(20)

SHAPES = [((8,), 0), ((4, 3), 0), ((5, 16), 1), ((3, 8, 2), 1), ((2, 4, 4, 3), -2), ((0, 4), 1)]
LAYOUTS = {
    "C": lambda x: x,
    "Fortran": np.asfortranarray,
    "reversed": lambda x: np.flip(np.flip(x).copy()),
    "gaps": lambda x: np.repeat(x, 2, axis=-1)[..., ::2],
}


def same(x: Any, y: Any) -> bool:
    return x.dtype == y.dtype and x.shape == y.shape and x.tobytes() == y.tobytes()


def numbers(shape: Any, dtype: str) -> Any:
    x = rng.uniform(-1, 1, shape)
    return (x + 1j * rng.uniform(-1, 1, shape) if dtype[0] == "c" else x).astype(dtype)


def of_vectors(function: Any, x: Any, axis: int) -> Any:
    """Applies a function to each vector along an axis."""
    rows = np.moveaxis(x, axis, -1)
    flat = [function(np.ascontiguousarray(row)) for row in rows.reshape(-1, rows.shape[-1])]
    return np.ascontiguousarray(np.moveaxis(np.array(flat).reshape(*rows.shape[:-1], -1), -1, axis))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["c8", "c16"])
@pytest.mark.parametrize("shape, axis", SHAPES)
def test_transforms_along_an_axis(shape: Any, axis: int, dtype: str, layout: str) -> None:
    x = LAYOUTS[layout](numbers(shape, dtype))
    real = LAYOUTS[layout](numbers(shape, "f4" if dtype == "c8" else "f8"))
    if not x.size:
        assert weft.fft(x, axis=axis).shape == shape
        return
    assert same(weft.fft(x, axis=axis), of_vectors(weft.fft, x, axis))
    assert same(weft.ifft(x, axis=axis), of_vectors(weft.ifft, x, axis))
    half = weft.rfft(real, axis=axis)
    assert same(half, of_vectors(weft.rfft, real, axis))
    assert same(weft.irfft(half, axis=axis), of_vectors(weft.irfft, half, axis))
    out = x.copy()
    assert weft.fft(out, axis=axis, out=out) is out and same(out, weft.fft(x, axis=axis))
    target = np.zeros_like(x, order="F")
    assert weft.fft(x, axis=axis, out=target) is target and np.array_equal(target, weft.fft(x, axis=axis))


@pytest.mark.parametrize("axes", [None, (0,), (1, 0), (-1, 0, 1)])
@pytest.mark.parametrize("dtype", ["c8", "c16"])
def test_transforms_along_axes(dtype: str, axes: Any) -> None:
    x, real = numbers((4, 8, 2), dtype), numbers((4, 8, 2), "f4" if dtype == "c8" else "f8")
    order = axes or (0, 1, 2)
    expected = x
    for axis in reversed(order):
        expected = weft.fft(expected, axis=axis)
    assert same(weft.fftn(x, axes=axes), expected)
    back = expected
    for axis in order:
        back = weft.ifft(back, axis=axis)
    assert same(weft.ifftn(expected, axes=axes), back)
    expected = weft.rfft(real, axis=order[-1])
    for axis in reversed(order[:-1]):
        expected = weft.fft(expected, axis=axis)
    assert same(weft.rfftn(real, axes=axes), expected)
    back = expected
    for axis in order[:-1]:
        back = weft.ifft(back, axis=axis)
    assert same(weft.irfftn(expected, axes=axes), weft.irfft(back, axis=order[-1]))
    close: dict[str, Any] = {"rtol": 0, "atol": 1e-5 if dtype == "c8" else 1e-12}
    np.testing.assert_allclose(weft.fftn(x, axes=axes), np.fft.fftn(x, axes=axes), **close)
    np.testing.assert_allclose(weft.irfftn(expected, axes=axes), real, **close)


def test_transforms_of_two_axes() -> None:
    x, real = numbers((3, 4, 8), "c16"), numbers((3, 4, 8), "f8")
    assert same(weft.fft2(x), weft.fftn(x, axes=(1, 2)))
    assert same(weft.ifft2(x), weft.ifftn(x, axes=(1, 2)))
    assert same(weft.rfft2(real), weft.rfftn(real, axes=(-2, -1)))
    assert same(weft.irfft2(weft.rfft2(real)), weft.irfftn(weft.rfft2(real), axes=(1, 2)))


def test_transforms_refuse() -> None:
    x = np.ones((4, 3), "c16")
    with pytest.raises(ValueError, match="fft of 3 values along axis 1: the length must be a power of two"):
        weft.fft2(x)
    with pytest.raises(ValueError, match="axis 2 is out of range: the array has 2 dimensions"):
        weft.fft(x, axis=2)
    with pytest.raises(ValueError, match="which contains an axis twice"):
        weft.fftn(x, axes=(0, -2))
    with pytest.raises(ValueError, match="at least 1 is required"):
        weft.fftn(x, axes=())
    with pytest.raises(ValueError, match="x has 4 values along axis 0 and n is 9; it must have"):
        weft.irfft(x, 9, axis=0)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("shape, axis", SHAPES)
def test_recurrences_along_an_axis(shape: Any, axis: int, dtype: str, layout: str) -> None:
    s, u = LAYOUTS[layout](numbers(shape, dtype)), numbers(shape, dtype)
    first = numbers([n for k, n in enumerate(shape) if k != axis % len(shape)], dtype)
    moved = [np.ascontiguousarray(np.moveaxis(x, axis, -1)) for x in (s, u)]
    for init in (None, first):
        for reverse in (False, True):
            found = weft.recurrence(s, u, axis=axis, init=init, reverse=reverse)
            rows = weft.recurrence(*moved, init=init, reverse=reverse)
            assert same(found, np.ascontiguousarray(np.moveaxis(rows, -1, axis)))
    out = u.copy()
    assert weft.recurrence(s, out, axis=axis, out=out) is out and same(out, weft.recurrence(s, u, axis=axis))


def test_recurrences_broadcast() -> None:
    u = numbers((3, 5, 4), "f8")
    full = np.full(u.shape, 0.5)
    assert same(weft.recurrence(np.float64(0.5), u, axis=1), weft.recurrence(full, u, axis=1))
    s = numbers((5, 1), "f8")
    expected = weft.recurrence(np.broadcast_to(s, u.shape).copy(), u, axis=1)
    assert same(weft.recurrence(s, u, axis=1), expected)
    for init in (np.float64(2.0), numbers(4, "f8"), numbers((3, 1), "f8")):
        start = np.broadcast_to(init, (3, 4)).copy()
        found = weft.recurrence(s, u, axis=1, init=init)
        assert same(found, weft.recurrence(s, u, axis=1, init=start))
    with pytest.raises(ValueError, match=r"init has shape \(5, 4\); it must be \(3, 4\), or be broadcast to that"):
        weft.recurrence(s, u, axis=1, init=u[0])
    with pytest.raises(ValueError, match="axis 3 is out of range"):
        weft.recurrence(s, u, axis=3)


FILTERS = [(1,), (4,), (70,)]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("taps", FILTERS)
@pytest.mark.parametrize("shape, axis", SHAPES)
def test_convolutions_along_an_axis(shape: Any, axis: int, taps: Any, dtype: str, layout: str) -> None:
    x, h = LAYOUTS[layout](numbers(shape, dtype)), numbers(taps, dtype)
    for mode in ("full", "same", "valid"):
        for function in (weft.convolve, weft.correlate):
            y = function(x, h, mode, axis=axis)
            if not x.size:
                assert y.shape[0] == 0
                continue
            assert same(y, of_vectors(lambda row: function(row, h, mode), x, axis))
            target = np.zeros_like(y, order="F")
            assert function(x, h, mode, axis=axis, out=target) is target and np.array_equal(target, y)


def test_convolutions_with_filters_of_their_own() -> None:
    x, h = numbers((2, 3, 10), "f8"), numbers((1, 3, 4), "f8")
    expected = [[weft.correlate(x[i, j], h[0, j], "same") for j in range(3)] for i in range(2)]
    assert same(weft.correlate(x, h, "same", axis=-1), np.array(expected))
    assert same(weft.correlate(x.T, h.T, "same", axis=0), np.ascontiguousarray(np.array(expected).T))


def test_wrong_convolutions_along_an_axis() -> None:
    x = np.ones((2, 3))
    with pytest.raises(ValueError, match="axis 2 is out of range"):
        weft.convolve(x, np.ones(2), axis=2)
    with pytest.raises(ValueError, match="h has 3 dimensions; it must have 1, or 2 as x has"):
        weft.convolve(x, np.ones((1, 1, 2)), axis=0)
    with pytest.raises(ValueError, match="x has 3 elements along axis 1 and h 0; both must have at least 1"):
        weft.convolve(x, np.ones(0), axis=1)
    with pytest.raises(ValueError, match="cannot be broadcast to the filters"):
        weft.convolve(x, np.ones((3, 2)), axis=1)
    with pytest.raises(TypeError, match="x has dtype float64 and h float32"):
        weft.convolve(x, np.ones(2, np.float32), axis=1)
    with pytest.raises(ValueError, match="mode is 'middle'"):
        weft.convolve(x, np.ones(2), "middle", axis=1)
    with pytest.raises(ValueError, match="x has 2 dimensions; it must have 1"):
        weft.convolve(x, np.ones(2))
