"""vmap's rules: what a row does when some of its inputs have lanes.

A value with lanes has one dimension more than the user's function sees, and it is the first. A rule
moves axes and shifts dimensions so that the row itself, called once, does all lanes together:

    elementwise            the lanes stay in front; a value of fewer dimensions gets ones behind them
    along dimensions       everything gets lanes in front (without a copy); `dim`, `dims`, ... count one on,
                           `shape` and `size` get the number of lanes in front: the names are the rule
    products               a matrix with lanes is a taller matrix, or one of a batch of matrices

What has no rule here runs lane by lane, in a loop that warns.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from autodidact.arrays.strided import element_strides
from autodidact.ops import elementwise, join, linalg, reduction, running, view
from autodidact.ops.op import TABLE, Kind, Op, View

__all__ = ["Lanes", "rule_of"]

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
    return op.call(reshaped(x, (lanes.size, *(1,) * (len(repeats) - len(own)), *own)), (1, *repeats))


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
    flat = op.call(reshaped(lanes.values[0], (lanes.size, -1)), 1 if op.name.startswith("arg") else (1,),
                   *rest)
    ones = (1,) * len(lanes.shape(0)) if rest and rest[0] else ()
    return reshaped(flat, (lanes.size, *ones))


@rule("max_pool2d_with_indices", "max_pool3d_with_indices", "avg_pool2d", "avg_pool3d",
      "avg_pool_backward", "pick_planes", "put_planes", "im2col", "col2im", "convolution_transpose")
def images(op: Op, lanes: Lanes) -> Any:
    """Lanes are more images; weights with lanes of their own are a loop."""
    pictures = 1 if op.name == "convolution_transpose" else len(lanes.values)
    if any(lanes.has[pictures:]):
        return None
    many = lanes.shape(0)[0]
    folded = [lanes.front(i).reshape((lanes.size * many, *lanes.shape(i)[1:])) if i < pictures else v
              for i, v in enumerate(lanes.values)]
    found = op.call(*folded, *lanes.args)
    outs = found if isinstance(found, tuple) else (found,)
    outs = tuple(o.reshape((lanes.size, many, *o._array.shape[1:])) for o in outs)
    return outs if isinstance(found, tuple) else outs[0]


@rule("constant_pad_nd")
def padded(op: Op, lanes: Lanes) -> Any:
    """Padding counts from the last dimension."""
    return op.call(lanes.values[0], *lanes.args)


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


@rule("nll_loss", "nll_loss2d")
def negative_log(op: Op, lanes: Lanes) -> Any:
    """Lanes are more examples; the mean of each lane is over its own weights."""
    if len(lanes.has) > 2 and lanes.has[2]:
        return None
    how, ignored = lanes.args
    x, own = lanes.front(0), lanes.shape(0)
    target, weight = lanes.front(1), (*lanes.values, None)[2]
    each = examples(op, lanes, x, target, weight, own, ignored)
    if how == 0:
        return each
    total = reduction.sum_dim(each.reshape((lanes.size, -1)), (1,), False)
    return total if how == 2 else total / weights_of(op, lanes, target, weight, own, ignored)


def examples(op: Op, lanes: Lanes, x: Any, target: Any, weight: Any, own: tuple, ignored: int) -> Any:
    """The loss of every example of every lane."""
    many = len(own) > 1
    inner = target._array.shape[1:]
    if many:
        x = x.reshape((lanes.size * own[0], *own[1:]))
        target = target.reshape((lanes.size * own[0], *inner[1:]))
    return op.call(x, target, weight, 0, ignored).reshape((lanes.size, *inner))


def weights_of(op: Op, lanes: Lanes, target: Any, weight: Any, own: tuple, ignored: int) -> Any:
    """The sum of the weights of each lane: the loss of -1 everywhere."""
    kind = np.dtype(np.float64) if weight is None else weight._array.dtype
    ones = type(target).wrap(np.full((lanes.size, *own), -1, kind))
    each = examples(op, lanes, ones, target, weight, own, ignored)
    return reduction.sum_dim(each.reshape((lanes.size, -1)), (1,), False)


@rule("nll_loss_backward")
def negative_log_back(op: Op, lanes: Lanes) -> Any:
    """The same fold for the gradient: one for each example."""
    if len(lanes.has) > 2 and lanes.has[2]:
        return None
    own, how, ignored = lanes.args
    grad, target, weight = lanes.front(0), lanes.front(1), (*lanes.values, None)[2]
    inner = target._array.shape[1:]
    if how != 0:
        if how == 1:
            row = TABLE["nll_loss" if len(own) < 3 else "nll_loss2d"]
            grad = grad / weights_of(row, lanes, target, weight, own, ignored).to_numpy_dtype(
                grad._array.dtype)
        grad = view.expand(grad.reshape((lanes.size, *(1,) * len(inner))), (lanes.size, *inner))
    shape = (lanes.size * own[0], *own[1:]) if len(own) > 1 else (lanes.size, *own)
    if len(own) > 1:
        grad = grad.reshape((shape[0], *inner[1:]))
        target = target.reshape((shape[0], *inner[1:]))
    return op.call(grad, target, weight, shape, 0, ignored).reshape((lanes.size, *own))


@rule("mse_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy",
      "binary_cross_entropy_with_logits")
def loss(op: Op, lanes: Lanes) -> Any:
    """Every entry's loss, then each lane's mean or sum."""
    place = op.args.index("reduction")
    how, args = lanes.args[place], list(lanes.args)
    args[place] = 0
    each = together(op, Lanes(lanes.size, lanes.values, lanes.has, tuple(args)))
    if how == 0:
        return each
    return (reduction.mean_dim if how == 1 else reduction.sum_dim)(
        reshaped(each, (lanes.size, -1)), (1,), False)


# ---- views --------------------------------------------------------------------------------------


@rule("alias", "view_as_real", "view_as_complex")
def same_view(op: Op, lanes: Lanes) -> Any:
    """Lanes make no difference."""
    return op.call(lanes.values[0])


@rule("t")
def transposed(op: Op, lanes: Lanes) -> Any:
    """The two dimensions behind the lanes."""
    x = lanes.values[0]
    return view.transpose(x, 1, 2) if len(lanes.shape(0)) == 2 else view.alias(x)


@rule("transpose")
def exchanged(op: Op, lanes: Lanes) -> Any:
    """Of a number, nothing."""
    if not lanes.shape(0):
        return view.alias(lanes.values[0])
    return along(op, lanes)


@rule("permute")
def permuted(op: Op, lanes: Lanes) -> Any:
    """The lanes stay in front."""
    rank = len(lanes.shape(0))
    return op.call(lanes.values[0], (0, *(d % rank + 1 for d in lanes.args[0])))


@rule("unsqueeze")
def unsqueezed(op: Op, lanes: Lanes) -> Any:
    """The new dimension may also come last."""
    return op.call(lanes.values[0], lanes.args[0] + 1)


@rule("squeeze", "squeeze_dim", "squeeze_dims")
def squeezed(op: Op, lanes: Lanes) -> Any:
    """Only dimensions of the lane, even where there is one lane."""
    own = lanes.shape(0)
    dims = lanes.args[0] if lanes.args else tuple(range(len(own)))
    dims = dims if isinstance(dims, tuple) else (dims,)
    return view.squeeze_dims(lanes.values[0],
                             tuple(d + 1 for d in dims if own and own[d % len(own)] == 1))


@rule("expand")
def expanded(op: Op, lanes: Lanes) -> Any:
    """Ones behind the lanes where there are more dimensions than before."""
    (size,) = lanes.args
    x, own = lanes.values[0], lanes.shape(0)
    if len(own) < len(size):
        x = reshaped(x, (lanes.size, *(1,) * (len(size) - len(own)), *own))
    return op.call(x, (lanes.size, *size))


@rule("as_strided")
def strided(op: Op, lanes: Lanes) -> Any:
    """One more stride: from lane to lane."""
    size, stride, offset, _ = lanes.args
    array = np.asarray(lanes.values[0]._array)
    steps = element_strides(array)
    return op.call(lanes.values[0], (lanes.size, *size), (steps[0], *stride), offset, steps)


@rule("scatter_view")
def scattered(op: Op, lanes: Lanes) -> Any:
    """The transpose of a view: of the same view one dimension on."""
    row, args, into = lanes.args
    args = moved_view(row, args, len(into), lanes.size)
    return None if args is None else op.call(lanes.values[0], row, args, (lanes.size, *into))


def moved_view(row: Op, args: tuple, rank: int, size: int) -> tuple | None:
    """A view row's arguments one dimension on; None where that is not the same view."""
    if row.name in ("alias", "view_as_real", "view_as_complex"):
        return args
    if row.name in ("select", "slice", "diagonal", "unfold", "transpose") and rank:
        return tuple(shifted(row, args, rank, size))
    return None


