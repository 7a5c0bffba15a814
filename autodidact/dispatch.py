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
from autodidact.arrays.bfloat16 import Narrow, cast, number, refuse, widely
from autodidact.arrays.foreign import ForeignArray
from autodidact.arrays.place import ELSEWHERE, check_same
from autodidact.autograd import saved_tensors
from autodidact.autograd.accumulate_grad import accumulator
from autodidact.autograd.grad_mode import mode
from autodidact.autograd.graph import Node, node_class, requires_grad, sequence
from autodidact.autograd.saved_tensors import NOT_CHECKED, SavedResult
from autodidact.autograd.views import settle
from autodidact.nodes import ARITHMETIC, begin, finish, keep_results
from autodidact.ops.op import Op, camel, parameters
from autodidact.tensor_base import FRESH, INFERENCE, LIFTED, VIEW, TensorBase
from autodidact.usual import attempt

__all__ = ["bind", "slow"]

new = object.__new__
float64, ndarray, FLOAT64 = np.float64, np.ndarray, np.dtype(np.float64)
FIRST_OUTPUTS = (0, 0)
NUMBER = {bool: dt.bool_, int: dt.int64, float: dt.float64, complex: dt.complex128}


def bind(op: Op, Tensor: type) -> Callable:
    """The callable of a row: `call(*tensors, *plain arguments)`."""
    simple = not (op.variadic or len(op.outputs) > 1) and op.forward is not None
    asked = {name for formula in op.vjp.values() for name in parameters(formula)}
    dtypes = any([name.endswith("_dtype") for name in asked])
    shapes = any([name.endswith("_shape") for name in asked])
    # Whether every formula needs tensors only: no shapes, no dtypes, no arguments.
    plain = simple and len(op.inputs) < 3 and not (op.args or dtypes or shapes)
    op.make_node_class = lambda: node_class(op.node_name, op, len(op.outputs))
    if simple and len(op.inputs) == 1 and not dtypes:
        op.call = unary(op, Tensor, plain)
    elif plain and len(op.inputs) == 2 and not op.index and not op.defaults:
        op.call = binary(op, Tensor)
    elif op.variadic:
        op.call = lambda tensors, *args: slow(op, tuple(tensors), args)
    else:
        count = len(op.inputs)
        op.call = lambda *given: slow(op, given[:count], given[count:])
    return op.call


# ---- the short paths --------------------------------------------------------------------------


def unary(op: Op, Tensor: type, plain: bool) -> Callable:
    """One tensor, perhaps plain arguments: sin, relu, sum, softmax, ..."""
    forward, recordable, (checked, allowed) = op.forward, bool(op.vjp), kinds_allowed(op)
    plan = exact = keeps_self = keeps_result = keeps_both = keeps_shape = None

    def prepare() -> None:
        """What recording needs, made when first needed: it makes half of the import otherwise."""
        nonlocal plan, exact, keeps_self, keeps_result, keeps_both, keeps_shape
        plan = op.plan(1, 1)
        elementwise = plain and op.elementwise
        exact = plan.without_repair() if elementwise else plan
        keeps_self, keeps_result = plan.inputs == (0,), plan.results == (0,)
        keeps_both, keeps_shape = keeps_self and keeps_result, plan.shapes == (0,)

    def call(x: Any, *args: Any) -> Any:
        if type(x) is not Tensor or (x._flags and not current_view(x)):
            return slow(op, (x,), args)
        if (state := mode.state) > 1 or (checked and x._array.dtype.kind not in allowed):
            return slow(op, (x,), args)
        try:
            out = forward(x._array, *args) if args else forward(x._array)
        except (ValueError, TypeError):
            return slow(op, (x,), args)           # the slow door finds the words
        result = new(Tensor)
        result._array, result._version_cell = out, FRESH
        result._flags = result.output_nr = 0
        if state or not x._requires_grad or not recordable:
            result._requires_grad, result._grad_fn = False, None
            return result
        if plan is None:
            prepare()
        node = Node()
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
        if plain:
            node.args = ()
        else:
            shape = x._array.shape
            node.args = args if not keeps_shape else (shape, *args) if args else (shape,)
        node.shape, kind = out.shape, out.dtype
        node.plan = exact if kind is x._array.dtype else plan
        node.dtype, node._hooks, node.sequence_nr = kind, None, next(sequence)
        result._requires_grad, result._grad_fn = True, node
        return result
    return call


