"""Clipping gradients: no step may be too long."""

import math
import warnings
from collections.abc import Iterable
from typing import Any

from autodidact.autograd.grad_mode import no_grad
from autodidact.functions.creation import tensor
from autodidact.functions.joining import stack
from autodidact.tensor import Tensor

__all__ = ["clip_grad_norm", "clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_",
           "get_total_norm"]


def listed(parameters: Any) -> list:
    """One tensor, or several."""
    return [parameters] if isinstance(parameters, Tensor) else list(parameters)


@no_grad()
def get_total_norm(tensors: Iterable, norm_type: float = 2.0, error_if_nonfinite: bool = False,
                   foreach: bool | None = None) -> Tensor:
    """The norm of all tensors as one vector.

    Raises:
        RuntimeError: with `error_if_nonfinite`, for nan and infinity.
    """
    tensors, norm_type = listed(tensors), float(norm_type)
    if not tensors:
        return tensor(0.0)
    total = stack([t.detach().reshape(-1).norm(norm_type) for t in tensors]).norm(norm_type)
    if error_if_nonfinite and not math.isfinite(total.item()):
        raise RuntimeError(f"The total norm of order {norm_type} for gradients from `parameters` "
                           "is non-finite, so it cannot be clipped. To disable this error and "
                           "scale the gradients by the non-finite norm anyway, set "
                           "`error_if_nonfinite=False`")
    return total


@no_grad()
def clip_grad_norm_(parameters: Any, max_norm: float, norm_type: float = 2.0,
                    error_if_nonfinite: bool = False, foreach: bool | None = None) -> Tensor:
    """Scale all gradients so that their norm, as one vector, is at most `max_norm`.

    Returns:
        The norm before.

    Example:
        >>> loss.backward()
        >>> torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        >>> optimizer.step()
    """
    parameters = listed(parameters)
    grads = [p.grad for p in parameters if p.grad is not None]
    total = get_total_norm(grads, norm_type, error_if_nonfinite)
    clip_grads_with_norm_(parameters, max_norm, total)
    return total


@no_grad()
def clip_grads_with_norm_(parameters: Any, max_norm: float, total_norm: Tensor,
                          foreach: bool | None = None) -> None:
    """Scale all gradients as `clip_grad_norm_` would if their norm were `total_norm`."""
    factor = (float(max_norm) / (total_norm + 1e-6)).clamp(max=1.0)
    for p in listed(parameters):
        if p.grad is not None:
            p.grad.mul_(factor.to(p.grad.dtype))


def clip_grad_norm(parameters: Any, max_norm: float, norm_type: float = 2.0,
                   error_if_nonfinite: bool = False, foreach: bool | None = None) -> Tensor:
    """An old name of `clip_grad_norm_`."""
    warnings.warn("`torch.nn.utils.clip_grad_norm` is now deprecated in favor of "
                  "`torch.nn.utils.clip_grad_norm_`.", FutureWarning, stacklevel=2)
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


@no_grad()
def clip_grad_value_(parameters: Any, clip_value: float, foreach: bool | None = None) -> None:
    """Cut every entry of the gradients off at `-clip_value` and `clip_value`."""
    for p in listed(parameters):
        if p.grad is not None:
            p.grad.clamp_(-float(clip_value), float(clip_value))
