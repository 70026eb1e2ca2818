"""Arrays larger than memory: files, pipes and functions, in chunks, with buffers of constant size
(docs/guide/streaming.md).

A result has the bits of the function of the same name in weft for the whole array in memory, whatever the size of the
chunks. Arguments of all functions:

x       a path, of a .npy file; a binary file object with one in it, like a pipe or what gzip.open gives; an iterable of
        arrays of one dtype, like a generator, whose elements are taken one after another; or a function that returns
        such an iterable, anew for each pass. An array in memory too. Elements may be float16 where those of the
        function in weft may
memory  maximum size of the buffers, in bytes or as "512M" or "2G" (powers of 1024). None: 64 MiB
device  as everywhere

Iterables are read by a separate thread while weft computes. Their exceptions are raised by the call. A
call that fails writes no result: a file at `out` appears when it is complete.

out     of the functions that give an array: a path, for a .npy file; a binary file object, which gets one; an array; or
        a function, which gets the elements in arrays of its own, in the calling thread. The result is the array, or
        the number of elements. It must not be a source
"""

from __future__ import annotations

from typing import Any, Callable, Optional, Sequence, Union

import numpy as np

from pyweft._native import ffi, lib
from pyweft._arrays import DTYPES, FLOATS, I64, accumulator, code_of, host_value, of_list, operand, unsigned
from pyweft._histogram import edge_dtype
from pyweft._map import OPS, check_scalars, evaluation, expr, stored, take_formula
from pyweft._match import Word, take_words
from pyweft._reduction import reduction, reduction_of_values
from pyweft._scan import first_value, has_identity, limit_flags, op_code, scan_types
from pyweft._scatter import INDICES, SCATTER_OPS, range_code
from pyweft._sources import BYTES, Call, Input, Sink, Source

__all__ = [
    "all",
    "any",
    "argmax",
    "argmin",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "count_nonzero",
    "dot",
    "histogram",
    "map",
    "map_reduce",
    "map_scan",
    "match_count",
    "max",
    "mean",
    "min",
    "norm1",
    "norm2",
    "norminf",
    "prod",
    "recurrence",
    "scan",
    "scatter_count",
    "scatter_reduce",
    "sum",
    "variance",
]


def _value(dtype: Any) -> Any:
    """A place for one value."""
    return np.empty((), dtype)


def _reduce(
    op: int, x: Source, dtype: Any, memory: Any, device: Optional[str], accumulate: Optional[str] = None
) -> Any:
    with Call(device, memory) as call:
        a = call.source(x, "x")
        op, result, sums = reduction(op, a.code, dtype, accumulate)
        y = _value(result)
        call.run(lib.weft_reduce_source, op, sums, a.c, ffi.from_buffer(y))
        return y[()]


def sum(
    x: Source, *, dtype: Any = None, accumulate: Optional[str] = None, memory: Any = None, device: Optional[str] = None
) -> Any:
    """Sum of the elements, as weft.sum. Order: ORDER.md 3.

    >>> weft.stream.sum([[1.5, -0.25], [3.0]])
    np.float64(4.25)
    """
    return _reduce(lib.WEFT_SUM, x, dtype, memory, device, accumulate)


def prod(x: Source, *, dtype: Any = None, memory: Any = None, device: Optional[str] = None) -> Any:
    """Product of the elements, as weft.prod. Order: ORDER.md 3.

    >>> weft.stream.prod([[2, 3], [7]])
    np.int64(42)
    """
    return _reduce(lib.WEFT_PROD, x, dtype, memory, device)


def min(x: Source, *, memory: Any = None, device: Optional[str] = None) -> Any:
    """Smallest element, as weft.min. Order: ORDER.md 1.4.

    >>> weft.stream.min([[3.0, -0.5], [2.0]])
    np.float64(-0.5)
    """
    return _reduce(lib.WEFT_MIN, x, None, memory, device)


def max(x: Source, *, memory: Any = None, device: Optional[str] = None) -> Any:
    """Largest element, as weft.max. Order: ORDER.md 1.4.

    >>> weft.stream.max([[3.0, -0.5], [2.0]])
    np.float64(3.0)
    """
    return _reduce(lib.WEFT_MAX, x, None, memory, device)


def argmin(x: Source, *, memory: Any = None, device: Optional[str] = None) -> Any:
    """First index of the smallest element or of a NaN, as weft.argmin. Order: ORDER.md 1.4.

    >>> weft.stream.argmin([[3.0, -0.5], [2.0]])
    np.int64(1)
    """
    return _reduce(lib.WEFT_ARGMIN, x, None, memory, device)


