"""Pooling as modules."""

from typing import Any

from autodidact.nn.functional_all import F
from autodidact.nn.functional_conv import each
from autodidact.nn.functional_rare import ratios
from autodidact.nn.module import Module
from autodidact.tensor import Tensor

__all__ = [
    "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d", "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d", "AdaptiveMaxPool3d", "AvgPool1d", "AvgPool2d", "AvgPool3d",
    "FractionalMaxPool2d", "FractionalMaxPool3d", "LPPool1d", "LPPool2d", "LPPool3d",
    "MaxPool1d", "MaxPool2d", "MaxPool3d", "MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d",
]


class MaxPool(Module):
    """The largest entry of each window."""

    function: Any = None

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
                 return_indices: bool = False, ceil_mode: bool = False) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding, self.dilation = padding, dilation
        self.return_indices, self.ceil_mode = return_indices, ceil_mode

    def forward(self, input: Tensor) -> Any:
        """The input, pooled; with `return_indices` also where the entries were."""
        return self.function(input, self.kernel_size, self.stride, self.padding, self.dilation,
                             ceil_mode=self.ceil_mode, return_indices=self.return_indices)

    def extra_repr(self) -> str:
        """The window."""
        return (f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
                f"dilation={self.dilation}, ceil_mode={self.ceil_mode}")


class MaxPool1d(MaxPool):
    """The largest entries, shape (N, C, L)."""

    function = staticmethod(F.max_pool1d)


class MaxPool2d(MaxPool):
    """The largest entries, shape (N, C, H, W)."""

    function = staticmethod(F.max_pool2d)


class MaxPool3d(MaxPool):
    """The largest entries, shape (N, C, D, H, W)."""

    function = staticmethod(F.max_pool3d)


