"""Fourier transforms along axes (docs/ops/fft.md)."""

from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np

from pyweft._native import lib
from pyweft._arrays import (
    COMPLEX,
    FLOATS,
    NUMBERS,
    Array,
    Operand,
    call,
    converted,
    destination,
    give,
    is_contiguous,
    operand,
)
from pyweft._calls import as_input, entry, give_result, result_for
from pyweft._errors import exception
from pyweft._views import axes_of, with_parts

__all__ = [
    "fft",
    "fft2",
    "fftn",
    "ifft",
    "ifft2",
    "ifftn",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftn",
]

_NUMBERS = {**NUMBERS, **COMPLEX}
_COMPLEX_OF = {lib.WEFT_F32: np.dtype(np.complex64), lib.WEFT_F64: np.dtype(np.complex128)}
_REAL_OF = {lib.WEFT_F32: np.dtype(np.float32), lib.WEFT_F64: np.dtype(np.float64)}
_C2C, _INVERSE, _R2C, _C2R = lib.WEFT_C2C, lib.WEFT_C2C_INVERSE, lib.WEFT_R2C, lib.WEFT_C2R

_Axes = Optional[Sequence[int]]


def _complex(x: Any) -> Operand:
    """Complex numbers as they are; real ones in complex64, if they are float32, else in complex128, as numpy.fft takes
    them."""
    a = operand(x, "x", _NUMBERS, strided=getattr(x, "dtype", None) in COMPLEX)
    if a.array.dtype.kind == "c":
        return a
    code = lib.WEFT_F32 if a.code == lib.WEFT_F32 else lib.WEFT_F64
    return converted(a, code, _COMPLEX_OF[code])


def _real(x: Any) -> Operand:
    """x in float32, if it is that, else in float64."""
    a = operand(x, "x", NUMBERS, strided=getattr(x, "dtype", None) in FLOATS)
    return a if a.array.dtype.kind == "f" else converted(a, lib.WEFT_F64, _REAL_OF[lib.WEFT_F64])


def _axes(a: Operand, axes: Any) -> list[int]:
    numbers = axes_of(axes if axes is None else tuple(axes), a)
    if not numbers:
        raise ValueError(f"axes is {axes!r} of an array of {a.array.ndim} dimensions; at least 1 is required")
    return numbers


def _last(a: Operand, kind: int, n: Optional[int], axis: int) -> int:
    """Returns the length of the result along the last axis of the list. n: of irfft."""
    given: int = a.array.shape[axis]
    if kind == _R2C:
        return given // 2 + 1
    if kind != _C2R:
        return given
    wanted = 2 * (given - 1) if n is None else n
    if wanted < 1 or wanted // 2 + 1 != given:
        raise ValueError(f"x has {given} values along axis {axis} and n is {wanted}; it must have n // 2 + 1 values")
    return wanted


def _rows(kind: int, a: Operand, shape: tuple[int, ...], dtype: Any, device: Optional[str]) -> Any:
    """Transforms a contiguous array along its last axis, for which a call needs no views."""
    x, source, code, on = as_input(a)
    given = x.shape[-1]
    y, target = result_for(on, None, dtype, shape)
    run, context = entry(lib.weft_fft, on, device)
    batch = x.size // given if given else 0
    status = run(context, kind, code, batch, shape[-1] if kind == _C2R else given, source, target)
    if status:
        raise exception(status, context)
    return y if on is None else give_result(y, None)


def _transform(kind: int, x: Any, n: Optional[int], axes: Any, out: Any, device: Optional[str]) -> Any:
    a = _real(x) if kind == _R2C else _complex(x)
    numbers = _axes(a, axes)
    shape = list(a.array.shape)
    shape[numbers[-1]] = _last(a, kind, n, numbers[-1])
    dtype = _COMPLEX_OF[int(a.code)] if kind == _R2C else _REAL_OF[int(a.code)] if kind == _C2R else a.array.dtype
    if numbers == [len(shape) - 1] and out is None and is_contiguous(a.array):
        return _rows(kind, a, tuple(shape), dtype, device)
    y = destination(a, out, dtype, tuple(shape), strided=True, in_place=kind in (_C2C, _INVERSE))
    y.code = a.code
    call(lib.weft_fft_axes, a, device, kind, with_parts(a), len(numbers), numbers, with_parts(y))
    return give(y, out)


def fft(x: Array, *, axis: int = -1, out: Optional[Array] = None, device: Optional[str] = None) -> Any:
    """Fourier transform along an axis: y[f] = sum of x[j] exp(-2 pi i f j / n), as numpy.fft.fft.

    x    complex64 or complex128, of any strides; n is a power of two. Real numbers are made complex: float32 gives
         complex64, others complex128
    out  may be x itself
    Order: ORDER.md 14.

    >>> weft.fft([1.0, 0.0, 0.0, 0.0])
    array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j])
    """
    return _transform(_C2C, x, None, (axis,), out, device)


