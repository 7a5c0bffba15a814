"""What is known before a pass: found by two walks over a kept graph, not by more."""

import pytest

import autodidact as torch
from autodidact.autograd import dependencies
from autodidact.autograd.backward import start
from autodidact.autograd.engine import GraphTask


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
    assert walks == ["count", "towards"] * 2
    for _ in range(5):
        y.backward(retain_graph=True)
    assert walks == ["count", "towards"] * 2 + ["count"]


def test_other_inputs_are_another_walk(walks):
    x, w, y = graph()
    for inputs in (x, x, x, w, w, [x, w]):
        torch.autograd.grad(y, inputs, retain_graph=True)
    assert walks == ["count", "towards"] * 4


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


class Watching(GraphTask):
    """A task that is looked at."""

    def apply(self, node, grads):
        self.__dict__.setdefault("ran", []).append(node.name())
        return super().apply(node, grads)


@pytest.mark.parametrize("task_class", [GraphTask, Watching])
def test_a_kept_graph_can_be_stepped_through(task_class):
    x, _, y = graph()
    (expected,) = torch.autograd.grad(y, x, retain_graph=True)
    for _ in range(3):
        torch.autograd.grad(y, x, retain_graph=True)
    assert y.grad_fn._prepared.route
    task = start(y, retain_graph=True, inputs=x, task_class=task_class, accumulate=False)
    steps = 0
    while task.ready:
        assert all(not task.dependencies[node] for *_, node in task.ready)
        task.run(1)
        steps += 1
    assert steps == 4 and task.captured_vars[0].tolist() == expected.tolist()
    assert all(not n for node, n in task.dependencies.items() if node.next or node.variable is x)
    if task_class is Watching:
        assert task.ran == ["SumBackward0", "SinBackward0", "MulBackward0"]


def test_large_graphs_keep_nothing(monkeypatch):
    monkeypatch.setattr(dependencies, "LARGE", 4)
    x, _, y = graph()
    for _ in range(3):
        torch.autograd.grad(y, x, retain_graph=True)
    assert y.grad_fn._prepared == ()


@pytest.mark.parametrize("accumulate", [True, False])
@pytest.mark.parametrize("asked", ["x", "w", "m", "xw", "mw", "xm", "xz", "xwz", "z", "xwzm", "d"])
def test_the_nodes_that_run_lie_on_a_way_to_an_input(asked, accumulate):
    x, w, z = (torch.ones(2, requires_grad=True) for _ in range(3))
    m = x * w
    with torch.no_grad():
        shut = z.view(2)                               # requires grad, but leads nowhere
    y = (m.sin() * x + shut * 2).sum() + z.sum()
    nodes = {name: torch.autograd.graph.get_gradient_edge(t).node
             for name, t in {"x": x, "w": w, "m": m, "z": z, "d": w * 2}.items()}
    inputs = [(nodes[name], 0) for name in asked]
    counts = dependencies.count((y.grad_fn,))
    ways = {node: leads_to(node, {node for node, _ in inputs}) for node in counts}
    expected = {node for node, leads in ways.items() if leads}
    if accumulate:
        expected |= {node for node, _ in inputs if node in counts}
    assert dependencies.towards(counts, inputs, accumulate) == expected


def leads_to(node, targets):
    """Whether an arrow, or several, lead from a node to one of the targets."""
    return any(n in targets or leads_to(n, targets) for n in node.next if n is not None)
