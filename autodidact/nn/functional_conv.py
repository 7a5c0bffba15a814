"""Convolution with PyTorch's arguments; part of `torch.nn.functional`."""

from collections.abc import Callable, Sequence
from typing import Any

from autodidact.nn.functional_layers import pad
from autodidact.ops import convolution as rows
from autodidact.tensor import Tensor

__all__ = ["conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d",
           "conv_transpose3d", "fold", "unfold"]


def each(value: Any, dims: int, name: str = "") -> tuple:
    """One number for every dimension.

    Raises:
        RuntimeError: for another count.
    """
    if isinstance(value, Sequence):
        found = tuple(int(n) for n in value)
        if len(found) == 1:
            return found * dims
        if len(found) != dims:
            raise RuntimeError(f"expected {name} to be a single integer value or a list of {dims} "
                               f"values to match the convolution dimensions, but got {name}="
                               f"{list(found)}")
        return found
    return (int(value),) * dims


def batched(name: str, input: Tensor, dims: int) -> tuple:
    """The input with a batch dimension, and whether it had one."""
    if input.dim() not in (dims + 1, dims + 2):
        raise RuntimeError(f"Expected {dims + 1}D (unbatched) or {dims + 2}D (batched) input to "
                           f"{name}, but got input of size: {list(input.shape)}")
    return (input, True) if input.dim() == dims + 2 else (input.unsqueeze(0), False)


def check_weight(input: Tensor, weight: Tensor, bias: Tensor | None, groups: int,
                 transposed: bool) -> None:
    """PyTorch's refusals of sizes and dtypes that do not fit."""
    size = list(weight.shape)
    if len(size) != input.dim():
        raise RuntimeError(f"Expected {len(size)}-dimensional input for {len(size)}-dimensional "
                           f"weight {size}, but got {input.dim()}-dimensional input of size "
                           f"{list(input.shape)} instead")
    if groups <= 0 or size[0] % groups:
        raise RuntimeError(f"Given groups={groups}, expected weight to be at least {groups} at "
                           f"dimension 0, divisible by it, but got weight of size {size} instead")
    wanted = size[0] if transposed else size[1] * groups
    if input.size(1) != wanted:
        word = "transposed=1" if transposed else f"groups={groups}"
        raise RuntimeError(f"Given {word}, weight of size {size}, expected input"
                           f"{list(input.shape)} to have {wanted} channels, but got "
                           f"{input.size(1)} channels instead")
    outputs = size[1] * groups if transposed else size[0]
    if bias is not None and tuple(bias.shape) != (outputs,):
        raise RuntimeError(f"Given weight of size {size}, expected bias to be 1-dimensional with "
                           f"{outputs} elements, but got bias of size {list(bias.shape)} instead")
    for t, name in ((weight, "weight"), (bias, "bias")):
        if t is not None and t.dtype != input.dtype:
            raise RuntimeError(f"Input type ({input.type()}) and {name} type ({t.type()}) should "
                               "be the same")


def convolve(name: str, dims: int, input: Tensor, weight: Tensor, bias: Tensor | None, stride: Any,
             padding: Any, dilation: Any, groups: int) -> Tensor:
    """A convolution in `dims` dimensions."""
    input, with_batch = batched(name, input, dims)
    check_weight(input, weight, bias, groups, False)
    stride, dilation = each(stride, dims, "stride"), each(dilation, dims, "dilation")
    kernel = tuple(weight.shape[2:])
    if isinstance(padding, str):
        input, padding = named_padding(input, kernel, stride, padding, dilation)
    padding = each(padding, dims, "padding")
    if min(padding) < 0 or min(stride) <= 0 or min(dilation) <= 0:
        raise RuntimeError("negative padding is not supported, and stride and dilation must be "
                           "greater than zero")
    padded = [n + 2 * p for n, p in zip(input.shape[2:], padding, strict=True)]
    reach = [d * (k - 1) + 1 for k, d in zip(kernel, dilation, strict=True)]
    if any(n < k for n, k in zip(padded, reach, strict=True)):
        raise RuntimeError(f"Calculated padded input size per channel: ({by(padded)}). Kernel "
                           f"size: ({by(reach)}). Kernel size can't be greater than actual input "
                           "size")
    result = rows.convolution.call(input, weight, bias, stride, padding, dilation, groups)
    return result if with_batch else result.squeeze(0)


def by(sizes: list) -> str:
    """`3 x 4`."""
    return " x ".join(map(str, sizes))


