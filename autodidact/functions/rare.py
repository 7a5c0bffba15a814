"""Rarely used functions: copies of views, renorm, put, ldexp, frexp, windows of signals."""

import math
from typing import Any

import numpy as np

from autodidact.arrays.dtype import get_default_dtype
from autodidact.functions.arguments import need_tensor, numbers_of
from autodidact.functions.reduction import returned
from autodidact.public import FUNCTIONS, METHODS, both, function, method
from autodidact.tensor import Tensor, wrap, wrap_dim

__all__ = ["frexp", "ldexp", "put", "renorm"]

FREXP = returned("frexp", "mantissa exponent")

# ---- copies of views ----------------------------------------------------------------------------


def copying(name: str, view: Any) -> None:
    """`view_copy` and its like: what the view would show, in memory of its own."""
    def f(input: Tensor, *args: Any, **words: Any) -> Any:
        found = view(input, *args, **words)
        return [t.clone() for t in found] if isinstance(found, (tuple, list)) else found.clone()
    f.__name__ = f.__qualname__ = name
    f.__doc__ = f"`{name.removesuffix('_copy')}` as a copy."
    (both if name == "narrow_copy" else function)(f)


for _name in ("expand", "view", "permute", "t", "transpose", "unsqueeze", "squeeze", "diagonal",
              "narrow", "unbind", "split", "split_with_sizes", "select", "unfold", "as_strided",
              "detach", "alias", "slice"):
    _view = METHODS.get(_name) or FUNCTIONS.get(_name) or getattr(Tensor, _name, None)
    if _name == "alias":
        _view = lambda input: input.view_as(input)                             # noqa: E731
    if _view is not None:
        copying(f"{_name}_copy", _view)


# ---- numbers ------------------------------------------------------------------------------------


@both
def ldexp(input: Tensor, other: Any, *, out: Any = None) -> Tensor:
    """`input * 2 ** other`."""
    return input * (2.0 ** other)


@method
def ldexp_(self: Tensor, other: Any) -> Tensor:
    """`ldexp`, in place."""
    return self.mul_(2.0 ** other)


@method
def conj_physical_(self: Tensor) -> Tensor:
    """`conj_physical`, in place."""
    return self.copy_(self.conj_physical())


@both
def frexp(input: Tensor, *, out: Any = None) -> Any:
    """(mantissa, exponent) with `input = mantissa * 2 ** exponent` and 1/2 <= |mantissa| < 1."""
    need_tensor(input, "frexp", "input")
    if input._array.dtype.kind != "f":
        raise RuntimeError("torch.frexp() only supports floating-point dtypes")
    _, exponent = np.frexp(numbers_of(input, "frexp"))
    exponent = wrap(np.asarray(exponent, np.int32))
    return FREXP(input * 2.0 ** (-exponent).to(input.dtype), exponent)


@both
def renorm(input: Tensor, p: float, dim: int, maxnorm: float, *, out: Any = None) -> Tensor:
    """Every slice along `dim` shrunk where its p-norm is above `maxnorm`."""
    if input._array.ndim < 2:
        raise RuntimeError(f"renorm: input needs at least 2 dimensions, got {input._array.ndim} "
                           "dimensions")
    if p <= 0:
        raise RuntimeError("renorm: non-positive norm not supported")
    dim = wrap_dim(dim, input._array.ndim)
    norms = input.norm(p, tuple(d for d in range(input._array.ndim) if d != dim), True)
    factor = (maxnorm / (norms + 1e-7)).where(norms > maxnorm, norms.new_ones(()))
    return input * factor


@method
def renorm_(self: Tensor, p: float, dim: int, maxnorm: float) -> Tensor:
    """`renorm`, in place."""
    return self.copy_(renorm(self.clone(), p, dim, maxnorm))


@both
def put(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """A copy with the entries of `source` at flat positions."""
    if index._array.size != source._array.size:
        raise RuntimeError("put_(): Expected source and index to have the same number of elements, "
                           f"but got source.numel() = {source._array.size}, index.numel() = "
                           f"{index._array.size}")
    flat = input.reshape(-1).index_put((index.reshape(-1),), source.reshape(-1), accumulate)
    return flat.reshape(input._array.shape)


@method
def put_(self: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """`put`, in place."""
    return self.copy_(put(self.clone(), index, source, accumulate))


@both
def nonzero_static(input: Tensor, *, size: int, fill_value: int = -1) -> Tensor:
    """The first `size` places that are not 0; filled up with `fill_value`."""
    places = np.argwhere(numbers_of(input, "nonzero_static"))[:size]
    found = np.full((size, input._array.ndim), fill_value, np.int64)
    found[:len(places)] = places
    return wrap(found)


# ---- windows of signals -------------------------------------------------------------------------


def window(name: str, terms: tuple) -> None:
    """`hann_window` and its like: sums of cosines."""
    def f(window_length: int, periodic: bool = True, *, dtype: Any = None, layout: Any = None,
          device: Any = None, requires_grad: bool = False) -> Tensor:
        n = window_length + 1 if periodic and window_length > 1 else window_length
        angle = 2 * math.pi * np.arange(n) / max(n - 1, 1)
        found = sum(a * (-1) ** k * np.cos(k * angle) for k, a in enumerate(terms))
        found = np.ones(n) if n == 1 else found
        made = wrap(np.asarray(found[:window_length])).to(dtype or get_default_dtype())
        return made.requires_grad_(requires_grad)
    f.__name__ = f.__qualname__ = name
    f.__doc__ = "The weights of a window, which falls to its ends."
    function(f)


window("hann_window", (0.5, 0.5))
window("hamming_window", (0.54, 0.46))
window("blackman_window", (0.42, 0.5, 0.08))
