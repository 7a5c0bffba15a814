"""The callables of view rows: results that share memory with their input.

A view costs no copy, so its callable makes the array view, notes how it came about, and records a
node whose backward is the step undone.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from autodidact.arrays.bfloat16 import Narrow, widely
from autodidact.arrays.foreign import made
from autodidact.autograd import graph, view_steps, views
from autodidact.autograd.grad_mode import mode
from autodidact.autograd.graph import edge, requires_grad, sequence
from autodidact.autograd.view_steps import adjoint
from autodidact.autograd.views import (
    DEFAULT,
    INFERENCE_CREATION,
    MULTI,
    NO_GRAD,
    make_view,
    settle,
)
from autodidact.ops import view as rows
from autodidact.ops.op import View
from autodidact.tensor_base import FRESH, INFERENCE, LIFTED, VIEW, TensorBase, memory

__all__ = ["bind_view"]

new = object.__new__


class ViewOpNode(graph.Node):
    """The node of one view: its backward undoes the step."""

    __slots__ = ()

    def apply(self, grads: list, tensors: bool = False) -> tuple:
        """The input's gradient; `args` holds the input's shape and the row's arguments."""
        grad = grads[0]
        if grad is None:
            return (None,)
        try:
            return (adjoint(grad, self.op, self.args[1:], self.args[0]),)
        except Narrow:
            return (widely(adjoint, grad, self.op, self.args[1:], self.args[0]),)


class ViewsOpNode(graph.Node):
    """The node of several views of one input, `unbind` and the like."""

    __slots__ = ("outputs",)

    def apply(self, grads: list, tensors: bool = False) -> tuple:
        """Each part's gradient put where the part was; unused outputs count as zero."""
        shape, *args = self.args
        steps = [(grad, *self.op.each(i, *args)) for i, grad in enumerate(grads)
                 if grad is not None]
        if not steps:
            return (None,)
        if tensors:
            total = None
            for grad, row, step in steps:
                part = adjoint(grad, row, step, shape)
                total = part if total is None else total + part
            return (total,)
        total = made(steps[0][0], np.zeros, shape, self.dtype)
        for grad, row, step in steps:
            row.forward(total, *step)[...] = grad
        return (total,)


class NoPlan:
    """Views save no tensors; `args` alone has names."""

    inputs = results = saved_names = ()
    repairs = True

    def __init__(self, op: View) -> None:
        self.names = ("self_sym_sizes", *op.args)


