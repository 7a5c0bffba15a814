"""Losses as modules: each one calls its function with the options it was made with."""

import math
import warnings
from typing import Any

from autodidact.nn.functional_all import F
from autodidact.nn.functional_rare import LinearCrossEntropyOptions
from autodidact.nn.linear import Linear
from autodidact.nn.module import Module
from autodidact.nn.options import takes
from autodidact.tensor import Tensor

__all__ = [
    "BCELoss", "BCEWithLogitsLoss", "CTCLoss", "CosineEmbeddingLoss", "CrossEntropyLoss",
    "GaussianNLLLoss", "HingeEmbeddingLoss", "HuberLoss", "KLDivLoss", "L1Loss",
    "LinearCrossEntropyLoss", "LinearCrossEntropyOptions", "MSELoss",
    "MarginRankingLoss", "MultiLabelMarginLoss", "MultiLabelSoftMarginLoss", "MultiMarginLoss",
    "NLLLoss", "NLLLoss2d", "PoissonNLLLoss", "SmoothL1Loss", "SoftMarginLoss", "TripletMarginLoss",
    "TripletMarginWithDistanceLoss",
]


class Loss(Module):
    """What losses share.

    Attributes:
        function: of `torch.nn.functional`; called with the inputs and the options by name.
        options: its arguments with their defaults, in the order in which the module takes them;
            `size_average` and `reduce` are old forms of `reduction`.
        held: the options that are tensors, kept as buffers.
    """

    function: Any
    options: Any = takes()
    held: tuple = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        if len(args) > len(self.options) or kwargs.keys() - self.options.keys():
            raise TypeError(f"{type(self).__name__}.__init__() takes {list(self.options)}")
        given = self.options | dict(zip(self.options, args, strict=False)) | kwargs
        average, each = given.pop("size_average", None), given.pop("reduce", None)
        if average is not None or each is not None:         # the two old forms of `reduction`
            given["reduction"] = ("none" if each is not None and not each else
                                  "sum" if average is not None and not average else "mean")
        for name, value in given.items():
            if name in self.held:
                self.register_buffer(name, value)
            else:
                setattr(self, name, value)
        self.words = tuple(given)

    def forward(self, *inputs: Tensor) -> Tensor:
        """The loss of the inputs."""
        return self.function(*inputs, **{name: getattr(self, name) for name in self.words})


class MSELoss(Loss):
    """The squared distance."""

    function = staticmethod(F.mse_loss)
    options = takes(size_average=None, reduce=None, reduction="mean")


class L1Loss(Loss):
    """The absolute distance."""

    function = staticmethod(F.l1_loss)
    options = takes(size_average=None, reduce=None, reduction="mean")


class SmoothL1Loss(Loss):
    """Squared up to `beta`, then straight on."""

    function = staticmethod(F.smooth_l1_loss)
    options = takes(size_average=None, reduce=None, reduction="mean", beta=1.0)


class HuberLoss(Loss):
    """Half the square up to `delta`, then straight on."""

    function = staticmethod(F.huber_loss)
    options = takes(reduction="mean", delta=1.0)


class CrossEntropyLoss(Loss):
    """How surprised scores are by the classes.

    Example:
        >>> nn.CrossEntropyLoss()(torch.zeros(1, 2), torch.tensor([1]))
        tensor(0.6931)
    """

    function = staticmethod(F.cross_entropy)
    options = takes(weight=None, size_average=None, ignore_index=-100, reduce=None,
                    reduction="mean", label_smoothing=0.0)
    held = ("weight",)


class NLLLoss(Loss):
    """Minus the log-probability of the classes."""

    function = staticmethod(F.nll_loss)
    options = takes(weight=None, size_average=None, ignore_index=-100, reduce=None,
                    reduction="mean")
    held = ("weight",)


class NLLLoss2d(NLLLoss):
    """An old name of NLLLoss."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warnings.warn("NLLLoss2d has been deprecated. Please use NLLLoss instead.",
                      FutureWarning, stacklevel=2)
        super().__init__(*args, **kwargs)


class BCELoss(Loss):
    """Binary cross entropy of probabilities."""

    function = staticmethod(F.binary_cross_entropy)
    options = takes(weight=None, size_average=None, reduce=None, reduction="mean")
    held = ("weight",)


class BCEWithLogitsLoss(Loss):
    """Binary cross entropy of scores."""

    function = staticmethod(F.binary_cross_entropy_with_logits)
    options = takes(weight=None, size_average=None, reduce=None, reduction="mean",
                    pos_weight=None)
    held = ("weight", "pos_weight")


class KLDivLoss(Loss):
    """The Kullback-Leibler divergence."""

    function = staticmethod(F.kl_div)
    options = takes(size_average=None, reduce=None, reduction="mean",
                    log_target=False)


class PoissonNLLLoss(Loss):
    """The negative log-likelihood of Poisson's distribution."""

    function = staticmethod(F.poisson_nll_loss)
    options = takes(log_input=True, full=False, size_average=None, eps=1e-8,
                    reduce=None, reduction="mean")


class GaussianNLLLoss(Loss):
    """The negative log-likelihood of normal distributions."""

    function = staticmethod(F.gaussian_nll_loss)
    options = takes(full=False, eps=1e-6, reduction="mean")


