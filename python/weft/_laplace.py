"""Sweeps of the 7-point Laplace solver (docs/laplace.md)."""

from __future__ import annotations

from typing import Any, Optional

from weft._native import ffi, lib
from weft._arrays import FLOATS, Array, call, destination, give, operand

# A long run is cut in calls of about a second on a CPU, between which Python answers signals (Ctrl-C). No bit depends
# on it. Several sweeps stay together, since they go through memory together.
_POINTS_A_CALL = 1 << 29
_SWEEPS_A_CALL = 12


def laplace(
    u: Array, sweeps: int = 1, *, return_change: bool = False, out: Optional[Array] = None, device: Optional[str] = None
) -> Any:
    """`sweeps` sweeps of Jacobi's iteration for Laplace's equation: a point on a face keeps its value, every other
    becomes the mean of its six neighbours.

    u              float32 or float64 of shape (nz, ny, nx)
    return_change  True: (v, the root mean square of what the last sweep changed)
    out            may be u itself
    Order: ORDER.md 7.

    >>> u = np.zeros((3, 3, 3)); u[0] = 6.0
    >>> weft.laplace(u)[1, 1, 1]
    np.float64(1.0)
    """
    a = operand(u, "u", FLOATS)
    if a.array.ndim != 3:
        raise ValueError(f"u has {a.array.ndim} dimensions; it must have 3")
    if sweeps < 0:
        raise ValueError(f"sweeps is {sweeps}; it must not be negative")
    nz, ny, nx = a.array.shape
    v = destination(a, out, a.array.dtype, a.array.shape)
    change = ffi.new("double *")
    source, left = a.pointer, sweeps
    while True:
        now = min(left, max(_SWEEPS_A_CALL, _POINTS_A_CALL // max(1, a.array.size)))
        wanted = change if return_change and now == left else ffi.NULL
        call(lib.weft_laplace, a, device, a.code, nx, ny, nz, now, source, v.pointer, wanted)
        source, left = v.pointer, left - now
        if not left:
            break
    return (give(v, out), change[0]) if return_change else give(v, out)
