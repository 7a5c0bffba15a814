"""Hand mode: every node of PyTorch's graph called from here, in the engine's order.

Nothing real is written or freed, so a pass can be stepped on a copy, changed in the middle, and run
again. What this cannot do: tensor hooks and node hooks do not fire, and freeing is only modelled.
"""

from typing import Any

from autodidact.trace.messages import say
from autodidact.trace.torch_bridge.library import torch
from autodidact.trace.torch_bridge.tasks import BridgeTask, places_of

__all__ = ["HandTask"]


class HandTask(BridgeTask):
    """A pass driven by hand, on a copy."""

    engine = "torch_by_hand"

    def __init__(self, *args: Any, **options: Any) -> None:
        self.grads: dict[Any, Any] = {}
        self.captured: dict[tuple, Any] = {}
        super().__init__(*args, **options)

    def run(self, limit: int = -1) -> bool:
        """Run `limit` nodes (-1: to the end); True while some are left."""
        while self.ready and limit:
            limit -= 1
            node = self.ready[0][2]
            grads = list(self.not_ready.get(node, ()))
            for slot, value in self.edits.pop(node, {}).items():
                grads[slot] = value
            self.events.append(("run", node, any(grad is not None for grad in grads)))
            places = places_of(node)
            with torch().set_grad_enabled(self.create_graph):
                results = self.leaf(node, grads) if hasattr(node, "variable") else (
                    self.work(node, grads))
            self.ran_again(places)
            self.ready.pop(0)
            self.not_ready.pop(node, None)
            if node.saved and not self.keep_graph:
                self.freed.add(node)
                self.events.append(("free", node))
            self.deliver(node, results)
        return bool(self.ready)

    def work(self, node: Any, grads: list) -> tuple:
        """What the node sends."""
        return call(node, grads)

    def leaf(self, node: Any, grads: list) -> tuple:
        """A leaf's gradient is kept here, not in the leaf."""
        old, new = self.grad_of(node), grads[0]
        if new is not None:
            self.grads[node] = new.clone() if old is None else old + new
        return ()

    def grad_of(self, node: Any) -> Any:
        """What a leaf's `.grad` would be."""
        return self.grads[node] if node in self.grads else super().grad_of(node)

    def is_freed(self, node: Any, item: Any) -> bool:
        """Whether the real engine would have freed it by now."""
        return node in self.freed and item.state()["state"] != "none"


def call(node: Any, grads: list) -> tuple:
    """A node's own work: what it sends, one gradient for each of its edges."""
    if node.name() == "CheckpointFunctionBackward":
        raise RuntimeError(say("refused.reentrant"))
    function = node.function.apply if node.custom else node.function
    results = function(*grads)
    results = results if isinstance(results, tuple) else (results,)
    return of_tensors(node, results) if node.custom else results


def of_tensors(node: Any, results: tuple) -> tuple:
    """A custom backward answers for every argument of forward; edges are there for tensors only."""
    needs = node.function.needs_input_grad
    if len(needs) != len(results):
        return results
    wanted = (result for result, need in zip(results, needs, strict=True) if need)
    return tuple(None if consumer is None else next(wanted, None) for consumer in node.next)
