"""Questions with the answer True or False, and operations on bits: no derivatives."""

import numpy as np

from autodidact.ops.op import Op, elementwise

# ---- comparison ---------------------------------------------------------------------------------

eq = Op("eq(self, other)", forward = np.equal, kind = elementwise)
ne = Op("ne(self, other)", forward = np.not_equal, kind = elementwise)
lt = Op("lt(self, other)", forward = np.less, kind = elementwise, only = "biuf")
le = Op("le(self, other)", forward = np.less_equal, kind = elementwise, only = "biuf")
gt = Op("gt(self, other)", forward = np.greater, kind = elementwise, only = "biuf")
ge = Op("ge(self, other)", forward = np.greater_equal, kind = elementwise, only = "biuf")

# ---- kinds of numbers ---------------------------------------------------------------------------

isnan = Op("isnan(self)", forward = np.isnan, kind = elementwise)
isinf = Op("isinf(self)", forward = np.isinf, kind = elementwise)
isfinite = Op("isfinite(self)", forward = np.isfinite, kind = elementwise)
isposinf = Op("isposinf(self)", forward = lambda self: self == np.inf, kind = elementwise,
    only    = "biuf", refusal = "RuntimeError: isposinf does not support complex inputs.")
isneginf = Op("isneginf(self)", forward = lambda self: self == -np.inf, kind = elementwise,
    only    = "biuf", refusal = "RuntimeError: isneginf does not support complex inputs.")
isreal = Op("isreal(self)", forward = lambda self: self.imag == 0, kind = elementwise)
signbit = Op("signbit(self)",
    forward = lambda self: np.signbit(self) if self.dtype.kind == "f" else self < 0,
    only    = "biuf", refusal = "signbit is not implemented for complex tensors.",
    kind    = elementwise)

# ---- logic: anything but zero is true -----------------------------------------------------------

logical_and = Op("logical_and(self, other)", forward = np.logical_and, kind = elementwise)
logical_or = Op("logical_or(self, other)", forward = np.logical_or, kind = elementwise)
logical_xor = Op("logical_xor(self, other)", forward = np.logical_xor, kind = elementwise)
logical_not = Op("logical_not(self)", forward = np.logical_not, kind = elementwise)

# ---- bits ---------------------------------------------------------------------------------------

bitwise_and = Op("bitwise_and(self, other)", forward = np.bitwise_and, kind = elementwise,
    only    = "biu")
bitwise_or = Op("bitwise_or(self, other)", forward = np.bitwise_or, kind = elementwise,
    only    = "biu")
bitwise_xor = Op("bitwise_xor(self, other)", forward = np.bitwise_xor, kind = elementwise,
    only    = "biu")
bitwise_not = Op("bitwise_not(self)", forward = np.invert, kind = elementwise,
    only    = "biu", refusal = "TypeError: ~ (operator.invert) is only implemented on integer and "
              "Boolean-type tensors")
bitwise_left_shift = Op("bitwise_left_shift(self, other)",
    forward = np.left_shift,
    only    = "iu", refusal = "\"lshift_cpu\" not implemented for '{}'",
    kind    = elementwise)
bitwise_right_shift = Op("bitwise_right_shift(self, other)",
    forward = np.right_shift,
    only    = "iu", refusal = "\"rshift_cpu\" not implemented for '{}'",
    kind    = elementwise)
