"""Errors without an exception in a plain show(): marked at their node, remembered to the end."""

import pytest

pytest.importorskip("playwright")

from autodidact_widgets import show
from playwright.sync_api import expect

import autodidact as torch
from autodidact import trace
from tests.widgets.browser import jupyter
from tests.widgets.browser.accessible import axe
from tests.widgets.browser.live import Live


def unnoticed():
    with trace.recording():
        w = torch.tensor(2.0, requires_grad=True)
        y = w * 3
        loss = y * y
        y.data += 1.0
    return w, show(loss)


def pictures(page, name, show_it):
    """Light and dark, as artefacts."""
    for colours in ("light", "dark"):
        live = show_it(colours)
        assert axe(page) == []
        jupyter.screenshot(page, f"{name}-{colours}", live.root)


def test_a_silent_error_is_marked_where_it_happens_and_remembered(bare_page):
    _w, stepper = unnoticed()
    live = Live(bare_page, stepper)
    expect(live.root.locator(".is-silent")).to_have_count(0)
    live.click("Step")
    notice = live.root.locator(".notice.warn")
    expect(notice).to_contain_text("changed y from 6 to 7 after loss had saved it")
    expect(live.root.locator(".rule-said")).to_contain_text(".data counts versions of its own")
    expect(live.root.locator(".listing .is-guilty")).to_contain_text("y.data += 1.0")
    marked = live.root.locator(".box.is-silent")
    expect(marked).to_have_count(1)
    assert "computes with the wrong number" in marked.get_attribute("aria-label")
    assert live.text() == stepper.text()
    live.click("Step")
    expect(notice).to_contain_text("At loss something has gone wrong without an exception")
    expect(live.root.locator(".rule-said")).to_have_count(0)
    live.click("Run")
    assert live.text() == stepper.text()

    def at_the_place(colours):
        again = Live(bare_page, stepper, colours=colours, width=1200)
        again.root.get_by_role("button", name="Step", exact=True).focus()
        again.press("Home")
        again.press("ArrowRight")
        return again

    pictures(bare_page, "silent-data", at_the_place)
    assert bare_page.errors == []


class Once(torch.autograd.Function):
    @staticmethod
    def forward(ctx, w):
        return w * 3

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad):
        return grad * 3


def test_a_cut_second_derivative_has_its_rule(bare_page):
    w = torch.tensor(2.0, requires_grad=True)
    stepper = show(Once.apply(w) + w ** 2, create_graph=True)
    live = Live(bare_page, stepper)
    rule = live.root.locator(".cuts .rule-said")
    expect(rule).to_have_count(0)
    live.click("Run")
    while not stepper.done:
        live.serve()
    live.settle()
    expect(rule).to_contain_text("what a once_differentiable backward computes has no graph")
    assert live.text() == stepper.text() and axe(bare_page) == []
    jupyter.screenshot(bare_page, "silent-once", live.root)
    assert bare_page.errors == []


def test_an_ended_way_has_its_mark_and_its_row(bare_page):
    with trace.recording():
        w = torch.tensor(2.0, requires_grad=True)
        target = w.detach() * 2
        loss = (w - target) ** 2
    stepper = show(loss)
    live = Live(bare_page, stepper)
    expect(live.root.locator(".end-word")).to_have_text("target: way ends")
    row = live.root.locator(".ends tbody tr")
    expect(row).to_contain_text("w.detach()")
    assert live.text() == stepper.text()
    pictures(bare_page, "silent-ends", lambda colours: Live(bare_page, stepper, colours=colours))
    assert bare_page.errors == []
