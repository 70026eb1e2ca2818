"""Convolution and correlation (docs/ops/convolve.md, docs/ops/convolve2d.md)."""

from __future__ import annotations

from typing import Any, Callable, Optional

import numpy as np

from pyweft._native import ffi, lib
from pyweft._arrays import (
    COMPLEX,
    FLOATS,
    Array,
    call,
    check_vector,
    code_of,
    destination,
    dimensions_of,
    give,
    host_value,
    pair,
)
from pyweft._calls import entry, give_result, input_of, leading, result_for
from pyweft._errors import exception
from pyweft._views import axis_of, with_parts

__all__ = ["convolve", "convolve2d", "correlate", "correlate2d"]

_FIELDS = {**FLOATS, **COMPLEX}
_MODES = {"full": lib.WEFT_FULL, "same": lib.WEFT_SAME, "valid": lib.WEFT_VALID}
_SIZES: dict[str, Callable[[int, int], int]] = {
    "full": lambda n, m: n + m - 1,
    "same": max,
    "valid": lambda n, m: abs(n - m) + 1,
}
_BOUNDARIES = {
    "fill": lib.WEFT_BORDER_FILL,
    "wrap": lib.WEFT_BORDER_WRAP,
    "symm": lib.WEFT_BORDER_SYMMETRIC,
    "symmetric": lib.WEFT_BORDER_SYMMETRIC,
}


def _check_mode(mode: str) -> None:
    if mode not in _MODES:
        raise ValueError(f"mode is {mode!r}; it must be one of {', '.join(_MODES)}")


def _filter(function: Any, x: Any, h: Any, mode: str, out: Any, device: Optional[str]) -> Any:
    """Filters a vector."""
    _check_mode(mode)
    a, signal, code, on = input_of(x, "x", _FIELDS)
    b, taps, _, on_h = input_of(h, "h", _FIELDS)
    if a.dtype != b.dtype:
        raise TypeError(f"x has dtype {a.dtype} and h {b.dtype}; they must be the same")
    check_vector(a, "x")
    check_vector(b, "h")
    n, m = a.size, b.size
    if not n or not m:
        raise ValueError(f"x has {n} elements and h {m}; both must have at least 1")
    on = leading(on, on_h)
    y, target = result_for(on, out, a.dtype, _SIZES[mode](n, m))
    field = lib.WEFT_COMPLEX if a.dtype.kind == "c" else lib.WEFT_REAL
    run, context = entry(function, on, device)
    status = run(context, _MODES[mode], code, field, n, signal, m, taps, target)
    if status:
        raise exception(status, context)
    return y if on is None and out is None else give_result(y, out)


def _filter_along(function: Any, x: Any, h: Any, mode: str, axis: Any, out: Any, device: Optional[str]) -> Any:
    """Filters each vector of x along an axis."""
    _check_mode(mode)
    a, b, on = pair(x, h, "x", "h", _FIELDS, strided=True)
    along = axis_of(axis, a)
    if b.array.ndim not in (1, a.array.ndim):
        raise ValueError(f"h has {b.array.ndim} dimensions; it must have 1, or {a.array.ndim} as x has")
    shape = list(a.array.shape)
    n, m = shape[along], b.array.shape[along if b.array.ndim > 1 else 0]
    if not n or not m:
        raise ValueError(f"x has {n} elements along axis {axis} and h {m}; both must have at least 1")
    shape[along] = _SIZES[mode](n, m)
    y = destination(on, out, a.array.dtype, tuple(shape), strided=True, inputs=[a.array, b.array])
    y.code = a.code
    field = lib.WEFT_COMPLEX if a.array.dtype.kind == "c" else lib.WEFT_REAL
    call(function, on, device, _MODES[mode], field, with_parts(a), along, with_parts(b), with_parts(y))
    return give(y, out)


def _fill_value(value: Any, dtype: Any) -> Any:
    """One number of a real or complex dtype in host memory."""
    if dtype not in COMPLEX:
        return host_value(value, dtype, "fillvalue")
    given = np.array(value)
    if given.ndim or given.dtype.kind not in "biufc":
        raise TypeError(f"fillvalue is {value!r}; it must be a number")
    return ffi.from_buffer(given.astype(dtype))


