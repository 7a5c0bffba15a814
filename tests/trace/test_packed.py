"""W16: saved tensors that a pack hook has turned into something else."""

import json

import numpy as np
import pytest

import autodidact as torch
from autodidact import trace
from autodidact.autograd.graph import saved_tensors_hooks
from autodidact.trace.messages import paragraph
from autodidact.trace.packed import described
from tests.trace.test_record import validator


class Drawers:
    """Pack into numbered drawers."""

    def __init__(self):
        self.kept, self.opened = [], 0

    def pack(self, t):
        self.kept.append(t.clone())
        return f"drawer {len(self.kept) - 1}"

    def unpack(self, name):
        self.opened += 1
        return self.kept[int(name.split()[1])]


def square(pack, unpack):
    x = torch.tensor(3.0, dtype=torch.double, requires_grad=True)
    with trace.recording(), saved_tensors_hooks(pack, unpack):
        y = x * x
    return x, y


def saved(record, step=-1):
    return list(record.state(step)["saved"].values())


def test_what_is_kept_which_hook_gives_it_back_and_how_often_it_was_read():
    """Two looks and two passes are four reads."""
    drawers = Drawers()
    with saved_tensors_hooks(lambda t: 1 / 0, lambda t: t):      # of nested pairs the innermost
        _, y = square(drawers.pack, drawers.unpack)
    assert y.grad_fn._saved_self.item() == y.grad_fn._saved_self.item() == 3
    first = trace.record(y, retain_graph=True)
    before, after = saved(first, 0)[0], saved(first, 1)[0]
    assert before == {"state": "packed", "expected": None, "actual": None, "packed": {
        "what": "str 'drawer 0'", "hook": "unpack", "reads": 2}}
    assert after["packed"]["reads"] == 3
    last = saved(trace.record(y))[0]
    assert (last["state"], last["packed"]["reads"]) == ("freed", 4)
    assert drawers.opened == 4 + 2                             # `other` had no looks
    text = first.text(0)
    for words in ("packed: str 'drawer 0', given back by unpack", "version check off",
                  "self packed (2 reads)"):
        assert words in text
    assert "y unpacked self by unpack" in first.text(1)


def test_watching_opens_no_drawer():
    counts = []
    for watch in (False, True):
        drawers = Drawers()
        x, y = square(drawers.pack, drawers.unpack)
        trace.record(y) if watch else y.backward()
        counts.append((drawers.opened, x.grad.item()))
    assert counts == [(2, 6.0), (2, 6.0)]


def test_a_wrong_result_of_unpack_stops_at_its_node():
    _, y = square(lambda t: 7, lambda n: 3.0)
    record = trace.record(y)
    state = record.state(-1)
    assert state["end"] == "error" and state["error"]["node"] == "n0"
    assert [e["key"] for e in state["events"] if e["kind"] == "unpack"] == ["s0"]
    assert paragraph(state["error"]["say"]).startswith(
        "The unpack hook <lambda> gave y a float in place of a tensor. The pass stops here")
    for k in range(len(record)):
        validator("state").validate(json.loads(json.dumps(record.state(k))))


def test_a_look_between_two_steps_is_seen_at_the_next():
    drawers = Drawers()
    _, y = square(drawers.pack, drawers.unpack)
    with trace.recording():
        loss = y * 2
    recorder = trace.recorder.Recorder(loss)
    y.grad_fn._saved_self  # noqa: B018
    recorder.step()
    assert [each["packed"]["reads"] for each in saved(recorder.record)[-2:]] == [1, 0]


def test_on_a_copy_reads_are_counted_as_well():
    drawers = Drawers()
    _, y = square(drawers.pack, drawers.unpack)
    recorder = trace.recorder.Recorder(y, copy=True)
    recorder.run()
    assert saved(recorder.record)[0]["packed"]["reads"] == 1


class Hostile:
    def __repr__(self):
        raise AssertionError("nothing of the learner's is called")


@pytest.mark.parametrize("thing, words", [
    (7, "int 7"), (0.5, "float 0.5"), ("file.npy", "str 'file.npy'"), (None, "None"),
    (np.zeros(3), "array (3,) float64"), (torch.zeros(2, 2), "tensor (2, 2) float32"),
    (("cpu", torch.zeros(())), "tuple (str 'cpu', tensor () float32)"), (Hostile(), "Hostile"),
    ("x" * 100, "str '" + "x" * 34 + "…"), ([1, 2, 3, 4], "list (int 1, int 2, int 3, …)"),
])
def test_a_description_calls_nothing_of_the_learners(thing, words):
    assert described(thing) == words
