"""The lessons: one source makes both editions, both run, and the numbers are torch's."""

import importlib.util
import re
import shutil
import sys
from pathlib import Path

import nbformat
import pytest

from tests.notebooks.lesson_runner import run_cells, text_of

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
SOURCES = sorted((NOTEBOOKS / "source").glob("[0-9][0-9]-*.py"))
NOT_COMPARED = ("stepper", "message", "nbval-ignore-output")  # under the other library
NAMES = [path.stem for path in SOURCES]
FIRST_LINES = [
    "import autodidact as torch",
    "from autodidact_widgets import show",
    "from autodidact.check import check",
]

spec = importlib.util.spec_from_file_location("build", NOTEBOOKS / "build.py")
build = importlib.util.module_from_spec(spec)
spec.loader.exec_module(build)

lesson = pytest.mark.parametrize("name", NAMES)


def learner(name):
    return nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)


def solved(name):
    return nbformat.read(NOTEBOOKS / "solved" / f"{name}.ipynb", as_version=4)


def tagged(cells, tag):
    return [cell for cell in cells if tag in build.tags(cell)]


# ---- one source, two editions ------------------------------------------------------------------


def test_there_are_lessons():
    assert {"00-start-here", "04-node-by-node"} <= set(NAMES)


def test_the_editions_on_disk_are_up_to_date(capsys):
    assert build.main(["--check"]) == 0, capsys.readouterr().out


@pytest.fixture
def copy(tmp_path):
    """The notebooks' folder, to be spoilt."""
    for part in (".", "source", "solved", "ru"):
        (tmp_path / part).mkdir(exist_ok=True)
        for path in (NOTEBOOKS / part).glob("[0-9][0-9]-*"):
            shutil.copy(path, tmp_path / part)
    return tmp_path


def contents(folder):
    return {path: path.read_bytes() for path in sorted(folder.rglob("*.ipynb"))}


def change(folder, old, new):
    path = folder / "source" / f"{NAMES[0]}.py"
    source = path.read_text("utf-8")
    assert old in source
    path.write_text(source.replace(old, new), "utf-8")


def test_building_again_changes_nothing(copy):
    before = contents(copy)
    assert build.main(["--folder", str(copy)]) == 0
    assert contents(copy) == before


def test_new_words_are_found_stale_and_need_no_new_run(copy):
    change(copy, "# # 00 · Start here", "# # 00 · Begin here")
    assert build.main(["--folder", str(copy), "--check"]) == 1
    assert build.main(["--folder", str(copy)]) == 0
    assert build.main(["--folder", str(copy), "--check"]) == 0
    assert build.executed(nbformat.read(copy / "solved" / f"{NAMES[0]}.ipynb", as_version=4))


def test_new_code_needs_a_new_run(copy, capsys):
    before = contents(copy)
    change(copy, "x = torch.tensor(8.0", "x = torch.tensor(9.0")
    assert build.main(["--folder", str(copy)]) == 1
    assert "--execute 00" in capsys.readouterr().out
    path = copy / "solved" / f"{NAMES[0]}.ipynb"
    assert path.read_bytes() == before[path]


def test_an_edition_without_a_source_is_found(copy):
    (copy / "source" / f"{NAMES[0]}.py").unlink()
    assert build.main(["--folder", str(copy), "--check"]) == 1


def test_a_translated_cell_takes_its_twins_place_and_id(copy):
    first_russian = '# %% [markdown] lang="ru"\n# # 00 '
    change(copy, first_russian, f'# %% [markdown] lang="la"\n# # 00 · Incipe\n\n{first_russian}')
    build.main(["--folder", str(copy)])
    english, latin = (
        nbformat.read(copy / folder / f"{NAMES[0]}.ipynb", as_version=4) for folder in (".", "la")
    )
    assert latin.cells[0].source == "# 00 · Incipe"
    assert [cell["id"] for cell in english.cells] == [cell["id"] for cell in latin.cells]
    assert [c.source for c in english.cells[1:]] == [c.source for c in latin.cells[1:]]


