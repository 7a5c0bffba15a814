"""`x[...]` and `x[...] = v`, and the functions they are made of."""

import re
from typing import Any

import numpy as np

from autodidact.arrays.bfloat16 import number
from autodidact.autograd.accumulate_grad import accumulator
from autodidact.autograd.grad_mode import mode
from autodidact.autograd.graph import Node, requires_grad, sequence
from autodidact.autograd.views import check_write, rebase_through, settle
from autodidact.functions.arguments import need_tensor
from autodidact.functions.index_plan import (
    Indices,
    check_tensors,
    is_mask,
    means_all,
    read,
    whole_slice,
)
from autodidact.functions.shape import expand, view
from autodidact.inplace import count_write, may_meet, plain, put, write
from autodidact.nodes import begin, finish
from autodidact.ops import index as rows
from autodidact.ops import shape as writes
from autodidact.ops import view as view_rows
from autodidact.public import both, method
from autodidact.tensor import Tensor, wrap
from autodidact.tensor_base import LIFTED, VIEW, memory

__all__ = ["getitem", "index_put", "setitem"]


@method
def __getitem__(self: Tensor, index: Any) -> Tensor:
    """A part of the tensor: a view for numbers, slices, None and `...`; a copy for index tensors.

    Example:
        >>> torch.arange(6).view(2, 3)[:, 1]
        tensor([1, 4])
    """
    if type(index) is int:
        shape = self._array.shape
        if shape:
            n = shape[0]
            if -n <= index < n:
                return view_rows.select.call(self, 0, index if index >= 0 else index + n)
    elif type(index) is Tensor and index._array.ndim and index._array.dtype.kind == "i":
        if not self._array.ndim:
            raise IndexError("too many indices for tensor of dimension 0")
        return pick(self, [index])
    elif type(index) is slice:
        row, args = whole_slice(self._array.shape, index)
        return row.call(self, *args)
    plan = read(self._array.shape, index)
    x = part(self, plan.steps)
    if plan.tensors:
        return pick(x, plan.tensors)
    return x if plan.steps else view_rows.alias.call(x)


getitem = __getitem__


def pick(x: Tensor, tensors: list) -> Tensor:
    """Advanced indexing: `tensors` has an index tensor or None for each of the first dimensions."""
    tensors = brought(tensors, x)
    if len(tensors) > 1 or is_mask(tensors[0]):
        check_tensors(tensors, x._array.shape)
    try:
        return rows.index.call(x, Indices(tuple(tensors)))
    except IndexError as error:
        raise in_words(error) from None


def brought(tensors: list, x: Tensor) -> list:
    """Index tensors on the device of what they index: those of the CPU are sent there.

    Raises:
        RuntimeError: for an index on a device, of a tensor that is elsewhere.
    """
    for t in tensors:
        if t is not None and (type(t._array) is not np.ndarray or type(x._array) is not np.ndarray):
            break
    else:
        return tensors
    found = []
    for t in tensors:
        if t is not None and t.device != x.device:
            if t.device.type != "cpu":
                raise RuntimeError("indices should be either on cpu or on the same device as the "
                                   f"indexed tensor ({x.device})")
            t = t.to(x.device)
        found.append(t)
    return found


def in_words(error: IndexError) -> IndexError:
    """NumPy's complaint in PyTorch's words."""
    return IndexError(re.sub(r"\baxis (\d+)", r"dimension \1", str(error)))


# ---- x[index] = value ----------------------------------------------------------------------------


@method
def __setitem__(self: Tensor, index: Any, value: Any) -> None:
    """Write into a part of the tensor; recorded as one node, `CopySlices`, of the whole.

    No view tensor is made: the steps of the index say where to write, and, in backward, which part
    of the gradient belongs to the value.
    """
    if index is False or (type(index) is int and at_once(self, index, value)):
        return                                       # PyTorch does nothing at all for x[False]
    plan = read(self._array.shape, index)
    value = as_value(self, value)
    steps = plan.steps
    if isinstance(index, slice) and means_all(index, self._array.shape[0]):
        steps = []                                   # x[:] = v is a write into x itself
    if steps and self._flags & VIEW:
        settle(self)
    if plan.tensors:
        plan = plan._replace(tensors=brought(plan.tensors, self))
        check_tensors(plan.tensors, plan.shape)
        given = [t for t in plan.tensors if t is not None]
        if len(given) == 1 and given[0]._array.dtype == np.uint8 and value._array.size == 1:
            raise RuntimeError("masked_fill_ only supports boolean masks, but got mask with dtype "
                               "unsigned char")
        if value._array.shape[:1] == (1,):
            value = without_leading_ones(value)
        if value._array.dtype != self._array.dtype:
            raise RuntimeError("Index put requires the source and destination dtypes match, got "
                               f"{self.dtype} for the destination and {value.dtype} for the "
                               "source.")
        assign(self, steps, rows.index_put, (Indices(tuple(plan.tensors)), value), (False,))
    elif value._array.shape != plan.shape and value._array.ndim == 0:
        assign(self, steps, writes.fill, (value,), ())
    else:
        if value._array.shape != plan.shape:
            value = without_leading_ones(value)
            if value._array.shape != plan.shape:
                value = expand(value, plan.shape)
        assign(self, steps, writes.copy, (value,), ())


setitem = __setitem__


