"""Which module a node of PyTorch's graph belongs to; see `trace/module_paths.py`."""

from collections.abc import Callable
from typing import Any

from autodidact.trace import module_paths
from autodidact.trace.torch_bridge.library import torch

__all__ = ["modules_of", "watched"]


def modules_of(graph: Any, found: dict[str, Any], path_of: Callable | None) -> dict:
    """Node -> path: as `path_of` tells of a `grad_fn`, else as far as parameters tell."""
    if path_of is not None:
        return {node: path_of(function) for function, node in graph.nodes.items()}
    return module_paths.by_parameters(graph.nodes.values(), found,
                                      lambda leaf: leaf.variable.tensor)


def watched(module: Any, forward: Callable) -> tuple[Any, Callable]:
    """Run a forward pass; (its loss, a function from `grad_fn` to the path of its module)."""
    return module_paths.watched(torch(), module, forward)
