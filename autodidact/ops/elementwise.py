"""Elementwise operations: each output entry depends on the entries at its own place.

Broadcasting is undone once, by the engine, so the formulas speak of equal shapes.
"""

import operator
from typing import Any

import numpy as np

from autodidact.arrays.bfloat16 import BFloat16Array
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
    kind    = elementwise | linear,
    only    = "iufc", refusal = "RuntimeError: Subtraction, the `-` operator, with a bool tensor "
              "is not supported. Use `^`, `logical_xor()`, or `~` to invert a mask.")

rsub = Op("rsub(self, other)",                                     # other - self; a number is other
    forward = lambda self, other: other - self,
    vjp     = {"self":  lambda grad: -grad,
               "other": lambda grad: grad},
    node    = "RsubBackward1",
    kind    = elementwise | linear,
    only    = "iufc", refusal = "RuntimeError: Subtraction, the `-` operator, with a bool tensor "
              "is not supported. Use `^`, `logical_xor()`, or `~` to invert a mask.")

rsub_scaled = Op("rsub_scaled(self, other, *, alpha)",             # other - alpha * self
    forward = lambda self, other, alpha: other - self * self.dtype.type(alpha),
    vjp     = {"self":  lambda grad, alpha: -grad * alpha,
               "other": lambda grad: grad},
    node    = "RsubBackward0",
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
    kind    = elementwise | linear,
    only    = "iufc", refusal = "RuntimeError: Negation, the `-` operator, on a bool tensor is not "
              "supported. To invert a mask, use the `~` or `logical_not()` operator instead.")

reciprocal = Op("reciprocal(self)",                                # 1 / x
    forward = np.reciprocal,
    vjp     = {"self": lambda grad, result: -grad * conj(result * result)},
    promote = "float",
    kind    = elementwise)

conj_physical = Op("conj_physical(self)",                          # z -> z̄
    forward = np.conjugate,
    vjp     = {"self": lambda grad: grad.conj()},
    kind    = linear)

# ---- division with a whole quotient: constant almost everywhere, or not differentiable ----------

div_floor = Op("div_floor(self, other)",                           # div(rounding_mode="floor")
    forward = np.floor_divide,
    vjp     = {"self":  lambda grad, other: np.zeros_like(grad),
               "other": lambda grad, self, other: np.zeros_like(grad)},
    node    = "DivBackward2",
    kind    = elementwise,
    only    = "iuf", refusal = "\"div_floor_cpu\" not implemented for '{}'")

div_trunc = Op("div_trunc(self, other)",                           # div(rounding_mode="trunc")
    forward = lambda self, other: truncated(self, other),
    vjp     = {"self":  lambda grad, other: np.zeros_like(grad),
               "other": lambda grad, self, other: np.zeros_like(grad)},
    node    = "DivBackward2",
    kind    = elementwise,
    only    = "iuf", refusal = "\"div_trunc_cpu\" not implemented for '{}'")

floor_divide = Op("floor_divide(self, other)",
    forward = lambda self, other: np.floor_divide(self, other),
    vjp     = {"self":  lambda grad: not_implemented("floor_divide"),
               "other": lambda grad: not_implemented("floor_divide")},
    node    = "NotImplemented",
    kind    = elementwise,
    only    = "iuf", refusal = "\"div_floor_cpu\" not implemented for '{}'")

remainder = Op("remainder(self, other)",                           # sign of the divisor
    forward = np.remainder,
    vjp     = {"self":  lambda grad: grad,
               "other": lambda grad, self, other: -grad * div_floor(self, other)},
    node    = "RemainderBackward1",
    kind    = elementwise,
    only    = "iuf", refusal = "\"remainder_cpu\" not implemented for '{}'")

remainder_number = Op("remainder_number(self, *, other)",
    forward = lambda self, other: np.remainder(self, other),
    vjp     = {"self": lambda grad: grad},
    node    = "RemainderBackward0",
    kind    = elementwise,
    only    = "iuf", refusal = "\"remainder_cpu\" not implemented for '{}'")

fmod = Op("fmod(self, other)",                                     # sign of the dividend
    forward = np.fmod,
    vjp     = {"self":  lambda grad: grad,
               "other": lambda grad, self, other: -grad * div_trunc(self, other)},
    node    = "FmodBackward1",
    kind    = elementwise,
    only    = "iuf", refusal = "\"fmod_cpu\" not implemented for '{}'")

fmod_number = Op("fmod_number(self, *, other)",
    forward = lambda self, other: np.fmod(self, other),
    vjp     = {"self": lambda grad: grad},
    node    = "FmodBackward0",
    kind    = elementwise,
    only    = "iuf", refusal = "\"fmod_cpu\" not implemented for '{}'")

# ---- powers -----------------------------------------------------------------------------------

