"""Reductions and scans of the segments of an array, and by key (docs/ops/segmented.md)."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from pyweft._native import ffi, lib
from pyweft._arrays import (
    FLAG,
    FLAGS,
    I64,
    NUMBERS,
    OFFSETS,
    Array,
    Operand,
    call,
    destination,
    give,
    host_view,
    leader,
    length,
    operand,
)
from pyweft._reduce import reduction
from pyweft._scan import op_code, scan_types

__all__ = ["reduce_by_key", "segmented_reduce", "segmented_scan"]

_OFFSETS = {dtype: code for dtype, code in NUMBERS.items() if dtype.kind in "iu"}


def _offsets(offsets: Any) -> Operand:
    """Host offsets of other integer types, as SciPy's sparse matrices have, are converted to int64."""
    given = operand(offsets, "offsets", _OFFSETS)
    if length(given, "offsets") == 0:
        raise ValueError("offsets is empty; it must have one element more than the number of segments")
    if given.array.dtype in OFFSETS:
        return given
    if given.device:
        raise TypeError(f"offsets has dtype {given.array.dtype} on {given.device}; it must be int64 or uint64 there")
    return operand(given.array.astype(I64), "offsets", OFFSETS)


def _call(function: Any, on: Operand, device: Optional[str], *arguments: Any, offsets: Operand) -> None:
    """call(), whose sentence on a negative offset has it as it was given."""
    try:
        call(function, on, device, *arguments)
    except ValueError:
        if not offsets.device and offsets.array.min() < 0:
            first = int((offsets.array < 0).argmax())
            raise ValueError(f"offsets[{first}] is {offsets.array[first]}; it must not be negative") from None
        raise


def _check_bools(x: Operand, op: int, on: Operand) -> bool:
    """True when what has no elements is to become True after the call; the identities of a u8 are no bools."""
    if x.code is not FLAG or op not in (lib.WEFT_MIN, lib.WEFT_AND):
        return False
    if on.device:
        raise TypeError("x has dtype bool on a GPU; pass its uint8 view for the operators min and and")
    return True


def _make_bools(y: Operand) -> None:
    bits = y.array.view(np.uint8)
    np.minimum(bits, 1, out=bits)


def _segments(x: Operand, offsets: Any, heads: Any) -> Operand:
    """The operand of the offsets or of the heads, of which one is given."""
    n = length(x, "x")
    if (offsets is None) == (heads is None):
        raise TypeError("exactly one of offsets and heads is required")
    if heads is None:
        return _offsets(offsets)
    given = operand(heads, "heads", FLAGS)
    if length(given, "heads") != n:
        raise ValueError(f"heads has {given.array.size} elements and x {n}; they must have the same length")
    return given


def segmented_reduce(
    x: Array,
    op: str = "sum",
    *,
    offsets: Optional[Array] = None,
    heads: Optional[Array] = None,
    dtype: Any = None,
    accumulate: Optional[str] = None,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """Reduces each segment of a 1-D array to one value, with the bits that it would have alone.

    op       "sum", "prod", "min", "max", and for integers and bool "and", "or", "xor"; dtype as for sum and prod
    accumulate  "exact", only with "sum": the exact sum of floats, rounded once (ORDER.md 30)
    offsets  segments + 1 ascending integers: segment s is x[offsets[s]:offsets[s + 1]]. In GPU memory int64 or uint64
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
    _, result, sums = reduction(code, a.code, dtype, accumulate)
    n = a.array.size
    if heads is None:
        segments = parts.array.size - 1
        y = destination(on, out, result, segments)
        empty_is_true = _check_bools(a, code, on)
        _call(
            lib.weft_segmented_reduce,
            on,
            device,
            code,
            a.code,
            sums,
            n,
            a.pointer,
            segments,
            parts.pointer,
            y.pointer,
            offsets=parts,
        )
        if empty_is_true:
            _make_bools(y)
        return give(y, out)
    y = destination(on, out, result, n)
    count = ffi.new("uint64_t *")
    call(
        lib.weft_segmented_reduce_heads,
        on,
        device,
        code,
        a.code,
        sums,
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
    code = op_code(op)
    result, accumulate = scan_types(code, a.code, dtype)
    y = destination(on, out, result, a.array.size)
    if out is not None and y.device is None and y.array is not out:
        y.array[...] = host_view(out, "out")
    empty_is_true = exclusive and _check_bools(a, code, on)
    kind = lib.WEFT_EXCLUSIVE if exclusive else lib.WEFT_INCLUSIVE
    first = (code, kind, a.code, accumulate, a.array.size, a.pointer)
    if heads is None:
        segments = parts.array.size - 1
        _call(lib.weft_segmented_scan, on, device, *first, segments, parts.pointer, y.pointer, offsets=parts)
    else:
        call(lib.weft_segmented_scan_heads, on, device, *first, parts.pointer, y.pointer)
    if empty_is_true:
        _make_bools(y)
    return give(y, out)


def reduce_by_key(
    keys: Array,
    x: Array,
    op: str = "sum",
    *,
    dtype: Any = None,
    accumulate: Optional[str] = None,
    device: Optional[str] = None,
) -> Any:
    """Reduces each run of equal adjacent keys to one value: (unique_keys, values).

    keys, x    as many elements of any number types; 1-D
    op, dtype, accumulate  as for segmented_reduce
    Order: ORDER.md 8.

    >>> weft.reduce_by_key([7, 7, 3, 7], [1.0, 2.0, 4.0, 8.0])
    (array([7, 3, 7]), array([3., 4., 8.]))
    """
    k, a = operand(keys, "keys", NUMBERS), operand(x, "x")
    n = length(a, "x")
    if length(k, "keys") != n:
        raise ValueError(f"keys has {k.array.size} elements and x {n}; they must have the same length")
    on = leader(k, a)
    code = op_code(op)
    _, result, sums = reduction(code, a.code, dtype, accumulate)
    firsts, y = destination(on, None, k.array.dtype, n), destination(on, None, result, n)
    count = ffi.new("uint64_t *")
    call(
        lib.weft_reduce_by_key,
        on,
        device,
        code,
        k.code,
        a.code,
        sums,
        n,
        k.pointer,
        a.pointer,
        firsts.pointer,
        y.pointer,
        count,
    )
    return give(firsts, None, count[0]), give(y, None, count[0])
