"""Counts of the elements in bins (docs/ops/histogram.md)."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from pyweft._native import lib
from pyweft._arrays import (
    F16,
    I64,
    WITH_F16,
    Array,
    Operand,
    call,
    check_vector,
    destination,
    give,
    host_value,
    leader,
    of_list,
    operand,
)
from pyweft._calls import entry, give_result, input_of, leading, result_for
from pyweft._errors import exception
from pyweft._views import axis_of, view_of

__all__ = ["histogram"]


def histogram(
    x: Array,
    bins: Any = 10,
    *,
    range: Optional[tuple[Any, Any]] = None,
    axis: Optional[int] = None,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """Returns the number of elements in each bin, in int64.

    x      any shape and number type
    bins   a number of bins of one width from range[0] to range[1], both of which must be given; or the edges, an
           ascending 1-D array of x's dtype (a list is made one), or of float32 if that is float16
    range  [0, 255] in 256 bins gives each uint8 a bin of its own
    axis   count each vector along it, of any strides: the bins are along this axis of the result. None: all elements
    A bin contains its lower edge; the last bin also contains its upper edge. Other elements and NaN are not counted.
    Order: ORDER.md 11, 32.

    >>> weft.histogram([0.1, 0.2, 0.6, 1.0], 2, range=(0, 1))
    array([2, 2])
    >>> weft.histogram([1, 5, 7], [0, 5, 10])
    array([1, 2])
    >>> weft.histogram([[1, 5, 7], [2, 3, 11]], [0, 5, 10], axis=1)
    array([[1, 2],
           [2, 0]])
    """
    if axis is not None:
        return _histogram_along(x, bins, range, axis, out, device)
    a, source, code, on = input_of(x, "x", WITH_F16)
    if isinstance(bins, (int, np.integer)):
        _check_even(bins, range)
        y, target = result_for(on, out, I64, int(bins))
        lower, upper = _bounds(range, edge_dtype(a.dtype))
        run, context = entry(lib.weft_histogram_even, on, device)
        status = run(context, code, a.size, source, bins, lower, upper, target)
    else:
        edges, limits, _, on_edges = input_of(of_list(bins, edge_dtype(a.dtype), "bins"), "bins", WITH_F16)
        _check_edge_dtype(a.dtype, edges.dtype)
        count = _bins_between(edges)
        on = leading(on, on_edges)
        y, target = result_for(on, out, I64, count)
        run, context = entry(lib.weft_histogram, on, device)
        status = run(context, code, a.size, source, count, limits, target)
    if status:
        raise exception(status, context)
    return give_result(y, out)


def _histogram_along(x: Any, bins: Any, limits: Any, axis: int, out: Any, device: Optional[str]) -> Any:
    a = operand(x, "x", WITH_F16, strided=True)
    along = axis_of(axis, a)
    if isinstance(bins, (int, np.integer)):
        _check_even(bins, limits)
        y = _counts(a, a, along, int(bins), out)
        lower, upper = _bounds(limits, edge_dtype(a.array.dtype))
        call(lib.weft_histogram_even_axis, a, device, view_of(a, a.code), along, bins, lower, upper, view_of(y, y.code))
        return give(y, out)
    edges = operand(of_list(bins, edge_dtype(a.array.dtype), "bins"), "bins", WITH_F16)
    _check_edge_dtype(a.array.dtype, edges.array.dtype)
    count = _bins_between(edges.array)
    on = leader(a, edges)
    y = _counts(on, a, along, count, out)
    call(lib.weft_histogram_axis, on, device, view_of(a, a.code), along, count, edges.pointer, view_of(y, y.code))
    return give(y, out)


def _counts(on: Operand, a: Operand, along: int, bins: int, out: Any) -> Operand:
    """Where the counts of the vectors of `a` along an axis go."""
    shape = tuple([bins if k == along else n for k, n in enumerate(a.array.shape)])
    y = destination(on, out, I64, shape, strided=True, inputs=[a.array])
    y.code = lib.WEFT_U64
    return y


def _check_even(bins: Any, limits: Any) -> None:
    if limits is None:
        raise ValueError("range is required if bins is a number")
    if bins < 1:
        raise ValueError(f"bins is {bins}; it must be 1 or more")


def edge_dtype(dtype: Any) -> Any:
    """The dtype of the edges and limits for elements of a dtype."""
    return np.dtype(np.float32) if dtype == F16 else dtype


def _check_edge_dtype(dtype: Any, edges: Any) -> None:
    if edges != edge_dtype(dtype):
        relation = "float32" if dtype == F16 else "the same"
        raise TypeError(f"x has dtype {dtype} and bins {edges}; they must be {relation}")


def _bounds(limits: Any, dtype: Any) -> list[Any]:
    return [host_value(limit, dtype, "a limit of range") for limit in limits]


def _bins_between(edges: Any) -> int:
    """The number of bins between edges."""
    check_vector(edges, "bins")
    count: int = edges.size - 1
    if count < 1:
        raise ValueError(f"bins has {count + 1} edges; it must have at least 2")
    return count
