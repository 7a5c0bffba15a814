"""Muon: the momentum of a matrix, with all its singular values made about equal."""

from collections.abc import Iterable

import numpy as np

from autodidact.arrays.dtype import bfloat16
from autodidact.arrays.place import to_host
from autodidact.autograd.grad_mode import no_grad
from autodidact.optim.adafactor import need
from autodidact.optim.optimizer import Optimizer, State, number, zeros_like
from autodidact.tensor import Tensor, wrap

__all__ = ["Muon"]

SIZES = (None, "original", "match_rms_adamw")


class Muon(Optimizer):
    """`p -= lr * orthogonal(momentum)`: for weight matrices; biases and the like need another.

    Args:
        params: matrices.
        lr: learning rate.
        weight_decay: shrinks the parameters themselves.
        momentum: how much of the running mean is kept.
        nesterov: look one step ahead.
        ns_coefficients: a, b, c of the iteration `X = a X + (b G + c G G) X` with `G = X Xᵀ`.
        eps: least norm of what is made orthogonal.
        ns_steps: how many iterations.
        adjust_lr_fn: how the step depends on the shape: "original" (None means that) or
            "match_rms_adamw".

    Raises:
        ValueError: for parameters that are no matrices, and values that make no sense.
    """

    def __init__(self, params: Iterable, lr: float = 1e-3, weight_decay: float = 0.1,
                 momentum: float = 0.95, nesterov: bool = True,
                 ns_coefficients: tuple = (3.4445, -4.775, 2.0315), eps: float = 1e-7,
                 ns_steps: int = 5, adjust_lr_fn: str | None = None) -> None:
        need(number(lr) >= 0, "Learning rate", ">= 0", lr)
        need(momentum >= 0, "momentum", ">= 0", momentum)
        need(weight_decay >= 0, "weight decay", ">= 0", weight_decay)
        if adjust_lr_fn not in SIZES:
            raise ValueError(f"Adjust learning rate function {adjust_lr_fn} is not supported")
        super().__init__(params, {
            "lr": lr, "weight_decay": weight_decay, "momentum": momentum, "nesterov": nesterov,
            "ns_coefficients": ns_coefficients, "eps": eps, "ns_steps": ns_steps,
            "adjust_lr_fn": adjust_lr_fn})
        for group in self.param_groups:
            for p in group["params"]:
                if p.dim() != 2:
                    raise ValueError("Muon only supports 2D parameters whereas we found a "
                                     f"parameter with size: {p.size()}")

    def update(self, p: np.ndarray, grad: np.ndarray, state: State, group: dict) -> None:
        """One step."""
        if not state:
            state.start(momentum_buffer=zeros_like(grad))
        buffer, kept, lr = state.momentum_buffer, group["momentum"], number(group["lr"])
        buffer += (1 - kept) * (grad - buffer)
        ahead = grad + kept * (buffer - grad) if group["nesterov"] else buffer
        change = orthogonal(wrap(to_host(ahead)), group["ns_coefficients"], group["ns_steps"],
                            group["eps"])
        p *= 1 - lr * group["weight_decay"]
        p -= lr * stretch(p.shape, group["adjust_lr_fn"]) * to_host(change._array)


@no_grad()
def orthogonal(matrix: Tensor, coefficients: tuple, steps: int, eps: float) -> Tensor:
    """The matrix with its singular values near 1, in bfloat16: Newton's and Schulz's iteration.

    Raises:
        ValueError: for 100 steps and more, or other than three coefficients.
    """
    if steps >= 100:
        raise ValueError("Number of steps must be less than 100 for computational efficiency")
    if len(coefficients) != 3:
        raise ValueError("Coefficients must be a tuple of exactly 3 values")
    a, b, c = coefficients
    x = matrix.to(bfloat16)
    upright = x.size(0) > x.size(1)
    x = x.t() if upright else x
    x = x / x.norm().clamp(min=eps)
    for _ in range(steps):
        gram = x @ x.t()
        x = x.addmm(gram.addmm(gram, gram, beta=b, alpha=c), x, beta=a)
    return x.t() if upright else x


def stretch(shape: tuple, rule: str | None) -> float:
    """The factor of the learning rate for a matrix of this shape."""
    rows, columns = shape
    return 0.2 * max(rows, columns) ** 0.5 if rule == "match_rms_adamw" else max(
        1, rows / columns) ** 0.5
