"""Predict mode: which numbers are asked for, what counts as an answer, what stays hidden."""

import pytest

import autodidact as torch
from autodidact import trace
from autodidact.trace.questions import hidden, judge, number_in, questions
from tests.trace.test_lines import blended
from tests.trace.test_replay import diamond, hooked


def asked(record, k):
    state = record.state(k)
    names = {node["id"]: node["var"] for node in record.head["nodes"]}
    return [(names[q["node"]], names[q["to"]], q["all"], q["was"])
            for q in questions(record.head, state)]


def test_one_question_for_each_receiver():
    record = diamond()
    assert [asked(record, k) for k in range(len(record))] == [
        [("L", "d", True, 16.0)], [("d", "c", False, 16.0), ("d", "a", False, 16.0)],
        [("c", "a", False, 48.0), ("c", "b", False, 32.0)], [], [], []]


def test_nothing_is_asked_where_nothing_is_known_or_it_is_no_single_number():
    assert all(not asked(hooked(), k) for k in (1, 2, 3))
    assert not asked(trace.record(blended()[1]), 1)
    x = torch.tensor(0.0, requires_grad=True)
    assert not asked(trace.record(x.log() * x), 1)             # infinite


def test_hidden_numbers_are_nowhere_in_the_text_until_they_are_answered():
    record = diamond()
    both = questions(record.head, record.state(2))
    text = record.text(2, hide=both)
    assert "48" not in text and "32" not in text and text.count("?") == 2
    assert "48" in record.text(2, hide=both[1:]) and "32" not in record.text(2, hide=both[1:])
    assert ">48<" in record.svg(2) and ">48<" not in record.svg(2, hide=both)
    assert hidden(record.state(2), []) is record.state(2)


@pytest.mark.parametrize("text, value", [
    ("48", 48), (" -1.5 ", -1.5), ("0,5", 0.5), ("1/4", 0.25), ("\N{MINUS SIGN}2", -2), (48, 48),
    ("1e3", 1000), ("", None), ("a", None), ("1/0", None), ("nan", None), ("inf", None),
    ("2*3", None), ("__import__('os')", None), ("1/2/3", None)])
def test_what_counts_as_a_number(text, value):
    assert number_in(text) == value


def test_an_answer_is_right_within_the_tolerance():
    assert judge(48.2, 48) and not judge(48.3, 48) and judge(0.004, 0) and not judge(0.1, 0)
    assert judge(-1.0, -1.0) and not judge(1.0, -1.0)
