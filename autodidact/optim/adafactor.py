"""Adafactor: of a matrix's squared gradients only row and column means are remembered."""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from autodidact.arrays import dtype as dt
from autodidact.optim.optimizer import Optimizer, State, counter, new, number, zeros_like
from autodidact.tensor import Tensor

__all__ = ["Adafactor"]


def need(holds: bool, name: str, bound: str, value: Any) -> None:
    """Refuse a value that makes no sense, in this optimizer's words."""
    if not holds:
        raise ValueError(f"{name} should be {bound} but is: {value}")


class Adafactor(Optimizer):
    """Adam's step, with the memory of a row and a column in the place of a matrix.

    The mean square of the gradients is `rows @ columns / mean(rows)`; the step is clipped, and is
    as long as the parameter itself is large, times the learning rate.

    Args:
        params: the parameters.
        lr: the largest relative step; `1 / sqrt(step)` where that is less.
        beta2_decay: of each mean, `step ** beta2_decay` is new.
        eps: under the squares (None: the dtype's own), and the least size of a parameter.
        d: no step has a root mean square above this.
        weight_decay: shrinks the parameters themselves.
        foreach: accepted for PyTorch's sake.
        maximize: go with the gradient.

    Raises:
        ValueError: for values that make no sense.
    """

    def __init__(self, params: Iterable, lr: Any = 1e-2, beta2_decay: float = -0.8,
                 eps: tuple = (None, 1e-3), d: float = 1.0, weight_decay: float = 0.0, *,
                 foreach: bool | None = None, maximize: bool = False) -> None:
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        need(number(lr) >= 0, "Learning rate", ">= 0", lr)
        need(beta2_decay <= 0, "beta2_decay", "<= 0", beta2_decay)
        need(eps[0] is None or eps[0] >= 0, "epsilon1", ">= 0", eps[0])
        need(eps[1] >= 0, "epsilon2", ">= 0", eps[1])
        need(d >= 1, "Clipping threshold d", ">= 1", d)
        need(weight_decay >= 0, "weight_decay", ">= 0", weight_decay)
        super().__init__(params, {
            "lr": lr, "beta2_decay": beta2_decay, "eps": eps, "d": d,
            "weight_decay": weight_decay, "foreach": foreach, "maximize": maximize})

    def update(self, p: np.ndarray, grad: np.ndarray, state: State, group: dict) -> None:
        """One step."""
        if not state:
            state.start(step=counter(), **remembered(grad))
        step, lr = state.next_step(), number(group["lr"])
        fresh, small = step ** group["beta2_decay"], group["eps"][0]
        small = dt.finfo(dt.of(p.dtype)).eps if small is None else small
        size = max(group["eps"][1], root_mean_square(p)) * min(lr, 1 / math.sqrt(step))
        if group["weight_decay"]:
            p *= 1 - lr * group["weight_decay"]
        if grad.ndim > 1:
            rows, columns = state.row_var, state.col_var
            rows += fresh * ((grad * grad).mean(axis=-1, keepdims=True) - rows)
            columns += fresh * ((grad * grad).mean(axis=-2, keepdims=True) - columns)
            squares = rows @ columns / np.maximum(rows.mean(axis=-2, keepdims=True), small)
        else:
            squares = state.variance
            squares += fresh * (grad * grad - squares)
        change = grad / np.sqrt(np.maximum(squares, small * small))
        p -= size / max(1.0, root_mean_square(change) / group["d"]) * change


def remembered(grad: np.ndarray) -> dict:
    """The state that a gradient of this shape needs, all zeros."""
    if grad.ndim > 1:
        return {"row_var": zeros_like(grad[..., :1]), "col_var": zeros_like(grad[..., :1, :])}
    return {"variance": new(grad * 0)}


def root_mean_square(array: np.ndarray) -> float:
    """The square root of the mean of the squares."""
    return math.sqrt(float((array * array).mean())) if array.size else 0.0
