"""W14: a write through a view rewires the graph; views of one base share a version number."""

import pytest

pytest.importorskip("playwright")

from playwright.sync_api import expect

from tests.widgets.browser import jupyter
from tests.widgets.browser.scene import Scene

WRITE = """base = torch.zeros(3, dtype=torch.double)
x = torch.tensor(2., dtype=torch.double, requires_grad=True)
v, d, e = base[0], base.detach(), base.data
base[1] = x * x
L = (base * base).sum()
s = show(L)
"""


def test_a_write_through_a_view(page, server):
    scene = Scene(page, server, "w14", WRITE)
    scene.walk()
    scene.root.get_by_role("option", name="base[1] = x * x").click()
    picture = scene.root.get_by_role("img", name="Before: base has no node")
    expect(picture).to_have_attribute(
        "aria-label", "Before: base has no node. After: CopySlices with the inputs base as it was "
        "and x * x #3; 1 of 3 elements ·■· written.")
    rows = scene.root.locator(".families tbody tr")
    told = [" ".join(row.split()) for row in rows.all_inner_texts()]
    assert told == ["base base shared with v and d 1", "v view shared with base and d 1",
                    "d detach() shared with base and v 1", "e .data its own 0"]
    scene.pictures()
    assert "запись через вид" in scene.in_russian()
    assert jupyter.console_errors(page) == []
