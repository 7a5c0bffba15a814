"""A big graph grouped by the learner's functions: the breadcrumb, the pictures, the search."""

import pytest

pytest.importorskip("playwright")

from autodidact_widgets import show
from playwright.sync_api import expect

import autodidact as torch
from autodidact import trace
from tests.widgets.browser.accessible import axe
from tests.widgets.browser.jupyter import screenshot
from tests.widgets.browser.live import Live


def attend(x):
    return (x @ x.t()).softmax(-1) @ x


def block(x):
    return torch.relu(x + attend(x)) * 1.1


def network():
    with trace.recording():
        x = torch.ones(2, 2, requires_grad=True)
        for _ in range(12):
            x = block(x)
        loss = x.sum()
    return loss


def way(live):
    return [each.strip() for each in live.root.locator(".crumbs li").all_inner_texts()]


@pytest.mark.parametrize("colours", ("light", "dark"))
def test_the_breadcrumb_goes_through_the_calls(bare_page, colours):
    stepper = show(network())
    live = Live(bare_page, stepper, colours=colours)
    live.click("Step")
    assert way(live)[:2] == ["All", "block₁₂"]
    while way(live)[-1] != "attend₁₂":
        live.click("Step")
    live.serve()                                         # the picture of the group
    expect(live.root.locator(".box")).to_have_count(4)
    assert "in block, attend" in live.text() and live.text() == stepper.text()
    expect(live.root.locator(".insp .sub").first).to_contain_text("in block, attend")
    live.root.locator(".crumbs button").nth(1).click()
    heads = live.root.locator(".group-head")
    expect(heads.filter(has_text="attend₁₂")).to_have_count(1)
    live.root.get_by_role("searchbox").fill("attend")
    found = live.root.locator(".found [role=status]")
    expect(found).to_have_text("84 nodes")               # in it, or calling it
    assert axe(bare_page) == []
    screenshot(bare_page, f"groups-function-{colours}", live.root)
    assert bare_page.errors == []
