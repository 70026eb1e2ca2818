"""Convolution and correlation (docs/ops/convolve.md)."""

from __future__ import annotations

from typing import Any, Callable, Optional

from pyweft._native import lib
from pyweft._arrays import COMPLEX, FLOATS, Array, check_vector
from pyweft._calls import entry, give_result, input_of, leading, result_for
from pyweft._errors import exception

__all__ = ["convolve", "correlate"]

_FIELDS = {**FLOATS, **COMPLEX}
_MODES = {"full": lib.WEFT_FULL, "same": lib.WEFT_SAME, "valid": lib.WEFT_VALID}
_SIZES: dict[str, Callable[[int, int], int]] = {
    "full": lambda n, m: n + m - 1,
    "same": max,
    "valid": lambda n, m: abs(n - m) + 1,
}


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
