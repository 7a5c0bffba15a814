"""Level: one running transform; Below: what a tensor of a level has in place of an array."""

from typing import Any

import numpy as np

from autodidact.arrays.bfloat16 import wide
from autodidact.autograd.grad_mode import mode
from autodidact.tensor_base import BATCHED, LIFTED, TRACKED, TensorBase, resolve

__all__ = ["GRAD", "JVP", "VMAP", "Below", "Level", "below", "lift", "lower", "of_level"]

GRAD, JVP, VMAP = "grad", "jvp", "vmap"

HOOKS = (
    "torch.func transforms of the gradient kind (grad, vjp, jacrev, hessian) don't yet support "
    "saved tensor hooks"
)


class Level:
    """One running transform; a context manager around the call of the user's function.

    Attributes:
        kind: GRAD, JVP or VMAP.
        depth: 1 for the outermost.
        size: how many lanes a VMAP level has.
        randomness: "error", "different" or "same": what random numbers do on a VMAP level.
        internal: made by autograd itself, not by a transform of the user.
        grad_before, fwd_before: GradMode and forward mode outside.
        alive: whether the function is still running; tensors of a dead level count as their values.
        tangents: where forward mode leaves what must be forgotten when the level ends.
    """

    __slots__ = (
        "__weakref__",
        "_before",
        "alive",
        "depth",
        "fwd_before",
        "grad_before",
        "internal",
        "kind",
        "randomness",
        "size",
        "tangents",
    )

    def __init__(
        self, kind: str, size: int = 0, randomness: str = "error", internal: bool = False
    ) -> None:
        self.kind, self.size, self.randomness, self.internal = kind, size, randomness, internal
        self.alive, self.tangents = False, None

    def __enter__(self) -> "Level":
        if self.kind == GRAD and mode.saved_hooks and mode.saved_hooks[-1][0] is not None:
            raise RuntimeError(HOOKS)
        self._before = {
            name: getattr(mode, name)
            for name in ("stack", "full", "grad", "fwd", "saved_hooks", "muted")
        }
        self.grad_before, self.fwd_before = mode.grad, mode.fwd
        self.depth, self.alive = len(mode.stack) + 1, True
        now: dict[str, Any] = {"stack": (*mode.stack, self), "full": (*mode.stack, self)}
        if self.kind == GRAD:
            now |= {"grad": True, "saved_hooks": ((None, HOOKS),)}
        elif self.kind == JVP:
            now["fwd"] = True
        mode.set(**now)
        return self

    def __exit__(self, *error: object) -> None:
        self.alive = False
        mode.set(**self._before)
        if self.tangents is not None:
            for holder in list(self.tangents.values()):
                holder.forget()
            self.tangents = None


class below:
    """Inside, the level is not there: the stack ends one lower, in the modes on outside it.

    A `no_grad` inside the transform's function cuts the levels below, too; one outside cuts only
    them: hence "and".
    """

    __slots__ = ("fwd", "grad", "level", "stack")

    def __init__(self, level: Level) -> None:
        self.level = level

    def __enter__(self) -> None:
        level = self.level
        self.stack, self.grad, self.fwd = mode.stack, mode.grad, mode.fwd
        mode.stack = self.stack[:-1]
        if level.kind == GRAD:
            mode.grad = mode.grad and level.grad_before
        elif level.kind == JVP:
            mode.fwd = mode.fwd and level.fwd_before
        mode.sum_up()

    def __exit__(self, *error: object) -> None:
        mode.stack, mode.grad, mode.fwd = self.stack, self.grad, self.fwd
        mode.sum_up()