class AvgPool(Module):
    """The mean of each window."""

    function: Any = None

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0,
                 ceil_mode: bool = False, count_include_pad: bool = True,
                 divisor_override: int | None = None) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding, self.ceil_mode = padding, ceil_mode
        self.count_include_pad, self.divisor_override = count_include_pad, divisor_override

    def forward(self, input: Tensor) -> Tensor:
        """The input, pooled."""
        return self.function(input, self.kernel_size, self.stride, self.padding, self.ceil_mode,
                             self.count_include_pad, self.divisor_override)

    def extra_repr(self) -> str:
        """The window."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool1d(AvgPool):
    """Means, shape (N, C, L)."""

    function = staticmethod(F.avg_pool1d)

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0,
                 ceil_mode: bool = False, count_include_pad: bool = True) -> None:
        stride = kernel_size if stride is None else stride
        super().__init__(each(kernel_size, 1), each(stride, 1), each(padding, 1), ceil_mode,
                         count_include_pad)


class AvgPool2d(AvgPool):
    """Means, shape (N, C, H, W)."""

    function = staticmethod(F.avg_pool2d)


class AvgPool3d(AvgPool):
    """Means, shape (N, C, D, H, W)."""

    function = staticmethod(F.avg_pool3d)


class AdaptiveAvgPool(Module):
    """Means of parts; the output has a given size."""

    function: Any = None

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size

    def forward(self, input: Tensor) -> Any:
        """The input, pooled."""
        return self.function(input, self.output_size)

    def extra_repr(self) -> str:
        """The size."""
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(AdaptiveAvgPool):
    """Means, shape (N, C, L)."""

    function = staticmethod(F.adaptive_avg_pool1d)


class AdaptiveAvgPool2d(AdaptiveAvgPool):
    """Means, shape (N, C, H, W)."""

    function = staticmethod(F.adaptive_avg_pool2d)


class AdaptiveAvgPool3d(AdaptiveAvgPool):
    """Means, shape (N, C, D, H, W)."""

    function = staticmethod(F.adaptive_avg_pool3d)


class AdaptiveMaxPool(AdaptiveAvgPool):
    """Largest entries of parts."""

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__(output_size)
        self.return_indices = return_indices

    def forward(self, input: Tensor) -> Any:
        """The input, pooled; with `return_indices` also where the entries were."""
        return self.function(input, self.output_size, self.return_indices)


class AdaptiveMaxPool1d(AdaptiveMaxPool):
    """The largest entries, shape (N, C, L)."""

    function = staticmethod(F.adaptive_max_pool1d)


class AdaptiveMaxPool2d(AdaptiveMaxPool):
    """The largest entries, shape (N, C, H, W)."""

    function = staticmethod(F.adaptive_max_pool2d)


class AdaptiveMaxPool3d(AdaptiveMaxPool):
    """The largest entries, shape (N, C, D, H, W)."""

    function = staticmethod(F.adaptive_max_pool3d)


class LPPool(Module):
    """The p-norm of each window."""

    function: Any = None

    def __init__(self, norm_type: float, kernel_size: Any, stride: Any = None,
                 ceil_mode: bool = False) -> None:
        super().__init__()
        self.norm_type, self.kernel_size = norm_type, kernel_size
        self.stride, self.ceil_mode = stride, ceil_mode

    def forward(self, input: Tensor) -> Tensor:
        """The input, pooled."""
        return self.function(input, float(self.norm_type), self.kernel_size, self.stride,
                             self.ceil_mode)

    def extra_repr(self) -> str:
        """The norm and the window."""
        return (f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, "
                f"stride={self.stride}, ceil_mode={self.ceil_mode}")


class LPPool1d(LPPool):
    """p-norms, shape (N, C, L)."""

    function = staticmethod(F.lp_pool1d)


class LPPool2d(LPPool):
    """p-norms, shape (N, C, H, W)."""

    function = staticmethod(F.lp_pool2d)


class LPPool3d(LPPool):
    """p-norms, shape (N, C, D, H, W)."""

    function = staticmethod(F.lp_pool3d)


class FractionalMaxPool(Module):
    """The largest entry of each window; windows begin at random, about evenly.

    Args:
        kernel_size: of the windows.
        output_size: how many windows; or
        output_ratio: which part of the input's size, between 0 and 1.
        return_indices: tell where the entries were.
    """

    function: Any = None
    dims = 0

    def __init__(self, kernel_size: Any, output_size: Any = None, output_ratio: Any = None,
                 return_indices: bool = False, _random_samples: Tensor | None = None) -> None:
        super().__init__()
        self.kernel_size, self.return_indices = each(kernel_size, self.dims), return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size = None if output_size is None else each(output_size, self.dims)
        self.output_ratio = None if output_ratio is None else ratios(output_ratio, self.dims)
        if output_size is None and output_ratio is None:
            raise ValueError(f"{type(self).__name__} requires specifying either an output size, "
                             "or a pooling ratio")
        if output_size is not None and output_ratio is not None:
            raise ValueError("only one of output_size and output_ratio may be specified")
        if self.output_ratio is not None and not all(0 < r < 1 for r in self.output_ratio):
            raise ValueError(f"output_ratio must be between 0 and 1 (got {output_ratio})")

    def forward(self, input: Tensor) -> Any:
        """The input, pooled; with `return_indices` also where the entries were."""
        return self.function(input, self.kernel_size, self.output_size, self.output_ratio,
                             self.return_indices, self._random_samples)


class FractionalMaxPool2d(FractionalMaxPool):
    """The largest entries, shape (N, C, H, W)."""

    dims, function = 2, staticmethod(F.fractional_max_pool2d)


class FractionalMaxPool3d(FractionalMaxPool):
    """The largest entries, shape (N, C, D, H, W)."""

    dims, function = 3, staticmethod(F.fractional_max_pool3d)


class MaxUnpool(Module):
    """Zeros, with entries where max pooling had found them."""

    function: Any = None
    dims = 0

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        super().__init__()
        self.kernel_size = each(kernel_size, self.dims)
        self.stride = self.kernel_size if stride is None else each(stride, self.dims)
        self.padding = each(padding, self.dims)

    def forward(self, input: Tensor, indices: Tensor, output_size: Any = None) -> Tensor:
        """The pooled values at their places."""
        return self.function(input, indices, self.kernel_size, self.stride, self.padding,
                             output_size)

    def extra_repr(self) -> str:
        """The window."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool1d(MaxUnpool):
    """The reverse of MaxPool1d."""

    dims, function = 1, staticmethod(F.max_unpool1d)


class MaxUnpool2d(MaxUnpool):
    """The reverse of MaxPool2d."""

    dims, function = 2, staticmethod(F.max_unpool2d)


class MaxUnpool3d(MaxUnpool):
    """The reverse of MaxPool3d."""

    dims, function = 3, staticmethod(F.max_unpool3d)