def current_view(x: TensorBase) -> bool:
    """A view and nothing else special, with the node that belongs to its numbers: as any tensor."""
    if x._flags != VIEW:
        return False
    seen = x._view
    return seen.attr_version == x._version_cell[0] and (
        x._grad_fn is not None or not seen.base._requires_grad)


def kinds_allowed(op: Op) -> tuple:
    """Whether a short path has to look at the kind of dtype, and which kinds may pass."""
    kinds = [k for k in op.only or "biufc" if op.promote != "float" or k in "fc"]
    return len(kinds) < 5, frozenset(kinds)


def binary(op: Op, Tensor: type) -> Callable:
    """Two tensors of one dtype, or a tensor and a Python number: add, mul, div, ..."""
    forward, scalar, recordable = op.forward, op.scalar or op.forward, bool(op.vjp)
    takes_numbers = op.promote is not None
    WithNumber = plans = exact = keeps = both = exact_both = None
    uniform = op.elementwise                                 # the result looks like the inputs
    checked, allowed = kinds_allowed(op)

    def prepare() -> None:
        """What recording needs, made when first needed."""
        nonlocal plans, exact, keeps, both, exact_both
        plans = (None, op.plan(1, 2), op.plan(2, 2), op.plan(3, 2))
        exact = [p and p.without_repair() for p in plans] if uniform else plans
        keeps = [keeping(p) for p in plans]
        both, exact_both = keeps[3], exact[3]

    def call(x: Any, y: Any) -> Any:
        if (type(x) is not Tensor or type(y) is not Tensor or (x._flags and not current_view(x))
                or (y._flags and not current_view(y)) or (state := mode.state) > 1):
            return with_number(x, y)
        a, b = x._array, y._array
        array = type(a) is ndarray
        if (((array or type(a) is not type(b) or type(a) in ELSEWHERE) and a.dtype is not b.dtype)
                or (checked and a.dtype.kind not in allowed)):
            return slow(op, (x, y), ())
        try:
            out = forward(a, b) if array else scalar(a, b)
        except (ValueError, TypeError):
            return slow(op, (x, y), ())           # the slow door finds the words
        result = new(Tensor)
        result._array, result._version_cell = out, FRESH
        result._flags = result.output_nr = 0
        if state or not (x._requires_grad or y._requires_grad) or not recordable:
            result._requires_grad, result._grad_fn = False, None
            return result
        if plans is None:
            prepare()
        if not (x._requires_grad and y._requires_grad):
            return record_one(x, y, result, 1 if x._requires_grad else 2, False)
        node = Node()
        result._requires_grad, result._grad_fn = True, node
        f, g = x._grad_fn or accumulator(x), y._grad_fn or accumulator(y)
        node.next, node.args, node._hooks, node.sequence_nr = (f, g), (), None, next(sequence)
        node.nrs = nrs = ((x.output_nr, y.output_nr) if x.output_nr or y.output_nr
                          else FIRST_OUTPUTS)
        if not array and type(out) is float64:
            node.shape, node.dtype, node.plan = (), FLOAT64, exact_both
        elif uniform and nrs is FIRST_OUTPUTS and f.shape == g.shape:     # the nodes know shapes
            node.shape, node.dtype, node.plan = f.shape, f.dtype, exact_both
        else:
            node.shape, node.dtype = out.shape, out.dtype
            node.plan = (exact if uniform and a.shape == b.shape else plans)[3]
        if both is NOTHING:
            node.saved = node.versions = ()
        elif both is BOTH:
            node.saved, node.versions = (x, y), (x._version_cell[0], y._version_cell[0])
        else:
            keep_any(node, x, y, result)
        return result

    def as_numbered() -> type:
        """The class of nodes for a tensor and a number, in formulas that are read on Tensors.

        PyTorch's own formulas multiply by a number with another overload, and its nodes say so.
        """
        nonlocal WithNumber
        if WithNumber is None:
            WithNumber = node_class(f"{camel(op.name)}Backward1", op)
            WithNumber.frees = False
        return WithNumber

    def with_number(x: Any, y: Any) -> Any:
        """`x * 2`: the number in x's dtype; everything else takes the slow door."""
        state = mode.state
        if type(x) is not Tensor or (x._flags and not current_view(x)) or state > 1 or not (
                type(y) in ARITHMETIC and takes_numbers and x._array.dtype.kind == "f"):
            return slow(op, (x, y), ())
        a = x._array
        b = a.dtype.type(y)
        try:
            result = TensorBase.wrap(forward(a, b) if type(a) is ndarray else scalar(a, b))
        except TypeError:
            return slow(op, (x, y), ())
        if state or not x._requires_grad or not recordable:
            return result
        if plans is None:
            prepare()
        return record_one(x, b, result, 1, mode.reading)

    def record_one(x: Any, y: Any, result: Any, mask: int, numbered: bool) -> Any:
        """Record an operation of which one input only wants a gradient."""
        node = as_numbered()() if numbered else Node()
        result._requires_grad, result._grad_fn, out = True, node, result._array
        wanted = x if mask == 1 else y
        fn = wanted._grad_fn or accumulator(wanted)
        node.next = (fn, None) if mask == 1 else (None, fn)
        node.nrs = (wanted.output_nr, 0) if mask == 1 else (0, wanted.output_nr)
        node.args, node._hooks, node.sequence_nr = (), None, next(sequence)
        node.shape, node.dtype = out.shape, out.dtype
        node.plan = (exact if out.shape == wanted._array.shape else plans)[mask]
        if keeps[mask] == NOTHING:
            node.saved = node.versions = ()
        else:
            keep_any(node, x, y, result)
        return result
    op.numbered = as_numbered if takes_numbers else None
    return call


