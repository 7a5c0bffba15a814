"""In-place operations: `x.mul_(y)` writes into x, counts a version, and rewires x's history.

Derived from the row of the out-of-place operation, so that a row says its mathematics once. The
order of the steps matters: everything that can refuse comes before the write, so that a refused
call leaves the tensor as it was; what the write destroys and a formula needs is cloned before it,
what a formula needs of the result is saved after it.
"""

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from autodidact.arrays import promotion
from autodidact.arrays.bfloat16 import Narrow, narrow, wide, widely
from autodidact.arrays.foreign import ForeignArray
from autodidact.arrays.strided import data_ptr, is_dense, may_overlap_itself
from autodidact.autograd.accumulate_grad import accumulator
from autodidact.autograd.grad_mode import mode
from autodidact.autograd.graph import Node, requires_grad, sequence
from autodidact.autograd.saved_tensors import save
from autodidact.autograd.views import check_inplace, rebase_history, settle
from autodidact.dispatch import explain, operands
from autodidact.nodes import begin, finish, keep_results, wants_grad
from autodidact.ops.op import Op
from autodidact.tensor_base import INFERENCE, LIFTED, VIEW, TensorBase, count_write, memory

__all__ = ["inplace", "write"]

CLONE: Any = None     # the clone row's callable: a recorded copy; set with the rows
INTO: dict[str, Callable] = {}     # row -> (array, *other arrays, *arguments): writes by itself
UNCHECKED = frozenset({"fill_scalar", "zero", "index_put"})   # may meet overlapping memory


def inplace(op: Op) -> Callable:
    """`name_` for the row `name`: `call(self, *other tensors, *plain arguments) -> self`."""
    count = len(op.inputs)
    if isinstance(op.forward, np.ufunc) and not (op.args or op.only) and count <= 2:
        return binary_inplace(op) if count == 2 else unary_inplace(op)

    def call(x: TensorBase, *given: Any) -> TensorBase:
        return write(op, x, given[:count - 1], given[count - 1:])
    return call


def plain(x: TensorBase) -> bool:
    """Whether a write into `x` needs no look at views, modes or repeated memory."""
    array = x._array
    return (not x._flags and mode.state < 2 and type(array) is np.ndarray
            and (array.base is None or 0 not in array.strides))


def settled_view(x: TensorBase) -> bool:
    """Whether `x` is a view, nothing else, whose history is up to date, and may be written to."""
    if x._flags != VIEW or mode.state > 1 or 0 in x._array.strides:
        return False
    return x._view.attr_version == x._version_cell[0]


def unrecorded(x: TensorBase) -> bool:
    """Whether a write of numbers into `x` needs no check and no node at all."""
    return not x._flags and (mode.state == 1 or (mode.state == 0 and not x._requires_grad))


def unary_inplace(op: Op) -> Callable:
    """`neg_` and the like: when nothing is recorded, the ufunc writes straight into the memory."""
    ufunc = op.forward

    def call(x: TensorBase) -> TensorBase:
        array = x._array
        if not plain(x) or (mode.state == 0 and x._requires_grad) or array.dtype.kind not in "fc":
            return write(op, x, (), ())
        try:
            ufunc(array, out=array)
        except (ValueError, TypeError):
            return write(op, x, (), ())              # the long way finds the words
        count_write(x)
        return x
    return call


def binary_inplace(op: Op) -> Callable:
    """`mul_` and the like: the ufunc writes straight into the memory of a plain tensor."""
    ufunc, recordable = op.forward, bool(op.vjp)

    def call(x: TensorBase, y: Any) -> TensorBase:
        if not plain(x) and not settled_view(x):
            return write(op, x, (y,), ())
        array, mask, node = x._array, int(requires_grad(x)), None
        if isinstance(y, TensorBase):
            other = y._array
            if (y._flags or other.dtype is not array.dtype
                    or (other is not array and may_meet(array, other))):
                return write(op, x, (y,), ())
            mask += 2 * y._requires_grad
        elif type(y) is float and array.dtype.kind == "f":
            other = array.dtype.type(y)
        else:
            return write(op, x, (y,), ())
        if mask and mode.state == 0:
            if x._flags:
                check_inplace(x)
            leaf = mask & 1 and x._grad_fn is None
            broadcast = isinstance(y, TensorBase) and other.shape != array.shape
            plan = op.plan(mask, 2) if recordable else None
            if plan is None or plan.results or leaf or broadcast:
                return write(op, x, (y,), ())
            partner = y if isinstance(y, TensorBase) else other
            node = node_of_write(op, plan, mask, x, partner)
        try:
            ufunc(array, other, out=array)
        except (ValueError, TypeError):
            return write(op, x, (y,), ())            # the long way finds the words
        count_write(x)
        if node is not None:
            rebase_history(x, node)
        return x
    return call


