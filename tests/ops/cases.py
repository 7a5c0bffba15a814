"""One line for each row: inputs away from kinks, arguments, the same call in PyTorch's words."""

import math

import numpy as np

import autodidact.nn  # noqa: F401 - declares the rows of networks
from tests.ops import (  # noqa: F401 - their cases
    cases_layers,
    cases_linalg,
    cases_reduction,
    cases_shape,
    cases_special,
)
from tests.ops.domains import (
    CASES,
    between,
    case,
    complex_,
    exactly,
    integers,
    mask,
    positive,
    probability,
    real,
    unit,
)

__all__ = ["CASES"]

# ---- arithmetic ---------------------------------------------------------------------------------

case("add", real(3, 4), real(4), code="x + y", value=lambda x, y: x + y)
case("add", complex_(3), complex_(2, 1), code="x + y", tag="complex")
case("sub", real(3, 1), real(4), code="x - y")
case("rsub", real(3), real(3), value=lambda x, y: y - x)
case("rsub_scaled", real(3), real(3), args={"alpha": 2}, code="torch.rsub(x, y, alpha=2)",
     value=lambda x, y, a: y - a * x)
case("add_scaled", real(3, 4), real(4), args={"alpha": 2.5}, code="torch.add(x, y, alpha=2.5)",
     value=lambda x, y, a: x + a * y)
case("sub_scaled", real(3, 4), real(4), args={"alpha": 2.5}, code="torch.sub(x, y, alpha=2.5)",
     value=lambda x, y, a: x - a * y)
case("mul", real(3, 4), real(4), code="x * y", value=lambda x, y: x * y)
case("mul", complex_(3), complex_(3), code="x * y", tag="complex")
case("mul", real(3), complex_(3), code="x * y", tag="mixed", duck=False)
case("div", real(3, 4), positive(4), code="x / y", value=lambda x, y: x / y)
case("div", complex_(3), complex_(3), code="x / y", tag="complex")
case("neg", real(3, 4), code="-x", value=lambda x: -x)
case("conj_physical", complex_(3), code="x.conj()", value=np.conj, node=False)
case("reciprocal", positive(3, 4), code="x.reciprocal()", value=lambda x: 1 / x)
case("reciprocal", complex_(3), code="x.reciprocal()", tag="complex")
case("div_floor", real(3, 4), positive(4), code="torch.div(x, y, rounding_mode='floor')",
     value=lambda x, y: np.floor(x / y))
case("div_trunc", real(3, 4), positive(4), code="torch.div(x, y, rounding_mode='trunc')",
     value=lambda x, y: np.trunc(x / y))
case("div_trunc", integers(-9, 9)(8), integers(1, 4)(8),
     code="torch.div(x, y, rounding_mode='trunc')",
     value=lambda x, y: np.trunc(x / y), tag="integers")
case("floor_divide", integers(-9, 9)(8), integers(1, 4)(8), code="x // y")
case("remainder", real(3, 4), positive(4), code="x % y", value=np.mod)
case("remainder_number", real(3, 4), args={"other": -0.7}, code="x % -0.7", value=np.mod)
case("fmod", real(3, 4), positive(4), code="torch.fmod(x, y)", value=np.fmod)
case("fmod_number", real(3, 4), args={"other": -0.7}, code="torch.fmod(x, -0.7)", value=np.fmod)

# ---- powers -------------------------------------------------------------------------------------

case("pow_number", real(3, 4), args={"exponent": 3}, code="x ** 3", value=lambda x, n: x * x * x)
case("pow_number", complex_(3), args={"exponent": 2}, code="x ** 2", tag="complex")
case("pow_number", positive(3), args={"exponent": -1.5}, code="x ** -1.5", tag="negative")
case("pow_number", exactly([0.0, 1.0]), args={"exponent": 0}, code="x ** 0", tag="zero")
case("pow_number", exactly([0.0, 1.0]), args={"exponent": 2}, code="x ** 2", tag="at zero")
case("pow", positive(3, 4), real(4), code="x ** y", value=lambda x, y: np.exp(y * np.log(x)))
case("pow", exactly([0.0, 0.0, 2.0]), exactly([0.0, 2.0, 0.0]), code="x ** y", tag="at zero",
     smooth=False)
case("pow_base", real(3, 4), args={"self": 2}, code="2 ** x", value=lambda x, b: np.exp2(x))
case("pow_base", exactly([0.0, 1.0]), args={"self": 0}, code="0 ** x", tag="of zero", smooth=False)
case("sqrt", positive(3, 4), code="x.sqrt()", value=lambda x: x ** 0.5)
case("sqrt", complex_(3), code="x.sqrt()", tag="complex")
case("rsqrt", positive(3, 4), code="x.rsqrt()", value=lambda x: x ** -0.5)

