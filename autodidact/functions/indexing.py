"""`x[...]` and `x[...] = v`, and the functions they are made of."""

import re
from typing import Any

import numpy as np

from autodidact.autograd.grad_mode import mode
from autodidact.autograd.graph import requires_grad
from autodidact.autograd.views import check_write, replay, rebase_through, settle
from autodidact.dispatch import begin, finish
from autodidact.functions.arguments import need_tensor
from autodidact.functions.index_plan import Indices, check_tensors, position, read, whole_slice
from autodidact.functions.shape import expand, view
from autodidact.inplace import count_write, put, write
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
    elif type(index) is slice:
        row, args = whole_slice(self._array.shape, index)
        return row.call(self, *args)
    plan = read(self._array.shape, index)
    x = self
    for row, args in plan.steps:
        x = row.call(x, *args)
    if plan.tensors:
        return pick(x, plan.tensors)
    return x if plan.steps else view_rows.alias.call(x)


getitem = __getitem__


def pick(x: Tensor, tensors: list) -> Tensor:
    """Advanced indexing: `tensors` has an index tensor or None for each of the first dimensions."""
    check_tensors(tensors, x._array.shape)
    try:
        return rows.index.call(x, Indices(tuple(tensors)))
    except IndexError as error:
        raise in_words(error) from None


def in_words(error: IndexError) -> IndexError:
    """NumPy's complaint in PyTorch's words."""
    return IndexError(re.sub(r"\baxis (\d+)", r"dimension \1", str(error)))


# ---- x[index] = value -------------------------------------------------------------------------------


@method
def __setitem__(self: Tensor, index: Any, value: Any) -> None:
    """Write into a part of the tensor; recorded as one node, `CopySlices`, of the whole.

    No view tensor is made: the steps of the index say where to write, and, in backward, which part
    of the gradient belongs to the value.
    """
    plan = read(self._array.shape, index)
    value = as_value(self, value)
    steps = plan.steps
    if steps and self._flags & VIEW:
        settle(self)
    if not plan.tensors and isinstance(index, slice) and steps[0][1] == (
            0, 0, self._array.shape[0], 1):
        steps = []                                   # x[:] = v is a write into x itself
    if plan.tensors:
        check_tensors(plan.tensors, plan.shape)
        if value._array.shape[:1] == (1,):
            value = without_leading_ones(value)
        if value._array.dtype != self._array.dtype:
            raise RuntimeError("Index put requires the source and destination dtypes match, got "
                               f"{self.dtype} for the destination and {value.dtype} for the "
                               "source.")
        assign(self, steps, rows.index_put, (Indices(tuple(plan.tensors)), value), (False,))
        return
    shape = self._array.shape if not steps else replay(np.asarray(self._array), chained(self, steps)).shape
    if value._array.shape != shape and value._array.ndim == 0:
        assign(self, steps, writes.fill, (value,), ())
        return
    if value._array.shape != shape:
        value = without_leading_ones(value)
        if value._array.shape != shape:
            value = expand(value, shape)
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
    return wrap(x._array.dtype.type(value))


def without_leading_ones(value: Tensor) -> Tensor:
    """The value without leading dimensions of size 1 (PyTorch's rule for assignment)."""
    shape = value._array.shape
    i = 0
    while i < len(shape) and shape[i] == 1:
        i += 1
    return view(value, shape[i:])


def chained(x: Tensor, steps: list) -> tuple | None:
    """Steps as views keep them: linked, each with the shape it starts from."""
    linked, array = None, np.asarray(x._array)
    for row, args in steps:
        linked = (linked, row, args, array.shape)
        array = row.forward(array, *args)
    return linked


def assign(x: Tensor, steps: list, row: Any, others: tuple, args: tuple) -> None:
    """Write `row` into the part of `x` that the steps lead to, and rewire the history."""
    value = others[-1]
    if not steps or mode.stack or mode.duals or (x._flags | value._flags) & LIFTED:
        write(row, replay(x, chained(x, steps)), others, args)
        return
    if value._flags & VIEW:
        settle(value)
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


# ---- by name ----------------------------------------------------------------------------------------


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


