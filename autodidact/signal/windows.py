"""torch.signal.windows: weights that fall to the ends of a stretch of a signal.

All take the number of weights M; `sym=False` leaves the last one out, for periodic signals.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from autodidact.arrays.dtype import get_default_dtype
from autodidact.tensor import Tensor, wrap

__all__ = ["bartlett", "blackman", "cosine", "exponential", "gaussian", "general_cosine",
           "general_hamming", "hamming", "hann", "kaiser", "nuttall"]


def made(shape: Callable, M: int, sym: bool, dtype: Any, requires_grad: bool) -> Tensor:
    """The weights shape(places, how many places), as a tensor."""
    if M < 0:
        raise ValueError(f"Requires non-negative window length, got M={M}")
    n = M if sym else M + 1
    places = np.arange(n, dtype=np.float64)
    weights = np.ones(M) if M == 1 else shape(places, n)[:M]
    return wrap(np.asarray(weights)).to(dtype or get_default_dtype()).requires_grad_(requires_grad)


def cosines(terms: Any) -> Callable:
    """A sum of cosines with alternating signs."""
    def shape(k: np.ndarray, n: int) -> np.ndarray:
        angle = 2 * math.pi * k / max(n - 1, 1)
        return sum((-1) ** i * a * np.cos(i * angle) for i, a in enumerate(terms)) + 0 * k
    return shape


def general_cosine(M: int, *, a: Any, sym: bool = True, dtype: Any = None, layout: Any = None,
                   device: Any = None, requires_grad: bool = False) -> Tensor:
    """A sum of cosines with the weights `a`."""
    return made(cosines(a), M, sym, dtype, requires_grad)


def general_hamming(M: int, *, alpha: float = 0.54, sym: bool = True, dtype: Any = None,
                    layout: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """alpha minus 1 - alpha times a cosine."""
    return made(cosines((alpha, 1 - alpha)), M, sym, dtype, requires_grad)


def of_terms(name: str, terms: tuple) -> Callable:
    """A named sum of cosines."""
    def f(M: int, *, sym: bool = True, dtype: Any = None, layout: Any = None, device: Any = None,
          requires_grad: bool = False) -> Tensor:
        return made(cosines(terms), M, sym, dtype, requires_grad)
    f.__name__ = f.__qualname__ = name
    f.__doc__ = f"The {name.capitalize()} window: {len(terms)} cosines."
    return f


hann = of_terms("hann", (0.5, 0.5))
hamming = of_terms("hamming", (0.54, 0.46))
blackman = of_terms("blackman", (0.42, 0.5, 0.08))
nuttall = of_terms("nuttall", (0.3635819, 0.4891775, 0.1365995, 0.0106411))


def bartlett(M: int, *, sym: bool = True, dtype: Any = None, layout: Any = None,
             device: Any = None, requires_grad: bool = False) -> Tensor:
    """A triangle."""
    return made(lambda k, n: 1 - np.abs(2 * k / max(n - 1, 1) - 1), M, sym, dtype, requires_grad)


def cosine(M: int, *, sym: bool = True, dtype: Any = None, layout: Any = None, device: Any = None,
           requires_grad: bool = False) -> Tensor:
    """Half a wave of a sine."""
    return made(lambda k, n: np.sin(math.pi / max(n, 1) * (k + 0.5)), M, sym, dtype, requires_grad)


def exponential(M: int, *, center: float | None = None, tau: float = 1.0, sym: bool = True,
                dtype: Any = None, layout: Any = None, device: Any = None,
                requires_grad: bool = False) -> Tensor:
    """exp(-|k - center| / tau)."""
    if tau <= 0:
        raise ValueError(f"Tau must be positive, got: {tau} instead.")
    if sym and center is not None:
        raise ValueError("Center must be None for symmetric windows")

    def shape(k: np.ndarray, n: int) -> np.ndarray:
        middle = (n - 1) / 2 if center is None else center
        return np.exp(-np.abs(k - middle) / tau)
    return made(shape, M, sym, dtype, requires_grad)


def gaussian(M: int, *, std: float = 1.0, sym: bool = True, dtype: Any = None, layout: Any = None,
             device: Any = None, requires_grad: bool = False) -> Tensor:
    """The bell curve."""
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std} instead.")
    return made(lambda k, n: np.exp(-(((k - (n - 1) / 2) / std) ** 2) / 2), M, sym, dtype,
                requires_grad)


def kaiser(M: int, *, beta: float = 12.0, sym: bool = True, dtype: Any = None, layout: Any = None,
           device: Any = None, requires_grad: bool = False) -> Tensor:
    """Bessel's i0 of an arc, over its value in the middle."""
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")

    def shape(k: np.ndarray, n: int) -> np.ndarray:
        arc = 1 - (2 * k / max(n - 1, 1) - 1) ** 2
        return np.i0(beta * np.sqrt(np.maximum(arc, 0))) / np.i0(beta)
    return made(shape, M, sym, dtype, requires_grad)
