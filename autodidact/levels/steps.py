"""What an operation, a view, a write do on a level of grad or jvp.

First the same operation one level down; then the result becomes a tensor of this level, and this
level notes its own history and its own tangent. At the ground the operation itself is done.
"""

from collections.abc import Callable
from typing import Any

from autodidact import dispatch, inplace, view_ops
from autodidact.autograd import views
from autodidact.autograd.function import STEPS
from autodidact.autograd.grad_mode import mode
from autodidact.autograd.graph import Node, requires_grad
from autodidact.autograd.saved_tensors import SavedResult
from autodidact.autograd.views import check_inplace, rebase_history, settle
from autodidact.inplace import begin_inplace, count_write, keep_written_result
from autodidact.levels import lanes
from autodidact.levels.level import VMAP, Level, below, lift, lower, of_level
from autodidact.levels.tangents import (
    Holders,
    called,
    get_tangent,
    passing,
    push,
    pushed,
    resting,
    set_tangent_inplace,
)
from autodidact.nodes import begin, finish, keep_results
from autodidact.ops.op import Kind, Op, View
from autodidact.tensor_base import LIFTED, TRACKED, VIEW, TensorBase, resolve

__all__ = ["step", "view_step", "write_step"]


def settled(t: Any) -> Any:
    """An argument with the transforms that have ended taken off."""
    if isinstance(t, TensorBase):
        if t._flags & LIFTED:
            return resolve(t)
        if hasattr(t, "tensors"):  # several index tensors that are saved as one
            return lowered_indices(t, settled)
    return t


def lowered(t: Any, level: Level) -> Any:
    """An argument one level down."""
    if isinstance(t, TensorBase) and not t._flags and hasattr(t, "tensors"):
        return lowered_indices(t, lambda index: lower(index, level))
    return lower(t, level)


def lowered_indices(indices: Any, change: Callable) -> Any:
    """Index tensors, each changed; themselves where nothing changes."""
    changed = tuple(None if t is None else change(t) for t in indices.tensors)
    same = all(a is b for a, b in zip(changed, indices.tensors, strict=True))
    return indices if same else type(indices)(changed)


# ---- operations -------------------------------------------------------------------------------


def step(op: Op, tensors: tuple, args: tuple) -> Any:
    """A row while transforms are on: dispatch's slow door leads here."""
    tensors = tuple(settled(t) for t in tensors)
    if not mode.stack:
        return ground_step(op, tensors, args)
    level = mode.stack[-1]
    if level.kind == VMAP:
        return lanes.step(level, op, tensors, args)
    low = [lowered(t, level) for t in tensors]
    with below(level):
        out = called(op, low, args)
    results = tuple(lift(o, level) for o in (out if len(op.outputs) > 1 else (out,)))
    wants = wanting(level)
    node = (
        record(op, tensors, args, results, wants)
        if mode.grad and any(map(wants, tensors))
        else None
    )
    if push(op, tensors, args, results, level) and node is not None:
        keep_tangents(node, results)
    return results if len(op.outputs) > 1 else results[0]


def ground_step(op: Op, tensors: tuple, args: tuple) -> Any:
    """A row at the ground, where tensors may be dual."""
    for t in tensors:
        if isinstance(t, TensorBase) and t._flags & LIFTED and t._level is not None:
            raise RuntimeError(f"{op.name}: a tensor of a running transform was used outside it")
    out = dispatch.ground(op, tensors, args)
    if mode.duals:
        results = out if len(op.outputs) > 1 else (out,)
        if push(op, tensors, args, results, None) and results[0]._grad_fn is not None:
            keep_tangents(results[0]._grad_fn, results)
    return out


def wanting(level: Level) -> Callable:
    """Whether an input belongs to the level and requires grad there."""
    return lambda t: of_level(t, level) and requires_grad(t)


def record(op: Op, tensors: tuple, args: tuple, results: tuple, wants: Callable) -> Node | None:
    """This level's node of an operation."""
    for t in tensors:
        if wants(t) and t._flags & VIEW:
            settle(t)
    node = begin(op, tensors, args, wants)
    if node is None:
        return None
    finish(node, results)
    for number, result in enumerate(results):
        if result._array.dtype.kind in "fc":
            result._requires_grad, result._grad_fn, result.output_nr = True, node, number
    keep_results(node, results)
    upgrade(node, results)
    return node