class HingeEmbeddingLoss(Loss):
    """Small distances for alike, distances over a margin for different pairs."""

    function = staticmethod(F.hinge_embedding_loss)
    options = takes(margin=1.0, size_average=None, reduce=None, reduction="mean")


class CosineEmbeddingLoss(Loss):
    """Small angles for alike, angles over a margin for different pairs."""

    function = staticmethod(F.cosine_embedding_loss)
    options = takes(margin=0.0, size_average=None, reduce=None, reduction="mean")


class MarginRankingLoss(Loss):
    """The first above the second (or below), by a margin."""

    function = staticmethod(F.margin_ranking_loss)
    options = takes(margin=0.0, size_average=None, reduce=None, reduction="mean")


class SoftMarginLoss(Loss):
    """`log(1 + exp(-target input))`."""

    function = staticmethod(F.soft_margin_loss)
    options = takes(size_average=None, reduce=None, reduction="mean")


class MultiLabelSoftMarginLoss(Loss):
    """Binary cross entropy of scores, averaged over the classes."""

    function = staticmethod(F.multilabel_soft_margin_loss)
    options = takes(weight=None, size_average=None, reduce=None, reduction="mean")
    held = ("weight",)


class MultiMarginLoss(Loss):
    """The class's score above all others by a margin."""

    function = staticmethod(F.multi_margin_loss)
    options = takes(p=1, margin=1.0, weight=None, size_average=None, reduce=None,
                    reduction="mean")
    held = ("weight",)


class TripletMarginLoss(Loss):
    """The anchor nearer to the positive than to the negative, by a margin."""

    function = staticmethod(F.triplet_margin_loss)
    options = takes(margin=1.0, p=2.0, eps=1e-6, swap=False, size_average=None,
                    reduce=None, reduction="mean")


class MultiLabelMarginLoss(Loss):
    """All of an example's classes above all others by a margin of 1."""

    function = staticmethod(F.multilabel_margin_loss)
    options = takes(size_average=None, reduce=None, reduction="mean")


class CTCLoss(Loss):
    """How surprised a sequence of class probabilities is by a shorter sequence, however aligned."""

    function = staticmethod(F.ctc_loss)
    options = takes(blank=0, reduction="mean", zero_infinity=False)


class LinearCrossEntropyLoss(Module):
    """A Linear layer to scores, and their cross entropy.

    Args:
        in_features: size of the inputs.
        num_classes: the number of classes.
        out_features: further dimensions of the scores.
        bias: whether the layer adds something.
        device: "cpu".
        dtype: of the parameters.
        reduction, weight, ignore_index, label_smoothing: as for CrossEntropyLoss.
        options: accepted: they change how much memory PyTorch needs, not the result.
    """

    def __init__(self, in_features: int, num_classes: int, *, out_features: tuple = (),
                 bias: bool = False, device: Any = None, dtype: Any = None,
                 reduction: str = "mean", weight: Tensor | None = None,
                 ignore_index: int | None = None, label_smoothing: float = 0.0,
                 options: Any = None) -> None:
        if weight is not None and tuple(weight.shape) != (num_classes,):
            raise RuntimeError(f"expected weight shape to be {(num_classes,)}, got "
                               f"{tuple(weight.shape)}")
        if not 0 <= label_smoothing <= 1:
            raise RuntimeError("expected label_smoothing to be in range [0, 1], got "
                               f"{label_smoothing}")
        super().__init__()
        self.register_buffer("weight", weight)
        self.reduction, self.num_classes, self.out_features = reduction, num_classes, out_features
        self.ignore_index, self.label_smoothing = ignore_index, label_smoothing
        self.linear = Linear(in_features, math.prod(out_features, start=num_classes), bias=bias,
                             device=device, dtype=dtype)
        self.options = options

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss of inputs (N, in_features) and classes."""
        shape, layer = (self.num_classes, *self.out_features), self.linear
        return F.linear_cross_entropy(
            input, layer.weight.reshape(*shape, layer.in_features), target,
            linear_bias=None if layer.bias is None else layer.bias.reshape(shape),
            weight=self.weight, reduction=self.reduction, ignore_index=self.ignore_index,
            label_smoothing=self.label_smoothing, options=self.options)

    def extra_repr(self) -> str:
        """The sizes and options."""
        return (f"in_features={self.linear.in_features}, num_classes={self.num_classes}, "
                f"out_features={self.out_features}, bias={self.linear.bias is not None}, "
                f"reduction={self.reduction}, ignore_index={self.ignore_index}, "
                f"label_smoothing={self.label_smoothing}, options={self.options}")


class TripletMarginWithDistanceLoss(Module):
    """TripletMarginLoss with a distance of one's own."""

    def __init__(self, *, distance_function: Any = None, margin: float = 1.0, swap: bool = False,
                 reduction: str = "mean") -> None:
        super().__init__()
        self.distance_function = distance_function or F.pairwise_distance
        self.margin, self.swap, self.reduction = margin, swap, reduction

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        """The loss of three batches of vectors."""
        return F.triplet_margin_with_distance_loss(
            anchor, positive, negative, distance_function=self.distance_function,
            margin=self.margin, swap=self.swap, reduction=self.reduction)
