"""W02, W20 and W30 in a real JupyterLab: three derivatives, rows of a Jacobian, modules."""

import re

import nbformat
import pytest

pytest.importorskip("playwright")

from playwright.sync_api import expect

from tests.widgets.browser import jupyter
from tests.widgets.browser.accessible import axe
from tests.widgets.browser.one_scene import SHOW, OneScene, scenes_page
from tests.widgets.browser.scene_programs import FIRST

ROWS = """x = torch.tensor([1., 2.], **D)
y = x * x * 3
one, two = torch.eye(2, dtype=torch.double)
s = compare(*(show(y, gradient=row, inputs=[x], accumulate=False, retain_graph=True)
              for row in (one, two)), labels=["row 0", "row 1"])
s"""
MODEL = """torch.manual_seed(0)
layer = torch.nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0)
model = torch.nn.TransformerEncoder(layer, 2)
data = torch.randn(3, 1, 8)
s = show(lambda: model(data).square().mean(), module=model)
s"""


@pytest.fixture(scope="module")
def lab(browser, server):
    with scenes_page(browser, server, "ways.ipynb", [ROWS, MODEL], FIRST) as page:
        yield page


def test_w02_a_slider_moves_all_three_and_the_backward_pass_is_stepped(page, server):
    lesson = "notebooks/01-slopes-without-formulas.ipynb"
    cells = nbformat.read(jupyter.ROOT / lesson, as_version=4).cells
    last = next(i for i, cell in enumerate(cells) if "FloatSlider(" in cell.source)
    jupyter.open_notebook(page, server.copy(lesson))
    for index in range(last + 1):
        if cells[index].cell_type == "code":
            jupyter.run_cell(page, index)
    page.evaluate(SHOW, last)
    cell = page.locator(f'.jp-Cell[data-windowed-list-index="{last}"]')
    numbers = cell.locator(".jp-RenderedText pre").first
    for slope in ("25.000000000000", "34.750000000000"):         # 3 * x * x - 2 at 3 and at 3.5
        expect(numbers).to_contain_text(re.compile(rf"dual number +{slope}\n"))
        expect(numbers).to_contain_text(re.compile(rf"backward pass +{slope}"))
        quotient = re.search(r"difference quotient +(\S+)", numbers.inner_text())[1]
        assert float(quotient) == pytest.approx(float(slope), abs=1e-6) and quotient != slope
        root = cell.locator(".ad")
        expect(root.locator(".count")).to_contain_text("0 of ")
        root.get_by_role("button", name="Step", exact=True).focus()
        page.keyboard.press("ArrowRight")
        expect(root.locator(".count")).to_contain_text("1 of ")
        root.get_by_label("Speed of Run").select_option("0")
        root.get_by_role("button", name="Run", exact=True).click()
        expect(root.locator(".say")).to_contain_text(f"x.grad is {float(slope):g}")
        jupyter.screenshot(page, f"scene-W02-{slope[:2]}", cell)
        handle = cell.get_by_role("slider")
        handle.focus()
        page.keyboard.press("ArrowRight")
    assert jupyter.console_errors(page) == []


def test_w20_a_jacobian_row_by_row(lab):
    scene = OneScene(lab, 0)
    scene.text_form(True)
    for _ in range(2):
        scene.press("ArrowRight")
    scene.agrees()
    assert "x receives [6, 0]" in scene.words() and "x receives [0, 12]" in scene.words()
    scene.press("ArrowLeft")
    scene.agrees()
    scene.text_form(False)
    captions = scene.root.locator(".picture .cap").all_text_contents()
    assert captions == ["start: [1, 0]", "start: [0, 1]"]
    scene.picture("W20-light-en")
    with scene.dark():
        assert axe(lab) == []
        scene.picture("W20-dark-en")
    with scene.russian():
        scene.picture("W20-light-ru")
    assert jupyter.console_errors(lab) == []


def test_w30_a_model_in_groups_of_its_modules(lab):
    scene = OneScene(lab, 1)
    groups = scene.root.locator(".group-head")
    expect(groups.filter(has_text="layers")).to_contain_text("0 of 107")
    scene.stepped(3)
    expect(scene.root.locator(".crumbs")).to_contain_text("layers")
    expect(groups.filter(has_text="norm2").first).to_be_visible()
    scene.focus()
    lab.keyboard.press("/")
    lab.keyboard.type("linear1")
    found = scene.root.locator(".found")
    found.get_by_role("button").first.press("Enter")
    expect(scene.root.locator(".insp")).to_contain_text("linear1")
    lab.keyboard.press("Escape")
    with scene.dark():
        assert axe(lab) == []
        scene.picture("W30-dark-en")
        with scene.russian():
            scene.picture("W30-dark-ru")
    scene.picture("W30-light-en")
    scene.root.get_by_label("Speed of Run").select_option("0")
    scene.root.get_by_role("button", name="Run", exact=True).press("Enter")
    expect(scene.root.locator(".say")).to_contain_text("The pass is done")
    scene.text_form(True)
    scene.agrees()
    scene.press("ArrowLeft")
    scene.agrees()
    assert jupyter.console_errors(lab) == []
