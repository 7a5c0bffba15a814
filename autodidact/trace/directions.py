"""Many directions at once: a pass whose gradients carry a dimension that counts them.

`autograd.grad(..., is_grads_batched=True)` runs on a level of vmap: a gradient there looks as if it
were one, and holds all of them (its lanes). A viewer shows what is held: each direction a row.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from autodidact.autograd.grad_mode import mode
from autodidact.levels.level import VMAP, Level, ground_array, lift, of_level
from autodidact.tensor_base import LIFTED, TensorBase

__all__ = ["as_before", "inside", "level_now", "reading", "rows"]


def level_now() -> Level | None:
    """The level of the pass that is being prepared here, where it takes many directions at once."""
    level = mode.stack[-1] if mode.stack else None
    return level if level is not None and level.internal and level.kind == VMAP else None


@contextmanager
def inside(level: Level | None) -> Iterator[None]:
    """On the level: between two steps it is left, so that the learner's own code knows nothing."""
    if level is None or level.alive:
        yield
        return
    with level:
        yield


@contextmanager
def reading(level: Level | None, task: Any) -> Iterator[None]:
    """On the level, formulas are read on Tensors and nothing is recorded; without one, as it is."""
    if level is None:
        yield
        return
    before = mode.grad, mode.reading, mode.task
    with inside(level):
        mode.enter(False, True, task)
        try:
            yield
        finally:
            mode.enter(*before)


def rows(grad: Any, level: Level) -> Any:
    """The numbers of a gradient, a row for each direction; one that all share stands in each.

    Example: three directions of a value of shape (2,) are an array of shape (3, 2).
    """
    if grad is None:
        return None
    if isinstance(grad, TensorBase):
        if of_level(grad, level) and grad._array.lanes:
            return ground_array(grad)
        grad = ground_array(grad)
    return np.broadcast_to(grad, (level.size, *grad.shape))


def as_before(array: Any, like: TensorBase) -> TensorBase:
    """Such an array as the kind of tensor that `like` is."""
    made = TensorBase.wrap(array)
    return lift(made, like._level, True) if like._flags & LIFTED else made
