"""A learner's own engine, recorded: three methods are enough; a wrong order gives a red number."""

import json

import numpy as np
import pytest

from autodidact import trace
from autodidact.trace.own_engine import OwnEngine
from tests.trace.test_record import validator


class Value:
    """What a learner writes in an evening."""

    def __init__(self, number, made_from=(), slopes=(), op=""):
        self.number, self.made_from, self.slopes, self.op = number, made_from, slopes, op
        self.asked = 0

    def parents(self):
        return self.made_from

    def value(self):
        return self.number

    def rule(self, grad):
        self.asked += 1
        return [grad * slope for slope in self.slopes]

    def __add__(self, other):
        return Value(self.number + other.number, (self, other), (1.0, 1.0), "+")

    def __mul__(self, other):
        slopes = (other.number, self.number)
        return Value(self.number * other.number, (self, other), slopes, "*")

    def __eq__(self, other):                           # a class may mean something else by it
        raise AssertionError("nobody should compare")

    __hash__ = None


def diamond():
    a, b = Value(2.0), Value(3.0)
    c = a * b
    d = c + a
    L = d * d
    return dict(a=a, b=b, c=c, d=d, L=L)


def of(record, part):
    """part -> the text of its summary, by the learner's name."""
    names = {node["id"]: node["var"] for node in record.head["nodes"]}
    return {names[key]: value for key, value in record.state(-1)[part].items()}


def test_the_diamond_ends_as_every_engine_ends_it():
    v = diamond()
    a, b, c, d, L = v.values()
    record = trace.own_engine(L)
    assert record.as_reference()["final"] == {
        "end": "ok", "grad": {"b": [32.0], "a": [64.0]},
        "saved": {"Value#0": "none", "Value#1": "none", "Value#2": "none"}}
    assert [node["source"] for node in record.head["nodes"][:3]] == [
        "L = d * d", "d = c + a", "c = a * b"]
    assert not record.state(-1)["wrong"]
    assert [node.asked for node in (L, d, c, a, b)] == [1, 1, 1, 0, 0]
    validator().validate(json.loads(record.to_json()))
    record.layout()
    assert "32" in record.svg()
    assert c.number == 6 and d.number == 8


def test_a_wrong_order_ends_in_a_wrong_number_with_the_right_one_beside_it():
    v = diamond()
    a, b, c, d, L = v.values()
    record = trace.own_engine(L, order=[L, c, d, a, b])
    wrong = {name: (mark["got"]["text"], mark["expected"]["text"])
             for name, mark in of(record, "wrong").items()}
    assert wrong == {"c": ("0", "16"), "a": ("16", "64"), "b": ("0", "32")}
    said = record.state(2)["say"][0]
    assert said["id"] == "step.own_early" and said["args"]["expected"] == "16"
    assert "16 instead of 64" in record.text() and "16 instead of 64" in record.svg()
    assert "wrong" not in record.text(1)
    assert all(node.asked == 2 for node in (c, d, L))        # once, and once in the right order
    validator().validate(json.loads(record.to_json()))


def test_an_early_leaf_is_no_mistake_for_its_gradient_still_grows():
    a, b, c, d, L = diamond().values()
    record = trace.own_engine(L, order=lambda root: [root, d, a, c, b])
    assert not record.state(-1)["wrong"]
    assert of(record, "grads")["a"]["value"]["text"] == "64"


def test_what_an_order_leaves_out_is_said():
    a, b, c, d, L = diamond().values()
    record = trace.own_engine(L, order=[L, d, a, b], names={"c": c})
    assert record.state(-1)["say"][-2]["args"] == {"what": ["c"]}
    assert set(of(record, "wrong")) == {"a", "b"}


def test_a_wrong_rule_is_found_by_what_the_caller_expects():
    a, b, _c, d, L = diamond().values()
    d.slopes = (1.0, 2.0)
    record = trace.own_engine(L, expected={"a": 64, "b": 32}, names={"a": a, "b": b})
    assert {name: mark["got"]["text"] for name, mark in of(record, "wrong").items()} == {"a": "80"}


def test_arrays_and_plain_numbers_among_the_parents():
    x = Value(np.array([1.0, 2.0]))
    double = Value(2 * x.number, (x, 2.0), (2.0, 0.0), "*")
    record = trace.own_engine(double)
    assert record.as_reference()["final"]["grad"] == {"x": [2.0, 2.0]}
    assert record.head["nodes"][0]["source"] == "double = x * ..."


@pytest.mark.parametrize("rule, name, words", [
    (lambda grad: [grad], "OwnRuleError", "returned 1 gradient; 2 were expected"),
    (lambda grad: 1 / 0, "ZeroDivisionError", "stopped with ZeroDivisionError"),
    (lambda grad: ["one", "two"], "TypeError|UFuncTypeError|DTypePromotionError|ValueError", "c"),
])
def test_a_rule_that_fails_stops_at_its_node(rule, name, words):
    _a, _b, c, _d, L = diamond().values()
    c.rule = rule
    record = trace.own_engine(L)
    state = record.state(-1)
    assert state["end"] == "error" and state["error"]["class"] in name.split("|")
    assert words in record.text()
    assert state["error"]["node"] == "n2" and state["status"]["n2"] == "failed"
    validator().validate(json.loads(record.to_json()))


def test_what_cannot_be_stepped_is_refused_in_words():
    a, _b, _c, d, L = diamond().values()
    with pytest.raises(TypeError, match=r"no parents.*three|parents\(\), value\(\) and rule"):
        trace.own_engine(3.0)
    with pytest.raises(ValueError, match="not in the graph"):
        trace.own_engine(L, order=[L, Value(1.0)])
    with pytest.raises(ValueError, match="twice"):
        trace.own_engine(L, order=[L, d, d])
    with pytest.raises(ValueError, match="empty"):
        trace.own_engine(L, order=[])
    a.made_from = (L,)
    with pytest.raises(ValueError, match="circle"):
        trace.own_engine(L)


def test_a_deep_graph_needs_no_recursion():
    x = y = Value(1.0)
    for _ in range(1500):
        y = y + x
    assert OwnEngine(y).graph.right[0] is y


def test_going_back_shows_the_same_states_again():
    a, b, c, d, L = diamond().values()
    engine = OwnEngine(L, order=[L, c, d, a, b], names={id(L): "L"})
    texts = []
    while not engine.done:
        texts.append(engine.record.text())
        engine.step()
    assert [engine.record.text(k) for k in range(len(texts))] == texts
    again = trace.Record.from_json(engine.record.to_json())
    assert [again.text(k) for k in range(len(texts))] == texts
