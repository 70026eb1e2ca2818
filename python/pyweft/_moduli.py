"""Sums and maxima of the moduli of complex numbers (docs/guide/complex.md)."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from pyweft._native import ffi, lib
from pyweft._arrays import argument, call, destination
from pyweft._map import map, take_formula
from pyweft._reduction import Prepared
from pyweft._views import view_of, with_parts

F32, F64 = np.dtype(np.float32), np.dtype(np.float64)
_VIEW = ffi.typeof("weft_view *")
_Z = ffi.new("char[]", b"z")

# The modulus of z. In float64, squares of float32 are exact and neither overflow nor underflow.
OF_COMPLEX64 = "sqrt(re(z)*re(z) + im(z)*im(z))"
OF_COMPLEX128 = "abs(z)"


def reduce_moduli(prepared: Prepared, device: Optional[str]) -> None:
    """Reduces the moduli of complex numbers, evaluated in float64, along axes."""
    a, op, sums, axes, _, on, y = prepared
    is_wide = int(a.code) == lib.WEFT_F64
    if not is_wide:
        if sums == lib.WEFT_EXACT_SUM:
            raise ValueError(f"accumulate is 'exact', but x has dtype {a.array.dtype}; it must be complex128")
        sums = lib.WEFT_DEFAULT
    to = y if y.array.dtype == F64 else destination(on, None, F64, y.array.shape)
    formula = take_formula(OF_COMPLEX128 if is_wide else OF_COMPLEX64)._compile_for(("z",))
    view = ffi.new(_VIEW, with_parts(a)[0])
    bindings = [(_Z, view, 0, ffi.NULL)]
    shape = a.array.shape
    call(
        lib.weft_map_reduce_axes,
        *(on, device, op, formula, lib.WEFT_F64, sums),
        *(len(shape), shape, bindings, len(bindings), len(axes), axes, view_of(to, lib.WEFT_F64)),
    )
    if to is not y:
        map("v", v=argument(to), dtype=F32, out=argument(y), device=device)
