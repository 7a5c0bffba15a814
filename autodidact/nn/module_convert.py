"""Converting modules: other dtypes and devices for all parameters and buffers."""

from collections.abc import Callable
from typing import Any

from autodidact.arrays import device as devices
from autodidact.arrays import dtype as dt
from autodidact.public import FUNCTIONS
from autodidact.tensor import Tensor

__all__ = ["Converted"]

empty_like = FUNCTIONS["empty_like"]


class Converted:
    """The part of Module that changes dtypes and devices."""

    def _apply(self, fn: Callable, recurse: bool = True) -> "Converted":
        """Replace the numbers of every parameter, its gradient and every buffer by `fn` of them."""
        for module in self.children() if recurse else ():
            module._apply(fn)
        for p in self._parameters.values():
            if p is not None:
                grad, p.grad = p.grad, None
                p.data = fn(p.data)
                if grad is not None:
                    p.grad = fn(grad.data).requires_grad_(grad.requires_grad)
        for name, b in self._buffers.items():
            if b is not None:
                self._buffers[name] = fn(b)
        return self

    def to(self, *args: Any, **kwargs: Any) -> "Converted":
        """Convert floating parameters and buffers: `to(dtype)`, `to(device)`, `to(tensor)`.

        Integers among the buffers go to the device, too, and keep their dtype.

        Raises:
            TypeError: for an integer dtype.
            AssertionError, RuntimeError: for a device that is not there.
        """
        kind, where = kwargs.get("dtype"), kwargs.get("device")
        for arg in args:
            if isinstance(arg, Tensor):
                kind, where = arg.dtype, arg.device
            elif isinstance(arg, dt.dtype):
                kind = arg
            elif not isinstance(arg, bool) and arg is not None:
                where = arg
        where = None if where is None else devices.check(where)
        if kind is None and where is None:
            return self
        if kind is not None and not (kind.is_floating_point or kind.is_complex):
            raise TypeError("nn.Module.to only accepts floating point or complex dtypes, but got "
                            f"desired dtype={kind}")
        return self._apply(lambda t: t.to(
            device=where, dtype=kind if t.is_floating_point() or t.is_complex() else None))

    def type(self, dst_type: Any) -> "Converted":
        """Convert all parameters and buffers."""
        return self._apply(lambda t: t.type(dst_type))

    def _floats(self, kind: dt.dtype) -> "Converted":
        return self._apply(lambda t: t.to(kind) if t.is_floating_point() else t)

    def float(self) -> "Converted":
        """Floating parameters and buffers in float32."""
        return self._floats(dt.float32)

    def double(self) -> "Converted":
        """Floating parameters and buffers in float64."""
        return self._floats(dt.float64)

    def half(self) -> "Converted":
        """Floating parameters and buffers in float16."""
        return self._floats(dt.float16)

    def bfloat16(self) -> "Converted":
        """Floating parameters and buffers in bfloat16."""
        return self._floats(dt.bfloat16)

    def cpu(self) -> "Converted":
        """All parameters and buffers in the CPU's memory."""
        return self._apply(lambda t: t.cpu())

    def share_memory(self) -> "Converted":
        """The module itself: processes share nothing here."""
        return self

    def to_empty(self, *, device: Any, recurse: bool = True) -> "Converted":
        """On a device (also from "meta"), its numbers no longer to be relied on."""
        where = devices.check(device)
        return self._apply(lambda t: empty_like(t, device=where))

    def cuda(self, device: Any = None) -> "Converted":
        """All parameters and buffers on a GPU.

        Raises:
            AssertionError, RuntimeError: there is none.
        """
        return self._apply(lambda t: t.cuda(device))
