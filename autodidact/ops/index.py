"""Picking entries by tensors of indices, and putting entries there.

Picking and adding are each other's transposes: the gradient of a gather is a scatter-add, of a
scatter-add a gather. `indices` stands for one place per dimension: an integer array, a mask, or
a full slice.
"""

import numpy as np

from autodidact.arrays.foreign import as_array, certainly, contiguous, copied, made
from autodidact.arrays.scatter import add_rows, grid, positions_of, scatter_rows, sum_rows
from autodidact.ops.op import Op, linear

# ---- x[indices] ---------------------------------------------------------------------------------

index = Op("index(self, indices)",
    forward = lambda self, indices: picked(self, indices),
    vjp     = {"self": lambda grad, indices, self_shape: index_backward(grad, indices, self_shape)},
    kind    = linear)

index_backward = Op("index_backward(grad, indices, *, shape)",    # zeros, grad added at indices
    forward = lambda grad, indices, shape: scatter_rows(grad, indices, shape),
    vjp     = {"grad": lambda grad, indices: index(grad, indices)},
    kind    = linear)

index_put = Op("index_put(self, indices, values, *, accumulate)", # a copy with values at indices
    forward = lambda self, indices, values, accumulate:
              put(copied(self), indices, values, accumulate),
    vjp     = {"self":   lambda grad, indices, accumulate:
                         grad if accumulate else index_zero(grad, indices),
               "values": lambda grad, indices: index(grad, indices)},
    kind    = linear)

index_zero = Op("index_zero(grad, indices)",                      # a copy with zeros at indices
    forward = lambda grad, indices: put(copied(grad), indices, 0, False),
    vjp     = {"grad": lambda grad, indices: index_zero(grad, indices)},
    kind    = linear)

# ---- along one dimension -------------------------------------------------------------------------

index_select = Op("index_select(self, index, *, dim)",
    forward = lambda self, index, dim:
              np.take(self, index, dim) if np.ndim(self) else copied(self),
    vjp     = {"self": lambda grad, index, self_shape, dim:
               index_select_backward(grad, index, self_shape, dim)},
    kind    = linear)

index_select_backward = Op("index_select_backward(grad, index, *, shape, dim)",
    forward = lambda grad, index, shape, dim:
              add_along(made(grad, np.zeros, shape, grad.dtype), dim, index, grad),
    vjp     = {"grad": lambda grad, index, dim: index_select(grad, index, dim)},
    kind    = linear)

index_add = Op("index_add(self, index, source, *, dim, alpha)",
    forward = lambda self, index, source, dim, alpha:
              add_along(copied(self), dim, index, source if alpha == 1 else
                        source * source.dtype.type(alpha)),
    vjp     = {"self":   lambda grad: grad,
               "source": lambda grad, index, dim, alpha:
                         index_select(grad, index, dim) if alpha == 1 else
                         index_select(grad, index, dim) * alpha},
    kind    = linear)

index_copy = Op("index_copy(self, index, source, *, dim)",
    forward = lambda self, index, source, dim: put_along(copied(self), dim, index, source),
    vjp     = {"self":   lambda grad, index, dim: index_fill(grad, index, 0, dim),
               "source": lambda grad, index, dim: index_select(grad, index, dim)},
    kind    = linear)

index_fill = Op("index_fill(self, index, *, value, dim)",
    forward = lambda self, index, value, dim: put_along(copied(self), dim, index, value),
    vjp     = {"self": lambda grad, index, dim: index_fill(grad, index, 0, dim)},
    jvp     = lambda self_t, index, dim: index_fill(self_t, index, 0, dim),
    kind    = linear)

index_fill_tensor = Op("index_fill_tensor(self, index, value, *, dim)",
    forward = lambda self, index, value, dim: put_along(copied(self), dim, index, value),
    vjp     = {"self":  lambda grad, index, dim: index_fill(grad, index, 0, dim),
               "value": lambda grad, index, dim:
                        (grad * index_fill(np.zeros_like(grad), index, 1, dim)).sum()},
    node    = "IndexFillBackward1",
    kind    = linear)

# ---- one index per entry -------------------------------------------------------------------------

gather = Op("gather(self, index, *, dim)",
    forward = lambda self, index, dim: pick_entries(self, index, dim),
    vjp     = {"self": lambda grad, index, self_shape, dim:
               gather_backward(grad, index, self_shape, dim)},
    kind    = linear)

