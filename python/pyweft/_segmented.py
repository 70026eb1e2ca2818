"""Reductions and scans of the segments of an array, and by key (docs/ops/segmented.md)."""

from __future__ import annotations

from typing import Any, Optional

from pyweft._native import ffi, lib
from pyweft._arrays import FLAGS, OFFSETS, WITH_F16, Array, Operand, check_vector
from pyweft._calls import (
    Input,
    copy_out,
    entry,
    give_first,
    give_result,
    input_of,
    integers_of,
    leading,
    result_for,
    vector_of,
)
from pyweft._errors import exception
from pyweft._reduction import reduction
from pyweft._scan import has_identity, limit_flags, op_code, scan_types

__all__ = ["reduce_by_key", "segmented_reduce", "segmented_scan"]


def _segments(a: Any, offsets: Any, heads: Any) -> Input:
    """The offsets or the heads of the segments of an array, of which one is given."""
    if a.ndim != 1:
        check_vector(a, "x")
    if (offsets is None) == (heads is None):
        raise TypeError("exactly one of offsets and heads is required")
    if heads is None:
        given = integers_of(offsets, "offsets", OFFSETS, "be int64 or uint64")
        if given[0].size == 0:
            raise ValueError("offsets is empty; it must have one element more than the number of segments")
        return given
    given = vector_of(heads, "heads", FLAGS)
    if given[0].size != a.size:
        raise ValueError(f"heads has {given[0].size} elements and x {a.size}; they must have the same length")
    return given


def _check_signs(offsets: Any, on: Optional[Operand]) -> None:
    """Raises ValueError for a negative offset, which the library takes as one of 2^63 or more."""
    if (on is None or on.device is None) and offsets.min() < 0:
        first = int((offsets < 0).argmax())
        raise ValueError(f"offsets[{first}] is {offsets[first]}; it must not be negative") from None


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

    x        any number type, float16 too
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
    a, source, code, on = input_of(x, "x", WITH_F16)
    parts, limits, _, on_parts = _segments(a, offsets, heads)
    which = op_code(op)
    on = leading(on, on_parts)
    _, result, sums = reduction(which, code, dtype, accumulate)
    n = a.size
    if heads is not None:
        y, target = result_for(on, out, result, n)
        count = ffi.new("uint64_t *")
        run, context = entry(lib.weft_segmented_reduce_heads, on, device)
        status = run(context, which, code, sums, n, source, limits, target, count)
        if status:
            raise exception(status, context)
        return give_first(y, out, count[0])
    segments = parts.size - 1
    y, target = result_for(on, out, result, segments)
    limited = has_identity(which, code, on)
    run, context = entry(lib.weft_segmented_reduce, on, device)
    try:
        status = run(context, which, code, sums, n, source, segments, limits, target)
        if status:
            raise exception(status, context)
    except ValueError:
        _check_signs(parts, on_parts)
        raise
    if limited:
        limit_flags(y)
    return give_result(y, out)


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
    """Scans each segment of a 1-D array, float16 too, for itself. Segments as for segmented_reduce, the rest as for scan.

    Elements in no segment keep what is in out; without out they are unspecified. Order: ORDER.md 8.

    >>> weft.segmented_scan([1, 2, 3, 4], offsets=[0, 2, 4])
    array([1, 3, 3, 7])
    """
    a, source, code, on = input_of(x, "x", WITH_F16)
    parts, limits, _, on_parts = _segments(a, offsets, heads)
    on = leading(on, on_parts)
    which = op_code(op)
    result, accumulate = scan_types(which, code, dtype)
    n = a.size
    y, target = result_for(on, out, result, n)
    if out is not None:
        copy_out(y, out)
    limited = exclusive and has_identity(which, code, on)
    kind = lib.WEFT_EXCLUSIVE if exclusive else lib.WEFT_INCLUSIVE
    run, context = entry(lib.weft_segmented_scan if heads is None else lib.weft_segmented_scan_heads, on, device)
    try:
        if heads is None:
            status = run(context, which, kind, code, accumulate, n, source, parts.size - 1, limits, target)
        else:
            status = run(context, which, kind, code, accumulate, n, source, limits, target)
        if status:
            raise exception(status, context)
    except ValueError:
        if heads is None:
            _check_signs(parts, on_parts)
        raise
    if limited:
        limit_flags(y)
    return give_result(y, out)


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
    k, key_source, key_code, on_keys = input_of(keys, "keys")
    a, source, code, on = vector_of(x, "x", WITH_F16)
    n = a.size
    if k.ndim != 1:
        check_vector(k, "keys")
    if k.size != n:
        raise ValueError(f"keys has {k.size} elements and x {n}; they must have the same length")
    on = leading(on_keys, on)
    which = op_code(op)
    _, result, sums = reduction(which, code, dtype, accumulate)
    firsts, first_target = result_for(on, None, k.dtype, n)
    y, target = result_for(on, None, result, n)
    count = ffi.new("uint64_t *")
    run, context = entry(lib.weft_reduce_by_key, on, device)
    status = run(context, which, key_code, code, sums, n, key_source, source, first_target, target, count)
    if status:
        raise exception(status, context)
    return give_first(firsts, None, count[0]), give_first(y, None, count[0])
