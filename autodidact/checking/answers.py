"""Reading an answer, whichever library made it, and comparing it with the recorded one."""

import math
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from autodidact.checking.words import say, short

__all__ = ["TOLERANCE", "Empty", "Wrong", "compare", "pair", "plain", "refuse_gaps"]

TOLERANCE = 1e-3  # relative: a learner may round 0.433577 to 0.4336
LARGEST = 10_000  # entries of an answer; more is a mistake, and reading it would not be instant


class Empty(Exception):
    """Nothing, or not everything, has been answered yet; the text says what is right so far."""


class Wrong(Exception):
    """The answer differs; the text says where."""


def plain(answer: Any) -> Any:
    """The answer as numbers, texts, lists and dicts, without asking which library made it."""
    if answer is None or answer is ... or isinstance(answer, (bool, str)):
        return answer
    if isinstance(answer, (int, float, complex)):
        return answer
    if isinstance(answer, Mapping):
        return {str(key): plain(value) for key, value in _few(answer.items())}
    if hasattr(answer, "tolist"):
        shape = tuple(getattr(answer, "shape", ()))
        if math.prod(shape) > LARGEST:
            raise Wrong(say("too_large", shape=str(shape)))
        return plain(answer.tolist())
    if hasattr(answer, "item"):
        return plain(answer.item())
    if isinstance(answer, Iterable) and not isinstance(answer, type):
        return [plain(entry) for entry in _few(answer)]
    raise Wrong(say("wrong_kind", kind=type(answer).__name__))


def _few(entries: Iterable) -> list:
    """The entries as a list; an endless iterator is refused, not awaited."""
    read = list(islice(entries, LARGEST + 1))
    if len(read) > LARGEST:
        raise Wrong(say("too_many"))
    return read


def refuse_gaps(got: Any) -> None:
    """Raise `Empty` if the answer is empty or still has a gap somewhere inside."""
    entries = got.values() if isinstance(got, dict) else got if isinstance(got, list) else None
    if entries is None:
        if got is None or got is ... or (isinstance(got, str) and not got.strip()):
            raise Empty
        return
    if not entries:
        raise Empty
    for entry in entries:
        refuse_gaps(entry)


def pair(got: Any) -> list:
    """The two entries of an answer that has two."""
    refuse_gaps(got)
    if not (isinstance(got, list) and len(got) == 2):
        raise Wrong(say("not_a_pair", got=short(got)))
    return got


def compare(expected: Any, got: Any, tolerance: float) -> None:
    """Raise `Wrong` with the first difference, if there is one."""
    if isinstance(expected, list):
        if not isinstance(got, list):
            raise Wrong(say("not_a_list", count=len(expected), got=short(got)))
        if len(got) != len(expected):
            raise Wrong(say("length", expected=len(expected), got=len(got)))
        for place, (one, other) in enumerate(zip(expected, got, strict=True), 1):
            try:
                compare(one, other, tolerance)
            except Wrong as wrong:
                where = say("place", number=place, of=len(expected))
                raise Wrong(say("at", place=where, difference=str(wrong))) from None
    elif isinstance(expected, (bool, str)):
        # Names: without case and blanks around. True is not 1 here: the question was yes or no.
        if type(got) is not type(expected) or _name(got) != _name(expected):
            raise Wrong(say("differs", expected=short(expected), got=short(got)))
    elif isinstance(got, bool) or not isinstance(got, (int, float, complex)):
        raise Wrong(say("not_a_number", expected=short(expected), got=short(got)))
    elif not abs(got - expected) <= tolerance * max(abs(expected), 1e-3):  # so that NaN is wrong
        off = short(abs(got - expected))
        raise Wrong(say("off_by", expected=short(expected), got=short(got), off=off))


def _name(value: Any) -> Any:
    return value.strip().casefold() if isinstance(value, str) else value
