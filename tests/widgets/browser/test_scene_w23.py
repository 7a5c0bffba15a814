"""W23, the training film, in a real JupyterLab: every place of it, and the jumps."""

import pytest

pytest.importorskip("playwright")

from playwright.sync_api import expect

from tests.widgets.browser import jupyter
from tests.widgets.browser.accessible import axe
from tests.widgets.browser.one_scene import OneScene, open_scenes

FIRST = "import autodidact as torch\nfrom autodidact_widgets import film"
SMALL = """torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
x = torch.tensor([[1., 2.], [3., 4.]])
training = film(model, every=2)
for _ in range(3):
    with training:
        optimizer.zero_grad()
        h = model(x)
        loss = h.square().mean()
        loss.backward()
        optimizer.step()
s = training.show()
s"""
DIGITS = """from sklearn.datasets import load_digits
digits = load_digits()
images = torch.tensor(digits.data, dtype=torch.float32) / 16
labels = torch.tensor(digits.target)
torch.manual_seed(0)
nn, F = torch.nn, torch.nn.functional
model = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
training = film(model, every=50)
for k in range(100):
    with training:
        batch = slice(14 * k, 14 * k + 64)
        optimizer.zero_grad()
        loss = F.cross_entropy(model(images[batch]), labels[batch])
        loss.backward()
        optimizer.step()
s = training.show()
s"""


@pytest.fixture(scope="module")
def lab(browser, server):
    with jupyter.run_page(browser, server, viewport={"width": 1400, "height": 1000}) as page:
        open_scenes(page, server, "scene-w23.ipynb", [SMALL, DIGITS], FIRST)
        yield page
    server.stop_kernels()


def test_the_whole_film_by_keyboard_and_back(lab):
    scene = OneScene(lab, 0)
    moves = scene.to_the_end_and_back()
    assert moves > 20
    expect(scene.root.locator(".count")).to_contain_text("step 2, optimizer, 2 of 2")
    scene.focus()
    lab.keyboard.press("Home")
    expect(scene.root.locator(".count")).to_contain_text("step 0, forward, 1 of")
    scene.pictures("w23-small")
    text = scene.in_russian("w23")
    assert "фильм из 3 шагов обучения" in text and "норма градиента" in text


def test_jumps_to_any_part_and_any_training_step(lab):
    scene = OneScene(lab, 1)
    count = expect(scene.root.locator(".count"))
    for part in ("optimizer", "backward", "loss", "forward"):
        scene.root.get_by_role("button", name=part).first.click()
        count.to_contain_text(f"step 0, {part}, 1 of")
    slider = scene.root.get_by_role("slider", name="Training step")
    slider.focus()
    lab.keyboard.press("End")
    count.to_contain_text("step 99")
    expect(scene.root.locator(".film-time")).to_be_hidden()
    expect(scene.root.get_by_role("button", name="backward").first).to_have_attribute(
        "aria-disabled", "true")
    scene.root.locator(".film-loss svg").click(position={"x": 1, "y": 20})
    count.to_contain_text("step 0")
    scene.focus()
    lab.keyboard.press("ArrowUp")
    count.to_contain_text("step 1")
    scene.text_form(True)
    scene.agrees()
    scene.text_form(False)
    slider.fill("50")
    scene.root.get_by_role("button", name="backward").first.click()
    count.to_contain_text("step 50, backward, 1 of 11")
    assert axe(lab) == []
    scene.pictures("w23-digits")
    assert jupyter.console_errors(lab) == []
