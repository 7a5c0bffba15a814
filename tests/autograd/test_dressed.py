"""Nodes are plain until somebody looks; whoever may see one sees it in its operation's class."""

import pytest

import autodidact as torch
from autodidact.autograd.graph import Node

MADE = {
    "a product": lambda x: x * x,
    "with a number": lambda x: x * 2.0,
    "one that wants no gradient": lambda x: x + torch.ones(2, 2),
    "of one tensor": lambda x: x.sin(),
    "with arguments": lambda x: x.sum(0),
    "of three tensors": lambda x: torch.addmm(x, x, x),
    "a list": lambda x: torch.cat([x, x]),
    "of a view": lambda x: x.t() * 2.0,
    "in place": lambda x: x.clone().mul_(x),
    "promoted": lambda x: x + torch.ones(2, 2, dtype=torch.float64),
}


def product():
    """A graph at which nobody has looked: MulBackward0 over SinBackward0."""
    x = torch.ones(2, requires_grad=True)
    return x.sin() * x


def passing(look):
    """What `look()` finds in a backward pass, where the sine's saved tensor is unpacked."""
    x, seen = torch.ones(2, requires_grad=True), []

    def unpack(kept):
        seen.append(look())
        return kept
    with torch.autograd.detect_anomaly(check_nan=False):
        with torch.autograd.graph.saved_tensors_hooks(lambda saved: saved, unpack):
            y = x.sin()
        (y * x).sum().backward()
    return seen[0]


def parent():
    """The node whose backward made a node, as anomaly mode notes it."""
    with torch.autograd.detect_anomaly(check_nan=False):
        x = torch.tensor(2.0, requires_grad=True)
        (grad,) = torch.autograd.grad(x.sin() * 1.0, x, create_graph=True)
    return grad.grad_fn.metadata["parent_"]


DOORS = {
    "grad_fn": (lambda: product().grad_fn, "MulBackward0"),
    "next_functions": (lambda: product().grad_fn.next_functions[0][0], "SinBackward0"),
    "a gradient edge": (lambda: torch.autograd.graph.get_gradient_edge(product()).node,
                        "MulBackward0"),
    "the node of a pass": (lambda: passing(torch._C._current_autograd_node), "SinBackward0"),
    "the order of a pass": (
        lambda: passing(torch._C._current_graph_task_execution_order)[1], "MulBackward0"),
    "a parent in anomaly mode": (parent, "SinBackward0"),
}


@pytest.mark.parametrize("name", MADE)
def test_recording_makes_plain_nodes(name):
    made = MADE[name](torch.ones(2, 2, requires_grad=True))
    assert type(made._grad_fn) is Node          # one class of all: what makes a pass quick
    assert made._grad_fn.op is not None
    assert made.grad_fn is made._grad_fn
    assert type(made._grad_fn) is made._grad_fn.op.node_class


@pytest.mark.filterwarnings("ignore:Anomaly Detection")
@pytest.mark.parametrize("name", DOORS)
def test_whoever_may_see_a_node_sees_its_operation(name):
    door, expected = DOORS[name]
    assert type(door()).__name__ == expected


def test_names_are_those_of_the_operation_before_anybody_has_looked():
    node = product()._grad_fn
    assert type(node) is Node
    assert node.name() == "MulBackward0"
    assert repr(product()._grad_fn).startswith("<MulBackward0 object at ")
    assert "grad_fn=<MulBackward0>" in repr(product())
