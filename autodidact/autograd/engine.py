"""The engine: one backward pass as an object that can be run to its end, or one node at a time.

`backward()` makes a `GraphTask` and calls `run()`; the stepper calls `run(1)` and reads the task's
fields between two steps. One loop serves both. A pass that nobody watches, over a kept graph that
has been gone back over before, knows its order already and walks it (`run_route`).

The rules:
    A node is ready when everything that will send to it has sent: `dependencies` counts them.
    Among the ready nodes the newest (highest sequence number) runs first; leaves before all.
    What arrives at one slot from several nodes is summed on arrival.
    After a node has run, what it saved is freed, unless the graph is to be kept.
"""

import itertools
from heapq import heappop, heappush
from itertools import repeat
from typing import Any

import numpy as np

from autodidact.arrays.bfloat16 import cast
from autodidact.arrays.foreign import device_of, device_of_dtype
from autodidact.arrays.place import moved
from autodidact.autograd import hooks as hook_order
from autodidact.autograd.dependencies import prepare
from autodidact.autograd.grad_mode import mode
from autodidact.autograd.graph import GraphRoot, Node
from autodidact.ops.op import sum_all, sum_to
from autodidact.tensor_base import CHANGES, TensorBase

__all__ = ["GraphTask"]

ndarray = np.ndarray
quietly = np.errstate(all="ignore")      # as a decorator it costs half of what `with` does
numbers = itertools.count()      # every pass has its own


