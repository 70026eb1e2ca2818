"""Operands: address, type and device of an array, for arrays of every supported library."""

from __future__ import annotations

import math
import operator
from typing import Any, Optional, Union

import numpy as np

from pyweft import _contexts as contexts
from pyweft._native import ffi, lib
from pyweft._errors import exception
from pyweft._kinds import NUMPY, Kind, cupy_view, gpu_kind, host_kind

Array = Any  # a NumPy, CuPy, PyTorch, JAX or Numba array, or what NumPy makes one of
Shape = Union[int, tuple[int, ...]]

INTEGERS: dict[Any, int] = {
    np.dtype(np.int8): lib.WEFT_I8,
    np.dtype(np.int16): lib.WEFT_I16,
    np.dtype(np.int32): lib.WEFT_I32,
    np.dtype(np.int64): lib.WEFT_I64,
    np.dtype(np.uint8): lib.WEFT_U8,
    np.dtype(np.uint16): lib.WEFT_U16,
    np.dtype(np.uint32): lib.WEFT_U32,
    np.dtype(np.uint64): lib.WEFT_U64,
}
FLOATS: dict[Any, int] = {np.dtype(np.float32): lib.WEFT_F32, np.dtype(np.float64): lib.WEFT_F64}
BOOL = np.dtype(np.bool_)
I64 = np.dtype(np.int64)  # of indices and counts, which the library writes as u64 less than 2^63
I32 = np.dtype(np.int32)
U64 = np.dtype(np.uint64)


class _Flag(int):
    """The weft_dtype of bool. The library takes it as WEFT_U8. In comparisons and tables it is a type of its own, and so
    are those of derived classes."""

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other

    __hash__ = int.__hash__


class Parts(_Flag):
    """The weft_dtype of the two parts of a complex number."""


FLAG = _Flag(lib.WEFT_U8)
COMPLEX: dict[Any, int] = {np.dtype(np.complex64): Parts(lib.WEFT_F32), np.dtype(np.complex128): Parts(lib.WEFT_F64)}
NUMBERS: dict[Any, int] = {**INTEGERS, **FLOATS, BOOL: FLAG}
F16 = np.dtype(np.float16)
WITH_F16: dict[Any, int] = {**NUMBERS, F16: lib.WEFT_F16}
WITH_COMPLEX: dict[Any, int] = {**WITH_F16, **COMPLEX}
FLAGS = {dtype: lib.WEFT_U8 for dtype in map(np.dtype, (np.bool_, np.uint8, np.int8))}
OFFSETS = {I64: lib.WEFT_U64, U64: lib.WEFT_U64}
DTYPES: dict[int, Any] = {code: dtype for dtype, code in WITH_F16.items()}
_ACCUMULATORS = {**INTEGERS, **FLOATS}

_ALIGNED = 0x100  # flag of NumPy
_CONTIGUOUS_AND_ALIGNED = 0x101  # and C_CONTIGUOUS
_DLPACK_CUDA = 2  # kDLCUDA of __dlpack_device__
_DEFAULT_STREAM = 1  # of CUDA, as __cuda_array_interface__ calls it; elsewhere it is 0
_ADDRESS = ffi.typeof("void *")
_from_buffer = ffi.from_buffer
_new = ffi.new
_mine = contexts.mine


class Operand:
    """An array that the library accepts: contiguous in C order, aligned, of a supported type.

    The functions that create an operand set its fields: an __init__ would be a tenth of the cost of a call."""

    __slots__ = ("kind", "array", "pointer", "code", "device", "index", "stream")

    kind: Kind
    array: Any  # has shape, size, ndim and dtype
    pointer: Any  # keeps host memory alive
    code: int  # the weft_dtype
    device: Optional[str]  # of GPU memory, which has an index and a stream (0: the default one) too
    index: int
    stream: int


# -------------------------------------------------------------------------------- taking arrays


