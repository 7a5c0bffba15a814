"""Whole lessons in a real JupyterLab: every cell in order, exercises answered, passes stepped.

What the cells print is what the solved edition has: no number may depend on the learner's clicks.
"""

import json

import nbformat
import pytest

pytest.importorskip("playwright")

from playwright.sync_api import TimeoutError, expect

from tests.notebooks.lesson_runner import text_of
from tests.widgets.browser.jupyter import (
    DARK,
    LIGHT,
    OUTPUTS,
    ROOT,
    cell_text,
    console_errors,
    open_notebook,
    run_cell,
    screenshot,
    set_theme,
)

WRITE = """([index, source]) => {
  const notebook = window.jupyterapp.shell.currentWidget.content;
  notebook.model.cells.get(index).sharedModel.setSource(source);
}"""
SHOW = """index => {
  const notebook = window.jupyterapp.shell.currentWidget.content;
  return notebook.scrollToItem(index, 'start');
}"""


def cells_of(path):
    """The cells of a notebook of the clone."""
    return nbformat.read(ROOT / "notebooks" / path, as_version=4).cells


def outputs(page, index):
    """A cell's outputs as they are saved, in one text."""
    return json.dumps(page.evaluate(OUTPUTS, index))


def words(text):
    """A text without the spaces and line ends in which two ways of reading a cell may differ."""
    return text.split()


def step_to_the_end(page, index, shot):
    """Press Step in the cell's stepper until nothing is left to run; return what it then says."""
    page.evaluate(SHOW, index)
    root = page.locator(f'.jp-Cell[data-windowed-list-index="{index}"] .ad').first
    count, step = root.locator(".count"), root.locator(".btn.main")
    expect(count).to_contain_text("0 of ", timeout=30_000)  # the bundle has to be loaded
    half = int(count.inner_text().split()[2]) // 2
    while step.count():                         # at the end, and where a pass stops, it is greyed
        before = root.text_content()
        try:
            step.click(timeout=3_000)
        except TimeoutError:                    # greyed between the look and the click
            expect(step).to_have_count(0)
            break
        expect(root).not_to_have_text(before, timeout=20_000)
        half -= 1
        if half == 0:
            screenshot(page, shot)
    return root.locator(".say, .notice").all_inner_texts()


@pytest.mark.parametrize("name", ["05-grad", "07-free-or-keep"])
def test_a_lesson_from_its_first_cell_to_its_last(page, server, name):
    solved = {cell["id"]: cell for cell in cells_of(f"solved/{name}.ipynb")}
    open_notebook(page, server.copy(f"notebooks/{name}.ipynb"))
    stepped = 0
    for index, cell in enumerate(cells_of(f"{name}.ipynb")):
        tags = cell.metadata.get("tags", [])
        if cell.cell_type != "code":
            continue
        if "exercise" in tags:
            page.evaluate(WRITE, [index, solved[cell["id"]].source])
        run_cell(page, index)
        assert '"output_type": "error"' not in outputs(page, index), cell_text(page, index)
        if "nbval-ignore-output" not in tags:
            assert words(cell_text(page, index)) == words(text_of(solved[cell["id"]].outputs))
        if "stepper" in tags and "widget-view" in outputs(page, index):
            stepped += 1
            set_theme(page, DARK if stepped % 2 == 0 else LIGHT)
            said = " ".join(step_to_the_end(page, index, f"lesson{name[:2]}-step{stepped}"))
            assert said.strip()
    assert stepped and console_errors(page) == []
    for index in range(0, len(solved), 6):
        page.evaluate(SHOW, index)
        screenshot(page, f"lesson{name[:2]}-cell{index:02}")
