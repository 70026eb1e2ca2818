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
    leader,
    operand,
    wide_accumulator,
)
from pyweft._errors import exception
from pyweft._views import axes_of, reduced_shape, view_of, with_parts

_COUNTS = {lib.WEFT_ARGMIN, lib.WEFT_ARGMAX, lib.WEFT_COUNT_NONZERO}
_TRUTHS = {lib.WEFT_ANY, lib.WEFT_ALL}
MODULI = {lib.WEFT_NORM1, lib.WEFT_NORMINF}
_REAL = {*MODULI, lib.WEFT_NORM2}
_OF_COMPLEX = {*_REAL, lib.WEFT_SUM, lib.WEFT_MEAN}
COMPLEX_OF = {DTYPES[int(code)]: dtype for dtype, code in COMPLEX.items()}  # by the dtype of the parts
REAL_OF = {dtype: real for real, dtype in COMPLEX_OF.items()}
# For bools, "and" is "all" and "or" is "any". This matters for empty input: the "and" of no u8 values is 255.
_OF_FLAGS = {lib.WEFT_AND: lib.WEFT_ALL, lib.WEFT_OR: lib.WEFT_ANY}

# A reduction along axes: the input, the weft_op, the weft_dtype it accumulates in, the axes, the mask of where= (None:
# all elements), the leading operand, and where the results go, with the weft_dtype in which the library writes them.
Prepared = tuple[Operand, int, int, list[int], Optional[Operand], Operand, Operand]


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


def prepare(
    op: int,
    ddof: Optional[int],
    x: Array,
    axis: Any,
    keepdims: bool,
    dtype: Any,
    accumulate: Optional[str],
    where: Any,
    out: Optional[Array],
) -> Prepared:
    """Takes the arguments of a reduction along axes; with a ddof it is the variance, whose type is that of `op`. The
    results for complex numbers are complex, except norms and variance."""
    a = operand(x, "x", WITH_COMPLEX, strided=True)
    is_complex = type(a.code) is Parts
    if is_complex and op not in _OF_COMPLEX:
        raise TypeError(f"x has dtype {a.array.dtype}; of complex numbers there are sum, mean, norms, variance and std")
    apart = is_complex and ddof is None and op not in _REAL
    code = int(a.code) if is_complex else a.code
    op, result, sums = reduction(op, code, real_dtype(dtype, apart), accumulate)
    axes = axes_of(axis, a)
    mask = None if where is True else _mask(where, a)
    on = a if mask is None else leader(a, mask)
    made = COMPLEX_OF[result] if apart else result
    y = destination(on, out, made, reduced_shape(a, axes, keepdims), strided=True, inputs=[a.array])
    y.code = result_code(op, code, sums)
    return a, op, sums, axes, mask, on, y


def reduce_axes(prepared: Prepared, ddof: Optional[int], device: Optional[str]) -> None:
    """Reduction along axes. The parts of complex numbers are elements along one more axis. The parts of a sum and of a
    mean are those of the parts. A norm2 is that of all parts, and a variance the sum of the variances of the parts."""
    a, op, sums, axes, _, on, y = prepared
    source, to = with_parts(a), y
    if type(a.code) is Parts and y.array.dtype not in COMPLEX:
        if ddof is None:
            axes = [*axes, a.array.ndim]
        else:
            to = destination(on, None, COMPLEX_OF[y.array.dtype], y.array.shape)
            to.code = y.code
    if ddof is None:
        call(lib.weft_reduce_axes, on, device, op, sums, source, len(axes), axes, with_parts(to))
    else:
        call(lib.weft_variance_axes, on, device, sums, ddof, source, len(axes), axes, with_parts(to))
    if to is not y:
        call(lib.weft_reduce_axes, on, device, lib.WEFT_SUM, 0, with_parts(to), 1, [y.array.ndim], view_of(y, y.code))


def _mask(where: Any, a: Operand) -> Operand:
    """The operand of where=, which must have bools that can be broadcast to the shape of `a`."""
    mask = operand(where, "where", {BOOL: lib.WEFT_U8}, strided=True)
    given, wanted = tuple(mask.array.shape), tuple(a.array.shape)
    if len(given) > len(wanted) or any(n not in (1, m) for n, m in zip(reversed(given), reversed(wanted))):
        raise ValueError(f"where has shape {given}; it must be one that can be broadcast to that of x, {wanted}")
    return mask


def real_dtype(dtype: Any, is_complex: bool) -> Any:
    """The dtype of the parts of a result whose dtype the caller gives; complex or not."""
    if dtype is None or not is_complex:
        return dtype
    real = REAL_OF.get(np.dtype(dtype))
    if real is None:
        raise TypeError(f"dtype is {np.dtype(dtype)}; of complex numbers it must be complex64 or complex128")
    return real
