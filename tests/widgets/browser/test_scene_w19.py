"""W19: a checkpointed segment runs again in the middle of the pass, and is stepped."""

import pytest

pytest.importorskip("playwright")

from playwright.sync_api import expect

from tests.widgets.browser import jupyter
from tests.widgets.browser.accessible import axe
from tests.widgets.browser.scene import Scene

SEGMENT = """calls = []
def segment(x):
    calls.append(len(calls) + 1)
    h = torch.tanh(x)
    h = torch.nn.functional.dropout(h, 0.5, True)
    return torch.exp(h)
torch.manual_seed(0)
x = torch.tensor([1., 2., 3.], dtype=torch.double, requires_grad=True)
y = torch.utils.checkpoint.checkpoint(segment, x, use_reentrant=False)
L = (y * y).sum()
s = show(L)
"""


def test_the_forward_of_a_segment_is_stepped_again(page, server):
    scene = Scene(page, server, "w19", SEGMENT)
    absent = scene.root.locator(".words .end", has_text="absent")
    expect(absent).to_have_count(3)
    scene.walk(events=True)
    scene.root.locator('button[aria-label^="Reset"]').click()
    again = scene.root.locator(".again")
    expect(again).to_be_hidden()
    scene.focus()
    page.keyboard.press("n")                           # whole nodes again
    for _ in range(3):
        scene.focus()
        page.keyboard.press("ArrowRight")
    expect(again.locator("caption")).to_have_text("Forward, run 2: random state as in run 1")
    rows = [" ".join(row.split()) for row in again.locator("tbody tr").all_inner_texts()]
    assert rows[0].startswith("① = tanh(x)") and len(rows) == 3
    assert axe(page) == []
    scene.pictures()
    scene.focus()
    page.keyboard.press("m")
    expect(scene.root.locator(".mem-sum.num")).to_have_text("48")
    scene.pictures("-memory")
    scene.focus()
    page.keyboard.press("m")
    assert "чтений: 1" in scene.in_russian()
    assert jupyter.console_errors(page) == []
