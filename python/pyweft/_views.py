"""Arrays of several dimensions with any strides, and their copies (docs/ops/copy_view.md)."""

from __future__ import annotations

import itertools
import operator
from typing import Any, Optional, Union

import numpy as np

from pyweft._native import ffi, lib
from pyweft._arrays import (
    COMPLEX,
    WITH_COMPLEX,
    Array,
    Operand,
    call,
    destination,
    dimensions_of,
    give,
    is_contiguous,
    operand,
    shape_of,
)

__all__ = ["copy", "flip", "roll"]

_AxisError: Any = getattr(np, "exceptions", np).AxisError  # a ValueError and an IndexError
ONLY_AXIS = (-1, 0)  # the axis of a 1-D array
_SIZE = ffi.sizeof("weft_view")
_MOST = lib.WEFT_DIMENSIONS_MAX


def view_at(pointer: Any, array: Any, code: int) -> tuple[Any, ...]:
    """Returns the first members of the weft_view of an array at an address; its elements have the type `code`."""
    n = array.ndim
    if n > _MOST:
        raise ValueError(f"the array has {n} dimensions; at most {_MOST} are supported")
    return _SIZE, code, n, array.shape, array.strides, pointer


def view_of(a: Operand, code: int) -> list[Any]:
    """Returns the weft_view of an operand whose elements have the type `code`, in the form in which cffi makes one for
    the duration of a call."""
    return [view_at(a.pointer, a.array, code)]


def axis_of(axis: Any, a: Operand) -> int:
    """Returns the number of an axis of an operand, where negative ones count from the last."""
    n: int = a.array.ndim
    number = operator.index(axis)
    if not -n <= number < n:
        raise _AxisError(f"axis {number} is out of range: the array has {dimensions_of(n)}, shape {tuple(a.array.shape)}")
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


def with_parts(a: Operand) -> list[Any]:
    """Returns the view of an operand in which the two parts of a complex number are one more axis."""
    at = parts_at if a.array.dtype in COMPLEX else view_at
    return [at(a.pointer, a.array, a.code)]


