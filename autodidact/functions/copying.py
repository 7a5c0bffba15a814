"""Copies of a tensor as an object: deepcopy and pickle. Files are in `serialization.py`."""

import copy

import numpy as np

from autodidact.arrays.foreign import ForeignArray
from autodidact.arrays.strided import data_ptr, is_dense, owner, restride
from autodidact.public import method
from autodidact.tensor import Tensor, wrap
from autodidact.tensor_base import INFERENCE, memory

__all__ = ["rebuild"]


@method
def __deepcopy__(self: Tensor, memo: dict) -> Tensor:
    """A leaf on memory of its own, with a copy of `.grad` and of the attributes you have set.

    Tensors that share memory share it in the copy, too.

    Raises:
        RuntimeError: for a tensor inside the graph.
    """
    from_memo = memo.get(id(self))
    if from_memo is not None:
        return from_memo
    if self.grad_fn is not None:
        raise RuntimeError("Only Tensors created explicitly by the user (graph leaves) support the "
                           "deepcopy protocol at the moment. This one was computed: detach() it "
                           "first, or clone() to stay in the graph")
    copied = object.__new__(type(self))
    fill(copied, same_place(memory(self), memo), self._requires_grad)
    if self._version_cell is None:
        copied._version_cell, copied._flags = None, INFERENCE
    memo[id(self)] = copied
    grad = getattr(self, "_grad", None)
    if grad is not None:
        copied._grad = __deepcopy__(grad.detach() if grad.grad_fn is not None else grad, memo)
    if self.__dict__:
        copied.__dict__.update(copy.deepcopy(self.__dict__, memo))
    return copied


def fill(t: Tensor, array: np.ndarray, requires_grad: bool) -> None:
    """The slots of a fresh leaf."""
    plain = wrap(array)
    t._array, t._flags, t.output_nr = array, 0, 0
    t._version_cell, t._requires_grad, t._grad_fn = plain._version_cell, requires_grad, None


def same_place(array: np.ndarray, memo: dict) -> np.ndarray:
    """The copied memory, looked at in the same way; each block of memory is copied once."""
    block = owner(array)
    if not block.flags.forc:
        return array.copy(order="K")
    new = memo.get(id(block))
    if new is None:
        new = memo[id(block)] = block.copy(order="K")
        memo[id(new)] = block                    # keeps the old block, and so its id, until the end
    start = data_ptr(array) - data_ptr(block)
    if isinstance(new, ForeignArray):
        return restride(new, array.shape, array.strides, start)
    return np.ndarray(array.shape, array.dtype, new, start, array.strides)


# ---- pickle -----------------------------------------------------------------------------------


@method
def __reduce_ex__(self: Tensor, protocol: int) -> tuple:
    """Pickled are numbers, requires_grad and your attributes; history and `.grad` are left out."""
    arguments = (type(self), memory(self), self.requires_grad)
    return (rebuild, arguments, dict(self.__dict__)) if self.__dict__ else (rebuild, arguments)


def rebuild(kind: type, array: np.ndarray, requires_grad: bool) -> Tensor:
    """A leaf from what `__reduce_ex__` gave."""
    t = object.__new__(kind)
    fill(t, array if is_dense(array) else array.copy(), requires_grad)
    return t


@method
def __setstate__(self: Tensor, state: dict) -> None:
    """Your own attributes, after unpickling."""
    self.__dict__.update(state)
