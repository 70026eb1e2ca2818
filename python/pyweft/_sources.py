"""Sources and sinks of weft.stream: .npy files, file objects, arrays, iterables, functions.

The library reads and writes files itself if their byte order and type need no conversion. All else goes through the
three functions at the end: the library calls those that read and rewind from its own thread, and the one that writes
from the caller's.
"""

from __future__ import annotations

import errno
import io
import os
import re
import stat
from typing import Any, Iterator, Optional

import numpy as np

from pyweft import _contexts as contexts
from pyweft._native import ffi, lib
from pyweft._arrays import HOST, WITH_F16, Array, Operand, destination, elements, give, host_view, operand

Source = Any  # a path, a binary file object, an array, an iterable of arrays, or a function that returns one
Sink = Any  # a path, a binary file object, an array, or a function that takes an array
BYTES = {np.dtype(np.uint8): lib.WEFT_U8}

_TO_THE_END = (1 << 64) - 1
_UNITS = {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}
_ARRAYS = ("__array_interface__", "__cuda_array_interface__", "__dlpack__")


class Port:
    """One source or sink of a call. What Python raises on the way is kept until the library's call is over."""

    fault: Optional[BaseException] = None

    def __init__(self) -> None:
        self.handle = ffi.new_handle(self)

    def close(self) -> None:
        """Releases what was opened; what is written and not finished goes."""


# ----------------------------------------------------------------------------------- sources


class Input(Port):
    """A source, for the library's functions at `c`."""

    shape: Optional[tuple[int, ...]] = None  # where it is known

    def __init__(self, code: int) -> None:
        super().__init__()
        self.code = code  # the weft_dtype
        self.c = ffi.new("weft_source *")

    def read_by_python(self, n: Optional[int], rewinds: bool) -> None:
        """The library calls fill() and rewind()."""
        self.c.dtype = self.code
        self.c.n = _TO_THE_END if n is None else n
        self.c.read = lib.weft_python_read
        self.c.rewind = lib.weft_python_rewind if rewinds else ffi.NULL
        self.c.self = self.handle

    def fill(self, buffer: memoryview) -> int:
        """Copies the next elements to `buffer`. Returns the number of bytes, 0 at the end."""
        raise NotImplementedError

    def rewind(self) -> None:
        """Back to the first element."""
        raise NotImplementedError


class _ArrayInput(Input):
    def __init__(self, x: Array, name: str, codes: dict[Any, int]) -> None:
        self.operand = operand(np.frombuffer(x, np.uint8) if isinstance(x, (bytes, bytearray)) else x, name, codes)
        if self.operand.device:
            raise TypeError(f"{name} is on {self.operand.device}; streamed arrays must be in host memory")
        super().__init__(self.operand.code)
        self.shape = tuple(self.operand.array.shape)
        self.channel = ffi.new("weft_channel *")
        n = self.operand.array.size
        self.c[0] = lib.weft_source_memory(self.channel, self.code, n, self.operand.pointer)


class _FileInput(Input):
    """A file object at the first element of an array, or of a text."""

    def __init__(self, file: Any, owned: bool, name: str, codes: dict[Any, int]) -> None:
        self.file, self.owned = file, owned
        self.dtype = np.dtype(np.uint8)
        n = None
        if codes is not BYTES:
            self.shape, self.dtype = _read_header(file, name)
            n = elements(self.shape)
        code = codes.get(self.dtype.newbyteorder("="))
        if code is None:
            raise TypeError(f"{name} has dtype {self.dtype}; it must be one of {', '.join(map(str, codes))}")
        super().__init__(code)
        if owned and self.dtype.isnative and file.seekable():
            self.channel = ffi.new("weft_channel *")
            to_the_end = _TO_THE_END if n is None else n
            self.c[0] = lib.weft_source_descriptor(self.channel, code, to_the_end, file.fileno())
            return
        rewinds = file.seekable() if hasattr(file, "seekable") else False
        self.start = file.tell() if rewinds else 0
        self.read_by_python(n, rewinds)

    def fill(self, buffer: memoryview) -> int:
        size, got = self.dtype.itemsize, 0
        while got == 0 or got % size:
            more = self.read_into(buffer[got:])
            if more == 0:
                break
            got += more
        if not self.dtype.isnative:
            np.frombuffer(buffer[: got - got % size], self.dtype.newbyteorder("=")).byteswap(inplace=True)
        return got

    def read_into(self, buffer: memoryview) -> int:
        if hasattr(self.file, "readinto"):
            got = self.file.readinto(buffer)
            if got is None:
                raise BlockingIOError(errno.EAGAIN, "the file object is non-blocking and has no data yet")
            return int(got)
        data = self.file.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def rewind(self) -> None:
        self.file.seek(self.start)

    def close(self) -> None:
        if self.owned:
            self.file.close()