def argmax(x: Source, *, memory: Any = None, device: Optional[str] = None) -> Any:
    """First index of the largest element or of a NaN, as weft.argmax. Order: ORDER.md 1.4.

    >>> weft.stream.argmax([[3.0, -0.5], [2.0]])
    np.int64(0)
    """
    return _reduce(lib.WEFT_ARGMAX, x, None, memory, device)


def bitwise_and(x: Source, *, memory: Any = None, device: Optional[str] = None) -> Any:
    """Bitwise and of all elements, as weft.bitwise_and. No order.

    >>> weft.stream.bitwise_and([[12], [10]])
    np.int64(8)
    """
    return _reduce(lib.WEFT_AND, x, None, memory, device)


def bitwise_or(x: Source, *, memory: Any = None, device: Optional[str] = None) -> Any:
    """Bitwise or of all elements, as weft.bitwise_or. No order.

    >>> weft.stream.bitwise_or([[12], [10]])
    np.int64(14)
    """
    return _reduce(lib.WEFT_OR, x, None, memory, device)


def bitwise_xor(x: Source, *, memory: Any = None, device: Optional[str] = None) -> Any:
    """Bitwise exclusive or of all elements, as weft.bitwise_xor. No order.

    >>> weft.stream.bitwise_xor([[12], [10]])
    np.int64(6)
    """
    return _reduce(lib.WEFT_XOR, x, None, memory, device)


def any(x: Source, *, memory: Any = None, device: Optional[str] = None) -> Any:
    """True when an element is not zero, as weft.any. No order.

    >>> weft.stream.any([[0.0], [-0.0]])
    np.False_
    """
    return _reduce(lib.WEFT_ANY, x, None, memory, device)


def all(x: Source, *, memory: Any = None, device: Optional[str] = None) -> Any:
    """True when no element is zero, as weft.all. No order.

    >>> weft.stream.all([[1, 2], [3]])
    np.True_
    """
    return _reduce(lib.WEFT_ALL, x, None, memory, device)


def count_nonzero(x: Source, *, memory: Any = None, device: Optional[str] = None) -> Any:
    """Number (int64) of elements that are not zero. No order.

    >>> weft.stream.count_nonzero([[0, 3], [0, 4]])
    np.int64(2)
    """
    return _reduce(lib.WEFT_COUNT_NONZERO, x, None, memory, device)


def mean(
    x: Source, *, dtype: Any = None, accumulate: Optional[str] = None, memory: Any = None, device: Optional[str] = None
) -> Any:
    """Arithmetic mean, as weft.mean. Order: ORDER.md 3.

    >>> weft.stream.mean([[1, 2], [4, 5]])
    np.float64(3.0)
    """
    return _reduce(lib.WEFT_MEAN, x, dtype, memory, device, accumulate)


def norm1(
    x: Source, *, dtype: Any = None, accumulate: Optional[str] = None, memory: Any = None, device: Optional[str] = None
) -> Any:
    """Sum of |x|, as weft.norm1. Order: ORDER.md 3.

    >>> weft.stream.norm1([[3.0], [-4.0]])
    np.float64(7.0)
    """
    return _reduce(lib.WEFT_NORM1, x, dtype, memory, device, accumulate)


def norm2(
    x: Source, *, dtype: Any = None, accumulate: Optional[str] = None, memory: Any = None, device: Optional[str] = None
) -> Any:
    """Square root of the sum of squares, as weft.norm2. Where squares of float64 leave its range x is read twice.

    Order: ORDER.md 3.

    >>> weft.stream.norm2([[3.0], [-4.0]])
    np.float64(5.0)
    """
    return _reduce(lib.WEFT_NORM2, x, dtype, memory, device, accumulate)


def norminf(x: Source, *, dtype: Any = None, memory: Any = None, device: Optional[str] = None) -> Any:
    """Largest |x|, a NaN wins, as weft.norminf. Order: ORDER.md 1.4.

    >>> weft.stream.norminf([[3.0], [-4.0]])
    np.float64(4.0)
    """
    return _reduce(lib.WEFT_NORMINF, x, dtype, memory, device)


