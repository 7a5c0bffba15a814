"""`torch.nn.init`: how parameters begin. The same seed gives PyTorch's own numbers."""

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from autodidact.arrays import random as draws
from autodidact.arrays.generator import Generator, default_generator
from autodidact.autograd.grad_mode import no_grad
from autodidact.functions.creation import fresh
from autodidact.tensor import Tensor

__all__ = [
    "calculate_gain", "constant", "constant_", "dirac", "dirac_", "eye", "eye_", "kaiming_normal",
    "kaiming_normal_", "kaiming_uniform", "kaiming_uniform_", "normal", "normal_", "ones_",
    "orthogonal", "orthogonal_", "sparse", "sparse_", "trunc_normal_", "uniform", "uniform_",
    "xavier_normal", "xavier_normal_", "xavier_uniform", "xavier_uniform_", "zeros_",
]

LINEAR = ("linear", "sigmoid", "conv1d", "conv2d", "conv3d", "conv_transpose1d",
          "conv_transpose2d", "conv_transpose3d")


def calculate_gain(nonlinearity: str, param: Any = None) -> float:
    """The factor that keeps the variance through an activation.

    Raises:
        ValueError: for a name it does not know.
    """
    if nonlinearity in LINEAR:
        return 1
    if nonlinearity == "leaky_relu":
        if param is not None and (isinstance(param, bool) or not isinstance(param, int | float)):
            raise ValueError(f"negative_slope {param} not a valid number")
        slope = 0.01 if param is None else param
        return math.sqrt(2.0 / (1 + slope**2))
    gains = {"tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 3.0 / 4}
    if nonlinearity not in gains:
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    return gains[nonlinearity]


def _calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    """How many inputs each output has, and outputs each input, of a weight (out, in, ...)."""
    if tensor.dim() < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 "
                         "dimensions")
    field = math.prod(tensor.shape[2:])
    return tensor.size(1) * field, tensor.size(0) * field


# ---- plain --------------------------------------------------------------------------------------


@no_grad()
def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0,
             generator: Generator | None = None) -> Tensor:
    """Numbers of [a, b), equally likely."""
    return tensor.uniform_(a, b, generator=generator)


@no_grad()
def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0,
            generator: Generator | None = None) -> Tensor:
    """Normally distributed numbers."""
    return tensor.normal_(mean, std, generator=generator)


@no_grad()
def constant_(tensor: Tensor, val: float) -> Tensor:
    """One value everywhere."""
    return tensor.fill_(val)


def ones_(tensor: Tensor) -> Tensor:
    """Ones."""
    return constant_(tensor, 1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """Zeros."""
    return constant_(tensor, 0.0)


@no_grad()
def eye_(tensor: Tensor) -> Tensor:
    """The identity matrix."""
    if tensor.dim() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    tensor.zero_()
    tensor.fill_diagonal_(1)
    return tensor


@no_grad()
def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """A convolution's weight that passes its channels on unchanged."""
    if tensor.dim() not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    if tensor.size(0) % groups:
        raise ValueError("dim 0 must be divisible by groups")
    each = tensor.size(0) // groups
    centre = tuple(n // 2 for n in tensor.shape[2:])
    tensor.zero_()
    for g in range(groups):
        for d in range(min(each, tensor.size(1))):
            tensor[(g * each + d, d, *centre)] = 1
    return tensor


# ---- by the number of inputs and outputs --------------------------------------------------------


def xavier_uniform_(tensor: Tensor, gain: float = 1.0,
                    generator: Generator | None = None) -> Tensor:
    """Glorot's: uniform, with variance `2 gain² / (fan_in + fan_out)`."""
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    bound = math.sqrt(3.0) * (gain * math.sqrt(2.0 / float(fan_in + fan_out)))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0,
                   generator: Generator | None = None) -> Tensor:
    """Glorot's: normal, with variance `2 gain² / (fan_in + fan_out)`."""
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / float(fan_in + fan_out)), generator)


def fan_of(tensor: Tensor, mode: str) -> int:
    """The one that `mode` names.

    Raises:
        ValueError: for another word than fan_in and fan_out.
    """
    mode = mode.lower()
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    return _calculate_fan_in_and_fan_out(tensor)[mode == "fan_out"]


