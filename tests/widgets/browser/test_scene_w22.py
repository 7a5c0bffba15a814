"""W22, the error clinic, in a real JupyterLab: every error at its place, repaired and retried."""

import inspect

import pytest

pytest.importorskip("playwright")

from playwright.sync_api import expect

from tests.trace import patients
from tests.trace.test_clinic import CASES
from tests.widgets.browser import jupyter
from tests.widgets.browser.accessible import axe
from tests.widgets.browser.one_scene import OneScene, open_scenes

FIRST = "import autodidact as torch\nfrom autodidact_widgets import clinic, show"
CUBE = inspect.getsource(patients.cube) + "\n\nCube = cube(torch)"


@pytest.fixture(scope="module")
def lab(browser, server):
    cells = []
    for name, (argument, *_) in CASES.items():
        text = inspect.getsource(getattr(patients, name))
        before = CUBE + "\n\n\n" if name == "shortened" else ""
        cells.append(f"{before}{text}\n\ns = clinic({name}, {argument!r})\ns")
    with jupyter.run_page(browser, server, viewport={"width": 1500, "height": 1100}) as page:
        open_scenes(page, server, "scene-w22.ipynb", cells, FIRST)
        yield page
    server.stop_kernels()


@pytest.mark.parametrize("name", CASES)
def test_an_error_at_its_place_and_its_repairs(lab, name):
    scene = OneScene(lab, list(CASES).index(name))
    _, _, guilty, stop, _, repairs = CASES[name]
    listing = scene.root.locator(".listing")
    for kind, text in (("guilty", guilty), ("stop", stop)):
        found = listing.locator(f".is-{kind} code")
        expect(found).to_have_count(1 if text else 0)
        if text:
            assert found.inner_text().strip() == text
    expect(scene.root.locator(".rule-said")).to_contain_text("The rule:")
    expect(scene.root.locator(".rule-said a")).to_have_attribute("target", "_blank")
    expect(scene.root.locator(".repairs .cards > div")).to_have_count(len(repairs))
    if name in ("changed", "sly", "cut"):
        scene.pictures(f"w22-{name}")
    scene.text_form(True)
    scene.agrees()
    assert axe(lab) == []
    if scene.root.locator('button[aria-label="Back one step"]').get_attribute(
            "aria-disabled") != "true":
        scene.press("ArrowLeft")
        scene.agrees()
        assert "The rule:" not in scene.words()
        scene.press("ArrowRight")
    scene.text_form(False)
    retried(scene, name, repairs)
    if name == "changed":
        text = scene.in_russian("w22")
        assert "Правило:" in text and "меняет y₂ на месте" in text and "Исправления;" in text


def retried(scene, name, repairs):
    """A repair by its button, and back to the patient; all of them are tried in test_clinic.py."""
    for number, result in enumerate(repairs if name == "sly" else repairs[:1]):
        button = scene.root.get_by_role("button", name="Repair and retry").nth(number)
        button.focus()
        scene.page.keyboard.press("Enter")
        back = scene.root.get_by_role("button", name="Back to the patient")
        expect(back).to_be_visible()
        words = "Line" if isinstance(result, str) else "nothing wrong was found"
        expect(scene.root.locator(".notice").filter(has_text=words).first).to_be_visible()
        if number == 0:
            scene.text_form(True)
            scene.agrees()
            scene.text_form(False)
            jupyter.screenshot(scene.page, f"scene-w22-{name}-repaired", scene.root)
        back.click()
        expect(back).to_have_count(0)
    expect(scene.root.locator(".rule-said")).to_contain_text("The rule:")
    assert jupyter.console_errors(scene.page) == []
