"""weft.stream against the same functions of arrays in memory: every kind of source and sink, and what goes wrong."""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import threading
from pathlib import Path
from typing import Any, Callable, Iterator

import numpy as np
import pytest
import pyweft as weft

N = 30011
MEMORY = 300001  # pieces of one tile or a few
rng = np.random.default_rng(20261122)
X: dict[str, Any] = {
    "f4": (rng.uniform(-1, 1, N) * 2.0 ** rng.integers(-20, 20, N)).astype("f4"),
    "f8": rng.uniform(-1, 1, N) * 2.0 ** rng.integers(-20, 20, N),
    "i2": rng.integers(-300, 300, N).astype("i2"),
    "bool": rng.integers(0, 2, N).astype(bool),
    "f2": (rng.uniform(-1, 1, N) * 2.0 ** rng.integers(-20, 4, N)).astype("f2"),
}
DECAY = rng.uniform(-1, 1, N)


def parts(x: Any) -> Iterator[Any]:
    """Pieces of odd lengths, some of them empty."""
    at = 0
    for length in [1, 0, 5000, 4096, 7, 0, *[3001] * 10]:
        yield x[at : at + length]
        at += length


def save(folder: Path, x: Any) -> Path:
    path = folder / f"{x.dtype}.npy"
    np.save(path, x)
    return path


@contextlib.contextmanager
def pipe(data: bytes) -> Iterator[Any]:
    """The end of a pipe from which the data come."""
    ends = os.pipe()

    def write() -> None:
        with open(ends[1], "wb") as file, contextlib.suppress(BrokenPipeError):
            file.write(data)

    writer = threading.Thread(target=write)
    writer.start()
    with open(ends[0], "rb") as file:
        yield file
    writer.join()


def npy(x: Any) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, x)
    return buffer.getvalue()


def zipped(folder: Path, x: Any) -> Any:
    path = folder / "x.npy.gz"
    path.write_bytes(gzip.compress(npy(x), 1))
    return gzip.open(path)


def sources(folder: Path, x: Any) -> dict[str, Any]:
    return {
        "path": save(folder, x),
        "name": str(save(folder, x)),
        "swapped": save(folder, x.astype(x.dtype.newbyteorder())),
        "zipped": zipped(folder, x),
        "file object": io.BytesIO(npy(x)),
        "generator": parts(x),
        "list": [*parts(x)],
        "function": lambda: parts(x),
        "array": x,
    }


KINDS = ["path", "name", "swapped", "zipped", "file object", "generator", "list", "function", "array"]
OPS = "sum prod min max argmin argmax any all count_nonzero mean norm1 norm2 norminf".split()


def same(x: Any, y: Any) -> bool:
    return bool(x.dtype == y.dtype and x.shape == y.shape and x.tobytes() == y.tobytes())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", X)
def test_reductions_of_every_kind_of_source(tmp_path: Path, dtype: str, kind: str) -> None:
    x = X[dtype]
    ops = [*OPS, *([] if dtype[0] == "f" else ["bitwise_and", "bitwise_or", "bitwise_xor"])]
    for op in ops:
        found = getattr(weft.stream, op)(sources(tmp_path, x)[kind], memory=MEMORY)
        assert same(found, getattr(weft, op)(x)), op


def test_a_pipe() -> None:
    with pipe(npy(X["f4"])) as file:
        assert weft.stream.sum(file, dtype=np.float64, memory="64K") == weft.sum(X["f4"], dtype=np.float64)


def test_the_other_folds(tmp_path: Path) -> None:
    x, y = X["f8"], DECAY
    path = save(tmp_path, x)
    assert weft.stream.variance(path, ddof=1, memory=MEMORY) == weft.variance(x, ddof=1)
    assert weft.stream.variance(lambda: parts(x), memory=MEMORY) == weft.variance(x)
    assert weft.stream.variance([*parts(x)]) == weft.variance(x)
    assert weft.stream.variance(zipped(tmp_path, x), memory=MEMORY) == weft.variance(x)
    assert weft.stream.dot(path, parts(y), memory=MEMORY) == weft.dot(x, y)
    counts = weft.stream.histogram(path, 30, range=(-2, 2), memory=MEMORY)
    assert same(counts, weft.histogram(x, 30, range=(-2, 2)))
    assert same(weft.stream.histogram(parts(x), [-1, 0, 0.5]), weft.histogram(x, [-1, 0, 0.5]))
    assert weft.stream.norm2(lambda: parts(x * 1e300), memory=MEMORY) == weft.norm2(x * 1e300)


