"""A model of PyTorch's in a real JupyterLab: step, edit, stop at a NaN, an error at its node."""

import pytest

pytest.importorskip("playwright")

from playwright.sync_api import expect

from tests.widgets.browser.jupyter import (
    DARK,
    cell_text,
    console_errors,
    open_notebook,
    run_all,
    run_cell,
    screenshot,
    set_theme,
)

pytestmark = pytest.mark.oracle

LEAVES = ".leaves:not(.families)"
SETUP = "import torch\nfrom autodidact_widgets import show"
MODEL = """
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))
data = torch.ones(4, 2)
show(module=model, loss=lambda: model(data).square().mean())
"""
EDIT = """
x = torch.tensor(2.0, requires_grad=True)
y = x * x
loss = y * 3
show(loss)
"""
NAN = """
z = torch.tensor([0.0, 1.0], requires_grad=True)
root = z.sqrt()
loss = (root * 0).sum()
show(loss)
"""
ERROR = """
x3 = torch.tensor(3.0, requires_grad=True)
w = x3 * 1
bad = (w * w) * 2
w.add_(1)
show(bad)
"""
BESIDE = """
import autodidact
from autodidact_widgets import compare

def program(torch):
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))
    loss = model(torch.ones(4, 2)).square().mean()
    return show(loss)

compare(program(torch), program(autodidact))
"""


def opened(page, server, name, *cells):
    """A notebook with these cells run; its steppers."""
    open_notebook(page, server.write(f"{name}.ipynb", SETUP, *cells))
    for index in range(len(cells) + 1):
        run_cell(page, index)
    return page.locator(".ad")


def test_a_model_is_stepped_to_its_end(page, server):
    after = "print([p.grad is not None for p in model.parameters()])"
    model = opened(page, server, "torch", MODEL, after).first
    expect(model.locator(".count")).to_contain_text("0 of")
    assert cell_text(page, 2) == "[False, False, False, False]\n"
    for done in range(1, 4):
        model.locator(".btn.main").click()
        expect(model.locator(".count")).to_contain_text(f"{done} of")
    model.locator(".speed").select_option("0")
    model.get_by_role("button", name="Run", exact=True).click()
    expect(model.locator(".say")).to_contain_text("The pass is done")
    expect(model.locator(LEAVES)).to_contain_text("0.weight")
    run_cell(page, 2)
    assert cell_text(page, 2) == "[True, True, True, True]\n"
    model.scroll_into_view_if_needed()
    screenshot(page, "torch-model", model)
    assert console_errors(page) == []


def test_a_gradient_is_edited_in_the_view(page, server):
    """x.grad is 120 in the view, and None in PyTorch; undone, the real pass gives 12."""
    edited = opened(page, server, "torch-edit", EDIT, "print(x.grad)").first
    edited.locator(".btn.main").click()
    expect(edited.locator(".count")).to_contain_text("1 of 3")
    page.keyboard.press("e")
    edited.get_by_role("button", name="times 10", exact=True).click()
    expect(edited.locator(".notice.warn")).to_contain_text("y receives 30 instead of 3")
    for done in (2, 3):
        edited.locator(".btn.main").click()
        expect(edited.locator(".count")).to_contain_text(f"{done} of 3")
    expect(edited.locator(LEAVES)).to_contain_text("120")
    screenshot(page, "torch-edit", edited)
    run_cell(page, 2)
    assert cell_text(page, 2) == "None\n"
    edited.get_by_role("button", name="Undo", exact=True).click()
    expect(edited.locator(".count")).to_contain_text("1 of 3")
    for done in (2, 3):
        edited.locator(".btn.main").click()
        expect(edited.locator(".count")).to_contain_text(f"{done} of 3")
    run_cell(page, 2)
    assert cell_text(page, 2) == "tensor(12.)\n" and console_errors(page) == []


def test_a_breakpoint_stops_at_the_first_nan(page, server):
    nan = opened(page, server, "torch-nan", NAN, "print(z.grad)").first
    nan.get_by_role("button", name="Breakpoints", exact=True).click()
    panel = nan.locator(".breaks")
    panel.get_by_label("Kind of breakpoint").select_option("nan")
    panel.get_by_role("button", name="Add").click()
    nan.get_by_label("Speed of Run").select_option("0")
    nan.get_by_role("button", name="Run", exact=True).click()
    expect(nan).to_contain_text("produced a NaN")
    expect(nan.locator(".count")).to_contain_text("3 of 4")
    run_cell(page, 2)
    assert cell_text(page, 2) == "None\n"                # z has not been written yet
    set_theme(page, DARK)
    nan.scroll_into_view_if_needed()
    screenshot(page, "torch-nan-dark", nan)
    assert console_errors(page) == []


def test_an_error_stops_at_its_node(page, server):
    error = opened(page, server, "torch-error", ERROR).first
    error.locator(".btn.main").click()
    expect(error.locator(".count")).to_contain_text("1 of")
    error.locator(".btn.main").click()
    expect(error.locator(".notice").first).to_contain_text("changed in place")
    set_theme(page, DARK)
    screenshot(page, "torch-error-dark", error)
    assert console_errors(page) == []


def test_pytorch_and_autodidact_side_by_side(page, server):
    both = opened(page, server, "torch-beside", BESIDE).first
    expect(both.locator(".half-head").first).to_contain_text("PyTorch")
    expect(both.locator(".half-head").nth(1)).to_contain_text("autodidact")
    for done in range(1, 12):
        both.get_by_role("button", name="Step", exact=True).click()
        expect(both.locator(".count")).to_have_text(f"{done} of 11 steps")
    for head in both.locator(".half-head").all():
        expect(head).to_contain_text("finished")
    assert both.locator(".differences tbody tr").count() == 0
    assert both.locator(".tracks li.is-first").count() == 0
    both.scroll_into_view_if_needed()
    screenshot(page, "torch-beside", both)
    page.keyboard.press("t")
    text = both.locator(".textform")
    expect(text).to_contain_text("no difference so far")
    expect(text).to_contain_text("model.0.weight")
    assert console_errors(page) == []


def test_the_lesson_on_pytorch_in_jupyterlab(page, server):
    """The solved edition, run at once: every check is right, and the views are there."""
    path = server.copy("notebooks/solved/18-from-here-to-pytorch.ipynb")
    open_notebook(page, path)
    run_all(page)
    source = "index => window.jupyterapp.shell.currentWidget.content.model.cells.get(index)"
    count = page.evaluate("window.jupyterapp.shell.currentWidget.content.model.cells.length")
    checks = [i for i in range(count)
              if page.evaluate(f"i => ({source})(i).sharedModel.source", i).startswith("check(")]
    assert len(checks) == 6 and all(" right: " in cell_text(page, i) for i in checks)
    expect(page.locator(".ad").last).to_be_visible()
    screenshot(page, "torch-lesson")
    assert console_errors(page) == []
