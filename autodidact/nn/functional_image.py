"""Pictures in other sizes; part of `torch.nn.functional`."""

import math
from typing import Any

import numpy as np

from autodidact.functions.creation import fresh
from autodidact.nn.functional_pool import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
)
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
        mode: "nearest", "nearest-exact", "linear", "bilinear", "trilinear", "bicubic", "area".
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
    if align_corners is not None and mode not in (*STRAIGHT, "bicubic"):
        raise ValueError("align_corners option can only be set with the interpolating modes: "
                         "linear | bilinear | bicubic | trilinear")
    if antialias or mode not in ("nearest", "nearest-exact", "area", "bicubic", *STRAIGHT):
        raise NotImplementedError(f"interpolate with mode={mode!r}, antialias={antialias} is not "
                                  "there yet")
    if {**STRAIGHT, "bicubic": 2}.get(mode, dims) != dims:
        raise NotImplementedError(f"Got {input.dim()}D input, but {mode} mode needs "
                                  f"{STRAIGHT.get(mode, 2) + 2}D input")
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
        pool = (adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d)[dims - 1]
        return pool(input, tuple(new))
    for i, (n, m, step) in enumerate(zip(old, new, steps, strict=True)):
        step = n / m if step is None else step
        if mode in STRAIGHT:
            input = straight(input, i + 2, n, m, step, bool(align_corners))
        elif mode == "bicubic":
            input = curved(input, i + 2, n, m, step, bool(align_corners))
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
    return (input.index_select(dim, fresh(low)) * fresh((1 - part).astype(part.dtype))
            + input.index_select(dim, fresh(high)) * fresh(part))


def curved(input: Tensor, dim: int, n: int, m: int, step: float, align: bool) -> Tensor:
    """Along one dimension: a cubic curve by the four neighbours."""
    place = np.arange(m) * ((n - 1) / (m - 1) if m > 1 else 0.0) if align else (
        (np.arange(m) + 0.5) * step - 0.5)
    low = np.floor(place).astype(np.int64)
    shape = [1] * input.dim()
    shape[dim] = m
    total = None
    for k in range(-1, 3):
        part = cubic(np.abs(place - low - k)).astype(input._array.dtype).reshape(shape)
        term = input.index_select(dim, fresh(np.clip(low + k, 0, n - 1))) * fresh(part)
        total = term if total is None else total + term
    return total


def cubic(x: np.ndarray, a: float = -0.75) -> np.ndarray:
    """Keys' curve: how much a neighbour at distance x counts."""
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    return np.where(x <= 1, near, np.where(x < 2, ((x - 5) * x + 8) * x * a - 4 * a, 0))


def upsample(input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest",
             align_corners: bool | None = None) -> Tensor:
    """The old name of `interpolate`."""
    return interpolate(input, size, scale_factor, mode, align_corners)
