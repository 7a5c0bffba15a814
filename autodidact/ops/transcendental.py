"""Exponentials, logarithms, trigonometric and hyperbolic functions; elementwise."""

import math
from typing import Any

import numpy as np

from autodidact._optional import optional
from autodidact.ops import kernels
from autodidact.ops.op import Op, conj, elementwise, linear

LN2, LN10, SQRT_PI = math.log(2), math.log(10), math.sqrt(math.pi)

# ---- exponentials and logarithms ---------------------------------------------------------------

exp = Op("exp(self)",
    forward = np.exp,
    vjp     = {"self": lambda grad, result: grad * conj(result)},
    promote = "float",
    kind    = elementwise)

exp2 = Op("exp2(self)",                                            # 2 ** x
    forward = np.exp2,
    vjp     = {"self": lambda grad, result: grad * conj(result) * LN2},
    promote = "float",
    kind    = elementwise)

expm1 = Op("expm1(self)",                                          # exp(x) - 1, exact near 0
    forward = np.expm1,
    vjp     = {"self": lambda grad, result: grad * (conj(result) + 1)},
    promote = "float",
    kind    = elementwise)

log = Op("log(self)",
    forward = np.log,
    vjp     = {"self": lambda grad, self: grad / conj(self)},
    promote = "float",
    kind    = elementwise)

log2 = Op("log2(self)",
    forward = np.log2,
    vjp     = {"self": lambda grad, self: grad / conj(self * LN2)},
    promote = "float",
    kind    = elementwise)

log10 = Op("log10(self)",
    forward = np.log10,
    vjp     = {"self": lambda grad, self: grad / conj(self * LN10)},
    promote = "float",
    kind    = elementwise)

log1p = Op("log1p(self)",                                          # log(1 + x), exact near 0
    forward = np.log1p,
    vjp     = {"self": lambda grad, self: grad / conj(self + 1)},
    node    = "Log1PBackward0",
    promote = "float",
    kind    = elementwise)

logaddexp = Op("logaddexp(self, other)",                           # log(exp(x) + exp(y))
    forward = np.logaddexp,
    vjp     = {"self":  lambda grad, self, other: grad / (1 + np.exp(other - self)),
               "other": lambda grad, self, other: grad / (1 + np.exp(self - other))},
    promote = "float",
    kind    = elementwise,
    only    = "biuf")

logaddexp2 = Op("logaddexp2(self, other)",                         # log2(2**x + 2**y)
    forward = np.logaddexp2,
    vjp     = {"self":  lambda grad, self, other: grad / (1 + np.exp2(other - self)),
               "other": lambda grad, self, other: grad / (1 + np.exp2(self - other))},
    promote = "float",
    kind    = elementwise,
    only    = "biuf")

xlogy = Op("xlogy(self, other)",                                   # x log(y); 0 where x is 0
    forward = lambda self, other: x_log_y(self, other),
    vjp     = {"self":  lambda grad, self, other:
                        np.where((self == 0) & (other <= 0), 0, xlogy(grad, other)),
               "other": lambda grad, self, other: grad * self / other},
    promote = "float",
    kind    = elementwise)

# ---- trigonometric functions -------------------------------------------------------------------

sin = Op("sin(self)",
    forward = np.sin,
    vjp     = {"self": lambda grad, self: grad * conj(np.cos(self))},
    promote = "float",
    kind    = elementwise)

cos = Op("cos(self)",
    forward = np.cos,
    vjp     = {"self": lambda grad, self: -grad * conj(np.sin(self))},
    promote = "float",
    kind    = elementwise)

tan = Op("tan(self)",
    forward = np.tan,
    vjp     = {"self": lambda grad, result: grad * conj(1 + result * result)},
    promote = "float",
    kind    = elementwise)

asin = Op("asin(self)",
    forward = np.arcsin,
    vjp     = {"self": lambda grad, self: grad / conj(np.sqrt(1 - self * self))},
    promote = "float",
    kind    = elementwise)

acos = Op("acos(self)",
    forward = np.arccos,
    vjp     = {"self": lambda grad, self: -grad / conj(np.sqrt(1 - self * self))},
    promote = "float",
    kind    = elementwise)

atan = Op("atan(self)",
    forward = np.arctan,
    vjp     = {"self": lambda grad, self: grad / conj(1 + self * self)},
    promote = "float",
    kind    = elementwise)

deg2rad = Op("deg2rad(self)",
    forward = lambda self: self * (math.pi / 180),
    vjp     = {"self": lambda grad: grad * (math.pi / 180)},
    node    = "Deg2RadBackward0",
    promote = "float",
    kind    = elementwise | linear)

rad2deg = Op("rad2deg(self)",
    forward = lambda self: self * (180 / math.pi),
    vjp     = {"self": lambda grad: grad * (180 / math.pi)},
    node    = "Rad2DegBackward0",
    promote = "float",
    kind    = elementwise | linear)

