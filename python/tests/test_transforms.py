"""Transforms and recurrences along axes: the bits of calls of each vector."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pyweft as weft

rng = np.random.default_rng(20)

SHAPES = [((8,), 0), ((4, 3), 0), ((5, 16), 1), ((3, 8, 2), 1), ((2, 4, 4, 3), -2), ((0, 4), 1), ((4, 3), 1), ((6, 9), 0)]
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
    length = shape[axis]
    found = weft.irfft(half, length, axis=axis)
    assert same(found, of_vectors(lambda row: weft.irfft(row, length), half, axis))
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


NORMS = [None, "backward", "ortho", "forward"]
LENGTHS = [4, 8, 32, 1]


def resized(x: Any, shape: Any) -> Any:
    """The first elements of an array, and zeros."""
    y = np.zeros(shape, x.dtype)
    common = tuple(slice(min(n, m)) for n, m in zip(x.shape, shape))
    y[common] = x[common]
    return y


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("axis", [0, 1])
def test_lengths(axis: int, n: int, layout: str) -> None:
    shape = (6, 7)
    x, real = LAYOUTS[layout](numbers(shape, "c16")), LAYOUTS[layout](numbers(shape, "f4"))
    wanted = tuple(n if k == axis else m for k, m in enumerate(shape))
    half = tuple(n // 2 + 1 if k == axis else m for k, m in enumerate(shape))
    assert same(weft.fft(x, n, axis=axis), weft.fft(resized(x, wanted), axis=axis))
    assert same(weft.ifft(x, n, axis=axis), weft.ifft(resized(x, wanted), axis=axis))
    assert same(weft.rfft(real, n, axis=axis), weft.rfft(resized(real, wanted), axis=axis))
    assert same(weft.irfft(x, n, axis=axis), weft.irfft(resized(x, half), n, axis=axis))
    close: dict[str, Any] = {"rtol": 0, "atol": 1e-12}
    np.testing.assert_allclose(weft.fft(x, n, axis=axis), np.fft.fft(x, n, axis=axis), **close)
    np.testing.assert_allclose(weft.irfft(x, n, axis=axis), np.fft.irfft(x, n, axis=axis), **close)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("dtype", ["c8", "c16"])
def test_norms(dtype: str, norm: Any) -> None:
    single = dtype == "c8"
    x, real = numbers((8, 3, 4), dtype), numbers((8, 3, 4), "f4" if single else "f8")
    close: dict[str, Any] = {"rtol": 0, "atol": 2e-5 if single else 1e-13}
    spectrum = weft.rfft(real, axis=0)
    for name, of in (("fft", x), ("ifft", x), ("rfft", real), ("irfft", spectrum)):
        found = getattr(weft, name)(of, axis=0, norm=norm)
        plain = getattr(weft, name)(of, axis=0)
        inverse = name[0] == "i"
        factors = {"ortho": 8**0.5 if inverse else 1 / 8**0.5, "forward": 8.0 if inverse else 1 / 8}
        factor = found.real.dtype.type(factors.get(norm, 1.0))
        assert found.dtype == plain.dtype
        assert np.array_equal(found.real, plain.real * factor) and np.array_equal(found.imag, plain.imag * factor)
        np.testing.assert_allclose(found, getattr(np.fft, name)(of, axis=0, norm=norm), **close)
    for name, of in (("fft2", x), ("ifft2", x), ("rfft2", real), ("irfft2", spectrum)):
        how: dict[str, Any] = {"s": (4, 8)} if name == "irfft2" else {"axes": (0, 2)}
        found, expected = getattr(weft, name)(of, **how, norm=norm), getattr(np.fft, name)(of, **how, norm=norm)
        np.testing.assert_allclose(found, expected, **close)
    out = np.zeros_like(x, order="F")
    assert weft.fft(x, axis=0, norm=norm, out=out) is out
    assert np.array_equal(out, weft.fft(x, axis=0, norm=norm))


def test_lengths_of_axes() -> None:
    x = numbers((3, 5, 7), "c16")
    padded = resized(x, (3, 8, 4))
    assert same(weft.fftn(x, (8, 4)), weft.fftn(padded, axes=(1, 2)))
    assert same(weft.fft2(x, (8, 4)), weft.fft2(padded))
    assert same(weft.ifftn(x, (4, 8), axes=(2, 1)), weft.ifftn(padded, axes=(2, 1)))
    assert same(weft.fftn(padded, (-1, None), axes=(1, 2)), weft.fftn(padded, axes=(1, 2)))
    assert same(weft.rfftn(x.real, (8, 4)), weft.rfftn(padded.real, axes=(1, 2)))
    assert same(weft.irfftn(x, (8, 4)), weft.irfftn(resized(x, (3, 8, 3)), axes=(1, 2)))


@pytest.mark.parametrize("n", [1, 2, 3, 5, 6, 7, 12, 15, 35, 56, 60, 97, 99, 100, 101, 128, 202, 211, 1000, 1001])
def test_transforms_of_any_length(n: int) -> None:
    x, real = numbers((3, n), "c16"), numbers((3, n), "f8")
    for found, expected in (
        (weft.fft(x), np.fft.fft(x)),
        (weft.ifft(x), np.fft.ifft(x)),
        (weft.rfft(real), np.fft.rfft(real)),
        (weft.irfft(x[:, : n // 2 + 1], n), np.fft.irfft(x[:, : n // 2 + 1], n)),
        (weft.fft(x, 9), np.fft.fft(x, 9)),
        (weft.fft2(x), np.fft.fft2(x)),
        (weft.irfftn(weft.rfftn(real), real.shape), real),
    ):
        assert found.shape == expected.shape and found.dtype == expected.dtype
        assert np.linalg.norm(found - expected) <= 1e-14 * np.linalg.norm(expected)


@pytest.mark.parametrize("axes", [None, 0, (1,), [0, -1]])
@pytest.mark.parametrize("shape", [(4, 5), (3, 2)])
def test_shifts(shape: Any, axes: Any) -> None:
    for x in (numbers(shape, "c16"), np.arange(shape[0] * shape[1], dtype="i2").reshape(shape)):
        assert same(weft.fftshift(x, axes), np.fft.fftshift(x, axes))
        assert same(weft.ifftshift(x, axes), np.fft.ifftshift(x, axes))
    assert same(weft.fftfreq(5, 0.1), np.fft.fftfreq(5, 0.1)) and same(weft.rfftfreq(8), np.fft.rfftfreq(8))


def test_transforms_refuse() -> None:
    x = np.ones((4, 3), "c16")
    with pytest.raises(ValueError, match="axis 2 is out of range: the array has 2 dimensions"):
        weft.fft(x, axis=2)
    with pytest.raises(ValueError, match="which contains an axis twice"):
        weft.fftn(x, axes=(0, -2))
    with pytest.raises(ValueError, match="at least 1 is required"):
        weft.fftn(x, axes=())
    with pytest.raises(ValueError, match="the transform along axis 0 has 0 values; it must have at least 1"):
        weft.irfft(x[:1], axis=0)
    with pytest.raises(ValueError, match="the transform along axis 1 has -2 values; it must have at least 1"):
        weft.fft(x, -2)
    with pytest.raises(ValueError, match="s has 1 lengths for 2 axes; it must have one for each"):
        weft.fft2(x, (4,))
    with pytest.raises(ValueError, match="norm is 'none'; it must be backward, ortho or forward"):
        weft.fft(x, axis=0, norm="none")


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


IMAGES = [((3, 4), (2, 3)), ((2, 20, 17), (3, 3)), ((3, 2, 5, 6), (7, 1)), ((0, 5, 5), (2, 2)), ((2, 30, 9), (17, 16))]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("shape, taps", IMAGES)
def test_images(shape: Any, taps: Any, dtype: str, layout: str) -> None:
    x, h = numbers(shape, dtype), numbers(taps, dtype)
    given = LAYOUTS[layout](x)
    fill: Any = 2 - 1j if dtype[0] == "c" else 2
    for function in (weft.convolve2d, weft.correlate2d):
        for mode, boundary in (("full", "fill"), ("same", "wrap"), ("same", "symm")):
            y = function(given, LAYOUTS[layout](h), mode, boundary, fill)
            assert y.dtype == x.dtype and y.shape[:-2] == shape[:-2]
            if not x.size:
                continue
            images = x.reshape(-1, *shape[-2:])
            alone = np.array([function(image, h, mode, boundary, fill) for image in images])
            assert same(y, alone.reshape(y.shape))
            target = np.zeros_like(y, order="F")
            out = function(given, h, mode, boundary, fill, out=target)
            assert out is target and np.array_equal(target, y)


def test_image_of_small_numbers() -> None:
    x, h = np.arange(12.0).reshape(3, 4), np.array([[1.0, 2.0], [3.0, 5.0]])
    around = np.pad(x, 1, constant_values=7)
    expected = sum(
        h[i, j] * around[1 - i : 1 - i + 4 or None, 1 - j : 1 - j + 5 or None] for i in (0, 1) for j in (0, 1)
    )
    assert np.array_equal(weft.convolve2d(x, h, fillvalue=7), expected)


def test_wrong_images() -> None:
    x, h = np.ones((4, 5)), np.ones((3, 2))
    with pytest.raises(ValueError, match="x has 1 dimension and h 2; x must have at least 2 and h 2"):
        weft.convolve2d(np.ones(3), h)
    with pytest.raises(ValueError, match=r"x has shape \(4, 5\) and h \(0, 2\); both must have rows and columns"):
        weft.convolve2d(x, np.ones((0, 2)))
    with pytest.raises(ValueError, match="x is 4 x 5 and h 5 x 2: one of them must have at least as many rows"):
        weft.correlate2d(x, np.ones((5, 2)), "valid")
    with pytest.raises(ValueError, match="mode is 'middle'"):
        weft.convolve2d(x, h, "middle")
    with pytest.raises(ValueError, match="boundary is 'reflect'; it must be one of fill, wrap, symm, symmetric"):
        weft.convolve2d(x, h, boundary="reflect")
    with pytest.raises(TypeError, match="fillvalue is 'a'; it must be a number"):
        weft.convolve2d(x, h, fillvalue="a")
    with pytest.raises(TypeError, match="x has dtype float64 and h float32"):
        weft.convolve2d(x, h.astype("f4"))
