"""The stepper's front end on a bare page shows what the record holds, to eye, ear and keyboard."""

import json
import re

import pytest

pytest.importorskip("playwright")

from autodidact_widgets import wire
from playwright.sync_api import expect

from autodidact.trace.messages import paragraph
from tests.widgets.browser import bare
from tests.widgets.browser.accessible import axe
from tests.widgets.browser.jupyter import screenshot
from tests.widgets.browser.stepping import RECORDS, STATIC, Stepper, sample


@pytest.fixture
def stepper(bare_page):
    """The diamond, before its first step; the page's console must stay clean."""
    yield Stepper(bare_page, sample("diamond"))
    assert bare_page.errors == []


# ---- what is shown is what the record holds


@pytest.mark.parametrize("name", RECORDS)
def test_every_state_forth_and_back_shows_the_folded_record(bare_page, name):
    stepper = Stepper(bare_page, sample(name))
    last = len(stepper.record) - 1
    for k in [*range(last + 1), *range(last - 1, -1, -1)]:
        if k > stepper.position:
            stepper.step()
        elif k < stepper.position:
            stepper.button("Back").click()
        state = stepper.record.state(k)
        assert stepper.position == k
        assert stepper.text() == stepper.record.text(k)
        shown = {node: {status} for node, status in state["status"].items()}
        assert stepper.statuses() == shown
        if not state["error"]:
            assert stepper.sentence() == paragraph(state["say"])
    assert stepper.requests == [{"type": "hello"}] + [
        {"type": "step", "at": known} for known in range(1, last + 1)]
    assert bare_page.errors == []


@pytest.mark.parametrize("name", RECORDS)
def test_what_comes_as_text_because_none_would_be_lost_shows_the_same(bare_page, monkeypatch, name):
    monkeypatch.setattr(wire, "LOSES_NONE", True)
    stepper = Stepper(bare_page, sample(name), told=wire.told)
    assert "json" in bare.trait(bare_page, "_head")
    for k in range(len(stepper.data["states"])):
        assert stepper.text() == stepper.record.text(k)
        if k + 1 < len(stepper.data["states"]):
            stepper.step()
    assert bare_page.errors == []


def test_the_inspector_tells_the_next_node_in_the_order_of_its_data(stepper):
    stepper.step(2)
    panel = stepper.root.locator(".insp")
    assert panel.locator("h3").text_content() == "c = a * b"
    assert panel.locator("h4").all_inner_texts() == [
        "Receives\n1 of 1", "Saved in forward\n2 tensors, 16 B", "Will send\nrule, numbers, result"
    ]  # fmt: skip
    rows = panel.locator(".sends")
    assert rows.locator(".numbers").all_text_contents() == ["16 · 3 =", "16 · 2 ="]
    assert rows.locator(".chip").all_text_contents() == ["48", "32"]
    assert (
        rows.locator(".then").first.text_content() == "a then holds 16 + 48 = 64, 2 of 2: complete"
    )
    assert panel.locator(".sends math mfrac").count() == 2


def test_saved_tensors_open_to_a_table_and_stay_open_over_steps(bare_page):
    stepper = Stepper(bare_page, sample("linear"))
    stepper.step()
    stepper.root.get_by_role("button", name="Values of h").click()
    table = stepper.root.locator(".values table")
    assert table.locator("td").all_text_contents() == ["0", "2", "1.5", "0"]
    stepper.button("Back").click()
    expect(table).to_have_count(0)
    stepper.press("ArrowRight")
    expect(table).to_have_count(1)


def test_leaves_say_whether_grad_is_a_new_object(stepper):
    stepper.step(5)
    rows = stepper.root.locator(".leaves tbody tr").all_inner_texts()
    assert [re.sub(r"\s+", " ", row).strip() for row in rows] == [
        "a 2 16 + 48 = 64 2 of 2 None → 64 new object",
        "b 3 32 1 of 1 None → 32 new object",
    ]
    expect(stepper.root.locator(".strip")).to_contain_text("0 B of 8 B kept")


