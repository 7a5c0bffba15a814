"""torch._C: names that PyTorch keeps in its C++ module, where other people's code reads them."""

import weakref
from types import SimpleNamespace
from typing import Any

from autodidact.autograd import current, saved_hooks
from autodidact.autograd.accumulate_grad import AccumulateGrad
from autodidact.autograd.function import Function, refusing
from autodidact.autograd.grad_mode import is_grad_enabled, is_inference_mode_enabled
from autodidact.autograd.saved_tensors import SavedTensor

__all__ = ["is_grad_enabled", "is_inference_mode_enabled"]

has_lapack = True

_current_graph_task_id = current.current_graph_task_id
_current_autograd_node = current.current_autograd_node
_current_graph_task_execution_order = current.current_graph_task_execution_order
_will_engine_execute_node = current.will_engine_execute_node

_autograd = SimpleNamespace(
    SavedTensor=SavedTensor,
    _get_current_graph_task_keep_graph=current.current_graph_task_keep_graph,
    _saved_tensors_hooks_is_enabled=saved_hooks.saved_tensors_hooks_is_enabled,
)


class UndefinedGrad(Function):
    """The identity, whose backward gives no gradient."""

    def __init__(self) -> None:
        pass

    def __call__(self, tensor: Any) -> Any:
        """Apply it."""
        return UndefinedGrad.apply(tensor)

    @staticmethod
    def forward(ctx: Any, tensor: Any) -> Any:
        """The same numbers."""
        return tensor.detach()

    @staticmethod
    def backward(ctx: Any, grad: Any) -> None:
        """No gradient."""


class DelayedError:
    """The identity, whose backward raises `message`.

    Args:
        message: what to say.
        num_inputs: how many tensors it takes.
    """

    def __init__(self, message: str | bytes, num_inputs: int) -> None:
        self.message = message.decode() if isinstance(message, bytes) else message

    def __call__(self, *tensors: Any) -> Any:
        """Apply it."""
        results = tuple(t.detach() for t in tensors)
        refusing(list(results), self.message)
        return results if len(results) > 1 else results[0]


class _WeakTensorRef:
    """A weak reference to a tensor."""

    def __init__(self, tensor: Any) -> None:
        self._reference = weakref.ref(tensor)

    def expired(self) -> bool:
        """Whether the tensor is gone."""
        return self._reference() is None


_functions = SimpleNamespace(AccumulateGrad=AccumulateGrad, DelayedError=DelayedError,
                             UndefinedGrad=UndefinedGrad)
