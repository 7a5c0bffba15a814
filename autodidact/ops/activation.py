"""Activation functions of neural networks, softmax among them."""

import math
from typing import Any

import numpy as np

from autodidact.ops import kernels
from autodidact.ops.op import Op, elementwise, rowwise
from autodidact.ops.transcendental import erf, sigmoid, tanh

# ---- along a dimension --------------------------------------------------------------------------

softmax = Op("softmax(self, *, dim)",                              # exp(x) / sum exp(x)
    forward = lambda self, dim: normalized_exp(self, dim),
    vjp     = {"self": lambda grad, result, dim:
               result * (grad - (grad * result).sum(axis=dim, keepdims=True))},
    jvp     = lambda self_t, result, dim:
              result * (self_t - (self_t * result).sum(axis=dim, keepdims=True)),
    kernels = {"forward": kernels.softmax, "self": kernels.softmax_grad},
    kind    = rowwise)

log_softmax = Op("log_softmax(self, *, dim)",                      # x - log sum exp(x)
    forward = lambda self, dim: log_normalized_exp(self, dim),
    vjp     = {"self": lambda grad, result, dim:
               grad - np.exp(result) * grad.sum(axis=dim, keepdims=True)},
    jvp     = lambda self_t, result, dim:
              self_t - (np.exp(result) * self_t).sum(axis=dim, keepdims=True),
    kernels = {"forward": kernels.log_softmax, "self": kernels.log_softmax_grad},
    kind    = rowwise)

# ---- piecewise linear ---------------------------------------------------------------------------

relu = Op("relu(self)",                                            # at 0: 0
    forward = lambda self: np.maximum(self, 0),
    vjp     = {"self": lambda grad, result: np.where(result > 0, grad, 0)},
    kernels = {"forward": kernels.rectify, "self": kernels.rectify_grad},
    kind    = elementwise,
    only    = "iuf", refusal = "RuntimeError: relu is not supported for bool or complex tensors")

leaky_relu = Op("leaky_relu(self, *, negative_slope)",
    forward = lambda self, negative_slope: np.where(self > 0, self, self * negative_slope),
    vjp     = {"self": lambda grad, self, negative_slope:
               np.where(self > 0, grad, grad * negative_slope)},
    kind    = elementwise)

hardtanh = Op("hardtanh(self, *, min_val, max_val)",               # at a bound: 0
    forward = lambda self, min_val, max_val: np.minimum(np.maximum(self, min_val), max_val),
    vjp     = {"self": lambda grad, self, min_val, max_val:
               np.where((self > min_val) & (self < max_val), grad, 0)},
    kind    = elementwise)

threshold = Op("threshold(self, *, threshold, value)",
    forward = lambda self, threshold, value: np.where(self > threshold, self, value),
    vjp     = {"self": lambda grad, self, threshold: np.where(self > threshold, grad, 0)},
    kind    = elementwise)

hardsigmoid = Op("hardsigmoid(self)",
    forward = lambda self: np.minimum(np.maximum(self + 3, 0), 6) / 6,
    vjp     = {"self": lambda grad, self: np.where((self > -3) & (self < 3), grad / 6, 0)},
    kind    = elementwise)

hardswish = Op("hardswish(self)",
    forward = lambda self: self * np.minimum(np.maximum(self + 3, 0), 6) / 6,
    vjp     = {"self": lambda grad, self: np.where(
               self <= -3, 0, np.where(self < 3, grad * (self / 3 + 0.5), grad))},
    kind    = elementwise)

softshrink = Op("softshrink(self, *, lambd)",
    forward = lambda self, lambd: np.where(
              self > lambd, self - lambd, np.where(self < -lambd, self + lambd, self * 0)),
    vjp     = {"self": lambda grad, self, lambd:
               np.where((self > lambd) | (self < -lambd), grad, 0)},
    kind    = elementwise)

hardshrink = Op("hardshrink(self, *, lambd)",
    forward = lambda self, lambd: np.where((self > lambd) | (self < -lambd), self, 0),
    vjp     = {"self": lambda grad, self, lambd:
               np.where((self > lambd) | (self < -lambd), grad, 0)},
    kind    = elementwise)

# ---- smooth -------------------------------------------------------------------------------------