def kaiming_uniform_(tensor: Tensor, a: float = 0, mode: str = "fan_in",
                     nonlinearity: str = "leaky_relu",
                     generator: Generator | None = None) -> Tensor:
    """He's: uniform, with variance `gain² / fan`."""
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", UserWarning, stacklevel=2)
        return tensor
    std = calculate_gain(nonlinearity, a) / math.sqrt(fan_of(tensor, mode))
    bound = math.sqrt(3.0) * std
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(tensor: Tensor, a: float = 0, mode: str = "fan_in",
                    nonlinearity: str = "leaky_relu",
                    generator: Generator | None = None) -> Tensor:
    """He's: normal, with variance `gain² / fan`."""
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", UserWarning, stacklevel=2)
        return tensor
    std = calculate_gain(nonlinearity, a) / math.sqrt(fan_of(tensor, mode))
    return normal_(tensor, 0, std, generator)


# ---- others -------------------------------------------------------------------------------------


@no_grad()
def trunc_normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, a: float = -2.0,
                  b: float = 2.0, generator: Generator | None = None) -> Tensor:
    """Normally distributed numbers between a and b: those outside are drawn again."""
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn("mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The "
                      "distribution of values may be incorrect.", UserWarning, stacklevel=2)
    gen = default_generator if generator is None else generator

    def below(x: float) -> float:
        return (1 + math.erf((x - mean) / (std * math.sqrt(2)))) / 2
    draw = normal_again if below(b) - below(a) > 0.3 else accepted
    return tensor.copy_(fresh(draw(gen, tensor._array.shape, tensor._array.dtype, mean, std, a, b)))


def normal_again(gen: Generator, shape: tuple, kind: Any, mean: float, std: float, a: float,
                 b: float) -> np.ndarray:
    """Draw all anew for the places that are outside."""
    low, high = kind.type(a), kind.type(b)
    result = draws.normal(gen, shape, kind, mean, std)
    while (outside := (result < low) | (result > high)).any():
        result = np.where(outside, draws.normal(gen, shape, kind, mean, std), result)
    return result


def accepted(gen: Generator, shape: tuple, kind: Any, mean: float, std: float, a: float,
             b: float) -> np.ndarray:
    """Few normal numbers would be inside: draw uniform ones, and keep each as its density says."""
    peak = kind.type(-0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2)
    result, pending = None, np.ones(shape, bool)
    while pending.any():
        candidates = draws.uniform(gen, shape, kind, a, b)
        result = candidates if result is None else np.where(pending, candidates, result)
        density = ((candidates - kind.type(mean)) / kind.type(std)) ** 2 * kind.type(-0.5) - peak
        pending = pending & (np.log(draws.uniform(gen, shape, kind)) > density)
    return result


@no_grad()
def orthogonal_(tensor: Tensor, gain: float = 1, generator: Generator | None = None) -> Tensor:
    """A (semi-)orthogonal matrix; further dimensions count as columns."""
    if tensor.dim() < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if not tensor.numel():
        return tensor
    rows = tensor.size(0)
    gen = default_generator if generator is None else generator
    flat = draws.normal(gen, (rows, tensor.numel() // rows), tensor._array.dtype)
    wide = flat.shape[0] < flat.shape[1]
    q, r = np.linalg.qr(flat.T if wide else flat)
    q = q * np.sign(np.diag(r))
    tensor.copy_(fresh((q.T if wide else q).reshape(tensor._array.shape)))
    return tensor.mul_(gain)


@no_grad()
def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01,
            generator: Generator | None = None) -> Tensor:
    """Normal numbers, with this part of each column set to zero."""
    if tensor.dim() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, columns = tensor.shape
    zeros = math.ceil(sparsity * rows)
    tensor.normal_(0, std, generator=generator)
    for column in range(columns):
        places = draws.permutation(default_generator, rows)[:zeros]
        tensor[fresh(places), column] = 0
    return tensor


# ---- old names ----------------------------------------------------------------------------------


def old(name: str) -> Callable:
    """`name_` as it was called before names that write in place ended in "_"."""
    new = globals()[f"{name}_"]

    def call(*args: Any, **kwargs: Any) -> Tensor:
        warnings.warn(f"`nn.init.{name}` is now deprecated in favor of `nn.init.{name}_`.",
                      FutureWarning, stacklevel=2)
        return new(*args, **kwargs)
    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"The old name of `{name}_`."
    return call


constant, dirac, eye, normal, orthogonal, sparse, uniform = map(old, (
    "constant", "dirac", "eye", "normal", "orthogonal", "sparse", "uniform"))
kaiming_normal, kaiming_uniform, xavier_normal, xavier_uniform = map(old, (
    "kaiming_normal", "kaiming_uniform", "xavier_normal", "xavier_uniform"))
