"""AccumulateGrad: the end of the graph at a leaf, where the sum of gradients enters `.grad`.

    no .grad yet        the gradient becomes `.grad`: itself when nobody else holds it, else a copy
    .grad is there      the gradient is added into it, the same object stays
    create_graph        a new object is stored, so that the old one keeps its value and its history

The leaf knows its accumulator weakly, so neither keeps the other alive.
"""

import sys
import weakref
from typing import Any

import numpy as np

from autodidact.arrays.foreign import ForeignArray
from autodidact.arrays.strided import is_dense
from autodidact.autograd import graph
from autodidact.autograd.grad_mode import mode
from autodidact.autograd.hooks import Hooks
from autodidact.tensor_base import TensorBase, count_write

__all__ = ["AccumulateGrad"]

FIRST = 2 ** 63      # sequence number of every accumulator: before all other nodes


def _own_references() -> int:
    """References to a gradient, seen from `owned`, when the pass alone holds it.

    Measured, not assumed: interpreters differ in how many references a call takes.
    """
    seen = []

    def owned(new: Any, like: Any) -> None:
        seen.append(sys.getrefcount(new))

    def apply(grads: list) -> None:
        new = grads[0]
        owned(new, None)

    apply([np.zeros(1, np.float64)])
    return seen[0]


OWN_REFERENCES = _own_references()


class AccumulateGrad(graph.Node):
    """Writes `.grad` of the leaf `variable`."""

    __slots__ = ("variable",)

    def __init__(self, variable: TensorBase) -> None:
        self.variable = variable
        self.next = self.nrs = self.saved = self.versions = self.args = ()
        self.sequence_nr, self._hooks, self.plan = FIRST, None, None
        self.shape, self.dtype = variable._array.shape, variable._array.dtype

    def name(self) -> str:
        """PyTorch's name, with its C++ namespace."""
        return "torch::autograd::AccumulateGrad"

    def apply(self, grads: list, tensors: bool = False) -> tuple:
        """Add the gradient to the leaf's `.grad`."""
        leaf, new = self.variable, grads[0]
        if new is None or not leaf._requires_grad:
            return ()
        if leaf._grad_fn is not None:
            raise RuntimeError("leaf variable has been moved into the graph interior: it was "
                               "written in place by a recorded operation after it had been used")
        old = getattr(leaf, "_grad", None)
        if tensors:
            leaf._grad = new.clone() if old is None else in_layout_of(old, old + new)
        elif old is None:
            leaf._grad = TensorBase.wrap(owned(new, leaf._array))
        else:
            add_into(old, new)
        if mode.watch is not None:
            mode.watch(AccumulateGrad, (leaf,), (), (leaf._grad,), None)
        return ()


def owned(new: Any, like: Any) -> Any:
    """The gradient itself if nobody else holds it and its strides are the leaf's; else a copy.

    A dense leaf gets a gradient with the same strides, any other leaf a row-major one.
    """
    if type(new) is not np.ndarray:
        if isinstance(new, ForeignArray) and (
                sys.getrefcount(new) > OWN_REFERENCES or new.owner().inside is not new.inside):
            return new.copy()
        return new                             # NumPy's scalars cannot change: no need to copy
    dense = type(like) is np.ndarray and is_dense(like)
    wanted = like.strides if dense else None
    if sys.getrefcount(new) <= OWN_REFERENCES and new.flags.writeable:
        fits = new.strides == wanted if dense else new.flags.c_contiguous
        if fits and (new.base is None or is_dense(new)):
            return new
    copy = np.empty_like(like, dtype=new.dtype, order="K" if dense else "C")
    try:
        copy[...] = new
    except ValueError:
        raise RuntimeError(f"the gradient's shape {new.shape} must match the leaf's, {like.shape}: "
                           "the leaf got another shape after it had been used") from None
    return copy


def in_layout_of(old: TensorBase, total: TensorBase) -> TensorBase:
    """A fresh sum, in the strides of the gradient that it replaces."""
    array, like = total._array, old._array
    if type(array) is np.ndarray and type(like) is np.ndarray and array.strides != like.strides:
        total._array = np.empty_like(like, dtype=array.dtype)
        total._array[...] = array
    return total


def add_into(grad: TensorBase, new: Any) -> None:
    """`grad += new`, the same tensor object, one version on."""
    total = grad._array
    if isinstance(total, np.generic):
        grad._array = total + new
    else:
        np.add(total, new, out=total)
    count_write(grad)


def accumulator(leaf: TensorBase) -> AccumulateGrad:
    """The leaf's accumulator; one at a time, made anew when the last graph that used it is gone."""
    try:
        node = leaf._accumulator()
    except (AttributeError, TypeError):        # never made, or forgotten
        node = None
    if node is None:
        node = AccumulateGrad(leaf)
        if getattr(leaf, "_hooks", None) is not None:
            node._hooks = leaf._hooks
        leaf._accumulator = weakref.ref(node)
    return node


def leaf_hooks(leaf: TensorBase) -> Hooks:
    """The hooks of a leaf: kept by the leaf, and seen by its accumulator."""
    hooks = getattr(leaf, "_hooks", None)
    if hooks is None:
        hooks = leaf._hooks = Hooks()
        reference = getattr(leaf, "_accumulator", None)
        node = reference() if reference is not None else None
        if node is not None:
            if node._hooks is None:
                node._hooks = hooks
            else:
                hooks = leaf._hooks = node._hooks
    return hooks


graph.accumulator = accumulator
