"""Convolution as modules."""

import math
from typing import Any

from autodidact.nn import init
from autodidact.nn.functional_all import F
from autodidact.nn.functional_conv import each
from autodidact.nn.linear import new_parameter
from autodidact.nn.module import Module
from autodidact.tensor import Tensor

__all__ = ["Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d",
           "Fold", "Unfold"]

MODES = ("zeros", "reflect", "replicate", "circular")


class ConvNd(Module):
    """What convolutions share: sizes, weight and bias, and how they begin.

    Attributes:
        dims: in how many dimensions the window slides.
        transposed: whether it is the transpose.
    """

    dims = 0
    transposed = False

    def _begin(self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any,
               padding: Any, dilation: Any, output_padding: Any, groups: int, bias: bool,
               padding_mode: str, device: Any, dtype: Any) -> None:
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        for name, count in (("in_channels", in_channels), ("out_channels", out_channels)):
            if count % groups:
                raise ValueError(f"{name} must be divisible by groups")
        if padding_mode not in MODES:
            raise ValueError(f"padding_mode must be one of {set(MODES)}, but got "
                             f"padding_mode='{padding_mode}'")
        if isinstance(padding, str) and padding not in ("same", "valid"):
            raise ValueError(f"Invalid padding string {padding!r}, should be one of "
                             "{'valid', 'same'}")
        dims = self.dims
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size, self.stride = each(kernel_size, dims), each(stride, dims)
        if padding == "same" and any(s != 1 for s in self.stride):
            raise ValueError("padding='same' is not supported for strided convolutions")
        self.padding = padding if isinstance(padding, str) else each(padding, dims)
        self.dilation, self.output_padding = each(dilation, dims), each(output_padding, dims)
        self.padding_mode = padding_mode
        first, second = ((in_channels, out_channels) if self.transposed
                         else (out_channels, in_channels))
        self.weight = new_parameter(first, second // groups, *self.kernel_size, dtype=dtype,
                                    device=device)
        self.register_parameter("bias", new_parameter(out_channels, dtype=dtype, device=device)
                                if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw weight and bias of [-1/sqrt(fan_in), 1/sqrt(fan_in))."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            if fan_in:
                bound = 1 / math.sqrt(fan_in)
                init.uniform_(self.bias, -bound, bound)

    def extra_repr(self) -> str:
        """The sizes, and what is not as usual."""
        text = (f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, "
                f"stride={self.stride}")
        for name, usual in (("padding", (0,) * self.dims), ("dilation", (1,) * self.dims),
                            ("output_padding", (0,) * self.dims), ("groups", 1)):
            if getattr(self, name) != usual:
                text += f", {name}={getattr(self, name)}"
        text += ", bias=False" if self.bias is None else ""
        return text if self.padding_mode == "zeros" else f"{text}, padding_mode={self.padding_mode}"


class Conv(ConvNd):
    """A convolution; see `torch.nn.functional.conv2d` for the arguments."""

    function: Any = None

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1,
                 padding: Any = 0, dilation: Any = 1, groups: int = 1, bias: bool = True,
                 padding_mode: str = "zeros", device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self._begin(in_channels, out_channels, kernel_size, stride, padding, dilation, 0, groups,
                    bias, padding_mode, device, dtype)

    def forward(self, input: Tensor) -> Tensor:
        """The convolution of the input: (N, in, ...) -> (N, out, ...)."""
        padding = self.padding
        if self.padding_mode != "zeros":
            input, padding = F.pad(input, self._both_ends(), self.padding_mode), 0
        return self.function(input, self.weight, self.bias, self.stride, padding, self.dilation,
                             self.groups)

    def _both_ends(self) -> list:
        """The padding as `F.pad` wants it, from the last dimension on."""
        if self.padding == "valid":
            return [0, 0] * self.dims
        if self.padding == "same":
            totals = [d * (k - 1) for d, k in zip(self.dilation, self.kernel_size, strict=True)]
            return [n for total in reversed(totals) for n in (total // 2, total - total // 2)]
        return [n for p in reversed(self.padding) for n in (p, p)]


class Conv1d(Conv):
    """A convolution of sequences, shape (N, C, L) or (C, L)."""

    dims, function = 1, staticmethod(F.conv1d)


class Conv2d(Conv):
    """A convolution of pictures, shape (N, C, H, W) or (C, H, W).

    Example:
        >>> nn.Conv2d(1, 8, 3, padding=1)(torch.zeros(5, 1, 28, 28)).shape
        torch.Size([5, 8, 28, 28])
    """

    dims, function = 2, staticmethod(F.conv2d)


class Conv3d(Conv):
    """A convolution of volumes, shape (N, C, D, H, W) or (C, D, H, W)."""

    dims, function = 3, staticmethod(F.conv3d)


class ConvTranspose(ConvNd):
    """The transpose of a convolution; see `torch.nn.functional.conv_transpose2d`."""

    transposed = True
    function: Any = None

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1,
                 padding: Any = 0, output_padding: Any = 0, groups: int = 1, bias: bool = True,
                 dilation: Any = 1, padding_mode: str = "zeros", device: Any = None,
                 dtype: Any = None) -> None:
        super().__init__()
        if padding_mode != "zeros":
            raise ValueError('Only "zeros" padding mode is supported for '
                             f"{type(self).__name__}")
        self._begin(in_channels, out_channels, kernel_size, stride, padding, dilation,
                    output_padding, groups, bias, padding_mode, device, dtype)

    def forward(self, input: Tensor, output_size: Any = None) -> Tensor:
        """The transposed convolution; `output_size` chooses among the sizes that are possible."""
        more = self.output_padding
        if output_size is not None:
            least = [(n - 1) * s - 2 * p + d * (k - 1) + 1 for n, s, p, d, k in zip(
                input.shape[-self.dims:], self.stride, self.padding, self.dilation,
                self.kernel_size, strict=True)]
            wanted = tuple(output_size)[-self.dims:]
            more = tuple(w - n for w, n in zip(wanted, least, strict=True))
            if any(not 0 <= m < s for m, s in zip(more, self.stride, strict=True)):
                raise ValueError(f"requested an output size of {wanted}, but valid sizes range "
                                 f"from {least} to less than one stride more")
        return self.function(input, self.weight, self.bias, self.stride, self.padding, more,
                             self.groups, self.dilation)


class ConvTranspose1d(ConvTranspose):
    """The transpose of Conv1d."""

    dims, function = 1, staticmethod(F.conv_transpose1d)


class ConvTranspose2d(ConvTranspose):
    """The transpose of Conv2d."""

    dims, function = 2, staticmethod(F.conv_transpose2d)


class ConvTranspose3d(ConvTranspose):
    """The transpose of Conv3d."""

    dims, function = 3, staticmethod(F.conv_transpose3d)


class Unfold(Module):
    """Every window as a column."""

    def __init__(self, kernel_size: Any, dilation: Any = 1, padding: Any = 0,
                 stride: Any = 1) -> None:
        super().__init__()
        self.kernel_size, self.dilation = kernel_size, dilation
        self.padding, self.stride = padding, stride

    def forward(self, input: Tensor) -> Tensor:
        """(N, C, H, W) -> (N, C * window, places)."""
        return F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        """The window."""
        return (f"kernel_size={self.kernel_size}, dilation={self.dilation}, "
                f"padding={self.padding}, stride={self.stride}")


class Fold(Module):
    """The transpose of Unfold: columns added where they came from."""

    def __init__(self, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0,
                 stride: Any = 1) -> None:
        super().__init__()
        self.output_size, self.kernel_size, self.dilation = output_size, kernel_size, dilation
        self.padding, self.stride = padding, stride

    def forward(self, input: Tensor) -> Tensor:
        """(N, C * window, places) -> (N, C, H, W)."""
        return F.fold(input, self.output_size, self.kernel_size, self.dilation, self.padding,
                      self.stride)

    def extra_repr(self) -> str:
        """The window."""
        return (f"output_size={self.output_size}, kernel_size={self.kernel_size}, "
                f"dilation={self.dilation}, padding={self.padding}, stride={self.stride}")
