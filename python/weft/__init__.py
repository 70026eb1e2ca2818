"""Data-parallel primitives that give the same bits on every machine.

    >>> weft.sum(np.array([1.5, -0.25, 3.0], np.float32))
    np.float32(4.25)

Arrays are NumPy's, of any layout, or lists; CuPy's, PyTorch's, JAX's and Numba's, on a CPU or a GPU, without copies.
A result is of the kind of the array it was made from. Every function of arrays has `device=`, which never changes a bit
of a result. What is wrong is told by ValueError, TypeError, MemoryError or weft.Error, with the values.

The orders of rounding steps are in docs/ORDER.md of the sources, under the number that each docstring names.
"""

from weft._native import ffi as _ffi
from weft._native import lib as _lib
from weft import random, stream
from weft._command import verify
from weft._contexts import Device, devices, set_device, set_threads, synchronize
from weft._errors import Error
from weft._heat import heat
from weft._histogram import histogram
from weft._laplace import laplace, laplace_solve
from weft._linear import matmul, tridiag
from weft._map import expr, map, map_reduce, map_scan
from weft._match import match_count, match_list
from weft._ordered import merge, search_sorted, top_k
from weft._price import Valuation, price
from weft._reduce import (
    all,
    any,
    argmax,
    argmin,
    bitwise_and,
    bitwise_or,
    bitwise_xor,
    count_nonzero,
    dot,
    max,
    mean,
    min,
    norm1,
    norm2,
    norminf,
    prod,
    sum,
    variance,
)
from weft._scan import cumprod, cumsum, recurrence, scan
from weft._segmented import reduce_by_key, segmented_reduce, segmented_scan
from weft._select import partition, run_length, select, select_indices, unique
from weft._signals import convolve, correlate, fft, ifft, irfft, rfft
from weft._sort import argsort, sort, sort_bits, sort_pairs

__version__: str = _ffi.string(_lib.weft_version()).decode()
order_version: int = _lib.weft_order_version()

__all__ = [
    "Device",
    "Error",
    "Valuation",
    "all",
    "any",
    "argmax",
    "argmin",
    "argsort",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "convolve",
    "correlate",
    "count_nonzero",
    "cumprod",
    "cumsum",
    "devices",
    "dot",
    "expr",
    "fft",
    "heat",
    "histogram",
    "ifft",
    "irfft",
    "laplace",
    "laplace_solve",
    "map",
    "map_reduce",
    "map_scan",
    "match_count",
    "match_list",
    "matmul",
    "max",
    "mean",
    "merge",
    "min",
    "norm1",
    "norm2",
    "norminf",
    "order_version",
    "partition",
    "price",
    "prod",
    "random",
    "recurrence",
    "reduce_by_key",
    "rfft",
    "run_length",
    "scan",
    "search_sorted",
    "segmented_reduce",
    "segmented_scan",
    "select",
    "select_indices",
    "set_device",
    "set_threads",
    "sort",
    "sort_bits",
    "sort_pairs",
    "stream",
    "sum",
    "synchronize",
    "top_k",
    "tridiag",
    "unique",
    "variance",
    "verify",
]
