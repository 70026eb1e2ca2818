"""Bits against the weft command, which reads and writes the same arrays as files. WEFT_COMMAND names another one."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest
import pyweft as weft

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
    "targets": rng.permutation(N),
}
I = INPUTS
Call = Callable[[], Any]

# Arguments of the command, and the same call in Python. Y is the output file; without it the value is printed.
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
    (
        "scatter_reduce x32 --index flags --targets 2 --op mean -o Y",
        lambda: weft.scatter_reduce(I["x32"], I["flags"].view(np.uint8), 2, "mean"),
    ),
    ("gather x32 --index targets -o Y", lambda: weft.gather(I["x32"], I["targets"])),
    ("scatter x32 --index targets --targets 6000 -o Y", lambda: weft.scatter(I["x32"], I["targets"], 6000)),
    ("select x32 --flags flags -o Y", lambda: weft.select(I["x32"], I["flags"])),
    ("select x32 --gt 0.25 --indices -o Y", lambda: weft.select_indices(I["x32"], gt=0.25)),
    ("partition nasty --ne 1 -o Y", lambda: weft.partition(I["nasty"], ne=1)[0]),
    ("unique u32 -o Y", lambda: weft.unique(I["u32"])),
    ("run_length u32 --values Y --lengths L.npy", lambda: weft.run_length(I["u32"])[0]),
    ("histogram x32 --bins 10 --lower -2 --upper 2 -o Y", lambda: weft.histogram(I["x32"], 10, range=(-2, 2))),
    (
        "histogram m32 --axis 0 --bins 10 --lower -2 --upper 2 -o Y",
        lambda: weft.histogram(I["m32"], 10, range=(-2, 2), axis=0),
    ),
    ("top_k x32 -k 20 -o Y", lambda: weft.top_k(I["x32"], 20)[0]),
    ("top_k nasty -k 10 --smallest -o Y", lambda: weft.top_k(I["nasty"], 10, largest=False)[0]),
    ("quantile x32 -q 0.5,0.25 -o Y", lambda: weft.quantile(I["x32"], [0.5, 0.25])),
    ("quantile m32 --axis 0 --method higher -o Y", lambda: weft.quantile(I["m32"], [0.5], 0, method="higher")),
    ("sort nasty --descending -o Y", lambda: weft.sort(I["nasty"], descending=True)),
    ("sort i16 -o Y", lambda: weft.sort(I["i16"])),
    ("argsort u32 -o Y", lambda: weft.argsort(I["u32"])),
    ("matmul m32 n32 -o Y", lambda: weft.matmul(I["m32"], I["n32"])),
    ("matmul m32 n32 --accumulate f64 -o Y", lambda: weft.matmul(I["m32"], I["n32"], dtype="f8")),
    ("matmul m32 n32 --accumulate exact -o Y", lambda: weft.matmul(I["m32"], I["n32"], accumulate="exact")),
    ("matmul n32 m32 --transpose ab -o Y", lambda: weft.matmul(I["n32"].T, I["m32"].T)),
    ("fft z64 -o Y", lambda: weft.fft(I["z64"])),
    ("fft z64 --inverse -o Y", lambda: weft.ifft(I["z64"])),
    ("convolve x64 taps --mode same -o Y", lambda: weft.convolve(I["x64"], I["taps"], "same")),
    ("convolve x64 many_taps -o Y", lambda: weft.convolve(I["x64"], I["many_taps"])),
    ("convolve x64 taps --correlate -o Y", lambda: weft.correlate(I["x64"], I["taps"], "full")),
    ("convolve m32 m32 --axis 0 --mode same -o Y", lambda: weft.convolve(I["m32"], I["m32"], "same", axis=0)),
    ("convolve m32 m32 --border wrap --mode same -o Y", lambda: weft.convolve2d(I["m32"], I["m32"], "same", "wrap")),
    ("tridiag -o Y -- -1 3 -1 rows", lambda: weft.tridiag(-1.0, 3.0, -1.0, I["rows"])),
    ("tridiag_pivot -o Y -- -1 0.5 -1 rows", lambda: weft.tridiag_pivot(-1.0, 0.5, -1.0, I["rows"])),
    ("pentadiag -o Y -- 1 -4 7 -4 1 rows", lambda: weft.pentadiag(1.0, -4.0, 7.0, -4.0, 1.0, I["rows"])),
    ("heat rows --steps 3 --lambda 0.5 --dimensions 1 -o Y", lambda: weft.heat(I["rows"], 3, lam=0.5, dimensions=1)),
    (
        "heat rows --steps 2 --lambda 2,0.5 --method crank-nicolson -o Y",
        lambda: weft.heat(I["rows"], 2, lam=(0.5, 2), method="crank_nicolson"),
    ),
    ("map x*y+2 x=x64 y=y64 -o Y", lambda: weft.map("x*y + 2", x=I["x64"], y=I["y64"])),
    ("map x^2+a*x x=x32 a=0.1 -o Y", lambda: weft.map("x**2 + a*x", x=I["x32"], a=0.1)),
    ("map sin(x)/b x=rows b=3 -o Y", lambda: weft.map("sin(x)/b", x=I["rows"], b=3)),
    ("map x/7-y x=i16 y=u32 -o Y --dtype i64", lambda: weft.map("x/7 - y", x=I["i16"], y=I["u32"], dtype="i8")),
    ("map exp(-0.001*i) --n 3000 --dtype f32 -o Y", lambda: weft.map("exp(-0.001*i)", shape=3000, dtype="f4")),
    ("map max(x,0) x=nasty -o Y", lambda: weft.map("max(x, 0)", x=I["nasty"])),
    *[
        (f"map_reduce {op} x*y+1 x=x64 y=x32", lambda op=op: weft.map_reduce(op, "x*y + 1", x=I["x64"], y=I["x32"]))
        for op in ("sum", "mean", "norm2", "argmin", "count_nonzero")
    ],
    ("map_scan x*y+1 x=x64 y=x32 -o Y", lambda: weft.map_scan("sum", "x*y + 1", x=I["x64"], y=I["x32"])),
    (
        "map_scan --op max --exclusive --init 2 x*x x=x32 -o Y",
        lambda: weft.map_scan("max", "x*x", exclusive=True, init=2, x=I["x32"]),
    ),
    (
        "map_reduce sum x+1 x=x32 --accumulate f64",
        lambda: weft.map_reduce("sum", "x + 1", x=I["x32"], accumulate=np.float64),
    ),
    *[
        (
            f"random {name} --n 5000 --seed 3 --stream 5 --first 7 --dtype {short} -o Y",
            lambda name=name, dtype=dtype: getattr(weft.random, name)(5000, seed=3, stream=5, first=7, dtype=dtype),
        )
        for name in ("uniform", "normal", "lognormal", "exponential")
        for short, dtype in (("f32", "f4"), ("f64", "f8"))
    ],
    *[
        (
            f"random {name} --n 5000 --seed 3 --stream 5 --first 7 -o Y",
            lambda name=name: getattr(weft.random, name)(5000, seed=3, stream=5, first=7),
        )
        for name in ("normal_fast", "lognormal_fast")
    ],
    (
        "random normal --n 100 --mean 2 --deviation 0.5 --dtype f64 --seed 1 -o Y",
        lambda: weft.random.normal(100, 2, 0.5, seed=1),
    ),
    *[
        (
            f"sobol --dimensions 7 --n 300 --scramble {how} --seed 3 --stream 5 --first 7 --dtype {short} -o Y",
            lambda how=how, dtype=dtype: weft.random.sobol(300, 7, how, seed=3, stream=5, first=7, dtype=dtype),
        )
        for how in ("none", "shift", "owen")
        for short, dtype in (("f32", "f4"), ("f64", "f8"))
    ],
    ("random bernoulli --n 5000 --probability 0.1 -o Y", lambda: weft.random.bernoulli(5000, 0.1, seed=0)),
    ("random integers --n 500 --lower 1 --upper 6 --seed 7 -o Y", lambda: weft.random.integers(500, 1, 6, seed=7)),
    ("random integers --n 500 --dtype u64 -o Y", lambda: weft.random.integers((5, 100), dtype="u8", seed=0)),
]

# In Python indices and counts are int64, and what is true or false is bool; the command writes u64 and u8.
NUMPY_DTYPES = {"histogram": np.int64, "argsort": np.int64, "--indices": np.int64, "bernoulli": np.bool_}

# The command's words of an option, and the same in Python.
PRICES: list[tuple[str, Call]] = [
    (
        "call --start 100 --sigma 0.2 --strike 105 --steps 1 --greeks",
        lambda: price("call", start=100, volatility=0.2, strike=105, steps=1, greeks=True),
    ),
    (
        "double-digital --seed 3",
        lambda: price("corridor", start=[1, 1], volatility=0.1, width=0.1, correlation=0.5, scheme="euler", seed=3),
    ),
    (
        "asian-put --start 100 --sigma 0.2 --strike 105 --control --dtype f32",
        lambda: price("put", observed="mean", start=100, volatility=0.2, strike=105, control=True, dtype="f4"),
    ),
    (
        "call --start 100 --sigma 0.2 --strike 105 --steps 4 --greeks --sobol 8",
        lambda: price("call", start=100, volatility=0.2, strike=105, steps=4, greeks=True, scramblings=8),
    ),
    (
        "call --start 100,90 --sigma 0.2,0.3 --weights 1,-1 --rho 0.25 --strike 5 --antithetic --greeks",
        lambda: price(
            "call",
            start=[100, 90],
            volatility=[0.2, 0.3],
            weights=[1, -1],
            correlation=[[1, 0.25], [0.25, 1]],
            strike=5,
            antithetic=True,
            greeks=True,
        ),
    ),
    (
        "digital-put --start 100 --sigma 0.2 --strike 99 --barrier up-out --level 110 --rate 0.01 --maturity 2",
        lambda: weft.price(
            "digital-put",
            start=100,
            volatility=0.2,
            strike=99,
            barrier="up-out",
            level=110,
            rate=0.01,
            maturity=2,
            paths=5000,
        ),
    ),
]
TEXT = b"the warp and the weft; THE theatre\n\xff the_warp weft weftweft\n" * 50
WORDS = [b"the", b"weft", b"warp", b"eft"]


def price(payoff: str, **more: Any) -> weft.Valuation:
    """With the rate and maturity that the command takes without being asked, of as many paths as it is asked for."""
    return weft.price(payoff, rate=0.05, maturity=1, paths=5000, **more)


def run(words: list[str], folder: Path) -> str:
    """Returns the output of the command."""
    command = [COMMAND, "--device", "cpu", "--quiet", *words]
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


def file_of(word: str) -> str:
    """A word that names an input, or the result, becomes the name of its file; so does that of NAME=INPUT."""
    return f"{word}.npy" if word == "Y" or word.rpartition("=")[2] in INPUTS else word


@pytest.fixture(scope="module")
def files(tmp_path_factory: Any) -> Path:
    folder: Path = tmp_path_factory.mktemp("arrays")
    for name, array in INPUTS.items():
        np.save(folder / f"{name}.npy", array)
    return folder


@pytest.mark.parametrize("words, python", CASES, ids=[words for words, _ in CASES])
def test_the_command_gives_the_same_bits(words: str, python: Call, files: Path) -> None:
    named = [file_of(word) for word in words.split()]
    writes = "Y.npy" in named
    printed = run(named + ([] if writes else ["--bits"]), files)
    result = np.asarray(python())
    if writes:
        expected = np.load(files / "Y.npy")
        numpy_dtype = next((dtype for word, dtype in NUMPY_DTYPES.items() if word in words.split()), expected.dtype)
        assert expected.size == result.size and numpy_dtype == result.dtype
        assert expected.tobytes() == result.tobytes()
    else:
        assert int(printed.split()[-1], 16) == int(result.view(f"u{result.itemsize}")), printed


@pytest.mark.parametrize("words, python", PRICES, ids=[words for words, _ in PRICES])
def test_the_command_gives_the_same_price(words: str, python: Call, files: Path) -> None:
    printed = json.loads(run(["--json", "price", "--paths", "5000", *words.split()], files))
    for name, value in python()._asdict().items():
        assert value == (tuple(printed.get(name, ())) if isinstance(value, tuple) else printed[name]), name


@pytest.mark.parametrize("flags", [(), ("--fold-case",), ("--whole-word",), ("--fold-case", "--whole-word")])
def test_the_command_finds_the_same_words(flags: tuple[str, ...], files: Path) -> None:
    (files / "text").write_bytes(TEXT)
    asked = {"fold_case": "--fold-case" in flags, "whole_word": "--whole-word" in flags}
    command = ["match", "--words", b",".join(WORDS).decode(), *flags, "text"]
    counts = [int(line.split("\t")[1]) for line in run(command, files).splitlines()]
    assert weft.match_count(TEXT, WORDS, **asked).tolist() == counts and sum(counts)
    listed = [line.split("\t") for line in run([*command, "--list"], files).splitlines()]
    positions, numbers = weft.match_list(TEXT, WORDS, **asked)
    assert [(int(at), word.encode()) for at, word in listed] == [(at, WORDS[k]) for at, k in zip(positions, numbers)]
