"""Custom Functions inside transforms: forward below, the user's context on each level.

On a level of grad or jvp the Function is applied one level down; the level then has a node of its
own, whose context the user's `setup_context` fills with tensors of this level. So forward runs
once, at the ground, on plain tensors, however many levels there are.
"""

from typing import Any

import numpy as np

from autodidact.autograd import graph
from autodidact.autograd.function import STEPS, Function, record
from autodidact.autograd.grad_mode import mode, no_grad
from autodidact.levels.level import VMAP, Level, below, lift, lower, of_level
from autodidact.levels.tangents import (
    Holders,
    get_tangent,
    passing,
    reaching,
    resting,
    set_tangent,
    set_tangent_inplace,
)
from autodidact.tensor_base import VIEW, TensorBase, resolve

__all__ = ["apply"]

NO_CONTEXT = (
    "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, "
    "...), it must override the setup_context staticmethod: forward(*args) without ctx, and "
    "setup_context(ctx, inputs, output)"
)


def apply(cls: Any, args: tuple, kwargs: dict) -> Any:
    """`cls.apply(*args)` while transforms are on."""
    args = tuple(resolve(a) if isinstance(a, TensorBase) else a for a in args)
    if not mode.stack:
        return at_ground(cls, args, kwargs)
    level = mode.stack[-1]
    if level.kind == VMAP:
        return STEPS["lanes"](level, cls, args, kwargs)
    if cls.setup_context is Function.setup_context:
        raise RuntimeError(NO_CONTEXT)
    low = tuple(lower(a, level) if isinstance(a, TensorBase) else a for a in args)
    ctx = generated(cls)()
    ctx.start(args)
    ctx.needs_input_grad = tuple(of_level(a, level) and graph.requires_grad(a) for a in args)
    recorded = mode.grad and any(ctx.needs_input_grad)
    if recorded:
        edges = [
            graph.edge(a) if wanted else (None, 0)
            for a, wanted in zip(args, ctx.needs_input_grad, strict=True)
            if isinstance(a, TensorBase)
        ]
        ctx.next, ctx.nrs = tuple(n for n, _ in edges), tuple(k for _, k in edges)
    with below(level):
        out = cls.apply(*low, **{name: lower(v, level) for name, v in kwargs.items()})
    many = isinstance(out, tuple)
    outputs = tuple(raised(o, args, low, level) for o in (out if many else (out,)))
    with no_grad():
        cls.setup_context(ctx, args, outputs if many else outputs[0])
    dirty = ctx.dirty_tensors
    results = record(ctx, args, outputs, recorded, True)
    move(cls, ctx, args, results, dirty, level)
    ctx.saved_for_forward = ()
    return results if many else results[0]


def raised(o: Any, args: tuple, low: tuple, level: Level) -> Any:
    """An output as a tensor of the level; an input that comes back is the level's input."""
    if not isinstance(o, TensorBase):
        return o
    for a, b in zip(args, low, strict=True):
        if o is b:
            return a
    return lift(o, level)


def generated(cls: Any) -> type:
    """The class of the nodes on levels: `FooGeneratedBackward`."""
    found = cls.__dict__.get("_generated_cls")
    if found is None:
        found = type(f"{cls.__name__}GeneratedBackward", (cls._backward_cls,), {})
        cls._generated_cls = found
    return found


# ---- tangents -----------------------------------------------------------------------------------


def at_ground(cls: Any, args: tuple, kwargs: dict) -> Any:
    """The ground, where arguments may be dual; inside forward tangents rest."""
    fwd = mode.fwd
    mode.set(fwd=False)
    try:
        out, ctx = cls.ground(args, kwargs)
    finally:
        mode.set(fwd=fwd)
    many = isinstance(out, tuple)
    results = out if many else (out,)
    dirty = tuple(a for a in args if isinstance(a, TensorBase) and any(a is r for r in results))
    move(cls, ctx, args, results, dirty, None)
    ctx.saved_for_forward = ()
    return out


