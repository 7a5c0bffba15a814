"""torch._C: names that PyTorch keeps in its C++ module, where other people's code reads them."""

from types import SimpleNamespace

from autodidact.autograd import current, saved_hooks
from autodidact.autograd.accumulate_grad import AccumulateGrad
from autodidact.autograd.grad_mode import is_grad_enabled, is_inference_mode_enabled
from autodidact.autograd.saved_tensors import SavedTensor

__all__ = ["is_grad_enabled", "is_inference_mode_enabled"]

_current_graph_task_id = current.current_graph_task_id
_current_autograd_node = current.current_autograd_node
_current_graph_task_execution_order = current.current_graph_task_execution_order
_will_engine_execute_node = current.will_engine_execute_node

_autograd = SimpleNamespace(
    SavedTensor=SavedTensor,
    _get_current_graph_task_keep_graph=current.current_graph_task_keep_graph,
    _saved_tensors_hooks_is_enabled=saved_hooks.saved_tensors_hooks_is_enabled,
)
_functions = SimpleNamespace(AccumulateGrad=AccumulateGrad)
