"""W18: where a second derivative gets cut, with a warning to be switched on; four sinh at once."""

import pytest

pytest.importorskip("playwright")

from autodidact_widgets import compare, show
from playwright.sync_api import expect

from tests.trace.sinh import ALL, first, leaf
from tests.widgets.browser import jupyter
from tests.widgets.browser.accessible import axe
from tests.widgets.browser.live import Live
from tests.widgets.browser.scene import Scene

PARTIAL = """class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3
    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad):
        x, = ctx.saved_tensors
        return grad * 3 * x ** 2
x = torch.tensor(1., dtype=torch.double, requires_grad=True)
y = Cube.apply(x)
L = y + x ** 2
s = show(L, create_graph=True)
"""


def test_a_silent_partial_result_and_its_warning(page, server):
    scene = Scene(page, server, "w18", PARTIAL)
    scene.walk()
    scene.focus()
    page.keyboard.press("End")
    expect(scene.root.locator(".cut-mark")).to_have_count(1)
    row = scene.root.locator(".cuts tbody tr")
    expect(row).to_contain_text("its backward is marked once_differentiable")
    expect(scene.root.locator(".notice.warn")).to_have_count(0)
    switch = scene.root.get_by_role("button", name="Warn of lost derivatives")
    switch.focus()
    page.keyboard.press("Enter")
    expect(scene.root.locator(".notice.warn")).to_contain_text(
        "a second derivative leaves out what goes through y")
    expect(switch).to_have_attribute("aria-pressed", "true")
    assert axe(page) == []
    scene.pictures()
    scene.text_form()
    scene.agrees()
    scene.text_form(on=False)
    scene.root.get_by_role("button", name="Step the pass of x.grad").click()
    scene.root.get_by_role("button", name="Run", exact=True).click()
    expect(scene.root.locator(".say")).to_contain_text("x.grad is 2")
    assert "потеряно на пути" in scene.in_russian()
    assert jupyter.console_errors(page) == []


def test_four_versions_in_lock_step(bare_page):
    def run(name):
        x = leaf()
        return [show(first(ALL[name].apply(x)), create_graph=True), "x.grad"]

    both = compare(*map(run, ALL), labels=list(ALL))
    live = Live(bare_page, both, width=1400)
    while not both.done:
        live.click("Step")
    assert live.text() == both.text()
    assert "x.grad has no graph: no second pass" in live.text()
    assert axe(bare_page) == []
    jupyter.screenshot(bare_page, "scene-w18-four", live.root)
    assert bare_page.errors == []
    both.close()
