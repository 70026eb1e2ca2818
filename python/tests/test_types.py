"""The type hints, checked by mypy in its strict mode: of the package, and of a program that uses it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mypy")

PROGRAM = """
import numpy as np
import pyweft as weft

total: float = weft.sum(np.ones(3))
names: list[str] = [device.id for device in weft.devices()]
report: str = weft.verify("tiny")
error: float = weft.price("call", start=1, volatility=0.1, strike=1, rate=0, maturity=1).standard_error
words: tuple[str, ...] = weft.expr("a*x").names
weft.sort([1], descnding=True)
weft.set_threads("two")
weft.random.normal(10)
"""


def mypy(folder: Path, *words: str) -> str:
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(folder / "cache"), *words]
    return subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, text=True, check=False).stdout


def test_the_package(tmp_path: Path) -> None:
    assert "Success" in (report := mypy(tmp_path, "-p", "pyweft")), report


def test_faults_of_a_program_are_found(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    report = mypy(tmp_path, "program.py")
    assert "Found 3 errors" in report and all(word in report for word in ("descnding", "set_threads", "seed")), report
