"""The old type names: `torch.DoubleTensor(2, 3)`, `isinstance(t, torch.FloatTensor)`."""

from typing import Any

import numpy as np

from autodidact.arrays import dtype as dt
from autodidact.functions.creation import array_of, fresh
from autodidact.functions.questions import TYPE_NAMES
from autodidact.public import function, method
from autodidact.tensor import Tensor

__all__ = ["LegacyType"]


class LegacyType(type):
    """The class of `torch.DoubleTensor` and its like: a name for one dtype."""

    dtype: dt.dtype

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and instance.dtype is cls.dtype

    def __call__(cls, *args: Any, device: Any = None) -> Tensor:
        """A tensor of this dtype."""
        return old_constructor(cls.dtype, args)


def old_constructor(kind: dt.dtype, args: tuple) -> Tensor:
    """`T()`, `T(2, 3)` (uninitialised, zeros here), `T([1, 2])`, `T(tensor)`."""
    if len(args) == 1 and isinstance(args[0], Tensor):
        if args[0].dtype is not kind:
            raise TypeError(f"expected {kind} (got {args[0].dtype})")
        return args[0].detach()
    if len(args) == 1 and isinstance(args[0], tuple) and hasattr(args[0], "numel"):
        args = tuple(args[0])
    if len(args) == 1 and not isinstance(args[0], (int, np.integer)):
        return fresh(array_of(args[0], kind, copy=True))
    return fresh(np.zeros(args or (0,), kind.numpy))


for _kind, _name in TYPE_NAMES.items():
    if _kind.startswith("complex"):
        continue
    _dtype = dt.BY_NAME[_kind]
    function(LegacyType(f"{_name}Tensor", (), {"dtype": _dtype, "__module__": "torch"}),
             f"{_name}Tensor")


def construct(cls: type, *args: Any, **named: Any) -> Tensor:
    """`torch.Tensor(2, 3)`, `torch.Tensor([1., 2.])`: the old constructor, in the default dtype."""
    if cls is not Tensor:
        return object.__new__(cls)
    return old_constructor(dt.get_default_dtype(), args)


Tensor.__new__ = staticmethod(construct)


@method
def new(self: Tensor, *args: Any, device: Any = None) -> Tensor:
    """The old constructor, for this tensor's dtype."""
    return old_constructor(self.dtype, args)