def test_float16(tmp_path: Path) -> None:
    x = X["f2"]
    path = save(tmp_path, x)
    assert same(weft.stream.dot(path, parts(x[::-1].copy()), memory=MEMORY), weft.dot(x, x[::-1].copy()))
    assert same(weft.stream.variance(path, memory=MEMORY), weft.variance(x))
    for dtype in (np.float16, np.float32, np.float64):
        assert same(weft.stream.sum(path, dtype=dtype, memory=MEMORY), weft.sum(x, dtype=dtype))
        assert same(weft.stream.variance(path, dtype=dtype, memory=MEMORY), weft.variance(x, dtype=dtype))
        y = np.empty(N, dtype)
        weft.stream.scan(parts(x), out=y, init=0.75, dtype=dtype, exclusive=True, memory=MEMORY)
        assert same(y, weft.scan(x, init=0.75, dtype=dtype, exclusive=True))
        means = weft.scatter_reduce(x, INDEX, 41, "mean", dtype=dtype) if dtype != np.float16 else None
        if means is not None:
            assert same(weft.stream.scatter_reduce(path, INDEX, 41, "mean", dtype=dtype, memory=MEMORY), means)
    y = np.empty(N, np.float16)
    weft.stream.map("x / 3", x=path, out=y, memory=MEMORY)
    assert same(y, weft.map("x / 3", x=x))
    assert weft.stream.map_reduce("sum", "x / 3", x=path, memory=MEMORY) == weft.map_reduce("sum", "x / 3", x=x)


INDEX = np.where(rng.integers(0, 3, N) == 0, 5, rng.integers(0, 40, N))


@pytest.mark.parametrize("name", X)
@pytest.mark.parametrize("op", ["sum", "prod", "min", "max", "mean", "and", "or", "xor"])
def test_scatter_reduce(tmp_path: Path, name: str, op: str) -> None:
    x = X[name]
    if x.dtype.kind == "f" and op in ("and", "or", "xor"):
        with pytest.raises(TypeError):
            weft.stream.scatter_reduce(x, INDEX, 41, op)
        return
    path = save(tmp_path, x)
    if name == "f2" and op == "mean":
        with pytest.raises(TypeError, match="mean of f16 must accumulate in f32 or f64"):
            weft.stream.scatter_reduce(x, INDEX, 41, op)
        return
    for kind in ("i4", "i8", "u4", "u8"):
        index = INDEX.astype(kind)
        wanted = weft.scatter_reduce(x, index, 41, op)
        assert same(weft.stream.scatter_reduce(path, parts(index), 41, op, memory=MEMORY), wanted)
        assert same(weft.stream.scatter_reduce(parts(x), index, 41, op, memory=2000), wanted)
    if op != "mean":
        assert same(
            weft.stream.scatter_reduce(parts(x), INDEX, 41, op, init=wanted),
            weft.scatter_reduce(x, INDEX, 41, op, init=wanted),
        )


def test_scatter_rows(tmp_path: Path) -> None:
    rows, index = X["f4"][:30000].reshape(10000, 3), INDEX[:10000].copy()
    index[77] = -1
    path = save(tmp_path, rows)
    wanted = weft.scatter_reduce(rows, index, 40, skip=True)
    assert same(weft.stream.scatter_reduce(path, index, 40, skip=True, memory=2000), wanted)
    assert same(weft.stream.scatter_reduce(parts(X["f4"][:30000]), index, 40, columns=3, skip=True), wanted)
    assert same(weft.stream.scatter_count(parts(index), 40, skip=True), weft.scatter_count(index, 40, skip=True))
    with pytest.raises(ValueError, match="index.77. is -1: expected 0 to 39"):
        weft.stream.scatter_reduce(path, index, 40, memory=200)
    with pytest.raises(ValueError, match="index.77. is -1: expected 0 to 39"):
        weft.stream.scatter_count(index, 40, memory=200)
    with pytest.raises(ValueError, match="columns is 2 and x has shape"):
        weft.stream.scatter_reduce(path, index, 40, columns=2)
    with pytest.raises(ValueError, match="init has shape"):
        weft.stream.scatter_reduce(path, index, 40, init=np.zeros(40, "f4"))
    with pytest.raises(ValueError, match="x has more"):
        weft.stream.scatter_reduce(parts(X["f4"]), index, 40, skip=True)
    with pytest.raises(TypeError, match="index has dtype int16|must be one of"):
        weft.stream.scatter_reduce(path, index.astype("i2"), 40)
    with pytest.raises(ValueError, match="op is 'median'"):
        weft.stream.scatter_reduce(path, index, 40, "median")


