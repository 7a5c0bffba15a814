"""Would the lessons notice a broken engine? Five ways to break it, and each must fail a lesson.

The cells of the solved editions run in this process and are compared with their recorded outputs,
as nbval does it in a kernel. The first test is the other half: unbroken, no lesson differs.
"""

import heapq

import pytest

from autodidact.autograd import accumulate_grad, engine, saved_tensors
from autodidact.tensor_base import TensorBase
from tests.notebooks.lesson_runner import run_cells, text_of
from tests.notebooks.test_lessons import NAMES, build, solved, tagged

# Steppers name cells and variables of a notebook, which there are none of here.
NOT_COMPARED = ("stepper", "nbval-ignore-output")


def first_difference(name):
    """The first cell whose output is not the recorded one, or the error that ended the lesson."""
    cells = solved(name).cells
    skipped = {cell["id"] for tag in NOT_COMPARED for cell in tagged(cells, tag)}
    expected = {cell["id"]: text_of(cell.outputs) for cell in build.code(solved(name))}
    try:
        for id, text in run_cells(build.code(solved(name))):
            if id not in skipped and text != expected[id]:
                return f"{name}, cell {id}: {text!r}"
    except Exception as error:
        return f"{name}: {type(error).__name__}: {error}"
    return None


def never_frees(monkeypatch):
    monkeypatch.setattr(engine.GraphTask, "release", lambda task, node: None)


def frees_although_told_to_keep(monkeypatch):
    def apply(task, node, grads):
        task.keep_graph = False
        return whole(task, node, grads)

    whole = engine.GraphTask.apply
    monkeypatch.setattr(engine.GraphTask, "apply", apply)


def accumulates_out_of_place(monkeypatch):
    def apply(node, grads, tensors=False):
        old = getattr(node.variable, "_grad", None)
        if old is None or tensors or grads[0] is None:
            return whole(node, grads, tensors)
        node.variable._grad = TensorBase.wrap(old._array + grads[0])
        return ()

    whole = accumulate_grad.AccumulateGrad.apply
    monkeypatch.setattr(accumulate_grad.AccumulateGrad, "apply", apply)


def runs_the_oldest_first(monkeypatch):
    def push(heap, entry):
        heapq.heappush(heap, (-entry[0], *entry[1:]))

    monkeypatch.setattr(engine, "heappush", push)


def checks_no_version(monkeypatch):
    monkeypatch.setattr(saved_tensors, "check", lambda node, item, expected: None)


# Each way to break the engine, with the lessons that are there to notice it.
MUTATIONS = {
    never_frees: ("07", "16"),
    frees_although_told_to_keep: ("07", "04"),
    accumulates_out_of_place: ("05",),
    runs_the_oldest_first: ("04",),
    checks_no_version: ("09", "16"),
}


@pytest.mark.parametrize("name", NAMES)
def test_unbroken_no_lesson_differs(name):
    assert first_difference(name) is None


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.__name__)
def test_a_broken_engine_fails_a_lesson(mutation, monkeypatch):
    mutation(monkeypatch)
    lessons = [name for name in NAMES if name[:2] in MUTATIONS[mutation]]
    noticed = [difference for name in lessons if (difference := first_difference(name))]
    assert noticed, f"{mutation.__name__} is not noticed by {lessons}"
