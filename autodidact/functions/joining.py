"""Joining tensors (cat, stack, ...), repeating, flipping, rolling, grids."""

from typing import Any

import numpy as np

from autodidact.functions.arguments import dims_of, integer, ints, need_tensor
from autodidact.functions.shape import expand, reshape, unsqueeze
from autodidact.ops import join as rows
from autodidact.public import both, function, method
from autodidact.tensor import Tensor, wrap_dim

__all__ = ["cat", "stack"]


def listed(tensors: Any, name: str) -> list:
    """A list of tensors; TypeError for anything else."""
    if isinstance(tensors, Tensor) or not isinstance(tensors, (tuple, list)):
        raise TypeError(f"{name}(): argument 'tensors' (position 1) must be tuple of Tensors, not "
                        f"{type(tensors).__name__}")
    for i, t in enumerate(tensors):
        if not isinstance(t, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got "
                            f"{type(t).__name__}")
    return list(tensors)


@function
def cat(tensors: Any, dim: int = 0, *, axis: int | None = None, out: Any = None) -> Tensor:
    """The tensors one after another along an existing dimension.

    Raises:
        RuntimeError: sizes that differ in another dimension.

    Example:
        >>> torch.cat([torch.zeros(2), torch.ones(1)])
        tensor([0., 0., 1.])
    """
    tensors, dim = listed(tensors, "cat"), dim if axis is None else axis
    if not tensors:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    first = tensors[0]._array.shape
    if first == (0,) or any(t._array.shape != first for t in tensors):
        first = check_sizes([t._array.shape for t in tensors], dim)
    elif not first:
        raise RuntimeError("zero-dimensional tensor (at position 0) cannot be concatenated")
    dim = wrap_dim(integer(dim), len(first))
    return rows.cat.call(tensors, dim)


def check_sizes(shapes: list, dim: int) -> tuple:
    """The first shape that counts; refuse shapes that differ in another dimension than `dim`."""
    real = [(i, s) for i, s in enumerate(shapes) if s != (0,)]
    _, first = real[0] if real else (0, shapes[0])
    for i, s in real:
        if not s:
            raise RuntimeError(f"zero-dimensional tensor (at position {i}) cannot be concatenated")
    dim = wrap_dim(integer(dim), len(first))
    for i, s in real:
        if len(s) != len(first):
            raise RuntimeError("Tensors must have same number of dimensions: got "
                               f"{len(first)} and {len(s)}")
        for d, (a, b) in enumerate(zip(first, s, strict=True)):
            if a != b and d != dim:
                raise RuntimeError("Sizes of tensors must match except in dimension "
                                   f"{dim}. Expected size {a} but got size {b} for tensor number "
                                   f"{i} in the list.")
    return first


function(cat, "concat")
function(cat, "concatenate")


@function
def stack(tensors: Any, dim: int = 0, *, out: Any = None) -> Tensor:
    """The tensors, all of one shape, along a new dimension.

    Example:
        >>> torch.stack([torch.tensor([1, 2]), torch.tensor([3, 4])])
        tensor([[1, 2],
                [3, 4]])
    """
    tensors = listed(tensors, "stack")
    if not tensors:
        raise RuntimeError("stack expects a non-empty TensorList")
    first = tensors[0]._array.shape
    dim = wrap_dim(integer(dim), len(first) + 1)
    for i, t in enumerate(tensors):
        if t._array.shape != first:
            raise RuntimeError(f"stack expects each tensor to be equal size, but got {list(first)} "
                               f"at entry 0 and {list(t._array.shape)} at entry {i}")
    return rows.stack.call(tensors, dim)


def atleast(name: str, raised: Any) -> Any:
    """`atleast_1d` and the like: for one tensor, several, or a list."""
    def raise_all(*tensors: Any) -> Any:
        if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
            return tuple(raised(t) for t in tensors[0])
        found = tuple(raised(t) for t in tensors)
        return found[0] if len(found) == 1 else found
    raise_all.__name__ = raise_all.__qualname__ = name
    raise_all.__doc__ = "The tensors with dimensions of size 1 added where they have too few."
    return function(raise_all)


atleast_1d = atleast("atleast_1d", lambda t: reshape(t, 1) if t._array.ndim == 0 else t)
atleast_2d = atleast("atleast_2d", lambda t: reshape(t, 1, 1) if t._array.ndim == 0 else
                     unsqueeze(t, 0) if t._array.ndim == 1 else t)
atleast_3d = atleast("atleast_3d", lambda t: reshape(t, 1, 1, 1) if t._array.ndim == 0 else
                     unsqueeze(unsqueeze(t, 0), -1) if t._array.ndim == 1 else
                     unsqueeze(t, -1) if t._array.ndim == 2 else t)


@function
def hstack(tensors: Any, *, out: Any = None) -> Tensor:
    """`cat` along dimension 1 (of vectors: 0)."""
    tensors = atleast_1d(listed(tensors, "hstack"))
    return cat(tensors, 0 if tensors and tensors[0]._array.ndim == 1 else 1)


