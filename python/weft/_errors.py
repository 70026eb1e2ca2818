"""What goes wrong, as Python's exceptions with weft's sentence."""

from __future__ import annotations

from typing import Any

from weft._native import ffi, lib


class Error(RuntimeError):
    """A device is not there, was lost, or a system of equations has no solution."""


_EXCEPTIONS: dict[int, type[Exception]] = {
    lib.WEFT_INVALID: ValueError,
    lib.WEFT_UNSUPPORTED: TypeError,
    lib.WEFT_EMPTY: ValueError,
    lib.WEFT_OUT_OF_MEMORY: MemoryError,
    lib.WEFT_IO: OSError,
}


def exception(status: int, context: Any) -> Exception:
    """The exception for a status that is not WEFT_OK; context may be NULL."""
    sentence = ffi.string(lib.weft_last_error(context)).decode()
    return _EXCEPTIONS.get(status, Error)(sentence or ffi.string(lib.weft_status_name(status)).decode())
