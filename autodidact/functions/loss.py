"""Losses with PyTorch's arguments, for `nn.functional`."""

import math
import warnings
from typing import Any

import numpy as np

from autodidact.functions.activation import log_softmax
from autodidact.functions.arguments import all_numbers, need_tensor
from autodidact.ops import loss as rows
from autodidact.tensor import Tensor

CLASSES = {("i", 8), ("u", 1)}                  # dtypes of a target that names classes
REDUCTIONS = {"none": rows.NONE, "mean": rows.MEAN, "sum": rows.SUM}


def number_of(reduction: str, size_average: Any = None, reduce: Any = None) -> int:
    """The reduction as the rows know it; the two old arguments still count.

    Raises:
        ValueError: for any other word.
    """
    if size_average is not None or reduce is not None:
        if reduce is not None and not reduce:
            return rows.NONE
        return rows.MEAN if size_average is None or size_average else rows.SUM
    if reduction not in REDUCTIONS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return REDUCTIONS[reduction]


def reduced(values: Tensor, reduction: int) -> Tensor:
    """All values, their mean or their sum, as tensors."""
    return values if reduction == rows.NONE else (
        values.mean() if reduction == rows.MEAN else values.sum())


def same_size(name: str, input: Tensor, target: Tensor) -> tuple:
    """Both, broadcast; with PyTorch's warning where their shapes differ."""
    need_tensor(input, name, "input")
    need_tensor(target, name, "target", 2)
    a, b = input._array.shape, target._array.shape
    if a == b:
        return input, target
    warnings.warn(f"Using a target size (torch.Size({list(b)})) that is different to the input "
                  f"size (torch.Size({list(a)})). This will likely lead to incorrect results due "
                  "to broadcasting. Please ensure they have the same size.", UserWarning,
                  stacklevel=3)
    shape = common_shape(a, b)
    return input.expand(shape), target.expand(shape)


def common_shape(a: tuple, b: tuple) -> tuple:
    """The shape that two shapes broadcast to; PyTorch's RuntimeError where there is none."""
    try:
        return np.broadcast_shapes(a, b)
    except ValueError:
        for i in range(1, 1 + min(len(a), len(b))):
            if a[-i] != b[-i] and 1 not in (a[-i], b[-i]):
                raise RuntimeError(
                    f"The size of tensor a ({a[-i]}) must match the size of tensor b ({b[-i]}) at "
                    f"non-singleton dimension {max(len(a), len(b)) - i}") from None
        raise


# ---- distances ----------------------------------------------------------------------------------


def mse_loss(input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None,
             reduction: str = "mean", weight: Tensor | None = None) -> Tensor:
    """The squared distance, entry by entry, then its mean or sum.

    Args:
        input: the prediction.
        target: what it should be, of the same shape.
        size_average: an old form of `reduction`.
        reduce: another old form of it.
        reduction: "mean", "sum" or "none".
        weight: factors of the entries.

    Example:
        >>> F.mse_loss(torch.tensor([1., 2.]), torch.tensor([1., 4.]))
        tensor(2.)
    """
    reduction = number_of(reduction, size_average, reduce)
    input, target = same_size("mse_loss", input, target)
    if weight is None:
        return rows.mse_loss.call(input, target, reduction)
    values = rows.mse_loss.call(input, target, rows.NONE) * weight
    return values.sum() / weight.sum() if reduction == rows.MEAN else reduced(values, reduction)


def l1_loss(input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None,
            reduction: str = "mean", weight: Tensor | None = None) -> Tensor:
    """The absolute distance, entry by entry, then its mean or sum."""
    reduction = number_of(reduction, size_average, reduce)
    input, target = same_size("l1_loss", input, target)
    values = (input - target).abs()
    if weight is not None:
        values = values * weight
        if reduction == rows.MEAN:
            return values.sum() / weight.sum()
    return reduced(values, reduction)


def smooth_l1_loss(input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None,
                   reduction: str = "mean", beta: float = 1.0) -> Tensor:
    """Squared (over 2 beta) up to a distance of `beta`, then straight on."""
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    if beta == 0:
        return l1_loss(input, target, size_average, reduce, reduction)
    input, target = same_size("smooth_l1_loss", input, target)
    return rows.smooth_l1_loss.call(input, target, number_of(reduction, size_average, reduce), beta)


def huber_loss(input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0,
               weight: Tensor | None = None) -> Tensor:
    """Half the square up to a distance of `delta`, then straight on."""
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    input, target = same_size("huber_loss", input, target)
    if weight is None:
        return rows.huber_loss.call(input, target, number_of(reduction), delta)
    return reduced(rows.huber_loss.call(input, target, rows.NONE, delta) * weight,
                   number_of(reduction))


