"""Prefix scans and linear recurrences (docs/ops/scan.md, recurrence.md)."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Optional

import numpy as np

from pyweft._native import ffi, lib
from pyweft._arrays import (
    BOOL,
    DTYPES,
    F16,
    FLAG,
    FLOATS,
    I64,
    U64,
    WITH_COMPLEX,
    Array,
    Operand,
    Parts,
    call,
    destination,
    give,
    host_value,
    leader,
    operand,
    pair,
    same_dtype,
    wide_accumulator,
)
from pyweft._calls import entry, give_result, input_of, inputs_of, result_for
from pyweft._errors import exception
from pyweft._reduction import COMPLEX_OF, real_dtype
from pyweft._views import axis_of, each_part, flat, view_at, view_of, with_parts

__all__ = ["cumprod", "cumsum", "recurrence", "scan"]

# Reading an attribute of lib takes 25 ns.
_SUM, _PROD = lib.WEFT_SUM, lib.WEFT_PROD
_EXCLUSIVE, _INCLUSIVE = lib.WEFT_EXCLUSIVE, lib.WEFT_INCLUSIVE
_FORWARD, _REVERSE = lib.WEFT_FORWARD, lib.WEFT_REVERSE
_NULL = ffi.NULL

OPS: dict[str, int] = {
    "sum": _SUM,
    "prod": _PROD,
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


# Identities of bools: that of u8 for these operators, 255, is not a bool.
_TRUE = {lib.WEFT_MIN: True, lib.WEFT_AND: True}


def has_identity(op: int, code: int, on: Optional[Operand]) -> bool:
    """True if results without elements are not bools, but should be; limit_flags() makes them true."""
    if code is not FLAG or op not in _TRUE:
        return False
    if on is not None and on.device:
        raise TypeError("x has dtype bool on a GPU; pass its uint8 view for the operators min and and")
    return True


def limit_flags(y: Any) -> None:
    """Makes bools true whose bytes are greater than 1."""
    bits = (y if type(y) is np.ndarray else y.array).view(np.uint8)
    np.minimum(bits, 1, out=bits)


# The dtypes of NumPy's running sums and products of small integers; those of other types are of the elements' own.
_RUNNING = {
    **dict.fromkeys((lib.WEFT_I8, lib.WEFT_I16, lib.WEFT_I32), I64),
    **dict.fromkeys((lib.WEFT_U8, lib.WEFT_U16, lib.WEFT_U32), U64),
}


@lru_cache(maxsize=None)
def scan_types(op: int, code: int, dtype: Any, running: bool = False) -> tuple[Any, int]:
    """The dtype of what a scan gives, and the weft_dtype it accumulates in. Sums and products of bools are int64.

    running: without a dtype, it is that of NumPy's running sums"""
    if dtype is None and code is FLAG and op in (_SUM, _PROD):
        dtype = I64
    if dtype is None and running:
        dtype = _RUNNING.get(code)
    own = code == lib.WEFT_F16 and dtype is not None and np.dtype(dtype) == F16
    accumulate = wide_accumulator(code, None if own else dtype)
    return DTYPES[code] if dtype is None else np.dtype(dtype), accumulate


def first_value(op: int, exclusive: bool, init: Any, result: Any) -> Any:
    """The init of a scan in host memory; NULL for the identity."""
    if init is None:
        return host_value(_TRUE.get(op), BOOL, "init") if exclusive and result == BOOL else _NULL
    return host_value(init, result, "init")


def _scan(
    op: int,
    x: Array,
    axis: Optional[int],
    exclusive: bool,
    init: Any,
    dtype: Any,
    out: Optional[Array],
    device: Optional[str],
    running: bool = False,
) -> Any:
    """running: as for scan_types(), unless `out` has the elements' dtype."""
    if axis is not None:
        return _scan_axis(op, x, axis, exclusive, init, dtype, out, device, running)
    a, source, code, on = input_of(x, "x", WITH_COMPLEX)
    if type(code) is Parts:
        return _scan_axis(op, x, None, exclusive, init, dtype, out, device, running)
    if out is not None:
        running = running and not _has_dtype(out, a.dtype)
    result, accumulate = scan_types(op, code, dtype, running)
    n = a.size
    y, target = result_for(on, out, result, n)
    kind = _EXCLUSIVE if exclusive else _INCLUSIVE
    first = first_value(op, exclusive, init, result) if exclusive or init is not None else _NULL
    run, context = entry(lib.weft_scan, on, device)
    status = run(context, op, kind, code, accumulate, n, source, first, target)
    if status:
        raise exception(status, context)
    return y if on is None and out is None else give_result(y, out)


