"""Why a tensor cannot be stepped: a notice instead of a stepper."""

from typing import Any

from autodidact.autograd.graph import edge
from autodidact.tensor_base import TensorBase
from autodidact.trace.case import rule_of
from autodidact.trace.messages import say
from autodidact.trace.past import cut_of
from autodidact.trace.sentences import sentence
from autodidact_widgets.notice import Notice

__all__ = ["obstacle"]


def obstacle(loss: Any, gradient: Any, found: dict, options: dict) -> Notice | None:
    """Why a tensor cannot be stepped, in one sentence; None when it can."""
    if not isinstance(loss, TensorBase):
        return Notice("error.not_a_tensor", given=type(loss).__name__)
    name = next((n for n, t in found.items() if t is loss), None) or say("title.output")
    if not loss.requires_grad:
        return Notice("error.no_graph", more=where_it_ends(loss), name=name)
    node, _ = edge(loss)
    if node is None or hasattr(node, "variable"):
        return Notice("error.leaf_root", name=name)
    if loss.numel() != 1 and gradient is None:
        return Notice("error.not_scalar", name=name, count=loss.numel(),
                      shape=str(tuple(loss.shape)))
    if node.saved is None:
        return Notice("error.graph_freed", name=name)
    return None


def where_it_ends(loss: TensorBase) -> list:
    """Which line has cut the graph of a tensor, as sentences; [] where nobody has seen it."""
    told = cut_of(loss)
    if told is None:
        return []
    rule, _ = rule_of("error.no_graph")
    return [sentence("clinic.cut", line=told["where"]["line"], code=told["source"] or "-"), rule]