def variance(
    x: Source,
    *,
    ddof: int = 0,
    dtype: Any = None,
    accumulate: Optional[str] = None,
    memory: Any = None,
    device: Optional[str] = None,
) -> Any:
    """Variance, as weft.variance. x is read twice: a pipe or a generator, which cannot be, is a ValueError.

    With accumulate="exact", x is read once. Order: ORDER.md 4.

    >>> weft.stream.variance([[1.0, 2.0], [3.0, 4.0]], ddof=0)
    np.float64(1.25)
    """
    if ddof < 0:
        raise ValueError(f"ddof is {ddof}; it must not be negative")
    with Call(device, memory) as call:
        a = call.source(x, "x")
        _, result, sums = reduction(lib.WEFT_MEAN, a.code, dtype, accumulate)
        y = _value(result)
        call.run(lib.weft_variance_source, sums, ddof, a.c, ffi.from_buffer(y))
        return y[()]


def dot(
    x: Source,
    y: Source,
    *,
    dtype: Any = None,
    accumulate: Optional[str] = None,
    memory: Any = None,
    device: Optional[str] = None,
) -> Any:
    """Sum of x[i] * y[i], as weft.dot. The chunks of x and y may differ in length. Order: ORDER.md 5.

    >>> weft.stream.dot([[1.5, -0.25], [3.0]], [[2.0], [4.0, 8.0]])
    np.float64(26.0)
    """
    with Call(device, memory) as call:
        a, b = call.source(x, "x"), call.source(y, "y")
        _same_dtype(a, b, "x", "y")
        _one_row(a, "x")
        _one_row(b, "y")
        if a.shape and b.shape and a.shape != b.shape:
            raise ValueError(f"x has shape {a.shape} and y {b.shape}; they must be the same")
        _, result, sums = reduction(lib.WEFT_SUM, a.code, dtype, accumulate)
        z = _value(result)
        call.run(lib.weft_dot_source, sums, a.c, b.c, ffi.from_buffer(z))
        return z[()]


def _same_dtype(x: Input, y: Input, x_name: str, y_name: str) -> None:
    if x.code != y.code:
        raise TypeError(f"{x_name} has dtype {DTYPES[x.code]} and {y_name} {DTYPES[y.code]}; they must be the same")


def _one_row(x: Input, name: str) -> None:
    if x.shape is not None and len(x.shape) != 1:
        raise ValueError(f"{name} has shape {x.shape}; it must have 1 dimension")


def scan(
    x: Source,
    op: str = "sum",
    *,
    out: Sink,
    exclusive: bool = False,
    init: Any = None,
    dtype: Any = None,
    memory: Any = None,
    device: Optional[str] = None,
) -> Any:
    """Prefix scan of the elements in C order to `out`, as weft.scan. Order: ORDER.md 6.

    >>> weft.stream.scan([[3, 1], [4, 1, 5]], "max", out=print)
    [3 3 4 4 5]
    5
    """
    code = op_code(op)
    with Call(device, memory) as call:
        a = call.source(x, "x")
        result, accumulate = scan_types(code, a.code, dtype)
        y = call.sink(out, result, flat=True)
        kind = lib.WEFT_EXCLUSIVE if exclusive else lib.WEFT_INCLUSIVE
        first = first_value(code, exclusive, init, result)
        return call.run(lib.weft_scan_source, code, kind, accumulate, a.c, first, y.c)


def recurrence(
    s: Source, u: Source, *, out: Sink, init: Any = None, memory: Any = None, device: Optional[str] = None
) -> Any:
    """Linear recurrence v[i] = s[i] * v[i - 1] + u[i] to `out`, as weft.recurrence of one row, forward.

    s, u  float32 or float64, the elements of one row
    init  a number that it starts from; None: 0
    Order: ORDER.md 9.

    >>> weft.stream.recurrence([[0.5, 0.5], [0.5]], [[1.0, 1.0, 1.0]], out=print)
    [1.   1.5  1.75]
    3
    """
    with Call(device, memory) as call:
        a, b = call.source(s, "s", FLOATS), call.source(u, "u", FLOATS)
        _same_dtype(a, b, "s", "u")
        _one_row(a, "s")
        _one_row(b, "u")
        dtype = DTYPES[a.code]
        v = call.sink(out, dtype)
        return call.run(lib.weft_recurrence_source, a.c, b.c, host_value(init, dtype, "init"), v.c)


