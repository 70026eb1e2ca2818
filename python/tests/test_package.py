"""The distribution, its command and its names."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pyweft as weft


def test_the_distribution_takes_no_name_of_another_package() -> None:
    distribution = metadata.distribution("pyweft")
    assert [point.name for point in distribution.entry_points] == ["pyweft"]
    folders = {path.parts[0] for path in distribution.files or [] if path.parts[0] != ".."}
    assert {folder for folder in folders if not folder.endswith(".dist-info")} == {"pyweft"}


def test_the_command_runs_by_its_script_and_by_its_module() -> None:
    script = [str(Path(sys.executable).with_name("pyweft"))]
    for command in (script, [sys.executable, "-m", "pyweft"]):
        printed = subprocess.run([*command, "version"], stdout=subprocess.PIPE, text=True, check=True).stdout
        assert printed.startswith(f"weft {weft.__version__}")


def test_each_operation_has_a_function() -> None:
    operations = (Path(__file__).parents[2] / "src/core/ops.def").read_text(encoding="utf-8")
    names = [*weft.__all__, *weft.random.__all__]
    for stem in re.findall(r"^(?:CALL|PRIMITIVE)\((\w+)", operations, flags=re.M):
        assert stem in names or f"{stem}_count" in names, stem
    # Those of views and variants: a function, or the argument axis (test_axes.py) or lanes of other functions.
    views = {
        "reduce_lanes": "sum",
        "copy_view": "copy",
        "map_views": "map",
        "reduce_axes": "sum",
        "variance_axes": "variance",
        "dot_axes": "vecdot",
        "scan_axis": "scan",
        "sort_axis": "sort",
        "argsort_axis": "argsort",
        "top_k_axis": "top_k",
        "quantile_axis": "quantile",
        "take_axis": "take_along_axis",
        "put_axis": "put_along_axis",
        "convolve2d": "convolve2d",
    }
    for stem in re.findall(r"^VIEW\((\w+)", operations, flags=re.M):
        assert views[stem] in names, stem


def test_each_function_is_named_by_the_documentation() -> None:
    docs = Path(__file__).parents[2] / "docs"
    operations = re.findall(r"\(ops/(\w+)\.md\)", (docs / "README.md").read_text(encoding="utf-8"))
    table = (docs / "guide/python.md").read_text(encoding="utf-8").split("## Functions")[1].split("\n\n**")[0]
    named = {*operations, *(word for code in re.findall(r"`([^`]*)`", table) for word in code.split())}
    functions = [name for name in weft.__all__ if callable(getattr(weft, name)) and name.islower()]
    assert {*functions, *(f"random.{name}" for name in weft.random.__all__)} <= named