@rule("unfold_backward")
def windows_back(op: Op, lanes: Lanes) -> Any:
    """Windows of a number stay a loop."""
    into, dimension, size, step = lanes.args
    if not into:
        return None
    return op.call(lanes.values[0], (lanes.size, *into), dimension + 1, size, step)


# ---- along one dimension, by one vector of indices ------------------------------------------------


@rule("index_select", "index_select_backward", "index_add", "index_copy")
def by_one_vector(op: Op, lanes: Lanes) -> Any:
    """One vector for all lanes: its dimension counts one on. Several vectors: a loop."""
    place = op.inputs.index("index")
    rank = len(lanes.args[op.args.index("shape")] if "shape" in op.args else lanes.shape(0))
    if lanes.has[place] or not rank:
        return None
    values = [v if i == place else lanes.front(i) for i, v in enumerate(lanes.values)]
    return op.call(*values, *shifted(op, lanes.args, rank, lanes.size))


@rule("embedding", "embedding_row")
def looked_up(op: Op, lanes: Lanes) -> Any:
    """One table for all lanes; a table for each is a loop."""
    return None if lanes.has[0] else op.call(*lanes.values, *lanes.args)


# ---- products -----------------------------------------------------------------------------------


@rule("mm")
def mm(op: Op, lanes: Lanes) -> Any:
    """(n, k) times (k, m): with lanes on the left a taller matrix, else a batch."""
    a, b = lanes.values
    if lanes.has == [True, False]:
        n, k = lanes.shape(0)
        tall = op.call(reshaped(a, (lanes.size * n, k)), b)
        return reshaped(tall, (lanes.size, n, lanes.shape(1)[1]))
    return linalg.bmm(lanes.front(0), lanes.front(1))


