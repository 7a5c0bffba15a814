"""`torch.nn.functional`: activations, losses and layers as plain functions."""

import warnings
from typing import Any

import numpy as np

from autodidact.arrays.bfloat16 import cast, wide
from autodidact.autograd.grad_mode import no_grad
from autodidact.functions.activation import log_softmax as log_softmax_along
from autodidact.functions.activation import softmax as softmax_along
from autodidact.functions.arguments import wrap_dim
from autodidact.functions.loss import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    cross_entropy,
    huber_loss,
    kl_div,
    l1_loss,
    mse_loss,
    nll_loss,
    smooth_l1_loss,
)
from autodidact.functions.ordering import embedding as rows_of_table
from autodidact.functions.random import dropped
from autodidact.inplace import write
from autodidact.ops import activation as rows
from autodidact.ops import transcendental
from autodidact.tensor import Tensor, wrap

__all__ = [
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "celu", "cosine_similarity",
    "cross_entropy", "dropout", "elu", "embedding",
    "gelu", "glu", "hardshrink", "hardsigmoid", "hardswish", "hardtanh",
    "huber_loss", "kl_div", "l1_loss", "leaky_relu", "linear", "log_softmax",
    "logsigmoid", "mish", "mse_loss", "nll_loss", "normalize", "relu", "relu6", "selu", "sigmoid",
    "silu", "smooth_l1_loss", "softmax", "softmin", "softplus", "softshrink", "softsign", "tanh",
    "tanhshrink", "threshold",
]

# The dtypes in which PyTorch has no such function: it says so in these words.
KERNELS = {"gelu": "GeluKernelImpl", "silu": "silu_cpu", "elu": "elu_cpu"}


def floating(x: Tensor, name: str) -> Tensor:
    """The tensor, if its dtype is floating; NotImplementedError in PyTorch's words else."""
    if not isinstance(x, Tensor):
        raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not "
                        f"{type(x).__name__}")
    if x._array.dtype.kind not in ("fc" if name == "silu" else "f"):
        kind = x.type().rpartition(".")[2].removesuffix("Tensor")
        raise NotImplementedError(f'"{KERNELS.get(name, name + "_cpu")}" not implemented for '
                                  f"'{kind}'")
    return x


def apply(row: Any, x: Tensor, args: tuple, inplace: bool) -> Tensor:
    """A row, out of place or in place."""
    return write(row, x, (), args) if inplace else row.call(x, *args)


# ---- activations --------------------------------------------------------------------------------


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """`max(input, 0)`; the derivative at 0 is 0."""
    return apply(rows.relu, input, (), inplace)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """The input where it is positive, else `negative_slope` times the input."""
    return apply(rows.leaky_relu, floating(input, "leaky_relu"), (negative_slope,), inplace)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """The input where it is positive, else `alpha * (exp(input) - 1)`."""
    return apply(rows.elu, floating(input, "elu"), (alpha, 1, 1), inplace)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """elu with the constants that keep mean 0 and variance 1."""
    return apply(rows.elu, floating(input, "elu"),
                 (1.6732632423543772, 1.0507009873554805, 1), inplace)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """The input where it is positive, else `alpha * (exp(input / alpha) - 1)`."""
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    return apply(rows.celu, floating(input, "elu"), (alpha,), inplace)


def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """`x Φ(x)`, Φ the normal distribution; with `approximate="tanh"` its approximation by tanh."""
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    return rows.gelu.call(floating(input, "gelu"), approximate)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """`x σ(x)`, also called swish."""
    return apply(rows.silu, floating(input, "silu"), (), inplace)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """`x tanh(softplus(x))`."""
    return apply(rows.mish, floating(input, "mish"), (), inplace)


def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """`log(1 + exp(beta x)) / beta`; the input itself where `beta x` is above the threshold."""
    return rows.softplus.call(floating(input, "softplus"), beta, threshold)


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0,
             inplace: bool = False) -> Tensor:
    """The input between two bounds; the derivative at a bound is 0."""
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return apply(rows.hardtanh, input, (min_val, max_val), inplace)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """The input between 0 and 6."""
    return hardtanh(input, 0.0, 6.0, inplace)


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """A sigmoid of three straight pieces."""
    return apply(rows.hardsigmoid, floating(input, "hardsigmoid"), (), inplace)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """`x hardsigmoid(x)`."""
    return apply(rows.hardswish, floating(input, "hardswish"), (), inplace)


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """The input where it is above the threshold, else `value`."""
    return apply(rows.threshold, input, (threshold, value), inplace)


def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """The input moved towards 0 by `lambd`, and 0 where that would cross it."""
    if lambd < 0:
        raise RuntimeError(f"lambda must be greater or equal to 0, but found to be {lambd:g}.")
    return rows.softshrink.call(floating(input, "softshrink"), lambd)


def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """The input, but 0 between `-lambd` and `lambd`."""
    return rows.hardshrink.call(floating(input, "hardshrink"), lambd)


def sigmoid(input: Tensor) -> Tensor:
    """`1 / (1 + exp(-input))`."""
    return transcendental.sigmoid.call(input)


def tanh(input: Tensor) -> Tensor:
    """The hyperbolic tangent."""
    return transcendental.tanh.call(input)


def logsigmoid(input: Tensor) -> Tensor:
    """`log(sigmoid(input))`, without loss of digits."""
    return rows.log_sigmoid.call(floating(input, "log_sigmoid"))


