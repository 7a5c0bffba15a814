"""Padding with a constant: more entries around an array, or (negative numbers) fewer."""

from typing import Any

import numpy as np

from autodidact.arrays.foreign import made
from autodidact.ops.op import Op, linear

constant_pad_nd = Op("constant_pad_nd(self, *, pad, value)",
    forward = lambda self, pad, value: padded(self, pad, value),
    vjp     = {"self": lambda grad, pad: constant_pad_nd(grad, tuple(-n for n in pad), 0)},
    jvp     = lambda self_t, pad: constant_pad_nd(self_t, pad, 0),
    kind    = linear)


def padded(array: np.ndarray, pad: tuple, value: Any) -> np.ndarray:
    """`pad` counts from the last dimension: (left, right, top, bottom, ...)."""
    ndim, ends = array.ndim, len(pad) // 2
    pairs = [(0, 0)] * (ndim - ends) + [(pad[2 * i], pad[2 * i + 1])
                                        for i in reversed(range(ends))]
    shape = tuple(n + before + after
                  for n, (before, after) in zip(array.shape, pairs, strict=True))
    if min(shape, default=0) < 0:
        raise ValueError("the sizes after padding are negative")
    out = made(array, np.full, shape, value, array.dtype)
    into = tuple(slice(max(before, 0), n - max(after, 0))
                 for n, (before, after) in zip(shape, pairs, strict=True))
    kept = tuple(slice(max(-before, 0), n - max(-after, 0))
                 for n, (before, after) in zip(array.shape, pairs, strict=True))
    out[into] = array[kept]
    return out
