"""Joining tensors, and repeating, flipping and rolling one.

Joining sends each input the part of the gradient that came from it.
"""

from typing import Any

import numpy as np

from autodidact.arrays.foreign import contiguous, made
from autodidact.ops.op import Op, linear
from autodidact.ops.view import diagonal, scatter_view, select, slice_

cat = Op("cat(*tensors, dim)",
    forward = lambda tensors, dim: join(tensors, dim),
    vjp     = {"tensors": lambda grad, k, tensors_shape, dim: part(grad, tensors_shape, k, dim)},
    promote = "common",
    kind    = linear)

stack = Op("stack(*tensors, dim)",
    forward = lambda tensors, dim: stacked(tensors, dim),
    vjp     = {"tensors": lambda grad, k, dim: select(grad, dim, k)},
    promote = "common",
    kind    = linear)

repeat = Op("repeat(self, *, repeats)",
    forward = lambda self, repeats: np.tile(self, repeats),
    vjp     = {"self": lambda grad, self_shape, repeats: sum_copies(grad, self_shape, repeats)},
    kind    = linear)

flip = Op("flip(self, *, dims)",
    forward = lambda self, dims: np.flip(self, dims).copy(),
    vjp     = {"self": lambda grad, dims: flip(grad, dims)},
    kind    = linear)

roll = Op("roll(self, *, shifts, dims)",
    forward = lambda self, shifts, dims: np.roll(self, shifts, dims or None),
    vjp     = {"self": lambda grad, shifts, dims: roll(grad, tuple(-s for s in shifts), dims)},
    kind    = linear)

tril = Op("tril(self, *, diagonal)",
    forward = lambda self, diagonal: np.tril(self, diagonal),
    vjp     = {"self": lambda grad, diagonal: tril(grad, diagonal)},
    kind    = linear)

triu = Op("triu(self, *, diagonal)",
    forward = lambda self, diagonal: np.triu(self, diagonal),
    vjp     = {"self": lambda grad, diagonal: triu(grad, diagonal)},
    kind    = linear)


def join(arrays: list, dim: int) -> np.ndarray:
    """Concatenate; empty 1-d arrays are skipped, as PyTorch does for history's sake."""
    parts = [a for a in arrays if a.shape != (0,)] or arrays[:1]
    return row_major(np.concatenate(parts, dim if parts[0].ndim > 1 else 0))


def stacked(tensors: Any, dim: int) -> Any:
    """Arrays of one shape and dtype along a new dimension; along the first end to end."""
    first = tensors[0]
    if dim or type(first) is not np.ndarray or not first.ndim:
        return row_major(np.stack(tensors, dim))
    (n, *rest), count = first.shape, len(tensors)
    out = np.empty((count, n, *rest), first.dtype)
    np.concatenate(tensors, out=out.reshape(count * n, *rest))
    return out


def row_major(array: Any) -> Any:
    """A joined array as PyTorch lays it out: NumPy keeps the order of permuted parts."""
    return array if array.flags.c_contiguous else contiguous(array)


def part(grad: Any, shapes: tuple, k: int, dim: int) -> Any:
    """What came from input `k`; an empty 1-d input was skipped and gets an empty gradient."""
    if shapes[k] == (0,):
        return slice_(grad.reshape((-1,)), 0, 0, 0, 1)
    first = start(shapes, k, dim)
    return slice_(grad, dim, first, first + shapes[k][dim], 1)


def start(shapes: tuple, k: int, dim: int) -> int:
    """Where part `k` begins along `dim`."""
    return sum(shape[dim] for shape in shapes[:k] if shape != (0,))


def sum_copies(grad: Any, shape: tuple, repeats: tuple) -> Any:
    """The transpose of repeating: the copies' gradients, summed."""
    lead = len(repeats) - len(shape)
    split = [repeats[i] for i in range(lead)]
    for n, times in zip(shape, repeats[lead:], strict=True):
        split += [times, n]
    axes = (*range(lead), *range(lead, len(split), 2))
    return grad.reshape(tuple(split)).sum(axis=axes, keepdims=False) if axes else grad


# ---- diagonals and turns ------------------------------------------------------------------------

diag_embed = Op("diag_embed(self, *, offset, dim1, dim2)",        # the last dimension as a diagonal
    forward = lambda self, offset, dim1, dim2: embedded(self, offset, dim1, dim2),
    vjp     = {"self": lambda grad, offset, dim1, dim2: diagonal(grad, offset, dim1, dim2)},
    kind    = linear)

diagonal_copy = Op("diagonal_copy(self, *, offset, dim1, dim2)",
    forward = lambda self, offset, dim1, dim2: np.diagonal(self, offset, dim1, dim2).copy(),
    vjp     = {"self": lambda grad, self_shape, offset, dim1, dim2:
               scatter_view(grad, diagonal, (offset, dim1, dim2), self_shape)},
    node    = "DiagonalBackward0_copy",
    kind    = linear)

rot90 = Op("rot90(self, *, times, dims)",
    forward = lambda self, times, dims: np.rot90(self, times, dims).copy(),
    vjp     = {"self": lambda grad, times, dims: rot90(grad, -times, dims)},
    kind    = linear)


def embedded(self: np.ndarray, offset: int, dim1: int, dim2: int) -> np.ndarray:
    """Zeros with the last dimension of `self` on a diagonal of two new dimensions."""
    n, shape = self.shape[-1] + abs(offset), list(self.shape[:-1])
    for d in sorted((dim1, dim2)):
        shape.insert(d, n)
    out = made(self, np.zeros, shape, self.dtype)
    diagonal.forward(out, offset, dim1, dim2)[...] = self
    return out
