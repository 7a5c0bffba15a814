"""Groups by function: which call of which of the learner's functions has made a node."""

import gc
import json
import sys
import weakref

import pytest
from autodidact_widgets import show

import autodidact as torch
import autodidact.nn as nn
from autodidact import trace
from autodidact.trace.calls import MOST, within
from autodidact.trace.groups import groups
from autodidact.trace.record import Record
from tests.trace.test_record import validator


def attend(x):
    return (x @ x.t()).softmax(-1) @ x


def widen(x):
    return torch.relu(x * 2.0) + 1.0


def block(x):
    y = x + attend(x)
    for _ in range(3):
        y = y * 1.1
    return y + sum(widen(each) for each in (y, y))


def network(blocks=4):
    with trace.recording():
        x = torch.ones(3, 3, requires_grad=True)
        for _ in range(blocks):
            x = block(x)
        loss = x.sum()
    return loss


def calls_by_name(head):
    """source -> the names of the calls, for nodes with a program text."""
    return {node["source"]: [name for _, name in node.get("calls", ())] for node in head["nodes"]
            if node["source"]}


def ways(head):
    """The paths of the groups of nodes."""
    found = {group["id"]: group for group in groups(head)}

    def way(group):
        above = found.get(group["parent"])
        return (way(above) if above else "") + "/" + group["name"]
    return [way(group) for group in found.values() if group["nodes"]]


def test_every_node_knows_its_calls_and_each_call_is_one():
    record = trace.record(network())
    head = record.head
    validator().validate(json.loads(json.dumps({**head, "states": record.states})))
    told = calls_by_name(head)
    assert told["loss = x.sum()"] == []
    assert told["y = y * 1.1"] == ["block"] and told["x * 2.0"] == ["block", "widen"]
    numbers = {tuple(node["calls"][0]) for node in head["nodes"] if node.get("calls")}
    assert len(numbers) == 4 and {name for _, name in numbers} == {"block"}
    inner = {tuple(node["calls"][1]) for node in head["nodes"] if len(node.get("calls", ())) > 1}
    assert len(inner) == 4 * (1 + 2)                # attend once, widen twice in each block
    loops = [node["calls"] for node in head["nodes"] if node["source"] == "y = y * 1.1"]
    assert len(loops) == 12 and len({tuple(map(tuple, each)) for each in loops}) == 4


def test_groups_lie_in_each_other_as_the_calls_do():
    found = ways(trace.record(network()).head)
    assert {"/block₁/attend₁", "/block₄/widen₈", "/block₂/y = y * 1.1"} <= set(found)
    once = ways(trace.record(network(1)).head)
    assert "/block/attend" in once and "/block/widen₂" in once      # one call has no number


def test_modules_come_first_unless_functions_are_asked_for():
    model = nn.Sequential(*(nn.Linear(3, 3) for _ in range(4)))

    def half(x):
        return model(x).tanh()

    def forward():
        return (half(torch.ones(2, 3)) + half(torch.zeros(2, 3))).sum()

    by_module = show(forward, module=model).record
    assert any(way.startswith("/0") for way in ways(by_module.head))
    with trace.recording():
        by_function = show(forward, module=model, group="function").record
    assert {way.split("/")[1] for way in ways(by_function.head)} >= {"half₁", "half₂"}
    assert by_function.head["grouped"] == "function"
    again = Record.from_json(by_function.to_json())
    assert ways(again.head) == ways(by_function.head)
    assert ways(show(forward, module=model, group="module").record.head) == ways(by_module.head)
    with pytest.raises(ValueError, match="expected 'module' or 'function'"):
        show(forward, module=model, group="line")


def test_the_text_names_the_functions():
    record = trace.record(network())
    text = record.text(0)
    assert "in block" not in text.split("next:")[1].split("\n")[0]
    later = next(k for k, node in enumerate(record.head["nodes"])
                 if len(node.get("calls", ())) == 2)
    stepper = show(network())
    while stepper.position < later:
        stepper.step()
    line = next(each for each in stepper.text().split("\n") if each.startswith("next:"))
    assert line.endswith(("in block, widen", "in block, attend"))


def test_recursion_is_told_from_outside_and_bounded():
    def deeper(x, n):
        return deeper(x * 1.5, n - 1) if n else x * 2

    x = torch.tensor(1.0, requires_grad=True)
    with trace.recording():
        y = deeper(x, 30) + 0
    calls = [node.get("calls", []) for node in trace.record(y).head["nodes"]
             if node["name"] == "MulBackward0"]
    assert max(map(len, calls)) <= MOST
    first = {tuple(each[0]) for each in calls if each}
    assert len(first) == 1


def test_a_debuggers_frames_are_left_alone():
    seen = []

    def traced(frame, event, arg):
        seen.append(event)
        return traced

    def inner(x):
        return x * 2

    x = torch.tensor(1.0, requires_grad=True)
    before = sys.gettrace()
    sys.settrace(traced)
    try:
        with trace.recording():
            y = inner(x) + inner(x)
    finally:
        sys.settrace(before)
    assert "return" in seen
    assert not any(node.get("calls") for node in trace.record(y).head["nodes"])


def test_a_frame_that_was_looked_at_dies_as_ever():
    def inner(x):
        local = x * 2
        return weakref.ref(local), local + 1

    x = torch.tensor(1.0, requires_grad=True)
    gc.collect()
    gc.disable()
    try:
        with trace.recording():
            ref, y = inner(x)
            del y
            assert ref() is None
    finally:
        gc.enable()


def test_what_all_share_says_nothing():
    assert within({}) == {}
    assert within({"a": ((5, "f"),), "b": ((5, "f"),)}) == {}
    assert within({"a": ((5, "f"), (9, "g")), "b": ((5, "f"), (7, "g")), "c": ((5, "f"),)}) == {
        "a": [[2, "g"]], "b": [[1, "g"]]}
