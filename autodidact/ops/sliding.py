"""Convolution where windows move by single steps: no window is cut out of the picture.

A padded picture's rows are laid end to end. What the windows' entry at (i, j) sees is then the same
long row of numbers, begun i rows and j numbers later: one copy of it per entry makes all columns of
a matrix product, for all places at once. (Places where a window would run over the end of a row are
computed too, and left out.) One picture at a time, so that its columns stay in the cache.
"""

import itertools
import math
from collections.abc import Iterator

import numpy as np

__all__ = ["gather", "spread"]


class Rows:
    """The pictures with padding, their rows end to end.

    Attributes:
        size: of a padded picture; `count`: the places of a window in it.
        pictures: (N, groups, C / groups, numbers).
        offsets: where each entry of the window begins.
        length: how many places are computed, those too many included.
    """

    def __init__(self, x: np.ndarray, kernel: tuple, padding: tuple, dilation: tuple,
                 groups: int) -> None:
        n, c = x.shape[:2]
        self.size = tuple(m + 2 * p for m, p in zip(x.shape[2:], padding, strict=True))
        reach = [d * (k - 1) for k, d in zip(kernel, dilation, strict=True)]
        self.count = tuple(m - r for m, r in zip(self.size, reach, strict=True))
        steps = [math.prod(self.size[i + 1:]) for i in range(len(kernel))]
        self.length = self.count[0] * steps[0]
        numbers = self.length + sum(r * s for r, s in zip(reach, steps, strict=True))
        flat = np.zeros((n, c, max(numbers, math.prod(self.size))), x.dtype)
        inner = tuple(slice(p, p + m) for p, m in zip(padding, x.shape[2:], strict=True))
        flat[:, :, :math.prod(self.size)].reshape(n, c, *self.size)[(..., *inner)] = x
        self.pictures = flat.reshape(n, groups, c // groups, -1)
        self.offsets = [sum(k * d * s for k, d, s in zip(entry, dilation, steps, strict=True))
                        for entry in itertools.product(*map(range, kernel))]

    def columns(self) -> Iterator[np.ndarray]:
        """For each picture (groups, entries * C / groups, length); the next one overwrites it."""
        groups, c = self.pictures.shape[1:3]
        entries = np.empty((groups, len(self.offsets), c, self.length), self.pictures.dtype)
        for picture in self.pictures:
            for k, start in enumerate(self.offsets):
                entries[:, k] = picture[..., start:start + self.length]
            yield entries.reshape(groups, -1, self.length)

    def places(self, flat: np.ndarray) -> np.ndarray:
        """(N, O, length) as (N, O, *places), without those that are too many."""
        rows = flat.reshape(*flat.shape[:2], self.count[0], *self.size[1:])
        return np.ascontiguousarray(rows[(..., *map(slice, self.count))])


def gather(x: np.ndarray, w: np.ndarray, padding: tuple, dilation: tuple,
           groups: int) -> np.ndarray:
    """The convolution: shape (N, O, *places)."""
    rows = Rows(x, w.shape[2:], padding, dilation, groups)
    w = np.moveaxis(w.reshape(groups, -1, *w.shape[1:]), 2, -1)          # (g, O/g, *kernel, C/g)
    w = w.reshape(groups, w.shape[1], -1)
    out = np.empty((len(x), groups, w.shape[1], rows.length), np.result_type(x, w))
    for made, columns in zip(out, rows.columns(), strict=True):
        np.matmul(w, columns, out=made)
    return rows.places(out.reshape(len(x), -1, rows.length))


def spread(y: np.ndarray, w: np.ndarray, padding: tuple, dilation: tuple,
           groups: int) -> np.ndarray:
    """Its transpose: a convolution too, with the window turned round and its reach as padding."""
    kernel = w.shape[2:]
    around = tuple(d * (k - 1) - p for k, d, p in zip(kernel, dilation, padding, strict=True))
    turned = np.flip(w, tuple(range(2, w.ndim))).reshape(groups, -1, *w.shape[1:]).swapaxes(1, 2)
    return gather(y, turned.reshape(-1, *turned.shape[2:]), around, dilation, groups)
