"""W14, W17 and W18 of PyTorch's own engine in the view: the same pictures; what is hidden."""

import pytest

pytest.importorskip("playwright")

from autodidact_widgets import show
from playwright.sync_api import expect

from tests.trace.test_torch_scenes import cube
from tests.widgets.browser import jupyter
from tests.widgets.browser.accessible import axe
from tests.widgets.browser.live import Live

pytestmark = pytest.mark.oracle


def test_the_second_graph_and_its_cut(bare_page, oracle):
    x = oracle.tensor(2.0, requires_grad=True)
    y = cube(oracle, once=False).apply(x)
    L = y + 3 * x ** 2
    for colours in ("light", "dark"):
        stepper = show(L, create_graph=True, copy=True)
        live = Live(bare_page, stepper, colours=colours)
        while not stepper.done:
            live.click("Step")
            assert live.text() == stepper.text()
        state = stepper.record.state(-1)
        expect(live.root.locator(".made")).to_have_count(len(state["second"]))
        expect(live.root.locator(".cut-mark")).to_have_count(1)
        expect(live.root.locator(".second-offer")).to_have_count(0)
        assert axe(bare_page) == []
        jupyter.screenshot(bare_page, f"torch-second-{colours}", live.root)
        stepper.close()
    assert y.requires_grad and bare_page.errors == []


def test_a_family_whose_counters_are_hidden(bare_page, oracle):
    x = oracle.tensor(2.0, requires_grad=True)
    base = oracle.ones(3)
    apart = base.detach()
    base[1] = x * x
    L = base.sum()
    stepper = show(L)
    live = Live(bare_page, stepper)
    row = live.root.locator(".families tr", has_text="apart")
    expect(row).to_contain_text("not visible here")
    assert live.text() == stepper.text() and apart._version == 1
    assert axe(bare_page) == [] and bare_page.errors == []
    stepper.close()
