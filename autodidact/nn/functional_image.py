"""Pictures in other sizes; part of `torch.nn.functional`."""

import math
from typing import Any

import numpy as np

from autodidact.functions.creation import fresh
from autodidact.nn.functional_pool import adaptive_avg_pool1d, adaptive_avg_pool2d
from autodidact.tensor import Tensor

__all__ = ["interpolate", "upsample"]

STRAIGHT = {"linear": 1, "bilinear": 2, "trilinear": 3}


def interpolate(input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest",
                align_corners: bool | None = None, recompute_scale_factor: bool | None = None,
                antialias: bool = False) -> Tensor:
    """Pictures (N, C, ...) in another size.

    Args:
        input: shape (N, C, ...) with one to three further dimensions.
        size: the new size; or give
        scale_factor: how much larger.
        mode: "nearest", "nearest-exact", "linear", "bilinear", "trilinear", "area".
        align_corners: whether the corner pixels' centres stay at the corners.
        recompute_scale_factor: use the factor between the sizes, not the given one.
        antialias: not supported.

    Raises:
        ValueError: both or none of size and factor; `align_corners` without straight lines.
        NotImplementedError: other modes.
    """
    dims = input.dim() - 2
    if (size is None) == (scale_factor is None):
        raise ValueError("only one of size or scale_factor should be defined")
    if align_corners is not None and mode not in STRAIGHT:
        raise ValueError("align_corners option can only be set with the interpolating modes: "
                         "linear | bilinear | bicubic | trilinear")
    if antialias or mode not in ("nearest", "nearest-exact", "area", *STRAIGHT):
        raise NotImplementedError(f"interpolate with mode={mode!r}, antialias={antialias} is not "
                                  "there yet")
    if mode in STRAIGHT and STRAIGHT[mode] != dims:
        raise NotImplementedError(f"Got {input.dim()}D input, but {mode} mode needs "
                                  f"{STRAIGHT[mode] + 2}D input")
    old = input.shape[2:]
    if size is None:
        factors = list(scale_factor) if isinstance(scale_factor, tuple | list) else [
            scale_factor] * dims
        new = [math.floor(n * f) for n, f in zip(old, factors, strict=True)]
        steps = [None if recompute_scale_factor else 1 / f for f in factors]
    else:
        new = list(size) if isinstance(size, tuple | list) else [size] * dims
        steps = [None] * dims
    if mode == "area":
        return (adaptive_avg_pool1d if dims == 1 else adaptive_avg_pool2d)(input, tuple(new))
    for i, (n, m, step) in enumerate(zip(old, new, steps, strict=True)):
        step = n / m if step is None else step
        if mode in STRAIGHT:
            input = straight(input, i + 2, n, m, step, bool(align_corners))
        else:
            shift = 0.5 if mode == "nearest-exact" else 0.0
            places = np.floor((np.arange(m) + shift) * step).astype(np.int64)
            input = input.index_select(i + 2, fresh(np.minimum(places, n - 1)))
    return input


def straight(input: Tensor, dim: int, n: int, m: int, step: float, align: bool) -> Tensor:
    """Along one dimension: between two neighbours, in proportion to the distance."""
    if align:
        place = np.arange(m) * ((n - 1) / (m - 1) if m > 1 else 0.0)
    else:
        place = np.maximum((np.arange(m) + 0.5) * step - 0.5, 0)
    low = np.minimum(np.floor(place).astype(np.int64), n - 1)
    high = np.minimum(low + 1, n - 1)
    shape = [1] * input.dim()
    shape[dim] = m
    part = (place - low).astype(input._array.dtype).reshape(shape)
    return (input.index_select(dim, fresh(low)) * fresh(1 - part)
            + input.index_select(dim, fresh(high)) * fresh(part))


def upsample(input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest",
             align_corners: bool | None = None) -> Tensor:
    """The old name of `interpolate`."""
    return interpolate(input, size, scale_factor, mode, align_corners)
