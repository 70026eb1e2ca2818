"""Random numbers that are the same everywhere (docs/ops/random.md, docs/ops/sobol.md). Order of all: ORDER.md 19, 24.

Sample i of a stream depends only on i, seed, stream and the distribution. Arguments of all functions:

n       number of samples, or a shape, which is filled in C order
seed    an integer from 0 to 2^64 - 1, like stream and first. Except for sobol it has no default, so that no two calls
        give the same samples unintentionally
stream  one of 2^64 independent streams. Use a stream for each set of samples that must be independent: sample i of a
        stream is computed from the same random bits for every distribution
first   index of the first sample, so that parts of a stream can be generated separately
dtype   float64, float32, or float16, whose samples are those of float32, rounded
out     an array of the result's shape and dtype, in host or GPU memory
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Optional

import numpy as np

from pyweft._native import lib
from pyweft._arrays import (
    BOOL,
    F16,
    Array,
    Shape,
    accumulator,
    code_of,
    dimensions as shape_of,
    elements,
    host_value,
    origin,
    unsigned,
)
from pyweft._calls import entry, give_result, result_for
from pyweft._errors import exception

__all__ = [
    "bernoulli",
    "exponential",
    "integers",
    "lognormal",
    "lognormal_fast",
    "normal",
    "normal_fast",
    "sobol",
    "uniform",
]

_SCRAMBLINGS = {"none": lib.WEFT_UNSCRAMBLED, "shift": lib.WEFT_DIGITAL_SHIFT, "owen": lib.WEFT_OWEN}


@lru_cache(maxsize=None)
def _element(dtype: Any) -> tuple[Any, int]:
    """NumPy's and weft.h's dtype of the samples."""
    element = np.dtype(dtype)
    if element == F16:
        return element, lib.WEFT_F16
    return element, lib.WEFT_U8 if element == BOOL else accumulator(element)


def _numbers(seed: int, stream: int, first: int) -> tuple[int, int, int]:
    return unsigned(seed, "seed"), unsigned(stream, "stream"), unsigned(first, "first")


def _samples(
    distribution: int,
    n: Shape,
    a: float,
    b: float,
    numbers: tuple[int, int, int],
    dtype: Any,
    out: Optional[Array],
    device: Optional[str],
) -> Any:
    element, code = _element(dtype)
    on, shape = origin(out, element), shape_of(n, "n")
    y, target = result_for(on, out, element, shape)
    run, context = entry(lib.weft_random, on, device)
    status = run(context, distribution, code, *numbers, elements(shape), a, b, target)
    if status:
        raise exception(status, context)
    return give_result(y, out)


def uniform(
    n: Shape,
    lower: float = 0.0,
    upper: float = 1.0,
    *,
    seed: int,
    stream: int = 0,
    first: int = 0,
    dtype: Any = np.float64,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """Uniform in [lower, upper), in 2^53 steps, or 2^24 in float32; never upper. help(weft.random) has the rest.

    >>> weft.random.uniform(3, seed=1)
    array([0.89468472, 0.71126808, 0.87411194])
    """
    return _samples(lib.WEFT_UNIFORM, n, lower, upper, _numbers(seed, stream, first), dtype, out, device)


def normal(
    n: Shape,
    mean: float = 0.0,
    deviation: float = 1.0,
    *,
    seed: int,
    stream: int = 0,
    first: int = 0,
    dtype: Any = np.float64,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """Normal, of that mean and standard deviation. help(weft.random) has the rest.

    >>> weft.random.normal(4, seed=1, dtype=np.float32)
    array([1.2279077 , 1.2518334 , 0.21656406, 0.5570931 ], dtype=float32)
    >>> weft.random.normal(2, seed=1, first=2, dtype=np.float32)
    array([0.21656406, 0.5570931 ], dtype=float32)
    """
    return _samples(lib.WEFT_NORMAL, n, mean, deviation, _numbers(seed, stream, first), dtype, out, device)


def lognormal(
    n: Shape,
    mean: float = 0.0,
    deviation: float = 1.0,
    *,
    seed: int,
    stream: int = 0,
    first: int = 0,
    dtype: Any = np.float64,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """The exponentials of such normals: mean and deviation are of the logarithm. help(weft.random) has the rest.

    >>> weft.random.lognormal(3, seed=1)
    array([3.49674811, 1.7455908 , 3.14572999])
    """
    return _samples(lib.WEFT_LOGNORMAL, n, mean, deviation, _numbers(seed, stream, first), dtype, out, device)


def normal_fast(
    n: Shape,
    mean: float = 0.0,
    deviation: float = 1.0,
    *,
    seed: int,
    stream: int = 0,
    first: int = 0,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """Normal, by Box and Muller's method in float32, which takes less time than normal. help(weft.random) has the rest.

    >>> weft.random.normal_fast(4, seed=1)
    array([-0.05967942,  0.30223498,  1.000517  ,  1.0726272 ], dtype=float32)
    """
    numbers = _numbers(seed, stream, first)
    return _samples(lib.WEFT_NORMAL_FAST, n, mean, deviation, numbers, np.float32, out, device)


def lognormal_fast(
    n: Shape,
    mean: float = 0.0,
    deviation: float = 1.0,
    *,
    seed: int,
    stream: int = 0,
    first: int = 0,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """The exponentials of normal_fast samples, in float32. help(weft.random) has the rest.

    >>> weft.random.lognormal_fast(3, seed=1)
    array([0.9420665, 1.352879 , 2.7196875], dtype=float32)
    """
    numbers = _numbers(seed, stream, first)
    return _samples(lib.WEFT_LOGNORMAL_FAST, n, mean, deviation, numbers, np.float32, out, device)


def exponential(
    n: Shape,
    rate: float = 1.0,
    *,
    seed: int,
    stream: int = 0,
    first: int = 0,
    dtype: Any = np.float64,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """Exponential, of mean 1 / rate; float32 or float64. help(weft.random) has the rest.

    >>> weft.random.exponential(3, seed=1)
    array([0.1112839 , 0.34070588, 0.13454684])
    """
    return _samples(lib.WEFT_EXPONENTIAL, n, rate, 0.0, _numbers(seed, stream, first), dtype, out, device)


def bernoulli(
    n: Shape,
    probability: float = 0.5,
    *,
    seed: int,
    stream: int = 0,
    first: int = 0,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """True with that probability, else False. help(weft.random) has the rest.

    >>> weft.random.bernoulli(4, 0.5, seed=1, first=4)
    array([False, False,  True, False])
    """
    numbers = _numbers(seed, stream, first)
    return _samples(lib.WEFT_BERNOULLI, n, probability, 0.0, numbers, BOOL, out, device)


def integers(
    n: Shape,
    lower: Optional[int] = None,
    upper: Optional[int] = None,
    *,
    seed: int,
    stream: int = 0,
    first: int = 0,
    dtype: Any = np.int64,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """Whole numbers from lower to upper, both included, each as likely as any other; int32, int64, uint32 or uint64.
    None: the dtype's least, its greatest value. help(weft.random) has the rest.

    >>> weft.random.integers(6, 1, 6, seed=7)
    array([5, 1, 5, 6, 1, 6])
    """
    element, code = _element(dtype)
    least, greatest = host_value(lower, element, "lower"), host_value(upper, element, "upper")
    numbers = _numbers(seed, stream, first)
    on, shape = origin(out, element), shape_of(n, "n")
    y, target = result_for(on, out, element, shape)
    run, context = entry(lib.weft_random_integers, on, device)
    status = run(context, code, *numbers, elements(shape), least, greatest, target)
    if status:
        raise exception(status, context)
    return give_result(y, out)


def sobol(
    n: int,
    dimensions: int,
    scramble: str = "none",
    *,
    seed: int = 0,
    stream: int = 0,
    first: int = 0,
    dtype: Any = np.float64,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """n Sobol points, rows of 1 to 1111 coordinates in [0, 1): float64 in steps of 2^-53, float32 of 2^-24. Best are a
    power of two of them, from a multiple of it on. help(weft.random) has the rest.

    scramble  "none": the published points, whatever the seed; "shift": a random digital shift; "owen": Owen's
              scrambling

    >>> weft.random.sobol(4, 2)
    array([[0.  , 0.  ],
           [0.5 , 0.5 ],
           [0.75, 0.25],
           [0.25, 0.75]])
    """
    element, code = _element(dtype)
    scrambling = code_of(_SCRAMBLINGS, scramble, "scramble")
    points, width = unsigned(n, "n"), unsigned(dimensions, "dimensions")
    key, which, start = _numbers(seed, stream, first)
    on = origin(out, element)
    y, target = result_for(on, out, element, shape_of((points, width), "n"))
    run, context = entry(lib.weft_sobol, on, device)
    status = run(context, scrambling, code, key, which, width, start, points, target)
    if status:
        raise exception(status, context)
    return give_result(y, out)
