"""Other dtypes and devices: `to` and its short forms."""

from typing import Any

import numpy as np

from autodidact.arrays import device as devices
from autodidact.arrays import dtype as dt
from autodidact.arrays.device import CPU
from autodidact.arrays.foreign import device_of_dtype
from autodidact.arrays.memory_format import laid_out, preserve_format
from autodidact.arrays.place import marked_for
from autodidact.functions.arguments import need_tensor
from autodidact.ops import shape as rows
from autodidact.public import method
from autodidact.tensor import Tensor
from autodidact.tensor_base import memory

__all__ = ["to"]


@method
def to(self: Tensor, *args: Any, dtype: Any = None, device: Any = None, other: Tensor | None = None,
       non_blocking: bool = False, copy: bool = False, memory_format: Any = None) -> Tensor:
    """The tensor in another dtype (or on another device); itself when nothing changes.

    Args:
        self: the tensor.
        args: `(dtype)`, `(device)`, `(device, dtype)` or `(other tensor)`, then non_blocking, copy.
        dtype: the dtype by name.
        device: the device by name.
        other: a tensor whose dtype and device to take.
        non_blocking: accepted for PyTorch's sake.
        copy: a copy even when nothing changes.
        memory_format: accepted for PyTorch's sake.

    Example:
        >>> torch.tensor([1.5, 2.5]).to(torch.int64)
        tensor([1, 2])
    """
    flags = []
    for a in args:
        if isinstance(a, Tensor):
            other = a
        elif isinstance(a, dt.dtype):
            dtype = a
        elif isinstance(a, bool):
            flags.append(a)
        elif a is not None:
            device = a
    copy = flags[1] if len(flags) > 1 else copy
    if other is not None:
        dtype, device = other.dtype, other.device
    kind = self._array.dtype if dtype is None else dt.to_numpy(dtype)
    where = here = self.device
    if device is not None:
        where = devices.check(device)
    if where is not CPU or here is not CPU:
        kind = marked_for(kind, where)
    if kind == self._array.dtype and where == here and not copy:
        if memory_format in (None, preserve_format):
            return self
        if laid_out(memory(self), memory_format).strides == memory(self).strides:
            return self
    made = rows.to_copy.call(self, kind)
    if memory_format is not None:
        made._array = laid_out(memory(made), memory_format)
    return made


@method
def to_numpy_dtype(self: Tensor, kind: np.dtype) -> Tensor:
    """As `to`, for NumPy's dtypes and the device that they name: what formulas use."""
    same = kind == self._array.dtype and device_of_dtype(kind) == self.device
    return self if same else rows.to_copy.call(self, kind)


def short_form(name: str, kind: dt.dtype) -> None:
    """`x.float()` and the like."""
    def cast(self: Tensor, memory_format: Any = None) -> Tensor:
        return to(self, kind, memory_format=memory_format)
    cast.__name__ = cast.__qualname__ = name
    cast.__doc__ = f"The tensor as {kind}; itself when it already is."
    method(cast)


for _name, _kind in (("float", dt.float32), ("double", dt.float64), ("half", dt.float16),
                     ("bfloat16", dt.bfloat16),
                     ("int", dt.int32), ("long", dt.int64), ("short", dt.int16),
                     ("char", dt.int8), ("byte", dt.uint8), ("bool", dt.bool_),
                     ("cfloat", dt.complex64), ("cdouble", dt.complex128)):
    short_form(_name, _kind)


@method
def type_as(self: Tensor, other: Tensor) -> Tensor:
    """The tensor in the dtype of `other`."""
    need_tensor(other, "type_as", "other")
    return to(self, other.dtype)


@method
def cpu(self: Tensor, memory_format: Any = None) -> Tensor:
    """The tensor in the CPU's memory: itself where it is there, else a copy."""
    return to(self, CPU)


@method
def cuda(self: Tensor, device: Any = None, non_blocking: bool = False,
         memory_format: Any = None) -> Tensor:
    """The tensor on a GPU (the current one, or `device`): itself where it is there, else a copy.

    Raises:
        AssertionError: where CuPy is not installed; the message names the extra.
        RuntimeError: where there is no GPU; for a device that is none.
    """
    if device is None:
        device = "cuda"
    elif not isinstance(device, int) and devices.device(device).type != "cuda":
        raise ValueError(f"Invalid device, must be cuda device, got {device}")
    return to(self, device)


