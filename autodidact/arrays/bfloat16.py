"""BFloat16Array: numbers of 16 bits with the range of float32, kept by the library ml_dtypes.

It only keeps them. What computes gets float32 and is rounded once at the end, as PyTorch computes
bfloat16 on the CPU: so arithmetic on such an array refuses with `Narrow`, and whoever runs a row
answers by running it again through `widely`. That is the slow door of `dispatch.py`, the writes of
`inplace.py` and the formulas of a node; the short paths and the rows know nothing of it.

Example:
    >>> narrow(np.float32([1, 3.14159])).to_host()
    array([1.      , 3.140625], dtype=float32)
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from autodidact._optional import optional
from autodidact.arrays import strided
from autodidact.arrays.device import CPU
from autodidact.arrays.dtype import BFLOAT16
from autodidact.arrays.foreign import ForeignArray

__all__ = ["BFloat16Array", "Narrow", "cast", "keeping", "narrow", "narrowed", "number",
           "numpy_dtype", "refuse", "rounded", "rounding", "stored", "wide", "widely"]


class Narrow(TypeError):
    """A BFloat16Array was asked to compute: `widely` does it."""


MOVES = frozenset({                      # these move numbers about and never look at them
    "copy", "diagonal", "flatten", "ravel", "repeat", "reshape", "squeeze", "swapaxes", "take",
    "transpose", "T", "__getitem__", np.transpose, np.swapaxes, np.moveaxis, np.squeeze,
    np.expand_dims, np.broadcast_to, np.reshape, np.ravel, np.concatenate, np.stack, np.repeat,
    np.roll, np.flip, np.tile, np.take, np.diagonal, np.may_share_memory, np.shares_memory,
    np.shape, np.ndim, np.size})
MAKES = frozenset({np.zeros_like, np.ones_like, np.full_like, np.empty_like})


class BFloat16Array(ForeignArray):
    """An array of bfloat16 in the CPU's memory; `inside` is an array of ml_dtypes."""

    __slots__ = ()
    device = CPU

    def __init__(self, inside: np.ndarray) -> None:
        self.inside, self.dtype = np.asarray(inside), BFLOAT16

    def call(self, function: Any, args: tuple, kwargs: dict, method: str = "__call__") -> Any:
        """Move numbers about; refuse to compute.

        Raises:
            Narrow: for everything else.
        """
        if function == "__setitem__":
            self.inside[args[1]] = wide(args[2])
            return None
        if function == "fill":
            self.inside[...] = args[1]
            return None
        if function == "astype":
            return converted(*args, **kwargs)
        if function == "view":
            return closed(self.inside.view(*args[1:]))
        if function == "sum":
            return narrow(self.to_host().sum(*args[1:], **kwargs))
        if function in MAKES or (function is np.add and method == "__call__" and all(
                isinstance(a, BFloat16Array) for a in args)):       # the engine sums gradients
            return widely(function, *args, **kwargs)
        if function not in MOVES:
            name = getattr(function, "__name__", function)
            raise Narrow(f"{name} of bfloat16 needs wider numbers")
        args, kwargs = opened(args), opened(kwargs)
        if method == "method":
            return closed(getattr(args[0], function)(*args[1:], **kwargs))
        return closed(getattr(args[0], function) if method == "part" else function(
            *args, **kwargs))

    def make(self, function: Callable, *args: Any, **kwargs: Any) -> Any:
        """An array from nothing."""
        made = function(*args, **kwargs)
        return narrow(made) if made.dtype is BFLOAT16 else made

    def to_host(self) -> np.ndarray:
        """The numbers in float32, which holds them exactly."""
        return self.inside.astype(np.float32)

    def __reduce__(self) -> tuple:
        return BFloat16Array, (self.inside,)

    @property
    def base(self) -> Any:
        """What owns the memory, if another array does."""
        return self.inside.base

    @property
    def data_ptr(self) -> int:
        """The address of the first element."""
        return strided.data_ptr(self.inside)

    def owner(self) -> "BFloat16Array":
        """The array whose memory this one looks into."""
        return BFloat16Array(strided.owner(self.inside))

    def restride(self, shape: tuple, strides: tuple, offset: int, dtype: Any) -> Any:
        """Another look at the same memory: strides and offset in bytes."""
        kind = self.inside.dtype if dtype is BFLOAT16 else dtype
        return closed(strided.restride(self.inside, shape, strides, offset, kind))

    def broadcast(self, shape: tuple) -> "BFloat16Array":
        """The array repeated to `shape` with zero strides."""
        return BFloat16Array(strided.broadcast(self.inside, shape))


class RoundingArray(BFloat16Array):
    """One that computes, and rounds each result: for rules that are not rows, those of optimizers.

    So does PyTorch, whose optimizers are a row of operations on tensors.
    """

    __slots__ = ()

    def call(self, function: Any, args: tuple, kwargs: dict, method: str = "__call__") -> Any:
        """Move numbers about, or compute in float32 and round."""
        try:
            found = super().call(function, args, kwargs, method)
        except Narrow:
            if method == "method":
                function, args = getattr(args[0].to_host(), function), args[1:]
            elif method != "__call__":
                function = getattr(function, method)
            found = widely(function, *args, **kwargs)
        return rounding(found)


