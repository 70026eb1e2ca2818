"""Counts of the elements in bins (docs/ops/histogram.md)."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from pyweft._native import lib
from pyweft._arrays import I64, Array, check_vector, host_value, of_list
from pyweft._calls import entry, give_result, input_of, leading, result_for
from pyweft._errors import exception

__all__ = ["histogram"]


def histogram(
    x: Array,
    bins: Any = 10,
    *,
    range: Optional[tuple[Any, Any]] = None,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """Returns the number of elements in each bin, in int64.

    x      any shape and number type
    bins   a number of bins of one width from range[0] to range[1], both of which must be given; or the edges, an
           ascending 1-D array of x's dtype (a list is made one)
    range  [0, 255] in 256 bins gives each uint8 a bin of its own
    A bin contains its lower edge; the last bin also contains its upper edge. Other elements and NaN are not counted.
    Order: ORDER.md 11.

    >>> weft.histogram([0.1, 0.2, 0.6, 1.0], 2, range=(0, 1))
    array([2, 2])
    >>> weft.histogram([1, 5, 7], [0, 5, 10])
    array([1, 2])
    """
    a, source, code, on = input_of(x, "x")
    if isinstance(bins, (int, np.integer)):
        if range is None:
            raise ValueError("range is required if bins is a number")
        if bins < 1:
            raise ValueError(f"bins is {bins}; it must be 1 or more")
        y, target = result_for(on, out, I64, int(bins))
        lower, upper = [host_value(limit, a.dtype, "a limit of range") for limit in range]
        run, context = entry(lib.weft_histogram_even, on, device)
        status = run(context, code, a.size, source, bins, lower, upper, target)
    else:
        edges, limits, edge_code, on_edges = input_of(of_list(bins, a.dtype, "bins"), "bins")
        if edge_code != code:
            raise TypeError(f"x has dtype {a.dtype} and bins {edges.dtype}; they must be the same")
        check_vector(edges, "bins")
        count = edges.size - 1
        if count < 1:
            raise ValueError(f"bins has {count + 1} edges; it must have at least 2")
        on = leading(on, on_edges)
        y, target = result_for(on, out, I64, count)
        run, context = entry(lib.weft_histogram, on, device)
        status = run(context, code, a.size, source, count, limits, target)
    if status:
        raise exception(status, context)
    return give_result(y, out)