def test_an_error_stops_at_its_node_with_the_class_one_click_away(bare_page):
    stepper = Stepper(bare_page, sample("inplace_error"))
    stepper.step(2)
    notice = stepper.root.get_by_role("alert")
    expect(notice).to_contain_text(
        "Line 5 changed w after line 3 had saved it. The pass stops here;"
    )
    assert stepper.root.locator(".back.cut").count() == 2
    assert "modified by an inplace operation" not in notice.inner_text()
    notice.get_by_role("button", name="RuntimeError").click()
    expect(notice).to_contain_text("modified by an inplace operation")
    expect(stepper.root.locator(".count")).to_have_text("stopped in step 2 of 4")
    step = stepper.root.get_by_role("button", name="Step", exact=True)
    expect(step).to_have_attribute("aria-disabled", "true")
    step.click(force=True)
    assert stepper.requests[-1]["type"] == "step" and len(stepper.requests) == 3


# ---- moving about


def test_the_keyboard_alone_reaches_everything(stepper):
    page = stepper.page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('.ad') !== null")
    stepper.press("ArrowRight")
    stepper.press("ArrowRight")
    assert stepper.position == 2
    for key, position in (("ArrowLeft", 1), ("End", 2), ("Home", 0), ("End", 2), ("r", 0)):
        stepper.press(key)
        assert stepper.position == position, key
    stepper.press("t")
    assert stepper.root.locator(".textform").text_content() == stepper.record.text(0)
    stepper.press("T")
    expect(stepper.root.locator(".textform")).to_be_hidden()


def test_arrow_keys_in_the_picture_choose_a_node_and_escape_follows_the_pass(stepper):
    stepper.step(2)
    title = stepper.root.locator(".insp h3")
    for _ in range(20):
        stepper.page.keyboard.press("Tab")
        if stepper.page.evaluate("document.activeElement.matches('.box')"):
            break
    expect(title).to_have_text("c = a * b")
    stepper.press("ArrowDown")
    expect(title).to_have_text("d = c + a")
    stepper.press("ArrowUp")
    stepper.press("ArrowUp")
    expect(title).to_have_text("a")
    assert stepper.root.locator(".box.is-selected").count() == 2  # both pills of the leaf
    stepper.press("Escape")
    expect(title).to_have_text("c = a * b")
    stepper.press("ArrowRight")
    assert stepper.position == 3


def test_keys_are_heard_only_inside_and_only_while_the_view_lives(stepper):
    stepper.page.evaluate("document.body.append(document.createElement('textarea'))")
    stepper.page.locator("textarea").focus()
    stepper.press("ArrowRight")
    assert stepper.requests == [{"type": "hello"}]
    stepper.root.focus()
    stepper.press("ArrowRight")
    assert stepper.position == 1
    stepper.page.evaluate(
        "window.heard = 0; window.addEventListener('keydown', () => window.heard++)"
    )
    assert bare.unmount(stepper.page) == 0
    stepper.press("ArrowRight")
    assert len(stepper.requests) == 2 and stepper.page.evaluate("window.heard") == 1
    expect(stepper.page.locator(".ad")).to_have_count(0)


def test_space_runs_and_pauses_and_all_at_once_is_one_request(stepper):
    stepper.root.focus()
    stepper.root.get_by_role("combobox", name="Speed").select_option("1")
    stepper.root.focus()
    stepper.press(" ")
    assert stepper.position == 1
    expect(stepper.button("Pause")).to_be_visible()
    stepper.press(" ")
    expect(stepper.button("Run")).to_be_visible()
    stepper.root.get_by_role("combobox", name="Speed").select_option("0")
    stepper.root.focus()
    stepper.press(" ")
    assert stepper.requests[-1]["type"] == "run" and stepper.position == 5
    assert stepper.text() == stepper.record.text(5)


def test_the_time_line_jumps_in_the_record_and_never_beyond(stepper):
    stepper.step(3)
    steps = stepper.root.locator(".time li button")
    steps.nth(1).click()
    assert stepper.position == 1
    expect(stepper.root.locator(".count")).to_have_text("1 of 5 steps, the pass is at 3")
    steps.nth(4).click(force=True)
    assert stepper.position == 1 and len(stepper.requests) == 4


