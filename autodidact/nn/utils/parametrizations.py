"""Ready parametrizations: orthogonal matrices, unit spectral norm, length and direction apart."""

from typing import Any

import numpy as np

from autodidact.autograd.grad_mode import no_grad
from autodidact.functions.creation import fresh
from autodidact.functions.joining import cat
from autodidact.linalg import matrix_exp, solve
from autodidact.nn.functional_all import F
from autodidact.nn.module import Module
from autodidact.nn.utils.parametrize import register_parametrization
from autodidact.nn.utils.spectral_norm import as_matrix, usual_dim
from autodidact.nn.utils.weight_norm import length_along, with_length
from autodidact.tensor import Tensor

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]


def tensor_of(module: Module, name: str) -> Tensor:
    """A parameter or buffer."""
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    return weight


# ---- length and direction -----------------------------------------------------------------------


class _WeightNorm(Module):
    """A weight from its lengths and its direction."""

    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Tensor, weight_v: Tensor) -> Tensor:
        """The weight."""
        return with_length(weight_v, weight_g, self.dim)

    def right_inverse(self, weight: Tensor) -> tuple:
        """Lengths and direction."""
        return length_along(weight, self.dim), weight


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Train a weight's length (`original0`) and direction (`original1`) apart.

    Args:
        module: changed, and returned.
        name: of the weight.
        dim: each slice along it has a length of its own; None: the whole has one.

    Example:
        >>> layer = nn.utils.parametrizations.weight_norm(nn.Linear(3, 2))
        >>> layer.parametrizations.weight.original0.shape
        torch.Size([2, 1])
    """
    register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def older(state_dict: dict, prefix: str, *rest: Any) -> None:
        """Names as `nn.utils.weight_norm` had them."""
        for number, part in enumerate(("_g", "_v")):
            if prefix + name + part in state_dict:
                state_dict[f"{prefix}parametrizations.{name}.original{number}"] = (
                    state_dict.pop(prefix + name + part))
    module._register_load_state_dict_pre_hook(older)
    return module


# ---- largest singular value 1 -------------------------------------------------------------------


class _SpectralNorm(Module):
    """A weight divided by its largest singular value, which power iterations follow."""

    def __init__(self, weight: Tensor, n_power_iterations: int = 1, dim: int = 0,
                 eps: float = 1e-12) -> None:
        super().__init__()
        ndim = weight.dim()
        if not -ndim <= dim < ndim:
            raise IndexError("Dimension out of range (expected to be in range of "
                             f"[-{ndim}, {ndim - 1}] but got {dim})")
        if n_power_iterations <= 0:
            raise ValueError("Expected n_power_iterations to be positive, but got "
                             f"n_power_iterations={n_power_iterations}")
        self.dim, self.eps = dim % ndim, eps
        if ndim > 1:
            self.n_power_iterations = n_power_iterations
            matrix = as_matrix(weight.detach(), self.dim)
            u, v = (matrix.new_empty(n).normal_(0, 1) for n in matrix.shape)
            self.register_buffer("_u", F.normalize(u, dim=0, eps=eps))
            self.register_buffer("_v", F.normalize(v, dim=0, eps=eps))
            self._power_method(matrix, 15)

    @no_grad()
    def _power_method(self, matrix: Tensor, times: int) -> None:
        for _ in range(times):
            self._u.copy_(F.normalize(matrix.mv(self._v), dim=0, eps=self.eps))
            self._v.copy_(F.normalize(matrix.H.mv(self._u), dim=0, eps=self.eps))

    def forward(self, weight: Tensor) -> Tensor:
        """The weight, divided."""
        if weight.dim() == 1:
            return F.normalize(weight, dim=0, eps=self.eps)
        matrix = as_matrix(weight, self.dim)
        if self.training:
            self._power_method(matrix, self.n_power_iterations)
        u, v = self._u.clone(), self._v.clone()     # the next forward writes into the others
        return weight / u.vdot(matrix.mv(v))

    def right_inverse(self, value: Tensor) -> Tensor:
        """The value itself: it need not have norm 1."""
        return value


def spectral_norm(module: Module, name: str = "weight", n_power_iterations: int = 1,
                  eps: float = 1e-12, dim: int | None = None) -> Module:
    """Divide a weight by its largest singular value.

    Args:
        module: changed, and returned.
        name: of the weight.
        n_power_iterations: each time the weight is read while training.
        eps: against division by zero.
        dim: where the outputs are.
    """
    weight = tensor_of(module, name)
    dim = usual_dim(module) if dim is None else dim
    return register_parametrization(module, name,
                                    _SpectralNorm(weight, n_power_iterations, dim, eps))


# ---- orthogonal ---------------------------------------------------------------------------------


class _Orthogonal(Module):
    """A matrix with orthonormal columns (rows, if it is wide), from any matrix.

    With a `base` the map gives `base @ Q`, and training begins at Q = 1.
    """

    def __init__(self, weight: Tensor, orthogonal_map: str, *,
                 use_trivialization: bool = True) -> None:
        super().__init__()
        if weight.is_complex() and orthogonal_map == "householder":
            raise ValueError("The householder parametrization does not support complex tensors.")
        self.shape, self.orthogonal_map = weight.shape, orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, x: Tensor) -> Tensor:
        """The orthogonal matrix."""
        wide = x.size(-2) < x.size(-1)
        x = x.mT if wide else x
        q = (reflected(x) if self.orthogonal_map == "householder" else
             rotated(x, self.orthogonal_map))
        if "base" in self._buffers:
            q = self.base @ q
        return q.mT if wide else q

    @no_grad()
    def right_inverse(self, q: Tensor) -> Tensor:
        """What gives `q`, made orthogonal where it is not."""
        if q.shape != self.shape:
            raise ValueError(f"Expected a matrix or batch of matrices of shape {self.shape}. Got "
                             f"a tensor of shape {q.shape}.")
        wide = q.size(-2) < q.size(-1)
        tall = q.mT if wide else q
        n, k = tall.shape[-2:]
        if "base" not in self._buffers:
            if self.orthogonal_map != "householder":
                raise NotImplementedError("It is not possible to assign to the matrix exponential "
                                          "or the Cayley parametrizations when "
                                          "use_trivialization=False.")
            found = fresh(as_reflections(np.asarray(tall._array)))
            return found.mT if wide else found
        if n != k:
            tall = cat([tall, tall.new_empty(*tall.shape[:-1], n - k).normal_()], -1)
        self.base = tall.clone() if n == k and is_orthogonal(tall) else orthonormal(tall)
        negative = q.new_zeros(q.shape)
        negative.diagonal(0, -2, -1).fill_(-1.0)       # with it, every map gives the identity
        return negative


def rotated(x: Tensor, how: str) -> Tensor:
    """exp(A), or (1 - A/2)⁻¹ (1 + A/2), of the skew matrix A from the lower triangle of `x`."""
    n, k = x.shape[-2:]
    x = x.tril()
    if n != k:
        x = cat([x, x.new_zeros(*x.shape[:-1], n - k)], -1)
    skew = x - x.mH
    if how == "matrix_exp":
        q = matrix_exp(skew)
    else:
        one = fresh(np.eye(n, dtype=x._array.dtype))
        q = solve(one - skew * 0.5, one + skew * 0.5)
    return q[..., :k] if n != k else q


def reflected(x: Tensor) -> Tensor:
    """The product of the reflections along the columns of `x`; its diagonal holds signs."""
    n, k = x.shape[-2:]
    one = fresh(np.eye(n, k, dtype=x._array.dtype))
    below = x.tril(-1)
    factors = 2.0 / (1.0 + (below * below).sum(-2))
    q = one.expand(*x.shape[:-2], n, k)
    for i in reversed(range(k)):
        v = (below[..., i] + one[:, i]).unsqueeze(-1)
        q = q - factors[..., i, None, None] * (v @ (v.mT @ q))
    signs = x.detach().diagonal(0, -2, -1).int().to(x.dtype)
    return q * signs.unsqueeze(-2)


def as_reflections(q: np.ndarray) -> np.ndarray:
    """Matrices of which `reflected` gives `q`, if its columns are orthonormal."""
    found = np.empty_like(q)
    for place in np.ndindex(q.shape[:-2]):
        raw, factors = np.linalg.qr(q[place], mode="raw")
        found[place] = raw.T
        diagonal = np.sign(np.diag(raw))
        np.fill_diagonal(found[place], np.where(factors == 0, -diagonal, diagonal))
    return found


def is_orthogonal(q: Tensor) -> bool:
    """Whether the columns are orthonormal, but for rounding."""
    array = np.asarray(q._array)
    n, k = array.shape[-2:]
    close = 10.0 * n * np.finfo(array.dtype).eps
    return bool(np.allclose(np.conj(array.swapaxes(-1, -2)) @ array, np.eye(k), atol=close))


def orthonormal(a: Tensor) -> Tensor:
    """The Q of QR, R's diagonal positive."""
    q, r = np.linalg.qr(np.asarray(a._array))
    d = np.diagonal(r, axis1=-2, axis2=-1)
    return fresh(q * np.where(d == 0, 0, d / np.where(d == 0, 1, np.abs(d)))[..., None, :])