def named_padding(input: Tensor, kernel: tuple, stride: tuple, padding: str,
                  dilation: tuple) -> tuple:
    """The words "valid" and "same": the input (padded where one side needs more), and numbers."""
    if padding == "valid":
        return input, 0
    if padding != "same":
        raise RuntimeError("Invalid padding string: '" + padding + "'")
    if any(s != 1 for s in stride):
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    totals = [d * (k - 1) for k, d in zip(kernel, dilation, strict=True)]
    if any(total % 2 for total in totals):
        more = [n for total in reversed(totals) for n in (0, total % 2)]
        input = pad(input, more)
    return input, tuple(total // 2 for total in totals)


def transpose(name: str, dims: int, input: Tensor, weight: Tensor, bias: Tensor | None,
              stride: Any, padding: Any, output_padding: Any, groups: int,
              dilation: Any) -> Tensor:
    """The transpose of a convolution in `dims` dimensions."""
    input, with_batch = batched(name, input, dims)
    check_weight(input, weight, bias, groups, True)
    stride, dilation = each(stride, dims, "stride"), each(dilation, dims, "dilation")
    padding, more = each(padding, dims, "padding"), each(output_padding, dims, "output_padding")
    if any(m >= max(s, d) for m, s, d in zip(more, stride, dilation, strict=True)):
        raise RuntimeError("output padding must be smaller than either stride or dilation")
    size = tuple((n - 1) * s - 2 * p + d * (k - 1) + m + 1 for n, s, p, d, k, m in zip(
        input.shape[2:], stride, padding, dilation, weight.shape[2:], more, strict=True))
    if min(size) <= 0:
        raise RuntimeError("Given input size per channel: "
                           f"({by(list(input.shape[2:]))}). Calculated output size per channel: "
                           f"({by(list(size))}). Output size is too small")
    shape = (weight.size(1) * groups, *size)
    result = rows.convolution_transpose.call(input, weight, bias, shape, stride, padding, dilation,
                                             groups)
    return result if with_batch else result.squeeze(0)


def plain(dims: int) -> Callable:
    """`conv1d`, `conv2d`, `conv3d`."""
    name = f"conv{dims}d"

    def conv(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1,
             padding: Any = 0, dilation: Any = 1, groups: int = 1) -> Tensor:
        """Sums of products over a window that slides.

        Args:
            input: shape (N, C, ...) or (C, ...).
            weight: shape (out, C / groups, ...).
            bias: shape (out).
            stride: how far the window moves.
            padding: zeros around the input; or "valid" (none), "same" (the size stays).
            dilation: the distance of neighbours in the window.
            groups: channels in so many groups that do not mix.

        Raises:
            RuntimeError: for sizes and dtypes that do not fit.
        """
        return convolve(name, dims, input, weight, bias, stride, padding, dilation, groups)
    conv.__name__ = conv.__qualname__ = name
    return conv


def transposed(dims: int) -> Callable:
    """`conv_transpose1d`, `conv_transpose2d`, `conv_transpose3d`."""
    name = f"conv_transpose{dims}d"

    def conv(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1,
             padding: Any = 0, output_padding: Any = 0, groups: int = 1,
             dilation: Any = 1) -> Tensor:
        """The transpose of a convolution: every entry, times the window, added where it lies.

        Args:
            input: shape (N, C, ...) or (C, ...).
            weight: shape (C, out / groups, ...).
            bias: shape (out).
            stride: how far the window moves in the output.
            padding: so many entries are cut off at the ends.
            output_padding: so many entries more at one end.
            groups: channels in so many groups that do not mix.
            dilation: the distance of neighbours in the window.
        """
        return transpose(name, dims, input, weight, bias, stride, padding, output_padding, groups,
                         dilation)
    conv.__name__ = conv.__qualname__ = name
    return conv


conv1d, conv2d, conv3d = map(plain, (1, 2, 3))
conv_transpose1d, conv_transpose2d, conv_transpose3d = map(transposed, (1, 2, 3))


def unfold(input: Tensor, kernel_size: Any, dilation: Any = 1, padding: Any = 0,
           stride: Any = 1) -> Tensor:
    """Every window as a column: (N, C, H, W) -> (N, C * window, places)."""
    input, with_batch = batched("im2col", input, 2)
    result = rows.im2col.call(input, each(kernel_size, 2), each(dilation, 2), each(padding, 2),
                              each(stride, 2))
    return result if with_batch else result.squeeze(0)


def fold(input: Tensor, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0,
         stride: Any = 1) -> Tensor:
    """The transpose of unfold: columns added where they came from."""
    with_batch = input.dim() == 3
    result = rows.col2im.call(input if with_batch else input.unsqueeze(0), each(output_size, 2),
                              each(kernel_size, 2), each(dilation, 2), each(padding, 2),
                              each(stride, 2))
    return result if with_batch else result.squeeze(0)
