"""Ctrl-C, and what a program's own functions raise during a call: it comes out of the call unchanged, and soon."""

from __future__ import annotations

import os
import signal
import threading
import time
from typing import Any, Callable, Iterator

import numpy as np
import pytest
import pyweft as weft

PIECE = np.ones(1 << 14)


class Mine(Exception):
    pass


@pytest.fixture(autouse=True)
def _python_answers_sigint() -> Iterator[None]:
    """Jobs that a shell runs in the background ignore SIGINT, and so do the tests there."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    weft.set_threads(1)  # threads that wait for one another take long where other programs work
    yield
    weft.set_threads(0)
    weft.set_progress(None)
    signal.signal(signal.SIGINT, before)


def endless() -> Iterator[Any]:
    while True:
        yield PIECE


def interrupted(call: Callable[[], Any], after: float = 0.15) -> float:
    """Seconds from a SIGINT to the KeyboardInterrupt of a call that would go on for minutes."""
    sent: list[float] = []

    def send() -> None:
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(after, send)
    try:
        with pytest.raises(KeyboardInterrupt):
            timer.start()
            call()
    finally:
        timer.join()
    return time.perf_counter() - sent[0]


LONG: dict[str, Callable[[], Any]] = {
    "a source": lambda: weft.stream.sum(endless()),
    "a sink": lambda: weft.stream.scan(endless(), out=lambda _: None),
    "an array": lambda: weft.stream.map("exp(x)", x=endless(), out=lambda _: None, memory="1M"),
    "laplace": lambda: weft.laplace(np.ones((200, 200, 200)), 10**7),
    "laplace_solve": lambda: weft.laplace_solve(np.ones((150, 150, 150)), "sor", sweeps=10**7),
    "heat": lambda: weft.heat(np.ones((300, 300)), 10**7),
    "map_reduce": lambda: weft.map_reduce("sum", "exp(sin(i))", shape=1 << 31),
    "price": lambda: weft.price("call", start=100, volatility=0.2, strike=105, rate=0, maturity=1, paths=1 << 32),
}


@pytest.mark.parametrize("name", LONG)
def test_ctrl_c_ends_a_long_call(name: str) -> None:
    assert interrupted(LONG[name]) < 5  # 0.3 s on a machine that does nothing else
    assert weft.sum(PIECE) == PIECE.size


def test_ctrl_c_is_a_keyboard_interrupt_at_any_time() -> None:
    for trial in range(9):
        interrupted(lambda: weft.stream.scan(endless(), out=lambda _: None, memory="1M"), after=0.02 * trial)


@pytest.mark.parametrize("fault", [Mine, KeyboardInterrupt, SystemExit, GeneratorExit, StopIteration, OSError])
def test_what_a_progress_function_raises_comes_out(fault: Any) -> None:
    raised = fault("my own")

    def progress(done: int, total: int) -> None:
        raise raised

    weft.set_progress(progress)
    for call in (lambda: weft.sum(PIECE), lambda: weft.stream.sum([PIECE]), lambda: weft.sort(PIECE)):
        time.sleep(0.06)  # the function is called at most 20 times a second
        with pytest.raises(fault) as caught:
            call()
        assert caught.value is raised and caught.value.__context__ is None
    weft.set_progress(None)
    time.sleep(0.06)
    assert weft.sum(PIECE) == PIECE.size


@pytest.mark.parametrize("fault", [Mine, KeyboardInterrupt, SystemExit, GeneratorExit, OSError])
def test_what_a_source_or_a_sink_raises_comes_out(fault: Any) -> None:
    raised = fault("my own")

    def source() -> Iterator[Any]:
        yield PIECE
        raise raised

    def sink(_: Any) -> None:
        raise raised

    for call in (lambda: weft.stream.sum(source()), lambda: weft.stream.scan([PIECE], out=sink)):
        with pytest.raises(fault) as caught:
            call()
        assert caught.value is raised


def test_progress_is_reported() -> None:
    seen: list[tuple[int, int]] = []

    def pieces() -> Iterator[Any]:
        for _ in range(8):
            time.sleep(0.06)
            yield PIECE

    weft.set_progress(lambda done, total: seen.append((done, total)))
    weft.stream.sum(pieces(), memory=PIECE.nbytes)
    assert len(seen) > 2 and all(before[0] <= after[0] for before, after in zip(seen, seen[1:]))


def test_progress_is_of_the_calling_thread() -> None:
    seen: list[int] = []
    weft.set_progress(lambda done, total: seen.append(threading.get_ident()))
    other = threading.Thread(target=lambda: weft.sum(PIECE))
    time.sleep(0.06)
    other.start()
    other.join()
    assert seen == []
    weft.sum(PIECE)
    assert seen and set(seen) == {threading.get_ident()}


def test_progress_of_another_thread() -> None:
    seen: list[Any] = []

    def work() -> None:
        weft.set_progress(lambda done, total: seen.append(done))
        weft.sum(PIECE)

    other = threading.Thread(target=work)
    other.start()
    other.join()
    assert seen


def test_a_handler_that_raises_nothing_ends_nothing() -> None:
    handled: list[int] = []
    signal.signal(signal.SIGINT, lambda number, frame: handled.append(number))
    threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()

    def pieces() -> Iterator[Any]:
        until = time.perf_counter() + 0.5
        while time.perf_counter() < until:
            yield PIECE

    assert weft.stream.sum(pieces()) > 0 and handled == [signal.SIGINT]


def test_a_progress_function_is_called() -> None:
    with pytest.raises(TypeError, match="progress is a int; it must be a function or None"):
        weft.set_progress(3)  # type: ignore[arg-type]
