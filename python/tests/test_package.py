"""The distribution, its command and its names."""

from __future__ import annotations

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
