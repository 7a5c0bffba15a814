"""Pooling: one number for each window, its largest or its mean."""

import itertools
import math
from typing import Any

import numpy as np

from autodidact.arrays.foreign import certainly, contiguous, device_of, made
from autodidact.arrays.place import put
from autodidact.arrays.scatter import add_rows
from autodidact.ops.convolution import inner, look, surrounded
from autodidact.ops.op import Op, linear

max_pool2d_with_indices = Op(
    "max_pool2d_with_indices(self, *, kernel, stride, padding, dilation, count)",
    forward = lambda self, kernel, stride, padding, dilation, count:
              largest(self, kernel, stride, padding, dilation, count),
    outputs = ("result0", "result1"),
    vjp     = {"self": lambda grad, self, result1, kernel, stride, dilation:
               put_planes(grad, result1, tuple(self.shape)[2:], apart(kernel, stride, dilation))},
    jvp     = lambda self_t, result1: pick_planes(self_t, result1),
    node    = "MaxPool2DWithIndicesBackward0")

max_pool3d_with_indices = Op(
    "max_pool3d_with_indices(self, *, kernel, stride, padding, dilation, count)",
    forward = max_pool2d_with_indices.forward,
    outputs = ("result0", "result1"),
    vjp     = max_pool2d_with_indices.vjp,
    jvp     = max_pool2d_with_indices.jvp,
    node    = "MaxPool3DWithIndicesBackward0")

pick_planes = Op("pick_planes(self, indices)",                    # of (N, C, ...), flat positions
    forward = lambda self, indices: np.take_along_axis(
              self.reshape(*self.shape[:2], -1), indices.reshape(*indices.shape[:2], -1),
              2).reshape(indices.shape),
    vjp     = {"self": lambda grad, indices, self_shape:
               put_planes(grad, indices, self_shape[2:], False)},
    kind    = linear)

put_planes = Op("put_planes(grad, indices, *, size, apart)",      # zeros with grad added there
    forward = lambda grad, indices, size, apart: added(grad, indices, size, apart),
    vjp     = {"grad": lambda grad, indices: pick_planes(grad, indices)},
    kind    = linear)

avg_pool2d = Op("avg_pool2d(self, *, kernel, stride, padding, count, divisor)",
    forward = lambda self, kernel, stride, padding, count, divisor:
              summed(self, kernel, stride, padding, count) / each(divisor, self),
    vjp     = {"self": lambda grad, self, kernel, stride, padding, count, divisor:
               avg_pool_backward(grad, tuple(self.shape)[2:], kernel, stride, padding, count,
                                 divisor)},
    node    = "AvgPool2DBackward0",
    kind    = linear)

avg_pool3d = Op("avg_pool3d(self, *, kernel, stride, padding, count, divisor)",
    forward = avg_pool2d.forward,
    vjp     = avg_pool2d.vjp,
    node    = "AvgPool3DBackward0",
    kind    = linear)

avg_pool_backward = Op("avg_pool_backward(grad, *, size, kernel, stride, padding, count, divisor)",
    forward = lambda grad, size, kernel, stride, padding, count, divisor:
              shared(grad / each(divisor, grad), size, kernel, stride, padding, count),
    vjp     = {"grad": lambda grad, kernel, stride, padding, count, divisor:
               avg_pool2d(grad, kernel, stride, padding, count, divisor)},
    kind    = linear)


# ---- longer mathematics -------------------------------------------------------------------------


def each(divisor: Any, x: Any) -> Any:
    """The number of entries of each window, where x is; usually it is one number for all."""
    return put(divisor, device_of(x)) if isinstance(divisor, np.ndarray) else divisor


def reaching(x: np.ndarray, kernel: tuple, stride: tuple, padding: tuple, dilation: tuple,
             count: tuple, value: float) -> np.ndarray:
    """The padded array; with more at its ends where the last windows reach out (ceil_mode)."""
    x = surrounded(x, padding, value)
    missing = [max((c - 1) * s + d * (k - 1) + 1 - n, 0) for n, c, k, s, d in zip(
        x.shape[2:], count, kernel, stride, dilation, strict=True)]
    if not any(missing):
        return x
    return np.pad(x, [(0, 0), (0, 0), *((0, m) for m in missing)], constant_values=value)