gelu = Op("gelu(self, *, approximate)",                            # x Φ(x)
    forward = lambda self, approximate: self * normal_cdf(self, approximate),
    vjp     = {"self": lambda grad, self, approximate: grad * gelu_slope(self, approximate)},
    kernels = {"forward": kernels.gelu, "self": kernels.gelu_grad},
    kind    = elementwise)

silu = Op("silu(self)",                                            # x σ(x)
    forward = lambda self: self / (1 + np.exp(-self)),
    vjp     = {"self": lambda grad, self: grad * silu_slope(self)},
    kernels = {"forward": kernels.silu, "self": kernels.silu_grad},
    kind    = elementwise)

elu = Op("elu(self, *, alpha, scale, input_scale)",
    forward = lambda self, alpha, scale, input_scale: np.where(
              self > 0, self * scale,
              np.expm1(np.minimum(self, 0) * input_scale) * (alpha * scale)),
    vjp     = {"self": lambda grad, self, alpha, scale, input_scale: np.where(
               self > 0, grad * scale, grad * (alpha * scale * input_scale)
               * np.exp(np.minimum(self, 0) * input_scale))},
    kind    = elementwise)

celu = Op("celu(self, *, alpha)",
    forward = lambda self, alpha: np.where(
              self > 0, self, np.expm1(np.minimum(self, 0) / alpha) * alpha),
    vjp     = {"self": lambda grad, self, alpha: np.where(
               self > 0, grad, grad * np.exp(np.minimum(self, 0) / alpha))},
    kind    = elementwise)

softplus = Op("softplus(self, *, beta, threshold)",                # log(1 + exp(βx)) / β
    forward = lambda self, beta, threshold: np.where(
              self * beta > threshold, self, np.log1p(np.exp(np.minimum(
                  self * beta, threshold))) / beta),
    vjp     = {"self": lambda grad, self, beta, threshold: np.where(
               self * beta > threshold, grad, grad * sigmoid(self * beta))},
    kind    = elementwise)

log_sigmoid = Op("log_sigmoid(self)",                              # -log(1 + exp(-x))
    forward = lambda self: np.minimum(self, 0) - np.log1p(np.exp(-np.abs(self))),
    vjp     = {"self": lambda grad, self: grad * sigmoid(-self)},
    kind    = elementwise)

mish = Op("mish(self)",                                            # x tanh(log(1 + exp(x)))
    forward = lambda self: self * np.tanh(np.logaddexp(self, 0)),
    vjp     = {"self": lambda grad, self: grad * mish_slope(self)},
    kind    = elementwise)


# ---- longer mathematics -------------------------------------------------------------------------


def normalized_exp(x: Any, dim: int) -> Any:
    """softmax, with the largest entry taken off first so that nothing overflows."""
    if not x.size or not x.ndim:
        return np.exp(x - x)
    e = np.exp(x - x.max(axis=dim, keepdims=True))
    return e / e.sum(axis=dim, keepdims=True)


def log_normalized_exp(x: Any, dim: int) -> Any:
    """log_softmax, with the largest entry taken off first."""
    if not x.size or not x.ndim:
        return x - x
    x = x - x.max(axis=dim, keepdims=True)
    return x - np.log(np.exp(x).sum(axis=dim, keepdims=True))


def normal_cdf(x: Any, approximate: str) -> Any:
    """Φ(x), the normal distribution; or its approximation by tanh."""
    if approximate == "none":
        return (1 + erf(x * math.sqrt(0.5))) * 0.5
    return (1 + tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * (x * x * x)))) * 0.5


def gelu_slope(x: Any, approximate: str) -> Any:
    """Φ(x) + x φ(x)."""
    if approximate == "none":
        return normal_cdf(x, "none") + x * np.exp(x * x * -0.5) * (1 / math.sqrt(2 * math.pi))
    t = tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * (x * x * x)))
    inner = math.sqrt(2 / math.pi) * (1 + 3 * 0.044715 * (x * x))
    return (1 + t) * 0.5 + 0.5 * x * (1 - t * t) * inner


def silu_slope(x: Any) -> Any:
    """σ(x) (1 + x (1 - σ(x)))."""
    s = sigmoid(x)
    return s * (1 + x * (1 - s))


def mish_slope(x: Any) -> Any:
    """t + x σ(x) (1 - t²) with t = tanh(softplus(x))."""
    t = tanh(np.logaddexp(x, 0))
    return t + x * sigmoid(x) * (1 - t * t)
