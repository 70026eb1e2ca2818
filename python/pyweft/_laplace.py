"""Laplace's equation on a 3-D grid: sweeps, or the solution (docs/ops/laplace.md)."""

from __future__ import annotations

from typing import Any, Optional

from pyweft._native import ffi, lib
from pyweft._arrays import FLOATS, Array, dimensions_of
from pyweft._calls import Input, entry, give_result, input_of, result_for
from pyweft._errors import exception

__all__ = ["laplace", "laplace_solve"]

# A long run is cut in calls of about a quarter of a second on a CPU, between which Python answers signals (Ctrl-C).
# No bit depends on it. Several sweeps stay together, since they go through memory together.
_POINTS_A_CALL = 1 << 27
_SWEEPS_A_CALL = 12


_METHODS = {"sor": lib.WEFT_SOR, "multigrid": lib.WEFT_MULTIGRID}
_STEPS_UNTIL = {"sor": 100000, "multigrid": 100}
_LOOK_EVERY = {"sor": 10, "multigrid": 1}


def _grid(u: Array, sweeps: int) -> Input:
    given = input_of(u, "u", FLOATS)
    if given[0].ndim != 3:
        raise ValueError(f"u has {dimensions_of(given[0].ndim)}; it must have 3")
    if sweeps < 0:
        raise ValueError(f"sweeps is {sweeps}; it must not be negative")
    return given


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
    a, source, code, on = _grid(u, sweeps)
    nz, ny, nx = a.shape
    v, target = result_for(on, out, a.dtype, a.shape)
    change = ffi.new("double *") if return_change else ffi.NULL
    run, context = entry(lib.weft_laplace, on, device)
    left = sweeps
    while True:
        now = min(left, max(_SWEEPS_A_CALL, _POINTS_A_CALL // max(1, a.size)))
        wanted = change if now == left else ffi.NULL
        status = run(context, code, nx, ny, nz, now, source, target, wanted)
        if status:
            raise exception(status, context)
        source, left = target, left - now
        if not left:
            break
    return (give_result(v, out), change[0]) if return_change else give_result(v, out)


def laplace_solve(
    u: Array,
    method: str = "multigrid",
    *,
    tolerance: float = 0.0,
    sweeps: Optional[int] = None,
    omega: float = 0.0,
    return_residual: bool = False,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """The grid on which every point inside is the mean of its six neighbours, from the values on the faces of u.

    u                float32 or float64 of shape (nz, ny, nx); its inner points are the initial guess
    method           "multigrid", or "sor": red-black over-relaxation
    tolerance        it stops when the residual, the root mean square of what a sweep of laplace would change, is no
                     greater; looked at after each cycle, or every 10 sweeps of "sor"
    sweeps           so many cycles, or sweeps of "sor", at most: unless given 100 or 100000 with a tolerance, else 10
    omega            the factor of over-relaxation, less than 2; 0: the best one
    return_residual  True: (v, the residual, how many cycles or sweeps were made)
    out              may be u itself
    Order: ORDER.md 7.

    >>> u = np.zeros((3, 3, 3)); u[0] = 6.0
    >>> weft.laplace_solve(u, "sor", omega=1.0, sweeps=1)[1, 1, 1]
    np.float64(1.0)
    """
    if method not in _METHODS:
        raise ValueError(f"method is {method!r}; it must be 'sor' or 'multigrid'")
    most = sweeps if sweeps is not None else _STEPS_UNTIL[method] if tolerance > 0 else 10
    a, source, code, on = _grid(u, most)
    nz, ny, nx = a.shape
    v, target = result_for(on, out, a.dtype, a.shape)
    residual, made = ffi.new("double *"), ffi.new("size_t *")
    run, context = entry(lib.weft_laplace_solve, on, device)
    done, look = 0, _LOOK_EVERY[method]
    while True:
        # In calls of whole looks, between which Python answers signals (Ctrl-C); no bit depends on it.
        now = min(most - done, max(look, _POINTS_A_CALL // max(1, 4 * a.size) // look * look))
        wanted = residual if tolerance > 0 or (return_residual and now == most - done) else ffi.NULL
        status = run(context, _METHODS[method], code, nx, ny, nz, omega, tolerance, now, source, target, made, wanted)
        if status:
            raise exception(status, context)
        source, done = target, done + made[0]
        if done == most or (tolerance > 0 and not residual[0] > tolerance):
            break
    return (give_result(v, out), residual[0], done) if return_residual else give_result(v, out)
