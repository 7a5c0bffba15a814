"""Counting and finding: unique, histograms, sorted sequences, index tables. No derivatives."""

import itertools
from typing import Any

import numpy as np

from autodidact.arrays.bfloat16 import cast
from autodidact.functions.arguments import need_tensor, numbers_of
from autodidact.functions.no_derivative import refused
from autodidact.functions.reduction import returned
from autodidact.public import both, function
from autodidact.tensor import Tensor, wrap, wrap_dim

__all__ = ["bincount", "bucketize", "isin", "searchsorted", "unique", "unique_consecutive"]

TITLES = {"float64": "Double", "float32": "Float", "float16": "Half", "bool": "Bool",
          "complex64": "ComplexFloat", "complex128": "ComplexDouble"}
HISTOGRAM = returned("histogram", "hist bin_edges")


def whole(array: Any, dtype: Any = np.int64) -> Tensor:
    """Positions and counts as a tensor of int64."""
    return wrap(np.array(array, dtype, order="C"))


def chosen(found: list, wanted: tuple) -> Any:
    """The first, and of the others those that are asked for."""
    kept = [found[0], *[f for f, w in zip(found[1:], wanted, strict=True) if w]]
    return kept[0] if len(kept) == 1 else tuple(kept)


@both
def unique(input: Tensor, sorted: bool = True, return_inverse: bool = False,
           return_counts: bool = False, dim: int | None = None) -> Any:
    """The different values in order (or, with `dim`, the different slices).

    Args:
        input: any tensor.
        sorted: they are in order in any case.
        return_inverse: also where each entry's value is in the result.
        return_counts: also how often each value occurs.
        dim: along which dimension to compare slices; None compares entries.

    Example:
        >>> torch.unique(torch.tensor([3, 1, 3]))
        tensor([1, 3])
    """
    need_tensor(input, "unique", "input")
    if input._array.dtype.kind == "c":
        raise NotImplementedError(f"\"unique\" not implemented for '{TITLES[input.dtype.name]}'")
    axis = None if dim is None else wrap_dim(dim, input._array.ndim)
    array = numbers_of(input, "unique")
    values, inverse, counts = np.unique(array, return_inverse=True, return_counts=True, axis=axis,
                                        equal_nan=False)
    inverse = inverse.reshape(-1) if axis is not None else inverse.reshape(input._array.shape)
    values = wrap(cast(values, input._array.dtype))
    name, what = ("Unique2", "_unique2") if dim is None else ("UniqueDim", "unique_dim")
    refused(f"{name}Backward0", what, (input,), values)
    return chosen([values, whole(inverse), whole(counts)], (return_inverse, return_counts))


@both
def unique_consecutive(input: Tensor, return_inverse: bool = False, return_counts: bool = False,
                       dim: int | None = None) -> Any:
    """The values with every run of equal ones written once.

    Example:
        >>> torch.unique_consecutive(torch.tensor([1, 1, 2, 1]))
        tensor([1, 2, 1])
    """
    need_tensor(input, "unique_consecutive", "input")
    axis = None if dim is None else wrap_dim(dim, input._array.ndim)
    array = numbers_of(input, "unique_consecutive")
    array = array.reshape(-1) if axis is None else np.moveaxis(array, axis, 0)
    n = array.shape[0]
    new = np.ones(n, np.bool_)
    if n:
        new[1:] = (array[1:] != array[:-1]).any(axis=tuple(range(1, array.ndim)))
    values = array[new] if axis is None else np.moveaxis(array[new], 0, axis)
    inverse, starts = np.cumsum(new) - 1, np.flatnonzero(new)
    inverse = inverse.reshape(input._array.shape) if axis is None else inverse
    counts = np.diff(np.append(starts, n))
    values = wrap(cast(np.ascontiguousarray(values), input._array.dtype))
    refused("UniqueConsecutiveBackward0", "unique_consecutive", (input,), values)
    return chosen([values, whole(inverse), whole(counts)], (return_inverse, return_counts))


# ---- histograms ---------------------------------------------------------------------------------


@both
def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """How often each whole number from 0 occurs (or the sum of its weights)."""
    need_tensor(input, "bincount", "input")
    array = numbers_of(input, "bincount")
    if array.dtype.kind not in "iu":
        raise NotImplementedError("\"bincount_cpu\" not implemented for "
                                  f"'{TITLES[input.dtype.name]}'")
    if array.ndim != 1 or (array.size and array.min() < 0):
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if weights is None:
        return whole(np.bincount(array, minlength=minlength))
    if weights._array.shape != array.shape:
        raise RuntimeError("weights should be 1-d and have the same length as input")
    kind = np.float32 if weights._array.dtype.name == "float32" else np.float64
    return refused(None, "bincount", (weights,),
                   wrap(np.bincount(array, weights._array, minlength).astype(kind)))


