"""Fourier transforms along axes (docs/ops/fft.md)."""

from __future__ import annotations

import math
import operator
from typing import Any, Optional, Sequence, Union

import numpy as np

from pyweft._native import ffi, lib
from pyweft._arrays import (
    COMPLEX,
    FLOATS,
    NUMBERS,
    WITH_COMPLEX,
    Array,
    Operand,
    argument,
    call,
    converted,
    destination,
    dimensions_of,
    give,
    is_contiguous,
    operand,
)
from pyweft._calls import as_input, entry, give_result, result_for
from pyweft._errors import exception
from pyweft._map import take_formula
from pyweft._views import axes_of, part_of, roll, view_of, with_parts

__all__ = [
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]

_NUMBERS = {**NUMBERS, **COMPLEX}
_COMPLEX_OF = {lib.WEFT_F32: np.dtype(np.complex64), lib.WEFT_F64: np.dtype(np.complex128)}
_REAL_OF = {lib.WEFT_F32: np.dtype(np.float32), lib.WEFT_F64: np.dtype(np.float64)}
_C2C, _INVERSE, _R2C, _C2R = lib.WEFT_C2C, lib.WEFT_C2C_INVERSE, lib.WEFT_R2C, lib.WEFT_C2R

_Axes = Optional[Sequence[int]]
_Lengths = Optional[Sequence[Optional[int]]]


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
        raise ValueError(f"axes is {axes!r} of an array of {dimensions_of(a.array.ndim)}; at least 1 is required")
    return numbers


def _given_axes(a: Operand, lengths: Any, axes: Any) -> list[int]:
    """The axes of a transform. Without axes=, s= is about the last axes."""
    if axes is None and lengths is not None:
        axes = range(-len(lengths), 0)
    numbers = _axes(a, axes)
    if lengths is not None and len(lengths) != len(numbers):
        raise ValueError(f"s has {len(lengths)} lengths for {len(numbers)} axes; it must have one for each")
    return numbers


def _lengths(a: Operand, kind: int, lengths: Any, numbers: list[int]) -> list[int]:
    """The lengths of the transforms: those of n= or s=, of which -1 and None keep that of x; else those of x."""
    given = [a.array.shape[axis] for axis in numbers]
    if kind == _C2R:
        given[-1] = 2 * (given[-1] - 1)
    found = [n if wanted is None else operator.index(wanted) for n, wanted in zip(given, lengths or given)]
    found = [n if wanted == -1 else wanted for n, wanted in zip(given, found)]
    for wanted, axis in zip(found, numbers):
        if wanted < 1:
            raise ValueError(f"the transform along axis {axis} has {wanted} values; it must have at least 1")
    return found


def _fitted(a: Operand, shape: tuple[int, ...], device: Optional[str]) -> Operand:
    """The first elements of an operand in an array of another shape, in which zeros follow them."""
    if tuple(a.array.shape) == shape:
        return a
    y = destination(a, None, a.array.dtype, shape)
    y.code = a.code
    source, target, first = with_parts(a), with_parts(y), [0] * len(shape)
    common = [min(n, m) for n, m in zip(a.array.shape, shape)]
    if common != list(shape):
        zero = operand(np.zeros((), _REAL_OF[int(a.code)]), "zero", FLOATS, strided=True)
        call(lib.weft_copy_view, a, device, view_of(zero, a.code), target)
    call(lib.weft_copy_view, a, device, part_of(source, first, common), part_of(target, first, common))
    return y


def _factor(kind: int, norm: Optional[str], n: int) -> float:
    """The factor of the results that a norm requires. Those of norm "backward" have none."""
    inverse = kind in (_INVERSE, _C2R)
    if norm in (None, "backward"):
        return 1.0
    if norm == "ortho":
        return math.sqrt(n) if inverse else 1 / math.sqrt(n)
    if norm == "forward":
        return float(n) if inverse else 1 / n
    raise ValueError(f"norm is {norm!r}; it must be backward, ortho or forward")


def _multiply(y: Operand, factor: float, device: Optional[str]) -> None:
    """Multiplies the values of a result."""
    view = ffi.new("weft_view *", with_parts(y)[0])
    number = ffi.new("double *" if int(y.code) == lib.WEFT_F64 else "float *", factor)
    names = [ffi.new("char[]", name) for name in (b"x", b"factor")]
    bindings = [(names[0], view, 0, ffi.NULL), (names[1], ffi.NULL, int(y.code), number)]
    compiled = take_formula("x * factor")._compiled
    call(lib.weft_map_views, y, device, compiled, int(y.code), bindings, 2, view)


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


