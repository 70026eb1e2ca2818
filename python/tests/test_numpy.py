"""Tests of what a user of NumPy expects: dtypes of results, bools, sizes of numbers, shapes, and copies of formulas."""

from __future__ import annotations

import copy
import pickle
from typing import Any, Callable

import numpy as np
import pytest
import pyweft as weft

X = np.array([3.0, -1.0, 2.0, -1.0])
B = np.arange(1000) % 3 != 0

INDICES: dict[str, Callable[[], Any]] = {
    "argmin": lambda: weft.argmin(X),
    "argmax": lambda: weft.argmax(X),
    "count_nonzero": lambda: weft.count_nonzero(X),
    "argsort": lambda: weft.argsort(X),
    "top_k": lambda: weft.top_k(X, 2)[1],
    "search_sorted": lambda: weft.search_sorted(np.sort(X), X),
    "histogram of a range": lambda: weft.histogram(X, 4, range=(-2, 4)),
    "histogram of edges": lambda: weft.histogram(X, [-2, 0, 4]),
    "select_indices by flags": lambda: weft.select_indices(X > 0),
    "select_indices": lambda: weft.select_indices(X, gt=0),
    "run_length": lambda: weft.run_length(X)[1],
    "match_count": lambda: weft.match_count("abab", ["ab", "ba"]),
    "match_list": lambda: weft.match_list("abab", ["ab", "ba"])[0],
    "map_reduce": lambda: weft.map_reduce("argmin", "x", x=X),
    "stream.argmin": lambda: weft.stream.argmin([X]),
    "stream.count_nonzero": lambda: weft.stream.count_nonzero([X]),
    "stream.histogram": lambda: weft.stream.histogram([X], 4, range=(-2, 4)),
    "stream.match_count": lambda: weft.stream.match_count([b"abab"], ["ab", "ba"]),
    "sum of bools": lambda: weft.sum(B),
}


@pytest.mark.parametrize("name", INDICES)
def test_indices_and_counts_are_int64(name: str) -> None:
    assert INDICES[name]().dtype == np.int64


def test_indices_and_counts_can_be_subtracted() -> None:
    assert np.diff(weft.histogram(np.array([0.1, 0.2, 0.9]), 2, range=(0, 1))).tolist() == [-1]
    assert weft.argmin(np.arange(3.0)) - 1 == -1
    positions, numbers = weft.match_list("abab", ["ab", "ba"])
    assert np.diff(numbers).tolist() == [1, -1] and numbers.dtype == np.int32
    out = np.zeros(4, np.int64)
    assert weft.argsort(X, out=out) is out and out.tolist() == [1, 3, 2, 0]


@pytest.mark.parametrize("dtype", ["i4", "i8", "u4", "u8"])
def test_indices_of_another_type(dtype: str) -> None:
    assert weft.argsort(X, dtype=dtype).dtype == dtype
    offsets = np.array([0, 1, 4], dtype)
    assert weft.segmented_reduce(X, offsets=offsets).tolist() == [3, 0]
    assert weft.segmented_scan(X, offsets=offsets).tolist() == [3, -1, 1, 0]


def test_offsets_of_results() -> None:
    lengths = weft.run_length(np.array([7, 7, 5]))[1]
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    assert weft.segmented_reduce([1, 2, 4], offsets=offsets).tolist() == [3, 4]
    with pytest.raises(ValueError, match=r"offsets\[1\] is -1; it must not be negative"):
        weft.segmented_reduce([1, 2], offsets=[0, -1])


# ---------------------------------------------------------------------------------------- bools


@pytest.mark.parametrize("x", [B, B[:0], B[1:3], ~B[:1]], ids=["mixed", "empty", "true", "false"])
def test_bools_are_reduced_to_bools(x: Any) -> None:
    for found, expected in (
        (weft.any(x), np.any(x)),
        (weft.all(x), np.all(x)),
        (weft.stream.any([x]), np.any(x)),
        (weft.stream.all([x]), np.all(x)),
        (weft.bitwise_and(x), np.bitwise_and.reduce(x)),
        (weft.stream.bitwise_and([x]), np.bitwise_and.reduce(x)),
        (weft.bitwise_or(x), np.bitwise_or.reduce(x)),
        (weft.bitwise_xor(x), np.bitwise_xor.reduce(x)),
        *([(weft.min(x), np.min(x)), (weft.stream.max([x]), np.max(x))] if x.size else []),
    ):
        assert type(found) is np.bool_ and found == expected and found.tobytes()[0] <= 1


def test_any_and_all_of_numbers_are_bools() -> None:
    assert weft.any(X) is np.True_ and weft.all([0.0, 1.0]) is np.False_
    assert weft.map_reduce("any", "x > 2", x=X).dtype == np.bool_


