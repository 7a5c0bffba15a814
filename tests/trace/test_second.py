"""W17: a pass with create_graph, and the graph that it makes beside the first."""

import gc
import json

import pytest

import autodidact as torch
from autodidact import trace
from autodidact.trace.messages import paragraph
from autodidact.trace.record import Record
from autodidact.trace.second import makers
from tests.trace.test_record import validator


def leaf(value):
    return torch.tensor(value, dtype=torch.double, requires_grad=True)


def cube():
    """y = x ** 3 at x = 2: the derivative is 3 x ** 2 = 12."""
    x = leaf(2.0)
    with trace.recording():
        y = x**3
    return x, y


def made(record, step=-1):
    return [
        (each["text"], each["name"], each["by"], each["value"]["text"], each["to"])
        for each in record.state(step).get("second", {}).values()
    ]


def test_each_step_adds_the_nodes_that_its_backward_makes():
    x, y = cube()
    record = trace.record(y, create_graph=True, names={"x": x})
    by, leaf_id = (node["id"] for node in record.head["nodes"])
    rule = [
        ("① = x ** 2", "PowBackward0", by, "4", [leaf_id]),
        ("② = ① * 3", "MulBackward1", by, "12", ["b1"]),
        ("③ = 1 * ②", "MulBackward0", by, "12", ["b2"]),
    ]
    assert made(record, 0) == []
    assert made(record, 1) == rule
    assert made(record, 2) == [*rule, ("④ = clone(③)", "CloneBackward0", leaf_id, "12", ["b3"])]
    assert "Its backward made ①, ② and ③ of the second graph." in paragraph(record.state(1)["say"])
    assert made(trace.record(cube()[1])) == []


def test_the_second_graph_is_stepped_itself():
    x, y = cube()
    first = trace.record(y, create_graph=True)
    second = trace.record(x.grad)
    steps = [(step["node"], step["incoming"]) for step in second.as_reference()["steps"]]
    assert steps == [
        ("CloneBackward0#0", [[1.0]]), ("MulBackward0#1", [[1.0]]), ("MulBackward1#2", [[1.0]]),
        ("PowBackward0#3", [[3.0]]), ("AccumulateGrad(x)", [[12.0]]),
    ]
    assert len(made(first)) == 4 and "made in the pass of y by y: ③, ② and ①" in second.text(0)
    assert second.head["nodes"][2]["made_by"] == {"who": "y", "root": "y"}
    assert second.head["recorded"]


def sum_of_uses():
    x, w = leaf([1.0, 2.0]), leaf(3.0)
    with trace.recording():
        h = torch.exp(x * w)
        loss = (h * x).sum()
    return (x, w), loss


@pytest.mark.parametrize("retain", [None, True])
def test_watching_a_pass_with_create_graph_changes_nothing(retain):
    (x, w), loss = sum_of_uses()
    loss.backward(create_graph=True, retain_graph=retain)
    (a, b), other = sum_of_uses()
    trace.record(other, create_graph=True, retain_graph=retain)
    for one, two in ((x, a), (w, b)):
        assert torch.equal(one.grad, two.grad) and names(one.grad) == names(two.grad)


def names(tensor):
    """Names of the nodes of a graph, in the order of the walk."""
    seen, stack, out = set(), [tensor.grad_fn], []
    while stack:
        node = stack.pop()
        if node is not None and node not in seen:
            seen.add(node)
            out.append(node.name())
            stack += [consumer for consumer, _ in node.next_functions]
    return out


def test_the_record_keeps_to_the_schema_and_round_trips():
    _, loss = sum_of_uses()
    record = trace.record(loss, create_graph=True)
    record.layout()
    validator().validate(json.loads(json.dumps({**record.head, "states": record.states})))
    again = Record.from_json(record.to_json())
    for k in range(len(record)):
        validator("state").validate(json.loads(json.dumps(record.state(k))))
        assert again.text(k) == record.text(k)
    assert "second graph" in again.text() and "second graph" not in again.text(1)


def test_what_nobody_keeps_is_not_kept_by_the_record():
    gc.collect()
    before = len(makers)
    x, y = cube()
    record = trace.record(y, create_graph=True)
    assert len(makers) == before + 4
    x.grad = None
    gc.collect()
    assert len(makers) == before and len(made(record)) == 4
