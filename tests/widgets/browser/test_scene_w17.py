"""W17: the gradient's own graph grows beside the first, and is stepped itself."""

import pytest

pytest.importorskip("playwright")

from playwright.sync_api import expect

from tests.widgets.browser import jupyter
from tests.widgets.browser.accessible import axe
from tests.widgets.browser.scene import Scene

CUBE = """x = torch.tensor(2., dtype=torch.double, requires_grad=True)
y = x ** 3
s = show(y, create_graph=True)
"""


def cards(scene):
    return scene.root.locator(".made .src").all_text_contents()


def test_the_second_graph_grows_and_is_stepped(page, server):
    scene = Scene(page, server, "w17", CUBE)
    assert cards(scene) == []
    scene.walk()
    scene.root.get_by_role("button", name="Step", exact=True).click()
    expect(scene.root.locator(".made")).to_have_count(3)
    assert cards(scene) == ["① = x ** 2", "② = ① * 3", "③ = 1 * ②"]
    assert scene.root.locator(".second .tie").count() == 3       # a link to its maker each
    assert scene.root.locator(".made").first.get_attribute("aria-label") == (
        "① = x ** 2, PowBackward0, made by y, value 4")
    scene.pictures()
    scene.root.get_by_role("button", name="Step", exact=True).click()
    scene.root.get_by_role("button", name="Step the pass of x.grad").click()
    expect(scene.root.locator(".notice")).to_contain_text("The pass of x.grad, through the graph")
    receives = []
    for _ in range(4):
        receives.append(scene.root.locator(".insp h3").inner_text().strip())
        scene.root.get_by_role("button", name="Step", exact=True).click()
        expect(scene.root.locator(".count")).to_contain_text(f"{len(receives)} of 4")
    assert receives == ["③ = 1 * ②", "② = ① * 3", "① = x ** 2", "x"]
    expect(scene.root.locator(".say")).to_contain_text("x.grad is 12")
    assert axe(page) == []
    scene.pictures("-second")
    scene.text_form()
    scene.agrees()
    scene.text_form(on=False)
    scene.root.get_by_role("button", name="Back to the first pass").click()
    expect(scene.root.locator(".made")).to_have_count(4)
    assert "второй граф" in scene.in_russian()
    assert jupyter.console_errors(page) == []
