"""Random numbers inside vmap: refused, different in each lane, or the same in all."""

from collections.abc import Callable
from typing import Any

import numpy as np

from autodidact.arrays.bfloat16 import stored
from autodidact.arrays.device import CPU, device
from autodidact.arrays.place import put, to_host
from autodidact.autograd.grad_mode import mode
from autodidact.levels.level import VMAP, ground_array, lane_levels, lift
from autodidact.tensor_base import INFERENCE, TensorBase

__all__ = ["drawn", "odds_of"]


def drawn(draw: Callable, shape: tuple, requires_grad: bool = False,
          where: device = CPU) -> TensorBase:
    """A new tensor of random numbers.

    Args:
        draw: shape -> array; called once, with the lanes in front where they shall differ.
        shape: of one lane.
        requires_grad: for a new leaf.
        where: the device to send them to.

    Raises:
        RuntimeError: inside a vmap with randomness="error".
    """
    different = different_levels()
    t = TensorBase.wrap(put(stored(draw((*(level.size for level in different), *shape))), where))
    for level in mode.stack:
        if level.kind != VMAP:
            t = lift(t, level)
        elif level in different:
            t = lift(t, level, True)
    if mode.inference:
        t._flags, t._version_cell = INFERENCE, None
    return t.requires_grad_() if requires_grad else t


def different_levels() -> list:
    """The levels whose lanes draw numbers of their own."""
    if not mode.stack:
        return []
    lanes = [level for level in mode.stack if level.kind == VMAP]
    for level in lanes:
        if level.randomness == "error":
            raise RuntimeError(
                "vmap: We do not yet support calling random operations inside of vmap here"
                if level.internal
                else "vmap: called random operation while in randomness error mode. Please either "
                "use the "
                "'same' or 'different' randomness flags on vmap or perform the randomness "
                "operation out "
                "of vmap"
            )
    return [level for level in lanes if level.randomness == "different"]


def odds_of(x: TensorBase) -> Any:
    """The probabilities in a tensor as an array, with lanes in front where it has some.

    Raises:
        RuntimeError: lanes of a level on which all lanes shall draw the same.
    """
    lanes = lane_levels(x)
    if lanes and lanes != set(different_levels()):
        raise RuntimeError(
            "vmap: Vmap does not currently support same randomness with a batched tensor input"
        )
    return np.asarray(to_host(ground_array(x) if lanes else x._array))
