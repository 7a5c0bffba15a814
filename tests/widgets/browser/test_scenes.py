"""The scenes of one pass, W01 to W10, in a real JupyterLab: the law, and what each is to show."""

import re

import pytest

pytest.importorskip("playwright")

from playwright.sync_api import expect

from tests.widgets.browser.law import lawful
from tests.widgets.browser.one_scene import OneScene, scenes_page
from tests.widgets.browser.scene_programs import FIRST, PASSES


@pytest.fixture(scope="module")
def lab(browser, server):
    """Their notebook; each test runs its own program anew."""
    codes = [program.code for program in PASSES.values()]
    with scenes_page(browser, server, "scenes.ipynb", codes, FIRST) as page:
        yield page


def scene_of(lab, name):
    """The scene of this name, its program run."""
    return OneScene(lab, list(PASSES).index(name))


@pytest.mark.parametrize("name", PASSES)
def test_the_law(lab, name):
    program = PASSES[name]
    lawful(scene_of(lab, name), name, program.trace, program.at)


def test_w01_every_part_has_a_name_and_one_sentence(lab):
    scene = scene_of(lab, "W01")
    scene.root.get_by_role("button", name="Explain the parts of this view").focus()
    lab.keyboard.press("Enter")
    tour, said = scene.root.locator(".tour"), []
    expect(tour).to_be_visible()
    for number in range(1, 13):
        expect(tour).to_contain_text(f"{number} of 12")
        expect(scene.root.locator(".is-lit")).to_have_count(1)
        said.append(tour.locator("p").text_content())
        lab.keyboard.press("Enter")                              # the focus is on Next
    assert len(set(said)) == 12 and all(re.match(r"[\w ]+\. \w.*\.$", each) for each in said)
    named = ".bar button, .bar select, .box, .time li button"
    assert scene.root.locator(named).evaluate_all(
        "all => all.filter(e => !(e.getAttribute('aria-label') || e.textContent.trim()))") == []
    pointed = scene.root.locator(".picture .lane > title, .picture .slot > title")
    assert pointed.count() >= 6 and all(text.strip() for text in pointed.all_text_contents())
    scene.text_form(True)
    assert scene.words().endswith("\n".join(said))


def test_w04_a_gradient_shrinks_to_a_bias(lab):
    scene = scene_of(lab, "W04")
    scene.stepped(2)
    expect(scene.root.locator(".gets").first).to_contain_text("(2, 2)")
    assert scene.root.locator(".sum-mark > title").all_text_contents() == ["sum over rows"]
    expect(scene.root.locator('.sends', has_text="bias")).to_contain_text("sum over rows")
    expect(scene.root.locator(".legend")).to_contain_text("summed on the way")
    scene.stepped(1)
    expect(scene.root.locator(".insp h3")).to_have_text("bias")
    expect(scene.root.locator(".gets").first).to_contain_text("(2,)")
    assert "[1, 1]" in scene.root.locator(".picture .slot.full + text").all_text_contents()
    scene.text_form(True)
    assert "[1, 1] from (x @ W) + bias" in scene.words()
    assert "ready" in scene.boxes()["x @ W"]                      # bias runs before it


def test_w05_who_is_ready_and_how_much_the_others_wait_for(lab):
    scene = scene_of(lab, "W05")
    assert "0 of 2" in scene.boxes()["a"]
    scene.stepped(2)
    assert "1 of 2" in scene.boxes()["a"]
    expect(scene.root.locator(".say")).to_contain_text("c runs next; a waits for one more")
    why = scene.root.locator(".insp > .sub").last
    expect(why).to_have_text("Next because no other node is ready.")
    scene.stepped(1)
    expect(scene.root.locator(".insp h3")).to_have_text("a")
    assert "ready, 1 of 1" in scene.boxes()["b"]
    expect(why).to_have_text("Next because a leaf that has received everything runs at once.")
    chain = scene_of(lab, "W06")
    chain.stepped(9)
    expect(chain.root.locator(".insp h3")).to_have_text("x")     # made before h * u, but a leaf
    assert any("h * u" in name and ", ready," in told for name, told in chain.boxes().items())