def histogram(
    x: Source,
    bins: Any = 10,
    *,
    range: Optional[tuple[Any, Any]] = None,
    memory: Any = None,
    device: Optional[str] = None,
) -> Any:
    """Returns the number of elements in each bin, in int64, as weft.histogram. Order: ORDER.md 11.

    bins  a number of bins from range[0] to range[1], both of which must be given; or the edges, in x's dtype, of float16
          in float32

    >>> weft.stream.histogram([[0.1, 0.2], [0.6, 1.0]], 2, range=(0, 1))
    array([2, 2])
    """
    with Call(device, memory) as call:
        a = call.source(x, "x")
        dtype = edge_dtype(DTYPES[a.code])
        if isinstance(bins, (int, np.integer)):
            if range is None:
                raise ValueError("range is required if bins is a number")
            if bins < 1:
                raise ValueError(f"bins is {bins}; it must be 1 or more")
            counts = np.empty(int(bins), I64)
            lower, upper = (host_value(limit, dtype, "a limit of range") for limit in range)
            call.run(lib.weft_histogram_even_source, a.c, bins, lower, upper, ffi.from_buffer(counts))
            return counts
        edges = operand(of_list(bins, dtype, "bins"), "bins", {dtype: 0})
        if edges.device or edges.array.ndim != 1 or edges.array.size < 2:
            raise ValueError("bins must be a number or a 1-D array of at least 2 edges in host memory")
        counts = np.empty(edges.array.size - 1, I64)
        call.run(lib.weft_histogram_source, a.c, counts.size, edges.pointer, ffi.from_buffer(counts))
        return counts


def _columns(x: Input, columns: Optional[int]) -> Optional[int]:
    """The number of columns of x; None: x has one dimension."""
    if x.shape is None:
        return None if columns is None else unsigned(columns, "columns")
    if len(x.shape) not in (1, 2):
        raise ValueError(f"x has shape {x.shape}; it must have 1 or 2 dimensions")
    known = x.shape[1] if len(x.shape) == 2 else None
    if columns is not None and columns != known:
        raise ValueError(f"columns is {columns} and x has shape {x.shape}")
    return known


def scatter_reduce(
    x: Source,
    index: Source,
    m: int,
    op: str = "sum",
    *,
    columns: Optional[int] = None,
    init: Any = None,
    dtype: Any = None,
    skip: bool = False,
    memory: Any = None,
    device: Optional[str] = None,
) -> Any:
    """Reduces the elements that have the same index, as weft.scatter_reduce; index has int32, int64, uint32 or uint64.

    columns  elements of a row of x, if x is a source without a shape; None: x has one dimension
    Order: ORDER.md 25.

    >>> weft.stream.scatter_reduce([[1.0, 2.0], [4.0]], [[1], [0, 1]], 3)
    array([2., 5., 0.])
    """
    code, m = code_of(SCATTER_OPS, op, "op"), unsigned(m, "m")
    with Call(device, memory) as call:
        a, indices = call.source(x, "x"), call.source(index, "index", INDICES)
        _one_row(indices, "index")
        width = _columns(a, columns)
        shape = (m,) if width is None else (m, width)
        _, result, accumulate = reduction(code, a.code, dtype)
        first = None if init is None else operand(init, "init", {result: 0})
        if first is not None and (first.device or first.array.shape != shape):
            raise ValueError(f"init has shape {first.array.shape}; it must be {shape}, in host memory")
        y = np.empty(shape, result)
        call.run(
            lib.weft_scatter_reduce_source,
            code,
            range_code(skip),
            accumulate,
            1 if width is None else width,
            m,
            a.c,
            indices.c,
            ffi.NULL if first is None else ffi.cast("void *", first.pointer),
            ffi.from_buffer(y),
        )
        if has_identity(code, a.code, None):
            limit_flags(y)
        return y


def scatter_count(
    index: Source, m: int, *, skip: bool = False, memory: Any = None, device: Optional[str] = None
) -> Any:
    """Counts the indices equal to j, for each j < m, in int64, as weft.scatter_count. Order: ORDER.md 25.

    >>> weft.stream.scatter_count([[2, 0], [2]], 4)
    array([1, 0, 2, 0])
    """
    m = unsigned(m, "m")
    with Call(device, memory) as call:
        indices = call.source(index, "index", INDICES)
        _one_row(indices, "index")
        counts = np.empty(m, I64)
        call.run(lib.weft_scatter_count_source, range_code(skip), m, indices.c, ffi.from_buffer(counts))
        return counts


