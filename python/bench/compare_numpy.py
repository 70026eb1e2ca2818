"""Measures the cost of a call from Python, and large arrays compared with NumPy: compare_numpy.py [--alone]
[--small], with weft installed. The least of many rounds of all rows in turn. With --alone large arrays are worked on by one thread, and its
own time is counted, in which other programs of the machine matter less; with --small there are none."""

from __future__ import annotations

import os
import sys
import time
import timeit
from typing import Any, Callable, Optional

ALONE = "--alone" in sys.argv
if ALONE:
    os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np
import pyweft as weft
from pyweft._native import ffi, lib

NAMES: dict[str, Any] = {"np": np, "weft": weft}

# Each function of arrays, on 16 elements or a matrix of 4 x 4, and NumPy's for the same, where it has one.
SMALL: dict[str, Optional[str]] = {
    "weft.sum(x)": "np.sum(x)",
    "weft.sum(x, out=scalar)": "np.sum(x, out=scalar)",
    "weft.prod(x)": "np.prod(x)",
    "weft.min(x)": "np.min(x)",
    "weft.max(x)": "np.max(x)",
    "weft.argmin(x)": "np.argmin(x)",
    "weft.argmax(x)": "np.argmax(x)",
    "weft.bitwise_and(i)": "np.bitwise_and.reduce(i)",
    "weft.bitwise_or(i)": "np.bitwise_or.reduce(i)",
    "weft.bitwise_xor(i)": "np.bitwise_xor.reduce(i)",
    "weft.any(x)": "np.any(x)",
    "weft.all(x)": "np.all(x)",
    "weft.count_nonzero(x)": "np.count_nonzero(x)",
    "weft.mean(x)": "np.mean(x)",
    "weft.norm1(x)": "np.linalg.norm(x, 1)",
    "weft.norm2(x)": "np.linalg.norm(x)",
    "weft.norminf(x)": "np.linalg.norm(x, np.inf)",
    "weft.variance(x)": "np.var(x)",
    "weft.dot(x, x)": "np.dot(x, x)",
    "weft.cumsum(x)": "np.cumsum(x)",
    "weft.cumsum(x, out=y)": "np.cumsum(x, out=y)",
    "weft.cumprod(x)": "np.cumprod(x)",
    "weft.scan(x, 'max')": "np.maximum.accumulate(x)",
    "weft.scan(x, init=1.0)": None,
    "weft.recurrence(x, x)": None,
    "weft.segmented_reduce(x, offsets=o)": "np.add.reduceat(x, o[:-1])",
    "weft.segmented_reduce(x, heads=b)": None,
    "weft.segmented_scan(x, offsets=o)": None,
    "weft.segmented_scan(x, heads=b)": None,
    "weft.reduce_by_key(i, x)": None,
    "weft.select(x, b)": "x[b]",
    "weft.select(x, gt=0.0)": "x[x > 0.0]",
    "weft.select_indices(b)": "np.flatnonzero(b)",
    "weft.select_indices(x, gt=0.0)": "np.flatnonzero(x > 0.0)",
    "weft.partition(x, b)": None,
    "weft.partition(x, gt=0.0)": None,
    "weft.unique(x)": "np.unique(x)",
    "weft.run_length(x)": None,
    "weft.sort(x)": "np.sort(x)",
    "weft.sort_pairs(x, x)": None,
    "weft.sort_bits(i, 0, 4)": None,
    "weft.argsort(x)": "np.argsort(x, stable=True)",
    "weft.top_k(x, 4)": None,
    "weft.merge(x, x)": None,
    "weft.search_sorted(x, x)": "np.searchsorted(x, x)",
    "weft.histogram(x, 4, range=(0.0, 16.0))": "np.histogram(x, 4, (0.0, 16.0))",
    "weft.histogram(x, e)": "np.histogram(x, e)",
    "weft.matmul(m, m)": "m @ m",
    "weft.matmul(m, m, out=n)": "np.matmul(m, m, out=n)",
    "weft.matmul(m, m.T)": "m @ m.T",
    "weft.tridiag(x, d, x, x)": None,
    "weft.tridiag(-1.0, 2.0, -1.0, x)": None,
    "weft.fft(z)": "np.fft.fft(z)",
    "weft.ifft(z)": "np.fft.ifft(z)",
    "weft.rfft(x)": "np.fft.rfft(x)",
    "weft.irfft(half)": "np.fft.irfft(half)",
    "weft.convolve(x, e)": "np.convolve(x, e)",
    "weft.correlate(x, e)": "np.correlate(x, e)",
    "weft.laplace(u)": None,
    "weft.laplace_solve(u, sweeps=1)": None,
    "weft.heat(x)": None,
    "weft.map('a*x + 1', x=x, a=a)": "a * x + 1",
    "formula(x=x, a=a)": "a * x + 1",
    "formula.reduce('sum', x=x, a=a)": "np.sum(a * x + 1)",
    "formula.scan('sum', x=x, a=a)": "np.cumsum(a * x + 1)",
    "weft.random.uniform(16, seed=1)": "generator.uniform(size=16)",
    "weft.random.normal(16, seed=1)": "generator.normal(size=16)",
    "weft.random.lognormal(16, seed=1)": "generator.lognormal(size=16)",
    "weft.random.normal_fast(16, seed=1)": "generator.standard_normal(16, np.float32)",
    "weft.random.lognormal_fast(16, seed=1)": None,
    "weft.random.exponential(16, seed=1)": "generator.exponential(size=16)",
    "weft.random.bernoulli(16, seed=1)": None,
    "weft.random.integers(16, 1, 6, seed=1)": "generator.integers(1, 7, 16)",
    "weft.random.sobol(16, 1)": None,
}


