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
    Operand,
    call,
    converted,
    destination,
    give,
    leader,
    length,
    operand,
)

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


def _transform(kind: int, a: Operand, n: int, dtype: Any, last: int, out: Any, device: Optional[str]) -> Any:
    """n: of the complex or real array that is transformed; last: the length of the result's last axis."""
    shape = a.array.shape
    y = destination(a, out, dtype, shape[:-1] + (last,))
    batch = a.array.size // shape[-1] if shape[-1] else 0
    call(lib.weft_fft, a, device, kind, a.code, batch, n, a.pointer, y.pointer)
    return give(y, out)


def _complex(a: Operand) -> Operand:
    """Real numbers in complex64, if they are float32, else in complex128: as numpy.fft takes them."""
    code = lib.WEFT_F32 if a.code == lib.WEFT_F32 else lib.WEFT_F64
    return converted(a, code, _COMPLEX_OF[code])


def _real(x: Any) -> Operand:
    """x in float32, if it is that, else in float64."""
    a = operand(x, "x", NUMBERS)
    return a if a.array.dtype.kind == "f" else converted(a, lib.WEFT_F64, _REAL_OF[lib.WEFT_F64])


def _last_axis(a: Operand) -> int:
    if a.array.ndim == 0:
        raise ValueError("x has 0 dimensions; it must have at least 1")
    n: int = a.array.shape[-1]
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
    a = operand(x, "x", _NUMBERS)
    if a.array.dtype.kind != "c":
        a = _complex(a)
    n = _last_axis(a)
    return _transform(lib.WEFT_C2C, a, n, a.array.dtype, n, out, device)


def ifft(x: Array, *, out: Optional[Array] = None, device: Optional[str] = None) -> Any:
    """Inverse Fourier transform along the last axis, with 1/n: undoes fft. Order: ORDER.md 14.

    >>> weft.ifft(np.array([1, 1, 1, 1], np.complex128))
    array([1.+0.j, 0.+0.j, 0.+0.j, 0.+0.j])
    """
    a = operand(x, "x", _NUMBERS)
    if a.array.dtype.kind != "c":
        a = _complex(a)
    n = _last_axis(a)
    return _transform(lib.WEFT_C2C_INVERSE, a, n, a.array.dtype, n, out, device)


def rfft(x: Array, *, out: Optional[Array] = None, device: Optional[str] = None) -> Any:
    """Fourier transform of real values along the last axis: the n // 2 + 1 complex values that are not conjugates
    of others. float32 gives complex64, other types complex128; n is a power of two. Order: ORDER.md 14.

    >>> weft.rfft([1.0, 0.0, 0.0, 0.0])
    array([1.+0.j, 1.+0.j, 1.+0.j])
    """
    a = _real(x)
    n = _last_axis(a)
    return _transform(lib.WEFT_R2C, a, n, _COMPLEX_OF[a.code], n // 2 + 1, out, device)


def irfft(x: Array, n: Optional[int] = None, *, out: Optional[Array] = None, device: Optional[str] = None) -> Any:
    """Undoes rfft: n // 2 + 1 complex values on the last axis give n real ones.

    n  2 (x.shape[-1] - 1) unless it is given: 1 for one value of one. Order: ORDER.md 14.

    >>> weft.irfft(np.array([1, 1, 1], np.complex128))
    array([1., 0., 0., 0.])
    """
    a = operand(x, "x", _NUMBERS)
    if a.array.dtype.kind != "c":
        a = _complex(a)
    half = _last_axis(a)
    wanted = 2 * (half - 1) if n is None else n
    if wanted < 1 or wanted // 2 + 1 != half:
        raise ValueError(f"x has {half} values along its last axis and n is {wanted}; it must have n // 2 + 1 values")
    return _transform(lib.WEFT_C2R, a, wanted, _REAL_OF[a.code], wanted, out, device)


def _filter(function: Any, x: Any, h: Any, mode: str, out: Any, device: Optional[str]) -> Any:
    if mode not in _MODES:
        raise ValueError(f"mode is {mode!r}; it must be one of {', '.join(_MODES)}")
    a, b = operand(x, "x", _FIELDS), operand(h, "h", _FIELDS)
    if a.array.dtype != b.array.dtype:
        raise TypeError(f"x has dtype {a.array.dtype} and h {b.array.dtype}; they must be the same")
    n, m = length(a, "x"), length(b, "h")
    if not n or not m:
        raise ValueError(f"x has {n} elements and h {m}; both must have at least 1")
    on = leader(a, b)
    y = destination(on, out, a.array.dtype, _SIZES[mode](n, m))
    field = lib.WEFT_COMPLEX if a.array.dtype.kind == "c" else lib.WEFT_REAL
    call(function, on, device, _MODES[mode], a.code, field, n, a.pointer, m, b.pointer, y.pointer)
    return give(y, out)


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
