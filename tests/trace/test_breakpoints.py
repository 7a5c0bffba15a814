"""Breakpoints: a closed vocabulary; each kind stops where it should and nowhere else."""

import pytest

import autodidact as torch
from autodidact import trace
from autodidact.trace.breakpoints import halt, make, valid, words
from autodidact.trace.messages import say


def diamond():
    a = torch.tensor(2.0, dtype=torch.double, requires_grad=True)
    b = torch.tensor(3.0, dtype=torch.double, requires_grad=True)
    with trace.recording():
        c = a * b
        d = c + a
        L = d * d
    return trace.record(L)


def where_a_nan_begins():
    x = torch.tensor([0.0, 4.0], requires_grad=True)
    with trace.recording():
        u = x * 2
        v = u.sqrt()
        w = torch.where(u > 0, v, torch.zeros(2))
        L = w.sum()
    return trace.record(L)


def stops(record, **point):
    made = make(record.head, **point)
    assert valid(made)
    states = [record.state(k) for k in range(len(record))]
    return [k for k, state in enumerate(states)
            if halt(record.head, [made], states[k - 1] if k else None, state)]


@pytest.mark.parametrize("point, steps", [
    ({"node": "c"}, [2]), ({"node": "MulBackward0#0"}, [0]), ({"node": "n4"}, [4]),
    ({"op": "MulBackward0"}, [0, 2]), ({"op": "AddBackward"}, [1]), ({"leaf": "b"}, [4]),
    ({"norm": 40}, [3]), ({"norm": 31.9}, [3]), ({"norm": 48}, []), ({"norm": 0.0}, [1, 2, 3]),
    ({"nan": True}, []),
])
def test_each_kind_stops_where_it_is_asked_to(point, steps):
    assert stops(diamond(), **point) == steps


def test_a_line_stops_before_each_of_its_nodes():
    record = diamond()
    line = record.head["nodes"][2]["where"]["line"]
    assert stops(record, line=line) == [2]


def test_a_nan_stops_at_the_first_node_that_produced_one():
    record = where_a_nan_begins()
    (k,) = stops(record, nan=True)
    names = {node["id"]: node["name"] for node in record.head["nodes"]}
    assert names[record.state(k)["ran"]] == "SqrtBackward0"
    said = halt(record.head, [make(record.head, nan=True)], record.state(k - 1), record.state(k))
    assert say(**{"message": said[0]["id"], "args": said[0]["args"]}) == (
        "Breakpoint: v produced a NaN and sent it to u.")


def test_what_is_no_breakpoint_is_refused():
    head = diamond().head
    for wrong in ({}, {"node": "c", "op": "x"}, {"eval": "1"}):
        with pytest.raises(TypeError, match="takes one of"):
            make(head, **wrong)
    for wrong in ({"node": "q"}, {"leaf": "c"}, {"line": 10**6}, {"line": True}, {"norm": "big"},
                  {"norm": float("nan")}, {"nan": False}, {"op": ""}, {"op": "PowBackward0"}):
        with pytest.raises(ValueError, match="break_at"):
            make(head, **wrong)
    for wrong in (None, 3, [], {"kind": "op"}, {"kind": ["op"], "value": "x"},
                  {"kind": "op", "value": "x" * 1000}, {"kind": "nan", "value": 1},
                  {"kind": "line", "value": 2.0}, {"kind": "norm", "value": True},
                  {"kind": "eval", "value": "1"}, {"kind": "op", "value": "x", "more": 1}):
        assert not valid(wrong)


def test_a_breakpoint_says_what_it_waits_for():
    head = diamond().head
    said = [words(head, make(head, **p)) for p in ({"node": "c"}, {"norm": 100}, {"nan": True})]
    assert [say(each["id"], each["args"]) for each in said] == [
        "before c", "a gradient of norm above 100", "any NaN"]
