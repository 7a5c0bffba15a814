"""Values picked at places: grids over pictures, bags of embeddings, pairs of rows."""


import warnings
from typing import Any

import numpy as np

from autodidact.arrays import dtype as dt
from autodidact.arrays.bfloat16 import refuse
from autodidact.functions.arguments import numbers_of
from autodidact.functions.creation import fresh
from autodidact.functions.matrices import pdist
from autodidact.functions.ordering import embedding
from autodidact.functions.scattering import scatter_reduce
from autodidact.nn.functional import shorten_rows
from autodidact.nn.functional_losses import number_of, reduced
from autodidact.ops.ctc import ctc_loss as ctc_row
from autodidact.tensor import Tensor

__all__ = ["affine_grid", "ctc_loss", "embedding_bag", "grid_sample", "multilabel_margin_loss",
           "pdist"]


# ---- pictures through a grid --------------------------------------------------------------------


def affine_grid(theta: Tensor, size: Any, align_corners: bool | None = None) -> Tensor:
    """The places that a picture of `size` takes its pixels from, under affine maps `theta`.

    Args:
        theta: shape (N, 2, 3) for pictures, (N, 3, 4) for volumes.
        size: (N, C, H, W) or (N, C, D, H, W).
        align_corners: whether -1 and 1 are the corner pixels' centres or their outer edges.

    Returns:
        A grid (N, H, W, 2) or (N, D, H, W, 3), for `grid_sample`.
    """
    sizes = [int(n) for n in size[2:]]
    lines = []
    for n in sizes:
        line = np.linspace(-1, 1, n) if n > 1 else np.zeros(1)
        lines.append(line if align_corners else line * (n - 1) / n)
    axes = np.meshgrid(*lines, indexing="ij")[::-1]
    places = np.stack([*axes, np.ones_like(axes[0])], -1).astype(theta._array.dtype)
    flat = fresh(places.reshape(-1, len(sizes) + 1))
    return (flat @ theta.mT).reshape(len(theta._array), *sizes, len(sizes))


def grid_sample(input: Tensor, grid: Tensor, mode: str = "bilinear", padding_mode: str = "zeros",
                align_corners: bool | None = None) -> Tensor:
    """Pictures looked at in the places of a grid, between pixels by straight lines.

    Args:
        input: shape (N, C, H, W) or (N, C, D, H, W).
        grid: shape (N, H', W', 2) or (N, D', H', W', 3): (x, y) or (x, y, z) from -1 to 1.
        mode: "bilinear", "nearest" or (pictures only) "bicubic".
        padding_mode: beyond the edges "zeros", "border" (the edge) or "reflection".
        align_corners: whether -1 and 1 are the corner pixels' centres or their outer edges.

    Raises:
        ValueError: another mode. RuntimeError: sizes that do not fit.
    """
    check_grid(input, grid, mode, padding_mode)
    numbers_of(grid, "grid_sample")
    if align_corners is None:
        warnings.warn("Default grid_sample and affine_grid behavior has changed to "
                      "align_corners=False since 1.3.0.", stacklevel=2)
    if input.dtype is dt.bfloat16:
        return grid_sample(input.float(), grid.float(), mode, padding_mode,
                           bool(align_corners)).bfloat16()
    sizes, align = tuple(input.shape[:1:-1]), bool(align_corners)      # width first, as in the grid
    places = []
    for k, n in enumerate(sizes):
        x = grid.select(-1, k)
        x = (x + 1) / 2 * (n - 1) if align else ((x + 1) * n - 1) / 2
        places.append(x if mode == "bicubic" else inside(x, n, padding_mode, align))
    if mode == "nearest":
        return looked_up(input, [np.rint(p.detach()._array) for p in places], None, "zeros", align)
    if mode == "bicubic":
        return cubic_look(input, places, padding_mode, align)
    lows = [np.floor(p.detach()._array) for p in places]
    parts = [p - fresh(low) for p, low in zip(places, lows, strict=True)]
    total = None
    for corner in np.ndindex(*(2,) * len(sizes)):
        weight = None
        for side, part in zip(corner, parts, strict=True):
            factor = part if side else 1 - part
            weight = factor if weight is None else weight * factor
        at = [low + side for low, side in zip(lows, corner, strict=True)]
        term = looked_up(input, at, weight, "zeros", align)
        total = term if total is None else total + term
    return total