def test_the_picture_pans_and_zooms_and_a_drag_chooses_nothing(stepper):
    layer = stepper.root.locator("svg.g > g")
    home = layer.get_attribute("transform")
    box = stepper.root.locator(".box").first.bounding_box()
    mouse = stepper.page.mouse
    mouse.move(box["x"] + 40, box["y"] + 20)
    mouse.down()
    mouse.move(box["x"] + 90, box["y"] - 20, steps=4)
    mouse.up()
    assert layer.get_attribute("transform") != home
    assert stepper.root.locator(".is-selected").count() == 0
    stepper.button("Larger").click()
    assert "scale(1.2)" in layer.get_attribute("transform")
    stepper.button("Whole picture").click()
    stepper.root.locator(".box").first.click()
    assert stepper.root.locator(".is-selected").count() == 1
    stepper.press("0")
    assert layer.get_attribute("transform") == home


def test_switches_act_before_the_first_step_and_afterwards_say_why_not(stepper):
    stepper.button("Switches").click()
    switch = stepper.root.get_by_role("switch", name="retain_graph")
    switch.click()
    stepper.serve()
    assert stepper.requests[-1] == {"type": "option", "name": "retain_graph", "value": True}
    head = stepper.page.evaluate("window.model.get('_head')")
    head["options"]["retain_graph"] = True
    bare.set_trait(stepper.page, "_head", head)
    expect(switch).to_have_attribute("aria-checked", "true")
    stepper.step()
    expect(switch).to_have_attribute("aria-disabled", "true")
    expect(stepper.root.locator(".menu")).to_contain_text("can no longer be changed")
    switch.click(force=True)
    stepper.serve()
    assert stepper.requests[-1]["type"] == "step"
    refusal = {"id": "refused.started", "args": {"name": "create_graph"}}
    bare.receive(stepper.page, {"type": "refused", "say": [refusal]})
    expect(stepper.root.get_by_role("status")).to_contain_text("only be changed before the first")


def test_the_tour_names_each_part_once_and_the_text_form_lists_the_same(stepper):
    stepper.button("Explain").click()
    tour, seen = stepper.root.locator(".tour"), []
    for _ in range(12):
        seen.append(tour.locator("p").text_content())
        assert stepper.root.locator(".is-lit").count() == 1, seen[-1]
        tour.get_by_role("button", name="Next").press("Enter")
    assert len(set(seen)) == 12 and tour.locator("p").text_content() == seen[0]
    assert stepper.text().endswith("\n".join(seen) + "\n")


# ---- motion


def test_gradients_ride_their_lanes_and_a_second_step_ends_the_ride(stepper):
    stepper.root.get_by_role("button", name="Step", exact=True).click()
    stepper.serve()
    assert stepper.root.locator(".rides").count() == 2
    stepper.root.get_by_role("button", name="Step", exact=True).click()
    stepper.serve()
    assert stepper.statuses()["n0"] == {"done"}
    stepper.settle()
    assert stepper.statuses()["n2"] == {"next"}


def test_reduced_motion_and_back_switch_at_once(bare_page):
    bare_page.emulate_media(reduced_motion="reduce")
    stepper = Stepper(bare_page, sample("diamond"))
    bare_page.evaluate(
        "window.rode = 0; new MutationObserver(all => all.forEach(each => each.addedNodes.forEach("
        "node => { if (node.classList?.contains('rides')) window.rode++ })))"
        ".observe(document.body, {childList: true, subtree: true})"
    )
    stepper.step(2)
    stepper.button("Back").click()
    assert bare_page.evaluate("window.rode") == 0
    bare_page.emulate_media(reduced_motion="no-preference")
    stepper.press("ArrowRight")
    assert bare_page.evaluate("window.rode") == 2


# ---- strangers' input


HOSTILE = {
    "markup": '<img src=x onerror="window.pwned=1">',
    "long": "y" * 10_000,
    "directions": "a\u202eb\u200b\u2066c",
    "field": "{who}",
    "empty": "",
}


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_names_stay_text(bare_page, name):
    data = json.loads(json.dumps(sample("diamond")).replace('"d = c + a"', json.dumps(name)))
    for node in data["nodes"]:
        if node["var"] == "d":
            node["var"] = node["name"] = name
    for state in data["states"]:
        for sentence in state["say"]:
            sentence["args"] = {
                key: name if value == "d" else value for key, value in sentence["args"].items()
            }
    stepper = Stepper(bare_page, data)
    stepper.step(2)
    assert stepper.text() == stepper.record.text(2)
    stepper.root.locator('.box[data-node="n1"]').click(position={"x": 30, "y": 30})
    assert bare_page.evaluate("window.pwned") is None
    assert stepper.root.locator("img, script, iframe, a, foreignObject").count() == 0
    assert not re.search("[\u200b\u202e\u2066]", stepper.root.evaluate("ad => ad.textContent"))
    wide = "[document.documentElement.scrollWidth, innerWidth]"
    assert bare_page.evaluate(wide)[0] <= bare_page.evaluate(wide)[1]
    room = stepper.root.locator('.box[data-node="n1"] .body').bounding_box()
    line = stepper.root.locator('[data-words="n1"] .src').bounding_box()
    assert line is None or line["x"] + line["width"] <= room["x"] + room["width"]
    assert bare_page.errors == []