pow_number = Op("pow_number(self, *, exponent)",                   # x ** 3
    forward = lambda self, exponent: self ** exponent,
    vjp     = {"self": lambda grad, self, exponent:                # x ** 0 is constant, also at 0
               grad * conj(exponent * self ** (exponent - 1)) if exponent else np.zeros_like(grad)},
    node    = "PowBackward0",
    kind    = elementwise)

pow = Op("pow(self, exponent)",                                    # x ** y
    forward = np.power,
    vjp     = {"self":     lambda grad, self, exponent: np.where(
                           exponent == 0, 0, grad * conj(exponent * self ** (exponent - 1))),
               "exponent": lambda grad, self, exponent, result: np.where(
                           (self == 0) & (exponent >= 0), 0, grad * conj(result * np.log(self)))},
    node    = "PowBackward1",
    kind    = elementwise)

pow_base = Op("pow_base(exponent, *, self)",                       # 2 ** x
    forward = lambda exponent, self: self ** exponent,
    vjp     = {"exponent": lambda grad, self, exponent, result: np.where(
               (self == 0) & (exponent >= 0), 0, grad * conj(result * np.log(self)))},
    node    = "PowBackward2",
    kind    = elementwise)

sqrt = Op("sqrt(self)",
    forward = np.sqrt,
    vjp     = {"self": lambda grad, result: grad / (2 * conj(result))},
    promote = "float",
    kind    = elementwise)

rsqrt = Op("rsqrt(self)",                                          # 1 / sqrt(x)
    forward = lambda self: 1 / np.sqrt(self),
    vjp     = {"self": lambda grad, result: -0.5 * grad * conj(result * result * result)},
    promote = "float",
    kind    = elementwise)

# ---- sign and rounding: zero almost everywhere --------------------------------------------------

abs = Op("abs(self)",
    forward = np.abs,
    vjp     = {"self": lambda grad, self: grad * sgn(self)},
    kind    = elementwise, only = "iufc")

sign = Op("sign(self)",
    forward = lambda self: np.sign(self) if self.dtype.kind != "b" else self, ufunc = np.sign,
    vjp     = {"self": lambda grad: np.zeros_like(grad)},
    kind    = elementwise,
    only    = "biuf", refusal = "Unlike NumPy, torch.sign is not intended to support complex "
              "numbers. Please use torch.sgn instead.")

sgn = Op("sgn(self)",                                              # z / |z|; 0 at 0
    forward = lambda self: np.sign(self),
    vjp     = {"self": lambda grad, self, result: sgn_self(grad, self, result)},
    jvp     = lambda self_t, self, result: sgn_self(self_t, self, result),
    kind    = elementwise)

copysign = Op("copysign(self, other)",                             # the size of x, the sign of y
    forward = np.copysign,
    vjp     = {"self":  lambda grad, self, result:
                        np.where(self == 0, 0, grad * (result / np.where(self == 0, 1, self))),
               "other": lambda grad: np.zeros_like(grad)},
    promote = "float",
    kind    = elementwise, only = "biuf")

nextafter = Op("nextafter(self, other)",                           # the next number, towards other
    forward = lambda self, other: next_number(self, other),
    vjp     = {"self":  lambda grad, self, other: np.where(self == other, 0, grad),
               "other": lambda grad: np.zeros_like(grad)},
    kind    = elementwise, only = "f", refusal = "\"nextafter_cpu\" not implemented for '{}'")

heaviside = Op("heaviside(self, values)",                          # 0 below 0, 1 above, values at 0
    forward = lambda self, values: np.where(self == 0, values, (self > 0).astype(self.dtype)),
    vjp     = {"self":   lambda grad: not_implemented("heaviside"),
               "values": lambda grad: not_implemented("heaviside")},
    node    = "NotImplemented",
    kind    = elementwise, only = "biuf")

floor = Op("floor(self)",
    forward = lambda self: self if self.dtype.kind in "iub" else np.floor(self),
    vjp     = {"self": lambda grad: np.zeros_like(grad)},
    kind    = elementwise,
    only    = "iuf", refusal = "floor is not supported for complex inputs (nor for bool)")

ceil = Op("ceil(self)",
    forward = lambda self: self if self.dtype.kind in "iub" else np.ceil(self),
    vjp     = {"self": lambda grad: np.zeros_like(grad)},
    kind    = elementwise,
    only    = "iuf", refusal = "ceil is not supported for complex inputs (nor for bool)")

trunc = Op("trunc(self)",
    forward = lambda self: self if self.dtype.kind in "iub" else np.trunc(self),
    vjp     = {"self": lambda grad: np.zeros_like(grad)},
    kind    = elementwise,
    only    = "iuf", refusal = "trunc is not supported for complex inputs (nor for bool)")

round = Op("round(self)",                                          # halves go to the even neighbour
    forward = lambda self: self if self.dtype.kind in "iub" else np.rint(self),
    vjp     = {"self": lambda grad: np.zeros_like(grad)},
    kind    = elementwise,
    only    = "iuf", refusal = "\"round_vml_cpu\" not implemented for '{}'")

