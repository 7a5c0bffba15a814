"""A long time line has brackets: the module, or the learner's function, that each stretch is in."""

import pytest

pytest.importorskip("playwright")

from autodidact_widgets import show
from playwright.sync_api import expect

import autodidact as torch
import autodidact.nn as nn
from autodidact import trace
from tests.widgets.browser.accessible import axe
from tests.widgets.browser.jupyter import screenshot
from tests.widgets.browser.live import Live


def small():
    model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))
    return show(lambda: model(torch.ones(2, 3)).square().mean(), module=model)


def transformer():
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
    model = nn.Sequential(nn.Embedding(11, 8), layer, nn.Linear(8, 11))
    tokens = torch.randint(0, 11, (2, 7))

    def loss():
        return nn.functional.cross_entropy(model(tokens).reshape(-1, 11), tokens.reshape(-1))
    return show(loss, module=model)


def brackets(live):
    """[name, first step, last step] of every bracket, as a screen reader has it."""
    found = []
    for words in live.root.locator(".time .part .unseen").all_text_contents():
        name, _, steps = words.partition(": steps ")
        first, _, last = steps.partition(" to ")
        found.append((name, int(first), int(last)))
    return found


def told(stepper):
    """The same from the record: neighbours in one module; a leaf belongs to who sends to it."""
    head = stepper.record.head
    nodes = {node["id"]: node for node in head["nodes"]}
    sender = {edge["to"]: edge["from"] for edge in reversed(head["edges"])}
    found = []
    for step, node in enumerate(head["nodes"], 1):
        inside = nodes[sender[node["id"]]] if node["kind"] == "leaf" else node
        if found and found[-1][0] == inside["module"]:
            found[-1][2] = step
        else:
            found.append([inside["module"], step, step])
    return [tuple(each) for each in found if each[0] is not None]


@pytest.mark.parametrize("colours", ("light", "dark"))
def test_a_transformers_time_line_has_its_modules(bare_page, colours):
    stepper = transformer()
    live = Live(bare_page, stepper, colours=colours)
    assert brackets(live) == told(stepper) and len(told(stepper)) > 6
    for _ in range(20):
        live.click("Step")
    here = live.root.locator(".time .part.is-here")
    expect(here).to_have_count(1)
    at = next(each for each in told(stepper) if each[1] <= 21 <= each[2])
    expect(here).to_contain_text(at[0].rpartition(".")[2])
    assert live.text() == stepper.text()
    rows = stepper.text().split("parts of the pass\n")[1].split("\n\n")[0].split("\n")[1:]
    assert [row.split() for row in rows] == [
        [path, str(first), "to", str(last)] for path, first, last in told(stepper)]
    assert axe(bare_page) == []
    screenshot(bare_page, f"time-parts-{colours}", live.root)
    assert bare_page.errors == []


def test_a_short_time_line_and_one_without_modules_have_none(bare_page):
    x = torch.tensor(2.0, requires_grad=True)
    for stepper in (show(x * x), show(chain(x))):
        live = Live(bare_page, stepper)
        expect(live.root.locator(".time .parts")).to_have_count(0)
    live = Live(bare_page, small())
    expect(live.root.locator(".time .part")).to_have_count(5)


def chain(y):
    for _ in range(20):
        y = torch.sin(y)
    return y


def block(x):
    return torch.relu(x @ x) * 1.1 + x


def test_functions_have_brackets_of_their_own_and_never_too_many(bare_page):
    for count in (8, 40):
        with trace.recording():
            x = torch.ones(2, 2, requires_grad=True)
            for _ in range(count):
                x = block(x)
            loss = x.sum()
        live = Live(bare_page, show(loss))
        found = brackets(live)
        assert len(found) == (8 if count == 8 else 0)        # 40 would be dust
        assert all(name == "block" and last - first >= 3 for name, first, last in found)
    assert bare_page.errors == []
