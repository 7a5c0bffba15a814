"""The smoke set in Notebook 7: run a lesson's cells, step with mouse and keys, back, text form."""

import re

import pytest

pytest.importorskip("playwright")

from playwright.sync_api import expect

from tests.widgets.browser.jupyter import console_errors, open_notebook, run_cell, screenshot

PROGRAM = """import autodidact as torch
from autodidact_widgets import compare, show
a = torch.tensor(2., requires_grad=True)
b = torch.tensor(3., requires_grad=True)"""
PASS = """c = a * b
d = c + a
L = d * d
s = show(L)
s"""
BOTH = """compare(show(a * a, copy=True), show(a * b, copy=True))"""
ORDER = ["L", "d", "c", "a", "b"]


def starts(name):
    """A title that begins with a name: "c = a * b" is c's."""
    return re.compile(rf"^\s*{name}\b")


@pytest.fixture
def notebook(page, server):
    """A notebook of three cells in Notebook 7; its stepper is on the page."""
    open_notebook(page, server.write("smoke.ipynb", PROGRAM, PASS, BOTH), app="notebooks")
    run_cell(page, 0)
    run_cell(page, 1)
    return page.locator(".ad").first


def test_a_pass_is_stepped_in_notebook_7(page, notebook):
    assert page.evaluate("window.jupyterapp.name") == "Jupyter Notebook"
    title, sentence = notebook.locator(".insp h3"), notebook.locator(".say")
    for name in ORDER[:2]:
        expect(title).to_have_text(starts(name))
        notebook.locator(".btn.main").click()
    for name in ORDER[2:]:                     # Notebook 7 takes the arrow keys, but not from here
        expect(title).to_have_text(starts(name))
        page.keyboard.press("ArrowRight")
    expect(sentence).to_contain_text("a.grad is 64 and b.grad is 32")
    for _ in ORDER:
        page.keyboard.press("ArrowLeft")
    expect(title).to_have_text(starts("L"))
    page.keyboard.press("t")
    expect(notebook.locator(".textform")).to_contain_text("MulBackward0")
    page.keyboard.press("t")
    screenshot(page, "notebook7", notebook)
    assert console_errors(page) == []


def test_runs_side_by_side_step_in_notebook_7(page, notebook):
    run_cell(page, 2)
    both = page.locator(".ad").nth(1)
    both.locator(".btn.main").click()
    expect(both.locator(".say, .compare-say").first).to_be_visible()
    both.locator(".btn.main").click()
    both.get_by_role("button", name="Text form").click()
    expect(both.locator(".textform")).to_contain_text("MulBackward0")
    assert console_errors(page) == []
