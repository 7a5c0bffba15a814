"""Which module a node of PyTorch's graph belongs to.

Afterwards only one thing can be seen: a node that uses a module's own parameter belongs to it.
Where the forward pass is run by `watched`, hooks on the modules tell it of every node.
"""

from collections.abc import Callable
from typing import Any

from autodidact.trace.torch_bridge.library import torch

__all__ = ["modules_by_parameters", "watched"]


def modules_by_parameters(graph: Any, found: dict[str, Any]) -> dict:
    """`grad_fn` -> path, for nodes that take a module's parameter, directly or by a view of it.

    Args:
        graph: the nodes.
        found: name -> tensor; a name with a dot is a parameter's path.
    """
    paths = {id(tensor): name.rpartition(".")[0] for name, tensor in found.items()
             if "." in name and "[" not in name}
    out: dict[Any, str] = {}
    for function, node in graph.nodes.items():
        for consumer in node.next:
            leaf = through_views(consumer)
            path = leaf and paths.get(id(leaf.variable.tensor))
            if path:
                out[function] = path
    return out


VIEWS = ("TBackward0", "TransposeBackward0", "ViewBackward0", "ExpandBackward0",
         "UnsqueezeBackward0")


def through_views(node: Any) -> Any:
    """The leaf behind a node that is a leaf, or a view of one; else None."""
    while node is not None and not hasattr(node, "variable"):
        if node.name() not in VIEWS:
            return None
        node = node.next[0]
    return node


def watched(module: Any, forward: Callable) -> tuple[Any, Callable]:
    """Run a forward pass; (its loss, a function from `grad_fn` to the path of its module).

    PyTorch numbers its nodes as they are made; a module's nodes are those between its beginning and
    its end. The innermost module counts.
    """
    spans: list[tuple] = []
    begun: list[tuple] = []
    handles = []
    for path, each in module.named_modules():
        if path:
            handles.append(each.register_forward_pre_hook(begins(path, begun)))
            handles.append(each.register_forward_hook(ends(spans, begun)))
    try:
        loss = forward()
    finally:
        for handle in handles:
            handle.remove()
    spans.sort(key=lambda span: span[2] - span[1])
    return loss, lambda function: inside(spans, function._sequence_nr())


def begins(path: str, begun: list) -> Callable:
    """The hook before a module."""
    return lambda module, given: begun.append((path, now()))


def ends(spans: list, begun: list) -> Callable:
    """The hook after a module."""
    return lambda module, given, result: spans.append((*begun.pop(), now()))


def inside(spans: list, number: int) -> str | None:
    """The innermost module in whose time a node was made."""
    return next((path for path, start, end in spans if start < number < end), None)


def now() -> int:
    """The number that PyTorch gives the next node, found by making one."""
    with torch().enable_grad():
        probe = torch().zeros((), requires_grad=True) * 1
    return probe.grad_fn._sequence_nr()