def test_sums_of_bools_are_those_of_numpy() -> None:
    for function in (weft.sum, weft.prod, weft.cumsum, weft.cumprod):
        expected = getattr(np, function.__name__)(B)
        assert function(B).dtype == expected.dtype and np.array_equal(function(B), expected)
    assert weft.sum(B, dtype=np.uint64).dtype == np.uint64
    assert weft.dot(B, B) == B.sum() and weft.dot(B, B).dtype == np.int64
    assert weft.scan(B, init=-2000)[-1] == B.sum() - 2000
    out = np.zeros(B.size, np.int64)
    weft.stream.scan([B], out=out)
    assert np.array_equal(out, np.cumsum(B))
    keys, counts = weft.reduce_by_key(np.zeros(B.size, "i4"), B)
    assert counts.tolist() == [B.sum()] and counts.dtype == np.int64


@pytest.mark.parametrize("op", ["min", "max", "and", "or", "xor"])
def test_scans_of_bools_are_bools(op: str) -> None:
    ufunc = getattr(np, {"min": "minimum", "max": "maximum"}.get(op, f"bitwise_{op}"))
    expected = ufunc.accumulate(B)
    before = np.concatenate([[op in ("min", "and")], expected[:-1]])
    offsets = [0, 0, B.size]
    out = np.zeros(B.size, bool)
    weft.stream.scan([B], op, exclusive=True, out=out)
    for found, wanted in (
        (weft.scan(B, op), expected),
        (weft.scan(B, op, exclusive=True), before),
        (weft.segmented_scan(B, op, offsets=offsets), expected),
        (weft.segmented_scan(B, op, exclusive=True, offsets=offsets), before),
        (weft.segmented_reduce(B, op, offsets=offsets), np.array([op in ("min", "and"), expected[-1]])),
        (out, before),
    ):
        assert found.dtype == np.bool_ and found.tobytes() == wanted.tobytes()


def test_a_bool_is_no_uint8() -> None:
    with pytest.raises(TypeError, match="a has dtype bool and b uint8"):
        weft.merge(B[:1], np.array([2], np.uint8))
    with pytest.raises(ValueError, match="init is 2, which bool cannot represent"):
        weft.scan(B, "max", init=2)
    with pytest.raises(TypeError, match="dtype is bool"):
        weft.sum(B, dtype=bool)


def test_bernoulli_makes_masks() -> None:
    mask = weft.random.bernoulli(1000, 0.25, seed=1)
    assert mask.dtype == np.bool_ and B[mask].size == weft.count_nonzero(mask)


# -------------------------------------------------------------------------------------- numbers


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "?"])
def test_running_sums_have_the_dtype_of_numpy(dtype: str) -> None:
    x = np.full(9, 100).astype(dtype)
    for function in (weft.cumsum, weft.cumprod):
        expected = getattr(np, function.__name__)(x)
        found = function(x)
        assert found.dtype == expected.dtype and np.array_equal(found, expected)
    if dtype != "?":
        own = np.zeros_like(x)
        assert weft.cumsum(x, out=own) is own and np.array_equal(own, np.cumsum(x, dtype=dtype))


@pytest.mark.parametrize(
    "call, sentence",
    [
        (lambda: weft.histogram([0, 1, 2], [0, 1.5, 3]), "bins is 1.5, which int64 cannot represent"),
        (lambda: weft.histogram(np.zeros(3, "u1"), [0, 300]), "bins is 300, which uint8 cannot represent"),
        (lambda: weft.stream.histogram([[0, 1, 2]], [0, 1.5, 3]), "bins is 1.5, which int64 cannot represent"),
        (lambda: weft.map("x + a", x=[1], a=1 << 63), "a is 9223372036854775808, which int64 cannot represent"),
        (lambda: weft.map("x + a", x=np.zeros(1, "u4"), a=-1), "a is -1, which uint32 cannot represent"),
        (lambda: weft.stream.map("x + a", x=[[1]], a=1 << 63, out=print), "a is 9223372036854775808, which int64"),
        (lambda: weft.scan(np.zeros(1, "f4"), init=1e300), r"init is 1e\+300, which float32 cannot represent"),
        (lambda: weft.tridiag(1e300, 1.0, 1.0, np.zeros(2, "f4")), r"a is 1e\+300, which float32 cannot represent"),
        (lambda: weft.select(B, eq=2), "eq is 2, which bool cannot represent"),
    ],
)
def test_numbers_that_a_dtype_does_not_have(call: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        call()


def test_numbers_that_a_dtype_rounds() -> None:
    assert weft.histogram(np.array([0.1], "f4"), [0, 0.1, 1]).tolist() == [0, 1]
    assert weft.scan(np.zeros(1, "f4"), init=np.inf)[0] == np.inf
    assert weft.scan(np.zeros(1, "f4"), init=3.4028235e38)[0] == np.finfo("f4").max


# --------------------------------------------------------------------------------------- shapes


@pytest.mark.parametrize(
    "x, y",
    [
        (np.ones((2, 3)), np.ones((3, 2))),
        (np.ones((2, 3)), np.ones((2, 3))),
        (np.ones(6), np.ones((2, 3))),
        (np.ones(()), np.ones(())),
        (np.ones(2), np.ones(3)),
    ],
)
def test_dot_takes_two_rows_of_one_length(x: Any, y: Any) -> None:
    with pytest.raises(ValueError) as caught:
        weft.dot(x, y)
    assert f"x has shape {x.shape} and y {y.shape}" in str(caught.value)
    with pytest.raises(ValueError, match="shape"):
        weft.stream.dot(x, y)


@pytest.mark.parametrize("dtype", ["?", "i1", "i8", "u2", "f4", "f8", "c8", "c16", ">f4", ">c16"])
def test_transforms_take_what_those_of_numpy_take(dtype: str) -> None:
    x = (np.arange(16) % 5).astype(dtype)
    single = x.dtype.newbyteorder("=") in (np.float32, np.complex64)
    for name in ("fft", "ifft", "irfft") if x.dtype.kind == "c" else ("fft", "ifft", "rfft", "irfft"):
        given = x[:9] if name == "irfft" else x
        found, expected = getattr(weft, name)(given), getattr(np.fft, name)(given)
        assert found.dtype == ("f4" if single else "f8") if name == "irfft" else ("c8" if single else "c16")
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5 if single else 1e-12)
    assert weft.fft(x).tobytes() == weft.fft(x.astype("c8" if single else "c16")).tobytes()


