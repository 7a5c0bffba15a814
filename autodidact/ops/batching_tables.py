"""vmap's rules for tables: each lane's rows are rows of one long table.

Row i of lane b is row b n + i of the table of all lanes, one below the other. So every index counts
b n on, and the row itself, called once, serves all lanes.
"""

from typing import Any

import numpy as np

from autodidact.ops import choice, compare, elementwise, index, view
from autodidact.ops.batching import Lanes, reshaped, rule
from autodidact.ops.op import Op

__all__ = ["weight_of_each"]


def shifted_on(lanes: Lanes, i: int, n: int, wrap: bool = False) -> Any:
    """Input `i`, an index into n rows, as one into the long table; `wrap`: it may be negative."""
    places = lanes.front(i)
    if wrap:
        places = elementwise.remainder(places, max(n, 1))
    first = np.arange(lanes.size, dtype=np.int64) * n
    first = first.reshape((lanes.size, *(1,) * len(lanes.shape(i))))
    return elementwise.add(places, type(places).wrap(first))


# ---- entries of the flat tensor -----------------------------------------------------------------


@rule("take")
def taken(op: Op, lanes: Lanes) -> Any:
    """One tensor for all lanes, or each lane behind the other."""
    if not lanes.has[0]:
        return op.call(*lanes.values)
    n = int(np.prod(lanes.shape(0), dtype=np.int64))
    return op.call(lanes.values[0], shifted_on(lanes, 1, n, wrap=True))


@rule("take_backward")
def put_back(op: Op, lanes: Lanes) -> Any:
    """The transpose, into each lane's own zeros."""
    (shape,) = lanes.args
    n = int(np.prod(shape, dtype=np.int64))
    return op.call(lanes.front(0), shifted_on(lanes, 1, n, wrap=True), (lanes.size, *shape))


# ---- rows ---------------------------------------------------------------------------------------


def real_rows(lanes: Lanes, padding_idx: int) -> Any:
    """Where the index is not that of the padding, with one more dimension for the columns."""
    places = lanes.front(1)
    return view.unsqueeze(compare.ne(places, padding_idx), len(lanes.shape(1)) + 1)


@rule("embedding")
def looked_up(op: Op, lanes: Lanes) -> Any:
    """The padding's row is seen, but gets no gradient."""
    if not lanes.has[0]:
        return op.call(*lanes.values, *lanes.args)
    padding_idx, by_freq = lanes.args
    (n, m), table = lanes.shape(0), lanes.values[0]
    found = op.call(reshaped(table, (lanes.size * n, m)), shifted_on(lanes, 1, n), -1, by_freq)
    if padding_idx < 0:
        return found
    return choice.where(real_rows(lanes, padding_idx), found, found.detach())


@rule("embedding_row")
def looked_up_but_padding(op: Op, lanes: Lanes) -> Any:
    """The padding's row is zero."""
    if not lanes.has[0]:
        return op.call(*lanes.values, *lanes.args)
    (padding_idx,) = lanes.args
    (n, m), table = lanes.shape(0), lanes.values[0]
    found = op.call(reshaped(table, (lanes.size * n, m)), shifted_on(lanes, 1, n), -1)
    return without_padding(lanes, found, padding_idx)


@rule("embedding_backward")
def added_up(op: Op, lanes: Lanes) -> Any:
    """Each lane's gradient to its own rows, none to the padding."""
    (n, m), padding_idx, by_freq = lanes.args
    grad = without_padding(lanes, lanes.front(0), padding_idx)
    found = op.call(grad, shifted_on(lanes, 1, n), (lanes.size * n, m), -1, by_freq)
    return reshaped(found, (lanes.size, n, m))


def without_padding(lanes: Lanes, rows: Any, padding_idx: int) -> Any:
    """Zeros in place of the padding's rows."""
    if padding_idx < 0:
        return rows
    zero = type(rows).wrap(np.zeros((), np.float64)).to_numpy_dtype(rows._array.dtype)
    return choice.where(real_rows(lanes, padding_idx), rows, zero)


# ---- weights of classes, sequences --------------------------------------------------------------


def weight_of_each(lanes: Lanes, target: Any, weight: Any, ignored: int) -> Any:
    """The weight of every example's class in its own lane; of class 0 where that is ignored."""
    rows = elementwise.mul(target, compare.ne(target, ignored))
    found = index.gather(weight.detach(), reshaped(rows, (lanes.size, -1)), 1)
    return reshaped(found, target._array.shape)


@rule("ctc_loss", "ctc_backward")
def sequences(op: Op, lanes: Lanes) -> Any:
    """Lanes are more sequences of the batch, which is the second dimension of the scores."""
    targets, steps, blank = lanes.args
    length, batch, classes = lanes.shape(len(lanes.values) - 1)
    wide = view.permute(lanes.front(len(lanes.values) - 1), (1, 0, 2, 3))
    wide = wide.reshape((length, lanes.size * batch, classes))
    grads = [lanes.front(0).reshape((lanes.size * batch,))] if op.name == "ctc_backward" else []
    found = op.call(*grads, wide, targets * lanes.size, steps * lanes.size, blank)
    if not grads:
        return reshaped(found, (lanes.size, batch))
    return view.permute(found.reshape((length, lanes.size, batch, classes)), (1, 0, 2, 3))
