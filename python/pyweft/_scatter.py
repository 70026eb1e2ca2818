"""Reductions and counts of the elements that have the same index (docs/ops/scatter_reduce.md), and copies of rows by
index (docs/ops/gather.md)."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from pyweft._native import ffi, lib
from pyweft._arrays import I32, I64, INTEGERS, U64, WITH_COMPLEX, WITH_F16, Array, Parts, elements, operand, unsigned
from pyweft._calls import Input, copy_out, entry, give_result, input_of, integers_of, leading, result_for
from pyweft._errors import exception
from pyweft import _reduce
from pyweft._reduction import reduction
from pyweft._scan import OPS, has_identity, limit_flags

__all__ = ["bincount", "gather", "scatter", "scatter_count", "scatter_reduce"]

SCATTER_OPS = {**OPS, "mean": lib.WEFT_MEAN}
INDICES = {
    I32: lib.WEFT_I32,
    I64: lib.WEFT_I64,
    np.dtype(np.uint32): lib.WEFT_U32,
    U64: lib.WEFT_U64,
}


def _index(index: Any) -> Input:
    return integers_of(index, "index", INDICES, "have 4 or 8 bytes")


def _columns(shape: tuple[int, ...], code: int) -> int:
    """The number of elements of a row that is copied; a complex number has two."""
    return elements(shape) * (2 if type(code) is Parts else 1)


def range_code(skip: bool) -> int:
    code: int = lib.WEFT_RANGE_SKIP if skip else lib.WEFT_RANGE_ERROR
    return code


def scatter_reduce(
    x: Array,
    index: Array,
    m: int,
    op: str = "sum",
    *,
    init: Optional[Array] = None,
    dtype: Any = None,
    accumulate: Optional[str] = None,
    out: Optional[Array] = None,
    skip: bool = False,
    device: Optional[str] = None,
) -> Any:
    """Reduces the elements that have the same index: result j is that of the x[i] with index[i] == j, j < m.

    x      n elements, float16 too, or a matrix of n rows. Each column of a matrix is reduced on its own
    index  n integers from 0 to m - 1. Any other index raises ValueError; with skip=True its element is ignored
    op     "sum", "prod", "min", "max" or "mean"; for integers and bool also "and", "or", "xor"
    init   values with the shape and dtype of the result, combined with the results; not with "mean"
    dtype, accumulate  as for sum, but "mean" of float16 needs np.float32 or np.float64; accumulate="exact" for "sum" and "mean"; init is then one more term
    out    an array of shape (m,) or (m, columns). out=init updates init in place
    An index without elements gives its value of init. Without init it gives the identity of the operator, or NaN for
    "mean". Order: ORDER.md 25.

    >>> weft.scatter_reduce([1.0, 2.0, 4.0], [1, 0, 1], 3)
    array([2., 5., 0.])
    >>> weft.scatter_reduce([[1, 2], [3, 4]], [1, 1], 2, "max", init=[[0, 9], [0, 9]])
    array([[0, 9],
           [3, 9]])
    """
    a, source, code, on = input_of(x, "x", WITH_F16)
    indices, index_source, index_code, on_index = _index(index)
    if a.ndim not in (1, 2):
        raise ValueError(f"x has {a.ndim} dimensions; it must have 1 or 2")
    n = indices.size
    if a.shape[0] != n:
        raise ValueError(f"index has {n} elements and x {a.shape[0]} rows; they must have the same length")
    which = SCATTER_OPS.get(op)
    if which is None:
        raise ValueError(f"op is {op!r}; it must be one of {', '.join(SCATTER_OPS)}")
    m = unsigned(m, "m")
    shape = (m, *a.shape[1:])
    columns = a.shape[1] if a.ndim == 2 else 1
    _, result, sums = reduction(which, code, dtype, accumulate)
    on, start = leading(on, on_index), ffi.NULL
    if init is not None:
        first, start, _, on_first = input_of(init, "init", {result: 0})
        if first.shape != shape:
            raise ValueError(f"init has shape {first.shape}; it must be {shape}")
        on = leading(on, on_first)
    limited = has_identity(which, code, on)
    y, target = result_for(on, out, result, shape)
    run, context = entry(lib.weft_scatter_reduce, on, device)
    status = run(
        context, which, range_code(skip), code, sums, index_code, n, columns, m, source, index_source, start, target
    )
    if status:
        raise exception(status, context)
    if limited:
        limit_flags(y)
    return give_result(y, out)


def scatter_count(
    index: Array, m: int, *, out: Optional[Array] = None, skip: bool = False, device: Optional[str] = None
) -> Any:
    """Counts the indices equal to j, for each j < m, as int64. index, m, skip: as for scatter_reduce.

    Order: ORDER.md 25.

    >>> weft.scatter_count([2, 0, 2], 4)
    array([1, 0, 2, 0])
    """
    indices, source, code, on = _index(index)
    m = unsigned(m, "m")
    y, target = result_for(on, out, I64, m)
    run, context = entry(lib.weft_scatter_count, on, device)
    status = run(context, range_code(skip), code, indices.size, m, source, target)
    if status:
        raise exception(status, context)
    return give_result(y, out)


def bincount(
    index: Array, weights: Optional[Array] = None, minlength: int = 0, *, device: Optional[str] = None
) -> Any:
    """Counts each index, or adds up its weights, as np.bincount: scatter_count, or scatter_reduce of the weights.

    index      integers of 0 or more. The result has one value for each of 0 ... max(index), and at least minlength
    weights    one for each index. Sums of float32 are float32, with the bits of weft.sum
    Order: ORDER.md 25.

    >>> weft.bincount([2, 0, 2])
    array([1, 0, 2])
    >>> weft.bincount([2, 0, 2], [0.5, 1.0, 0.25], 4)
    array([1.  , 0.  , 0.75, 0.  ])
    """
    n = operand(index, "index", INTEGERS).array.size
    m = unsigned(minlength, "minlength")
    if n > 0:
        m = max(m, int(_reduce.max(index, device=device)) + 1)
    if weights is None:
        return scatter_count(index, m, device=device)
    return scatter_reduce(weights, index, m, device=device)


def _rows(x: Any) -> tuple[int, ...]:
    """Returns the shape of a row."""
    if x.ndim == 0:
        raise ValueError("x has 0 dimensions; it must have at least 1")
    shape: tuple[int, ...] = x.shape[1:]
    return shape


def gather(
    x: Array, index: Array, *, out: Optional[Array] = None, skip: bool = False, device: Optional[str] = None
) -> Any:
    """Copies rows in the order of indices: y[i] = x[index[i]].

    x      an array of any dtype, float16 and complex too. Its rows are x[0], x[1], ...
    index  integers from 0 to len(x) - 1; negative ones are out of range. Any other index raises ValueError
    skip   True: an index out of range leaves y[i] unchanged in `out`; without `out` it is 0 (GPU arrays need `out`)
    out    an array of shape (len(index), *x.shape[1:])
    Order: ORDER.md 29.

    >>> weft.gather([10, 20, 30], [2, 0, 2])
    array([30, 10, 30])
    >>> weft.gather([10, 20, 30], [2, -1], skip=True)
    array([30,  0])
    """
    a, source, code, on = input_of(x, "x", WITH_COMPLEX)
    indices, index_source, index_code, on_index = _index(index)
    shape, n = _rows(a), indices.size
    on = leading(on, on_index)
    y, target = result_for(on, out, a.dtype, (n, *shape))
    if skip:
        prepare(y, out)
    run, context = entry(lib.weft_gather, on, device)
    rows = a.shape[0]
    status = run(context, range_code(skip), code, index_code, n, _columns(shape, code), rows, source, index_source, target)
    if status:
        raise exception(status, context)
    return give_result(y, out)


def scatter(
    x: Array,
    index: Array,
    m: Optional[int] = None,
    *,
    out: Optional[Array] = None,
    skip: bool = False,
    device: Optional[str] = None,
) -> Any:
    """Copies rows to the positions that indices state: y[index[i]] = x[i]. Other rows of y are those of `out`, or 0.

    x      an array of any dtype, float16 and complex too. Its rows are x[0], x[1], ...
    index  len(x) different integers from 0 to m - 1. Two equal ones raise ValueError. So does one out of range; with
           skip=True its row is not copied
    m      number of rows of y; may be omitted if `out` is given
    out    an array of shape (m, *x.shape[1:]) with the values of the other rows; required for GPU arrays
    Order: ORDER.md 29.

    >>> weft.scatter([10, 20, 30], [4, 0, 1], 5)
    array([20, 30,  0,  0, 10])
    """
    a, source, code, on = input_of(x, "x", WITH_COMPLEX)
    indices, index_source, index_code, on_index = _index(index)
    shape, n = _rows(a), indices.size
    if a.shape[0] != n:
        raise ValueError(f"index has {n} elements and x {a.shape[0]} rows; they must have the same length")
    if m is None:
        if out is None:
            raise ValueError("m or out must be given")
        m = out.shape[0] if out.ndim else 0
    m = unsigned(m, "m")
    on = leading(on, on_index)
    y, target = result_for(on, out, a.dtype, (m, *shape))
    prepare(y, out)
    run, context = entry(lib.weft_scatter, on, device)
    status = run(context, range_code(skip), code, index_code, n, _columns(shape, code), m, source, index_source, target)
    if status:
        raise exception(status, context)
    return give_result(y, out)


def prepare(y: Any, out: Any) -> None:
    """Gives a result, of which a call writes a part, the values of `out`, or 0."""
    if out is not None:
        copy_out(y, out)
    elif type(y) is np.ndarray:
        y.fill(0)
    elif y.device:
        raise ValueError(f"out is None; it must be given for arrays on {y.device}")
    else:
        y.array.fill(0)
