"""Tangents: what a tensor of a level carries in forward mode, and how rows pass it on.

Each operation computes the tangent of its result at once, from the row's word: a linear row is
applied to the tangents themselves, a multilinear one to one tangent at a time; an elementwise row
multiplies by the same diagonal as its backward does. Rows that are none of these say `jvp=`.

While the tangent of a level is computed, tangents of that level rest (`mode.muted`); those of the
levels below go on, and so nested derivatives come out right.
"""

import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from autodidact.autograd import views
from autodidact.autograd.grad_mode import mode
from autodidact.levels.level import Level, fresh_like, lane_levels, of_level
from autodidact.nodes import number_as_array
from autodidact.ops import shape as shape_rows
from autodidact.ops import view as view_rows
from autodidact.ops.op import Kind, Op, View, parameters
from autodidact.tensor_base import LIFTED, TRACKED, VIEW, TensorBase

__all__ = [
    "DUAL",
    "Holders",
    "forget",
    "get_tangent",
    "push",
    "resting",
    "set_tangent",
    "set_tangent_inplace",
]


DUAL = object()          # stands for the base's tangent where a view has one of its own: in a dual


class Holders:
    """Everything at the ground that has a tangent, known weakly, so that it can be forgotten.

    By `id`: a set would compare tensors with `==`, which gives a tensor.
    """

    now: Any = None
    empty = weakref.WeakValueDictionary


def forget(holder: Any) -> None:
    """Take the tangent from a tensor, or from a saved result."""
    holder._tangent = None
    if isinstance(holder, TensorBase):
        holder._flags &= ~TRACKED


# ---- the tangent of a tensor ------------------------------------------------------------------


@contextmanager
def resting(level: Level | None) -> Iterator[None]:
    """Tangents of this level rest inside; those of others go on."""
    before = mode.muted
    mode.muted = (*before, level)
    try:
        yield
    finally:
        mode.muted = before


def passing(level: Level | None) -> bool:
    """Whether tangents of this level are passed on now."""
    return (mode.fwd and level not in mode.muted
            and not (level is None and mode.inference))


def get_tangent(t: Any, level: Level | None) -> TensorBase | None:
    """The tangent that `t` has at a level; a view takes part in its base's."""
    if not of_level(t, level) or (level is None and not (mode.duals and mode.fwd)):
        return None
    own = getattr(t, "_tangent", None)
    if t._flags & VIEW:
        whole, known = getattr(t._view.base, "_tangent", None), getattr(t, "_tangent_of", None)
        if whole is not None and known is not whole and known is not DUAL:
            with resting(level):
                own = views.replay(whole, views.steps_of(t))
            hold(t, own, level)
            t._tangent_of = whole
    return own


def set_tangent(t: TensorBase, tangent: TensorBase, level: Level | None) -> None:
    """Give a new tensor its tangent."""
    hold(t, tangent, level)
    tell(t, tangent, level)


def hold(t: TensorBase, tangent: TensorBase, level: Level | None) -> None:
    """Keep a tangent with its tensor, for as long as the level is open."""
    t._tangent = tangent
    if level is None:
        t._level = None
        t._flags |= TRACKED
        Holders.now[id(t)] = t


def tell(t: TensorBase, tangent: TensorBase, level: Level | None) -> None:
    """Let a recording know of a tangent at the ground."""
    if level is None and mode.moved is not None:
        mode.moved(t, tangent)


def set_tangent_inplace(t: TensorBase, tangent: TensorBase, level: Level | None) -> None:
    """Give a tensor that was written to its new tangent, through the memory of the old one.

    The tangent of a view is a view of its base's tangent; a base without one moves nowhere yet:
    zeros.
    """
    with resting(level):
        old = get_tangent(t, level)
        if old is not None and not lane_levels(tangent) <= lane_levels(old):
            old = None  # it has no room for what differs from lane to lane
        if old is not None:
            old.copy_(tangent)
            moved = t._view.base if t._flags & VIEW and not is_dual(t) else t
            if (whole := getattr(moved, "_tangent", None)) is not None:
                tell(moved, whole, level)
            return
        if not t._flags & VIEW:
            set_tangent(t, tangent, level)
            return
        base = t._view.base
        array = base._array
        whole = getattr(base, "_tangent", None)
        zeros = np.zeros(array.shape, array.dtype)
        spread = fresh_like(zeros, tangent) if whole is None else fresh_like(zeros, tangent, whole)
        if whole is not None:
            spread.copy_(whole)
        set_tangent(base, spread, level)
        get_tangent(t, level).copy_(tangent)
        tell(base, spread, level)


