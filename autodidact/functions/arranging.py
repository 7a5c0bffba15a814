"""Arrangements made of other operations: diagonals as matrices, blocks, repeated entries, turns."""

from typing import Any

import numpy as np

from autodidact.functions.arguments import dims_of, ints, need_tensor, refuse_lanes
from autodidact.functions.joining import cat, stack
from autodidact.functions.joining import meshgrid as grid
from autodidact.functions.shape import expand, reshape
from autodidact.ops import index as index_rows
from autodidact.ops import join as rows
from autodidact.public import both, function, method
from autodidact.tensor import Tensor, wrap, wrap_dim

__all__ = ["diag", "diag_embed", "repeat_interleave"]


@both
def diag(input: Tensor, diagonal: int = 0, *, out: Any = None) -> Tensor:
    """A vector as a diagonal matrix; of a matrix, the diagonal as a vector (a copy)."""
    need_tensor(input, "diag", "input")
    ndim = input._array.ndim
    if ndim not in (1, 2):
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {ndim}D")
    if ndim == 1:
        return rows.diag_embed.call(input, diagonal, 0, 1)
    return rows.diagonal_copy.call(input, diagonal, 0, 1)


@both
def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """The last dimension as the diagonal of two new dimensions, zeros elsewhere."""
    ndim = input._array.ndim + 1
    dim1, dim2 = wrap_dim(dim1, ndim), wrap_dim(dim2, ndim)
    if dim1 == dim2:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return rows.diag_embed.call(input, offset, dim1, dim2)


@both
def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """All entries as the diagonal of a matrix."""
    return rows.diag_embed.call(reshape(input, -1), offset, 0, 1)


@both
def rot90(input: Tensor, k: int = 1, dims: Any = (0, 1)) -> Tensor:
    """Turned by 90 degrees, k times, in the plane of two dimensions."""
    dims = ints((tuple(dims),), "dims")
    if len(dims) != 2:
        raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(dims)}")
    if dims[0] % max(input._array.ndim, 1) == dims[1] % max(input._array.ndim, 1):
        raise RuntimeError("expected rotation dims to be different, but got dim0 = "
                           f"{dims[0]} and dim1 = {dims[1]}")
    return rows.rot90.call(input, k % 4, dims_of(dims, input._array.ndim))


@both
def repeat_interleave(input: Tensor, repeats: Any = None, dim: int | None = None, *,
                      output_size: int | None = None) -> Tensor:
    """Each entry (or each slice along `dim`) several times in a row."""
    if repeats is None or isinstance(repeats, Tensor):
        refuse_lanes(input if repeats is None else repeats, "repeat_interleave")
    if repeats is None:
        counts = np.asarray(input._array)
        return wrap(np.repeat(np.arange(counts.size, dtype=np.int64), counts))
    if dim is None:
        input, dim = reshape(input, -1), 0
    dim = wrap_dim(dim, input._array.ndim)
    shape = input._array.shape
    if isinstance(repeats, Tensor) and repeats._array.size > 1:
        if repeats._array.size != shape[dim]:
            raise RuntimeError("repeats must have the same size as input along dim, but got "
                               f"repeats.size(0) = {repeats._array.size} and input.size({dim}) = "
                               f"{shape[dim]}")
        index = np.repeat(np.arange(shape[dim], dtype=np.int64), np.asarray(repeats._array))
        return index_rows.index_select.call(input, wrap(index), dim)
    times = repeats.item() if isinstance(repeats, Tensor) else int(repeats)
    if times < 0:
        raise RuntimeError("Repeats must be non-negative")
    wide = expand(input.unsqueeze(dim + 1), (*shape[:dim + 1], times, *shape[dim + 1:]))
    return wide.clone(memory_format=None).contiguous().flatten(dim, dim + 1)


@function
def block_diag(*tensors: Tensor) -> Tensor:
    """Matrices along the diagonal of one large matrix."""
    blocks = [reshape(t, 1, -1) if t._array.ndim < 2 else t for t in tensors]
    width = sum(b._array.shape[1] for b in blocks)
    lines, before = [], 0
    for b in blocks:
        n, m = b._array.shape
        pieces = [b.new_zeros((n, before)), b, b.new_zeros((n, width - before - m))]
        lines.append(cat(pieces, 1))
        before += m
    return cat(lines, 0)


@function
def cartesian_prod(*tensors: Tensor) -> Tensor:
    """All tuples of one entry of each vector, one in a row."""
    if len(tensors) == 1:
        return tensors[0]
    return stack([reshape(g, -1) for g in grid(*tensors, indexing="ij")], 1)


def written(name: str, view: Any) -> None:
    """`select_scatter` and its kin: a copy of `input` with `src` in the place of a view."""
    def scatter(input: Tensor, src: Tensor, *args: Any, **named: Any) -> Tensor:
        result = input.clone()
        place = view(result, *args, **named)
        if place._array.shape != src._array.shape:
            raise RuntimeError("expected src to have a size equal to the slice of self. src size = "
                               f"{list(src._array.shape)}, slice size = {list(place._array.shape)}")
        place.copy_(src)
        return result
    scatter.__doc__ = f"A copy of `input` with `src` in the place that `{name}` names."
    both(scatter, f"{name}_scatter")


def slice_of(x: Tensor, dim: int = 0, start: int | None = None, end: int | None = None,
             step: int = 1) -> Tensor:
    """A slice along one dimension."""
    return x[(slice(None),) * wrap_dim(dim, x._array.ndim) + (slice(start, end, step),)]


written("select", lambda x, dim, index: x.select(dim, index))
written("slice", slice_of)
written("diagonal", lambda x, offset=0, dim1=0, dim2=1: x.diagonal(offset, dim1, dim2))


@method
def sum_to_size(self: Tensor, *size: Any) -> Tensor:
    """The sum over what broadcasting to this tensor's shape would have repeated."""
    size = ints(size)
    have = self._array.shape
    lead = len(have) - len(size)
    if lead < 0 or any(n not in (1, m) for n, m in zip(size, have[lead:], strict=True)):
        raise RuntimeError(f"size {list(size)} is not expandable to size {list(have)}.")
    dims = [*range(lead), *(i + lead for i, n in enumerate(size) if n == 1 != have[i + lead])]
    summed = self.sum(tuple(dims), keepdim=True) if dims else self
    return reshape(summed, size) if lead else summed
