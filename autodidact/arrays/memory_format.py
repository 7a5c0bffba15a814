"""memory_format: in which order the elements of a tensor lie.

Example:
    >>> channels_last
    torch.channels_last
"""

import numpy as np

__all__ = ["channels_last", "channels_last_3d", "contiguous_format", "laid_out", "layout",
           "memory_format", "preserve_format", "strided"]


class memory_format:
    """One order of elements; compare with `is`.

    Attributes:
        name: PyTorch's name without the prefix.
        rank: how many dimensions the tensor must have; None: any.
    """

    __slots__ = ("name", "rank")

    def __init__(self, name: str, rank: int | None = None) -> None:
        self.name, self.rank = name, rank

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> str:
        return self.name


contiguous_format = memory_format("contiguous_format")       # row-major
preserve_format = memory_format("preserve_format")           # as the input, where that is dense
channels_last = memory_format("channels_last", 4)            # channels next to each other
channels_last_3d = memory_format("channels_last_3d", 5)


class layout(memory_format):
    """How a tensor keeps its elements; here there is one way: `strided`, an array with strides."""


strided = layout("strided")


def laid_out(array: np.ndarray, wanted: memory_format | None) -> np.ndarray:
    """The array in the wanted order: itself where it is, else a copy.

    Args:
        array: any array.
        wanted: None and `preserve_format` take any order.

    Raises:
        RuntimeError: a number of dimensions that the format does not know.
    """
    if wanted is None or wanted is preserve_format:
        return array
    if wanted is contiguous_format:
        return np.ascontiguousarray(array) if array.ndim else array
    if array.ndim != wanted.rank:
        raise RuntimeError(f"required rank {wanted.rank} tensor to use {wanted.name} format")
    return np.moveaxis(np.ascontiguousarray(np.moveaxis(array, 1, -1)), -1, 1)
