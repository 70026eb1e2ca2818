"""Stable sorts (docs/ops/sort.md, argsort.md, sort_axis.md). Order of all: ORDER.md 17."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Optional

import numpy as np

from pyweft._native import ffi, lib
from pyweft._arrays import (
    COMPLEX,
    I32,
    I64,
    NUMBERS,
    U64,
    WITH_F16,
    Array,
    Operand,
    call,
    check_vector,
    destination,
    give,
    operand,
)
from pyweft._calls import entry, give_result, input_of, leading, result_for, vector_of
from pyweft._errors import exception
from pyweft._views import ONLY_AXIS, axis_of, view_of

__all__ = ["argsort", "sort", "sort_bits", "sort_pairs"]

_INDICES = {I64: lib.WEFT_U64, U64: lib.WEFT_U64, I32: lib.WEFT_U32, np.dtype(np.uint32): lib.WEFT_U32}
_VALUES = {**WITH_F16, **COMPLEX}


def _order(descending: bool) -> int:
    order: int = lib.WEFT_DESCENDING if descending else lib.WEFT_ASCENDING
    return order


def _has_axes(x: Any, axis: Optional[int]) -> bool:
    """Returns True if x is an array of several dimensions that is to be sorted along one of them."""
    return axis is not None and getattr(x, "ndim", 1) > 1


def sort(
    x: Array,
    axis: Optional[int] = -1,
    *,
    descending: bool = False,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """The elements in ascending or descending order; stable, -0 < +0, NaN last in either order.

    x     any number type, float16 too
    axis  the vectors along it are sorted; None: all elements, which become a 1-D array
    out   may be x itself

    >>> weft.sort([3.0, -1.0, 2.0])
    array([-1.,  2.,  3.])
    >>> weft.sort(np.array([[3, 1], [2, 4]]), axis=0)
    array([[2, 1],
           [3, 4]])
    """
    if _has_axes(x, axis):
        return _sort_axis(x, axis, descending, out, device)
    a, source, code, on = input_of(x, "x", WITH_F16)
    if axis is not None and (a.ndim != 1 or axis not in ONLY_AXIS):
        return _sort_axis(x, axis, descending, out, device)
    n = a.size
    y, target = result_for(on, out, a.dtype, n)
    run, context = entry(lib.weft_sort, on, device)
    status = run(context, _order(descending), code, n, source, target)
    if status:
        raise exception(status, context)
    return y if on is None and out is None else give_result(y, out)


def _sort_axis(x: Array, axis: Any, descending: bool, out: Optional[Array], device: Optional[str]) -> Any:
    a = operand(x, "x", WITH_F16, strided=True)
    along = axis_of(axis, a)
    y = destination(a, out, a.array.dtype, tuple(a.array.shape), strided=True, in_place=True)
    call(lib.weft_sort_axis, a, device, _order(descending), view_of(a, a.code), along, view_of(y, a.code))
    return give(y, out)


def _pair(keys: Any, values: Any) -> tuple[Any, Any, int, Any, Any, Optional[Operand]]:
    """Array and pointer of the keys, their weft_dtype, array and pointer of the values, and `on`."""
    k, key_source, code, on = input_of(keys, "keys", WITH_F16)
    v, value_source, _, on_values = input_of(values, "values", _VALUES)
    if k.ndim != 1 or v.ndim != 1:
        check_vector(k, "keys")
        check_vector(v, "values")
    if k.size != v.size:
        raise ValueError(f"keys has {k.size} elements and values {v.size}; they must have the same length")
    return k, key_source, code, v, value_source, leading(on, on_values)


def sort_pairs(keys: Array, values: Array, *, descending: bool = False, device: Optional[str] = None) -> Any:
    """Sorts keys, and puts values[i] where keys[i] goes: (keys, values).

    keys    1-D, any number type, float16 too
    values  as many, of any number type, float16 or complex

    >>> weft.sort_pairs([3, 1, 2], [0.3, 0.1, 0.2])
    (array([1, 2, 3]), array([0.1, 0.2, 0.3]))
    """
    k, key_source, code, v, value_source, on = _pair(keys, values)
    n = k.size
    y, key_target = result_for(on, None, k.dtype, n)
    w, value_target = result_for(on, None, v.dtype, n)
    run, context = entry(lib.weft_sort_pairs, on, device)
    order = _order(descending)
    status = run(context, order, code, n, key_source, v.dtype.itemsize, value_source, key_target, value_target)
    if status:
        raise exception(status, context)
    return give_result(y, None), give_result(w, None)


def sort_bits(
    keys: Array,
    first_bit: int,
    bits: int,
    values: Optional[Array] = None,
    *,
    descending: bool = False,
    device: Optional[str] = None,
) -> Any:
    """Sorts integers by `bits` of their bits, from first_bit (the least significant) up, as a number that is signed
    when the key's sign bit is among them. With values, as for sort_pairs, it gives (keys, values).

    >>> weft.sort_bits(np.array([0x13, 0x01, 0x12], np.uint8), 4, 4)
    array([ 1, 19, 18], dtype=uint8)
    """
    if first_bit < 0 or bits < 0:
        raise ValueError(f"first_bit is {first_bit} and bits {bits}; they must not be negative")
    size, value_source, w, value_target = 0, ffi.NULL, None, ffi.NULL
    if values is None:
        k, key_source, code, on = vector_of(keys, "keys")
    else:
        k, key_source, code, v, value_source, on = _pair(keys, values)
        size = v.dtype.itemsize
        w, value_target = result_for(on, None, v.dtype, v.size)
    n = k.size
    y, key_target = result_for(on, None, k.dtype, n)
    run, context = entry(lib.weft_sort_bits, on, device)
    order = _order(descending)
    status = run(context, order, code, first_bit, bits, n, key_source, size, value_source, key_target, value_target)
    if status:
        raise exception(status, context)
    return give_result(y, None) if w is None else (give_result(y, None), give_result(w, None))


@lru_cache(maxsize=None)
def _index(dtype: Any) -> tuple[Any, int]:
    """The dtype of indices, and the weft_dtype that the library writes them in."""
    index = I64 if dtype is None else np.dtype(dtype)
    if index not in _INDICES:
        raise TypeError(f"dtype is {index}; it must be one of {', '.join(map(str, _INDICES))}")
    return index, _INDICES[index]


def _check_index(index: Any, n: int) -> None:
    if n > 1 << 31 and index == I32:
        raise ValueError(f"x has {n} elements; int32 indices allow at most 2147483648")


def argsort(
    x: Array,
    axis: Optional[int] = -1,
    *,
    descending: bool = False,
    dtype: Any = np.int64,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """Returns the index in x of each element of the sorted array. Equal elements keep their order.

    x      any number type, float16 too
    axis   the vectors along it are sorted, and indices are positions along it; None: all elements in C order
    dtype  of the indices: np.int64 or np.uint64, np.int32 (for at most 2^31 elements) or np.uint32 (2^32)

    >>> weft.argsort([3.0, -1.0, 2.0])
    array([1, 2, 0])
    """
    if _has_axes(x, axis):
        return _argsort_axis(x, axis, descending, dtype, out, device)
    a, source, code, on = input_of(x, "x", WITH_F16)
    if axis is not None and (a.ndim != 1 or axis not in ONLY_AXIS):
        return _argsort_axis(x, axis, descending, dtype, out, device)
    n = a.size
    index, index_code = _index(dtype)
    _check_index(index, n)
    y, target = result_for(on, out, index, n)
    run, context = entry(lib.weft_argsort, on, device)
    status = run(context, _order(descending), code, index_code, n, source, target)
    if status:
        raise exception(status, context)
    return y if on is None and out is None else give_result(y, out)


def _argsort_axis(
    x: Array, axis: Any, descending: bool, dtype: Any, out: Optional[Array], device: Optional[str]
) -> Any:
    a = operand(x, "x", WITH_F16, strided=True)
    along = axis_of(axis, a)
    index, index_code = _index(dtype)
    _check_index(index, a.array.shape[along])
    y = destination(a, out, index, tuple(a.array.shape), strided=True)
    call(lib.weft_argsort_axis, a, device, _order(descending), view_of(a, a.code), along, view_of(y, index_code))
    return give(y, out)
