"""The magics of pyweft.ladder, and docs/ladder/notebook.ipynb: its cells must print what it shows. With WEFT_RECORD=1, its
output is stored instead."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from pyweft import ladder

NOTEBOOK = Path(__file__).parents[2] / "docs/ladder/notebook.ipynb"
KERNEL = """#include <cuda_runtime.h>
__global__ void add(size_t n, const float *a, const float *b, float *c) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
void solve(size_t n, const float *a, const float *b, float *c) { add<<<(unsigned)(n + 255) / 256, 256>>>(n, a, b, c); }
"""


def _why_not() -> str:
    """Returns why exercises cannot be tried, or ""."""
    if not shutil.which("g++") and not shutil.which("clang++"):
        return "no C++ compiler is installed"
    said = ladder.run_ladder("vector-add", ["--device", "cpu", "--n", "1"])
    return "" if "\n  one-element " in said else said.strip()


needs_ladder = pytest.mark.skipif(bool(_why_not()), reason=f"the command cannot run the ladder: {_why_not()}")


@needs_ladder
def test_kernel_is_tried() -> None:
    right = ladder.try_kernel("vector-add/own --device cpu", KERNEL)
    assert "\nRight. Hash of the results: " in right
    wrong = ladder.try_kernel("vector-add/own --device cpu", KERNEL.replace("i < n", "true"))
    assert "\nWRONG. n = 1, " in wrong


@needs_ladder
def test_lines_are_those_of_the_cell() -> None:
    assert "own.cu:3:" in ladder.try_kernel("vector-add/own --device cpu", "\nno_type x;\n")


@needs_ladder
def test_new_file_is_a_cell() -> None:
    cell = ladder.new_file("reduce/odd")
    assert cell.startswith("%%weft_kernel reduce/odd\n/* weft ladder reduce/odd: ")
    assert "WRITE THIS" in cell
    assert "redcue" in ladder.new_file("redcue/odd")


def test_bad_names() -> None:
    assert ladder.try_kernel("reduce", KERNEL).startswith("%%weft_kernel reduce: expected an exercise, TOPIC/NAME")
    assert ladder.try_kernel("", KERNEL).startswith("%%weft_kernel : expected an exercise")


def test_no_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEFT_COMMAND", "/no/such/file")
    assert ladder.run_ladder("hint", ["reduce/odd"]).startswith("/no/such/file: No such file or directory: install weft")


def _text(cell: Any) -> str:
    return "".join(output.get("text", repr(output)) for output in cell.outputs)


@needs_ladder
def test_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    nbformat = pytest.importorskip("nbformat", reason="nbformat, with which notebooks are read, is not installed")
    nbclient = pytest.importorskip("nbclient", reason="nbclient, which runs notebooks, is not installed")
    pytest.importorskip("ipykernel", reason="IPython's kernel is not installed")
    monkeypatch.setenv("WEFT_COMMAND", ladder.find_command())
    stored, book = (nbformat.read(NOTEBOOK, as_version=4) for _ in range(2))
    nbclient.NotebookClient(book, timeout=300, kernel_name="python3").execute()
    if os.environ.get("WEFT_RECORD"):
        for cell, new in zip(stored.cells, book.cells):
            if cell.cell_type == "code":
                cell.outputs = new.outputs
        nbformat.write(stored, NOTEBOOK)
    for cell, new in zip(stored.cells, book.cells):
        if cell.cell_type == "code":
            # On a machine with a GPU, its results come after those of the executor.
            assert _text(new).startswith(_text(cell)), cell.source
