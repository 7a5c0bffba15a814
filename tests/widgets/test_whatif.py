"""What if: a number changed in flight, on a copy; the pass itself does not notice."""

import json

import jsonschema
import numpy as np
import pytest
from autodidact_widgets import compare, show

import autodidact as torch
from autodidact import trace
from autodidact.trace.record import Record
from tests.trace.test_record import validator


def leaf(value):
    return torch.tensor(value, dtype=torch.double, requires_grad=True)


def accumulation():
    """L = (x * x) * 3 at x = 2: x.grad is 12."""
    x = leaf(2.0)
    with trace.recording():
        y = x * x
        L = y * 3
    return x, show(L)


def grads(stepper):
    return stepper.record.as_reference()["final"]["grad"]


def test_ten_times_the_gradient_gives_ten_times_x_grad_and_the_pass_does_not_notice():
    x, stepper = accumulation()
    what_if = stepper.step().edit("y", lambda g: g * 10)
    assert "y receives 30 instead of 3" in what_if.text()
    what_if.finish()
    assert grads(what_if) == {"x": [120.0]}
    assert x.grad is None and stepper.position == 1      # the original waits
    assert "edited" not in stepper.text()
    stepper.finish()
    assert x.grad.item() == 12.0 and grads(stepper) == {"x": [12.0]}
    assert grads(what_if) == {"x": [120.0]}


def test_the_original_is_kept_for_comparison():
    _, stepper = accumulation()
    both = compare(stepper, stepper.step().edit("y", 30.0), labels=["as it is", "edited"])
    both.finish()
    words = [row["cells"][1]["args"].get("value") for row in both.comparison.differences()]
    assert words == ["30", "120", "120"]
    kinds = [row["kind"] for row in both.comparison.differences()]
    assert kinds == ["received", "received", "grad"]


def test_a_saved_value_warns_that_the_result_is_no_gradient():
    x, stepper = accumulation()
    what_if = stepper.step().edit("y", 5.0, saved="self")
    assert "no gradient" in what_if.text()
    what_if.finish()
    assert grads(what_if) == {"x": [3 * 2.0 + 3 * 5.0]}
    stepper.finish()
    assert x.grad.item() == 12.0                         # the real node has its own value


def test_a_prediction_uses_the_edited_numbers():
    _, stepper = accumulation()
    what_if = stepper.step().edit("y", 30.0)
    predicted = what_if.record.state(-1)["predicted"]
    assert {p["value"]["text"] for p in predicted.values()} == {"60"}


def test_gradients_that_exist_already_are_added_to_on_the_copy_alone():
    x = leaf([1.0, 2.0])
    (x * 1).sum().backward()
    stepper = show((x * x).sum())
    what_if = stepper.step().edit("MulBackward0 #1", np.array([10.0, 0.0]))
    what_if.finish()
    assert grads(what_if) == {"x": [21.0, 1.0]}
    stepper.finish()
    assert x.grad.tolist() == [3.0, 5.0]


def test_edits_follow_one_another_and_the_record_keeps_them():
    _, stepper = accumulation()
    twice = stepper.step().edit("y", 30.0).step().edit("x", lambda g: g + 1)
    twice.finish()
    assert grads(twice) == {"x": [121.0]}
    data = json.loads(twice.record.to_json())
    validator().validate(data)
    again = Record.from_json(data)
    assert again.text() == twice.text() and len(again.head["edits"]) == 2


def test_the_schema_knows_edits_and_nothing_beside():
    _, stepper = accumulation()
    data = json.loads(stepper.step().edit("y", 1.0).record.to_json())
    data["edits"][0]["more"] = 1
    with pytest.raises(jsonschema.ValidationError):
        validator().validate(data)


@pytest.mark.parametrize(
    ("node", "value", "options", "words"),
    [
        ("z", 1.0, {}, "no node is called 'z'"),
        ("x", 1.0, {}, "none has arrived yet"),
        ("y", 1.0, {"saved": "w"}, "saved nothing called 'w'"),
        ("y", np.ones(3), {}, "got shape"),
        ("y", 1.0, {"slot": 4}, "no gradient that could be changed"),
    ],
)
def test_what_cannot_be_edited_is_told(node, value, options, words):
    _, stepper = accumulation()
    stepper.step()
    with pytest.raises(ValueError, match=words):
        stepper.edit(node, value, **options)
    stepper.finish()
    with pytest.raises(RuntimeError, match="over"):
        stepper.edit("y", 1.0)


def test_a_view_edits_and_undoes_in_the_same_widget():
    x, stepper = accumulation()
    sent = []
    stepper.send = lambda message, buffers=None: sent.append(message)
    stepper.step()
    edit = {"type": "edit", "node": "n1", "slot": 0, "key": None, "how": "times", "value": 10}
    stepper._handle_custom_msg(edit, [])
    assert stepper.record.head["edits"][0]["node"] == "n1" and not stepper.done
    assert sent[-1]["from"] == 0
    stepper._handle_custom_msg({"type": "run"}, [])
    assert grads(stepper) == {"x": [120.0]} and x.grad is None
    stepper._handle_custom_msg({"type": "undo"}, [])
    assert "edits" not in stepper.record.head and (stepper.position, stepper.count) == (1, 2)
    stepper.finish()
    assert x.grad.item() == 12.0
    for value in (True, "3", float("nan"), None, [1]):
        stepper._handle_custom_msg({**edit, "value": value}, [])
        assert sent[-1]["say"][0]["id"] == "refused.unknown"
    stepper._handle_custom_msg(edit, [])
    assert sent[-1]["say"][0]["id"] == "refused.done"