class GraphTask:
    """One backward pass: what waits, what is ready, what has arrived.

    Args:
        roots: (node, output number, gradient) triples; gradients are arrays, or Tensors under
            `create_graph`.
        keep_graph: keep saved tensors (retain_graph).
        create_graph: read the formulas on Tensors, so that the pass is recorded itself.
        inputs: edges to stop at; None means every leaf.
        accumulate: with `inputs`: True writes `.grad` (backward), False captures (grad).
        tensors: gradients are Tensors, though nothing is recorded (inside transforms).
    """

    def __init__(self, roots: list, *, keep_graph: bool = False, create_graph: bool = False,
                 inputs: list | None = None, accumulate: bool = True,
                 tensors: bool = False) -> None:
        self.keep_graph, self.create_graph, self.inputs = keep_graph, create_graph, inputs
        self.tensors = create_graph or tensors         # formulas are read on Tensors
        self.not_ready: dict[Node, list] = {}          # node -> what has arrived at its slots
        self.ready: list[tuple] = []                   # heap of (-sequence number, length, node)
        self.captured_vars: list = [None] * len(inputs or ())
        self.captures: dict[Node, list] = {}           # node -> [(slot, index in captured_vars)]
        self.id, self.callbacks, self.accumulate = next(numbers), [], accumulate
        self.summed: set[Node] = set()                 # nodes whose one slot holds a sum made here
        self.roots = (roots[0][0],) if len(roots) == 1 else tuple(
            dict.fromkeys([root for root, _, _ in roots]))
        self.dependencies, self.exec_info, route = prepare(     # who waits; who runs (None: all)
            self.roots, inputs, accumulate, keep_graph and not create_graph)
        self.route = None if self.tensors or type(self) is not GraphTask else route
        if inputs is not None and not accumulate:
            for index, (node, slot) in enumerate(inputs):
                self.captures.setdefault(node, []).append((slot, index))
        if self.route and self.roots[0].outputs is None:
            ((root, _, grad),) = roots
            self.not_ready[root], self.ready = [self.fit(root, 0, grad)], [(0, 0, root)]
            return
        first = GraphRoot(*zip(*roots, strict=True))
        for node in first.next:
            self.dependencies[node] += 1
        self.deliver(first, first.grads)

    # ---- the pass -----------------------------------------------------------------------------

    def run(self, limit: int = -1) -> bool:
        """Run `limit` nodes (-1: to the end); True while some are left.

        An exception leaves the task as it was at the failing node.
        """
        before = mode.grad, mode.reading, mode.task, mode.saved_hooks
        mode.enter(self.create_graph, self.tensors, self)
        CHANGES[0] += 1
        try:
            if self.route and limit < 0:
                self.run_route()
            if self.ready:
                self.run_ready(limit)
            if self.callbacks and not self.ready:
                mode.enter(*before[:2], self)
                while self.callbacks and not self.ready:
                    self.callbacks.pop(0)()
        finally:
            mode.enter(*before)
        return bool(self.ready)

    @quietly
    def run_ready(self, limit: int) -> None:
        """The loop: the first of the ready nodes, as often as `limit` says."""
        ready, take, captures, tensors = self.ready, self.not_ready.pop, self.captures, self.tensors
        apply, deliver, keep = self.apply, self.deliver, self.keep_graph
        # Nobody watches: what `apply` does for a node without hooks, with one call less.
        plain = type(self).apply is GraphTask.apply and self.release is None
        for _ in repeat(None) if limit < 0 else repeat(None, limit):
            if not ready:
                break
            node = heappop(ready)[2]
            grads = take(node)
            if captures and node in captures and not self.capture(node, grads):
                continue
            # Results under the same name: a leaf takes over a gradient that nobody else holds.
            if plain and node._hooks is None:
                grads = node.apply(grads, tensors)
                if node.saved and not keep:
                    node.release_variables()
            else:
                grads = apply(node, grads)
            deliver(node, grads)

    @quietly
    def run_route(self) -> None:
        """All of a pass whose order an earlier one has found: nothing to count, no queue.

        Nobody watches: a task that shows what waits is of another class.
        """
        route, not_ready, captures = self.route, self.not_ready, self.captures
        self.route, keep = None, self.keep_graph
        self.ready.clear()
        for node, targets in route:
            grads = not_ready.pop(node)
            if captures and node in captures and not self.capture(node, grads):
                continue
            results = (node.apply(grads) if keep and node._hooks is None
                       else self.apply(node, grads))
            if targets is None:                        # some of them meet other gradients
                self.deliver(node, results)
                continue
            for i, consumer in targets:
                grad = results[i]
                if grad is not None and (
                        grad.dtype is not consumer.dtype or grad.shape != consumer.shape):
                    grad = self.fit(consumer, 0, grad)
                not_ready[consumer] = [grad]
        self.ready.clear()

    def apply(self, node: Node, grads: list) -> Any:
        """The node's own work: its hooks, its formulas, and the freeing of what it saved."""
        if node._hooks is not None:
            return self.apply_with_hooks(node, grads)
        results = node.apply(grads, self.tensors)
        if node.saved and not self.keep_graph:
            if self.release is None:
                node.release_variables()
            else:
                self.release(node)
        return results

    recomputing: Any = None      # how a watcher looks at a checkpoint's second run of forward
    release: Any = None          # how a watcher frees what a node saved, where it wants to know

    def deliver(self, node: Any, results: Any) -> None:
        """Hand a node's results to the nodes that wait for them, in their shape and dtype.

        Sum at a slot: the first is kept as it is, the second makes a new array, later ones add into
        the array that the engine made; nobody else's array is ever written to. The last one to
        arrive makes the receiver ready. Of leaves, which come before all, it is the one that was
        ready first: several wait only when one node has sent to them, so the heap's length tells.
        """
        not_ready, dependencies, plan = self.not_ready, self.dependencies, node.plan
        fits, exec_info = plan and not plan.repairs, self.exec_info
        for consumer, slot, grad in zip(node.next, node.nrs, results):  # noqa: B905
            if consumer is None:
                continue
            if fits or grad is None:
                pass
            elif slot or grad.dtype is not consumer.dtype:
                grad = self.fit(consumer, slot, grad)
            elif grad.shape != (shape := consumer.shape):
                number = not shape and type(grad) is ndarray         # a number that met an array
                grad = sum_all(grad) if number else self.fit(consumer, slot, grad)
            buffer = not_ready.get(consumer)
            if buffer is None:
                if (exec_info is not None and consumer not in exec_info
                        and consumer not in self.captures):
                    continue                           # not asked for: it will not run
                if consumer.outputs is None:
                    not_ready[consumer] = [grad]
                else:
                    buffer = not_ready[consumer] = [None] * len(consumer.outputs)
                    buffer[slot] = grad
            elif grad is not None:
                total = buffer[slot]
                if total is None:
                    buffer[slot] = grad
                elif type(total) is ndarray and consumer in self.summed:
                    total += grad
                else:
                    buffer[slot] = total = total + grad
                    if type(total) is ndarray and consumer.outputs is None:
                        self.summed.add(consumer)
            left = dependencies[consumer] = dependencies[consumer] - 1
            if not left:
                ready = self.ready
                heappush(ready, (-consumer.sequence_nr, len(ready), consumer))

    def fit(self, consumer: Node, slot: int, grad: Any) -> Any:
        """A gradient in the shape and dtype of the value it belongs to: broadcasting undone."""
        shape, dtype = consumer.outputs[slot] if consumer.outputs else (
            consumer.shape, consumer.dtype)
        array = grad._array if self.tensors else grad
        if array.dtype is dtype:
            if array.shape == shape:
                return grad
            if array.shape[1:] == shape and (array is grad or type(array) is ndarray):
                return sum_to(grad, shape)             # a row that met many
        return repair(consumer, slot, grad, shape, dtype)

    # ---- hooks and captures -------------------------------------------------------------------

    def capture(self, node: Node, grads: list) -> bool:
        """Keep what `grad()` was asked for; False if the node itself is not to run.

        A node that runs gives what arrived, before its hooks; one that does not run, after them.
        """
        runs = node in self.exec_info
        wanted = self.captures.get(node, ())
        if wanted and not runs and node._hooks is not None:
            grads = self.through_tensor_hooks(node, grads)
        for slot, index in wanted:
            self.captured_vars[index] = grads[slot]
        return runs

    def apply_with_hooks(self, node: Node, grads: list) -> Any:
        """As `apply`, with the user's functions before and after, in the order of hooks.py."""
        before, mode.node = mode.node, node
        try:
            return self.between_hooks(node, grads, self.hooks_of(node))
        finally:
            mode.node = before

    def hooks_of(self, node: Node) -> Any:
        """A node's hooks; a watcher wraps them."""
        return node._hooks

    def between_hooks(self, node: Node, grads: list, hooks: Any) -> Any:
        """The body of `apply_with_hooks`."""
        grads = self.through_tensor_hooks(node, grads)
        if hooks.pre:
            seen = hook_order.run_pre_hooks(hooks.pre, tuple(map(self.wrap, grads)))
            grads = [self.unwrap(g) for g in seen]
        results = node.apply(grads, self.tensors)
        for hook in list(hooks.post_accumulate.values()):
            found = hook(node.variable)
            if found is not None and found is not node.variable:
                raise RuntimeError("Tensor post accumulate grad hooks should return None.")
        if hooks.post:                                 # they see what will arrive: summed, cast
            sent = [g if g is None or consumer is None else self.fit(consumer, slot, g)
                    for consumer, slot, g in zip(node.next, node.nrs, results, strict=False)]
            seen = hook_order.run_post_hooks(
                hooks.post, tuple(map(self.wrap, sent)), tuple(map(self.wrap, grads)))
            results = [self.unwrap(g) for g in seen]
        if not self.keep_graph:                        # the hooks still saw what was saved
            (self.release or type(node).release_variables)(node)
        return results

    def through_tensor_hooks(self, node: Node, grads: list) -> list:
        """The outputs' hooks, that output's first which got one first, then retain_grad's store."""
        hooks, grads = self.hooks_of(node), list(grads)
        for slot, registered in list(hooks.tensor.items()):
            grads[slot] = self.unwrap(
                hook_order.run_tensor_hooks(registered, self.wrap(grads[slot])))
        for slot, retained in hooks.retain.items():
            if grads[slot] is not None:
                self.retain(retained(), self.wrap(grads[slot]))
        return grads

    def retain(self, tensor: TensorBase | None, grad: TensorBase) -> None:
        """retain_grad: a tensor inside the graph gets its `.grad` as a leaf would."""
        if tensor is not None:
            old = getattr(tensor, "_grad", None)
            tensor._grad = grad.clone() if old is None else old + grad

    def wrap(self, grad: Any) -> TensorBase | None:
        """A gradient as the user sees it in a hook."""
        return grad if grad is None or self.tensors else TensorBase.wrap(grad)

    def unwrap(self, grad: TensorBase | None) -> Any:
        """The reverse of `wrap`."""
        return grad if grad is None or self.tensors else grad._array


