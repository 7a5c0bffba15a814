"""Special functions: those of Euler, Bessel and Gauss; elementwise. The values come from scipy."""

import math
from typing import Any

import numpy as np

from autodidact.arrays.foreign import computed
from autodidact.ops.elementwise import sgn
from autodidact.ops.op import Op, elementwise
from autodidact.ops.transcendental import SQRT_PI, special

SQRT_2, SQRT_2PI = math.sqrt(2), math.sqrt(2 * math.pi)


def of_scipy(name: str, *inputs: Any) -> Any:
    """A function of `scipy.special`, in the dtype of its input."""
    return special(name)(*inputs).astype(inputs[-1].dtype)


# ---- the gamma function -------------------------------------------------------------------------

lgamma = Op("lgamma(self)",                                        # log |Γ(x)|
    forward = lambda self: of_scipy("gammaln", self),
    vjp     = {"self": lambda grad, self: grad * digamma(self)},
    promote = "float", kind = elementwise, only = "biuf")

digamma = Op("digamma(self)",                                      # d log Γ(x)
    forward = lambda self: of_scipy("digamma", self),
    vjp     = {"self": lambda grad, self: grad * polygamma(self, 1)},
    promote = "float", kind = elementwise, only = "biuf")

polygamma = Op("polygamma(self, *, n)",                            # its n-th derivative
    forward = lambda self, n: many_gamma(self, n),
    vjp     = {"self": lambda grad, self, n: grad * polygamma(self, n + 1)},
    promote = "float", kind = elementwise, only = "biuf")

igamma = Op("igamma(self, other)", index = ("self",),  # Γ's integral up to `other`
    forward = lambda self, other: of_scipy("gammainc", self, other),
    vjp     = {"other": lambda grad, self, other:
                        grad * np.exp((self - 1) * np.log(other) - other - lgamma(self))},
    promote = "float", kind = elementwise, only = "f")

igammac = Op("igammac(self, other)", index = ("self",),  # and from there on
    forward = lambda self, other: of_scipy("gammaincc", self, other),
    vjp     = {"other": lambda grad, self, other:
                        -grad * np.exp((self - 1) * np.log(other) - other - lgamma(self))},
    promote = "float", kind = elementwise, only = "f")

special_zeta = Op("special_zeta(self, other)", index = ("self",),  # Hurwitz: sum of (k + q)^-x
    forward = lambda self, other: of_scipy("zeta", self, other),
    vjp     = {"other": lambda grad, self, other: grad * -self * special_zeta(self + 1, other)},
    promote = "float", kind = elementwise, only = "biuf")

# ---- Bessel functions, of an imaginary argument -------------------------------------------------

i0 = Op("i0(self)",
    forward = lambda self: of_scipy("i0", self),
    vjp     = {"self": lambda grad, self: grad * special_i1(self)},
    promote = "float", kind = elementwise, only = "biuf")

special_i0e = Op("special_i0e(self)", node = "SpecialI0EBackward0",  # exp(-|x|) i0(x)
    forward = lambda self: of_scipy("i0e", self),
    vjp     = {"self": lambda grad, self, result:
               grad * (special_i1e(self) - sgn(self) * result)},
    promote = "float", kind = elementwise, only = "biuf")

special_i1 = Op("special_i1(self)",
    forward = lambda self: of_scipy("i1", self),
    vjp     = {"self": lambda grad, self, result:
               grad * np.where(self == 0, 0.5, i0(self) - result / not_zero(self))},
    promote = "float", kind = elementwise, only = "biuf")

special_i1e = Op("special_i1e(self)", node = "SpecialI1EBackward0",  # exp(-|x|) i1(x)
    forward = lambda self: of_scipy("i1e", self),
    vjp     = {"self": lambda grad, self, result: grad * np.where(
               self == 0, 0.5, special_i0e(self) - result * (sgn(self) + 1 / not_zero(self)))},
    promote = "float", kind = elementwise, only = "biuf")

# Values only, as in PyTorch: these have no derivative.

BESSEL = {"bessel_j0": "j0", "bessel_j1": "j1", "bessel_y0": "y0", "bessel_y1": "y1",
          "modified_bessel_i0": "i0", "modified_bessel_i1": "i1", "modified_bessel_k0": "k0",
          "modified_bessel_k1": "k1", "scaled_modified_bessel_k0": "k0e",
          "scaled_modified_bessel_k1": "k1e"}
POLYNOMIALS = {"chebyshev_polynomial_t": "eval_chebyt", "chebyshev_polynomial_u": "eval_chebyu",
               "hermite_polynomial_h": "eval_hermite", "legendre_polynomial_p": "eval_legendre",
               "shifted_chebyshev_polynomial_t": "eval_sh_chebyt",
               "shifted_chebyshev_polynomial_u": "eval_sh_chebyu"}

for name, theirs in BESSEL.items():
    Op(f"special_{name}(self)", promote = "float", kind = elementwise, only = "biuf",
       forward = lambda self, theirs=theirs: of_scipy(theirs, self))

for name, theirs in POLYNOMIALS.items():
    Op(f"special_{name}(self, n)", promote = "float", kind = elementwise, only = "biuf",
       forward = lambda self, n, theirs=theirs: polynomial(theirs, n, self))

