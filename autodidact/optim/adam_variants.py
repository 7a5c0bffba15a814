"""Adamax, NAdam and RAdam: variants of Adam."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from autodidact.optim.adam import check_betas
from autodidact.optim.optimizer import Optimizer, State, counter, need, new, number, zeros_like

__all__ = ["Adamax", "NAdam", "RAdam"]


class Adamax(Optimizer):
    """Adam that divides by the largest gradient so far, which fades.

    Args:
        params: the parameters.
        lr: learning rate.
        betas: how much of the mean and of the maximum is kept in each step.
        eps: added to the gradient's size.
        weight_decay: `weight_decay * p` is added to the gradient.
        foreach: accepted for PyTorch's sake.
        maximize: go with the gradient.
        differentiable: accepted for PyTorch's sake.
        capturable: the same.
    """

    def __init__(self, params: Iterable, lr: Any = 2e-3, betas: tuple = (0.9, 0.999),
                 eps: float = 1e-8, weight_decay: float = 0, foreach: bool | None = None, *,
                 maximize: bool = False, differentiable: bool = False,
                 capturable: bool = False) -> None:
        need(number(lr) >= 0, "learning rate", lr)
        need(eps >= 0, "epsilon value", eps)
        check_betas(betas)
        need(weight_decay >= 0, "weight_decay value", weight_decay)
        super().__init__(params, {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "foreach": foreach,
            "maximize": maximize, "differentiable": differentiable, "capturable": capturable})

    def update(self, p: np.ndarray, grad: np.ndarray, state: State, group: dict) -> None:
        """One step."""
        if not state:
            state.start(step=counter(), exp_avg=zeros_like(p), exp_inf=zeros_like(p))
        beta1, beta2 = group["betas"]
        step, mean, largest = state.next_step(), state.exp_avg, state.exp_inf
        if group["weight_decay"]:
            grad = grad + group["weight_decay"] * p
        mean += (1 - beta1) * (grad - mean)
        np.maximum(largest * beta2, np.abs(grad) + group["eps"], out=largest)
        p -= number(group["lr"]) / (1 - beta1**step) * (mean / largest)


class NAdam(Optimizer):
    """Adam with Nesterov's look ahead.

    Args:
        params: the parameters.
        lr: learning rate.
        betas: how much of the two running means is kept in each step.
        eps: keeps the quotient finite.
        weight_decay: `weight_decay * p` is added to the gradient.
        momentum_decay: how soon the momentum reaches its full size.
        decoupled_weight_decay: shrink p itself, as AdamW does.
        foreach: accepted for PyTorch's sake.
        maximize: go with the gradient.
        capturable: accepted for PyTorch's sake.
        differentiable: the same.
    """

    def __init__(self, params: Iterable, lr: Any = 2e-3, betas: tuple = (0.9, 0.999),
                 eps: float = 1e-8, weight_decay: float = 0, momentum_decay: float = 4e-3,
                 decoupled_weight_decay: bool = False, *, foreach: bool | None = None,
                 maximize: bool = False, capturable: bool = False,
                 differentiable: bool = False) -> None:
        need(number(lr) >= 0, "learning rate", lr)
        need(eps >= 0, "epsilon value", eps)
        check_betas(betas)
        need(weight_decay >= 0, "weight_decay value", weight_decay)
        need(momentum_decay >= 0, "momentum_decay value", momentum_decay)
        super().__init__(params, {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay,
            "momentum_decay": momentum_decay, "decoupled_weight_decay": decoupled_weight_decay,
            "maximize": maximize, "foreach": foreach, "capturable": capturable,
            "differentiable": differentiable})

    def update(self, p: np.ndarray, grad: np.ndarray, state: State, group: dict) -> None:
        """One step."""
        if not state:
            state.start(step=counter(), mu_product=new(np.ones((), np.float32)),
                        exp_avg=zeros_like(p), exp_avg_sq=zeros_like(p))
        lr, decay, (beta1, beta2) = number(group["lr"]), group["weight_decay"], group["betas"]
        step, mean, square = state.next_step(), state.exp_avg, state.exp_avg_sq
        if decay and group["decoupled_weight_decay"]:
            p *= 1 - lr * decay
        elif decay:
            grad = grad + decay * p
        mu, mu_next = (beta1 * (1 - 0.5 * 0.96 ** (n * group["momentum_decay"]))
                       for n in (step, step + 1))
        product = state.mu_product
        product *= mu
        so_far = float(product)
        mean += (1 - beta1) * (grad - mean)
        square *= beta2
        square += (1 - beta2) * (grad * grad)
        root = np.sqrt(square / (1 - beta2**step)) + group["eps"]
        p -= lr * (1 - mu) / (1 - so_far) * (grad / root)
        p -= lr * mu_next / (1 - so_far * mu_next) * (mean / root)


class RAdam(Optimizer):
    """Adam that divides only once enough squares have been seen for a good mean.

    Args:
        params: the parameters.
        lr: learning rate.
        betas: how much of the two running means is kept in each step.
        eps: keeps the quotient finite.
        weight_decay: `weight_decay * p` is added to the gradient.
        decoupled_weight_decay: shrink p itself, as AdamW does.
        foreach: accepted for PyTorch's sake.
        maximize: go with the gradient.
        capturable: accepted for PyTorch's sake.
        differentiable: the same.
    """

    def __init__(self, params: Iterable, lr: Any = 1e-3, betas: tuple = (0.9, 0.999),
                 eps: float = 1e-8, weight_decay: float = 0, decoupled_weight_decay: bool = False,
                 *, foreach: bool | None = None, maximize: bool = False, capturable: bool = False,
                 differentiable: bool = False) -> None:
        need(number(lr) >= 0, "learning rate", lr)
        need(eps >= 0, "epsilon value", eps)
        check_betas(betas)
        need(weight_decay >= 0, "weight_decay value", weight_decay)
        super().__init__(params, {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay,
            "maximize": maximize, "foreach": foreach, "capturable": capturable,
            "decoupled_weight_decay": decoupled_weight_decay, "differentiable": differentiable})

    def update(self, p: np.ndarray, grad: np.ndarray, state: State, group: dict) -> None:
        """One step."""
        if not state:
            state.start(step=counter(), exp_avg=zeros_like(p), exp_avg_sq=zeros_like(p))
        lr, decay, (beta1, beta2) = number(group["lr"]), group["weight_decay"], group["betas"]
        step, mean, square = state.next_step(), state.exp_avg, state.exp_avg_sq
        if decay and group["decoupled_weight_decay"]:
            p *= 1 - lr * decay
        elif decay:
            grad = grad + decay * p
        mean += (1 - beta1) * (grad - mean)
        square *= beta2
        square += (1 - beta2) * (grad * grad)
        missing = 1 - beta2**step
        direction = mean / (1 - beta1**step)
        longest = 2 / (1 - beta2) - 1                       # the most squares a mean can stand for
        length = longest - 2 * step * beta2**step / missing         # those it stands for now
        if length > 5:
            rectified = ((length - 4) * (length - 2) * longest
                         / ((longest - 4) * (longest - 2) * length)) ** 0.5
            direction = direction * (missing**0.5 / (np.sqrt(square) + group["eps"])) * rectified
        p -= lr * direction
