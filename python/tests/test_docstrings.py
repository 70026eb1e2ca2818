"""Runs the examples in the docstrings, in python.md, tutorial.md and complex.md of docs/guide, and in docs/ops."""

from __future__ import annotations

import doctest
import inspect
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pyweft as weft

DOCS = Path(__file__).parents[2] / "docs"
FUNCTIONS = [getattr(weft, name) for name in weft.__all__ if inspect.isfunction(getattr(weft, name))]
FUNCTIONS += [getattr(module, name) for module in (weft.random, weft.stream) for name in module.__all__]


PAGES = [DOCS / "guide" / "complex.md", *sorted((DOCS / "ops").glob("*.md"))]


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.0.0", reason="NumPy 1 prints numbers otherwise")
@pytest.mark.parametrize("thing", [weft, weft.expr, weft.ExactSum, *FUNCTIONS], ids=lambda thing: thing.__name__)
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
    programs = python_blocks(DOCS / "guide" / "python.md")
    assert programs
    for _, program in programs:
        exec(program, {})


def python_blocks(page: Path) -> list[tuple[int, str]]:
    """The Python blocks of the page, each with the number of its first line, counted from 0."""
    text = page.read_text(encoding="utf-8")
    return [(text.count("\n", 0, block.start(1)), block[1])
            for block in re.finditer(r"^```python\n(.*?)^```", text, flags=re.S | re.M)]


def run_page(page: Path) -> None:
    """Runs the page's Python blocks in one namespace. Blocks with ">>>" must print the output that they show."""
    namespace: dict[str, Any] = {}
    report: list[str] = []
    for line, block in python_blocks(page):
        if ">>> " not in block:
            exec(compile("\n" * line + block, str(page), "exec"), namespace)
            continue
        test = doctest.DocTestParser().get_doctest(block, {}, page.name, str(page), line)
        test.globs = namespace
        doctest.DocTestRunner(verbose=False).run(test, out=report.append, clear_globs=False)
    assert not report, "".join(report)


def test_the_tutorial_prints_what_it_says() -> None:
    page = DOCS / "guide" / "tutorial.md"
    assert python_blocks(page)
    run_page(page)


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.0.0", reason="NumPy 1 prints numbers otherwise")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pages_print_what_they_say(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not python_blocks(page):
        pytest.skip("no Python block")
    (tmp_path / "examples").symlink_to(DOCS.parent / "examples")
    monkeypatch.chdir(tmp_path)
    run_page(page)