@rule("mv")
def mv(op: Op, lanes: Lanes) -> Any:
    """(n, k) times (k): vectors with lanes are a matrix."""
    a, b = lanes.values
    if lanes.has == [False, True]:
        return linalg.mm(b, view.transpose(a, 0, 1))
    if lanes.has == [True, False]:
        n, k = lanes.shape(0)
        return reshaped(op.call(reshaped(a, (lanes.size * n, k)), b), (lanes.size, n))
    return view.squeeze_dim(linalg.bmm(a, view.unsqueeze(b, 2)), 2)


@rule("dot", "vdot")
def dot(op: Op, lanes: Lanes) -> Any:
    """Vectors with lanes are a matrix."""
    a, b = lanes.values
    if op.name == "vdot":
        a = a.conj()
    if all(lanes.has):
        return reduction.sum_dim(elementwise.mul(a, b), (1,), False)
    return linalg.mv(a, b) if lanes.has[0] else linalg.mv(b, a)


@rule("bmm")
def bmm(op: Op, lanes: Lanes) -> Any:
    """A batch with lanes is a longer batch."""
    a, b = lanes.front(0), lanes.front(1)
    (p, n, k), m = lanes.shape(0), lanes.shape(1)[2]
    found = op.call(reshaped(a, (lanes.size * p, n, k)), reshaped(b, (lanes.size * p, k, m)))
    return reshaped(found, (lanes.size, p, n, m))


@rule("addmm", "addmv", "baddbmm")
def sum_and_product(op: Op, lanes: Lanes) -> Any:
    """beta self + alpha (product), one after the other."""
    beta, alpha = lanes.args
    row = {"addmm": linalg.mm, "addmv": linalg.mv, "baddbmm": linalg.bmm}[op.name]
    inner = Lanes(lanes.size, lanes.values[1:], lanes.has[1:], ())
    product = RULES[row.name](row, inner) if any(inner.has) else row.call(*inner.values)
    if alpha != 1:
        product = product * alpha
    if beta == 0:
        return product if any(inner.has) else Lanes(lanes.size, [product], [False], ()).front(0)
    own = lanes.values[0] if beta == 1 else lanes.values[0] * beta
    both = Lanes(lanes.size, [product, own], [any(inner.has), lanes.has[0]], ())
    return together(elementwise.add, both)

