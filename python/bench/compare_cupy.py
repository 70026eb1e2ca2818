"""Measures arrays of CuPy with weft and with CuPy on a GPU: compare_cupy.py, with weft and CuPy installed. Both work on
one stream, in turns, and a row is the median of each: of large arrays the time of the GPU, of small ones what a call costs
the caller, alone with its wait and when many are given one after the other."""

from __future__ import annotations

import statistics
import time
from functools import partial
from typing import Any, Callable

import cupy
import numpy as np
import pyweft as weft

ROUNDS = 11
Work = Callable[[], Any]


def on_gpu(work: Work, calls: int) -> float:
    """Seconds of one of several calls, by two events."""
    start, end = cupy.cuda.Event(), cupy.cuda.Event()
    start.record()
    for _ in range(calls):
        work()
    end.record()
    end.synchronize()
    return float(cupy.cuda.get_elapsed_time(start, end)) / 1e3 / calls


def on_host(work: Work, calls: int) -> float:
    """Seconds that one of several calls takes the caller, without the last one's end."""
    stream = cupy.cuda.get_current_stream()
    stream.synchronize()
    start = time.perf_counter()
    for _ in range(calls):
        work()
    seconds = time.perf_counter() - start
    stream.synchronize()
    return seconds / calls


def with_wait(work: Work, calls: int) -> float:
    """Seconds of a call and the wait for it, the mean of several."""
    stream = cupy.cuda.get_current_stream()
    start = time.perf_counter()
    for _ in range(calls):
        work()
        stream.synchronize()
    return (time.perf_counter() - start) / calls


def medians(clock: Callable[[Work, int], float], works: list[Work], calls: int) -> list[float]:
    for work in works:
        clock(work, calls)  # compiles and allocates
    times = [[clock(work, calls) for work in works] for _ in range(ROUNDS)]
    return [statistics.median(column) for column in zip(*times)]


def large() -> None:
    uniform = cupy.random.random_sample
    arrays = {
        kind: uniform(1 << bits, dtype) for kind, bits, dtype in (("f32", 28, np.float32), ("f64", 27, np.float64))
    }
    arrays["u32"] = (uniform(1 << 28) * 2.0**32).astype(np.uint32)
    matrices = {"f32": uniform((8192, 8192), np.float32), "f64": uniform((8192, 8192), np.float64)}
    rows: list[tuple[str, Work, Work]] = []
    for name in ("sum", "cumsum", "sort"):
        for kind, x in arrays.items():
            if name == "sort" or kind != "u32":
                label = f"{name}, 2^{x.size.bit_length() - 1} {kind}"
                rows.append((label, partial(getattr(weft, name), x), partial(getattr(cupy, name), x)))
    for kind, m in matrices.items():
        rows.append((f"matmul, 8192 x 8192 {kind}", partial(weft.matmul, m, m), partial(cupy.matmul, m, m)))
    print("| large arrays | weft | CuPy | times as fast |\n|---|---|---|---|")
    for label, *works in rows:
        ours, peer = medians(on_gpu, works, 5)
        print(f"| {label} | {1e3 * ours:.3f} ms | {1e3 * peer:.3f} ms | {peer / ours:.2f} |", flush=True)


def small() -> None:
    x, m = cupy.arange(16.0), cupy.ones((4, 4))
    out, running = cupy.empty(()), cupy.empty(16)
    rows: list[tuple[str, Work, Work]] = [
        ("sum(x)", lambda: weft.sum(x), lambda: cupy.sum(x)),
        ("sum(x, out=...)", lambda: weft.sum(x, out=out), lambda: cupy.sum(x, out=out)),
        ("cumsum(x)", lambda: weft.cumsum(x), lambda: cupy.cumsum(x)),
        ("cumsum(x, out=...)", lambda: weft.cumsum(x, out=running), lambda: cupy.cumsum(x, out=running)),
        ("sort(x)", lambda: weft.sort(x), lambda: cupy.sort(x)),
        ("matmul(m, m)", lambda: weft.matmul(m, m), lambda: cupy.matmul(m, m)),
    ]
    print("\n| 16 elements of f64 | weft, queued | CuPy | weft, waited for | CuPy |\n|---|---|---|---|---|")
    for label, *works in rows:
        times = medians(on_host, works, 200) + medians(with_wait, works, 200)
        print(f"| `{label}` | " + " | ".join(f"{1e6 * seconds:.2f} us" for seconds in times) + " |", flush=True)


def main() -> None:
    name = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    print(f"{name}, CuPy {cupy.__version__}, weft {weft.__version__}\n")
    with cupy.cuda.Stream(non_blocking=True):
        large()
        small()


main()
