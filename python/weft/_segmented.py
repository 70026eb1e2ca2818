"""Reductions and scans of the segments of an array, and by key (docs/segmented.md)."""

from __future__ import annotations

from typing import Any, Optional

from weft._native import ffi, lib
from weft._arrays import (
    DTYPES,
    FLAGS,
    NUMBERS,
    OFFSETS,
    Array,
    Operand,
    accumulator,
    call,
    destination,
    give,
    leader,
    length,
    operand,
)
from weft._reduce import result_dtype
from weft._scan import op_code


def _segments(x: Operand, offsets: Any, heads: Any) -> Operand:
    """The operand of the offsets or of the heads, of which one is given."""
    n = length(x, "x")
    if (offsets is None) == (heads is None):
        raise TypeError("either offsets or heads must be given")
    if heads is None:
        given = operand(offsets, "offsets", OFFSETS)
        if length(given, "offsets") == 0:
            raise ValueError("offsets is empty; it must have one element more than there are segments")
        return given
    given = operand(heads, "heads", FLAGS)
    if length(given, "heads") != n:
        raise ValueError(f"heads has {given.array.size} elements and x {n}; they must have as many")
    return given


def segmented_reduce(
    x: Array,
    op: str = "sum",
    *,
    offsets: Optional[Array] = None,
    heads: Optional[Array] = None,
    dtype: Any = None,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """Reduces each segment of a 1-D array to one value, with the bits that it would have alone.

    op       "sum", "prod", "min", "max", and for integers "and", "or", "xor"; dtype as for sum and prod
    offsets  segments + 1 ascending int64 or uint64: segment s is x[offsets[s]:offsets[s + 1]]
    heads    or: a flag an element (bool, int8, uint8) that is not zero where a segment begins
    out      an array for the values, one a segment; with heads one an element, of which the first are written
    Order: ORDER.md 8.

    >>> weft.segmented_reduce([1, 2, 3, 4], offsets=[0, 1, 4])
    array([1, 9])
    >>> weft.segmented_reduce([1, 2, 3, 4], "max", heads=[True, False, True, False])
    array([2, 4])
    """
    a = operand(x, "x")
    parts = _segments(a, offsets, heads)
    code = op_code(op)
    on = leader(a, parts)
    result, accumulate = result_dtype(code, a.code, dtype)
    n = a.array.size
    if heads is None:
        segments = parts.array.size - 1
        y = destination(on, out, result, segments)
        call(
            lib.weft_segmented_reduce,
            on,
            device,
            code,
            a.code,
            accumulate,
            n,
            a.pointer,
            segments,
            parts.pointer,
            y.pointer,
        )
        return give(y, out)
    y = destination(on, out, result, n)
    count = ffi.new("uint64_t *")
    call(
        lib.weft_segmented_reduce_heads,
        on,
        device,
        code,
        a.code,
        accumulate,
        n,
        a.pointer,
        parts.pointer,
        y.pointer,
        count,
    )
    return give(y, out, count[0])


def segmented_scan(
    x: Array,
    op: str = "sum",
    *,
    offsets: Optional[Array] = None,
    heads: Optional[Array] = None,
    exclusive: bool = False,
    dtype: Any = None,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """Scans each segment of a 1-D array for itself. Segments as for segmented_reduce, the rest as for scan.

    Elements in no segment keep what is in out; without out they are unspecified. Order: ORDER.md 8.

    >>> weft.segmented_scan([1, 2, 3, 4], offsets=[0, 2, 4])
    array([1, 3, 3, 7])
    """
    a = operand(x, "x")
    parts = _segments(a, offsets, heads)
    on = leader(a, parts)
    accumulate = accumulator(dtype)
    y = destination(on, out, DTYPES[accumulate or a.code], a.array.size)
    kind = lib.WEFT_EXCLUSIVE if exclusive else lib.WEFT_INCLUSIVE
    first = (op_code(op), kind, a.code, accumulate, a.array.size, a.pointer)
    if heads is None:
        call(lib.weft_segmented_scan, on, device, *first, parts.array.size - 1, parts.pointer, y.pointer)
    else:
        call(lib.weft_segmented_scan_heads, on, device, *first, parts.pointer, y.pointer)
    return give(y, out)


def reduce_by_key(keys: Array, x: Array, op: str = "sum", *, dtype: Any = None, device: Optional[str] = None) -> Any:
    """Reduces each run of equal adjacent keys to one value: (unique_keys, values).

    keys, x    as many elements of any number types; 1-D
    op, dtype  as for segmented_reduce
    Order: ORDER.md 8.

    >>> weft.reduce_by_key([7, 7, 3, 7], [1.0, 2.0, 4.0, 8.0])
    (array([7, 3, 7]), array([3., 4., 8.]))
    """
    k, a = operand(keys, "keys", NUMBERS), operand(x, "x")
    n = length(a, "x")
    if length(k, "keys") != n:
        raise ValueError(f"keys has {k.array.size} elements and x {n}; they must have as many")
    on = leader(k, a)
    code = op_code(op)
    result, accumulate = result_dtype(code, a.code, dtype)
    firsts, y = destination(on, None, k.array.dtype, n), destination(on, None, result, n)
    count = ffi.new("uint64_t *")
    call(
        lib.weft_reduce_by_key,
        on,
        device,
        code,
        k.code,
        a.code,
        accumulate,
        n,
        k.pointer,
        a.pointer,
        firsts.pointer,
        y.pointer,
        count,
    )
    return give(firsts, None, count[0]), give(y, None, count[0])
