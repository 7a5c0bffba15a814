"""torch.autograd: backward, grad, Function, and the modules of the concepts behind them."""

from autodidact.autograd import graph
from autodidact.autograd.backward import backward, grad
from autodidact.autograd.function import Function
from autodidact.autograd.grad_mode import (
    enable_grad, inference_mode, no_grad, set_grad_enabled,
)

__all__ = ["Function", "backward", "enable_grad", "grad", "graph", "inference_mode", "no_grad",
           "set_grad_enabled"]
