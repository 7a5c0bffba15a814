"""A pass over PyTorch's graph in the shape that the recorder reads: who waits, what has arrived.

The rules are the engine's own, as in `autograd/engine.py`: a node is ready when everything that
will send to it has sent; the newest runs first, leaves before all; what meets at a slot is summed.
"""

from typing import Any

from autodidact.trace.torch_bridge.library import is_tensor, summary, torch
from autodidact.trace.torch_bridge.second import TorchGrowth, is_once, links_of

__all__ = ["BridgeTask"]


class BridgeTask:
    """What pausing PyTorch's engine and driving its nodes by hand have in common.

    Args:
        graph: the nodes.
        roots: (node, slot, gradient) triples.
        keep_graph, create_graph: as for `backward`.
        inputs: (node, slot) pairs to stop at; None means every leaf.
        accumulate: with `inputs`: True writes `.grad`, False only returns what arrives.
    """

    engine = "torch"
    reads: dict = {}             # how often a packed tensor is read is not visible

    def __init__(self, graph: Any, roots: list, *, keep_graph: bool = False,
                 create_graph: bool = False, inputs: list | None = None,
                 accumulate: bool = True) -> None:
        self.graph, self.given = graph, roots
        self.keep_graph, self.create_graph, self.inputs = keep_graph, create_graph, inputs
        self.accumulate = accumulate
        self.events: list[tuple] = []
        self.growth, self.links = TorchGrowth(create_graph, graph), {}
        self.not_ready: dict[Any, list] = {}
        self.ready: list[tuple] = []
        self.freed: set = set()
        self.modules: dict[Any, str] = {}
        self.arrivals = 0
        self.edits: dict[Any, dict[int, Any]] = {}
        nodes = list(graph.nodes.values())
        self.dependencies = dict.fromkeys(nodes, 0)
        for node in nodes:
            for consumer in node.next:
                if consumer is not None:
                    self.dependencies[consumer] += 1
        self.exec_info = None if inputs is None else self.wanted(inputs)
        self.shared = self.meeting_places(nodes)
        for node, _, _ in roots:
            self.dependencies[node] += 1
        for node, slot, grad in roots:
            self.arrive(None, node, slot, grad, False)

    def wanted(self, inputs: list) -> set:
        """The nodes on a way to `inputs`; under `grad` a leaf's own node does not run."""
        senders: dict[Any, list] = {}
        for node in self.dependencies:
            for consumer in node.next:
                senders.setdefault(consumer, []).append(node)
        targets = [node for node, _ in inputs if node in self.dependencies]
        reach, stack = set(), list(targets)
        while stack:
            for sender in senders.get(stack.pop(), ()):
                if sender not in reach:
                    reach.add(sender)
                    stack.append(sender)
        return reach.union(targets) if self.accumulate else reach

    def meeting_places(self, nodes: list) -> set:
        """(node, slot) pairs at which more than one gradient arrives: there a sum is kept."""
        once: set = set()
        twice: set = set()
        places = [(n, s) for n, s, _ in self.given]
        places += [place for node in nodes for place in zip(node.next, node.nrs, strict=True)]
        for place in places:
            (twice if place in once else once).add(place)
        return twice

    # ---- what has arrived ---------------------------------------------------------------------

    def deliver(self, node: Any, results: Any) -> None:
        """Note what a node has sent, in the order of its edges."""
        self.growth.note(results)
        if self.create_graph and node.custom:
            self.links[node] = links_of(node, results)
        places = list(zip(node.next, node.nrs, strict=True))
        for position, (place, grad) in enumerate(zip(places, results, strict=False)):
            consumer, slot = place
            if consumer is not None:
                midway = place in places[position + 1:]
                self.arrive((node, position), consumer, slot, grad, midway)

    def arrive(self, edge: tuple | None, node: Any, slot: int, grad: Any, midway: bool) -> None:
        """One gradient at one slot; the last one makes its receiver ready."""
        runs = self.exec_info is None or node in self.exec_info
        if not runs and (node, slot) not in (self.inputs or ()):
            return
        grad = fit(grad, node, slot)
        slots = self.not_ready.setdefault(node, [None] * max(1, len(node.outputs)))
        value = summary(grad)
        total = value
        if (node, slot) in self.shared:
            total = self.sum_up(slots, slot, grad)
        else:
            slots[slot] = self.hold(grad)
        self.events.append(("deliver", edge, node, slot, value, total, midway))
        self.dependencies[node] -= 1
        if not self.dependencies[node] and runs:
            self.arrivals += 1
            self.ready.append((-node.sequence_nr, self.arrivals, node))
            self.ready.sort(key=lambda item: item[:2])

    def sum_up(self, slots: list, slot: int, grad: Any) -> dict | None:
        """Add to what is there; its SUMMARY."""
        if grad is not None:
            with torch().set_grad_enabled(self.create_graph and self.engine != "torch"):
                old = slots[slot]
                slots[slot] = grad.clone() if old is None else old + grad
        return summary(slots[slot])

    def hold(self, grad: Any) -> Any:
        """What is kept of a gradient that meets no other."""
        return grad

    # ---- for the recorder ---------------------------------------------------------------------

    def grad_of(self, node: Any) -> Any:
        """A leaf's `.grad`."""
        return node.variable.tensor.grad

    def is_freed(self, node: Any, item: Any) -> bool:
        """Whether a saved value only counts as freed."""
        return False

    def ran_again(self, places: list) -> None:
        """Note a checkpoint's second run of forward, where the node that ran has brought one about.

        `places`: what `places_of` gave before the node ran.
        """
        runs = max((len(place.handles) for place, before in places
                    if len(place.handles) > before), default=0)
        if runs:
            self.events.append(("again", runs + 1, "hidden"))

    def is_once(self, node: Any) -> bool:
        """Whether a custom backward is marked `once_differentiable`."""
        return is_once(node)

    def is_unlinked(self, node: Any, index: int) -> bool:
        """Whether a saved tensor has no history."""
        item = node.saved[index]
        value = item.value() if item.state()["state"] == "kept" else None
        return is_tensor(value) and not value.requires_grad

    def edit(self, node: Any, slot: int, value: Any) -> None:
        """Change a gradient that has arrived at a node which has not run yet."""
        self.edits.setdefault(node, {})[slot] = value

    def close(self) -> None:
        """Give the pass up."""


def places_of(node: Any) -> list:
    """The empty places of a checkpoint that a node has saved, and how often each was filled."""
    found = (item.place() for item in node.saved)
    return [(place, len(place.handles)) for place in found if place is not None]


def fit(grad: Any, node: Any, slot: int) -> Any:
    """A gradient in the shape and dtype of the value it belongs to, as the engine makes it."""
    if grad is None or slot >= len(node.outputs):
        return grad
    shape, dtype = node.outputs[slot]
    if grad.is_sparse or grad.is_nested:
        return grad
    if tuple(grad.shape) != shape:
        grad = grad.sum_to_size(shape)
    if grad.dtype != dtype.torch:
        if grad.is_complex() and not dtype.torch.is_complex:
            grad = grad.real
        grad = grad.to(dtype.torch)
    return grad
