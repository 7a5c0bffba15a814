"""softmax and the few activations that are `torch.name`; the rest is in `nn/functional.py`."""

from typing import Any

from autodidact.functions.arguments import need_tensor, wrap_dim
from autodidact.ops import activation as rows
from autodidact.public import both
from autodidact.tensor import Tensor

__all__ = ["log_softmax", "softmax"]


@both
def softmax(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    """Positive numbers that add up to 1 along `dim`, in proportion to `exp(input)`.

    Args:
        input: floating.
        dim: the dimension to normalise.
        dtype: the dtype to cast to before.

    Example:
        >>> torch.softmax(torch.tensor([0., 0.]), 0)
        tensor([0.5000, 0.5000])
    """
    return along(rows.softmax, input, dim, dtype)


@both
def log_softmax(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    """The logarithm of `softmax`, computed without loss of digits."""
    return along(rows.log_softmax, input, dim, dtype)


def along(row: Any, input: Tensor, dim: int, dtype: Any) -> Tensor:
    """A row along one dimension, cast before."""
    need_tensor(input, row.name, "input")
    input = input if dtype is None else input.to(dtype)
    if input._array.dtype.kind not in "fc":
        kind = input.type().rpartition(".")[2].removesuffix("Tensor")
        raise NotImplementedError(f'"{row.name}_lastdim_kernel_impl" not implemented for '
                                  f"'{kind}'")
    return row.call(input, wrap_dim(dim, input._array.ndim))
