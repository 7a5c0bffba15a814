"""The way from a base to a view: steps, which can be replayed, undone, and made into nodes again.

A step is (steps before, row, plain arguments, input shape): a linked chain, first step innermost,
without any tensor in it. After a write to the base a view gets a new node, by these steps:

    in general      one `AsStridedBackward0`, however long the chain
    a kept step     the node of its own row. Kept are steps that read numbers as another dtype
                    (`view_as_real`), and those made under `_force_original_view_tracking`.
    after a kept    an `AsStridedBackward0` for each other step
"""

from typing import Any

from autodidact.autograd import graph
from autodidact.tensor_base import TensorBase, memory

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

    def __init__(self, base: TensorBase, steps: tuple, array: Any) -> None:
        node, number = graph.edge(base)
        self.next, self.nrs, self.steps = (node,), (number,), steps
        self.start(array.shape, array.dtype)

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
    step = steps
    while step is not None and not kept(step):
        step = step[0]
    if step is None:
        return AsStridedBackward0(base, steps, array)
    links = chain(steps)
    first = next(i for i, step in enumerate(links) if kept(step))
    t = passed(base, links[first - 1], as_itself=False) if first else base
    for step in links[first:]:
        t = passed(t, (None, *step[1:]), as_itself=kept(step))
    return t._grad_fn


def passed(x: TensorBase, steps: tuple, as_itself: bool) -> TensorBase:
    """The view of `x` that one node leads to: that of the only step, or a strided one."""
    array = replay(memory(x), steps)
    if as_itself:
        node = steps[1].record(x, steps[2])
        node.shape, node.dtype = array.shape, array.dtype
    else:
        node = AsStridedBackward0(x, steps, array)
    t = TensorBase.wrap(array)
    t._grad_fn, t._requires_grad = node, True
    return t
