"""The largest elements, merges of sorted arrays and searches in them (docs/ops/top_k.md, merge.md, search_sorted.md).
Order of all: ORDER.md 12."""

from __future__ import annotations

from typing import Any, Optional

from pyweft._native import lib
from pyweft._arrays import I64, WITH_F16, Array, call, check_vector, destination, give, operand
from pyweft._calls import entry, give_result, input_of, inputs_of, result_for
from pyweft._errors import exception
from pyweft._views import ONLY_AXIS, axis_of, view_of

__all__ = ["merge", "search_sorted", "top_k"]

_SIDES = {"left": lib.WEFT_LEFT, "right": lib.WEFT_RIGHT}


def top_k(
    x: Array, k: int, axis: Optional[int] = -1, *, largest: bool = True, device: Optional[str] = None
) -> Any:
    """The k largest elements from the largest down, or the k smallest from the smallest up: (values, indices).

    x     any number type, float16 too; of equal elements the first comes first, NaN comes last
    k     0 to the number of elements
    axis  k elements of each vector along it, and their positions in it; None: of all elements in C order
    The indices are int64.

    >>> weft.top_k([3.0, 9.0, 7.0, 9.0], 3)
    (array([9., 9., 7.]), array([1, 3, 2]))
    >>> weft.top_k(np.array([[3, 1, 4], [1, 5, 9]]), 2)
    (array([[4, 3],
           [9, 5]]), array([[2, 0],
           [2, 1]]))
    """
    if axis is not None and getattr(x, "ndim", 1) > 1:
        return _top_k_axis(x, k, axis, largest, device)
    a, source, code, on = input_of(x, "x", WITH_F16)
    if axis is not None and (a.ndim != 1 or axis not in ONLY_AXIS):
        return _top_k_axis(x, k, axis, largest, device)
    n = a.size
    _check_k(k, n)
    values, value_target = result_for(on, None, a.dtype, k)
    indices, index_target = result_for(on, None, I64, k)
    run, context = entry(lib.weft_top_k, on, device)
    status = run(context, _extreme(largest), code, n, source, k, value_target, index_target)
    if status:
        raise exception(status, context)
    return give_result(values, None), give_result(indices, None)


def _top_k_axis(x: Array, k: int, axis: Any, largest: bool, device: Optional[str]) -> Any:
    a = operand(x, "x", WITH_F16, strided=True)
    along = axis_of(axis, a)
    shape = list(a.array.shape)
    _check_k(k, shape[along])
    shape[along] = k
    values = destination(a, None, a.array.dtype, tuple(shape))
    indices = destination(a, None, I64, tuple(shape))
    to, at = view_of(values, a.code), view_of(indices, lib.WEFT_U64)
    call(lib.weft_top_k_axis, a, device, _extreme(largest), view_of(a, a.code), along, k, to, at)
    return give(values, None), give(indices, None)


def _extreme(largest: bool) -> int:
    extreme: int = lib.WEFT_LARGEST if largest else lib.WEFT_SMALLEST
    return extreme


def _check_k(k: int, n: int) -> None:
    if not 0 <= k <= n:
        raise ValueError(f"k is {k}; it must be 0 to {n}, the number of elements")


def merge(a: Array, b: Array, *, out: Optional[Array] = None, device: Optional[str] = None) -> Any:
    """Merges two ascending arrays (NaN last); of equal elements those of a come first.

    a, b  1-D, of one dtype, float16 too. Where they are not in order the result is unspecified.

    >>> weft.merge([1, 3, 5], [2, 3])
    array([1, 2, 3, 3, 5])
    """
    x, left, y, right, code, on = inputs_of(a, b, "a", "b", WITH_F16)
    if x.ndim != 1 or y.ndim != 1:
        check_vector(x, "a")
        check_vector(y, "b")
    na, nb = x.size, y.size
    z, target = result_for(on, out, x.dtype, na + nb)
    run, context = entry(lib.weft_merge, on, device)
    status = run(context, code, na, left, nb, right, target)
    if status:
        raise exception(status, context)
    return z if on is None and out is None else give_result(z, out)


def search_sorted(
    x: Array, queries: Array, *, side: str = "left", out: Optional[Array] = None, device: Optional[str] = None
) -> Any:
    """Returns for each query the number (int64) of elements of an ascending x that are less ("left") or not greater
    ("right") than the query: its insertion position.

    x        1-D, ascending, NaN last, float16 too; where it is not in order the result is unspecified
    queries  any shape, of x's dtype

    >>> weft.search_sorted([1.0, 2.0, 2.0, 4.0], [2.0, 3.0], side="right")
    array([3, 3])
    """
    a, sorted_source, q, query_source, code, on = inputs_of(x, queries, "x", "queries", WITH_F16)
    if side not in _SIDES:
        raise ValueError(f"side is {side!r}; it must be 'left' or 'right'")
    if a.ndim != 1:
        check_vector(a, "x")
    y, target = result_for(on, out, I64, q.shape)
    run, context = entry(lib.weft_search_sorted, on, device)
    status = run(context, _SIDES[side], code, a.size, sorted_source, q.size, query_source, target)
    if status:
        raise exception(status, context)
    return give_result(y, out)
