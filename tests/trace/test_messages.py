"""The catalogue: every id that is used exists, both languages say the same, sentences read well."""

import json
import pathlib
import re

import pytest

from autodidact.trace import messages, plain
from autodidact.trace.messages import catalogue, paragraph, say

TRACE = pathlib.Path(messages.__file__).parent
USED = re.compile(
    r"""["'](?=[a-z_]+\.)((?:step|error|title|text|event|status|saved|role|count|refused)\.[a-z_.]+)["']"""
)


def fields(entry):
    texts = [entry] if isinstance(entry, str) else [v for k, v in entry.items() if k != "count"]
    return {field for text in texts for field in re.findall(r"\{(\w+)\}", text)} | (
        set() if isinstance(entry, str) else {entry["count"]}
    )


def test_sentences_after_a_step():
    sent = [["16", "c"], ["16", "a"]]
    waits = {"who": "c", "waiting": [["a", 1]]}
    assert say("step.sent", {"who": "d", "what": sent}) == "d sent 16 to c and 16 to a."
    assert say("step.next_waits", waits) == "c runs next; a waits for one more."
    both = {"who": "c", "waiting": [["a", 1], ["b", 2]]}
    assert (
        say("step.next_waits", both) == "c runs next; a waits for one more and b waits for 2 more."
    )
    assert paragraph(
        [
            {"id": "step.sent", "args": {"who": "d", "what": sent}},
            {"id": "step.next_waits", "args": waits},
        ]
    ) == ("d sent 16 to c and 16 to a. c runs next; a waits for one more.")


@pytest.mark.parametrize(
    "items, text",
    [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c", "d"], "a, b, c and d")],
)
def test_lists_are_joined_as_prose(items, text):
    assert say("step.sent", {"who": "x", "what": items}) == f"x sent {text}."


def test_none_is_a_word():
    assert say("step.sent", {"who": "q", "what": [[None, "x"]]}) == "q sent None to x."


def test_numbers_decide_the_wording():
    assert say("step.freed", {"who": "L", "n": 1, "bytes": "8 B"}).startswith(
        "L let go of its saved tensor,"
    )
    assert "2 saved tensors" in say("step.freed", {"who": "L", "n": 2, "bytes": "16 B"})
    assert say("error.stops_none", {"what": ["x.grad"]}).endswith("x.grad stays None.")
    assert say("error.stops_none", {"what": ["x.grad", "w.grad"]}).endswith(
        "x.grad and w.grad stay None."
    )


def test_russian_has_three_forms():
    entry = {"count": "n", "one": "1", "few": "2", "other": "5"}
    forms = {n: messages._form(n, entry, "ru") for n in (1, 2, 5, 11, 12, 21, 22, 25, 111, 114)}
    assert forms == {
        1: "one",
        2: "few",
        5: "other",
        11: "other",
        12: "other",
        21: "one",
        22: "few",
        25: "other",
        111: "other",
        114: "other",
    }


def test_a_record_cannot_break_the_words():
    assert say("step.of_tomorrow", {}) == "[step.of_tomorrow]"
    assert say("step.sent", {}) == "- sent -."
    assert (
        say("step.sent", {"who": "{what}", "what": ["{who.__class__}"]})
        == "{what} sent {who.__class__}."
    )


def test_every_id_in_the_code_is_in_the_catalogue():
    known = set(catalogue("en"))
    used = {
        (path.name, name)
        for path in TRACE.glob("*.py")
        for name in USED.findall(path.read_text(encoding="utf-8"))
    }
    assert len(used) > 30
    assert not sorted((path, name) for path, name in used if name not in known)


def test_words_that_are_put_together_are_there_too():
    known = catalogue("en")
    for status in ("waiting", "ready", "next", "done", "failed", "skipped"):
        assert f"status.{status}" in known
    for state in ("kept", "freed", "stale", "packed"):
        assert f"saved.{state}" in known
        assert f"count.{state}" in known


def test_the_languages_hold_the_same_entries_with_the_same_fields():
    english = json.loads((TRACE / "messages" / "en.json").read_text(encoding="utf-8"))
    russian = json.loads((TRACE / "messages" / "ru.json").read_text(encoding="utf-8"))
    kinds = ("step", "error", "title", "text", "event", "status", "saved", "count", "refused",
             "break", "hook", "ask", "repair")
    wanted = {key for key in english if key.partition(".")[0] in kinds}
    assert not wanted - set(russian)
    both = set(russian) & set(english)
    different = {key for key in both if fields(russian[key]) != fields(english[key])}
    assert not different
    assert all("few" in entry for entry in russian.values() if isinstance(entry, dict))


def test_the_language_can_be_chosen():
    try:
        messages.set_language("ru")
        assert say("status.done") != "done"
        assert say("status.done", language="en") == "done"
    finally:
        messages.set_language("en")
    with pytest.raises(ValueError, match="set_language"):
        messages.set_language("xx")


@pytest.mark.parametrize(
    "text, shown",
    [
        ("a\n  b", "a b"),
        ("a\u202eb", "a\\u202eb"),
        ("\x00", "\\u0000"),
        ("\ud800", "\\ud800"),
        ("שלום", "שלום"),
        ("<b>&", "<b>&"),
    ],
)
def test_visible(text, shown):
    assert plain.visible(text) == shown


def test_columns_stay_straight_with_wide_characters():
    lines = plain.aligned([["变量", "x"], ["ab", "y"], ["é" * 2, "z"]])
    assert len({plain.width(line) for line in lines}) == 1
    assert plain.width(plain.shorten("变量变量变量", 5)) <= 5
