"""Copies of a tensor as an object: deepcopy, pickle, and the files of `save` and `load`."""

import copy
import io
import os
import pickle
from collections import OrderedDict
from typing import Any

import numpy as np

from autodidact.arrays import dtype as dt
from autodidact.arrays.device import device
from autodidact.arrays.strided import data_ptr, is_dense, owner
from autodidact.public import function, method
from autodidact.tensor import Size, Tensor, wrap
from autodidact.tensor_base import INFERENCE, memory

__all__ = ["load", "rebuild", "save"]


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


# ---- files ------------------------------------------------------------------------------------


@function
def save(obj: Any, f: Any) -> None:
    """Write tensors, or containers of them, to a file.

    Args:
        obj: what to write: tensors, numbers, texts, lists, tuples, dicts.
        f: a path or an open binary file.

    Example:
        >>> torch.save({"weight": w}, "model.pt")
    """
    if isinstance(f, (str, os.PathLike)):
        with open(f, "wb") as file:
            pickle.dump(obj, file, protocol=4)
    else:
        pickle.dump(obj, f, protocol=4)


@function
def load(f: Any, map_location: Any = None, *, weights_only: bool = True) -> Any:
    """Read what `save` has written.

    Args:
        f: a path or an open binary file.
        map_location: accepted for PyTorch's sake.
        weights_only: refuse everything but tensors and plain containers: a file from a stranger can
            then do no harm.

    Raises:
        pickle.UnpicklingError: for other things, unless `weights_only=False`.
    """
    if isinstance(f, (str, os.PathLike)):
        with open(f, "rb") as file:
            return load(io.BytesIO(file.read()), weights_only=weights_only)
    return (Careful(f) if weights_only else pickle.Unpickler(f)).load()


ALLOWED = {(thing.__module__, thing.__name__): thing
           for thing in (rebuild, Tensor, Size, OrderedDict, np.ndarray, np.dtype, dt.dtype, device,
                         np._core.multiarray._reconstruct, np._core.multiarray.scalar, set,
                         complex)}


class Careful(pickle.Unpickler):
    """Finds only the names that saved tensors need."""

    def find_class(self, module: str, name: str) -> Any:
        """One of `ALLOWED`, or one of our dtypes."""
        found = ALLOWED.get((module, name))
        if found is None and module == dt.__name__:
            known = getattr(dt, name, None)
            found = known if isinstance(known, dt.dtype) else None
        if found is None and (module, name) == ("autodidact.nn.parameter", "Parameter"):
            found = super().find_class(module, name)
        if found is None:
            raise pickle.UnpicklingError(
                f"Weights only load failed. The file asks for {module}.{name}, which is neither a "
                "tensor nor a plain container. If you trust whoever wrote it, load it with "
                "weights_only=False.")
        return found
