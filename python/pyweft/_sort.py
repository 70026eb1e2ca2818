"""Stable sorts (docs/ops/sort.md, argsort.md). Order of all: ORDER.md 17."""

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
    Array,
    Operand,
    call,
    check_vector,
    destination,
    give,
    leader,
    length,
    operand,
)
from pyweft._calls import entry, give_result, input_of, result_for
from pyweft._errors import exception

__all__ = ["argsort", "sort", "sort_bits", "sort_pairs"]

_INDICES = {I64: lib.WEFT_U64, U64: lib.WEFT_U64, I32: lib.WEFT_U32, np.dtype(np.uint32): lib.WEFT_U32}
_VALUES = {**NUMBERS, **COMPLEX}


def _order(descending: bool) -> int:
    order: int = lib.WEFT_DESCENDING if descending else lib.WEFT_ASCENDING
    return order


def sort(x: Array, *, descending: bool = False, out: Optional[Array] = None, device: Optional[str] = None) -> Any:
    """The elements in ascending or descending order; stable, -0 < +0, NaN last in either order.

    x    1-D, any number type
    out  may be x itself

    >>> weft.sort([3.0, -1.0, 2.0])
    array([-1.,  2.,  3.])
    """
    a, source, code, on = input_of(x, "x")
    if a.ndim != 1:
        check_vector(a, "x")
    n = a.size
    y, target = result_for(on, out, a.dtype, n)
    run, context = entry(lib.weft_sort, on, device)
    order = lib.WEFT_DESCENDING if descending else lib.WEFT_ASCENDING
    status = run(context, order, code, n, source, target)
    if status:
        raise exception(status, context)
    return y if on is None and out is None else give_result(y, out)


def _pair(keys: Any, values: Any) -> tuple[Operand, Operand]:
    k, v = operand(keys, "keys"), operand(values, "values", _VALUES)
    if length(k, "keys") != length(v, "values"):
        raise ValueError(f"keys has {k.array.size} elements and values {v.array.size}; they must have the same length")
    return k, v


def sort_pairs(keys: Array, values: Array, *, descending: bool = False, device: Optional[str] = None) -> Any:
    """Sorts keys, and puts values[i] where keys[i] goes: (keys, values).

    keys    1-D, any number type
    values  as many, of any number type or complex

    >>> weft.sort_pairs([3, 1, 2], [0.3, 0.1, 0.2])
    (array([1, 2, 3]), array([0.1, 0.2, 0.3]))
    """
    k, v = _pair(keys, values)
    on = leader(k, v)
    n, size = k.array.size, v.array.dtype.itemsize
    y, w = destination(on, None, k.array.dtype, n), destination(on, None, v.array.dtype, n)
    call(
        lib.weft_sort_pairs, on, device, _order(descending), k.code, n, k.pointer, size, v.pointer, y.pointer, w.pointer
    )
    return give(y), give(w)


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
    if values is None:
        k, v = operand(keys, "keys"), None
    else:
        k, v = _pair(keys, values)
    n = length(k, "keys")
    on = leader(k, v)
    y = destination(on, None, k.array.dtype, n)
    w = destination(on, None, v.array.dtype, n) if v else None
    call(
        lib.weft_sort_bits,
        on,
        device,
        _order(descending),
        k.code,
        first_bit,
        bits,
        n,
        k.pointer,
        v.array.dtype.itemsize if v else 0,
        v.pointer if v else ffi.NULL,
        y.pointer,
        w.pointer if w else ffi.NULL,
    )
    return (give(y), give(w)) if w else give(y)


@lru_cache(maxsize=None)
def _index(dtype: Any) -> tuple[Any, int]:
    """The dtype of indices, and the weft_dtype that the library writes them in."""
    index = I64 if dtype is None else np.dtype(dtype)
    if index not in _INDICES:
        raise TypeError(f"dtype is {index}; it must be one of {', '.join(map(str, _INDICES))}")
    return index, _INDICES[index]


def argsort(
    x: Array,
    *,
    descending: bool = False,
    dtype: Any = np.int64,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """Returns the index in x of each element of the sorted array. Equal elements keep their order.

    x      1-D, any number type
    dtype  of the indices: np.int64 or np.uint64, np.int32 (for at most 2^31 elements) or np.uint32 (2^32)

    >>> weft.argsort([3.0, -1.0, 2.0])
    array([1, 2, 0])
    """
    a, source, code, on = input_of(x, "x")
    if a.ndim != 1:
        check_vector(a, "x")
    n = a.size
    index, index_code = _index(dtype)
    if n > 1 << 31 and index == I32:
        raise ValueError(f"x has {n} elements; int32 indices allow at most 2147483648")
    y, target = result_for(on, out, index, n)
    run, context = entry(lib.weft_argsort, on, device)
    order = lib.WEFT_DESCENDING if descending else lib.WEFT_ASCENDING
    status = run(context, order, code, index_code, n, source, target)
    if status:
        raise exception(status, context)
    return y if on is None and out is None else give_result(y, out)
