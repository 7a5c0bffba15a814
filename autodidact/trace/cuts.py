"""Where a second derivative gets cut: gradients of a custom Function that lost their graph.

Under create_graph a gradient is to have a graph of its own. A custom backward can lose it in two
ways: it uses a tensor that its forward computed, where nothing is recorded, or it is marked
`once_differentiable`. PyTorch says nothing; so does autodidact. A record tells it.
"""

from typing import Any

from autodidact.autograd.graph import Node
from autodidact.tensor_base import TensorBase

__all__ = ["cuts", "links"]


def links(node: Node, results: Any) -> list:
    """Of each gradient that a custom Function sends: None, or how it is linked.

    "plain": it has no graph. "graph": it has one. "error": its node refuses a second pass.
    """
    found: list[str | None] = []
    for grad in results:
        if not isinstance(grad, TensorBase):
            found.append(None)
        elif not grad._requires_grad:
            found.append("plain")
        else:
            fn = grad._grad_fn
            refuses = fn is not None and fn.name() == "torch::autograd::Error"
            found.append("error" if refuses else "graph")
    return found


def cuts(recorder: Any, ran: Node) -> dict:
    """edge -> what is cut along it, for a step of a custom Function: {"kind", "why"}."""
    found = recorder.task.links.pop(ran, None)
    if found is None:
        return {}
    subject, out = recorder.subject, {}
    once = recorder.task.is_once(ran)
    names = [name_of(entry) for i, entry in subject.entries.get(ran, ())
             if entry["role"] == "intermediate" and recorder.task.is_unlinked(ran, i)]
    for position, link in enumerate(found):
        edge = subject.edges.get((ran, position))
        if edge is None or link is None or not (once or names):
            continue
        why = ({"id": "cut.once", "args": {}} if once
               else {"id": "cut.saved", "args": {"what": names}})
        out[edge] = {"kind": "part" if link == "graph" else link, "why": why}
    return out


def name_of(entry: dict) -> str:
    """What a saved tensor is called: the learner's name, else its place."""
    return str(entry["var"] or entry["name"])
