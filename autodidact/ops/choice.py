"""Choosing between values: where, maximum, clamp. The gradient goes where the value came from."""

from typing import Any

import numpy as np

from autodidact.ops.op import Op, elementwise, linear

where = Op("where(condition, self, other)",
    forward = np.where, ufunc = np.where, index = ("condition",), promote = "common",
    vjp     = {"self":  lambda grad, condition: np.where(condition, grad, 0),
               "other": lambda grad, condition: np.where(condition, 0, grad)},
    kind    = elementwise | linear)

maximum = Op("maximum(self, other)",                               # equal values share the gradient
    forward = np.maximum,
    vjp     = {"self":  lambda grad, self, other:
                        np.where(self < other, 0, np.where(self == other, grad / 2, grad)),
               "other": lambda grad, self, other:
                        np.where(self > other, 0, np.where(self == other, grad / 2, grad))},
    kind    = elementwise,
    only    = "biuf", refusal = "RuntimeError: maximum not implemented for complex tensors.")

minimum = Op("minimum(self, other)",
    forward = np.minimum,
    vjp     = {"self":  lambda grad, self, other:
                        np.where(self > other, 0, np.where(self == other, grad / 2, grad)),
               "other": lambda grad, self, other:
                        np.where(self < other, 0, np.where(self == other, grad / 2, grad))},
    kind    = elementwise,
    only    = "biuf", refusal = "RuntimeError: minimum not implemented for complex tensors.")

fmax = Op("fmax(self, other)",                                     # a number wins over nan
    forward = np.fmax,
    vjp     = {"self":  lambda grad, self, other:
                        np.where((self >= other) | np.isnan(other), grad, 0),
               "other": lambda grad, self, other:
                        np.where((self >= other) | np.isnan(other), 0, grad)},
    kind    = elementwise,
    only    = "biuf", refusal = "RuntimeError: fmax not implemented for complex tensors.")

fmin = Op("fmin(self, other)",
    forward = np.fmin,
    vjp     = {"self":  lambda grad, self, other:
                        np.where((self <= other) | np.isnan(other), grad, 0),
               "other": lambda grad, self, other:
                        np.where((self <= other) | np.isnan(other), 0, grad)},
    kind    = elementwise,
    only    = "biuf", refusal = "RuntimeError: fmin not implemented for complex tensors.")

clamp = Op("clamp(self, *, min, max)",                             # at a bound: 1
    forward = lambda self, min, max: clamped(self, min, max),
    vjp     = {"self": lambda grad, self, min, max: np.where(inside(self, min, max), grad, 0)},
    node    = "ClampBackward1",
    kind    = elementwise,
    only    = "biuf", refusal = "clamp is not supported for complex types")

clamp_tensor = Op("clamp_tensor(self, min=None, max=None)",
    forward = lambda self, min, max: clamped(self, min, max),
    vjp     = {"self": lambda grad, self, min, max: np.where(inside(self, min, max), grad, 0),
               "min":  lambda grad, self, min, max: np.where(below(self, min, max), grad, 0),
               "max":  lambda grad, self, min, max: np.where(above(self, min, max), grad, 0)},
    node    = "ClampBackward0",
    kind    = elementwise,
    only    = "biuf", refusal = "clamp is not supported for complex types")

clamp_min = Op("clamp_min(self, *, min)",
    forward = lambda self, min: np.maximum(self, min),
    vjp     = {"self": lambda grad, self, min: np.where(self >= min, grad, 0)},
    kind    = elementwise,
    only    = "biuf", refusal = "clamp is not supported for complex types")

clamp_max = Op("clamp_max(self, *, max)",
    forward = lambda self, max: np.minimum(self, max),
    vjp     = {"self": lambda grad, self, max: np.where(self <= max, grad, 0)},
    kind    = elementwise,
    only    = "biuf", refusal = "clamp is not supported for complex types")

nan_to_num = Op("nan_to_num(self, *, nan, posinf, neginf)",
    forward = lambda self, nan, posinf, neginf:
              np.nan_to_num(self, nan=nan, posinf=posinf, neginf=neginf),
    vjp     = {"self": lambda grad, self: np.where(np.isfinite(self), grad, 0)},
    kind    = elementwise)


# ---- longer mathematics -------------------------------------------------------------------------


def clamped(x: Any, low: Any, high: Any) -> Any:
    """Between two bounds, of which one may be None; the upper one wins where they cross."""
    if low is not None:
        x = np.maximum(x, low)
    return x if high is None else np.minimum(x, high)


def inside(x: Any, low: Any, high: Any) -> Any:
    """Where clamping changes nothing."""
    if low is None:
        return x <= high
    return x >= low if high is None else (x >= low) & (x <= high)


def below(x: Any, low: Any, high: Any) -> Any:
    """Where the lower bound is the result."""
    return x < low if high is None else (x < low) & (low < high)


def above(x: Any, low: Any, high: Any) -> Any:
    """Where the upper bound is the result."""
    return x > high if low is None else (x > high) | (high < low)