def operand(x: Any, name: str, codes: dict[Any, int] = NUMBERS, strided: bool = False) -> Operand:
    """An input. Host arrays that are not contiguous, aligned and in the machine's byte order are copied; those that a
    function of views reads (strided) need not be contiguous."""
    kind = NUMPY
    if type(x) is not np.ndarray:
        gpu = _gpu_operand(x, name, codes, strided)
        if gpu:
            return gpu
        kind, x = host_kind(x), host_view(x, name)
    code = codes.get(x.dtype)
    if code is None or not (x.flags.carray or _is_usable(x, strided)):  # carray is quick, but False of read-only arrays
        code, x = _copy(x, name, codes)
    y = Operand()
    y.kind = kind
    y.array = x
    y.pointer = _address(x) if strided else _from_buffer(x)
    y.code = code
    y.device = None
    return y


def _is_usable(x: Any, strided: bool) -> bool:
    """True if the library can use a host array of one of its types without a copy."""
    needed = _ALIGNED if strided else _CONTIGUOUS_AND_ALIGNED
    usable: bool = x.flags.num & needed == needed
    return usable


def _address(array: Any) -> Any:
    """The address of the first element of a host array of any strides."""
    if array.flags.c_contiguous:
        return _from_buffer(array)
    return ffi.cast(_ADDRESS, array.__array_interface__["data"][0])


def host_view(x: Any, name: str) -> Any:
    """The NumPy array that shares an array's memory, or is made of a list or a number."""
    if isinstance(x, np.ma.MaskedArray):
        raise TypeError(f"{name} is a masked array, whose mask would be ignored; pass its data or compressed()")
    if hasattr(x, "__dlpack__") and not isinstance(x, (np.ndarray, np.generic)):
        if getattr(x, "is_neg", bool)():  # PyTorch's x.conj().imag, whose sign DLPack does not carry
            raise TypeError(f"{name} is a {type(x).__name__} with lazy negation; pass its resolve_neg()")
        try:
            return np.from_dlpack(x)
        except (BufferError, RuntimeError, TypeError) as refused:
            raise TypeError(f"{name} is a {type(x).__name__} whose memory cannot be shared: {refused}") from refused
    return np.asarray(x)


def _copy(x: Any, name: str, codes: dict[Any, int]) -> tuple[int, Any]:
    """The weft_dtype of a host array, and what the library takes for it."""
    native = x.dtype.newbyteorder("=")
    code = codes.get(native)
    if code is None:
        raise TypeError(f"{name} has dtype {x.dtype}; it must be one of {', '.join(str(dtype) for dtype in codes)}")
    return code, np.require(np.asarray(x, native), requirements=["C", "A"])


class _View:
    """An array at an address of GPU memory."""

    def __init__(
        self,
        source: Any,
        address: int,
        shape: tuple[int, ...],
        dtype: Any,
        readonly: bool,
        strides: Optional[tuple[int, ...]] = None,
    ) -> None:
        self.source = source
        self.address = address
        self.shape = shape
        self.given_strides = strides
        self.ndim = len(shape)
        self.size = elements(shape)
        self.dtype = dtype
        self.readonly = readonly

    @property
    def strides(self) -> tuple[int, ...]:
        """Distances of elements in bytes; those of C order if the interface has none."""
        if self.given_strides is not None:
            return self.given_strides
        return tuple([self.dtype.itemsize * elements(self.shape[k + 1 :]) for k in range(self.ndim)])

    @property
    def contiguous(self) -> bool:
        """True if the elements are contiguous in C order."""
        apart = self.dtype.itemsize
        if self.given_strides is None or self.size == 0:
            return True
        for n, stride in zip(reversed(self.shape), reversed(self.given_strides)):
            if n != 1 and stride != apart:
                return False
            apart *= n
        return True


def is_contiguous(array: Any) -> bool:
    """True if the elements of an operand's array are contiguous in C order."""
    found: bool = array.contiguous if type(array) is _View else array.flags.c_contiguous
    return found


