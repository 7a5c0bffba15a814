"""Histories of results that have no derivative (`unique`) or only zeros (what is drawn).

Such a result requires grad as its inputs do: what is wrong with it shows in backward, as an error
that names the operation, or as gradients that are zero.
"""

from collections.abc import Iterable

import numpy as np

from autodidact.arrays.foreign import made
from autodidact.autograd import graph
from autodidact.autograd.grad_mode import mode
from autodidact.ops.op import TABLE
from autodidact.tensor import Tensor, wrap

__all__ = ["constant", "refused"]


class Constant(graph.Node):
    """A node whose inputs get gradients of zero."""

    __slots__ = ("forms", "outputs")
    error: Exception | None = None

    def __init__(self, inputs: Iterable, results: Iterable) -> None:
        edges = [graph.edge(t) for t in inputs]
        self.next, self.nrs = zip(*edges, strict=True)
        self.forms = tuple((t._array.shape, t._array.dtype) for t in inputs)
        self.outputs = tuple((t._array.shape, t._array.dtype) for t in results)
        self.shape, self.dtype = self.outputs[0]
        self.saved = self.versions = self.args = ()
        self.plan, self._hooks, self.sequence_nr = None, None, next(graph.sequence)

    def apply(self, grads: list, tensors: bool = False) -> tuple:
        """Zeros, or the reason why there is nothing to give."""
        given = next((g for g in grads if g is not None), None)
        if given is None:
            return (None,) * len(self.next)
        if self.error is not None:
            raise type(self.error)(*self.error.args)
        like = given._array if tensors else given
        zeros = [made(like, np.zeros, *form) for form in self.forms]
        return tuple(map(wrap, zeros)) if tensors else tuple(zeros)


CLASSES: dict[str, type] = {}


def node(name: str, inputs: tuple, results: tuple, error: Exception | None) -> None:
    """Give the results a history, where one of the inputs requires grad.

    Inside transforms there is none: the level would have to know of it.
    """
    if not mode.grad or mode.stack or not any(graph.requires_grad(t) for t in inputs):
        return
    key = name if error is None else f"{name}: {error}"
    if key not in CLASSES:
        CLASSES[key] = type(name, (Constant,), {"__slots__": (), "error": error})
        if name == "NotImplemented":
            CLASSES[key].name = name_of_fallback
    made_node = CLASSES[key](inputs, results)
    for number, t in enumerate(results):
        t._grad_fn, t.output_nr, t._requires_grad = made_node, number, True
    if mode.watch is not None:
        mode.watch(CLASSES[key], inputs, (), results, made_node)


def name_of_fallback(self: graph.Node) -> str:
    """PyTorch's name, with its C++ namespace."""
    return "torch::autograd::NotImplemented"


for _row in TABLE.values():
    if _row.node_name == "NotImplemented":
        _row.node_class.name = name_of_fallback


def constant(name: str, inputs: tuple, *results: Tensor) -> Tensor:
    """The results, of which nothing depends on the inputs' small changes; the first is returned.

    Args:
        name: of the node.
        inputs: the tensors that the results were made from.
        results: new floating tensors.
    """
    node(name, inputs, results, None)
    return results[0]


def refused(name: str | None, what: str, inputs: tuple, *results: Tensor) -> Tensor:
    """The results, which backward refuses to go back from; the first is returned.

    Args:
        name: of the node; None for PyTorch's fallback, which says it in other words.
        what: PyTorch's name of the operation.
        inputs, results: as in `constant`.
    """
    if name is None:                                 # the fallback has no other edges
        name = "NotImplemented"
        error = RuntimeError(f"derivative for aten::{what} is not implemented")
        inputs = tuple(filter(graph.requires_grad, inputs))
    else:
        error = NotImplementedError(f"the derivative for '{what}' is not implemented.")
    node(name, inputs, results, error)
    return results[0]
