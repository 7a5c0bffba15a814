"""Every program of `programs/` gives the answer that PyTorch 2.13 gave, and gives it today.

Where we differ on purpose, `DIFFERENT` has our answer and the reason.
"""

import pytest

import autodidact
from tests.autograd.record import PROGRAMS
from tests.programs import answer

RECORDED = PROGRAMS.answers()

REFUSED = ["RuntimeError", "Inplace update to inference tensor outside InferenceMode"]

# topic.program: (our answer, why)
DIFFERENT = {
    "saved.mutation_of_a_base_and_of_a_view": (
        [1, [0.0, 4.0], 2, 2, [9.38177, 16.077]],
        "torch misses a write through a base into what a view saved, and gives a wrong gradient"),
    "inference.in_place": (
        [[[5.0, 2.0], True], REFUSED, REFUSED, REFUSED, [5.0, 2.0]],
        "torch writes, then refuses"),
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


def test_every_difference_is_one():
    for key, (ours, why) in DIFFERENT.items():
        topic, name = key.split(".")
        assert RECORDED[topic][name] != ours and why
