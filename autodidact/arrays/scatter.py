"""Adding rows at repeated places: the transposes of indexing, without NumPy's slow `add.at`."""

import numpy as np

from autodidact._optional import MissingExtra, optional
from autodidact.arrays.foreign import ForeignArray, contiguous, made

__all__ = ["add_rows", "grid", "positions_of", "scatter_rows", "sum_rows"]

PASSES = 6      # rounds of the last-writer method, before sorting what is left
MANY = 1 << 14  # numbers: from here on SciPy's product is quicker


def sum_rows(count: int, places: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Zeros of shape (count, m) with `rows[i]` added at `places[i]`, as `add_rows` does.

    Many rows are summed by the product with a sparse matrix that has a one for each of them.
    """
    if type(rows) is np.ndarray and rows.size >= MANY and rows.dtype.char in "fdFD" and (
            rows.shape[1] > 1 and places.min() >= 0 and places.max() < count):
        try:
            sparse, k = optional("scipy.sparse"), len(rows)
            ones = (np.ones(k, rows.dtype), places, np.arange(k + 1, dtype=np.int64))
            return sparse.csc_matrix(ones, (count, k)) @ rows
        except MissingExtra:
            pass
    out = made(rows, np.zeros, (count, rows.shape[1]), rows.dtype)
    add_rows(out, places, rows)
    return out


def add_rows(out: np.ndarray, places: np.ndarray, rows: np.ndarray) -> None:
    """`out[places[i]] += rows[i]` for every i, repeated places included.

    Args:
        out: (n, m), written to.
        places: (k,) integers in [-n, n).
        rows: (k, m).
    """
    if not len(places):
        return
    if isinstance(out, ForeignArray):                # a GPU adds at repeated places by itself
        np.add.at(out, places, rows)
        return
    if places.min() < 0:
        places = np.where(places < 0, places + len(out), places)
    if rows.shape[1] == 1 and out.dtype.kind == "f":
        sums = np.bincount(places, rows[:, 0], len(out))
        out[:, 0] += sums.astype(out.dtype, copy=False)
        return
    last, todo = np.empty(len(out), np.int64), np.arange(len(places), dtype=np.int64)
    for _ in range(PASSES):
        # Of several rows for one place, the one written last wins this round; the others wait.
        here = places[todo]
        last[here] = todo
        won = last[here] == todo
        if won.all():
            out[here] += rows if len(todo) == len(rows) else rows[todo]
            return
        out[here[won]] += rows[todo[won]]
        todo = todo[~won]
    order = todo[np.argsort(places[todo], kind="stable")]
    places = places[order]
    first = np.flatnonzero(np.concatenate([[True], places[1:] != places[:-1]]))
    out[places[first]] += np.add.reduceat(rows[order], first, axis=0)


def scatter_rows(grad: np.ndarray, indices: tuple, shape: tuple) -> np.ndarray:
    """Zeros of `shape` with `grad`, shaped as `zeros[indices]`, added at `indices`.

    Args:
        grad: the values.
        indices: for each dimension an integer array, a mask (for as many as it has), or a slice
            that means all.
        shape: of the result.
    """
    out = made(grad, np.zeros, shape, grad.dtype)
    dims, arrays, given = [], [], 0
    dim = 0
    for place in indices:
        if isinstance(place, slice):
            dim += 1
            continue
        given += 1
        parts = place.nonzero() if place.dtype.kind == "b" else (place,)
        for part in parts:
            dims.append(dim)
            arrays.append(part)
            dim += 1
    if given == 1 and any(not isinstance(p, slice) and p.dtype.kind == "b" for p in indices):
        out[indices] = grad                               # one mask repeats nothing
        return out
    shared = np.broadcast_shapes(*(a.shape for a in arrays))
    rest = [d for d in range(len(shape)) if d not in dims]
    front = 0 if together(indices) is None else together(indices)
    order = [*range(front, front + len(shared))]
    order += [d for d in range(grad.ndim) if d not in order]
    flat = positions_of(tuple(arrays), tuple(shape[d] for d in dims))
    count = int(np.prod([shape[d] for d in dims], dtype=np.int64))
    width = int(np.prod([shape[d] for d in rest], dtype=np.int64))
    total = sum_rows(count, flat.reshape(-1), np.transpose(grad, order).reshape(flat.size, width))
    total = total.reshape([shape[d] for d in (*dims, *rest)])
    order = [*dims, *rest]
    return contiguous(np.transpose(total, [order.index(d) for d in range(len(order))]))


def together(indices: tuple) -> int | None:
    """The dimension at which the indexed dimensions stand, if no slice stands between them."""
    places = [i for i, p in enumerate(indices) if not isinstance(p, slice)]
    return places[0] if places[-1] - places[0] == len(places) - 1 else None


def positions_of(arrays: tuple, shape: tuple) -> np.ndarray:
    """One number for each tuple of indices: its place in a row-major array of this shape."""
    total = made(arrays[0], np.zeros, (), np.int64) if arrays else np.zeros((), np.int64)
    for index, n in zip(arrays, shape, strict=True):
        total = total * n + np.where(index < 0, index + n, index)
    return total


def grid(index: np.ndarray, dim: int) -> tuple:
    """Places for `gather`: the index along `dim`, each position's own number along the others."""
    if index.ndim == 0:
        return ()
    return tuple(index if d == dim else
                 made(index, np.arange, n, dtype=np.int64).reshape([-1 if i == d else 1
                                                       for i in range(index.ndim)])
                 for d, n in enumerate(index.shape))
