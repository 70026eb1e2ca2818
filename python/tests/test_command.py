"""Bits against the weft command, which reads and writes the same arrays as files. WEFT_COMMAND names another one."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest
import weft

COMMAND = os.environ.get("WEFT_COMMAND") or str(Path(weft.__file__).with_name("weft-command"))
N = 5000
rng = np.random.default_rng(20260402)


def _floats(dtype: str) -> Any:
    """Values of mixed exponents, in which a sum in another order has other bits."""
    return (rng.uniform(-1, 1, N) * 2.0 ** rng.integers(-20, 20, N)).astype(dtype)


INPUTS: dict[str, Any] = {
    "x32": _floats("f4"),
    "x64": _floats("f8"),
    "y64": _floats("f8"),
    "i16": rng.integers(-30000, 30000, N).astype("i2"),
    "u32": rng.integers(0, 50, N).astype("u4"),
    "nasty": np.array([np.nan, -np.nan, np.inf, -np.inf, -0.0, 0.0, 5e-324, 1e308, -1e308, 1.0]),
    "flags": rng.integers(0, 2, N).astype(bool),
    "offsets": np.array([0, 7, 7, 1000, N], "u8"),
    "m32": _floats("f4").reshape(50, 100),
    "n32": _floats("f4").reshape(100, 50),
    "z64": (_floats("f8") + 1j * _floats("f8"))[:4096].reshape(4, 1024),
    "taps": rng.uniform(-1, 1, 11),
    "many_taps": rng.uniform(-1, 1, 100),
    "decay": rng.uniform(-0.9, 0.9, N),
    "grid": rng.uniform(0, 1, (8, 9, 10)).astype("f4"),
    "rows": rng.uniform(-1, 1, (10, 500)),
}
I = INPUTS
Call = Callable[[], Any]

# The command's words, and the same in Python. Y stands for the file it writes; a value is printed without one.
CASES: list[tuple[str, Call]] = [
    *[
        (f"{op} {x}", lambda op=op, x=x: getattr(weft, op)(I[x]))
        for op in (
            "sum",
            "prod",
            "min",
            "max",
            "argmin",
            "argmax",
            "any",
            "all",
            "count_nonzero",
            "mean",
            "norm1",
            "norm2",
            "norminf",
            "variance",
        )
        for x in ("x32", "x64", "i16", "nasty")
    ],
    *[(f"{op} u32", lambda op=op: getattr(weft, f"bitwise_{op}")(I["u32"])) for op in ("and", "or", "xor")],
    ("sum x32 --accumulate f64", lambda: weft.sum(I["x32"], dtype="f8")),
    ("dot x64 y64", lambda: weft.dot(I["x64"], I["y64"])),
    ("scan x32 -o Y", lambda: weft.cumsum(I["x32"])),
    ("scan x64 --exclusive --init 3 -o Y", lambda: weft.scan(I["x64"], exclusive=True, init=3)),
    ("scan i16 --op max -o Y", lambda: weft.scan(I["i16"], "max")),
    ("scan i16 --accumulate i64 -o Y", lambda: weft.cumsum(I["i16"], dtype=np.int64)),
    ("scan nasty -o Y", lambda: weft.cumsum(I["nasty"])),
    ("recurrence decay x64 -o Y", lambda: weft.recurrence(I["decay"], I["x64"])),
    (
        "recurrence decay x64 --reverse --init 2 -o Y",
        lambda: weft.recurrence(I["decay"], I["x64"], init=2.0, reverse=True),
    ),
    ("segmented_reduce x32 --offsets offsets -o Y", lambda: weft.segmented_reduce(I["x32"], offsets=I["offsets"])),
    (
        "segmented_reduce x64 --heads flags --op min -o Y",
        lambda: weft.segmented_reduce(I["x64"], "min", heads=I["flags"]),
    ),
    ("segmented_scan x32 --heads flags -o Y", lambda: weft.segmented_scan(I["x32"], heads=I["flags"])),
    ("reduce_by_key u32 x32 -o Y", lambda: weft.reduce_by_key(I["u32"], I["x32"])[1]),
    ("select x32 --flags flags -o Y", lambda: weft.select(I["x32"], I["flags"])),
    ("select x32 --gt 0.25 --indices -o Y", lambda: weft.select_indices(I["x32"], gt=0.25)),
    ("partition nasty --ne 1 -o Y", lambda: weft.partition(I["nasty"], ne=1)[0]),
    ("unique u32 -o Y", lambda: weft.unique(I["u32"])),
    ("run_length u32 --values Y --lengths L.npy", lambda: weft.run_length(I["u32"])[0]),
    ("histogram x32 --bins 10 --lower -2 --upper 2 -o Y", lambda: weft.histogram(I["x32"], 10, range=(-2, 2))),
    ("top_k x32 -k 20 -o Y", lambda: weft.top_k(I["x32"], 20)[0]),
    ("top_k nasty -k 10 --smallest -o Y", lambda: weft.top_k(I["nasty"], 10, largest=False)[0]),
    ("sort nasty --descending -o Y", lambda: weft.sort(I["nasty"], descending=True)),
    ("sort i16 -o Y", lambda: weft.sort(I["i16"])),
    ("argsort u32 -o Y", lambda: weft.argsort(I["u32"])),
    ("matmul m32 n32 -o Y", lambda: weft.matmul(I["m32"], I["n32"])),
    ("matmul m32 n32 --accumulate f64 -o Y", lambda: weft.matmul(I["m32"], I["n32"], dtype="f8")),
    ("matmul n32 m32 --transpose ab -o Y", lambda: weft.matmul(I["n32"].T, I["m32"].T)),
    ("fft z64 -o Y", lambda: weft.fft(I["z64"])),
    ("fft z64 --inverse -o Y", lambda: weft.ifft(I["z64"])),
    ("convolve x64 taps --mode same -o Y", lambda: weft.convolve(I["x64"], I["taps"], "same")),
    ("convolve x64 many_taps -o Y", lambda: weft.convolve(I["x64"], I["many_taps"])),
    ("convolve x64 taps --correlate -o Y", lambda: weft.correlate(I["x64"], I["taps"], "full")),
    ("tridiag -o Y -- -1 3 -1 rows", lambda: weft.tridiag(-1.0, 3.0, -1.0, I["rows"])),
]


@pytest.fixture(scope="module")
def files(tmp_path_factory: Any) -> Path:
    folder: Path = tmp_path_factory.mktemp("arrays")
    for name, array in INPUTS.items():
        np.save(folder / f"{name}.npy", array)
    return folder


@pytest.mark.parametrize("words, python", CASES, ids=[words for words, _ in CASES])
def test_the_command_gives_the_same_bits(words: str, python: Call, files: Path) -> None:
    named = [f"{word}.npy" if word in INPUTS or word == "Y" else word for word in words.split()]
    writes = "Y.npy" in named
    named += [] if writes else ["--bits"]
    named[1:1] = ["--device", "cpu", "--quiet"]
    done = subprocess.run(
        [COMMAND, *named], cwd=files, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    result = np.asarray(python())
    if writes:
        expected = np.load(files / "Y.npy")
        assert expected.size == result.size and expected.dtype == result.dtype
        assert expected.tobytes() == result.tobytes()
    else:
        assert int(done.stdout.split()[-1], 16) == int(result.view(f"u{result.itemsize}")), done.stdout
