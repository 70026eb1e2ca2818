"""Matrix products and systems with bands (docs/ops/matmul.md, tridiag.md, tridiag_pivot.md, block_tridiag.md,
pentadiag.md)."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from pyweft._native import ffi, lib
from pyweft._arrays import (
    COMPLEX,
    F16,
    FLOATS,
    Array,
    Operand,
    Parts,
    accumulator,
    call,
    destination,
    dimensions_of,
    exactly,
    give,
    host_value,
    leader,
    of_list,
    operand,
)
from pyweft._calls import Input, copy_out, entry, give_result, input_of, leading, result_for
from pyweft._errors import Error, exception
from pyweft._reduction import REAL_OF, real_dtype
from pyweft._views import with_parts

__all__ = ["matmul", "tridiag", "tridiag_pivot", "block_tridiag", "pentadiag"]

# ------------------------------------------------------------------------------- matmul


_MATRICES = {**FLOATS, **COMPLEX, F16: lib.WEFT_F16}
# the dtype of alpha and beta
_SCALARS = {**{dtype: dtype for dtype in FLOATS}, **REAL_OF, F16: np.dtype(np.float32)}


def _factor(x: Any, name: str) -> tuple[Input, int, int, int, int]:
    """Describes a matrix without a copy: the input, its rows and columns, the weft_transpose, and the distance in
    elements between rows (between columns if it is transposed). The memory of a transposed matrix contains its
    transpose."""
    if type(x) is np.ndarray and x.flags.fnc and x.ndim == 2:
        rows, columns = x.shape
        return input_of(x.T, name, _MATRICES), rows, columns, lib.WEFT_TRANSPOSE, rows or 1
    a = input_of(x, name, _MATRICES)
    shape = a[0].shape
    if len(shape) == 2:
        rows, columns = shape
        return a, rows, columns, lib.WEFT_NO_TRANSPOSE, columns or 1
    raise ValueError(f"{name} has {dimensions_of(len(shape))}; it must have at least 2")


def _rank(x: Any) -> int:
    """The number of dimensions of an array or of a list."""
    rank = getattr(x, "ndim", None)
    return np.ndim(x) if rank is None else int(rank)


def _check_factors(element: Any, other: Any, m: int, k: int, rows: int, n: int) -> None:
    if element != other:
        raise TypeError(f"a has dtype {element} and b {other}; they must be the same")
    if rows != k:
        raise ValueError(f"a is {m} x {k} and b {rows} x {n}; a must have as many columns as b has rows")


def _are_lines(count: int, line: int, width: int, element: int, size: int) -> bool:
    """True if lines of `width` elements are adjacent elements, and `count` lines do not overlap."""
    return (width <= 1 or element == size) and (count <= 1 or line >= width * size)


def _matrices(x: Any, name: str) -> Operand:
    """A stack of matrices, copied only if it is real and neither the rows nor the columns of its matrices are adjacent
    elements."""
    a = operand(x, name, _MATRICES, strided=True)
    array = a.array
    if array.ndim < 2:
        raise ValueError(f"{name} has {dimensions_of(array.ndim)}; it must have at least 2")
    if type(a.code) is Parts:
        return a
    (rows, columns), (down, across), size = array.shape[-2:], array.strides[-2:], array.dtype.itemsize
    if _are_lines(rows, down, columns, across, size) or _are_lines(columns, across, rows, down, size):
        return a
    return operand(x, name, _MATRICES)


def _matmul_stacks(
    a: Any,
    b: Any,
    dtype: Any,
    exact: bool,
    alpha: float,
    beta: float,
    out: Any,
    device: Optional[str],
) -> Any:
    x, y = _matrices(a, "a"), _matrices(b, "b")
    (*x_stack, m, k), (*y_stack, rows, n), element = x.array.shape, y.array.shape, x.array.dtype
    _check_factors(element, y.array.dtype, m, k, rows, n)
    try:
        shape = (*np.broadcast_shapes(tuple(x_stack), tuple(y_stack)), m, n)
    except ValueError:
        raise ValueError(f"the stacks of a and b have the shapes {tuple(x_stack)} and {tuple(y_stack)}, which cannot be "
                         "broadcast") from None
    on = leader(x, y)
    c = destination(on, out, element, shape)
    c.code = x.code
    if beta != 0:
        copy_out(c, out)
    is_complex = type(x.code) is Parts
    sums = lib.WEFT_EXACT_SUM if exact else accumulator(real_dtype(dtype, is_complex))
    scalar = _SCALARS[element]
    arrays = (
        ffi.NULL if alpha == 1 else host_value(alpha, scalar, "alpha"),
        with_parts(x),
        with_parts(y),
        ffi.NULL if beta == 0 else host_value(beta, scalar, "beta"),
        with_parts(c),
    )
    if is_complex:
        plain = lib.WEFT_NO_CONJUGATE
        call(lib.weft_matmul_complex, on, device, sums, plain, plain, *arrays)
    else:
        call(lib.weft_matmul_stack, on, device, sums, *arrays)
    return give(c, out)


def matmul(
    a: Array,
    b: Array,
    *,
    alpha: float = 1.0,
    beta: float = 0.0,
    dtype: Any = None,
    accumulate: Optional[str] = None,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """alpha a @ b + beta out, of matrices or stacks of matrices.

    a, b   float16, float32, float64 or complex, of shapes (..., m, k) and (..., k, n), whose other axes are broadcast, as in
           NumPy: a matrix goes with each of a stack. A transposed NumPy matrix (x.T) is not copied, unless it is complex
    alpha, beta  real numbers
    beta   not 0 only with out, whose contents are then used
    dtype  np.float64 with float32, np.complex128 with complex64: the sums are in float64, and rounded once. Those of
           float16 are in float32
    accumulate  "exact": the sums are exact and rounded once, so that no order of the terms matters
    out    must not overlap a or b
    A real product has the bits of the transposed one. A complex product is computed by four real ones, and has the bits
    of the transposed one if alpha is 1 and beta 0. Order: ORDER.md 13 and 31.

    >>> weft.matmul([[1.0, 2.0], [3.0, 4.0]], [[1.0], [10.0]])
    array([[21.],
           [43.]])
    """
    exact = exactly(accumulate, dtype)
    if beta != 0 and out is None:
        raise ValueError(f"beta is {beta}, which requires out")
    if _rank(a) > 2 or _rank(b) > 2:
        return _matmul_stacks(a, b, dtype, exact, alpha, beta, out, device)
    (x, left, code, on), m, k, x_transpose, x_leading = _factor(a, "a")
    if type(code) is Parts:
        return _matmul_stacks(a, b, dtype, exact, alpha, beta, out, device)
    sums = lib.WEFT_EXACT_SUM if exact else accumulator(dtype)
    (y, right, _, on_y), rows, n, y_transpose, y_leading = _factor(b, "b")
    _check_factors(x.dtype, y.dtype, m, k, rows, n)
    on = leading(on, on_y)
    element = x.dtype
    c, target = result_for(on, out, element, (m, n))
    if beta != 0:
        copy_out(c, out)
    scalar = _SCALARS[element]
    scale = ffi.NULL if alpha == 1 else host_value(alpha, scalar, "alpha")
    keep = ffi.NULL if beta == 0 else host_value(beta, scalar, "beta")
    run, context = entry(lib.weft_matmul, on, device)
    status = run(
        context,
        lib.WEFT_ROW_MAJOR,
        x_transpose,
        y_transpose,
        code,
        sums,
        m,
        n,
        k,
        scale,
        left,
        x_leading,
        right,
        y_leading,
        keep,
        target,
        n or 1,
    )
    if status:
        raise exception(status, context)
    return give_result(c, out)


# ------------------------------------------------------------------------------ tridiag

_NONE_SINGULAR = (1 << 64) - 1


def _solve(
    solve: Any,
    bands: tuple[tuple[Array, str], ...],
    d: Array,
    periodic: bool,
    out: Optional[Array],
    device: Optional[str],
    blocks: bool = False,
    lost: str = "was lost",
) -> Any:
    """Solves systems: calls solve(ctx, boundary, dtype[, block], systems, n, bands..., d, x, singular). lost: what may
    have happened to a pivot."""
    right, source, code, on = input_of(d, "d", FLOATS)
    shape, dtype = right.shape, right.dtype
    rank = len(shape) - blocks
    if rank not in (1, 2):
        raise ValueError(f"d has {dimensions_of(len(shape))}; it must have {1 + blocks} or {2 + blocks}")
    block = shape[-1:] if blocks else ()
    n = shape[rank - 1]
    systems = shape[0] if rank == 2 else 1
    # The shapes of a band for all rows, for all systems and for each system, and the strides of its elements and lines.
    strides = {2 * block: (0, 0), (n, *block, *block): (1, 0), (systems, n, *block, *block): (1, n)}
    lines = []
    for band, name in bands:
        given, pointer, given_code, given_on = input_of(of_list(band, dtype, name), name, FLOATS)
        if given_code != code:
            raise TypeError(f"{name} has dtype {given.dtype} and d {dtype}; they must be the same")
        if given.shape not in strides:
            one, line, every = strides
            raise ValueError(f"{name} has shape {given.shape}; it must be {one}, {line} or {every}")
        lines.append((pointer, *strides[given.shape]))
        on = leading(on, given_on)
    lines.append((source, 1, n))
    x, target = result_for(on, out, dtype, shape)
    singular = ffi.new("uint64_t *")
    boundary = lib.WEFT_PERIODIC if periodic else lib.WEFT_OPEN_ENDS
    run, context = entry(solve, on, device)
    status = run(context, boundary, code, *block, systems, n, *lines, target, singular)
    if status:
        raise exception(status, context)
    if singular[0] != _NONE_SINGULAR:
        system, row = divmod(singular[0], n)
        raise Error(f"elimination failed for system {system}: at row {row} a pivot {lost} or x is not finite")
    return give_result(x, out)


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
    periodic  the last row precedes the first; otherwise a[0] and c[n - 1] are not used
    out       may be d itself
    Raises weft.Error if a pivot is lost or x is not finite. Safe where |b| > |a| + |c|. Order: ORDER.md 16.

    >>> weft.tridiag(-1.0, 2.0, -1.0, [1.0, 0.0, 0.0, 1.0])
    array([1., 1., 1., 1.])
    """
    return _solve(lib.weft_tridiag, ((a, "a"), (b, "b"), (c, "c")), d, periodic, out, device)


