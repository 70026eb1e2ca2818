"""Matrix products and tridiagonal systems (docs/matmul.md, tridiag.md)."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

import numpy as np

from weft._native import ffi, lib
from weft._arrays import (
    FLOATS,
    Array,
    Operand,
    accumulator,
    call,
    destination,
    give,
    host_value,
    host_view,
    leader,
    operand,
    same_dtype,
)
from weft._errors import Error

# ------------------------------------------------------------------------------- matmul


class _Factor(NamedTuple):
    """A matrix, or a stack of them, where it lies."""

    operand: Operand
    stack: Optional[int]  # how many there are; None: a matrix
    rows: int
    columns: int
    transpose: int
    leading: int  # elements from a row to the next (a column, when it is transposed)
    stride: int  # elements from a matrix to the next; 0: the same one for all


def _factor(x: Any, name: str) -> _Factor:
    """A transposed matrix is not copied: its transpose is what lies in memory."""
    flipped = type(x) is np.ndarray and x.ndim == 2 and x.flags.fnc
    a = operand(x.T if flipped else x, name, FLOATS)
    shape = a.array.shape
    if len(shape) == 2:
        rows, columns = shape
        if flipped:
            return _Factor(a, None, columns, rows, lib.WEFT_TRANSPOSE, columns or 1, 0)
        return _Factor(a, None, rows, columns, lib.WEFT_NO_TRANSPOSE, columns or 1, 0)
    if len(shape) == 3:
        stack, rows, columns = shape
        return _Factor(a, stack, rows, columns, lib.WEFT_NO_TRANSPOSE, columns or 1, rows * columns)
    raise ValueError(f"{name} has {len(shape)} dimensions; it must have 2, or 3 for a stack of matrices")


def _batch(a: _Factor, b: _Factor) -> Optional[int]:
    """How many products there are; None: one, of two matrices. A matrix goes with each of a stack."""
    if a.stack is not None and b.stack is not None and a.stack != b.stack:
        raise ValueError(f"a is a stack of {a.stack} matrices and b of {b.stack}")
    return b.stack if a.stack is None else a.stack


def matmul(
    a: Array,
    b: Array,
    *,
    alpha: float = 1.0,
    beta: float = 0.0,
    dtype: Any = None,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """alpha a @ b + beta out, of matrices or stacks of matrices.

    a, b   float32 or float64 of shapes (m, k) and (k, n), or (batch, m, k) and (batch, k, n); a matrix goes with each
           of a stack. A transposed NumPy matrix (x.T) is not copied
    beta   not 0 only with out, whose contents are then used
    dtype  np.float64 with float32: the sums are in float64, and rounded once
    out    must not overlap a or b
    The bits of each product are those of the transposed one. Order: ORDER.md 13.

    >>> weft.matmul([[1.0, 2.0], [3.0, 4.0]], [[1.0], [10.0]])
    array([[21.],
           [43.]])
    """
    x, y = _factor(a, "a"), _factor(b, "b")
    same_dtype(x.operand, y.operand, "a", "b")
    batch = _batch(x, y)
    m, k, n = x.rows, x.columns, y.columns
    if y.rows != k:
        raise ValueError(f"a is {m} x {k} and b {y.rows} x {n}; a must have as many columns as b has rows")
    if beta != 0 and out is None:
        raise ValueError(f"beta is {beta}, and there is no out to take it of")
    on = leader(x.operand, y.operand)
    element = x.operand.array.dtype
    c = destination(on, out, element, (m, n) if batch is None else (batch, m, n))
    if beta != 0 and c.device is None and c.array is not out:
        c.array[...] = host_view(out, "out")
    scale = ffi.NULL if alpha == 1 else host_value(alpha, element, "alpha")
    keep = ffi.NULL if beta == 0 else host_value(beta, element, "beta")
    call(
        lib.weft_matmul_batched,
        on,
        device,
        x.operand.code,
        accumulator(dtype),
        lib.WEFT_ROW_MAJOR,
        x.transpose,
        y.transpose,
        m,
        n,
        k,
        scale,
        x.operand.pointer,
        x.leading,
        x.stride,
        y.operand.pointer,
        y.leading,
        y.stride,
        keep,
        c.pointer,
        n or 1,
        m * n,
        1 if batch is None else batch,
    )
    return give(c, out)


# ------------------------------------------------------------------------------ tridiag


def _lines(x: Operand, systems: int, n: int, name: str) -> Any:
    """Where the elements of an array of shape (), (n,) or (systems, n) lie, as a weft_lines."""
    shape = tuple(x.array.shape)
    if shape not in ((), (n,), (systems, n)):
        raise ValueError(f"{name} has shape {shape}; it must be (), ({n},) or ({systems}, {n})")
    lines = ffi.new("weft_lines *")
    lines.p = ffi.cast("void *", x.pointer)
    lines.step = 1 if shape else 0
    lines.line = n if len(shape) == 2 else 0
    return lines[0]


def tridiag(
    a: Array,
    b: Array,
    c: Array,
    d: Array,
    *,
    periodic: bool = False,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """Solves a[i] x[i - 1] + b[i] x[i] + c[i] x[i + 1] = d[i] along the last axis, without pivoting.

    d         float32 or float64 of shape (n,), or (systems, n)
    a, b, c   of d's dtype, and of its shape, or (n,) for all systems, or a number for all rows
    periodic  the row before the first is the last; else a[0] and c[n - 1] are not used
    out       may be d itself
    weft.Error when a pivot was lost or x is not finite. Safe where |b| > |a| + |c|. Order: ORDER.md 16.

    >>> weft.tridiag(-1.0, 2.0, -1.0, [1.0, 0.0, 0.0, 1.0])
    array([1., 1., 1., 1.])
    """
    right = operand(d, "d", FLOATS)
    dtype = right.array.dtype
    if right.array.ndim not in (1, 2):
        raise ValueError(f"d has {right.array.ndim} dimensions; it must have 1 or 2")
    n = right.array.shape[-1]
    systems = right.array.shape[0] if right.array.ndim == 2 else 1
    bands = []
    for band, name in ((a, "a"), (b, "b"), (c, "c")):
        given = operand(np.asarray(band, dtype) if isinstance(band, (int, float, list)) else band, name, FLOATS)
        same_dtype(given, right, name, "d")
        bands.append(given)
    on = leader(right, *bands)
    x = destination(on, out, dtype, right.array.shape)
    lines = [_lines(one, systems, n, name) for one, name in zip(bands, "abc")]
    lines.append(_lines(right, systems, n, "d"))
    lines[3].line = n
    singular = ffi.new("uint64_t *")
    boundary = lib.WEFT_PERIODIC if periodic else lib.WEFT_OPEN_ENDS
    call(lib.weft_tridiag, on, device, right.code, boundary, systems, n, *lines, x.pointer, singular)
    if singular[0] != np.iinfo(np.uint64).max:
        system, row = divmod(singular[0], n)
        raise Error(f"system {system} has no solution by elimination: at row {row} a pivot was lost or x is not finite")
    return give(x, out)
