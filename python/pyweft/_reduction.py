"""How elements are reduced: operations, types of results, and the calls of the library."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Optional

import numpy as np

from pyweft._native import ffi, lib
from pyweft._arrays import (
    BOOL,
    COMPLEX,
    DTYPES,
    F16,
    FLAG,
    I64,
    U64,
    WITH_COMPLEX,
    Array,
    Operand,
    Parts,
    call,
    destination,
    exactly,
    give,
    operand,
    wide_accumulator,
)
from pyweft._errors import exception
from pyweft._views import axes_of, reduced_shape, view_of, with_parts

_COUNTS = {lib.WEFT_ARGMIN, lib.WEFT_ARGMAX, lib.WEFT_COUNT_NONZERO}
_TRUTHS = {lib.WEFT_ANY, lib.WEFT_ALL}
COMPLEX_OF = {DTYPES[int(code)]: dtype for dtype, code in COMPLEX.items()}  # by the dtype of the parts
_REAL_OF = {dtype: real for real, dtype in COMPLEX_OF.items()}
# For bools, "and" is "all" and "or" is "any". This matters for empty input: the "and" of no u8 values is 255.
_OF_FLAGS = {lib.WEFT_AND: lib.WEFT_ALL, lib.WEFT_OR: lib.WEFT_ANY}


@lru_cache(maxsize=None)
def reduction(op: int, code: int, dtype: Any, accumulate: Optional[str] = None) -> tuple[int, Any, int]:
    """How elements are reduced: the weft_op, the dtype of the result, and the weft_dtype it accumulates in. dtype and
    accumulate are the caller's arguments."""
    in_type = code == lib.WEFT_F16 and dtype is not None and np.dtype(dtype) == F16
    exact = exactly(accumulate, dtype)
    sums = lib.WEFT_EXACT_SUM if exact else wide_accumulator(code, None if in_type else dtype)
    if code is FLAG:
        op = _OF_FLAGS.get(op, op)
    made = ffi.new("weft_dtype *")
    status = lib.weft_reduce_result(op, code, sums, made)
    if status:
        raise exception(status, ffi.NULL)
    result = DTYPES[made[0]]
    if op in _TRUTHS or (code is FLAG and result.itemsize == 1):
        result = BOOL
    elif op in _COUNTS or (code is FLAG and result == U64 and (dtype is None or np.dtype(dtype) == I64)):
        result = I64
    return op, result, sums


def reduction_of_values(op: int, code: int, accumulate: Any) -> tuple[int, Any, int]:
    """As reduction() for the values of a formula, whose accumulate= is a dtype or "exact"."""
    exact = isinstance(accumulate, str) and accumulate == "exact"
    return reduction(op, code, None, accumulate) if exact else reduction(op, code, accumulate)


@lru_cache(maxsize=None)
def result_code(op: int, code: int, accumulate: int) -> int:
    """The weft_dtype of the result of a reduction that is valid."""
    made = ffi.new("weft_dtype *")
    lib.weft_reduce_result(op, code, accumulate, made)
    result: int = made[0]
    return result


def reduce_axes(
    op: int,
    ddof: Optional[int],
    x: Array,
    axis: Any,
    keepdims: bool,
    dtype: Any,
    out: Optional[Array],
    device: Optional[str],
    accumulate: Optional[str],
) -> Any:
    """Reduction along axes with `op`; with a ddof the variance, whose type is that of `op`."""
    a = operand(x, "x", WITH_COMPLEX, strided=True)
    if type(a.code) is Parts:
        return _reduce_complex(op, ddof, a, axis, keepdims, dtype, out, device, accumulate)
    op, result, sums = reduction(op, a.code, dtype, accumulate)
    axes = axes_of(axis, a)
    y = destination(a, out, result, reduced_shape(a, axes, keepdims), strided=True)
    views = view_of(a, a.code), len(axes), axes, view_of(y, result_code(op, a.code, sums))
    if ddof is None:
        call(lib.weft_reduce_axes, a, device, op, sums, *views)
    else:
        call(lib.weft_variance_axes, a, device, sums, ddof, *views)
    return give(y, out)


def _reduce_complex(
    op: int,
    ddof: Optional[int],
    a: Operand,
    axis: Any,
    keepdims: bool,
    dtype: Any,
    out: Optional[Array],
    device: Optional[str],
    accumulate: Optional[str],
) -> Any:
    """reduce_axes() of complex numbers, whose parts are elements along one more axis. The parts of a sum and of a mean
    are those of the parts. A norm2 is that of all parts, and a variance the sum of the variances of the parts."""
    if op not in (lib.WEFT_SUM, lib.WEFT_MEAN, lib.WEFT_NORM2):
        raise TypeError(f"x has dtype {a.array.dtype}; of complex numbers there are sum, mean, norm2, variance and std")
    apart = ddof is None and op != lib.WEFT_NORM2
    op, real, sums = reduction(op, int(a.code), real_dtype(dtype, apart), accumulate)
    axes, code = axes_of(axis, a), result_code(op, int(a.code), sums)
    shape = reduced_shape(a, axes, keepdims)
    y = destination(a, out, COMPLEX_OF[real] if apart else real, shape, strided=True)
    y.code = code
    if ddof is not None:
        both = destination(a, None, COMPLEX_OF[real], shape)
        both.code = code
        call(lib.weft_variance_axes, a, device, sums, ddof, with_parts(a), len(axes), axes, with_parts(both))
        last = [len(shape)]
        call(lib.weft_reduce_axes, a, device, lib.WEFT_SUM, 0, with_parts(both), 1, last, view_of(y, code))
    else:
        taken = axes if apart else [*axes, a.array.ndim]
        call(lib.weft_reduce_axes, a, device, op, sums, with_parts(a), len(taken), taken, with_parts(y))
    return give(y, out)


def real_dtype(dtype: Any, is_complex: bool) -> Any:
    """The dtype of the parts of a result whose dtype the caller gives; complex or not."""
    if dtype is None or not is_complex:
        return dtype
    real = _REAL_OF.get(np.dtype(dtype))
    if real is None:
        raise TypeError(f"dtype is {np.dtype(dtype)}; of complex numbers it must be complex64 or complex128")
    return real
