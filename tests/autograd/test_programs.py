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
    "stale_views.hooks_around_a_change_of_shape": (
        [[["after", [3, 1]]], [["after", [3, 1]], ["before", [1, 3]]],
         [["after", [1, 1, 3]]], [["after", [1, 1, 3]], ["before", [1, 3]]],
         [["after", [3]]], [["after", [3]], ["before", [1, 3]]]],
        "in torch the second of two hooks joins the first, at the value before the change"),
    "stale_views.hooks_of_a_leaf_moved_into_the_interior": (
        [["RuntimeError", "moved into the graph interior"], [[-2.0, -4.0]]],
        "torch gives the new value's hook the old value's gradient, too, before it refuses"),
    "stale_views.a_leaf_reshaped_while_in_use": (
        [["RuntimeError", "must match"], None,
         ["nothing raised", None], [[2.0, 2.0], [2.0, 2.0], [2.0, 2.0]]],
        "torch remembers the old shape as long as the old graph is alive"),
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
