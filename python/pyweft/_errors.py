"""Errors of the library as Python exceptions, with its messages."""

from __future__ import annotations

import threading
from typing import Any, Optional

from pyweft._native import ffi, lib

__all__ = ["Error"]


class Error(RuntimeError):
    """A device is not there, was lost, or a system of equations has no solution."""


_EXCEPTIONS: dict[int, type[Exception]] = {
    lib.WEFT_INVALID: ValueError,
    lib.WEFT_UNSUPPORTED: TypeError,
    lib.WEFT_EMPTY: ValueError,
    lib.WEFT_OUT_OF_MEMORY: MemoryError,
    lib.WEFT_IO: OSError,
}


class _Raised(threading.local):
    """The exception of the progress callback of this thread's call, until the call returns."""

    fault: Optional[BaseException] = None


_raised = _Raised()


def keep_fault(_kind: Any, fault: BaseException, _traceback: Any) -> None:
    """Keeps an exception that cffi caught in the progress callback, for exception() to return."""
    _raised.fault = fault


def exception(status: int, context: Any) -> BaseException:
    """The exception for a status that is not WEFT_OK; context may be NULL."""
    if _raised.fault is not None:
        fault, _raised.fault = _raised.fault, None
        return fault
    sentence = ffi.string(lib.weft_last_error(context)).decode()
    return _EXCEPTIONS.get(status, Error)(sentence or ffi.string(lib.weft_status_name(status)).decode())
