"""Elements in the order of indices, or to the positions that they state, along an axis (docs/ops/take_axis.md)."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from pyweft._native import lib
from pyweft._arrays import (
    I64,
    INTEGERS,
    WITH_COMPLEX,
    Array,
    Operand,
    call,
    destination,
    dimensions_of,
    elements,
    give,
    is_contiguous,
    leader,
    of_list,
    operand,
)
from pyweft._scatter import INDICES, prepare, range_code
from pyweft._views import axis_of, copy, flat, view_of, with_parts

__all__ = ["put_along_axis", "take", "take_along_axis"]


def take(
    x: Array,
    indices: Array,
    axis: Optional[int] = None,
    *,
    out: Optional[Array] = None,
    skip: bool = False,
    device: Optional[str] = None,
) -> Any:
    """Elements of each vector along an axis in the order of indices, as np.take.

    x        any shape, strides and dtype of a number, float16 and complex too
    indices  integers from 0 to x.shape[axis] - 1, of any shape, which replaces the axis in the result. Negative ones
             are out of range: they do not count from the end. Any index out of range raises ValueError
    axis     None: x is read as if it had one axis
    skip     True: an index out of range leaves its elements unchanged in `out`; without `out` they are 0 (GPU arrays
             need `out`)
    out      an array of the shape of the result and x's dtype
    No value is rounded. Order: ORDER.md 32.6.

    >>> weft.take([10, 20, 30], [[2, 0], [1, 1]])
    array([[30, 10],
           [20, 20]])
    >>> weft.take(np.array([[1, 2, 3], [4, 5, 6]]), [2, 0], axis=1)
    array([[3, 1],
           [6, 4]])
    """
    a, i = operand(x, "x", WITH_COMPLEX, strided=axis is not None), _index(indices, False)
    source, along = _source(a, axis)
    on, given = leader(a, i), tuple(source[0][3])
    parts = given[1:] if axis is None else given[a.array.ndim :]  # of complex numbers
    rest = given[along + 1 : len(given) - len(parts)]
    y = destination(on, out, a.array.dtype, given[:along] + tuple(i.array.shape) + rest)
    if skip:
        prepare(y, out)
    count = i.array.size
    shape = (*given[:along], count, *rest, *parts)
    strides = [a.array.dtype.itemsize // elements(parts) * elements(shape[k + 1 :]) for k in range(len(shape))]
    target = [(source[0][0], a.code, len(shape), shape, tuple(strides), y.pointer)]
    ones = len(shape) - along - 1
    index_strides = (i.array.dtype.itemsize,) + (0,) * ones
    index = [(source[0][0], i.code, 1 + ones, (count,) + (1,) * ones, index_strides, i.pointer)]
    call(lib.weft_take_axis, on, device, range_code(skip), source, along, index, target)
    return give(y, out)


def take_along_axis(
    x: Array,
    indices: Array,
    axis: Optional[int] = -1,
    *,
    out: Optional[Array] = None,
    skip: bool = False,
    device: Optional[str] = None,
) -> Any:
    """Elements of each vector along an axis in the order of the vector's own indices, as np.take_along_axis.

    x        any shape, strides and dtype of a number, float16 and complex too
    indices  integers from 0 to x.shape[axis] - 1, as those of argsort. Negative ones are out of range: they do not
             count from the end. Any index out of range raises ValueError. x and indices have the same number of axes,
             and are broadcast to each other along all but the axis
    axis     None: x is read as if it had one axis, and so must indices have
    skip     as for take
    out      an array of the shape of the result and x's dtype, of any strides
    No value is rounded. Order: ORDER.md 32.6.

    >>> x = np.array([[3, 1, 2], [7, 9, 8]])
    >>> weft.take_along_axis(x, weft.argsort(x, axis=1), axis=1)
    array([[1, 2, 3],
           [7, 8, 9]])
    >>> weft.take_along_axis(x, [[0], [1]])
    array([[3],
           [9]])
    """
    a, i = operand(x, "x", WITH_COMPLEX, strided=axis is not None), _index(indices, True)
    source, along = _source(a, axis)
    size, code, n, lengths, strides, pointer = source[0]
    axes = 1 if axis is None else a.array.ndim
    if i.array.ndim != axes:
        raise ValueError(f"indices has {dimensions_of(i.array.ndim)}; it must have {axes}")
    given, wanted = list(lengths[:axes]), list(i.array.shape)
    given[along] = wanted[along]
    shape = np.broadcast_shapes(tuple(given), tuple(wanted))
    on = leader(a, i)
    y = destination(on, out, a.array.dtype, shape, strided=True, inputs=[a.array, i.array])
    if skip:
        prepare(y, out)
    y.code = a.code
    repeated = [0 if k != along and given[k] != m else strides[k] for k, m in enumerate(shape)]
    broadcast = [lengths[k] if k == along else m for k, m in enumerate(shape)]
    source = [(size, code, n, (*broadcast, *lengths[axes:]), (*repeated, *strides[axes:]), pointer)]
    call(lib.weft_take_axis, on, device, range_code(skip), source, along, _of_parts(i, n - axes), with_parts(y))
    return give(y, out)


def put_along_axis(
    out: Array,
    indices: Array,
    values: Array,
    axis: Optional[int] = -1,
    *,
    skip: bool = False,
    device: Optional[str] = None,
) -> None:
    """Copies values to the positions in `out` that indices state along an axis, as np.put_along_axis. Returns None.

    out      an array of any shape, strides and dtype of a number, float16 and complex too; its other elements keep
             their values
    indices  integers from 0 to out.shape[axis] - 1, as those of argsort. Negative ones are out of range: they do not
             count from the end. Any index out of range raises ValueError, and so do two that name the same element.
             out and indices have the same number of axes; indices are broadcast to out along all but the axis
    values   numbers of out's dtype, which are broadcast to the shape of out, with the length of indices along the axis
    axis     None: out is written as if it had one axis, and so must indices have
    skip     True: values whose index is out of range are not copied
    No value is rounded. Order: ORDER.md 32.7.

    >>> x = np.array([[30, 10, 20], [70, 90, 80]])
    >>> weft.put_along_axis(x, weft.argmax(x, axis=1, keepdims=True), 0, axis=1)
    >>> x
    array([[ 0, 10, 20],
           [70,  0, 80]])
    """
    a, i = operand(out, "out", WITH_COMPLEX, strided=True), _index(indices, True)
    dtype, shape = a.array.dtype, tuple(a.array.shape)
    if axis is None and not is_contiguous(a.array):
        made = copy(out, device=device)
        put_along_axis(made, indices, values, None, skip=skip, device=device)
        copy(made, out=out, device=device)
        return
    v = operand(of_list(values, dtype, "values"), "values", WITH_COMPLEX, strided=True)
    if v.array.dtype != dtype:
        raise TypeError(f"values has dtype {v.array.dtype} and out {dtype}; they must be the same")
    axes = 1 if axis is None else a.array.ndim
    if i.array.ndim != axes:
        raise ValueError(f"indices has {dimensions_of(i.array.ndim)}; it must have {axes}")
    on = leader(a, v, i)
    y = destination(on, out, dtype, shape, strided=True, inputs=[v.array, i.array])
    prepare(y, out)
    y.code = a.code
    target, along = _source(y, axis)
    index = _of_parts(i, target[0][2] - axes)
    call(lib.weft_put_axis, on, device, range_code(skip), with_parts(v), along, index, target)
    give(y, out)


def _of_parts(i: Operand, ones: int) -> list[Any]:
    """The view of indices of elements that have `ones` more axes, 1 for complex numbers."""
    size, code, n, shape, strides, pointer = view_of(i, i.code)[0]
    return [(size, code, n + ones, (*shape, *(1,) * ones), (*strides, *(0,) * ones), pointer)]


def _index(indices: Any, strided: bool) -> Operand:
    """The operand of indices. Those in host memory of a type that the library does not take are converted to int64."""
    i = operand(indices, "indices", INTEGERS, strided)
    if i.array.dtype in INDICES:
        i.code = INDICES[i.array.dtype]
        return i
    if i.device:
        raise TypeError(f"indices has dtype {i.array.dtype} on {i.device}; it must have 4 or 8 bytes there")
    converted = operand(i.array.astype(I64), "indices", INTEGERS, strided)
    converted.kind = i.kind
    return converted


def _source(a: Operand, axis: Optional[int]) -> tuple[list[Any], int]:
    """The view of an operand, which has one axis if `axis` is None, and the number of the axis."""
    view = with_parts(a)
    return (flat(view, a), 0) if axis is None else (view, axis_of(axis, a))
