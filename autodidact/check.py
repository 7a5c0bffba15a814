"""Checks for the lessons' exercises: at once, offline, and never an exception at the learner.

``check("00.2", answer)`` looks the exercise up in ``check_data/``, compares, and returns a `Result`
that says what was expected, what was given, and, after a wrong try, one more hint. The data files
hold answers recorded from torch or worked out in closed form; this file holds only how to compare,
so that a teacher can add an exercise by adding data.
"""

from __future__ import annotations

import copy
import html
import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import islice
from typing import Any

from autodidact.trace.messages import current_language

__all__ = ["Result", "check"]

TOLERANCE = 1e-3  # relative: a learner may round 0.433577 to 0.4336
MOST_HINTS = 3
LARGEST = 10_000  # entries of an answer; more is a mistake, and reading it would not be instant

_wrong_tries: dict[str, int] = {}


@dataclass(frozen=True, repr=False)
class Result:
    """What `check` found: `ok`, and `text`, which says it in whole sentences.

    True in a condition exactly when the answer was right.

    >>> check("00.2", 64.0).ok
    True
    """

    ok: bool
    text: str
    language: str = "en"

    def __bool__(self) -> bool:
        """Whether the answer was right."""
        return self.ok

    def __repr__(self) -> str:
        """The text itself: it is what a notebook prints."""
        return self.text

    def _repr_html_(self) -> str:
        # A solid or a broken line beside the text: the words carry the verdict, no colour does.
        line = "solid" if self.ok else "dashed"
        body = "".join(f"<p>{html.escape(part)}</p>" for part in self.text.split("\n"))
        style = f"border-left: 3px {line} currentColor; padding-left: 12px"
        return f'<div role="status" lang="{self.language}" style="{style}">{body}</div>'


def check(id: str, answer: Any) -> Result:
    """Compare `answer` with the recorded answer of exercise `id`, for example ``"04.2"``.

    `answer` may be a number, a text, a list, a dict, anything with ``.tolist()`` or ``.item()`` (a
    tensor, an array) or, where the exercise asks for one, a function. None, ``...`` and gaps inside
    a list or dict count as "not answered yet": the result says what to do and no try is counted.
    Each wrong try earns one hint more, three at most. Nothing is raised, whatever the answer is.

    >>> check("00.2", None)
    00.2 is still empty. Put the number in place of None, for example: found = 12.0
    """
    id = _cut(id) if type(id) is str else type(id).__name__
    try:
        return _check(id, answer)
    except Exception as error:  # whatever an answer does, the learner gets a sentence
        kind, reason = type(answer).__name__, type(error).__name__
        return _result(False, _say("unreadable", id=id, kind=kind, reason=reason))


def _check(id: str, answer: Any) -> Result:
    if id not in _exercises():
        return _result(False, _say("unknown", id=id, known=", ".join(sorted(_exercises()))))
    exercise = _exercises()[id]
    texts = exercise["texts"][current_language()]
    try:
        shown = KINDS[exercise["kind"]](exercise, answer)
    except _Empty:
        return _result(False, _say("empty", id=id, ask=texts["ask"]))
    except _Wrong as wrong:
        tries = _wrong_tries[id] = _wrong_tries.get(id, 0) + 1
        hints = texts["hints"][:MOST_HINTS]
        lines = [_say("wrong", id=id, difference=str(wrong))]
        for number, hint in enumerate(hints[:tries], 1):
            lines.append(_say("hint", number=number, of=len(hints), hint=hint))
        return _result(False, "\n".join(lines))
    _wrong_tries.pop(id, None)
    return _result(True, _say("right", id=id, answer=_short(shown), because=texts["because"]))


def _result(ok: bool, text: str) -> Result:
    return Result(ok, text, current_language())


# ---- the kinds of exercise: each returns what to show when right, or raises _Empty or _Wrong -----


class _Empty(Exception):
    """Nothing has been answered yet."""


class _Wrong(Exception):
    """The answer differs; the text says where."""


