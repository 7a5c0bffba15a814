"""Comparisons, logic and bits as Python writes them, and whether two tensors are the same."""

import math

import numpy as np

from autodidact.arrays.bfloat16 import wide
from autodidact.functions.arguments import need_tensor
from autodidact.functions.elementwise import guarded
from autodidact.inplace import inplace
from autodidact.ops import compare as rows
from autodidact.public import both, method
from autodidact.tensor import Tensor

__all__ = ["allclose", "equal", "isclose"]

LONG_NAMES = {"eq": [], "ne": ["not_equal"], "lt": ["less"], "le": ["less_equal"],
              "gt": ["greater"], "ge": ["greater_equal"]}

for short, long in LONG_NAMES.items():
    row = getattr(rows, short)
    method(guarded(row.call), f"__{short}__")
    for name in long:
        both(row.call, name)
        method(inplace(row), f"{name}_")

for name, row in (("and", rows.bitwise_and), ("or", rows.bitwise_or), ("xor", rows.bitwise_xor),
                  ("lshift", rows.bitwise_left_shift), ("rshift", rows.bitwise_right_shift)):
    method(guarded(row.call), f"__{name}__")
    method(guarded(row.call, reflected=True), f"__r{name}__")
    method(inplace(row), f"__i{name}__")
method(rows.bitwise_not.call, "__invert__")


@both
def equal(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same shape and the same numbers; a Python bool.

    Example:
        >>> torch.equal(torch.tensor([1, 2]), torch.tensor([1, 2]))
        True
    """
    need_tensor(input, "equal", "input")
    need_tensor(other, "equal", "other", 2)
    a, b = wide(input._array), wide(other._array)
    return a.shape == b.shape and bool((a == b).all())


@both
def isclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08,
            equal_nan: bool = False) -> Tensor:
    """Where `|input - other| <= atol + rtol |other|`.

    Raises:
        RuntimeError: for two dtypes, or a negative tolerance.
    """
    need_tensor(other, "isclose", "other", 2)
    if input.dtype is not other.dtype:
        raise RuntimeError(f"{input.dtype} did not match {other.dtype}")
    a, b = wide(input._array), wide(other._array)
    for name, tolerance in (("rtol", rtol), ("atol", atol)):
        if tolerance < 0 or math.isnan(tolerance):
            raise RuntimeError(f"{name} must be greater than or equal to zero, but got "
                               f"{tolerance:g}")
    with np.errstate(all="ignore"):
        away = np.abs(a - b) if a.dtype.kind in "fc" else np.abs(
            a.astype(np.float64) - b.astype(np.float64))
        close = (a == b) | np.isfinite(away) & (away <= atol + np.abs(rtol * b))
    if equal_nan:
        close = close | np.isnan(a) & np.isnan(b)
    return Tensor.wrap(close)


@both
def allclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08,
             equal_nan: bool = False) -> bool:
    """Whether all entries are close; a Python bool. See `isclose`.

    Example:
        >>> torch.allclose(torch.tensor([1.0]), torch.tensor([1.0 + 1e-9]))
        True
    """
    return bool(isclose(input, other, rtol, atol, equal_nan)._array.all())
