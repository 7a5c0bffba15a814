"""Event mode on a bare page: one event a step, forth and back, the same words as in Python."""

import json

import pytest

pytest.importorskip("playwright")

from playwright.sync_api import expect

from autodidact import trace
from autodidact.trace.questions import questions, sentence_of
from tests.trace.test_lines import blended
from tests.trace.test_replay import diamond, hooked
from tests.widgets.browser import bare
from tests.widgets.browser.stepping import Stepper


def moments(record):
    """Every place that event mode visits, from the start: (step, events; -1 for all)."""
    for k in range(len(record)):
        count = len(record.state(k)["events"]) if k else 0
        yield from ((k, event) for event in range(1, count))
        yield k, -1


def custom():
    return trace.record(blended()[1])


@pytest.mark.parametrize("make", [diamond, hooked, custom])
def test_every_event_forth_and_back_shows_the_moment_in_the_record(bare_page, make):
    record = make()
    stepper = Stepper(bare_page, json.loads(record.to_json()))
    stepper.root.get_by_role("button", name="Event").click()
    places = list(moments(record))
    for n, (k, event) in enumerate([*places, *places[-2::-1]]):
        if n:
            stepper.press("ArrowRight" if n < len(places) else "ArrowLeft")
            stepper.settle()
        assert (stepper.position, bare.trait(bare_page, "event")) == (k, event)
        inside = None if event < 0 else event
        assert stepper.text() == record.text(k, event=inside)
        if event > 0:
            expect(stepper.root.locator(".count")).to_contain_text(f"event {event} of")
            expect(stepper.root.locator(".time .is-now")).to_have_count(1)
    assert [m["type"] for m in stepper.requests] == ["hello"] + ["event"] * (len(record) - 1)
    assert bare_page.errors == []


def test_node_mode_leaves_the_step_whole_and_n_goes_between(bare_page):
    record = diamond()
    stepper = Stepper(bare_page, json.loads(record.to_json()))
    events = stepper.root.get_by_role("button", name="Event")
    events.focus()
    stepper.press("n")
    expect(events).to_have_attribute("aria-pressed", "true")
    stepper.press("ArrowRight")
    expect(stepper.root.locator(".say")).to_have_text("L unpacked self d")
    expect(stepper.root.locator(".row.is-now")).to_have_count(1)
    stepper.press("n")
    assert bare.trait(bare_page, "event") == -1 and stepper.position == 1
    assert stepper.text() == record.text(1)
    assert bare_page.errors == []


def test_a_hook_has_its_mark_and_says_old_and_new(bare_page):
    record = hooked()
    stepper = Stepper(bare_page, json.loads(record.to_json()))
    assert stepper.root.locator(".hook-ground").count() == 2
    box = stepper.root.locator(".box[data-node=n2]")
    assert "tensor hook clip, prehook look" in box.get_attribute("aria-label")
    stepper.step(3)
    box.click()
    hooks = stepper.root.locator(".insp section", has_text="Hooks")
    expect(hooks).to_contain_text("tensor hook clip")
    expect(hooks).to_contain_text("[2, 2] → [1, 1]")
    expect(hooks).to_contain_text("has run")


def test_breakpoints_are_set_listed_and_stop_a_run(bare_page):
    record = diamond()
    stepper = Stepper(bare_page, json.loads(record.to_json()))
    stepper.button("Run").focus()
    stepper.press("b")
    assert stepper.requests[-1] == {"type": "break", "point": {"kind": "node", "value": "n0"}}
    before = {"id": "break.at.op", "args": {"value": "MulBackward0"}}
    points = [{"kind": "op", "value": "MulBackward0", "say": before}]
    bare.set_trait(bare_page, "halts", {"2": [{"id": "break.before", "args": {"who": "c"}}]})
    bare.set_trait(bare_page, "breaks", points)
    stepper.step(2)
    expect(stepper.root.get_by_role("status")).to_contain_text("Breakpoint: c runs next.")
    expect(stepper.root.locator(".break-mark")).to_have_count(2)
    stepper.button("Breakpoints").click()
    panel = stepper.root.locator(".breaks")
    expect(panel).to_contain_text("before every MulBackward0")
    panel.get_by_label("Kind of breakpoint").select_option("norm")
    panel.get_by_label("Value").fill("12.5")
    panel.get_by_role("button", name="Add").click()
    panel.get_by_role("button", name="Remove: before every MulBackward0").click()
    stepper.serve()
    assert stepper.requests[-2:] == [
        {"type": "break", "point": {"kind": "norm", "value": 12.5}},
        {"type": "unbreak", "index": 0}]
    stepper.press("Escape")
    expect(panel).to_be_hidden()
    assert stepper.text().endswith(
        "\nbreakpoints: before every MulBackward0\nBreakpoint: c runs next.\n")
    assert bare_page.errors == []


def test_step_into_goes_line_by_line_through_a_custom_backward(bare_page):
    stepper = Stepper(bare_page, json.loads(custom().to_json()))
    stepper.step()
    program = stepper.root.locator(".program")
    program.get_by_role("button", name="Step into").click()
    stepper.serve()
    expect(program.locator("li.now")).to_contain_text("x, m, out = ctx.saved_tensors")
    for _ in range(4):
        stepper.press("ArrowRight")
    expect(program.locator("li.now")).to_contain_text("slope = 2 * x * ctx.factor")
    expect(program).to_contain_text("Variables so far")
    assert program.locator(".gets").all_inner_texts() == [
        "factor\n3.0", "grad\n5", "x\n2", "m\n6", "out\n12"]
    assert bare_page.errors == []


def test_predict_mode_hides_asks_and_waits(bare_page):
    record = diamond()
    stepper = Stepper(bare_page, json.loads(record.to_json()))
    stepper.step(2)
    asked = questions(record.head, record.state(2))
    bare.set_trait(bare_page, "asking", {"open": asked, "answers": [], "tolerance": 0.005})
    panel = stepper.root.locator(".asking")
    expect(panel).to_contain_text("Predict: what will c send to a?")
    inspector = stepper.root.locator(".insp")
    assert inspector.locator(".sends .chip").all_inner_texts() == ["?", "?"]
    assert "48" not in stepper.root.inner_text() and "48" not in stepper.text()
    stepper.root.get_by_role("button", name="Step", exact=True).click(force=True)
    panel.get_by_label("Your prediction").fill("8")
    bare_page.keyboard.press("Enter")
    stepper.serve()
    assert stepper.requests[-1] == {"type": "answer", "text": "8"}
    given = {"step": 3, "asked": sentence_of(record.head, asked[0], "ask.from"), "said": 8,
             "was": 48, "right": False, "rule": asked[0]["rule"]}
    bare.set_trait(bare_page, "asking", {"open": asked[1:], "answers": [given], "tolerance": 0.005})
    expect(panel.locator("td").last).to_contain_text("off by 40 (the rule is")
    expect(stepper.root.locator(".count")).to_contain_text("0 of 1 right, 2 of 5 steps")
    assert inspector.locator(".sends .chip").all_inner_texts() == ["48", "?"]
    bare.set_trait(bare_page, "asking", {"open": [], "answers": [given], "tolerance": 0.005})
    stepper.step()
    assert stepper.position == 3 and bare_page.errors == []
