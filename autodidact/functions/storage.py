"""Storage: the block of memory that a tensor looks into."""

from typing import Any

import numpy as np

from autodidact.arrays.strided import data_ptr, owner
from autodidact.public import method
from autodidact.tensor import Tensor
from autodidact.tensor_base import memory

__all__ = ["TypedStorage", "UntypedStorage"]


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