def _scan_axis(
    op: int,
    x: Array,
    axis: Optional[int],
    exclusive: bool,
    init: Any,
    dtype: Any,
    out: Optional[Array],
    device: Optional[str],
    running: bool,
) -> Any:
    """_scan() along an axis, and of complex numbers, whose parts are elements along one more axis."""
    a = operand(x, "x", WITH_COMPLEX, strided=axis is not None)
    is_complex = type(a.code) is Parts
    if is_complex and op != _SUM:
        raise TypeError(f"x has dtype {a.array.dtype}; of complex numbers the only scan is that with sum")
    code = int(a.code) if is_complex else a.code
    running = running and not _has_dtype(out, a.array.dtype)
    result, accumulate = scan_types(op, code, real_dtype(dtype, is_complex), running)
    along, shape = (0, (a.array.size,)) if axis is None else (axis_of(axis, a), tuple(a.array.shape))
    y = destination(a, out, COMPLEX_OF[result] if is_complex else result, shape, strided=True, in_place=True)
    y.code = accumulate or code
    source, target = with_parts(a), with_parts(y)
    if axis is None:
        source = flat(source, a)
    kind = _EXCLUSIVE if exclusive else _INCLUSIVE
    if is_complex and init is not None:
        scans = list(zip(each_part(source), _first_parts(init, result), each_part(target)))
    else:
        scans = [(source, first_value(op, exclusive, init, result), target)]
    for elements, first, to in scans:
        call(lib.weft_scan_axis, a, device, op, kind, accumulate, elements, along, first, to)
    return give(y, out)


def _first_parts(init: Any, dtype: Any) -> list[Any]:
    """The parts of the init of a scan of complex numbers, in host memory."""
    given = np.array(init)
    if given.ndim or given.dtype.kind not in "biufc":
        raise TypeError(f"init is {init!r}; it must be a number")
    return [host_value(part[()], dtype, "init") for part in (given.real, given.imag)]


def _has_dtype(out: Any, dtype: Any) -> bool:
    given = getattr(out, "dtype", None)
    return isinstance(given, np.dtype) and given == dtype


