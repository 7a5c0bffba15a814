"""spectral_norm, the older way: a weight divided by its largest singular value."""

from typing import Any

from autodidact.autograd.grad_mode import no_grad
from autodidact.nn.conv import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from autodidact.nn.functional_all import F
from autodidact.nn.module import Module
from autodidact.nn.parameter import Parameter
from autodidact.tensor import Tensor

__all__ = ["SpectralNorm", "as_matrix", "remove_spectral_norm", "spectral_norm", "usual_dim"]


def as_matrix(weight: Tensor, dim: int) -> Tensor:
    """The weight with `dim` in front, all others in one."""
    if dim:
        weight = weight.permute(dim, *(d for d in range(weight.dim()) if d != dim))
    return weight.reshape(weight.size(0), -1)


def usual_dim(module: Module) -> int:
    """Where the outputs are."""
    return int(isinstance(module, ConvTranspose1d | ConvTranspose2d | ConvTranspose3d))


class SpectralNorm:
    """The hook that computes the weight before each forward.

    It keeps two vectors near the first singular ones; while training, each forward brings them
    nearer by a power iteration.
    """

    _version = 1

    def __init__(self, name: str, n_power_iterations: int, dim: int, eps: float) -> None:
        if n_power_iterations <= 0:
            raise ValueError("Expected n_power_iterations to be positive, but got "
                             f"n_power_iterations={n_power_iterations}")
        self.name, self.n_power_iterations, self.dim, self.eps = (
            name, n_power_iterations, dim, eps)

    def compute_weight(self, module: Module, do_power_iteration: bool) -> Tensor:
        """The weight."""
        weight, u, v = (getattr(module, self.name + part) for part in ("_orig", "_u", "_v"))
        matrix = as_matrix(weight, self.dim)
        if do_power_iteration:
            with no_grad():
                for _ in range(self.n_power_iterations):
                    v.copy_(F.normalize(matrix.t().mv(u), dim=0, eps=self.eps))
                    u.copy_(F.normalize(matrix.mv(v), dim=0, eps=self.eps))
                u, v = u.clone(), v.clone()         # the next forward writes into the others
        return weight / u.dot(matrix.mv(v))

    def __call__(self, module: Module, inputs: Any) -> None:
        """Before a forward."""
        setattr(module, self.name, self.compute_weight(module, module.training))


class Stamp:
    """The hook that notes the version in a state_dict."""

    def __init__(self, hook: SpectralNorm) -> None:
        self.fn = hook

    def __call__(self, module: Module, state_dict: dict, prefix: str, metadata: dict) -> None:
        """After the module's state was read."""
        metadata.setdefault("spectral_norm", {})[f"{self.fn.name}.version"] = self.fn._version


def hook_of(hooks: dict, name: str, kind: type) -> tuple | None:
    """The key and the hook of a weight."""
    return next(((key, hook) for key, hook in hooks.items() if isinstance(hook, kind)
                 and getattr(hook, "fn", hook).name == name), None)


def spectral_norm(module: Module, name: str = "weight", n_power_iterations: int = 1,
                  eps: float = 1e-12, dim: int | None = None) -> Module:
    """Divide a weight by its largest singular value, before every forward.

    PyTorch has a newer way: `nn.utils.parametrizations.spectral_norm`.

    Args:
        module: changed, and returned; trained is `weight_orig`.
        name: of the weight.
        n_power_iterations: of each forward while training.
        eps: against division by zero.
        dim: where the outputs are.

    Raises:
        RuntimeError: where it is done already.
    """
    dim = usual_dim(module) if dim is None else dim
    if hook_of(module._forward_pre_hooks, name, SpectralNorm):
        raise RuntimeError("Cannot register two spectral_norm hooks on the same parameter "
                           f"{name}")
    hook, weight = SpectralNorm(name, n_power_iterations, dim, eps), module._parameters[name]
    if weight is None:
        raise ValueError(f"`SpectralNorm` cannot be applied as parameter `{name}` is None")
    with no_grad():
        matrix = as_matrix(weight, dim)
        u, v = (F.normalize(weight.new_empty(n).normal_(0, 1), dim=0, eps=eps)
                for n in matrix.shape)
    delattr(module, name)
    module.register_parameter(f"{name}_orig", weight)
    setattr(module, name, weight.data)
    module.register_buffer(f"{name}_u", u)
    module.register_buffer(f"{name}_v", v)
    module.register_forward_pre_hook(hook)
    module._register_state_dict_hook(Stamp(hook))
    return module


def remove_spectral_norm(module: Module, name: str = "weight") -> Module:
    """Make the weight a plain parameter again, with the value that it has."""
    found = hook_of(module._forward_pre_hooks, name, SpectralNorm)
    if not found:
        raise ValueError(f"spectral_norm of '{name}' not found in {module}")
    key, hook = found
    with no_grad():
        weight = hook.compute_weight(module, do_power_iteration=False)
    delattr(module, name)
    for part in ("_u", "_v", "_orig"):
        delattr(module, name + part)
    module.register_parameter(name, Parameter(weight.detach()))
    del module._forward_pre_hooks[key]
    stamp = hook_of(module._state_dict_hooks, name, Stamp)
    if stamp:
        del module._state_dict_hooks[stamp[0]]
    return module
