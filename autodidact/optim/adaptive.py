"""Adagrad, Adadelta, RMSprop: each parameter's step by the size of its gradients so far."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from autodidact.arrays.foreign import as_array
from autodidact.optim.optimizer import Optimizer, State, counter, need, new, number, zeros_like

__all__ = ["Adadelta", "Adagrad", "RMSprop"]


class Adagrad(Optimizer):
    """`p -= lr * grad / (sqrt(sum of squares so far) + eps)`.

    Args:
        params: the parameters.
        lr: learning rate.
        lr_decay: the learning rate is divided by `1 + lr_decay * steps`.
        weight_decay: `weight_decay * p` is added to the gradient.
        initial_accumulator_value: where the sum begins.
        eps: keeps the quotient finite.
        foreach: accepted for PyTorch's sake.
        maximize: go with the gradient.
        differentiable: accepted for PyTorch's sake.
        fused: the same.
    """

    def __init__(self, params: Iterable, lr: Any = 1e-2, lr_decay: float = 0,
                 weight_decay: float = 0, initial_accumulator_value: float = 0, eps: float = 1e-10,
                 foreach: bool | None = None, *, maximize: bool = False,
                 differentiable: bool = False, fused: bool | None = None) -> None:
        need(number(lr) >= 0, "learning rate", lr)
        need(lr_decay >= 0, "lr_decay value", lr_decay)
        need(weight_decay >= 0, "weight_decay value", weight_decay)
        need(initial_accumulator_value >= 0, "initial_accumulator_value value",
             initial_accumulator_value)
        need(eps >= 0, "epsilon value", eps)
        super().__init__(params, {
            "lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value, "foreach": foreach,
            "maximize": maximize, "differentiable": differentiable, "fused": fused})
        for group in self.param_groups:          # as in PyTorch: here, and not at the first step
            for p in group["params"]:
                start = np.full_like(as_array(p._array), initial_accumulator_value)
                self.state[p] = {"step": counter(), "sum": new(start)}

    def update(self, p: np.ndarray, grad: np.ndarray, state: State, group: dict) -> None:
        """One step."""
        if not state:
            state.start(step=counter(), sum=new(np.full_like(
                p, group["initial_accumulator_value"])))
        lr = number(group["lr"]) / (1 + (state.next_step() - 1) * group["lr_decay"])
        if group["weight_decay"]:
            grad = grad + group["weight_decay"] * p
        total = state.sum
        total += grad * grad
        p -= lr * (grad / (np.sqrt(total) + group["eps"]))


class Adadelta(Optimizer):
    """Steps in the unit of the parameter: `p -= lr * rms(former steps) / rms(gradients) * grad`.

    Args:
        params: the parameters.
        lr: learning rate.
        rho: how much of the running means is kept in each step.
        eps: keeps the quotient finite.
        weight_decay: `weight_decay * p` is added to the gradient.
        foreach: accepted for PyTorch's sake.
        capturable: the same.
        maximize: go with the gradient.
        differentiable: accepted for PyTorch's sake.
    """

    def __init__(self, params: Iterable, lr: Any = 1.0, rho: float = 0.9, eps: float = 1e-6,
                 weight_decay: float = 0, foreach: bool | None = None, *, capturable: bool = False,
                 maximize: bool = False, differentiable: bool = False) -> None:
        need(number(lr) >= 0, "learning rate", lr)
        need(0 <= rho <= 1, "rho value", rho)
        need(eps >= 0, "epsilon value", eps)
        need(weight_decay >= 0, "weight_decay value", weight_decay)
        super().__init__(params, {
            "lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
            "capturable": capturable, "foreach": foreach, "differentiable": differentiable})

    def update(self, p: np.ndarray, grad: np.ndarray, state: State, group: dict) -> None:
        """One step."""
        if not state:
            state.start(step=counter(), square_avg=zeros_like(p), acc_delta=zeros_like(p))
        state.next_step()
        rho, eps, squares, steps = group["rho"], group["eps"], state.square_avg, state.acc_delta
        if group["weight_decay"]:
            grad = grad + group["weight_decay"] * p
        squares *= rho
        squares += (1 - rho) * (grad * grad)
        delta = np.sqrt(steps + eps) / np.sqrt(squares + eps) * grad
        steps *= rho
        steps += (1 - rho) * (delta * delta)
        p -= number(group["lr"]) * delta


class RMSprop(Optimizer):
    """`p -= lr * grad / (sqrt(running mean of squares) + eps)`.

    Args:
        params: the parameters.
        lr: learning rate.
        alpha: how much of the running mean is kept in each step.
        eps: keeps the quotient finite.
        weight_decay: `weight_decay * p` is added to the gradient.
        momentum: how much of the former direction is kept.
        centered: divide by the standard deviation: take the mean's square off.
        capturable: accepted for PyTorch's sake.
        foreach: the same.
        maximize: go with the gradient.
        differentiable: accepted for PyTorch's sake.
    """

    def __init__(self, params: Iterable, lr: Any = 1e-2, alpha: float = 0.99, eps: float = 1e-8,
                 weight_decay: float = 0, momentum: float = 0, centered: bool = False,
                 capturable: bool = False, foreach: bool | None = None, maximize: bool = False,
                 differentiable: bool = False) -> None:
        need(number(lr) >= 0, "learning rate", lr)
        need(eps >= 0, "epsilon value", eps)
        need(momentum >= 0, "momentum value", momentum)
        need(weight_decay >= 0, "weight_decay value", weight_decay)
        need(alpha >= 0, "alpha value", alpha)
        super().__init__(params, {
            "lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps, "centered": centered,
            "weight_decay": weight_decay, "capturable": capturable, "foreach": foreach,
            "maximize": maximize, "differentiable": differentiable})

    def update(self, p: np.ndarray, grad: np.ndarray, state: State, group: dict) -> None:
        """One step."""
        if not state:
            state.start(step=counter(), square_avg=zeros_like(p))
            if group["momentum"] > 0:
                state.start(momentum_buffer=zeros_like(p))
            if group["centered"]:
                state.start(grad_avg=zeros_like(p))
        state.next_step()
        alpha, square = group["alpha"], state.square_avg
        if group["weight_decay"]:
            grad = grad + group["weight_decay"] * p
        square *= alpha
        square += (1 - alpha) * (grad * grad)
        if group["centered"]:
            mean = state.grad_avg
            mean += (1 - alpha) * (grad - mean)
            square = square - mean * mean
        direction = grad / (np.sqrt(square) + group["eps"])
        if group["momentum"] > 0:
            buffer = state.momentum_buffer
            buffer *= group["momentum"]
            buffer += direction
            direction = buffer
        p -= number(group["lr"]) * direction
