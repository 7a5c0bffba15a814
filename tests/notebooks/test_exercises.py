"""The exercises as tests, one each, with a marker each: for a teacher, and for our own solutions.

    pytest tests/notebooks/test_exercises.py                       our solved lessons
    AUTODIDACT_HANDED_IN=folder pytest ... -m "exercise_04_2"      notebooks that learners hand in

A learner's notebook is run in this process, cell by cell; what its check says is the result.
"""

import functools
import os
from pathlib import Path

import nbformat
import pytest

from tests.notebooks.conftest import exercises, marker
from tests.notebooks.lesson_runner import run_cells

OURS = Path(__file__).parents[2] / "notebooks"
FOLDER = Path(os.environ.get("AUTODIDACT_HANDED_IN") or OURS / "solved")
NOTEBOOKS = sorted(FOLDER.glob("[0-9][0-9]-*.ipynb"))
CASES = [
    pytest.param(path, id, id=f"{path.stem}-{id}", marks=getattr(pytest.mark, marker(id)))
    for path in NOTEBOOKS for id in exercises() if path.name[:2] == id[:2]
]


@functools.cache
def said(path):
    """Exercise id -> what its check said, and the error that ended the notebook, if one did."""
    cells = [c for c in nbformat.read(path, as_version=4).cells if c.cell_type == "code"]
    found, error = {}, None
    try:
        for id, text in run_cells(cells):
            if id.startswith("check-"):
                found[id[6:].replace("-", ".")] = text
    except Exception as stopped:
        error = f"the notebook stopped with {type(stopped).__name__}: {stopped}"
    return found, error


@pytest.mark.parametrize(("path", "id"), CASES)
def test_exercise(path, id):
    found, error = said(path)
    answer = found.get(id, error or "there is no cell of this check")
    assert answer.startswith(f"{id} right: "), answer


def test_an_exercise_that_is_not_solved_fails_and_its_neighbours_do_not_matter():
    found, error = said(OURS / "00-start-here.ipynb")
    assert error is None and set(found) == {"00.1", "00.2", "00.3", "00.4", "00.5"}
    assert all(text.startswith(f"{id} is still empty. ") for id, text in found.items())
