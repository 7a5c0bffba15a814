"""Rprop: steps by the gradient's sign alone."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from autodidact.optim.optimizer import Optimizer, State, counter, need, new, number, zeros_like

__all__ = ["Rprop"]


class Rprop(Optimizer):
    """Each entry's step grows while the gradient keeps its sign, and shrinks where it turns.

    Args:
        params: the parameters.
        lr: the size of the first steps.
        etas: the factors of shrinking and growing.
        step_sizes: the smallest and the largest step.
        capturable: accepted for PyTorch's sake.
        foreach: the same.
        maximize: go with the gradient.
        differentiable: accepted for PyTorch's sake.
    """

    def __init__(self, params: Iterable, lr: Any = 1e-2, etas: tuple = (0.5, 1.2),
                 step_sizes: tuple = (1e-6, 50), *, capturable: bool = False,
                 foreach: bool | None = None, maximize: bool = False,
                 differentiable: bool = False) -> None:
        need(number(lr) >= 0, "learning rate", lr)
        need(0 < etas[0] < 1 < etas[1], "eta values", f"{etas[0]}, {etas[1]}")
        super().__init__(params, {
            "lr": lr, "etas": etas, "step_sizes": step_sizes, "foreach": foreach,
            "maximize": maximize, "differentiable": differentiable, "capturable": capturable})

    def update(self, p: np.ndarray, grad: np.ndarray, state: State, group: dict) -> None:
        """One step."""
        if not state:
            state.start(step=counter(), prev=zeros_like(p),
                        step_size=new(np.full_like(grad, number(group["lr"]))))
        state.next_step()
        shrink, grow = group["etas"]
        former, size = state.prev, state.step_size
        turn = np.sign(grad * former)
        size *= np.where(turn > 0, grow, np.where(turn < 0, shrink, 1)).astype(size.dtype)
        np.clip(size, *group["step_sizes"], out=size)
        kept = np.where(turn < 0, 0, grad)                  # where it turned, wait for one step
        p -= np.sign(kept) * size
        former[...] = kept
