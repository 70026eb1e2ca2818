"""Reductions of arrays to one value, taken in C order, or along axes (docs/ops/reduce.md, reduce_axes.md, variance.md)."""

from __future__ import annotations

from typing import Any, Optional, Union

from pyweft._native import lib
from pyweft._arrays import WITH_COMPLEX, Array, Parts, give, shape_of, unsigned
from pyweft._calls import give_scalar, input_of, scalar_entry
from pyweft._errors import exception
from pyweft._map import map
from pyweft._masked import masked
from pyweft._moduli import reduce_moduli
from pyweft._reduction import MODULI, prepare, reduce_axes, reduction

__all__ = [
    "all",
    "any",
    "argmax",
    "argmin",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "count_nonzero",
    "max",
    "mean",
    "min",
    "norm1",
    "norm2",
    "norminf",
    "prod",
    "std",
    "sum",
    "variance",
]


Axis = Union[None, int, tuple[int, ...]]  # None: all axes, in C order

def _reduce(
    op: int,
    x: Array,
    axis: Any,
    keepdims: bool,
    dtype: Any,
    out: Optional[Array],
    device: Optional[str],
    accumulate: Optional[str] = None,
    where: Any = True,
    initial: Any = None,
    ddof: Optional[int] = None,
    lanes: Optional[int] = None,
) -> Any:
    """Reduction with `op`; with a ddof the variance, whose type is that of `op`."""
    plain = where is True and initial is None
    if lanes is not None:
        if not plain or axis is not None or keepdims or accumulate is not None:
            raise ValueError("lanes excludes axis, keepdims, accumulate, initial and where")
        return _reduce_lanes(op, x, unsigned(lanes, "lanes"), dtype, out, device)
    if plain and axis is None and not keepdims:
        a, source, code, on = input_of(x, "x", WITH_COMPLEX)
        if type(code) is not Parts:
            op, result, sums = reduction(op, code, dtype, accumulate)
            function = lib.weft_reduce if ddof is None else lib.weft_variance
            run, context, y = scalar_entry(function, on, device, out, result)
            if ddof is None:
                status = run(context, op, code, sums, a.size, source, y[1])
            else:
                status = run(context, code, sums, a.size, ddof, source, y[1])
            if status:
                raise exception(status, context)
            return give_scalar(y, out, result)
    prepared = prepare(op, ddof, x, axis, keepdims, dtype, accumulate, where, out)
    if plain and op in MODULI and type(prepared[0].code) is Parts:
        reduce_moduli(prepared, device)
    elif plain:
        reduce_axes(prepared, ddof, device)
    else:
        masked(op, ddof, prepared, initial, device)
    return give(prepared[-1], out)


def _reduce_lanes(op: int, x: Array, lanes: int, dtype: Any, out: Optional[Array], device: Optional[str]) -> Any:
    a, source, code, on = input_of(x, "x")
    op, result, sums = reduction(op, code, dtype)
    run, context, y = scalar_entry(lib.weft_reduce_lanes, on, device, out, result)
    status = run(context, op, code, sums, a.size, lanes, source, y[1])
    if status:
        raise exception(status, context)
    return give_scalar(y, out, result)


