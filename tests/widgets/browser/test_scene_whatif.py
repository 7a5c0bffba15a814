"""What if, and the memory view, on a bare page with the real widget behind it."""

import pytest

pytest.importorskip("playwright")

from autodidact_widgets import show
from playwright.sync_api import expect

import autodidact as torch
from autodidact import trace
from tests.widgets.browser.accessible import axe
from tests.widgets.browser.jupyter import screenshot
from tests.widgets.browser.live import Live


@pytest.fixture
def pass_of_two():
    """x.grad becomes 12: L = (x * x) * 3 at x = 2."""
    x = torch.tensor(2.0, dtype=torch.double, requires_grad=True)
    with trace.recording():
        y = x * x
        L = y * 3
    return x, show(L)


def leaf_row(live):
    return live.root.locator(".leaves tbody tr").first.inner_text().split()


def test_edit_continue_compare_undo(bare_page, pass_of_two):
    x, stepper = pass_of_two
    live = Live(bare_page, stepper)
    live.click("Step")
    live.press("e")
    live.click("times 10")
    banner = live.root.locator(".notice.warn")
    expect(banner).to_contain_text("y receives 30 instead of 3")
    expect(live.root.locator(".edited-word")).to_have_count(1)
    assert live.text() == stepper.text()
    live.click("Step")
    live.click("Step")
    assert "120" in leaf_row(live) and x.grad is None
    assert live.text() == stepper.text()
    assert axe(bare_page) == []
    screenshot(bare_page, "whatif", live.root)
    live.click("Undo")
    expect(banner).to_have_count(0)
    assert stepper.position == 1
    live.click("Step")
    live.click("Step")
    assert "12" in leaf_row(live) and x.grad.item() == 12
    assert bare_page.errors == []


def test_a_number_of_ones_own_and_a_saved_value_with_its_warning(bare_page, pass_of_two):
    _, stepper = pass_of_two
    live = Live(bare_page, stepper, colours="dark")
    bare_page.keyboard.press("Tab")
    live.press("ArrowRight")
    live.press("e")
    editor = live.root.locator(".whatif")
    editor.locator("select").select_option(index=1)
    expect(editor).to_contain_text("no gradient of your program")
    assert axe(bare_page) == []
    screenshot(bare_page, "whatif-editor-dark", live.root)
    editor.locator("input").fill("abc")
    live.press("Enter")
    assert editor.locator("input").get_attribute("aria-invalid") == "true"
    editor.locator("input").fill("5")
    live.press("Enter")
    assert "instead of 2; what follows is no gradient" in stepper.text()
    assert live.text() == stepper.text()
    live.press("e")
    live.press("Escape")
    expect(editor).to_have_count(0)
    assert bare_page.errors == []


def test_memory_in_every_state_is_the_text_of_the_record(bare_page):
    torch.manual_seed(0)
    with trace.recording():
        model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 3))
        loss = model(torch.randn(5, 4)).square().sum()
    stepper = show(loss)
    live = Live(bare_page, stepper, width=1000)
    live.press("Tab")
    live.press("m")
    for step in range(7):
        assert live.text() == stepper.record.memory().text(step)
        size, _ = stepper.record.memory().at(step)
        assert live.root.locator(".mem-sum.num").inner_text() == str(size)
        live.click("Step")
    live.press("ArrowLeft")
    rows = live.root.locator(".mem-row.is-mine")
    shown = stepper.record.state(6)["next"]
    entries = next(n for n in stepper.record.head["nodes"] if n["id"] == shown)["saved"]
    assert rows.count() == len({entry["storage"] for entry in entries})
    assert axe(bare_page) == []
    screenshot(bare_page, "memory", live.root)
    live.press("m")
    expect(live.root.locator(".panes")).to_be_visible()
    assert bare_page.errors == []
