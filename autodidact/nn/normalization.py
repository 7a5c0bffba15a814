"""Normalisation as modules: over a layer, groups, a batch or single examples."""

from typing import Any

from autodidact.arrays.dtype import int64
from autodidact.nn import init
from autodidact.nn.functional_all import F
from autodidact.nn.linear import new_parameter
from autodidact.nn.module import Module
from autodidact.nn.options import takes
from autodidact.public import FUNCTIONS
from autodidact.tensor import Tensor

__all__ = [
    "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "GroupNorm", "InstanceNorm1d", "InstanceNorm2d",
    "InstanceNorm3d", "LayerNorm", "LocalResponseNorm", "RMSNorm",
]

ones, zeros, tensor = FUNCTIONS["ones"], FUNCTIONS["zeros"], FUNCTIONS["tensor"]


class Affine(Module):
    """What they share: perhaps a factor and something added, ones and zeros at the beginning."""

    def _make(self, size: Any, weight: bool, bias: bool, dtype: Any, device: Any) -> None:
        for name, wanted in (("weight", weight), ("bias", bias)):
            self.register_parameter(name, new_parameter(*size, dtype=dtype, device=device)
                                    if wanted else None)

    def reset_parameters(self) -> None:
        """Ones and zeros."""
        if self.weight is not None:
            init.ones_(self.weight)
        if getattr(self, "bias", None) is not None:
            init.zeros_(self.bias)


def sizes(shape: Any) -> tuple:
    """A size, or several."""
    return (shape,) if isinstance(shape, int) else tuple(shape)


class LayerNorm(Affine):
    """Mean 0 and variance 1 over the last dimensions of each example."""

    def __init__(self, normalized_shape: Any, eps: float = 1e-5, elementwise_affine: bool = True,
                 bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.normalized_shape, self.eps = sizes(normalized_shape), eps
        self.elementwise_affine = elementwise_affine
        self._make(self.normalized_shape, elementwise_affine, elementwise_affine and bias, dtype,
                   device)
        self.reset_parameters()

    def forward(self, input: Tensor) -> Tensor:
        """The input, normalised."""
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """The sizes and options."""
        return (f"{self.normalized_shape}, eps={self.eps}, "
                f"elementwise_affine={self.elementwise_affine}, bias={self.bias is not None}")


class RMSNorm(Affine):
    """Mean square 1 over the last dimensions of each example."""

    def __init__(self, normalized_shape: Any, eps: float | None = None,
                 elementwise_affine: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.normalized_shape, self.eps = sizes(normalized_shape), eps
        self.elementwise_affine = elementwise_affine
        self.register_parameter("weight", new_parameter(
            *self.normalized_shape, dtype=dtype, device=device) if elementwise_affine else None)
        self.reset_parameters()

    def forward(self, x: Tensor) -> Tensor:
        """The input, normalised."""
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        """The sizes and options."""
        return (f"{self.normalized_shape}, eps={self.eps}, "
                f"elementwise_affine={self.elementwise_affine}")


class GroupNorm(Affine):
    """Mean 0 and variance 1 over groups of channels of each example."""

    def __init__(self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True,
                 device: Any = None, dtype: Any = None, *, bias: bool = True) -> None:
        super().__init__()
        if num_channels % num_groups:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups "
                             f"({num_groups})")
        self.num_groups, self.num_channels, self.eps = num_groups, num_channels, eps
        self.affine = affine
        self._make((num_channels,), affine, affine and bias, dtype, device)
        self.reset_parameters()

    def forward(self, input: Tensor) -> Tensor:
        """The input, normalised."""
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """The sizes and options."""
        return (f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
                f"bias={self.bias is not None}")


class LocalResponseNorm(Module):
    """The input over a power of its neighbouring channels' mean square."""

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size, self.alpha, self.beta, self.k = size, alpha, beta, k

    def forward(self, input: Tensor) -> Tensor:
        """The input, normalised."""
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        """The size and constants."""
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


class CrossMapLRN2d(Module):
    """The same of pictures, with as many neighbours before as behind: an even size counts less.

    PyTorch keeps a running sum, and forgets to take the first channel out of it; so does this.
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1) -> None:
        super().__init__()
        self.size, self.alpha, self.beta, self.k = size, alpha, beta, k

    def forward(self, input: Tensor) -> Tensor:
        """The input, normalised; shape (N, C, H, W)."""
        half, channels, squares = (self.size - 1) // 2, input.size(1), input * input
        padded = F.pad(squares, (0, 0, 0, 0, half, half))
        total = sum(padded.narrow(1, i, channels) for i in range(2 * half + 1))
        if channels > half + 1:
            kept = squares[:, :1].expand(-1, channels - half - 1, -1, -1)
            total = total + F.pad(kept, (0, 0, 0, 0, half + 1, 0))
        return input * (total * (self.alpha / self.size) + self.k) ** -self.beta

    def extra_repr(self) -> str:
        """The size and constants."""
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


class Running(Affine):
    """Normalisation per channel, with running averages of mean and variance.

    Attributes:
        ndims: how many dimensions an input may have.
        names: how errors call them.
    """

    _version = 2
    ndims: tuple = ()
    names: str = ""
    defaults: Any = takes(affine=True, track_running_stats=True)

    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1,
                 affine: bool | None = None, track_running_stats: bool | None = None,
                 device: Any = None, dtype: Any = None, *, bias: bool = True) -> None:
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine = self.defaults["affine"] if affine is None else affine
        self.track_running_stats = (self.defaults["track_running_stats"]
                                    if track_running_stats is None else track_running_stats)
        self._make((num_features,), self.affine, self.affine and bias, dtype, device)
        track = self.track_running_stats
        words = {"dtype": dtype, "device": device}
        self.register_buffer("running_mean", zeros(num_features, **words) if track else None)
        self.register_buffer("running_var", ones(num_features, **words) if track else None)
        self.register_buffer("num_batches_tracked", tensor(0, dtype=int64) if track else None)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Mean 0, variance 1, no batches."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Ones and zeros, and fresh running averages."""
        self.reset_running_stats()
        super().reset_parameters()

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() not in self.ndims:
            raise ValueError(f"expected {self.names} input (got {input.dim()}D input)")

    def extra_repr(self) -> str:
        """The sizes and options."""
        return (f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, "
                f"affine={self.affine}, bias={self.bias is not None}, "
                f"track_running_stats={self.track_running_stats}")

    def _load_from_state_dict(self, state_dict: dict, prefix: str, local_metadata: dict,
                              *rest: Any) -> None:
        version, key = local_metadata.get("version"), prefix + "num_batches_tracked"
        if (version is None or version < 2) and self.track_running_stats and key not in state_dict:
            state_dict[key] = self.num_batches_tracked         # old files have no such entry
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)


