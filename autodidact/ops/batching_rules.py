"""vmap's rules for views, products, images and losses: see `batching.py`."""

from typing import Any

import numpy as np

from autodidact.arrays.strided import element_strides
from autodidact.ops import elementwise, index, linalg, reduction, view
from autodidact.ops.batching import RULES, Lanes, along, reshaped, rule, shifted, together
from autodidact.ops.batching_tables import weight_of_each
from autodidact.ops.op import TABLE, Op

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


# ---- along one dimension, by one vector of indices -----------------------------------------------


@rule("index_select", "index_select_backward", "index_add", "index_copy", "index_fill")
def by_one_vector(op: Op, lanes: Lanes) -> Any:
    """One vector for all lanes: its dimension counts one on. Several: an index for each entry."""
    place = op.inputs.index("index")
    rank = len(lanes.args[op.args.index("shape")] if "shape" in op.args else lanes.shape(0))
    if not rank:
        return None
    args = shifted(op, lanes.args, rank, lanes.size)
    if lanes.has[place]:
        return by_many_vectors(op, lanes, args)
    values = [v if i == place else lanes.front(i) for i, v in enumerate(lanes.values)]
    return op.call(*values, *args)


def by_many_vectors(op: Op, lanes: Lanes, args: list) -> Any:
    """The same with an index for each entry: gather and scatter."""
    named = dict(zip(op.args, args, strict=True))
    x, dim = lanes.front(0), named["dim"]
    vectors, source = lanes.values[1], lanes.front(2) if len(lanes.values) > 2 else None
    count = vectors._array.shape[1]
    like = source if source is not None else x
    shape = (*like._array.shape[:dim], count, *like._array.shape[dim + 1:])
    places = vectors.reshape((lanes.size, *(1,) * (dim - 1), count, *(1,) * (len(shape) - dim - 1)))
    places = view.expand(places, shape)
    if op.name == "index_select":
        return index.gather.call(x, places, dim)
    if op.name == "index_select_backward":
        return index.gather_backward.call(x, places, named["shape"], dim)
    if op.name == "index_fill":
        return index.scatter_value.call(x, places, named["value"], dim)
    if op.name == "index_copy":
        return index.scatter.call(x, places, source, dim)
    scaled = source if named["alpha"] == 1 else source * named["alpha"]
    return index.scatter_add.call(x, places, scaled, dim)


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


# ---- images and losses --------------------------------------------------------------------------


@rule("max_pool2d_with_indices", "max_pool3d_with_indices", "avg_pool2d", "avg_pool3d",
      "avg_pool_backward", "pick_planes", "put_planes", "im2col", "col2im", "convolution_transpose")
def images(op: Op, lanes: Lanes) -> Any:
    """Lanes are more images; weights with lanes of their own are a loop."""
    pictures = 1 if op.name == "convolution_transpose" else len(lanes.values)
    if any(lanes.has[pictures:]):
        return None
    many = lanes.shape(0)[0]
    folded = [v if i >= pictures else
              lanes.front(i).reshape((lanes.size * many, *lanes.shape(i)[1:]))
              for i, v in enumerate(lanes.values)]
    found = op.call(*folded, *lanes.args)
    outs = found if isinstance(found, tuple) else (found,)
    outs = tuple(o.reshape((lanes.size, many, *o._array.shape[1:])) for o in outs)
    return outs if isinstance(found, tuple) else outs[0]


@rule("constant_pad_nd")
def padded(op: Op, lanes: Lanes) -> Any:
    """Padding counts from the last dimension."""
    return op.call(lanes.values[0], *lanes.args)


@rule("nll_loss", "nll_loss2d")
def negative_log(op: Op, lanes: Lanes) -> Any:
    """Lanes are more examples; the mean of each lane is over its own weights."""
    how, ignored = lanes.args
    x, own = lanes.front(0), lanes.shape(0)
    target, weight = lanes.front(1), (*lanes.values, None)[2]
    each = examples(op, lanes, x, target, weight, own, ignored)
    if how == 0:
        return each
    total = reduction.sum_dim(each.reshape((lanes.size, -1)), (1,), False)
    return total if how == 2 else total / weights_of(op, lanes, target, weight, own, ignored)


def examples(op: Op, lanes: Lanes, x: Any, target: Any, weight: Any, own: tuple,
             ignored: int) -> Any:
    """The loss of every example of every lane."""
    if (*lanes.has, False)[2]:
        each = examples(op, unweighted(lanes), x, target, None, own, ignored)
        return each * weight_of_each(lanes, target, weight, ignored)
    many = len(own) > 1
    inner = target._array.shape[1:]
    if many:
        x = x.reshape((lanes.size * own[0], *own[1:]))
        target = target.reshape((lanes.size * own[0], *inner[1:]))
    return op.call(x, target, weight, 0, ignored).reshape((lanes.size, *inner))


def unweighted(lanes: Lanes) -> Lanes:
    """The same call without weights."""
    return Lanes(lanes.size, lanes.values[:2], lanes.has[:2], lanes.args)


def weights_of(op: Op, lanes: Lanes, target: Any, weight: Any, own: tuple, ignored: int) -> Any:
    """The sum of the weights of each lane: the loss of -1 everywhere."""
    kind = np.dtype(np.float64) if weight is None else weight._array.dtype
    ones = type(target).wrap(np.full((lanes.size, *own), -1, kind))
    each = examples(op, lanes, ones, target, weight, own, ignored)
    return reduction.sum_dim(each.reshape((lanes.size, -1)), (1,), False)


@rule("nll_loss_backward")
def negative_log_back(op: Op, lanes: Lanes) -> Any:
    """The same fold for the gradient: one for each example."""
    own, how, ignored = lanes.args
    grad, target, weight = lanes.front(0), lanes.front(1), (*lanes.values, None)[2]
    inner = target._array.shape[1:]
    if how != 0:
        if how == 1:
            row = TABLE["nll_loss" if len(own) < 3 else "nll_loss2d"]
            grad = grad / weights_of(row, lanes, target, weight, own, ignored).to_numpy_dtype(
                grad._array.dtype)
        grad = view.expand(grad.reshape((lanes.size, *(1,) * len(inner))), (lanes.size, *inner))
    if (*lanes.has, False)[2]:
        grad = grad * weight_of_each(lanes, target, weight, ignored)
        weight = None
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