def test_texts(tmp_path: Path) -> None:
    words: list[Any] = [b"ab", "abcabc", "B"]
    text = b"abcabcab" * 5000
    path = tmp_path / "text"
    path.write_bytes(text)
    cut = [text[at : at + 1001] for at in range(0, len(text), 1001)]
    for given in (path, cut, io.BytesIO(text), text, np.frombuffer(text, np.uint8)):
        for fold_case in (False, True):
            found = weft.stream.match_count(given, words, fold_case=fold_case, memory=MEMORY)
            assert same(found, weft.match_count(text, words, fold_case=fold_case))
            if isinstance(given, io.BytesIO):
                given.seek(0)


# -------------------------------------------------------------------------------------- sinks

ARRAYS: dict[str, tuple[Callable[..., Any], Any]] = {
    "scan": (lambda x, out: weft.stream.scan(x, out=out, memory=MEMORY), weft.scan(X["f8"])),
    "exclusive": (
        lambda x, out: weft.stream.scan(x, "max", out=out, exclusive=True, init=-3, memory=MEMORY),
        weft.scan(X["f8"], "max", exclusive=True, init=-3),
    ),
    "recurrence": (
        lambda x, out: weft.stream.recurrence(DECAY, x, out=out, init=2.5, memory=500001),
        weft.recurrence(DECAY, X["f8"], init=2.5),
    ),
    "map": (
        lambda x, out: weft.stream.map("a*x + i", x=x, a=3, out=out, dtype=np.float32, memory=MEMORY),
        weft.map("a*x + i", x=X["f8"], a=3, dtype=np.float32),
    ),
    "map_scan": (
        lambda x, out: weft.stream.map_scan("sum", "x*y", x=x, y=parts(DECAY), out=out, memory=MEMORY),
        weft.map_scan("sum", "x*y", x=X["f8"], y=DECAY),
    ),
}


@pytest.mark.parametrize("kind", ["path", "generator"])
@pytest.mark.parametrize("name", ARRAYS)
def test_every_kind_of_sink(tmp_path: Path, name: str, kind: str) -> None:
    function, expected = ARRAYS[name]

    def x() -> Any:
        return sources(tmp_path, X["f8"])[kind]

    target = tmp_path / "results" / "y.npy"
    target.parent.mkdir()
    target.write_bytes(b"what was there before")
    assert function(x(), target) == N
    assert same(np.load(target), expected) and os.listdir(target.parent) == ["y.npy"]
    buffer = np.zeros_like(expected)
    assert same(function(x(), buffer), expected) and same(buffer, expected)
    file = io.BytesIO(b"before")
    file.seek(6)
    assert function(x(), file) == N and file.getvalue()[:6] == b"before"
    file.seek(6)
    assert same(np.load(file), expected)
    pieces: list[Any] = []
    assert function(x(), pieces.append) == N
    assert len(pieces) > 1 and same(np.concatenate(pieces), expected)


def test_formulas(tmp_path: Path) -> None:
    x, y = X["f4"], X["i2"]
    path = save(tmp_path, x)
    expected = weft.map_reduce("norm2", "a*x + y/3 - i", x=x, y=y, a=1.5)
    assert weft.stream.map_reduce("norm2", "a*x + y/3 - i", x=path, y=parts(y), a=1.5, memory=MEMORY) == expected
    assert weft.stream.map_reduce("sum", weft.expr("y"), y=parts(y)) == weft.map_reduce("sum", "y", y=y)


def test_shapes(tmp_path: Path) -> None:
    x = X["f8"][:30000].reshape(30, 1000)
    path, target = save(tmp_path, x), tmp_path / "y.npy"
    assert weft.stream.map("2*x", x=path, out=target) == 30000
    assert same(np.load(target), weft.map("2*x", x=x))
    weft.stream.scan(path, out=target)
    assert same(np.load(target), weft.scan(x))
    buffer = np.zeros((30, 1000))
    assert weft.stream.map("2*x", x=path, out=buffer) is buffer and same(buffer, 2 * x)
    longer = np.zeros(50000)
    found = weft.stream.scan(parts(X["f8"]), out=longer)
    assert found.base is longer and same(found, weft.scan(X["f8"]))