def tridiag_pivot(
    a: Array,
    b: Array,
    c: Array,
    d: Array,
    *,
    periodic: bool = False,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """Solves a[i] x[i - 1] + b[i] x[i] + c[i] x[i + 1] = d[i] along the last axis, with partial pivoting.

    The arguments are those of tridiag, which is faster. Raises weft.Error if a pivot is 0 or x is not finite.
    Order: ORDER.md 26.

    >>> weft.tridiag_pivot(1.0, 0.0, 2.0, [2.0, 7.0, 9.0, 3.0])
    array([1., 1., 3., 4.])
    """
    bands = ((a, "a"), (b, "b"), (c, "c"))
    return _solve(lib.weft_tridiag_pivot, bands, d, periodic, out, device, lost="is 0")


def block_tridiag(
    a: Array,
    b: Array,
    c: Array,
    d: Array,
    *,
    periodic: bool = False,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """Solves a[i] x[i - 1] + b[i] x[i] + c[i] x[i + 1] = d[i] with k x k blocks, k = 2, 3 or 4.

    d         float32 or float64 of shape (n, k), or (systems, n, k)
    a, b, c   of d's dtype, and of shape (n, k, k), or (systems, n, k, k), or (k, k) for all rows
    periodic  the last row precedes the first; otherwise a[0] and c[n - 1] are not used
    out       may be d itself
    Raises weft.Error if a pivot is lost or x is not finite. Rows are pivoted within a block only. Order: ORDER.md 27.

    >>> weft.block_tridiag(-np.eye(2), [[3.0, 1.0], [-1.0, 3.0]], -np.eye(2), np.ones((3, 2)))
    array([[0.16666667, 0.66666667],
           [0.16666667, 0.83333333],
           [0.16666667, 0.66666667]])
    """
    return _solve(lib.weft_block_tridiag, ((a, "a"), (b, "b"), (c, "c")), d, periodic, out, device, blocks=True)


def pentadiag(
    e: Array,
    a: Array,
    b: Array,
    c: Array,
    f: Array,
    d: Array,
    *,
    periodic: bool = False,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """Solves e[i] x[i - 2] + a[i] x[i - 1] + b[i] x[i] + c[i] x[i + 1] + f[i] x[i + 2] = d[i] along the last axis.

    d              float32 or float64 of shape (n,), or (systems, n)
    e, a, b, c, f  of d's dtype, and of its shape, or (n,) for all systems, or a number for all rows
    periodic       the last row precedes the first, and n must be even; otherwise coefficients outside are not used
    out            may be d itself
    Raises weft.Error if a pivot is lost or x is not finite. Rows are pivoted in pairs only. Order: ORDER.md 28.

    >>> weft.pentadiag(1.0, -4.0, 7.0, -4.0, 1.0, [1.0, 1.0, 1.0, 1.0])
    array([0.5       , 0.83333333, 0.83333333, 0.5       ])
    """
    bands = ((e, "e"), (a, "a"), (b, "b"), (c, "c"), (f, "f"))
    return _solve(lib.weft_pentadiag, bands, d, periodic, out, device)
