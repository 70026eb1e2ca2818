"""docs/spec/verify.py, which requires NumPy, must give the results of the test vectors of tests/vectors."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).parents[2]


def test_vectors() -> None:
    check = [sys.executable, "-B", "tests/vectors/check.py", "docs/spec/verify.py"]
    done = subprocess.run(check, cwd=SOURCE, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    assert (done.returncode, done.stdout.split("\n")[-2].split(" ", 1)[1]) == (0, "vectors, 0 differ"), done.stdout