def _value(exercise: dict, answer: Any) -> Any:
    """One number, text or (nested) list; for an order, the list of names."""
    got = _plain(answer)
    _refuse_gaps(got)
    _compare(exercise["expected"], got, exercise.get("tolerance", TOLERANCE))
    return got


def _cases(exercise: dict, answer: Any) -> Any:
    """A dict with one entry per case."""
    got, expected = _plain(answer), exercise["expected"]
    _refuse_gaps(got)
    if not isinstance(got, dict):
        raise _Wrong(_say("not_a_dict", names=", ".join(expected), got=_short(got)))
    for number, (name, value) in enumerate(expected.items(), 1):
        if name not in got:
            raise _Wrong(_say("case_missing", name=name))
        try:
            _compare(value, got[name], exercise.get("tolerance", TOLERANCE))
        except _Wrong as wrong:
            place = _say("case", number=number, of=len(expected), name=name)
            raise _Wrong(_say("at", place=place, difference=str(wrong))) from None
    return {name: got[name] for name in expected}


def _function(exercise: dict, answer: Any) -> Any:
    """A function, tried on every case's arguments."""
    if answer is None or answer is ...:
        raise _Empty
    if not callable(answer):
        raise _Wrong(_say("not_callable", got=_short(_plain(answer))))
    cases = exercise["expected"]
    for case in cases:
        call = exercise["name"] + "(" + ", ".join(map(_short, case["args"])) + ")"
        try:
            got = _plain(answer(*copy.deepcopy(case["args"])))
        except (Exception, SystemExit) as error:
            kind = type(error).__name__
            raise _Wrong(_say("raised", call=call, error=kind, text=_cut(error))) from None
        if got is None or got is ...:
            raise _Empty if case is cases[0] else _Wrong(_say("returned_nothing", call=call))
        try:
            _compare(case["returns"], got, exercise.get("tolerance", TOLERANCE))
        except _Wrong as wrong:
            raise _Wrong(_say("at", place=call, difference=str(wrong))) from None
    return _say("all_cases", count=len(cases))


def _agree(exercise: dict, answer: Any) -> Any:
    """A pair: what the learner predicted, what the learner measured."""
    got = _plain(answer)
    predicted, measured = _pair(got)
    if least := exercise.get("at_least"):
        if not isinstance(measured, list):
            raise _Wrong(_say("not_two_lists", got=_short(got)))
        if len(measured) < least:
            raise _Wrong(_say("too_short", least=least, count=len(measured)))
    _compare(measured, predicted, exercise.get("tolerance", TOLERANCE))
    return predicted


def _reordering(exercise: dict, answer: Any) -> Any:
    """A pair of lists: the same names in two different orders."""
    first, second = _pair(_plain(answer))
    if not (isinstance(first, list) and isinstance(second, list)):
        raise _Wrong(_say("not_two_lists", got=_short([first, second])))
    names = [sorted(map(str, order)) for order in (first, second)]
    if names[0] != names[1]:
        raise _Wrong(_say("other_names", first=_short(names[0]), second=_short(names[1])))
    if first == second:
        raise _Wrong(_say("same_order", order=_short(first)))
    return [first, second]


KINDS: dict[str, Callable[[dict, Any], Any]] = {
    "value": _value,
    "cases": _cases,
    "function": _function,
    "agree": _agree,
    "reordering": _reordering,
}


# ---- reading and comparing answers ---------------------------------------------------------------


def _plain(answer: Any) -> Any:
    """The answer as numbers, texts, lists and dicts, without asking which library made it."""
    if answer is None or answer is ... or isinstance(answer, (bool, str)):
        return answer
    if isinstance(answer, (int, float, complex)):
        return answer
    if isinstance(answer, Mapping):
        return {str(key): _plain(value) for key, value in _few(answer.items())}
    if hasattr(answer, "tolist"):
        shape = tuple(getattr(answer, "shape", ()))
        if math.prod(shape) > LARGEST:
            raise _Wrong(_say("too_large", shape=str(shape)))
        return _plain(answer.tolist())
    if hasattr(answer, "item"):
        return _plain(answer.item())
    if isinstance(answer, Iterable) and not isinstance(answer, type):
        return [_plain(entry) for entry in _few(answer)]
    raise _Wrong(_say("wrong_kind", kind=type(answer).__name__))


