"""Losses: how far a prediction is from its target. `reduction` is 0 none, 1 mean, 2 sum."""

from typing import Any

import numpy as np

from autodidact.arrays.foreign import certainly
from autodidact.ops.activation import log_sigmoid
from autodidact.ops.op import Op, linear, reduction
from autodidact.ops.reduction import put_at
from autodidact.ops.transcendental import sigmoid

NONE, MEAN, SUM = 0, 1, 2

# ---- distances: of z = self - target ------------------------------------------------------------

mse_loss = Op("mse_loss(self, target, *, reduction)",              # z²
    forward = lambda self, target, reduction: reduced((self - target) ** 2, reduction),
    vjp     = {"self":   lambda grad, self, target, reduction:
                         share(grad, self, reduction) * (self - target) * 2,
               "target": lambda grad, self, target, reduction:
                         share(grad, self, reduction) * (target - self) * 2},
    jvp     = lambda self_t, target_t, self, target, reduction:
              reduced((self_t - target_t) * (self - target) * 2, reduction),
    kind    = reduction, promote = "common",
    only    = "fc", refusal = "\"mse_cpu\" not implemented for '{}'")

smooth_l1_loss = Op("smooth_l1_loss(self, target, *, reduction, beta)",   # z²/2β, later |z| - β/2
    forward = lambda self, target, reduction, beta:
              reduced(smooth_l1(self - target, beta), reduction),
    vjp     = {"self":   lambda grad, self, target, reduction, beta:
                         share(grad, self, reduction) * bounded(self - target, beta) / beta,
               "target": lambda grad, self, target, reduction, beta:
                         share(grad, self, reduction) * bounded(target - self, beta) / beta},
    jvp     = lambda self_t, target_t, self, target, reduction, beta:
              reduced((self_t - target_t) * bounded(self - target, beta) / beta, reduction),
    node    = "SmoothL1LossBackward0",
    kind    = reduction, promote = "common",
    only    = "fc", refusal = "\"smooth_l1_cpu\" not implemented for '{}'")

huber_loss = Op("huber_loss(self, target, *, reduction, delta)",   # z²/2, from δ on δ (|z| - δ/2)
    forward = lambda self, target, reduction, delta:
              reduced(smooth_l1(self - target, delta) * delta, reduction),
    vjp     = {"self":   lambda grad, self, target, reduction, delta:
                         share(grad, self, reduction) * bounded(self - target, delta),
               "target": lambda grad, self, target, reduction, delta:
                         share(grad, self, reduction) * bounded(target - self, delta)},
    jvp     = lambda self_t, target_t, self, target, reduction, delta:
              reduced((self_t - target_t) * bounded(self - target, delta), reduction),
    kind    = reduction, promote = "common",
    only    = "fc", refusal = "\"huber_cpu\" not implemented for '{}'")

# ---- the negative logarithm of a probability ----------------------------------------------------
# Only the input's shape counts; it is named, so saved, and a later write is refused, as in PyTorch.

nll_loss = Op("nll_loss(self, target, weight=None, *, reduction, ignore_index)",
    index   = ("target",),
    forward = lambda self, target, weight, reduction, ignore_index:
              nll(self, target, weight, reduction, ignore_index),
    vjp     = {"self": lambda grad, self, self_shape, target, weight, reduction, ignore_index:
               nll_loss_backward(grad, target, weight, self_shape, reduction, ignore_index)},
    kind    = linear | reduction)

nll_loss_backward = Op(                                            # to the places of the targets
    "nll_loss_backward(grad, target, weight=None, *, shape, reduction, ignore_index)",
    index   = ("target",),
    forward = lambda grad, target, weight, shape, reduction, ignore_index:
              nll_grad(grad, target, weight, shape, reduction, ignore_index),
    vjp     = {"grad": lambda grad, target, weight, shape, reduction, ignore_index:
               nll_loss(grad, target, weight, reduction, ignore_index)},
    kind    = linear)

nll_loss2d = Op("nll_loss2d(self, target, weight=None, *, reduction, ignore_index)",   # of pictures
    index   = ("target",),
    forward = lambda self, target, weight, reduction, ignore_index:
              nll(self, target, weight, reduction, ignore_index),
    vjp     = {"self": lambda grad, self, self_shape, target, weight, reduction, ignore_index:
               nll_loss_backward(grad, target, weight, self_shape, reduction, ignore_index)},
    node    = "NllLoss2DBackward0",
    kind    = linear | reduction)

binary_cross_entropy = Op("binary_cross_entropy(self, target, weight=None, *, reduction)",
    forward = lambda self, target, weight, reduction:              # -t log(p) - (1-t) log(1-p)
              reduced(weighted(bce(self, target), weight), reduction),
    vjp     = {"self":   lambda grad, self, target, weight, reduction:
                         weighted(share(grad, self, reduction), weight) * (self - target)
                         / np.maximum((1 - self) * self, 1e-12),
               "target": lambda grad, self, target, weight, reduction:
                         weighted(share(grad, self, reduction), weight)
                         * (np.log1p(-self) - np.log(self))},
    jvp     = lambda self_t, target_t, self, target, weight, reduction: reduced(
              weighted(self_t * (self - target) / np.maximum((1 - self) * self, 1e-12)
                       + target_t * (np.log1p(-self) - np.log(self)), weight), reduction),
    kind    = reduction)

