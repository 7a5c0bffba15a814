"""The text form: the same facts as the picture, word for word what it was yesterday."""

import pathlib

import pytest

from autodidact.trace.record import Record
from tests.trace import samples

GOLDEN = pathlib.Path(__file__).with_name("golden")
SHOWN = [
    ("diamond", 0),
    ("diamond", 2),
    ("diamond", 5),
    ("linear", 2),
    ("linear", 6),
    ("inplace", 0),
    ("inplace", 2),
    ("unbind", 1),
    ("rnn", 6),
    ("rnn", 12),
]
HOSTILE = [
    "<script>alert(1)</script>",
    "</text><b>",
    "a & \"b\" 'c'",
    "two\nlines",
    "x" * 10_000,
    "a\u202eb\u2066c",
    "%s{0}",
    "-->",
    "]]>",
    "变量",
]


@pytest.mark.parametrize("name, step", SHOWN)
def test_the_text_is_as_agreed(name, step):
    """`python -m tests.trace.write_golden` writes the files anew; look at the difference."""
    wanted = (GOLDEN / f"{name}_{step}.txt").read_text(encoding="utf-8")
    assert Record(*samples.ALL[name]()).text(step) == wanted


def test_the_diamond_reads_as_the_mock_does():
    text = Record(*samples.diamond().record_parts()).text(2)
    for line in (
        "backward pass of L                                   2 of 5 steps done, paused",
        "> 3       c = a * b   MulBackward0     16           next          self a, other b   kept",
        "  4       a           AccumulateGrad   16 + ...     waiting 1/2",
        "to a  dL/dc * b = 16 * 3 = 48    a then holds 16 + 48 = 64, 2/2",
        "a      2       16, 1/2    None           None",
        "  d sent 16 to c   (1/1, c is ready)",
    ):
        assert line in text


@pytest.mark.parametrize("name", samples.ALL)
def test_every_state_tells_every_node_and_no_more_than_it_knows(name):
    made = Record(*samples.ALL[name]())
    for step in range(len(made)):
        text = made.text(step)
        assert text.endswith("\n") and not text.endswith("\n\n")
        assert "0x" not in text
        for node in made.head["nodes"]:
            assert node["name"] in text
        assert text == made.text(step)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_stays_one_line_of_text(name):
    head, states = samples.diamond().record_parts()
    before = len(Record(head, states).text(2).splitlines())
    for node in head["nodes"]:
        node["source"] = node["var"] = name
    head["root"] = name
    text = Record(head, states).text(2)
    assert len(text.splitlines()) == before
    assert "\u202e" not in text
    table = [line for line in text.splitlines() if "AddBackward0" in line]
    assert all(len(line) < 200 for line in table)


def test_what_is_unknown_shows_as_a_dash():
    head, states = samples.diamond().record_parts()
    head["recorded"] = False
    for node in head["nodes"]:
        node["source"] = node["where"] = None
        node["value"] = node["value"] if node["kind"] == "leaf" else None
        node["var"] = node["var"] if node["kind"] == "leaf" else None
    text = Record(head, states).text(2)
    assert "MulBackward0 #2 sent" not in text
    assert "AddBackward0 #1 sent 16 to a" in text
    assert "without recording" in text


def test_options_and_sharing_are_told():
    head, states = samples.diamond().record_parts()
    head["options"] |= {"retain_graph": True, "inputs": ["a"]}
    states[0]["grads"]["n3"]["shares"] = "gradient"
    text = Record(head, states).text(0)
    assert "backward pass of L, retain_graph=True and only for a" in text
    assert "shares memory with gradient" in text


def test_another_language():
    text = Record(*samples.diamond().record_parts()).text(2, language="ru")
    assert "backward pass" not in text
    assert "c = a * b" in text
