"""What is known before a pass: found by two walks over a kept graph, not by more."""

import pytest

import autodidact as torch
from autodidact.autograd import dependencies


@pytest.fixture
def walks(monkeypatch):
    """The walks over a graph so far, by name."""
    seen = []
    for name in ("count", "towards"):
        walk = getattr(dependencies, name)
        monkeypatch.setattr(dependencies, name,
                            lambda *a, walk=walk, name=name: seen.append(name) or walk(*a))
    return seen


def graph():
    """x, w and y = f(x, w)."""
    x, w = (torch.ones(2, requires_grad=True) for _ in range(2))
    return x, w, (x * w).sin().sum()


def test_passes_over_a_kept_graph_walk_twice(walks):
    x, w, y = graph()
    for _ in range(5):
        torch.autograd.grad(y, [x, w], retain_graph=True)
    assert walks == ["towards"] * 2
    for _ in range(5):
        y.backward(retain_graph=True)
    assert walks == ["towards"] * 2 + ["count"]


def test_other_inputs_are_another_walk(walks):
    x, w, y = graph()
    for inputs in (x, x, x, w, w, [x, w]):
        torch.autograd.grad(y, inputs, retain_graph=True)
    assert len(walks) == 4


def test_a_graph_that_is_not_kept_keeps_nothing():
    x, _, y = graph()
    torch.autograd.grad(y, x, create_graph=True)
    torch.autograd.grad(y, x, retain_graph=True)
    assert y.grad_fn._prepared == ()
    torch.autograd.grad(y, x)
    assert y.grad_fn._prepared == ()


def test_a_task_does_not_use_up_what_is_kept():
    x, w, y = graph()
    first = [torch.autograd.grad(y, [x, w], retain_graph=True) for _ in range(2)]
    before = dict(y.grad_fn._prepared.counts)
    again = [torch.autograd.grad(y, [x, w], retain_graph=True) for _ in range(2)]
    assert y.grad_fn._prepared.counts == before and y.grad_fn not in before
    for found in (*first, *again):
        assert [g.tolist() for g in found] == [g.tolist() for g in first[0]]
