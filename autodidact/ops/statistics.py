"""Spread, length, and the logarithm of a sum of exponentials."""

from typing import Any

import numpy as np

from autodidact.ops.elementwise import sgn
from autodidact.ops.op import Op, conj, reduction, spread
from autodidact.ops.reduction import back, size

var = Op("var(self, *, dim, correction, keepdim)",                 # squared distance from the mean
    forward = lambda self, dim, correction, keepdim: variance(self, dim, correction, keepdim),
    vjp     = {"self": lambda grad, self, dim, correction, keepdim:
               var_grad(grad, self, dim, correction, keepdim)},
    jvp     = lambda self_t, self, dim, correction, keepdim:
              var_tangent(self_t, self, dim, correction, keepdim),
    kind    = reduction)

std = Op("std(self, *, dim, correction, keepdim)",                 # sqrt(var); at 0: 0
    forward = lambda self, dim, correction, keepdim:
              np.sqrt(variance(self, dim, correction, keepdim)),
    vjp     = {"self": lambda grad, self, result, dim, correction, keepdim:
               var_grad(halved(grad, result), self, dim, correction, keepdim)},
    jvp     = lambda self_t, self, result, dim, correction, keepdim:
              halved(var_tangent(self_t, self, dim, correction, keepdim), result),
    kind    = reduction)

vector_norm = Op("vector_norm(self, *, ord, dim, keepdim)",        # (sum |x|^p)^(1/p); at 0: 0
    forward = lambda self, ord, dim, keepdim: norm_of(self, ord, dim, keepdim),
    vjp     = {"self": lambda grad, self, result, ord, dim, keepdim:
               norm_grad(grad, self, result, ord, dim, keepdim)},
    jvp     = lambda self_t, self, result, ord, dim, keepdim:
              norm_tangent(self_t, self, result, ord, dim, keepdim),
    node    = "LinalgVectorNormBackward0",
    kind    = reduction)

logsumexp = Op("logsumexp(self, *, dim, keepdim)",
    forward = lambda self, dim, keepdim: log_sum_exp(self, dim, keepdim),
    vjp     = {"self": lambda grad, self, result, dim, keepdim:
               spread(grad, self.shape, dim, keepdim)
               * np.exp(self - spread(result, self.shape, dim, keepdim))},
    jvp     = lambda self_t, self, result, dim, keepdim:
              mean_by(np.exp(self - spread(result, self.shape, dim, keepdim)), self_t, dim,
                      keepdim),
    kind    = reduction)


# ---- longer mathematics -------------------------------------------------------------------------


def mean_by(weights: Any, x: Any, dim: Any, keepdim: bool) -> Any:
    """The weighted mean; the sum of the weights is 1, but for the rounding of large inputs."""
    return ((x * weights).sum(axis=dim, keepdims=keepdim)
            / weights.sum(axis=dim, keepdims=keepdim))


def variance(x: Any, dim: Any, correction: float, keepdim: bool) -> Any:
    """Squared distances from the mean, summed and divided by n - correction (at least 0)."""
    away = x - x.mean(axis=dim, keepdims=True)
    squares = (away * conj(away)).real if x.dtype.kind == "c" else away * away
    return squares.sum(axis=dim, keepdims=keepdim) / np.float64(
        degrees(x.shape, dim, correction)).astype(squares.dtype)


def degrees(shape: tuple, dim: Any, correction: float) -> float:
    """n - correction: by how much the sum of squares is divided."""
    free = size(shape, dim) - correction
    return free if free > 0 else 0


def var_grad(grad: Any, self: Any, dim: Any, correction: float, keepdim: bool) -> Any:
    """d var = 2 (x - mean) dx / (n - correction); the mean's own share sums to zero."""
    n = size(self.shape, dim)
    away = self - self.sum(axis=dim, keepdims=True) / n
    return back(grad, self.shape, dim, keepdim) * away * (2 / (n - correction) if n != correction
                                                          else np.inf)


def var_tangent(self_t: Any, self: Any, dim: Any, correction: float, keepdim: bool) -> Any:
    """The same diagonal, summed."""
    n = size(self.shape, dim)
    away = self - self.sum(axis=dim, keepdims=True) / n
    return (conj(away) * self_t).real.sum(axis=dim, keepdims=keepdim) * (2 / (n - correction))


def halved(grad: Any, result: Any) -> Any:
    """d sqrt(v) = dv / (2 sqrt(v)), and 0 where that would be infinite."""
    return np.where(result == 0, 0, grad / np.where(result == 0, 1, result * 2))


def norm_of(x: Any, ord: float, dim: Any, keepdim: bool) -> Any:
    """(sum |x|^p)^(1/p); the largest |x| for p = inf, the smallest for -inf, how many for 0."""
    how = {"axis": dim, "keepdims": keepdim}
    if ord == 2:
        return np.sqrt((x * conj(x)).real.sum(**how))
    size = np.abs(x)
    if ord == np.inf:
        return size.max(**how)
    if ord == -np.inf:
        return size.min(**how)
    if ord == 0:
        return (x != 0).sum(**how).astype(size.dtype)
    return size.sum(**how) if ord == 1 else (size ** ord).sum(**how) ** (1 / ord)


def norm_grad(grad: Any, self: Any, result: Any, ord: float, dim: Any, keepdim: bool) -> Any:
    """d |x|_p = x |x|^(p-2) / |x|_p^(p-1) dx, and 0 where that is not defined."""
    shape = tuple(self.shape)
    grad, result = back(grad, shape, dim, keepdim), back(result, shape, dim, keepdim)
    if ord == 0:
        return np.zeros_like(self)
    if ord == 1:
        return grad * sgn(self)
    if ord == 2:
        return np.where(result == 0, 0, grad * self / np.where(result == 0, 1, result))
    length = np.abs(self)
    if ord in (np.inf, -np.inf):
        longest = length == result
        return np.where(longest, grad * sgn(self) / longest.sum(axis=dim, keepdims=True), 0)
    nowhere = (result == 0) | (self == 0) if ord < 2 else result == 0
    safe = np.where(nowhere, 1, length) if ord < 2 else length
    return np.where(nowhere, 0, grad * sgn(self) * (safe / np.where(result == 0, 1, result))
                    ** (ord - 1))


def norm_tangent(self_t: Any, self: Any, result: Any, ord: float, dim: Any, keepdim: bool) -> Any:
    """The length grows by the tangent's part along the gradient."""
    slope = norm_grad(np.ones_like(result), self, result, ord, dim, keepdim)
    return (self_t * conj(slope)).real.sum(axis=dim, keepdims=keepdim)


def log_sum_exp(x: Any, dim: Any, keepdim: bool) -> Any:
    """The logarithm of a sum of exponentials; the largest is taken out, so nothing overflows."""
    top = x.max(axis=dim, keepdims=True)
    top = np.where(np.isfinite(top), top, 0)
    total = np.log(np.exp(x - top).sum(axis=dim, keepdims=keepdim))
    return total + (top if keepdim else top.reshape(total.shape))