def ifft(x: Array, *, axis: int = -1, out: Optional[Array] = None, device: Optional[str] = None) -> Any:
    """Inverse Fourier transform along an axis, with 1/n: undoes fft. Order: ORDER.md 14.

    >>> weft.ifft(np.array([1, 1, 1, 1], np.complex128))
    array([1.+0.j, 0.+0.j, 0.+0.j, 0.+0.j])
    """
    return _transform(_INVERSE, x, None, (axis,), out, device)


def rfft(x: Array, *, axis: int = -1, out: Optional[Array] = None, device: Optional[str] = None) -> Any:
    """Fourier transform of real values along an axis: the n // 2 + 1 complex values that are not conjugates of
    others. float32 gives complex64, other types complex128; n is a power of two. Order: ORDER.md 14.

    >>> weft.rfft([1.0, 0.0, 0.0, 0.0])
    array([1.+0.j, 1.+0.j, 1.+0.j])
    """
    return _transform(_R2C, x, None, (axis,), out, device)


def irfft(
    x: Array, n: Optional[int] = None, *, axis: int = -1, out: Optional[Array] = None, device: Optional[str] = None
) -> Any:
    """Undoes rfft: n // 2 + 1 complex values along an axis give n real ones.

    n  2 (x.shape[axis] - 1) unless it is given: 1 for one value of one. Order: ORDER.md 14.

    >>> weft.irfft(np.array([1, 1, 1], np.complex128))
    array([1., 0., 0., 0.])
    """
    return _transform(_C2R, x, n, (axis,), out, device)


def fftn(x: Array, *, axes: _Axes = None, out: Optional[Array] = None, device: Optional[str] = None) -> Any:
    """Fourier transform along several axes: fft along each of them, from the last one of `axes` to the first.

    axes  different axes; None: all
    x, out as for fft. Order: ORDER.md 14, 32.

    >>> weft.fftn([[1.0, 0.0], [0.0, 0.0]])
    array([[1.+0.j, 1.+0.j],
           [1.+0.j, 1.+0.j]])
    """
    return _transform(_C2C, x, None, axes, out, device)


def ifftn(x: Array, *, axes: _Axes = None, out: Optional[Array] = None, device: Optional[str] = None) -> Any:
    """Undoes fftn: ifft along each of the axes, from the first one of `axes` to the last. Order: ORDER.md 14, 32.

    >>> weft.ifftn(np.ones((2, 2), np.complex128))
    array([[1.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]])
    """
    return _transform(_INVERSE, x, None, axes, out, device)


def rfftn(x: Array, *, axes: _Axes = None, out: Optional[Array] = None, device: Optional[str] = None) -> Any:
    """Fourier transform of real values along several axes: rfft along the last one of `axes`, then fft along the
    others, the first one last. Order: ORDER.md 14, 32.

    >>> weft.rfftn(np.ones((2, 4)))
    array([[8.+0.j, 0.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j, 0.+0.j]])
    """
    return _transform(_R2C, x, None, axes, out, device)


def irfftn(
    x: Array,
    n: Optional[int] = None,
    *,
    axes: _Axes = None,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """Undoes rfftn: ifft along all of `axes` but the last one, which irfft transforms.

    n  real values along the last one of `axes`, as for irfft. Order: ORDER.md 14, 32.

    >>> weft.irfftn(np.ones((2, 2), np.complex128))
    array([[1., 0.],
           [0., 0.]])
    """
    return _transform(_C2R, x, n, axes, out, device)


def fft2(x: Array, *, axes: _Axes = (-2, -1), out: Optional[Array] = None, device: Optional[str] = None) -> Any:
    """fftn along two axes, the last ones. Order: ORDER.md 14, 32.

    >>> weft.fft2([[1.0, 1.0], [1.0, 1.0]])
    array([[4.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]])
    """
    return fftn(x, axes=axes, out=out, device=device)


def ifft2(x: Array, *, axes: _Axes = (-2, -1), out: Optional[Array] = None, device: Optional[str] = None) -> Any:
    """ifftn along two axes, the last ones. Order: ORDER.md 14, 32.

    >>> weft.ifft2(np.ones((2, 2), np.complex128))
    array([[1.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]])
    """
    return ifftn(x, axes=axes, out=out, device=device)


def rfft2(x: Array, *, axes: _Axes = (-2, -1), out: Optional[Array] = None, device: Optional[str] = None) -> Any:
    """rfftn along two axes, the last ones. Order: ORDER.md 14, 32.

    >>> weft.rfft2(np.ones((2, 4)))
    array([[8.+0.j, 0.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j, 0.+0.j]])
    """
    return rfftn(x, axes=axes, out=out, device=device)


def irfft2(
    x: Array,
    n: Optional[int] = None,
    *,
    axes: _Axes = (-2, -1),
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """irfftn along two axes, the last ones. Order: ORDER.md 14, 32.

    >>> weft.irfft2(np.ones((2, 2), np.complex128))
    array([[1., 0.],
           [0., 0.]])
    """
    return irfftn(x, n, axes=axes, out=out, device=device)
