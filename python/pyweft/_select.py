"""Selections keep some elements in their order; runs of equal ones (docs/ops/select.md, partition.md, unique.md,
run_length.md). Order of all: ORDER.md 10."""

from __future__ import annotations

from typing import Any, Optional

from pyweft._native import ffi, lib
from pyweft._arrays import FLAGS, I64, WITH_F16, Array, host_value
from pyweft._calls import entry, give_first, give_result, leading, result_for, vector_of
from pyweft._errors import exception

__all__ = ["partition", "run_length", "select", "select_indices", "unique"]

_COMPARISONS = {
    "lt": lib.WEFT_LT,
    "le": lib.WEFT_LE,
    "eq": lib.WEFT_EQ,
    "ne": lib.WEFT_NE,
    "ge": lib.WEFT_GE,
    "gt": lib.WEFT_GT,
}


def _comparison(comparisons: dict[str, Any], dtype: Any) -> tuple[int, Any]:
    """The one comparison that was asked for, as lt=5: its weft_comparison, and the value in host memory."""
    if len(comparisons) == 1:
        ((name, value),) = comparisons.items()
        if name in _COMPARISONS:
            return _COMPARISONS[name], host_value(value, dtype, name)
    given = ", ".join(comparisons) or "none"
    raise TypeError(f"exactly one of flags, {', '.join(_COMPARISONS)} is required, not {given}")


def _kept(
    by_flags: Any, by_value: Any, x: Any, flags: Any, out: Any, device: Optional[str], comparisons: dict[str, Any]
) -> tuple[Any, int]:
    """Calls weft_select or weft_partition, or its `_if`; where the elements went, and how many were kept."""
    a, source, code, on = vector_of(x, "x", WITH_F16)
    n = a.size
    count = ffi.new("uint64_t *")
    if flags is not None and not comparisons:
        f, kept, _, on_flags = vector_of(flags, "flags", FLAGS)
        if f.size != n:
            raise ValueError(f"flags has {f.size} elements and x {n}; they must have the same length")
        on = leading(on, on_flags)
        y, target = result_for(on, out, a.dtype, n)
        run, context = entry(by_flags, on, device)
        status = run(context, code, n, source, kept, target, count)
    else:
        comparison, value = _comparison(comparisons if flags is None else {"flags": flags, **comparisons}, a.dtype)
        y, target = result_for(on, out, a.dtype, n)
        run, context = entry(by_value, on, device)
        status = run(context, comparison, code, n, source, value, target, count)
    if status:
        raise exception(status, context)
    return y, count[0]


def select(
    x: Array,
    flags: Optional[Array] = None,
    *,
    out: Optional[Array] = None,
    device: Optional[str] = None,
    **compare: Any,
) -> Any:
    """The elements x[i] where flags[i] is not 0 (bool, int8, uint8), or that compare with a value: lt=, le=, eq=,
    ne=, ge=, gt=.

    x    1-D, any number type, also float16
    out  an array of x's length and dtype; out[:count] is returned

    >>> weft.select([3, -1, 4, -1], [True, False, False, True])
    array([ 3, -1])
    >>> weft.select([3, -1, 4, -1], gt=0)
    array([3, 4])
    """
    y, count = _kept(lib.weft_select, lib.weft_select_if, x, flags, out, device, compare)
    return give_first(y, out, count)


def select_indices(x: Array, *, out: Optional[Array] = None, device: Optional[str] = None, **compare: Any) -> Any:
    """The indices (int64) of the elements that compare with a value: lt=, le=, eq=, ne=, ge=, gt=; without one,
    of the flags x (bool, int8, uint8) that are not 0.

    >>> weft.select_indices([3, -1, 4, -1], gt=0)
    array([0, 2])
    >>> weft.select_indices([False, True, True])
    array([1, 2])
    """
    a, source, code, on = vector_of(x, "x", WITH_F16 if compare else FLAGS)
    n = a.size
    count = ffi.new("uint64_t *")
    y, target = result_for(on, out, I64, n)
    if compare:
        comparison, value = _comparison(compare, a.dtype)
        run, context = entry(lib.weft_select_indices_if, on, device)
        status = run(context, comparison, code, n, source, value, target, count)
    else:
        run, context = entry(lib.weft_select_indices, on, device)
        status = run(context, n, source, target, count)
    if status:
        raise exception(status, context)
    return give_first(y, out, count[0])


def partition(
    x: Array,
    flags: Optional[Array] = None,
    *,
    out: Optional[Array] = None,
    device: Optional[str] = None,
    **compare: Any,
) -> Any:
    """Returns the elements that select would keep, followed by the others, both in their order: (y, count).

    >>> weft.partition([3, -1, 4, -1], gt=0)
    (array([ 3,  4, -1, -1]), 2)
    """
    y, count = _kept(lib.weft_partition, lib.weft_partition_if, x, flags, out, device, compare)
    return give_result(y, out), count


def unique(x: Array, *, out: Optional[Array] = None, device: Optional[str] = None) -> Any:
    """The first element of each run of equal ones; of a sorted array its values, each once. 1-D.

    >>> weft.unique([1, 1, 2, 2, 1])
    array([1, 2, 1])
    """
    a, source, code, on = vector_of(x, "x")
    n = a.size
    y, target = result_for(on, out, a.dtype, n)
    count = ffi.new("uint64_t *")
    run, context = entry(lib.weft_unique, on, device)
    status = run(context, code, n, source, target, count)
    if status:
        raise exception(status, context)
    return give_first(y, out, count[0])


def run_length(x: Array, *, device: Optional[str] = None) -> Any:
    """The runs of equal elements of a 1-D array: (values, lengths), the lengths in int64.

    >>> weft.run_length([1, 1, 2, 2, 1])
    (array([1, 2, 1]), array([2, 2, 1]))
    """
    a, source, code, on = vector_of(x, "x")
    n = a.size
    values, value_target = result_for(on, None, a.dtype, n)
    lengths, length_target = result_for(on, None, I64, n)
    count = ffi.new("uint64_t *")
    run, context = entry(lib.weft_run_length, on, device)
    status = run(context, code, n, source, value_target, length_target, count)
    if status:
        raise exception(status, context)
    return give_first(values, None, count[0]), give_first(lengths, None, count[0])
