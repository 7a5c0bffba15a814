"""Convolution where windows move by single steps: no window is cut out of the picture.

A padded picture's rows are laid end to end. What the windows' entry at (i, j) sees is then the same
long row of numbers, begun i rows and j numbers later: one copy of it per entry makes all columns of
a matrix product, for all places at once. (Places where a window would run over the end of a row are
computed too, and left out.) A few pictures at a time, so that their columns stay in the cache.
"""

import itertools
import math

import numpy as np

__all__ = ["correlate", "gather", "spread"]

CACHED = 1 << 18          # numbers: so many columns are made and used before the next ones
THIN = 8                  # channels: with fewer, the columns of the output are the smaller matrix


class Rows:
    """How pictures lie, their rows end to end.

    Between two rows there are zeros once, not twice: the end of one is the beginning of the next.

    Attributes:
        count: the places of a window.
        width: the steps of one padded picture, its rows with the zeros behind them.
        start: where the first number lies.
        offsets: where each entry of the window begins.
        length: how many places are computed, those too many included.
    """

    def __init__(self, size: tuple, kernel: tuple, padding: tuple, dilation: tuple) -> None:
        self.inside = tuple(slice(p, p + m) for p, m in zip(padding[:-1], size[:-1], strict=True))
        self.inside += (slice(size[-1]),)
        reach = [d * (k - 1) for k, d in zip(kernel, dilation, strict=True)]
        padded = [m + 2 * p for m, p in zip(size, padding, strict=True)]
        self.count = tuple(m - r for m, r in zip(padded, reach, strict=True))
        row = max(size[-1] + padding[-1], self.count[-1])
        self.width, self.start = (*padded[:-1], row), padding[-1]
        steps = [math.prod(self.width[i + 1:]) for i in range(len(kernel))]
        self.offsets = [sum(k * d * s for k, d, s in zip(entry, dilation, steps, strict=True))
                        for entry in itertools.product(*map(range, kernel))]
        self.length = self.count[0] * steps[0]
        self.numbers = math.prod(self.width)
        self.room = max(self.length + self.offsets[-1], self.start + self.numbers)

    def pictures(self, flat: np.ndarray) -> np.ndarray:
        """A look at the pictures themselves in (N, C, room)."""
        rows = flat[..., self.start:self.start + self.numbers]
        return rows.reshape(*flat.shape[:-1], *self.width)[(..., *self.inside)]

    def lay(self, x: np.ndarray) -> np.ndarray:
        """Pictures (N, C, *size) as (N, C, room), zeros around."""
        flat = np.zeros((*x.shape[:2], self.room), x.dtype)
        self.pictures(flat)[...] = x
        return flat

    def places(self, flat: np.ndarray) -> np.ndarray:
        """(N, O, length) as (N, O, *places), without those that are too many."""
        rows = flat.reshape(*flat.shape[:2], self.count[0], *self.width[1:])
        return np.ascontiguousarray(rows[(..., *map(slice, self.count))])

    def fill(self, y: np.ndarray) -> np.ndarray:
        """(N, O, *places) as (N, O, length), zero at those that are too many."""
        rows = np.zeros((*y.shape[:2], self.count[0], *self.width[1:]), y.dtype)
        rows[(..., *map(slice, self.count))] = y
        return rows.reshape(*y.shape[:2], self.length)

    def several(self, n: int, channels: int) -> list[slice]:
        """So many of n pictures at a time as have columns that stay in the cache."""
        step = max(1, CACHED // (len(self.offsets) * channels * self.length))
        return [slice(i, min(i + step, n)) for i in range(0, n, step)]


def weights(w: np.ndarray, groups: int) -> np.ndarray:
    """(groups, O / groups, entries * C / groups): a window as a row, its entries first."""
    rows = np.moveaxis(w.reshape(groups, -1, *w.shape[1:]), 2, -1)
    return rows.reshape(groups, rows.shape[1], -1)


def gather(x: np.ndarray, w: np.ndarray, padding: tuple, dilation: tuple,
           groups: int) -> np.ndarray:
    """The convolution: shape (N, O, *places)."""
    rows = Rows(x.shape[2:], w.shape[2:], padding, dilation)
    n, length = len(x), rows.length
    flat = rows.lay(x).reshape(n, groups, -1, rows.room)
    out = np.empty((n, groups, len(w) // groups, length), np.result_type(x, w))
    w, steps = weights(w, groups), rows.several(n, x.shape[1])
    made = np.empty((steps[0].stop, groups, len(rows.offsets), flat.shape[2], length), x.dtype)
    for some in steps:
        seen = flat[some]
        columns = made[:len(seen)]
        for k, start in enumerate(rows.offsets):
            columns[:, :, k] = seen[..., start:start + length]
        np.matmul(w, columns.reshape(len(seen), groups, -1, length), out=out[some])
    return rows.places(out.reshape(n, -1, length))


def spread(y: np.ndarray, w: np.ndarray, shape: tuple, padding: tuple, dilation: tuple,
           groups: int) -> np.ndarray:
    """Its transpose, an array of `shape`: every entry of y times the window, added where it lay.

    The same as a convolution with the window turned round and its reach as padding.
    """
    if shape[1] // groups < THIN:
        return scatter(y, w, shape, padding, dilation, groups)
    kernel = w.shape[2:]
    around = tuple(d * (k - 1) - p for k, d, p in zip(kernel, dilation, padding, strict=True))
    turned = np.flip(w, tuple(range(2, w.ndim))).reshape(groups, -1, *w.shape[1:]).swapaxes(1, 2)
    return gather(y, turned.reshape(-1, *turned.shape[2:]), around, dilation, groups)


def scatter(y: np.ndarray, w: np.ndarray, shape: tuple, padding: tuple, dilation: tuple,
            groups: int) -> np.ndarray:
    """The transpose step by step: columns from a product, each added to what its entry saw."""
    rows = Rows(shape[2:], w.shape[2:], padding, dilation)
    n, length = len(y), rows.length
    grads = rows.fill(y).reshape(n, groups, -1, length)
    w = np.ascontiguousarray(weights(w, groups).swapaxes(1, 2))
    flat = np.zeros((n, groups, shape[1] // groups, rows.room), np.result_type(y, w))
    for some in rows.several(n, shape[1]):
        seen = flat[some]
        columns = np.matmul(w, grads[some]).reshape(
            len(seen), groups, len(rows.offsets), -1, length)
        for k, start in enumerate(rows.offsets):
            target = seen[..., start:start + length]
            np.add(target, columns[:, :, k], out=target)
    return np.ascontiguousarray(rows.pictures(flat.reshape(n, -1, rows.room)))


def correlate(y: np.ndarray, x: np.ndarray, shape: tuple, padding: tuple, dilation: tuple,
              groups: int) -> np.ndarray:
    """What each entry of the window contributes: an array of `shape`, as the weight.

    The columns of `gather`, but of several pictures side by side in one long row: one product sums
    over the places of all of them.
    """
    rows = Rows(x.shape[2:], shape[2:], padding, dilation)
    n, c, length, entries = len(x), shape[1], rows.length, len(rows.offsets)
    flat = rows.lay(x).reshape(n, groups, c, -1)
    grads = rows.fill(y.swapaxes(0, 1)).reshape(groups, -1, n, length)
    out = np.zeros((groups, entries * c, shape[0] // groups), np.result_type(y, x))
    columns = np.empty(0, x.dtype)
    for some in rows.several(n, x.shape[1]):
        seen = np.moveaxis(flat[some], 0, 2)
        if columns.size != entries * seen.size // rows.room * length:       # the last step is less
            columns = np.empty((groups, entries, *seen.shape[1:3], length), x.dtype)
        for k, start in enumerate(rows.offsets):
            columns[:, k] = seen[..., start:start + length]
        places = grads[:, :, some].reshape(groups, shape[0] // groups, -1)
        out += np.matmul(columns.reshape(groups, entries * c, -1), places.swapaxes(1, 2))
    windows = out.reshape(groups, *shape[2:], c, -1)
    return np.ascontiguousarray(np.moveaxis(windows, (-1, -2), (1, 2)).reshape(shape))