def _transform(
    kind: int, x: Any, lengths: Any, axes: Any, norm: Optional[str], out: Any, device: Optional[str]
) -> Any:
    a = _real(x) if kind == _R2C else _complex(x)
    numbers = _given_axes(a, lengths, axes)
    wanted = _lengths(a, kind, lengths, numbers)
    factor = _factor(kind, norm, math.prod(wanted))
    given, shape = list(a.array.shape), list(a.array.shape)
    for axis, n in zip(numbers, wanted):
        given[axis] = shape[axis] = n
    if kind in (_R2C, _C2R):
        (shape if kind == _R2C else given)[numbers[-1]] = wanted[-1] // 2 + 1
    a = _fitted(a, tuple(given), device)
    dtype = _COMPLEX_OF[int(a.code)] if kind == _R2C else _REAL_OF[int(a.code)] if kind == _C2R else a.array.dtype
    if numbers == [len(shape) - 1] and out is None and factor == 1 and is_contiguous(a.array):
        return _rows(kind, a, tuple(shape), dtype, device)
    y = destination(a, out, dtype, tuple(shape), strided=True, in_place=kind in (_C2C, _INVERSE))
    y.code = a.code
    call(lib.weft_fft_axes, a, device, kind, with_parts(a), len(numbers), numbers, with_parts(y))
    if factor != 1:
        _multiply(y, factor, device)
    return give(y, out)


def fftfreq(n: int, d: float = 1.0) -> Any:
    """Frequency of each value of fft in cycles per unit of d, the distance of two samples, as numpy.fft.fftfreq: n
    float64 in host memory. No order.

    >>> weft.fftfreq(4, 0.5)
    array([ 0. ,  0.5, -1. , -0.5])
    """
    return np.fft.fftfreq(n, d)


def rfftfreq(n: int, d: float = 1.0) -> Any:
    """Frequency of each value of rfft of n values, as numpy.fft.rfftfreq: n // 2 + 1 float64 in host memory. No order.

    >>> weft.rfftfreq(4, 0.5)
    array([0. , 0.5, 1. ])
    """
    return np.fft.rfftfreq(n, d)


def fftshift(x: Array, axes: Union[None, int, tuple[int, ...]] = None, *, device: Optional[str] = None) -> Any:
    """Copy of a transform in which frequency 0 is in the middle of each of the axes (None: of all), as
    numpy.fft.fftshift. x: of any strides and dtype of a number. No order.

    >>> weft.fftshift(weft.fftfreq(4))
    array([-0.5 , -0.25,  0.  ,  0.25])
    """
    return _shifted(x, axes, 1, device)


def ifftshift(x: Array, axes: Union[None, int, tuple[int, ...]] = None, *, device: Optional[str] = None) -> Any:
    """Undoes fftshift. No order.

    >>> weft.ifftshift([-2, -1, 0, 1, 2])
    array([ 0,  1,  2, -2, -1])
    """
    return _shifted(x, axes, -1, device)


