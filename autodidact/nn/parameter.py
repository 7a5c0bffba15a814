"""Parameter: a tensor that a Module trains; Buffer: one that is state but not trained."""

from typing import Any

import numpy as np

from autodidact.arrays.dtype import get_default_dtype
from autodidact.tensor import Tensor, wrap
from autodidact.tensor_base import memory, version_cell

__all__ = ["Buffer", "Parameter"]


class Parameter(Tensor):
    """A leaf that requires grad and, set as an attribute of a Module, joins its `parameters()`.

    Args:
        data: the tensor whose memory the parameter shares; None for an empty one.
        requires_grad: whether operations on it are recorded.

    Raises:
        RuntimeError: for integers that shall require grad.

    Example:
        >>> nn.Parameter(torch.zeros(2))
        Parameter containing:
        tensor([0., 0.], requires_grad=True)
    """

    __slots__ = ()

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> "Parameter":
        """A leaf on the memory of `data`."""
        if data is None:
            data = wrap(np.empty(0, get_default_dtype().numpy))
        if requires_grad and data._array.dtype.kind not in "fc":
            raise RuntimeError("Only Tensors of floating point and complex dtype can require "
                               f"gradients; this one is {data.dtype}")
        self = object.__new__(cls)
        self._array, self._flags, self.output_nr = memory(data), 0, 0
        self._version_cell, self._grad_fn = version_cell(data), None
        self._requires_grad = bool(requires_grad)
        return self

    def __deepcopy__(self, memo: dict) -> "Parameter":
        """A parameter on memory of its own; the gradient is not copied."""
        if id(self) not in memo:
            copied = type(self)(wrap(np.array(self._array)), self.requires_grad)
            memo[id(self)] = copied
        return memo[id(self)]

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        return "Parameter containing:\n" + super().__repr__()


class BufferType(type(Tensor)):
    """`isinstance(x, Buffer)` asks the tensor itself: a buffer is a plain tensor with a mark."""

    def __instancecheck__(cls, thing: Any) -> bool:
        return isinstance(thing, Tensor) and getattr(thing, "_is_buffer", False)


class Buffer(Tensor, metaclass=BufferType):
    """A tensor that a Module keeps as state: saved and moved with it, not trained.

    Args:
        data: the tensor; None for an empty one.
        persistent: whether it is part of the state_dict.
    """

    __slots__ = ()

    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True) -> Tensor:
        """A plain tensor on the memory of `data`, with the mark."""
        if data is None:
            data = wrap(np.empty(0, get_default_dtype().numpy))
        t = data.detach().requires_grad_(data.requires_grad)
        t.persistent, t._is_buffer = persistent, True
        return t
