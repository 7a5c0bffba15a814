"""A model of PyTorch's in a real JupyterLab: step, edit, stop at a NaN, an error at its node."""

import pytest

pytest.importorskip("playwright")

from playwright.sync_api import expect

from tests.widgets.browser.jupyter import (
    DARK,
    cell_text,
    console_errors,
    open_notebook,
    run_cell,
    screenshot,
    set_theme,
)

pytestmark = pytest.mark.oracle

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
stepper = show(loss).step()
what_if = stepper.edit("y", lambda g: g * 10)
what_if
"""
NAN = """
x = torch.tensor([0.0, 1.0], requires_grad=True)
root = x.sqrt()
loss = (root * 0).sum()
stepper = show(loss)
stepper.break_at(nan=True).run_to_break()
stepper
"""
ERROR = """
x = torch.tensor(3.0, requires_grad=True)
w = x * 1
bad = (w * w) * 2
w.add_(1)
show(bad)
"""


def test_a_pytorch_model_in_the_stepper(page, server):
    after = "print([p.grad is not None for p in model.parameters()])"
    open_notebook(page, server.write("torch.ipynb", SETUP, MODEL, after, EDIT, NAN, ERROR))
    for index in range(6):
        run_cell(page, index)

    model = page.locator(".ad").nth(0)
    expect(model.locator(".count")).to_contain_text("0 of")
    for done in range(1, 4):
        model.locator(".btn.main").click()
        expect(model.locator(".count")).to_contain_text(f"{done} of")
    model.locator(".speed").select_option("0")
    model.get_by_role("button", name="Run", exact=True).click()
    expect(model.locator(".say")).to_contain_text("The pass is done")
    expect(model.locator(".leaves")).to_contain_text("0.weight")
    run_cell(page, 2)
    assert cell_text(page, 2) == "[True, True, True, True]\n"
    model.scroll_into_view_if_needed()
    screenshot(page, "torch-model", model)

    edited = page.locator(".ad").nth(1)
    edited.locator(".btn.main").click()
    edited.locator(".btn.main").click()
    expect(edited.locator(".leaves")).to_contain_text("120")

    nan = page.locator(".ad").nth(2)
    expect(nan.locator(".say")).to_contain_text("root")
    expect(nan).to_contain_text("nan")
    set_theme(page, DARK)
    nan.scroll_into_view_if_needed()
    screenshot(page, "torch-nan-dark", nan)

    error = page.locator(".ad").nth(3)
    error.locator(".btn.main").click()
    expect(error.locator(".count")).to_contain_text("1 of")
    error.locator(".btn.main").click()
    expect(error.locator(".notice")).to_contain_text("changed in place")
    screenshot(page, "torch-error-dark", error)
    assert console_errors(page) == []