def _filter_2d(
    function: Any, x: Any, h: Any, mode: str, boundary: str, fillvalue: Any, out: Any, device: Optional[str]
) -> Any:
    """Filters each array of the last two axes of x."""
    _check_mode(mode)
    border = code_of(_BOUNDARIES, boundary, "boundary")
    a, b, on = pair(x, h, "x", "h", _FIELDS, strided=True)
    shape, taps = a.array.shape, b.array.shape
    if len(shape) < 2 or len(taps) != 2:
        raise ValueError(f"x has {dimensions_of(len(shape))} and h {len(taps)}; x must have at least 2 and h 2")
    if 0 in shape[-2:] or 0 in taps:
        raise ValueError(f"x has shape {tuple(shape)} and h {tuple(taps)}; both must have rows and columns")
    lengths = [n if mode == "same" else _SIZES[mode](n, m) for n, m in zip(shape[-2:], taps)]
    y = destination(on, out, a.array.dtype, (*shape[:-2], *lengths), strided=True, inputs=[a.array, b.array])
    y.code = a.code
    fill = _fill_value(fillvalue, a.array.dtype)
    field = lib.WEFT_COMPLEX if a.array.dtype.kind == "c" else lib.WEFT_REAL
    call(function, on, device, _MODES[mode], border, fill, field, with_parts(a), with_parts(b), with_parts(y))
    return give(y, out)


def convolve(
    x: Array,
    h: Array,
    mode: str = "full",
    *,
    axis: Optional[int] = None,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """Convolution of two 1-D arrays: the sum of x[i - j] h[j], as numpy.convolve; or of each vector along an axis.

    x, h  of one dtype: float32, float64, complex64 or complex128
    mode  "full": n + m - 1 values; "same": max(n, m); "valid": where the two overlap completely
    axis  convolve each vector of x along it, of any strides. h then has 1 dimension, or as many as x: the others are
          broadcast to those of x. None: x and h have 1 dimension
    Up to 64 taps each value is a chain of fused multiply-adds, above it comes by transforms. Order: ORDER.md 15, 32.

    >>> weft.convolve([1.0, 2.0, 3.0], [1.0, -1.0])
    array([ 1.,  1.,  1., -3.])
    >>> weft.convolve([[1.0, 2.0], [4.0, 8.0]], [1.0, -1.0], axis=0)
    array([[ 1.,  2.],
           [ 3.,  6.],
           [-4., -8.]])
    """
    if axis is not None:
        return _filter_along(lib.weft_convolve_axis, x, h, mode, axis, out, device)
    return _filter(lib.weft_convolve, x, h, mode, out, device)


def correlate(
    x: Array,
    h: Array,
    mode: str = "valid",
    *,
    axis: Optional[int] = None,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """Correlation of two 1-D arrays: the convolution with h backwards and, if complex, conjugated, as
    numpy.correlate; or of each vector along an axis. Arguments as for convolve. Order: ORDER.md 15, 32.

    >>> weft.correlate([1.0, 2.0, 3.0], [1.0, -1.0])
    array([-1., -1.])
    >>> weft.correlate([[1.0, 2.0, 3.0], [5.0, 7.0, 9.0]], [[1.0, -1.0], [1.0, 1.0]], axis=1)
    array([[-1., -1.],
           [12., 16.]])
    """
    if axis is not None:
        return _filter_along(lib.weft_correlate_axis, x, h, mode, axis, out, device)
    return _filter(lib.weft_correlate, x, h, mode, out, device)


def convolve2d(
    x: Array,
    h: Array,
    mode: str = "full",
    boundary: str = "fill",
    fillvalue: Any = 0,
    *,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """Two-dimensional convolution, as scipy.signal.convolve2d, of each array of the last two axes of x.

    x, h       of one dtype: float32, float64, complex64 or complex128, of any strides. x has at least 2 dimensions and
               h 2
    mode       "full": (n1 + m1 - 1) x (n2 + m2 - 1) values; "same": n1 x n2, those of x; "valid": where x and h overlap
               completely
    boundary   the elements outside x: "fill": fillvalue, "wrap": x is repeated, "symm": x is mirrored
    Up to 256 taps each value is a chain of fused multiply-adds over all taps, above it comes by transforms of blocks.
    Order: ORDER.md 15.4.

    >>> weft.convolve2d([[1.0, 2.0], [3.0, 4.0]], [[1.0, -1.0]])
    array([[ 1.,  1., -2.],
           [ 3.,  1., -4.]])
    >>> weft.convolve2d([[1.0, 2.0], [3.0, 4.0]], [[1.0, 1.0], [1.0, 1.0]], "same", "wrap")
    array([[10., 10.],
           [10., 10.]])
    """
    return _filter_2d(lib.weft_convolve2d, x, h, mode, boundary, fillvalue, out, device)


def correlate2d(
    x: Array,
    h: Array,
    mode: str = "full",
    boundary: str = "fill",
    fillvalue: Any = 0,
    *,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """Two-dimensional correlation, as scipy.signal.correlate2d: the convolution with h backwards along both axes and,
    if complex, conjugated. Arguments as for convolve2d. Order: ORDER.md 15.4.

    >>> weft.correlate2d([[1.0, 2.0], [3.0, 4.0]], [[1.0, -1.0]], "valid")
    array([[-1.],
           [-1.]])
    """
    return _filter_2d(lib.weft_correlate2d, x, h, mode, boundary, fillvalue, out, device)