def node_of_write(op: Op, plan: Any, mask: int, x: TensorBase, y: Any) -> Node:
    """The node of `x.op_(y)` for plain tensors, made before the write: `begin_inplace` in short."""
    node = Node()
    node.next = (x._grad_fn if mask & 1 else None,
                 (y._grad_fn or accumulator(y)) if mask & 2 else None)
    node.nrs = (x.output_nr if mask & 1 else 0, y.output_nr if mask & 2 else 0)
    kept = [save(CLONE(x) if i == 0 else y) for i in plan.inputs]
    node.saved, node.versions = zip(*kept, strict=True) if kept else ((), ())
    node.plan, node._hooks, node.args, node.sequence_nr = plan, None, (), next(sequence)
    node.shape, node.dtype = x._array.shape, x._array.dtype
    return node


def write_scaled(op: Op, x: TensorBase, y: Any, alpha: Any) -> bool:
    """`x.add_(y, alpha=...)` of plain tensors when nothing is recorded: True if it was done here.

    Args:
        op: the row `add` or `sub`.
        x: the tensor written to.
        y: what is added or subtracted.
        alpha: its factor.
    """
    if not plain(x) or not isinstance(y, TensorBase) or y._flags or type(alpha) is not float:
        return False
    array, other = x._array, y._array
    if (array.dtype is not other.dtype or array.dtype.kind != "f" or array.shape != other.shape
            or (mode.state == 0 and (x._requires_grad or y._requires_grad))
            or (other is not array and may_meet(array, other))):
        return False
    op.forward(array, other * array.dtype.type(alpha), out=array)
    count_write(x)
    return True


def may_meet(a: np.ndarray, b: Any) -> bool:
    """Whether two arrays might share memory; arrays that own theirs do not."""
    owners = a.base is None and getattr(b, "base", None) is None
    return not owners and type(b) is type(a) and np.may_share_memory(a, b)


def write(op: Op, x: TensorBase, others: tuple, args: tuple) -> TensorBase:
    """Compute the row and put the result into `x`'s memory.

    Args:
        op: the row.
        x: the tensor written to.
        others: the row's further tensors.
        args: its plain arguments.
    """
    tensors = (x, *others)
    if mode.stack or mode.duals or any(isinstance(t, TensorBase) and t._flags & LIFTED
                                       for t in tensors):
        return STEP(op, x, others, args)
    return ground(op, x, others, args)


STEP: Any = None       # what a write does inside a transform: set by levels/steps.py


def ground(op: Op, x: TensorBase, others: tuple, args: tuple) -> TensorBase:
    """The same outside all transforms, or below them."""
    tensors = (x, *others)
    recorded = mode.grad and any(isinstance(t, TensorBase) and requires_grad(t) for t in tensors)
    if recorded:
        check_inplace(x)
        for t in others:
            if isinstance(t, TensorBase) and t._flags & VIEW:
                settle(t)
    node = begin_inplace(op, x, others, args) if recorded else None
    put(op, x, tensors, args, memory(x))
    count_write(x)
    if node is not None:
        finish(node, (x,))
        saves_result = bool(node.plan.results)
        rebase_history(x, node, at_once=saves_result)
        if saves_result:
            keep_written_result(node, x)
    if mode.watch is not None:
        mode.watch(op, tensors, args, (x,), node)
    return x


