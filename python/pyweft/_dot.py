"""Dot products of vectors and of the vectors along an axis (docs/ops/dot.md, dot_axes.md)."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from pyweft._native import lib
from pyweft._arrays import DTYPES, WITH_COMPLEX, Array, Operand, Parts, argument, call, destination, give, pair
from pyweft._calls import give_scalar, inputs_of, scalar_entry
from pyweft._errors import exception
from pyweft._map import map
from pyweft._reduction import COMPLEX_OF, real_dtype, reduction, result_code
from pyweft._views import axis_of, view_of, with_parts

__all__ = ["dot", "vdot", "vecdot"]

_MOST = lib.WEFT_DIMENSIONS_MAX
_SUMS = {code: reduction(lib.WEFT_SUM, code, None) for code in DTYPES}  # sums of each type, with the default arguments


def dot(
    x: Array,
    y: Array,
    *,
    dtype: Any = None,
    accumulate: Optional[str] = None,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """Sum of x[i] * y[i], each product fused into the sum; types and accumulate as for sum.

    x, y  1-D, of one length and one dtype, float16 and complex too
    Order: ORDER.md 5; of complex numbers 1.8.

    >>> weft.dot([1.5, -0.25, 3.0], [2.0, 4.0, 8.0])
    np.float64(26.0)
    """
    return _of_vectors(x, y, False, dtype, accumulate, out, device)


def vdot(
    x: Array,
    y: Array,
    *,
    dtype: Any = None,
    accumulate: Optional[str] = None,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """dot of the complex conjugate of x, as np.vdot; of real numbers it is dot.

    x, y  1-D, of one length and one dtype
    Order: ORDER.md 5; of complex numbers 1.8.

    >>> weft.vdot([1 + 2j, 3j], [1 + 2j, 1])
    np.complex128(5-3j)
    """
    return _of_vectors(x, y, True, dtype, accumulate, out, device)


def vecdot(
    x: Array,
    y: Array,
    axis: int = -1,
    *,
    keepdims: bool = False,
    dtype: Any = None,
    accumulate: Optional[str] = None,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """Dot products of the vectors along an axis, as np.vecdot: each with the bits of vdot, which conjugates x.

    x, y   any shapes, strides and one dtype, float16 and complex too. Their lengths along the axis must be equal; their other axes
           are broadcast to each other
    axis   of x and of y: an axis that is not negative is counted from the first one of each of them
    keepdims  True: the result has an axis of length 1 in place of `axis`
    dtype, accumulate  as for sum
    out    an array of the result's shape and dtype, of any strides
    Products of no elements have the sum 0. Order: ORDER.md 5, 32.

    >>> weft.vecdot([[1.0, 2.0], [3.0, 4.0]], [10.0, 1.0])
    array([12., 34.])
    >>> weft.vecdot([[1, 2], [3, 4]], [[5, 6], [7, 8]], axis=0)
    array([26, 44])
    """
    return _products(x, y, axis, keepdims, True, dtype, accumulate, out, device)


def _of_vectors(
    x: Array,
    y: Array,
    conjugate: bool,
    dtype: Any,
    accumulate: Optional[str],
    out: Optional[Array],
    device: Optional[str],
) -> Any:
    """The dot product of two vectors. conjugate: that of the conjugate of x, if it is complex."""
    a, left, b, right, code, on = inputs_of(x, y, "x", "y", WITH_COMPLEX)
    n = a.size
    if a.ndim != 1 or b.ndim != 1 or b.size != n:
        raise ValueError(f"x has shape {a.shape} and y {b.shape}; they must have 1 dimension and the same length")
    if type(code) is Parts:
        return _products(x, y, -1, False, conjugate, dtype, accumulate, out, device)
    default = dtype is None and accumulate is None
    _, result, sums = _SUMS[code] if default else reduction(lib.WEFT_SUM, code, dtype, accumulate)
    run, context, z = scalar_entry(lib.weft_dot, on, device, out, result)
    status = run(context, code, sums, n, left, right, z[1])
    if status:
        raise exception(status, context)
    return give_scalar(z, out, result)


def _products(
    x: Array,
    y: Array,
    axis: int,
    keepdims: bool,
    conjugate: bool,
    dtype: Any,
    accumulate: Optional[str],
    out: Optional[Array],
    device: Optional[str],
) -> Any:
    """Dot products along an axis. conjugate: those of the conjugate of x, if it is complex."""
    a, b, on = pair(x, y, "x", "y", WITH_COMPLEX, strided=True)
    is_complex = type(a.code) is Parts
    code = int(a.code) if is_complex else a.code
    _, result, sums = reduction(lib.WEFT_SUM, code, real_dtype(dtype, is_complex), accumulate)
    left, right = _axis_last(a, axis), _axis_last(b, axis)
    if left[3][-1] != right[3][-1]:
        raise ValueError(
            f"x has shape {tuple(a.array.shape)} and y {tuple(b.array.shape)}; they must have the same length along "
            f"axis {axis}"
        )
    shape = list(np.broadcast_shapes(left[3][:-1], right[3][:-1]))
    at = axis % (len(shape) + 1)
    if keepdims:
        shape.insert(at, 1)
    made = COMPLEX_OF[result] if is_complex else result
    z = destination(on, out, made, tuple(shape), strided=True, inputs=[a.array, b.array])
    z.code = result_code(lib.WEFT_SUM, code, sums)
    to = destination(on, None, result, (*shape, 2, 2)) if is_complex else z
    target = view_of(to, z.code)
    if keepdims:
        target = [_without(target[0], at)]
    if is_complex:
        left, right = _with_parts_apart(left, a, (2, 1)), _with_parts_apart(right, b, (1, 2))
    call(lib.weft_dot_axes, on, device, sums, [left], [right], 1, [-1], target)
    if is_complex:
        _join(to, z, on, conjugate, device)
    return give(z, out)


def _with_parts_apart(view: tuple[Any, ...], a: Operand, lengths: tuple[int, int]) -> tuple[Any, ...]:
    """Returns a view of complex numbers with two more axes before the last one, of which that of length 2 has the parts
    of a number."""
    size, code, n, shape, strides, pointer = view
    if n > _MOST - 2:
        raise ValueError(f"the array has {n} dimensions; a complex one must have at most {_MOST - 2}")
    apart = [a.array.dtype.itemsize // 2 if length == 2 else 0 for length in lengths]
    return size, code, n + 2, (*shape[:-1], *lengths, shape[-1]), (*strides[:-1], *apart, strides[-1]), pointer


def _join(products: Operand, z: Operand, on: Operand, conjugate: bool, device: Optional[str]) -> None:
    """Writes complex numbers, given the real products of each part of x and each part of y."""
    dtype = products.array.dtype
    parts = destination(on, None, dtype, (*z.array.shape, 2))
    p, made = argument(products), argument(parts)
    like, unlike = ("a + b", "a - b") if conjugate else ("a - b", "a + b")
    map(like, a=p[..., 0, 0], b=p[..., 1, 1], dtype=dtype, out=made[..., 0], device=device)
    map(unlike, a=p[..., 0, 1], b=p[..., 1, 0], dtype=dtype, out=made[..., 1], device=device)
    call(lib.weft_copy_view, on, device, view_of(parts, z.code), with_parts(z))


def _without(view: tuple[Any, ...], axis: int) -> tuple[Any, ...]:
    """Returns a view without an axis."""
    size, code, n, shape, strides, pointer = view
    return size, code, n - 1, shape[:axis] + shape[axis + 1 :], strides[:axis] + strides[axis + 1 :], pointer


def _moved_last(view: tuple[Any, ...], axis: int) -> tuple[Any, ...]:
    """Returns a view in which an axis is the last one."""
    size, code, n, shape, strides, pointer = view
    order = [*range(axis), *range(axis + 1, n), axis]
    return size, code, n, tuple([shape[k] for k in order]), tuple([strides[k] for k in order]), pointer


def _axis_last(a: Operand, axis: int) -> tuple[Any, ...]:
    """Returns the view of an operand in which an axis is the last one."""
    return _moved_last(view_of(a, a.code)[0], axis_of(axis, a))
