"""Devices, and the contexts of calls: one for each thread and device."""

from __future__ import annotations

import os
import threading
import weakref
from typing import Any, Callable, NamedTuple, Optional

from pyweft._native import ffi, lib
from pyweft._errors import exception, keep_fault

__all__ = ["Device", "devices", "set_device", "set_progress", "set_threads", "synchronize"]

Progress = Callable[[int, int], object]


class _Opened:
    """The contexts of one thread by device: those set to its number of threads, and those to be set again. scalars is
    used by _calls.py."""

    __slots__ = ("ready", "stale", "scalars", "__weakref__")

    def __init__(self) -> None:
        self.ready: dict[str, Any] = {}
        self.stale: dict[str, Any] = {}
        self.scalars: dict[Any, Any] = {}


class _Contexts(threading.local):
    """The calling thread's contexts, which are closed when the thread ends, and its settings."""

    def __init__(self) -> None:
        self.opened = _Opened()
        self.open = self.opened.ready
        self.stale = self.opened.stale
        self.threads = 0
        self.progress: Optional[Progress] = None
        _everywhere.add(self.opened)


_everywhere: weakref.WeakSet[_Opened] = weakref.WeakSet()
mine = _Contexts()
default = "cpu"
_limit: Optional[int] = None  # of the CPU threads of every context


def _forget() -> None:
    """A context does not survive fork(): the child opens its own."""
    mine.open.clear()
    mine.stale.clear()


os.register_at_fork(after_in_child=_forget)


def context(device: Optional[str]) -> Any:
    """The calling thread's context on a device (None: the default one), opened at its first use."""
    return mine.open.get(device or default) or _open(device or default)


def _open(device: str) -> Any:
    if not isinstance(device, str):
        raise TypeError(f"device is a {type(device).__name__}; it must be a string such as 'cpu' or 'cuda:0'")
    opened = mine.stale.pop(device, None) or _new(device)
    while True:
        limit = _limit
        lib.weft_set_threads(opened, _bounded(mine.threads))
        mine.open[device] = opened
        if limit == _limit:  # else another thread set it meanwhile
            return opened


def _new(device: str) -> Any:
    place = ffi.new("weft_context **")
    status = lib.weft_open(place, device.encode())
    if status:
        raise exception(status, ffi.NULL)
    opened = ffi.gc(place[0], lib.weft_close)
    _watch(opened)
    return opened


def call(function: Callable[..., int], device: Optional[str], *arguments: Any) -> None:
    """Calls a function of weft.h on a device, without the GIL."""
    opened = context(device)
    status = function(opened, *arguments)
    if status:
        raise exception(status, opened)


def set_device(device: str) -> None:
    """Selects the device that all threads use for arrays in host memory: "cpu" (the default), "cuda", "cuda:1",
    "auto" (a GPU if there is one, else the CPU), "ref" (the specification: slow). Never changes a result.

    The device is opened at once; an error is raised if it does not exist. Arrays in GPU memory are processed on
    their GPU.

    >>> weft.set_device("cpu")
    """
    global default
    context(device)
    default = device


def set_threads(threads: int) -> None:
    """Sets how many CPU threads the calls of the calling thread use; 0 is the default: OMP_NUM_THREADS, else the
    cores that this process may use. Never changes a result.

    >>> weft.set_threads(0)
    """
    for opened in [*mine.open.values()] or [context(None)]:
        status = lib.weft_set_threads(opened, _bounded(threads))
        if status:
            raise exception(status, opened)
    mine.threads = threads


# ---------------------------------------------------------------------- the limit of all threads


def _default_threads() -> int:
    info = ffi.new("weft_device_info *", {"size": ffi.sizeof("weft_device_info")})
    lib.weft_describe_device(0, info)
    return int(info.cores)


def _bounded(threads: int) -> int:
    """Returns the thread count for a context whose user requested `threads` (0: the default)."""
    return threads if _limit is None else min(_limit, threads or _default_threads())


def thread_limit() -> int:
    """Returns the maximum number of CPU threads of a call."""
    return _default_threads() if _limit is None else _limit


def limit_threads(limit: int) -> None:
    """Limits the CPU threads of later calls of all threads. The default is no limit."""
    global _limit
    _limit = None if limit == _default_threads() else max(1, limit)
    for opened in list(_everywhere):
        opened.stale.update(opened.ready)
        opened.ready.clear()


# ------------------------------------------------------------------------- progress and Ctrl-C


def _watch(opened: Any) -> None:
    """Installs the progress callback where it has something to do: in the main thread, in which Python runs the
    handlers of signals, and in a thread that asked for progress."""
    needed = mine.progress is not None or threading.current_thread() is threading.main_thread()
    lib.weft_set_progress(opened, lib.weft_python_progress if needed else ffi.NULL, ffi.NULL)


def _progress(_self: Any, done: int, total: int) -> int:
    """Called by the library at most 20 times a second. Before its first line Python runs the handlers of signals that
    came: Ctrl-C raises KeyboardInterrupt here."""
    if mine.progress is not None:
        mine.progress(done, total)
    return 0


ffi.def_extern(name="weft_python_progress", error=1, onerror=keep_fault)(_progress)


def set_progress(progress: Optional[Progress]) -> None:
    """Calls progress(done, total) during calls of the calling thread, at most 20 times a second. None: no calls.

    done   units of work, which differ from call to call; it never decreases during a call
    total  number of units, or 0 if it is not known
    An exception in progress cancels the call, which raises it; the contents of results are then undefined.
    The return value of progress is ignored. It must not call weft. Calls on a GPU are
    asynchronous, so progress is called only when they start.

    >>> weft.set_progress(lambda done, total: print(done, total))
    >>> weft.set_progress(None)
    """
    if progress is not None and not callable(progress):
        raise TypeError(f"progress is a {type(progress).__name__}; it must be a function or None")
    mine.progress = progress
    for opened in [*mine.open.values(), *mine.stale.values()]:
        _watch(opened)


def synchronize(device: Optional[str] = None) -> None:
    """Waits until all work that the calling thread submitted to a device is complete; raises its errors.

    >>> weft.synchronize()
    """
    call(lib.weft_synchronize, device)


class Device(NamedTuple):
    """Properties of a device. A number that does not apply or is not known is 0."""

    id: str
    name: str
    isa: str
    memory_bytes: int
    bandwidth_bytes: int
    cores: int


def devices() -> list[Device]:
    """The devices of this machine: the CPU, then each GPU that can be used.

    >>> weft.devices()[0].id
    'cpu'
    """
    found = []
    info = ffi.new("weft_device_info *", {"size": ffi.sizeof("weft_device_info")})
    for index in range(lib.weft_device_count()):
        status = lib.weft_describe_device(index, info)
        if status:
            raise exception(status, ffi.NULL)
        name, maker, isa = (ffi.string(text).decode() for text in (info.id, info.name, info.isa))
        found.append(Device(name, maker, isa, info.memory_bytes, info.bandwidth_bytes, info.cores))
    return found
