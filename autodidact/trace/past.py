"""What happened before a pass that no node of its graph tells of.

While a recording is on, three things are noted: the line that last wrote into a piece of memory,
the value that a leaf had when a pass last wrote its `.grad`, and the operation after which a result
has no graph though an input has one (`detach`, or recording switched off). `silent.py` asks for
them.
"""

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from autodidact.arrays.strided import owner
from autodidact.autograd.grad_mode import mode
from autodidact.tensor_base import TensorBase, version
from autodidact.trace.measure import measure, without_pictures

__all__ = ["accumulated", "cut_of", "leaf_when", "note_cut", "same", "wrote", "wrote_last"]


class Known:
    """What is known of objects, forgotten when they die.

    By identity: `==` of tensors compares their elements, so a `WeakKeyDictionary` will not do.
    """

    def __init__(self) -> None:
        self.kept: dict[int, tuple] = {}

    def put(self, one: Any, told: Any) -> None:
        """Know this of an object from now on."""
        key, kept = id(one), self.kept
        kept[key] = weakref.ref(one, lambda _: kept.pop(key, None)), told

    def of(self, one: Any) -> Any:
        """What is known of an object; None for others."""
        ref, told = self.kept.get(id(one), (None, None))
        return told if ref is not None and ref() is one else None


memories = Known()      # owner of memory -> {"cell", "line", "file", "source"} of its last write
gradients = Known()     # a `.grad` -> [its version, the SUMMARY of its leaf's value then]
severed = Known()       # a tensor -> where the way back from it ends


# ---- writes --------------------------------------------------------------------------------------


def wrote(t: TensorBase, where: dict) -> None:
    """A tensor has been written in place; a clipped `.grad` is still that of the same value."""
    if isinstance(t._array, np.ndarray):
        memories.put(owner(t._array), where)
    known = gradients.of(t)
    if known is not None:
        known[0] = version(t)


def wrote_last(t: TensorBase) -> dict | None:
    """The line that last wrote into a tensor's memory, by whatever name."""
    return memories.of(owner(t._array)) if isinstance(t._array, np.ndarray) else None


# ---- .grad ---------------------------------------------------------------------------------------


def accumulated(leaf: TensorBase) -> None:
    """A pass has written a leaf's `.grad`."""
    grad = getattr(leaf, "_grad", None)
    if grad is not None:
        with without_pictures():
            gradients.put(grad, [version(grad), measure(leaf._array)])


def leaf_when(grad: TensorBase | None) -> dict | None:
    """The value of its leaf when a `.grad` was last added to; None where nobody has seen that."""
    known = None if grad is None else gradients.of(grad)
    return known[1] if known is not None and known[0] == version(grad) else None


def same(one: dict | None, other: dict | None) -> bool:
    """Whether two SUMMARYs are of equal values, as far as a SUMMARY tells."""
    keys = ("shape", "text", "values", "min", "max", "mean")
    return one is not None and other is not None and all(one[key] == other[key] for key in keys)


# ---- ways that end -------------------------------------------------------------------------------


def note_cut(op: Any, tensors: tuple, results: tuple, place: Callable) -> None:
    """An operation has not been recorded: was it because the way to a leaf has been cut?

    Args:
        op: the operation; None for `detach`.
        tensors, results: what went in and what came out.
        place: gives (variable, source text, where) of the learner's line.
    """
    inputs = [t for t in tensors if isinstance(t, TensorBase)]
    told = next((known for known in map(cut_of, inputs) if known is not None), None)
    if told is None and (op is None or not mode.grad) and any(t._requires_grad for t in inputs):
        _, source, where = place()
        told = {"how": "detach" if op is None else "no_grad", "source": source, "where": where}
    for result in results if told is not None else ():
        if not result._requires_grad and result._array.dtype.kind in "fc":
            severed.put(result, told)


def cut_of(t: Any) -> dict | None:
    """Where the way back from a tensor without a graph ends: {"how", "source", "where"}."""
    return severed.of(t) if isinstance(t, TensorBase) and not t._requires_grad else None
