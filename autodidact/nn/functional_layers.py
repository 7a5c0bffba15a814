"""Padding, distances, pictures, attention; part of `torch.nn.functional`."""

import math
from collections.abc import Sequence

import numpy as np

from autodidact.arrays import dtype as dt
from autodidact.arrays.generator import default_generator
from autodidact.functions.arguments import all_numbers, numbers_of
from autodidact.functions.creation import fresh
from autodidact.functions.einsum import einsum
from autodidact.functions.elementwise import where
from autodidact.functions.random import dropped
from autodidact.nn.functional import softmax
from autodidact.ops import padding as rows
from autodidact.tensor import Tensor

__all__ = ["bilinear", "channel_shuffle", "gumbel_softmax", "one_hot", "pad", "pixel_shuffle",
           "pixel_unshuffle", "prelu", "rrelu", "scaled_dot_product_attention"]

# ---- activations --------------------------------------------------------------------------------


def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """The input where it is positive, else times `weight`: one number, or one for each channel."""
    if weight.numel() != 1:
        channels = input.size(1) if input.dim() > 1 else 1
        if channels != weight.numel():
            raise RuntimeError("Mismatch of parameter numbers and input channel size. Found "
                               f"parameter numbers = {weight.numel()} and channel size = "
                               f"{channels}.")
    if input.dim() > 1 and weight.dim():
        weight = weight.view(1, -1, *(1,) * (input.dim() - 2))
    elif weight.dim():
        weight = weight.view(()) if input.dim() == 0 else weight
    return where(input > 0, input, input * weight)


def rrelu(input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False,
          inplace: bool = False) -> Tensor:
    """leaky_relu with a slope drawn for each entry while training, else the mean slope."""
    if not training:
        slope = fresh(np.array((lower + upper) / 2, input._array.dtype))
        result = where(input > 0, input, input * slope)
    else:
        array = all_numbers(input)
        slopes, falls = np.ones_like(array), array <= 0
        slopes[falls] = default_generator.doubles(int(falls.sum())) * (upper - lower) + lower
        result = input * fresh(slopes).to(input.dtype)
    return input.copy_(result) if inplace else result


def gumbel_softmax(logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10,
                   dim: int = -1) -> Tensor:
    """A random one-hot vector, softened by the temperature `tau` so that it has a gradient.

    With `hard` the value is exactly one-hot and the gradient that of the soft one.
    """
    noise = -fresh(np.zeros(logits.shape, logits._array.dtype)).exponential_().log()
    soft = softmax((logits + noise) / tau, dim)
    if not hard:
        return soft
    best = soft.max(dim, keepdim=True)[1]
    one = soft.detach().new_zeros(soft.shape).scatter_(dim, best, 1.0)
    return one - soft.detach() + soft


# ---- layers -------------------------------------------------------------------------------------


def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """`x1 A x2 + b` for each output: weight of shape (out, in1, in2)."""
    result = einsum("...i,oij,...j->...o", input1, weight, input2)
    return result if bias is None else result + bias


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """Integers as vectors with a single 1.

    Raises:
        RuntimeError: for other dtypes than int64, negative numbers, or too large ones.
    """
    classes = all_numbers(tensor) if num_classes != -1 else numbers_of(tensor, "one_hot")
    if classes.dtype != np.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if classes.size and classes.min() < 0:
        raise RuntimeError("Class values must be non-negative.")
    if num_classes == -1:
        if not classes.size:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
        num_classes = int(classes.max()) + 1
    if classes.size and classes.max() >= num_classes:
        raise RuntimeError("Class values must be smaller than num_classes.")
    numbers = np.arange(num_classes, dtype=np.int64)
    return tensor.unsqueeze(-1).eq(fresh(numbers)).to(dt.int64)


def pad(input: Tensor, pad: Sequence, mode: str = "constant", value: float | None = None) -> Tensor:
    """More entries around the tensor, from the last dimension on: (left, right, top, bottom, ...).

    Args:
        input: any shape.
        pad: how many entries at each end; negative numbers cut entries off (constant mode).
        mode: "constant", "reflect", "replicate" or "circular".
        value: the new entries of constant mode.

    Raises:
        RuntimeError: a `pad` of odd length, or of more dimensions than there are.

    Example:
        >>> F.pad(torch.tensor([1., 2.]), (1, 2))
        tensor([0., 1., 2., 0., 0.])
    """
    sizes = tuple(int(n) for n in pad)
    if len(sizes) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(sizes) > 2 * input.dim():
        raise RuntimeError("Padding length should be less than or equal to two times the input "
                           f"dimension but got padding length {len(sizes)} and input of dimension "
                           f"{input.dim()}")
    if mode == "constant":
        return rows.constant_pad_nd.call(input, sizes, 0 if value is None else value)
    if mode not in ("reflect", "replicate", "circular"):
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    for i in range(0, len(sizes), 2):
        dim = input.dim() - 1 - i // 2
        places = border(mode, input.size(dim), sizes[i], sizes[i + 1])
        input = input.index_select(dim, fresh(places)) if places is not None else input
    return input


