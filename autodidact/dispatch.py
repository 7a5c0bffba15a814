"""bind: from a row of mathematics to the function that users call.

The way of every operation: unwrap the arrays, compute, wrap the result, and, while recording, make
a node that knows where its gradients go and what its formulas need. Plain tensors of one dtype take
a short path built for the row's arity; everything else (numbers, views, mixed dtypes, any special
mode) leaves it through one door, `slow`, after a single look at `mode.state` and the `_flags`.
"""

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np

from autodidact.arrays import dtype as dt
from autodidact.arrays import promotion
from autodidact.autograd import saved_tensors
from autodidact.autograd.accumulate_grad import accumulator
from autodidact.autograd.grad_mode import mode
from autodidact.autograd.graph import Node, edge, node_class, requires_grad, sequence
from autodidact.autograd.saved_tensors import SavedResult
from autodidact.autograd.views import settle
from autodidact.ops.op import Kind, Op, camel, parameters
from autodidact.tensor_base import FRESH, INFERENCE, LIFTED, VIEW, TensorBase

__all__ = ["bind", "slow"]

new = object.__new__
float64, ndarray, FLOAT64 = np.float64, np.ndarray, np.dtype(np.float64)
FIRST_OUTPUTS = (0, 0)
ARITHMETIC = frozenset({float, int})
NUMBER = {bool: dt.bool_, int: dt.int64, float: dt.float64, complex: dt.complex128}


def bind(op: Op, Tensor: type) -> Callable:
    """The callable of a row: `call(*tensors, *plain arguments)`."""
    simple = not (op.variadic or len(op.outputs) > 1) and op.forward is not None
    plain = simple and len(op.inputs) < 3 and all_plain(op)
    op.make_node_class = lambda: node_class(op.node_name, op, len(op.outputs), plain)
    if simple and len(op.inputs) == 1 and not names_in(op, "_dtype"):
        op.call = unary(op, Tensor, plain)
    elif plain and len(op.inputs) == 2 and not op.index and not op.defaults:
        op.call = binary(op, Tensor)
    elif op.variadic:
        op.call = lambda tensors, *args: slow(op, tuple(tensors), args)
    else:
        count = len(op.inputs)
        op.call = lambda *given: slow(op, given[:count], given[count:])
    return op.call


def all_plain(op: Op) -> bool:
    """Whether every formula needs tensors only: no shapes, no dtypes, no arguments."""
    return not op.args and not names_in(op, "_shape", "_dtype")


def names_in(op: Op, *endings: str) -> bool:
    """Whether a formula asks for an input's shape or dtype."""
    return any(name.endswith(endings) for f in op.vjp.values() for name in parameters(f))


# ---- the short paths --------------------------------------------------------------------------


