"""Fourier transforms along the last axis, convolution and correlation (docs/ops/fft.md, convolve.md)."""

from __future__ import annotations

from typing import Any, Callable, Optional

import numpy as np

from pyweft._native import lib
from pyweft._arrays import (
    COMPLEX,
    FLOATS,
    NUMBERS,
    Array,
    check_vector,
    converted,
    operand,
)
from pyweft._calls import Input, as_input, entry, give_result, input_of, leading, result_for
from pyweft._errors import exception

__all__ = ["convolve", "correlate", "fft", "ifft", "irfft", "rfft"]

_NUMBERS = {**NUMBERS, **COMPLEX}
_FIELDS = {**FLOATS, **COMPLEX}
_MODES = {"full": lib.WEFT_FULL, "same": lib.WEFT_SAME, "valid": lib.WEFT_VALID}
_SIZES: dict[str, Callable[[int, int], int]] = {
    "full": lambda n, m: n + m - 1,
    "same": max,
    "valid": lambda n, m: abs(n - m) + 1,
}
_COMPLEX_OF = {lib.WEFT_F32: np.dtype(np.complex64), lib.WEFT_F64: np.dtype(np.complex128)}
_REAL_OF = {lib.WEFT_F32: np.dtype(np.float32), lib.WEFT_F64: np.dtype(np.float64)}


def _transform(kind: int, x: Input, n: int, dtype: Any, last: int, out: Any, device: Optional[str]) -> Any:
    """n: of the complex or real array that is transformed; last: the length of the result's last axis."""
    a, source, code, on = x
    shape = a.shape
    batch = a.size // shape[-1] if shape[-1] else 0
    y, target = result_for(on, out, dtype, last if len(shape) == 1 else shape[:-1] + (last,))
    run, context = entry(lib.weft_fft, on, device)
    status = run(context, kind, code, batch, n, source, target)
    if status:
        raise exception(status, context)
    return y if on is None and out is None else give_result(y, out)


def _complex(x: Any) -> Input:
    """Complex numbers as they are; real ones in complex64, if they are float32, else in complex128, as numpy.fft takes
    them."""
    if getattr(x, "dtype", None) in COMPLEX:
        return input_of(x, "x", COMPLEX)
    a = operand(x, "x", _NUMBERS)
    if a.array.dtype.kind == "c":
        return as_input(a)
    code = lib.WEFT_F32 if a.code == lib.WEFT_F32 else lib.WEFT_F64
    return as_input(converted(a, code, _COMPLEX_OF[code]))


def _real(x: Any) -> Input:
    """x in float32, if it is that, else in float64."""
    if getattr(x, "dtype", None) in FLOATS:
        return input_of(x, "x", FLOATS)
    a = operand(x, "x", NUMBERS)
    return as_input(a if a.array.dtype.kind == "f" else converted(a, lib.WEFT_F64, _REAL_OF[lib.WEFT_F64]))


def _last_axis(a: Any) -> int:
    if a.ndim == 0:
        raise ValueError("x has 0 dimensions; it must have at least 1")
    n: int = a.shape[-1]
    return n


def fft(x: Array, *, out: Optional[Array] = None, device: Optional[str] = None) -> Any:
    """Fourier transform along the last axis: y[f] = sum of x[j] exp(-2 pi i f j / n), as numpy.fft.fft.

    x    complex64 or complex128; n is a power of two. Real numbers are made complex: float32 gives complex64, others
         complex128
    out  may be x itself
    Order: ORDER.md 14.

    >>> weft.fft([1.0, 0.0, 0.0, 0.0])
    array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j])
    """
    given = _complex(x)
    n = _last_axis(given[0])
    return _transform(lib.WEFT_C2C, given, n, given[0].dtype, n, out, device)


def ifft(x: Array, *, out: Optional[Array] = None, device: Optional[str] = None) -> Any:
    """Inverse Fourier transform along the last axis, with 1/n: undoes fft. Order: ORDER.md 14.

    >>> weft.ifft(np.array([1, 1, 1, 1], np.complex128))
    array([1.+0.j, 0.+0.j, 0.+0.j, 0.+0.j])
    """
    given = _complex(x)
    n = _last_axis(given[0])
    return _transform(lib.WEFT_C2C_INVERSE, given, n, given[0].dtype, n, out, device)


def rfft(x: Array, *, out: Optional[Array] = None, device: Optional[str] = None) -> Any:
    """Fourier transform of real values along the last axis: the n // 2 + 1 complex values that are not conjugates
    of others. float32 gives complex64, other types complex128; n is a power of two. Order: ORDER.md 14.

    >>> weft.rfft([1.0, 0.0, 0.0, 0.0])
    array([1.+0.j, 1.+0.j, 1.+0.j])
    """
    given = _real(x)
    n = _last_axis(given[0])
    return _transform(lib.WEFT_R2C, given, n, _COMPLEX_OF[given[2]], n // 2 + 1, out, device)


def irfft(x: Array, n: Optional[int] = None, *, out: Optional[Array] = None, device: Optional[str] = None) -> Any:
    """Undoes rfft: n // 2 + 1 complex values on the last axis give n real ones.

    n  2 (x.shape[-1] - 1) unless it is given: 1 for one value of one. Order: ORDER.md 14.

    >>> weft.irfft(np.array([1, 1, 1], np.complex128))
    array([1., 0., 0., 0.])
    """
    given = _complex(x)
    half = _last_axis(given[0])
    wanted = 2 * (half - 1) if n is None else n
    if wanted < 1 or wanted // 2 + 1 != half:
        raise ValueError(f"x has {half} values along its last axis and n is {wanted}; it must have n // 2 + 1 values")
    return _transform(lib.WEFT_C2R, given, wanted, _REAL_OF[int(given[2])], wanted, out, device)


def _filter(function: Any, x: Any, h: Any, mode: str, out: Any, device: Optional[str]) -> Any:
    if mode not in _MODES:
        raise ValueError(f"mode is {mode!r}; it must be one of {', '.join(_MODES)}")
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


def convolve(
    x: Array, h: Array, mode: str = "full", *, out: Optional[Array] = None, device: Optional[str] = None
) -> Any:
    """Convolution of two 1-D arrays: the sum of x[i - j] h[j], as numpy.convolve.

    x, h  of one dtype: float32, float64, complex64 or complex128
    mode  "full": n + m - 1 values; "same": max(n, m); "valid": where the two overlap completely
    Up to 64 taps each value is a chain of fused multiply-adds, above it comes by transforms. Order: ORDER.md 15.

    >>> weft.convolve([1.0, 2.0, 3.0], [1.0, -1.0])
    array([ 1.,  1.,  1., -3.])
    """
    return _filter(lib.weft_convolve, x, h, mode, out, device)


def correlate(
    x: Array, h: Array, mode: str = "valid", *, out: Optional[Array] = None, device: Optional[str] = None
) -> Any:
    """Correlation of two 1-D arrays: the convolution with h backwards and, if complex, conjugated, as
    numpy.correlate. Arguments as for convolve. Order: ORDER.md 15.

    >>> weft.correlate([1.0, 2.0, 3.0], [1.0, -1.0])
    array([-1., -1.])
    """
    return _filter(lib.weft_correlate, x, h, mode, out, device)