def rounding(array: Any) -> Any:
    """The same memory as a RoundingArray; all but bfloat16 as it is."""
    return RoundingArray(array.inside) if isinstance(array, BFloat16Array) else array


def keeping(array: Any) -> Any:
    """The reverse of `rounding`: an array that only keeps its numbers, for a tensor."""
    return BFloat16Array(array.inside) if isinstance(array, RoundingArray) else array


# Rows for which PyTorch has no kernel of bfloat16, though the mathematics would do.
REFUSED = frozenset("""
    avg_pool3d ctc_loss airy_ai bessel_j0 bessel_j1 bessel_y0 bessel_y1 log_ndtr erfcx ndtri zeta
    modified_bessel_i0 modified_bessel_i1 modified_bessel_k0 modified_bessel_k1
    scaled_modified_bessel_k0 scaled_modified_bessel_k1 spherical_bessel_j0
    chebyshev_polynomial_t chebyshev_polynomial_u chebyshev_polynomial_v chebyshev_polynomial_w
    hermite_polynomial_h hermite_polynomial_he laguerre_polynomial_l legendre_polynomial_p
    shifted_chebyshev_polynomial_t shifted_chebyshev_polynomial_u shifted_chebyshev_polynomial_v
    shifted_chebyshev_polynomial_w det solve solve_triangular cholesky qr svd eigh eig lu
    """.split())


def refuse(row: str, array: Any = None) -> None:
    """NotImplementedError for what PyTorch does not have in bfloat16: a row, or any function.

    Args:
        row: its name.
        array: the function's input, if it has no row.
    """
    name = row.removeprefix("special_").removeprefix("linalg_")
    if name in REFUSED if array is None else isinstance(array, BFloat16Array):
        raise NotImplementedError(f"\"{name}_cpu\" not implemented for 'BFloat16'")


def numpy_dtype() -> np.dtype:
    """The dtype of ml_dtypes; where it is not installed, a sentence that says what brings it."""
    return np.dtype(optional("ml_dtypes", extra="io").bfloat16)


def narrow(array: Any) -> BFloat16Array:
    """The numbers rounded to bfloat16; from float64 by way of float32, as PyTorch goes."""
    if isinstance(array, BFloat16Array):
        return array
    return BFloat16Array(np.asarray(array).astype(np.float32).astype(numpy_dtype()))


def stored(array: Any) -> Any:
    """The array as a tensor keeps it: where its dtype stands for bfloat16, such an array."""
    return narrow(array) if array.dtype is BFLOAT16 else array


def number(value: Any, kind: np.dtype) -> Any:
    """A single number of a dtype: NumPy's scalar, or a 0-dim array of bfloat16."""
    return narrow(np.float32(value)) if kind is BFLOAT16 else kind.type(value)


def rounded(array: np.ndarray) -> np.ndarray:
    """Float32 numbers, each the nearest that bfloat16 holds."""
    return narrow(array).to_host()


def cast(array: Any, kind: np.dtype, copy: bool = False) -> Any:
    """`array.astype(kind)`, where the kind may be bfloat16's."""
    if kind is BFLOAT16:
        return array.copy() if copy and isinstance(array, BFloat16Array) else narrow(array)
    return array.astype(kind, copy=copy)


def converted(array: BFloat16Array, kind: Any, order: str = "K", copy: bool = True) -> Any:
    """`BFloat16Array.astype`."""
    if np.dtype(kind) != BFLOAT16:
        return array.to_host().astype(kind, order=order, copy=False)
    return BFloat16Array(array.inside.astype(array.inside.dtype, order=order, copy=copy))


def wide(value: Any) -> Any:
    """Float32 in the place of bfloat16, also inside tuples, lists and dicts."""
    if isinstance(value, BFloat16Array):
        return value.to_host()
    if isinstance(value, (tuple, list)) and not hasattr(value, "_fields"):
        return type(value)([wide(v) for v in value])
    if isinstance(value, dict):
        return {k: wide(v) for k, v in value.items()}
    return value


def widely(function: Callable, *args: Any, **kwargs: Any) -> Any:
    """`function(*args)` on float32 numbers; results of float32 are rounded to bfloat16."""
    return narrowed(function(*wide(args), **wide(kwargs)))


def narrowed(value: Any) -> Any:
    """The reverse of `wide`."""
    if isinstance(value, (np.ndarray, np.generic)):
        return narrow(value) if value.dtype.type is np.float32 else value
    if isinstance(value, (tuple, list)) and not hasattr(value, "_fields"):
        return type(value)([narrowed(v) for v in value])
    return value


def opened(value: Any) -> Any:
    """The arrays of ml_dtypes in the arguments."""
    if isinstance(value, BFloat16Array):
        return value.inside
    if isinstance(value, (tuple, list)):
        return type(value)([opened(v) for v in value])
    return {k: opened(v) for k, v in value.items()} if isinstance(value, dict) else value


def closed(value: Any) -> Any:
    """Results on them."""
    if isinstance(value, (np.ndarray, np.generic)):
        return BFloat16Array(value) if value.dtype.kind == "V" else value
    return type(value)(map(closed, value)) if isinstance(value, (tuple, list)) else value