def begin_inplace(op: Op, x: TensorBase, others: tuple, args: tuple,
                  wants: Callable = wants_grad) -> Node | None:
    """The node, with edges and saved inputs as they are before the write.

    The old value of `x` is about to go: a formula that names it gets a recorded clone.
    """
    hooks = mode.saved_hooks
    if hooks:
        mode.set(saved_hooks=())             # they are to see the clone
    try:
        node = begin(op, (x, *others), args, wants)
    finally:
        if hooks:
            mode.set(saved_hooks=hooks)
    if node is None:
        return None
    items = list(node.saved)
    if 0 in node.plan.inputs and items[0] is x:
        items[0] = CLONE(x)
    elif not hooks:
        return node
    kept = [save(item) for item in items]
    node.saved = tuple(item for item, _ in kept)
    node.versions = tuple(version for _, version in kept)
    return node


def put(op: Op, x: TensorBase, tensors: tuple, args: tuple, target: np.ndarray) -> None:
    """Refuse what must be refused (inference, shape, dtype, overlapping memory), then write.

    Args:
        op: the row.
        x: the tensor written to.
        tensors: x and the further ones.
        args: plain arguments.
        target: the array to write: that of `x`, or the part of it that is meant.
    """
    refuse_inference(x)
    if mode.mutations is not None:
        mode.mutations(x)
    if op.name not in UNCHECKED and not (op.name == "copy" and same_memory(
            target, tensors[1]._array)):
        refuse_overlap(target, tensors if op.name != "fill" else tensors[:1])    # one number
    arrays = operands(op, tensors)
    into = INTO.get(op.name)
    given = (target if op.promote is None else arrays[0], *arrays[1:], *args)
    try:
        if into is not None:
            into(target, *given[1:])
            return
        result = op.forward(*given)
    except Narrow:
        result = put_widely(into, op, target, given)
    except (ValueError, TypeError) as error:
        raise explain(op, [target, *arrays[1:]], error) from None
    if np.shape(result) != target.shape and not fits(np.shape(result), target.shape):
        raise RuntimeError(f"output with shape {list(target.shape)} doesn't match the "
                           f"broadcast shape {list(np.shape(result))}")
    if op.promote is not None:
        promotion.check_castable(result.dtype, target.dtype)
    if isinstance(target, ForeignArray):
        target[...] = result
    else:
        np.copyto(target, result, casting="unsafe")


def put_widely(into: Callable | None, op: Op, target: Any, given: tuple) -> Any:
    """The result of a write in bfloat16, computed in float32."""
    if into is None:
        return widely(op.forward, *given)
    numbers, *others = wide(given)
    into(numbers, *others)
    return narrow(numbers)


def refuse_inference(x: TensorBase) -> None:
    """Tensors of inference mode may be written to only there."""
    if x._flags & INFERENCE and not mode.inference:
        raise RuntimeError("Inplace update to inference tensor outside InferenceMode is not "
                           "allowed. You can make a clone to get a normal tensor before doing an "
                           "inplace update.")


def refuse_overlap(target: np.ndarray, tensors: tuple) -> None:
    """A write whose result would depend on the order in which elements are written."""
    if target.base is not None and may_overlap_itself(target):
        raise RuntimeError("unsupported operation: more than one element of the written-to tensor "
                           "refers to a single memory location. Please clone() the tensor before "
                           "performing the operation.")
    for t in tensors[1:]:
        if isinstance(t, TensorBase) and partly_overlap(target, t._array):
            raise RuntimeError("unsupported operation: some elements of the input tensor and the "
                               "written-to tensor refer to a single memory location. Please "
                               "clone() the tensor before performing the operation.")


def fits(shape: tuple, into: tuple) -> bool:
    """Whether `shape` broadcasts to exactly `into`."""
    return len(shape) <= len(into) and all(
        n in (1, m) for n, m in zip(reversed(shape), reversed(into), strict=False))


def partly_overlap(a: np.ndarray, b: Any) -> bool:
    """Two arrays that share some elements but are not the same look at the same memory."""
    if type(b) is not type(a) or not np.may_share_memory(a, b):
        return False
    if not (is_dense(a) and is_dense(b)):        # PyTorch looks no closer at memory with gaps
        return False
    return not same_memory(a, b) and np.shares_memory(a, b)


def same_memory(a: np.ndarray, b: Any) -> bool:
    """Whether two arrays are the same look at the same memory."""
    return (type(b) is type(a) and a.shape == b.shape and data_ptr(a) == data_ptr(b)
            and all(s == z or n < 2 for s, z, n in zip(a.strides, b.strides, a.shape, strict=True)))


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