def largest(x: np.ndarray, kernel: tuple, stride: tuple, padding: tuple, dilation: tuple,
            count: tuple) -> tuple:
    """Each window's largest entry (NaN if there is one), and where in its plane it was."""
    low = -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min
    padded = reaching(x, kernel, stride, padding, dilation, count, low)
    looks = [padded[look(offset, count, stride, dilation)]
             for offset in itertools.product(*map(range, kernel))]
    if stride[-1] > 1 and math.prod(kernel) <= 4 * math.prod(stride):   # each is read twice, and
        looks = [contiguous(seen) for seen in looks]                    # numbers apart are slow
    best = looks[0].copy()
    for seen in looks[1:]:
        np.maximum(best, seen, out=best)
    which = np.zeros_like(best, dtype=np.int8 if len(looks) < 128 else np.int32)
    for number in reversed(range(1, len(looks))):               # of equal ones the first wins,
        put_number(which, number, looks[number] == best)
    put_number(which, 0, looks[0] == best)
    if x.dtype.kind == "f" and not certainly(~np.isnan(best).any()):    # of several NaN the last
        for number, seen in enumerate(looks):
            put_number(which, number, seen != seen)
    return best, flat_positions(which, x.shape[2:], kernel, stride, padding, dilation, count)


def put_number(into: np.ndarray, number: int, mask: np.ndarray) -> None:
    """Write a number where the mask is true: by bits, since branches would be guessed wrong."""
    into ^= (into ^ number) & -mask.view(np.int8)


def flat_positions(which: np.ndarray, size: tuple, kernel: tuple, stride: tuple, padding: tuple,
                   dilation: tuple, count: tuple) -> np.ndarray:
    """The number of an entry in its window as the number of the entry in the unpadded plane."""
    steps = [math.prod(size[i + 1:]) for i in range(len(size))]
    shift = steps_along(which, kernel, dilation, steps, padding)
    start = steps_along(which, count, stride, steps, (0,) * len(steps))
    found = np.take(shift.reshape(-1), which)
    found += start
    return found


def steps_along(like: Any, shape: tuple, strides: tuple, steps: list, less: tuple) -> Any:
    """For every place of `shape` the sum over the dimensions of (place * stride - less) * step."""
    total = made(like, np.zeros, shape, np.int64)
    for i, (n, s, step, p) in enumerate(zip(shape, strides, steps, less, strict=True)):
        axis = (made(like, np.arange, n, dtype=np.int64) * s - p) * step
        total += axis.reshape((-1,) + (1,) * (len(shape) - 1 - i))
    return total


def apart(kernel: tuple, stride: tuple, dilation: tuple) -> bool:
    """Whether no two windows share an entry."""
    return all(s > d * (k - 1) for k, s, d in zip(kernel, stride, dilation, strict=True))


def added(grad: np.ndarray, indices: np.ndarray, size: tuple, apart: bool) -> np.ndarray:
    """Zeros with each entry added at its flat position in its plane; `apart`: none meet there."""
    planes, cells = grad.shape[0] * grad.shape[1], math.prod(size)
    first = made(grad, np.arange, planes, dtype=np.int64) * cells
    where = indices.reshape(planes, -1) + first[:, None]
    if apart:
        total = made(grad, np.zeros, planes * cells, grad.dtype)
        total[where.reshape(-1)] = grad.reshape(-1)
        return total.reshape(*grad.shape[:2], *size)
    total = made(grad, np.zeros, (planes * cells, 1), grad.dtype)
    add_rows(total, where.reshape(-1), grad.reshape(-1, 1))
    return total.reshape(*grad.shape[:2], *size)


def summed(x: np.ndarray, kernel: tuple, stride: tuple, padding: tuple, count: tuple) -> np.ndarray:
    """The sum over each window."""
    ones = (1,) * len(kernel)
    padded = reaching(x, kernel, stride, padding, ones, count, 0)
    total = None
    for offset in itertools.product(*map(range, kernel)):
        seen = padded[look(offset, count, stride, ones)]
        total = seen.copy() if total is None else np.add(total, seen, total)
    return total


def shared(grad: np.ndarray, size: tuple, kernel: tuple, stride: tuple, padding: tuple,
           count: tuple) -> np.ndarray:
    """The transpose of `summed`."""
    ones = (1,) * len(kernel)
    reach = [max(n + 2 * p, (c - 1) * s + k) for n, p, c, s, k in zip(
        size, padding, count, stride, kernel, strict=True)]
    padded = made(grad, np.zeros, (*grad.shape[:2], *reach), grad.dtype)
    for offset in itertools.product(*map(range, kernel)):
        padded[look(offset, count, stride, ones)] += grad
    return padded[inner(size, padding)]
