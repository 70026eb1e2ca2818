"""Steps in time of the heat equation (docs/ops/heat.md)."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Union

from pyweft._native import ffi, lib
from pyweft._arrays import FLOATS, Array, code_of, dimensions_of, elements
from pyweft._calls import entry, give_result, input_of, result_for
from pyweft._errors import exception

__all__ = ["heat"]

# A long run is cut in calls of about a quarter of a second on a CPU, between which Python answers signals (Ctrl-C).
# No bit depends on it. Several steps stay together, since short lines stay in the caches for them.
_POINTS_A_CALL = 1 << 26
_STEPS_A_CALL = 8

_METHODS = {"backward_euler": lib.WEFT_BACKWARD_EULER, "crank_nicolson": lib.WEFT_CRANK_NICOLSON}


def heat(
    u: Array,
    steps: int = 1,
    *,
    lam: Union[float, Sequence[float]] = 1.0,
    method: str = "backward_euler",
    dimensions: Optional[int] = None,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """`steps` implicit steps in time of the heat equation, with 0 outside the grid.

    u           float32 or float64: a line (nx,), a plane (ny, nx) or a grid in space (nz, ny, nx)
    lam         h^2 / (k dt) of the distance h of points, the conductivity k and the step dt; a number for each axis, in
                the order of the shape, or one for all
    method      "backward_euler", or "crank_nicolson", which is of second order in time
    dimensions  number of axes of a grid, the last ones of u; the other axes count grids
    out         may be u itself
    Order: ORDER.md 23.

    >>> weft.heat([3.0, 0.0, 0.0], lam=1.0)
    array([1.14285714, 0.42857143, 0.14285714])
    """
    a, source, code, on = input_of(u, "u", FLOATS)
    shape = a.shape
    axes = len(shape) if dimensions is None else dimensions
    if not 1 <= axes <= min(3, len(shape)):
        raise ValueError(f"dimensions is {axes}; it must be 1, 2 or 3 and at most the {dimensions_of(len(shape))} of u")
    lambdas = [float(lam)] * axes if isinstance(lam, (int, float)) else [float(x) for x in lam]
    if len(lambdas) != axes:
        raise ValueError(f"lam has {len(lambdas)} numbers; it must have one for each of {axes} axes, or be a number")
    scheme = code_of(_METHODS, method, "method")
    if steps < 0:
        raise ValueError(f"steps is {steps}; it must not be negative")
    batch = elements(shape[: len(shape) - axes])
    grid, per_axis = shape[: -axes - 1 : -1], ffi.new("double[]", lambdas[::-1])
    v, target = result_for(on, out, a.dtype, shape)
    run, context = entry(lib.weft_heat, on, device)
    left = steps
    while True:
        now = min(left, max(_STEPS_A_CALL, _POINTS_A_CALL // max(1, a.size)))
        status = run(context, scheme, code, axes, grid, batch, per_axis, now, source, target)
        if status:
            raise exception(status, context)
        source, left = target, left - now
        if not left:
            break
    return give_result(v, out)
