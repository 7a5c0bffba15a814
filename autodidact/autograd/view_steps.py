"""The way from a base to a view: steps, which can be replayed, undone, and made into nodes again.

A step is (steps before, row, plain arguments, input shape): a linked chain, first step innermost,
without any tensor in it. After a write to the base a view gets a new node, by these steps:

    in general      one `AsStridedBackward0`, however long the chain
    a kept step     the node of its own row. Kept are steps that read numbers as another dtype
                    (`view_as_real`), and those made under `_force_original_view_tracking`.
    after a kept    an `AsStridedBackward0` for each other step
"""

from typing import Any

import numpy as np

from autodidact.autograd import graph
from autodidact.tensor_base import TensorBase

__all__ = ["AsStridedBackward0", "Kept", "adjoint", "chain", "joined", "remade", "replay", "undo"]

STRIDED: Any = None      # the row of `as_strided`
SCATTER: Any = None      # and of `scatter`: both set by the binding of views, view_ops.py


class Kept(tuple):
    """A step that is to be made again as itself."""

    __slots__ = ()


def kept(step: tuple) -> bool:
    """Whether a node made anew shows this step as itself."""
    return type(step) is Kept or step[1].other_dtype


def chain(steps: tuple | None) -> list:
    """The steps in order, first one first."""
    out = []
    while steps is not None:
        out.append(steps)
        steps = steps[0]
    return out[::-1]


def joined(first: tuple | None, then: tuple | None) -> tuple | None:
    """Two chains of steps as one."""
    for _, row, args, shape in chain(then):
        first = (first, row, args, shape)
    return first


def replay(array: Any, steps: tuple | None) -> Any:
    """The view of `array` (or of a Tensor) that the steps lead to."""
    for _, row, args, _ in chain(steps):
        array = row.call(array, *args) if isinstance(array, TensorBase) else row.forward(
            array, *args)
    return array


def undo(grad: Any, steps: tuple | None) -> Any:
    """The gradient of the base from that of the view: each step's adjoint, last first."""
    while steps is not None:
        before, row, args, shape = steps
        grad = adjoint(grad, row, args, shape)
        steps = before
    return grad


def adjoint(grad: Any, row: Any, args: tuple, shape: tuple) -> Any:
    """One view step undone."""
    if row.inverse is not None:
        return row.inverse(grad, shape, *args)
    if row.adjoint is not None:
        return row.adjoint(grad, shape, *args)
    return SCATTER(grad, row, args, shape)


# ---- the node of a view made anew ----------------------------------------------------------------


class ViewNode(graph.Node):
    """Common parts of the nodes that hold steps."""

    __slots__ = ("steps",)

    def start(self, shape: tuple, dtype: Any) -> None:
        """Fields that every node has."""
        self.saved = self.versions = self.args = ()
        self.plan, self._hooks, self.sequence_nr = None, None, next(graph.sequence)
        self.shape, self.dtype = shape, dtype


class AsStridedBackward0(ViewNode):
    """The node of a view made anew: one node however many steps."""

    __slots__ = ()

    def __init__(self, edge: tuple, steps: tuple, shape: tuple, dtype: np.dtype) -> None:
        node, number = edge
        self.next, self.nrs, self.steps = (node,), (number,), steps
        self.start(shape, dtype)

    def apply(self, grads: list, tensors: bool = False) -> tuple:
        """The base's gradient: the view's steps undone."""
        return (None if grads[0] is None else undo(grads[0], self.steps),)


def remade(base: TensorBase, steps: tuple, array: Any) -> graph.Node:
    """The node that leads from a view to the present history of its base.

    Args:
        base: the tensor that was written to.
        steps: the way to the view.
        array: the view's array.
    """
    edge, step = graph.edge(base), steps
    while step is not None and not kept(step):
        step = step[0]
    if step is None:
        return AsStridedBackward0(edge, steps, array.shape, array.dtype)
    links, dtype = chain(steps), base._array.dtype
    shapes = [*(shape for *_, shape in links[1:]), array.shape]
    first = next(i for i, step in enumerate(links) if kept(step))
    if first:
        edge = AsStridedBackward0(edge, links[first - 1], shapes[first - 1], dtype), 0
    for step, shape in zip(links[first:], shapes[first:], strict=True):
        if kept(step):
            dtype = read_as(step[1], dtype)
            edge = own_node(edge, step, shape, dtype), 0
        else:
            edge = AsStridedBackward0(edge, (None, *step[1:]), shape, dtype), 0
    return edge[0]


def read_as(row: Any, dtype: np.dtype) -> np.dtype:
    """The dtype after a step: complex numbers are read as pairs of real ones, or the reverse."""
    if not row.other_dtype:
        return dtype
    return np.dtype(f"f{dtype.itemsize // 2}" if dtype.kind == "c" else f"c{2 * dtype.itemsize}")


def own_node(edge: tuple, step: tuple, shape: tuple, dtype: np.dtype) -> graph.Node:
    """The node that a step's row makes, without a view."""
    _, row, args, before = step
    node = object.__new__(row.node_class)
    node.next, node.nrs, node.plan = (edge[0],), (edge[1],), row.plan_of_view
    node.saved = node.versions = ()
    node.args, node._hooks, node.sequence_nr = (before, *args), None, next(graph.sequence)
    node.shape, node.dtype = shape, dtype
    return node
