"""What happens inside a step, in a real JupyterLab: one scene a test, all in one notebook.

Each scene is stepped to its end by keyboard alone, with the text form open, and back again; what
the view says is held against what the kernel says of the same place, and axe-core looks at it.
"""

import pytest

pytest.importorskip("playwright")

from playwright.sync_api import expect

from tests.widgets.browser import jupyter
from tests.widgets.browser.accessible import axe

FIRST = """import autodidact as torch
from autodidact_widgets import show, show_own"""
DIAMOND = """a = torch.tensor(2., dtype=torch.double, requires_grad=True)
b = torch.tensor(3., dtype=torch.double, requires_grad=True)
c = a * b
d = c + a
L = d * d
"""
OWN = """class Value:
    def __init__(self, number, made_from=(), slopes=(), op=""):
        self.value, self.parents, self.slopes, self.op = number, made_from, slopes, op
    def rule(self, grad):
        return [grad * slope for slope in self.slopes]
a, b = Value(2.0), Value(3.0)
c = Value(6.0, (a, b), (3.0, 2.0), "*")
d = Value(8.0, (c, a), (1.0, 1.0), "+")
L = Value(64.0, (d, d), (8.0, 8.0), "*")
s = show_own(L, order=[L, c, d, a, b])
s"""
HOOKS = """x = torch.tensor([2., 3.], requires_grad=True)
y = x * x
L = (y * 2).sum()
def clip(grad):
    return grad.clamp(max=1)
y.register_hook(clip)
y.grad_fn.register_prehook(lambda grads: None)
x.register_post_accumulate_grad_hook(lambda t: None)
s = show(L)
s"""
CUSTOM = """class Blend(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        m = x * factor
        out = m * x
        ctx.save_for_backward(x, m, out)
        ctx.factor = factor
        return out
    @staticmethod
    def backward(ctx, grad):
        x, m, out = ctx.saved_tensors
        slope = 2 * x * ctx.factor
        return grad * slope, None
x = torch.tensor(2., requires_grad=True)
y = Blend.apply(x, 3.0)
L = y * 5
s = show(L)
s"""
IN_PLACE = """x = torch.tensor(3., dtype=torch.double, requires_grad=True)
w = x * 1
y = w * w
L = y * 2
w.add_(1)
s = show(L)
s"""
SCENES = {
    "own": (OWN, False), "events": (DIAMOND + "s = show(L)\ns", True), "hooks": (HOOKS, True),
    "custom": (CUSTOM, True), "in_place": (IN_PLACE, False),
    "breakpoints": (
        DIAMOND + 's = show(L).break_at(op="MulBackward0").break_at(norm=40)\ns', False),
    "predict": (DIAMOND + "s = show(L, ask=True)\ns", False),
}
TELL = "print(s.text())"
SHOW = """index => window.jupyterapp.shell.currentWidget.content.scrollToItem(index, 'start')"""


@pytest.fixture(scope="module")
def lab(browser, server):
    """The notebook of all scenes, its kernel ready."""
    cells = [FIRST]
    for code, _ in SCENES.values():
        cells += [code, TELL]
    with jupyter.run_page(browser, server) as page:
        jupyter.open_notebook(page, server.write("scenes-inside.ipynb", *cells))
        jupyter.run_cell(page, 0)
        yield page
    server.stop_kernels()


class Scene:
    """One stepper in the notebook, and what the kernel says of it."""

    def __init__(self, page, name):
        self.page, self.index = page, 1 + 2 * list(SCENES).index(name)
        jupyter.run_cell(page, self.index)
        page.evaluate(SHOW, self.index)
        cell = f'.jp-Cell[data-windowed-list-index="{self.index}"]'
        self.root = page.locator(f"{cell} .ad").first
        expect(self.root.locator(".count")).to_be_visible()

    def words(self):
        """The text form, as the view shows it."""
        return self.root.locator(".textform").text_content().strip()

    def told(self):
        """The text form, as the kernel prints it."""
        jupyter.run_cell(self.page, self.index + 1)
        text = jupyter.cell_text(self.page, self.index + 1).strip()
        self.page.evaluate(SHOW, self.index)
        return text

    def press(self, key):
        """Press a key that moves, and wait until it has."""
        before = self.words()
        self.root.get_by_role("button", name="Step", exact=True).focus()
        self.page.keyboard.press(key)
        expect(self.root.locator(".textform")).not_to_have_text(before)

    def agrees(self):
        """View and kernel say the same, and nothing stands in the browser's console."""
        assert self.words() == self.told()
        assert jupyter.console_errors(self.page) == []

    @property
    def over(self):
        """Whether there is nothing left to step."""
        return self.root.get_by_role("button", name="Step", exact=True).get_attribute(
            "aria-disabled") == "true"

    def pictures(self, name):
        """The picture form in both themes."""
        for theme in (jupyter.LIGHT, jupyter.DARK):
            jupyter.set_theme(self.page, theme)
            self.page.evaluate(SHOW, self.index)
            word = "dark" if theme == jupyter.DARK else "light"
            jupyter.screenshot(self.page, f"scene-{name}-{word}", self.root)