def unary(op: Op, Tensor: type, plain: bool) -> Callable:
    """One tensor, perhaps plain arguments: sin, relu, sum, softmax, ..."""
    forward, recordable, (checked, allowed) = op.forward, bool(op.vjp), kinds_allowed(op)
    Backward = plan = exact = keeps_self = keeps_result = keeps_both = keeps_shape = None

    def prepare() -> None:
        """What recording needs, made when first needed: it makes half of the import otherwise."""
        nonlocal Backward, plan, exact, keeps_self, keeps_result, keeps_both, keeps_shape
        Backward, plan = op.node_class, op.plan(1, 1)
        elementwise = plain and Kind.ELEMENTWISE in (op.kind or Kind(0))
        exact = plan.without_repair() if elementwise else plan
        keeps_self, keeps_result = plan.inputs == (0,), plan.results == (0,)
        keeps_both, keeps_shape = keeps_self and keeps_result, plan.shapes == (0,)

    def call(x: Any, *args: Any) -> Any:
        if type(x) is not Tensor or x._flags:
            return slow(op, (x,), args)
        state = mode.state
        recorded = x._requires_grad and state == 0 and recordable
        if state > 1 or (checked and x._array.dtype.kind not in allowed):
            return slow(op, (x,), args)
        try:
            out = forward(x._array, *args) if args else forward(x._array)
        except (ValueError, TypeError):
            return slow(op, (x,), args)           # the slow door finds the words
        result = new(Tensor)
        result._array, result._version_cell, result._flags, result.output_nr = out, FRESH, 0, 0
        if not recorded:
            result._requires_grad, result._grad_fn = False, None
            return result
        if plan is None:
            prepare()
        node = Backward()
        fn = x._grad_fn
        node.next, node.nrs = ((accumulator(x),), (0,)) if fn is None else ((fn,), (x.output_nr,))
        if keeps_both:
            node.saved, node.versions = (x, SavedResult(result)), (x._version_cell[0], 0)
        elif keeps_self:
            node.saved, node.versions = (x,), (x._version_cell[0],)
        elif keeps_result:
            node.saved, node.versions = (SavedResult(result),), (0,)
        else:
            node.saved = node.versions = ()
        if not plain:
            shape = x._array.shape
            node.args = args if not keeps_shape else (shape, *args) if args else (shape,)
        node.shape, kind = out.shape, out.dtype
        node.plan = exact if kind is x._array.dtype else plan
        node.dtype, node._hooks, node.sequence_nr = kind, None, next(sequence)
        result._requires_grad, result._grad_fn = True, node
        return result
    return call


def kinds_allowed(op: Op) -> tuple:
    """Whether a short path has to look at the kind of dtype, and which kinds may pass."""
    kinds = [k for k in op.only or "biufc" if op.promote != "float" or k in "fc"]
    return len(kinds) < 5, frozenset(kinds)


def binary(op: Op, Tensor: type) -> Callable:
    """Two tensors of one dtype, or a tensor and a Python number: add, mul, div, ..."""
    forward, scalar, recordable = op.forward, op.scalar or op.forward, bool(op.vjp)
    takes_numbers = op.promote is not None
    Backward = WithNumber = plans = exact = keeps = None
    uniform = Kind.ELEMENTWISE in (op.kind or Kind(0))       # the result looks like the inputs
    checked, allowed = kinds_allowed(op)

    def prepare() -> None:
        """What recording needs, made when first needed."""
        nonlocal Backward, WithNumber, plans, exact, keeps
        # PyTorch's own formulas multiply by a number with another overload, and its nodes say so.
        Backward, WithNumber = op.node_class, node_class(f"{camel(op.name)}Backward1", op, 1, True)
        WithNumber.frees = False
        plans = (None, op.plan(1, 2), op.plan(2, 2), op.plan(3, 2))
        exact = [p and p.without_repair() for p in plans] if uniform else plans
        keeps = [keeping(p) for p in plans]

    def call(x: Any, y: Any) -> Any:
        state = mode.state
        if type(x) is not Tensor or state > 1 or x._flags:
            return slow(op, (x, y), ())
        a, mask, numbered = x._array, x._requires_grad, False
        if type(y) is Tensor:
            b = y._array
            if y._flags or ((type(a) is ndarray or type(a) is not type(b))
                            and a.dtype is not b.dtype):
                return slow(op, (x, y), ())
            if y._requires_grad:
                mask += 2
        elif type(y) in ARITHMETIC and takes_numbers and a.dtype.kind == "f":
            y = b = a.dtype.type(y)
            numbered = mode.reading
        else:
            return slow(op, (x, y), ())
        if checked and a.dtype.kind not in allowed:
            return slow(op, (x, y), ())
        try:
            out = forward(a, b) if type(a) is ndarray else scalar(a, b)
        except (ValueError, TypeError):
            return slow(op, (x, y), ())           # the slow door finds the words
        result = new(Tensor)
        result._array, result._version_cell, result._flags, result.output_nr = out, FRESH, 0, 0
        if state or not mask or not recordable:
            result._requires_grad, result._grad_fn = False, None
            return result
        if plans is None:
            prepare()
        node = WithNumber() if numbered else Backward()
        result._requires_grad, result._grad_fn = True, node
        f, g, i, j = x._grad_fn, None, x.output_nr, 0
        if mask == 3:
            f, g, j = f or accumulator(x), y._grad_fn or accumulator(y), y.output_nr
        elif mask == 1:
            f = f or accumulator(x)
        else:
            f, g, i, j = None, y._grad_fn or accumulator(y), 0, y.output_nr
        node.next, node.nrs = (f, g), (i, j) if i or j else FIRST_OUTPUTS
        if type(out) is float64:
            node.shape, node.dtype, node.plan = (), FLOAT64, exact[mask]
        elif uniform and mask == 3 and f.shape == g.shape and not (i or j):   # nodes know shapes
            node.shape, node.dtype, node.plan = f.shape, f.dtype, exact[3]
        else:
            node.shape, node.dtype = out.shape, out.dtype
            node.plan = (exact if a.shape == b.shape else plans)[mask]
        node._hooks, node.sequence_nr, how = None, next(sequence), keeps[mask]
        if how == NOTHING:
            node.saved = node.versions = ()
        elif how == BOTH and type(y) is Tensor:
            node.saved, node.versions = (x, y), (x._version_cell[0], y._version_cell[0])
        else:
            keep_any(node, x, y, result)
        return result
    return call