@pytest.mark.parametrize("path", sorted((NOTEBOOKS / "ru").glob("*.ipynb")), ids=lambda p: p.stem)
def test_a_translated_lesson_is_translated_whole(path):
    russian = nbformat.read(path, as_version=4)
    english = learner(path.stem)
    assert [c.source for c in build.code(russian)] == [c.source for c in build.code(english)]
    for cell in russian.cells:
        assert cell.cell_type == "code" or re.search("[а-яё]{3}", cell.source), cell.source


# ---- the index ---------------------------------------------------------------------------------

INDEXES = [NOTEBOOKS / "index.ipynb", NOTEBOOKS / "ru" / "index.ipynb"]
LINK = re.compile(r"\[[^\]]*\]\(([^)]*)\)")


@pytest.mark.parametrize("path", INDEXES, ids=["en", "ru"])
def test_the_index_links_every_lesson_and_its_links_lead_somewhere(path):
    cells = nbformat.read(path, as_version=4).cells
    links = [[path.parent / link for link in LINK.findall(cell.source)] for cell in cells]
    assert all(target.exists() for cell in links for target in cell)
    longest = max(links, key=len)
    assert [target.stem for target in longest] == NAMES
    paths = [cell for cell in links if len(cell) > 1 and cell is not longest]
    assert len(paths) == 4 and all({t.stem for t in cell} < set(NAMES) for cell in paths)


def test_a_lesson_without_a_translation_is_linked_in_english():
    rows = build.table(NOTEBOOKS, ["00", "01"], "ru").split("\n")
    assert "](00-start-here.ipynb)" in rows[2] and "установлено" in rows[2]
    assert "](../01-slopes-without-formulas.ipynb)" in rows[3]


def test_the_index_runs_and_shows_nobodys_progress():
    notebook = nbformat.read(INDEXES[0], as_version=4)
    assert all(not cell.outputs for cell in build.code(notebook))
    build.run(notebook, NOTEBOOKS)
    shown, where = (text_of(cell.outputs) for cell in build.code(notebook))
    assert "0 of 5" in shown and where == "None\n"


# ---- form --------------------------------------------------------------------------------------


@lesson
def test_the_learners_edition_has_gaps_and_no_outputs(name):
    cells = learner(name).cells
    assert not tagged(cells, "solution") and not tagged(cells, "teacher")
    assert all(not cell.outputs and not cell.execution_count for cell in build.code(learner(name)))
    gaps = {cell["id"] for cell in tagged(cells, "exercise")}
    assert gaps == {cell["id"] for cell in tagged(solved(name).cells, "solution")}


@lesson
def test_the_form_is_the_syllabus(name):
    cells = solved(name).cells
    code = build.code(solved(name))
    assert code[0].source.split("\n")[:3] == FIRST_LINES
    solutions, checks = tagged(cells, "solution"), tagged(cells, "check")
    asked = [re.search(r'check\("(\d\d\.\d)"', cell.source)[1] for cell in checks]
    assert asked == [f"{name[:2]}.{i}" for i in range(1, len(checks) + 1)]  # in reading order
    answered = {cell["id"][9:13].replace("-", ".") for cell in solutions}  # exercise-16-1, ...-1-2
    assert 3 <= len(checks) <= 6 and answered == set(asked)
    assert all(len(cell.source.split("\n")) <= 10 for cell in solutions)
    assert len(tagged(cells, "teacher")) == 1
    assert tagged(cells, "stepper") and cells[-1] is checks[-1]
    assert "**Question:" in cells[0].source


@lesson
def test_the_cells_ids_are_unique_and_the_metadata_is_clean(name):
    for notebook in (learner(name), solved(name)):
        ids = [cell["id"] for cell in notebook.cells]
        assert len(set(ids)) == len(ids)
        assert set(notebook.metadata) == {"kernelspec", "language_info"}
        assert all(set(cell.metadata) <= {"tags"} for cell in notebook.cells)
        nbformat.validate(notebook)


