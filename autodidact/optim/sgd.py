"""SGD: against the gradient, perhaps with momentum."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from autodidact.optim.optimizer import Optimizer, State, need, new, number

__all__ = ["SGD"]


class SGD(Optimizer):
    """`p -= lr * grad`.

    Args:
        params: the parameters.
        lr: learning rate.
        momentum: how much of the former direction is kept.
        dampening: how much of the gradient is left out of the momentum.
        weight_decay: `weight_decay * p` is added to the gradient.
        nesterov: look ahead along the momentum.
        maximize: go with the gradient.
        foreach: accepted for PyTorch's sake.
        differentiable: the same.
        fused: the same.

    Example:
        >>> optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    """

    def __init__(self, params: Iterable, lr: Any = 1e-3, momentum: float = 0, dampening: float = 0,
                 weight_decay: float = 0, nesterov: bool = False, *, maximize: bool = False,
                 foreach: bool | None = None, differentiable: bool = False,
                 fused: bool | None = None) -> None:
        need(number(lr) >= 0, "learning rate", lr)
        need(momentum >= 0, "momentum value", momentum)
        need(weight_decay >= 0, "weight_decay value", weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(params, {
            "lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay,
            "nesterov": nesterov, "maximize": maximize, "foreach": foreach,
            "differentiable": differentiable, "fused": fused})

    def update(self, p: np.ndarray, grad: np.ndarray, state: State, group: dict) -> None:
        """One step."""
        momentum, decay = group["momentum"], group["weight_decay"]
        if decay:
            grad = grad + decay * p
        if momentum:
            if state.has("momentum_buffer"):
                buffer = state.momentum_buffer
                buffer *= momentum
                buffer += (1 - group["dampening"]) * grad
            else:
                state.start(momentum_buffer=new(grad))
                buffer = state.momentum_buffer
            grad = grad + momentum * buffer if group["nesterov"] else buffer
        p -= number(group["lr"]) * grad
