"""Arrays of several dimensions with any strides, and their copies (docs/ops/copy_view.md)."""

from __future__ import annotations

import operator
from typing import Any, Optional

import numpy as np

from pyweft._native import ffi, lib
from pyweft._arrays import (
    COMPLEX,
    NUMBERS,
    Array,
    Operand,
    call,
    destination,
    give,
    operand,
)

__all__ = ["copy"]

_AxisError: Any = getattr(np, "exceptions", np).AxisError  # a ValueError and an IndexError
ONLY_AXIS = (-1, 0)  # the axis of a 1-D array
_SIZE = ffi.sizeof("weft_view")
_MOST = lib.WEFT_DIMENSIONS_MAX
# Types of which elements are copied only. The parts of complex numbers are elements along one more axis.
_COPIED = {**NUMBERS, **COMPLEX, np.dtype(np.float16): lib.WEFT_F16}


def view_of(a: Operand, code: int) -> list[Any]:
    """Returns the weft_view of an operand whose elements have the type `code`, in the form in which cffi makes one for
    the duration of a call."""
    array = a.array
    n = array.ndim
    if n > _MOST:
        raise ValueError(f"the array has {n} dimensions; at most {_MOST} are supported")
    return [(_SIZE, code, n, array.shape, array.strides, a.pointer)]


def axis_of(axis: Any, a: Operand) -> int:
    """Returns the number of an axis of an operand, where negative ones count from the last."""
    n: int = a.array.ndim
    number = operator.index(axis)
    if not -n <= number < n:
        raise _AxisError(f"axis {number} is out of range: the array has {n} dimensions, shape {tuple(a.array.shape)}")
    return number % n


def axes_of(axis: Any, a: Operand) -> list[int]:
    """Returns the axes of axis=, in its order: None are all axes."""
    if axis is None:
        return list(range(a.array.ndim))
    if not isinstance(axis, tuple):
        return [axis_of(axis, a)]
    axes = [axis_of(one, a) for one in axis]
    if len(set(axes)) < len(axes):
        raise ValueError(f"axis is {axis!r}, which contains an axis twice")
    return axes


def reduced_shape(a: Operand, axes: list[int], keepdims: bool) -> tuple[int, ...]:
    """Returns the shape of an operand without axes, or with a length of 1 for each of them."""
    if keepdims:
        return tuple([1 if k in axes else n for k, n in enumerate(a.array.shape)])
    return tuple([n for k, n in enumerate(a.array.shape) if k not in axes])


def _with_parts(a: Operand) -> list[Any]:
    """Returns the view of an operand in which the two parts of a complex number are one more axis."""
    v = view_of(a, a.code)
    if a.array.dtype in COMPLEX:
        size, code, n, shape, strides, pointer = v[0]
        if n == _MOST:
            raise ValueError(f"the array has {n} dimensions; a complex one must have fewer")
        v = [(size, code, n + 1, (*shape, 2), (*strides, a.array.dtype.itemsize // 2), pointer)]
    return v


def copy(x: Array, *, out: Optional[Array] = None, device: Optional[str] = None) -> Any:
    """Copy of the elements, bit by bit, in C order: copy(x.T) is a transposed matrix in memory.

    x    any shape, strides and dtype of a number, float16 and complex too
    out  an array of x's dtype, of any strides, to whose shape x is broadcast, as by np.copyto
    No order.

    >>> weft.copy(np.array([[1, 2, 3], [4, 5, 6]]).T)
    array([[1, 4],
           [2, 5],
           [3, 6]])
    """
    a = operand(x, "x", _COPIED, strided=True)
    shape = tuple(a.array.shape if out is None else getattr(out, "shape", ()))
    y = destination(a, out, a.array.dtype, shape, strided=True)
    y.code = a.code
    call(lib.weft_copy_view, a, device, _with_parts(a), _with_parts(y))
    return give(y, out)