def repair(consumer: Node, slot: int, grad: Any, shape: tuple, dtype: np.dtype) -> Any:
    """Sum a broadcast gradient down, cast it; refuse one that cannot belong to the value."""
    have = tuple(grad.shape)
    if have != shape:
        if shape and not expandable(shape, have):
            raise RuntimeError(
                f"Function {consumer.name()} returned an invalid gradient at index {slot} - got "
                f"{list(have)} but expected shape compatible with {list(shape)}")
        grad = sum_to(grad, shape)
    tensor = isinstance(grad, TensorBase)
    here, there = device_of(grad._array if tensor else grad), device_of_dtype(dtype)
    if here != there:
        if shape:
            raise RuntimeError(
                f"Function {consumer.name()} returned an invalid gradient at index {slot} - "
                f"expected device {there} but got {here}")
        grad = grad.to_numpy_dtype(dtype) if tensor else moved(grad, dtype)
    if (grad._array if tensor else grad).dtype != dtype:
        if dtype.kind != "c" and (grad._array if tensor else grad).dtype.kind == "c":
            grad = grad.real
        grad = grad.to_numpy_dtype(dtype) if tensor else cast(grad, dtype)
    return grad


def expandable(shape: tuple, to: tuple) -> bool:
    """Whether broadcasting `shape` can give `to`."""
    return len(shape) <= len(to) and all(
        n in (1, m) for n, m in zip(reversed(shape), reversed(to), strict=False))


task_class = GraphTask      # what backward() makes; `debug()` and the recorder put theirs here