gather_backward = Op("gather_backward(grad, index, *, shape, dim)",
    forward = lambda grad, index, shape, dim:
              add_entries(made(grad, np.zeros, shape, grad.dtype), dim, index, grad),
    vjp     = {"grad": lambda grad, index, dim: gather(grad, index, dim)},
    kind    = linear)

scatter = Op("scatter(self, index, src, *, dim)",
    forward = lambda self, index, src, dim: put_entries(copied(self), dim, index, src),
    vjp     = {"self": lambda grad, index, dim: scatter_value(grad, index, 0, dim),
               "src":  lambda grad, index, dim: gather(grad, index, dim)},
    kind    = linear)

scatter_value = Op("scatter_value(self, index, *, value, dim)",
    forward = lambda self, index, value, dim: put_entries(copied(self), dim, index, value),
    vjp     = {"self": lambda grad, index, dim: scatter_value(grad, index, 0, dim)},
    jvp     = lambda self_t, index, dim: scatter_value(self_t, index, 0, dim),
    node    = "ScatterBackward1",
    kind    = linear)

scatter_add = Op("scatter_add(self, index, src, *, dim)",
    forward = lambda self, index, src, dim: add_entries(copied(self), dim, index, src),
    vjp     = {"self": lambda grad: grad,
               "src":  lambda grad, index, dim: gather(grad, index, dim)},
    kind    = linear)

pad_source = Op("pad_source(grad, *, shape)",                     # zeros where no index pointed
    forward = lambda grad, shape: padded(grad, shape),
    vjp     = {"grad": lambda grad, grad_shape: corner(grad, grad_shape)},
    kind    = linear)

corner = Op("corner(grad, *, shape)",
    forward = lambda grad, shape: grad[tuple(slice(n) for n in shape)],
    vjp     = {"grad": lambda grad, grad_shape: pad_source(grad, grad_shape)},
    kind    = linear)

take = Op("take(self, index)",                                    # x in a row, picked
    forward = lambda self, index: as_array(self).reshape(-1)[index],
    vjp     = {"self": lambda grad, index, self_shape: take_backward(grad, index, self_shape)},
    kind    = linear)

take_backward = Op("take_backward(grad, index, *, shape)",
    forward = lambda grad, index, shape:
              scatter_rows(grad, (index,), (int(np.prod(shape)),)).reshape(shape),
    vjp     = {"grad": lambda grad, index: take(grad, index)},
    kind    = linear)

# ---- masks --------------------------------------------------------------------------------------

masked_fill = Op("masked_fill(self, mask, *, value)",
    forward = lambda self, mask, value: np.where(mask, self.dtype.type(value), self),
    vjp     = {"self": lambda grad, mask: masked_fill(grad, mask, 0)},
    jvp     = lambda self_t, mask: masked_fill(self_t, mask, 0),
    kind    = linear)

masked_fill_tensor = Op("masked_fill_tensor(self, mask, value)",
    forward = lambda self, mask, value: np.where(mask, value.astype(self.dtype), self),
    vjp     = {"self":  lambda grad, mask: masked_fill(grad, mask, 0),
               "value": lambda grad, mask: np.where(mask, grad, 0)},
    node    = "MaskedFillBackward1",
    kind    = linear)

masked_select = Op("masked_select(self, mask)",
    forward = lambda self, mask: select_masked(self, mask),
    vjp     = {"self": lambda grad, mask, self_shape:
               masked_select_backward(grad, mask, self_shape)},
    kind    = linear)

masked_select_backward = Op("masked_select_backward(grad, mask, *, shape)",
    forward = lambda grad, mask, shape: spread_masked(grad, mask, shape),
    vjp     = {"grad": lambda grad, mask: masked_select(grad, mask)},
    kind    = linear)

masked_scatter = Op("masked_scatter(self, mask, source)",         # source's first entries there
    forward = lambda self, mask, source: put_masked(self, mask, source),
    vjp     = {"self":   lambda grad, mask: masked_fill(grad, mask, 0),
               "source": lambda grad, mask, source_shape:
                         fit_row(masked_select(grad, mask), source_shape)},
    kind    = linear)

# ---- order --------------------------------------------------------------------------------------

sort = Op("sort(self, *, dim, descending)",
    forward = lambda self, dim, descending: sorted_with_places(self, dim, descending),
    outputs = ("values", "indices"),
    vjp     = {"self": lambda grad, indices, self_shape, dim:
               gather_backward(grad, indices, self_shape, dim)},
    jvp     = lambda self_t, indices, dim: gather(self_t, indices, dim),
    kind    = linear)

