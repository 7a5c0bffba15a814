"""Answers to try on `check`: one file per lesson, one line per exercise.

A line is `id: (right, [(wrong, what the text must say), ...], [empty, ...])`.
"""

import importlib
from pathlib import Path

LESSONS = sorted(path.stem for path in Path(__file__).parent.glob("lesson_*.py"))
TABLE = {
    id: line
    for lesson in LESSONS
    for id, line in importlib.import_module(f"{__name__}.{lesson}").TABLE.items()
}
