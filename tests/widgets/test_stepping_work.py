"""A step costs the same in a small graph and in a large one: work is counted, not time."""

import json
import sys
import tracemalloc

import numpy as np
import pytest
from autodidact_widgets import compare, show

import autodidact as torch
from autodidact.trace.own_engine import OwnEngine
from autodidact.trace.replay import bytes_kept

SMALL, LARGE = 80, 800        # nodes


class Work:
    """What runs inside: lines of Python executed, and the most memory held at a time."""

    def __enter__(self):
        self.lines = 0
        tracemalloc.start()
        sys.settrace(self.count)
        return self

    def __exit__(self, *error):
        sys.settrace(None)
        self.memory = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()

    def count(self, frame, event, argument):
        self.lines += event == "line"
        return self.count


def chain(nodes, library=torch):
    y = x = library.tensor(0.5, requires_grad=True)
    assert x.is_leaf
    for _ in range(nodes // 2):
        y = library.sin(y) * 1.1
    return y


def layers(nodes):
    """Many leaves, each with a `.grad` already, which the pass adds to in place."""
    h = torch.ones(2, 4)
    for _ in range(nodes // 4):
        w = torch.full((4, 4), 0.1, requires_grad=True)
        w.grad = torch.zeros(4, 4)
        h = torch.tanh(h @ w)
    return h.sum()


def hooked(nodes):
    """Every second node has a hook."""
    y = torch.tensor(0.5, requires_grad=True)
    for _ in range(nodes // 2):
        y = torch.sin(y) * 1.1
        y.register_hook(lambda grad: grad * 1)
    return y


class Value:
    """A learner's own node: the sine of the one before, roughly."""

    def __init__(self, number, parents=()):
        self.number, self.above = number, parents

    def parents(self):
        return self.above

    def value(self):
        return self.number

    def rule(self, grad):
        return [grad * 0.9 for _ in self.above]


def own(nodes):
    value = Value(0.5)
    for _ in range(nodes):
        value = Value(float(np.sin(value.number)), (value,))
    return OwnEngine(value)


def with_breakpoints(nodes):
    return show(chain(nodes)).break_at(nan=True).break_at(norm=1e9).break_at(op="SinBackward0")


PASSES = {
    "chain": lambda nodes: show(chain(nodes)),
    "leaves": lambda nodes: show(layers(nodes)),
    "copy": lambda nodes: show(layers(nodes), copy=True),
    "create_graph": lambda nodes: show(layers(nodes), create_graph=True),
    "hooks": lambda nodes: show(hooked(nodes)),
    "breakpoints": with_breakpoints,
    "predict": lambda nodes: show(chain(nodes), ask=True),
    "what-if": lambda nodes: show(chain(nodes)).edit("MulBackward0 #0", 2.0),
    "own engine": own,
}


def counted(make, nodes):
    """Lines and memory of three steps (the first ones fill caches)."""
    stepper = make(nodes)
    for _ in range(5):
        stepper.step()
    with Work() as work:
        for _ in range(3):
            stepper.step()
    return work


@pytest.mark.parametrize("name", PASSES)
def test_a_step_of_a_large_graph_is_no_more_work(name):
    small, large = (counted(PASSES[name], nodes) for nodes in (SMALL, LARGE))
    assert large.lines <= 1.05 * small.lines
    assert large.memory <= 1.5 * small.memory + 4000


RUNS = {
    "alike": lambda nodes: compare(show(chain(nodes)), show(chain(nodes), retain_graph=True)),
    "leaves": lambda nodes: compare(show(layers(nodes)), show(layers(nodes), copy=True)),
    "other values": lambda nodes: compare(show(chain(nodes)), show(chain(nodes) * 2)),
    "records": lambda nodes: compare(finished(chain(nodes)), finished(layers(nodes))),
}


def finished(loss):
    stepper = show(loss)
    stepper.finish()
    return stepper.record


@pytest.mark.parametrize("name", RUNS)
def test_a_step_of_two_large_graphs_in_lock_step_is_no_more_work(name):
    small, large = (counted(RUNS[name], nodes) for nodes in (SMALL, LARGE))
    assert large.lines <= 1.05 * small.lines


def test_in_lock_step_a_change_from_outside_is_seen_and_a_step_of_the_other_run_is_none():
    w = torch.tensor(2.0, requires_grad=True)

    def run():
        y = w
        for _ in range(4):
            y = torch.sin(y) * 1.1
        return y

    both = compare(show(run()), show(run() * w))
    both.step().step()
    sessions = [run[0] for run in both._driver.runs]
    assert [each.record.state(-1)["outside"] for each in sessions] == [[], []]
    with torch.no_grad():
        w.grad = torch.tensor(7.0)
    both.step()
    assert [each.record.state(-1)["outside"] for each in sessions] == [["w.grad"], ["w.grad"]]
    both.finish()                                        # one leaf: each run sees the other's sum
    assert [state.get("outside") for state in sessions[1].states[-2:]] == [["w.grad"], None]


@pytest.mark.oracle
@pytest.mark.parametrize("copy", [False, True])
def test_a_step_of_a_large_torch_graph_is_no_more_work(oracle, copy):
    def make(nodes):
        return show(chain(nodes, oracle), copy=copy)
    small, large = (counted(make, nodes) for nodes in (500, 1000))
    assert large.lines <= 1.05 * small.lines
    assert large.memory <= 1.5 * small.memory + 4000


def test_what_the_learner_changes_meanwhile_is_seen_in_a_large_graph():
    x = torch.tensor(0.5, requires_grad=True)
    w = torch.tensor(2.0, requires_grad=True)
    y = x * w
    for _ in range(LARGE // 2):
        y = torch.sin(y) * 1.1
    stepper = show(y).step()
    with torch.no_grad():
        w.add_(1)
    x.grad = torch.tensor(7.0)
    z = (x * 2).sum()
    z.register_hook(lambda grad: grad)
    stepper.step()
    state, head = stepper.record.state(-1), stepper.record.head
    stale = {entry["var"] for node in head["nodes"] for entry in node["saved"]
             if state["saved"][entry["key"]]["state"] == "stale"}
    assert stale == {"w"} and state["outside"] == ["x.grad"]
    x.grad.numpy()[...] = 8.0                # not counted: seen when x's own turn comes
    with pytest.raises(RuntimeError, match="inplace"):
        stepper.finish()


@pytest.mark.parametrize("size", [10, 10_000_000])
def test_a_message_is_small_whatever_the_tensors(size):
    x = torch.ones(size, requires_grad=True)
    stepper = show((x * 2).sum())
    sizes = []
    stepper.send = lambda content, buffers=None: sizes.append(len(json.dumps(content)))
    stepper.finish()
    assert sizes and max(sizes) < 50_000 and len(json.dumps(stepper._head)) < 50_000


def test_the_bytes_are_those_of_a_count_from_scratch():
    stepper = show(layers(40))
    stepper.finish()
    record = stepper.record
    for k in range(len(record)):
        state = record.state(k)
        assert state["bytes"] == bytes_kept(record.head, state["saved"])
