"""The weft command that the package contains, and verify(), which runs it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Optional

from pyweft._errors import Error

__all__ = ["verify"]

_COMMAND = Path(__file__).with_name("weft-command")


def main() -> None:
    """The entry point `pyweft`, and `python -m pyweft`: becomes the weft command."""
    os.execv(_COMMAND, ["weft", *sys.argv[1:]])


def verify(level: str = "tiny", *, op: Optional[str] = None, device: Optional[str] = None) -> str:
    """Checks that every device of this machine gives the specified bits, and returns the report.

    level   "tiny" (seconds), "quick" (some minutes) or "full" (many)
    op      only this operation, "sum" or "sort" for instance
    device  only this device

    Raises weft.Error with the report when a bit differs. It is `weft verify` in a process of its own.

    >>> report = weft.verify("tiny", op="xor")
    """
    words = [str(_COMMAND), "--quiet", "verify", "--level", level]
    words += ["--op", op] if op else []
    words += ["--device", device] if device else []
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode == 2:
        raise ValueError(done.stderr.strip())
    if done.returncode:
        raise Error((done.stdout + done.stderr).strip())
    return done.stdout