Op("special_airy_ai(self)", promote = "float", kind = elementwise, only = "biuf",
   forward = lambda self: special("airy")(self)[0].astype(self.dtype))

Op("special_spherical_bessel_j0(self)", promote = "float", kind = elementwise, only = "biuf",
   forward = lambda self: computed(special("spherical_jn"), 0, self).astype(self.dtype))

# ---- the normal distribution --------------------------------------------------------------------

special_ndtr = Op("special_ndtr(self)",                            # the area left of x
    forward = lambda self: of_scipy("ndtr", self),
    vjp     = {"self": lambda grad, self: grad * (np.exp(self * self / -2) / SQRT_2PI)},
    promote = "float", kind = elementwise, only = "biuf")

special_ndtri = Op("special_ndtri(self)",                          # the inverse of ndtr
    forward = lambda self: of_scipy("ndtri", self),
    vjp     = {"self": lambda grad, result: grad * (SQRT_2PI * np.exp(result * result / 2))},
    promote = "float", kind = elementwise, only = "biuf")

special_log_ndtr = Op("special_log_ndtr(self)",
    forward = lambda self: of_scipy("log_ndtr", self),
    vjp     = {"self": lambda grad, self:
               grad * (math.sqrt(2 / math.pi) / special_erfcx(self / -SQRT_2))},
    promote = "float", kind = elementwise, only = "biuf")

special_erfcx = Op("special_erfcx(self)",                          # exp(x²) erfc(x)
    forward = lambda self: of_scipy("erfcx", self),
    vjp     = {"self": lambda grad, self, result: grad * (2 * self * result - 2 / SQRT_PI)},
    promote = "float", kind = elementwise, only = "biuf")

# ---- entropy ------------------------------------------------------------------------------------

special_entr = Op("special_entr(self)",                            # -x log x; 0 at 0
    forward = lambda self: np.where(self > 0, -self * np.log(self),
                           np.where(self == 0, 0, np.where(np.isnan(self), self, -np.inf))
                           ).astype(self.dtype),
    vjp     = {"self": lambda grad, self: grad * np.where(self >= 0, -1 - np.log(self), np.nan)},
    promote = "float", kind = elementwise, only = "biuf")

special_xlog1py = Op("special_xlog1py(self, other)",               # x log(1 + y); 0 where x is 0
    node    = "SpecialXlog1PyBackward0",
    forward = lambda self, other: np.where(
              (self == 0) & ~np.isnan(other), 0, self * np.log1p(other)),
    vjp     = {"self":  lambda grad, self, other: np.where(
                        (self == 0) & (other <= -1), 0, special_xlog1py(grad, other)),
               "other": lambda grad, self, other: grad * self / (other + 1)},
    promote = "float", kind = elementwise, only = "biuf")

# ---- angles and whole numbers -------------------------------------------------------------------

angle = Op("angle(self)",                                          # of z = r exp(iφ) the φ
    forward = lambda self: angle_of(self),
    vjp     = {"self": lambda grad, self: angle_grad(grad, self)},
    jvp     = lambda self_t, self: angle_tangent(self_t, self),
    promote = "float", kind = elementwise)

gcd = Op("gcd(self, other)",                                       # greatest common divisor
    forward = np.gcd,
    kind    = elementwise, only = "iu", refusal = "\"gcd_cpu\" not implemented for '{}'")

lcm = Op("lcm(self, other)",                                       # least common multiple
    forward = np.lcm,
    kind    = elementwise, only = "iu", refusal = "\"lcm_cpu\" not implemented for '{}'")


# ---- longer mathematics -------------------------------------------------------------------------


def polynomial(name: str, n: Any, x: Any) -> Any:
    """The polynomial of degree n; 0 for a negative degree."""
    values = special(name)(np.trunc(n).astype(np.int64), x)
    return np.where(n < 0, 0, values).astype(x.dtype)


def many_gamma(x: Any, n: int) -> Any:
    """The n-th derivative of digamma; scipy's own is for n above 0 only."""
    return of_scipy("digamma", x) if n == 0 else computed(
        special("polygamma"), n, x).astype(x.dtype)


def not_zero(x: Any) -> Any:
    """The numbers with 1 for 0, so that they may divide."""
    return np.where(x == 0, 1, x)


def angle_of(x: Any) -> Any:
    """The angle; of real numbers 0 or π, and nan of nan."""
    if x.dtype.kind == "c":
        return np.angle(x)
    return np.where(np.isnan(x), x, np.where(x < 0, math.pi, 0)).astype(x.dtype)


def angle_grad(grad: Any, z: Any) -> Any:
    """Turning counts, lengthening does not: i z / |z|² times the gradient."""
    if getattr(z, "_array", z).dtype.kind != "c":
        return np.zeros_like(grad)
    return np.where(z == 0, 0, grad * z * 1j / np.where(z == 0, 1, (z * z.conj()).real))


def angle_tangent(tangent: Any, z: Any) -> Any:
    """The turning part of a motion, over the length."""
    if getattr(z, "_array", z).dtype.kind != "c":
        return np.zeros_like(tangent)
    return np.where(z == 0, 0, (tangent * z.conj()).imag
                    / np.where(z == 0, 1, (z * z.conj()).real))
