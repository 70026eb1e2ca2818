"""Operands: what the library needs to know of an array, whatever library it is of."""

from __future__ import annotations

import math
import operator
import threading
from typing import Any, Optional, Union

import numpy as np

from weft import _contexts as contexts
from weft._native import ffi, lib
from weft._errors import exception
from weft._kinds import NUMPY, Kind, cupy_view, gpu_kind, host_kind

Array = Any  # a NumPy, CuPy, PyTorch, JAX or Numba array, or what NumPy makes one of
Shape = Union[int, tuple[int, ...]]

_INTEGERS = {
    np.dtype(np.int8): lib.WEFT_I8,
    np.dtype(np.int16): lib.WEFT_I16,
    np.dtype(np.int32): lib.WEFT_I32,
    np.dtype(np.int64): lib.WEFT_I64,
    np.dtype(np.uint8): lib.WEFT_U8,
    np.dtype(np.uint16): lib.WEFT_U16,
    np.dtype(np.uint32): lib.WEFT_U32,
    np.dtype(np.uint64): lib.WEFT_U64,
}
FLOATS = {np.dtype(np.float32): lib.WEFT_F32, np.dtype(np.float64): lib.WEFT_F64}
COMPLEX = {np.dtype(np.complex64): lib.WEFT_F32, np.dtype(np.complex128): lib.WEFT_F64}
# A bool is a u8 that is 0 or 1.
NUMBERS = {**_INTEGERS, **FLOATS, np.dtype(np.bool_): lib.WEFT_U8}
FLAGS = {dtype: lib.WEFT_U8 for dtype in map(np.dtype, (np.bool_, np.uint8, np.int8))}
OFFSETS = {dtype: lib.WEFT_U64 for dtype in map(np.dtype, (np.uint64, np.int64))}

U64 = np.dtype(np.uint64)
DTYPES = {code: dtype for dtype, code in {**_INTEGERS, **FLOATS}.items()}

_CONTIGUOUS_AND_ALIGNED = 0x101  # NumPy's flags C_CONTIGUOUS and ALIGNED
_DLPACK_CUDA = 2  # kDLCUDA of __dlpack_device__
_DEFAULT_STREAM = 1  # of CUDA, as __cuda_array_interface__ calls it; elsewhere it is 0
_from_buffer = ffi.from_buffer


class Operand:
    """An array as the library takes it: contiguous in C order, aligned, of a type it knows."""

    device: Optional[str] = None  # of GPU memory
    stream: Optional[int] = None

    def __init__(self, kind: Kind, array: Any, pointer: Any, code: int) -> None:
        self.kind = kind
        self.array = array  # has shape, size, ndim and dtype
        self.pointer = pointer  # keeps host memory alive
        self.code = code  # the weft_dtype


# -------------------------------------------------------------------------------- taking arrays


def operand(x: Any, name: str, codes: dict[Any, int] = NUMBERS) -> Operand:
    """An input. Host arrays that are not contiguous, aligned and in the machine's byte order are copied."""
    if type(x) is np.ndarray:
        code = codes.get(x.dtype)
        if code is not None and x.flags.num & _CONTIGUOUS_AND_ALIGNED == _CONTIGUOUS_AND_ALIGNED:
            return Operand(NUMPY, x, _from_buffer(x), code)
        return _host_operand(NUMPY, x, name, codes)
    gpu = _gpu_operand(x, name, codes)
    return gpu if gpu else _host_operand(host_kind(x), host_view(x, name), name, codes)


def host_view(x: Any, name: str) -> Any:
    """The NumPy array that shares an array's memory, or is made of a list or a number."""
    if isinstance(x, np.ma.MaskedArray):
        raise TypeError(f"{name} is a masked array, whose mask would be lost; pass its data or compressed()")
    if hasattr(x, "__dlpack__") and not isinstance(x, (np.ndarray, np.generic)):
        try:
            return np.from_dlpack(x)
        except (BufferError, RuntimeError, TypeError) as refused:
            raise TypeError(f"{name}, a {type(x).__name__}, does not share its memory: {refused}") from refused
    return np.asarray(x)


