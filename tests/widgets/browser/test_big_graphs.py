"""Above 60 nodes: groups that open and close, search by name, messages of bounded size."""

import json

import pytest

pytest.importorskip("playwright")

from autodidact_widgets import show
from playwright.sync_api import expect

import autodidact as torch
from autodidact import trace
from tests.widgets.browser.accessible import axe
from tests.widgets.browser.jupyter import screenshot
from tests.widgets.browser.live import Live


def chain(count):
    y = x = torch.tensor(0.5, requires_grad=True)
    assert x.is_leaf
    with trace.recording():
        for _ in range(count // 2):
            y = torch.sin(y) * 1.1
    return show(y)


def blocks():
    """Three lines of a program, 40 operations each."""
    y = torch.ones(2, 2, requires_grad=True)
    with trace.recording():
        for _ in range(20):
            y = y.sin() * 1.5
        for _ in range(40):
            y = y + 1.25
        z = y.sum()
    return show(z)


def test_groups_open_close_and_keep_their_state(bare_page):
    stepper = blocks()
    live = Live(bare_page, stepper)
    heads = live.root.locator(".group-head")
    assert heads.count() >= 3 and live.root.locator("svg.g").is_hidden()
    live.click("Step")
    opened = live.root.locator('.group-head[aria-expanded="true"]')
    expect(opened).to_have_count(1)                      # the one the pass is in
    heads.last.click()
    expect(opened).to_have_count(2)
    live.click("Step")
    expect(opened).to_have_count(2)                      # stays open from step to step
    live.root.locator(".group-row").last.click()
    assert live.text() == stepper.text()
    assert axe(bare_page) == []
    screenshot(bare_page, "groups", live.root)
    heads.last.click()
    expect(opened).to_have_count(1)
    assert bare_page.errors == []


def test_search_finds_nodes_by_name_with_the_keyboard(bare_page):
    live = Live(bare_page, blocks())
    bare_page.keyboard.press("Tab")
    live.press("/")
    bare_page.keyboard.type("sinback")
    found = live.root.locator(".found")
    expect(found).to_contain_text("20 nodes")
    found.get_by_role("button").first.click()
    expect(live.root.locator(".insp")).to_contain_text("SinBackward0")
    live.press("Escape")
    live.press("ArrowRight")
    assert live.widget.position == 1 and bare_page.errors == []


# A new head and its first state: how long the view takes until all of it is drawn.
AGAIN = """states => {
  const start = performance.now();
  window.model.set("_head", structuredClone(window.model.get("_head")));
  window.model.fire("msg:custom", states);
  document.body.getBoundingClientRect();
  return performance.now() - start;
}"""


@pytest.mark.parametrize(("count", "seconds"), [(200, 1.0), (1000, 3.0)])
def test_the_first_picture_comes_soon_and_messages_are_small(bare_page, count, seconds):
    stepper = chain(count)
    assert len(json.dumps(stepper._head)) < 1_000_000
    live = Live(bare_page, stepper)
    expect(live.root.locator(".group-head").first).to_be_visible()
    states = [dict(stepper.record.states[0])]
    taken = bare_page.evaluate(AGAIN, {"type": "states", "from": 0, "states": states})
    print(f"picture of {count} nodes: {taken:.0f} ms")
    assert taken < 3000 * seconds                        # the machine of the tests is a shared one
    sizes = []
    send = stepper.send
    stepper.send = lambda m, buffers=None: (sizes.append(len(json.dumps(m))), send(m, buffers))
    for _ in range(3):
        live.click("Step")
    assert max(sizes) < 20_000
    assert live.text() == stepper.text() and bare_page.errors == []
