"""The largest elements, merges of sorted arrays and searches in them (docs/ops/top_k.md, merge.md, search_sorted.md).
Order of all: ORDER.md 12."""

from __future__ import annotations

from typing import Any, Optional

from pyweft._native import lib
from pyweft._arrays import I64, Array, call, destination, give, leader, length, operand, pair

__all__ = ["merge", "search_sorted", "top_k"]

_SIDES = {"left": lib.WEFT_LEFT, "right": lib.WEFT_RIGHT}


def top_k(x: Array, k: int, *, largest: bool = True, device: Optional[str] = None) -> Any:
    """The k largest elements from the largest down, or the k smallest from the smallest up: (values, indices).

    x  1-D, any number type; of equal elements the first comes first, NaN comes last
    k  0 to the number of elements
    The indices are int64.

    >>> weft.top_k([3.0, 9.0, 7.0, 9.0], 3)
    (array([9., 9., 7.]), array([1, 3, 2]))
    """
    a = operand(x, "x")
    n = length(a, "x")
    if not 0 <= k <= n:
        raise ValueError(f"k is {k}; it must be 0 to {n}, the number of elements")
    values, indices = destination(a, None, a.array.dtype, k), destination(a, None, I64, k)
    extreme = lib.WEFT_LARGEST if largest else lib.WEFT_SMALLEST
    call(lib.weft_top_k, a, device, extreme, a.code, n, a.pointer, k, values.pointer, indices.pointer)
    return give(values), give(indices)


def merge(a: Array, b: Array, *, out: Optional[Array] = None, device: Optional[str] = None) -> Any:
    """Merges two ascending arrays (NaN last); of equal elements those of a come first.

    a, b  1-D, of one dtype. Where they are not in order the result is unspecified.

    >>> weft.merge([1, 3, 5], [2, 3])
    array([1, 2, 3, 3, 5])
    """
    x, y, on = pair(a, b, "a", "b")
    na, nb = length(x, "a"), length(y, "b")
    z = destination(on, out, x.array.dtype, na + nb)
    call(lib.weft_merge, on, device, x.code, na, x.pointer, nb, y.pointer, z.pointer)
    return give(z, out)


def search_sorted(
    x: Array, queries: Array, *, side: str = "left", out: Optional[Array] = None, device: Optional[str] = None
) -> Any:
    """Returns for each query the number (int64) of elements of an ascending x that are less ("left") or not greater
    ("right") than the query: its insertion position.

    x        1-D, ascending, NaN last; where it is not in order the result is unspecified
    queries  any shape, of x's dtype

    >>> weft.search_sorted([1.0, 2.0, 2.0, 4.0], [2.0, 3.0], side="right")
    array([3, 3])
    """
    a, q, on = pair(x, queries, "x", "queries")
    if side not in _SIDES:
        raise ValueError(f"side is {side!r}; it must be 'left' or 'right'")
    n = length(a, "x")
    y = destination(on, out, I64, q.array.shape)
    call(lib.weft_search_sorted, on, device, _SIDES[side], a.code, n, a.pointer, q.array.size, q.pointer, y.pointer)
    return give(y, out)
