"""The learner's progress: one local file, written from a notebook only, never by a test."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from autodidact.check import check, progress
from autodidact.checking import progress as keeping

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def file(tmp_path, monkeypatch):
    """A file of its own for the progress, as a learner may name one."""
    monkeypatch.setenv(keeping.VARIABLE, str(tmp_path / "new" / "progress.json"))
    return tmp_path / "new" / "progress.json"


def test_a_right_answer_is_noted_once_and_a_wrong_one_is_not(file):
    check("00.2", 8.0)
    check("00.2", None)
    assert not file.exists() and keeping.read() == []
    for _ in range(2):
        check("00.2", 64.0)
    check("00.1", 32.0)
    assert json.loads(file.read_text("utf-8")) == {"format": 1, "right": ["00.1", "00.2"]}
    assert [path.name for path in file.parent.iterdir()] == ["progress.json"]


def test_the_table_says_how_many_and_which_is_next(file):
    check("00.1", 32.0)
    lines = repr(progress()).split("\n")
    assert lines[0].split() == ["lesson", "solved", "next"]
    assert lines[1].split() == ["00", "1", "of", "5", "00.2"]
    page = progress()._repr_html_()
    assert '<th scope="row">00</th><td>1 of 5</td><td>00.2</td>' in page


BROKEN = ["", "{", "[]", '{"right": 3}', '{"right": [1, null, {"a": 2}]}', "[" * 50_000, "\0"]


@pytest.mark.parametrize("content", BROKEN, ids=range(len(BROKEN)))
def test_a_file_that_is_not_ours_counts_as_empty_and_harms_nothing(file, content):
    file.parent.mkdir()
    file.write_text(content, "utf-8")
    assert keeping.read() == []
    assert check("00.2", 64.0).ok
    assert keeping.read() == ["00.2"]


def test_where_it_cannot_be_written_the_answer_still_counts(tmp_path, monkeypatch):
    (tmp_path / "blocked").write_text("a file where a folder should be", "utf-8")
    monkeypatch.setenv(keeping.VARIABLE, str(tmp_path / "blocked" / "progress.json"))
    assert check("00.2", 64.0).ok and keeping.read() == []


@pytest.mark.parametrize("value", ["off", "OFF"])
def test_it_can_be_switched_off(monkeypatch, value):
    monkeypatch.setenv(keeping.VARIABLE, value)
    assert keeping.path() is None and not keeping.writable()
    assert check("00.2", 64.0).ok and keeping.read() == []


def test_without_the_library_of_folders_nothing_is_kept(monkeypatch):
    monkeypatch.delenv(keeping.VARIABLE, raising=False)
    monkeypatch.setitem(sys.modules, "platformdirs", None)
    assert keeping.path() is None and keeping.read() == []


WORK = """
import sys
from unittest import mock
if sys.argv[1] == "notebook":
    sys.modules["IPython"] = mock.Mock()
from autodidact.check import check
from autodidact.checking import progress
check("00.2", 64.0)
print(progress.path().exists())
"""


@pytest.mark.parametrize(("place", "pytest_is_near", "written"), [
    ("notebook", False, True), ("notebook", True, False), ("script", False, False),
])  # fmt: skip
def test_it_is_written_from_a_notebook_never_under_pytest(tmp_path, place, pytest_is_near, written):
    pytest.importorskip("platformdirs")
    ours = {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path), "APPDATA": str(tmp_path),
            "LOCALAPPDATA": str(tmp_path), "PYTHONPATH": str(ROOT)}
    names = os.environ.keys() - {"PYTEST_VERSION", keeping.VARIABLE}
    environment = {name: os.environ[name] for name in names}
    environment |= ours | ({"PYTEST_VERSION": "9"} if pytest_is_near else {})
    answer = subprocess.run([sys.executable, "-c", WORK, place], env=environment, check=True,
                            capture_output=True, text=True)
    assert answer.stdout.strip() == str(written), answer.stderr
