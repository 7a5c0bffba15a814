"""Reductions: sum, mean, max, min, median, all, any.

`dim` is one dimension or a tuple of them, counted from the front; None means all.
"""

import math
from typing import Any

import numpy as np

from autodidact.arrays.foreign import certainly
from autodidact.ops.op import Op, expand, linear, ones, reduction, spread, sum_all

INT64 = np.dtype(np.int64)
FIRST, MANY = (0,), 1 << 12

# ---- sums ---------------------------------------------------------------------------------------

sum = Op("sum(self)",                                              # each entry counts once
    forward = lambda self: sum_all(self) if self.dtype.kind in "fc" else total(self, None, False),
    vjp     = {"self": lambda grad, self_shape: expand(grad, self_shape)},
    kind    = linear | reduction)

sum_dim = Op("sum_dim(self, *, dim, keepdim)",
    forward = lambda self, dim, keepdim: total(self, dim, keepdim),
    vjp     = {"self": lambda grad, self_shape, dim, keepdim:
               spread(grad, self_shape, dim, keepdim)},
    node    = "SumBackward1",
    kind    = linear | reduction)

nansum = Op("nansum(self, *, dim, keepdim)",                       # nan counts as 0
    forward = lambda self, dim, keepdim:
              np.where(np.isnan(self), 0, self).sum(axis=dim, keepdims=keepdim),
    vjp     = {"self": lambda grad, self, dim, keepdim: np.where(
               np.isnan(self), 0, spread(grad, self.shape, dim, keepdim))},
    jvp     = lambda self_t, self, dim, keepdim: np.where(
              np.isnan(self), 0, self_t).sum(axis=dim, keepdims=keepdim),
    kind    = reduction)

mean = Op("mean(self)",                                            # each entry counts 1/n
    forward = lambda self: total(self, None, False) / self.size,
    vjp     = {"self": lambda grad, self_shape: expand(grad / size(self_shape, None), self_shape)},
    kind    = linear | reduction)

mean_dim = Op("mean_dim(self, *, dim, keepdim)",
    forward = lambda self, dim, keepdim: total(self, dim, keepdim) / size(self.shape, dim),
    vjp     = {"self": lambda grad, self_shape, dim, keepdim:
               spread(grad / size(self_shape, dim), self_shape, dim, keepdim)},
    node    = "MeanBackward1",
    kind    = linear | reduction)

# ---- the largest and the smallest ---------------------------------------------------------------

max = Op("max(self)",                                              # equal ones share the gradient
    forward = lambda self: self.max(),
    vjp     = {"self": lambda grad, self, result: shared(grad, self, result, None, False)},
    jvp     = lambda self_t, self, result: shared_tangent(self_t, self, result, None, False),
    node    = "MaxBackward1",
    kind    = reduction,
    only    = "biuf", refusal = "\"max_all\" not implemented for '{}'")

min = Op("min(self)",
    forward = lambda self: self.min(),
    vjp     = {"self": lambda grad, self, result: shared(grad, self, result, None, False)},
    jvp     = lambda self_t, self, result: shared_tangent(self_t, self, result, None, False),
    node    = "MinBackward1",
    kind    = reduction,
    only    = "biuf", refusal = "\"min_all\" not implemented for '{}'")

amax = Op("amax(self, *, dim, keepdim)",                           # equal ones share the gradient
    forward = lambda self, dim, keepdim: self.max(axis=dim, keepdims=keepdim),
    vjp     = {"self": lambda grad, self, result, dim, keepdim:
               shared(grad, self, result, dim, keepdim)},
    jvp     = lambda self_t, self, result, dim, keepdim:
              shared_tangent(self_t, self, result, dim, keepdim),
    kind    = reduction,
    only    = "biuf", refusal = "\"max_values_cpu\" not implemented for '{}'")

amin = Op("amin(self, *, dim, keepdim)",
    forward = lambda self, dim, keepdim: self.min(axis=dim, keepdims=keepdim),
    vjp     = {"self": lambda grad, self, result, dim, keepdim:
               shared(grad, self, result, dim, keepdim)},
    jvp     = lambda self_t, self, result, dim, keepdim:
              shared_tangent(self_t, self, result, dim, keepdim),
    kind    = reduction,
    only    = "biuf", refusal = "\"min_values_cpu\" not implemented for '{}'")

