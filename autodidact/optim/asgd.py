"""ASGD: stochastic gradient descent that also keeps the average of its path."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from autodidact.optim.optimizer import Optimizer, State, counter, need, new, number, zeros_like

__all__ = ["ASGD"]


class ASGD(Optimizer):
    """SGD with a falling step; the average of the parameters is in the state, under `ax`.

    Args:
        params: the parameters.
        lr: learning rate.
        lambd: decay of parameters and step.
        alpha: the power of the step's fall.
        t0: when averaging begins.
        weight_decay: `weight_decay * p` is added to the gradient.
        foreach: accepted for PyTorch's sake.
        maximize: go with the gradient.
        differentiable: accepted for PyTorch's sake.
        capturable: the same.
    """

    def __init__(self, params: Iterable, lr: Any = 1e-2, lambd: float = 1e-4, alpha: float = 0.75,
                 t0: float = 1e6, weight_decay: float = 0, foreach: bool | None = None,
                 maximize: bool = False, differentiable: bool = False,
                 capturable: bool = False) -> None:
        need(number(lr) >= 0, "learning rate", lr)
        need(weight_decay >= 0, "weight_decay value", weight_decay)
        super().__init__(params, {
            "lr": lr, "lambd": lambd, "alpha": alpha, "t0": t0, "weight_decay": weight_decay,
            "foreach": foreach, "maximize": maximize, "differentiable": differentiable,
            "capturable": capturable})

    def update(self, p: np.ndarray, grad: np.ndarray, state: State, group: dict) -> None:
        """One step."""
        lr = number(group["lr"])
        if not state:
            state.start(step=counter(), eta=new(np.array(lr, np.float32)),
                        mu=new(np.ones((), np.float32)), ax=zeros_like(p))
        step, average = state.next_step(), state.ax
        eta, mu = float(state.eta), float(state.mu)
        if group["weight_decay"]:
            grad = grad + group["weight_decay"] * p
        p *= 1 - group["lambd"] * eta
        p -= eta * grad
        if mu != 1:
            average += (p - average) * mu
        else:
            average[...] = p
        # PyTorch keeps these two in float32, whatever the parameter's dtype.
        state.eta[...] = np.float32(lr / (1 + group["lambd"] * lr * step) ** group["alpha"])
        state.mu[...] = np.float32(1 / max(1, step - group["t0"]))