def scan(
    x: Array,
    op: str = "sum",
    *,
    axis: Optional[int] = None,
    exclusive: bool = False,
    init: Any = None,
    dtype: Any = None,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """Prefix scan of the elements in C order: y[i] = x[0] op ... op x[i], a 1-D array; or along an axis.

    x          any shape and number type, float16 too; complex with "sum": the parts are scanned separately
    axis       None: all elements, in C order. An axis: y has the shape of x; each vector along the axis is scanned
    op         "sum", "prod", "min", "max", and for integers and bool "and", "or", "xor"
    exclusive  y[i] ends before x[i]
    init       a number combined before the first element
    dtype      of y; None: x's own, but int64 for sum and prod of bool. For sum and prod also np.float64 for float32;
               np.int64 or np.uint64 for smaller integers; np.float32 or np.float64 for float16, whose values are
               computed in float32 otherwise, and each rounded once; np.complex128 for complex64
    out        may be x itself, when the dtypes are the same
    y[i] depends on init and x[:i + 1] alone. Order: ORDER.md 6; along an axis 32; of complex numbers 1.8.

    >>> weft.scan([3, 1, 4, 1, 5], "max", exclusive=True, init=0)
    array([0, 3, 3, 4, 4])
    >>> weft.scan([[3, 1, 4], [1, 5, 9]], "max", axis=0)
    array([[3, 1, 4],
           [3, 5, 9]])
    """
    return _scan(op_code(op), x, axis, exclusive, init, dtype, out, device)


def cumsum(
    x: Array,
    axis: Optional[int] = None,
    *,
    dtype: Any = None,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """Running sums: scan with "sum", in the dtype that NumPy's have; those of complex numbers are the sums of the parts.

    axis   None: of all elements, in C order; else along this axis
    dtype  None: int64 or uint64 for smaller integers, int64 for bool; else x's own, as it is with an out of x's dtype
    out    may be x itself
    Order: ORDER.md 6; along an axis 32; of complex numbers 1.8.

    >>> weft.cumsum([1.0, 2.0, 3.0])
    array([1., 3., 6.])
    >>> weft.cumsum([1 + 2j, 3 - 1j])
    array([1.+2.j, 4.+1.j])
    """
    return _scan(_SUM, x, axis, False, None, dtype, out, device, True)


def cumprod(
    x: Array,
    axis: Optional[int] = None,
    *,
    dtype: Any = None,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """Running products of real numbers: scan with "prod"; arguments as for cumsum. Order: ORDER.md 6; along an axis 32.

    >>> weft.cumprod([1.0, 2.0, 3.0])
    array([1., 2., 6.])
    """
    return _scan(_PROD, x, axis, False, None, dtype, out, device, True)


def recurrence(
    s: Array,
    u: Array,
    *,
    axis: int = -1,
    init: Optional[Array] = None,
    reverse: bool = False,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """Linear recurrence along an axis: v[i] = s[i] * v[i - 1] + u[i] for each vector.

    s, u     float32 or float64, of any strides, broadcast to one shape
    init     what each vector starts from, broadcast to that shape without the axis; None: 0
    reverse  from the last element down, with v[i + 1]
    out      may be s or u
    Order: ORDER.md 9, 32. Products of many |s| > 1 can overflow where a loop does not: docs/ops/recurrence.md.

    >>> weft.recurrence([0.5, 0.5, 0.5], [1.0, 1.0, 1.0])
    array([1.  , 1.5 , 1.75])
    >>> weft.recurrence(np.float64(0.5), [[1.0, 2.0], [1.0, 2.0]], axis=0)
    array([[1. , 2. ],
           [1.5, 3. ]])
    """
    if axis == -1 and init is None and _are_rows(s, u):
        return _recurrence_of_rows(s, u, reverse, out, device)
    a, b, on = pair(s, u, "s", "u", FLOATS, strided=True)
    inputs = [a.array, b.array]
    shape = np.broadcast_shapes(tuple(a.array.shape), tuple(b.array.shape))
    if not shape:
        raise ValueError("s and u have 0 dimensions; at least 1 is required")
    along = axis_of(axis, a if a.array.ndim == len(shape) else b)
    start = _NULL
    if init is not None:
        first = operand(init, "init", FLOATS, strided=True)
        same_dtype(a, first, "s", "init")
        inputs.append(first.array)
        on = leader(on, first)
        start = [_initial(first, shape, along)]
    v = destination(on, out, a.array.dtype, shape, strided=True, in_place=True, inputs=inputs)
    views = view_of(a, a.code), view_of(b, b.code), view_of(v, a.code)
    direction = _REVERSE if reverse else _FORWARD
    call(lib.weft_recurrence_axis, on, device, direction, views[0], views[1], along, start, views[2])
    return give(v, out)


def _are_rows(s: Any, u: Any) -> bool:
    """True for arrays of NumPy whose rows a call without views can read."""
    both = type(s) is np.ndarray and type(u) is np.ndarray
    return both and s.shape == u.shape and s.ndim > 0 and s.flags.carray and u.flags.carray


def _recurrence_of_rows(s: Any, u: Any, reverse: bool, out: Any, device: Optional[str]) -> Any:
    """recurrence() along the last axis of contiguous arrays of one shape, from 0."""
    a, factors, _, terms, code, on = inputs_of(s, u, "s", "u", FLOATS)
    n = a.shape[-1]
    v, target = result_for(on, out, a.dtype, a.shape)
    run, context = entry(lib.weft_recurrence, on, device)
    direction = _REVERSE if reverse else _FORWARD
    status = run(context, direction, code, a.size // n if n else 0, n, factors, terms, _NULL, target)
    if status:
        raise exception(status, context)
    return v if on is None and out is None else give_result(v, out)


def _initial(first: Operand, shape: tuple[int, ...], along: int) -> tuple[Any, ...]:
    """Returns the view of initial values, with length 1 along the axis, for a result of a shape."""
    size, code, n, lengths, strides, pointer = view_at(first.pointer, first.array, first.code)
    rest = shape[:along] + shape[along + 1 :]
    fits = all([own in (1, other) for own, other in zip(reversed(lengths), reversed(rest))])
    if n > len(rest) or not fits:
        raise ValueError(f"init has shape {tuple(lengths)}; it must be {rest}, or be broadcast to that")
    at = n - (len(rest) - along)  # of the axis among those of init
    if at < 0:
        return size, code, n, lengths, strides, pointer
    return size, code, n + 1, (*lengths[:at], 1, *lengths[at:]), (*strides[:at], 0, *strides[at:]), pointer