max_dim = Op("max_dim(self, *, dim, keepdim)", outputs = ("values", "indices"),
    forward = lambda self, dim, keepdim: at(self, first_index(self, dim, np.argmax), dim, keepdim),
    vjp     = {"self": lambda grad, indices, self_shape, dim, keepdim:
               put_at(grad, indices, self_shape, dim, keepdim)},
    jvp     = lambda self_t, indices, dim, keepdim: take_at(self_t, indices, dim, keepdim),
    node    = "MaxBackward0",
    kind    = reduction,
    only    = "biuf", refusal = "RuntimeError: max(): does not support complex input")

min_dim = Op("min_dim(self, *, dim, keepdim)", outputs = ("values", "indices"),
    forward = lambda self, dim, keepdim: at(self, first_index(self, dim, np.argmin), dim, keepdim),
    vjp     = {"self": lambda grad, indices, self_shape, dim, keepdim:
               put_at(grad, indices, self_shape, dim, keepdim)},
    jvp     = lambda self_t, indices, dim, keepdim: take_at(self_t, indices, dim, keepdim),
    node    = "MinBackward0",
    kind    = reduction,
    only    = "biuf", refusal = "RuntimeError: min(): does not support complex input")

median_dim = Op("median_dim(self, *, dim, keepdim)", outputs = ("values", "indices"),
    forward = lambda self, dim, keepdim: at(self, middle_index(self, dim), dim, keepdim),
    vjp     = {"self": lambda grad, indices, self_shape, dim, keepdim:
               put_at(grad, indices, self_shape, dim, keepdim)},
    jvp     = lambda self_t, indices, dim, keepdim: take_at(self_t, indices, dim, keepdim),
    node    = "MedianBackward1",
    kind    = reduction,
    only    = "iuf", refusal = "\"median_cpu\" not implemented for '{}'")

median = Op("median(self)",                                        # of two middle ones the lower
    forward = lambda self: middle(self),
    vjp     = {"self": lambda grad, self, result: shared(grad, self, result, None, False)},
    jvp     = lambda self_t, self, result: shared_tangent(self_t, self, result, None, False),
    kind    = reduction,
    only    = "iuf", refusal = "\"median_cpu\" not implemented for '{}'")

# Rows that the formulas above are made of: an entry at a given place of `dim`, and its transpose.

take_at = Op("take_at(self, indices, *, dim, keepdim)", index = ("indices",),
    forward = lambda self, indices, dim, keepdim: at(self, indices, dim, keepdim)[0],
    vjp     = {"self": lambda grad, indices, self_shape, dim, keepdim:
               put_at(grad, indices, self_shape, dim, keepdim)},
    kind    = linear | reduction)

put_at = Op("put_at(self, indices, *, shape, dim, keepdim)", index = ("indices",),
    forward = lambda self, indices, shape, dim, keepdim: put(self, indices, shape, dim, keepdim),
    vjp     = {"self": lambda grad, indices, dim, keepdim: take_at(grad, indices, dim, keepdim)},
    kind    = linear)

argmax = Op("argmax(self, *, dim, keepdim)",
    forward = lambda self, dim, keepdim: position(self, dim, keepdim, np.argmax),
    kind    = reduction,
    only    = "iuf", refusal = "RuntimeError: argmax(): does not support complex or bool input")

argmin = Op("argmin(self, *, dim, keepdim)",
    forward = lambda self, dim, keepdim: position(self, dim, keepdim, np.argmin),
    kind    = reduction,
    only    = "iuf", refusal = "RuntimeError: argmin(): does not support complex or bool input")

# ---- truth and counts: no derivatives -----------------------------------------------------------

all = Op("all(self, *, dim, keepdim)",
    forward = lambda self, dim, keepdim: np.logical_and.reduce(
              self, axis=dim, keepdims=keepdim, dtype=np.bool_),
    kind    = reduction)

any = Op("any(self, *, dim, keepdim)",
    forward = lambda self, dim, keepdim: np.logical_or.reduce(
              self, axis=dim, keepdims=keepdim, dtype=np.bool_),
    kind    = reduction)

count_nonzero = Op("count_nonzero(self, *, dim)",
    forward = lambda self, dim: (self != 0).sum(axis=dim, dtype=np.int64),
    kind    = reduction)


# ---- longer mathematics -------------------------------------------------------------------------


