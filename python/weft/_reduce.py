"""Reductions of a whole array to one value, of any shape, taken in C order (docs/reduce.md, variance.md, dot.md)."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Optional

from weft._native import ffi, lib
from weft._arrays import (
    DTYPES,
    Array,
    accumulator,
    call,
    give_scalar,
    leader,
    operand,
    same_dtype,
    scalar_destination,
)
from weft._errors import exception


@lru_cache(maxsize=None)
def result_dtype(op: int, code: int, dtype: Any) -> Any:
    """The dtype of what a reduction gives, and the weft_dtype it accumulates in."""
    accumulate = accumulator(dtype)
    result = ffi.new("weft_dtype *")
    status = lib.weft_reduce_result(op, code, accumulate, result)
    if status:
        raise exception(status, ffi.NULL)
    return DTYPES[result[0]], accumulate


def _reduce(op: int, x: Array, dtype: Any, out: Optional[Array], device: Optional[str]) -> Any:
    a = operand(x, "x")
    result, accumulate = result_dtype(op, a.code, dtype)
    y = scalar_destination(a, out, result)
    call(lib.weft_reduce, a, device, op, a.code, accumulate, a.array.size, a.pointer, y.pointer)
    return give_scalar(y, out, result)


def sum(x: Array, *, dtype: Any = None, out: Optional[Array] = None, device: Optional[str] = None) -> Any:
    """Sum of the elements.

    x      any shape and number type
    dtype  None: int64 or uint64 for integers (wrapping), float32, float64. np.float64 accumulates float32 in float64
    out    an array of shape () for the result
    The empty sum is 0. Order: ORDER.md 3.

    >>> weft.sum([1.5, -0.25, 3.0])
    np.float64(4.25)
    """
    return _reduce(lib.WEFT_SUM, x, dtype, out, device)


def prod(x: Array, *, dtype: Any = None, out: Optional[Array] = None, device: Optional[str] = None) -> Any:
    """Product of the elements; types as for sum. The empty product is 1. Order: ORDER.md 3.

    >>> weft.prod([2, 3, 7])
    np.int64(42)
    """
    return _reduce(lib.WEFT_PROD, x, dtype, out, device)


def min(x: Array, *, out: Optional[Array] = None, device: Optional[str] = None) -> Any:
    """Smallest element, of x's dtype; -0 < +0, and a NaN wins. ValueError when x is empty. Order: ORDER.md 1.4.

    >>> weft.min([3.0, -0.5, 2.0])
    np.float64(-0.5)
    """
    return _reduce(lib.WEFT_MIN, x, None, out, device)


def max(x: Array, *, out: Optional[Array] = None, device: Optional[str] = None) -> Any:
    """Largest element, of x's dtype; -0 < +0, and a NaN wins. ValueError when x is empty. Order: ORDER.md 1.4.

    >>> weft.max([3.0, -0.5, 2.0])
    np.float64(3.0)
    """
    return _reduce(lib.WEFT_MAX, x, None, out, device)


def argmin(x: Array, *, out: Optional[Array] = None, device: Optional[str] = None) -> Any:
    """First index (uint64, in C order) of the smallest element or of a NaN. ValueError when x is empty.

    Order: ORDER.md 1.4.

    >>> weft.argmin([3.0, -0.5, 2.0])
    np.uint64(1)
    """
    return _reduce(lib.WEFT_ARGMIN, x, None, out, device)


def argmax(x: Array, *, out: Optional[Array] = None, device: Optional[str] = None) -> Any:
    """First index (uint64, in C order) of the largest element or of a NaN. ValueError when x is empty.

    Order: ORDER.md 1.4.

    >>> weft.argmax([3.0, -0.5, 2.0])
    np.uint64(0)
    """
    return _reduce(lib.WEFT_ARGMAX, x, None, out, device)


def bitwise_and(x: Array, *, out: Optional[Array] = None, device: Optional[str] = None) -> Any:
    """Bitwise and of all elements; integers, of x's dtype. All ones when x is empty. No order.

    >>> weft.bitwise_and([12, 10])
    np.int64(8)
    """
    return _reduce(lib.WEFT_AND, x, None, out, device)


def bitwise_or(x: Array, *, out: Optional[Array] = None, device: Optional[str] = None) -> Any:
    """Bitwise or of all elements; integers, of x's dtype. 0 when x is empty. No order.

    >>> weft.bitwise_or([12, 10])
    np.int64(14)
    """
    return _reduce(lib.WEFT_OR, x, None, out, device)


def bitwise_xor(x: Array, *, out: Optional[Array] = None, device: Optional[str] = None) -> Any:
    """Bitwise exclusive or of all elements; integers, of x's dtype. 0 when x is empty. No order.

    >>> weft.bitwise_xor([12, 10])
    np.int64(6)
    """
    return _reduce(lib.WEFT_XOR, x, None, out, device)


def any(x: Array, *, out: Optional[Array] = None, device: Optional[str] = None) -> Any:
    """1 (uint8) when an element is not zero, else 0; a NaN is not zero. No order.

    >>> bool(weft.any([0.0, -0.0]))
    False
    """
    return _reduce(lib.WEFT_ANY, x, None, out, device)


def all(x: Array, *, out: Optional[Array] = None, device: Optional[str] = None) -> Any:
    """1 (uint8) when no element is zero, else 0; 1 when x is empty. No order.

    >>> bool(weft.all([1, 2, 3]))
    True
    """
    return _reduce(lib.WEFT_ALL, x, None, out, device)


def count_nonzero(x: Array, *, out: Optional[Array] = None, device: Optional[str] = None) -> Any:
    """Number (uint64) of elements that are not zero. No order.

    >>> weft.count_nonzero([0, 3, 0, 4])
    np.uint64(2)
    """
    return _reduce(lib.WEFT_COUNT_NONZERO, x, None, out, device)


def mean(x: Array, *, dtype: Any = None, out: Optional[Array] = None, device: Optional[str] = None) -> Any:
    """Arithmetic mean, evaluated in float64: float32 for float32 unless dtype is np.float64, else float64.

    ValueError when x is empty. Order: ORDER.md 3.

    >>> weft.mean([1, 2, 4, 5])
    np.float64(3.0)
    """
    return _reduce(lib.WEFT_MEAN, x, dtype, out, device)


def norm1(x: Array, *, dtype: Any = None, out: Optional[Array] = None, device: Optional[str] = None) -> Any:
    """Sum of |x|; types as for mean. Order: ORDER.md 3.

    >>> weft.norm1([3.0, -4.0])
    np.float64(7.0)
    """
    return _reduce(lib.WEFT_NORM1, x, dtype, out, device)


def norm2(x: Array, *, dtype: Any = None, out: Optional[Array] = None, device: Optional[str] = None) -> Any:
    """Square root of the sum of squares, without needless overflow; types as for mean. Order: ORDER.md 3.

    >>> weft.norm2([3.0, -4.0])
    np.float64(5.0)
    """
    return _reduce(lib.WEFT_NORM2, x, dtype, out, device)


def norminf(x: Array, *, dtype: Any = None, out: Optional[Array] = None, device: Optional[str] = None) -> Any:
    """Largest |x|, a NaN wins; types as for mean. Order: ORDER.md 1.4.

    >>> weft.norminf([3.0, -4.0])
    np.float64(4.0)
    """
    return _reduce(lib.WEFT_NORMINF, x, dtype, out, device)


def variance(
    x: Array, *, ddof: int = 0, dtype: Any = None, out: Optional[Array] = None, device: Optional[str] = None
) -> Any:
    """Variance sum (x - mean)^2 / (n - ddof), in two passes; types as for mean.

    ddof  0: of a population; 1: of a sample. ValueError unless it is less than the number of elements.
    Order: ORDER.md 4.

    >>> weft.variance([1.0, 2.0, 3.0, 4.0], ddof=0)
    np.float64(1.25)
    """
    a = operand(x, "x")
    result, accumulate = result_dtype(lib.WEFT_MEAN, a.code, dtype)
    if ddof < 0:
        raise ValueError(f"ddof is {ddof}; it must not be negative")
    y = scalar_destination(a, out, result)
    call(lib.weft_variance, a, device, a.code, accumulate, a.array.size, ddof, a.pointer, y.pointer)
    return give_scalar(y, out, result)


def dot(x: Array, y: Array, *, dtype: Any = None, out: Optional[Array] = None, device: Optional[str] = None) -> Any:
    """Sum of x[i] * y[i], each product fused into the sum; types as for sum.

    x, y  as many elements of one dtype, each taken in C order
    Order: ORDER.md 5.

    >>> weft.dot([1.5, -0.25, 3.0], [2.0, 4.0, 8.0])
    np.float64(26.0)
    """
    a, b = operand(x, "x"), operand(y, "y")
    same_dtype(a, b, "x", "y")
    if a.array.size != b.array.size:
        raise ValueError(f"x has {a.array.size} elements and y {b.array.size}; they must have as many")
    on = leader(a, b)
    result, accumulate = result_dtype(lib.WEFT_SUM, a.code, dtype)
    z = scalar_destination(on, out, result)
    call(lib.weft_dot, on, device, a.code, accumulate, a.array.size, a.pointer, b.pointer, z.pointer)
    return give_scalar(z, out, result)
