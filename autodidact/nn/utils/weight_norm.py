"""weight_norm, the older way: length and direction of a weight are trained apart."""

import warnings
from typing import Any

from autodidact.nn.module import Module
from autodidact.nn.parameter import Parameter
from autodidact.tensor import Tensor

__all__ = ["WeightNorm", "length_along", "remove_weight_norm", "weight_norm", "with_length"]


def length_along(v: Tensor, dim: int) -> Tensor:
    """The length of each slice along `dim`, in a shape that broadcasts; -1: of the whole."""
    if dim == -1:
        return v.norm()
    return v.norm(2, [d for d in range(v.dim()) if d != dim], keepdim=True) if v.dim() > 1 \
        else v.abs()


def with_length(v: Tensor, g: Tensor, dim: int) -> Tensor:
    """The direction of `v`, the lengths of `g`."""
    return v * (g / length_along(v, dim))


class WeightNorm:
    """The hook that computes the weight before each forward."""

    def __init__(self, name: str, dim: int | None) -> None:
        self.name, self.dim = name, -1 if dim is None else dim

    def compute_weight(self, module: Module) -> Tensor:
        """The weight."""
        return with_length(getattr(module, f"{self.name}_v"), getattr(module, f"{self.name}_g"),
                           self.dim)

    def __call__(self, module: Module, inputs: Any) -> None:
        """Before a forward."""
        setattr(module, self.name, self.compute_weight(module))


def hook_of(module: Module, name: str) -> tuple | None:
    """The key and the hook of a weight."""
    return next(((key, hook) for key, hook in module._forward_pre_hooks.items()
                 if isinstance(hook, WeightNorm) and hook.name == name), None)


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Train the weight's length (`weight_g`) and direction (`weight_v`) apart.

    PyTorch has a newer way: `nn.utils.parametrizations.weight_norm`.

    Args:
        module: changed, and returned.
        name: of the weight.
        dim: each slice along it has a length of its own; None: the whole has one.

    Raises:
        RuntimeError: where it is done already.
    """
    warnings.warn("`torch.nn.utils.weight_norm` is deprecated in favor of "
                  "`torch.nn.utils.parametrizations.weight_norm`.", FutureWarning, stacklevel=2)
    if hook_of(module, name):
        raise RuntimeError("Cannot register two weight_norm hooks on the same parameter "
                           f"{name}")
    hook, weight = WeightNorm(name, dim), getattr(module, name)
    del module._parameters[name]
    module.register_parameter(f"{name}_g", Parameter(length_along(weight.detach(), hook.dim)))
    module.register_parameter(f"{name}_v", Parameter(weight.detach()))
    setattr(module, name, hook.compute_weight(module))
    module.register_forward_pre_hook(hook)
    return module


def remove_weight_norm(module: Module, name: str = "weight") -> Module:
    """Make the weight a plain parameter again, with the value that it has."""
    found = hook_of(module, name)
    if not found:
        raise ValueError(f"weight_norm of '{name}' not found in {module}")
    key, hook = found
    weight = hook.compute_weight(module).detach()
    delattr(module, name)
    for part in ("_g", "_v"):
        del module._parameters[name + part]
    setattr(module, name, Parameter(weight))
    del module._forward_pre_hooks[key]
    return module