def match_count(
    text: Source,
    words: Sequence[Word],
    *,
    fold_case: bool = False,
    whole_word: bool = False,
    memory: Any = None,
    device: Optional[str] = None,
) -> Any:
    """Returns the number of occurrences of each word, in int64, as weft.match_count; occurrences that
    cross from one chunk to the next are found.

    text  a path of any file, whose bytes are the text; a binary file object; an iterable of bytes or arrays of uint8
    Order: ORDER.md 22.

    >>> weft.stream.match_count([b"abrac", b"adabra"], ["a", "abra", "cad"])
    array([5, 2, 1])
    """
    wanted = take_words(words, fold_case, whole_word)
    with Call(device, memory) as call:
        a = call.source(text, "text", BYTES)
        counts = np.empty(wanted.number, I64)
        call.run(lib.weft_match_count_source, a.c, wanted.patterns, wanted.flags, ffi.from_buffer(counts))
        return counts


# ------------------------------------------------------------------------------------ formulas


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.generic)) or (isinstance(value, np.ndarray) and value.ndim == 0)


def _bind(
    call: Call, values: dict[str, Any], dtype: Any, of: Callable[[set[int], Any], int] = evaluation
) -> tuple[Any, list[Any], int]:
    """The table of weft_source_binding, what it points to, and the weft_dtype of the values by the rule `of`."""
    table, keep = ffi.new("weft_source_binding[]", len(values)), []
    scalars = {}
    for binding, (name, value) in zip(table, values.items()):
        keep.append(ffi.new("char[]", name.encode()))
        binding.name = keep[-1]
        if _is_number(value):
            one = operand(value, name)
            scalars[name] = one.array.item()
            keep.append(one)
            binding.dtype, binding.scalar = one.code, ffi.cast("void *", one.pointer)
        else:
            binding.source = call.source(value, name).c
    code = of({one.code for one in call.inputs.values()}, dtype)
    check_scalars(scalars, code)
    return table, keep, code


def map(
    formula: Union[str, expr],
    /,
    *,
    out: Sink,
    dtype: Any = None,
    memory: Any = None,
    device: Optional[str] = None,
    **bindings: Any,
) -> Any:
    """The formula's value for each element to `out`, as weft.map.

    bindings  for each of the formula's names a source or a number, and at least one source; not the names of the
              keywords of weft.map and memory
    Order: ORDER.md 20.

    >>> weft.stream.map("a*x + i", x=[[4.0, 1.0], [2.25]], a=2, out=print)
    [8.  3.  6.5]
    3
    """
    chosen = take_formula(formula)
    with Call(device, memory) as call:
        table, _keep, code = _bind(call, bindings, dtype, stored)
        y = call.sink(out, DTYPES[code])
        return call.run(lib.weft_map_source, chosen._compiled, code, table, len(bindings), y.c)


def map_reduce(
    op: str,
    formula: Union[str, expr],
    /,
    *,
    dtype: Any = None,
    accumulate: Any = None,
    memory: Any = None,
    device: Optional[str] = None,
    **bindings: Any,
) -> Any:
    """The formula's values reduced to one, as weft.map_reduce; bindings as for map. Order: ORDER.md 20.

    >>> weft.stream.map_reduce("mean", "x^2", x=[[1.0, 2.0], [3.0, 4.0]])
    np.float64(7.5)
    """
    chosen, which = take_formula(formula), code_of(OPS, op, "op")
    with Call(device, memory) as call:
        table, _keep, code = _bind(call, bindings, dtype)
        _, result, wide = reduction_of_values(which, code, accumulate)
        y = _value(result)
        call.run(
            lib.weft_map_reduce_source, which, chosen._compiled, code, wide, table, len(bindings), ffi.from_buffer(y)
        )
        return y[()]


def map_scan(
    op: str,
    formula: Union[str, expr],
    /,
    *,
    out: Sink,
    exclusive: bool = False,
    init: Any = None,
    dtype: Any = None,
    accumulate: Any = None,
    memory: Any = None,
    device: Optional[str] = None,
    **bindings: Any,
) -> Any:
    """The prefix scan of the formula's values to `out`, as weft.map_scan; bindings as for map. Order: ORDER.md 20.

    >>> weft.stream.map_scan("sum", "max(x, 0)", x=[[1.0, -5.0], [2.5]], out=print)
    [1.  1.  3.5]
    3
    """
    chosen, which, wide = take_formula(formula), op_code(op), accumulator(accumulate)
    kind = lib.WEFT_EXCLUSIVE if exclusive else lib.WEFT_INCLUSIVE
    with Call(device, memory) as call:
        table, _keep, code = _bind(call, bindings, dtype)
        result = DTYPES[wide or code]
        y, first = call.sink(out, result), host_value(init, result, "init")
        return call.run(
            lib.weft_map_scan_source, which, kind, chosen._compiled, code, wide, table, len(bindings), first, y.c
        )
