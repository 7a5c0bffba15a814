"""W16: a tensor followed into its pack hook and out of its unpack hook."""

import pytest

pytest.importorskip("playwright")

from playwright.sync_api import expect

from tests.widgets.browser import jupyter
from tests.widgets.browser.scene import Scene

DRAWERS = """drawers = []
def pack(t):
    drawers.append(t.clone())
    return f"drawer {len(drawers) - 1}"
def unpack(name):
    return drawers[int(name.split()[1])]
x = torch.tensor(3., dtype=torch.double, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
    y = x * x
L = y * 2
y.grad_fn._saved_self, y.grad_fn._saved_self
L.backward(retain_graph=True)
s = show(L)
"""


def test_a_packed_tensor_and_its_reads(page, server):
    scene = Scene(page, server, "w16", DRAWERS)
    scene.walk(events=True)
    scene.root.locator('button[aria-label^="Reset"]').click()
    scene.root.get_by_role("option", name="y = x * x").click()
    row = scene.root.locator(".row.saved").first
    expect(row).to_contain_text("packed: str 'drawer 0', given back by unpack")
    expect(row).to_contain_text("version check off")
    expect(row).to_contain_text("packed (3 reads)")            # two looks and a pass
    scene.pictures()
    scene.focus()
    page.keyboard.press("End")
    expect(row).to_contain_text("freed (4 reads)")
    expect(scene.root.locator(".second-offer")).to_have_count(0)   # no create_graph, no second pass
    assert "чтений: 4" in scene.in_russian()
    assert jupyter.console_errors(page) == []