# ---- the tangent of a result ------------------------------------------------------------------


def push(op: Op, tensors: tuple, args: tuple, results: tuple, level: Level | None) -> bool:
    """Give the results of a row their tangents at a level; False where no input has one."""
    if not passing(level):
        return False
    tangents = [get_tangent(t, level) for t in tensors]
    if all(t is None for t in tangents):
        return False
    found = pushed(op, tensors, args, results, tangents, level)
    for result, tangent in zip(results, found, strict=True):
        if tangent is not None:
            set_tangent(result, tangent, level)
            if result._flags & VIEW:
                result._tangent_of = (DUAL if is_dual(tensors[0]) else
                                      getattr(result._view.base, "_tangent", None))
    return True


def is_dual(t: Any) -> bool:
    """Whether a view has a tangent of its own, not its base's: what `make_dual` made, its views."""
    return getattr(t, "_tangent_of", None) is DUAL


def pushed(
    op: Op, tensors: tuple, args: tuple, results: tuple, tangents: list, level: Level | None
) -> tuple:
    """The results' tangents; None where a result is no floating number."""
    before = mode.reading
    mode.reading = True
    try:
        with resting(level), reaching(tangents):
            found = by_word(op, tensors, args, results, tangents)
            return tuple(
                None if r._array.dtype.kind not in "fc" else fitted(t, r)
                for t, r in zip(found, results, strict=True)
            )
    finally:
        mode.reading = before


@contextmanager
def reaching(tangents: list) -> Iterator[None]:
    """Inside, the stack goes up to the highest level of a tangent, which may have lanes."""
    before = mode.stack
    mode.stack = reach(tangents)
    mode.sum_up()
    try:
        yield
    finally:
        mode.stack = before
        mode.sum_up()


def reach(tangents: list) -> tuple:
    """The stack up to the highest level of a tangent."""
    stack = mode.stack
    for t in tangents:
        if t is not None and t._flags & LIFTED and t._level is not None and t._level.alive:
            depth = t._level.depth
            if depth > len(stack) and mode.full[depth - 1] is t._level:
                stack = mode.full[:depth]
    return stack


def viewed(op: View, tangent: TensorBase, args: tuple) -> Any:
    """A view's tangent: the same view of the tangent; of a copy where it lies otherwise."""
    try:
        return op.call(tangent, *args)
    except RuntimeError:
        if op.name not in ("view", "reshape_alias"):
            raise
        return op.call(shape_rows.contiguous.call(tangent), *args)


def by_word(op: Op, tensors: tuple, args: tuple, results: tuple, tangents: list) -> tuple:
    """What the row's word says, not yet in the shape and dtype of the result."""
    kind = op.kind or Kind(0)
    if isinstance(op, View):
        found = viewed(op, tangents[0], args)
        return found if op.parts else (found,)
    if all(r._array.dtype.kind not in "fc" for r in results):
        return (None,) * len(results)
    if op.jvp is not None:
        found = by_rule(op, tensors, args, results, tangents)
        return found if isinstance(found, tuple) else (found,) + (None,) * (len(results) - 1)
    if Kind.LINEAR in kind:
        return (
            called(
                op,
                [
                    moved(op, i, t, x)
                    for i, (t, x) in enumerate(zip(tangents, tensors, strict=True))
                ],
                args,
            ),
        )
    if Kind.MULTILINEAR in kind:
        return (
            total(
                [
                    called(op, [*tensors[:i], t, *tensors[i + 1 :]], args)
                    for i, t in enumerate(tangents)
                    if t is not None
                ]
            ),
        )
    if Kind.ELEMENTWISE in kind and op.node_name != "NotImplemented":
        refuse_unknown(op, tangents)
        return (diagonal(op, tensors, args, results, tangents) if op.vjp else None,)
    raise NotImplementedError(
        f"Trying to use forward AD with {op.name} that does not support it: "
        "its row has neither a word nor a jvp= for tangents"
    )