topk = Op("topk(self, *, k, dim, largest)",
    forward = lambda self, k, dim, largest: first_k(self, k, dim, largest),
    outputs = ("values", "indices"),
    vjp     = {"self": lambda grad, indices, self_shape, dim:
               gather_backward(grad, indices, self_shape, dim)},
    jvp     = lambda self_t, indices, dim: gather(self_t, indices, dim),
    kind    = linear)

embedding = Op("embedding(weight, indices, *, padding_idx, scale_grad_by_freq)",
    forward = lambda weight, indices, padding_idx, scale_grad_by_freq:
              picked(weight, (indices,)),
    vjp     = {"weight": lambda grad, indices, weight_shape, padding_idx, scale_grad_by_freq:
               embedding_backward(grad, indices, weight_shape, padding_idx, scale_grad_by_freq)},
    jvp     = lambda weight_t, indices, padding_idx:
              embedding_row(weight_t, indices, padding_idx),
    kind    = linear)

embedding_backward = Op("embedding_backward(grad, indices, *, shape, padding_idx, by_freq)",
    forward = lambda grad, indices, shape, padding_idx, by_freq:
              add_embeddings(grad, indices, shape, padding_idx, by_freq),
    vjp     = {"grad": lambda grad, indices, padding_idx:
               embedding_row(grad, indices, padding_idx)},
    node    = "EmbeddingDenseBackward0",
    kind    = linear)

embedding_row = Op("embedding_row(weight, indices, *, padding_idx)",
    forward = lambda weight, indices, padding_idx: weight[indices] * (
        indices != padding_idx)[..., None].astype(weight.dtype),
    vjp     = {"weight": lambda grad, indices, weight_shape, padding_idx:
               embedding_backward(grad, indices, weight_shape, padding_idx, False)},
    kind    = linear)


# ---- longer mathematics -------------------------------------------------------------------------


def picked(array: np.ndarray, indices: tuple) -> np.ndarray:
    """`array[indices]`, row-major: NumPy lays a result out as it went over the indices.

    Whole slices are taken, three times as quickly as they are indexed.
    """
    *before, last = indices
    if array.size and last.dtype.kind == "i" and all(isinstance(p, slice) for p in before):
        return array.take(last, len(before))
    out = array[indices]
    return out if out.flags.c_contiguous else contiguous(out)


def put(out: np.ndarray, indices: tuple, values: object, accumulate: bool) -> np.ndarray:
    """Write (or add) values at the indices of an array that is ours."""
    if accumulate:
        out += scatter_rows(np.broadcast_to(values, out[indices].shape), indices, out.shape)
    else:
        out[indices] = values
    return out


def along(dim: int, index: np.ndarray) -> tuple:
    """Places for one vector of indices along `dim`."""
    return (slice(None),) * dim + (np.atleast_1d(index),)


def add_along(out: np.ndarray, dim: int, index: np.ndarray, source: np.ndarray) -> np.ndarray:
    """Add the slices of `source` to those slices of `out` that the vector `index` names."""
    index = np.atleast_1d(index)
    if out.ndim == 0:
        return out + source.sum()
    if dim == 0:
        if len(index) and out.size:
            add_rows(out.reshape(out.shape[0], -1), index, source.reshape(len(index), -1))
        return out
    return out + scatter_rows(source, along(dim, index), out.shape)


def put_along(out: np.ndarray, dim: int, index: np.ndarray, source: object) -> np.ndarray:
    """Write slices of `source` (or one number) into those slices of `out`."""
    if out.ndim:
        out[along(dim, index)] = source
    elif np.size(index):
        out[...] = source if np.ndim(source) == 0 else as_array(source).reshape(-1)[-1]
    return out


def add_entries(out: np.ndarray, dim: int, index: np.ndarray, src: np.ndarray) -> np.ndarray:
    """`out[..., index[i], ...] += src[i]` along `dim`, repeated indices included."""
    if out.ndim == 0:
        return out + as_array(src).sum()
    if not index.size:
        return out
    index, src = np.atleast_1d(index), np.atleast_1d(src)
    src = src[tuple(slice(n) for n in index.shape)]
    flat = positions_of(grid(index, dim), out.shape)
    total = made(out, np.zeros, out.size, out.dtype)
    add_rows(total.reshape(-1, 1), flat.reshape(-1), src.reshape(-1, 1))
    return out + total.reshape(out.shape)


