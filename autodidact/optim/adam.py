"""Adam and AdamW: running means of the gradient and of its square."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from autodidact.optim.optimizer import Optimizer, State, counter, need, number, zeros_like

__all__ = ["Adam", "AdamW"]


def check_betas(betas: tuple) -> None:
    """Two factors of [0, 1)."""
    for i, beta in enumerate(betas):
        need(0 <= number(beta) < 1, f"beta parameter at index {i}", beta)


class Adam(Optimizer):
    """`p -= lr * m / (sqrt(v) + eps)`; m and v are running means of the gradient and its square.

    Both begin at 0 and are divided by what is still missing.

    Args:
        params: the parameters.
        lr: learning rate.
        betas: how much of m and of v is kept in each step.
        eps: keeps the quotient finite.
        weight_decay: `weight_decay * p` is added to the gradient.
        amsgrad: divide by the largest v so far.
        foreach: accepted for PyTorch's sake.
        maximize: go with the gradient.
        capturable: accepted for PyTorch's sake.
        differentiable: the same.
        fused: the same.
        decoupled_weight_decay: shrink p itself, as AdamW does.
    """

    def __init__(self, params: Iterable, lr: Any = 1e-3, betas: tuple = (0.9, 0.999),
                 eps: float = 1e-8, weight_decay: float = 0, amsgrad: bool = False, *,
                 foreach: bool | None = None, maximize: bool = False, capturable: bool = False,
                 differentiable: bool = False, fused: bool | None = None,
                 decoupled_weight_decay: bool = False) -> None:
        need(number(lr) >= 0, "learning rate", lr)
        need(eps >= 0, "epsilon value", eps)
        check_betas(betas)
        need(weight_decay >= 0, "weight_decay value", weight_decay)
        super().__init__(params, {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "amsgrad": amsgrad,
            "maximize": maximize, "foreach": foreach, "capturable": capturable,
            "differentiable": differentiable, "fused": fused,
            "decoupled_weight_decay": decoupled_weight_decay})

    def update(self, p: np.ndarray, grad: np.ndarray, state: State, group: dict) -> None:
        """One step."""
        lr, decay = number(group["lr"]), group["weight_decay"]
        beta1, beta2 = map(number, group["betas"])
        if not state:
            state.start(step=counter(), exp_avg=zeros_like(p), exp_avg_sq=zeros_like(p))
            if group["amsgrad"]:
                state.start(max_exp_avg_sq=zeros_like(p))
        step, mean, square = state.next_step(), state.exp_avg, state.exp_avg_sq
        if decay and group["decoupled_weight_decay"]:
            p *= 1 - lr * decay
        elif decay:
            grad = grad + decay * p
        mean += (1 - beta1) * (grad - mean)
        square *= beta2
        square += (1 - beta2) * (grad * grad)
        if group["amsgrad"]:
            square = np.maximum(state.max_exp_avg_sq, square, out=state.max_exp_avg_sq)
        root = np.sqrt(square)
        root /= (1 - beta2**step) ** 0.5
        root += group["eps"]
        p -= lr / (1 - beta1**step) * (mean / root)


class AdamW(Adam):
    """Adam whose weight decay shrinks the parameters themselves: `p *= 1 - lr * weight_decay`."""

    def __init__(self, params: Iterable, lr: Any = 1e-3, betas: tuple = (0.9, 0.999),
                 eps: float = 1e-8, weight_decay: float = 1e-2, amsgrad: bool = False,
                 **options: Any) -> None:
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad,
                         decoupled_weight_decay=True, **options)