# ---- results that a node keeps ----------------------------------------------------------------


class LiftedResult(SavedResult):
    """A result kept by its own node, with what it has beside numbers: its level and its tangent.

    The tangent may lead back to the node; it is forgotten when the level ends.
    """

    __slots__ = ("__weakref__", "_level", "_tangent", "bits")

    def __init__(self, kept: SavedResult, result: TensorBase) -> None:
        self._array, self._version_cell = kept._array, kept._version_cell
        self._flags, self.output_nr, self.view_fn = 0, kept.output_nr, kept.view_fn
        self.bits = result._flags & LIFTED
        self._level = result._level if self.bits else None
        self._tangent = None

    def tensor(self, node: Any) -> TensorBase:
        """The result as a tensor of its level."""
        result = SavedResult.tensor(self, node)
        if self.bits or self._tangent is not None:
            result._flags |= self.bits | (TRACKED if self._tangent is not None else 0)
            result._level, result._tangent = self._level, self._tangent
        return result

    def forget(self) -> None:
        """Let go of the tangent."""
        self._tangent = None


def upgrade(node: Node, results: tuple) -> None:
    """Results that the node keeps, kept with their level."""
    places = node.plan.results
    first = len(node.saved) - len(places)
    node.saved = node.saved[:first] + tuple(
        LiftedResult(item, results[i]) if type(item) is SavedResult else item
        for item, i in zip(node.saved[first:], places, strict=True)
    )


def keep_tangents(node: Node, results: tuple) -> None:
    """Results that the node keeps, kept with their tangents, too: for forward over reverse."""
    plan = node.plan
    if plan is None or isinstance(node.op, View) or not plan.results or node.op is None:
        return
    upgrade(node, results)
    first = len(node.saved) - len(plan.results)
    for item, i in zip(node.saved[first:], plan.results, strict=True):
        if isinstance(item, LiftedResult):
            item._tangent = getattr(results[i], "_tangent", None)   # indices have none
            holders_of(item._level)[id(item)] = item


def holders_of(level: Level | None) -> Any:
    """Who must forget a tangent when the level ends."""
    if level is None:
        return Holders.now
    if level.tangents is None:
        level.tangents = Holders.empty()
    return level.tangents


# ---- views ------------------------------------------------------------------------------------


def view_step(op: View, x: Any, args: tuple, steps: tuple | None) -> Any:
    """A view row while transforms are on."""
    how = {} if steps is None else {"steps": steps}
    x = settled(x)
    if not mode.stack:
        out = op.ground(x, *args, **how)
        if mode.duals:
            push(op, (x,), args, out if op.parts else (out,), None)
        return out
    level = mode.stack[-1]
    if level.kind == VMAP:
        return lanes.step(level, op, (x,), args)
    with below(level):
        out = op.call(lower(x, level), *args, **how)
    outs = out if op.parts else (out,)
    results = tuple(level_view(op, i, x, o, args, level, steps) for i, o in enumerate(outs))
    if of_level(x, level):
        if mode.grad and requires_grad(x):
            record_view(op, x, args, results)
        push(op, (x,), args, results, level)
    return results if op.parts else results[0]


def level_view(
    op: View, i: int, x: Any, out: TensorBase, args: tuple, level: Level, steps: tuple | None
) -> TensorBase:
    """Output `i` as a tensor of the level, where `x` is one: a view of `x`.

    A view of a captured tensor is captured as well: it may not be written to either.
    """
    if not of_level(x, level):
        return out
    t = lift(out, level)
    if op.name.startswith("unsafe"):
        return t
    row, args = op.each(i, *args) if op.parts else (op, args)
    view = views.make_view(
        x, t._array, row, args, steps=steps, creation=view_ops.creation() if op.parts else None
    )
    view._flags |= TRACKED
    view._level, view._tangent = level, None
    return view


