"""vmap's rules: what a row does when some of its inputs have lanes.

A value with lanes has one dimension more than the user's function sees, and it is the first. A rule
moves axes and shifts dimensions so that the row itself, called once, does all lanes together:

    elementwise            the lanes stay in front; a value of fewer dimensions gets ones behind
    them along dimensions       everything gets lanes in front (without a copy); `dim`, `dims`, ...
                           count one on, `shape` and `size` get the number of lanes in front: the
                           names are the rule
    products               a matrix with lanes is a taller matrix, or one of a batch of matrices

What has no rule here runs lane by lane, in a loop that warns.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from autodidact.ops import join, reduction, running, view
from autodidact.ops.op import Kind, Op, View

__all__ = ["RULES", "Lanes", "along", "reshaped", "rule", "rule_of", "shifted", "together"]

DIMS = frozenset({"dim", "dim0", "dim1", "dim2", "dims", "dimension"})
SHAPES = frozenset({"shape", "into"})
RULES: dict[str, Callable] = {}          # row -> rule(op, lanes) -> result (or results)


class Lanes:
    """One call: how many lanes, the row's inputs, which of them have lanes, plain arguments."""

    def __init__(self, size: int, values: list, has: list, args: tuple) -> None:
        self.size, self.values, self.has, self.args = size, values, has, args

    def shape(self, i: int) -> tuple:
        """The shape of input `i`, of one lane."""
        v = self.values[i]
        array = getattr(v, "_array", v)
        return getattr(array, "shape", ())[1 if self.has[i] else 0:]

    def rank(self) -> int:
        """The highest number of dimensions of an input, of one lane."""
        return max(len(self.shape(i)) for i in range(len(self.values)))

    def front(self, i: int) -> Any:
        """Input `i` with lanes in front, by looking at one value in each where it has none."""
        v = self.values[i]
        if isinstance(v, np.ndarray):
            return np.broadcast_to(v, (self.size, *v.shape))
        if self.has[i] or not hasattr(v, "_array"):
            return v
        return view.expand(view.unsqueeze(v, 0), (self.size, *self.shape(i)))

    def aligned(self, i: int, rank: int) -> Any:
        """Input `i` for broadcasting among values of `rank` dimensions."""
        v, have = self.values[i], len(self.shape(i))
        if not self.has[i] or have == rank:
            return v
        return reshaped(v, (self.size, *(1,) * (rank - have), *self.shape(i)))


def reshaped(x: Any, to: tuple) -> Any:
    """`x.reshape(to)`."""
    return x.reshape(to)


def rule_of(op: Op) -> Callable | None:
    """The row's rule, written or by its word."""
    found = op.batch or RULES.get(op.name)
    if found is not None:
        return found
    kind = op.kind or Kind(0)
    if Kind.ELEMENTWISE in kind:
        return together
    spoken = DIMS & set(op.args) and any(w in kind for w in (Kind.REDUCTION, Kind.ROWWISE))
    return along if isinstance(op, View) or spoken else None


def rule(*names: str) -> Callable:
    """Write a rule for these rows."""
    def mark(f: Callable) -> Callable:
        for name in names:
            RULES[name] = f
        return f
    return mark


# ---- elementwise --------------------------------------------------------------------------------


def together(op: Op, lanes: Lanes) -> Any:
    """Values side by side."""
    rank = lanes.rank()
    values = [lanes.aligned(i, rank) for i in range(len(lanes.values))]
    return op.call(*values, *lanes.args)


for name in ("masked_fill", "masked_fill_tensor", "conj_physical"):
    RULES[name] = together


@rule("copy")
def copied(op: Op, lanes: Lanes) -> Any:
    """The shape is that of the target, which has lanes when the source has some."""
    return op.call(lanes.front(0), lanes.aligned(1, len(lanes.shape(0))))


# ---- along dimensions ---------------------------------------------------------------------------


def along(op: Op, lanes: Lanes) -> Any:
    """The row one dimension on: everything has lanes in front."""
    rank = len(lanes.args[op.args.index("shape")]) if "shape" in op.args else len(lanes.shape(0))
    values = [lanes.front(i) for i in range(len(lanes.values))]
    if rank == 0 and DIMS & set(op.args):
        return of_numbers(op, lanes, values)
    args = shifted(op, lanes.args, rank, lanes.size)
    return op.call(values, *args) if op.variadic else op.call(*values, *args)


def shifted(op: Op, args: tuple, rank: int, size: int) -> list:
    """Plain arguments one dimension on."""
    found = []
    for name, value in zip(op.args, args, strict=False):
        if name in DIMS:
            value = one_on(value, rank)
        elif name in SHAPES and isinstance(value, tuple):
            value = (size, *value)
        found.append(value)
    return found