round_decimals = Op("round_decimals(self, *, decimals)",
    forward = lambda self, decimals: rounded(self, decimals),
    vjp     = {"self": lambda grad: np.zeros_like(grad)},
    node    = "RoundBackward1",
    kind    = elementwise,
    only    = "iuf", refusal = "\"round_vml_cpu\" not implemented for '{}'")

frac = Op("frac(self)",                                            # x - trunc(x)
    forward = lambda self: self - np.trunc(self),
    vjp     = {"self": lambda grad: grad},
    kind    = elementwise,
    only    = "f")

# ---- several at once --------------------------------------------------------------------------

lerp = Op("lerp(self, end, *, weight)",                            # from self to end
    forward = lambda self, end, weight: self + (end - self) * weight,
    vjp     = {"self": lambda grad, weight: grad * (1 - weight),
               "end":  lambda grad, weight: grad * weight},
    kind    = elementwise | linear,
    only    = "fc", refusal = "\"lerp_kernel_scalar\" not implemented for '{}'")

lerp_tensor = Op("lerp_tensor(self, end, weight)",
    forward = lambda self, end, weight: self + (end - self) * weight,
    vjp     = {"self":   lambda grad, weight: grad * conj(1 - weight),
               "end":    lambda grad, weight: grad * conj(weight),
               "weight": lambda grad, self, end: grad * conj(end - self)},
    node    = "LerpBackward1",
    kind    = elementwise,
    only    = "fc", refusal = "\"lerp_kernel_scalar\" not implemented for '{}'")

addcmul = Op("addcmul(self, tensor1, tensor2, *, value)",          # self + value * a * b
    forward = lambda self, tensor1, tensor2, value: self + value * tensor1 * tensor2,
    vjp     = {"self":    lambda grad: grad,
               "tensor1": lambda grad, tensor2, value: grad * conj(tensor2 * value),
               "tensor2": lambda grad, tensor1, value: grad * conj(tensor1 * value)},
    kind    = elementwise)

addcdiv = Op("addcdiv(self, tensor1, tensor2, *, value)",          # self + value * a / b
    forward = lambda self, tensor1, tensor2, value: self + value * tensor1 / tensor2,
    vjp     = {"self":    lambda grad: grad,
               "tensor1": lambda grad, tensor2, value: grad * conj(value / tensor2),
               "tensor2": lambda grad, tensor1, tensor2, value:
                          -grad * conj(value * tensor1 / (tensor2 * tensor2))},
    kind    = elementwise,
    only    = "fc", refusal = "RuntimeError: Integer division with addcdiv is no longer supported, "
              "and in a future release addcdiv will perform a true division of tensor1 and "
              "tensor2. The future addcdiv behavior is just the latter implementation: (input + "
              "value * tensor1 / tensor2), for all dtypes.")

zeros_like = Op("zeros_like(self)",                                # for formulas: no derivative
    forward = np.zeros_like, ufunc = np.zeros_like,
    kind    = elementwise | linear)


# ---- longer mathematics -------------------------------------------------------------------------


def not_implemented(name: str) -> Any:
    """The derivative that does not exist."""
    raise RuntimeError(f"derivative for {name} is not implemented: it jumps, so it has none")


def next_number(x: Any, to: Any) -> Any:
    """The next number that the dtype has; of bfloat16 that is another one than of float32."""
    if isinstance(x, BFloat16Array):
        return BFloat16Array(np.nextafter(x.inside, to.inside))
    return np.nextafter(x, to)


def truncated(a: Any, b: Any) -> Any:
    """The quotient rounded towards zero, exact for integers too."""
    if a.dtype.kind == "f":
        return np.trunc(a / b)
    quotient = np.floor_divide(a, b)
    return quotient + ((np.remainder(a, b) != 0) & ((a < 0) != (b < 0)))


def rounded(x: Any, decimals: int) -> Any:
    """Rounded after so many decimal places; before the point when negative."""
    if x.dtype.kind in "iub":
        return np.round(x, decimals)
    scale = 10.0 ** (decimals if decimals >= 0 else -decimals)
    return np.rint(x * scale) / scale if decimals >= 0 else np.rint(x / scale) * scale


def result_dtype(x: Any) -> np.dtype:
    """NumPy's dtype of an array or of a Tensor."""
    return getattr(x, "_array", x).dtype


def sgn_self(grad: Any, self: Any, result: Any) -> Any:
    """Turning z turns z/|z|, lengthening does not; real numbers only have a sign."""
    if result_dtype(self).kind != "c":
        return np.zeros_like(grad)
    turn = (grad * conj(result)).imag * result * 1j
    return np.where(self == 0, 0, turn / np.where(self == 0, 1, np.abs(self)))
