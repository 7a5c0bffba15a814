"""Errors without an exception, seen while a pass is stepped; and no mark where nothing is wrong."""

import json

import numpy as np
import pytest
from autodidact_widgets import show

import autodidact as torch
from autodidact import trace
from autodidact.trace.record import Record
from tests.trace import patients
from tests.trace.test_record import validator


def leaf(value=2.0):
    return torch.tensor(value, dtype=torch.float64, requires_grad=True)


# ---- programs: each gives a loss, and what else has to live -------------------------------------


def behind_the_version():
    w = leaf()
    y = w * 3
    loss = y * y
    y.data += 1.0
    return loss


def through_numpy():
    w = leaf()
    y = w * 3
    loss = y * y
    y.detach().numpy()[...] = 7.0
    return loss


def forgotten_zero_grad():
    w = leaf()
    ((w - 3) ** 2).backward()
    with torch.no_grad():
        w -= 0.25 * w.grad
    return (w - 3) ** 2


def forgotten_after_clipping():
    w = leaf()
    ((w - 3) ** 2).backward()
    torch.nn.utils.clip_grad_norm_([w], 1.0)
    torch.optim.SGD([w], lr=0.25).step()
    return (w - 3) ** 2


SILENT = {
    behind_the_version: ("data", "loss", "y.data += 1.0"),
    through_numpy: ("data_somewhere", "loss", None),
    forgotten_zero_grad: ("added", "w", None),
    forgotten_after_clipping: ("added", "w", None),
}


def plain():
    w = leaf()
    return (w * 3) ** 2


def micro_batches():
    w = leaf()
    (w * 1.5).backward()
    return w * w


def zeroed(in_place):
    def program():
        w = leaf()
        optimizer = torch.optim.SGD([w], lr=0.25)
        for _ in range(2):
            optimizer.zero_grad(set_to_none=not in_place)
            ((w - 3) ** 2).backward()
            optimizer.step()
        optimizer.zero_grad(set_to_none=not in_place)
        return (w - 3) ** 2
    return program


def scaled_anew():
    """A learner's own .grad is nobody's business."""
    w = leaf()
    (w * 2).backward()
    with torch.no_grad():
        w += 1
    w.grad = torch.ones_like(w)
    return w * w


def changed_before_it_is_saved():
    w = leaf()
    y = w * 3
    y.data += 1.0
    return y * y


def in_place_and_unsaved():
    w = leaf()
    y = w * 3
    y += 1
    return (y + y).relu()


def with_nan():
    w = leaf([float("nan"), 1.0])
    return (w * w).sum()


def large():
    w = leaf(np.arange(200.0).reshape(2, 100) / 7)
    return torch.nn.functional.batch_norm(
        w, torch.zeros(100).double(), torch.ones(100).double(), training=True).exp().mean()


HEALTHY = (plain, micro_batches, zeroed(True), zeroed(False), scaled_anew,
           changed_before_it_is_saved, in_place_and_unsaved, with_nan, large)


def leaf_of(loss):
    """The one leaf of a program."""
    node = loss.grad_fn
    while node.next_functions:
        node = node.next_functions[0][0]
    return node.variable


def stepped(program):
    """The stepper of a program, at its end."""
    with trace.recording():
        loss = program()
    w = leaf_of(loss)
    stepper = show(loss)
    stepper.finish()
    assert w.grad is not None
    return stepper


@pytest.mark.parametrize("program", SILENT)
def test_a_silent_error_is_marked_at_its_node_with_its_rule(program):
    message, name, guilty = SILENT[program]
    record = stepped(program).record
    found = [k for k, state in enumerate(record.states) if "clinic" in state]
    assert len(found) == 1
    state = record.state(found[0])
    case, said = state["clinic"], state["clinic"]["say"][0]
    assert case["kind"] == "silent" and said["id"] == f"silent.{message}"
    assert said["args"]["who"] == name and case["rule"]["id"] == f"rule.{message.split('_')[0]}"
    if guilty:
        lines = case["listing"]
        marked = [mark["line"] - lines["first"] for mark in lines["marks"]
                  if mark["kind"] == "guilty"]
        assert [lines["lines"][k] for k in marked] == [guilty]
    assert record.state(-1)["silent"] == {state["ran"]: said}
    assert found[0] == len(record) - 1 or \
        "something has gone wrong without an exception" in record.text()
    assert "No exception comes" in record.text(found[0])
    assert " is-silent\"" in record.svg()
    assert "No exception comes" not in record.text(0) and " is-silent\"" not in record.svg(0)
    validator().validate(json.loads(record.to_json()))
    assert Record.from_json(record.to_json()).text(found[0]) == record.text(found[0])