# ---- classes ------------------------------------------------------------------------------------


def nll_loss(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: Any = None,
             ignore_index: int = -100, reduce: Any = None, reduction: str = "mean") -> Tensor:
    """Minus the entry of each target class: of log-probabilities, the negative log-likelihood.

    Args:
        input: shape (C), (N, C) or (N, C, d1, ...).
        target: int64 classes, shape (), (N) or (N, d1, ...).
        weight: how much each class counts, shape (C); the mean is over the weights.
        ignore_index: a class that does not count.
        size_average: an old form of `reduction`.
        reduce: another old form of it.
        reduction: "mean", "sum" or "none".

    Raises:
        IndexError: for a class out of range. ValueError, RuntimeError: for shapes or dtypes.
    """
    check_classes("nll_loss", input, target, weight)
    number, shape = number_of(reduction, size_average, reduce), target._array.shape
    if input._array.ndim < 3:
        return rows.nll_loss.call(input, target, weight, number, ignore_index)
    if input._array.ndim == 4:
        return rows.nll_loss2d.call(input, target, weight, number, ignore_index)
    n, c = input._array.shape[:2]
    result = rows.nll_loss2d.call(input.reshape(n, c, 1, -1), target.reshape(n, 1, -1), weight,
                                  number, ignore_index)
    return result.reshape(shape) if number == rows.NONE else result


def check_classes(name: str, input: Tensor, target: Tensor, weight: Tensor | None) -> None:
    """PyTorch's refusals of shapes and dtypes."""
    need_tensor(input, name, "input")
    need_tensor(target, name, "target", 2)
    a, b = input._array.shape, target._array.shape
    if not a:
        raise ValueError("Expected 1 or more dimensions (got 0)")
    if len(a) > 1 and (not b or a[0] != b[0]):
        raise ValueError(f"Expected input batch_size ({a[0]}) to match target batch_size "
                         f"({b[0] if b else 1}).")
    if len(a) == 2 and len(b) > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if a[:1] * (len(a) > 1) + a[2:] != b:
        raise RuntimeError(f"Expected target size {list(a[:1] + a[2:])}, got {list(b)}")
    if (target._array.dtype.kind, target._array.dtype.itemsize) not in CLASSES:
        kind = target.type().rpartition(".")[2].removesuffix("Tensor")
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {kind}")
    classes = a[1] if len(a) > 1 else a[0]
    if weight is not None and weight._array.shape != (classes,):
        have = list(weight._array.shape)
        raise RuntimeError(f"weight tensor should be defined either for all {classes} classes or "
                           f"no classes but got weight tensor of shape: {have}")


def cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None,
                  size_average: Any = None, ignore_index: int = -100, reduce: Any = None,
                  reduction: str = "mean", label_smoothing: float = 0.0) -> Tensor:
    """How surprised scores (logits) are by the targets: `nll_loss(log_softmax(input))`.

    Args:
        input: unnormalised scores, shape (C), (N, C) or (N, C, d1, ...).
        target: classes (integers, without the C dimension), or probabilities of the input's shape.
        weight: how much each class counts, shape (C).
        ignore_index: a class that does not count (class targets only).
        size_average: an old form of `reduction`.
        reduce: another old form of it.
        reduction: "mean", "sum" or "none".
        label_smoothing: this part of each target is spread evenly over all classes.

    Raises:
        IndexError: for a class out of range. ValueError, RuntimeError: for shapes, dtypes or a
            smoothing outside [0, 1].

    Example:
        >>> F.cross_entropy(torch.tensor([[0., 0.]]), torch.tensor([1]))
        tensor(0.6931)
    """
    need_tensor(input, "cross_entropy_loss", "input")
    need_tensor(target, "cross_entropy_loss", "target", 2)
    if not 0 <= label_smoothing <= 1:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}")
    number = number_of(reduction, size_average, reduce)
    dim = 1 if input._array.ndim > 1 else 0
    if target._array.shape == input._array.shape and target._array.dtype.kind == "f":
        return to_probabilities(input, target, weight, number, label_smoothing, dim, ignore_index)
    logs = log_softmax(input, dim)
    word = {n: w for w, n in REDUCTIONS.items()}[number]
    if label_smoothing == 0:
        return nll_loss(logs, target, weight, None, ignore_index, None, word)
    return smoothed(logs, target, weight, number, label_smoothing, dim, ignore_index)


