"""The usual case of the slow door: plain tensors and views, of one dtype, in no special mode.

`cat`, `gather`, `linear`, `addmm`, every operation on a view: too many forms for the short paths of
`dispatch.py`, but nothing to promote, no transform, no watcher. `attempt` does what `ground` does,
without the questions whose answer is known; whatever is not usual, errors too, it leaves to it.
"""

from autodidact.autograd.grad_mode import mode
from autodidact.autograd.graph import Node, edge, requires_grad, sequence
from autodidact.autograd.saved_tensors import NOT_CHECKED, SavedResult
from autodidact.nodes import only_input
from autodidact.ops.op import Op
from autodidact.tensor_base import VIEW, TensorBase

__all__ = ["attempt"]


def attempt(op: Op, tensors: tuple, args: tuple) -> TensorBase | None:
    """The result of an operation with one output, recorded where it should be; None: not usual."""
    arrays = ready(op, tensors)
    if not arrays or len(op.outputs) > 1:
        return None
    try:
        out = op.forward(arrays, *args) if op.variadic else op.forward(*arrays, *args)
    except (ValueError, TypeError):
        return None                                   # `ground` finds the words
    result = TensorBase.wrap(out)
    if mode.state == 0 and op.vjp:
        record(op, tensors, args, result)
    return result


def ready(op: Op, tensors: tuple) -> list | None:
    """The arrays to compute with; None where anything would have to be done about them first."""
    arrays, kind, promote, only, index = [], None, op.promote, op.only, op.index
    for i, t in enumerate(tensors):
        if isinstance(t, TensorBase):
            if t._flags and (t._flags != VIEW or t._view.attr_version != t._version_cell[0]):
                return None
            a = t._array
            arrays.append(a)
            if index and op.inputs[i] in index:
                continue
            if only and a.dtype.kind not in only:
                return None
            if promote is not None and a.dtype is not kind:
                if kind is not None:
                    return None
                kind = a.dtype
        elif t is None and not op.variadic and op.inputs[i] in op.defaults:
            arrays.append(None)
        else:
            return None
    return arrays if promote != "float" or (kind is not None and kind.kind in "fc") else None


def record(op: Op, tensors: tuple, args: tuple, result: TensorBase) -> None:
    """The node, where an input wants one: `begin`, `finish` and `keep_results` in one."""
    if op.variadic and not any([t._requires_grad or t._flags for t in tensors]):
        return
    targets, numbers, mask, wanted, slots = [], [], 0, False, op.slots
    for i, t in enumerate(tensors):
        if slots is None or slots[i]:
            target, number = None, 0
            if t is not None and (t._requires_grad or (t._flags and requires_grad(t))):
                target, number, wanted = t._grad_fn, t.output_nr, True
                if target is None:
                    target, number = edge(t)
                if target is not None:
                    mask |= 1 << i
            targets.append(target)
            numbers.append(number)
    if not wanted:
        return
    node, out = node_of(op, tensors, args, mask or only_input(op)), result._array
    node.next, node.nrs, node.shape, node.dtype = (tuple(targets), tuple(numbers), out.shape,
                                                   out.dtype)
    if out.dtype.kind in "fc":
        result._requires_grad, result._grad_fn = True, node
    if node.plan.results:
        node.saved += (SavedResult(result),)
        node.versions += (0,)


def node_of(op: Op, tensors: tuple, args: tuple, mask: int) -> Node:
    """A node with what its formulas need of the inputs."""
    node = Node()
    plan = node.plan = op.plan(mask, len(tensors))
    node._hooks, node.sequence_nr = None, next(sequence)
    if not plan.inputs:
        node.saved = node.versions = ()
    elif op.variadic:
        node.saved, node.versions = (tensors,), (NOT_CHECKED,)
    else:
        kept = node.saved = tuple([tensors[i] for i in plan.inputs])
        node.versions = tuple([NOT_CHECKED if t is None else t._version_cell[0] for t in kept])
    if op.variadic:
        shapes = [tuple([t._array.shape for t in tensors])] if plan.shapes else ()
        dtypes = [tuple([t._array.dtype for t in tensors])] if plan.dtypes else ()
    else:
        shapes = [() if tensors[i] is None else tensors[i]._array.shape for i in plan.shapes]
        dtypes = [tensors[i]._array.dtype for i in plan.dtypes]
    node.args = (*shapes, *dtypes, *args)
    return node