def _host_operand(kind: Kind, x: Any, name: str, codes: dict[Any, int]) -> Operand:
    native = x.dtype.newbyteorder("=")
    code = codes.get(native)
    if code is None:
        raise TypeError(f"{name} has dtype {x.dtype}; it must be one of {', '.join(str(dtype) for dtype in codes)}")
    x = np.require(np.asarray(x, native), requirements=["C", "A"])
    return Operand(kind, x, _from_buffer(x), code)


class _View:
    """What is at an address of GPU memory, as __cuda_array_interface__ says it."""

    def __init__(self, x: Any, interface: dict[str, Any], name: str) -> None:
        self.source = x
        self.shape: tuple[int, ...] = tuple(interface["shape"])
        self.ndim = len(self.shape)
        self.size = int(np.prod(self.shape, dtype=np.int64))
        self.dtype = np.dtype(interface["typestr"])
        self.address, self.readonly = interface["data"]
        strides = interface.get("strides")
        expected = [self.dtype.itemsize * int(np.prod(self.shape[d + 1 :], dtype=np.int64)) for d in range(self.ndim)]
        apart = [d for d in range(self.ndim) if strides and self.shape[d] != 1 and strides[d] != expected[d]]
        if self.size and apart:
            raise ValueError(
                f"{name} is GPU memory of shape {self.shape} with strides {strides}; it must be contiguous in C order"
            )
        if interface.get("mask") is not None:
            raise TypeError(f"{name} is a masked array, whose mask would be lost")


def _gpu_operand(x: Any, name: str, codes: dict[Any, int]) -> Optional[Operand]:
    kind = gpu_kind(x)
    index = 0
    if hasattr(x, "__dlpack_device__"):
        where, index = x.__dlpack_device__()
        if where == _DLPACK_CUDA:
            kind.wait(x)
            x = x if hasattr(x, "__cuda_array_interface__") else cupy_view(x)
    interface = getattr(x, "__cuda_array_interface__", None)
    if interface is None:
        return None
    view = _View(x, interface, name)
    code = codes.get(view.dtype)
    if code is None:
        raise TypeError(f"{name} has dtype {view.dtype}; it must be one of {', '.join(str(dtype) for dtype in codes)}")
    y = Operand(kind, view, ffi.cast("void *", view.address), code)
    y.device = f"cuda:{index}"
    stream = interface.get("stream") or kind.stream(index) or 0
    y.stream = 0 if stream == _DEFAULT_STREAM else stream
    return y


def leader(*operands: Optional[Operand]) -> Operand:
    """Of several operands the one that decides on device, stream and kind: the first in GPU memory, else the first
    that is not NumPy's. Those in GPU memory must agree."""
    for one in operands:
        if one is not None and one.kind is not NUMPY:
            return _leader([one for one in operands if one is not None])
    assert operands[0] is not None
    return operands[0]


def _leader(given: list[Operand]) -> Operand:
    gpus = [one for one in given if one.device]
    for one in gpus:
        if (one.device, one.stream) != (gpus[0].device, gpus[0].stream):
            raise ValueError(
                f"arrays on {gpus[0].device}, stream {gpus[0].stream or 0:#x}, and on {one.device}, stream "
                f"{one.stream or 0:#x}; they must be on one device and stream"
            )
    return (gpus or [one for one in given if one.kind is not NUMPY] or given)[0]


def same_dtype(x: Operand, y: Operand, x_name: str, y_name: str) -> None:
    """Raises TypeError unless two operands have one dtype."""
    if x.code != y.code:
        raise TypeError(f"{x_name} has dtype {x.array.dtype} and {y_name} {y.array.dtype}; they must be the same")


