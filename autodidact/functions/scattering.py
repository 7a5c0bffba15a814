"""`scatter_reduce` and `index_reduce`: many entries meet at one place, in five ways."""

from typing import Any

import numpy as np

from autodidact.functions.arguments import need_tensor
from autodidact.functions.gathering import entry_index, vector_index
from autodidact.functions.shape import expand
from autodidact.ops import index as rows
from autodidact.ops.scattering import scatter_amax, scatter_amin, scatter_prod
from autodidact.public import both, method
from autodidact.tensor import Tensor

__all__ = ["index_reduce", "scatter_reduce"]

MEET = {"amax": scatter_amax, "amin": scatter_amin, "prod": scatter_prod}


def neutral(kind: np.dtype, reduce: str) -> Any:
    """What changes nothing: where the input itself is not to count."""
    if reduce in ("sum", "mean", "prod"):
        return int(reduce == "prod")
    if kind.kind == "f":
        return -np.inf if reduce == "amax" else np.inf
    if kind.kind == "b":
        return reduce == "amin"
    return int(np.iinfo(kind).min if reduce == "amax" else np.iinfo(kind).max)


def met(x: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, include: bool) -> Tensor:
    """The composition: put what is neutral where the input does not count, then meet."""
    if not include:
        x = rows.scatter_value.call(x, index, neutral(x._array.dtype, reduce), dim)
    if reduce in MEET:
        return MEET[reduce].call(x, index, src, dim)
    total = rows.scatter_add.call(x, index, src, dim)
    if reduce == "sum":
        return total
    one = x.new_ones(x._array.shape)
    if not include:
        one = rows.scatter_value.call(one, index, 0, dim)
    many = rows.scatter_add.call(one, index, x.new_ones(src._array.shape), dim)
    many = many.clamp_min(1)
    return total / many if x._array.dtype.kind in "fc" else total // many


@both
def scatter_reduce(input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *,
                   include_self: bool = True, out: Any = None) -> Tensor:
    """Entries of `src` meet at the places of `input` that `index` names along `dim`.

    Args:
        input: the tensor to start from.
        dim: along which dimension `index` counts.
        index: int64, of as many dimensions as `src`.
        src: the entries.
        reduce: sum, prod, mean, amax or amin.
        include_self: whether the input's own entries count.
        out: a tensor to write into.
    """
    if reduce not in ("sum", "prod", "mean", "amax", "amin"):
        raise RuntimeError("reduce argument must be either sum, prod, mean, amax or amin, got "
                           f"{reduce}.")
    need_tensor(src, "scatter_reduce", "src", 4)
    dim = entry_index("scatter", input, dim, index, src)
    if src._array.dtype != input._array.dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    return met(input, dim, index, src, reduce, include_self)


@both
def index_reduce(input: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, *,
                 include_self: bool = True, out: Any = None) -> Tensor:
    """Slices of `source` meet the slices of `input` that a vector of indices names."""
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise RuntimeError("index_reduce(): Expected reduce to be one of prod, mean, amax or amin "
                           f"but got {reduce}.")
    dim = vector_index("index_reduce", input, dim, index)
    if source._array.dtype != input._array.dtype:
        raise RuntimeError("index_reduce(): self and source must have the same scalar type")
    if not source._array.ndim:
        return met(input, dim, index.reshape(()), source, reduce, include_self)
    shape = [-1 if d == dim else 1 for d in range(source._array.ndim)]
    wide = expand(index.long().reshape(shape), source._array.shape)
    return met(input, dim, wide, source, reduce, include_self)


def in_place(name: str, made: Any) -> None:
    """`scatter_reduce_` and `index_reduce_`."""
    def f(self: Tensor, *args: Any, **words: Any) -> Tensor:
        return self.copy_(made(self.clone(), *args, **words))
    f.__doc__ = f"`{name}`, written into the tensor."
    method(f, f"{name}_")


in_place("scatter_reduce", scatter_reduce)
in_place("index_reduce", index_reduce)
