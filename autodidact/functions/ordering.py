"""Order: sort, argsort, topk; and `embedding`, which picks rows of a table."""

from typing import Any

from autodidact.functions.arguments import looked_at, need_tensor
from autodidact.functions.reduction import returned
from autodidact.ops import index as rows
from autodidact.public import both, function
from autodidact.tensor import Tensor, wrap_dim

__all__ = ["argsort", "embedding", "sort", "topk"]


Sorted, TopK = (returned(name, "values indices") for name in ("sort", "topk"))


@both
def sort(input: Tensor, dim: int = -1, descending: bool = False, *, stable: bool = False,
         out: Any = None) -> Any:
    """The values in order along `dim`, and the places they came from; equal values keep order.

    Example:
        >>> torch.sort(torch.tensor([3, 1, 2])).indices
        tensor([1, 2, 0])
    """
    dim = wrap_dim(dim, input._array.ndim)
    return Sorted(*rows.sort.call(input, dim, bool(descending)))


@both
def msort(input: Tensor) -> Tensor:
    """The values in order along dimension 0."""
    return sort(input, 0)[0]


@both
def argsort(input: Tensor, dim: int = -1, descending: bool = False, *,
            stable: bool = False) -> Tensor:
    """The places that would sort the tensor."""
    return sort(input, dim, descending)[1]


@both
def topk(input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True, *,
         out: Any = None) -> Any:
    """The k largest (or smallest) values along `dim`, and their places."""
    dim = wrap_dim(dim, input._array.ndim)
    n = input._array.shape[dim] if input._array.ndim else 1
    if not 0 <= k <= n:
        raise RuntimeError("selected index k out of range")
    return TopK(*rows.topk.call(input, int(k), dim, bool(largest)))


@function
def embedding(weight: Tensor, indices: Tensor, padding_idx: int = -1,
              scale_grad_by_freq: bool = False, sparse: bool = False) -> Tensor:
    """The rows of `weight` that `indices` names; `padding_idx` gets no gradient."""
    need_tensor(indices, "embedding", "indices", 2)
    array = looked_at(indices)
    if array.dtype.name not in ("int64", "int32"):
        raise RuntimeError("Expected tensor for argument #1 'indices' to have one of the following "
                           f"scalar types: Long, Int; but got {indices.type()} instead (while "
                           "checking arguments for embedding)")
    if array.size and (array.min() < 0 or array.max() >= weight._array.shape[0]):
        raise IndexError("index out of range in self")
    return rows.embedding.call(weight, indices, padding_idx, scale_grad_by_freq)