def check_grid(input: Tensor, grid: Tensor, mode: str, padding_mode: str) -> None:
    """PyTorch's refusals."""
    if mode not in ("bilinear", "nearest", "bicubic"):
        raise ValueError("nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' "
                         f"or 'bicubic', but got: '{mode}'")
    if padding_mode not in ("zeros", "border", "reflection"):
        raise ValueError("nn.functional.grid_sample(): expected padding_mode to be 'zeros', "
                         f"'border', or 'reflection', but got: '{padding_mode}'")
    dims = input.dim() - 2
    if input.shape[0] != grid.shape[0] or grid.dim() != dims + 2 or grid.shape[-1] != dims:
        raise RuntimeError("grid_sampler(): expected grid and input to have the same batch size "
                           f"and grid to have size {dims} in last dimension, but got input with "
                           f"sizes {list(input.shape)} and grid with sizes {list(grid.shape)}")


def inside(x: Tensor, n: int, mode: str, align: bool) -> Tensor:
    """Places beyond the edges moved to the edge, or mirrored; as they are for "zeros"."""
    if mode == "zeros":
        return x
    if mode == "reflection":
        low, span = (0.0, float(n - 1)) if align else (-0.5, float(n))
        if span == 0:
            return x * 0
        away = (x - low).abs()
        turns = np.floor(away.detach()._array / span)
        rest = away - fresh(turns * span)
        odd = fresh(turns % 2 == 1)
        x = odd.logical_not() * rest + odd * (span - rest) + low
    return x.clamp(0, n - 1)


def looked_up(input: Tensor, at: list, weight: Tensor | None, mode: str, align: bool) -> Tensor:
    """The pixels at whole places (0 outside), times a weight: (N, C, places...)."""
    sizes, (batch, channels) = input.shape[:1:-1], input.shape[:2]
    known, flat, stride = True, 0, 1
    for p, n in zip(at, sizes, strict=True):
        p = np.nan_to_num(p, nan=-1.0, posinf=-1.0, neginf=-1.0)
        known = known & (p >= 0) & (p < n)
        flat = flat + np.clip(p, 0, n - 1).astype(np.int64) * stride
        stride *= n
    index = fresh(np.ascontiguousarray(np.broadcast_to(
        flat.reshape(batch, 1, -1), (batch, channels, flat[0].size))))
    found = input.reshape(batch, channels, -1).gather(2, index).reshape(
        batch, channels, *flat.shape[1:])
    factor = fresh(np.asarray(known, input._array.dtype)).unsqueeze(1)
    return found * (factor if weight is None else factor * weight.unsqueeze(1))


def cubic_look(input: Tensor, places: list, mode: str, align: bool) -> Tensor:
    """Sixteen pixels around each place, by two cubic curves."""
    lows = [np.floor(p.detach()._array) for p in places]
    curves = [[keys((p - fresh(low) - k).abs()) for k in range(-1, 3)]
              for p, low in zip(places, lows, strict=True)]
    total = None
    for i in range(4):
        for j in range(4):
            at = [lows[0] + (j - 1), lows[1] + (i - 1)]
            at = [inside(fresh(p), n, mode, align)._array
                  for p, n in zip(at, input.shape[:1:-1], strict=True)]
            at = [np.rint(p) for p in at]
            term = looked_up(input, at, curves[0][j] * curves[1][i], mode, align)
            total = term if total is None else total + term
    return total


def keys(x: Tensor, a: float = -0.75) -> Tensor:
    """Keys' curve: how much a neighbour at distance x counts."""
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = ((x - 5) * x + 8) * x * a - 4 * a
    close = x.detach() <= 1
    return near * close + far * (~close)


# ---- bags of embeddings -------------------------------------------------------------------------


def embedding_bag(input: Tensor, weight: Tensor, offsets: Tensor | None = None,
                  max_norm: float | None = None, norm_type: float = 2,
                  scale_grad_by_freq: bool = False, mode: str = "mean", sparse: bool = False,
                  per_sample_weights: Tensor | None = None, include_last_offset: bool = False,
                  padding_idx: int | None = None) -> Tensor:
    """The sums (means, maxima) of the rows of `weight` that bags of indices name.

    Args:
        input: bags of one length (B, N), or all indices in one vector, cut by
        offsets: where each bag begins.
        weight: the table of rows.
        max_norm, norm_type: rows that are named and longer are first shortened, in the table.
        scale_grad_by_freq: gradients over how often a row was named.
        mode: "sum", "mean" or "max".
        sparse: accepted; gradients are dense.
        per_sample_weights: factors of the rows; mode "sum" only.
        include_last_offset: the last offset is the end, not a bag.
        padding_idx: an index that does not count.
    """
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError("embedding_bag: per_sample_weights was not None. "
                                  "per_sample_weights is only supported for mode='sum' (got "
                                  f"mode='{mode}').")
    if max_norm is not None:
        shorten_rows(weight, input, max_norm, norm_type)
    bag, count, flat, factors = bags(input, offsets, include_last_offset, per_sample_weights)
    if padding_idx is not None:
        padding = padding_idx % weight.shape[0]
        kept = fresh(np.flatnonzero(numbers_of(flat, "embedding_bag") != padding).astype(np.int64))
        flat, bag = flat.index_select(0, kept), bag[kept._array]
        factors = None if factors is None else factors.index_select(0, kept)
    rows = embedding(weight, flat, -1, scale_grad_by_freq)
    rows = rows if factors is None else rows * factors.unsqueeze(1)
    zeros = fresh(np.zeros((count, weight.shape[1]), weight._array.dtype))
    if mode == "max":
        index = fresh(np.repeat(bag[:, None], weight.shape[1], 1))
        return scatter_reduce(zeros, 0, index, rows, "amax", include_self=False)
    total = zeros.index_add(0, fresh(bag), rows)
    if mode == "sum":
        return total
    sizes = np.maximum(np.bincount(bag, minlength=count), 1).astype(weight._array.dtype)
    return total / fresh(sizes).unsqueeze(1)