sinc = Op("sinc(self)",                                            # sin(πx) / πx; 1 at 0
    forward = np.sinc,
    vjp     = {"self": lambda grad, self: np.where(self == 0, 0, grad * sinc_slope(self))},
    promote = "float",
    kind    = elementwise)

atan2 = Op("atan2(self, other)",                                   # the angle of (other, self)
    forward = np.arctan2,
    vjp     = {"self":  lambda grad, self, other: grad * other / (self * self + other * other),
               "other": lambda grad, self, other: -grad * self / (self * self + other * other)},
    promote = "float",
    kind    = elementwise,
    only    = "biuf")

hypot = Op("hypot(self, other)",                                   # sqrt(x² + y²)
    forward = np.hypot,
    vjp     = {"self":  lambda grad, self, result: grad * self / result,
               "other": lambda grad, other, result: grad * other / result},
    kind    = elementwise,
    only    = "f")

# ---- hyperbolic functions ----------------------------------------------------------------------

sinh = Op("sinh(self)",
    forward = np.sinh,
    vjp     = {"self": lambda grad, self: grad * conj(np.cosh(self))},
    promote = "float",
    kind    = elementwise)

cosh = Op("cosh(self)",
    forward = np.cosh,
    vjp     = {"self": lambda grad, self: grad * conj(np.sinh(self))},
    promote = "float",
    kind    = elementwise)

tanh = Op("tanh(self)",
    forward = np.tanh,
    vjp     = {"self": lambda grad, result: grad * conj(1 - result * result)},
    kernels = {"self": kernels.tanh_grad},
    least   = 2,
    promote = "float",
    kind    = elementwise)

asinh = Op("asinh(self)",
    forward = np.arcsinh,
    vjp     = {"self": lambda grad, self: grad / conj(np.sqrt(self * self + 1))},
    promote = "float",
    kind    = elementwise)

acosh = Op("acosh(self)",
    forward = np.arccosh,
    vjp     = {"self": lambda grad, self: grad / conj(np.sqrt(self - 1) * np.sqrt(self + 1))},
    promote = "float",
    kind    = elementwise)

atanh = Op("atanh(self)",
    forward = np.arctanh,
    vjp     = {"self": lambda grad, self: grad / conj(1 - self * self)},
    promote = "float",
    kind    = elementwise)

# ---- functions of statistics -------------------------------------------------------------------

sigmoid = Op("sigmoid(self)",                                      # 1 / (1 + exp(-x))
    forward = lambda self: 1 / (1 + np.exp(-self)),
    vjp     = {"self": lambda grad, result: grad * conj((1 - result) * result)},
    kernels = {"forward": kernels.sigmoid, "self": kernels.sigmoid_grad},
    least   = 2,
    promote = "float",
    kind    = elementwise)

erf = Op("erf(self)",
    forward = lambda self: special("erf")(self).astype(self.dtype),
    vjp     = {"self": lambda grad, self: grad * (2 / SQRT_PI * np.exp(-(self * self)))},
    promote = "float",
    kind    = elementwise,
    only    = "biuf", refusal = "\"erf_vml_cpu\" not implemented for '{}'")

erfc = Op("erfc(self)",                                            # 1 - erf(x)
    forward = lambda self: special("erfc")(self).astype(self.dtype),
    vjp     = {"self": lambda grad, self: grad * (-2 / SQRT_PI * np.exp(-(self * self)))},
    promote = "float",
    kind    = elementwise,
    only    = "biuf", refusal = "\"erfc_vml_cpu\" not implemented for '{}'")

erfinv = Op("erfinv(self)",
    forward = lambda self: special("erfinv")(self).astype(self.dtype),
    vjp     = {"self": lambda grad, self: grad * (SQRT_PI / 2 * np.exp(erfinv(self) ** 2))},
    promote = "float",
    kind    = elementwise,
    only    = "biuf", refusal = "\"erfinv_vml_cpu\" not implemented for '{}'")

logit = Op("logit(self)",                                          # log(x / (1 - x))
    forward = lambda self: np.log(self / (1 - self)),
    vjp     = {"self": lambda grad, self: grad / (self * (1 - self))},
    promote = "float",
    kind    = elementwise)


# ---- longer mathematics -------------------------------------------------------------------------


def special(name: str) -> Any:
    """A ufunc of `scipy.special`, which is imported when first needed."""
    return getattr(optional("scipy.special"), name)


def sinc_slope(x: Any) -> Any:
    """(cos(πx) πx - sin(πx)) / πx²; at 0, where it is 0/0, of 1 instead."""
    x = np.where(x == 0, 1, x)
    return (np.cos(math.pi * x) * (math.pi * x) - np.sin(math.pi * x)) / (math.pi * x * x)


def x_log_y(x: Any, y: Any) -> Any:
    """0 log(y) is 0 for every y but nan."""
    return np.where((x == 0) & ~np.isnan(y), 0, x * np.log(y))
