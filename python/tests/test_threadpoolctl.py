"""threadpoolctl's limits bound the threads of weft."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from typing import Any

import numpy as np
import pytest
import pyweft as weft
from pyweft import _contexts as contexts

threadpoolctl = pytest.importorskip("threadpoolctl", "3.2")

COUNT = """
import os, threading, time
import numpy, threadpoolctl, pyweft as weft
x = numpy.ones(1 << 22)
work = lambda: weft.sum(x)
tasks = lambda: len(os.listdir("/proc/self/task"))
before = tasks()
with threadpoolctl.threadpool_limits(1):
    work()
    other = threading.Thread(target=work)
    other.start()
    other.join()
    until = time.monotonic() + 10  # the system takes a moment to end the thread that was joined
    while tasks() > before and time.monotonic() < until:
        time.sleep(0.01)
    assert tasks() == before, f"{tasks()} threads after calls of at most 1, {before} before them"
work()
assert tasks() > before, "no more threads without a limit"
"""


def listed() -> Any:
    return [info for info in threadpoolctl.threadpool_info() if info["internal_api"] == "pyweft"]


def test_the_library_is_listed() -> None:
    (info,) = listed()
    assert info["user_api"] == "pyweft" and info["version"] == weft.__version__
    assert os.path.basename(info["filepath"]).startswith("libweft.so") and info["num_threads"] >= 1


def test_a_limit_is_set_and_taken_back() -> None:
    before = listed()[0]["num_threads"]
    expected = weft.sum(np.arange(1e5))
    for words in ({"limits": 1}, {"limits": 1, "user_api": "pyweft"}, {"limits": {"pyweft": 1}}):
        with threadpoolctl.threadpool_limits(**words):
            assert listed()[0]["num_threads"] == 1 and contexts._bounded(4) == 1
            weft.set_threads(2)
            assert weft.sum(np.arange(1e5)) == expected
        assert listed()[0]["num_threads"] == before and contexts._bounded(4) == 4
    weft.set_threads(0)


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="there is no list of threads")
def test_no_more_threads_are_made() -> None:
    environment = {**os.environ, "OMP_NUM_THREADS": "3", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-c", COUNT]
    done = subprocess.run(command, env=environment, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_limit_while_another_thread_works() -> None:
    x, expected, stop = np.arange(1e5), weft.sum(np.arange(1e5)), threading.Event()
    wrong: list[Any] = []

    def work() -> None:
        while not stop.is_set():
            found = weft.sum(x)
            wrong.extend([] if found == expected else [found])

    other = threading.Thread(target=work)
    other.start()
    for _ in range(20):
        with threadpoolctl.threadpool_limits(1):
            weft.sum(x)
    stop.set()
    other.join()
    assert not wrong


def test_it_is_not_needed() -> None:
    program = "import sys; sys.modules['threadpoolctl'] = None; import pyweft; print(pyweft.sum([1.0]))"
    done = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, check=True)
    assert done.stdout == "1.0\n"