def _view(x: Any, interface: dict[str, Any], name: str, strided: bool) -> _View:
    """Returns the view that __cuda_array_interface__ describes. Unless `strided`, it must be contiguous."""
    address, readonly = interface["data"]
    strides = interface.get("strides")
    view = _View(x, address, tuple(interface["shape"]), np.dtype(interface["typestr"]), readonly, strides)
    if not strided and not view.contiguous:
        raise ValueError(
            f"{name} is GPU memory of shape {view.shape} with strides {strides}; it must be contiguous in C order"
        )
    if interface.get("mask") is not None:
        raise TypeError(f"{name} is a masked array, whose mask would be ignored")
    return view


def _gpu_operand(x: Any, name: str, codes: dict[Any, int], strided: bool = False) -> Optional[Operand]:
    """None of an array in host memory. The interface is asked for once, since libraries make it anew each time."""
    kind = gpu_kind(x)
    where, index = x.__dlpack_device__() if hasattr(x, "__dlpack_device__") else (None, 0)
    if where == _DLPACK_CUDA:
        kind.wait(x)
    interface = getattr(x, "__cuda_array_interface__", None)
    if interface is None:
        if where != _DLPACK_CUDA:
            return None
        x = cupy_view(x)
        interface = x.__cuda_array_interface__
    view = _view(x, interface, name, strided)
    code = codes.get(view.dtype)
    if code is None:
        raise TypeError(f"{name} has dtype {view.dtype}; it must be one of {', '.join(str(dtype) for dtype in codes)}")
    stream = interface.get("stream") or kind.stream(index) or 0
    return _on_gpu(kind, view, code, index, 0 if stream == _DEFAULT_STREAM else stream)


def _on_gpu(kind: Kind, view: _View, code: int, index: int, stream: int) -> Operand:
    y = Operand()
    y.kind = kind
    y.array = view
    y.pointer = ffi.cast(_ADDRESS, view.address)
    y.code = code
    y.device = f"cuda:{index}"
    y.index = index
    y.stream = stream
    return y


def argument(x: Operand) -> Any:
    """The array of an operand, as an argument of a public function."""
    return x.array if x.device is None else x.array.source


def converted(x: Operand, code: int, dtype: Any) -> Operand:
    """An operand of another dtype with an operand's values."""
    if x.device is None:
        y = operand(x.array.astype(dtype), "x", {dtype: code})
        y.kind = x.kind
        return y
    made = x.kind.cast(x.array.source, dtype)
    return _on_gpu(x.kind, _View(made, x.kind.address(made), x.array.shape, dtype, False), code, x.index, x.stream)


def narrowed(x: Operand, code: int, dtype: Any) -> Operand:
    """The lowest bytes of an operand of wider integers as elements of a narrower type, without a copy."""
    y = Operand()
    y.kind, y.pointer, y.code, y.device = x.kind, x.pointer, code, x.device
    if x.device is None:
        low = {"names": ["low"], "formats": [dtype], "offsets": [0], "itemsize": x.array.dtype.itemsize}
        y.array = x.array.view(low)["low"]
    else:
        y.index, y.stream = x.index, x.stream
        y.array = _View(x.array.source, x.array.address, x.array.shape, dtype, False, x.array.strides)
    return y


def leader(x: Operand, *others: Optional[Operand]) -> Operand:
    """Returns the operand that determines device, stream and kind: the first in GPU memory, else the first that is
    not NumPy's. Operands in GPU memory must be on one device."""
    for other in others:
        if other is not None and other.kind is not NUMPY:
            return _leader([x, *others])
    return x


def _leader(given: list[Optional[Operand]]) -> Operand:
    foreign = [one for one in given if one is not None and one.kind is not NUMPY]
    gpus = [one for one in foreign if one.device]
    for one in gpus[1:]:
        if one.index != gpus[0].index or one.stream != gpus[0].stream:
            raise ValueError(
                f"arrays on {gpus[0].device}, stream {gpus[0].stream:#x}, and on {one.device}, stream "
                f"{one.stream:#x}; they must be on the same device and stream"
            )
    return (gpus or foreign)[0]