def softsign(input: Tensor) -> Tensor:
    """`x / (1 + |x|)`."""
    return input / (input.abs() + 1)


def tanhshrink(input: Tensor) -> Tensor:
    """`x - tanh(x)`."""
    return input - input.tanh()


def glu(input: Tensor, dim: int = -1) -> Tensor:
    """The first half along `dim`, times the sigmoid of the second."""
    dim, size = wrap_dim(dim, input.dim()), input.size(dim)
    if size % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {dim} is size {size}")
    a, b = input.split(size // 2, dim)
    return a * b.sigmoid()


# ---- along a dimension --------------------------------------------------------------------------


def implicit_dim(name: str, ndim: int, stacklevel: int) -> int:
    """The dimension that PyTorch guessed before `dim` was asked for."""
    warnings.warn(f"Implicit dimension choice for {name} has been deprecated. Change the call to "
                  "include dim=X as an argument.", UserWarning, stacklevel=stacklevel + 1)
    return 0 if ndim in (0, 1, 3) else 1


def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3,
            dtype: Any = None) -> Tensor:
    """Positive numbers that add up to 1 along `dim`, in proportion to `exp(input)`."""
    if dim is None:
        dim = implicit_dim("softmax", input.dim(), _stacklevel)
    return softmax_along(input, dim, dtype)


def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3,
                dtype: Any = None) -> Tensor:
    """The logarithm of softmax, computed without loss of digits."""
    if dim is None:
        dim = implicit_dim("log_softmax", input.dim(), _stacklevel)
    return log_softmax_along(input, dim, dtype)


def softmin(input: Tensor, dim: int | None = None, _stacklevel: int = 3,
            dtype: Any = None) -> Tensor:
    """The softmax of the negated input."""
    if dim is None:
        dim = implicit_dim("softmin", input.dim(), _stacklevel)
    return softmax_along(-input, dim, dtype)


def normalize(input: Tensor, p: float = 2.0, dim: Any = 1, eps: float = 1e-12) -> Tensor:
    """Vectors along `dim` of length 1; of shorter ones than `eps`, `input / eps`."""
    length = input.norm(p, dim, keepdim=True).clamp_min(eps).expand_as(input)
    return input / length


def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """The cosine of the angle between vectors along `dim`."""
    shape = np.broadcast_shapes(x1.shape, x2.shape)
    x1, x2 = x1.expand(shape), x2.expand(shape)
    lengths = [x.norm(2, dim, keepdim=True).clone() for x in (x1, x2)]
    with no_grad():                                # the bound is no part of the function
        for length in lengths:
            length.clamp_min_(eps)
    return ((x1 / lengths[0]) * (x2 / lengths[1])).sum(dim)


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """In training: zeros with probability `p`, the rest larger by `1 / (1 - p)`; else the input."""
    if not 0 <= p <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    return dropped(input, p, inplace) if training and p else input


# ---- layers -------------------------------------------------------------------------------------


def embedding(input: Tensor, weight: Tensor, padding_idx: int | None = None,
              max_norm: float | None = None, norm_type: float = 2.0,
              scale_grad_by_freq: bool = False, sparse: bool = False) -> Tensor:
    """The rows of `weight` that `input` names.

    Args:
        input: integers, any shape.
        weight: the table, shape (n, features).
        padding_idx: a row that gets no gradient.
        max_norm: rows that are looked up and longer than this are first shortened, in the table.
        norm_type: belongs to `max_norm`.
        scale_grad_by_freq: divide each row's gradient by how often it was used.
        sparse: accepted; gradients are dense.

    Example:
        >>> F.embedding(torch.tensor([1, 1]), torch.tensor([[1., 2.], [3., 4.]]))
        tensor([[3., 4.],
                [3., 4.]])
    """
    if max_norm is not None:
        shorten_rows(weight, input, max_norm, norm_type)
    padding = -1 if padding_idx is None else padding_idx
    if not -weight.size(0) <= padding < weight.size(0):
        raise AssertionError("Padding_idx must be within num_embeddings")
    if padding_idx is not None and padding_idx < 0:
        padding += weight.size(0)
    return rows_of_table(weight, input, padding, scale_grad_by_freq, sparse)


@no_grad()
def shorten_rows(weight: Tensor, used: Tensor, max_norm: float, norm_type: float) -> None:
    """Scale those rows of a table that are used and too long, in place, to length `max_norm`."""
    places = np.unique(np.asarray(used._array))
    rows_used = np.asarray(wide(weight._array))[places]
    norms = np.linalg.norm(rows_used, norm_type, 1, keepdims=True)
    factor = np.where(norms > max_norm, max_norm / (norms + 1e-7), 1).astype(rows_used.dtype)
    shortened = wrap(cast(rows_used * factor, weight._array.dtype))
    weight.index_copy_(0, wrap(places.astype(np.int64)), shortened)


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """`input @ weight.T + bias`.

    Args:
        input: shape (..., in).
        weight: shape (out, in), or (in).
        bias: shape (out).

    Example:
        >>> F.linear(torch.tensor([1., 2.]), torch.tensor([[3., 4.]]))
        tensor([11.])
    """
    if bias is None:
        return input.matmul(weight.t())
    if input.dim() == 2 and weight.dim() == 2:
        return bias.addmm(input, weight.t())
    if input.dim() > 2 and weight.dim() == 2 and input.is_contiguous():
        flat = bias.addmm(input.reshape(-1, input.size(-1)), weight.t())
        return flat.view(*input.shape[:-1], weight.size(0))
    return input.matmul(weight.t()) + bias