class Below:
    """What stands in `_array` of a tensor of a level: it looks like an array and holds a tensor.

    Shape and dtype are those that the user's function sees: without the lanes of vmap.

    Attributes:
        value: the tensor one level down; with lanes, their dimension is its first.
        lanes: whether there are lanes.
    """

    __slots__ = ("dtype", "lanes", "shape", "value")
    base = None

    def __init__(self, value: TensorBase, lanes: bool) -> None:
        array = value._array
        self.value, self.lanes, self.dtype = value, lanes, array.dtype
        self.shape = array.shape[1:] if lanes else array.shape

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of entries, of one lane."""
        count = 1
        for n in self.shape:
            count *= n
        return count

    @property
    def itemsize(self) -> int:
        """Bytes of one entry."""
        return self.dtype.itemsize

    @property
    def flags(self) -> Any:
        """The layout in memory, of one lane."""
        return np.asarray(self).flags

    @property
    def strides(self) -> tuple:
        """Steps in memory, of one lane."""
        return np.asarray(self).strides

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """The numbers where there is one lane; else those of the first: for looks at the layout."""
        array = np.asarray(wide(self.value._array))
        if self.lanes:
            array = np.asarray(array[0]) if array.shape[0] else np.zeros(self.shape, self.dtype)
        return array if dtype is None else array.astype(dtype)

    def all(self) -> bool:
        """Whether every entry of every lane is true: what formulas ask before they divide."""
        return bool(self.value._array.all())

    def any(self) -> bool:
        """Whether some entry of some lane is true."""
        return bool(self.value._array.any())

    def item(self) -> Any:
        """The one number; RuntimeError where every lane has its own."""
        return self.one().item()

    def tolist(self) -> Any:
        """The numbers in lists; RuntimeError where every lane has its own."""
        return self.one().tolist()

    def one(self) -> Any:
        """The array below, where there are no lanes."""
        if self.lanes:
            level = next((x for x in reversed(mode.stack) if x.kind == VMAP), None)
            if level is not None and level.internal:
                raise RuntimeError(
                    "Batching rule not implemented for reading a tensor's numbers "
                    "(item(), bool(), numpy()): every lane has its own"
                )
            raise RuntimeError(
                "vmap: It looks like you're calling .item() on a Tensor, or using one "
                "in data-dependent control flow. Every lane has its own value; try "
                "to write it with operations such as torch.where"
            )
        return self.value._array


def lift(value: TensorBase, level: Level, lanes: bool = False) -> TensorBase:
    """A tensor of the level on a tensor one level down."""
    t = TensorBase.wrap(Below(value, lanes))
    t._flags, t._level, t._tangent = (BATCHED if lanes else TRACKED), level, None
    t._version_cell = [0]
    return t


def of_level(t: Any, level: Level | None) -> bool:
    """Whether `t` is a tensor of this level (None: of the ground)."""
    if not isinstance(t, TensorBase):
        return False
    return (t._level if t._flags & LIFTED else None) is level


def lower(t: Any, level: Level) -> Any:
    """The value of a tensor of this level; anything else as it is."""
    return (
        t._array.value
        if isinstance(t, TensorBase) and t._flags & LIFTED and t._level is level
        else t
    )


def ground_array(t: TensorBase) -> Any:
    """The NumPy array at the bottom, with the lanes of all levels in front."""
    while isinstance(t._array, Below):
        t = t._array.value
    return t._array


def fresh(t: TensorBase, stack: tuple | None = None) -> TensorBase:
    """A new tensor (of a factory, say) as one of every running level of grad or jvp.

    So it may be written to inside; a captured tensor may not.
    """
    for level in mode.stack if stack is None else stack:
        if level.kind != VMAP:
            t = lift(t, level)
    return t


def writable(t: TensorBase) -> TensorBase:
    """A captured tensor as one of every level above its own, so that it may be written to inside.

    For what a layer keeps beside its function: running averages. Nothing flows through them.
    """
    t = resolve(t)
    depth = t._level.depth if t._flags & LIFTED and t._level is not None else 0
    return fresh(t, mode.stack[depth:])


def fresh_like(array: np.ndarray, *likes: TensorBase) -> TensorBase:
    """A new tensor with these numbers, with lanes of its own wherever one of `likes` has lanes."""
    with_lanes = set().union(*map(lane_levels, likes))
    if with_lanes:
        sizes = tuple(level.size for level in mode.stack if level in with_lanes)
        array = np.array(np.broadcast_to(array, (*sizes, *array.shape)))
    t = TensorBase.wrap(array)
    for level in mode.stack:
        if level.kind != VMAP:
            t = lift(t, level)
        elif level in with_lanes:
            t = lift(t, level, True)
    return t


def lane_levels(t: TensorBase) -> set:
    """The levels on which the tensor has lanes: its own and those below."""
    found = set()
    while isinstance(t._array, Below):
        if t._array.lanes:
            found.add(t._level)
        t = t._array.value
    return found


# ---- what tensors do of themselves ---------------------------------------------------------------


def detached(t: TensorBase, own_version: bool = False) -> TensorBase:
    """`detach()`: without history and tangent, here and on every level below."""
    t = resolve(t)
    if not t._flags & LIFTED or t._level is None:
        return t.detach()
    made = lift(t._array.value.detach(), t._level, t._array.lanes)
    if not own_version:
        made._version_cell = t._version_cell
    return made


def detach_below(t: TensorBase) -> None:
    """`detach_()` on the levels below; at the ground the tangent goes."""
    if t._level is None:
        t._tangent = None
        t._flags &= ~LIFTED
        return
    t._tangent = None
    t._array.value.detach_()


def grounded(t: TensorBase) -> TensorBase:
    """The tensor with the numbers; RuntimeError where every lane has its own."""
    while isinstance(t._array, Below):
        if t._array.lanes and t._level.alive:
            t._array.one()
        t = t._array.value
    return t


def refuse(what: str) -> None:
    """What a user's function may not do to tensors inside a transform."""
    if not mode.stack[-1].internal:
        raise RuntimeError(
            f"You are attempting to call Tensor.{what} inside of a function being "
            "transformed. This is unsupported, please attempt to use the torch.func "
            "transforms (grad, vjp, jacrev, ...) instead"
        )


def text_of(t: TensorBase) -> str:
    """How a tensor of a level prints."""
    t = resolve(t)
    if not t._flags & LIFTED or t._level is None:
        return repr(t)
    name, extra = ("BatchedTensor", "bdim=0, ") if t._array.lanes else ("GradTrackingTensor", "")
    inner = repr(t._array.value).replace("\n", "\n    ")
    return f"{name}(lvl={t._level.depth}, {extra}value=\n    {inner}\n)"
