"""Activations as modules: each one calls its function with the options it was made with."""

from typing import Any

from autodidact.functions.creation import full
from autodidact.nn.functional_all import F
from autodidact.nn.module import Module
from autodidact.nn.options import takes
from autodidact.nn.parameter import Parameter
from autodidact.tensor import Tensor

__all__ = [
    "CELU", "ELU", "GELU", "GLU", "SELU", "Hardshrink", "Hardsigmoid", "Hardswish", "Hardtanh",
    "LeakyReLU", "LogSigmoid", "LogSoftmax", "Mish", "PReLU", "RReLU", "ReLU", "ReLU6", "SiLU",
    "Sigmoid", "Softmax", "Softmax2d", "Softmin", "Softplus", "Softshrink", "Softsign", "Tanh",
    "Tanhshrink", "Threshold",
]


class Activation(Module):
    """What they share.

    Attributes:
        function: of `torch.nn.functional`.
        options: its arguments with their defaults; REQUIRED where there is none.
        shown: the options that printing shows.
    """

    function: Any
    options: Any = takes()
    shown: tuple | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        if len(args) > len(self.options) or kwargs.keys() - self.options.keys():
            raise TypeError(f"{type(self).__name__}.__init__() takes {list(self.options)}")
        given = dict(zip(self.options, args, strict=False)) | kwargs
        for name, default in self.options.items():
            value = given.get(name, default)
            if value is REQUIRED:
                raise TypeError(f"{type(self).__name__}.__init__() missing a required positional "
                                f"argument: '{name}'")
            setattr(self, name, value)

    def forward(self, input: Tensor) -> Tensor:
        """The function of the input."""
        return self.function(input, **{name: getattr(self, name) for name in self.options})

    def extra_repr(self) -> str:
        """The options; `inplace` only where it is True."""
        names = self.options if self.shown is None else self.shown
        return ", ".join(f"{name}={getattr(self, name)!r}" for name in names
                         if name != "inplace" or self.inplace)


REQUIRED = object()


class ReLU(Activation):
    """`max(x, 0)`."""

    function = staticmethod(F.relu)
    options = takes(inplace=False)


class LeakyReLU(Activation):
    """x where it is positive, else `negative_slope * x`."""

    function = staticmethod(F.leaky_relu)
    options = takes(negative_slope=0.01, inplace=False)


class ELU(Activation):
    """x where it is positive, else `alpha * (exp(x) - 1)`."""

    function = staticmethod(F.elu)
    options = takes(alpha=1.0, inplace=False)


class CELU(Activation):
    """x where it is positive, else `alpha * (exp(x / alpha) - 1)`."""

    function = staticmethod(F.celu)
    options = takes(alpha=1.0, inplace=False)


class SELU(Activation):
    """elu with the constants that keep mean 0 and variance 1."""

    function = staticmethod(F.selu)
    options = takes(inplace=False)


class GELU(Activation):
    """`x Φ(x)`."""

    function = staticmethod(F.gelu)
    options = takes(approximate="none")


class SiLU(Activation):
    """`x σ(x)`."""

    function = staticmethod(F.silu)
    options = takes(inplace=False)


class Mish(Activation):
    """`x tanh(softplus(x))`."""

    function = staticmethod(F.mish)
    options = takes(inplace=False)


class Sigmoid(Activation):
    """`1 / (1 + exp(-x))`."""

    function = staticmethod(F.sigmoid)


class Tanh(Activation):
    """The hyperbolic tangent."""

    function = staticmethod(F.tanh)


class LogSigmoid(Activation):
    """`log(sigmoid(x))`."""

    function = staticmethod(F.logsigmoid)


class Softsign(Activation):
    """`x / (1 + |x|)`."""

    function = staticmethod(F.softsign)


class Tanhshrink(Activation):
    """`x - tanh(x)`."""

    function = staticmethod(F.tanhshrink)