@pytest.mark.parametrize("program", HEALTHY)
def test_what_is_right_is_not_marked(program):
    record = stepped(program).record
    assert not any("clinic" in state or "silent" in state for state in record.states)


@pytest.mark.parametrize("program", SILENT)
def test_nothing_is_said_of_what_nobody_has_recorded(program):
    stepper = show(program())
    stepper.finish()
    assert not any("clinic" in state for state in stepper.record.states)


def test_looking_changes_nothing():
    for program in (*SILENT, *HEALTHY):
        values = []
        for watched in (False, True):
            with trace.recording():
                loss = program()
            w = leaf_of(loss)
            if watched:
                show(loss).finish()
            else:
                loss.backward()
            values.append((w.grad.tolist(), w.grad._version, w._version))
        assert repr(values[0]) == repr(values[1]), program


def test_a_saved_value_that_the_learner_edits_is_no_silent_error():
    with trace.recording():
        w = leaf()
        loss = w * w
    what_if = show(loss).edit("loss", 5.0, saved="self")
    what_if.finish()
    assert not any("clinic" in state for state in what_if.record.states)


def test_a_pass_that_is_stepped_by_hand_counts_as_well():
    """Between two cells nothing records; what a stepper has written itself it knows."""
    w = leaf()
    show((w - 3) ** 2).finish()
    with torch.no_grad():
        w -= 0.25 * w.grad
    stepper = show((w - 3) ** 2)
    stepper.finish()
    assert stepper.record.states[-1]["clinic"]["say"][0]["id"] == "silent.added"
    copied = show((w - 3) ** 2, copy=True)                   # the .grad is the one just written
    copied.finish()
    assert not any("clinic" in state for state in copied.record.states)


Once = patients.cube(torch)


def test_a_derivative_cut_off_for_good_has_the_rule_at_its_gradient():
    rule = "what a once_differentiable backward computes has no graph"
    w = leaf()
    cut = show(Once.apply(w) + w ** 2, create_graph=True)
    assert rule not in cut.text()
    cut.finish()
    assert rule in cut.text()
    once = show(Once.apply(w) + w ** 2)                      # no second derivative is meant
    once.finish()
    linked = show(w ** 3 + w ** 2, create_graph=True)
    linked.finish()
    refused = show(Once.apply(w), gradient=leaf(1.0), create_graph=True)
    refused.finish()                                         # a second pass will raise
    assert "a node that refuses a second pass" in refused.text()
    assert not any(rule in each.text() for each in (once, linked, refused))


# ---- ways that end -------------------------------------------------------------------------------


def test_an_input_that_was_detached_says_where_its_way_ends():
    with trace.recording():
        w = leaf()
        target = w.detach() * 2
        with torch.no_grad():
            factor = w * 5
        loss = (w - target) * factor
    stepper = show(loss)
    ends = {end["var"]: end for node in stepper.record.head["nodes"]
            for end in node.get("ends", ())}
    assert {var: (end["how"], end["source"]) for var, end in ends.items()} == {
        "target": ("detach", "w.detach()"), "factor": ("no_grad", "factor = w * 5")}
    text = stepper.text()
    assert "where a way back ends before a leaf" in text and "recording off" in text
    validator().validate(json.loads(stepper.record.to_json()))
    stepper.finish()
    assert not any("clinic" in state for state in stepper.record.states)


def test_data_and_masks_end_no_way():
    with trace.recording():
        x, w = torch.ones(3), leaf([1.0, -2.0, 3.0])
        mask = w > 0                                         # not of a floating dtype
        scale = x * 2                                        # nothing here requires a gradient
        loss = (w.where(mask, scale) * scale).sum()
    assert "way back ends" not in show(loss).text()


def test_a_loss_without_a_graph_says_which_line_has_cut_it():
    with trace.recording():
        w = leaf()
        y = w.detach() * 3
        loss = y * y
    notice = show(loss).text()
    assert "The graph ends in line" in notice and "w.detach()" in notice
    assert "The rule: a result has a graph where recording is on" in notice
    assert "The graph ends" not in show(torch.ones(())).text()
