"""The exported page: one file, no network, replays the record; hostile names stay text."""

import re

import pytest

pytest.importorskip("playwright")

from autodidact_widgets import compare, film, show
from playwright.sync_api import expect

import autodidact as torch
from autodidact import trace
from tests.widgets.browser.accessible import axe
from tests.widgets.browser.jupyter import run_page
from tests.widgets.browser.live import Live

EVIL = "</script><img src=x onerror=\"window.__pwn=1\"><!--<script>window.__pwn=1</script>\u2028'\\"


def record():
    a = torch.tensor(2.0, dtype=torch.double, requires_grad=True)
    b = torch.tensor([3.0] * 70, dtype=torch.double, requires_grad=True)
    with trace.recording():
        c = a * b
        L = (c * c).sum()
    return trace.record(L)


@pytest.fixture
def lonely(browser):
    """A page that notes every request it makes."""
    with run_page(browser, offline=True) as page:
        page.asked = []
        page.on("request", lambda request: page.asked.append(request.url))
        yield page


def open_page(page, text, folder):
    path = folder / "page.html"
    path.write_text(text, encoding="utf-8")
    page.goto(path.as_uri())
    expect(page.locator(".ad .bar")).to_be_visible()
    return page.locator(".ad")


def shown(root):
    root.get_by_role("button", name="Text form").click()
    text = root.locator(".textform").text_content()
    root.get_by_role("button", name="Text form").click()
    return text


def test_a_page_replays_every_state_without_network(lonely, tmp_path):
    made = record()
    root = open_page(lonely, made.html(0), tmp_path)
    for step in range(len(made)):
        assert shown(root) == made.text(step)
        lonely.keyboard.press("ArrowRight")
    lonely.keyboard.press("Home")
    assert shown(root) == made.text(0)
    lonely.keyboard.press("m")
    assert shown(root) == made.memory().text(0)
    assert root.get_by_role("button", name="Save").count() == 0
    assert lonely.errors == [] and len(lonely.asked) == 1
    assert axe(lonely) == []


def test_hostile_names_stay_text_in_a_page(lonely, tmp_path):
    made = record()
    for node in made.head["nodes"]:
        node["var"] = node["source"] = node["label"] = EVIL
    made.head["root"] = EVIL
    text = made.html(0)
    assert text.lower().count("</script") == 2           # the data's own and the bundle's
    root = open_page(lonely, text, tmp_path)
    lonely.keyboard.press("End")
    assert EVIL.split("\u2028")[0] in shown(root)
    assert lonely.evaluate("window.__pwn") is None
    assert lonely.locator("img").count() == 0 and lonely.errors == []


def test_the_policy_lets_no_other_script_run(lonely, tmp_path):
    text = record().html().replace("<main", "<script>window.__pwn = 1</script><main")
    lonely.goto(write(tmp_path, text))
    assert lonely.evaluate("window.__pwn") is None


def write(folder, text):
    (folder / "other.html").write_text(text, encoding="utf-8")
    return (folder / "other.html").as_uri()


def test_runs_side_by_side_have_a_page_too(lonely, tmp_path):
    x = torch.tensor(2.0, requires_grad=True)
    both = compare(show(x * 2), show(x * 3))
    both.finish()
    root = open_page(lonely, both.html(), tmp_path)
    assert shown(root) == both.text()
    lonely.keyboard.press("Home")
    assert shown(root) == both.text(0) and lonely.errors == []


@pytest.mark.parametrize("kind", ["html", "svg", "json"])
def test_the_button_saves(bare_page, kind):
    x = torch.tensor(2.0, requires_grad=True)
    stepper = show(x * x)
    live = Live(bare_page, stepper)
    live.click("Save")
    name = {"html": "HTML page", "svg": "SVG picture", "json": "JSON record"}[kind]
    with bare_page.expect_download() as download:
        live.root.get_by_role("button", name=re.compile(name)).click()
        live.serve()
    assert download.value.suggested_filename == f"backward-pass.{kind}"
    text = download.value.path().read_text(encoding="utf-8")
    if kind == "json":
        assert trace.Record.from_json(text).text() == stepper.text()
    assert text == stepper._file(kind) and bare_page.errors == []


def test_a_film_plays_in_a_page_without_network(lonely, tmp_path):
    model = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    training = film(model, every=2)
    for _ in range(3):
        with training:
            optimizer.zero_grad()
            loss = model(torch.ones(4, 2)).square().mean()
            loss.backward()
            optimizer.step()
    shot = training.show()
    root = open_page(lonely, training.html(), tmp_path)
    for position in range(shot.count):
        assert shown(root) == shot.text(position)
        lonely.keyboard.press("ArrowRight")
    assert root.get_by_role("button", name="Save").count() == 0
    assert lonely.errors == [] and len(lonely.asked) == 1
    assert axe(lonely) == []


def test_a_film_is_saved_from_its_bar(bare_page):
    model = torch.nn.Linear(2, 1)
    training = film(model)
    with training:
        model(torch.ones(4, 2)).square().mean().backward()
    stepper = training.show()
    live = Live(bare_page, stepper)
    with bare_page.expect_download() as saved:
        live.click("Save the film as an HTML page")
    assert saved.value.suggested_filename == "training-film.html"
    assert saved.value.path().read_text(encoding="utf-8") == stepper.html()
    sent = []
    stepper.send = lambda message, buffers=None: sent.append(message)
    stepper._receive(stepper, {"type": "save", "what": "svg"}, None)
    assert sent[-1]["type"] == "refused"                 # there is no picture of one state