def parts_at(pointer: Any, array: Any, code: int) -> tuple[Any, ...]:
    """view_at() of complex numbers, whose parts have the type `code`: they are one more axis."""
    size, _, n, shape, strides, _ = view_at(pointer, array, code)
    if n == _MOST:
        raise ValueError(f"the array has {n} dimensions; a complex one must have fewer")
    return size, code, n + 1, (*shape, 2), (*strides, array.dtype.itemsize // 2), pointer


def part_of(view: list[Any], first: list[int], shape: list[int], strides: Any = None) -> list[Any]:
    """Returns the view of a part of a view, which starts with the element with the indices `first`. It has the
    lengths `shape` along its first axes, and the strides of the view or others."""
    size, code, n, lengths, given, pointer = view[0]
    offset = sum([at * stride for at, stride in zip(first, given)])
    address = ffi.cast("char *", pointer) + offset
    return [(size, code, n, (*shape, *lengths[len(shape) :]), strides or given, address)]


def each_part(view: list[Any]) -> list[list[Any]]:
    """Returns the views of the real and of the imaginary parts in the view that with_parts() makes."""
    shape = view[0][3][:-1]
    return [part_of(view, [*[0] * len(shape), k], [*shape, 1]) for k in (0, 1)]


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
    a = operand(x, "x", WITH_COMPLEX, strided=True)
    y = destination(a, out, a.array.dtype, shape_of(out, tuple(a.array.shape)), strided=True)
    y.code = a.code
    call(lib.weft_copy_view, a, device, with_parts(a), with_parts(y))
    return give(y, out)


def flip(
    x: Array,
    axis: Union[None, int, tuple[int, ...]] = None,
    *,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """Copy of the elements in reverse order along axes, as np.flip, but a new array in C order.

    x     any shape, strides and dtype of a number, float16 and complex too
    axis  an axis, or a tuple of them; None: all axes
    out   an array of x's shape and dtype, of any strides
    No order.

    >>> weft.flip([[1, 2], [3, 4]])
    array([[4, 3],
           [2, 1]])
    >>> weft.flip([[1, 2], [3, 4]], axis=0)
    array([[3, 4],
           [1, 2]])
    """
    a = operand(x, "x", WITH_COMPLEX, strided=True)
    shape = tuple(a.array.shape)
    axes = axes_of(axis, a)
    y = destination(a, out, a.array.dtype, shape, strided=True)
    y.code = a.code
    view = with_parts(a)
    last = [max(n - 1, 0) if k in axes else 0 for k, n in enumerate(shape)]
    strides = tuple([-stride if k in axes else stride for k, stride in enumerate(view[0][4])])
    call(lib.weft_copy_view, a, device, part_of(view, last, [], strides), with_parts(y))
    return give(y, out)


def roll(
    x: Array,
    shift: Union[int, tuple[int, ...]],
    axis: Union[None, int, tuple[int, ...]] = None,
    *,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """Copy of the elements, moved along axes, as np.roll: those that leave one end enter at the other.

    x      any shape, strides and dtype of a number, float16 and complex too
    shift  by how many elements, of any sign; a tuple: one number for each of the axes
    axis   an axis, or a tuple of them, in which axes may occur again; None: x is moved as if it had one axis
    out    an array of x's shape and dtype, of any strides
    No order.

    >>> weft.roll([1, 2, 3, 4, 5], 2)
    array([4, 5, 1, 2, 3])
    >>> weft.roll([[1, 2, 3], [4, 5, 6]], -1, axis=1)
    array([[2, 3, 1],
           [5, 6, 4]])
    """
    a = operand(x, "x", WITH_COMPLEX, strided=True)
    shape = tuple(a.array.shape)
    shifts = _shifts(a, shift, axis)
    if axis is None and not is_contiguous(a.array):
        return roll(copy(x, device=device), shift, out=out, device=device)
    y = destination(a, out, a.array.dtype, shape, strided=True)
    if axis is None and not is_contiguous(y.array):
        return copy(roll(x, shift, device=device), out=out, device=device)
    y.code = a.code
    source, target = with_parts(a), with_parts(y)
    if axis is None:
        shape, source, target = (a.array.size,), flat(source, a), flat(target, a)
    for ends in itertools.product(*map(_ends, shape, shifts)):
        first, to, lengths = ([end[member] for end in ends] for member in range(3))
        call(lib.weft_copy_view, a, device, part_of(source, first, lengths), part_of(target, to, lengths))
    return give(y, out)


def _shifts(a: Operand, shift: Any, axis: Any) -> list[int]:
    """Returns by how many elements an operand is moved along each axis, or along its only one if axis is None."""
    pairs = np.broadcast(shift, 0 if axis is None else axis)
    if pairs.ndim > 1:
        raise ValueError(f"shift is {shift!r} and axis {axis!r}; they must be integers or tuples of them")
    shifts = [0] * (1 if axis is None else a.array.ndim)
    for number, along in pairs:
        shifts[0 if axis is None else axis_of(along, a)] += operator.index(number)
    return shifts


def _ends(n: int, shift: int) -> list[tuple[int, int, int]]:
    """Returns the parts of an axis of n elements that moves by `shift`: offset before, offset after, length."""
    moved = shift % n if n else 0
    return [part for part in ((0, moved, n - moved), (n - moved, 0, moved)) if part[2]]


def flat(view: list[Any], a: Operand) -> list[Any]:
    """Returns the view of a contiguous array of an operand's shape as if it had one axis."""
    size, code, n, shape, strides, pointer = view[0]
    axes = a.array.ndim
    one_axis = (a.array.size, *shape[axes:]), (a.array.dtype.itemsize, *strides[axes:])
    return [(size, code, n - axes + 1, *one_axis, pointer)]