def refuse_unknown(op: Op, tangents: list) -> None:
    """A derivative that nobody has written down, as igamma's by its first argument."""
    for name, t in zip(op.inputs, tangents, strict=True):
        if t is not None and name in op.index and op.vjp.get(name) is None:
            raise NotImplementedError(
                f"Trying to use forward AD with {op.name} that does not support it: its derivative "
                f"by {name} is not known")


def called(op: Op, tensors: list, args: tuple) -> TensorBase:
    """The row, however it takes its tensors."""
    return op.call(tensors, *args) if op.variadic else op.call(*tensors, *args)


def total(terms: list) -> Any:
    """The sum."""
    found = terms[0]
    for term in terms[1:]:
        found = found + term
    return found


def moved(op: Op, i: int, tangent: Any, x: Any) -> Any:
    """Input `i` of a linear row on tangents: its tangent, zeros, or, for a mask, itself."""
    if not op.differentiable(i) or x is None:
        return x
    if tangent is not None:
        return tangent
    if not isinstance(x, TensorBase):
        return type(x)(0)
    return TensorBase.wrap(np.zeros(x._array.shape, x._array.dtype))


def known(op: Op, tensors: tuple, args: tuple, results: tuple) -> dict:
    """Everything that a formula may name."""
    tensors = tuple(number_as_array(t, tensors) for t in tensors)
    found = {
        **dict(zip(op.args, args, strict=False)),
        **dict(zip(op.outputs, results, strict=True)),
    }
    for name, t in zip(op.inputs, tensors, strict=False):
        array = getattr(t, "_array", t)
        found[name] = t
        found[f"{name}_shape"] = getattr(array, "shape", ())
        found[f"{name}_dtype"] = getattr(array, "dtype", None)
    return found


def by_rule(op: Op, tensors: tuple, args: tuple, results: tuple, tangents: list) -> Any:
    """`jvp=`: its parameters name tangents (`self_t`), inputs, outputs and arguments."""
    values = known(op, tensors, args, results)
    for name, t, x in zip(op.inputs, tangents, tensors, strict=False):
        if t is None and isinstance(x, TensorBase):
            dtype = x._array.dtype if x._array.dtype.kind in "fc" else results[0]._array.dtype
            t = TensorBase.wrap(np.zeros(x._array.shape, dtype))
        values[f"{name}_t"] = t
    code = op.jvp.__code__
    return op.jvp(*[values[name] for name in code.co_varnames[: code.co_argcount]])


def diagonal(op: Op, tensors: tuple, args: tuple, results: tuple, tangents: list) -> Any:
    """The sum over the inputs of (derivative at each place) times tangent.

    Backward multiplies by the conjugate of the derivative, hence the two conjugations; they cost
    nothing for real numbers.
    """
    values, terms, kind = known(op, tensors, args, results), [], results[0]._array.dtype
    for name, tangent in zip(op.inputs, tangents, strict=True):
        formula = op.vjp.get(name)
        if tangent is None or formula is None:
            continue
        if tangent._array.dtype != kind and (kind.kind == "c" or tangent._array.dtype.kind != "c"):
            tangent = tangent.to_numpy_dtype(kind)
        terms.append(formula(tangent.conj(), *[values[n] for n in parameters(formula)]).conj())
    if not terms:
        return TensorBase.wrap(np.zeros(results[0]._array.shape, kind))
    found = total(terms)
    return found.real if found._array.dtype.kind == "c" and kind.kind != "c" else found


def fitted(tangent: Any, result: TensorBase) -> TensorBase | None:
    """A tangent in the shape and dtype of the result."""
    if tangent is None:
        return None
    if not isinstance(tangent, TensorBase):
        tangent = TensorBase.wrap(np.asarray(tangent))
    shape, dtype = result._array.shape, result._array.dtype
    if tangent._array.shape != shape:
        tangent = view_rows.expand.call(tangent, shape)
    if tangent._array.dtype != dtype:
        tangent = tangent.to_numpy_dtype(dtype)
    return tangent
