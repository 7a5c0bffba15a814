"""What an operation or a write does on a level of vmap: all lanes at once, by the row's rule.

The rules move axes and call rows one level down; what has no rule runs lane by lane.
"""

import warnings
from typing import Any

import numpy as np

from autodidact import inplace
from autodidact.arrays import promotion
from autodidact.autograd.grad_mode import mode
from autodidact.dispatch import NUMBER
from autodidact.levels.lane_indices import (
    INDEX_RULES,
    below_lanes,
    lowered_indices,
    with_lanes,
)
from autodidact.levels.level import Level, below, lift, of_level
from autodidact.levels.tangents import called, resting, set_tangent
from autodidact.ops import (
    batching_rules,  # noqa: F401 - written rules
    join,
    view,
)
from autodidact.ops import shape as writes
from autodidact.ops.batching import Lanes, rule_of
from autodidact.ops.op import Op
from autodidact.tensor_base import LIFTED, TensorBase

__all__ = ["step", "write"]


def step(level: Level, op: Op, tensors: tuple, args: tuple) -> Any:
    """A row on a level of vmap; without lanes among its inputs it is done below."""
    has = [with_lanes(t, level) for t in tensors]
    if any(has):
        if mode.duals:
            tensors = tuple(joined(t, level) for t in tensors)
            has = [with_lanes(t, level) for t in tensors]
        if op.promote is not None:
            tensors = promoted(op, tensors)
    low = [below_lanes(t, level) for t in tensors]
    with below(level):
        if not any(has):
            return called(op, low, args)
        out = batched(op, level.size, low, has, args)
    outs = out if isinstance(out, (tuple, list)) else (out,)
    results = tuple(lift(o, level, True) for o in outs)
    return results if isinstance(out, (tuple, list)) else results[0]


def joined(t: Any, level: Level) -> Any:
    """A plain tensor whose tangent has lanes: before it meets one with lanes it gets some."""
    if not isinstance(t, TensorBase) or of_level(t, level) or not t._flags & LIFTED:
        return t
    tangent = t._tangent
    if tangent is None or not of_level(tangent, level):
        return t
    with below(level):
        wide = view.expand.call(view.unsqueeze.call(t, 0), (level.size, *t._array.shape))
        with resting(None):
            wide = view.alias.call(wide)
        set_tangent(wide, tangent._array.value, None)
    return lift(wide, level, True)


def batched(op: Op, size: int, values: list, has: list, args: tuple) -> Any:
    """The row on values with lanes: by its rule, else in a loop."""
    lanes = Lanes(size, values, has, args)
    rule = INDEX_RULES.get(op.name) or rule_of(op)
    out = rule(op, lanes) if rule is not None else None
    return loop(op, lanes) if out is None else out


def promoted(op: Op, tensors: tuple) -> tuple:
    """Inputs in their common dtype, found with the dimensions of one lane."""
    values = [
        i
        for i, t in enumerate(tensors)
        if t is not None and (op.variadic or op.inputs[i] not in op.index)
    ]
    arrays = [getattr(tensors[i], "_array", tensors[i]) for i in values]
    kinds = {a.dtype if hasattr(a, "dtype") else None for a in arrays}
    if len(kinds) == 1:
        return tensors
    common = promotion.result_dtype(
        [
            (a.dtype, len(a.shape) > 0, False)
            if hasattr(a, "dtype")
            else (NUMBER[type(a)], False, True)
            for a in arrays
        ]
    ).numpy
    changed = list(tensors)
    for i in values:
        if isinstance(tensors[i], TensorBase) and tensors[i]._array.dtype != common:
            changed[i] = tensors[i].to_numpy_dtype(common)
    return tuple(changed)


# ---- the loop -----------------------------------------------------------------------------------


def loop(op: Op, lanes: Lanes) -> Any:
    """One lane after the other, and the results stacked: right, but slow."""
    warnings.warn(
        "There is a performance drop because we have not yet implemented the batching rule "
        f"for {op.name}: its lanes run one after the other",
        UserWarning,
        stacklevel=3,
    )
    if not lanes.size:
        return of_no_lanes(op, lanes)
    found = [called(op, lane(lanes, k), lanes.args) for k in range(lanes.size)]
    if isinstance(found[0], (tuple, list)):
        return tuple(join.stack.call([f[i] for f in found], 0) for i in range(len(found[0])))
    if any(f._array.shape != found[0]._array.shape for f in found):
        raise RuntimeError(
            "vmap: We do not support batching operators that can output dynamic shape: "
            f"{op.name} gives another shape in each lane"
        )
    return join.stack.call(found, 0)


def lane(lanes: Lanes, k: int) -> list:
    """The inputs of one lane."""

    def part(x: TensorBase, marked: tuple | None = None) -> TensorBase:
        if marked is not None and not any(x is m for m in marked):
            return x
        return view.select.call(x, 0, k)

    return [
        v
        if not has
        else part(v)
        if not hasattr(v, "lanes")
        else lowered_indices(v, lambda x, v=v: part(x, v.lanes))
        for v, has in zip(lanes.values, lanes.has, strict=True)
    ]


def of_no_lanes(op: Op, lanes: Lanes) -> Any:
    """No lanes: the shapes of one lane of zeros, none of it."""
    one = [
        TensorBase.wrap(np.zeros(lanes.shape(i), v._array.dtype)) if has else v
        for i, (v, has) in enumerate(zip(lanes.values, lanes.has, strict=True))
    ]
    found = called(op, one, lanes.args)
    many = found if isinstance(found, (tuple, list)) else (found,)
    none = tuple(TensorBase.wrap(np.zeros((0, *f._array.shape), f._array.dtype)) for f in many)
    return none if isinstance(found, (tuple, list)) else none[0]


# ---- writes -------------------------------------------------------------------------------------

INTO_SHARED = (
    "vmap: inplace arithmetic(self, *extra_args) is not possible because there exists a "
    "Tensor `other` in extra_args that has more elements than `self`. This happened due to "
    "`other` being vmapped over but `self` not being vmapped over in a vmap. Write out of "
    "place, or make `self` with new_zeros or zeros_like from a tensor that is vmapped over"
)


def write(level: Level, op: Op, x: TensorBase, others: tuple, args: tuple) -> None:
    """`x` becomes the row's result, in every lane its own."""
    has = [with_lanes(t, level) for t in (x, *others)]
    if not has[0] and any(has):
        raise RuntimeError(INTO_SHARED)
    low = [below_lanes(t, level) for t in (x, *others)]
    with below(level):
        if not any(has) or (not others and not args):
            inplace.write(op, low[0], tuple(low[1:]), args)
            return
        lanes = Lanes(level.size, low, has, args)
        if op.name == "fill":
            op = writes.copy
        if op.elementwise or op.name in ("copy", "fill_scalar"):
            rank = len(lanes.shape(0))
            if lanes.rank() > rank:
                raise RuntimeError(
                    f"output with shape {list(lanes.shape(0))} doesn't match the "
                    f"broadcast shape of rank {lanes.rank()}"
                )
            values = tuple(lanes.aligned(i, rank) for i in range(1, len(low)))
            inplace.write(op, low[0], values, args)
            return
        result = batched(op, level.size, low, has, args)
        inplace.write(writes.copy, low[0], (result,), ())
