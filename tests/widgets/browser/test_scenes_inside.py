"""What happens inside a step, W03 and W12 to W28, in a real JupyterLab.

Each is held against the law, and shows its own: events are stepped one by one, breakpoints stop,
predictions are asked for, a copy goes another way.
"""

import json
import re

import pytest

pytest.importorskip("playwright")

from playwright.sync_api import expect

from tests.widgets.browser import jupyter
from tests.widgets.browser.accessible import axe
from tests.widgets.browser.law import lawful
from tests.widgets.browser.one_scene import OneScene, scenes_page
from tests.widgets.browser.scene_programs import DIAMOND, FIRST, INSIDE

OTHERS = {
    "events": DIAMOND + "s = show(L)\ns",
    "breakpoints": DIAMOND + 's = show(L).break_at(op="MulBackward0").break_at(norm=40)\ns',
    "nan": "x = torch.tensor([0., 4.], **D)\nroot = x.sqrt()\nL = (root * 0).sum()\n"
           "s = show(L).break_at(nan=True)\ns",
    "predict": DIAMOND + "s = show(L, ask=True)\ns",
}
CODES = {name: program.code for name, program in INSIDE.items()} | OTHERS


@pytest.fixture(scope="module")
def lab(browser, server):
    """The notebook of all scenes; each test runs its own program anew."""
    with scenes_page(browser, server, "inside.ipynb", CODES.values(), FIRST) as page:
        yield page


def scene_of(lab, name):
    """The scene of this name, its program run."""
    return OneScene(lab, list(CODES).index(name))


@pytest.mark.parametrize("name", INSIDE)
def test_the_law(lab, name):
    program = INSIDE[name]
    lawful(scene_of(lab, name), name, program.trace, program.at)


@pytest.mark.parametrize("name", ["events", "W12", "W15"])
def test_event_by_event_to_the_end_and_back(lab, name):
    scene = scene_of(lab, name)
    scene.text_form(True)
    lab.keyboard.press("n")
    moves = 0
    while not scene.over and moves < 60:
        scene.press("ArrowRight")
        moves += 1
        if moves == 3:
            scene.agrees()
    assert scene.over and moves > 12
    scene.agrees()
    assert axe(lab) == []
    for _ in range(2):
        scene.press("ArrowLeft")
    scene.agrees()


def test_w03_a_wrong_order_shows_as_wrong_numbers(lab):
    scene = scene_of(lab, "W03-wrong")
    scene.stepped(5)
    wrong = scene.root.locator(".leaves .bad")
    assert [each.strip() for each in wrong.all_inner_texts()] == [
        "16 instead of 64", "0 instead of 32"]
    assert scene.root.locator(".box.is-wrong").count() >= 3
    right = scene_of(lab, "W03")
    right.stepped(5)
    assert right.grads_now() == ["32", "64"]


def test_w12_into_a_backward_line_by_line(lab):
    scene = scene_of(lab, "W12")
    scene.stepped(1)
    expect(scene.root.locator(".insp .gets").first).to_contain_text("5")
    roles = scene.root.locator(".row.saved .name small").all_inner_texts()
    assert [words.split(", ")[-1] for words in roles] == ["input", "intermediate", "output"]
    program = scene.root.locator(".program")
    program.get_by_role("button", name="Step into").click()
    now = expect(program.locator("li.now"))
    now.to_contain_text("x, m, out = ctx.saved_tensors")
    for number in range(1, 4):                                   # one unpacked after the other
        expect(scene.root.locator(".row.saved.is-now")).to_have_count(int(number > 1))
        scene.focus()
        lab.keyboard.press("ArrowRight")
        expect(scene.root.locator(".count")).to_contain_text(f"event {number + 1} of")
    scene.focus()
    lab.keyboard.press("ArrowRight")
    now.to_contain_text("slope = 2 * x * ctx.factor")
    told = [" ".join(each.split()) for each in program.locator(".gets").all_inner_texts()]
    assert told == ["factor 3.0", "grad 5", "x 2", "m 6", "out 12"]
    for _ in range(2):
        scene.focus()
        lab.keyboard.press("ArrowRight")
    expect(scene.root.locator(".say")).to_contain_text("y returns 60 and None")


