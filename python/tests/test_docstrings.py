"""The examples in the docstrings, of which every public function has one, and in docs/guide/python.md."""

from __future__ import annotations

import doctest
import inspect
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pyweft as weft

FUNCTIONS = [getattr(weft, name) for name in weft.__all__ if inspect.isfunction(getattr(weft, name))]
FUNCTIONS += [getattr(module, name) for module in (weft.random, weft.stream) for name in module.__all__]


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.0.0", reason="NumPy 1 prints numbers otherwise")
@pytest.mark.parametrize("thing", [weft, weft.expr, *FUNCTIONS], ids=lambda thing: thing.__name__)
def test_examples_print_what_they_say(thing: Any) -> None:
    finder = doctest.DocTestFinder(recurse=False)
    (test,) = finder.find(thing, globs={"np": np, "weft": weft})
    assert test.examples
    report: list[str] = []
    failed, _ = doctest.DocTestRunner().run(test, out=report.append)
    assert not failed, "".join(report)


def test_functions_of_arrays_name_their_order() -> None:
    for function in FUNCTIONS:
        if function.__module__ not in ("pyweft._contexts", "pyweft._command"):
            texts = [function.__doc__ or "", inspect.getmodule(function).__doc__ or ""]
            assert any("ORDER.md" in text or "No order" in text for text in texts), function.__name__


def test_examples_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = Path(__file__).parents[2] / "docs" / "guide" / "python.md"
    programs = re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), flags=re.S | re.M)
    assert programs
    for program in programs:
        exec(program, {})


def test_the_tutorial_prints_what_it_says() -> None:
    page = Path(__file__).parents[2] / "docs" / "guide" / "tutorial.md"
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), flags=re.S | re.M)
    test = doctest.DocTestParser().get_doctest("".join(blocks), {}, page.name, str(page), 0)
    assert test.examples
    report: list[str] = []
    failed, _ = doctest.DocTestRunner().run(test, out=report.append)
    assert not failed, "".join(report)