def to_probabilities(input: Tensor, target: Tensor, weight: Tensor | None, reduction: int,
                     smoothing: float, dim: int, ignore_index: int) -> Tensor:
    """Cross entropy with a whole distribution as target."""
    if ignore_index >= 0:
        raise RuntimeError("ignore_index is not supported for floating point target")
    logs, classes = log_softmax(input, dim), input._array.shape[dim]
    if smoothing > 0:
        target = target * (1 - smoothing) + smoothing / classes
    values = logs * target
    if weight is not None:
        values = values * of_classes(weight, input._array.ndim, dim)
    if reduction == rows.NONE:
        return -values.sum(dim)
    batch = max(input._array.size // classes, 1)
    return -values.sum() / batch if reduction == rows.MEAN else -values.sum()


def of_classes(weight: Tensor, ndim: int, dim: int) -> Tensor:
    """The weights of the classes in a shape that broadcasts along them."""
    return weight.view(tuple(-1 if i == dim else 1 for i in range(ndim)))


def smoothed(logs: Tensor, target: Tensor, weight: Tensor | None, reduction: int, smoothing: float,
             dim: int, ignore_index: int) -> Tensor:
    """The loss of the class, and the mean over all classes, mixed."""
    word = {n: w for w, n in REDUCTIONS.items()}[reduction]
    nll = nll_loss(logs, target, weight, None, ignore_index, None, word)
    each = -logs.sum(dim) if weight is None else -(
        logs * of_classes(weight, logs._array.ndim, dim)).sum(dim)
    ignored = target == ignore_index
    if ignored.any():
        each = each.masked_fill(ignored, 0)
    if reduction == rows.NONE:
        smooth = each
    elif reduction == rows.SUM:
        smooth = each.sum()
    elif weight is not None:
        counts = weight[target.masked_fill(ignored, 0)].masked_fill(ignored, 0)
        smooth = each.sum() / counts.sum()
    else:
        smooth = each.sum() / (~ignored).sum() if ignored.any() else each.mean()
    classes = logs._array.shape[dim]
    return nll * (1 - smoothing) + smooth * (smoothing / classes)


# ---- probabilities ------------------------------------------------------------------------------


def check_same(input: Tensor, target: Tensor) -> None:
    """Two tensors of one shape, or PyTorch's ValueError."""
    a, b = input._array.shape, target._array.shape
    if a != b:
        raise ValueError(f"Using a target size (torch.Size({list(b)})) that is different to the "
                         f"input size (torch.Size({list(a)})) is deprecated. Please ensure they "
                         "have the same size.")


def binary_cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None,
                         size_average: Any = None, reduce: Any = None,
                         reduction: str = "mean") -> Tensor:
    """`-(t log p + (1 - t) log(1 - p))` of probabilities p and targets t.

    Raises:
        ValueError: for two shapes. RuntimeError: for entries of `input` outside [0, 1].
    """
    check_same(input, target)
    numbers = all_numbers(input)
    if not ((numbers >= 0) & (numbers <= 1)).all():
        raise RuntimeError("all elements of input should be between 0 and 1")
    if weight is not None:
        weight = weight.expand(input._array.shape)
    return rows.binary_cross_entropy.call(input, target, weight,
                                          number_of(reduction, size_average, reduce))


def binary_cross_entropy_with_logits(
        input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: Any = None,
        reduce: Any = None, reduction: str = "mean", pos_weight: Tensor | None = None) -> Tensor:
    """The same of scores: `binary_cross_entropy(sigmoid(input), target)`, without overflow.

    Raises:
        ValueError: for two shapes.
    """
    if input._array.shape != target._array.shape:
        raise ValueError(f"Target size (torch.Size({list(target._array.shape)})) must be the same "
                         f"as input size (torch.Size({list(input._array.shape)}))")
    return rows.binary_cross_entropy_with_logits.call(
        input, target, weight, pos_weight, number_of(reduction, size_average, reduce))


def kl_div(input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None,
           reduction: str = "mean", log_target: bool = False) -> Tensor:
    """The Kullback-Leibler divergence of log-probabilities `input` from `target`.

    `reduction` may also be "batchmean": the sum over the batch's size, as mathematics has it.
    """
    if reduction == "mean":
        warnings.warn("reduction: 'mean' divides the total loss by both the batch size and the "
                      "support size. 'batchmean' divides only by the batch size, and aligns with "
                      "the KL math definition.", UserWarning, stacklevel=2)
    number = rows.SUM if reduction == "batchmean" else number_of(reduction, size_average, reduce)
    if log_target:
        values = target.exp() * (target - input)
    else:
        values = target.xlogy(target) - target * input
    result = reduced(values, number)
    if reduction == "batchmean" and input._array.ndim:
        return result / math.prod(input._array.shape[:1])
    return result