@pytest.mark.parametrize(("name", "words"), [
    ("W12-count", "y returned 1 gradient; 2 were expected."),
    ("W12-shape", "y returned a gradient of shape (3,); shape (2,) was expected."),
    ("W15-failing", "tensor hook broken on y stopped with KeyError: 'no such gradient'."),
])
def test_what_goes_wrong_is_shown_at_its_node(lab, name, words):
    scene = scene_of(lab, name)
    while not scene.over:
        scene.stepped(1)
    expect(scene.root.get_by_role("alert")).to_contain_text(words)
    expect(scene.root.locator(".box.is-failed")).to_have_attribute(
        "aria-label", re.compile("^y = "))


def test_w13_versions_before_it_breaks_and_a_repair_on_a_copy(lab):
    scene = scene_of(lab, "W13")
    scene.root.get_by_role("option", name="y = w * w").click()
    expect(scene.root.locator(".row.saved.is-stale")).to_contain_text("stale")
    expect(scene.root.locator(".row.saved.is-stale")).to_contain_text("version: saved 0, now 1")
    scene.stepped(2)
    expect(scene.root.get_by_role("alert")).to_contain_text("Line 5 changed w after line 3")
    listing = scene.root.locator(".listing")
    expect(listing.locator(".is-save")).to_contain_text("y = w * w")
    expect(listing.locator(".is-guilty")).to_contain_text("changes w in place")
    assert scene.grads_now() == ["None"]
    boxes = scene.boxes()
    assert "1 freed" in boxes["L = y * 2"] and "1 kept" in boxes["w = x * 1"]
    cards = scene.root.locator(".repairs .cards > div")
    expect(cards).to_have_count(3)
    scene.root.get_by_role("button", name="Try on a copy").click()
    scene.stepped(3)
    expect(scene.root.locator(".say")).to_contain_text("x.grad is 12")
    scene.root.get_by_role("button", name="Undo").click()
    expect(scene.root.get_by_role("alert")).to_contain_text("Line 5 changed w")
    assert jupyter.console_errors(lab) == []


def hooks_of(text):
    """What the text form tells of hooks, .grad and reading, in order."""
    lines = text.split("\nevents of")[1].split("\n\n")[0].splitlines()[1:]
    kinds = ("tensor hook", "prehook", "node hook", "post-accumulate", "unpacked", ".grad:")
    return [next(kind for kind in kinds if kind in line) for line in lines
            if any(kind in line for kind in kinds)]


def test_w15_which_hook_runs_when(lab):
    scene = scene_of(lab, "W15")
    scene.stepped(2)
    scene.root.get_by_role("option", name="y = x * x").click()
    scene.stepped(1)
    hooks = scene.root.locator(".insp section", has_text="Hooks")
    expect(hooks).to_contain_text("[2, 2] → [1, 1]")
    scene.text_form(True)
    assert hooks_of(scene.words()) == [
        "tensor hook", "prehook", "unpacked", "unpacked", "node hook"]
    scene.press("ArrowRight")
    assert hooks_of(scene.words()) == ["tensor hook", ".grad:", "post-accumulate"]
    expect(scene.root.locator(".hook-ground")).to_have_count(2)


def test_w15_grad_and_a_handle_that_is_removed(lab):
    scene = scene_of(lab, "W15-grad")
    scene.text_form(True)
    for _ in range(3):
        scene.press("ArrowRight")
    assert scene.over and hooks_of(scene.words())[-1] == "tensor hook"   # x's, and nothing after it
    removed = scene_of(lab, "W15-removed")
    assert "tensor hook" not in removed.boxes()["y = x * x"]
    assert "prehook <lambda>, node hook <lambda>" in removed.boxes()["y = x * x"]


def test_w24_a_gradient_ten_times_as_large(lab):
    scene = scene_of(lab, "W24")
    scene.stepped(1)
    scene.focus()
    lab.keyboard.press("e")
    scene.root.get_by_role("button", name="times 10", exact=True).press("Enter")
    banner = scene.root.locator(".notice.warn")
    expect(banner).to_contain_text("y receives 30 instead of 3")
    expect(scene.root.locator(".edited-word")).to_have_count(1)
    scene.stepped(2)
    assert scene.grads_now() == ["120 new object"]
    scene.picture("W24-edited")
    assert axe(lab) == []
    scene.root.get_by_role("button", name="Undo").press("Enter")
    expect(banner).to_have_count(0)
    scene.stepped(2)
    assert scene.grads_now() == ["12 new object"]
    assert jupyter.console_errors(lab) == []


