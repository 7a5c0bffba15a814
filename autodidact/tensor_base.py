"""What every floor may know of a tensor: where its numbers, its version and its history are.

`Tensor` itself (operators, methods, printing) lives two floors up. Code below it works on these
slots and creates tensors with `TensorBase.wrap`, which `tensor.py` sets: the one arrow that points
upward.
"""

import numpy as np

VIEW, INFERENCE, TRACKED, BATCHED, DETACHED = 1, 2, 4, 8, 16   # bits of `_flags`
REFORMED = 32                     # its array has got another shape than its node knows
LIFTED = TRACKED | BATCHED        # has a tangent, or belongs to a level of a transform (levels/)


class TensorBase:
    """Slots of a tensor.

    Attributes:
        _array: the NumPy array. A 0-dim result stays NumPy's scalar, which is immutable and so has
            no memory to share, until somebody asks for memory: see `memory`.
        _version_cell: FRESH, or `[int]`: one list shared by a base, its views and all that was
            detached from them; every in-place write adds one. None for inference tensors.
        _requires_grad, _grad_fn, output_nr: the stored history; exact unless the tensor is a view.
        _flags: 0 for a plain tensor; any bit sends operations through the slow door.
        _view: on views, the `View` (base, steps); else unset.
        _grad, _hooks, _accumulator, _level, _tangent: seldom used, unset until needed.
    """

    __slots__ = ("__dict__", "__weakref__", "_accumulator", "_array", "_flags", "_grad",
                 "_grad_fn", "_hooks", "_level", "_requires_grad", "_tangent", "_version_cell",
                 "_view", "output_nr")

    wrap: type     # the class Tensor: TensorBase.wrap(array) makes a plain one


FRESH = (0,)      # the version cell of a tensor that nobody has written to or shared: version 0


def version_cell(t: TensorBase) -> list | None:
    """The tensor's own version cell, to be shared or counted up; made when first asked for."""
    cell = t._version_cell
    if cell is FRESH:
        cell = t._version_cell = [0]
    return cell


def memory(t: TensorBase) -> np.ndarray:
    """The tensor's numbers as an array that may be written to or shared.

    A scalar becomes a 0-dim array here, once, and stays one: views, detach(), numpy() and in-place
    writes all come through this door, so a scalar in `_array` is known to be shared with nobody.
    For the same reason the version cell becomes the tensor's own here.
    """
    if t._version_cell is FRESH:
        t._version_cell = [0]
    array = t._array
    if type(array) is not np.ndarray and isinstance(array, np.generic):
        array = t._array = np.array(array)
    return array


def resolve(t: "TensorBase") -> "TensorBase":
    """The tensor itself; where it belongs to transforms that have ended, its value below them."""
    while t._flags & LIFTED:
        level = t._level
        if level is None or level.alive:
            break
        t = t._array.value
    return t


# Goes up with every in-place write, every `.grad` that is set, every hook that comes or goes and
# every pass: whoever watches a graph (`trace/`) needs to look at it again only when this has moved.
CHANGES = [0]


def count_write(t: TensorBase) -> None:
    """One more version; inference tensors do not count."""
    cell = version_cell(t)
    if cell is not None:
        cell[0] += 1
        CHANGES[0] += 1


def version(t: TensorBase) -> int:
    """The number of in-place writes so far; 0 for inference tensors, which do not count."""
    cell = t._version_cell
    return 0 if cell is None else cell[0]


def reform(t: TensorBase, array: np.ndarray) -> None:
    """Give a tensor another array without a node that says so (`x.data = y`, `set_`, ...).

    Where the shape or dtype is another, its node or accumulator describes it no longer: the short
    paths, which trust them, are closed for it.
    """
    if array.shape != t._array.shape or array.dtype != t._array.dtype:
        t._accumulator = None
        if t._grad_fn is not None:
            t._flags |= REFORMED
    t._array = array