def test_nothing_at_all(tmp_path: Path) -> None:
    none = np.zeros(0, "f4")
    target = tmp_path / "y.npy"
    for x in (save(tmp_path, none), [none], io.BytesIO(npy(none))):
        assert same(weft.stream.sum(x), weft.sum(none))
    for x in (save(tmp_path, none), [none]):
        assert weft.stream.recurrence(x, none, out=target) == 0
        assert same(np.load(target), none)
    with pytest.raises(ValueError, match="max of 0 elements"):
        weft.stream.max([none])


def test_a_pipe_to_a_pipe() -> None:
    received: list[bytes] = []
    ends = os.pipe()
    with open(ends[0], "rb") as end:
        reader = threading.Thread(target=lambda: received.append(end.read()))
        reader.start()
        with pipe(npy(X["f8"])) as file, open(ends[1], "wb") as out:
            weft.stream.scan(file, out=out, memory=MEMORY)
        reader.join()
    assert same(np.load(io.BytesIO(received[0])), weft.scan(X["f8"]))


def test_calls_within_a_source_and_a_sink() -> None:
    seen = []

    def squares() -> Iterator[Any]:
        for part in parts(X["f8"]):
            yield weft.map("x*x", x=part) if len(part) else part

    weft.stream.scan(squares(), out=lambda part: seen.append(weft.sum(part)), memory=MEMORY)
    assert len(seen) > 1


# ---------------------------------------------------------------------------------- what goes wrong


class Mine(Exception):
    pass


def failing(after: int) -> Iterator[Any]:
    for at, part in enumerate(parts(X["f8"])):
        if at == after:
            raise Mine("a source's own") from LookupError("why")
        yield part


@pytest.mark.parametrize("after", [0, 1, 3, 14])
def test_what_a_source_raises_comes_out(tmp_path: Path, after: int) -> None:
    target = tmp_path / "y.npy"
    for call in (
        lambda: weft.stream.sum(failing(after), memory=MEMORY),
        lambda: weft.stream.dot(X["f8"], failing(after), memory=MEMORY),
        lambda: weft.stream.scan(failing(after), out=target, memory=MEMORY),
        lambda: weft.stream.map_reduce("sum", "x", x=lambda: failing(after)),
    ):
        with pytest.raises(Mine, match="a source's own") as caught:
            call()
        assert isinstance(caught.value.__cause__, LookupError)
    assert os.listdir(tmp_path) == []
    assert weft.stream.sum(X["f8"]) == weft.sum(X["f8"])


@pytest.mark.parametrize("fault", [Mine, KeyboardInterrupt, SystemExit])
def test_what_a_sink_raises_comes_out(fault: Any) -> None:
    def out(_: Any) -> None:
        raise fault("a sink's own")

    with pytest.raises(fault, match="a sink's own"):
        weft.stream.scan(parts(X["f8"]), out=out, memory=MEMORY)


def test_what_a_second_pass_raises_comes_out() -> None:
    passes = iter([parts(X["f8"]), failing(3)])
    with pytest.raises(Mine):
        weft.stream.variance(lambda: next(passes), memory=MEMORY)


def cut(folder: Path) -> Path:
    path = folder / "cut.npy"
    path.write_bytes(npy(X["f8"])[:-10000])
    return path


