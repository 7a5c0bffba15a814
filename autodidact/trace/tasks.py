"""A backward pass that writes down what happens, as the engine's own `GraphTask`.

`RecordingTask` overrides the engine's small methods (`apply`, `release`, `deliver`, `hooks_of`) to
note an event and then does what they always do: there is no second loop, and watching changes
nothing. `CopyTask` does the same on a copy: it frees nothing and writes no `.grad`.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from autodidact.arrays.foreign import copied
from autodidact.arrays.gpu import observing
from autodidact.autograd import engine
from autodidact.autograd.grad_mode import mode
from autodidact.autograd.graph import GraphRoot, Node
from autodidact.autograd.hooks import Hooks, run_pre_hooks
from autodidact.autograd.saved_tensors import Packed
from autodidact.tensor_base import CHANGES, TensorBase
from autodidact.trace.again import Forward, same_random_state
from autodidact.trace.cuts import links
from autodidact.trace.directions import inside, level_now, rows
from autodidact.trace.families import holder
from autodidact.trace.lines import watched
from autodidact.trace.measure import measure
from autodidact.trace.packed import reads_of
from autodidact.trace.second import Growth
from autodidact.trace.subject import is_leaf

__all__ = ["CopyTask", "RecordingTask", "array_of", "hook_name"]


def array_of(grad: Any) -> Any:
    """The numbers of a gradient, in either reading."""
    return getattr(grad, "_array", grad)


class RecordingTask(engine.GraphTask):
    """A `GraphTask` that keeps a list of what has just happened.

    `events` holds tuples: ("run", node, whether any gradient came), ("hook", node, kind, name,
    before, after), ("free", node), ("deliver", edge, consumer, slot, value, sum there,
    whether the same node adds to it again), ("retain", node), ("transfer", what crossed between
    devices); of a custom backward also what `lines.py` notes.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.events: list[tuple] = []
        self.reads: dict[tuple, int] = {}
        self.links: dict[Node, list] = {}              # of a custom Function's gradients
        self.lanes = level_now()                       # of a pass in many directions at once
        super().__init__(*args, **kwargs)
        self.growth = Growth(self.create_graph)

    def run(self, limit: int = -1) -> bool:
        """Under `create_graph` what the nodes make is noted, too."""
        with inside(self.lanes):
            if not self.create_graph:
                return super().run(limit)
            with self.growth.watching():
                return super().run(limit)

    def numbers(self, grad: Any) -> Any:
        """The numbers of a gradient; of a pass in many directions, a row for each."""
        return array_of(grad) if self.lanes is None else rows(grad, self.lanes)

    def foretell(self, node: Node, grads: list) -> Any:
        """What a node's formulas give for these gradients; a row's own, so that nobody notices."""
        if self.lanes is None:
            return type(node).apply(node, [array_of(grad) for grad in grads], False)
        return type(node).apply(node, grads, True)

    def apply(self, node: Node, grads: list) -> Any:
        """Note that the node runs."""
        self.events.append(("run", node, any(grad is not None for grad in grads)))
        if node.op is not None or not hasattr(node, "_forward_cls"):
            return super().apply(node, grads)
        with watched(node, self.events):
            return super().apply(node, grads)

    def hooks_of(self, node: Node) -> Any:
        """The node's hooks, each in a wrapper that notes what it did."""
        return WatchedHooks(node, node._hooks, self.events, self.numbers)

    def release(self, node: Node) -> None:
        """Note what is freed."""
        self.note_reads(node)
        had = bool(node.saved) or getattr(node, "fn", None) is not None
        node.release_variables()
        if had:
            self.events.append(("free", node))

    @contextmanager
    def recomputing(self, frame: Any, state: Any) -> Iterator[None]:
        """Note a checkpoint's second run: which run it is, its random state, its operations."""
        self.growth.learn()
        self.events.append(("again", frame.runs, same_random_state(state)))
        CHANGES[0] += 2                                # other nodes' places are filled, too
        before, forward = mode.watch, Forward(self.growth, self.events)
        mode.set(watch=forward.watch)
        try:
            yield
        finally:
            mode.set(watch=before)
            forward.over()

    def is_once(self, node: Node) -> bool:
        """Whether a custom backward is marked `once_differentiable`."""
        return bool(getattr(node._forward_cls.backward, "once_differentiable", False))

    def is_unlinked(self, node: Node, index: int) -> bool:
        """Whether a saved tensor has no history; of a freed node nobody knows."""
        item = node.saved[index] if node.saved else None
        return isinstance(item, TensorBase) and not item._requires_grad and item._grad_fn is None

    def note_reads(self, node: Node) -> None:
        """How often each packed entry of a node had been read when the node let go of it."""
        for i, item in enumerate(holder(node).saved or ()):
            if isinstance(item, Packed):
                self.reads[node, i] = reads_of(item)

    def deliver(self, node: Any, results: Any) -> None:
        """Note what arrives where, and the sum there."""
        if self.create_graph and hasattr(node, "_forward_cls"):
            self.links[node] = links(node, results)
            self.growth.refused(results)
        sums = self.sums_on_the_way(node, results)
        super().deliver(node, results)
        for position, (consumer, slot, grad) in enumerate(
                zip(node.next, node.nrs, results, strict=False)):
            if consumer is None or consumer not in self.not_ready:
                continue                               # no gradient wanted, or not asked for
            edge = None if isinstance(node, GraphRoot) else (node, position)
            with observing():
                value = None if grad is None else self.fit(consumer, slot, grad)
            total = measure(self.numbers(self.not_ready[consumer][slot]))
            self.events.append(("deliver", edge, consumer, slot, measure(self.numbers(value)),
                                sums.get(position, total), position in sums))

    def sums_on_the_way(self, node: Any, results: Any) -> dict:
        """position -> the sum there, where a later result of the same node adds to it once more."""
        places = list(zip(node.next, node.nrs, strict=True))
        if len(set(places)) == len(places):
            return {}
        out: dict[int, Any] = {}
        held: dict[tuple, Any] = {}
        for position, (place, grad) in enumerate(zip(places, results, strict=False)):
            consumer, slot = place
            if consumer is None or place not in places[position + 1:]:
                continue
            if place not in held:
                waiting = self.not_ready.get(consumer)
                held[place] = None if waiting is None else self.numbers(waiting[slot])
            if grad is not None:
                new = self.numbers(self.fit(consumer, slot, grad))
                held[place] = new if held[place] is None else held[place] + new
            out[position] = measure(held[place])
        return out

    freed = frozenset()          # nodes whose saved tensors only count as freed

    def retain(self, tensor: TensorBase | None, grad: TensorBase) -> None:
        """Note that a result keeps its gradient, as a leaf does."""
        super().retain(tensor, grad)
        if tensor is not None:
            self.events.append(("retain", tensor._grad_fn))

    def grad_of(self, node: Node) -> TensorBase | None:
        """The `.grad` of a leaf, or of a result that retains it."""
        if is_leaf(node):
            return getattr(node.variable, "_grad", None)
        kept = (found() for found in node._hooks.retain.values())
        return next((getattr(t, "_grad", None) for t in kept if t is not None), None)


