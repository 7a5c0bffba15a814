"""Linear layers, and changes of shape as modules."""

import math
from typing import Any

from autodidact.nn import init
from autodidact.nn.functional_all import F
from autodidact.nn.module import Module
from autodidact.nn.parameter import Parameter
from autodidact.public import FUNCTIONS
from autodidact.tensor import Tensor

__all__ = ["Bilinear", "Flatten", "Identity", "Linear", "Unflatten"]


empty = FUNCTIONS["empty"]


def new_parameter(*size: int, dtype: Any = None, device: Any = None) -> Parameter:
    """A parameter whose numbers are still to be drawn."""
    return Parameter(empty(size, dtype=dtype, device=device))


class Identity(Module):
    """Gives back its input; any arguments are ignored."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        """The input itself."""
        return input


class Linear(Module):
    """`x @ weight.T + bias`.

    Args:
        in_features: size of the input's last dimension.
        out_features: size of the output's.
        bias: whether something is added.
        device: "cpu".
        dtype: of the parameters.

    Example:
        >>> nn.Linear(3, 2)(torch.zeros(5, 3)).shape
        torch.Size([5, 2])
    """

    def __init__(self, in_features: int, out_features: int, bias: bool = True, device: Any = None,
                 dtype: Any = None) -> None:
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = new_parameter(out_features, in_features, dtype=dtype, device=device)
        self.register_parameter("bias", new_parameter(out_features, dtype=dtype, device=device)
                                if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw weight and bias of [-1/sqrt(in), 1/sqrt(in))."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            bound = 1 / math.sqrt(self.in_features) if self.in_features > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Tensor) -> Tensor:
        """The input, transformed along its last dimension."""
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        """The sizes."""
        return (f"in_features={self.in_features}, out_features={self.out_features}, "
                f"bias={self.bias is not None}")


class Bilinear(Module):
    """`x1 A x2 + b` for each output."""

    def __init__(self, in1_features: int, in2_features: int, out_features: int, bias: bool = True,
                 device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        if in1_features <= 0:
            raise ValueError(f"in1_features must be > 0, but got {in1_features}")
        self.in1_features, self.in2_features = in1_features, in2_features
        self.out_features = out_features
        self.weight = new_parameter(out_features, in1_features, in2_features, dtype=dtype,
                                    device=device)
        self.register_parameter("bias", new_parameter(out_features, dtype=dtype, device=device)
                                if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw weight and bias of [-1/sqrt(in1), 1/sqrt(in1))."""
        bound = 1 / math.sqrt(self.weight.size(1))
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        """The two inputs, combined along their last dimensions."""
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        """The sizes."""
        return (f"in1_features={self.in1_features}, in2_features={self.in2_features}, "
                f"out_features={self.out_features}, bias={self.bias is not None}")


class Flatten(Module):
    """Several dimensions as one; by default all but the batch's."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input: Tensor) -> Tensor:
        """The input, flattened."""
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        """The first and the last dimension."""
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """One dimension as several."""

    def __init__(self, dim: int, unflattened_size: Any) -> None:
        super().__init__()
        self.dim, self.unflattened_size = dim, unflattened_size

    def forward(self, input: Tensor) -> Tensor:
        """The input, unflattened."""
        return input.unflatten(self.dim, tuple(self.unflattened_size))

    def extra_repr(self) -> str:
        """The dimension and its new sizes."""
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"