def one_on(dim: Any, rank: int) -> Any:
    """A dimension, several, or (None) all of them, with one more in front."""
    if dim is None or dim == ():
        return tuple(range(1, rank + 1))
    if isinstance(dim, tuple):
        return tuple(one_on(d, rank) for d in dim)
    return dim + 1 if dim >= 0 else dim + rank + 1


def of_numbers(op: Op, lanes: Lanes, values: list) -> Any:
    """Numbers (0 dimensions) reduced along "dimension 0": as rows of one entry."""
    rows = [v if v is None else v.reshape((lanes.size, 1)) for v in values]
    args = [1 if n in DIMS and not isinstance(a, tuple) else (1,) if n in DIMS else a
            for n, a in zip(op.args, lanes.args, strict=False)]
    if "shape" in op.args:
        args[op.args.index("shape")] = (lanes.size, 1)
    found = op.call(rows, *args) if op.variadic else op.call(*rows, *args)
    if isinstance(found, tuple):
        return tuple(reshaped(f, (lanes.size,)) for f in found)
    return reshaped(found, (lanes.size,))


for name in ("gather", "gather_backward", "scatter", "scatter_value", "scatter_add", "sort", "topk",
             "tril", "triu", "clone", "to_copy", "contiguous", "complex",
             "diag_embed", "diagonal_copy", "rot90", "corner", "pad_source", "cat", "zero",
             "fill_scalar"):
    RULES[name] = along


@rule("flip", "roll")
def over_listed(op: Op, lanes: Lanes) -> Any:
    """`()` means no dimension (flip) or the flattened tensor (roll), never all."""
    dims = lanes.args[-1]
    own = lanes.shape(0)
    if dims == () and op is join.roll:
        flat = op.call(reshaped(lanes.values[0], (lanes.size, -1)), lanes.args[0], (1,))
        return reshaped(flat, (lanes.size, *own))
    return op.call(lanes.values[0], *lanes.args[:-1], tuple(d % max(len(own), 1) + 1 for d in dims)
                   if own else ())


@rule("stack")
def stacked(op: Op, lanes: Lanes) -> Any:
    """The new dimension may also come last."""
    return op.call([lanes.front(i) for i in range(len(lanes.values))], lanes.args[0] + 1)


@rule("repeat")
def repeated(op: Op, lanes: Lanes) -> Any:
    """Repeats for more dimensions than there are: ones behind the lanes."""
    (repeats,) = lanes.args
    x = lanes.values[0]
    own = lanes.shape(0)
    wide = reshaped(x, (lanes.size, *(1,) * (len(repeats) - len(own)), *own))
    return op.call(wide, (1, *repeats))


WHOLE = {                                 # reductions of everything: the same along one dimension
    "sum": lambda x: reduction.sum_dim(x, (1,), False),
    "mean": lambda x: reduction.mean_dim(x, (1,), False),
    "max": lambda x: reduction.amax(x, (1,), False),
    "min": lambda x: reduction.amin(x, (1,), False),
    "median": lambda x: reduction.median_dim(x, 1, False)[0],
    "prod": lambda x: running.prod_dim(x, 1, False),
}


@rule(*WHOLE)
def whole(op: Op, lanes: Lanes) -> Any:
    """Each lane in a row, then along the row."""
    return WHOLE[op.name](reshaped(lanes.values[0], (lanes.size, -1)))


@rule("argmax", "argmin", "count_nonzero", "all", "any")
def maybe_whole(op: Op, lanes: Lanes) -> Any:
    """`dim=None` means the flattened lane, and gives one number."""
    dim, *rest = lanes.args
    if dim is not None:
        return along(op, lanes)
    one = 1 if op.name.startswith("arg") else (1,)
    flat = op.call(reshaped(lanes.values[0], (lanes.size, -1)), one, *rest)
    ones = (1,) * len(lanes.shape(0)) if rest and rest[0] else ()
    return reshaped(flat, (lanes.size, *ones))


@rule("take_at", "put_at")
def at_places(op: Op, lanes: Lanes) -> Any:
    """Of a number, the number."""
    shape = lanes.args[0] if op.name == "put_at" else lanes.shape(0)
    return along(op, lanes) if shape else lanes.front(0)


@rule("unfold")
def windows(op: Op, lanes: Lanes) -> Any:
    """Of a number, one window."""
    if lanes.shape(0):
        return along(op, lanes)
    return view.squeeze_dim(op.call(view.unsqueeze(lanes.values[0], 1), 1, *lanes.args[1:]), 1)
