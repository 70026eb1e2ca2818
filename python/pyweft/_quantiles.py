"""Quantiles and medians, of all elements or along an axis (docs/ops/quantile_axis.md). Order: ORDER.md 32.4."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from pyweft._native import ffi, lib
from pyweft._arrays import F16, WITH_F16, Array, Operand, call, code_of, destination, elements, give, operand
from pyweft._views import axis_of, view_of

__all__ = ["median", "quantile"]

_METHODS = {
    "linear": lib.WEFT_LINEAR,
    "lower": lib.WEFT_LOWER,
    "higher": lib.WEFT_HIGHER,
    "nearest": lib.WEFT_NEAREST,
    "midpoint": lib.WEFT_MIDPOINT,
}
_MEANS = {"linear", "midpoint"}
_F64 = np.dtype(np.float64)
_FLOATS = {F16, np.dtype(np.float32), _F64}


def quantile(
    x: Array,
    q: Any,
    axis: Optional[int] = None,
    *,
    method: str = "linear",
    keepdims: bool = False,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """Quantiles of all elements, or of each vector along an axis: 0 is the minimum, 0.5 the median, 1 the maximum.

    x         any number type, float16 too; if a vector contains a NaN, its quantiles are NaN
    q         a number from 0 to 1, or an array of them, whose axes are the first ones of the result
    axis      None: all elements are one vector
    method    between two elements: "linear" and "midpoint" compute a mean, in float64 for integers;
              "lower", "higher" and "nearest" take one of them
    keepdims  keeps the axis in the result, with length 1
    out       an array of the shape and dtype of the result

    >>> weft.quantile([4.0, 1.0, 3.0, 2.0], 0.25)
    np.float64(1.75)
    >>> weft.quantile(np.array([[3, 1, 4], [1, 5, 9]]), [0.5, 1], axis=1, method="lower")
    array([[3, 5],
           [4, 9]])
    """
    way = code_of(_METHODS, method, "method")
    numbers = np.ascontiguousarray(q, _F64).ravel()
    first = np.shape(q)
    a = operand(x, "x", WITH_F16, strided=axis is not None)
    dtype = a.array.dtype if method not in _MEANS or a.array.dtype in _FLOATS else _F64
    given = tuple(a.array.shape)
    along = None if axis is None else axis_of(axis, a)
    kept = tuple([1 if along in (None, k) else n for k, n in enumerate(given)])
    shape = kept if keepdims else tuple([n for k, n in enumerate(given) if along not in (None, k)])
    y = destination(a, out, dtype, first + shape)
    views = _views(a, y, along, numbers.size, kept)
    pointer = ffi.from_buffer("double[]", numbers)
    call(lib.weft_quantile_axis, a, device, way, views[0], along or 0, numbers.size, pointer, views[1])
    return give(y, out)


def _views(a: Operand, y: Operand, along: Optional[int], count: int, kept: tuple[int, ...]) -> tuple[Any, Any]:
    """Returns the views of x and of the result, whose quantiles are farthest apart. Without an axis, x has one."""
    code = lib.WEFT_F64 if y.array.dtype == _F64 else int(a.code)
    size, _, dimensions, shape, strides, pointer = view_of(a, a.code)[0]
    item = y.array.dtype.itemsize
    if along is None:
        x = [(size, a.code, 1, (elements(shape),), (a.array.dtype.itemsize,), pointer)]
        return x, [(size, code, 1, (count,), (item,), y.pointer)]
    to_shape, to_strides, stride = list(kept), [0] * dimensions, item
    for k in reversed(range(dimensions)):
        to_strides[k] = stride
        stride *= kept[k]
    to_shape[along], to_strides[along] = count, stride
    x = [(size, a.code, dimensions, shape, strides, pointer)]
    return x, [(size, code, dimensions, tuple(to_shape), tuple(to_strides), y.pointer)]


def median(
    x: Array,
    axis: Optional[int] = None,
    *,
    keepdims: bool = False,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """The median of all elements, or of each vector along an axis: quantile(x, 0.5), with its arguments.

    >>> weft.median([4, 1, 3, 2])
    np.float64(2.5)
    >>> weft.median(np.array([[3, 1, 4], [1, 5, 9]]), axis=1)
    array([3., 5.])
    """
    return quantile(x, 0.5, axis, keepdims=keepdims, out=out, device=device)