# ---- sign and rounding --------------------------------------------------------------------------

case("abs", real(3, 4), code="x.abs()", value=lambda x: np.sqrt(x * x))
case("abs", complex_(3), code="x.abs()", tag="complex", duck=False)
case("abs", exactly([0.0, -0.0]), code="x.abs()", tag="at zero", smooth=False)
case("sign", real(3, 4), code="x.sign()", value=lambda x: x / np.abs(x))
case("sgn", real(3, 4), code="x.sgn()", value=lambda x: x / np.abs(x))
case("sgn", complex_(3), code="x.sgn()", tag="complex")
case("copysign", real(3, 4), real(4), code="torch.copysign(x, y)",
     value=lambda x, y: np.abs(x) * np.sign(y))
case("copysign", exactly([0.0, 2.0]), exactly([-1.0, -1.0]), code="torch.copysign(x, y)",
     tag="at zero", smooth=False)
case("nextafter", real(3, 4), real(4), code="torch.nextafter(x, y)", value=lambda x, y: x)
case("nextafter", exactly([1.0, 2.0]), exactly([1.0, 3.0]), code="torch.nextafter(x, y)",
     tag="at equal numbers", smooth=False)
case("heaviside", integers(-1, 2)(6), integers(5, 9)(6), code="torch.heaviside(x, y)",
     value=lambda x, y: np.heaviside(x, y))
