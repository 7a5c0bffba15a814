"""Many entries meet at one place: the largest, the smallest, the product, the commonest.

Sums and means are `scatter_add` and a count; these need rows of their own.
"""

from typing import Any

import numpy as np

from autodidact.arrays.foreign import ForeignArray, as_array, contiguous, copied
from autodidact.arrays.place import put, to_host
from autodidact.arrays.scatter import grid
from autodidact.ops.batching import along
from autodidact.ops.index import gather, scatter_add
from autodidact.ops.op import Op, rowwise

scatter_amax = Op("scatter_amax(self, index, src, *, dim)", index = ("index",),
    forward = lambda self, index, src, dim: meeting(np.maximum, self, index, src, dim),
    vjp     = {"self": lambda grad, self, index, src, result, dim:
                       shares(grad, self, index, src, result, dim)[0],
               "src":  lambda grad, self, index, src, result, dim:
                       shares(grad, self, index, src, result, dim)[1]},
    jvp     = lambda self_t, src_t, self, index, src, result, dim:
              mean_of_winners(self_t, src_t, self, index, src, result, dim),
    node    = "ScatterReduceBackward0", batch = along)

scatter_amin = Op("scatter_amin(self, index, src, *, dim)", index = ("index",),
    forward = lambda self, index, src, dim: meeting(np.minimum, self, index, src, dim),
    vjp     = {"self": lambda grad, self, index, src, result, dim:
                       shares(grad, self, index, src, result, dim)[0],
               "src":  lambda grad, self, index, src, result, dim:
                       shares(grad, self, index, src, result, dim)[1]},
    jvp     = lambda self_t, src_t, self, index, src, result, dim:
              mean_of_winners(self_t, src_t, self, index, src, result, dim),
    node    = "ScatterReduceBackward0", batch = along)

scatter_prod = Op("scatter_prod(self, index, src, *, dim)", index = ("index",),
    forward = lambda self, index, src, dim: meeting(np.multiply, self, index, src, dim),
    vjp     = {"self": lambda grad, self, index, src, dim:
                       grad * scatter_prod(np.ones_like(self), index, src, dim),
               "src":  lambda grad, self, index, src, dim:
                       product_of_others(grad, self, index, src, dim)},
    jvp     = lambda self_t, src_t, self, index, src, dim:
              self_t * scatter_prod(np.ones_like(self), index, src, dim)
              + scatter_add(np.zeros_like(self), index, src_t * product_of_others(
                  np.ones_like(self), self, index, src, dim), dim),
    node    = "ScatterReduceBackward0", batch = along)

mode_place = Op("mode_place(self, *, dim)",                        # where the commonest value is
    forward = lambda self, dim: commonest(self, dim),
    kind    = rowwise)


# ---- longer mathematics -------------------------------------------------------------------------


def meeting(ufunc: Any, x: Any, index: Any, src: Any, dim: int) -> Any:
    """Every entry of `src` meets the entry of `x` that `index` names along `dim`."""
    out = copied(x)
    if not out.ndim:
        ufunc.at(out.reshape(1), as_array(index).reshape(-1), as_array(src).reshape(-1))
        return out
    ufunc.at(out, grid(index, dim), src[tuple(slice(n) for n in index.shape)])
    return out


def commonest(x: Any, dim: int) -> Any:
    """Along `dim`, kept, the last place of the commonest value; of several the smallest."""
    if isinstance(x, ForeignArray):                     # one value after the other: on the CPU
        return put(commonest(to_host(x), dim), x.device)
    rows = np.moveaxis(x, dim, -1)
    places = np.empty((*rows.shape[:-1], 1), np.int64)
    for at in np.ndindex(rows.shape[:-1]):
        values, counts = np.unique(rows[at], return_counts=True)
        places[at] = np.flatnonzero(rows[at] == values[counts.argmax()])[-1]
    return contiguous(np.moveaxis(places, -1, dim))


def winners(x: Any, index: Any, src: Any, result: Any, dim: int) -> tuple:
    """Which entries of x, and which of src, equal the result; how many at each place."""
    own = np.where(x == result, np.ones_like(x), np.zeros_like(x))
    theirs = np.where(src == gather(result, index, dim), np.ones_like(src), np.zeros_like(src))
    return own, theirs, scatter_add(own, index, theirs, dim)


def shares(grad: Any, x: Any, index: Any, src: Any, result: Any, dim: int) -> tuple:
    """The gradient in equal parts to all entries that equal the result."""
    own, theirs, count = winners(x, index, src, result, dim)
    part = grad / np.where(count == 0, 1, count)
    return part * own, gather(part, index, dim) * theirs


def mean_of_winners(x_t: Any, src_t: Any, x: Any, index: Any, src: Any, result: Any,
                    dim: int) -> Any:
    """The mean of the tangents at the entries that equal the result."""
    own, theirs, count = winners(x, index, src, result, dim)
    return scatter_add(x_t * own, index, src_t * theirs, dim) / np.where(count == 0, 1, count)


def product_of_others(grad: Any, x: Any, index: Any, src: Any, dim: int) -> Any:
    """The derivative of a product is the product of the others, also where some are 0."""
    zero = src == 0
    count = scatter_add(np.where(x == 0, np.ones_like(x), np.zeros_like(x)), index,
                        np.where(zero, np.ones_like(src), np.zeros_like(src)), dim)
    rest = scatter_prod(np.where(x == 0, np.ones_like(x), x), index,
                        np.where(zero, np.ones_like(src), src), dim)
    mine, zeros = gather(grad * rest, index, dim), gather(count, index, dim)
    of_zero = np.where(zeros == 1, mine, np.zeros_like(mine))
    of_others = np.where(zeros == 0, mine / np.where(zero, 1, src), np.zeros_like(mine))
    return np.where(zero, of_zero, of_others)
