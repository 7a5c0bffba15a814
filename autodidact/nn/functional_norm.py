"""Normalisation and the dropout family; part of `torch.nn.functional`."""

import math
import warnings
from typing import Any

import numpy as np

from autodidact.arrays import random as draws
from autodidact.arrays.dtype import float32
from autodidact.arrays.generator import default_generator
from autodidact.autograd.grad_mode import no_grad
from autodidact.functions.creation import fresh
from autodidact.levels.level import writable
from autodidact.levels.randomness import drawn
from autodidact.nn.functional_layers import pad
from autodidact.ops import normalization as rows
from autodidact.tensor import Tensor

__all__ = [
    "alpha_dropout", "batch_norm", "dropout1d", "dropout2d", "dropout3d", "feature_alpha_dropout",
    "group_norm", "instance_norm", "layer_norm", "local_response_norm", "rms_norm",
]


def of_channels(values: Tensor, ndim: int) -> Tensor:
    """One number for each channel, in a shape that broadcasts along dimension 1."""
    return values.view(1, -1, *(1,) * (ndim - 2))


def check_channels(channels: int, **given: Tensor | None) -> None:
    """RuntimeError unless each of the given vectors has one number for each channel."""
    for name, values in given.items():
        if values is not None and values.numel() != channels:
            raise RuntimeError(f"{name} should contain {channels} elements not {values.numel()}")


def check_dtypes(input: Tensor, *parameters: Tensor | None) -> None:
    """RuntimeError unless they have the input's dtype; float32 beside half precision will do."""
    kind = input.dtype
    for values in parameters:
        if values is not None and values.dtype != kind and (
                kind.itemsize != 2 or values.dtype != float32):
            word = input.type().rpartition(".")[2].removesuffix("Tensor")
            raise RuntimeError(
                f"mixed dtype (CPU): expect parameter to have scalar type of {word}")


def standardized(input: Tensor, mean: Tensor, var: Tensor, weight: Tensor | None,
                 bias: Tensor | None, eps: float) -> Tensor:
    """`(input - mean) / sqrt(var + eps) * weight + bias`, all in shapes that broadcast."""
    factor = (var + eps).rsqrt()
    factor = factor if weight is None else factor * weight
    result = (input - mean) * factor
    return result if bias is None else result + bias


def moments(input: Tensor, dims: tuple) -> tuple:
    """Mean and (biased) variance over some dimensions, which stay with size 1."""
    mean = input.mean(dims, keepdim=True)
    away = input - mean
    return mean, (away * away).mean(dims, keepdim=True)


def follow(running: Tensor | None, value: Tensor, momentum: float) -> None:
    """Move a running average towards a new value."""
    if running is not None:
        with no_grad():
            running.mul_(1 - momentum).add_(value.detach().reshape(running.shape).to(running.dtype),
                                            alpha=momentum)


def batch_norm(input: Tensor, running_mean: Tensor | None, running_var: Tensor | None,
               weight: Tensor | None = None, bias: Tensor | None = None, training: bool = False,
               momentum: float = 0.1, eps: float = 1e-5) -> Tensor:
    """Each channel with mean 0 and variance 1 over the batch, then times `weight` plus `bias`.

    Args:
        input: shape (N, C, ...).
        running_mean: used instead of the batch's when not training; moved towards it in training.
        running_var: the same for the variance.
        weight: factors, shape (C).
        bias: shape (C).
        training: use the batch's own mean and variance.
        momentum: how far the running values move.
        eps: added to the variance.

    Raises:
        ValueError: training with a single value per channel.
        RuntimeError: a vector without one number for each channel.
    """
    if input.dim() == 1:                                  # one example without a batch
        return batch_norm(input.unsqueeze(0), running_mean, running_var, weight, bias, training,
                          momentum, eps).squeeze(0)
    check_channels(input.size(1), running_mean=running_mean, running_var=running_var,
                   weight=weight, bias=bias)
    ndim, count = input.dim(), input.numel() // max(input.size(1), 1)
    if training:
        if count <= 1:
            raise ValueError("Expected more than 1 value per channel when training, got input size "
                             f"{input.size()}")
        check_dtypes(input, weight, bias)
        result, mean, _, var = rows.native_batch_norm.call(input, weight, bias, eps)
        follow(running_mean, mean, momentum)
        follow(running_var, var.detach() * (count / (count - 1)), momentum)
        return result
    if running_mean is None or running_var is None:
        raise RuntimeError("Expected running_mean and running_var to be defined when "
                           "training=False")
    mean, var = of_channels(running_mean, ndim), of_channels(running_var, ndim)
    weight = None if weight is None else of_channels(weight, ndim)
    bias = None if bias is None else of_channels(bias, ndim)
    return standardized(input, mean, var, weight, bias, eps)


