"""register_multi_grad_hook: one hook for the gradients of several tensors."""

from collections.abc import Callable, Sequence
from typing import Any

from autodidact.autograd.current import (
    current_graph_task_id,
    queue_callback,
    will_engine_execute_node,
)
from autodidact.autograd.graph import edge
from autodidact.autograd.hooks import RemovableHandle
from autodidact.tensor_base import TensorBase

__all__ = ["register_multi_grad_hook"]


class MultiHandle(RemovableHandle):
    """One handle for several hooks."""

    __slots__ = ("handles",)

    def __init__(self, handles: tuple) -> None:
        self.handles = handles

    def remove(self) -> None:
        """Take all of them away."""
        for handle in self.handles:
            handle.remove()


def register_multi_grad_hook(tensors: Sequence[TensorBase], fn: Callable, *,
                             mode: str = "all") -> MultiHandle:
    """Call `fn` when the gradients of several tensors are there.

    Args:
        tensors: the tensors.
        fn: with "all": called once in each pass with the list of gradients (None where a tensor
            takes no part), after the last of them; with "any": called with the first of them.
        mode: "all" or "any".

    Raises:
        ValueError: another mode.

    Example:
        >>> handle = register_multi_grad_hook((x, y), lambda grads: print(grads))
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    return MultiHandle(register_all(tensors, fn) if mode == "all" else register_any(tensors, fn))


def register_all(tensors: Sequence[TensorBase], fn: Callable) -> tuple:
    """Collect, for each pass by itself: passes may be nested, and run in several threads."""
    nodes = [edge(t)[0] for t in tensors]
    passes: dict[int, list] = {}         # number of the pass -> [gradients, how many are missing]

    def collect(index: int) -> Callable:
        def hook(grad: Any) -> None:
            number = current_graph_task_id()
            if number not in passes:
                passes[number] = [[None] * len(nodes), sum(map(will_engine_execute_node, nodes))]
            state = passes[number]
            state[0][index] = grad
            state[1] -= 1
            if not state[1]:
                fn(passes.pop(number)[0])
        return hook
    return tuple(t.register_hook(collect(i)) for i, t in enumerate(tensors))


def register_any(tensors: Sequence[TensorBase], fn: Callable) -> tuple:
    """The first gradient of each pass."""
    called: set[int] = set()             # numbers of the passes in progress that have brought one

    def hook(grad: Any) -> None:
        number = current_graph_task_id()
        if number not in called:
            called.add(number)
            queue_callback(lambda: called.discard(number))
            fn(grad)
    return tuple(t.register_hook(hook) for t in tensors if t.requires_grad)