@both
def histc(input: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    """How many entries lie in each of `bins` equal parts of [min, max] (of all, where equal)."""
    need_tensor(input, "histc", "input")
    if bins <= 0:
        raise RuntimeError(f"torch.histc(): bins must be > 0, but got {bins}")
    array, low, high = numbers_of(input, "histc"), min, max
    if low == high and array.size:
        low, high = array.min(), array.max()
    if low == high:
        low, high = low - 1, high + 1
    if low > high:
        raise RuntimeError("torch.histc(): max must be larger than min")
    counts, _ = np.histogram(array, bins, (float(low), float(high)))
    return wrap(cast(counts, input._array.dtype))


@both
def histogram(input: Tensor, bins: Any, *, range: Any = None, weight: Tensor | None = None,
              density: bool = False) -> Any:
    """(how many entries lie in each bin, the bins' edges); `bins`: how many, or the edges."""
    need_tensor(input, "histogram", "input")
    array = numbers_of(input, "histogram").reshape(-1)
    kind = array.dtype
    weights = None if weight is None else np.asarray(weight._array).reshape(-1)
    if isinstance(bins, Tensor):
        edges = np.asarray(bins._array)
    else:
        low, high = range if range is not None else (
            (array.min(), array.max()) if array.size else (0, 1))
        low, high = (low - 0.5, high + 0.5) if low == high else (low, high)
        edges = np.linspace(low, high, bins + 1).astype(kind)
    counts, _ = np.histogram(array, edges, weights=weights, density=density)
    found = HISTOGRAM(wrap(counts.astype(kind)), wrap(np.array(edges)))
    refused(None, "histogram", tuple(
        t for t in (input, bins, weight) if isinstance(t, Tensor)), *found)
    return found


# ---- sorted sequences and sets ------------------------------------------------------------------


@function
def searchsorted(sorted_sequence: Tensor, input: Any, *, out_int32: bool = False,
                 right: bool = False, side: str | None = None, sorter: Tensor | None = None,
                 out: Any = None) -> Tensor:
    """Where to insert values so that a sorted sequence stays sorted; along the last dimension.

    Raises:
        RuntimeError: where the leading dimensions differ, or `side` contradicts `right`.
    """
    if side not in (None, "left", "right"):
        raise RuntimeError("torch.searchsorted(): side can only be 'left' or 'right' but got "
                           f"{side}")
    if side == "left" and right:
        raise RuntimeError("torch.searchsorted(): side and right can't be set to opposites, got "
                           "side of left while right was True")
    edges = numbers_of(sorted_sequence, "searchsorted")
    values = numbers_of(input, "searchsorted") if isinstance(input, Tensor) else np.asarray(input)
    if sorter is not None:
        edges = np.take_along_axis(edges, np.asarray(sorter._array), -1)
    how = "right" if right or side == "right" else "left"
    kind = np.int32 if out_int32 else np.int64
    if edges.ndim == 1:
        return whole(np.searchsorted(edges, values, how), kind)
    if edges.shape[:-1] != values.shape[:-1]:
        raise RuntimeError("torch.searchsorted(): boundaries tensor should be 1 dimension or the "
                           "first N-1 dimensions of boundaries tensor and input value tensor must "
                           f"match, but we got boundaries tensor {list(edges.shape)} and input "
                           f"value tensor {list(values.shape)}")
    found = np.empty(values.shape, kind)
    for place in np.ndindex(values.shape[:-1]):
        found[place] = np.searchsorted(edges[place], values[place], how)
    return wrap(found)


@function
def bucketize(input: Any, boundaries: Tensor, *, out_int32: bool = False, right: bool = False,
              out: Any = None) -> Tensor:
    """In which bucket each value lies: `searchsorted` with the arguments the other way round."""
    if boundaries._array.ndim != 1:
        raise RuntimeError("boundaries tensor must be 1 dimension, but got dim("
                           f"{boundaries._array.ndim})")
    return searchsorted(boundaries, input, out_int32=out_int32, right=right)


@function
def isin(elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False,
         out: Any = None) -> Tensor:
    """Whether each entry is among others."""
    a, b = (numbers_of(x, "isin") if isinstance(x, Tensor) else x
            for x in (elements, test_elements))
    return wrap(np.isin(a, b, invert=invert))


# ---- tables of positions ------------------------------------------------------------------------


def triangle_indices(name: str, table: Any) -> None:
    """`tril_indices` and `triu_indices`."""
    def f(row: int, col: int, offset: int = 0, *, dtype: Any = None, device: Any = None) -> Tensor:
        if row < 0 or col < 0:
            raise RuntimeError(f"{'row' if row < 0 else 'col'} must be non-negative, got"
                               f"{row if row < 0 else col}")
        found = whole(np.stack(table(row, offset, col)))
        return found if dtype is None else found.to(dtype)
    f.__name__ = f.__qualname__ = name
    f.__doc__ = "The rows and columns of the places of a triangle, as a tensor of two rows."
    function(f)


triangle_indices("tril_indices", np.tril_indices)
triangle_indices("triu_indices", np.triu_indices)


@function
def unravel_index(indices: Tensor, shape: Any) -> tuple:
    """Flat positions as one tensor of positions for each dimension."""
    need_tensor(indices, "unravel_index", "indices")
    sizes = (shape,) if isinstance(shape, int) else tuple(
        shape.tolist() if isinstance(shape, Tensor) else shape)
    array = numbers_of(indices, "unravel_index")
    total = int(np.prod(sizes, dtype=np.int64))
    array = np.where(array < 0, array + total, array)
    return tuple(whole(part) for part in np.unravel_index(array, sizes))


@function
def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """All choices of r entries of a vector, each a row."""
    if input._array.ndim != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(input._array.shape)}")
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
    how = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    places = np.array(list(how(range(input._array.size), r)), np.int64).reshape(-1, r)
    if r == 0:
        return input.new_empty((0,))
    return input[whole(places)]