def bags(input: Tensor, offsets: Tensor | None, last: bool, factors: Tensor | None) -> tuple:
    """For every index its bag; how many bags; the indices and factors in one vector."""
    if input.dim() == 2:
        if offsets is not None:
            raise ValueError("if input is 2D, then offsets has to be None, as input is treated is "
                             "a mini-batch of fixed length sequences.")
        count, n = input.shape
        bag = np.repeat(np.arange(count, dtype=np.int64), n)
        return bag, count, input.reshape(-1), None if factors is None else factors.reshape(-1)
    if offsets is None:
        raise ValueError("offsets has to be a 1D Tensor but got None")
    starts = numbers_of(offsets, "embedding_bag").astype(np.int64)
    starts = starts[:-1] if last else starts
    bag = np.searchsorted(starts, np.arange(input.shape[0]), "right").astype(np.int64) - 1
    return bag, len(starts), input, factors


# ---- losses -------------------------------------------------------------------------------------


def multilabel_margin_loss(input: Tensor, target: Tensor, size_average: bool | None = None,
                           reduce: bool | None = None, reduction: str = "mean") -> Tensor:
    """The mean over pairs of a wanted and another class of `max(0, 1 - x[wanted] + x[other])`.

    `target` lists the wanted classes, up to the first -1.
    """
    scores = input if input.dim() > 1 else input.reshape(1, -1)
    classes = numbers_of(target, "multilabel_margin_loss").reshape(scores.shape)
    listed = np.cumprod(classes >= 0, axis=1).astype(bool)
    wanted = np.zeros(classes.shape, bool)
    for row, column in zip(*np.nonzero(listed), strict=True):
        wanted[row, classes[row, column]] = True
    picked = scores.gather(1, fresh(np.where(listed, classes, 0).astype(np.int64)))
    short = (1 - picked.unsqueeze(2) + scores.unsqueeze(1)).clamp_min(0)
    counted = fresh((listed[:, :, None] & ~wanted[:, None, :]).astype(scores._array.dtype))
    loss = (short * counted).sum((1, 2)) / scores.shape[1]
    loss = loss if input.dim() > 1 else loss[0]
    return reduced(loss, number_of(reduction, size_average, reduce))


def ctc_loss(log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any,
             blank: int = 0, reduction: str = "mean", zero_infinity: bool = False) -> Tensor:
    """How unlikely the target sequences are, over all ways to stretch them and put blanks between.

    Args:
        log_probs: log probabilities, shape (T, N, C) or (T, C).
        targets: shape (N, S), or all targets in one vector.
        input_lengths: how many steps of each example count.
        target_lengths: how many targets each example has.
        blank: which class is the blank.
        reduction: "none", "sum", or "mean" over examples, each over its number of targets.
        zero_infinity: 0 where no way exists, instead of infinity.
    """
    refuse("ctc_loss", log_probs._array)
    single = log_probs.dim() == 2
    scores = log_probs.unsqueeze(1) if single else log_probs
    steps, lengths = (np.atleast_1d(np.asarray(
        x._array if isinstance(x, Tensor) else x, np.int64)) for x in (
            input_lengths, target_lengths))
    labels = numbers_of(targets, "ctc_loss").astype(np.int64)
    if labels.ndim == 2:
        rows = tuple(tuple(map(int, row[:n])) for row, n in zip(labels, lengths, strict=True))
    else:
        ends = np.cumsum(lengths)
        rows = tuple(tuple(map(int, labels[e - n:e])) for e, n in zip(ends, lengths, strict=True))
    loss = ctc_row.call(scores, rows, tuple(map(int, steps)), blank)
    if zero_infinity:
        loss = loss.masked_fill(loss.detach().isinf(), 0)
    if reduction == "mean":
        weights = np.maximum(lengths, 1).astype(scores._array.dtype)
        return (loss / fresh(weights)).mean()
    loss = loss.squeeze(0) if single else loss
    return loss.sum() if reduction == "sum" else loss


