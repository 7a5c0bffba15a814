"""Activations in place, and a loss with a distance of one's own; part of `torch.nn.functional`."""

from collections.abc import Callable
from typing import Any

from autodidact.functions.elementwise import where
from autodidact.functions.loss import number_of, reduced
from autodidact.nn import functional
from autodidact.nn.functional_layers import rrelu
from autodidact.nn.functional_losses import pairwise_distance
from autodidact.tensor import Tensor

__all__ = ["celu_", "elu_", "hardtanh_", "leaky_relu_", "relu_", "rrelu_", "selu_", "threshold_",
           "triplet_margin_with_distance_loss"]


def in_place(function: Callable) -> Callable:
    """`relu_` for `relu`."""
    def call(input: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        return function(input, *args, inplace=True, **kwargs)
    call.__name__ = call.__qualname__ = f"{function.__name__}_"
    call.__doc__ = f"`{function.__name__}`, written into the tensor itself."
    return call


celu_, elu_, relu_ = map(in_place, (functional.celu, functional.elu, functional.relu))
hardtanh_, leaky_relu_ = map(in_place, (functional.hardtanh, functional.leaky_relu))
selu_, threshold_, rrelu_ = map(in_place, (functional.selu, functional.threshold, rrelu))


def triplet_margin_with_distance_loss(
        anchor: Tensor, positive: Tensor, negative: Tensor, *,
        distance_function: Callable | None = None, margin: float = 1.0, swap: bool = False,
        reduction: str = "mean") -> Tensor:
    """`triplet_margin_loss` with a distance of one's own."""
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    distance = distance_function or pairwise_distance
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        other = distance(positive, negative)
        far = where(other < far, other, far)
    return reduced((margin + near - far).clamp_min(0), number_of(reduction))
