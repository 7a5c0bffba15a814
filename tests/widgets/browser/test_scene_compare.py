"""Side by side: retain_graph True and False in lock step, and any two runs."""

import pytest

pytest.importorskip("playwright")

from autodidact_widgets import compare, show
from playwright.sync_api import expect

import autodidact as torch
from autodidact import trace
from tests.widgets.browser.accessible import axe
from tests.widgets.browser.jupyter import (
    DARK,
    LIGHT,
    cell_text,
    console_errors,
    open_notebook,
    run_all,
    screenshot,
    set_theme,
)
from tests.widgets.browser.live import Live

EVIL = '<img src=x onerror="window.__pwn=1"><script>window.__pwn=1</script>'


def leaf(value):
    return torch.tensor(value, dtype=torch.double, requires_grad=True)


def two_losses(retain):
    x = leaf(2.0)
    s = x * x
    l1 = s * 1
    l2 = s * 2
    return [show(l1, retain_graph=retain), show(l2)]


@pytest.fixture
def both():
    with trace.recording():
        return compare(two_losses(False), two_losses(True))


def test_every_place_forth_and_back_is_what_the_records_say(bare_page, both):
    live = Live(bare_page, both)
    for place in [*range(8), *range(6, -1, -1)]:
        if place > both.position:
            live.click("Step")
        elif place < both.position:
            live.click("Back one step")
        assert both.position == place
        assert live.text() == both.comparison.text(place)
        rows = [row for row in both.comparison.differences() if row["place"] <= place]
        assert live.root.locator(".differences tbody tr").count() == len(rows)
    assert bare_page.errors == []


def test_the_panels_say_who_stopped_and_what_differs(bare_page, both):
    live = Live(bare_page, both)
    for _ in range(7):
        live.click("Step")
    heads = live.root.locator(".half-head").all_inner_texts()
    assert "stopped at s" in heads[0] and "finished" in heads[1]
    expect(live.root.locator(".say")).to_contain_text("x.grad is 4 and retain_graph=True: x.grad")
    grads = live.root.locator(".leaves tbody tr").first.locator("td").all_inner_texts()
    assert grads == ["4", "12"]
    first = live.root.locator(".tracks li.is-first")
    expect(first).to_have_count(1)
    expect(first).to_contain_text("first difference")
    first.get_by_role("button", include_hidden=True).click()
    live.serve()
    assert both.position == 1


def test_by_keyboard_alone(bare_page, both):
    live = Live(bare_page, both)
    bare_page.keyboard.press("Tab")
    keys = {"ArrowRight": 1, "ArrowLeft": 0, "End": 1, "r": 0, "Home": 0}
    for key, place in keys.items():
        live.press(key)
        assert both.position == place, key
    live.press("t")
    assert live.root.locator(".textform").text_content() == both.text()
    live.press("t")
    live.root.locator('.picture [tabindex="0"]').first.focus()
    live.press(" ")
    for _ in range(200):                                # it runs at some steps a second
        if both.done:
            break
        bare_page.wait_for_timeout(100)
        live.serve()
    assert both.comparison.state(1, (1, 3))["end"] == "ok"


@pytest.mark.parametrize("colours", ("light", "dark"))
def test_no_rule_of_accessibility_is_broken(bare_page, both, colours):
    live = Live(bare_page, both, colours=colours, width=1000)
    for _ in range(7):
        live.click("Step")
    assert axe(bare_page) == []
    screenshot(bare_page, f"compare-{colours}", live.root)
    live.click("Text form")
    assert axe(bare_page) == []


def test_a_narrow_page_stacks_the_two(bare_page, both):
    live = Live(bare_page, both, width=560)
    live.click("Step")
    upper, lower = (half.bounding_box() for half in live.root.locator(".half").all())
    assert lower["y"] >= upper["y"] + upper["height"] and lower["width"] == upper["width"]
    edge = live.root.bounding_box()
    for part in live.root.locator(".bar, .half, .half-head, .leaves table").all():
        box = part.bounding_box()
        assert box["x"] + box["width"] <= edge["x"] + edge["width"] + 0.5
    screenshot(bare_page, "compare-narrow", live.root)


def test_hostile_names_stay_text(bare_page, both):
    for run in both.comparison.runs:
        for node in run[0].head["nodes"]:
            node["var"] = node["source"] = node["label"] = EVIL
        run[0].head["root"] = EVIL
    both._driver.head["labels"][:] = [EVIL, "b"]
    live = Live(bare_page, both)
    for _ in range(7):
        live.click("Step")
    live.text()
    assert bare_page.evaluate("window.__pwn") is None
    assert live.root.locator("img, script").count() == 0


def test_three_runs_of_other_shapes(bare_page):
    x = leaf(0.5)
    e = torch.exp(x)
    runs = compare(torch.sinh(x), (e - 1 / e) / 2, (torch.exp(x) - torch.exp(-x)) / 2)
    live = Live(bare_page, runs, width=1200)
    runs.finish()
    live.serve()
    assert live.text() == runs.text()
    assert live.root.locator(".half").count() == 3
    assert bare_page.errors == [] and axe(bare_page) == []


PROGRAM = [
    "import autodidact as torch\nfrom autodidact_widgets import compare, show",
    """def two_losses(retain):
    x = torch.tensor(2., dtype=torch.double, requires_grad=True)
    s = x * x
    l1, l2 = s * 1, s * 2
    return [show(l1, retain_graph=retain), show(l2)], x

(left, x1), (right, x2) = two_losses(False), two_losses(True)
both = compare(left, right)
both""",
    "both.finish()\nprint(both.text(), x1.grad.item(), x2.grad.item())",
]


def test_side_by_side_in_jupyterlab(page, server):
    open_notebook(page, server.write("compare.ipynb", *PROGRAM[:2]))
    run_all(page)
    root = page.locator(".ad.compare")
    root.scroll_into_view_if_needed()
    step = root.get_by_role("button", name="Step", exact=True)
    for done in (1, 2, 3, 3, 4, 5, 6):
        expect(step).to_be_visible()
        step.click()
        expect(root.locator(".count")).to_have_text(f"{done} of 6 steps")
    expect(root.locator(".half-head").first).to_contain_text("stopped at s")
    root.get_by_role("button", name="Back one step").click()
    expect(root.locator(".count")).to_have_text("5 of 6 steps")
    page.keyboard.press("End")
    set_theme(page, DARK)
    screenshot(page, "compare-jupyter-dark")
    set_theme(page, LIGHT)
    screenshot(page, "compare-jupyter-light")
    page.keyboard.press("t")
    shown = root.locator(".textform").inner_text()
    assert "x.grad   4                    12" in shown
    assert "first difference in step 1, l1" in cell_text(page, 1) or "0 of 6" in cell_text(page, 1)
    assert console_errors(page) == []