WRONG: dict[str, tuple[Callable[[Path], Any], Any, str]] = {
    "once": (lambda _: weft.stream.variance(parts(X["f8"])), ValueError, "cannot be rewound, but variance must read"),
    "cut": (lambda at: weft.stream.sum(cut(at)), OSError, "the source x ends after 28761 of 30011 elements"),
    "cut object": (
        lambda at: weft.stream.sum(io.BytesIO(npy(X["f8"])[:-10001])),
        OSError,
        "the source x ends within an element, after 28760 complete elements",
    ),
    "no file": (lambda at: weft.stream.sum(at / "none.npy"), FileNotFoundError, "none.npy"),
    "no npy": (lambda _: weft.stream.sum(io.BytesIO(b"text")), ValueError, "x is not a .npy file"),
    "text": (lambda _: weft.stream.sum(io.StringIO("text")), TypeError, "x is a text file object"),
    "number": (lambda _: weft.stream.sum(3), TypeError, "x is a int; it must be a path"),
    "none": (lambda _: weft.stream.sum(iter([])), ValueError, "x has no arrays"),
    "mixed": (
        lambda _: weft.stream.sum([X["f8"], X["f4"]]),
        TypeError,
        "x has arrays of float64 and float32; they must have the same dtype",
    ),
    "complex": (lambda _: weft.stream.sum([np.zeros(3, complex)]), TypeError, "dtype complex128; it must be one of"),
    "complex file": (lambda at: weft.stream.sum(save(at, np.zeros(3, complex))), TypeError, "has dtype complex128"),
    "fortran": (
        lambda at: weft.stream.sum(save(at, np.asfortranarray(np.zeros((3, 4))))),
        ValueError,
        "is in Fortran order",
    ),
    "lengths": (
        lambda _: weft.stream.dot(X["f8"], X["f8"][1:]),
        ValueError,
        r"x has shape \(30011,\) and y \(30010,\)",
    ),
    "lengths of pieces": (
        lambda _: weft.stream.dot(parts(X["f8"]), X["f8"][1:]),
        ValueError,
        "y has 30010 elements and x has more",
    ),
    "dtypes": (lambda _: weft.stream.dot(X["f8"], X["f4"]), TypeError, "x has dtype float64 and y float32"),
    "rows": (
        lambda _: weft.stream.recurrence(np.zeros((2, 3)), np.zeros((2, 3)), out=print),
        ValueError,
        r"s has shape \(2, 3\); it must have 1 dimension",
    ),
    "integers": (lambda _: weft.stream.recurrence([[1]], [[1]], out=print), TypeError, "has dtype int64"),
    "short array": (lambda _: weft.stream.scan(X["f8"], out=np.zeros(9)), ValueError, "must have 30011 elements"),
    "small array": (
        lambda _: weft.stream.scan(parts(X["f8"]), out=np.zeros(9)),
        OSError,
        "cannot write the result: No space left on device",
    ),
    "out dtype": (lambda _: weft.stream.scan(X["f8"], out=np.zeros(N, "f4")), TypeError, "out has dtype float32"),
    "no out": (lambda _: weft.stream.scan(X["f8"], out=3), TypeError, "out is a int; it must be a path"),
    "text out": (lambda _: weft.stream.scan(X["f8"], out=io.StringIO()), TypeError, "out is a text file object"),
    "no folder": (
        lambda at: weft.stream.scan(X["f8"], out=at / "none" / "y.npy"),
        FileNotFoundError,
        "none",
    ),
    "memory": (lambda _: weft.stream.sum(X["f8"], memory="12X"), ValueError, "memory is '12X'"),
    "little memory": (lambda _: weft.stream.sum(X["f8"], memory=10), ValueError, "10 bytes of memory for buffers"),
    "op": (lambda _: weft.stream.map_reduce("summ", "x", x=X["f8"]), ValueError, "op is 'summ'"),
    "no source": (
        lambda _: weft.stream.map("2*a", a=1, out=print),
        ValueError,
        "one variable must be bound to a source",
    ),
    "unknown": (lambda _: weft.stream.map("2*b", a=X["f8"], out=print), ValueError, "b"),
    "edges": (lambda _: weft.stream.histogram(X["f8"], [1.0]), ValueError, "bins must be a number or a 1-D array"),
    "a str": (lambda _: weft.stream.match_count([b"a"], "abc"), TypeError, "words is a str"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_refused(tmp_path: Path, name: str) -> None:
    call, exception, sentence = WRONG[name]
    with pytest.raises(exception, match=sentence):
        call(tmp_path)
    assert weft.stream.sum(X["f4"]) == weft.sum(X["f4"])


def test_one_source_is_not_two() -> None:
    x = parts(X["f8"])
    with pytest.raises(ValueError, match="x and y are the same source"):
        weft.stream.dot(x, x)
    assert weft.stream.dot(X["f8"], X["f8"]) == weft.dot(X["f8"], X["f8"])


def test_a_sink_that_cannot_seek_wants_a_length() -> None:
    ends = os.pipe()
    with open(ends[0], "rb"), open(ends[1], "wb") as out, pytest.raises(ValueError, match="out is not seekable"):
        weft.stream.scan(parts(X["f8"]), out=out)


def test_devices() -> None:
    for device in ("cpu", "ref"):
        found = weft.stream.recurrence(DECAY, parts(X["f8"]), out=np.empty(N), memory="700K", device=device)
        assert same(found, weft.recurrence(DECAY, X["f8"]))