class BatchNorm(Running):
    """Mean 0 and variance 1 for each channel over the batch; running values in evaluation."""

    def forward(self, input: Tensor) -> Tensor:
        """The input, normalised; in training the running values move."""
        self._check_input_dim(input)
        momentum = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:                          # the plain average of all batches
                momentum = 1.0 / float(self.num_batches_tracked)
        own = self.training or (self.running_mean is None and self.running_var is None)
        track = not self.training or self.track_running_stats
        return F.batch_norm(input, self.running_mean if track else None,
                            self.running_var if track else None, self.weight, self.bias, own,
                            momentum, self.eps)


class BatchNorm1d(BatchNorm):
    """Batch normalisation, shape (N, C) or (N, C, L)."""

    ndims, names = (2, 3), "2D or 3D"


class BatchNorm2d(BatchNorm):
    """Batch normalisation, shape (N, C, H, W)."""

    ndims, names = (4,), "4D"


class BatchNorm3d(BatchNorm):
    """Batch normalisation, shape (N, C, D, H, W)."""

    ndims, names = (5,), "5D"


class InstanceNorm(Running):
    """Mean 0 and variance 1 for each channel of each example."""

    defaults = takes(affine=False, track_running_stats=False)

    def forward(self, input: Tensor) -> Tensor:
        """The input, normalised; one example may come without a batch dimension."""
        self._check_input_dim(input)
        if input.dim() == max(self.ndims):
            return self._normalised(input)
        return self._normalised(input.unsqueeze(0)).squeeze(0)

    def _normalised(self, input: Tensor) -> Tensor:
        return F.instance_norm(input, self.running_mean, self.running_var, self.weight, self.bias,
                               self.training or not self.track_running_stats,
                               0.0 if self.momentum is None else self.momentum, self.eps)


class InstanceNorm1d(InstanceNorm):
    """Instance normalisation, shape (N, C, L) or (C, L)."""

    ndims, names = (2, 3), "2D or 3D"


class InstanceNorm2d(InstanceNorm):
    """Instance normalisation, shape (N, C, H, W) or (C, H, W)."""

    ndims, names = (3, 4), "3D or 4D"


class InstanceNorm3d(InstanceNorm):
    """Instance normalisation, shape (N, C, D, H, W) or (C, D, H, W)."""

    ndims, names = (4, 5), "4D or 5D"