def sum(
    x: Array,
    axis: Axis = None,
    *,
    keepdims: bool = False,
    dtype: Any = None,
    accumulate: Optional[str] = None,
    initial: Any = None,
    where: Any = True,
    lanes: Optional[int] = None,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """Sum of the elements, or sums along axes.

    x      any shape and number type, float16 and complex too. The parts of a complex sum are the sums of the parts
    axis   None: all elements, in C order. An axis, or a tuple of axes, of which the last one varies fastest: a result
           for each combination of indices of the other axes, with the bits of the sum of its elements alone
    keepdims  True: the result has axes of length 1 in place of those reduced
    dtype  None: int64 or uint64 for integers (wrapping), int64 for bool, float32, float64. np.float64 accumulates
           float32 in float64. float16 is accumulated in float32 and rounded once; np.float32 and np.float64 accumulate
           it in that type, which the result then has
    accumulate  "exact": the exact sum of floats, rounded once; it does not depend on the order of the elements
           (docs/ops/exact.md)
    initial  a number that the result's dtype has; initial + sum is the result, rounded once more. Not if x is complex
    where  bools that can be broadcast to x's shape: elements where it is False count as -0.0 (integers: 0; complex
           numbers: -0.0 for both parts), the identity, and keep their place in the order. They are copied to a
           temporary array of x's size
    lanes  1 to 1024: the sum of float32 or float64 by the tree of the C++ proposal WG21 P4016 for this number of lanes.
           Excludes axis, keepdims, accumulate, initial and where. Order: ORDER.md 3.4
    out    an array of the result's shape and dtype, of any strides
    The sum of no elements is 0, or initial. Order: ORDER.md 3; along axes 32; where= 1.6.

    >>> weft.sum([1.5, -0.25, 3.0])
    np.float64(4.25)
    >>> weft.sum([1e100, 1.0, -1e100], accumulate="exact")
    np.float64(1.0)
    >>> weft.sum([1e16, 1.0, 1.0, -1e16, 1.0, 1.0], lanes=3)
    np.float64(4.0)
    >>> weft.sum([[1, 2], [3, 4]], axis=0)
    array([4, 6])
    >>> weft.sum([[1, 2], [3, 4]], axis=0, initial=10, where=[[True, False], [True, True]])
    array([14, 14])
    """
    return _reduce(lib.WEFT_SUM, x, axis, keepdims, dtype, out, device, accumulate, where, initial, lanes=lanes)


def prod(
    x: Array,
    axis: Axis = None,
    *,
    keepdims: bool = False,
    dtype: Any = None,
    initial: Any = None,
    where: Any = True,
    lanes: Optional[int] = None,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """Product of the elements; types, axis, keepdims, initial, where and lanes as for sum. The product of no elements
    is 1, or initial. Order: ORDER.md 3.

    >>> weft.prod([2, 3, 7])
    np.int64(42)
    """
    return _reduce(lib.WEFT_PROD, x, axis, keepdims, dtype, out, device, None, where, initial, lanes=lanes)


def min(
    x: Array,
    axis: Axis = None,
    *,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = True,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """Smallest element, of x's dtype; -0 < +0, and a NaN wins. ValueError when x is empty, unless initial is given.
    Order: ORDER.md 1.4.

    axis, keepdims, initial and where as for sum. The result of no elements is initial; without it, where= gives
    +Inf, or the greatest value of an integer type.

    >>> weft.min([3.0, -0.5, 2.0])
    np.float64(-0.5)
    """
    return _reduce(lib.WEFT_MIN, x, axis, keepdims, None, out, device, None, where, initial)


def max(
    x: Array,
    axis: Axis = None,
    *,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = True,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """Largest element, of x's dtype; -0 < +0, and a NaN wins. ValueError when x is empty, unless initial is given.
    Order: ORDER.md 1.4.

    axis, keepdims, initial and where as for sum. The result of no elements is initial; without it, where= gives
    -Inf, or the least value of an integer type.

    >>> weft.max([3.0, -0.5, 2.0])
    np.float64(3.0)
    """
    return _reduce(lib.WEFT_MAX, x, axis, keepdims, None, out, device, None, where, initial)


def argmin(
    x: Array,
    axis: Axis = None,
    *,
    keepdims: bool = False,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """First index (int64, in C order) of the smallest element or of a NaN. ValueError when x is empty.

    axis and keepdims as for sum; along several axes, the index counts the elements of the tuple's axes.
    Order: ORDER.md 1.4.

    >>> weft.argmin([3.0, -0.5, 2.0])
    np.int64(1)
    """
    return _reduce(lib.WEFT_ARGMIN, x, axis, keepdims, None, out, device)


def argmax(
    x: Array,
    axis: Axis = None,
    *,
    keepdims: bool = False,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """First index (int64, in C order) of the largest element or of a NaN. ValueError when x is empty.

    axis and keepdims as for sum; along several axes, the index counts the elements of the tuple's axes.
    Order: ORDER.md 1.4.

    >>> weft.argmax([3.0, -0.5, 2.0])
    np.int64(0)
    """
    return _reduce(lib.WEFT_ARGMAX, x, axis, keepdims, None, out, device)


def bitwise_and(
    x: Array,
    axis: Axis = None,
    *,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = True,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """Bitwise and of all elements; integers and bool, of x's dtype. All ones when x is empty. No order.

    axis, keepdims, initial and where as for sum.

    >>> weft.bitwise_and([12, 10])
    np.int64(8)
    """
    return _reduce(lib.WEFT_AND, x, axis, keepdims, None, out, device, None, where, initial)


def bitwise_or(
    x: Array,
    axis: Axis = None,
    *,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = True,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """Bitwise or of all elements; integers and bool, of x's dtype. 0 when x is empty. No order.

    axis, keepdims, initial and where as for sum.

    >>> weft.bitwise_or([12, 10])
    np.int64(14)
    """
    return _reduce(lib.WEFT_OR, x, axis, keepdims, None, out, device, None, where, initial)


def bitwise_xor(
    x: Array,
    axis: Axis = None,
    *,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = True,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """Bitwise exclusive or of all elements; integers and bool, of x's dtype. 0 when x is empty. No order.

    axis, keepdims, initial and where as for sum.

    >>> weft.bitwise_xor([12, 10])
    np.int64(6)
    """
    return _reduce(lib.WEFT_XOR, x, axis, keepdims, None, out, device, None, where, initial)


def any(
    x: Array,
    axis: Axis = None,
    *,
    keepdims: bool = False,
    where: Any = True,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """True (np.bool_) when an element is not zero; a NaN is not zero. No order.

    axis, keepdims and where as for sum.

    >>> weft.any([0.0, -0.0])
    np.False_
    """
    return _reduce(lib.WEFT_ANY, x, axis, keepdims, None, out, device, None, where)


def all(
    x: Array,
    axis: Axis = None,
    *,
    keepdims: bool = False,
    where: Any = True,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """True (np.bool_) when no element is zero; True when x is empty. No order.

    axis, keepdims and where as for sum.

    >>> weft.all([1, 2, 3])
    np.True_
    """
    return _reduce(lib.WEFT_ALL, x, axis, keepdims, None, out, device, None, where)


def count_nonzero(
    x: Array,
    axis: Axis = None,
    *,
    keepdims: bool = False,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """Number (int64) of elements that are not zero. No order.

    axis and keepdims as for sum.

    >>> weft.count_nonzero([0, 3, 0, 4])
    np.int64(2)
    """
    return _reduce(lib.WEFT_COUNT_NONZERO, x, axis, keepdims, None, out, device)


def mean(
    x: Array,
    axis: Axis = None,
    *,
    keepdims: bool = False,
    dtype: Any = None,
    accumulate: Optional[str] = None,
    where: Any = True,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """Arithmetic mean, evaluated in float64: float32 for float32 unless dtype is np.float64, else float64. float16 for
    float16, unless dtype is np.float32 or np.float64.

    ValueError when x is empty. axis, keepdims and accumulate as for sum, and complex numbers too. Order: ORDER.md 3.

    where  bools that can be broadcast to x's shape. The result is the total of the elements where it is True, as sum
           computes it in float64 (of integers: of x converted to float64), divided by their number: NaN if there is none.
           Not with accumulate="exact"

    >>> weft.mean([1, 2, 4, 5])
    np.float64(3.0)
    >>> weft.mean([1.0, 2.0, np.nan, 6.0], where=[True, True, False, True])
    np.float64(3.0)
    """
    return _reduce(lib.WEFT_MEAN, x, axis, keepdims, dtype, out, device, accumulate, where)


def norm1(
    x: Array,
    axis: Axis = None,
    *,
    keepdims: bool = False,
    dtype: Any = None,
    accumulate: Optional[str] = None,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """Sum of |x|; types as for mean; axis, keepdims and accumulate as for sum. Order: ORDER.md 3.

    x  also complex: the sum of the moduli (docs/guide/complex.md), a real number. complex64 not with accumulate="exact"

    >>> weft.norm1([3.0, -4.0])
    np.float64(7.0)
    """
    return _reduce(lib.WEFT_NORM1, x, axis, keepdims, dtype, out, device, accumulate)


def norm2(
    x: Array,
    axis: Axis = None,
    *,
    keepdims: bool = False,
    dtype: Any = None,
    accumulate: Optional[str] = None,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """Square root of the sum of squares, without needless overflow; types as for mean. Order: ORDER.md 3.

    axis, keepdims and accumulate as for sum. Of complex numbers it is the norm of their parts, in the order re, im of
    each number, along the axes.

    >>> weft.norm2([3.0, -4.0])
    np.float64(5.0)
    """
    return _reduce(lib.WEFT_NORM2, x, axis, keepdims, dtype, out, device, accumulate)


def norminf(
    x: Array,
    axis: Axis = None,
    *,
    keepdims: bool = False,
    dtype: Any = None,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """Largest |x|, a NaN wins; types as for mean, axis and keepdims as for sum. Order: ORDER.md 1.4.

    x  also complex: the largest modulus (docs/guide/complex.md), a real number

    >>> weft.norminf([3.0, -4.0])
    np.float64(4.0)
    """
    return _reduce(lib.WEFT_NORMINF, x, axis, keepdims, dtype, out, device)


def variance(
    x: Array,
    axis: Axis = None,
    *,
    keepdims: bool = False,
    ddof: int = 0,
    dtype: Any = None,
    accumulate: Optional[str] = None,
    where: Any = True,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """Variance sum (x - mean)^2 / (n - ddof), in two passes; types as for mean.

    axis, keepdims  as for sum
    ddof        0: of a population; 1: of a sample. ValueError unless it is less than the number of elements.
    x           of complex numbers, the variance of the real parts plus that of the imaginary parts
    accumulate  "exact": the exact variance of floats, rounded once; it does not depend on the order of the elements
    where       as for mean: m is the mean of the elements taken, in float64, and the result sum (x - m)*(x - m), each
                product rounded to float64, divided by their number - ddof (by 0 if that is negative). Not with
                accumulate="exact"
    Order: ORDER.md 4; with where= that of sum.

    >>> weft.variance([1.0, 2.0, 3.0, 4.0], ddof=0)
    np.float64(1.25)
    >>> weft.variance([1.0, 2.0, 9.0], where=[True, True, False])
    np.float64(0.25)
    >>> weft.variance([1e15, 1e15 + 0.125], ddof=1, accumulate="exact")
    np.float64(0.0078125)
    """
    if ddof < 0:
        raise ValueError(f"ddof is {ddof}; it must not be negative")
    return _reduce(lib.WEFT_MEAN, x, axis, keepdims, dtype, out, device, accumulate, where, ddof=ddof)


def std(
    x: Array,
    axis: Axis = None,
    *,
    keepdims: bool = False,
    ddof: int = 0,
    dtype: Any = None,
    accumulate: Optional[str] = None,
    where: Any = True,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """Standard deviation: the square root of variance, which has the same arguments, in the variance's dtype.

    Order: ORDER.md 4.

    >>> weft.std([1.0, 2.0, 3.0, 4.0, 5.0], ddof=1)
    np.float64(1.5811388300841898)
    """
    squared = variance(
        x, axis, keepdims=keepdims, ddof=ddof, dtype=dtype, accumulate=accumulate, where=where, device=device
    )
    if out is not None and shape_of(out, ()) != tuple(squared.shape):
        raise ValueError(f"out has shape {shape_of(out, ())}; it must be {tuple(squared.shape)}")
    return map("sqrt(v)", v=squared, out=out, device=device)
