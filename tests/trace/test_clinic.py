"""W22, the error clinic: six errors and three silent ones at their place, and repairs that hold."""

import json
from pathlib import Path
from types import FunctionType

import pytest
from autodidact_widgets import clinic

import autodidact as torch
from autodidact.trace.case import LESSONS
from autodidact.trace.clinic import Patient
from autodidact.trace.record import Record
from autodidact.trace.torch_bridge import TorchRecorder
from tests.trace import patients
from tests.trace.test_record import validator

# program: (argument, the case's rule, guilty line's text, line of the stop, node that stopped,
#           for each repair what the repaired program returns, or its exception's words)
CASES = {
    "again": (2.0, "freed", "one.backward()", "two.backward()", "shared", [44.0, 44.0]),
    "changed": (2.0, "version", "y += 1", "total.backward()", "z", [18.0, 18.0, 18.0]),
    "cut": (2.0, "no_graph", "y = w.detach() * 3", "loss.backward()", None, [36.0]),
    "switched_off": (2.0, "no_graph", "y = w * 3", "loss.backward()", None, [36.0]),
    "many": ([1.0, 2.0], "scalar", None, "loss.backward()", None,
             [[2.0, 4.0], [1.0, 2.0], [2.0, 4.0]]),
    "unused": (3.0, "unused", "b = torch.tensor(1.0, requires_grad=True)",
               "grads = torch.autograd.grad(s * s, [w, b])", None, [[36.0, None]]),
    "descend": (2.0, "leaf", None, "w -= 0.5 * w.grad", None, [-16.0, -16.0]),
    "forgetful": (2.0, "added", "loss.backward()", None, "w", [-1.0]),
    "sly": (2.0, "data", "y.data += 1.0", None, "loss", [36.0, "inplace operation"]),
    "shortened": (2.0, "once", "total = Cube.apply(w) + w ** 2", None, "Cube.apply(w) #2",
                  [14.0]),
}


@pytest.fixture(params=CASES)
def name(request):
    return request.param


def patient(name):
    return Patient(getattr(patients, name), (CASES[name][0],))


def lines(found, kind):
    listing = found["listing"]
    return [listing["lines"][mark["line"] - listing["first"]].strip()
            for mark in listing["marks"] if mark["kind"] == kind]


def test_each_error_stops_at_its_place_with_its_lines_and_its_rule(name):
    _, rule, guilty, stop, node, _ = CASES[name]
    seen = patient(name)
    found, state = seen.case, seen.record.state(seen.step)
    assert found["rule"]["id"] == f"rule.{rule}"
    assert lines(found, "guilty") == ([guilty] if guilty else [])
    assert lines(found, "stop") == ([stop] if stop else [])
    silent = stop is None
    assert found["kind"] == ("silent" if silent else "error")
    assert (seen.error is None) == silent == (state["error"] is None)
    stopped = state["ran"] if silent else state["error"]["node"]
    who = {n["id"]: n["var"] or n["source"] for n in seen.record.head["nodes"]}
    assert who.get(stopped) == (node and node.removesuffix(" #2"))
    validator().validate(json.loads(seen.record.to_json()))
    again = Record.from_json(seen.record.to_json())
    assert again.text(seen.step) == seen.text()


def test_each_repair_mends_the_program(name):
    seen = patient(name)
    wanted = CASES[name][5]
    assert len(seen.repairs) == len(wanted) == len(seen.case["repairs"])
    before = seen.record.to_json()
    for number, value in enumerate(wanted, 1):
        mended = seen.mended(number)
        assert mended.case["repaired"] == seen.case["repairs"][number - 1]
        if isinstance(value, str):
            assert value in str(mended.error)
        else:
            assert mended.error is None and mended.value == pytest.approx(value)
            assert mended.case["kind"] == "healthy"
    assert seen.record.to_json() == before


def test_the_program_itself_is_left_as_it_is(name):
    program, x = getattr(patients, name), torch.tensor(1.0, requires_grad=True)
    before = program.__code__
    patient(name)
    assert program.__code__ is before and x.grad is None
    assert patients.Cube.backward.__code__.co_name == "once"


