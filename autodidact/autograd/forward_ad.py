"""Forward mode: tensors with a tangent, and how operations pass it on.

    with dual_level():
        x = make_dual(primal, tangent)
        y = x.sin()                          # carries cos(primal) * tangent
        unpack_dual(y).tangent

A tangent says in which direction, and how fast, a value moves; `levels/tangents.py` has the rules
by which operations pass it on. Here are the tangents of the ground, below all transforms;
`func.jvp` makes levels of its own, which nest.
"""

from typing import Any, NamedTuple

import numpy as np

from autodidact.autograd.grad_mode import mode
from autodidact.levels import loaded as _loaded  # noqa: F401 - what runs inside transforms
from autodidact.levels.level import Level, below, lift, of_level
from autodidact.levels.tangents import (
    DUAL,
    Holders,
    forget,
    get_tangent,
    resting,
    set_tangent,
)
from autodidact.ops import shape as copies
from autodidact.ops import view as view_rows
from autodidact.tensor_base import BATCHED, LIFTED, TensorBase, resolve

__all__ = [
    "UnpackedDualTensor",
    "dual_level",
    "enter_dual_level",
    "exit_dual_level",
    "make_dual",
    "unpack_dual",
]

_current_level = -1


# ---- levels of the ground ---------------------------------------------------------------------


def enter_dual_level() -> int:
    """Begin a forward-mode level; tangents live until it ends. Returns its number, 0.

    Raises:
        RuntimeError: when one is open already.
    """
    global _current_level
    if mode.duals:
        raise RuntimeError(
            "Nested forward mode AD is not supported at the moment: a dual_level is "
            "open already. Use torch.func.jvp for nested derivatives"
        )
    mode.set(duals=1)
    Holders.now, _current_level = Holders.empty(), 0
    return 0


def exit_dual_level(*, level: int | None = None) -> None:
    """End the level and forget every tangent.

    Raises:
        RuntimeError: when no level is open, or another one is meant.
    """
    global _current_level
    if not mode.duals or level not in (None, 0):
        raise RuntimeError(
            "Trying to exit a forward AD level that was not the last one that was "
            "created. This is not supported."
        )
    for holder in list(Holders.now.values()):
        forget(holder)
    mode.set(duals=0)
    Holders.now, _current_level = None, -1


class dual_level:
    """Inside, tensors may have tangents.

    Example:
        >>> with fwAD.dual_level():
        ...     dual = fwAD.make_dual(x, torch.ones_like(x))
    """

    def __enter__(self) -> int:
        return enter_dual_level()

    def __exit__(self, *error: object) -> None:
        exit_dual_level()


def _is_fwd_grad_enabled() -> bool:
    """Whether operations pass tangents on."""
    return mode.fwd


class _set_fwd_grad_enabled:
    """Switch the passing on of tangents, as a call or as a context manager."""

    def __init__(self, enabled: bool) -> None:
        self._before = mode.fwd
        mode.set(fwd=bool(enabled))

    def __enter__(self) -> None:
        return None

    def __exit__(self, *error: object) -> None:
        mode.set(fwd=self._before)


# ---- duals ------------------------------------------------------------------------------------


class UnpackedDualTensor(NamedTuple):
    """What `unpack_dual` gives: the value, and the tangent (None without one)."""

    primal: Any
    tangent: Any


def make_dual(tensor: TensorBase, tangent: TensorBase, *, level: int | None = None) -> TensorBase:
    """A view of `tensor` that carries `tangent`.

    Args:
        tensor: the value; shares memory and version with the result.
        tangent: of the same shape and dtype; kept as the same object where the layout agrees.
        level: the open level.

    Raises:
        RuntimeError: outside a level; sizes that differ; a tangent that has a tangent.
        ValueError: numbers that are not floating point or complex.

    Example:
        >>> with fwAD.dual_level():
        ...     y = fwAD.make_dual(x, torch.ones_like(x)) ** 2
    """
    if not mode.duals:
        raise RuntimeError(
            "Trying to create a dual Tensor for forward AD but no level exists, make "
            "sure to enter_dual_level() first."
        )
    for what, t in (("primal", tensor), ("tangent", tangent)):
        if t._array.dtype.kind not in "fc":
            raise ValueError(f"Expected {what} to be floating point or complex, but got: {t.dtype}")
    if tensor._array.shape != tangent._array.shape:
        raise RuntimeError(
            "Trying to set a forward gradient that has a different size than that of "
            f"the original Tensor, this is not supported. Tensor is of size "
            f"{list(tensor._array.shape)} while the given forward gradient is of size "
            f"{list(tangent._array.shape)}."
        )
    return dual_of(tensor, tangent)


def dual_of(tensor: TensorBase, tangent: TensorBase) -> TensorBase:
    """`make_dual` level by level: the tangent belongs to the ground, below all transforms."""
    tensor, tangent = resolve(tensor), resolve(tangent)
    level = tensor._level if tensor._flags & LIFTED else None
    if level is not None:
        lanes = bool(tensor._flags & BATCHED)
        low = (
            tangent._array.value
            if of_level(tangent, level)
            else with_lanes(tangent, level)
            if lanes
            else tangent
        )
        with below(level):
            value = dual_of(tensor._array.value, low)
        return lift(value, level, lanes)
    if get_tangent(tensor, None) is not None:
        raise RuntimeError(
            "Making a dual Tensor based on a Tensor that already has a forward gradient at the "
            "same level 0 is not supported."
        )
    if get_tangent(tangent, None) is not None:
        raise RuntimeError(
            "Detected that the tangent has a forward gradient at the same level: the "
            "tangent given to make_dual is dual itself"
        )
    with resting(None):
        dual = view_rows.alias.call(tensor)
        if mode.inference:
            return dual
        if tangent._array.dtype != tensor._array.dtype:
            tangent = copies.to_copy.call(tangent, tensor._array.dtype)
        elif (
            not tangent._flags & BATCHED
            and np.asarray(tangent._array).strides != np.asarray(tensor._array).strides
        ):
            tangent = copies.contiguous.call(tangent)
    set_tangent(dual, tangent, None)
    dual._tangent_of = DUAL
    return dual


def with_lanes(t: TensorBase, level: Level) -> TensorBase:
    """A tensor from outside vmap, seen once in every lane."""
    row = view_rows.unsqueeze.call(t, 0)
    return view_rows.expand.call(row, (level.size, *t._array.shape))


def unpack_dual(tensor: TensorBase, *, level: int | None = None) -> UnpackedDualTensor:
    """The value as a view without tangent, and the tangent."""
    if not mode.duals:
        return UnpackedDualTensor(tensor, None)
    return UnpackedDualTensor(*parts_of(tensor))


def parts_of(tensor: TensorBase) -> tuple:
    """`unpack_dual` level by level."""
    if tensor._flags & LIFTED and tensor._level is not None:
        level, lanes = tensor._level, bool(tensor._flags & BATCHED)
        with below(level):
            primal, tangent = parts_of(tensor._array.value)
        return lift(primal, level, lanes), None if tangent is None else lift(tangent, level, lanes)
    with resting(None):
        return view_rows.alias.call(tensor), get_tangent(tensor, None)