def bind_view(op: View, Tensor: type) -> Callable:
    """The callable of a view row: `call(x, *plain arguments)`."""
    base = ViewsOpNode if op.parts else ViewOpNode
    plan, unsafe = NoPlan(op), op.name.startswith("unsafe")
    op.node_class = type(op.node_name, (base,), {
        "__slots__": (), "op": op, **graph.plain_properties(plan.names)})
    quick = not (unsafe or op.parts)
    op.plan_of_view = plan

    def record(x: TensorBase, args: tuple) -> Any:
        node = new(op.node_class)
        fn, number = edge(x)
        node.next, node.nrs, node.plan = (fn,), (number,), plan
        node.saved = node.versions = ()
        node.args, node._hooks = (x._array.shape, *args), None
        node.sequence_nr = next(sequence)
        return node

    def view(x: TensorBase, array: Any, row: View, args: tuple, **how: Any) -> TensorBase:
        if unsafe:                       # memory shared, but nobody will be told of writes
            t = TensorBase.wrap(array)
            if x._version_cell is None:
                t._flags, t._version_cell = x._flags & INFERENCE, None
            return t
        return make_view(x, array, row, args, **how)

    node_of, forward = op.node_class, op.forward

    def call(x: TensorBase, *args: Any, steps: tuple | None = None) -> Any:
        state = mode.state
        if state < 2 and steps is None and quick and isinstance(x, Tensor) and (
                not x._flags or (x._flags == VIEW
                and x._view.attr_version == x._version_cell[0])):
            return short(x, args, state)
        if mode.stack or mode.duals or (isinstance(x, TensorBase) and x._flags & LIFTED):
            return STEP(op, x, args, steps)
        return several(x, *args) if op.parts else one(x, *args, steps=steps)

    def short(x: TensorBase, args: tuple, state: int) -> TensorBase:
        array = x._array
        if x._version_cell is FRESH or type(array) is not np.ndarray:
            array = memory(x)
        try:
            out = forward(array, *args)
        except ValueError as error:
            raise RuntimeError(str(error)) from None
        old = x._view if x._flags else None
        t = linked_view(new(Tensor), out, x, old, (op, args, array.shape),
                        DEFAULT if state == 0 else NO_GRAD)
        if state or not (x._requires_grad or (old is not None and old.base._requires_grad)):
            t._grad_fn, t._requires_grad = None, False
            return t
        node, fn = node_of(), x._grad_fn
        node.next, node.nrs = ((fn,), (x.output_nr,)) if fn is not None else one_edge(x)
        node.plan, node.saved, node.versions, node._hooks = plan, (), (), None
        node.args = (array.shape, *args)
        node.shape, node.dtype, node.sequence_nr = out.shape, out.dtype, next(sequence)
        t._grad_fn, t._requires_grad = node, True
        return t

    def one(x: TensorBase, *args: Any, steps: tuple | None = None) -> TensorBase:
        if not isinstance(x, TensorBase):
            raise TypeError(f"{op.name}(): argument 'input' (position 1) must be Tensor, not "
                            f"{type(x).__name__}")
        if x._flags & VIEW:
            settle(x)
        array = view_of(op, x, args)
        t = view(x, array, op, args, steps=steps)
        if mode.grad and requires_grad(x):
            node = record(x, args)
            node.shape, node.dtype = array.shape, array.dtype
            if array.dtype.kind in "fc":
                t._grad_fn, t._requires_grad = node, True
        return watched(op, x, args, t)

    def several(x: TensorBase, *args: Any) -> tuple:
        if x._flags & VIEW:
            settle(x)
        memory(x)
        arrays = op.parts(x._array, *args)
        node = record(x, args) if mode.grad and requires_grad(x) else None
        if unsafe or x._version_cell is None or mode.inference:
            results = tuple(view(x, a, *op.each(i, *args), creation=creation())
                            for i, a in enumerate(arrays))
        else:
            old, how = x._view if x._flags & VIEW else None, MULTI if mode.grad else NO_GRAD
            shape, each = x._array.shape, op.each
            results = tuple([linked_view(new(Tensor), a, x, old, (*each(i, *args), shape), how)
                             for i, a in enumerate(arrays)])
        if node is None:
            for t in results:
                t._grad_fn, t._requires_grad = None, False
        else:
            node.outputs = tuple((a.shape, a.dtype) for a in arrays)
            node.shape, node.dtype = node.outputs[0] if arrays else ((), x._array.dtype)
            for i, t in enumerate(results):
                t._grad_fn, t._requires_grad, t.output_nr = node, True, i
        if mode.watch is not None:
            mode.watch(op, (x,), args, results, node)
        return results

    op.call, op.ground, op.record = call, several if op.parts else one, record
    return op.call


def linked_view(t: TensorBase, array: np.ndarray, x: TensorBase, old: Any, step: tuple,
                creation: int) -> TensorBase:
    """Make `t`, a new tensor, a view of `x` on `array`: the short form of `make_view`.

    Args:
        t: the tensor to fill in; its history is the caller's business.
        array: what it shows.
        x: the tensor looked at.
        old: the `View` of `x`, None when it is none.
        step: row, plain arguments and input shape.
        creation: how it came about; a DEFAULT view inherits, and INFERENCE stays.
    """
    cell = t._version_cell = x._version_cell
    t._array, t._flags, t.output_nr = array, VIEW, 0
    v = t._view = new(views.View)
    if old is None:
        v.base, v.root, v.steps, v.creation = x, x._array, (None, *step), creation
    else:
        v.base, v.root, v.steps = old.base, old.root, (old.steps, *step)
        v.creation = old.creation if creation == DEFAULT or old.creation == INFERENCE_CREATION \
            else creation
    v.attr_version = cell[0]
    return t


def one_edge(x: TensorBase) -> tuple:
    """The edge of a leaf, or of a view that has no node of its own."""
    fn, number = edge(x)
    return (fn,), (number,)


STEP: Any = None       # what a view does inside a transform: set by levels/steps.py


def view_of(op: View, x: TensorBase, args: tuple) -> Any:
    """The array view; NumPy's refusal in PyTorch's class."""
    try:
        return op.forward(memory(x), *args)
    except ValueError as error:
        raise RuntimeError(str(error)) from None


def watched(op: View, x: TensorBase, args: tuple, t: TensorBase) -> TensorBase:
    """Tell a recording about the new view."""
    if mode.watch is not None:
        mode.watch(op, (x,), args, (t,), t._grad_fn)
    return t


def creation() -> int | None:
    """How several views at once came about: they refuse in-place writes."""
    return MULTI if mode.grad else None


view_steps.STRIDED, view_steps.SCATTER = rows.as_strided, rows.scatter_view
