"""Operands and results of calls on small arrays, in which each object and each function of Python costs time.

Arrays of NumPy that the library can use are described by tuples. All other arrays are Operands of _arrays.py; the
functions of this module accept both. `on` is None for NumPy's arrays, else the leading Operand."""

from __future__ import annotations

from functools import partial
from typing import Any, Optional

from numpy import empty, ndarray

from pyweft import _contexts as contexts
from pyweft._native import ffi
from pyweft._arrays import (
    HOST,
    I64,
    INTEGERS,
    NUMBERS,
    Operand,
    Shape,
    call,
    check_vector,
    destination,
    give,
    host_view,
    leader,
    operand,
    pair,
)
from pyweft._kinds import NUMPY

Input = tuple[Any, Any, int, Optional[Operand]]  # array, pointer, weft_dtype, on
Result = tuple[Any, Any]  # NumPy's array or an Operand, and the pointer to its elements
# A Result of shape (). NumPy's numbers are copied when they are given. Therefore the calling thread keeps a place for
# one value of each dtype in the dict, except during a call. None: it is another place.
Scalar = tuple[Any, Any, Optional[dict[Any, Any]]]

_SMALL = 512  # number of elements up to which a copy is faster than to shrink an array

_from_buffer = ffi.from_buffer
_mine = contexts.mine


def input_of(x: Any, name: str, codes: dict[Any, int] = NUMBERS, strided: bool = False) -> Input:
    """An input, as operand() takes it."""
    if type(x) is ndarray:
        code = codes.get(x.dtype)
        if code is not None and x.flags.carray:
            return x, _from_buffer(x), code, None
    return as_input(operand(x, name, codes, strided))


def vector_of(x: Any, name: str, codes: dict[Any, int] = NUMBERS) -> Input:
    """An input that must have one dimension."""
    given = input_of(x, name, codes)
    if given[0].ndim != 1:
        check_vector(given[0], name)
    return given


def integers_of(x: Any, name: str, codes: dict[Any, int], needed: str) -> Input:
    """An input of integers that must have one dimension. Those in host memory of a dtype that is none of `codes` are
    converted to int64."""
    given = vector_of(x, name, INTEGERS)
    a, _, _, on = given
    if a.dtype in codes:
        return given
    if on is not None and on.device:
        raise TypeError(f"{name} has dtype {a.dtype} on {on.device}; it must {needed} there")
    return input_of(a.astype(I64), name)


def as_input(a: Operand) -> Input:
    """The description of an operand."""
    return a.array, a.pointer, a.code, None if a.kind is NUMPY else a


def leading(on: Optional[Operand], other: Optional[Operand]) -> Optional[Operand]:
    """`on` of two inputs."""
    return on or other if on is None or other is None else leader(on, other)


def inputs_of(
    x: Any, y: Any, x_name: str, y_name: str, codes: dict[Any, int] = NUMBERS
) -> tuple[Any, Any, Any, Any, int, Optional[Operand]]:
    """Two inputs of one dtype: array and pointer of each, their weft_dtype, and `on`."""
    if type(x) is ndarray and type(y) is ndarray:
        dtype = x.dtype
        code = codes.get(dtype)
        if code is not None and y.dtype is dtype and x.flags.carray and y.flags.carray:
            return x, _from_buffer(x), y, _from_buffer(y), code, None
    a, b, on = pair(x, y, x_name, y_name, codes)
    return a.array, a.pointer, b.array, b.pointer, a.code, None if on.kind is NUMPY else on


def result_for(on: Optional[Operand], out: Any, dtype: Any, shape: Shape) -> Result:
    """Where a result goes, as destination() makes it."""
    if on is None:
        if out is None:
            out = empty(shape, dtype)
            return out, _from_buffer(out)
        if type(out) is ndarray and out.dtype == dtype and out.flags.carray:
            if out.shape == (shape if type(shape) is tuple else (shape,)):
                return out, _from_buffer(out)
    y = destination(on or HOST, out, dtype, shape)
    return y, y.pointer


def give_result(y: Any, out: Any) -> Any:
    """give() of what result_for made. Unnecessary for NumPy's arrays of at least 1 dimension without `out`."""
    if type(y) is ndarray:
        return y if y.ndim or out is not None else y[()]
    return give(y, out)


def give_first(y: Any, out: Any, count: int) -> Any:
    """give() of the first `count` elements of a 1-D array that result_for made."""
    if type(y) is ndarray:
        if out is not None:
            return y[:count]
        if y.size <= _SMALL:
            return y[:count].copy()
        y.resize(count, refcheck=False)  # releases the memory after the last element
        return y
    return give(y, out, count)


def copy_out(y: Any, out: Any) -> None:
    """Gives what result_for made the values of `out`, for a call that uses them."""
    if type(y) is not ndarray and y.device is None and y.array is not out:
        y.array[...] = host_view(out, "out")


def entry(function: Any, on: Optional[Operand], device: Optional[str]) -> tuple[Any, Any]:
    """Returns what is called for a function of weft.h, and its first argument. It returns a weft_status.

    The caller's `status = run(context, ...)` costs half of call(), which passes the arguments on."""
    if on is None:
        return function, _mine.open.get(device or contexts.default) or contexts.context(device)
    return partial(_call_elsewhere, function, on, device), None


def _call_elsewhere(function: Any, on: Operand, device: Optional[str], _: None, *arguments: Any) -> int:
    call(function, on, device, *arguments)
    return 0


def scalar_entry(
    function: Any, on: Optional[Operand], device: Optional[str], out: Any, dtype: Any
) -> tuple[Any, Any, Scalar]:
    """entry(), and where a result of shape () goes. The caller must give_scalar() the place after the call."""
    if out is None and on is None:
        opened = _mine.opened
        place = opened.scalars.pop(dtype, None) or (*result_for(None, None, dtype, ()), opened.scalars)
        return function, opened.ready.get(device or contexts.default) or contexts.context(device), place
    return *entry(function, on, device), (*result_for(on, out, dtype, ()), None)


def give_scalar(place: Scalar, out: Any, dtype: Any) -> Any:
    """give() of a place of scalar_entry()."""
    y, _, unused = place
    if unused is None:
        return give_result(y, out)
    unused[dtype] = place
    return y[()]
