"""Which module a node belongs to, for either library.

Where the forward pass is run by `watched`, hooks on the modules tell it of every node. Afterwards
only one thing can be seen: a node that uses a module's own parameter belongs to that module.
"""

import sys
from collections.abc import Callable, Iterable
from typing import Any

__all__ = ["by_parameters", "is_module", "parameters", "watched"]


def is_module(value: Any) -> bool:
    """Whether a value is a module of autodidact's; `nn` is not loaded for the question."""
    networks = sys.modules.get("autodidact.nn.module")
    return networks is not None and isinstance(value, networks.Module)


def parameters(value: Any) -> list:
    """(path, parameter) pairs of a module; of anything else none."""
    return list(value.named_parameters()) if is_module(value) else []


# ---- afterwards ----------------------------------------------------------------------------------

VIEWS = ("TBackward0", "TransposeBackward0", "ViewBackward0", "ExpandBackward0",
         "UnsqueezeBackward0")


def by_parameters(nodes: Iterable, found: dict[str, Any], tensor_of: Callable) -> dict:
    """Node -> path, for nodes that take a module's parameter, directly or by a view of it.

    Args:
        nodes: the nodes of a graph.
        found: name -> tensor; a name with a dot is a parameter's path; the first one counts.
        tensor_of: the tensor of a leaf's node.
    """
    paths = {id(tensor): name.rpartition(".")[0] for name, tensor in reversed(found.items())
             if "." in name and "[" not in name}
    out: dict[Any, str] = {}
    for node in nodes:
        for consumer in node.next:
            leaf = through_views(consumer)
            path = leaf and paths.get(id(tensor_of(leaf)))
            if path:
                out[node] = path
    return out


def through_views(node: Any) -> Any:
    """The leaf behind a node that is a leaf, or a view of one; else None."""
    while node is not None and not hasattr(node, "variable"):
        if node.name() not in VIEWS:
            return None
        node = node.next[0]
    return node


# ---- while it runs -------------------------------------------------------------------------------


def watched(library: Any, module: Any, forward: Callable) -> tuple[Any, Callable]:
    """Run a forward pass; (its loss, a function from `grad_fn` to the path of its module).

    Nodes are numbered as they are made; a module's nodes are those between its beginning and its
    end. The innermost module counts.
    """
    spans: list[tuple] = []
    begun: list[tuple] = []
    handles = []
    for path, each in module.named_modules():
        if path:
            handles.append(each.register_forward_pre_hook(begins(library, path, begun)))
            handles.append(each.register_forward_hook(ends(library, spans, begun)))
    try:
        loss = forward()
    finally:
        for handle in handles:
            handle.remove()
    spans.sort(key=lambda span: span[2] - span[1])
    return loss, lambda function: inside(spans, function._sequence_nr())


def begins(library: Any, path: str, begun: list) -> Callable:
    """The hook before a module."""
    return lambda module, given: begun.append((path, now(library)))


def ends(library: Any, spans: list, begun: list) -> Callable:
    """The hook after a module."""
    return lambda module, given, result: spans.append((*begun.pop(), now(library)))


def inside(spans: list, number: int) -> str | None:
    """The innermost module in whose time a node was made."""
    return next((path for path, start, end in spans if start < number < end), None)


def now(library: Any) -> int:
    """The number that the library gives the next node, found by making one."""
    with library.enable_grad():
        probe = library.zeros((), requires_grad=True) * 1
    return probe.grad_fn._sequence_nr()