def least(
    statements: list[str], rounds: int, calls: int, clock: Callable[[], float] = time.perf_counter
) -> dict[str, float]:
    best = dict.fromkeys(statements, float("inf"))
    for _ in range(rounds):
        for statement in statements:
            seconds = timeit.timeit(statement, timer=clock, globals=NAMES, number=calls) / calls
            best[statement] = min(best[statement], seconds)
    return best


class Recorder:
    """The library, which keeps the calls that are made of it."""

    def __init__(self) -> None:
        self.calls: list[Any] = []

    def __getattr__(self, name: str) -> Any:
        found = getattr(lib, name)

        def record(*arguments: Any) -> Any:
            self.calls.append((found, arguments))
            return found(*arguments)

        return record if callable(found) else found


def prepared(kind: Any, value: Any) -> Any:
    """An argument in C memory, if it is a list of which cffi makes an array in each call."""
    return ffi.new(ffi.getctype(kind.item, "[]"), value) if isinstance(value, list) else value


def c_function(statement: str) -> str:
    """A statement that calls the library as this one does."""
    recorder = Recorder()
    eval(statement, NAMES)  # opens, compiles and looks up
    modules = [module for name, module in sys.modules.items() if name.startswith("pyweft.") and hasattr(module, "lib")]
    for module in modules:
        vars(module)["lib"] = recorder
    eval(statement, NAMES)
    for module in modules:
        vars(module)["lib"] = lib
    ((function, arguments),) = recorder.calls
    kinds = ffi.typeof(function).args
    arguments = [prepared(kind, value) for kind, value in zip(kinds, arguments)]
    words = [f"argument_{len(NAMES) + at}" for at in range(len(arguments))]
    name = f"function_{len(NAMES)}"
    NAMES.update(zip(words, arguments), **{name: function})
    return f"{name}({', '.join(words)})"


def overhead() -> None:
    x, z = np.arange(16.0), np.ones(16, np.complex128)
    NAMES.update(x=x, y=np.empty(16), d=x + 100, i=np.arange(16), b=np.ones(16, bool), scalar=np.empty(()))
    NAMES.update(m=np.ones((4, 4)), n=np.empty((4, 4)), u=np.ones((4, 4, 4)), z=z, half=z[:9], a=np.array(2.0))
    NAMES.update(o=np.array([0, 4, 16]), e=np.array([0.0, 4.0, 8.0, 16.0]), formula=weft.expr("a*x + 1"))
    NAMES.update(generator=np.random.default_rng(1))
    functions = {python: c_function(python) for python in SMALL}
    best = least([*SMALL, *functions.values(), *filter(None, SMALL.values())], 100, 300)
    print("| 16 elements of f64 | time | of it the C function through cffi | above it | NumPy |\n|---|---|---|---|---|")
    for python, peer in SMALL.items():
        c = best[functions[python]]
        times = [best[python], c, best[python] - c, *([best[peer]] if peer else [])]
        texts = [f"{1e6 * seconds:.2f} us" for seconds in times]
        print(f"| `{python}` | " + " | ".join([*texts, "-"][:4]) + " |")


def large() -> None:
    generator = np.random.default_rng(1)
    for name, dtype in (("f", "f4"), ("d", "f8")):
        NAMES[name] = generator.uniform(-1, 1, 1 << 24).astype(dtype)
        NAMES["m" + name] = generator.uniform(-1, 1, (1024, 1024)).astype(dtype)
    NAMES["u"] = generator.integers(0, 1 << 32, 1 << 24, dtype=np.uint32)
    rows = [
        (f"{name}({x})", f"weft.{name}({x})", f"np.{name}({x})") for name in ("sum", "cumsum", "sort") for x in "fd"
    ]
    rows.append(("sort(u)", "weft.sort(u)", "np.sort(u)"))
    rows += [(f"matmul({x}, {x})", f"weft.matmul({x}, {x})", f"np.matmul({x}, {x})") for x in ("mf", "md")]
    if ALONE:
        weft.set_threads(1)
    clock = time.process_time if ALONE else time.perf_counter
    best = least([statement for row in rows for statement in row[1:]], 7, 1, clock)
    print("\n| large arrays | weft | NumPy | times as fast |\n|---|---|---|---|")
    for label, ours, peer in rows:
        print(f"| `{label}` | {1e3 * best[ours]:.2f} ms | {1e3 * best[peer]:.2f} ms | {best[peer] / best[ours]:.2f} |")


overhead()
if "--small" not in sys.argv:
    large()
