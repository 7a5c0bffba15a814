"""Rarer distributions, made from uniform and normal numbers as PyTorch makes them on the CPU.

As in `random.py`, every function takes a `Generator` and returns a new array of the dtype asked
for. The arithmetic is in float64 whatever that dtype is.

Example:
    >>> multinomial(Generator().manual_seed(0), np.float32([0, 10, 3, 0]), 2)
    array([1, 2])
"""

import math

import numpy as np

from autodidact.arrays import dtype as dt
from autodidact.arrays.generator import Generator
from autodidact.arrays.promotion import SCALAR_NAMES
from autodidact.arrays.random import DTypeLike, Shape, normal_pairs, rounded

__all__ = ["cauchy", "exponential", "geometric", "log_normal", "multinomial", "poisson"]


def exponential(gen: Generator, shape: Shape, dtype: DTypeLike, lambd: float = 1) -> np.ndarray:
    """Waiting times of rate lambd: `exponential_`; two words a number.

    Raises:
        RuntimeError: for lambd <= 0, or a dtype that is not floating.
    """
    dtype = np.dtype(dtype)
    if dtype.kind in "iubc":
        raise RuntimeError("Exponential distribution is a continuous probability distribution. "
                           "dtype must be a floating point but you specified "
                           f"{SCALAR_NAMES[dt.of(dtype).name]}")
    if not lambd > 0:
        raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={lambd:g}")
    unit = gen.doubles(math.prod(shape)).reshape(shape)          # below 1: the logarithm is finite
    return rounded(np.log1p(-unit) * (-1 / lambd), dtype)


def cauchy(gen: Generator, shape: Shape, dtype: DTypeLike, median: float = 0,
           sigma: float = 1) -> np.ndarray:
    """Cauchy's distribution: `cauchy_`; two words a number.

    Raises:
        RuntimeError: for sigma <= 0.
    """
    if not sigma > 0:
        raise RuntimeError(f"cauchy_ expects sigma > 0.0, but found sigma={sigma:g}")
    unit = gen.doubles(math.prod(shape)).reshape(shape)
    return rounded(median + sigma * np.tan(np.pi * (unit - 0.5)), np.dtype(dtype))


def log_normal(gen: Generator, shape: Shape, dtype: DTypeLike, mean: float = 1,
               std: float = 2) -> np.ndarray:
    """Numbers whose logarithms are normal: `log_normal_`.

    Raises:
        RuntimeError: for std <= 0.
    """
    if not std > 0:
        raise RuntimeError(f"log_normal_ expects std > 0.0, but found std={std:g}")
    numbers = np.exp(normal_pairs(gen, math.prod(shape)) * std + mean)
    return rounded(numbers.reshape(shape), np.dtype(dtype))


def geometric(gen: Generator, shape: Shape, dtype: DTypeLike, p: float) -> np.ndarray:
    """Trials up to the first success, each of probability p: `geometric_`; two words a number.

    Raises:
        RuntimeError: for p outside (0, 1).
    """
    if not 0 < p < 1:
        raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={p:g}")
    unit = gen.doubles(math.prod(shape)).reshape(shape)
    return rounded(np.ceil(np.log(unit) / np.log(1 - p)), np.dtype(dtype))


def multinomial(gen: Generator, weights: np.ndarray, num_samples: int,
                replacement: bool = False) -> np.ndarray:
    """Indices drawn with probability in proportion to weights: `multinomial`.

    Args:
        gen: the generator.
        weights: floating, shape (n,) or (rows, n); they need not sum to one.
        num_samples: how many indices from each row.
        replacement: whether an index may come again.

    Returns:
        int64 of shape (num_samples,) or (rows, num_samples).

    Raises:
        RuntimeError: for weights or a num_samples that cannot be drawn from.

    Example:
        >>> multinomial(Generator().manual_seed(0), np.float32([0, 10, 3, 0]), 2)
        array([1, 2])
    """
    _check_weights(weights, num_samples, replacement)
    if not replacement or num_samples == 1:
        # A race: each index waits in inverse proportion to its weight, the first ones win.
        speed = weights / exponential(gen, weights.shape, weights.dtype)
        order = np.argsort(-speed, axis=-1, kind="stable")
        return order[..., :num_samples].astype(np.int64, copy=False)
    exact = weights.astype(np.float64 if weights.dtype == np.float64 else np.float32, copy=False)
    bounds = np.cumsum(exact, axis=-1, dtype=exact.dtype)
    bounds /= bounds[..., -1:].copy()
    rows = bounds.reshape(-1, bounds.shape[-1])
    unit = gen.doubles(len(rows) * num_samples).reshape(-1, num_samples)
    found = [np.searchsorted(row, u) for row, u in zip(rows, unit, strict=True)]
    return np.array(found, np.int64).reshape(*weights.shape[:-1], num_samples)


def poisson(gen: Generator, rates: np.ndarray) -> np.ndarray:
    """Counts of events at the given rates: `poisson`; shape and dtype are those of rates.

    One number after the other, since each needs as many words as chance will have it.

    Raises:
        RuntimeError: for a negative rate.
    """
    if not (rates >= 0).all():
        raise RuntimeError("invalid Poisson rate, expected rate to be non-negative")
    counts = [_poisson(gen, rate) if rate else 0 for rate in rates.reshape(-1).tolist()]
    return np.array(counts, np.float64).reshape(rates.shape).astype(rates.dtype)


def _poisson(gen: Generator, rate: float) -> int:
    """One count: by multiplying uniform numbers, or by rejection where that would take long."""
    if rate >= 10:
        return _poisson_by_rejection(gen, rate)
    count, product, enough = 0, float(gen.doubles(1)[0]), math.exp(-rate)
    while product > enough:
        count += 1
        product *= float(gen.doubles(1)[0])
    return count


def _poisson_by_rejection(gen: Generator, rate: float) -> int:
    """Hörmann's transformed rejection, PTRS (Insurance: Mathematics and Economics 12, 1993)."""
    b = 0.931 + 2.53 * math.sqrt(rate)
    a = -0.059 + 0.02483 * b
    while True:
        u, v = gen.doubles(2).tolist()
        u -= 0.5
        edge = 0.5 - abs(u)
        count = math.floor((2 * a / edge + b) * u + rate + 0.43) if edge else -1
        if edge >= 0.07 and v <= 0.9277 - 3.6224 / (b - 2):
            return count
        if count < 0 or (edge < 0.013 and v > edge):
            continue
        height = math.log(v) + math.log(1.1239 + 1.1328 / (b - 3.4)) - math.log(
            a / (edge * edge) + b)
        if height <= -rate + count * math.log(rate) - math.lgamma(count + 1):
            return count


def _check_weights(weights: np.ndarray, num_samples: int, replacement: bool) -> None:
    """PyTorch's refusals of multinomial."""
    if weights.ndim not in (1, 2):
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if weights.dtype.kind in "iubc":
        raise RuntimeError("multinomial only supports floating-point dtypes for input, got: "
                           f"{SCALAR_NAMES[dt.of(weights.dtype).name]}")
    if num_samples <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    if not replacement and num_samples > weights.shape[-1]:
        raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without "
                           "replacement")
    if not (np.isfinite(weights) & (weights >= 0)).all():
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    if not (weights.sum(axis=-1) > 0).all():
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