def pair(
    x: Any, y: Any, x_name: str, y_name: str, codes: dict[Any, int] = NUMBERS, strided: bool = False
) -> tuple[Operand, Operand, Operand]:
    """Two inputs of one dtype, and the leading one."""
    a, b = operand(x, x_name, codes, strided), operand(y, y_name, codes, strided)
    if a.code != b.code:  # saves a call of Python
        same_dtype(a, b, x_name, y_name)
    return a, b, a if b.kind is NUMPY else leader(a, b)


def same_dtype(x: Operand, y: Operand, x_name: str, y_name: str) -> None:
    """Raises TypeError unless two operands have one dtype."""
    if x.code != y.code:
        raise TypeError(f"{x_name} has dtype {x.array.dtype} and {y_name} {y.array.dtype}; they must be the same")


def dimensions_of(n: int) -> str:
    """A number of dimensions as a phrase of a message."""
    return f"{n} dimension" if n == 1 else f"{n} dimensions"


def check_vector(array: Any, name: str) -> None:
    """Raises ValueError unless an array has one dimension."""
    if array.ndim != 1:
        raise ValueError(f"{name} has {array.ndim} dimensions; it must have 1")


def length(x: Operand, name: str) -> int:
    """The number of elements of a 1-D operand."""
    check_vector(x.array, name)
    n: int = x.array.size
    return n


# ------------------------------------------------------------------------------ taking numbers


def unsigned(value: Any, name: str) -> int:
    """A whole number that a uint64_t has."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}; it must be an integer") from None
    if not 0 <= number < 1 << 64:
        raise ValueError(f"{name} is {number}; it must be 0 to 2^64 - 1")
    return number


def code_of(codes: dict[Any, int], word: Any, name: str) -> int:
    """Returns the constant of C for a word; raises ValueError if it is none of `codes`."""
    if word not in codes:
        raise ValueError(f"{name} is {word!r}; it must be one of {', '.join(map(str, codes))}")
    return codes[word]


def dimensions(shape: Any, name: str) -> tuple[int, ...]:
    """A shape that was given as one, or as a number of elements."""
    many = isinstance(shape, (tuple, list))
    wanted = tuple([unsigned(number, name) for number in shape]) if many else (unsigned(shape, name),)
    if math.prod(wanted) >= 1 << 63:
        raise ValueError(f"{name} is {shape!r}; it must have fewer than 2^63 elements")
    return wanted


def elements(shape: tuple[int, ...]) -> int:
    """How many there are in an array of a shape."""
    return math.prod(shape)


# ----------------------------------------------------------------------------- giving results

HOST = operand(np.empty(0), "nothing")  # leads where there is no array


def origin(out: Any, dtype: Any, strided: bool = False) -> Optional[Operand]:
    """The leading operand of a result that is made of no array: `out` where it is in GPU memory, else None."""
    return None if out is None or isinstance(out, np.ndarray) else _gpu_operand(out, "out", {dtype: 0}, strided)


def shape_of(out: Any, default: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of `out`; the default of None, and of what is not an array."""
    shape = getattr(out, "shape", None)
    if shape is None:
        shape = getattr(out, "__cuda_array_interface__", {}).get("shape", default)
    return tuple(shape)


def destination(
    like: Operand,
    out: Any,
    dtype: Any,
    shape: Shape,
    strided: bool = False,
    in_place: bool = False,
    inputs: Optional[list[Any]] = None,
) -> Operand:
    """Where a result goes: a new array of the leading operand's kind, or `out`.

    strided   a function of views writes it, which does not need a contiguous `out`
    in_place  `out` may be one of the inputs
    inputs    the arrays of the operands that the function of views reads; None: that of the leading one"""
    if out is not None:
        read = [like.array] if inputs is None else inputs
        return _given(like, out, dtype, (shape,) if isinstance(shape, int) else shape, strided, in_place, read)
    if like.device is not None:
        return _new_on_gpu(like, dtype, (shape,) if isinstance(shape, int) else shape)
    y = Operand()
    y.kind = like.kind
    y.array = np.empty(shape, dtype)
    y.pointer = _from_buffer(y.array)
    y.device = None
    return y


