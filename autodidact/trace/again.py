"""A checkpoint's second run of forward: what is computed again, and with which random state.

A checkpointed segment keeps an empty place for every tensor that its nodes would have saved. When
backward comes to the first of them, the segment's function runs once more and fills the places.
"""

import weakref
from typing import Any

import numpy as np

from autodidact.arrays import generator
from autodidact.autograd.saved_tensors import Packed
from autodidact.trace.measure import measure
from autodidact.trace.second import Growth, ordinal
from autodidact.utils.checkpoint_frame import Place

__all__ = ["Forward", "Room", "place_of", "place_state", "same_random_state"]


class Forward:
    """Tells the operations of a second run, one after the other.

    Args:
        growth: knows what the pass's own nodes and leaves are called.
        events: where each operation is noted: ("forward", text, SUMMARY of its result).
    """

    def __init__(self, growth: Growth, events: list) -> None:
        self.growth, self.events, self.count = growth, events, 0
        self.kept: Any = None                     # the last tensor that went into a place
        self.seen: dict[int, tuple] = {}          # id of a result -> (weak result, its number)

    def watch(self, op: Any, tensors: tuple, args: tuple, results: tuple, node: Any) -> None:
        """One operation; the detached copy that a place gets is none."""
        if op is None:
            self.kept = tensors[0]
            return
        self.told(self.growth.operation(op, tensors, args, self.operand), results)

    def over(self) -> None:
        """The run has ended, perhaps inside its last operation, whose result was all it needed."""
        last, self.kept = self.kept, None
        if last is not None and self.operand(last) is None and last._grad_fn is not None:
            self.told(f"{last._grad_fn.name().partition('Backward')[0].lower()}(…)", (last,))

    def told(self, text: str, results: tuple) -> None:
        """Note an operation under the next number."""
        self.count += 1
        name = ordinal(self.count)
        text = f"{name} = {text}"
        for result in results:
            self.seen[id(result)] = weakref.ref(result), name
        value = measure(results[0]._array) if hasattr(results[0], "_array") else None
        self.events.append(("forward", text, value))

    def operand(self, given: Any) -> str | None:
        """The number of a tensor that this run has computed; None for others."""
        ref, name = self.seen.get(id(given), (None, None))
        return name if ref is not None and ref() is given else None


def same_random_state(state: Any) -> bool | None:
    """Whether the second run begins with the first one's random state; None: not looked after."""
    if state is None:
        return None
    now = generator.get_rng_state()
    return bool(np.array_equal(getattr(now, "_array", now), getattr(state, "_array", state)))


class Room:
    """Stands for the memory of a tensor that is not there yet."""

    def __init__(self, looks: dict) -> None:
        self.shape, self.dtype = tuple(looks["shape"]), looks["dtype"].numpy
        self.nbytes = int(np.prod(self.shape, dtype=np.int64)) * self.dtype.itemsize


def place_of(item: Any) -> Place | None:
    """The checkpoint's place that a node keeps instead of a tensor; None for everything else."""
    found = item.packed if isinstance(item, Packed) and hasattr(item, "packed") else None
    return found if isinstance(found, Place) else None


def place_state(item: Packed, number: int) -> dict:
    """The state of a place in pass `number`: absent, or filled by the second run."""
    ticket = item.packed.tickets.get(number)
    word = "absent" if ticket is None else "filled"
    return {"state": "packed" if ticket is None else "kept", "expected": None, "actual": None,
            "packed": {"what": "checkpoint", "hook": "checkpoint", "reads": 0, "place": word}}
