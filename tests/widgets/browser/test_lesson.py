"""Lesson 04 in a real JupyterLab: run it, step its pass with mouse and keys, in both themes.

What the panel shows is held against the trace that PyTorch's own engine left of the same graph: the
order of the nodes, what each receives, and the leaves' gradients.
"""

import nbformat
import pytest

pytest.importorskip("playwright")

from playwright.sync_api import expect

from tests.widgets.browser.jupyter import (
    DARK,
    LIGHT,
    ROOT,
    console_errors,
    open_notebook,
    run_cell,
    screenshot,
    set_theme,
)

# The diamond c = a * b; d = c + a; L = d * d at a = 2, b = 3, as PyTorch 2.13 runs it.
TRACE = [
    ("L", "MulBackward0", "1"),
    ("d", "AddBackward0", "8 + 8 = 16"),
    ("c", "MulBackward0", "16"),
    ("a", "AccumulateGrad", "16 + 48 = 64"),
    ("b", "AccumulateGrad", "32"),
]
FINAL = {"a": "64", "b": "32"}


@pytest.fixture
def stepper(page, server):
    """The first stepper of lesson 04, freshly run."""
    lesson = "notebooks/04-node-by-node.ipynb"
    cells = nbformat.read(ROOT / lesson, as_version=4).cells
    open_notebook(page, server.copy(lesson))
    for index in range(1 + next(i for i, c in enumerate(cells) if "show(L)" in c.source)):
        if cells[index].cell_type == "code":
            run_cell(page, index)
    root = page.locator(".ad").first
    root.scroll_into_view_if_needed()
    expect(root.locator(".btn.main")).to_be_visible()
    return root


def table(root):
    """The rows of the text form's table: [node, class, receives] as shown."""
    lines = root.locator(".textform").inner_text().splitlines()
    start = next(i for i, line in enumerate(lines) if line.strip().startswith("order"))
    columns = [lines[start].index(word) for word in ("node", "receives", "state")]
    rows = []
    for line in lines[start + 1:start + 6]:
        name, kind = line[columns[0]:columns[1]].rsplit(maxsplit=1)
        rows.append((name.split("=")[0].strip(), kind, line[columns[1]:columns[2]].strip()))
    return rows


def leaves(root):
    """`.grad now` of every leaf, from the table below the picture."""
    rows = root.locator(".leaves tbody tr")
    cells = [rows.nth(i).locator("th, td") for i in range(rows.count())]
    return {row.first.inner_text(): row.last.inner_text() for row in cells}


def test_lesson_04_steps_as_the_trace_says(page, stepper):
    notes_from_kernel = stepper.locator(".say")
    for name, *_ in TRACE:
        expect(stepper.locator(".insp h3")).to_contain_text(name)
        stepper.locator(".btn.main").click()
    expect(notes_from_kernel).to_contain_text("a.grad is 64 and b.grad is 32")
    assert {name: grad.split()[0] for name, grad in leaves(stepper).items()} == FINAL
    stepper.locator('button[aria-label="Text form"]').click()
    assert table(stepper) == TRACE
    assert console_errors(page) == []


def test_lesson_04_by_keyboard_alone_in_both_themes(page, stepper):
    stepper.locator(".btn.main").focus()
    for done in (1, 2):
        page.keyboard.press("ArrowRight")
        expect(stepper).to_contain_text(f"{done} of 5 steps")
    set_theme(page, LIGHT)
    screenshot(page, "lesson04-light")
    page.keyboard.press("ArrowLeft")
    expect(stepper.locator(".insp h3")).to_contain_text("d")
    page.keyboard.press("End")
    page.keyboard.press("ArrowRight")
    set_theme(page, DARK)
    screenshot(page, "lesson04-dark")
    stepper.locator('.picture [tabindex="0"]').first.focus()     # on a button, Space is its click
    page.keyboard.press("Space")
    expect(stepper.locator(".say")).to_contain_text("The pass is done", timeout=20_000)
    page.keyboard.press("r")
    expect(stepper).to_contain_text("0 of 5 steps")
    page.keyboard.press("t")
    expect(stepper.locator(".textform")).to_contain_text("backward pass of L")
    assert console_errors(page) == []
