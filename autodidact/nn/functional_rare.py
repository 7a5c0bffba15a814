"""Functions that are seldom asked for; part of `torch.nn.functional`."""

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from autodidact.functions.arguments import all_numbers
from autodidact.functions.creation import fresh
from autodidact.functions.random import rand
from autodidact.nn.functional import cross_entropy, linear
from autodidact.nn.functional_conv import batched, conv1d, each
from autodidact.nn.functional_image import interpolate
from autodidact.nn.functional_layers import channel_shuffle
from autodidact.nn.functional_pool import (
    adaptive_max_pool1d,
    adaptive_max_pool2d,
    adaptive_max_pool3d,
    max_pool1d,
    max_pool2d,
    max_pool3d,
)
from autodidact.ops import pooling as rows
from autodidact.tensor import Tensor

__all__ = [
    "LinearCrossEntropyOptions", "adaptive_max_pool1d_with_indices",
    "adaptive_max_pool2d_with_indices", "adaptive_max_pool3d_with_indices", "conv_tbc",
    "fractional_max_pool2d", "fractional_max_pool2d_with_indices", "fractional_max_pool3d",
    "fractional_max_pool3d_with_indices", "linear_cross_entropy", "max_pool1d_with_indices",
    "max_pool2d_with_indices", "max_pool3d_with_indices", "native_channel_shuffle",
    "upsample_bilinear", "upsample_nearest",
]

# ---- pooling, told where ------------------------------------------------------------------------


def telling(pool: Callable) -> Callable:
    """A pooling function that gives the indices, too."""
    def with_indices(*args: Any, **words: Any) -> tuple:
        """The pooled input, and where its entries were."""
        return pool(*args, **words | {"return_indices": True})
    with_indices.__name__ = with_indices.__qualname__ = f"{pool.__name__}_with_indices"
    return with_indices


max_pool1d_with_indices, max_pool2d_with_indices, max_pool3d_with_indices = map(
    telling, (max_pool1d, max_pool2d, max_pool3d))
(adaptive_max_pool1d_with_indices, adaptive_max_pool2d_with_indices,
 adaptive_max_pool3d_with_indices) = map(
    telling, (adaptive_max_pool1d, adaptive_max_pool2d, adaptive_max_pool3d))


# ---- pooling with steps of random length --------------------------------------------------------


def fractional_max_pool(dims: int) -> Callable:
    """`fractional_max_pool2d`, `fractional_max_pool3d`."""
    name = f"fractional_max_pool{dims}d"

    def pool(input: Tensor, kernel_size: Any, output_size: Any = None, output_ratio: Any = None,
             return_indices: bool = False, _random_samples: Tensor | None = None) -> Any:
        """The largest entry of each window; windows begin at random, about evenly.

        Args:
            input: shape (N, C, *size) or (C, *size).
            kernel_size: of the windows.
            output_size: how many windows along each dimension; or
            output_ratio: which part of the input's size.
            return_indices: tell where the entries were.
            _random_samples: shape (N, C, dims): where the windows begin, from 0 to 1.

        Raises:
            ValueError: neither size nor ratio. RuntimeError: windows that do not fit.
        """
        if output_size is None and output_ratio is None:
            raise ValueError(f"{name} requires specifying either an output_size or an "
                             "output_ratio")
        x, with_batch = batched(name, input, dims)
        size, kernel = tuple(x.shape[2:]), each(kernel_size, dims)
        out = (tuple(int(n * r) for n, r in zip(size, ratios(output_ratio, dims), strict=True))
               if output_size is None else each(output_size, dims))
        for n, k, o in zip(size, kernel, out, strict=True):
            if k + o - 1 > n - (dims == 3):                    # PyTorch wants one more there
                raise RuntimeError(f"{name}(): pool size {k} and output size {o} are too large "
                                   f"relative to the input size {n}")
        if _random_samples is None:
            _random_samples = rand(*x.shape[:2], dims, dtype=x.dtype)
        places = best_of_windows(all_numbers(x), all_numbers(_random_samples), kernel, out)
        indices = fresh(places)
        found = [rows.pick_planes.call(x, indices), indices]
        found = [t if with_batch else t.squeeze(0) for t in found]
        return tuple(found) if return_indices else found[0]
    pool.__name__ = pool.__qualname__ = name
    return pool


def ratios(given: Any, dims: int) -> tuple:
    """One number for all dimensions, or one for each."""
    return tuple(given) if isinstance(given, tuple | list) else (given,) * dims


def starts(sample: Any, n: int, kernel: int, out: int) -> np.ndarray:
    """Where the windows begin along one dimension; the last one ends where the input ends."""
    if out < 2:
        return np.array([n - kernel] * out, np.int64)
    step = sample.dtype.type(n - kernel) / sample.dtype.type(out - 1)
    number = np.arange(out, dtype=np.int64).astype(sample.dtype)
    found = ((number + sample) * step).astype(np.int64) - np.int64(sample * step)
    found[-1] = n - kernel
    return found


