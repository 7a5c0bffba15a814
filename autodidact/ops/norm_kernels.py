"""Normalisation on NumPy's arrays in few passes: what its rows' formulas say, all of them at once.

The gradients of input, weight and bias share most of their work. They are computed as rows of a
matrix, by vectors as long as a row: NumPy adds a long vector more quickly than many single numbers.
"""

import math

import numpy as np

__all__ = ["batch_grads", "batch_normalized", "layer_grads"]


def only(grads: tuple, x: np.ndarray) -> np.ndarray | None:
    """The first output's gradient, if it is the only one, and an array of float32 or float64."""
    g = grads[0]
    if type(g) is not np.ndarray or any(other is not None for other in grads[1:]):
        return None
    return g if g.dtype is x.dtype and g.dtype.char in "fd" and g.size else None


def layer_grads(grads: tuple, input: np.ndarray, weight: np.ndarray | None, result1: np.ndarray,
                result2: np.ndarray, dims: tuple) -> tuple | None:
    """dx, dw and db of `native_layer_norm`; None where it takes the formulas."""
    g = only(grads, input)
    if g is None or weight is None:
        return None
    n = weight.size
    g, mean, rstd = g.reshape(-1, n), result1.reshape(-1, 1), result2.reshape(-1, 1)
    away = input.reshape(-1, n) - mean
    away *= rstd
    column, product = np.ones(len(g), g.dtype), g * away
    for_weight, for_bias = column.dot(product), column.dot(g)
    g = np.multiply(g, weight.reshape(-1), product)
    shift, slope = g.dot(np.ones(n, g.dtype)), np.vecdot(g, away)
    away *= (slope / n)[:, None]
    np.subtract(g, away, away)
    away -= (shift / n)[:, None]
    away *= rstd
    return away.reshape(input.shape), for_weight.reshape(weight.shape), for_bias.reshape(
        weight.shape)


def of_channels(x: np.ndarray) -> tuple:
    """(N, C, ...) as (N, the rest), and how often each channel's number stands in a row."""
    return x.reshape(len(x), -1), math.prod(x.shape[2:])


def sums(flat: np.ndarray, times: int) -> np.ndarray:
    """The sum for each channel."""
    return np.add.reduce(np.ones(len(flat), flat.dtype).dot(flat).reshape(-1, times), 1)


def products(a: np.ndarray, b: np.ndarray, times: int) -> np.ndarray:
    """The sum of a b for each channel."""
    shape = (len(a), -1, times)
    return np.add.reduce(np.vecdot(a.reshape(shape), b.reshape(shape)), 0)


def batch_normalized(x: np.ndarray, weight: np.ndarray | None, bias: np.ndarray | None,
                     eps: float) -> tuple:
    """y, μ, ρ and the variance of `native_batch_norm`, the last three of shape (C)."""
    flat, times = of_channels(x)
    count = len(x) * times
    mean = sums(flat, times) / count
    out = flat - np.repeat(mean, times)
    variance = products(out, out, times) / count
    rstd = 1 / np.sqrt(variance + x.dtype.type(eps))
    out *= np.repeat(rstd if weight is None else rstd * weight, times)
    if bias is not None:
        out += np.repeat(bias, times)
    return out.reshape(x.shape), mean, rstd, variance


def batch_grads(grads: tuple, input: np.ndarray, weight: np.ndarray | None,
                result1: np.ndarray, result2: np.ndarray) -> tuple | None:
    """dx, dw and db of `native_batch_norm`; None where it takes the formulas."""
    g = only(grads, input)
    if g is None or weight is None:
        return None
    (flat, times), (g, _) = of_channels(input), of_channels(g)
    count = len(flat) * times
    away = flat - np.repeat(result1, times)
    shift, slope = sums(g, times), products(g, away, times)
    away *= np.repeat(slope * (result2 * result2 / count), times)
    np.subtract(g, away, away)
    away -= np.repeat(shift / count, times)
    away *= np.repeat(result2 * weight, times)
    return away.reshape(input.shape), slope * result2, shift
