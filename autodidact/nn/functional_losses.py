"""Losses that are made of other operations; part of `torch.nn.functional`."""

import math
from typing import Any

from autodidact.autograd.grad_mode import no_grad
from autodidact.functions.arguments import all_numbers
from autodidact.functions.elementwise import where
from autodidact.functions.loss import number_of, reduced
from autodidact.nn.functional import logsigmoid
from autodidact.tensor import Tensor

__all__ = [
    "cosine_embedding_loss", "gaussian_nll_loss", "hinge_embedding_loss", "margin_ranking_loss",
    "multi_margin_loss", "multilabel_soft_margin_loss", "pairwise_distance", "poisson_nll_loss",
    "soft_margin_loss", "triplet_margin_loss",
]

Old = bool | None                 # the two old forms of `reduction`


def poisson_nll_loss(input: Tensor, target: Tensor, log_input: bool = True, full: bool = False,
                     size_average: Old = None, eps: float = 1e-8, reduce: Old = None,
                     reduction: str = "mean") -> Tensor:
    """`exp(x) - t x` of log-rates x (or `x - t log x` of rates), with Stirling's term in full."""
    loss = input.exp() - target * input if log_input else input - target * (input + eps).log()
    if full:
        term = target * target.log() - target + 0.5 * (2 * math.pi * target).log()
        loss = loss + term.masked_fill(target <= 1, 0)
    return reduced(loss, number_of(reduction, size_average, reduce))


def gaussian_nll_loss(input: Tensor, target: Tensor, var: Any, full: bool = False,
                      eps: float = 1e-6, reduction: str = "mean") -> Tensor:
    """`(log var + (x - t)² / var) / 2`: a normal distribution's mean and variance, both predicted.

    Raises:
        ValueError: for a variance of another size, or a negative one.
    """
    if isinstance(var, float):
        if var < 0:
            raise ValueError("var has negative entry/entries")
        var = input.new_full(input.shape, var)
    elif (all_numbers(var) < 0).any():
        raise ValueError("var has negative entry/entries")
    if var.shape != input.shape:
        if input.shape[:-1] == var.shape:
            var = var.unsqueeze(-1)
        elif var.shape[-1:] != (1,) or input.shape[:-1] != var.shape[:-1]:
            raise ValueError("var is of incorrect size")
    var = var.clone()
    with no_grad():                        # the bound is no part of the function
        var.clamp_min_(eps)
    loss = 0.5 * (var.log() + (input - target) ** 2 / var)
    return reduced(loss + 0.5 * math.log(2 * math.pi) if full else loss, number_of(reduction))


def hinge_embedding_loss(input: Tensor, target: Tensor, margin: float = 1.0,
                         size_average: Old = None, reduce: Old = None,
                         reduction: str = "mean") -> Tensor:
    """x where the target is 1, `max(0, margin - x)` where it is -1."""
    far = (margin - input).clamp_min(0).masked_fill(target == 1, 0)
    near = input.masked_fill(target == -1, 0)
    return reduced(far + near, number_of(reduction, size_average, reduce))


def cosine_embedding_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0,
                          size_average: Old = None, reduce: Old = None,
                          reduction: str = "mean") -> Tensor:
    """`1 - cos` where the target is 1, `max(0, cos - margin)` where it is -1."""
    product = (input1 * input2).sum(-1)
    lengths = ((input1 * input1).sum(-1) + 1e-12) * ((input2 * input2).sum(-1) + 1e-12)
    cos = product / lengths.sqrt()
    alike = (1 - cos).masked_fill(target != 1, 0)
    different = (cos - margin).clamp_min(0).masked_fill(target != -1, 0)
    return reduced(alike + different, number_of(reduction, size_average, reduce))


def margin_ranking_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0,
                        size_average: Old = None, reduce: Old = None,
                        reduction: str = "mean") -> Tensor:
    """`max(0, -t (x1 - x2) + margin)`."""
    loss = (-target * (input1 - input2) + margin).clamp_min(0)
    return reduced(loss, number_of(reduction, size_average, reduce))


def soft_margin_loss(input: Tensor, target: Tensor, size_average: Old = None, reduce: Old = None,
                     reduction: str = "mean") -> Tensor:
    """`log(1 + exp(-t x))`."""
    return reduced((-target * input).exp().log1p(), number_of(reduction, size_average, reduce))


def multilabel_soft_margin_loss(input: Tensor, target: Tensor, weight: Tensor | None = None,
                                size_average: Old = None, reduce: Old = None,
                                reduction: str = "mean") -> Tensor:
    """Binary cross entropy of scores, averaged over the classes (the last dimension)."""
    loss = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    if weight is not None:
        loss = loss * weight
    return reduced(loss.sum(-1) / input.size(-1), number_of(reduction, size_average, reduce))


def multi_margin_loss(input: Tensor, target: Tensor, p: int = 1, margin: float = 1.0,
                      weight: Tensor | None = None, size_average: Old = None, reduce: Old = None,
                      reduction: str = "mean") -> Tensor:
    """The mean over the other classes j of `max(0, margin - x[target] + x[j]) ** p`."""
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    scores = input if input.dim() > 1 else input.reshape(1, -1)
    places = target.reshape(-1, 1)
    short = (margin - scores.gather(1, places) + scores).clamp_min(0) ** p
    if weight is not None:
        short = short * weight[target.reshape(-1)].unsqueeze(1)
    own = scores.detach().new_zeros(scores.shape).scatter_(1, places, 1).bool()
    loss = short.masked_fill(own, 0).sum(1) / scores.size(1)
    loss = loss if input.dim() > 1 else loss[0]
    return reduced(loss, number_of(reduction, size_average, reduce))


def pairwise_distance(x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6,
                      keepdim: bool = False) -> Tensor:
    """The p-norm of `x1 - x2 + eps` along the last dimension."""
    return (x1 - x2 + eps).norm(p, -1, keepdim=keepdim)


def triplet_margin_loss(anchor: Tensor, positive: Tensor, negative: Tensor, margin: float = 1.0,
                        p: float = 2, eps: float = 1e-6, swap: bool = False,
                        size_average: Old = None, reduce: Old = None,
                        reduction: str = "mean") -> Tensor:
    """`max(0, d(anchor, positive) - d(anchor, negative) + margin)`."""
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    near = pairwise_distance(anchor, positive, p, eps)
    far = pairwise_distance(anchor, negative, p, eps)
    if swap:
        other = pairwise_distance(positive, negative, p, eps)
        far = where(other < far, other, far)
    return reduced((margin + near - far).clamp_min(0), number_of(reduction, size_average, reduce))