def pick_entries(self: np.ndarray, index: np.ndarray, dim: int) -> np.ndarray:
    """For each entry of `index` the entry of `self` at that place along `dim`."""
    if self.ndim == 0 or not index.size:
        return copied(np.broadcast_to(self if self.ndim == 0 else np.zeros_like(self, shape=()),
                                      index.shape))
    return self[grid(index, dim)] if np.ndim(index) else np.take(self, index)


def put_entries(out: np.ndarray, dim: int, index: np.ndarray, src: object) -> np.ndarray:
    """`out[..., index[i], ...] = src[i]` along `dim`."""
    if out.ndim == 0:
        out[...] = np.reshape(src, -1)[-1] if index.size and np.ndim(src) else (
            src if index.size else out)
        return out
    index = np.atleast_1d(index)
    if np.ndim(src):
        src = src[tuple(slice(n) for n in index.shape)]
    out[grid(index, dim)] = src
    return out


def fit_row(grad: object, shape: tuple) -> object:
    """The gradient of a source of which only the first entries were used."""
    count = 1
    for n in shape:
        count *= n
    return pad_source(grad, (count,)).reshape(shape)


def padded(grad: np.ndarray, shape: tuple) -> np.ndarray:
    """The array in a corner of zeros."""
    out = made(grad, np.zeros, shape, grad.dtype)
    out[tuple(slice(n) for n in grad.shape)] = grad
    return out


def select_masked(self: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """The entries where the mask is true, in a row; both broadcast."""
    self, mask = np.broadcast_arrays(self, mask)
    return self[mask]


def spread_masked(grad: np.ndarray, mask: np.ndarray, shape: tuple) -> np.ndarray:
    """The transpose: entries back to where the mask is true (the engine sums what broadcast)."""
    mask = np.broadcast_to(mask, np.broadcast_shapes(mask.shape, shape))
    out = made(grad, np.zeros, mask.shape, grad.dtype)
    out[mask] = grad
    return out


def put_masked(self: np.ndarray, mask: np.ndarray, source: np.ndarray) -> np.ndarray:
    """A copy with the first entries of `source` where the mask is true."""
    shape = np.broadcast_shapes(self.shape, mask.shape)
    mask = np.broadcast_to(mask, shape)
    nth = (np.cumsum(mask.reshape(-1), dtype=np.int64) - 1).reshape(shape)
    if certainly(np.any(mask)) and int(mask.sum()) > source.size:
        raise ValueError("the source has fewer entries than the mask says")
    if not source.size:
        return copied(np.broadcast_to(self, shape))
    return np.where(mask, source.reshape(-1)[np.clip(nth, 0, source.size - 1)], self)


def sorted_with_places(self: np.ndarray, dim: int, descending: bool) -> tuple:
    """Values in order along `dim`, and where each came from; equal values keep their order."""
    if self.ndim == 0:
        return copied(self), made(self, np.zeros, (), np.int64)
    if descending:
        back = np.argsort(np.flip(self, dim), dim, kind="stable")
        places = np.flip(self.shape[dim] - 1 - back, dim)
    else:
        places = np.argsort(self, dim, kind="stable")
    places = contiguous(places, np.int64)
    return np.take_along_axis(self, places, dim), places


def first_k(self: np.ndarray, k: int, dim: int, largest: bool) -> tuple:
    """The k largest (or smallest) values along `dim`, in order, and where each came from."""
    values, places = sorted_with_places(self, dim, largest)
    if self.ndim == 0:
        return values, places
    part = (slice(None),) * dim + (slice(k),)
    return contiguous(values[part]), contiguous(places[part])


def add_embeddings(grad: np.ndarray, indices: np.ndarray, shape: tuple, padding_idx: int,
                   by_freq: bool) -> np.ndarray:
    """Add each entry's gradient to its row; the padding row gets none."""
    index = indices.reshape(-1)
    rows = grad.reshape(len(index), shape[1])
    if padding_idx >= 0:
        rows = np.where((index != padding_idx)[:, None], rows, np.zeros_like(rows))
    if by_freq:
        times = np.bincount(index, minlength=shape[0])[index]
        rows = rows / times[:, None].astype(rows.dtype)
    return sum_rows(shape[0], index, rows)