def _given(
    like: Operand, out: Any, dtype: Any, shape: tuple[int, ...], strided: bool, in_place: bool, inputs: list[Any]
) -> Operand:
    """`out`; in its place an array for give() to copy, where the library cannot write it."""
    gpu = None if isinstance(out, np.ndarray) else _gpu_operand(out, "out", {dtype: 0}, strided)
    if gpu:
        if not like.device:
            raise TypeError(f"out is on {gpu.device}, but no input is")
        leader(like, gpu)
        _check_out(gpu.array, not gpu.array.readonly, dtype, shape)
        return gpu
    if not isinstance(out, np.ndarray) and not hasattr(out, "__dlpack__"):
        raise TypeError(f"out is a {type(out).__name__}; it must be an array")
    array = out if type(out) is np.ndarray else host_view(out, "out")
    _check_out(array, array.flags.writeable, dtype, shape)
    usable = _is_usable(array, strided)
    if strided:
        usable = usable and all([type(x) is _View or _is_apart(array, x, in_place) for x in inputs])
    y = Operand()
    y.kind = NUMPY
    y.array = array if usable else np.empty(shape, dtype)
    y.pointer = _address(y.array) if strided else _from_buffer(y.array)
    y.device = None
    return y


def _is_apart(x: Any, y: Any, in_place: bool) -> bool:
    """False if the memory from the first to the last element of one host array overlaps that of the other, unless both
    are the same view and `in_place`."""
    same = x.shape == y.shape and x.strides == y.strides and x.dtype == y.dtype
    if in_place and same and x.ctypes.data == y.ctypes.data:
        return True
    return not np.may_share_memory(x, y)


def _check_out(array: Any, writeable: bool, dtype: Any, shape: tuple[int, ...]) -> None:
    if array.dtype != dtype:
        raise TypeError(f"out has dtype {array.dtype}; it must be {dtype}")
    if array.shape != shape:
        raise ValueError(f"out has shape {array.shape}; it must be {shape}")
    if not writeable:
        raise ValueError("out is read-only")


def _new_on_gpu(like: Operand, dtype: Any, shape: tuple[int, ...]) -> Operand:
    """An array in the memory of the GPU that `like` is on."""
    assert like.kind.empty
    made = like.kind.empty(shape, dtype, like.index)
    view = _View(made, like.kind.address(made), shape, dtype, False)
    return _on_gpu(like.kind, view, 0, like.index, like.stream)


def give(y: Operand, out: Any = None, count: Optional[int] = None) -> Any:
    """Returns the result of a call: `out`, or the array of the destination, or its first `count` elements."""
    if y.kind is NUMPY and out is None and count is None:
        array = y.array
        return array if array.ndim else array[()]
    if out is not None:
        if y.device is None and y.array is not out:
            view = host_view(out, "out")
            if view.ctypes.data != y.array.ctypes.data:  # out was not contiguous
                part = ... if count is None else slice(count)
                view[part] = y.array[part]
        return out if count is None else out[:count]
    if y.device:
        return y.kind.give(y.array.source if count is None else y.array.source[:count])
    if count is not None:
        y.pointer = None
        y.array.resize(count, refcheck=False)  # releases the memory after the last element
    return y.kind.give(y.array)


# ------------------------------------------------------------------------------------- calling


def call(function: Any, on: Operand, device: Optional[str], *arguments: Any) -> None:
    """Calls a function of weft.h where the operand `on` is, or on `device`."""
    if on.device is not None:
        device = _device_of(on, device)
        if on.stream:
            _call_on_stream(function, on, *arguments)
            return
    opened = _mine.open.get(device or contexts.default) or contexts.context(device)
    status = function(*(opened,) + arguments)
    if status:
        raise exception(status, opened)


def _device_of(on: Operand, device: Optional[str]) -> Optional[str]:
    """The device of an operand in GPU memory, whose address a CPU would not survive."""
    if device in (None, "auto", on.device) or (device == "cuda" and on.index == 0):
        return on.device
    raise ValueError(f"the array is on {on.device}, but device is {device}")


