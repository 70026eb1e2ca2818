"""Prefix scans and linear recurrences (docs/scan.md, recurrence.md)."""

from __future__ import annotations

from typing import Any, Optional

from weft._native import ffi, lib
from weft._arrays import (
    DTYPES,
    FLOATS,
    Array,
    accumulator,
    call,
    destination,
    give,
    host_value,
    leader,
    operand,
    same_dtype,
)

OPS: dict[str, int] = {
    "sum": lib.WEFT_SUM,
    "prod": lib.WEFT_PROD,
    "min": lib.WEFT_MIN,
    "max": lib.WEFT_MAX,
    "and": lib.WEFT_AND,
    "or": lib.WEFT_OR,
    "xor": lib.WEFT_XOR,
}


def op_code(op: str) -> int:
    code = OPS.get(op)
    if code is None:
        raise ValueError(f"op is {op!r}; it must be one of {', '.join(OPS)}")
    return code


def _scan(op: int, x: Any, exclusive: bool, init: Any, dtype: Any, out: Any, device: Optional[str]) -> Any:
    a = operand(x, "x")
    accumulate = accumulator(dtype)
    result = DTYPES[accumulate or a.code]
    n = a.array.size
    y = destination(a, out, result, n)
    kind = lib.WEFT_EXCLUSIVE if exclusive else lib.WEFT_INCLUSIVE
    first = ffi.NULL if init is None else host_value(init, result, "init")
    call(lib.weft_scan, a, device, op, kind, a.code, accumulate, n, a.pointer, first, y.pointer)
    return give(y, out)


def scan(
    x: Array,
    op: str = "sum",
    *,
    exclusive: bool = False,
    init: Any = None,
    dtype: Any = None,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """Prefix scan of the elements in C order: y[i] = x[0] op ... op x[i], a 1-D array.

    op         "sum", "prod", "min", "max", and for integers "and", "or", "xor"
    exclusive  y[i] ends before x[i]
    init       a number joined before everything
    dtype      of y; None: x's own. np.float64 for float32; np.int64 or np.uint64 for smaller integers, sum and prod
    out        may be x itself, when the dtypes are the same
    y[i] depends on init and x[:i + 1] alone. Order: ORDER.md 6.

    >>> weft.scan([3, 1, 4, 1, 5], "max", exclusive=True, init=0)
    array([0, 3, 3, 4, 4])
    """
    return _scan(op_code(op), x, exclusive, init, dtype, out, device)


def cumsum(x: Array, *, dtype: Any = None, out: Optional[Array] = None, device: Optional[str] = None) -> Any:
    """Running sums, of x's own dtype unless another is asked for: scan with "sum". Order: ORDER.md 6.

    >>> weft.cumsum([1.0, 2.0, 3.0])
    array([1., 3., 6.])
    """
    return _scan(lib.WEFT_SUM, x, False, None, dtype, out, device)


def cumprod(x: Array, *, dtype: Any = None, out: Optional[Array] = None, device: Optional[str] = None) -> Any:
    """Running products, of x's own dtype unless another is asked for: scan with "prod". Order: ORDER.md 6.

    >>> weft.cumprod([1.0, 2.0, 3.0])
    array([1., 2., 6.])
    """
    return _scan(lib.WEFT_PROD, x, False, None, dtype, out, device)


def recurrence(
    s: Array,
    u: Array,
    *,
    init: Optional[Array] = None,
    reverse: bool = False,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """Linear recurrence v[..., i] = s[..., i] * v[..., i - 1] + u[..., i] along the last axis.

    s, u     float32 or float64, of one shape (..., n)
    init     shape (...): what each row starts from; None: 0
    reverse  from the last element down, with v[..., i + 1]
    out      may be s or u
    Order: ORDER.md 9. Products of many |s| > 1 can overflow where a loop does not: docs/recurrence.md.

    >>> weft.recurrence([0.5, 0.5, 0.5], [1.0, 1.0, 1.0])
    array([1.  , 1.5 , 1.75])
    """
    a, b = operand(s, "s", FLOATS), operand(u, "u", FLOATS)
    same_dtype(a, b, "s", "u")
    shape = a.array.shape
    if shape != b.array.shape or not shape:
        raise ValueError(f"s has shape {shape} and u {b.array.shape}; they must be the same, of 1 dimension or more")
    first = None if init is None else operand(init, "init", FLOATS)
    if first:
        same_dtype(a, first, "s", "init")
        if first.array.shape != shape[:-1]:
            raise ValueError(f"init has shape {first.array.shape}; it must be {shape[:-1]}")
    on = leader(a, b, first)
    v = destination(on, out, a.array.dtype, shape)
    rows = a.array.size // shape[-1] if shape[-1] else 0
    direction = lib.WEFT_REVERSE if reverse else lib.WEFT_FORWARD
    start = first.pointer if first else ffi.NULL
    call(lib.weft_recurrence, on, device, a.code, direction, rows, shape[-1], a.pointer, b.pointer, start, v.pointer)
    return give(v, out)