def record_view(op: View, x: TensorBase, args: tuple, results: tuple) -> None:
    """This level's node of a view."""
    if x._flags & VIEW:
        settle(x)
    node = op.record(x, args)
    shapes = tuple((t._array.shape, t._array.dtype) for t in results)
    node.shape, node.dtype = shapes[0] if shapes else ((), x._array.dtype)
    if op.parts:
        node.outputs = shapes
    for number, t in enumerate(results):
        if t._array.dtype.kind in "fc":
            t._grad_fn, t._requires_grad, t.output_nr = node, True, number


# ---- writes -----------------------------------------------------------------------------------


CAPTURED = (
    "During a grad (vjp, jvp, grad, etc) transform, the function provided attempted to call "
    "in-place operation ({}) that would mutate a captured Tensor. This is not supported; "
    "write into a clone() of it, or pass it to the function as an argument"
)


def write_step(op: Op, x: Any, others: tuple, args: tuple) -> TensorBase:
    """A write while transforms are on: `x` becomes the row's result."""
    given, x = x, settled(x)
    others = tuple(settled(t) for t in others)
    level = mode.stack[-1] if mode.stack else None
    if level is not None and level.kind == VMAP:
        lanes.write(level, op, x, others, args)
        return given
    if level is not None and not of_level(x, level):
        raise RuntimeError(CAPTURED.format(f"aten::{op.name}_"))
    tangents = [get_tangent(t, level) for t in (x, *others)] if passing(level) else [None]
    if all(t is None for t in tangents):
        write(op, x, others, args, level)
        return given
    with resting(level):
        before = inplace.CLONE(x) if needs_value(op) else x
        if tangents[0] is not None:
            tangents[0] = inplace.CLONE(tangents[0])
    node = write(op, x, others, args, level)
    (tangent,) = pushed(op, (before, *others), args, (x,), tangents, level)
    if tangent is not None:
        set_tangent_inplace(x, tangent, level)
        if node is not None:
            keep_tangents(node, (x,))
    elif tangents[0] is not None:                    # `x.eq_(y)`: what is there now stands still
        with resting(level):
            get_tangent(x, level).zero_()
    return given


def needs_value(op: Op) -> bool:
    """Whether the tangent depends on what the write destroys."""
    return not (op.kind and Kind.LINEAR in op.kind and op.jvp is None)


def write(op: Op, x: TensorBase, others: tuple, args: tuple, level: Level | None) -> Node | None:
    """The write itself: one level down, then this level's history."""
    if level is None:
        before = x._grad_fn
        inplace.ground(op, x, others, args)
        return (
            x._grad_fn
            if x._grad_fn is not before and x._grad_fn is not None and x._grad_fn.op is op
            else None
        )
    wants = wanting(level)
    recorded = mode.grad and any(map(wants, (x, *others)))
    if recorded:
        check_inplace(x)
        for t in others:
            if wants(t) and t._flags & VIEW:
                settle(t)
    node = begin_inplace(op, x, others, args, wants) if recorded else None
    low = [lowered(t, level) for t in others]
    with below(level):
        inplace.write(op, x._array.value, tuple(low), args)
    count_write(x)
    if node is not None:
        finish(node, (x,))
        rebase_history(x, node, at_once=bool(node.plan.results))
        if node.plan.results:
            keep_written_result(node, x)
            upgrade(node, (x,))
    return node


def keep_function_tangents(ctx: Any, results: tuple, level: Level | None) -> None:
    """Outputs that a custom Function saved, kept with level and tangent."""
    kept = []
    for item in ctx.saved:
        result = next(
            (
                r
                for r in results
                if isinstance(item, SavedResult)
                and isinstance(r, TensorBase)
                and r._array is item._array
            ),
            None,
        )
        if result is not None:
            item = LiftedResult(item, result)
            item._tangent = getattr(result, "_tangent", None)
            holders_of(level)[id(item)] = item
        kept.append(item)
    ctx.saved = tuple(kept)


STEPS["keep_tangents"] = keep_function_tangents
dispatch.STEP, view_ops.STEP, inplace.STEP = step, view_step, write_step
