"""What a call from Python costs, and large arrays beside NumPy: beside_numpy.py [--alone], with weft installed. The
least of many rounds of all rows in turn. With --alone large arrays are worked on by one thread, and its own time is
counted, in which other programs of the machine matter less."""

from __future__ import annotations

import os
import sys
import time
import timeit
from typing import Any, Callable

ALONE = "--alone" in sys.argv
if ALONE:
    os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np
import weft
from weft._contexts import context
from weft._native import ffi, lib

NAMES: dict[str, Any] = {"np": np, "weft": weft, "lib": lib, "ffi": ffi, "c": context(None)}


def least(
    statements: list[str], rounds: int, calls: int, clock: Callable[[], float] = time.perf_counter
) -> dict[str, float]:
    best = dict.fromkeys(statements, float("inf"))
    for _ in range(rounds):
        for statement in statements:
            seconds = timeit.timeit(statement, timer=clock, globals=NAMES, number=calls) / calls
            best[statement] = min(best[statement], seconds)
    return best


def overhead() -> None:
    x, y, m = np.arange(16.0), np.empty(16), np.ones((4, 4))
    NAMES.update(x=x, m=m, px=ffi.from_buffer(x), py=ffi.from_buffer(y), pm=ffi.from_buffer(m))
    rows = [
        ("weft.sum(x)", "lib.weft_reduce(c, 0, 10, 0, 16, px, py)", "np.sum(x)"),
        ("weft.max(x)", "lib.weft_reduce(c, 3, 10, 0, 16, px, py)", "np.max(x)"),
        ("weft.dot(x, x)", "lib.weft_dot(c, 10, 0, 16, px, px, py)", "np.dot(x, x)"),
        ("weft.cumsum(x)", "lib.weft_scan(c, 0, 0, 10, 0, 16, px, ffi.NULL, py)", "np.cumsum(x)"),
        ("weft.sort(x)", "lib.weft_sort(c, 10, 0, 16, px, py)", "np.sort(x)"),
        (
            "weft.matmul(m, m)",
            "lib.weft_matmul(c, 10, 0, 0, 0, 0, 4, 4, 4, ffi.NULL, pm, 4, pm, 4, ffi.NULL, py, 4)",
            "m @ m",
        ),
    ]
    best = least([statement for row in rows for statement in row], 100, 1000)
    print("| 16 elements of f64 | time | of it the C function through cffi | above it | NumPy |\n|---|---|---|---|---|")
    for python, c, peer in rows:
        times = [best[python], best[c], best[python] - best[c], best[peer]]
        print(f"| `{python}` | " + " | ".join(f"{1e6 * seconds:.2f} us" for seconds in times) + " |")


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
large()
