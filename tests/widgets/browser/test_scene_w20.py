"""W20, directions: many gradients in one pass; values beside their tangents."""

import pytest

pytest.importorskip("playwright")

from autodidact_widgets import show
from playwright.sync_api import expect

import autodidact as torch
from autodidact import trace
from autodidact.autograd import forward_ad
from autodidact.trace.messages import catalogue
from tests.widgets.browser import bare, jupyter
from tests.widgets.browser.accessible import axe
from tests.widgets.browser.live import Live


class Square(torch.autograd.Function):
    """The learner's own; `called` holds the shape of each gradient that its backward has seen."""

    called = []

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        Square.called.append(tuple(grad.shape))
        (x,) = ctx.saved_tensors
        return 2 * x * grad


def many():
    """Three directions at once through y = 3 x**2."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with trace.recording():
        m = Square.apply(x)
        y = m * 3
    rows = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    return x, show(y, gradient=rows, inputs=[x], is_grads_batched=True)


def moved():
    """x moves by 1, so y = x * x by 6 and z by 18."""
    x = torch.tensor(3.0, requires_grad=True)
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    with trace.recording(), forward_ad.dual_level():
        d = forward_ad.make_dual(x, torch.tensor(1.0))
        y = d * d
        z = (y * w).sum()
        return (x, w, y), show(z)


def pictures(page, name, make):
    """Light, dark and Russian, as artefacts."""
    for colours, language in (("light", "en"), ("dark", "en"), ("light", "ru")):
        live = Live(page, make()[1], colours=colours, width=1200)
        live.click("Step")
        assert axe(page) == []
        bare.set_trait(page, "language", language)
        bare.set_trait(page, "messages", catalogue(language))
        jupyter.screenshot(page, f"{name}-{colours}-{language}", live.root)


def test_many_directions_go_through_one_pass(bare_page):
    Square.called.clear()
    x, stepper = many()
    live = Live(bare_page, stepper)
    captions = live.root.locator(".picture .cap").all_text_contents()
    assert captions == ["start: 3 directions"]
    inspector = live.root.locator(".insp")
    expect(inspector).to_contain_text("3 directions at once: the first dimension of each gradient")
    expect(inspector).to_contain_text("(3, 2) float32")
    expect(live.root.locator(".say")).to_contain_text("The pass goes in 3 directions at once")
    for _ in range(2):
        assert live.text() == stepper.text()
        live.click("Step")
    assert live.text() == stepper.text() and "3 directions at once" in stepper.text()
    assert Square.called == [(2,)] and x.grad is None
    expect(live.root.locator(".say")).to_contain_text("the result for x")
    pictures(bare_page, "scene-W20-batched", many)
    assert bare_page.errors == []


def test_a_value_stands_beside_its_tangent(bare_page):
    _kept, stepper = moved()
    live = Live(bare_page, stepper)
    y = live.root.locator('.box[aria-label^="y = d * d"]')
    assert "value 9, tangent 6" in y.get_attribute("aria-label")
    words = live.root.locator(f'[data-words="{y.get_attribute("data-node")}"] .val')
    expect(words).to_have_text("9, t 6")
    y.click()
    expect(live.root.locator(".insp")).to_contain_text("Forward mode: value 9, tangent 6.")
    assert live.text() == stepper.text()
    assert "forward mode: each value beside its tangent" in stepper.text()
    pictures(bare_page, "scene-W20-tangents", moved)
    assert bare_page.errors == []
