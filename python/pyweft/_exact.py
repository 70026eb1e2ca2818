"""Exact sums that are added to, merged, stored and sent (docs/ops/exact.md; ORDER.md 30)."""

from __future__ import annotations

from typing import Any, Optional, Union

import numpy as np

from pyweft._native import ffi, lib
from pyweft._arrays import FLOATS, Array, call, operand, pair
from pyweft._errors import exception

__all__ = ["ExactSum"]

_F64 = np.dtype(np.float64)


def _checked(status: int) -> None:
    if status:
        raise exception(status, ffi.NULL)


class ExactSum:
    """Exact sum of terms: elements, magnitudes, squares or products of float32 and float64, in any mixture.

    x  an array whose elements are added, or None
    Sums of parts are merged with + and +=, in any order; bytes() and pickle store them and send them to other
    processes and machines. Equal sums of equally many terms are ==, and have equal bytes. sum(), mean() and norm2()
    round the exact value once. Only one thread at a time may use a sum. Order: none; ORDER.md 30.

    >>> total = weft.ExactSum([1e100, 1.0])
    >>> total.add([-1e100]).sum()
    np.float64(1.0)
    >>> parts = [weft.ExactSum(part) for part in np.array_split(np.full(10, 0.1), 3)]
    >>> sum(parts).sum(), sum(reversed(parts)) == sum(parts)
    (np.float64(1.0), True)
    >>> weft.ExactSum.from_bytes(bytes(total)).count
    3
    """

    __slots__ = ("_state",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, x: Optional[Array] = None, *, device: Optional[str] = None) -> None:
        self._state = ffi.new("weft_exact_state *")
        if x is not None:
            self.add(x, device=device)

    def _add(self, op: int, x: Array, device: Optional[str]) -> ExactSum:
        a = operand(x, "x", FLOATS)
        call(lib.weft_exact_add, a, device, op, a.code, a.array.size, a.pointer, self._state)
        return self

    def add(self, x: Array, *, device: Optional[str] = None) -> ExactSum:
        """Adds the elements of an array of any shape. Returns this sum."""
        return self._add(lib.WEFT_SUM, x, device)

    def add_magnitudes(self, x: Array, *, device: Optional[str] = None) -> ExactSum:
        """Adds the magnitudes of the elements. sum() is then their 1-norm. Returns this sum."""
        return self._add(lib.WEFT_NORM1, x, device)

    def add_squares(self, x: Array, *, device: Optional[str] = None) -> ExactSum:
        """Adds the squares of the elements. norm2() is then their 2-norm. Returns this sum."""
        return self._add(lib.WEFT_NORM2, x, device)

    def add_dot(self, x: Array, y: Array, *, device: Optional[str] = None) -> ExactSum:
        """Adds the products x[i] * y[i] of two arrays of one shape and dtype. Returns this sum."""
        a, b, on = pair(x, y, "x", "y", FLOATS)
        if a.array.shape != b.array.shape:
            raise ValueError(f"x has shape {a.array.shape} and y {b.array.shape}; they must be the same")
        call(lib.weft_exact_add_dot, on, device, a.code, a.array.size, a.pointer, b.pointer, self._state)
        return self

    def __iadd__(self, other: ExactSum) -> ExactSum:
        if not isinstance(other, ExactSum):
            return NotImplemented
        _checked(lib.weft_exact_merge(other._state, self._state))
        return self

    def __add__(self, other: ExactSum) -> ExactSum:
        if not isinstance(other, ExactSum):
            return NotImplemented
        merged = ExactSum()
        merged += self
        merged += other
        return merged

    def __radd__(self, other: int) -> ExactSum:
        """Lets sum() of Python begin with 0."""
        return ExactSum() + self if isinstance(other, int) and other == 0 else NotImplemented

    def _rounded(self, op: int, dtype: Any) -> Any:
        wanted = np.dtype(dtype)
        if wanted not in FLOATS:
            raise TypeError(f"dtype is {wanted}; it must be float32 or float64")
        value = np.empty(1, wanted)
        _checked(lib.weft_exact_value(op, FLOATS[wanted], self._state, ffi.from_buffer(value)))
        return value[0]

    def sum(self, dtype: Any = _F64) -> Any:
        """The sum, rounded once to float64 or float32, whatever the terms were. The empty sum is 0."""
        return self._rounded(lib.WEFT_SUM, dtype)

    def mean(self, dtype: Any = _F64) -> Any:
        """The sum divided by the number of terms, rounded once. ValueError if there are none."""
        return self._rounded(lib.WEFT_MEAN, dtype)

    def norm2(self, dtype: Any = _F64) -> Any:
        """The square root of the sum, rounded once: the 2-norm if the terms are squares. NaN if the sum is negative."""
        return self._rounded(lib.WEFT_NORM2, dtype)

    @property
    def count(self) -> int:
        """The number of terms."""
        return int.from_bytes(bytes(self)[8:16], "little")

    def __bytes__(self) -> bytes:
        """The sum as 592 bytes, which are the same on all machines (ORDER.md 30.2)."""
        saved = ffi.new("char[]", lib.WEFT_EXACT_BYTES)
        _checked(lib.weft_exact_save(self._state, lib.WEFT_EXACT_BYTES, saved))
        return bytes(ffi.buffer(saved))

    @classmethod
    def from_bytes(cls, data: Union[bytes, bytearray, memoryview]) -> ExactSum:
        """The sum of bytes(). ValueError if they are not those of a sum."""
        loaded = cls()
        _checked(lib.weft_exact_load(memoryview(data).nbytes, ffi.from_buffer(data), loaded._state))
        return loaded

    def __reduce__(self) -> Any:
        return ExactSum.from_bytes, (bytes(self),)

    def __eq__(self, other: object) -> bool:
        return bytes(self) == bytes(other) if isinstance(other, ExactSum) else NotImplemented

    def __repr__(self) -> str:
        return f"<weft.ExactSum of {self.count} terms: {self.sum()}>"