def keys(scene):
    """By keyboard alone: the text form on."""
    scene.root.get_by_role("button", name="Step", exact=True).focus()
    scene.page.keyboard.press("t")
    expect(scene.root.locator(".textform")).to_be_visible()


@pytest.mark.parametrize("name", ["own", "events", "hooks", "custom", "in_place"])
def test_a_scene_to_its_end_and_back_by_keyboard(lab, name):
    scene, by_events = Scene(lab, name), SCENES[name][1]
    keys(scene)
    if by_events:
        lab.keyboard.press("n")
    moves = 0
    while not scene.over and moves < 60:
        scene.press("ArrowRight")
        moves += 1
        if moves == 3:
            scene.agrees()
    assert scene.over and moves > 2 - (name == "in_place")
    scene.agrees()
    assert axe(lab) == []
    for _ in range(2):
        scene.press("ArrowLeft")
    scene.agrees()
    scene.root.get_by_role("button", name="Step", exact=True).focus()
    lab.keyboard.press("t")
    expect(scene.root.locator(".textform")).to_be_hidden()
    scene.pictures(name)


def test_a_repair_is_tried_on_a_copy_and_taken_back(lab):
    scene = Scene(lab, "in_place")
    for _ in range(2):
        scene.root.get_by_role("button", name="Step", exact=True).click()
    expect(scene.root.get_by_role("alert")).to_contain_text("Line 5 changed w after line 3")
    expect(scene.root.locator(".repairs")).to_contain_text("w = w.add(1)")
    listing = scene.root.locator(".listing")
    expect(listing.locator(".is-save")).to_contain_text("y = w * w")
    expect(listing.locator(".is-guilty")).to_contain_text("changes w in place")
    expect(listing.locator(".is-stop")).to_contain_text("s = show(L)")
    scene.pictures("repairs")
    scene.root.get_by_role("button", name="Try on a copy").click()
    for n in (2, 3, 4):
        scene.root.get_by_role("button", name="Step", exact=True).click()
        expect(scene.root.locator(".count")).to_contain_text(f"{n} of 4 steps")
    expect(scene.root.locator(".say")).to_contain_text("x.grad is 12")
    scene.root.get_by_role("button", name="Undo").click()
    expect(scene.root.get_by_role("alert")).to_contain_text("Line 5 changed w")
    assert jupyter.console_errors(lab) == []


def test_a_run_stops_at_breakpoints_set_in_python_and_by_the_key(lab):
    scene = Scene(lab, "breakpoints")
    scene.root.get_by_label("Speed of Run").select_option("0")
    stops = []
    for _ in range(3):
        scene.root.locator('button[aria-label="Run"]').click()
        before = stops[-1] if stops else "0 of 5 steps"
        expect(scene.root.locator(".count")).not_to_have_text(before)
        stops.append(scene.root.locator(".count").inner_text())
    assert stops == ["2 of 5 steps", "3 of 5 steps", "5 of 5 steps"]
    keys(scene)
    scene.page.keyboard.press("b")
    expect(scene.root.locator(".textform")).to_contain_text("norm above 40 and before b")
    scene.agrees()
    scene.root.get_by_role("button", name="Step", exact=True).focus()
    lab.keyboard.press("t")
    expect(scene.root.locator(".textform")).to_be_hidden()
    scene.pictures("breakpoints")
    assert axe(lab) == []


def test_predict_by_keyboard_alone(lab):
    scene = Scene(lab, "predict")
    scene.root.get_by_role("button", name="Text form").focus()
    lab.keyboard.press("ArrowRight")                     # a question comes first: to its field
    for n, text in enumerate(("16", "8", "16"), 1):
        expect(scene.root.locator(".asking form")).to_have_count(1)
        scene.root.get_by_label("Your prediction").focus()
        lab.keyboard.type(text)
        lab.keyboard.press("Enter")
        expect(scene.root.locator(".answers tbody tr")).to_have_count(n)
        if n == 1:
            scene.root.get_by_role("button", name="Step", exact=True).focus()
            lab.keyboard.press("ArrowRight")
    expect(scene.root.locator(".count")).to_contain_text("2 of 3 right")
    keys(scene)
    scene.agrees()
    scene.root.get_by_role("button", name="Step", exact=True).focus()
    lab.keyboard.press("t")
    expect(scene.root.locator(".textform")).to_be_hidden()
    scene.pictures("predict")
    assert axe(lab) == []
