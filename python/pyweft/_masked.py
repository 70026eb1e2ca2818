"""Reductions of the elements that a mask takes (where=), and of a value that is combined last (initial=).

An element that is not taken has the identity of the operation, and keeps its place in the order (ORDER.md 1.6). The
elements and these identities are written to a temporary array, which is then reduced."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from pyweft._native import ffi, lib
from pyweft._arrays import (
    BOOL,
    DTYPES,
    F16,
    FLOATS,
    I64,
    WITH_F16,
    Operand,
    Parts,
    argument,
    call,
    check_number,
    destination,
    elements,
    narrowed,
    operand,
)
from pyweft._map import map
from pyweft._reduction import Prepared, reduction, result_code
from pyweft._views import reduced_shape, view_of, with_parts

F32, F64 = np.dtype(np.float32), np.dtype(np.float64)
_ROUNDED = {F16, *FLOATS}
# Types of which formulas have no results, and the type of the temporary array, whose lowest bytes are the elements.
_WIDE = {
    **{np.dtype(name): np.dtype(np.int32) for name in ("i1", "i2")},
    **{np.dtype(name): np.dtype(np.uint32) for name in ("u1", "u2", "?")},
}


def masked(op: int, ddof: Optional[int], prepared: Prepared, initial: Any, device: Optional[str]) -> None:
    """Reduction with `op` of the elements that the mask takes, combined with `initial` unless it is None; with a ddof
    the variance."""
    if type(prepared[0].code) is Parts:
        _masked_parts(op, ddof, prepared, initial, device)
    elif op == lib.WEFT_MEAN:
        _masked_moment(prepared, ddof, device)
    else:
        _masked_reduction(op, prepared, initial, device)


def _masked_parts(op: int, ddof: Optional[int], prepared: Prepared, initial: Any, device: Optional[str]) -> None:
    """masked() of complex numbers. Their parts are elements along one more axis: here the first one, since a mask is
    broadcast along it."""
    a, of_elements, sums, axes, mask, on, y = prepared
    if initial is not None:
        raise TypeError(f"x has dtype {a.array.dtype}; initial must be None for complex numbers")
    parts = destination(on, None, DTYPES[int(a.code)], (2, *a.array.shape))
    parts.code = int(a.code)
    call(lib.weft_copy_view, on, device, _parts_first(a), view_of(parts, parts.code))
    to = destination(on, None, DTYPES[y.code], (2, *y.array.shape))
    to.code = y.code
    masked(op, ddof, (parts, of_elements, sums, [k + 1 for k in axes], mask, on, to), None, device)
    if ddof is None:
        call(lib.weft_copy_view, on, device, view_of(to, to.code), _parts_first(y))
    else:
        call(lib.weft_reduce_axes, on, device, lib.WEFT_SUM, 0, view_of(to, to.code), 1, [0], view_of(y, y.code))


def _parts_first(a: Operand) -> list[Any]:
    """The view of complex numbers in which their parts are the first axis."""
    size, code, n, shape, strides, pointer = with_parts(a)[0]
    return [(size, code, n, (shape[-1], *shape[:-1]), (strides[-1], *strides[:-1]), pointer)]


def _masked_reduction(op: int, prepared: Prepared, initial: Any, device: Optional[str]) -> None:
    """Reduction with `op` of the elements that the mask takes, combined with `initial` unless it is None."""
    a, of_elements, sums, axes, mask, on, y = prepared
    result = y.array.dtype
    last = None if initial is None else operand(_number(initial, result), "initial", WITH_F16)
    if last is not None and 0 in [a.array.shape[k] for k in axes]:
        call(lib.weft_copy_view, on, device, view_of(last, last.code), view_of(y, last.code))
        return
    taken = a if mask is None else _taken(a, mask, on, _identity(of_elements, a.array.dtype), a.array.dtype, device)
    arguments = of_elements, sums, view_of(taken, taken.code), len(axes), axes
    if last is not None:
        _combine(op, arguments, last, on, y, device)
    elif mask is not None and op == lib.WEFT_SUM and result in _ROUNDED:
        total = destination(on, None, result, y.array.shape)
        call(lib.weft_reduce_axes, on, device, *arguments, view_of(total, y.code))
        count = _count(mask, a, axes, on, y.array.shape, device)
        map("k == 0 ? 0 : s", k=argument(count), s=argument(total), dtype=result, out=argument(y), device=device)
    else:
        call(lib.weft_reduce_axes, on, device, *arguments, view_of(y, y.code))


def _masked_moment(prepared: Prepared, ddof: Optional[int], device: Optional[str]) -> None:
    """Mean of the elements that the mask takes; with a ddof the variance."""
    a, _, sums, axes, mask, on, y = prepared
    assert mask
    if sums == lib.WEFT_EXACT_SUM:
        raise ValueError("accumulate is 'exact', which cannot be combined with where")
    result = y.array.dtype
    if result == F16 and on.device:
        raise TypeError(f"x has dtype float16 on {on.device}; with where, dtype must be float32 or float64 there")
    kept = reduced_shape(a, axes, True)
    count = _count(mask, a, axes, on, kept, device)
    dtype = a.array.dtype if a.array.dtype in _ROUNDED else F64
    taken = _taken(a, mask, on, -0.0, dtype, device)
    value = destination(on, None, F64, kept)
    _total(taken, axes, value, on, device)
    number, place = argument(count), argument(value)
    map("s/k", s=place, k=number, out=place, device=device)
    if ddof is not None:
        squares = destination(on, None, F64, a.array.shape)
        squares.code = lib.WEFT_F64
        values = {"taken": argument(mask), "x": argument(a), "m": place, "identity": np.float64(-0.0)}
        map("taken ? (x - m)*(x - m) : identity", dtype=F64, out=argument(squares), device=device, **values)
        _total(squares, axes, value, on, device)
        map("s/max(k - ddof, 0)", s=place, k=number, ddof=ddof, dtype=F64, out=place, device=device)
    rounded = _rounded(value, result, on, device)
    source = _c_view(rounded.pointer, y.code, y.array.shape, result)
    call(lib.weft_copy_view, on, device, source, view_of(y, y.code))


def _number(value: Any, dtype: Any) -> Any:
    """The value of initial= in an array without axes. The dtype must have it, but floats may round it."""
    given = np.array(value)
    if given.ndim or given.dtype.kind not in "biuf":
        raise TypeError(f"initial is {value!r}; it must be a number")
    check_number(given.item(), dtype, "initial")
    with np.errstate(over="ignore"):
        number = given.astype(dtype)
    if dtype in _ROUNDED and np.isinf(number) and not np.isinf(given):
        raise ValueError(f"initial is {value!r}, which {dtype} cannot represent")
    return number


def _identity(op: int, dtype: Any) -> Any:
    """The value of an element that is not taken (ORDER.md 1.6)."""
    if op == lib.WEFT_SUM:
        return -0.0 if dtype in _ROUNDED else 0
    if op in (lib.WEFT_PROD, lib.WEFT_ALL):
        return 1
    if op not in (lib.WEFT_MIN, lib.WEFT_MAX, lib.WEFT_AND):
        return 0
    if dtype in _ROUNDED:
        return np.inf if op == lib.WEFT_MIN else -np.inf
    if dtype == BOOL:
        return op == lib.WEFT_MIN
    limits = np.iinfo(dtype)
    if op == lib.WEFT_AND:
        return -1 if limits.min else limits.max
    return limits.max if op == lib.WEFT_MIN else limits.min


def _taken(a: Operand, mask: Operand, on: Operand, identity: Any, dtype: Any, device: Optional[str]) -> Operand:
    """A temporary array of a dtype with the elements of `a`, or the identity where `mask` is False."""
    wide = _WIDE.get(dtype, dtype)
    y = destination(on, None, wide, a.array.shape)
    y.code = WITH_F16[wide]
    values = {"taken": argument(mask), "x": argument(a), "identity": wide.type(identity)}
    map("taken ? x : identity", dtype=wide, out=argument(y), device=device, **values)
    return y if wide == dtype else narrowed(y, WITH_F16[dtype], dtype)


def _count(
    mask: Operand, a: Operand, axes: list[int], on: Operand, shape: tuple[int, ...], device: Optional[str]
) -> Operand:
    """The number of elements of `a` along axes that are taken, in an array of the shape given."""
    size, code, n, given, strides, pointer = view_of(mask, lib.WEFT_U8)[0]
    more = a.array.ndim - n
    repeated = (0,) * more + tuple([0 if m == 1 else stride for m, stride in zip(given, strides)])
    view = [(size, code, a.array.ndim, a.array.shape, repeated, pointer)]
    y = destination(on, None, I64, shape)
    to = view_of(y, lib.WEFT_U64)
    call(lib.weft_reduce_axes, on, device, lib.WEFT_COUNT_NONZERO, lib.WEFT_DEFAULT, view, len(axes), axes, to)
    return y


def _total(x: Operand, axes: list[int], y: Operand, on: Operand, device: Optional[str]) -> None:
    """Writes the sums along axes, accumulated in float64, to `y`."""
    to = view_of(y, lib.WEFT_F64)
    call(lib.weft_reduce_axes, on, device, lib.WEFT_SUM, lib.WEFT_F64, view_of(x, x.code), len(axes), axes, to)


def _combine(op: int, arguments: Any, last: Operand, on: Operand, y: Operand, device: Optional[str]) -> None:
    """Writes the results of weft_reduce_axes, with its arguments, combined with `last` to `y`."""
    dtype, shape = y.array.dtype, tuple(y.array.shape)
    pair = destination(on, None, dtype, (2, *shape))
    second = ffi.cast("char *", pair.pointer) + elements(shape) * dtype.itemsize
    call(lib.weft_reduce_axes, on, device, *arguments, _c_view(pair.pointer, y.code, shape, dtype))
    call(lib.weft_copy_view, on, device, view_of(last, last.code), _c_view(second, last.code, shape, dtype))
    of_pair, _, sums = reduction(op, last.code, dtype if op in (lib.WEFT_SUM, lib.WEFT_PROD) else None)
    to = view_of(y, result_code(of_pair, last.code, sums))
    call(lib.weft_reduce_axes, on, device, of_pair, sums, view_of(pair, last.code), 1, [0], to)


def _c_view(pointer: Any, code: int, shape: Any, dtype: Any) -> list[Any]:
    """The view of an array in C order at an address."""
    lengths = tuple(shape)
    strides = tuple([dtype.itemsize * elements(lengths[k + 1 :]) for k in range(len(lengths))])
    return [(ffi.sizeof("weft_view"), code, len(lengths), lengths, strides, pointer)]


def _rounded(value: Operand, dtype: Any, on: Operand, device: Optional[str]) -> Operand:
    """The values of an array of float64 in another type, each rounded once."""
    if dtype == F64:
        return value
    y = destination(on, None, dtype, value.array.shape)
    if dtype == F32:
        map("x", x=argument(value), dtype=F32, out=argument(y), device=device)
    else:
        with np.errstate(over="ignore"):
            y.array[...] = value.array  # a formula would round to float32 first
    return y
