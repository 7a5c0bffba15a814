"""The scenes notebook: a text form of every scene, compared by nbval, and no lesson."""

import re

import nbformat
import pytest

from tests.notebooks.test_lessons import INDEXES, NOTEBOOKS, build, text_of, weaknesses

PATH = NOTEBOOKS / "solved" / "scenes.ipynb"
ELSEWHERE = {21, 27}            # lesson 15 (devices) and lesson 18 (PyTorch's own engine)


@pytest.fixture(scope="module")
def notebook():
    return nbformat.read(PATH, as_version=4)


def test_every_scene_has_its_cell_and_prints_something(notebook):
    found, current = {}, []
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            heading = re.search(r"^## .*", cell.source, re.MULTILINE)
            current = [int(n) for n in re.findall(r"W(\d\d)", heading[0] if heading else "")]
        else:
            for number in current:
                found[number] = found.get(number, "") + text_of(cell.outputs)
    assert set(found) == set(range(1, 31)) - ELSEWHERE
    assert all(found.values())


def test_nbval_compares_every_output(notebook):
    assert weaknesses(notebook) == []
    assert not any("nbval-ignore-output" in build.tags(cell) for cell in notebook.cells)
    assert all(output.output_type == "stream"
               for cell in build.code(notebook) for output in cell.outputs)
    text = PATH.read_text("utf-8")
    assert not re.search(r"/(home|root|tmp|work|usr|Users)/", text)
    assert not re.search(r"\bat 0x[0-9a-f]{6,}", text)


def test_it_is_no_lesson():
    assert not (NOTEBOOKS / "scenes.ipynb").exists()
    assert all("scenes.ipynb" not in path.read_text("utf-8") for path in INDEXES)


def test_new_code_needs_a_new_run_and_an_old_edition_is_found_stale(tmp_path, capsys):
    for part in ("source", "solved"):
        (tmp_path / part).mkdir()
    (tmp_path / "solved" / "scenes.ipynb").write_bytes(PATH.read_bytes())
    source = (NOTEBOOKS / "source" / "scenes.py").read_text("utf-8")
    target, folder = tmp_path / "source" / "scenes.py", ["--folder", str(tmp_path)]
    target.write_text(source, "utf-8")
    assert build.main([*folder, "--check"]) == 0
    target.write_text(source.replace("## W01 A first graph", "## W01 The first graph"), "utf-8")
    assert build.main([*folder, "--check"]) == 1 and build.main(folder) == 0
    assert build.main([*folder, "--check"]) == 0
    target.write_text(source.replace("torch.tensor(3.0, **D)", "torch.tensor(4.0, **D)"), "utf-8")
    assert build.main([*folder, "--check"]) == 1
    assert "--execute scenes" in capsys.readouterr().out
