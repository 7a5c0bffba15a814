"""Storage: the block of memory that a tensor looks into; tensors of a given layout in it."""

from typing import Any

import numpy as np

from autodidact.arrays import device as devices
from autodidact.arrays import dtype as dt
from autodidact.arrays.place import make_on
from autodidact.arrays.strided import data_ptr, owner, restride
from autodidact.functions.arguments import ints
from autodidact.functions.creation import fresh, kind_of, shape_of
from autodidact.public import function, method
from autodidact.tensor import Tensor
from autodidact.tensor_base import memory

__all__ = ["TypedStorage", "UntypedStorage", "empty_strided", "new_empty_strided"]


class UntypedStorage:
    """A block of memory, in bytes."""

    def __init__(self, block: np.ndarray) -> None:
        self._block = block

    def data_ptr(self) -> int:
        """The address of the block."""
        return data_ptr(self._block)

    def nbytes(self) -> int:
        """Bytes of the block."""
        return self._block.nbytes

    def size(self) -> int:
        """The same."""
        return self._block.nbytes

    def __len__(self) -> int:
        return self.size()


class TypedStorage(UntypedStorage):
    """The same block, in elements of the tensor's dtype."""

    def size(self) -> int:
        """Elements in the block."""
        return self._block.size

    def tolist(self) -> list:
        """The elements in the order of the memory."""
        return self._block.reshape(-1, order="A").tolist()

    def __getitem__(self, index: int) -> Any:
        return self._block.reshape(-1, order="A")[index].item()


@method
def storage(self: Tensor) -> TypedStorage:
    """The memory that this tensor and its views look into."""
    return TypedStorage(owner(memory(self)))


@method
def untyped_storage(self: Tensor) -> UntypedStorage:
    """The same, in bytes."""
    return UntypedStorage(owner(memory(self)))


@function
def empty_strided(size: Any, stride: Any, *, dtype: Any = None, device: Any = None,
                  requires_grad: bool = False, layout: Any = None,
                  pin_memory: bool = False) -> Tensor:
    """A tensor that lies in memory as `stride` says; its values mean nothing yet (zeros here).

    Args:
        size: the shape, as a tuple.
        stride: for each dimension, how many elements apart neighbours lie; 0 repeats one element.
        dtype, device, requires_grad, layout, pin_memory: as in `empty`.

    Raises:
        RuntimeError: for tuples of different lengths, and for negative numbers.

    Example:
        >>> torch.empty_strided((2, 3), (1, 2)).stride()
        (1, 2)
    """
    return laid_out(size, stride, kind_of(dtype), devices.check(device), requires_grad)


@method
def new_empty_strided(self: Tensor, size: Any, stride: Any, *, dtype: Any = None,
                      device: Any = None, requires_grad: bool = False, layout: Any = None,
                      pin_memory: bool = False) -> Tensor:
    """`empty_strided` with the dtype and the device of this tensor."""
    kind = self._array.dtype if dtype is None else dt.to_numpy(dtype)
    where = self.device if device is None else devices.check(device)
    return laid_out(size, stride, kind, where, requires_grad)


def laid_out(size: Any, stride: Any, kind: np.dtype, where: Any, requires_grad: bool) -> Tensor:
    """The same, with everything known."""
    for position, (name, given) in enumerate((("size", size), ("stride", stride)), 1):
        if not isinstance(given, (tuple, list)):
            raise TypeError(f"empty_strided(): argument '{name}' (position {position}) must be "
                            f"tuple of ints, not {type(given).__name__}")
    size, stride = shape_of(ints((size,))), ints((stride,), "stride")
    if len(size) != len(stride):
        raise RuntimeError(f"dimensionality of sizes ({len(size)}) must match dimensionality of "
                           f"strides ({len(stride)})")
    if any(s < 0 for s in stride):
        raise RuntimeError("Storage size calculation overflowed with sizes="
                           f"{list(size)} and strides={list(stride)}")
    last = sum((n - 1) * s for n, s in zip(size, stride, strict=True))
    block = make_on(where, np.zeros, (0 if 0 in size else last + 1,), kind)
    steps = tuple(s * block.itemsize for s in stride)
    return fresh(restride(block, size, steps), requires_grad, where=where)
