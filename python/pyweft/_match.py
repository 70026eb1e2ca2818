"""Number and positions of the occurrences of words in a text (docs/ops/match.md). Order of all: ORDER.md 22."""

from __future__ import annotations

from itertools import accumulate
from typing import Any, NamedTuple, Optional, Sequence, Union

import numpy as np

from pyweft._native import ffi, lib
from pyweft._arrays import I32, I64, Array, Operand, unsigned
from pyweft._calls import entry, give_result, result_for, vector_of
from pyweft._errors import exception

__all__ = ["match_count", "match_list"]

Word = Union[str, bytes]

_BYTES = {np.dtype(np.uint8): lib.WEFT_U8}


class Words(NamedTuple):
    """The words of a call."""

    number: int
    patterns: Any
    flags: int
    keep: tuple[Any, Any]  # what the patterns point to


def _bytes(word: Any, name: str) -> bytes:
    if not isinstance(word, (str, bytes)):
        raise TypeError(f"{name} is a {type(word).__name__}; it must be a str or bytes")
    return word.encode() if isinstance(word, str) else word


def take_words(words: Any, fold_case: bool, whole_word: bool) -> Words:
    """The list of words as the library takes it."""
    if isinstance(words, (str, bytes)):
        raise TypeError(f"words is a {type(words).__name__}; it must be a list of words")
    listed = [_bytes(word, f"words[{at}]") for at, word in enumerate(words)]
    keep = ffi.new("uint64_t[]", [0, *accumulate(map(len, listed))]), ffi.from_buffer(b"".join(listed))
    patterns = ffi.new("weft_patterns *", {"count": len(listed), "offsets": keep[0], "bytes": keep[1]})
    flags = (lib.WEFT_FOLD_CASE if fold_case else 0) | (lib.WEFT_WHOLE_WORD if whole_word else 0)
    return Words(len(listed), patterns, flags, keep)


def _search(
    text: Any, words: Any, fold_case: bool, whole_word: bool, first: int, end: Optional[int]
) -> tuple[Optional[Operand], Words, tuple[Any, ...]]:
    """`on`, the words, and the arguments that both functions of weft.h have."""
    wanted = take_words(words, fold_case, whole_word)
    if isinstance(text, (str, bytes)):  # a str as its UTF-8, bytes where they are
        text = np.frombuffer(_bytes(text, "text"), np.uint8)
    a, source, _, on = vector_of(text, "text", _BYTES)
    last = a.size if end is None else unsigned(end, "end")
    return on, wanted, (a.size, source, unsigned(first, "first"), last, wanted.patterns, wanted.flags)


def match_count(
    text: Union[Word, Array],
    words: Sequence[Word],
    *,
    fold_case: bool = False,
    whole_word: bool = False,
    first: int = 0,
    end: Optional[int] = None,
    out: Optional[Array] = None,
    device: Optional[str] = None,
) -> Any:
    """Returns the number of occurrences of each word, in int64. Occurrences may overlap.

    text        bytes, a 1-D array of uint8 or what shares its bytes with NumPy (bytearray, mmap); or a str, as UTF-8
    words       1 to 10000 of 1 to 256 bytes, bytes or str; one that is given twice is counted twice
    fold_case   A to Z equal a to z
    whole_word  only occurrences without a letter of A-Z and a-z, digit or _ before or after
    first, end  the range of bytes in which an occurrence may start, [first, end); None: to the end
    Order: ORDER.md 22.

    >>> weft.match_count("abracadabra", ["a", "abra", "warp"])
    array([5, 2, 0])
    """
    on, wanted, arguments = _search(text, words, fold_case, whole_word, first, end)
    y, target = result_for(on, out, I64, wanted.number)
    run, context = entry(lib.weft_match_count, on, device)
    status = run(context, *arguments, target)
    if status:
        raise exception(status, context)
    return give_result(y, out)


def match_list(
    text: Union[Word, Array],
    words: Sequence[Word],
    *,
    fold_case: bool = False,
    whole_word: bool = False,
    first: int = 0,
    end: Optional[int] = None,
    device: Optional[str] = None,
) -> Any:
    """Returns the occurrences in ascending order: (positions, numbers). words[numbers[k]] begins at byte positions[k];
    at one position the numbers ascend. positions are int64, numbers int32; arguments as for match_count.

    The text is searched twice, to count the matches and to list them. Order: ORDER.md 22.

    >>> weft.match_list("abracadabra", ["abra", "cad"])
    (array([0, 4, 7]), array([0, 1, 0], dtype=int32))
    """
    on, wanted, arguments = _search(text, words, fold_case, whole_word, first, end)
    counts = np.empty(wanted.number, I64)
    run, context = entry(lib.weft_match_count, on, device)
    status = run(context, *arguments, ffi.from_buffer(counts))
    if status:
        raise exception(status, context)
    n = int(counts.sum())
    positions, position_target = result_for(on, None, I64, n)
    numbers, number_target = result_for(on, None, I32, n)
    total = ffi.new("uint64_t *")
    run, context = entry(lib.weft_match_list, on, device)
    status = run(context, *arguments, n, position_target, number_target, total)
    if status:
        raise exception(status, context)
    return give_result(positions, None), give_result(numbers, None)
