"""The dropout family as modules: active while training, the identity in evaluation."""

from typing import Any

from autodidact.nn.functional_all import F
from autodidact.nn.module import Module
from autodidact.tensor import Tensor

__all__ = ["AlphaDropout", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d",
           "FeatureAlphaDropout"]


class Dropout(Module):
    """Zeros with probability `p` while training, the rest larger by `1 / (1 - p)`.

    Raises:
        ValueError: for a p outside [0, 1].
    """

    function: Any = staticmethod(F.dropout)

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if not 0 <= p <= 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p, self.inplace = p, inplace

    def forward(self, input: Tensor) -> Tensor:
        """The input with some entries dropped, or itself."""
        return self.function(input, self.p, self.training, self.inplace)

    def extra_repr(self) -> str:
        """The probability."""
        return f"p={self.p}, inplace={self.inplace}"


class Dropout1d(Dropout):
    """Dropout of whole channels, shape (N, C, L) or (C, L)."""

    function = staticmethod(F.dropout1d)


class Dropout2d(Dropout):
    """Dropout of whole channels, shape (N, C, H, W)."""

    function = staticmethod(F.dropout2d)


class Dropout3d(Dropout):
    """Dropout of whole channels, shape (N, C, D, H, W)."""

    function = staticmethod(F.dropout3d)


class AlphaDropout(Dropout):
    """Dropout that keeps selu's mean and variance."""

    function = staticmethod(F.alpha_dropout)


class FeatureAlphaDropout(Dropout):
    """The same for whole channels."""

    function = staticmethod(F.feature_alpha_dropout)
