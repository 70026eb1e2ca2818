"""The exercises of the ladder in a notebook.

    %load_ext pyweft.ladder
    %weft_new reduce/odd      replaces the cell by the exercise's starting file
    %%weft_kernel reduce/odd  compiles, runs and checks the cell, without a GPU
    %weft_hint reduce/odd 1   prints the first hint

They run the command weft, with the ladder: the one that WEFT_COMMAND names, or the first one in PATH.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any


def find_command() -> str:
    """Returns the path of the command. The package's own one has no executor, and is used if there is no other."""
    own = Path(__file__).with_name("weft-command")
    return os.path.abspath(os.environ.get("WEFT_COMMAND") or shutil.which("weft") or own)


def run_ladder(verb: str, arguments: list[str], folder: str | None = None) -> str:
    """Runs `weft ladder VERB` in the directory, and returns what it prints."""
    command = find_command()
    try:
        done = subprocess.run([command, "ladder", verb, *arguments], cwd=folder, check=False, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except OSError as error:
        return f"{command}: {error.strerror}: install weft with the ladder, or set WEFT_COMMAND to the path of its command\n"
    return done.stdout


def try_kernel(arguments: str, cell: str) -> str:
    """Tries the text of a cell as a file of the exercise. The line that names the exercise comes first, as %%weft_kernel
    does in the cell, so that the numbers of lines in messages are those of the cell."""
    name, *options = shlex.split(arguments) or [""]
    if "/" not in name:
        return f"%%weft_kernel {name}: expected an exercise, TOPIC/NAME, such as reduce/odd"
    with tempfile.TemporaryDirectory() as folder:
        file = f"{name.partition('/')[2]}.cu"
        (Path(folder) / file).write_text(f"/* weft ladder {name} */\n{cell}", encoding="utf-8")
        return run_ladder("try", [file, *options], folder)


def new_file(arguments: str) -> str:
    """Returns the starting file of an exercise as a cell, or the error of `weft ladder new`."""
    with tempfile.TemporaryDirectory() as folder:
        said = run_ladder("new", [*shlex.split(arguments), "new.cu"], folder)
        file = Path(folder) / "new.cu"
        return f"%%weft_kernel {arguments.strip()}\n{file.read_text(encoding='utf-8')}" if file.exists() else said


def load_ipython_extension(ipython: Any) -> None:
    """Registers the magics. `%load_ext pyweft.ladder` calls it."""

    def weft_kernel(line: str, cell: str) -> None:
        print(try_kernel(line, cell), end="")

    def weft_new(line: str) -> None:
        text = new_file(line)
        if text.startswith("%%weft_kernel"):
            ipython.set_next_input(text, replace=True)
        else:
            print(text, end="")

    def weft_hint(line: str) -> None:
        print(run_ladder("hint", shlex.split(line)), end="")

    ipython.register_magic_function(weft_kernel, "cell")
    ipython.register_magic_function(weft_new, "line")
    ipython.register_magic_function(weft_hint, "line")
