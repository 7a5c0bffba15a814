"""Every program of `programs/` gives the answer that PyTorch 2.13 gave, and gives it today.

Where we differ on purpose, `DIFFERENT` has our answer and the reason.
"""

import pytest

import autodidact
from tests.func.record import PROGRAMS
from tests.programs import answer

RECORDED = PROGRAMS.answers()

# topic.program: (our answer, why)
DIFFERENT = {
    "transforms_details.jacfwd_counts_from_behind": (
        [[1.0, 2.0], [1.0, 2.0]], "torch's jacfwd finds no derivative by argument -1: zeros"),
    "functions.two_forward_levels_are_right_here": (
        12.0,
        "torch loses the inner tangent of a custom Function under two forward levels: 0",
    ),
}

each = pytest.mark.parametrize(("topic", "name", "program"), PROGRAMS.all().values(),
                               ids=PROGRAMS.all())


@each
def test_answer_is_the_recorded_one(topic, name, program):
    want = RECORDED[topic][name]
    if f"{topic}.{name}" in DIFFERENT:
        want = DIFFERENT[f"{topic}.{name}"][0]
    assert answer(program, autodidact) == want


@each
def test_torch_gives_the_recorded_answer(topic, name, program, oracle):
    assert answer(program, oracle) == RECORDED[topic][name]


def test_programs_and_answers_match_one_to_one():
    assert {t: sorted(found) for t, found in RECORDED.items()} == {
        t: sorted(PROGRAMS.of(t)) for t in PROGRAMS.topics()}


def test_no_answer_is_an_unexpected_exception():
    assert PROGRAMS.surprises() == []


def test_phrases_are_those_of_torch():
    """A program that finds a phrase missing in torch's own message asks for the wrong one."""
    assert '"no: ' not in PROGRAMS.file.read_text(encoding="utf-8")


def test_every_difference_is_one():
    for key, (ours, why) in DIFFERENT.items():
        topic, name = key.split(".")
        assert RECORDED[topic][name] != ours and why