@lesson
def test_nothing_of_this_machine_is_in_an_output(name):
    text = (NOTEBOOKS / "solved" / f"{name}.ipynb").read_text("utf-8")
    assert "widget-view" not in text and "widget-state" not in text
    assert not re.search(r"/(home|root|tmp|work|usr|Users)/", text)
    assert not re.search(r"\bat 0x[0-9a-f]{6,}", text)


@lesson
def test_the_prose_keeps_its_voice(name):
    for cell in learner(name).cells:
        if cell.cell_type == "markdown":
            assert not re.search(r"\w!(\s|$)", cell.source), cell.source


# ---- nbval's guard: it compares nothing in a cell that was not run ------------------------------


def weaknesses(notebook):
    """What would let nbval pass without comparing."""
    code = build.code(notebook)
    ignored = tagged(code, "nbval-ignore-output")
    compared = [cell for cell in code if cell not in ignored and text_of(cell.outputs)]
    found = []
    if not all(cell.execution_count for cell in code):
        found.append("a cell was not executed")
    if len(ignored) > len(code) / 5:
        found.append("more than a fifth of the cells are ignored")
    if not compared:
        found.append("no output is compared")
    return found


@lesson
def test_nbval_has_something_to_compare(name):
    assert weaknesses(solved(name)) == []


def test_the_guard_finds_what_nbval_would_pass():
    cleared, ignored, silent = (solved(NAMES[0]) for _ in range(3))
    for cell in build.code(cleared):
        cell.execution_count = None
    for cell in build.code(ignored):
        cell.metadata["tags"] = ["nbval-ignore-output"]
    for cell in build.code(silent):
        cell.outputs = []
    assert weaknesses(cleared) == ["a cell was not executed"]
    assert "more than a fifth of the cells are ignored" in weaknesses(ignored)
    assert weaknesses(silent) == ["no output is compared"]


# ---- running -----------------------------------------------------------------------------------


@lesson
def test_every_check_of_the_solved_edition_is_right(name):
    for cell in tagged(solved(name).cells, "check"):
        assert f"{cell['id'][6:].replace('-', '.')} right: " in text_of(cell.outputs)


@lesson
def test_the_learners_edition_runs_to_its_end_and_its_checks_say_what_to_do(name):
    notebook = learner(name)
    build.run(notebook, NOTEBOOKS)
    for cell in tagged(notebook.cells, "check"):
        assert "is still empty. " in text_of(cell.outputs)


@lesson
@pytest.mark.oracle
def test_the_numbers_are_torchs(name, oracle):
    expected = {cell["id"]: text_of(cell.outputs) for cell in build.code(solved(name))}
    cells = solved(name).cells
    skipped = {cell["id"] for tag in NOT_COMPARED for cell in tagged(cells, tag)}
    compared = 0
    for id, text in run_cells(build.code(solved(name)), library="torch"):
        if id not in skipped:
            assert text == expected[id], f"cell {id}"
            compared += bool(text)
    assert compared >= 8


def test_the_lesson_on_pytorch_says_that_it_is_missing_and_goes_on(monkeypatch):
    name = next(each for each in NAMES if each.startswith("18"))
    monkeypatch.setitem(sys.modules, "torch", None)      # `import torch` fails, as in a browser
    cells = solved(name).cells
    expected = {cell["id"]: text_of(cell.outputs) for cell in build.code(solved(name))}
    skipped = {cell["id"] for tag in NOT_COMPARED for cell in tagged(cells, tag)}
    said = dict(run_cells(build.code(solved(name))))
    assert sum("PyTorch is not installed here" in text for text in said.values()) == 1
    for id in expected.keys() - skipped:
        assert said[id] == expected[id], f"cell {id}"
    texts = [said[cell["id"]] for cell in tagged(cells, "stepper")]
    assert any("stopped at: " in text for text in texts)
    assert any("produced a NaN" in text for text in texts)
    assert not any("PyTorch's own engine" in text for text in texts)
