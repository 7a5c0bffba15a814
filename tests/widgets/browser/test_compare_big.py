"""Two big graphs side by side: a step changes no more of the page, however large they are."""

import pytest

pytest.importorskip("playwright")

from autodidact_widgets import compare, show
from playwright.sync_api import expect

from tests.widgets.browser import jupyter as lab
from tests.widgets.browser.accessible import axe
from tests.widgets.browser.live import Live
from tests.widgets.browser.test_big_graphs import COUNT, SETTLED, chain, layers

START = 60         # steps before anything is counted: the window of the time line is full


def changes_of_steps(page, make, count):
    """What each of some steps changes in the document, and the time it takes there."""
    both = compare(show(make(count)), show(make(count), copy=True))
    for _ in range(START):
        both.step()
    page.emulate_media(reduced_motion="reduce")
    live = Live(page, both)
    page.evaluate(COUNT)
    changes = []
    for _ in range(12):
        page.evaluate("window.changes = 0")
        both.step()
        live.serve()
        page.evaluate(SETTLED)
        changes.append(page.evaluate("window.changes"))
    assert live.text() == both.text() and page.errors == []
    return changes


@pytest.mark.parametrize("make", [chain, layers])
def test_a_step_changes_no_more_of_the_page(browser, jupyter, make):
    found = []
    for count in (500, 1000):                            # above that no whole picture is drawn
        with jupyter.run_page(browser) as page:
            found.append(changes_of_steps(page, make, count))
    small, large = map(sorted, found)
    assert large[len(large) // 2] <= 1.05 * small[len(small) // 2]
    assert large[-1] <= 1.5 * small[-1]


def test_of_many_leaves_the_last_are_shown_and_the_text_has_all(bare_page):
    both = compare(show(layers(120)), show(layers(120), copy=True))
    live = Live(bare_page, both)
    for _ in range(40):
        both.step()
        live.serve()
    rows = live.root.locator(".leaves tbody tr")
    assert 5 < rows.count() <= 20
    last = both.comparison.state(0, both.comparison.places()[-1])["ran"]
    assert last is not None
    expect(live.root.get_by_text("Of many leaves the 20 that were written last")).to_be_visible()
    assert live.text() == both.text() and live.text().count(".grad") > 30
    assert axe(bare_page) == []
    lab.screenshot(bare_page, "compare-many-leaves", live.root)
    assert bare_page.errors == []