def instance_norm(input: Tensor, running_mean: Tensor | None = None,
                  running_var: Tensor | None = None, weight: Tensor | None = None,
                  bias: Tensor | None = None, use_input_stats: bool = True, momentum: float = 0.1,
                  eps: float = 1e-5) -> Tensor:
    """As batch_norm, but over each example by itself.

    Raises:
        ValueError: a single value per channel.
    """
    if not use_input_stats:
        return batch_norm(input, running_mean, running_var, weight, bias, False, momentum, eps)
    ndim, dims = input.dim(), tuple(range(2, input.dim()))
    count = math.prod(input.shape[2:])
    if count == 1:
        raise ValueError("Expected more than 1 spatial element when training, got input size "
                         f"{input.size()}")
    mean, var = moments(input, dims)
    if running_mean is not None:
        running_mean, running_var = writable(running_mean), writable(running_var)
    follow(running_mean, mean.detach().mean(0), momentum)
    follow(running_var, var.detach().mean(0) * (count / (count - 1)), momentum)
    weight = None if weight is None else of_channels(weight, ndim)
    bias = None if bias is None else of_channels(bias, ndim)
    return standardized(input, mean, var, weight, bias, eps)


def group_norm(input: Tensor, num_groups: int, weight: Tensor | None = None,
               bias: Tensor | None = None, eps: float = 1e-5) -> Tensor:
    """As batch_norm, but over groups of channels of each example.

    Raises:
        RuntimeError: channels that do not divide into the groups.
    """
    channels = input.shape[1]
    if channels % num_groups:
        raise RuntimeError("Expected number of channels in input to be divisible by num_groups, "
                           f"but got input of shape {list(input.shape)} and "
                           f"num_groups={num_groups}")
    for name, values in (("weight", weight), ("bias", bias)):
        if values is not None and tuple(values.shape) != (channels,):
            raise RuntimeError(f"Expected {name} to be a vector of size equal to the number of "
                               f"channels in input, but got {name} of shape {list(values.shape)} "
                               f"and input of shape {list(input.shape)}")
    check_dtypes(input, weight, bias)
    return rows.native_group_norm.call(input, weight, bias, num_groups, eps)[0]


def layer_norm(input: Tensor, normalized_shape: Any, weight: Tensor | None = None,
               bias: Tensor | None = None, eps: float = 1e-5) -> Tensor:
    """Mean 0 and variance 1 over the last dimensions, then times `weight` plus `bias`.

    Raises:
        RuntimeError: where the input does not end in `normalized_shape`.
    """
    shape = tuple(normalized_shape)
    if input.dim() < len(shape) or tuple(input.shape[input.dim() - len(shape):]) != shape:
        inner = ", ".join(map(str, shape))
        raise RuntimeError(f"Given normalized_shape={list(shape)}, expected input with shape "
                           f"[*, {inner}], but got input of size{list(input.shape)}")
    for name, values in (("weight", weight), ("bias", bias)):
        if values is not None and tuple(values.shape) != shape:
            raise RuntimeError(f"Expected {name} to be of same shape as normalized_shape, but got "
                               f"{name} of shape {list(values.shape)} and normalized_shape = "
                               f"{list(shape)}")
    check_dtypes(input, weight, bias)
    dims = tuple(range(-len(shape), 0))
    return rows.native_layer_norm.call(input, weight, bias, dims, eps)[0]


def rms_norm(input: Tensor, normalized_shape: Any, weight: Tensor | None = None,
             eps: float | None = None) -> Tensor:
    """The input over the root of its mean square over the last dimensions, times `weight`."""
    shape = tuple(normalized_shape)
    if tuple(input.shape[input.dim() - len(shape):]) != shape:
        raise RuntimeError(f"Given normalized_shape={list(shape)}, expected input with shape "
                           f"[*, {', '.join(map(str, shape))}], but got input of "
                           f"size{list(input.shape)}")
    eps = float(np.finfo(input._array.dtype).eps) if eps is None else eps
    dims = tuple(range(-len(shape), 0))
    result = input * ((input * input).mean(dims, keepdim=True) + eps).rsqrt()
    return result if weight is None else result * weight


