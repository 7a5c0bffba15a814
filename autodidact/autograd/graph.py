"""The backward graph: nodes, their edges, and what views add to it.

A `Node` stands for one operation of the forward pass. Its `next_functions` are the nodes that its
gradients go to. Arrows point backward only (a node knows the nodes before it, never its own
output), so a graph dies with its last reference.
"""

import itertools
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from autodidact.arrays import dtype as dt
from autodidact.arrays.bfloat16 import BFloat16Array, Narrow, narrowed, wide
from autodidact.autograd.dependencies import RENUMBERED
from autodidact.autograd.grad_mode import mode
from autodidact.autograd.hooks import Hooks, RemovableHandle
from autodidact.autograd.saved_hooks import (
    disable_saved_tensors_hooks,
    save_on_cpu,
    saved_tensors_hooks,
)
from autodidact.autograd.saved_tensors import (
    raw_saved,
    saved_attribute,
    unpack_arrays,
    unpack_tensors,
)
from autodidact.ops.op import parameters
from autodidact.tensor_base import TensorBase, count_write

__all__ = ["GradientEdge", "Node", "disable_saved_tensors_hooks", "get_gradient_edge",
           "increment_version", "save_on_cpu", "saved_tensors_hooks"]

sequence = itertools.count()     # creation numbers: the newest node runs first once it is ready


class InputMetadata(NamedTuple):
    """Shape and dtype of one output of the forward operation: what a gradient must look like."""

    shape: tuple
    dtype: Any


class Node:
    """One operation, waiting for its backward.

    The nodes of rows are made as plain `Node`s; the class that tells their operation,
    `MulBackward0`, they get when somebody looks at them (`dressed`). The interpreter remembers for
    each line of code where an object of one class has its attributes: as long as all nodes are of
    one class, recording and the engine find everything at once, which saves a tenth of their time.

    Attributes:
        next, nrs: the nodes that receive its gradients, and which output of theirs is meant.
        saved, versions: what the formulas named, and the version each had; None once freed.
        args: plain values: shapes, dtypes, arguments, in the order of `plan.names`.
        shape, dtype: of output 0; `outputs` holds (shape, dtype) of all when there are several.
    """

    __slots__ = ("__weakref__", "_extra", "_hooks", "_prepared", "args", "dtype", "next", "nrs",
                 "plan", "saved", "sequence_nr", "shape", "versions")
    frees = True                 # False where only a Python number is kept: nothing to free
    outputs = None               # overridden by a slot where a node has several outputs

    # ---- running ------------------------------------------------------------------------------

    def apply(self, grads: list, tensors: bool = False) -> tuple | list:
        """The gradients of the inputs, from those of the outputs; arrays, or all Tensors."""
        grad, run, saved = grads[0], self.plan.run, self.saved
        if grad is None:
            return (None,) * len(self.next)
        if tensors:
            return run(grad, unpack_tensors(self))
        values = unpack_arrays(self) if saved or saved is None else self.args
        try:
            return run(grad, values)
        except Narrow:
            return run_widely(self.plan, grad, values)

    def release_variables(self) -> None:
        """Let go of the saved tensors; a node that saved none can run again."""
        if self.saved and self.frees:
            self.saved = None

    def __call__(self, *grads: Any) -> Any:
        """Run this node alone, by hand: Tensors in, Tensors out."""
        count = len(self.outputs) if self.outputs else 1
        if len(grads) != count:
            raise TypeError(f"{self.name()} expected {count} arguments, got {len(grads)} instead")
        before = mode.reading
        mode.reading = True
        try:
            results = tuple(self.apply(list(grads), True))
        finally:
            mode.reading = before
        return results[0] if len(results) == 1 else results

    # ---- what Python sees ---------------------------------------------------------------------

    @property
    def op(self) -> Any:
        """The row whose formulas the node runs; None for a leaf or a Function."""
        return self.plan and self.plan.op

    def name(self) -> str:
        """The node's name, as printed in `grad_fn=<...>`."""
        return type(dressed(self)).__name__

    @property
    def next_functions(self) -> tuple:
        """(node, output number) for each input; (None, 0) where no gradient is wanted."""
        return tuple(zip(map(dressed, self.next), self.nrs, strict=True))

    @property
    def metadata(self) -> dict:
        """A dict for the user's own notes."""
        extra = getattr(self, "_extra", None)
        if extra is None:
            extra = self._extra = {}
        return extra

    @property
    def _input_metadata(self) -> list:
        pairs = self.outputs or [(self.shape, self.dtype)]
        return [pair and InputMetadata(pair[0], dt.of(pair[1])) for pair in pairs]

    def _sequence_nr(self) -> int:
        return self.sequence_nr

    def _set_sequence_nr(self, number: int) -> None:
        self.sequence_nr = number
        RENUMBERED[0] += 1

    def __lt__(self, other: "Node") -> bool:
        return False                                   # in the engine's heap: neither is first

    def __repr__(self) -> str:
        return f"<{type(dressed(self)).__name__} object at {id(self):#x}>"

    # ---- hooks --------------------------------------------------------------------------------

    def hooks(self) -> Hooks:
        """This node's hooks, made when first asked for."""
        if self._hooks is None:
            self._hooks = Hooks()
            if self.plan is not None and not self.plan.repairs:
                self.plan = self.plan.original         # the engine looks: they may answer anything
        return self._hooks

    def register_hook(self, fn: Callable) -> RemovableHandle:
        """Call `fn(grad_inputs, grad_outputs)` after this node; it may return new grad_inputs."""
        return self.hooks().post.add(fn)

    def register_prehook(self, fn: Callable) -> RemovableHandle:
        """Call `fn(grad_outputs)` before this node runs; it may return a new tuple."""
        return self.hooks().pre.add(fn)