def length(x: Operand, name: str) -> int:
    """The number of elements of a 1-D operand."""
    shape = x.array.shape
    if len(shape) != 1:
        raise ValueError(f"{name} has {len(shape)} dimensions; it must have 1")
    return int(shape[0])


# ------------------------------------------------------------------------------ taking numbers


def unsigned(value: Any, name: str) -> int:
    """A whole number that a uint64_t has."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}; it must be a whole number") from None
    if not 0 <= number < 1 << 64:
        raise ValueError(f"{name} is {number}; it must be 0 to 2^64 - 1")
    return number


def code_of(codes: dict[Any, int], word: Any, name: str) -> int:
    """What C calls the word of an argument that takes one of several."""
    if word not in codes:
        raise ValueError(f"{name} is {word!r}; it must be one of {', '.join(map(str, codes))}")
    return codes[word]


def dimensions(shape: Any, name: str) -> tuple[int, ...]:
    """A shape that was given as one, or as a number of elements."""
    given = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    wanted = tuple(unsigned(number, name) for number in given)
    if elements(wanted) >= 1 << 63:
        raise ValueError(f"{name} is {shape!r}; it must have less than 2^63 elements")
    return wanted


def elements(shape: tuple[int, ...]) -> int:
    """How many there are in an array of a shape."""
    return math.prod(shape)


# ----------------------------------------------------------------------------- giving results


def origin(out: Any, dtype: Any) -> Operand:
    """The leading operand of a result that is made of no array: `out` where it is in GPU memory, else NumPy's."""
    gpu = None if out is None or isinstance(out, np.ndarray) else _gpu_operand(out, "out", {dtype: 0})
    return gpu or Operand(NUMPY, None, None, 0)


def destination(like: Operand, out: Any, dtype: Any, shape: Shape) -> Operand:
    """Where a result goes: a new array of the leading operand's kind, or `out`."""
    if out is None:
        if like.device is not None:
            return _new(like, dtype, shape)
        array = np.empty(shape, dtype)
        return Operand(like.kind, array, _from_buffer(array), 0)
    if type(out) is np.ndarray:
        y = Operand(NUMPY, out, None, 0)
    else:
        gpu = _gpu_operand(out, "out", {dtype: 0})
        if not gpu and not isinstance(out, np.ndarray) and not hasattr(out, "__dlpack__"):
            raise TypeError(f"out is a {type(out).__name__}; it must be an array")
        if gpu and not like.device:
            raise TypeError(f"out is on {gpu.device}, and no input is")
        y = gpu if gpu else Operand(NUMPY, host_view(out, "out"), None, 0)
        leader(like, gpu)
    _check_out(y, dtype, (shape,) if isinstance(shape, int) else shape)
    if not y.device:
        if y.array.flags.num & _CONTIGUOUS_AND_ALIGNED != _CONTIGUOUS_AND_ALIGNED:
            y.array = np.empty(shape, dtype)
        y.pointer = _from_buffer(y.array)
    return y


class _Scalars(threading.local):
    """The calling thread's places for one value of each dtype, while they are not in use."""

    def __init__(self) -> None:
        self.places: dict[Any, Operand] = {}


_scalars = _Scalars()


def scalar_destination(like: Operand, out: Any, dtype: Any) -> Operand:
    """destination() of shape (); NumPy's numbers, which are copied when they are given, share a place."""
    if out is not None or like.kind is not NUMPY:
        return destination(like, out, dtype, ())
    return _scalars.places.pop(dtype, None) or destination(like, None, dtype, ())


def give_scalar(y: Operand, out: Any, dtype: Any) -> Any:
    """give() of what scalar_destination made."""
    if out is not None or y.kind is not NUMPY:
        return give(y, out)
    value = y.array[()]
    _scalars.places[dtype] = y
    return value