def border(mode: str, n: int, before: int, after: int) -> np.ndarray | None:
    """Where the entries of a padded dimension come from; None where nothing is padded."""
    if not before and not after:
        return None
    places = np.arange(-before, n + after, dtype=np.int64)
    if mode == "replicate":
        return np.clip(places, 0, n - 1)
    if mode == "circular":
        if max(before, after) > n:
            raise RuntimeError("Padding value causes wrapping around more than once.")
        start, kept = max(-before, 0), n + min(before, 0) + min(after, 0)
        return start + (places - start) % kept
    if max(before, after) >= n:
        raise RuntimeError("Argument #4: Padding size should be less than the corresponding input "
                           f"dimension, but got: padding ({before}, {after}) at dimension of size "
                           f"{n}")
    places = np.abs(places)
    return np.where(places >= n, 2 * (n - 1) - places, places)


def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """(..., C r², H, W) -> (..., C, H r, W r)."""
    *lead, channels, h, w = input.shape
    r = upscale_factor
    if channels % (r * r):
        raise RuntimeError("pixel_shuffle expects its input's 'channel' dimension to be divisible "
                           f"by the square of upscale_factor, but input.size(-3)={channels} is not "
                           f"divisible by {r * r}")
    n = len(lead)
    parts = input.reshape(*lead, channels // (r * r), r, r, h, w)
    order = (*range(n), n, n + 3, n + 1, n + 4, n + 2)
    return parts.permute(order).reshape(*lead, channels // (r * r), h * r, w * r)


def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """The reverse of pixel_shuffle."""
    *lead, channels, h, w = input.shape
    r, n = downscale_factor, len(lead)
    if h % r or w % r:
        raise RuntimeError("pixel_unshuffle expects height and width to be divisible by "
                           f"downscale_factor, but got {h} and {w} with {r}")
    parts = input.reshape(*lead, channels, h // r, r, w // r, r)
    order = (*range(n), n, n + 2, n + 4, n + 1, n + 3)
    return parts.permute(order).reshape(*lead, channels * r * r, h // r, w // r)


def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """Channels of several groups in turn."""
    n, channels, *rest = input.shape
    return input.reshape(n, groups, channels // groups, *rest).transpose(1, 2).reshape(input.shape)


# ---- attention ----------------------------------------------------------------------------------


def scaled_dot_product_attention(query: Tensor, key: Tensor, value: Tensor,
                                 attn_mask: Tensor | None = None, dropout_p: float = 0.0,
                                 is_causal: bool = False, scale: float | None = None,
                                 enable_gqa: bool = False) -> Tensor:
    """`softmax(Q Kᵀ / sqrt(d) + mask) V`.

    Args:
        query: shape (..., L, d).
        key: shape (..., S, d).
        value: shape (..., S, d').
        attn_mask: added to the scores; or bool: True where a key may be looked at.
        dropout_p: which part of the weights is dropped.
        is_causal: look at earlier positions only.
        scale: instead of `1 / sqrt(d)`.
        enable_gqa: fewer heads of keys and values than of queries, each used several times.

    Raises:
        RuntimeError: both a mask and `is_causal`.
    """
    if enable_gqa:
        times = query.size(-3) // key.size(-3)
        key = key.repeat_interleave(times, -3)
        value = value.repeat_interleave(times, -3)
    scale = 1 / math.sqrt(query.size(-1)) if scale is None else scale
    scores = (query * scale) @ key.transpose(-2, -1)
    if is_causal:
        if attn_mask is not None:
            raise RuntimeError("_scaled_dot_product_attention: Explicit attn_mask should not be "
                               "set when is_causal=True")
        sees = np.tril(np.ones((query.size(-2), key.size(-2)), bool))
        attn_mask = fresh(sees)
    if attn_mask is not None and attn_mask._array.dtype.kind == "b":
        scores = scores.masked_fill(~attn_mask, -math.inf)
    elif attn_mask is not None:
        scores = scores + attn_mask
    weights = softmax(scores, -1)
    if attn_mask is not None and attn_mask._array.dtype.kind == "b":
        blind = ~attn_mask.any(-1, keepdim=True)          # a query that may look at nothing: zeros
        weights = weights.masked_fill(blind, 0) if bool(blind.any()) else weights
    return (dropped(weights, dropout_p, False) if dropout_p > 0 else weights) @ value