def _call_on_stream(function: Any, on: Operand, *arguments: Any) -> None:
    """The stream is the caller's, and may be gone after the call: the context goes back to its own, which waits."""
    contexts.call(lib.weft_set_stream, on.device, ffi.cast(_ADDRESS, on.stream))
    try:
        contexts.call(function, on.device, *arguments)
    finally:
        contexts.call(lib.weft_set_stream, on.device, ffi.NULL)


def _limits(dtype: Any) -> tuple[int, int]:
    limits = np.iinfo(dtype)
    return int(limits.min), int(limits.max)


_BEYOND_F32 = 2.0**128 - 2.0**103  # the least number that rounds to infinity
_BEYOND_F16 = 65520.0
_LIMITS = {BOOL: (0, 1), **{dtype: _limits(dtype) for dtype in INTEGERS}}


def check_number(number: Any, dtype: Any, name: str) -> None:
    """Raises ValueError unless the dtype has a number; a float may round it, but not to an infinity."""
    limits = _LIMITS.get(dtype)
    if limits:
        if limits[0] <= number <= limits[1] and number == int(number):
            return
    elif dtype.itemsize == 8 or not (_BEYOND_F16 if dtype == F16 else _BEYOND_F32) <= abs(number) < math.inf:
        return
    raise ValueError(f"{name} is {number!r}, which {dtype} cannot represent")


_EXACT = 1 << 53  # all integers of at most this magnitude are doubles
_CELLS = {
    **{dtype: ffi.typeof(f"{dtype}_t *") for dtype in INTEGERS},
    BOOL: ffi.typeof("uint8_t *"),
    np.dtype(np.float32): ffi.typeof("float *"),
    np.dtype(np.float64): ffi.typeof("double *"),
}


def host_value(value: Any, dtype: Any, name: str) -> Any:
    """One value of a dtype in host memory; NULL for None."""
    if value is None:
        return ffi.NULL
    if dtype in _CELLS and (type(value) is float or (type(value) is int and -_EXACT <= value <= _EXACT)):
        check_number(value, dtype, name)
        return _new(_CELLS[dtype], value if dtype in FLOATS else int(value))
    given = np.array(value)
    if given.ndim or given.dtype.kind not in "biuf":
        raise TypeError(f"{name} is {value!r}; it must be a number")
    check_number(given.item(), dtype, name)
    return _from_buffer(given.astype(dtype, copy=False))


def of_list(values: Any, dtype: Any, name: str) -> Any:
    """The array of a list or a number, in a dtype that has all of its numbers; an array is left as it is."""
    if type(values) is np.ndarray or not isinstance(values, (list, tuple, int, float)):
        return values
    given = np.asarray(values)
    if given.dtype.kind not in "biuf":
        raise TypeError(f"{name} has dtype {given.dtype}; it must be {dtype}")
    for number in given.ravel().tolist() if given.dtype != dtype else ():
        check_number(number, dtype, name)
    return given.astype(dtype, copy=False)


def accumulator(dtype: Any) -> int:
    """The weft_dtype of a dtype= argument; None is WEFT_DEFAULT."""
    if dtype is None:
        return 0
    code: Optional[int] = _ACCUMULATORS.get(np.dtype(dtype))
    if code is None:
        raise TypeError(f"dtype is {np.dtype(dtype)}; it must be one of {', '.join(map(str, _ACCUMULATORS))}")
    return code


def exactly(accumulate: Optional[str], dtype: Any = None) -> bool:
    """Whether accumulate= asks for exact sums (WEFT_EXACT_SUM), which are rounded to the type of the elements."""
    if accumulate is None:
        return False
    if accumulate != "exact":
        raise ValueError(f"accumulate is {accumulate!r}; it must be None or 'exact'")
    if dtype is not None:
        raise ValueError("accumulate='exact' gives a result of the elements' type; dtype must be None")
    return True


def wide_accumulator(code: int, dtype: Any) -> int:
    """accumulator() for elements of a weft_dtype. Sums of bools in int64 are those in u64, which have the same bits."""
    wide = accumulator(dtype)
    return lib.WEFT_U64 if code is FLAG and wide == lib.WEFT_I64 else wide