NOTHING, BOTH, OTHERWISE = range(3)


def keeping(plan: Any) -> int:
    """The common cases of what a binary node saves."""
    if plan is None or plan.results:
        return OTHERWISE
    return {(): NOTHING, (0, 1): BOTH}.get(plan.inputs, OTHERWISE)


def keep_any(node: Node, x: Any, y: Any, result: Any) -> None:
    """Saved entries of a binary row, the general way; for one input or number, a short one."""
    inputs = node.plan.inputs
    if len(inputs) == 1 and not node.plan.results:
        item = y if inputs[0] else x
        cell = getattr(item, "_version_cell", None)
        node.saved, node.versions = (item,), (NOT_CHECKED if cell is None else cell[0],)
        return
    kept = [saved_tensors.save((x, y)[i]) for i in node.plan.inputs]
    if node.plan.results:
        kept.append((SavedResult(result), 0))
    node.saved, node.versions = (tuple(part) for part in zip(*kept, strict=True))


# ---- the slow door ----------------------------------------------------------------------------


STEP: Any = None       # what an operation does inside a transform: set by levels/steps.py


def slow(op: Op, tensors: tuple, args: tuple) -> Any:
    """Any operation, the general way: numbers, views, mixed dtypes, special modes."""
    if mode.state < 2 and (result := attempt(op, tensors, args)) is not None:
        return result
    if mode.stack or mode.duals or any(isinstance(t, TensorBase) and t._flags & LIFTED
                                       for t in tensors):
        return STEP(op, tensors, args)
    return ground(op, tensors, args)


def ground(op: Op, tensors: tuple, args: tuple) -> Any:
    """The same outside all transforms, or below them: on arrays."""
    for t in tensors:
        if isinstance(t, TensorBase) and t._flags & VIEW:
            settle(t)
    if mode.known is not None:                        # a selective checkpoint's second run
        op = mode.known.row(op)
    recorded = mode.grad and any(isinstance(t, TensorBase) and requires_grad(t) for t in tensors)
    arrays = operands(op, tensors)
    try:
        out = op.forward(arrays, *args) if op.variadic else op.forward(*arrays, *args)
    except Narrow:
        refuse(op.name)
        out = widely(op.forward, *((arrays,) if op.variadic else arrays), *args)
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
                  or (mode.reading and isinstance(t, (np.ndarray, ForeignArray)))):
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
            # PyTorch rounds a number to bfloat16 first, but for products.
            arrays[i] = (cast(a, kind) if hasattr(a, "dtype") else kind.type(a)
                         if op.name in ("mul", "div") else number(a, kind))
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
    check_same(arrays)
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
