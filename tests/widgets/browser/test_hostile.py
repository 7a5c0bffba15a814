"""Hostile names and values in every view and in the exported page: text, and nothing else."""

import pytest

pytest.importorskip("playwright")

from autodidact_widgets import show
from playwright.sync_api import expect

import autodidact as torch
from tests.widgets.browser.jupyter import run_page
from tests.widgets.browser.live import Live
from tests.widgets.browser.test_accessible import VIEWS

EVIL = ("<img src=x onerror=\"window.__pwn=1\"></text></script>"
        "<script>window.__pwn=1</script>\u202e'\\")
MARKUP = "() => document.querySelectorAll('.ad img, .ad script, .ad iframe, .ad object').length"


def spoil(driver):
    """Every name and place that a graph's record has becomes the hostile text."""
    if hasattr(driver, "film"):
        spoil_film(driver)
        return
    records = [run[0].record for run in driver.runs] if hasattr(driver, "runs") else [driver.record]
    for record in records:
        for node in record.head["nodes"]:
            node |= {"var": EVIL, "source": EVIL, "label": EVIL, "module": f"a.{EVIL}"}
            node["where"] = {"cell": None, "line": 3, "file": EVIL}
            for entry in node["saved"]:
                entry |= {"var": EVIL, "name": EVIL}
            for rule in node["rules"]:
                rule |= {"latex": None, "mathml": f"<math><mi>{EVIL}</mi></math>", "text": EVIL}
        record.head["root"] = EVIL
        for state in record.states:
            state["say"] = [{"id": "step.next", "args": {"who": EVIL}}]
    for run in getattr(driver, "runs", ()):
        run[0].recorder.subject.called = None
    if hasattr(getattr(driver, "recorder", None), "subject"):
        driver.recorder.subject.called = None
    if hasattr(driver, "comparison"):
        driver.head["labels"][:] = [EVIL, "b"]


def is_text(page):
    """Nothing of it has run, and none of it has become an element."""
    assert page.evaluate("window.__pwn") is None
    assert page.evaluate(MARKUP) == 0
    assert page.errors == []


def spoil_film(driver):
    """The same of a film: its parameters, and who is told of in its moments."""
    for layer in driver.film.layers:
        layer["name"] = EVIL
    for frame in driver.film.frames:
        for moment in frame["moments"] or ():
            moment |= {"who": EVIL} | ({"source": EVIL} if "source" in moment else {})
    driver.__init__(driver.film)


@pytest.mark.parametrize("name", VIEWS)
def test_names_stay_text_in_every_view(bare_page, name):
    make, do = VIEWS[name]
    widget = make()
    spoiled = widget._driver
    spoil(spoiled)
    widget._head = widget._wire()
    live = Live(bare_page, widget)
    if do:
        do(live)
    is_text(bare_page)
    shown = live.root.inner_text() + "".join(
        live.root.locator("[aria-label]").evaluate_all("all => all.map(e => e.ariaLabel)"))
    assert "\u202e" not in shown
    if widget._driver is spoiled:                        # a repaired program has a record anew
        assert "<img src=x" in shown


def hostile_program():
    """Names that a program itself can choose: a hook's, a Function's, an exception's text."""
    def forward(ctx, x):
        return x * 2

    def backward(ctx, grad):
        raise ValueError(EVIL)

    Function = type(EVIL, (torch.autograd.Function,), {
        "forward": staticmethod(forward), "backward": staticmethod(backward)})
    x = torch.tensor(2.0, requires_grad=True)
    y = Function.apply(x)
    z = y * y

    def hook(grad):
        return grad * 3
    hook.__name__ = EVIL
    z.register_hook(hook)
    return show(z * 1.0)


def test_what_a_program_chooses_stays_text_and_reaches_the_text_form(bare_page):
    stepper = hostile_program()
    live = Live(bare_page, stepper)
    for _ in range(3):
        live.root.locator(".btn.main").click()
        live.serve()
    expect(live.root.locator(".notice.bad, .notice").first).to_contain_text("<img src=x")
    assert "<img src=x" in live.text()
    is_text(bare_page)


@pytest.mark.parametrize("name", ["stepper", "groups", "compare"])
def test_an_exported_page_keeps_them_text(browser, tmp_path, name):
    widget = VIEWS[name][0]()
    spoil(widget._driver)
    widget.finish()
    made = widget.html() if name == "compare" else widget.record.html(1)
    assert made.lower().count("</script") == 2
    file = tmp_path / "page.html"
    file.write_text(made, encoding="utf-8")
    with run_page(browser, offline=True) as page:
        page.goto(file.as_uri())
        expect(page.locator(".ad .bar")).to_be_visible()
        page.keyboard.press("Tab")
        for key in ("ArrowRight", "t", "t", "m", "End"):
            page.keyboard.press(key)
        assert "<img src=x" in page.locator(".ad").inner_text()
        is_text(page)


@pytest.mark.parametrize("message", [
    None, 3, "states", [], {}, {"type": "states"}, {"type": "states", "from": -1, "states": [{}]},
    {"type": "states", "from": 10**9, "states": [{}]}, {"type": "states", "from": 0, "states": 7},
    {"type": "layout"}, {"type": "layout", "group": "g0", "layout": None},
    {"type": "refused", "say": "x"}, {"type": "refused", "say": [{"id": EVIL, "args": {}}]},
    {"type": EVIL}, {"type": "file"},
], ids=str)
def test_what_a_kernel_should_not_send_is_left_aside(bare_page, message):
    stepper = VIEWS["groups"][0]()
    live = Live(bare_page, stepper)
    for _ in range(2):
        bare_page.evaluate("message => window.model.fire('msg:custom', message, [])", message)
    live.click("Step")
    assert live.text() == stepper.text()
    is_text(bare_page)