def local_response_norm(input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75,
                        k: float = 1.0) -> Tensor:
    """The input over `(k + alpha * mean of squares of `size` neighbouring channels) ** beta`."""
    if input.dim() < 3:
        raise ValueError("Expected 3D or higher dimensionality input (got "
                         f"{input.dim()} dimensions)")
    squares = pad(input * input, (0, 0) * (input.dim() - 2) + (size // 2, (size - 1) // 2))
    channels = input.size(1)
    total = squares.narrow(1, 0, channels)
    for i in range(1, size):
        total = total + squares.narrow(1, i, channels)
    return input / (total / size * alpha + k) ** beta


# ---- dropout ------------------------------------------------------------------------------------


def check_p(p: float) -> None:
    """A probability."""
    if not 0 <= p <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def drop_channels(input: Tensor, p: float, training: bool, inplace: bool) -> Tensor:
    """Whole channels set to zero."""
    check_p(p)
    if not training or p == 0:
        return input
    shape = (*input.shape[:2], *(1,) * (input.dim() - 2))
    noise = drawn(lambda shape: draws.dropout_mask(default_generator, shape, input._array.dtype, p),
                  shape)
    return input.mul_(noise) if inplace else input * noise


def dropout1d(input: Tensor, p: float = 0.5, training: bool = True,
              inplace: bool = False) -> Tensor:
    """Dropout of whole channels; shape (N, C, L) or (C, L)."""
    if input.dim() not in (2, 3):
        raise RuntimeError(f"dropout1d: Expected 2D or 3D input, but received a {input.dim()}D "
                           "input. Note that dropout1d exists to provide channel-wise dropout on "
                           "inputs with 1 spatial dimension.")
    return alone(drop_channels, input, 2, p, training, inplace)


def dropout2d(input: Tensor, p: float = 0.5, training: bool = True,
              inplace: bool = False) -> Tensor:
    """Dropout of whole channels; shape (N, C, H, W)."""
    if input.dim() not in (3, 4):
        warnings.warn(f"dropout2d: Received a {input.dim()}-D input to dropout2d, which is "
                      "deprecated and will result in an error in a future release.", UserWarning,
                      stacklevel=2)
    if input.dim() == 3:
        warnings.warn("dropout2d: Received a 3D input to dropout2d and assuming that channel-wise "
                      "1D dropout behavior is desired - input is interpreted as shape (N, C, L), "
                      "where C is the channel dim.", UserWarning, stacklevel=2)
    return drop_channels(input, p, training, inplace)


def dropout3d(input: Tensor, p: float = 0.5, training: bool = True,
              inplace: bool = False) -> Tensor:
    """Dropout of whole channels; shape (N, C, D, H, W) or (C, D, H, W)."""
    return alone(drop_channels, input, 4, p, training, inplace)


def alone(f: Any, input: Tensor, unbatched: int, *args: Any) -> Tensor:
    """`f` of a batch, or of one example that is given without a batch dimension."""
    if input.dim() != unbatched:
        return f(input, *args)
    return f(input.unsqueeze(0), *args).squeeze(0)


ALPHA = 1.7580993408473766         # -lambda * alpha of selu: where it ends for large negative x


def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False,
                  inplace: bool = False) -> Tensor:
    """Dropout that keeps selu's mean 0 and variance 1: dropped entries become selu's lowest."""
    return drop_alpha(input, input._array.shape, p, training, inplace)


def feature_alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False,
                          inplace: bool = False) -> Tensor:
    """The same for whole channels."""
    shape = (*input._array.shape[:2], *(1,) * (input.dim() - 2))
    return drop_alpha(input, shape, p, training, inplace)


def drop_alpha(input: Tensor, shape: tuple, p: float, training: bool, inplace: bool) -> Tensor:
    """alpha_dropout with a mask of this shape."""
    check_p(p)
    if not training or p == 0:
        return input
    if p == 1:
        return input.mul_(0) if inplace else input * 0
    a = 1 / math.sqrt((ALPHA * ALPHA * p + 1) * (1 - p))
    kept = draws.bernoulli(default_generator, 1 - p, shape, input._array.dtype)
    number, kind = kept.dtype.type, kept.dtype
    offset = fresh(((kept - 1) * number(ALPHA * a) + number(ALPHA * a * p)).astype(kind))
    noise = fresh((kept * number(a)).astype(kind))
    return input.mul_(noise).add_(offset) if inplace else input * noise + offset
