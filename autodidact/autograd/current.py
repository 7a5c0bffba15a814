"""What the backward pass in progress says of itself: to hooks, and to a Function's backward.

Example:
    >>> x.register_hook(lambda grad: Variable._execution_engine.queue_callback(notify))
"""

from collections.abc import Callable
from typing import Any

from autodidact.autograd import graph
from autodidact.autograd.dependencies import count, order
from autodidact.autograd.grad_mode import mode
from autodidact.tensor_base import TensorBase

__all__ = ["current_autograd_node", "current_graph_task_execution_order", "current_graph_task_id",
           "current_graph_task_keep_graph", "queue_callback", "will_engine_execute_node"]


def current_graph_task_id() -> int:
    """The number of the pass in progress, one more for each pass; -1 outside."""
    return -1 if mode.task is None else mode.task.id


def current_graph_task_keep_graph() -> bool:
    """Whether the pass in progress keeps the graph; True outside."""
    return True if mode.task is None else mode.task.keep_graph


def current_autograd_node() -> graph.Node | None:
    """The node whose hook or backward is being called; None outside."""
    return graph.dressed(mode.node)


def queue_callback(callback: Callable) -> None:
    """Call `callback()` once, when the pass in progress has run its last node.

    Raises:
        RuntimeError: outside a pass.
    """
    if mode.task is None:
        raise RuntimeError("Final callbacks can only be installed during backward pass.")
    mode.task.callbacks.append(callback)


def will_engine_execute_node(node: Any) -> bool:
    """Whether `node` runs in the pass in progress.

    Raises:
        RuntimeError: outside a pass; for anything but a node; for a leaf's node in `grad()`, which
            takes gradients without running it.
    """
    task = mode.task
    if task is None:
        raise RuntimeError("_get_should_execute_nodes() is of use only during the backward pass")
    if isinstance(node, TensorBase) or not isinstance(node, graph.Node):
        raise RuntimeError("_will_engine_execute_node expects an grad_fn, but got "
                           f"{type(node).__name__}")
    if task.exec_info is None:
        return node in task.dependencies
    if hasattr(node, "variable") and node in task.captures:
        raise RuntimeError("A leaf node was passed to _will_engine_execute_node but we are "
                           "currently running autograd.grad(). This is currently not supported.")
    return node in task.exec_info or node in task.captures


def current_graph_task_execution_order() -> list:
    """The nodes of the pass in progress, in the order in which they run.

    Raises:
        RuntimeError: outside a pass.
    """
    task = mode.task
    if task is None:
        raise RuntimeError("_current_graph_task_execution_order should only be called during the "
                           "backward pass")
    return [graph.dressed(node) for node in order(task.roots, count(task.roots))
            if task.exec_info is None or node in task.exec_info or node in task.captures]