def test_w05_of_two_ready_nodes_the_one_made_last(lab):
    scene = scene_of(lab, "W05-two")
    scene.stepped(1)
    expect(scene.root.locator(".insp h3")).to_have_text("q = a * 3")
    expect(scene.root.locator(".insp > .sub").last).to_have_text(
        "Next because of all ready nodes it was made last in forward.")
    assert "ready, 1 of 1" in scene.boxes()["p = a * 2"]


def test_w06_gradients_meet_in_a_slot(lab):
    scene = scene_of(lab, "W05")
    leaf = scene.root.locator(".leaves tbody tr").first
    scene.stepped(2)
    assert leaf.inner_text().split()[2:6] == ["16", "+", "1", "of"]
    scene.stepped(1)
    assert " ".join(leaf.inner_text().split()).startswith("a 2 16 + 48 = 64 2 of 2 None")
    unused = scene_of(lab, "W06-unbind")
    unused.stepped(1)
    expect(unused.root.locator(".picture .slot.ghost").first).to_contain_text("was not used")
    expect(unused.root.locator(".picture .n.nil")).to_have_text("None")


def test_w07_who_writes_grad_and_into_which_tensor(lab):
    scene = scene_of(lab, "W07")
    scene.stepped(3)
    assert scene.grads_now() == ["24 same object"]
    expect(scene.root.locator(".say")).to_contain_text(
        "x.grad was 12; 12 is added, now it is 24, in the same tensor.")
    made = scene_of(lab, "W07-graph")
    made.stepped(3)
    assert made.grads_now() == ["24 new object"]
    given = scene_of(lab, "W07-given")
    given.stepped(2)
    assert given.grads_now() == ["[1, 1, 1] new object, shares memory with gradient"]


def test_w07_how_a_gradient_lies_in_memory(lab):
    scene = scene_of(lab, "W07-strides")
    scene.stepped(4)
    assert [words.partition("strides ")[2] for words in scene.grads_now()] == [
        "(1, 3), as the leaf's", "(2, 1); the leaf's are (4, 1)"]


def test_w08_what_each_node_keeps(lab):
    scene = scene_of(lab, "W08")
    kept = {name: told.split(", ")[-1] for name, told in scene.boxes().items()}
    assert kept["squares = x * x"] == "2 kept" and kept["positive = squares.relu()"] == "1 kept"
    assert kept["more = positive + 1"] == "saves none" and kept["more @ fixed"] == "1 kept"
    scene.root.get_by_role("option", name="squares = x * x").click()
    expect(scene.root.locator(".saved-part")).to_contain_text("2 entries, one storage, 32 B")
    scene.stepped(2)
    scene.root.get_by_role("option", name="more @ fixed, MmBackward0").click()
    row = scene.root.locator(".row.saved")
    expect(row).to_have_count(1)                                 # not more: fixed needs no gradient
    expect(row).to_contain_text("fixed")
    expect(row.locator(".state")).to_have_text("freed")


def test_w09_the_bytes_rise_and_fall(lab):
    scene = scene_of(lab, "W09")
    scene.focus()
    lab.keyboard.press("m")
    curve = expect(scene.root.locator(".mem-box"))
    size = scene.root.locator(".mem-sum.num")
    bytes_kept = []
    for done in range(12):
        curve.to_have_attribute("aria-label", re.compile(rf"\b{size.inner_text()} B"))
        bytes_kept.append(int(size.inner_text()))
        mine = scene.root.locator(".mem-row.is-mine")
        if done == 2:
            assert mine.count() == 2                             # what the next node has kept
        scene.text_form(True)
        assert f"{bytes_kept[-1]} B" in scene.words().splitlines()[-1]
        scene.text_form(False)
        if done < 11:
            scene.focus()
            lab.keyboard.press("ArrowRight")
            expect(scene.root.locator(".count")).to_contain_text(f"{done + 1} of 11")
    assert bytes_kept == sorted(bytes_kept, reverse=True) and bytes_kept[-1] == 0


def test_w10_freed_before_the_next_node_starts(lab):
    scene = scene_of(lab, "W10")
    scene.stepped(1)
    scene.root.get_by_role("option", name="one = part * 1").click()
    expect(scene.root.locator(".row.saved .state")).to_have_text("freed")
    assert "2 kept" in scene.boxes()["part = x * x"]
