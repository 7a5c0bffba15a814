"""Layers put together for evaluation, and modules without their first numbers."""

from copy import deepcopy
from typing import Any

from autodidact.nn.module import Module
from autodidact.nn.parameter import Parameter
from autodidact.tensor import Tensor

__all__ = ["convert_conv2d_weight_memory_format", "convert_conv3d_weight_memory_format",
           "fuse_conv_bn_eval", "fuse_conv_bn_weights", "fuse_linear_bn_eval",
           "fuse_linear_bn_weights", "skip_init"]


def fused(weight: Tensor, bias: Tensor | None, mean: Tensor, variance: Tensor, eps: float,
          factor: Tensor | None, offset: Tensor | None, dim: int) -> tuple:
    """Weight and bias of a layer that ends in a batch normalisation, which is linear, too."""
    scale = (variance + eps).rsqrt()
    scale = scale if factor is None else scale * factor
    bias = mean.new_zeros(mean.shape) if bias is None else bias
    bias = (bias - mean) * scale + (0 if offset is None else offset)
    shape = [1] * weight.dim()
    shape[dim] = -1
    return (Parameter((weight * scale.reshape(shape)).detach(), weight.requires_grad),
            Parameter(bias.detach(), weight.requires_grad))


def fuse_conv_bn_weights(conv_w: Tensor, conv_b: Tensor | None, bn_rm: Tensor, bn_rv: Tensor,
                         bn_eps: float, bn_w: Tensor | None, bn_b: Tensor | None,
                         transpose: bool = False) -> tuple:
    """Weight and bias of one convolution that does what a convolution and its normalisation do."""
    return fused(conv_w, conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, int(transpose))


def fuse_linear_bn_weights(linear_w: Tensor, linear_b: Tensor | None, bn_rm: Tensor, bn_rv: Tensor,
                           bn_eps: float, bn_w: Tensor, bn_b: Tensor) -> tuple:
    """The same for a linear layer."""
    return fused(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, 0)


def fuse_conv_bn_eval(conv: Any, bn: Any, transpose: bool = False) -> Any:
    """A convolution that does what `conv` and then `bn` do in evaluation mode.

    Raises:
        AssertionError: unless both are in it.
    """
    if conv.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    one = deepcopy(conv)
    one.weight, one.bias = fuse_conv_bn_weights(
        one.weight, one.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias,
        transpose)
    return one


def fuse_linear_bn_eval(linear: Any, bn: Any) -> Any:
    """A linear layer that does what `linear` and then `bn` do in evaluation mode.

    Raises:
        AssertionError: unless both are in it, and of one size.
    """
    if linear.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    if bn.num_features not in (linear.out_features, 1):
        raise AssertionError("To fuse, linear.out_features == bn.num_features or "
                             "bn.num_features == 1")
    one = deepcopy(linear)
    one.weight, one.bias = fuse_linear_bn_weights(
        one.weight, one.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias)
    return one


def skip_init(module_cls: type, *args: Any, **kwargs: Any) -> Module:
    """A module whose parameters are not drawn: their numbers mean nothing yet."""
    if not issubclass(module_cls, Module):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    where = kwargs.pop("device", "cpu")
    return module_cls(*args, device="meta", **kwargs).to_empty(device=where)


def convert_conv2d_weight_memory_format(module: Module, memory_format: Any) -> Module:
    """The weights of two-dimensional convolutions laid out in a memory format."""
    return laid_out(module, memory_format, ("Conv2d", "ConvTranspose2d"))


def convert_conv3d_weight_memory_format(module: Module, memory_format: Any) -> Module:
    """The same of three-dimensional ones."""
    return laid_out(module, memory_format, ("Conv3d", "ConvTranspose3d"))


def laid_out(module: Module, memory_format: Any, kinds: tuple) -> Module:
    """The weights of some kinds of modules laid out."""
    for part in module.modules():
        if type(part).__name__ in kinds:
            part.weight.data = part.weight.detach().clone(memory_format=memory_format)
    return module
