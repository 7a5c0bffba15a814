"""torch.autograd: backward, grad, Function, and the modules of the concepts behind them."""

import importlib

from autodidact.autograd import anomaly_mode, function, grad_mode, graph, variable
from autodidact.autograd.anomaly_mode import detect_anomaly, set_detect_anomaly
from autodidact.autograd.backward import backward, grad
from autodidact.autograd.function import Function
from autodidact.autograd.grad_mode import (
    _force_original_view_tracking,
    enable_grad,
    inference_mode,
    is_multithreading_enabled,
    is_view_replay_enabled,
    no_grad,
    set_grad_enabled,
    set_multithreading_enabled,
)
from autodidact.autograd.multi_grad import register_multi_grad_hook
from autodidact.autograd.mutation import allow_mutation_on_saved_tensors
from autodidact.autograd.saved_tensors import SavedTensor
from autodidact.autograd.variable import Variable

__all__ = ["Function", "SavedTensor", "Variable", "_force_original_view_tracking",
           "anomaly_mode", "backward", "detect_anomaly", "enable_grad", "function", "grad",
           "grad_mode", "graph", "inference_mode", "is_multithreading_enabled",
           "is_view_replay_enabled", "no_grad", "set_detect_anomaly", "set_grad_enabled",
           "set_multithreading_enabled", "variable"]

# torch.autograd.graph offers these two as well; they are built on it.
graph.allow_mutation_on_saved_tensors = allow_mutation_on_saved_tensors
graph.register_multi_grad_hook = register_multi_grad_hook

# Loaded when first asked for.
_LATER = {"forward_ad": "forward_ad", "functional": "functional", "gradcheck": "gradcheck",
          "gradgradcheck": "gradcheck"}


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = importlib.import_module(f"{__name__}.{_LATER[name]}")
    if _LATER[name] == "gradcheck":                    # as in PyTorch, of that name: the function
        globals().update(gradcheck=module.gradcheck, gradgradcheck=module.gradgradcheck)
    return globals()[name]


def __dir__() -> list:
    return sorted({*globals(), *_LATER})