@function
def vstack(tensors: Any, *, out: Any = None) -> Tensor:
    """`cat` along dimension 0; a vector counts as one row."""
    return cat(atleast_2d(listed(tensors, "vstack")), 0)


function(vstack, "row_stack")


@function
def dstack(tensors: Any, *, out: Any = None) -> Tensor:
    """`cat` along dimension 2."""
    return cat(atleast_3d(listed(tensors, "dstack")), 2)


@function
def column_stack(tensors: Any, *, out: Any = None) -> Tensor:
    """`cat` along dimension 1; a vector counts as one column."""
    return hstack([reshape(t, t._array.size, 1) if t._array.ndim <= 1 else t
                   for t in listed(tensors, "column_stack")])


# ---- copies of one tensor ------------------------------------------------------------------------


@method
def repeat(self: Tensor, *repeats: Any, **named: Any) -> Tensor:
    """Copies side by side: `repeats[i]` times along dimension i."""
    repeats = repeats or tuple(named.values())
    if not repeats:
        raise TypeError('repeat() missing 1 required positional arguments: "repeats"')
    repeats = ints(repeats, "repeats")
    lead = len(repeats) - self._array.ndim
    if lead < 0:
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of "
                           "dimensions of tensor")
    if min(repeats, default=0) < 0:
        shape = (1,) * lead + self._array.shape
        sizes = [n * r for n, r in zip(shape, repeats, strict=True)]
        bad = next((n for n in sizes if n < 0), min(repeats))
        raise RuntimeError(f"Trying to create tensor with negative dimension {bad}: {sizes}")
    return rows.repeat.call(self, repeats)


@both
def tile(input: Tensor, *dims: Any, **named: Any) -> Tensor:
    """As `repeat`; too few numbers are filled up with ones in front."""
    dims = ints(dims or tuple(named.values()), "dims")
    return repeat(input, (1,) * (input._array.ndim - len(dims)) + dims)


@both
def flip(input: Tensor, *dims: Any, **named: Any) -> Tensor:
    """The order reversed along the dimensions; a copy."""
    dims = dims or tuple(named.values())
    if not dims:
        raise TypeError('flip() missing 1 required positional arguments: "dims"')
    return rows.flip.call(input, dims_of(ints(dims, "dims"), input._array.ndim))


@both
def fliplr(input: Tensor) -> Tensor:
    """Columns in reverse order."""
    if input._array.ndim < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return flip(input, 1)


@both
def flipud(input: Tensor) -> Tensor:
    """Rows in reverse order."""
    if input._array.ndim < 1:
        raise RuntimeError("Input must be >= 1-d.")
    return flip(input, 0)


@both
def roll(input: Tensor, shifts: Any, dims: Any = ()) -> Tensor:
    """The entries moved along the dimensions; what leaves at one end comes in at the other."""
    shifts = ints((shifts,) if not isinstance(shifts, (tuple, list)) else tuple(shifts))
    given = ints((dims,) if not isinstance(dims, (tuple, list)) else (tuple(dims),))
    if not shifts:
        raise RuntimeError("`shifts` required")
    if len(shifts) != max(len(given), 1):
        raise RuntimeError("shifts and dimensions must align. shifts: "
                           f"{len(shifts)}, dims:{len(given)}")
    return rows.roll.call(input, shifts, tuple(wrap_dim(d, input._array.ndim) for d in given))


def triangle(name: str, row: Any) -> None:
    """`tril` and `triu`."""
    def keep(input: Tensor, diagonal: int = 0, *, out: Any = None) -> Tensor:
        need_tensor(input, name, "input")
        if input._array.ndim < 2:
            raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")
        return row.call(input, diagonal)
    keep.__doc__ = f"The {'lower' if name == 'tril' else 'upper'} triangle; zeros elsewhere."
    keep.__name__ = keep.__qualname__ = name
    both(keep)


triangle("tril", rows.tril)
triangle("triu", rows.triu)


@function
def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple:
    """Coordinates of a grid: each vector expanded over all the others.

    Args:
        tensors: vectors or numbers.
        indexing: "ij" (the default) or "xy", which swaps the first two dimensions.
    """
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        tensors = tuple(tensors[0])
    if indexing not in (None, "ij", "xy"):
        raise RuntimeError('torch.meshgrid: indexing must be one of "xy" or "ij", but received: '
                           f"{indexing}")
    for x in tensors:
        if x._array.ndim > 1:
            raise RuntimeError("torch.meshgrid: Expected 0D or 1D tensor in the tensor list but "
                               f"got: {list(x._array.shape)}")
    swap = indexing == "xy" and len(tensors) > 1
    order = (tensors[1], tensors[0], *tensors[2:]) if swap else tensors
    shape = tuple(int(np.size(x._array)) for x in order)
    grids = [expand(reshape(x, (1,) * i + (-1,) + (1,) * (len(order) - i - 1)), shape)
             for i, x in enumerate(order)]
    if swap:
        grids = [grids[1], grids[0], *grids[2:]]
    return tuple(grids)
