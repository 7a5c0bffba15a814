"""Padding, pictures and distances as modules."""

from typing import Any

from autodidact.nn.functional_all import F
from autodidact.nn.functional_conv import each
from autodidact.nn.module import Module
from autodidact.tensor import Tensor

__all__ = [
    "ChannelShuffle", "CircularPad1d", "CircularPad2d", "CircularPad3d", "ConstantPad1d",
    "ConstantPad2d", "ConstantPad3d", "CosineSimilarity", "PairwiseDistance", "PixelShuffle",
    "PixelUnshuffle", "ReflectionPad1d", "ReflectionPad2d", "ReflectionPad3d", "ReplicationPad1d",
    "ReplicationPad2d", "ReplicationPad3d", "Upsample", "UpsamplingBilinear2d",
    "UpsamplingNearest2d", "ZeroPad1d", "ZeroPad2d", "ZeroPad3d",
]


class Pad(Module):
    """More entries around the input: one number for all ends, or (left, right, top, bottom, ...).

    Attributes:
        dims: how many dimensions are padded.
        mode: as `torch.nn.functional.pad` names it.
    """

    dims = 0
    mode = "constant"
    value = 0.0

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = each(padding, 2 * self.dims)

    def forward(self, input: Tensor) -> Tensor:
        """The input, padded."""
        value = self.value if self.mode == "constant" else None
        return F.pad(input, self.padding, self.mode, value)

    def extra_repr(self) -> str:
        """How many entries at each end."""
        return f"{self.padding}"


class ConstantPad(Pad):
    """Padding with a number."""

    def __init__(self, padding: Any, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def extra_repr(self) -> str:
        """How many entries at each end, and which."""
        return f"padding={self.padding}, value={self.value}"


def family(name: str, base: type, **words: Any) -> list:
    """`name1d`, `name2d`, `name3d`."""
    return [type(f"{name}{dims}d", (base,), {
        "__doc__": f"{base.__doc__.split('.')[0].split(':')[0]}, in {dims} dimension(s).",
        "__module__": __name__, "dims": dims, **words}) for dims in (1, 2, 3)]


ConstantPad1d, ConstantPad2d, ConstantPad3d = family("ConstantPad", ConstantPad)
ZeroPad1d, ZeroPad2d, ZeroPad3d = family("ZeroPad", Pad)
ReflectionPad1d, ReflectionPad2d, ReflectionPad3d = family("ReflectionPad", Pad, mode="reflect")
ReplicationPad1d, ReplicationPad2d, ReplicationPad3d = family(
    "ReplicationPad", Pad, mode="replicate")
CircularPad1d, CircularPad2d, CircularPad3d = family("CircularPad", Pad, mode="circular")


# ---- pictures -----------------------------------------------------------------------------------


class PixelShuffle(Module):
    """(..., C r², H, W) -> (..., C, H r, W r)."""

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Tensor) -> Tensor:
        """The input with channels as pixels."""
        return F.pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self) -> str:
        """The factor."""
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """(..., C, H r, W r) -> (..., C r², H, W)."""

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Tensor) -> Tensor:
        """The input with pixels as channels."""
        return F.pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self) -> str:
        """The factor."""
        return f"downscale_factor={self.downscale_factor}"


class ChannelShuffle(Module):
    """Channels of several groups in turn."""

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Tensor) -> Tensor:
        """The input with its channels in another order."""
        return F.channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        """The number of groups."""
        return f"groups={self.groups}"


class Upsample(Module):
    """Pictures in another size; see `torch.nn.functional.interpolate`."""

    def __init__(self, size: Any = None, scale_factor: Any = None, mode: str = "nearest",
                 align_corners: bool | None = None,
                 recompute_scale_factor: bool | None = None) -> None:
        super().__init__()
        self.name = type(self).__name__
        self.size, self.mode, self.align_corners = size, mode, align_corners
        if isinstance(scale_factor, tuple):
            scale_factor = tuple(float(factor) for factor in scale_factor)
        self.scale_factor = (float(scale_factor) if scale_factor
                             and not isinstance(scale_factor, tuple) else scale_factor)
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input: Tensor) -> Tensor:
        """The input in the new size."""
        return F.interpolate(input, self.size, self.scale_factor, self.mode, self.align_corners,
                             self.recompute_scale_factor)

    def extra_repr(self) -> str:
        """The size and the way."""
        size = (f"size={self.size!r}" if self.scale_factor is None
                else f"scale_factor={self.scale_factor!r}")
        return f"{size}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """Upsample by repeating pixels."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, "nearest")


class UpsamplingBilinear2d(Upsample):
    """Upsample by straight lines between the pixels, corners on corners."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, "bilinear", True)


# ---- distances ----------------------------------------------------------------------------------


class CosineSimilarity(Module):
    """The cosine of the angle between vectors along `dim`."""

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim, self.eps = dim, eps

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        """The cosine."""
        return F.cosine_similarity(x1, x2, self.dim, self.eps)


class PairwiseDistance(Module):
    """The p-norm of the difference along the last dimension."""

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm, self.eps, self.keepdim = p, eps, keepdim

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        """The distance."""
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)