def _shifted(x: Any, axes: Any, sign: int, device: Optional[str]) -> Any:
    a = operand(x, "x", WITH_COMPLEX, strided=True)
    numbers = axes_of(tuple(axes) if isinstance(axes, list) else axes, a)
    shifts = tuple([sign * (a.array.shape[k] // 2) for k in numbers])
    return roll(argument(a), shifts, tuple(numbers), device=device)


def fft(
    x: Array,
    n: Optional[int] = None,
    *,
    axis: int = -1,
    norm: Optional[str] = None,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """Fourier transform along an axis: y[f] = sum of x[j] exp(-2 pi i f j / n), as numpy.fft.fft.

    x     complex64 or complex128, of any strides. Real numbers are made complex: float32 gives complex64, others
          complex128
    n     the number of values that are transformed: the first n of x, or those of x and zeros. None: all of x
    norm  "backward" or None; "ortho", the results times 1 / sqrt(n); "forward", the results times 1 / n. The factor is
          rounded to f64 and then to the type of the results, which are rounded again
    out   may be x itself
    Order: ORDER.md 14.

    >>> weft.fft([1.0, 0.0, 0.0, 0.0])
    array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j])
    """
    return _transform(_C2C, x, (n,), (axis,), norm, out, device)


def ifft(
    x: Array,
    n: Optional[int] = None,
    *,
    axis: int = -1,
    norm: Optional[str] = None,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """Inverse Fourier transform along an axis, with 1/n: undoes fft with the same n and norm.

    norm  None has no factor but 1/n; the results times sqrt(n) ("ortho") or n ("forward")
    x, n, out as for fft. Order: ORDER.md 14.

    >>> weft.ifft(np.array([1, 1, 1, 1], np.complex128))
    array([1.+0.j, 0.+0.j, 0.+0.j, 0.+0.j])
    """
    return _transform(_INVERSE, x, (n,), (axis,), norm, out, device)


def rfft(
    x: Array,
    n: Optional[int] = None,
    *,
    axis: int = -1,
    norm: Optional[str] = None,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """Fourier transform of real values along an axis: the n // 2 + 1 complex values that are not conjugates of
    others. float32 gives complex64, other types complex128. n, norm as for fft. Order: ORDER.md 14.

    >>> weft.rfft([1.0, 0.0, 0.0, 0.0])
    array([1.+0.j, 1.+0.j, 1.+0.j])
    """
    return _transform(_R2C, x, (n,), (axis,), norm, out, device)


def irfft(
    x: Array,
    n: Optional[int] = None,
    *,
    axis: int = -1,
    norm: Optional[str] = None,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """Undoes rfft: n // 2 + 1 complex values along an axis give n real ones.

    n  may be odd. None: 2 (x.shape[axis] - 1), which must be at least 1. Of x are taken the first n // 2 + 1 values, or
       those of x and zeros. norm as for ifft. Order: ORDER.md 14.

    >>> weft.irfft(np.array([1, 1, 1], np.complex128))
    array([1., 0., 0., 0.])
    """
    return _transform(_C2R, x, (n,), (axis,), norm, out, device)


def fftn(
    x: Array,
    s: _Lengths = None,
    *,
    axes: _Axes = None,
    norm: Optional[str] = None,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """Fourier transform along several axes: fft along each of them, from the last one of `axes` to the first.

    s     the lengths of the transforms along the axes, as n of fft; -1: that of x. None: those of x
    axes  different axes; None: all, or the last len(s)
    norm  as for fft, with the product of the lengths for n
    x, out as for fft. Order: ORDER.md 14, 32.

    >>> weft.fftn([[1.0, 0.0], [0.0, 0.0]])
    array([[1.+0.j, 1.+0.j],
           [1.+0.j, 1.+0.j]])
    """
    return _transform(_C2C, x, s, axes, norm, out, device)


def ifftn(
    x: Array,
    s: _Lengths = None,
    *,
    axes: _Axes = None,
    norm: Optional[str] = None,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """Undoes fftn: ifft along each of the axes, from the first one of `axes` to the last. Order: ORDER.md 14, 32.

    >>> weft.ifftn(np.ones((2, 2), np.complex128))
    array([[1.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]])
    """
    return _transform(_INVERSE, x, s, axes, norm, out, device)


def rfftn(
    x: Array,
    s: _Lengths = None,
    *,
    axes: _Axes = None,
    norm: Optional[str] = None,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """Fourier transform of real values along several axes: rfft along the last one of `axes`, then fft along the
    others, the first one last. Order: ORDER.md 14, 32.

    >>> weft.rfftn(np.ones((2, 4)))
    array([[8.+0.j, 0.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j, 0.+0.j]])
    """
    return _transform(_R2C, x, s, axes, norm, out, device)


def irfftn(
    x: Array,
    s: _Lengths = None,
    *,
    axes: _Axes = None,
    norm: Optional[str] = None,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """Undoes rfftn: ifft along all of `axes` but the last one, which irfft transforms.

    s  as for fftn; the last length is n of irfft. Order: ORDER.md 14, 32.

    >>> weft.irfftn(np.ones((2, 2), np.complex128))
    array([[1., 0.],
           [0., 0.]])
    """
    return _transform(_C2R, x, s, axes, norm, out, device)


def fft2(
    x: Array,
    s: _Lengths = None,
    *,
    axes: _Axes = (-2, -1),
    norm: Optional[str] = None,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """fftn along two axes, the last ones. Order: ORDER.md 14, 32.

    >>> weft.fft2([[1.0, 1.0], [1.0, 1.0]])
    array([[4.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]])
    """
    return fftn(x, s, axes=axes, norm=norm, out=out, device=device)


def ifft2(
    x: Array,
    s: _Lengths = None,
    *,
    axes: _Axes = (-2, -1),
    norm: Optional[str] = None,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """ifftn along two axes, the last ones. Order: ORDER.md 14, 32.

    >>> weft.ifft2(np.ones((2, 2), np.complex128))
    array([[1.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]])
    """
    return ifftn(x, s, axes=axes, norm=norm, out=out, device=device)


def rfft2(
    x: Array,
    s: _Lengths = None,
    *,
    axes: _Axes = (-2, -1),
    norm: Optional[str] = None,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """rfftn along two axes, the last ones. Order: ORDER.md 14, 32.

    >>> weft.rfft2(np.ones((2, 4)))
    array([[8.+0.j, 0.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j, 0.+0.j]])
    """
    return rfftn(x, s, axes=axes, norm=norm, out=out, device=device)


def irfft2(
    x: Array,
    s: _Lengths = None,
    *,
    axes: _Axes = (-2, -1),
    norm: Optional[str] = None,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """irfftn along two axes, the last ones. Order: ORDER.md 14, 32.

    >>> weft.irfft2(np.ones((2, 2), np.complex128))
    array([[1., 0.],
           [0., 0.]])
    """
    return irfftn(x, s, axes=axes, norm=norm, out=out, device=device)
