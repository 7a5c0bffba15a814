"""All parameters as one vector, and back."""

from collections.abc import Iterable

from autodidact.functions.joining import cat
from autodidact.tensor import Tensor

__all__ = ["parameters_to_vector", "vector_to_parameters"]


def parameters_to_vector(parameters: Iterable) -> Tensor:
    """All parameters in one row."""
    return cat([p.reshape(-1) for p in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable) -> None:
    """Give the parameters the numbers of a vector; they share its memory.

    Raises:
        TypeError: for anything but a tensor.
    """
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {type(vec).__name__}")
    start = 0
    for p in parameters:
        p.data = vec[start:start + p.numel()].view_as(p).data
        start += p.numel()