def as_value(x: Tensor, value: Any) -> Tensor:
    """What is assigned, as a tensor; numbers in the dtype of `x`."""
    if isinstance(value, Tensor):
        return value
    if not isinstance(value, (int, float, complex, np.generic)):
        raise TypeError(f"can't assign a {type(value).__name__} to a {x.type()}")
    if isinstance(value, complex) and x._array.dtype.kind != "c":
        raise RuntimeError(f"value cannot be converted to type {x.dtype} without overflow")
    return wrap(number(value, x._array.dtype))


def without_leading_ones(value: Tensor) -> Tensor:
    """The value without leading dimensions of size 1 (PyTorch's rule for assignment)."""
    shape = value._array.shape
    i = 0
    while i < len(shape) and shape[i] == 1:
        i += 1
    return view(value, shape[i:])


def at_once(x: Tensor, i: int, value: Any) -> bool:
    """`x[i] = value` of plain tensors that fit, the short way: True if it was done here."""
    array, shape = x._array, x._array.shape
    if not plain(x) or not shape or not -shape[0] <= i < shape[0]:
        return False
    target, recorded = array[i, ...], mode.state == 0 and x._requires_grad
    if isinstance(value, Tensor):
        source = value._array
        if (value._flags or source.dtype is not array.dtype or source.shape != target.shape
                or may_meet(target, source)):
            return False
        recorded = recorded or (mode.state == 0 and value._requires_grad)
    elif type(value) is float and array.dtype.kind == "f":
        source = value
    else:
        return False
    if recorded:
        check_write(x, "SelectBackward0")
        step = (None, view_rows.select, (0, i % shape[0]), shape)
        node = node_of_assignment(x, value, target)
    target[...] = source
    count_write(x)
    if recorded:
        rebase_through(x, step, node)
    return True


def node_of_assignment(x: Tensor, value: Any, target: np.ndarray) -> Any:
    """The node of a write into a part of `x`: no formula of `copy_` and `fill_` saves anything."""
    row = writes.fill if not isinstance(value, Tensor) and target.ndim else writes.copy
    wanted = isinstance(value, Tensor) and value._requires_grad
    node = Node()
    number, end = (value.output_nr, value._grad_fn or accumulator(value)) if wanted else (0, None)
    node.next, node.nrs, node.saved, node.versions = (None, end), (0, number), (), ()
    node.plan, node._hooks, node.args = row.plan(3 if wanted else 1, 2), None, ()
    node.shape, node.dtype, node.sequence_nr = target.shape, target.dtype, next(sequence)
    return node


def part(x: Tensor, steps: list) -> Tensor:
    """The view that the steps lead to."""
    for row, args in steps:
        x = row.call(x, *args)
    return x


def assign(x: Tensor, steps: list, row: Any, others: tuple, args: tuple) -> None:
    """Write `row` into the part of `x` that the steps lead to, and rewire the history."""
    value = others[-1]
    if not steps or mode.stack or mode.duals or (x._flags | value._flags) & LIFTED:
        try:
            write(row, part(x, steps), others, args)
        except IndexError as error:
            raise in_words(error) from None
        return
    recorded = mode.grad and (requires_grad(x) or requires_grad(value))
    if recorded:
        check_write(x, steps[-1][0].node_name)
    linked, target = None, memory(x)
    for step, step_args in steps:
        linked = (linked, step, step_args, target.shape)
        target = step.forward(target, *step_args)
    node = begin(row, (x, *others), args) if recorded else None
    try:
        put(row, x, (x, *others), args, target)
    except IndexError as error:
        raise in_words(error) from None
    count_write(x)
    if node is not None:
        finish(node, (wrap(target),))
        rebase_through(x, linked, node)
    if mode.watch is not None:
        mode.watch(row, (x, *others), args, (x,), node)


# ---- by name -------------------------------------------------------------------------------------


def index_tensors(indices: Any) -> list:
    """`index_put`'s tuple of tensors and None."""
    if not isinstance(indices, (tuple, list)):
        raise TypeError("index_put_(): argument 'indices' (position 1) must be tuple of Tensors, "
                        f"not {type(indices).__name__}")
    for t in indices:
        if t is not None and t._array.dtype.kind not in "iub":
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
    return list(indices)


@both
def index_put(input: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    """A copy with `values` written (or added) at the indices."""
    picked = checked_put(input, indices, values)
    return rows.index_put.call(input, picked, values, accumulate)


@method
def index_put_(self: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    """Write (or add) values at the indices, in place."""
    picked = checked_put(self, indices, values)
    try:
        return write(rows.index_put, self, (picked, values), (accumulate,))
    except IndexError as error:
        raise in_words(error) from None


def checked_put(x: Tensor, indices: Any, values: Tensor) -> Indices:
    """The checks of `index_put`."""
    tensors = index_tensors(indices)
    check_tensors(tensors, x._array.shape)
    need_tensor(values, "index_put_", "values", 2)
    if values._array.dtype != x._array.dtype:
        raise RuntimeError("Index put requires the source and destination dtypes match, got "
                           f"{x.dtype} for the destination and {values.dtype} for the source.")
    picked = Indices(tuple(tensors))
    try:
        shape = np.empty(x._array.shape, np.bool_)[picked._array].shape
    except IndexError as error:
        raise in_words(error) from None
    have = values._array.shape
    if len(have) > len(shape) or any(n not in (1, m) for n, m in zip(
            reversed(have), reversed(shape), strict=False)):
        raise RuntimeError(f"shape mismatch: value tensor of shape {list(have)} cannot be "
                           f"broadcast to indexing result of shape {list(shape)}")
    return picked