@pytest.mark.oracle
def test_the_exceptions_are_torchs(name, oracle):
    """The same program under PyTorch stops with the same class, or does not stop either."""
    seen, error = patient(name), None
    try:
        code = getattr(patients, name).__code__
        space = vars(patients) | {"torch": oracle, "Cube": patients.cube(oracle)}
        FunctionType(code, space)(CASES[name][0])
    except Exception as caught:
        error = caught
    assert type(error) is type(seen.error)


@pytest.mark.oracle
def test_a_graph_of_pytorch_that_is_being_stepped_is_no_part_of_the_program(oracle):
    w = oracle.tensor(2.0, requires_grad=True)
    square = w * w
    recorder = TorchRecorder(square * w, found={"w": w, "square": square})
    seen = patient("again")
    assert isinstance(seen.error, RuntimeError) and seen.case["rule"]["id"] == "rule.freed"
    recorder.close()


def test_what_is_healthy_is_not_called_ill():
    for healthy in (patients.healthy, patients.micro_batches, patients.trained, patients.zeroed):
        seen = Patient(healthy, (2.0,))
        assert seen.case["kind"] == "healthy" and seen.error is None
        assert "nothing wrong was found" in seen.text()
        assert not any("silent" in state for state in seen.record.states)


def test_another_exception_is_shown_with_its_line():
    seen = Patient(patients.divides, (2.0,))
    assert isinstance(seen.error, ZeroDivisionError)
    assert lines(seen.case, "stop") == ["return w.item() / 0"] and seen.repairs == []


def test_a_program_without_text_runs_and_is_not_listed():
    space = {"torch": torch}
    exec("def f(x):\n    w = torch.tensor(x, requires_grad=True)\n    w += 1\n", space)
    seen = Patient(space["f"], (2.0,))
    assert seen.case["rule"]["id"] == "rule.leaf" and seen.case["listing"] is None
    assert seen.repairs == [] and "The rule:" in seen.text()

    def nothing(x):
        raise ValueError(x)
    stepper = clinic(nothing, 2.0)                    # no tensor at all: an empty picture
    assert "ValueError" in stepper.text() and stepper.snapshot().svg.startswith("<svg")
    validator().validate(json.loads(stepper.record.to_json()))


def test_tensors_given_are_copied():
    x = torch.tensor(2.0, requires_grad=True)

    def squared(t):
        (t * t).backward()
        return t.grad.item()

    assert Patient(squared, (x,)).value == 4 and x.grad is None
    with pytest.raises(TypeError, match="takes a function"):
        Patient("x = 1")


def test_every_lesson_that_is_named_has_its_notebook():
    notebooks = Path(__file__).parents[2] / "notebooks"
    there = {path.stem for path in notebooks.glob("[0-9][0-9]-*.ipynb")}
    assert set(LESSONS.values()) <= there
    assert all(name.startswith(number) for number, name in LESSONS.items())


# ---- the widget ----------------------------------------------------------------------------------


def test_the_stepper_stands_at_the_place_and_raises_the_programs_error():
    stepper = clinic(patients.again, 2.0)
    assert stepper.position == 2 and "It was the pass in line" in stepper.text()
    with pytest.raises(RuntimeError, match="second time"):
        stepper.finish()
    stepper.back()
    assert "It was the pass" not in stepper.text()
    silent = clinic(patients.sly, 2.0)
    assert silent.position == 1 and silent.value == 42
    silent.finish()                                          # nothing to raise


def test_repair_and_retry_is_a_new_session_and_can_be_taken_back():
    stepper = clinic(patients.again, 2.0)
    other = stepper.retry(1)
    assert other is not stepper and other.value == 44 and stepper.error is not None
    stepper._receive(stepper, {"type": "retry", "number": 2}, None)
    assert stepper.value == 44 and "one pass for both" in stepper.text()
    stepper._receive(stepper, {"type": "undo"}, None)
    assert stepper.error is not None and stepper.position == 2
    for number in (0, 3, True, "1", None):
        stepper._receive(stepper, {"type": "retry", "number": number}, None)
        assert stepper.error is not None
    with pytest.raises(IndexError):
        stepper.retry(3)
