"""Elementwise operations: each output entry depends on the entries at its own place.

Broadcasting is undone once, by the engine, so the formulas speak of equal shapes.
"""

import operator
from typing import Any

import numpy as np

from autodidact.ops.op import Op, conj, elementwise, linear

# ---- arithmetic -------------------------------------------------------------------------------

add = Op("add(self, other)",
    forward = np.add, scalar = operator.add,
    vjp     = {"self":  lambda grad: grad,
               "other": lambda grad: grad},
    kind    = elementwise | linear)

sub = Op("sub(self, other)",
    forward = np.subtract, scalar = operator.sub,
    vjp     = {"self":  lambda grad: grad,
               "other": lambda grad: -grad},
    kind    = elementwise | linear)

rsub = Op("rsub(self, other)",                                     # other - self
    forward = lambda self, other: other - self,
    vjp     = {"self":  lambda grad: -grad,
               "other": lambda grad: grad},
    kind    = elementwise | linear)

add_scaled = Op("add_scaled(self, other, *, alpha)",               # self + alpha * other
    forward = lambda self, other, alpha: self + other * other.dtype.type(alpha),
    vjp     = {"self":  lambda grad: grad,
               "other": lambda grad, alpha: grad * alpha},
    node    = "AddBackward0",
    kind    = elementwise | linear)

sub_scaled = Op("sub_scaled(self, other, *, alpha)",               # self - alpha * other
    forward = lambda self, other, alpha: self - other * other.dtype.type(alpha),
    vjp     = {"self":  lambda grad: grad,
               "other": lambda grad, alpha: -grad * alpha},
    node    = "SubBackward0",
    kind    = elementwise | linear)

mul = Op("mul(self, other)",
    forward = np.multiply, scalar = operator.mul,
    vjp     = {"self":  lambda grad, other: grad * conj(other),    # d(xy)/dx = y
               "other": lambda grad, self:  grad * conj(self)},    # d(xy)/dy = x
    kind    = elementwise)

div = Op("div(self, other)",
    forward = np.divide, scalar = operator.truediv,
    vjp     = {"self":  lambda grad, other: grad / conj(other),                    # 1/y
               "other": lambda grad, self, other: -grad * conj(self / other / other)},  # -x/y²
    promote = "float",
    kind    = elementwise)

neg = Op("neg(self)",
    forward = np.negative,
    vjp     = {"self": lambda grad: -grad},
    kind    = elementwise | linear)

abs = Op("abs(self)",
    forward = np.abs,
    vjp     = {"self": lambda grad, self: grad * np.sign(self)},
    kind    = elementwise)

sign = Op("sign(self)",
    forward = np.sign,
    vjp     = {"self": lambda grad: np.zeros_like(grad)},
    kind    = elementwise)
