"""A softmax over very many classes: frequent ones directly, rare ones in clusters."""

from collections import namedtuple
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from autodidact.functions.joining import cat
from autodidact.nn.containers import ModuleList, Sequential
from autodidact.nn.functional_all import F
from autodidact.nn.linear import Linear
from autodidact.nn.module import Module
from autodidact.tensor import Tensor

__all__ = ["AdaptiveLogSoftmaxWithLoss"]

ASMoutput = namedtuple("_ASMoutput", ["output", "loss"])


class AdaptiveLogSoftmaxWithLoss(Module):
    """The log-probability of each example's class, and minus their mean.

    The head knows the first `cutoffs[0]` classes and one entry for each cluster; a cluster's own
    layer, the smaller the rarer its classes, tells them apart.

    Args:
        in_features: size of the inputs.
        n_classes: the number of classes, the frequent ones first.
        cutoffs: where the clusters begin.
        div_value: by this power a cluster's inner size is smaller than the one's before.
        head_bias: whether the head adds something.
        device: "cpu".
        dtype: of the parameters.

    Raises:
        ValueError: for cutoffs that are not positive, increasing and below `n_classes`.
    """

    def __init__(self, in_features: int, n_classes: int, cutoffs: Sequence, div_value: float = 4.0,
                 head_bias: bool = False, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        cutoffs = list(cutoffs)
        if not cutoffs:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        if (any(int(c) != c for c in cutoffs) or cutoffs != sorted(set(cutoffs))
                or cutoffs[0] <= 0 or cutoffs[-1] > n_classes - 1):
            raise ValueError("cutoffs should be a sequence of unique, positive integers sorted in "
                             "an increasing order, where each value is between 1 and n_classes-1")
        self.in_features, self.n_classes = in_features, n_classes
        self.cutoffs = [*cutoffs, n_classes]
        self.div_value, self.head_bias = div_value, head_bias
        self.shortlist_size, self.n_clusters = cutoffs[0], len(cutoffs)
        self.head_size = self.shortlist_size + self.n_clusters
        words = {"device": device, "dtype": dtype}
        self.head = Linear(in_features, self.head_size, bias=head_bias, **words)
        self.tail = ModuleList()
        for i, (low, high) in enumerate(pairwise(self.cutoffs)):
            inner = int(in_features // div_value ** (i + 1))
            self.tail.append(Sequential(Linear(in_features, inner, bias=False, **words),
                                        Linear(inner, high - low, bias=False, **words)))

    def reset_parameters(self) -> None:
        """Draw all weights anew."""
        self.head.reset_parameters()
        for first, second in self.tail:
            first.reset_parameters()
            second.reset_parameters()

    def forward(self, input_: Tensor, target_: Tensor) -> ASMoutput:
        """The log-probabilities of the targets, shape (N), and the loss.

        Args:
            input_: shape (N, in_features), or (in_features).
            target_: shape (N), or ().

        Raises:
            RuntimeError: shapes that do not fit, or a target that is no class.
        """
        input, target = checked(input_, target_)
        output = input.new_zeros(target.size(0))
        place = target.clone()                             # of the class, or its cluster, in head
        for i, (low, high) in enumerate(pairwise(self.cutoffs)):
            rows = ((target >= low) & (target < high)).nonzero().squeeze(1)
            if not rows.numel():
                continue
            scores = F.log_softmax(self.tail[i](input.index_select(0, rows)), 1)
            own = scores.gather(1, (target.index_select(0, rows) - low).unsqueeze(1))
            output = output.index_copy(0, rows, own.squeeze(1))
            place.index_fill_(0, rows, self.shortlist_size + i)
        if ((target < 0) | (target >= self.n_classes)).any():
            raise RuntimeError(f"Target values should be in [0, {self.n_classes - 1}], but values "
                               f"in range [{target.min().item()}, {target.max().item()}] were "
                               "found. ")
        head = F.log_softmax(self.head(input), 1)
        output = output + head.gather(1, place.unsqueeze(1)).squeeze(1)
        loss = (-output).mean()
        return ASMoutput(output if target_.dim() else output.squeeze(0), loss)

    def log_prob(self, input: Tensor) -> Tensor:
        """The log-probabilities of all classes, shape (N, n_classes)."""
        head = F.log_softmax(self.head(input), 1)
        parts = [head[:, :self.shortlist_size]]
        for i, tail in enumerate(self.tail):
            cluster = head[:, self.shortlist_size + i].unsqueeze(1)
            parts.append(F.log_softmax(tail(input), 1) + cluster)
        return cat(parts, 1)

    def predict(self, input: Tensor) -> Tensor:
        """The most probable class of each example; what the head knows is not looked at further."""
        best = self.head(input).argmax(1)
        rare = best >= self.shortlist_size
        if rare.any():
            best[rare] = self.log_prob(input[rare]).argmax(1)
        return best


def checked(input: Tensor, target: Tensor) -> tuple:
    """Both as a batch."""
    dims = target.dim()
    if dims > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if dims and input.size(0) != target.size(0):
        raise RuntimeError("Input and target should have the same size in the batch dimension.")
    if input.dim() != dims + 1:
        raise RuntimeError(f"{dims}D target tensor expects {dims + 1}D input tensors, but found "
                           f"inputs with size {input.size()}")
    return (input, target) if dims else (input.unsqueeze(0), target.unsqueeze(0))