def orthogonal(module: Module, name: str = "weight", orthogonal_map: str | None = None, *,
               use_trivialization: bool = True) -> Module:
    """Keep a weight's columns (rows, if it is wide) orthonormal while it is trained.

    Args:
        module: changed, and returned.
        name: of a matrix, or a batch of matrices.
        orthogonal_map: "matrix_exp", "cayley" or "householder"; usually the first for square and
            complex matrices, the last for others.
        use_trivialization: keep a base matrix, and train what it is multiplied with.

    Raises:
        ValueError: for vectors, or another map.
    """
    weight = tensor_of(module, name)
    if weight.dim() < 2:
        raise ValueError("Expected a matrix or batch of matrices. Got a tensor of "
                         f"{weight.dim()} dimensions.")
    if orthogonal_map is None:
        square = weight.size(-2) == weight.size(-1)
        orthogonal_map = "matrix_exp" if square or weight.is_complex() else "householder"
    if orthogonal_map not in ("matrix_exp", "cayley", "householder"):
        raise ValueError('orthogonal_map has to be one of "matrix_exp", "cayley", "householder". '
                         f"Got: {orthogonal_map}")
    made = _Orthogonal(weight, orthogonal_map, use_trivialization=use_trivialization)
    return register_parametrization(module, name, made, unsafe=True)
