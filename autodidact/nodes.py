"""Recording, the general way: a node with its edges and what its formulas need.

The short paths of `dispatch.py` do the same for the usual cases, in line.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from autodidact.arrays import promotion
from autodidact.autograd import saved_tensors
from autodidact.autograd.grad_mode import mode
from autodidact.autograd.graph import Node, edge, requires_grad, sequence
from autodidact.ops.op import Op
from autodidact.tensor_base import TensorBase

__all__ = ["begin", "finish", "keep_results", "number_as_array", "only_input", "wants_grad"]

ARITHMETIC = frozenset({float, int})


def wants_grad(t: Any) -> bool:
    """Whether an input is a tensor that requires grad."""
    return isinstance(t, TensorBase) and requires_grad(t)


def begin(op: Op, tensors: tuple, args: tuple, wants: Callable = wants_grad) -> Node | None:
    """A node with its edges and saved inputs; None where no formula is wanted.

    Args:
        op: the row.
        tensors: its inputs.
        args: its plain arguments.
        wants: which inputs take part; inside a transform, only tensors of its level.
    """
    targets, numbers, mask, wanted = [], [], 0, False
    for i, t in enumerate(tensors):
        if op.variadic or op.inputs[i] in op.vjp:
            target, number = None, 0
            if wants(t):
                wanted = True
                target, number = edge(t)
                mask |= (target is not None) << i
            targets.append(target)
            numbers.append(number)
    if not wanted:
        return None
    node = class_of(op, tensors)()
    node.next, node.nrs = tuple(targets), tuple(numbers)
    plan = node.plan = op.plan(mask or only_input(op), len(tensors))
    node._hooks, node.sequence_nr = None, next(sequence)
    values = (tensors,) if op.variadic else tensors
    if plan.inputs:
        kept = [saved_tensors.save(number_as_array(values[i], tensors)) for i in plan.inputs]
        node.saved, node.versions = zip(*kept, strict=True)
    else:
        node.saved = node.versions = ()
    if op.variadic:
        shapes = [tuple(t._array.shape for t in tensors)] if plan.shapes else []
        dtypes = [tuple(t._array.dtype for t in tensors)] if plan.dtypes else []
    else:
        shapes = [np.shape(getattr(tensors[i], "_array", tensors[i])) for i in plan.shapes]
        dtypes = [tensors[i]._array.dtype for i in plan.dtypes]
    node.args = (*shapes, *dtypes, *args)
    return node


def class_of(op: Op, tensors: tuple) -> type:
    """What a row's nodes are made as; with a number another class, while a formula is read."""
    if (mode.reading and op.numbered and type(tensors[1]) in ARITHMETIC
            and tensors[0]._array.dtype.kind == "f"):
        return op.numbered()
    return Node if len(op.outputs) == 1 else op.node_class


def only_input(op: Op) -> int:
    """Where the gradient leads nowhere (a view made under no_grad): the bit of an only input.

    As PyTorch saves it, and so looks at it in backward, in any case.
    """
    if op.variadic or len(op.vjp) != 1:
        return 0
    return 1 << op.inputs.index(next(iter(op.vjp)))


def number_as_array(value: Any, tensors: tuple) -> Any:
    """A Python number as the 0-dim array that formulas expect, in the dtype of its partner."""
    if isinstance(value, (int, float, complex)) and not isinstance(value, (bool, np.generic)):
        for t in tensors:
            if isinstance(t, TensorBase):
                return promotion.number_dtype(t._array.dtype, type(value)).type(value)
    return value


def finish(node: Node, results: tuple) -> None:
    """What the gradients of the outputs will look like; indices at the end get none."""
    first = results[0]._array
    node.shape, node.dtype = first.shape, first.dtype
    if len(node.op.outputs) > 1:
        kinds = [(r._array.shape, r._array.dtype) for r in results]
        while len(kinds) > 1 and kinds[-1][1].kind not in "fc":
            kinds.pop()
        node.outputs = tuple(kinds) if len(kinds) > 1 else None


def keep_results(node: Node, results: tuple) -> None:
    """Save the outputs that formulas name, after their versions are final."""
    for i in node.plan.results:
        kept, version = saved_tensors.save(results[i], is_output=True)
        node.saved += (kept,)
        node.versions += (version,)
