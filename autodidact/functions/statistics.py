"""Variance, standard deviation, norms and logsumexp with PyTorch's arguments."""

import math
from typing import Any

from autodidact.functions.arguments import need_tensor
from autodidact.functions.reduction import UNSET, cast, mean, numpy_names, some
from autodidact.ops import statistics as rows
from autodidact.public import both, function
from autodidact.tensor import Tensor

__all__ = ["logsumexp", "norm", "std", "var"]


def reading(name: str, input: Tensor, dim: Any, unbiased: Any, correction: Any, keepdim: bool,
            axis: Any, keepdims: Any) -> tuple:
    """The arguments of `var` and `std`: dimensions, correction, keepdim.

    `var(False)` is `var(unbiased=False)`, an old form; `correction` is the new one, 1 by default.
    """
    need_tensor(input, name, "input")
    dim, keepdim = numpy_names(dim, keepdim, axis, keepdims)
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    if input._array.dtype.kind not in "fc":
        raise RuntimeError("std and var only support floating point and complex dtypes")
    if correction is UNSET:
        correction = 1 if unbiased is None or unbiased else 0
    return some(dim, input._array.ndim), 1 if correction is None else correction, keepdim


def deviation(row: Any, doc: str) -> Any:
    """`var` and `std`."""
    def f(input: Tensor, dim: Any = None, unbiased: bool | None = None, keepdim: bool = False, *,
          correction: Any = UNSET, axis: Any = UNSET, keepdims: Any = None) -> Tensor:
        return row.call(input, *reading(row.name, input, dim, unbiased, correction, keepdim, axis,
                                        keepdims))

    def with_mean(input: Tensor, dim: Any = None, unbiased: bool | None = None,
                  keepdim: bool = False, *, correction: Any = UNSET, axis: Any = UNSET,
                  keepdims: Any = None) -> tuple:
        dims, correction, keepdim = reading(f"{row.name}_mean", input, dim, unbiased, correction,
                                            keepdim, axis, keepdims)
        return row.call(input, dims, correction, keepdim), mean(input, dims, keepdim)
    f.__name__ = f.__qualname__ = row.name
    f.__doc__, with_mean.__doc__ = doc, f"{row.name} and mean together."
    both(f, row.name)
    function(with_mean, f"{row.name}_mean")
    return f


var = deviation(rows.var, "The variance: squared distances from the mean, over n - correction.")
std = deviation(rows.std, "The standard deviation: the square root of the variance.")


@both
def logsumexp(input: Tensor, dim: Any, keepdim: bool = False) -> Tensor:
    """`log(sum(exp(input)))` along `dim`, without overflow."""
    input = input if input._array.dtype.kind in "fc" else input.float()
    return rows.logsumexp.call(input, some(dim, input._array.ndim), keepdim)


NUCLEAR: Any = None                 # the sum of singular values: set by spectral.py


@both
def norm(input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, *,
         dtype: Any = None, out: Any = None) -> Tensor:
    """The length of the vector of all entries, or along `dim`: `(sum |x|^p)^(1/p)`.

    Args:
        input: floating or complex.
        p: the exponent, also inf, -inf or 0; "fro" is 2; "nuc" for matrices.
        dim: the dimensions to reduce; None for all.
        keepdim: they stay, with size 1.
        dtype: the dtype to compute in.
        out: not supported.

    Raises:
        RuntimeError: for integers, and for other words.

    Example:
        >>> torch.tensor([3., 4.]).norm()
        tensor(5.)
    """
    need_tensor(input, "norm", "input")
    if p == "nuc":
        return NUCLEAR(input, dim, keepdim, dtype)
    if isinstance(p, str) and p != "fro":
        raise RuntimeError(f"norm: p={p!r} is not supported; use a number or 'fro'")
    input = cast(input, dtype)
    if input._array.dtype.kind not in "fc":
        raise RuntimeError("linalg.vector_norm: Expected a floating point or complex tensor as "
                           f"input. Got {input.type().rpartition('.')[2].removesuffix('Tensor')}")
    order = 2.0 if p is None or p == "fro" else p
    return rows.vector_norm.call(input, order, some(dim, input._array.ndim), keepdim)


@both
def dist(input: Tensor, other: Tensor, p: float = 2) -> Tensor:
    """The p-norm of the difference."""
    return norm(input - other, math.inf if p == "inf" else p)
