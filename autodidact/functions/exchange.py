"""Numbers exchanged with other libraries, without a copy: DLPack and the buffer protocol."""

import ctypes
from typing import Any

import numpy as np

from autodidact.arrays import device as devices
from autodidact.arrays import dtype as dt
from autodidact.arrays.bfloat16 import BFloat16Array, numpy_dtype
from autodidact.arrays.device import CPU
from autodidact.autograd import graph
from autodidact.functions.creation import array_of, fresh, from_numpy
from autodidact.public import function, method
from autodidact.tensor import Tensor
from autodidact.tensor_base import memory

__all__ = ["asarray", "from_dlpack", "frombuffer"]


@method
def __dlpack__(self: Tensor, *, stream: Any = None, max_version: tuple | None = None,
               dl_device: Any = None, copy: bool | None = None) -> Any:
    """The numbers as a DLPack capsule, for the other library's `from_dlpack`.

    Raises:
        BufferError: when the tensor requires grad: the other library would not record.
    """
    if graph.requires_grad(self):
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
    given = {"stream": stream, "max_version": max_version, "dl_device": dl_device, "copy": copy}
    return memory(self).__dlpack__(**{k: v for k, v in given.items() if v is not None})


@method
def __dlpack_device__(self: Tensor) -> tuple:
    """(1, 0) for the CPU, (2, number) for a GPU."""
    return memory(self).__dlpack_device__()


@function
def to_dlpack(tensor: Tensor) -> Any:
    """A DLPack capsule of the tensor's memory."""
    return __dlpack__(tensor)


class Capsule:
    """A bare capsule, dressed as something that can be asked for it."""

    def __init__(self, capsule: Any) -> None:
        self.capsule = capsule

    def __dlpack__(self, **unused: Any) -> Any:
        return self.capsule

    def __dlpack_device__(self) -> tuple:
        return 1, 0


@function
def from_dlpack(ext_tensor: Any) -> Tensor:
    """A tensor on the memory of another library's array (or of a DLPack capsule).

    Example:
        >>> torch.from_dlpack(np.arange(3.0))
        tensor([0., 1., 2.], dtype=torch.float64)
    """
    source = ext_tensor if hasattr(ext_tensor, "__dlpack__") else Capsule(ext_tensor)
    array = np.from_dlpack(source)
    dt.check_given(array.dtype)
    if not array.flags.writeable:
        # NumPy marks what it imports as read-only; the memory is the other library's, and shared.
        array = writable(array)
    return fresh(array)


def writable(array: np.ndarray) -> np.ndarray:
    """The same memory, writable."""
    size = array.size and sum((n - 1) * s for n, s in zip(array.shape, array.strides, strict=True)
                              ) + array.itemsize
    block = (ctypes.c_char * size).from_address(array.__array_interface__["data"][0])
    block.keeper = array
    return np.ndarray(array.shape, array.dtype, block, 0, array.strides)


@function
def asarray(obj: Any, *, dtype: Any = None, device: Any = None, copy: bool | None = None,
            requires_grad: bool = False) -> Tensor:
    """`obj` as a tensor; shares memory where it can, unless `copy=True`.

    Args:
        obj: a tensor, an array, a DLPack exporter, nested sequences of numbers.
        dtype: the dtype to have.
        device: where to put it.
        copy: True copies; False refuses to.
        requires_grad: of the result.

    Raises:
        ValueError: `copy=False` where a copy is needed.
    """
    if isinstance(obj, Tensor):
        t = obj.to(device=device, dtype=dtype)
        if copy is False and t is not obj:
            raise ValueError("can't alias tensor with another dtype: a copy is needed")
        t = t.clone() if copy and t is obj else t
        return t.requires_grad_() if requires_grad else t
    where = devices.check(device)
    same = where is CPU and (dtype is None or dt.to_numpy(dtype) == getattr(obj, "dtype", None))
    if isinstance(obj, np.ndarray) and not copy and same:
        return from_numpy(obj).requires_grad_(requires_grad)
    if copy is False:
        raise ValueError("can't alias arbitrary sequence into a tensor: a copy is needed")
    return fresh(array_of(obj, dtype, copy=True), requires_grad, where=where)


@function
def frombuffer(buffer: Any, *, dtype: Any, count: int = -1, offset: int = 0,
               requires_grad: bool = False) -> Tensor:
    """A 1-dim tensor on the memory of an object with a buffer (`bytearray`, `array`).

    Args:
        buffer: the object.
        dtype: how to read its bytes.
        count: how many elements; -1: all.
        offset: bytes to skip.
        requires_grad: of the result.
    """
    kind = dt.to_numpy(dtype)
    if kind is dt.BFLOAT16:
        return fresh(BFloat16Array(np.frombuffer(buffer, numpy_dtype(), count, offset)),
                     requires_grad)
    return fresh(np.frombuffer(buffer, kind, count, offset), requires_grad)