NOTHING, BOTH, OTHERWISE = range(3)


def keeping(plan: Any) -> int:
    """The common cases of what a binary node saves."""
    if plan is None or plan.results:
        return OTHERWISE
    return {(): NOTHING, (0, 1): BOTH}.get(plan.inputs, OTHERWISE)


def keep_any(node: Node, x: Any, y: Any, result: Any) -> None:
    """Saved entries of a binary row, the general way."""
    kept = [saved_tensors.save((x, y)[i]) for i in node.plan.inputs]
    if node.plan.results:
        kept.append((SavedResult(result), 0))
    node.saved, node.versions = (tuple(part) for part in zip(*kept, strict=True))


# ---- the slow door ----------------------------------------------------------------------------


STEP: Any = None       # what an operation does inside a transform: set by levels/steps.py


def slow(op: Op, tensors: tuple, args: tuple) -> Any:
    """Any operation, the general way: numbers, views, mixed dtypes, special modes."""
    if mode.stack or mode.duals or any(isinstance(t, TensorBase) and t._flags & LIFTED
                                       for t in tensors):
        return STEP(op, tensors, args)
    return ground(op, tensors, args)


def ground(op: Op, tensors: tuple, args: tuple) -> Any:
    """The same outside all transforms, or below them: on arrays."""
    for t in tensors:
        if isinstance(t, TensorBase) and t._flags & VIEW:
            settle(t)
    recorded = mode.grad and any(isinstance(t, TensorBase) and requires_grad(t) for t in tensors)
    arrays = operands(op, tensors)
    try:
        out = op.forward(arrays, *args) if op.variadic else op.forward(*arrays, *args)
    except (ValueError, TypeError) as error:
        raise explain(op, arrays, error) from None
    outs = out if len(op.outputs) > 1 else (out,)
    results = tuple(TensorBase.wrap(o) for o in outs)
    node = begin(op, tensors, args) if recorded else None
    if node is not None:
        finish(node, results)
        for number, result in enumerate(results):
            if result._array.dtype.kind in "fc":
                result._requires_grad, result._grad_fn, result.output_nr = True, node, number
        keep_results(node, results)
    if mode.inference:
        for result in results:
            result._flags, result._version_cell = INFERENCE, None
    if mode.watch is not None:
        mode.watch(op, tensors, args, results, node)
    return results if len(op.outputs) > 1 else results[0]


