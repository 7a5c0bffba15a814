"""The static picture: well-formed, complete, and safe with any name."""

import re
from xml.etree import ElementTree

import pytest

import autodidact as torch
from autodidact import trace
from autodidact.trace import svg_parts
from autodidact.trace.plain import who
from autodidact.trace.record import Record
from tests.trace import samples
from tests.trace.test_text import HOSTILE

SVG = "{http://www.w3.org/2000/svg}"
ALLOWED = {
    "svg",
    "title",
    "desc",
    "style",
    "defs",
    "marker",
    "symbol",
    "g",
    "path",
    "rect",
    "use",
    "text",
    "circle",
}


def texts(tree):
    return [element.text for element in tree.iter(f"{SVG}text")]


@pytest.mark.parametrize("name", samples.ALL)
def test_every_state_is_well_formed_and_complete(name):
    made = Record(*samples.ALL[name]())
    for step in range(len(made)):
        tree = ElementTree.fromstring(made.svg(step))
        assert {element.tag.removeprefix(SVG) for element in tree.iter()} <= ALLOWED
        lanes = [path.get("class") for path in tree.iter(f"{SVG}path")]
        assert sum(kind is not None and kind.startswith("back ") for kind in lanes) >= len(
            made.head["edges"]
        )
        groups = [g for g in tree.iter(f"{SVG}g") if (g.get("class") or "").startswith("is-")]
        assert len(groups) == len(made.layout()["boxes"])
        assert made.svg(step) == made.svg(step)


def test_what_the_diamond_shows_after_two_steps():
    tree = ElementTree.fromstring(Record(*samples.diamond().record_parts()).svg(2))
    shown = texts(tree)
    for words in (
        "c = a * b",
        "MulBackward0 #2",
        "2 kept",
        "2 freed",
        "saves none",
        "= 16",
        "48",
        "32",
        "1 of 2 received",
        "0 of 1 received",
        "same leaf",
        "start: dL/dL = 1",
    ):
        assert words in shown
    assert "d sent 16 to c and 16 to a." in tree.find(f"{SVG}desc").text


def test_a_failed_node_says_that_nothing_was_sent():
    tree = ElementTree.fromstring(Record(*samples.inplace().record_parts()).svg())
    assert "nothing sent" in texts(tree)
    assert "2 stale" in texts(tree)
    kinds = [path.get("class") for path in tree.iter(f"{SVG}path")]
    assert kinds.count("back cut") == 2


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_stays_text(name):
    head, states = samples.diamond().record_parts()
    for node in head["nodes"]:
        node["source"] = node["var"] = node["name"] = name
    head["root"] = name
    states[2]["say"] = [{"id": "step.next", "args": {"who": name}}]
    picture = Record(head, states).svg(2)
    tree = ElementTree.fromstring(picture)
    assert {element.tag.removeprefix(SVG) for element in tree.iter()} <= ALLOWED
    assert not any(key.startswith("on") for element in tree.iter() for key in element.attrib)
    assert "\u202e" not in picture
    assert all(len(text) < 60 for text in texts(tree))


def test_text_fits_its_card():
    """By the same estimate of widths that the picture is drawn with, for every sample and state."""
    widths = {"src": 7.9, "val": 7.0, "sub": 6.3}
    for name in samples.ALL:
        made = Record(*samples.ALL[name]())
        boxes = made.layout()["boxes"]
        tree = ElementTree.fromstring(made.svg(1))
        for box, group in zip(
            boxes,
            (g for g in tree.iter(f"{SVG}g") if g.get("class", "").startswith("is-")),
            strict=True,
        ):
            for text in group.iter(f"{SVG}text"):
                kind = text.get("class").split()[0]
                wide = widths[kind] * len(text.text)
                start = float(text.get("x"))
                start -= wide if kind == "val" or "end" in text.get("class") else 0
                start -= wide / 2 if "mid" in text.get("class") else 0
                assert start >= box["x"] + 4
                assert start + wide <= box["x"] + box["w"] - 4


def test_no_address_outside_is_asked_for():
    picture = Record(*samples.diamond().record_parts()).svg(2)
    assert not re.findall(r"https?://(?!www\.w3\.org)", picture)
    assert "url(#" in picture and "@import" not in picture


def test_the_style_reads_as_css_and_every_class_has_a_rule():
    style = svg_parts.STYLE
    rules = re.findall(r"([^{}]+)\{([^{}]+)\}", style)
    assert re.sub(r"[^{}]+\{[^{}]+\}", "", style).strip() == ""
    assert all(
        re.fullmatch(r"[a-z-]+:[^:]+", each.strip())
        for _, body in rules
        for each in body.split(";")
        if each.strip()
    )
    styled = {name for selectors, _ in rules for name in re.findall(r"\.([a-z][\w-]*)", selectors)}
    used = set()
    for name in samples.ALL:
        made = Record(*samples.ALL[name]())
        for step in range(len(made)):
            tree = ElementTree.fromstring(made.svg(step))
            used |= {
                word for element in tree.iter() for word in (element.get("class") or "").split()
            }
    plain = {"is-waiting", "is-done", "is-ready", "is-next", "is-failed", "g", "sent", "body"}
    assert used - plain <= styled
    assert {"ground", "full", "soon", "cut", "later"} <= used


def test_the_second_graph_stands_beside_the_first():
    x = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    with trace.recording():
        L = x ** 3
    made = trace.record(L, create_graph=True)
    second = made.state(-1)["second"]
    names = {node["id"]: who(node) for node in made.head["nodes"]}
    tree = ElementTree.fromstring(made.svg())
    cards = [g for g in tree.iter(f"{SVG}g") if g.get("class") == "made"]
    assert len(cards) == len(second) > 2
    for card, each in zip(cards, second.values(), strict=True):
        source, value, about = (element.text for element in card.iter(f"{SVG}text"))
        assert source == each["text"] and value == each["value"]["text"]
        assert about == f"{each['name']} ← {names[each['by']]}"
    lines = [path.get("class") for path in tree.iter(f"{SVG}path")]
    assert lines.count("tie") == len(second)
    joined = sum(key in second for each in second.values() for key in each["to"])
    assert lines.count("fwd") == joined + len(made.head["edges"]) + 1     # and that of the key
    _, top, width, height = map(float, tree.get("viewBox").split())
    for card in cards:
        box = card.find(f"{SVG}rect")
        assert float(box.get("x")) + float(box.get("width")) <= width
        assert top <= float(box.get("y")) - 10 and float(box.get("y")) < top + height
    before = ElementTree.fromstring(made.svg(0))
    assert float(before.get("width")) < width and "Second graph" not in texts(before)


def test_cuts_and_ended_ways_are_marked():
    x = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    with trace.recording():
        late = x.detach() * 2
        L = Once.apply(x) * late + x ** 2
    made = trace.record(L, create_graph=True)
    first, last = (ElementTree.fromstring(made.svg(step)) for step in (0, -1))
    kinds = [path.get("class") for path in last.iter(f"{SVG}path")]
    assert kinds.count("cut-mark") == 2 == kinds.count("end-mark")
    assert "no link" in texts(last) and "late: way ends" in texts(last)
    assert "no link" not in texts(first) and "late: way ends" in texts(first)
    assert "нет связи" in texts(ElementTree.fromstring(made.svg(-1, "ru")))


class Once(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 3

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad):
        return grad * 3
