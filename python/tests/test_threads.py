"""Threads, the GIL, fork and signals."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
import pyweft as weft

X = np.random.default_rng(20260405).uniform(-1, 1, 1 << 20)


def test_threads_have_contexts_of_their_own() -> None:
    def work(_: int) -> bytes:
        weft.set_threads(1)
        return bytes(weft.sum(X).tobytes() + weft.cumsum(X[:5000]).tobytes() + weft.sort(X[:5000]).tobytes())

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(work, range(64)))) == 1


def test_a_formula_on_many_threads() -> None:
    f = weft.expr("a*x^2 + i")
    with ThreadPoolExecutor(8) as pool:
        results = pool.map(lambda _: (f(x=X[:5000], a=3).tobytes(), f.reduce("sum", x=X, a=3).tobytes()), range(64))
        assert len(set(results)) == 1


def test_arrays_freed_on_another_thread() -> None:
    results: list[Any] = []
    thread = threading.Thread(target=lambda: results.append(weft.cumsum(X[:1000])))
    thread.start()
    thread.join()
    assert np.array_equal(results.pop(), weft.cumsum(X[:1000]))


def test_the_gil_is_released() -> None:
    ticks, done = [0], threading.Event()

    def tick() -> None:
        while not done.is_set():
            ticks[0] += 1
            time.sleep(0.001)

    x = np.ones((64, 64, 64))
    thread = threading.Thread(target=tick)
    thread.start()
    before = ticks[0]
    weft.laplace(x, 300)
    during = ticks[0] - before
    done.set()
    thread.join()
    assert during > 3


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork()")
@pytest.mark.filterwarnings("ignore:.*fork")
def test_a_forked_child_opens_its_own_context() -> None:
    expected = weft.sum(X)
    child = os.fork()
    if child == 0:
        os._exit(0 if weft.sum(X) == expected else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_ctrl_c_ends_many_sweeps() -> None:
    program = "import numpy, pyweft as weft; print('on', flush=True); weft.laplace(numpy.ones((200, 200, 200)), 10**7)"
    child = subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Jobs that a shell runs in the background ignore SIGINT, and so would their children.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        assert child.stdout and child.stdout.readline() == "on\n"
        time.sleep(0.5)
        child.send_signal(signal.SIGINT)
        _, errors = child.communicate(timeout=60)
    finally:
        child.kill()
    assert "KeyboardInterrupt" in errors


def test_verify() -> None:
    assert "have the bits of the specification" in weft.verify("tiny", op="xor")
