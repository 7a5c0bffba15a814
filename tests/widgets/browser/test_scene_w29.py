"""W29, retain and inputs=: which nodes are asked for, in a real JupyterLab."""

import pytest

pytest.importorskip("playwright")

from playwright.sync_api import expect

from tests.widgets.browser import jupyter
from tests.widgets.browser.one_scene import OneScene, open_scenes

PROGRAM = """x = torch.tensor(2., requires_grad=True)
m = x * x
y = m * 3
L = y * y
"""
BRANCHES = """a = torch.tensor(2., requires_grad=True)
b = torch.tensor(3., requires_grad=True)
p = a * a
q = b * b
z = p + q
s = show(z, inputs=[a], accumulate=False)
s"""
ASKED = PROGRAM + "s = show(L, inputs=[m])\ns"
RETURNED = PROGRAM + "s = show(L, inputs=[m], accumulate=False)\ns"


@pytest.fixture(scope="module")
def lab(browser, server):
    with jupyter.run_page(browser, server) as page:
        open_scenes(page, server, "scene-w29.ipynb", [ASKED, RETURNED, BRANCHES])
        yield page
    server.stop_kernels()


def statuses(scene):
    """What the boxes of the picture are called: variable -> the words of its state."""
    names = scene.root.locator(".box").evaluate_all(
        "all => all.map(box => box.getAttribute('aria-label'))")
    return {name.split(" ")[0].rstrip(","): name.split(", ")[2] for name in names if name}


def test_backward_to_a_result_runs_and_frees_its_own_node(lab):
    scene = OneScene(lab, 0)
    assert scene.to_the_end_and_back() == 3
    assert statuses(scene) == {"L": "done", "y": "done", "m": "done", "x": "not asked for"}
    expect(scene.root.locator(".leaves tbody tr").nth(1)).to_contain_text("72")
    expect(scene.root.locator(".leaves tbody tr").first).to_contain_text("None")
    scene.pictures("w29-backward")


def test_grad_of_a_result_leaves_its_node_alone(lab):
    scene = OneScene(lab, 1)
    assert scene.to_the_end_and_back() == 2
    assert statuses(scene)["m"] == "only returned"
    expect(scene.root.locator(".say")).to_contain_text("72 is the result for m")
    scene.pictures("w29-grad")
    text = scene.in_russian("w29")
    assert "только возвращён" in text and "возвращается для m" in text


def test_a_branch_that_was_not_asked_for_keeps_what_it_saved(lab):
    scene = OneScene(lab, 2)
    assert scene.to_the_end_and_back() == 2
    assert statuses(scene) == {"z": "done", "p": "done", "a": "only returned",
                               "q": "not asked for", "b": "not asked for"}
    q = scene.root.locator('.box[aria-label^="q = b * b"]')
    assert "2 kept" in q.get_attribute("aria-label")
    scene.pictures("w29-branch")
