"""Devices, and the contexts that calls run on: one for each thread and device."""

from __future__ import annotations

import os
import threading
from typing import Any, Callable, NamedTuple, Optional

from weft._native import ffi, lib
from weft._errors import exception


class _Contexts(threading.local):
    """The calling thread's open contexts by device; they are closed when the thread ends."""

    def __init__(self) -> None:
        self.open: dict[str, Any] = {}
        self.threads = 0


_mine = _Contexts()
_default = "cpu"

# A context does not survive fork(): the child opens its own.
os.register_at_fork(after_in_child=lambda: _mine.open.clear())


def context(device: Optional[str]) -> Any:
    """The calling thread's context on a device (None: the default one), opened at its first use."""
    return _mine.open.get(device or _default) or _open(device or _default)


def _open(device: str) -> Any:
    if not isinstance(device, str):
        raise TypeError(f"device is a {type(device).__name__}; it must be a string like 'cpu' or 'cuda:0'")
    place = ffi.new("weft_context **")
    status = lib.weft_open(place, device.encode())
    if status:
        raise exception(status, ffi.NULL)
    opened = ffi.gc(place[0], lib.weft_close)
    lib.weft_set_threads(opened, _mine.threads)
    _mine.open[device] = opened
    return opened


def call(function: Callable[..., int], device: Optional[str], *arguments: Any) -> None:
    """Calls a function of weft.h on a device, without the GIL."""
    opened = context(device)
    status = function(opened, *arguments)
    if status:
        raise exception(status, opened)


def set_device(device: str) -> None:
    """Chooses where arrays in host memory are worked on by all threads: "cpu" (from the start), "cuda", "cuda:1",
    "auto" (a GPU if there is one, else the CPU), "ref" (the specification: slow). Never changes a result.

    The device is opened, so that one that is not there is told at once. GPU arrays are worked on where they are.

    >>> weft.set_device("cpu")
    """
    global _default
    context(device)
    _default = device


def set_threads(threads: int) -> None:
    """Sets how many CPU threads the calls of the calling thread use; 0 is the default: OMP_NUM_THREADS, else the
    cores that this process may use. Never changes a result.

    >>> weft.set_threads(0)
    """
    for opened in [*_mine.open.values()] or [context(None)]:
        status = lib.weft_set_threads(opened, threads)
        if status:
            raise exception(status, opened)
    _mine.threads = threads


def synchronize(device: Optional[str] = None) -> None:
    """Waits until all work that the calling thread gave to a device is complete, and raises its faults.

    >>> weft.synchronize()
    """
    call(lib.weft_synchronize, device)


class Device(NamedTuple):
    """What there is to know of a device. A number that does not apply or is not known is 0."""

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
    info = ffi.new("weft_device_info *")
    for index in range(lib.weft_device_count()):
        status = lib.weft_describe_device(index, info)
        if status:
            raise exception(status, ffi.NULL)
        name, maker, isa = (ffi.string(text).decode() for text in (info.id, info.name, info.isa))
        found.append(Device(name, maker, isa, info.memory_bytes, info.bandwidth_bytes, info.cores))
    return found
