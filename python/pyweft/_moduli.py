"""Sums and maxima of the moduli of complex numbers (docs/guide/complex.md)."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Optional

import numpy as np

from pyweft._native import ffi, lib
from pyweft._arrays import argument, call, destination
from pyweft._map import expr, map
from pyweft._reduction import Prepared
from pyweft._views import each_part, view_of, with_parts

F32, F64 = np.dtype(np.float32), np.dtype(np.float64)
_VIEW = ffi.typeof("weft_view *")
_NAMES = [ffi.new("char[]", name) for name in (b"a", b"b")]

# The modulus of a + b i. In float64, squares of float32 are exact and neither overflow nor underflow.
OF_COMPLEX64 = "sqrt(a*a + b*b)"
_MOST, _LEAST = "max(abs(a), abs(b))", "min(abs(a), abs(b))"
OF_COMPLEX128 = f"{_MOST} > 0 && {_MOST} < 1/0 ? {_MOST}*sqrt(1 + ({_LEAST}/{_MOST})^2) : {_MOST}"


@lru_cache(maxsize=None)
def _formula(text: str) -> expr:
    return expr(text)


def _without_last(view: list[Any]) -> tuple[Any, ...]:
    """A view without its last axis, of length 1."""
    size, code, n, shape, strides, pointer = view[0]
    return size, code, n - 1, shape[:-1], strides[:-1], pointer


def reduce_moduli(prepared: Prepared, device: Optional[str]) -> None:
    """Reduces the moduli of complex numbers, evaluated in float64, along axes."""
    a, op, sums, axes, _, on, y = prepared
    is_wide = int(a.code) == lib.WEFT_F64
    if not is_wide:
        if sums == lib.WEFT_EXACT_SUM:
            raise ValueError(f"accumulate is 'exact', but x has dtype {a.array.dtype}; it must be complex128")
        sums = lib.WEFT_DEFAULT
    to = y if y.array.dtype == F64 else destination(on, None, F64, y.array.shape)
    parts = [ffi.new(_VIEW, _without_last(view)) for view in each_part(with_parts(a))]
    bindings = [(name, part, 0, ffi.NULL) for name, part in zip(_NAMES, parts)]
    shape = a.array.shape
    call(
        lib.weft_map_reduce_axes,
        *(on, device, op, _formula(OF_COMPLEX128 if is_wide else OF_COMPLEX64)._compiled, lib.WEFT_F64, sums),
        *(len(shape), shape, bindings, len(bindings), len(axes), axes, view_of(to, lib.WEFT_F64)),
    )
    if to is not y:
        map("v", v=argument(to), dtype=F32, out=argument(y), device=device)