class CopyTask(RecordingTask):
    """A pass that leaves graph and leaves alone: what it would free and write is only noted."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.freed: set = set()
        self.grads: dict[Node, TensorBase] = {}
        super().__init__(*args, **kwargs)

    def apply(self, node: Node, grads: list) -> Any:
        """A leaf's gradient is kept here, not in the leaf."""
        if not is_leaf(node):
            return super().apply(node, grads)
        self.events.append(("run", node, any(grad is not None for grad in grads)))
        grads = grads if node._hooks is None else self.hooked(node, grads)
        old, new = self.grad_of(node), grads[0]
        if new is not None:
            new = new if self.create_graph else TensorBase.wrap(copied(new))
            self.grads[node] = new if old is None else old + new
        return ()

    def hooked(self, node: Node, grads: list) -> list:
        """What the hooks before a leaf make of its gradient; those after it see a real `.grad`."""
        grads = self.through_tensor_hooks(node, grads)
        seen = run_pre_hooks(self.hooks_of(node).pre, tuple(map(self.wrap, grads)))
        return [self.unwrap(grad) for grad in seen]

    def retain(self, tensor: TensorBase | None, grad: TensorBase) -> None:
        """retain_grad's store is a write as well: kept here, not in the tensor."""
        if tensor is not None:
            node, new = tensor._grad_fn, TensorBase.wrap(copied(self.numbers(grad)))
            old = self.grad_of(node)
            self.grads[node] = new if old is None else old + new
            self.events.append(("retain", node))

    def release(self, node: Node) -> None:
        """Note what would be freed."""
        self.note_reads(node)
        if node.saved:
            self.freed.add(node)
            self.events.append(("free", node))

    def grad_of(self, node: Node) -> TensorBase | None:
        """What a `.grad` would be."""
        grad = self.grads.get(node)
        return super().grad_of(node) if grad is None else grad


# ---- hooks --------------------------------------------------------------------------------------


class WatchedHooks:
    """A node's hooks as the engine sees them, each in a wrapper that notes old and new.

    Looked up when the engine looks: a hook that adds or removes hooks does so as ever.
    """

    def __init__(self, node: Node, hooks: Hooks, events: list, numbers: Callable) -> None:
        self.node, self.hooks, self.events, self.numbers = node, hooks, events, numbers
        self.retain = hooks.retain

    @property
    def tensor(self) -> dict:
        """By output number."""
        return {slot: self.watched("tensor", found) for slot, found in self.hooks.tensor.items()}

    @property
    def pre(self) -> dict:
        """Before the node."""
        return self.watched("pre", self.hooks.pre)

    @property
    def post(self) -> dict:
        """After the node."""
        return self.watched("post", self.hooks.post)

    @property
    def post_accumulate(self) -> dict:
        """After a leaf's `.grad` has been written."""
        return self.watched("accumulate", self.hooks.post_accumulate)

    def watched(self, kind: str, hooks: dict) -> dict:
        """The same dict with every hook wrapped."""
        return {key: self.wrapper(kind, hook) for key, hook in hooks.items()}

    def wrapper(self, kind: str, hook: Callable) -> Callable:
        """Call the hook; note its name, what it saw, and what is there afterwards."""
        def run(*given: Any) -> Any:
            before = self.summaries(given[0]) if kind != "accumulate" else []
            try:
                new = hook(*given)
            except BaseException:
                self.events.append(("hook", self.node, kind, hook_name(hook), before, None))
                raise
            after = self.summaries(given[0] if new is None else new) if kind != "accumulate" else []
            self.events.append(("hook", self.node, kind, hook_name(hook), before, after))
            return new
        return run

    def summaries(self, given: Any) -> list:
        """SUMMARY of a gradient, or of each in a tuple of them."""
        each = given if isinstance(given, tuple) else (given,)
        return [measure(self.numbers(g)) if isinstance(g, TensorBase) else None for g in each]


def hook_name(hook: Callable) -> str:
    """What the learner calls a function: its name, or its class's."""
    return str(getattr(hook, "__name__", None) or type(hook).__name__)