case("floor", real(3, 4), code="x.floor()", value=lambda x: x // 1)
case("ceil", real(3, 4), code="x.ceil()", value=lambda x: -(-x // 1))
case("trunc", real(3, 4), code="x.trunc()", value=lambda x: np.sign(x) * (np.abs(x) // 1))
case("round", real(3, 4), code="x.round()", value=np.round)
case("round", exactly([0.5, 1.5, -2.5]), code="x.round()", tag="halves", smooth=False)
case("round_decimals", real(3, 4), args={"decimals": 1}, code="x.round(decimals=1)", value=np.round)
case("round_decimals", between(-90, 90)(9), args={"decimals": -1}, code="x.round(decimals=-1)",
     value=np.round, tag="tens")
case("frac", real(3, 4), code="x.frac()", value=lambda x: np.modf(x)[0])

# ---- choosing -----------------------------------------------------------------------------------

case("where", mask(3, 4), real(3, 4), real(4), code="torch.where(x, y, z)",
     value=lambda c, x, y: c * x + ~c * y)
case("maximum", real(3, 4), unit(4), code="torch.maximum(x, y)",
     value=lambda x, y: (x + y + np.abs(x - y)) / 2)
case("maximum", exactly([1.0, 2.0]), exactly([1.0, 3.0]), code="torch.max(x, y)", tag="ties",
     smooth=False)
case("minimum", real(3, 4), unit(4), code="torch.minimum(x, y)",
     value=lambda x, y: (x + y - np.abs(x - y)) / 2)
case("minimum", exactly([1.0, 2.0]), exactly([1.0, 3.0]), code="torch.min(x, y)", tag="ties",
     smooth=False)
case("fmax", real(3, 4), unit(4), code="torch.fmax(x, y)")
case("fmax", exactly([1.0, np.nan, 2.0]), exactly([np.nan, 1.0, 2.0]), code="torch.fmax(x, y)",
     tag="nan", smooth=False)
case("fmin", real(3, 4), unit(4), code="torch.fmin(x, y)")
case("clamp", real(3, 4), args={"min": -0.5, "max": 1.0}, code="x.clamp(-0.5, 1.0)", value=np.clip)
case("clamp", exactly([-1.0, 0.0, 1.0, 2.0]), args={"min": 0, "max": 1},
     code="torch.clamp(x, 0, 1)",
     tag="at the bounds", smooth=False)
case("clamp", real(3), args={"min": None, "max": 0.5}, code="x.clamp(max=0.5)", tag="one bound")
case("clamp_tensor", real(3, 4), between(-1, 0)(4), between(0.5, 1)(4), code="x.clamp(y, z)",
     value=np.clip)
case("clamp_tensor", real(3, 4), between(-1, 0)(4), None, code="x.clamp(min=y)", tag="min")
case("clamp_tensor", real(3, 4), None, between(0, 1)(4), code="x.clamp(max=z)", tag="max")
case("clamp_min", real(3, 4), args={"min": 0.1}, code="x.clamp_min(0.1)", value=np.maximum)
case("clamp_max", real(3, 4), args={"max": 0.1}, code="x.clamp_max(0.1)", value=np.minimum)
case("nan_to_num", exactly([1.0, np.nan, np.inf]), args={"nan": 0.5, "posinf": 9.0, "neginf": None},
     code="torch.nan_to_num(x, 0.5, 9.0)", value=lambda x, *a: np.array([1.0, 0.5, 9.0]),
     smooth=False)
case("zeros_like", real(3), value=lambda x: 0 * x)

# ---- several at once ----------------------------------------------------------------------------

case("lerp", real(3, 4), real(3, 4), args={"weight": 0.3}, code="torch.lerp(x, y, 0.3)",
     value=lambda x, y, w: (1 - w) * x + w * y)
case("lerp_tensor", real(3, 4), real(3, 4), unit(4), code="torch.lerp(x, y, z)")
case("addcmul", real(3, 4), real(4), real(3, 1), args={"value": 2},
     code="torch.addcmul(x, y, z, value=2)",
     value=lambda x, a, b, v: x + v * a * b)
case("addcdiv", real(3, 4), real(4), positive(3, 1), args={"value": 2},
     code="torch.addcdiv(x, y, z, value=2)", value=lambda x, a, b, v: x + v * a / b)

# ---- exponentials and logarithms ----------------------------------------------------------------

for name in ("exp", "sin", "cos", "sinh", "cosh", "tanh", "sigmoid", "tan", "asinh"):
    case(name, unit(3, 4), code=f"x.{name}()")
    case(name, complex_(3), code=f"torch.{name}(x)", tag="complex")
for name in ("log", "log2", "log10", "log1p"):
    case(name, positive(3, 4), code=f"x.{name}()")
    case(name, complex_(3), code=f"torch.{name}(x)", tag="complex", node=False)
for name in ("exp2", "expm1"):
    case(name, unit(3, 4), code=f"x.{name}()")
for name in ("asin", "acos", "atan", "atanh"):
    case(name, unit(3, 4), code=f"x.{name}()")
    case(name, complex_(3), code=f"torch.{name}(x)", tag="complex")
case("acosh", between(1.2, 3)(3, 4),
     code="x.acosh()", value=lambda x: np.log(x + np.sqrt(x * x - 1)))
case("logaddexp", real(3, 4), real(4), code="torch.logaddexp(x, y)",
     value=lambda x, y: np.log(np.exp(x) + np.exp(y)))
case("logaddexp2", real(3, 4), real(4), code="torch.logaddexp2(x, y)",
     value=lambda x, y: np.log2(np.exp2(x) + np.exp2(y)))
case("xlogy", real(3, 4), positive(4), code="torch.xlogy(x, y)", value=lambda x, y: x * np.log(y))
case("xlogy", exactly([0.0, 0.0]), exactly([0.0, 1.0]), code="torch.xlogy(x, y)", tag="at zero",
     smooth=False)
case("deg2rad", real(3, 4), code="torch.deg2rad(x)", value=np.deg2rad)
case("rad2deg", real(3, 4), code="torch.rad2deg(x)", value=np.rad2deg)
case("sinc", real(3, 4), code="torch.sinc(x)", value=lambda x: np.sin(np.pi * x) / (np.pi * x))
case("sinc", exactly([0.0, 1.0]), code="torch.sinc(x)", tag="at zero", smooth=False)
case("atan2", real(3, 4), positive(4),
     code="torch.atan2(x, y)", value=lambda x, y: np.arctan(x / y))
case("hypot", real(3, 4), real(4),
     code="torch.hypot(x, y)", value=lambda x, y: np.sqrt(x * x + y * y))
case("erf", real(3, 4), code="x.erf()", duck=False, value=np.vectorize(math.erf))
case("erfc", real(3, 4), code="x.erfc()", duck=False, value=np.vectorize(math.erfc))
case("erfinv", unit(3, 4), code="x.erfinv()", duck=False)
case("logit", probability(3, 4),
     code="x.logit()", value=lambda x: np.log(x) - np.log1p(-x), node=False)

# ---- activations --------------------------------------------------------------------------------

case("relu", real(3, 4), code="F.relu(x)", value=lambda x: x * (x > 0))
case("relu", exactly([0.0, -1.0, 2.0]), code="x.relu()", tag="at zero", smooth=False)
case("leaky_relu", real(3, 4), args={"negative_slope": 0.2}, code="F.leaky_relu(x, 0.2)")
case("hardtanh", real(3, 4), args={"min_val": -1.0, "max_val": 1.5},
     code="F.hardtanh(x, -1.0, 1.5)",
     value=np.clip)
case("hardtanh", exactly([-1.0, 0.0, 1.0]), args={"min_val": -1.0, "max_val": 1.0},
     code="F.hardtanh(x)", tag="at the bounds", smooth=False)
case("threshold", real(3, 4), args={"threshold": 0.3, "value": -7.0},
     code="F.threshold(x, 0.3, -7.0)",
     value=lambda x, t, v: np.where(x > t, x, v))
case("hardsigmoid", between(-5, 5)(3, 4), code="F.hardsigmoid(x)",
     value=lambda x: np.clip(x / 6 + 0.5, 0, 1))
case("hardswish", between(-5, 5)(3, 4), code="F.hardswish(x)",
     value=lambda x: x * np.clip(x / 6 + 0.5, 0, 1))
case("softshrink", real(3, 4), args={"lambd": 0.4}, code="F.softshrink(x, 0.4)",
     value=lambda x, a: np.sign(x) * np.maximum(np.abs(x) - a, 0))
case("hardshrink", real(3, 4), args={"lambd": 0.4}, code="F.hardshrink(x, 0.4)",
     value=lambda x, a: x * (np.abs(x) > a))
case("gelu", real(3, 4), args={"approximate": "none"}, code="F.gelu(x)", duck=False,
     value=lambda x, _: x * np.vectorize(math.erfc)(-x / np.sqrt(2)) / 2)
case("gelu", real(3, 4), args={"approximate": "tanh"},
     code="F.gelu(x, approximate='tanh')", tag="tanh")
case("silu", real(3, 4), code="F.silu(x)", value=lambda x: x / (1 + np.exp(-x)))
case("elu", real(3, 4), args={"alpha": 1.5, "scale": 1, "input_scale": 1}, code="F.elu(x, 1.5)",
     value=lambda x, a, s, i: np.where(x > 0, x, a * np.expm1(x)))
case("elu", real(3, 4), args={"alpha": 1.6732632423543772, "scale": 1.0507009873554805,
                              "input_scale": 1}, code="F.selu(x)", tag="selu")
case("celu", real(3, 4), args={"alpha": 1.5}, code="F.celu(x, 1.5)",
     value=lambda x, a: np.where(x > 0, x, a * np.expm1(x / a)))
case("softplus", real(3, 4), args={"beta": 1.5, "threshold": 20.0}, code="F.softplus(x, 1.5)",
     value=lambda x, b, t: np.log(1 + np.exp(b * x)) / b)
case("softplus", real(3, 4), args={"beta": 2.0, "threshold": 1.0}, code="F.softplus(x, 2.0, 1.0)",
     tag="threshold")
case("log_sigmoid", real(3, 4), code="F.logsigmoid(x)", value=lambda x: -np.log(1 + np.exp(-x)),
     node=False)
case("mish", real(3, 4), code="F.mish(x)", value=lambda x: x * np.tanh(np.log(1 + np.exp(x))))
case("softmax", real(3, 4), args={"dim": 1}, code="x.softmax(1)",
     value=lambda x, dim: np.exp(x) / np.exp(x).sum(dim, keepdims=True))
case("softmax", real(2, 3, 2), args={"dim": 1}, code="torch.softmax(x, -2)", tag="middle")
case("softmax", real(), args={"dim": 0}, code="x.softmax(0)", tag="0-dim")
case("log_softmax", real(3, 4), args={"dim": 0}, code="F.log_softmax(x, 0)",
     value=lambda x, dim: x - np.log(np.exp(x).sum(dim, keepdims=True)))

# ---- comparisons, kinds of numbers, logic, bits: no derivatives ---------------------------------

for name, symbol in (("eq", "=="), ("ne", "!="), ("lt", "<"), ("le", "<="), ("gt", ">"),
                     ("ge", ">=")):
    case(name, integers(0, 3)(3, 4), integers(0, 3)(4), code=f"x {symbol} y")
for name in ("isnan", "isinf", "isfinite", "isposinf", "isneginf", "isreal", "signbit"):
    case(name, exactly([1.0, -2.0, np.nan, np.inf, -np.inf]), code=f"torch.{name}(x)")
for name in ("logical_and", "logical_or", "logical_xor"):
    case(name, integers(0, 3)(3, 4), integers(0, 3)(4), code=f"torch.{name}(x, y)")
case("logical_not", integers(0, 3)(3, 4), code="x.logical_not()")
for name, symbol in (("and", "&"), ("or", "|"), ("xor", "^")):
    case(f"bitwise_{name}", integers(0, 99)(3, 4), integers(0, 99)(4), code=f"x {symbol} y")
case("bitwise_not", integers(0, 99)(3, 4), code="~x")
case("bitwise_left_shift", integers(0, 99)(3, 4), integers(0, 9)(4), code="x << y")
case("bitwise_right_shift", integers(0, 99)(3, 4), integers(0, 9)(4), code="x >> y")