def test_formulas_are_rebuilt_from_allowed_elements_only(bare_page):
    data = sample("diamond")
    bad = (
        '<math xmlns="http://www.w3.org/1998/Math/MathML" onclick="pwned=1">'
        '<mi href="javascript:pwned=1" style="color:red">q</mi><maction>w</maction>'
        '<annotation-xml encoding="text/html"><b>no</b></annotation-xml>'
        '<mtext><script xmlns="http://www.w3.org/1999/xhtml">pwned=1</script></mtext></math>'
    )
    data["nodes"][0]["rules"][0]["mathml"] = bad
    data["nodes"][0]["rules"][1]["mathml"] = "<math><mi>broken"
    stepper = Stepper(bare_page, data)
    rules = stepper.root.locator(".sends .rule")
    assert rules.first.locator("math").evaluate(
        "math => [...math.querySelectorAll('*')].map(e => [e.localName, e.attributes.length])"
    ) == [["mi", 0], ["mtext", 0]]
    assert rules.nth(1).text_content() == "dL/dL * d"
    assert bare_page.evaluate("window.pwned") is None


def test_messages_that_do_not_fit_are_left_aside(stepper):
    for message in (
        None,
        3,
        {"type": "states"},
        {"type": "states", "from": 9, "states": [{}]},
        {"type": "x"},
    ):
        bare.receive(stepper.page, message)
    bare.set_trait(stepper.page, "position", 99)
    stepper.step()
    assert stepper.text() == stepper.record.text(1)


# ---- for everyone


@pytest.mark.parametrize("colours", ("light", "dark", "none"))
@pytest.mark.parametrize("name", RECORDS)
def test_no_rule_of_accessibility_is_broken(bare_page, name, colours):
    stepper = Stepper(bare_page, sample(name), colours=colours)
    stepper.step(2)
    assert axe(bare_page) == []
    screenshot(bare_page, f"stepper-{name}-{colours}", stepper.root)
    for control in ("Switches", "Explain", "Text form"):
        stepper.button(control).click()
        assert axe(bare_page) == [], control


@pytest.mark.parametrize("width", (900, 640, 420))
def test_narrow_views_keep_every_panel_inside_and_text_legible(bare_page, width):
    stepper = Stepper(bare_page, sample("linear"), width=width)
    stepper.step(4)
    edge = stepper.root.bounding_box()
    for panel in (".bar", ".time", ".picture", ".insp", ".legend", ".sends", ".row", ".gets"):
        for part in stepper.root.locator(panel).all():
            box = part.bounding_box()
            assert box["x"] + box["width"] <= edge["x"] + edge["width"] + 0.5, panel
    sizes = stepper.root.evaluate(
        "ad => [...ad.querySelectorAll('text, span, p, td, th, h3, h4, button')]"
        ".filter(e => e.textContent.trim()).map(e => parseFloat(getComputedStyle(e).fontSize))"
    )
    assert min(sizes) >= 11
    assert "scale(1)" in stepper.root.locator("svg.g > g").get_attribute("transform")


def test_two_views_on_a_page_share_no_id(bare_page):
    stepper = Stepper(bare_page, sample("diamond"))
    bare_page.evaluate(
        """async source => {
          const blob = new Blob([source], {type: "text/javascript"});
          const widget = (await import(URL.createObjectURL(blob))).default;
          const el = document.createElement("div"); document.body.append(el);
          widget.render({model: window.model, el}); }""",
        (STATIC / "stepper.js").read_text(encoding="utf-8"),
    )
    stepper.serve()
    stepper.page.locator(".ad").first.get_by_role("button", name="Step", exact=True).click()
    stepper.serve()
    counts = bare_page.locator(".ad .count").all_text_contents()
    assert counts == ["1 of 5 steps"] * 2
    ids = bare_page.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids))