def _check_out(y: Operand, dtype: Any, shape: tuple[int, ...]) -> None:
    if y.array.dtype != dtype:
        raise TypeError(f"out has dtype {y.array.dtype}; it must be {dtype}")
    if tuple(y.array.shape) != shape:
        raise ValueError(f"out has shape {tuple(y.array.shape)}; it must be {shape}")
    if y.array.readonly if y.device else not y.array.flags.writeable:
        raise ValueError("out is read-only")


def _new(like: Operand, dtype: Any, shape: Shape) -> Operand:
    """An array in the memory of the GPU that `like` is on."""
    assert like.device and like.kind.empty
    shape = (shape,) if isinstance(shape, int) else shape
    made = like.kind.empty(shape, np.dtype(dtype), int(like.device[5:]))
    view = _View(made, made.__cuda_array_interface__, "the result")
    y = Operand(like.kind, view, ffi.cast("void *", view.address), 0)
    y.device, y.stream = like.device, like.stream
    return y


def give(y: Operand, out: Any = None, count: Optional[int] = None) -> Any:
    """What the caller gets of a destination: its array, or the first `count` elements of it; or `out`."""
    if y.kind is NUMPY and out is None and count is None:
        array = y.array
        return array if array.ndim else array[()]
    if out is not None:
        if y.device is None and y.array is not out:
            view = host_view(out, "out")
            if view.ctypes.data != y.array.ctypes.data:  # out was not contiguous
                view[...] = y.array
        return out if count is None else out[:count]
    if y.device:
        return y.kind.give(y.array.source if count is None else y.array.source[:count])
    if count is not None:
        y.pointer = None
        y.array.resize(count, refcheck=False)  # gives back the room that was not needed
    return y.kind.give(y.array)


# ------------------------------------------------------------------------------------- calling


def call(function: Any, on: Operand, device: Optional[str], *arguments: Any) -> None:
    """Calls a function of weft.h where the operand `on` is, or on `device`."""
    if on.device is None:
        opened = contexts.context(device)
        status = function(opened, *arguments)
        if status:
            raise exception(status, opened)
    elif device in (None, "auto", on.device) or (device == "cuda" and on.device == "cuda:0"):
        _call_on_stream(function, on, *arguments)
    else:  # a CPU would not survive the address
        raise ValueError(f"the array is on {on.device}, and the device asked for is {device}")


def _call_on_stream(function: Any, on: Operand, *arguments: Any) -> None:
    """The stream is the caller's, and may be gone after the call: the context goes back to its own, which waits."""
    stream = ffi.cast("void *", on.stream) if on.stream else ffi.NULL
    contexts.call(lib.weft_set_stream, on.device, stream)
    try:
        contexts.call(function, on.device, *arguments)
    finally:
        contexts.call(lib.weft_set_stream, on.device, ffi.NULL)


def host_value(value: Any, dtype: Any, name: str) -> Any:
    """One value of a dtype in host memory; NULL for None."""
    if value is None:
        return ffi.NULL
    given = np.asarray(value)
    if given.ndim or given.dtype.kind not in "biuf":
        raise TypeError(f"{name} is {value!r}; it must be a number")
    if dtype.kind in "iu" and (given != np.trunc(given) or not _fits(int(given), dtype)):
        raise ValueError(f"{name} is {value!r}, which {dtype} does not have")
    return _from_buffer(given.astype(dtype))


def _fits(value: int, dtype: Any) -> bool:
    limits = np.iinfo(dtype)
    return bool(limits.min <= value <= limits.max)


def accumulator(dtype: Any) -> int:
    """The weft_dtype of a dtype= argument; None is WEFT_DEFAULT."""
    if dtype is None:
        return 0
    code: Optional[int] = NUMBERS.get(np.dtype(dtype))
    if code is None:
        raise TypeError(f"dtype is {np.dtype(dtype)}; it must be one of {', '.join(map(str, DTYPES.values()))}")
    return code
