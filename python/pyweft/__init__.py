"""Data-parallel primitives that give the same bits on every machine.

    >>> import pyweft as weft
    >>> weft.sum(np.array([1.5, -0.25, 3.0], np.float32))
    np.float32(4.25)

Arguments are NumPy arrays of any layout, lists, and arrays of CuPy, PyTorch, JAX and Numba, on a CPU or a GPU, without
copies. A result is an array of the same library as the input. Every function of arrays has the argument `device`, which
never changes a bit of a result. Errors are ValueError, TypeError, MemoryError or weft.Error, with the offending values.

ORDER.md of the sources defines the order of the rounding steps. Each docstring names its section.
"""

from pyweft._native import ffi as _ffi
from pyweft._native import lib as _lib
from pyweft import random, stream
from pyweft._command import verify
from pyweft._contexts import Device, devices, set_device, set_progress, set_threads, synchronize
from pyweft._errors import Error
from pyweft._heat import heat
from pyweft._histogram import histogram
from pyweft._laplace import laplace, laplace_solve
from pyweft._linear import matmul, tridiag
from pyweft._map import expr, map, map_reduce, map_scan
from pyweft._match import match_count, match_list
from pyweft._ordered import merge, search_sorted, top_k
from pyweft._price import Valuation, price
from pyweft._reduce import (
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
from pyweft._scan import cumprod, cumsum, recurrence, scan
from pyweft._segmented import reduce_by_key, segmented_reduce, segmented_scan
from pyweft._select import partition, run_length, select, select_indices, unique
from pyweft._signals import convolve, correlate, fft, ifft, irfft, rfft
from pyweft._sort import argsort, sort, sort_bits, sort_pairs
from pyweft._threadpoolctl import register as _register

__version__: str = _ffi.string(_lib.weft_version()).decode()
order_version: int = _lib.weft_order_version()
_register(__version__)

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
    "set_progress",
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