class _ChunksInput(Input):
    """Arrays one after another. The first one says what the dtype is."""

    def __init__(self, x: Any, name: str, codes: dict[Any, int]) -> None:
        self.x, self.name, self.codes = x, name, codes
        self.rest = memoryview(b"")
        self.arrays = self.begin()
        first = next(self.arrays, None)
        if first is None:
            raise ValueError(f"{name} has no arrays, so its dtype is unknown")
        taken = self.take(first)
        self.dtype = taken.array.dtype
        super().__init__(taken.code)
        self.hold(taken)
        self.read_by_python(None, callable(x) or self.arrays is not x)

    def begin(self) -> Iterator[Any]:
        return iter(self.x() if callable(self.x) else self.x)

    def take(self, array: Any) -> Operand:
        given = np.frombuffer(array, np.uint8) if isinstance(array, (bytes, bytearray)) else array
        taken = operand(given, f"an array of {self.name}", self.codes)
        if taken.device:
            raise TypeError(f"an array of {self.name} is on {taken.device}; streamed arrays must be in host memory")
        return taken

    def hold(self, taken: Operand) -> None:
        if taken.array.dtype != self.dtype:
            raise TypeError(
                f"{self.name} has arrays of {self.dtype} and {taken.array.dtype}; they must have the same dtype"
            )
        data: Any = np.asarray(taken.array).reshape(-1).view(np.uint8)
        self.rest = memoryview(data)

    def fill(self, buffer: memoryview) -> int:
        while len(self.rest) == 0:
            array = next(self.arrays, None)
            if array is None:
                return 0
            self.hold(self.take(array))
        count = min(len(self.rest), len(buffer))
        buffer[:count] = self.rest[:count]
        self.rest = self.rest[count:]
        return count

    def rewind(self) -> None:
        self.arrays, self.rest = self.begin(), memoryview(b"")


def _read_header(file: Any, name: str) -> tuple[tuple[int, ...], Any]:
    """The shape and the dtype of a .npy file, of which no more is read than the header."""
    try:
        version = np.lib.format.read_magic(file)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, fortran, dtype = read(file)
    except ValueError as wrong:
        raise ValueError(f"{name} is not a .npy file: {wrong}") from None
    if fortran and len(shape) > 1:
        raise ValueError(f"{name} is in Fortran order; it must be in C order")
    return shape, dtype


def _open_input(x: Source, name: str, codes: dict[Any, int]) -> Input:
    if isinstance(x, (str, os.PathLike)):
        file = open(x, "rb", buffering=0)
        try:
            return _FileInput(file, True, os.fspath(x), codes)
        except BaseException:
            file.close()
            raise
    if isinstance(x, io.TextIOBase):
        raise TypeError(f"{name} is a text file object; it must be opened in binary mode")
    if hasattr(x, "read"):
        return _FileInput(x, False, name, codes)
    if isinstance(x, (bytes, bytearray)) or any(hasattr(x, protocol) for protocol in _ARRAYS):
        return _ArrayInput(x, name, codes)
    if callable(x) or hasattr(x, "__iter__"):
        return _ChunksInput(x, name, codes)
    raise TypeError(f"{name} is a {type(x).__name__}; it must be a path, a file object, or an iterable of arrays")


# ------------------------------------------------------------------------------------- sinks


