"""Checks for the lessons' exercises: at once, offline, and never an exception at the learner.

``check("00.2", answer)`` looks the exercise up in ``check_data/``, compares, and returns a `Result`
that says what was expected, what was given, and, after a wrong try, one more hint. The data files
hold answers recorded from torch or worked out in closed form; the folder `checking` holds how to
compare, so that a teacher can add an exercise by adding data.
"""

from __future__ import annotations

import html
from dataclasses import dataclass
from functools import cache
from typing import Any

from autodidact.checking import progress as keeping
from autodidact.checking.answers import Empty, Wrong
from autodidact.checking.kinds import KINDS
from autodidact.checking.words import DATA, cut, load, say, short
from autodidact.trace.messages import current_language

__all__ = ["Result", "check", "progress"]

MOST_HINTS = 3

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
    id = cut(id) if type(id) is str else type(id).__name__
    try:
        return _check(id, answer)
    except Exception as error:  # whatever an answer does, the learner gets a sentence
        kind, reason = type(answer).__name__, type(error).__name__
        return _result(False, say("unreadable", id=id, kind=kind, reason=reason))


def progress() -> keeping.Progress:
    """Which exercises are solved, lesson by lesson; kept in one file on this machine.

    A right answer to `check` in a notebook is noted there; nothing is sent anywhere. The file is
    `autodidact.checking.progress.path()`; to begin afresh, delete it.

    >>> "lesson" in repr(progress())
    True
    """
    return keeping.Progress(sorted(_exercises()), keeping.read())


def _check(id: str, answer: Any) -> Result:
    if id not in _exercises():
        return _result(False, say("unknown", id=id, known=", ".join(sorted(_exercises()))))
    exercise = _exercises()[id]
    texts = exercise["texts"][current_language()]
    try:
        shown = KINDS[exercise["kind"]](exercise, answer)
    except Empty as empty:
        ask = f"{empty} {texts['ask']}".strip()
        return _result(False, say("empty", id=id, ask=ask))
    except Wrong as wrong:
        tries = _wrong_tries[id] = _wrong_tries.get(id, 0) + 1
        hints = texts["hints"][:MOST_HINTS]
        lines = [say("wrong", id=id, difference=str(wrong))]
        for number, hint in enumerate(hints[:tries], 1):
            lines.append(say("hint", number=number, of=len(hints), hint=hint))
        return _result(False, "\n".join(lines))
    _wrong_tries.pop(id, None)
    keeping.note(id)
    return _result(True, say("right", id=id, answer=short(shown), because=texts["because"]))


def _result(ok: bool, text: str) -> Result:
    return Result(ok, text, current_language())


@cache
def _exercises() -> dict[str, dict]:
    """All exercises of all lessons, by id; one data file per lesson."""
    lessons = sorted(entry.name for entry in DATA.iterdir() if entry.name[:2].isdigit())
    return {id: exercise for name in lessons for id, exercise in load(name).items()}
