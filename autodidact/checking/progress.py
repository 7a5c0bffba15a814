"""Which exercises a learner has solved: one JSON file on the learner's own machine.

Nothing is sent anywhere. The file is written only from a notebook that somebody works in: never
from a script, never under pytest (and so never under nbval). The variable AUTODIDACT_PROGRESS names
another file, or says ``off``.
"""

import contextlib
import html
import json
import os
import sys
import tempfile
from pathlib import Path

from autodidact._optional import MissingExtra, optional
from autodidact.checking.words import say

__all__ = ["Progress", "note", "path", "read"]

VARIABLE = "AUTODIDACT_PROGRESS"
LARGEST = 100_000  # bytes; a file of ours is far smaller


def path() -> Path | None:
    """Where the progress is kept; None where it is not kept at all."""
    wanted = os.environ.get(VARIABLE, "")
    if wanted.lower() == "off":
        return None
    if wanted:
        return Path(wanted)
    with contextlib.suppress(MissingExtra):
        folder = optional("platformdirs", extra="lab").user_data_dir("autodidact", appauthor=False)
        return Path(folder) / "progress.json"
    return None


def writable() -> bool:
    """Whether somebody works in a notebook here, and it is no test."""
    if os.environ.get(VARIABLE):
        return path() is not None
    if "PYTEST_VERSION" in os.environ:  # pytest sets it for itself and for the kernels it starts
        return False
    ipython = sys.modules.get("IPython")
    return ipython is not None and ipython.get_ipython() is not None


def read() -> list[str]:
    """The ids of the solved exercises, in the order of the course; none if the file is not ours."""
    file = path()
    try:
        if file is None or file.stat().st_size > LARGEST:
            return []
        right = json.loads(file.read_text("utf-8"))["right"]
        return sorted({id for id in right if isinstance(id, str)})
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return []


def note(id: str) -> None:
    """Add a solved exercise. Where the file cannot be written, nothing happens: it is a comfort."""
    if not writable() or id in (solved := read()):
        return
    file = path()
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, new = tempfile.mkstemp(dir=file.parent, suffix=".json")
        with open(handle, "w", encoding="utf-8") as stream:
            json.dump({"format": 1, "right": sorted([*solved, id])}, stream)
        os.replace(new, file)  # the whole file or the old one, never half of it


class Progress:
    """What `progress()` shows: for each lesson, how many of its exercises are solved, and the next.

    Args:
        exercises: the ids of all exercises, in the order of the course.
        solved: those that are solved.
    """

    def __init__(self, exercises: list[str], solved: list[str]) -> None:
        self.rows = []
        for lesson in sorted({id[:2] for id in exercises}):
            own = [id for id in exercises if id[:2] == lesson]
            left = [id for id in own if id not in solved]
            self.rows.append((lesson, len(own) - len(left), len(own), left[0] if left else ""))
        self.titles = [say(f"progress_{word}") for word in ("lesson", "right", "next")]

    def cells(self) -> list[list[str]]:
        """The rows as text."""
        return [[lesson, say("progress_of", number=right, of=count), left or say("progress_all")]
                for lesson, right, count, left in self.rows]

    def __repr__(self) -> str:
        lines = [self.titles, *self.cells()]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join(
            "   ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
            for line in lines
        )

    def _repr_html_(self) -> str:
        head = "".join(f'<th scope="col">{html.escape(title)}</th>' for title in self.titles)
        body = ""
        for line in self.cells():
            first, *rest = map(html.escape, line)
            body += f'<tr><th scope="row">{first}</th>' + "".join(f"<td>{c}</td>" for c in rest)
            body += "</tr>"
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