def best_of_windows(x: np.ndarray, samples: np.ndarray, kernel: tuple, out: tuple) -> np.ndarray:
    """Where each window's largest entry is, as a flat position in its plane."""
    size, dims = x.shape[2:], len(kernel)
    # Pictures have their samples in the order (width, height), volumes in that of their dimensions.
    turn = (1, 0) if dims == 2 else (0, 1, 2)
    number = np.arange(math.prod(size), dtype=np.int64).reshape(size)
    found = np.empty((*x.shape[:2], *out), np.int64)
    for plane in np.ndindex(x.shape[:2]):
        axes = [starts(samples[plane][turn[d]], size[d], kernel[d], out[d])[:, None]
                + np.arange(kernel[d], dtype=np.int64) for d in range(dims)]
        shaped = [axis.reshape([-1 if i // 2 == d and not i % 2 else kernel[d] if i == 2 * d + 1
                                else 1 for i in range(2 * dims)]) for d, axis in enumerate(axes)]
        order = (*range(0, 2 * dims, 2), *range(1, 2 * dims, 2))
        windows = np.broadcast_to(number[tuple(shaped)], [n for d in range(dims) for n in (
            out[d], kernel[d])]).transpose(order).reshape(*out, math.prod(kernel))
        best = x[plane].reshape(-1)[windows].argmax(-1)
        found[plane] = np.take_along_axis(windows, best[..., None], -1)[..., 0]
    return found


fractional_max_pool2d, fractional_max_pool3d = map(fractional_max_pool, (2, 3))
fractional_max_pool2d_with_indices, fractional_max_pool3d_with_indices = map(
    telling, (fractional_max_pool2d, fractional_max_pool3d))


# ---- a linear layer and its loss ----------------------------------------------------------------


@dataclass(frozen=True)
class LinearCrossEntropyOptions:
    """How PyTorch cuts `linear_cross_entropy` into pieces to save memory; here it is not cut."""

    allow_retain_graph: bool = False
    batch_chunk_size: int | None = None
    chunking_method: str | None = "auto"
    acc_policy: str = "auto"
    acc_dtype: Any = None

    def __post_init__(self) -> None:
        if self.acc_policy not in ("auto", "accurate", "balanced", "compact"):
            raise ValueError(f"invalid acc_policy: {self.acc_policy!r}")


def linear_cross_entropy(input: Tensor, linear_weight: Tensor, target: Tensor, *,
                         linear_bias: Tensor | None = None, weight: Tensor | None = None,
                         reduction: str = "mean", ignore_index: int | None = None,
                         label_smoothing: float = 0.0, options: Any = None) -> Tensor:
    """`cross_entropy(linear(input, linear_weight, linear_bias), target)`.

    Args:
        input: shape (N, in) or (in).
        linear_weight: shape (C, in); with further dimensions (C, d1, ..., in).
        target: classes (N, d1, ...), or their probabilities (N, C, d1, ...).
        linear_bias: shape (C, d1, ...).
        weight, reduction, ignore_index, label_smoothing: as for `cross_entropy`.
        options: accepted: they change how much memory PyTorch needs, not the result.

    Raises:
        RuntimeError: shapes that do not fit; `ignore_index` with probabilities.
    """
    check_linear(input, linear_weight, linear_bias)
    lead, (classes, *more), features = input.shape[:-1], linear_weight.shape[:-1], input.size(-1)
    if more and not lead:
        raise RuntimeError("K-dimensional loss defined by linear_weight shape "
                           f"{tuple(linear_weight.shape)} requires batched input, (N, {features}), "
                           f"got unbatched input with shape {tuple(input.shape)}")
    shape = (*lead, classes, *more)
    if tuple(target.shape) == shape and ignore_index is not None:
        raise RuntimeError("ignore_index cannot be specified when target contains probabilities")
    if more:
        linear_weight = linear_weight.reshape(-1, features)
        linear_bias = linear_bias if linear_bias is None else linear_bias.reshape(-1)
    scores = linear(input, linear_weight, linear_bias).reshape(shape)
    return cross_entropy(scores, target, weight, reduction=reduction,
                         ignore_index=-100 if ignore_index is None else ignore_index,
                         label_smoothing=label_smoothing)


def check_linear(input: Tensor, weight: Tensor, bias: Tensor | None) -> None:
    """PyTorch's refusals."""
    if input.dim() not in (1, 2):
        raise RuntimeError(f"expected input with dimensionality 1 or 2, got {input.dim()}")
    if weight.dim() < 2:
        raise RuntimeError("expected linear_weight with dimensionality at least 2, got "
                           f"{weight.dim()}")
    if input.size(-1) != weight.size(-1):
        raise RuntimeError("expected equal input and linear_weight last dimensions (in_features), "
                           f"got {input.size(-1)} and {weight.size(-1)}, respectively")
    if bias is not None and bias.shape != weight.shape[:-1]:
        raise RuntimeError(f"expected linear_bias shape {tuple(weight.shape[:-1])}, got "
                           f"{tuple(bias.shape)}")


# ---- older names --------------------------------------------------------------------------------


def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: int = 0) -> Tensor:
    """A convolution along time: input (time, batch, in), weight (kernel, in, out), bias (out)."""
    found = conv1d(input.permute(1, 2, 0), weight.permute(2, 1, 0), bias, padding=pad)
    return found.permute(2, 0, 1)


def native_channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """`channel_shuffle`."""
    return channel_shuffle(input, groups)


def upsample_nearest(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """An old name of `interpolate(mode="nearest")`."""
    warnings.warn("`nn.functional.upsample_nearest` is deprecated. Use "
                  "`nn.functional.interpolate` instead.", stacklevel=2)
    return interpolate(input, size, scale_factor, mode="nearest")


def upsample_bilinear(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """An old name of `interpolate(mode="bilinear", align_corners=True)`."""
    warnings.warn("`nn.functional.upsample_bilinear` is deprecated. Use "
                  "`nn.functional.interpolate` instead.", stacklevel=2)
    return interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)
