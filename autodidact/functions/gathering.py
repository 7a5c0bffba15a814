"""Picking and putting along one dimension, by masks, and by flat position."""

from typing import Any

import numpy as np

from autodidact.arrays.bfloat16 import number, wide
from autodidact.arrays.foreign import as_array, made
from autodidact.functions.arguments import integer, looked_at, need_tensor, refuse_lanes
from autodidact.functions.shape import expand
from autodidact.inplace import write
from autodidact.ops import index as rows
from autodidact.public import both, method
from autodidact.tensor import Tensor, wrap, wrap_dim

__all__ = ["gather", "index_select", "nonzero"]


def vector_index(name: str, x: Tensor, dim: int, index: Tensor) -> int:
    """The checks of `index_select` and its kin; the dimension from the front."""
    need_tensor(index, name, "index", 3)
    dim = wrap_dim(integer(dim), x._array.ndim)
    if index._array.ndim > 1:
        raise IndexError(f"{name}(): Index is supposed to be a vector")
    if index._array.dtype.name not in ("int32", "int64"):
        raise RuntimeError(f"{name}(): Expected dtype int32 or int64 for index")
    n = x._array.shape[dim] if x._array.ndim else 1
    array = looked_at(index)
    if array.size and (array.min() < 0 or array.max() >= n):
        if name == "index_select":
            raise IndexError("index out of range in self")
        bad = array[(array < 0) | (array >= n)].reshape(-1)[0]
        kind = RuntimeError if name == "index_add_" else IndexError
        raise kind(f"{name}(): index {bad} is out of bounds for dimension {dim} with size {n}")
    return dim


@both
def index_select(input: Tensor, dim: int, index: Tensor, *, out: Any = None) -> Tensor:
    """The slices along `dim` that a vector of indices names."""
    dim = vector_index("index_select", input, dim, index)
    if index._array.ndim == 0:
        index = index.reshape(1)
    return rows.index_select.call(input, index, dim)


def slices_to(name: str, row: Any, options: tuple) -> None:
    """`index_add` and `index_copy`, out of place and in place."""
    def arguments(x: Tensor, dim: int, index: Tensor, source: Tensor) -> tuple:
        dim = vector_index(f"{name}_", x, dim, index)
        need_tensor(source, name, "source", 4)
        if source._array.dtype != x._array.dtype:
            raise RuntimeError(f"{name}_(): self ({x.dtype}) and source ({source.dtype}) must have "
                               "the same scalar type")
        if not options and min(source._array.ndim, x._array.ndim) and (
                source._array.ndim != x._array.ndim):
            raise IndexError("index_copy_(): When source and destination are not scalars, their "
                             "dimensionality must match. Source dimensionality "
                             f"({source._array.ndim}), destination dimensionality "
                             f"({x._array.ndim})")
        n = source._array.shape[dim] if source._array.ndim else 1
        if index._array.size != n:
            raise RuntimeError(f"{name}_(): Number of indices ({index._array.size}) should be "
                               f"equal to source.size(dim): ({n}), for dim: {dim}")
        return (index, source), dim

    def copied(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Any = 1,
               out: Any = None) -> Tensor:
        others, dim = arguments(input, dim, index, source)
        return row.call(input, *others, dim, *((alpha,) if options else ()))

    def written(self: Tensor, dim: int, index: Tensor, source: Tensor, *,
                alpha: Any = 1) -> Tensor:
        others, dim = arguments(self, dim, index, source)
        return write(row, self, others, (dim, *((alpha,) if options else ())))

    what = "added to" if options else "written over"
    for f, called in ((copied, name), (written, f"{name}_")):
        f.__name__ = f.__qualname__ = called
        f.__doc__ = f"The slices of `source`, {what} those that a vector of indices names."
    both(copied)
    method(written)


slices_to("index_add", rows.index_add, ("alpha",))
slices_to("index_copy", rows.index_copy, ())


def fill_row(x: Tensor, index: Tensor, value: Any, dim: int) -> tuple:
    """The row, its tensors and arguments for `index_fill` with a number or a 0-dim tensor."""
    if not isinstance(value, Tensor):
        return rows.index_fill, (index,), (value, dim)
    if value._array.ndim:
        raise RuntimeError("index_fill_ only supports a 0-dimensional value tensor, but got tensor "
                           f"with {value._array.ndim} dimension(s).")
    return rows.index_fill_tensor, (index, value), (dim,)