binary_cross_entropy_with_logits = Op(
    "binary_cross_entropy_with_logits(self, target, weight=None, pos_weight=None, *, reduction)",
    forward = lambda self, target, weight, pos_weight, reduction:  # the same of p = σ(x)
              reduced(weighted(bce_logits(self, target, pos_weight), weight), reduction),
    vjp     = {"self":   lambda grad, self, target, weight, pos_weight, reduction:
                         weighted(share(grad, self, reduction), weight)
                         * bce_logits_slope(self, target, pos_weight),
               "target": lambda grad, self, target, weight, pos_weight, reduction:
                         weighted(share(grad, self, reduction), weight)
                         * bce_logits_target_slope(self, pos_weight)},
    jvp     = lambda self_t, target_t, self, target, weight, pos_weight, reduction: reduced(
              weighted(self_t * bce_logits_slope(self, target, pos_weight)
                       + target_t * bce_logits_target_slope(self, pos_weight), weight), reduction),
    kind    = reduction)


# ---- longer mathematics -------------------------------------------------------------------------


def reduced(values: Any, reduction: int) -> Any:
    """All values, their mean or their sum."""
    if reduction == NONE:
        return values
    total = values.sum()
    return total if reduction == SUM else total / count(values.shape)


def share(grad: Any, values: Any, reduction: int) -> Any:
    """The gradient of each value before the reduction."""
    return grad / count(values.shape) if reduction == MEAN else grad


def count(shape: tuple) -> int:
    """The number of entries."""
    found = 1
    for n in shape:
        found *= n
    return found


def weighted(values: Any, weight: Any) -> Any:
    """Times the weights, if there are any."""
    return values if weight is None else values * weight


def smooth_l1(z: Any, beta: float) -> Any:
    """z²/2β up to β, then |z| - β/2: a parabola that goes on as its tangent."""
    size = np.abs(z)
    return np.where(size < beta, 0.5 * z * z / beta, size - 0.5 * beta)


def bounded(z: Any, bound: float) -> Any:
    """z, cut off at -bound and bound."""
    return np.minimum(np.maximum(z, -bound), bound)


def bce(p: Any, t: Any) -> Any:
    """Binary cross entropy; the logarithm is cut off at -100, as in PyTorch."""
    return -(t * np.maximum(np.log(p), -100) + (1 - t) * np.maximum(np.log1p(-p), -100))


def bce_logits(x: Any, t: Any, pos_weight: Any) -> Any:
    """(1-t) x + w log(1 + exp(-x)), written so that nothing overflows."""
    log_term = np.log1p(np.exp(-np.abs(x))) + np.maximum(-x, 0)
    if pos_weight is not None:
        log_term = log_term * ((pos_weight - 1) * t + 1)
    return (1 - t) * x + log_term


def bce_logits_slope(x: Any, t: Any, pos_weight: Any) -> Any:
    """σ(x) - t; with the positive class's weight where there is one."""
    if pos_weight is None:
        return sigmoid(x) - t
    return (pos_weight * t + 1 - t) * sigmoid(x) - pos_weight * t


def bce_logits_target_slope(x: Any, pos_weight: Any) -> Any:
    """-x; with the positive class's weight where there is one."""
    return -x if pos_weight is None else log_sigmoid(-x) - pos_weight * log_sigmoid(x)


def nll(x: Any, target: Any, weight: Any, reduction: int, ignore_index: int) -> Any:
    """Minus the entry of each target class, weighted; the mean is over the weights."""
    if plain_classes(x.shape, target, weight, ignore_index):
        values = -x[np.arange(len(x), dtype=np.int64), target]
        if reduction == NONE:
            return values
        return values.sum() / len(x) if reduction == MEAN else values.sum()
    dim = 1 if x.ndim > 1 else 0
    places, factors = shares(x.shape, target, weight, ignore_index, reduction)
    values = -np.squeeze(np.take_along_axis(x, np.expand_dims(places, dim), dim), dim)
    values = np.where(factors == 0, 0, values * factors.astype(x.dtype))
    return values if reduction == NONE else values.sum()


def nll_grad(grad: Any, target: Any, weight: Any, shape: tuple, reduction: int,
             ignore_index: int) -> Any:
    """Minus the weight, at the place of the target class; zeros elsewhere."""
    if plain_classes(shape, target, weight, ignore_index):
        out = np.zeros(shape, grad.dtype)
        out[np.arange(shape[0], dtype=np.int64), target] = -(
            grad / shape[0] if reduction == MEAN else grad)
        return out
    places, factors = shares(shape, target, weight, ignore_index, reduction)
    return put_at(-(grad * factors.astype(grad.dtype)), places, shape, 1 if len(shape) > 1 else 0,
                  False)


def plain_classes(shape: tuple, target: Any, weight: Any, ignore_index: int) -> bool:
    """Whether each of several rows has one class that counts: no weights, none ignored or wrong."""
    if len(shape) != 2 or weight is not None or not shape[0] or type(target) is not np.ndarray:
        return False
    low, high = target.min(), target.max()
    return 0 <= low and high < shape[1] and not low <= ignore_index <= high


def shares(shape: tuple, target: Any, weight: Any, ignore_index: int, reduction: int) -> tuple:
    """The class of each target, and how much its entry counts; 0 for the ignored ones."""
    counts = target != ignore_index
    classes = shape[1] if len(shape) > 1 else shape[0]
    places = np.where(counts, target, 0).astype(np.int64)
    if certainly(((places < 0) | (places >= classes)).any()):
        wrong = np.asarray(target)[np.asarray((places < 0) | (places >= classes))].reshape(-1)[0]
        raise IndexError(f"Target {wrong} is out of bounds.")
    factors = np.where(counts, 1 if weight is None else weight[places], 0).astype(np.float64)
    return places, factors / factors.sum() if reduction == MEAN else factors
