"""`make_tensor`: random numbers of every dtype, laid out as a test wants them."""

import math
import warnings
from typing import Any

from autodidact.arrays.dtype import dtype as Dtype
from autodidact.arrays.dtype import finfo, iinfo, int64
from autodidact.functions.random import randint, uniform_
from autodidact.functions.shape import clone
from autodidact.functions.storage import empty_strided
from autodidact.tensor import Tensor

__all__ = ["make_tensor"]


def make_tensor(*shape: Any, dtype: Dtype, device: Any, low: float | None = None,
                high: float | None = None, requires_grad: bool = False,
                noncontiguous: bool = False, exclude_zero: bool = False,
                memory_format: Any = None) -> Tensor:
    """Random numbers, equally likely between two bounds.

    Args:
        shape: sizes, or one tuple of them.
        dtype, device: of the result.
        low, high: the bounds, `high` excluded; -9 and 9 (10 for integers) without them. What the
            dtype cannot hold is cut off.
        requires_grad: for floating and complex dtypes.
        noncontiguous: with gaps between the numbers, where there are several.
        exclude_zero: the smallest positive number (1 for integers) in the place of zeros.
        memory_format: how the dimensions lie in memory.

    Raises:
        ValueError: for bounds that are NaN, in the wrong order or outside the dtype; for
            `requires_grad` of an integer dtype; for `noncontiguous` with a `memory_format`.

    Example:
        >>> make_tensor(2, 3, dtype=torch.float32, device="cpu", low=0, high=1).shape
        torch.Size([2, 3])
    """
    size = tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
    if noncontiguous and memory_format is not None:
        raise ValueError("The parameters `noncontiguous` and `memory_format` are mutually "
                         f"exclusive, but got {noncontiguous=} and {memory_format=}")
    floating = dtype.is_floating_point or dtype.is_complex
    if requires_grad and not floating:
        raise ValueError("`requires_grad=True` is not supported for boolean and integral dtypes, "
                         f"but got {dtype=}")
    gaps = noncontiguous and math.prod(size) > 1
    wide = (*size[:-1], 2 * size[-1]) if gaps else size
    result = drawn(wide, dtype, device, *bounds(dtype, low, high))
    if gaps:
        result = result[..., 1::2]
    elif memory_format is not None:
        result = clone(result, memory_format=memory_format)
    if exclude_zero:
        result[result == 0] = finfo(dtype).tiny if floating else 1
    return result.requires_grad_() if requires_grad else result


def drawn(size: tuple, dtype: Dtype, device: Any, low: float, high: float) -> Tensor:
    """Numbers of [low, high), for complex ones both parts."""
    if not (dtype.is_floating_point or dtype.is_complex):
        return randint(low, high, size, dtype=dtype, device=device)
    strides = [math.prod(size[i + 1:]) for i in range(len(size))]
    result = empty_strided(size, tuple(strides), dtype=dtype, device=device)
    if high - low < finfo(dtype).max:
        return uniform_(result, low, high)
    return uniform_(result, low / 2, high / 2).mul_(2)      # the dtype cannot hold the distance


def bounds(dtype: Dtype, low: float | None, high: float | None) -> tuple:
    """The bounds that are meant, as far as the dtype can hold them."""
    floating = dtype.is_floating_point or dtype.is_complex
    least, most, defaults = limits(dtype)
    low, high = (given if given is not None else usual
                 for given, usual in zip((low, high), defaults, strict=True))
    if math.isnan(low) or math.isnan(high):
        raise ValueError(f"`low` and `high` cannot be NaN, but got {low=} and {high=}")
    if low == high and floating:
        warnings.warn("Passing `low==high` to `torch.testing.make_tensor` for floating or complex "
                      "types is deprecated since 2.1 and will be removed in 2.3. Use "
                      "`torch.full(...)` instead.", FutureWarning, stacklevel=3)
    elif low >= high:
        raise ValueError(f"`low` must be less than `high`, but got {low} >= {high}")
    elif high < least or low >= most:
        raise ValueError(f"The value interval specified by `low` and `high` is [{low}, {high}), "
                         f"but {dtype} only supports [{least}, {most})")
    low, high = (min(max(bound, least), most) for bound in (low, high))
    return (low, high) if floating else (math.ceil(low), math.ceil(high))


def limits(dtype: Dtype) -> tuple:
    """The smallest number of a dtype, what lies above all of them, and the usual bounds."""
    if dtype.is_floating_point or dtype.is_complex:
        return finfo(dtype).min, finfo(dtype).max, (-9, 9)
    if dtype.category == 0:
        return 0, 2, (0, 2)
    info = iinfo(dtype)
    return info.min, info.max + (dtype is not int64), (-9, 10)    # the draws count in int64
