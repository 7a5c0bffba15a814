"""Index tensors under vmap: x[i], x[i] = v where x, i or v have lanes.

Lanes become one more index: 0, 1, 2, ..., one for each lane, so that entry i of lane b is found at
[b, i]. What is left is to see where NumPy puts the dimensions of the result.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from autodidact.levels.level import Level, lower, of_level
from autodidact.ops import index, view
from autodidact.ops.batching import Lanes
from autodidact.ops.op import Op
from autodidact.tensor_base import BATCHED, TensorBase

__all__ = ["INDEX_RULES", "below_lanes", "lowered_indices", "with_lanes"]


def is_indices(t: Any) -> bool:
    """Several index tensors that a node saves as one."""
    return isinstance(t, TensorBase) and not t._flags and hasattr(t, "tensors")


def with_lanes(t: Any, level: Level) -> bool:
    """Whether an input has lanes on this level."""
    if is_indices(t):
        return any(with_lanes(x, level) for x in t.tensors)
    return of_level(t, level) and bool(t._flags & BATCHED)


def lowered_indices(t: Any, change: Callable) -> Any:
    """An input changed; of index tensors each one, and themselves where nothing changes."""
    if not is_indices(t):
        return change(t)
    changed = tuple(None if x is None else change(x) for x in t.tensors)
    same = all(a is b for a, b in zip(changed, t.tensors, strict=True))
    return t if same else type(t)(changed)


def below_lanes(t: Any, level: Level) -> Any:
    """An input one level down; index tensors remember which of them have lanes."""
    found = lowered_indices(t, lambda x: lower(x, level))
    if is_indices(t):
        found.lanes = tuple(
            new for new, old in zip(found.tensors, t.tensors, strict=True) if with_lanes(old, level)
        )
    return found


class Places:
    """Index tensors read with lanes in mind.

    Attributes:
        tensors: for each dimension an index tensor or None; masks as the places of their ones.
        has: which of them have lanes.
        first: the first dimension that is indexed.
        adjacent: whether the indexed dimensions lie side by side.
        shape: the shape that the index tensors broadcast to, of one lane.
    """

    def __init__(self, indices: Any) -> None:
        self.kind, self.tensors, self.has = type(indices), [], []
        for t in indices.tensors:
            lane = any(t is x for x in indices.lanes)
            for part in spelled(t, lane):
                self.tensors.append(part)
                self.has.append(lane)
        used = [i for i, t in enumerate(self.tensors) if t is not None]
        self.first, self.adjacent = used[0], used == list(range(used[0], used[-1] + 1))
        self.shape = np.broadcast_shapes(
            *(
                t._array.shape[1 if h else 0 :]
                for t, h in zip(self.tensors, self.has, strict=True)
                if t is not None
            )
        )

    def numbered(self, size: int) -> Any:
        """The index tensors with the number of the lane in front, all with lanes first."""
        rank = len(self.shape)
        number = np.arange(size, dtype=np.int64).reshape((size, *(1,) * rank))
        return self.kind(
            (
                TensorBase.wrap(number),
                *(
                    self.behind_lanes(t, h, size)
                    for t, h in zip(self.tensors, self.has, strict=True)
                ),
            )
        )

    def behind_lanes(self, t: Any, has: bool, size: int) -> Any:
        """One index tensor with ones between its lanes and its own dimensions."""
        if t is None or not has:
            return t
        own = t._array.shape[1:]
        return t.reshape((size, *(1,) * (len(self.shape) - len(own)), *own))


def spelled(t: Any, lane: bool) -> list:
    """An index tensor as it is; a mask as the places of its ones, one tensor for each dimension."""
    if t is None or t._array.dtype.kind != "b":
        return [t]
    if lane:
        raise RuntimeError(
            "vmap: We do not support batching operators that can output dynamic shape: "
            "a mask that is vmapped over picks another number of entries in each lane"
        )
    return [TensorBase.wrap(places) for places in np.nonzero(np.asarray(t._array))]


def moved(x: Any, start: int, count: int, to: int) -> Any:
    """`count` dimensions from `start` on, moved so that they begin at `to`."""
    order = list(range(len(x._array.shape)))
    block = order[start : start + count]
    rest = order[:start] + order[start + count :]
    order = rest[:to] + block + rest[to:]
    return x if order == sorted(order) else view.permute(x, tuple(order))


def picked(op: Op, lanes: Lanes) -> Any:
    """x[indices]."""
    x, indices = lanes.values
    if lanes.has == [True, False]:
        plan = Places(indices)
        found = op.call(x, type(indices)((None, *indices.tensors)))
        return found if plan.adjacent else moved(found, len(plan.shape), 1, 0)
    plan = Places(indices)
    rank = len(plan.shape)
    if not lanes.has[0]:
        placed = plan.kind(
            tuple(
                plan.behind_lanes(t, h, lanes.size)
                for t, h in zip(plan.tensors, plan.has, strict=True)
            )
        )
        found = op.call(x, placed)
        return moved(found, plan.first, 1, 0) if plan.adjacent else found
    found = op.call(x, plan.numbered(lanes.size))
    if plan.adjacent and plan.first:
        return moved(found, 1, rank, 1 + plan.first)
    return found


def put(op: Op, lanes: Lanes) -> Any:
    """A copy with values at the indices."""
    _, indices, values = lanes.values
    (accumulate,) = lanes.args
    own = lanes.shape(0)
    plan = Places(indices)
    rank = len(plan.shape)
    rest = [n for i, n in enumerate(own) if i >= len(plan.tensors) or plan.tensors[i] is None]
    before = rest[: plan.first] if plan.adjacent else []
    after = rest[plan.first :] if plan.adjacent else rest
    target = (lanes.size, *before, *plan.shape, *after)
    if not isinstance(values, TensorBase):
        return op.call(lanes.front(0), plan.numbered(lanes.size), values, accumulate)
    inner = Lanes(lanes.size, [values], [lanes.has[2]], ())
    wide = view.expand(inner.aligned(0, len(target) - 1), target)
    if before:
        wide = moved(wide, 1 + len(before), rank, 1)
    return op.call(lanes.front(0), plan.numbered(lanes.size), wide, accumulate)


def put_back(op: Op, lanes: Lanes) -> Any:
    """Zeros with the gradient added at the indices: the transpose of picking."""
    grad, indices = lanes.values
    (shape,) = lanes.args
    zeros = TensorBase.wrap(np.zeros(shape, grad._array.dtype))
    return put(
        index.index_put,
        Lanes(lanes.size, [zeros, indices, grad], [False, lanes.has[1], lanes.has[0]], (True,)),
    )


def zeroed(op: Op, lanes: Lanes) -> Any:
    """A copy with zeros at the indices."""
    grad, indices = lanes.values
    zero = TensorBase.wrap(np.zeros((), grad._array.dtype))
    return put(
        index.index_put,
        Lanes(lanes.size, [grad, indices, zero], [lanes.has[0], lanes.has[1], False], (False,)),
    )


INDEX_RULES = {"index": picked, "index_put": put, "index_backward": put_back, "index_zero": zeroed}