def total(x: Any, dim: Any, keepdim: bool) -> Any:
    """The sum; of integers and bools in int64."""
    if dim == FIRST and type(x) is np.ndarray and x.ndim == 2 and (
            x.dtype.char in "fd" and len(x) <= MANY):
        row = ones(len(x), x.dtype).dot(x)             # a product with ones is quicker
        return row.reshape(1, -1) if keepdim else row
    if x.dtype.kind in "fc":
        return np.add.reduce(x, axis=dim, keepdims=keepdim)
    return np.add.reduce(x, axis=dim, keepdims=keepdim, dtype=INT64)


def size(shape: tuple, dim: Any) -> int:
    """How many entries one result is made of."""
    if dim is None:
        dim = tuple(range(len(shape)))
    count = 1
    for d in dim if isinstance(dim, tuple) else (dim,):
        count *= shape[d] if shape else 1
    return count


def back(x: Any, shape: tuple, dim: Any, keepdim: bool) -> Any:
    """A result of a reduction with its dimensions back, so that it broadcasts to the input."""
    if keepdim or dim is None:
        return x
    dims = dim if isinstance(dim, tuple) else (dim,)
    return x.reshape(tuple(1 if i in dims else n for i, n in enumerate(shape)))


def shared(grad: Any, self: Any, result: Any, dim: Any, keepdim: bool) -> Any:
    """The gradient in equal parts to all entries that equal the result."""
    winners, count = winning(self, result, dim, keepdim)
    return np.where(winners, back(grad, self.shape, dim, keepdim) / count, 0)


def shared_tangent(self_t: Any, self: Any, result: Any, dim: Any, keepdim: bool) -> Any:
    """The mean of the tangents at the entries that equal the result."""
    winners, count = winning(self, result, dim, keepdim)
    return (np.where(winners, self_t, 0) / count).sum(axis=dim, keepdims=keepdim)


def winning(self: Any, result: Any, dim: Any, keepdim: bool) -> tuple:
    """Where the entries equal the result, and how many do."""
    best = back(result, self.shape, dim, keepdim)
    winners = (self == best) | (np.isnan(self) & np.isnan(best))
    return winners, winners.sum(axis=dim, keepdims=dim is not None)


def first_index(x: Any, dim: int, arg: Any) -> Any:
    """The first place of the largest (smallest) entry along `dim`, with the dimension kept."""
    return arg(x, axis=dim, keepdims=True) if x.ndim else np.zeros_like(x, dtype=np.int64)


def middle_index(x: Any, dim: int) -> Any:
    """The place of the lower median along `dim`, with the dimension kept; nan is the largest."""
    if not x.ndim:
        return np.zeros_like(x, dtype=np.int64)
    order = np.argsort(x, axis=dim, kind="stable")
    half = (x.shape[dim] - 1) // 2
    if x.dtype.kind == "f" and not certainly(~np.isnan(x).any()):
        first = np.isnan(x).argmax(axis=dim, keepdims=True)
        usual = np.take(order, [half], axis=dim)
        return np.where(np.isnan(x).any(axis=dim, keepdims=True), first, usual)
    return np.take(order, [half], axis=dim)


def middle(x: Any) -> Any:
    """The lower median of all entries; nan if there is one, or none at all."""
    if not x.size:
        return np.full_like(x, math.nan, shape=())
    flat = x.reshape(-1)
    return at(flat, middle_index(flat, 0), 0, False)[0]


def at(x: Any, indices: Any, dim: int, keepdim: bool) -> tuple:
    """The entries at `indices` along `dim` (kept or not), and the indices in the same shape."""
    if not x.ndim:
        return x, indices
    if indices.ndim < x.ndim:
        indices = np.expand_dims(indices, dim)
    values = np.take_along_axis(x, indices, axis=dim)
    if keepdim:
        return values, indices
    return np.squeeze(values, dim), np.squeeze(indices, dim)


def put(x: Any, indices: Any, shape: tuple, dim: int, keepdim: bool) -> Any:
    """Zeros of `shape` with `x` at `indices` along `dim`."""
    if not shape:
        return x
    if not keepdim:
        x, indices = np.expand_dims(x, dim), np.expand_dims(indices, dim)
    out = np.zeros_like(x, shape=shape)
    np.put_along_axis(out, indices, x, axis=dim)
    return out


def position(x: Any, dim: int | None, keepdim: bool, arg: Any) -> Any:
    """Where the largest (smallest) entry is: along `dim`, or in the flattened tensor."""
    return arg(x, axis=dim, keepdims=keepdim) if x.ndim else np.zeros_like(x, dtype=np.int64)
