"""The bar of a waiting cell and the way to its kernel, in the bundle alone."""

import pytest

pytest.importorskip("playwright")

from autodidact_widgets.channel import heard
from playwright.sync_api import expect

from tests.widgets.browser import bare
from tests.widgets.browser.stepping import Stepper, sample

LISTEN = """name => {
  window.heard = [];
  const channel = new BroadcastChannel(name);
  channel.onmessage = event => window.heard.push(event.data);
}"""


@pytest.fixture
def stepper(bare_page):
    return Stepper(bare_page, sample("diamond"))


def test_the_bar_is_there_while_a_cell_waits(bare_page, stepper):
    bar = stepper.root.locator(".gate")
    expect(bar).to_be_hidden()
    bare.set_trait(bare_page, "waiting", True)
    expect(bar).to_be_visible()
    assert bar.get_attribute("role") == "status"
    expect(bar).to_contain_text("The cell waits here; the next cells wait for it.")
    stepper.root.get_by_role("button", name="Run on without stops").click()
    stepper.root.get_by_role("button", name="Stop the cell").click()
    assert bare.sent(bare_page)[-2:] == [{"type": "run_on"}, {"type": "stop"}]
    bare.set_trait(bare_page, "waiting", False)
    expect(bar).to_be_hidden()


def test_with_a_channel_the_view_speaks_there_and_without_it_again_to_its_model(bare_page, stepper):
    bare_page.evaluate(LISTEN, "autodidact-7")
    bare.set_trait(bare_page, "channel", "autodidact-7")
    before = len(bare.sent(bare_page))
    stepper.root.locator(".btn.main").click()
    bare_page.wait_for_function("window.heard.length === 1")
    [text] = bare_page.evaluate("window.heard")
    assert heard(text) == {"type": "step", "at": 1}
    assert len(bare.sent(bare_page)) == before
    bare.set_trait(bare_page, "channel", "")
    bare.set_trait(bare_page, "count", 2)
    bare.receive(bare_page, {"type": "states", "from": 1, "states": stepper.data["states"][1:2]})
    bare.set_trait(bare_page, "position", 1)
    stepper.root.locator(".btn.main").click()
    assert bare.sent(bare_page)[-1] == {"type": "step", "at": 2}