class Softplus(Activation):
    """`log(1 + exp(beta x)) / beta`."""

    function = staticmethod(F.softplus)
    options = takes(beta=1.0, threshold=20.0)


class Hardtanh(Activation):
    """x between two bounds."""

    function = staticmethod(F.hardtanh)
    options = takes(min_val=-1.0, max_val=1.0, inplace=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.max_val <= self.min_val:
            raise AssertionError(f"max_val must be larger than min_val, got {self.max_val} and "
                                 f"{self.min_val}")


class ReLU6(Hardtanh):
    """x between 0 and 6."""

    shown = ("inplace",)

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)


class Hardsigmoid(Activation):
    """A sigmoid of three straight pieces."""

    function = staticmethod(F.hardsigmoid)
    options = takes(inplace=False)
    shown = ()


class Hardswish(Activation):
    """`x hardsigmoid(x)`."""

    function = staticmethod(F.hardswish)
    options = takes(inplace=False)
    shown = ()


class Hardshrink(Activation):
    """x, but 0 between `-lambd` and `lambd`."""

    function = staticmethod(F.hardshrink)
    options = takes(lambd=0.5)

    def extra_repr(self) -> str:
        """The bound."""
        return f"{self.lambd}"


class Softshrink(Hardshrink):
    """x moved towards 0 by `lambd`."""

    function = staticmethod(F.softshrink)


class Threshold(Activation):
    """x where it is above the threshold, else `value`."""

    function = staticmethod(F.threshold)
    options = takes(threshold=REQUIRED, value=REQUIRED, inplace=False)


class GLU(Activation):
    """The first half along `dim`, times the sigmoid of the second."""

    function = staticmethod(F.glu)
    options = takes(dim=-1)


class Softmax(Activation):
    """Positive numbers that add up to 1 along `dim`."""

    options = takes(dim=None)

    def forward(self, input: Tensor) -> Tensor:
        """The softmax along `dim`."""
        return F.softmax(input, self.dim, _stacklevel=5)


class LogSoftmax(Activation):
    """The logarithm of Softmax."""

    options = takes(dim=None)

    def forward(self, input: Tensor) -> Tensor:
        """The log_softmax along `dim`."""
        return F.log_softmax(input, self.dim, _stacklevel=5)


class Softmin(Activation):
    """The softmax of -x."""

    options = takes(dim=None)

    def forward(self, input: Tensor) -> Tensor:
        """The softmin along `dim`."""
        return F.softmin(input, self.dim, _stacklevel=5)


class Softmax2d(Module):
    """Softmax over the channels of pictures, shape (C, H, W) or (N, C, H, W)."""

    def forward(self, input: Tensor) -> Tensor:
        """The softmax along the channels."""
        if input.dim() not in (3, 4):
            raise ValueError("Softmax2d: expected input to be 3D or 4D, got "
                             f"{input.dim()}D instead")
        return F.softmax(input, -3)


class RReLU(Activation):
    """LeakyReLU whose slope is drawn anew for each entry while training."""

    options = takes(lower=1.0 / 8, upper=1.0 / 3, inplace=False)

    def forward(self, input: Tensor) -> Tensor:
        """x where it is positive, else x times its slope."""
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)


class PReLU(Module):
    """LeakyReLU whose slope is learned: one for all, or one for each channel.

    Args:
        num_parameters: 1, or the size of dimension 1.
        init: the slope at the beginning.
        device: "cpu".
        dtype: of the slope.
    """

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: Any = None,
                 dtype: Any = None) -> None:
        super().__init__()
        self.num_parameters, self.init = num_parameters, init
        self.weight = Parameter(full((num_parameters,), float(init), dtype=dtype, device=device))

    def reset_parameters(self) -> None:
        """The slope as at the beginning."""
        self.weight.data.fill_(self.init)

    def forward(self, input: Tensor) -> Tensor:
        """x where it is positive, else x times the slope."""
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        """The number of slopes."""
        return f"num_parameters={self.num_parameters}"