class GraphRoot:
    """Where a pass starts: it hands the first gradients to the roots, as a node would."""

    plan = _hooks = None

    def __init__(self, nodes: tuple = (), slots: tuple = (), grads: tuple = ()) -> None:
        self.next, self.nrs, self.grads = nodes, slots, grads


def dressed(node: Any) -> Any:
    """The node itself, in the class of its operation from now on: for all who may see it."""
    if type(node) is Node:
        node.__class__ = node.op.node_class
    return node


def node_class(name: str, op: Any, outputs: int = 1) -> type:
    """The class of one operation's nodes: `MulBackward0`."""
    slots = ("outputs",) if outputs > 1 else ()
    base = ManyOutputs if outputs > 1 else Node
    return type(name, (base,), {"__slots__": slots, "op": op, "__module__": "torch.autograd.graph",
                                **saved_properties(op)})


def saved_properties(op: Any) -> dict:
    """`_saved_self`, `_raw_saved_self`, ... for everything that the row's formulas name.

    Properties, not `__getattr__`: with that, Python would look up every attribute the slow way.
    """
    needed = {name for formula in op.vjp.values() for name in parameters(formula)}
    made = plain_properties(name for name in op.args if name in needed)
    for name in (*op.inputs, *op.outputs):
        if name in needed:
            made[f"_saved_{name}"] = property(lambda node, name=name: saved_attribute(node, name))
            made[f"_raw_saved_{name}"] = property(lambda node, name=name: raw_saved(node, name))
        if f"{name}_shape" in needed:                   # PyTorch's word for it: sym_sizes
            made[f"_saved_{name}_sym_sizes"] = property(
                lambda node, name=name: saved_attribute(node, f"{name}_shape"))
    return made


def plain_properties(names: Iterable) -> dict:
    """`_saved_dim` and the like: arguments of the operation."""
    return {f"_saved_{name}": property(lambda node, name=name: saved_attribute(node, name))
            for name in names}


class ManyOutputs(Node):
    """A node whose operation has several outputs: its formulas get the tuple of gradients."""

    __slots__ = ()

    def apply(self, grads: list, tensors: bool = False) -> tuple | list:
        """As `Node.apply`; `grads` has None where an output was not used."""
        if self.outputs is None:
            return Node.apply(self, grads, tensors)          # (values, indices): one gradient only
        if all(g is None for g in grads):
            return (None,) * len(self.next)
        values = unpack_tensors(self) if tensors else unpack_arrays(self)
        try:
            return self.plan.run(tuple(grads), values)
        except Narrow:
            return run_widely(self.plan, tuple(grads), values)


def run_widely(plan: Any, grad: Any, values: tuple) -> Any:
    """A node's formulas in float32; what comes of a gradient in bfloat16 is bfloat16 again."""
    found = plan.run(wide(grad), wide(values))
    first = next(g for g in grad if g is not None) if isinstance(grad, tuple) else grad
    return narrowed(found) if isinstance(first, BFloat16Array) else found


class GradientEdge(NamedTuple):
    """One end of the graph: output `output_nr` of `node`; stands for a tensor in `grad`."""

    node: Any
    output_nr: int
    ownership_token: Any = None


def metadata_of(edge: GradientEdge) -> tuple:
    """(shape, dtype) of the output that an edge stands for."""
    node = edge.node
    return node.outputs[edge.output_nr] if node.outputs else (node.shape, node.dtype)


def get_gradient_edge(tensor: TensorBase) -> GradientEdge:
    """The edge at which `tensor`'s gradient arrives; for a leaf its accumulator."""
    if not tensor.requires_grad:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does "
                           "not require gradients")
    node, number = edge(tensor)
    return GradientEdge(dressed(node), number)


def edge(t: TensorBase) -> tuple:
    """(node, output number) that receives the gradient of `t`; (None, 0) where none is wanted."""
    fn = gradient_function(t) if t._flags & 1 else t._grad_fn
    if fn is not None:
        return fn, t.output_nr
    if t._requires_grad:
        return accumulator(t), 0
    return None, 0


def requires_grad(t: TensorBase) -> bool:
    """Whether `t` requires grad; a view also does when its base does."""
    return t._requires_grad or bool(t._flags & 1 and t._view.base._requires_grad)


# These two are completed by the files of their own concepts, which import this one.
accumulator: Callable = None          # set by accumulate_grad.py
gradient_function: Callable = None    # set by views.py


def increment_version(tensor: Any) -> None:
    """Count a write that autograd did not see, so that saved tensors notice it.

    Args:
        tensor: one tensor or several; inference tensors do not count and are left alone.
    """
    for t in (tensor,) if isinstance(tensor, TensorBase) else tensor:
        count_write(t)
