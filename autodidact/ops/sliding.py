"""Convolution where windows move by single steps: no window is cut out of the picture.

The rows of all pictures are laid end to end. What the windows' entry at (i, j) sees is then the
same long row of numbers, begun i rows and j numbers later. One copy is made for each j, shifted by
it; a look into these copies, begun i rows later, is what a row of the window sees at all places:
the columns of a matrix product. A few pictures at a time, so that the copies stay in the cache.
"""

import itertools
import math

import numpy as np

__all__ = ["correlate", "gather", "spread"]

CACHED = 1 << 18          # numbers: so many are laid and used before the next ones
THIN = 8                  # channels: with fewer, the columns of the output are the smaller matrix
SMALL = 10 ** 6           # factors: up to so many, OpenBLAS multiplies without packing, and quicker


class Rows:
    """How pictures lie, their rows end to end.

    Between two pictures there are zeros once, not twice: the end of one is the beginning of the
    next. Between two rows there are none: each shifted copy has its own where it needs them.

    Attributes:
        count: the places of a window.
        width: the steps of one picture, with the zeros around and behind it.
        inside: where the picture itself lies.
        picture: from one picture to the next.
        length: how many places are computed for each, with those too many at the ends of rows.
        starts: where each row of the window begins.
        shifts: how far the entries in a row of the window lie from the place.
    """

    def __init__(self, size: tuple, kernel: tuple, padding: tuple, dilation: tuple) -> None:
        reach = [d * (k - 1) for k, d in zip(kernel, dilation, strict=True)]
        self.count = tuple(m + 2 * p - r for m, p, r in zip(size, padding, reach, strict=True))
        padded = [m + 2 * p for m, p in zip(size[:-1], padding[:-1], strict=True)]
        if padded:
            padded[0] = max(size[0] + padding[0], self.count[0])
        self.width = (*padded, max(size[-1], self.count[-1]))
        before = (*padding[:-1], 0)
        self.inside = (..., *(slice(p, p + m) for p, m in zip(before, size, strict=True)))
        steps = [math.prod(self.width[i + 1:]) for i in range(len(size))]
        self.picture, self.length = math.prod(self.width), self.count[0] * steps[0]
        self.starts = [sum(k * d * s for k, d, s in zip(row, dilation, steps[:-1], strict=False))
                       for row in itertools.product(*map(range, kernel[:-1]))]
        self.shifts = [k * dilation[-1] - padding[-1] for k in range(kernel[-1])]

    def lay(self, x: np.ndarray, groups: int) -> np.ndarray:
        """Pictures (N, C, *size), shifted by each shift: (groups, shifts, C / groups, room)."""
        n, c = len(x), x.shape[1] // groups
        flat = np.zeros((groups, c, n * self.picture + self.starts[-1]), x.dtype)
        self.pictures(flat, n)[...] = x.reshape(n, groups, c, *x.shape[2:])
        seen = np.empty((groups, len(self.shifts), *flat.shape[1:]), x.dtype)
        for k, shift in enumerate(self.shifts):
            here, there = self.shifted(shift, flat.shape[-1])
            seen[:, k, :, here] = flat[..., there]
            self.clear(seen[:, k], shift)
        return seen

    def collect(self, seen: np.ndarray, n: int) -> np.ndarray:
        """The transpose of `lay`: every copy added where it came from; changes `seen`."""
        flat = np.zeros((seen.shape[0], *seen.shape[2:]), seen.dtype)
        for k, shift in enumerate(self.shifts):
            self.clear(seen[:, k], shift)
            here, there = self.shifted(shift, flat.shape[-1])
            flat[..., there] += seen[:, k, :, here]
        return self.pictures(flat, n)

    def pictures(self, flat: np.ndarray, n: int) -> np.ndarray:
        """A look at n pictures themselves, (N, groups, C / groups, *size)."""
        rows = flat[..., :n * self.picture].reshape(*flat.shape[:2], n, *self.width)
        return rows[self.inside].transpose(2, 0, 1, *range(3, rows.ndim))

    def shifted(self, shift: int, room: int) -> tuple[slice, slice]:
        """What lies where after a shift: the places, and the numbers that they see."""
        first = min(max(0, -shift), room)
        last = max(first, room - max(0, shift))
        return slice(first, last), slice(first + shift, last + shift)

    def clear(self, seen: np.ndarray, shift: int) -> None:
        """Zeros at the places from which an entry would see another row's numbers, or none."""
        rows, width = seen.reshape(*seen.shape[:-1], -1, self.width[-1]), self.width[-1]
        if shift < 0:
            rows[..., :-shift] = 0
        if shift > 0:
            seen[..., -shift:] = 0
            if self.count[-1] + shift > width:
                rows[..., max(width - shift, 0):] = 0

    def strips(self, seen: np.ndarray, n: int) -> list[np.ndarray]:
        """Looks at what each row of the window sees: (groups, shifts * C / groups, N, length)."""
        looks = [seen[..., start:start + n * self.picture] for start in self.starts]
        return [look.reshape(len(seen), -1, n, self.picture)[..., :self.length] for look in looks]

    def fill(self, y: np.ndarray) -> np.ndarray:
        """(..., *places) as (..., length), zero at places too many."""
        lead = y.shape[:y.ndim - len(self.count)]
        if self.count[1:] == self.width[1:]:
            return y.reshape(*lead, self.length)
        rows = np.zeros((*lead, self.count[0], *self.width[1:]), y.dtype)
        rows[(..., *map(slice, self.count))] = y
        return rows.reshape(*lead, self.length)

    def places(self, flat: np.ndarray) -> np.ndarray:
        """(N, O, length) as (N, O, *places), without those that are too many."""
        rows = flat.reshape(*flat.shape[:2], self.count[0], *self.width[1:])
        return np.ascontiguousarray(rows[(..., *map(slice, self.count))])

    def several(self, n: int, numbers: int) -> list[slice]:
        """So many of n pictures at a time as stay in the cache, with so many numbers of each."""
        step = max(1, CACHED // numbers)
        return [slice(i, min(i + step, n)) for i in range(0, n, step)]


def weights(w: np.ndarray, groups: int) -> np.ndarray:
    """(groups, O / groups, entries * C / groups): a window as a row, its entries first."""
    rows = np.moveaxis(w.reshape(groups, -1, *w.shape[1:]), 2, -1)
    return rows.reshape(groups, rows.shape[1], -1)


def parts(w: np.ndarray, count: int) -> list[np.ndarray]:
    """A matrix cut into so many of fewer columns."""
    step = w.shape[-1] // count
    return [w[..., i * step:(i + 1) * step] for i in range(count)]


def gather(x: np.ndarray, w: np.ndarray, padding: tuple, dilation: tuple,
           groups: int) -> np.ndarray:
    """The convolution: shape (N, O, *places)."""
    rows = Rows(x.shape[2:], w.shape[2:], padding, dilation)
    w = weights(w, groups)
    ws = parts(w, len(rows.starts))
    out = np.empty((len(x), *w.shape[:2], rows.length), np.result_type(x, w))
    for some in rows.several(len(x), x.shape[1] * len(rows.shifts) * rows.picture):
        seen = x[some]
        strips = rows.strips(rows.lay(seen, groups), len(seen))
        sum_products(ws, [strip.transpose(2, 0, 1, 3) for strip in strips], out[some])
    return rows.places(out.reshape(len(x), -1, rows.length))


def sum_products(ws: list, strips: list, out: np.ndarray) -> None:
    """The sum of the products of two lists of matrices, in SMALL pieces that are not tiny."""
    length = out.shape[-1]
    pieces = -(-length * math.prod(ws[0].shape[1:]) // SMALL)
    piece = -(-length // pieces // 16) * 16 if pieces * 64 <= length else length
    for start in range(0, length, piece):
        part = slice(start, start + piece)
        target = out[..., part]
        np.matmul(ws[0], strips[0][..., part], out=target)
        for w, strip in zip(ws[1:], strips[1:], strict=True):
            target += np.matmul(w, strip[..., part])


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
    """The transpose step by step: a product for each row of the window, added to what it saw."""
    rows, c = Rows(shape[2:], w.shape[2:], padding, dilation), shape[1] // groups
    ws = [part.swapaxes(1, 2) for part in parts(weights(w, groups), len(rows.starts))]
    out = np.empty(shape, np.result_type(y, w))
    for some in rows.several(len(y), shape[1] * len(rows.shifts) * rows.picture):
        n = len(y[some])
        grads = rows.fill(y[some]).reshape(n, groups, -1, rows.length)
        seen = np.zeros((groups, len(rows.shifts), c, n * rows.picture + rows.starts[-1]),
                        out.dtype)
        for part, strip in zip(ws, rows.strips(seen, n), strict=True):
            strip += np.matmul(part, grads).transpose(1, 2, 0, 3)
        out[some] = rows.collect(seen, n).reshape(n, *shape[1:])
    return out


def correlate(y: np.ndarray, x: np.ndarray, shape: tuple, padding: tuple, dilation: tuple,
              groups: int) -> np.ndarray:
    """What each entry of the window contributes: an array of `shape`, as the weight.

    What the rows of the window see of several pictures, one under the other, is one matrix: one
    product sums over the places of all of them.
    """
    rows = Rows(x.shape[2:], shape[2:], padding, dilation)
    entries = len(rows.starts) * len(rows.shifts) * shape[1]
    several = rows.several(len(x), entries * groups * rows.length)
    out = np.zeros((groups, entries, shape[0] // groups), np.result_type(y, x))
    room = np.empty(groups * entries * several[0].stop * rows.length, x.dtype)
    for some in several:
        n = len(x[some])
        strips = rows.strips(rows.lay(x[some], groups), n)
        columns = room[:groups * entries * n * rows.length].reshape(groups, len(strips), -1, n,
                                                                    rows.length)
        for k, strip in enumerate(strips):
            columns[:, k] = strip
        grads = rows.fill(y[some].swapaxes(0, 1)).reshape(groups, out.shape[2], -1)
        out += np.matmul(columns.reshape(groups, entries, -1), grads.swapaxes(1, 2))
    windows = out.reshape(groups, *shape[2:], shape[1], -1)
    return np.ascontiguousarray(np.moveaxis(windows, (-1, -2), (1, 2)).reshape(shape))
