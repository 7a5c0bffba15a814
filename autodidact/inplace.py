"""In-place operations: `x.mul_(y)` writes into x, counts a version, and rewires x's history.

Derived from the row of the out-of-place operation, so that a row says its mathematics once. The order
of the steps matters: everything that can refuse comes before the write, so that a refused call leaves
the tensor as it was; what the write destroys and a formula needs is cloned before it, what a formula
needs of the result is saved after it.
"""

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from autodidact.arrays import promotion
from autodidact.arrays.strided import may_overlap_itself
from autodidact.autograd.grad_mode import mode
from autodidact.autograd.graph import Node, edge, requires_grad
from autodidact.autograd.views import check_inplace, rebase_history, settle
from autodidact.dispatch import begin, explain, finish, keep_results, operands
from autodidact.ops.op import Op
from autodidact.tensor_base import INFERENCE, VIEW, TensorBase, memory

__all__ = ["inplace", "write"]

CLONE: Any = None     # the clone row's callable: a recorded copy; set by tensor.py


def inplace(op: Op) -> Callable:
    """`name_` for the row `name`: `call(self, *other tensors, *plain arguments) -> self`."""
    count = len(op.inputs)

    def call(x: TensorBase, *given: Any) -> TensorBase:
        return write(op, x, given[:count - 1], given[count - 1:])
    return call


def write(op: Op, x: TensorBase, others: tuple, args: tuple, unchecked: bool = False) -> TensorBase:
    """Compute the row and put the result into `x`'s memory.

    Args:
        op: the row.
        x: the tensor written to.
        others: the row's further tensors.
        args: its plain arguments.
        unchecked: the write may meet memory that overlaps itself (fill_, zero_).
    """
    tensors = (x, *others)
    recorded = mode.grad and any(isinstance(t, TensorBase) and requires_grad(t) for t in tensors)
    for t in others:
        if isinstance(t, TensorBase) and t._flags & VIEW:
            settle(t)
    if recorded:
        check_inplace(x)
    node = begin_inplace(op, x, others, args) if recorded else None
    target = memory(x)
    result = compute(op, x, tensors, args, target, unchecked)
    np.copyto(target, result, casting="unsafe")
    if x._version_cell is not None:
        x._version_cell[0] += 1
    if node is not None:
        finish(node, (x,))
        saves_result = bool(node.plan.results)
        rebase_history(x, node, at_once=saves_result)
        if saves_result:
            keep_written_result(node, x)
    if mode.watch is not None:
        mode.watch(op, tensors, args, (x,), node)
    return x


def begin_inplace(op: Op, x: TensorBase, others: tuple, args: tuple) -> Node | None:
    """The node, with edges and saved inputs as they are before the write.

    The old value of `x` is about to go: a formula that names it gets a recorded clone.
    """
    node = begin(op, (x, *others), args)
    if node is not None and 0 in node.plan.inputs and node.saved[0] is x:
        copy = CLONE(x)
        version = 0 if copy._version_cell is None else copy._version_cell[0]
        node.saved = (copy, *node.saved[1:])
        node.versions = (version, *node.versions[1:])
    return node


def compute(op: Op, x: TensorBase, tensors: tuple, args: tuple, target: np.ndarray,
            unchecked: bool) -> Any:
    """The result, after all that may refuse: inference, shape, dtype, overlapping memory."""
    if x._flags & INFERENCE and not mode.inference:
        raise RuntimeError("Inplace update to inference tensor outside InferenceMode is not "
                           "allowed. You can make a clone to get a normal tensor before doing an "
                           "inplace update.")
    if not unchecked and may_overlap_itself(target):
        raise RuntimeError("unsupported operation: more than one element of the written-to tensor "
                           "refers to a single memory location. Please clone() the tensor before "
                           "performing the operation.")
    for t in tensors[1:]:
        if isinstance(t, TensorBase) and partly_overlap(target, t._array):
            raise RuntimeError("unsupported operation: some elements of the input tensor and the "
                               "written-to tensor refer to a single memory location. Please "
                               "clone() the tensor before performing the operation.")
    arrays = operands(op, tensors)
    try:
        result = op.forward(*arrays, *args)
    except (ValueError, TypeError) as error:
        raise explain(op, arrays, error) from None
    if np.shape(result) != target.shape:
        if not fits(np.shape(result), target.shape):
            raise RuntimeError(f"output with shape {list(target.shape)} doesn't match the "
                               f"broadcast shape {list(np.shape(result))}")
    promotion.check_castable(result.dtype, target.dtype)
    return result


def fits(shape: tuple, into: tuple) -> bool:
    """Whether `shape` broadcasts to exactly `into`."""
    return len(shape) <= len(into) and all(
        n in (1, m) for n, m in zip(reversed(shape), reversed(into), strict=False))


def partly_overlap(a: np.ndarray, b: Any) -> bool:
    """Two arrays that share some elements but are not the same look at the same memory."""
    if type(b) is not np.ndarray or not np.may_share_memory(a, b):
        return False
    same = (a.__array_interface__["data"] == b.__array_interface__["data"]
            and a.shape == b.shape and a.strides == b.strides)
    return not same and np.shares_memory(a, b)


def keep_written_result(node: Node, x: TensorBase) -> None:
    """Save the written value at its new version; of a view, remember its new node weakly."""
    own = x._grad_fn
    before = len(node.saved)
    x.output_nr, kept_nr = 0, x.output_nr
    keep_results(node, (x,))
    x.output_nr = kept_nr
    if x._flags & VIEW and own is not None:
        for item in node.saved[before:]:
            if hasattr(item, "view_fn"):
                item.view_fn = weakref.ref(own)


def new_edges(x: TensorBase) -> tuple:
    """The edge of `x` as it is before a write; for operations that build their node themselves."""
    return edge(x)
