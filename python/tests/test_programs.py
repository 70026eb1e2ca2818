"""The programs of examples/python, on small data."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

PROGRAMS = Path(__file__).parents[2] / "examples" / "python"


def run(name: str, *words: Any) -> list[str]:
    command = [sys.executable, str(PROGRAMS / name), *map(str, words)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_all_are_run_here() -> None:
    source = Path(__file__).read_text(encoding="utf-8")
    assert all(f'run("{program.name}"' in source for program in PROGRAMS.glob("*.py"))


def test_mean() -> None:
    lines = run("mean.py", 10**5)
    assert lines[0].split(": ")[1].strip() == lines[1].split(": ")[1].strip() and lines[2] == "same bits: yes"


def test_moving_average(tmp_path: Path) -> None:
    assert run("moving_average.py")[0].startswith("2174 averages over 52: first 3162.596")
    np.save(tmp_path / "x.npy", np.arange(10))
    assert run("moving_average.py", tmp_path / "x.npy", 3) == ["8 averages over 3: first 1.000, last 8.000"]


def test_sum_of_parts(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.random.default_rng(2).normal(size=1000))
    lines = run("sum_of_parts.py", tmp_path / "x.npy", 4)
    assert lines[0].startswith("1000 values in 4 parts: sum ") and lines[1] == "same bytes as the whole file: yes"


def test_pivot_table(tmp_path: Path) -> None:
    assert [line.split() for line in run("pivot_table.py")] == [
        ["shop", "jam", "tea"],
        ["Bonn", "1.25", "4"],
        ["York", "4", "2"],
    ]
    (tmp_path / "t.csv").write_text("a,b,c\nx,p,1\nx,p,2\n")
    assert run("pivot_table.py", tmp_path / "t.csv", "a", "b", "c") == ["a                   p", "x                   3"]


def test_z_scores(tmp_path: Path) -> None:
    lines = run("z_scores.py")
    assert lines[0].split() == ["height", "mean", "1.7200", "deviation", "0.0804"] and len(lines) == 7
    (tmp_path / "t.csv").write_text("a,b\n1,4\n2,6\n3,8\n")
    assert [line.split() for line in run("z_scores.py", tmp_path / "t.csv")] == [
        ["a", "mean", "2.0000", "deviation", "1.0000"],
        ["b", "mean", "6.0000", "deviation", "2.0000"],
        ["-1.0000", "-1.0000"],
        ["0.0000", "0.0000"],
        ["1.0000", "1.0000"],
    ]


def test_running_maximum(tmp_path: Path) -> None:
    assert run("running_maximum.py")[0] == "time 0: 648 of 648 points at a new maximum"
    field = np.array([[[3.0, 1.0]], [[2.0, 5.0]], [[4.0, 6.0]]])
    np.save(tmp_path / "x.npy", np.asfortranarray(field))
    lines = run("running_maximum.py", tmp_path / "x.npy", tmp_path / "y.npy")
    assert [line.split()[2] for line in lines] == ["2", "1", "2"]
    assert np.load(tmp_path / "y.npy").tolist() == np.maximum.accumulate(field).tolist()


def test_top_of_column(tmp_path: Path) -> None:
    assert [line.split()[1] for line in run("top_of_column.py")] == ["Porto,", "Brest,", "Split,"]
    (tmp_path / "t.csv").write_text("a,b\nx,1\ny,3\nz,2\n")
    assert run("top_of_column.py", tmp_path / "t.csv", "b", 2) == ["         3  y, 3", "         2  z, 2"]


def test_top_of_rows(tmp_path: Path) -> None:
    assert run("top_of_rows.py") == [
        "Ada: physics 97, music 90",
        "Bo: art 82, latin 82",
        "Cy: biology 93, music 93",
    ]
    (tmp_path / "t.csv").write_text("a,b,c,d\nx,1,3,2\ny,0.5,nan,-1\n")
    assert run("top_of_rows.py", tmp_path / "t.csv", 9) == ["x: c 3, d 2, b 1", "y: b 0.5, d -1, c nan"]


def test_softmax_rows(tmp_path: Path) -> None:
    assert run("softmax_rows.py") == [
        "0.0900306 0.244728 0.665241",
        "0.333333 0.333333 0.333333",
        "3.78351e-44 1.92875e-22 1",
        "bits of the first row: 3db861f2 3e7a9a19 3f2a4d3a",
    ]
    table = np.random.default_rng(3).normal(0, 9, (50, 7)).astype(np.float32)
    np.save(tmp_path / "x.npy", table)
    run("softmax_rows.py", tmp_path / "x.npy", tmp_path / "y.npy")
    terms = np.exp(table.astype(np.float64) - table.max(1, keepdims=True))
    np.testing.assert_allclose(np.load(tmp_path / "y.npy"), terms / terms.sum(1, keepdims=True), rtol=1e-5)


def test_softmax_rows_of_float16(tmp_path: Path) -> None:
    table = np.random.default_rng(4).normal(0, 3, (50, 7)).astype(np.float16)
    np.save(tmp_path / "x.npy", table)
    run("softmax_rows.py", tmp_path / "x.npy", tmp_path / "y.npy")
    y = np.load(tmp_path / "y.npy")
    terms = np.exp(table.astype(np.float64) - table.max(1, keepdims=True))
    assert y.dtype == np.float16
    np.testing.assert_allclose(y, terms / terms.sum(1, keepdims=True), rtol=2**-11 + 1e-5, atol=2**-25)


def test_equalise(tmp_path: Path) -> None:
    assert run("equalise.py")[0].endswith("0 to 255 after")
    image = pytest.importorskip("PIL.Image")
    image.fromarray(np.arange(100, 164, dtype=np.uint8).reshape(8, 8)).save(tmp_path / "in.png")
    run("equalise.py", tmp_path / "in.png", tmp_path / "out.png")
    out = np.asarray(image.open(tmp_path / "out.png"))
    assert out.min() == 0 and out.max() == 255 and (np.diff(out.ravel().astype(int)) > 0).all()


def test_sort_log(tmp_path: Path) -> None:
    expected = [
        "2026-04-01T12:00:00.250 a: started",
        "2026-04-01T12:00:01.000 b: asked",
        "2026-04-01T12:00:01.000 a: asked",
        "2026-04-01T12:00:02.100 b: served",
    ]
    assert run("sort_log.py") == expected
    (tmp_path / "log").write_text("\n".join(reversed(expected)))
    assert len(run("sort_log.py", tmp_path / "log")) == 4
