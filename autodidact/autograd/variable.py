"""Variable: the name a tensor had before it could require grad by itself; kept for old code."""

from typing import Any

from autodidact.autograd.current import queue_callback
from autodidact.tensor_base import TensorBase

__all__ = ["Variable"]


class Engine:
    """What old code reaches as `Variable._execution_engine`."""

    queue_callback = staticmethod(queue_callback)


class VariableMeta(type):
    """`isinstance(x, Variable)` asks whether x is a tensor."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, TensorBase)


class Variable(metaclass=VariableMeta):
    """`Variable(tensor, requires_grad)`: a tensor on the same numbers."""

    _execution_engine = Engine()

    def __new__(cls, data: Any, requires_grad: bool = False, volatile: bool = False) -> Any:
        """A tensor on the numbers of `data`."""
        return data.detach().requires_grad_(requires_grad)