# ---------------------------------------------------------------------------------------- out=


def test_out_that_is_not_contiguous_keeps_what_is_not_written() -> None:
    x, kept = np.arange(6.0), np.full(12, -7.0)[::2]
    found = weft.select(x, gt=3, out=kept)
    assert found.tolist() == [4, 5] and kept.tolist() == [4, 5, -7, -7, -7, -7]
    kept[:] = -7
    weft.segmented_scan(x, offsets=[1, 3], out=kept)
    assert kept.tolist() == [-7, 1, 3, -7, -7, -7]


OUT: dict[str, Callable[[Any, Any], Any]] = {
    "cumsum": lambda x, out: weft.cumsum(x, out=out),
    "recurrence": lambda x, out: weft.recurrence(x, x, out=out),
    "sort": lambda x, out: weft.sort(x, out=out),
    "argsort": lambda x, out: weft.argsort(x, out=out),
    "unique": lambda x, out: weft.unique(x, out=out),
    "partition": lambda x, out: weft.partition(x, gt=0, out=out)[0],
    "select_indices": lambda x, out: weft.select_indices(x, ne=2, out=out),
    "search_sorted": lambda x, out: weft.search_sorted(x, x, out=out),
    "histogram": lambda x, out: weft.histogram(x, x.size, range=(0, 1), out=out),
    "segmented_scan": lambda x, out: weft.segmented_scan(x, heads=x > 0, out=out),
    "map": lambda x, out: weft.map("x*x", x=x, out=out),
    "convolve": lambda x, out: weft.convolve(x, x[:3], "same", out=out),
    "convolve along an axis": lambda x, out: weft.convolve(x, x[:3], "same", axis=0, out=out),
    "tridiag": lambda x, out: weft.tridiag(1.0, 4.0, 1.0, x, out=out),
    "tridiag_pivot": lambda x, out: weft.tridiag_pivot(1.0, 0.5, 1.0, x, out=out),
    "pentadiag": lambda x, out: weft.pentadiag(1.0, 1.0, 8.0, 1.0, 1.0, x, out=out),
    "heat": lambda x, out: weft.heat(x, out=out),
    "sum": lambda x, out: weft.sum(x, out=out[:1].reshape(())),
}


INTEGER_OUT = ("argsort", "select_indices", "search_sorted", "histogram")


@pytest.mark.parametrize("step", [1, -1])
@pytest.mark.parametrize("shift", [-9, -1, 0, 1, 9])
@pytest.mark.parametrize("name", OUT)
def test_out_over_an_input_is_refused_or_right(name: str, shift: int, step: int) -> None:
    n, element = 40, np.dtype(np.int64 if name in INTEGER_OUT else np.float64)
    memory = np.sort(np.random.default_rng(3).uniform(0, 1, 60))
    before = memory.copy()
    x = memory[10 : 10 + n][::step]
    out = memory[10 + shift : 10 + shift + n].view(element)
    expected = OUT[name](x.copy(), np.zeros(n, element))
    try:
        found = OUT[name](x, out)
    except ValueError as refused:
        assert "overlap" in str(refused) and np.array_equal(memory, before)
    else:
        assert np.array_equal(found, expected)


# ------------------------------------------------------------------------------------- formulas


def test_formulas_can_be_pickled_and_copied() -> None:
    f = weft.expr("a*x**2 + 1")
    for g in (pickle.loads(pickle.dumps(f)), copy.copy(f), copy.deepcopy(f)):
        assert g.formula == f.formula and g.names == f.names
        assert np.array_equal(g(x=X, a=3), f(x=X, a=3))


def test_a_tensor_that_is_negated_as_it_is_read() -> None:
    class Negated:
        def is_neg(self) -> bool:
            return True

        def __dlpack__(self, **options: Any) -> Any:
            return X.__dlpack__(**options)

        def __dlpack_device__(self) -> Any:
            return X.__dlpack_device__()

    with pytest.raises(TypeError, match="with lazy negation; pass its resolve_neg()"):
        weft.sum(Negated())