def operands(op: Op, tensors: tuple) -> list:
    """The arrays to compute with: numbers unwrapped, dtypes promoted as the row says."""
    if not op.only and not op.index:
        arrays = alike(op, tensors)
        if arrays:
            return arrays
    found = False
    for name, t in zip(op.inputs, tensors, strict=False):
        if isinstance(t, TensorBase):
            found = True
        elif not (isinstance(t, (int, float, complex, np.generic))
                  or (t is None and name in op.defaults)
                  or (mode.reading and isinstance(t, np.ndarray))):
            raise TypeError(f"{op.name}(): argument '{name}' must be Tensor, not "
                            f"{type(t).__name__}")
    if not found:
        raise TypeError(f"{op.name}(): argument 'input' (position 1) must be Tensor, not "
                        f"{type(tensors[0]).__name__ if tensors else 'an empty list'}")
    if op.only:
        op.check([t._array.dtype for t in tensors if isinstance(t, TensorBase)])
    arrays = [t._array if isinstance(t, TensorBase) else t for t in tensors]
    if op.promote is None:
        return [a if a is None or hasattr(a, "dtype") else np.asarray(a) for a in arrays]
    values = [i for i, a in enumerate(arrays) if a is not None
              and (op.variadic or op.inputs[i] not in op.index)]
    kinds = [(arrays[i].dtype, arrays[i].ndim > 0, False) if hasattr(arrays[i], "dtype")
             else (NUMBER[type(arrays[i])], False, True) for i in values]
    common = promotion.result_dtype(kinds)
    if op.promote == "float":
        common = promotion.float_of(common)
    kind = common.numpy
    for i in values:
        a = arrays[i]
        if getattr(a, "dtype", None) is not kind:
            arrays[i] = a.astype(kind) if hasattr(a, "dtype") else kind.type(a)
    return arrays


def alike(op: Op, tensors: tuple) -> list | None:
    """The arrays of tensors that need no promotion: the usual case; else None."""
    arrays, kind = [], None
    for t in tensors:
        if not isinstance(t, TensorBase):
            return None
        a = t._array
        if kind is None:
            kind = a.dtype
        elif a.dtype is not kind and op.promote is not None:
            return None
        arrays.append(a)
    return arrays if op.promote != "float" or (kind is not None and kind.kind in "fc") else None


def explain(op: Op, arrays: list, error: Exception) -> Exception:
    """NumPy's complaint in PyTorch's class and key words."""
    shapes = [getattr(a, "shape", ()) for a in arrays]
    for first, second in combinations(shapes, 2) if "broadcast" in str(error) else ():
        for i in range(1, 1 + min(len(first), len(second))):
            a, b = first[-i], second[-i]
            if a != b and 1 not in (a, b):
                dim = max(len(first), len(second)) - i
                return RuntimeError(f"The size of tensor a ({a}) must match the size of tensor b "
                                    f"({b}) at non-singleton dimension {dim}")
    kinds = ", ".join(str(getattr(a, "dtype", type(a).__name__)) for a in arrays)
    return RuntimeError(f"{op.name}: {error} (shapes {', '.join(map(str, shapes))}; {kinds})")


# ---- recording, the general way ---------------------------------------------------------------


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
    node = new(op.node_class)
    node.next, node.nrs = tuple(targets), tuple(numbers)
    plan = node.plan = op.plan(mask, len(tensors))
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
    if "args" not in vars(op.node_class):
        node.args = (*shapes, *dtypes, *args)
    return node


def number_as_array(value: Any, tensors: tuple) -> Any:
    """A Python number as the 0-dim array that formulas expect, in the dtype of its partner."""
    if isinstance(value, (int, float, complex)) and not isinstance(value, (bool, np.generic)):
        for t in tensors:
            if isinstance(t, TensorBase):
                return promotion.number_dtype(t._array.dtype, type(value)).type(value)
    return value


def finish(node: Node, results: tuple) -> None:
    """What the gradients of the outputs will look like."""
    first = results[0]._array
    node.shape, node.dtype = first.shape, first.dtype
    if len(node.op.outputs) > 1:
        node.outputs = tuple((r._array.shape, r._array.dtype) for r in results)


def keep_results(node: Node, results: tuple) -> None:
    """Save the outputs that formulas name, after their versions are final."""
    for i in node.plan.results:
        kept, version = saved_tensors.save(results[i], is_output=True)
        node.saved += (kept,)
        node.versions += (version,)