class Output(Port):
    """A sink of `dtype`, for the library's functions at `c`. What it gets has n elements and that shape, or as many as
    come where they are not known."""

    def __init__(self, dtype: Any) -> None:
        super().__init__()
        self.dtype, self.bytes = dtype, 0
        self.c = ffi.new("weft_sink *", {"write": lib.weft_python_write, "self": self.handle})

    @property
    def count(self) -> int:
        return self.bytes // int(self.dtype.itemsize)

    def put(self, data: memoryview) -> None:
        """Takes the next elements."""
        raise NotImplementedError

    def finish(self) -> Any:
        """All of them are there: what the caller gets, which is their number."""
        return self.count


class _ArrayOutput(Output):
    def __init__(self, out: Array, dtype: Any, n: Optional[int]) -> None:
        super().__init__(dtype)
        view = host_view(out, "out") if not hasattr(out, "__cuda_array_interface__") else out
        self.out, size = out, int(np.prod(view.shape, dtype=np.int64))
        if size != n if n is not None else len(view.shape) != 1:
            wanted = "1 dimension" if n is None else f"{n} elements"
            raise ValueError(f"out has shape {tuple(view.shape)}; it must have {wanted}")
        self.y = destination(HOST, out, dtype, tuple(view.shape))
        self.channel = ffi.new("weft_channel *")
        self.c[0] = lib.weft_sink_memory(self.channel, size * dtype.itemsize, self.y.pointer)
        self.whole = n is not None

    def finish(self) -> Any:
        return give(self.y, self.out, None if self.whole else self.channel.at // int(self.dtype.itemsize))


class _FunctionOutput(Output):
    def __init__(self, out: Any, dtype: Any) -> None:
        super().__init__(dtype)
        self.out = out

    def put(self, data: memoryview) -> None:
        self.out(np.frombuffer(data, self.dtype).copy())


class _FileOutput(Output):
    """A .npy file. The header is written again at the end where the number of elements was not known."""

    def __init__(self, file: Any, dtype: Any, shape: Optional[tuple[int, ...]], name: str) -> None:
        super().__init__(dtype)
        self.file, self.shape = file, shape
        if shape is None and not file.seekable():
            raise ValueError(f"{name} is not seekable; it must be, because the number of elements is unknown")
        self.start = file.tell() if shape is None else 0
        self.write(memoryview(self.header()))

    def header(self) -> bytes:
        buffer = io.BytesIO()
        shape = (self.count,) if self.shape is None else self.shape
        about = {"descr": self.dtype.str, "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(buffer, about)
        return buffer.getvalue()

    def write(self, data: memoryview) -> None:
        while len(data):
            written = self.file.write(data)
            data = data[len(data) if written is None else written :]

    def put(self, data: memoryview) -> None:
        self.write(data)

    def finish(self) -> Any:
        if self.shape is None:
            end = self.file.tell()
            self.file.seek(self.start)
            self.write(memoryview(self.header()))
            self.file.seek(end)
        if hasattr(self.file, "flush"):
            self.file.flush()
        return self.count


class _PathOutput(_FileOutput):
    """Writes a temporary file next to the target and renames it at the end. A target that is not a regular file is
    written directly."""

    def __init__(self, path: str, dtype: Any, shape: Optional[tuple[int, ...]]) -> None:
        self.path = os.path.realpath(path)
        self.temporary: Optional[str] = None
        if not os.path.exists(self.path) or stat.S_ISREG(os.stat(self.path).st_mode):
            self.temporary = f"{self.path}.{os.urandom(6).hex()}"
        file = open(self.temporary or self.path, "xb" if self.temporary else "wb", buffering=0)
        try:
            super().__init__(file, dtype, shape, path)
        except BaseException:
            self.file = file
            self.close()
            raise

    def finish(self) -> Any:
        count = super().finish()
        if self.temporary:
            os.fsync(self.file.fileno())
            os.replace(self.temporary, self.path)
            self.temporary = None
        return count

    def close(self) -> None:
        self.file.close()
        if self.temporary:
            os.unlink(self.temporary)


def _open_output(out: Sink, dtype: Any, n: Optional[int], shape: Optional[tuple[int, ...]]) -> Output:
    if isinstance(out, (str, os.PathLike)):
        return _PathOutput(os.fspath(out), dtype, shape)
    if isinstance(out, io.TextIOBase):
        raise TypeError("out is a text file object; it must be opened in binary mode")
    if hasattr(out, "write"):
        return _FileOutput(out, dtype, shape, "out")
    if any(hasattr(out, protocol) for protocol in _ARRAYS):
        return _ArrayOutput(out, dtype, n)
    if callable(out):
        return _FunctionOutput(out, dtype)
    raise TypeError(f"out is a {type(out).__name__}; it must be a path, a file object, an array or a function")


# -------------------------------------------------------------------------------------- a call


def _memory(memory: Any) -> int:
    """The bytes of memory=: a number, or a text like "512M"."""
    if isinstance(memory, str):
        found = re.fullmatch(r"(\d+)([KMGT]?)", memory)
        if not found:
            raise ValueError(f"memory is {memory!r}; it must be a number of bytes, or a string such as '512M' or '2G'")
        return int(found[1]) << _UNITS[found[2]]
    return 0 if memory is None else int(memory)


class Call:
    """One call of the library with sources, which are closed with it."""

    def __init__(self, device: Optional[str], memory: Any) -> None:
        self.device, self.memory = device, _memory(memory)
        self.inputs: dict[str, Input] = {}
        self.given: dict[str, Any] = {}
        self.output: Optional[Output] = None
        if self.memory < 0 or self.memory >= 1 << 63:
            raise ValueError(f"memory is {memory!r}; it must be 1 to 2^63 - 1 bytes, or None")

    def __enter__(self) -> Call:
        return self

    def __exit__(self, *_: object) -> None:
        for port in self.ports():
            port.close()

    def ports(self) -> list[Port]:
        return [*self.inputs.values(), *([self.output] if self.output else [])]

    def source(self, x: Source, name: str, codes: dict[Any, int] = WITH_F16) -> Input:
        """Opens a source. What can be read only once cannot be two of them."""
        for other, taken in self.given.items():
            if taken is x and (hasattr(x, "read") or hasattr(x, "__next__")):
                raise ValueError(f"{other} and {name} are the same source: two different sources are required")
        self.inputs[name] = _open_input(x, name, codes)
        self.given[name] = x
        return self.inputs[name]

    def sink(self, out: Sink, dtype: Any, flat: bool = False) -> Output:
        """Opens the sink, of as many elements as the sources have, in their shape or flat."""
        known = [one for one in self.inputs.values() if one.c.n != _TO_THE_END]
        shapes = [one.shape for one in known if one.shape is not None]
        n = int(known[0].c.n) if known else None
        shape = None if n is None else shapes[0] if shapes and not flat else (n,)
        self.output = _open_output(out, dtype, n, shape)
        return self.output

    def run(self, function: Any, *arguments: Any) -> Any:
        """Calls the library; what the sink gives its caller. An exception of a source's or a sink's own comes out."""
        fault = None
        if self.memory:
            contexts.call(lib.weft_set_memory, self.device, self.memory)
        try:
            contexts.call(function, self.device, *arguments)
        except Exception:
            fault = next((port.fault for port in self.ports() if port.fault is not None), None)
            if fault is None:
                raise
        finally:
            if self.memory:
                contexts.call(lib.weft_set_memory, self.device, 0)
        if fault is not None:
            raise fault
        return self.output.finish() if self.output else None


def _keep_fault(_kind: Any, fault: BaseException, traceback: Any) -> None:
    """Keeps what one of the functions below raised, at whatever place of it: Ctrl-C may raise before its first line."""
    port: Port = ffi.from_handle(traceback.tb_frame.f_locals["self"])
    port.fault = fault
    ffi.errno = errno.EIO


def _read(self: Any, to: Any, size: int) -> int:
    port: Input = ffi.from_handle(self)
    return port.fill(memoryview(ffi.buffer(to, size)))


def _rewind(self: Any) -> int:
    port: Input = ffi.from_handle(self)
    port.rewind()
    return 0


def _write(self: Any, data: Any, size: int) -> int:
    port: Output = ffi.from_handle(self)
    port.bytes += size
    port.put(memoryview(ffi.buffer(data, size)))
    return 0


ffi.def_extern(name="weft_python_read", error=-1, onerror=_keep_fault)(_read)
ffi.def_extern(name="weft_python_rewind", error=-1, onerror=_keep_fault)(_rewind)
ffi.def_extern(name="weft_python_write", error=-1, onerror=_keep_fault)(_write)