def move(
    cls: Any, ctx: Any, args: tuple, results: tuple, dirty: tuple, level: Level | None
) -> None:
    """The tangents of the results, by the user's `jvp`."""
    if not passing(level):
        return
    given = [get_tangent(a, level) for a in args]
    if all(t is None for t in given):
        return
    given = [
        zeros_for(a)
        if t is None and isinstance(a, TensorBase) and a._array.dtype.kind in "fc"
        else t
        for a, t in zip(args, given, strict=True)
    ]
    ctx.for_jvp = ctx.saved_for_forward
    before = mode.reading
    mode.reading = False
    try:
        with resting(level), reaching(given):
            found = cls.jvp(ctx, *given)
    finally:
        mode.reading, ctx.for_jvp = before, None
    found = found if isinstance(found, tuple) else (found,)
    if len(found) != len(results):
        raise RuntimeError(
            f"{cls.__name__}.jvp returned {len(found)} tangents for {len(results)} outputs"
        )
    for number, (r, tangent) in enumerate(zip(results, found, strict=True)):
        if isinstance(r, TensorBase):
            give(cls, ctx, number, r, tangent, args, given, dirty, level)
    keep_tangents(ctx, results, level)


def zeros_for(x: TensorBase) -> TensorBase:
    """The tangent of an input that does not move."""
    return TensorBase.wrap(np.zeros(x._array.shape, x._array.dtype))


def give(
    cls: Any,
    ctx: Any,
    number: int,
    result: TensorBase,
    tangent: Any,
    args: tuple,
    given: list,
    dirty: tuple,
    level: Level | None,
) -> None:
    """One result's tangent, checked as PyTorch checks it."""
    if number in ctx.non_diff_outputs:
        if tangent is not None:
            raise RuntimeError(
                f"{cls.__name__}.jvp gives a tangent at position {number}, whose output "
                "is not differentiable. You should return None at that position instead"
            )
        return
    if tangent is None:
        return
    if tangent._array.shape != result._array.shape:
        raise RuntimeError(
            f"{cls.__name__}.jvp gives a tangent of shape {list(tangent._array.shape)} "
            f"for an output of shape {list(result._array.shape)}"
        )
    if any(result is d for d in dirty):
        place = next(i for i, a in enumerate(args) if a is result)
        give_in_place(result, tangent, given[place], level)
        return
    if result._flags & VIEW and any(result._view.base is base_of(a) for a in args):
        check_view(result, tangent, args, given)
    set_tangent(result, tangent, level)
    if result._flags & VIEW:
        result._tangent_of = getattr(result._view.base, "_tangent", None)


def give_in_place(
    result: TensorBase, tangent: TensorBase, given: Any, level: Level | None
) -> None:
    """The tangent of an input that forward wrote to must be written to as well."""
    if tangent is not given:
        raise RuntimeError(
            "An inplace custom Function is not modifying the forward mode gradients "
            "inplace. If the forward is modifying an input inplace, then the jvp "
            "function must modify the corresponding gradient inplace."
        )
    if get_tangent(result, level) is not tangent:
        set_tangent_inplace(result, tangent, level)


def base_of(a: Any) -> Any:
    """What a tensor looks into; itself when it is no view."""
    return a._view.base if isinstance(a, TensorBase) and a._flags & VIEW else a


def check_view(result: TensorBase, tangent: TensorBase, args: tuple, given: list) -> None:
    """The tangent of a view must be a view of the input's tangent."""
    if any(tangent is t for t in given):
        raise RuntimeError(
            "A custom Function's forward is returning a view (or an input as-is) but "
            "the jvp gives its tangent as it came: return x_t.view_as(x_t)"
        )
    place = next(i for i, a in enumerate(args) if base_of(a) is result._view.base)
    if not tangent._flags & VIEW:
        raise RuntimeError(
            "A custom Function's forward is returning a view (or an input as-is) but the jvp is "
            "not returning a view."
        )
    if base_of(tangent) is not base_of(given[place]):
        raise RuntimeError(
            "A custom Function is returning a view but the jvp is not returning a view of the "
            "given grad input, or one of the same base"
        )


def keep_tangents(ctx: Any, results: tuple, level: Level | None) -> None:
    """Saved outputs keep their tangent, too, until the level ends."""
    if not ctx.saved or (level is None and Holders.now is None):
        return
    STEPS["keep_tangents"](ctx, results, level)


STEPS["apply"] = apply