def test_w25_back_in_time(lab):
    scene = scene_of(lab, "events")
    scene.stepped(5)
    assert scene.grads_now() == ["64 new object", "32 new object"]
    for done in (4, 3):
        scene.focus()
        lab.keyboard.press("ArrowLeft")
        expect(scene.root.locator(".count")).to_contain_text(f"{done} of 5 steps, the pass is at 5")
    assert scene.grads_now() == ["None", "None"]
    boxes = scene.boxes()
    assert "ready" in boxes["b"] and "2 freed" in boxes["c = a * b"]
    scene.focus()
    lab.keyboard.press("End")
    expect(scene.root.locator(".count")).to_contain_text("5 of 5 steps")
    assert scene.grads_now() == ["64 new object", "32 new object"]       # nothing ran twice


def run_to_stops(scene, times):
    """Press Run, `times` times; where it stopped."""
    scene.root.get_by_label("Speed of Run").select_option("0")
    stops, count = [], scene.root.locator(".count")
    for _ in range(times):
        before = count.inner_text()
        scene.root.locator('button[aria-label="Run"]').click()
        expect(count).to_have_text(re.compile(rf"^(?!{re.escape(before)}$)\d+ of \d+ steps$"))
        stops.append(count.inner_text())
    return stops


def test_w26_a_run_stops_where_it_is_told_to(lab):
    scene = scene_of(lab, "breakpoints")
    assert run_to_stops(scene, 3) == ["2 of 5 steps", "3 of 5 steps", "5 of 5 steps"]
    scene.text_form(True)
    lab.keyboard.press("b")
    expect(scene.root.locator(".textform")).to_contain_text("norm above 40 and before b")
    scene.agrees()
    scene.text_form(False)
    scene.picture("W26")
    assert axe(lab) == []


def test_w26_breakpoints_of_every_kind_by_the_panel(lab):
    scene = scene_of(lab, "events")
    scene.root.get_by_role("button", name="Breakpoints").click()
    panel = scene.root.locator(".breaks")
    for kind, value in (("leaf", "a"), ("line", "2"), ("op", "AddBackward0")):
        panel.get_by_label("Kind of breakpoint").select_option(kind)
        panel.get_by_label("Value").select_option(value)
        panel.get_by_role("button", name="Add").click()
        expect(panel.locator("li").filter(has_text=value)).to_have_count(1)
    scene.root.get_by_role("button", name="Breakpoints").click()
    assert run_to_stops(scene, 3) == ["1 of 5 steps", "2 of 5 steps", "3 of 5 steps"]
    first = scene_of(lab, "nan")
    assert run_to_stops(first, 1) == ["3 of 4 steps"]
    expect(first.root.get_by_role("status").first).to_contain_text(
        "root produced a NaN and sent it to x")
    assert jupyter.console_errors(lab) == []


def test_w28_predict_by_keyboard_alone(lab):
    scene = scene_of(lab, "predict")
    scene.root.get_by_role("button", name="Text form").focus()
    lab.keyboard.press("ArrowRight")                     # a question comes first: to its field
    for n, text in enumerate(("16", "8", "16"), 1):
        expect(scene.root.locator(".asking form")).to_have_count(1)
        scene.root.get_by_label("Your prediction").focus()
        lab.keyboard.type(text)
        lab.keyboard.press("Enter")
        expect(scene.root.locator(".answers tbody tr")).to_have_count(n)
        if n == 1:
            scene.focus()
            lab.keyboard.press("ArrowRight")
    expect(scene.root.locator(".count")).to_contain_text("2 of 3 right")
    scene.text_form(True)
    scene.agrees()
    assert "Predict: what will" in scene.words() or "2 of 3 right" in scene.words()
    scene.text_form(False)
    scene.pictures("W28")
    assert axe(lab) == []
    with lab.expect_download() as download:
        scene.root.locator(".answers").get_by_role("button").last.press("Enter")
    told = json.loads(download.value.path().read_text(encoding="utf-8"))
    assert (told["asked"], told["right"]) == (3, 2)
    scene.root.locator(".answers").get_by_role("button").first.press("Enter")
    expect(scene.root.locator(".answers")).to_have_count(0)