@both
def index_fill(input: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    """A copy with one value in the slices that a vector of indices names."""
    dim = vector_index("index_fill_", input, dim, index)
    row, others, args = fill_row(input, index, value, dim)
    return row.call(input, *others, *args)


@method
def index_fill_(self: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    """Write one value into the slices that a vector of indices names."""
    dim = vector_index("index_fill_", self, dim, index)
    row, others, args = fill_row(self, index, value, dim)
    return write(row, self, others, args)


# ---- one index per entry -------------------------------------------------------------------------


def entry_index(name: str, x: Tensor, dim: int, index: Tensor, src: Any = None) -> int:
    """The checks of `gather` and `scatter`; the dimension from the front."""
    need_tensor(index, name, "index", 3)
    dim = wrap_dim(integer(dim), x._array.ndim)
    array = index._array
    if array.size and array.dtype.name not in ("int32", "int64"):
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index")
    if array.size and max(array.ndim, 1) != max(x._array.ndim, 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as "
                           f"{'input' if name == 'gather' else 'self'} tensor")
    shape = x._array.shape
    source = src._array.shape if isinstance(src, Tensor) else None
    for other, what in ((shape, "self"), (source, "src")):
        if other is None or not array.size:
            continue
        for d, (n, m) in enumerate(zip(array.shape, other, strict=False)):
            if n > m and (d != dim or what == "src"):
                raise RuntimeError(f"Size does not match at dimension {d} expected index "
                                   f"{list(array.shape)} to be no larger than {what} {list(other)} "
                                   f"apart from dimension {dim}")
    n, array = shape[dim] if shape else 1, looked_at(index)
    if array.size and (array.min() < 0 or array.max() >= n):
        bad = array[(array < 0) | (array >= n)].reshape(-1)[0]
        raise RuntimeError(f"index {bad} is out of bounds for dimension {dim} with size {n}")
    return dim


@both
def gather(input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False,
           out: Any = None) -> Tensor:
    """For each entry of `index`, the entry of `input` at that place along `dim`.

    Example:
        >>> torch.gather(torch.tensor([[1, 2], [3, 4]]), 1, torch.tensor([[0], [1]]))
        tensor([[1],
                [4]])
    """
    return rows.gather.call(input, index, entry_index("gather", input, dim, index))


@both
def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None, *,
                   out: Any = None) -> Tensor:
    """As `gather`, with the other dimensions broadcast; without `dim`, on the flat tensor."""
    if indices._array.dtype != np.int64:
        raise RuntimeError("torch.take_along_dim(): dtype of indices should be Long but got "
                           f"{indices.type()}")
    if dim is None:
        return gather(input.reshape(-1), 0, indices.reshape(-1))
    if input._array.ndim != indices._array.ndim:
        raise RuntimeError("torch.take_along_dim(): input and indices should have the same number "
                           f"of dimensions, but got {input._array.ndim} dimensions for input, and "
                           f"{indices._array.ndim} dimensions for indices")
    dim = wrap_dim(dim, input._array.ndim)
    a, b = list(input._array.shape), list(indices._array.shape)
    for d in range(len(a)):
        if d != dim:
            a[d] = b[d] = a[d] if b[d] == 1 else b[d]
    if tuple(a) != input._array.shape:
        input = expand(input, tuple(a))
    return gather(expand(input, tuple(a)), dim, expand(indices, tuple(b)))


def scatter_arguments(name: str, x: Tensor, dim: int, index: Tensor, src: Any) -> tuple:
    """The row, its tensors and arguments for `scatter`."""
    dim = entry_index(name, x, dim, index, src)
    if not isinstance(src, Tensor):
        return rows.scatter_value, (index,), (src, dim)
    if src._array.dtype != x._array.dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    return rows.scatter_add if name == "scatter_add" else rows.scatter, (index, src), (dim,)


@both
def scatter(input: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None,
            reduce: str | None = None) -> Tensor:
    """A copy with the entries of `src` (or one value) written where `index` says, along `dim`."""
    row, others, args = scatter_arguments("scatter", input, dim, index,
                                          value if src is None else src)
    if reduce is not None:
        return input.clone().scatter_(dim, index, value if src is None else src, reduce=reduce)
    return row.call(input, *others, *args)


@method
def scatter_(self: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None,
             reduce: str | None = None) -> Tensor:
    """Write the entries of `src` (or one value) where `index` says, along `dim`."""
    src = value if src is None else src
    row, others, args = scatter_arguments("scatter", self, dim, index, src)
    if reduce == "add":
        src = src if isinstance(src, Tensor) else expand(
            wrap(number(src, self._array.dtype)), index._array.shape)
        return write(rows.scatter_add, self, (index, src), (args[-1],))
    if reduce is not None:
        raise RuntimeError("reduce argument must be either add or multiply.")
    return write(row, self, others, args)


@both
def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """A copy with the entries of `src` added where `index` says, along `dim`."""
    row, others, args = scatter_arguments("scatter_add", input, dim, index, src)
    return row.call(input, *others, *args)


@method
def scatter_add_(self: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """Add the entries of `src` where `index` says, along `dim`."""
    row, others, args = scatter_arguments("scatter_add", self, dim, index, src)
    return write(row, self, others, args)


# ---- masks ---------------------------------------------------------------------------------------


def fill_arguments(x: Tensor, mask: Tensor, value: Any) -> tuple:
    """The row, its tensors and arguments for `masked_fill`."""
    need_tensor(mask, "masked_fill", "mask", 2)
    if mask._array.dtype.kind != "b":
        raise RuntimeError("masked_fill_ only supports boolean masks, but got mask with dtype "
                           f"{mask.dtype}")
    if not isinstance(value, Tensor):
        return rows.masked_fill, (mask,), (value,)
    if value._array.ndim:
        raise RuntimeError("masked_fill_ only supports a 0-dimensional value tensor, but got tensor"
                           f" with {value._array.ndim} dimension(s).")
    return rows.masked_fill_tensor, (mask, value), ()


@both
def masked_fill(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    """A copy with `value` where the mask is true."""
    row, others, args = fill_arguments(input, mask, value)
    return row.call(input, *others, *args)


@method
def masked_fill_(self: Tensor, mask: Tensor, value: Any) -> Tensor:
    """Write `value` where the mask is true."""
    row, others, args = fill_arguments(self, mask, value)
    return write(row, self, others, args)


@both
def masked_select(input: Tensor, mask: Tensor, *, out: Any = None) -> Tensor:
    """The entries where the mask is true, in a row."""
    if mask._array.dtype.kind != "b":
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    return rows.masked_select.call(input, mask)


@both
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """A copy with the first entries of `source` where the mask is true."""
    return rows.masked_scatter.call(input, mask, source)


@method
def masked_scatter_(self: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """Write the first entries of `source` where the mask is true."""
    return write(rows.masked_scatter, self, (mask, source), ())


# ---- positions -----------------------------------------------------------------------------------


@both
def take(input: Tensor, index: Tensor) -> Tensor:
    """The entries at the given places of the flat tensor."""
    need_tensor(index, "take", "index", 2)
    if index._array.dtype != np.int64:
        raise RuntimeError("take(): Expected a long tensor for index, but got "
                           f"{index.type()}")
    n, array = input._array.size, looked_at(index)
    if array.size and not -n <= array.min() <= array.max() < n:
        bad = array[(array < -n) | (array >= n)].reshape(-1)[0]
        raise IndexError(f"out of range: tried to access index {bad} on a tensor of {n} elements.")
    return rows.take.call(input, index)


@both
def nonzero(input: Tensor, *, as_tuple: bool = False, out: Any = None) -> Any:
    """The places that are not zero: one row of indices each, or a tuple of vectors."""
    refuse_lanes(input, "nonzero")
    array = as_array(wide(input._array))
    found = (array if array.ndim else array.reshape(1)).nonzero()
    if as_tuple:
        return tuple(wrap(f.astype(np.int64)) for f in found)
    columns = np.stack(found).T if array.ndim else made(array, np.zeros, (len(found[0]), 0),
                                                        np.int64)
    return wrap(columns.astype(np.int64, copy=False))


@both
def argwhere(input: Tensor) -> Tensor:
    """The places that are not zero, one row of indices each."""
    return nonzero(input)