def _few(entries: Iterable) -> list:
    """The entries as a list; an endless iterator is refused, not awaited."""
    read = list(islice(entries, LARGEST + 1))
    if len(read) > LARGEST:
        raise _Wrong(_say("too_many"))
    return read


def _refuse_gaps(got: Any) -> None:
    """Raise `_Empty` if the answer is empty or still has a gap somewhere inside."""
    entries = got.values() if isinstance(got, dict) else got if isinstance(got, list) else None
    if entries is None:
        if got is None or got is ... or (isinstance(got, str) and not got.strip()):
            raise _Empty
        return
    if not entries:
        raise _Empty
    for entry in entries:
        _refuse_gaps(entry)


def _pair(got: Any) -> list:
    _refuse_gaps(got)
    if not (isinstance(got, list) and len(got) == 2):
        raise _Wrong(_say("not_a_pair", got=_short(got)))
    return got


def _compare(expected: Any, got: Any, tolerance: float) -> None:
    """Raise `_Wrong` with the first difference, if there is one."""
    if isinstance(expected, list):
        if not isinstance(got, list):
            raise _Wrong(_say("not_a_list", count=len(expected), got=_short(got)))
        if len(got) != len(expected):
            raise _Wrong(_say("length", expected=len(expected), got=len(got)))
        for place, (one, other) in enumerate(zip(expected, got, strict=True), 1):
            try:
                _compare(one, other, tolerance)
            except _Wrong as wrong:
                where = _say("place", number=place, of=len(expected))
                raise _Wrong(_say("at", place=where, difference=str(wrong))) from None
    elif isinstance(expected, (bool, str)):
        # Names: without case and blanks around. True is not 1 here: the question was yes or no.
        if type(got) is not type(expected) or _name(got) != _name(expected):
            raise _Wrong(_say("differs", expected=_short(expected), got=_short(got)))
    elif isinstance(got, bool) or not isinstance(got, (int, float, complex)):
        raise _Wrong(_say("not_a_number", expected=_short(expected), got=_short(got)))
    elif not abs(got - expected) <= tolerance * max(abs(expected), 1e-3):  # so that NaN is wrong
        off = _short(abs(got - expected))
        raise _Wrong(_say("off_by", expected=_short(expected), got=_short(got), off=off))


def _name(value: Any) -> Any:
    return value.strip().casefold() if isinstance(value, str) else value


# ---- words ---------------------------------------------------------------------------------------


def _short(value: Any) -> str:
    """A value as the texts show it: 64, not 64.0; long lists cut."""
    if isinstance(value, dict):
        text = ", ".join(f"{key}: {_short(entry)}" for key, entry in value.items())
    elif isinstance(value, list):
        text = "[" + ", ".join(map(_short, value)) + "]"
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        text = f"{value:.6g}"
    elif isinstance(value, (str, bool, complex)) or value is None:
        text = str(value)
    else:
        text = type(value).__name__
    return _cut(text)


def _cut(value: Any, limit: int = 120) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= limit else text[: limit - 3] + "..."


def _say(sentence: str, **arguments: Any) -> str:
    return _sentences(current_language())[sentence].format(**arguments)


@cache
def _sentences(language: str) -> dict[str, str]:
    return _load(f"sentences_{language}.json")


@cache
def _exercises() -> dict[str, dict]:
    """All exercises of all lessons, by id; one data file per lesson."""
    folder = resources.files(__package__) / "check_data"
    lessons = sorted(entry.name for entry in folder.iterdir() if entry.name[:2].isdigit())
    return {id: exercise for name in lessons for id, exercise in _load(name).items()}


def _load(name: str) -> dict:
    return json.loads((resources.files(__package__) / "check_data" / name).read_text("utf-8"))
