"""Normalisation: mean 0 and variance 1 over some dimensions, then a factor and a summand.

    y = (x - μ) ρ w + b          μ the mean, ρ = 1 / √(variance + ε)

With a = x - μ, n entries in each mean, and g = dy w, the gradient of the input is

    dx = ρ (g - Σg/n - a ρ² Σ(g a)/n)

and w's and b's are the sums of dy a ρ and dy over the entries that share them. μ, ρ and the
variance v are outputs too: their own gradients, which second derivatives need, add

    dμ/n - dρ ρ³ a/n + 2 dv a/n
"""

import math
import operator
from typing import Any

import numpy as np

from autodidact.ops import norm_kernels
from autodidact.ops.op import Op, sum_to

HALF = np.dtype(np.float16)

native_layer_norm = Op("native_layer_norm(input, weight=None, bias=None, *, dims, eps)",
    outputs = ("result", "result1", "result2"),                    # y, μ, ρ
    forward = lambda input, weight, bias, dims, eps:
              normalized(input, weight, bias, dims, eps)[:3],
    vjp     = {"input":  lambda grads, input, weight, result1, result2, dims:
                         input_grad(grads, input, weight, result1, result2, dims),
               "weight": lambda grads, input, result1, result2, weight_shape:
                         None if grads[0] is None else
                         sum_to(grads[0] * ((input - result1) * result2), weight_shape),
               "bias":   lambda grads, bias: None if grads[0] is None else
                         sum_to(widened(grads[0]), tuple(bias.shape))},
    jvp     = lambda input, input_t, weight, weight_t, bias_t, result1, result2, dims:
              tangents(input, input_t, weight, weight_t, bias_t, result1, result2, dims)[:3],
    batch   = lambda op, lanes: layer_lanes(op, lanes),
    at_once = norm_kernels.layer_grads,
    only    = "f", refusal = "\"LayerNormKernelImpl\" not implemented for '{}'")

native_batch_norm = Op("native_batch_norm(input, weight=None, bias=None, *, eps)",
    outputs = ("result", "result1", "result2", "variance"),        # y, μ, ρ; of each channel
    forward = lambda input, weight, bias, eps: batch_normalized(input, weight, bias, eps),
    vjp     = {"input":  lambda grads, input, weight, result1, result2: input_grad(
                         [grads[0], *(channels(g, input) for g in grads[1:])], input,
                         channels(weight, input), channels(result1, input),
                         channels(result2, input), all_but_channels(input)),
               "weight": lambda grads, input, result1, result2: None if grads[0] is None else
                         across(grads[0], input - channels(result1, input),
                                all_but_channels(input)).reshape((input.shape[1],)) * result2,
               "bias":   lambda grads: over_channels(grads[0])},
    jvp     = lambda input, input_t, weight, weight_t, bias_t, result1, result2, eps:
              batch_tangents(input, input_t, weight, weight_t, bias_t, result1, result2),
    batch   = lambda op, lanes: batch_lanes(op, lanes),
    at_once = norm_kernels.batch_grads,
    only    = "f", refusal = "\"batch_norm\" not implemented for '{}'")

native_group_norm = Op("native_group_norm(input, weight=None, bias=None, *, group, eps)",
    outputs = ("result", "result1", "result2"),                    # y, μ, ρ; of (N, group)
    forward = lambda input, weight, bias, group, eps:
              group_normalized(input, weight, bias, group, eps),
    vjp     = {"input":  lambda grads, input, weight, result1, result2, group:
                         group_input_grad(grads, input, weight, result1, result2, group),
               "weight": lambda grads, input, result1, result2, group: None if grads[0] is None else
                         over_channels(grads[0] * centred(input, result1, result2, group)),
               "bias":   lambda grads: over_channels(grads[0])},
    jvp     = lambda input, input_t, weight, weight_t, bias_t, result1, result2, group:
              group_tangents(input, input_t, weight, weight_t, bias_t, result1, result2, group),
    batch   = lambda op, lanes: group_lanes(op, lanes),
    only    = "f", refusal = "\"GroupNormKernelImpl\" not implemented for '{}'")


# ---- all rows: `dims` are summed over, w and b broadcast ----------------------------------------


def total(x: Any, dims: tuple) -> Any:
    """The sum over `dims`, which stay with size 1; over contiguous numbers a product with ones."""
    x = widened(x)
    if type(x) is not np.ndarray or not x.flags.c_contiguous or not x.size:
        return x.sum(axis=dims, keepdims=True)
    batch = dims[0] == 0                                           # else: the last dimensions
    kept = (1, x.shape[1], *(1,) * (x.ndim - 2)) if batch else (
        *x.shape[:x.ndim - len(dims)], *(1,) * len(dims))
    count = math.prod(x.shape[2:]) if batch else entries(x, dims)
    found = x.reshape(-1, count).dot(np.ones(count, x.dtype))
    return (found.reshape(x.shape[:2]).sum(0) if batch else found).reshape(kept)


def widened(x: Any) -> Any:
    """An array of float16 in float32, in which its sums and squares have room."""
    return x.astype(np.float32) if x.dtype is HALF else x


def entries(x: Any, dims: tuple) -> int:
    """How many entries each mean is made of."""
    return math.prod(x.shape[d] for d in dims)


def normalized(x: Any, weight: Any, bias: Any, dims: tuple, eps: float) -> tuple:
    """y, μ, ρ and the variance, the last three in shapes that broadcast."""
    kind, n, x = x.dtype, entries(x, dims), widened(x)
    mean = total(x, dims) / n
    out = x - mean
    variance = across(out, out, dims) / n
    rstd = 1 / np.sqrt(variance + x.dtype.type(eps))
    out *= rstd
    if weight is not None:
        out *= weight
    if bias is not None:
        out += bias
    return out.astype(kind, copy=False), mean, rstd, variance


def input_grad(grads: Any, x: Any, weight: Any, mean: Any, rstd: Any, dims: tuple) -> Any:
    """dx from dy, dμ, dρ and perhaps dv, each of which may be None."""
    g, n, away = grads[0], entries(x, dims), x - mean
    found = through_moments(grads[1:], away, rstd, n)
    if g is None:
        return found
    factor = rstd
    if weight is not None and all(weight.shape[d] == 1 for d in dims):
        factor = rstd * weight                         # one w for all that is summed over
    elif weight is not None:
        g = g * weight
    slope, shift = across(g, away, dims) * (rstd * rstd / n), total(g, dims) / n
    if type(away) is not np.ndarray:
        return plus(found, (g - shift - away * slope) * factor)
    away *= slope                                      # the same, in the memory of `away`
    np.subtract(g, away, away)
    away -= shift
    away *= factor
    return plus(found, away)


def through_moments(grads: Any, away: Any, rstd: Any, n: int) -> Any:
    """What dμ, dρ and dv add to dx; None where there are none, as in any first derivative."""
    factors = (1 / n, rstd * rstd * rstd * (-1 / n), 2 / n)
    found = None
    for i, (grad, factor) in enumerate(zip(grads, factors, strict=False)):
        if grad is not None:
            found = plus(found, grad * factor * away if i else grad * factor + away * 0)
    return found


def across(a: Any, b: Any, dims: tuple) -> Any:
    """The sum of a b over `dims`."""
    plain = type(a) is np.ndarray and a.dtype.kind == "f" and a.flags.c_contiguous and a.size
    if not plain:
        return total(a * b, dims)
    if dims[0] == 0:
        flat = (*a.shape[:2], -1)
        return np.vecdot(a.reshape(flat), b.reshape(flat)).sum(0).reshape(
            1, -1, *(1,) * (a.ndim - 2))
    flat = (*a.shape[:a.ndim - len(dims)], -1)
    return np.vecdot(a.reshape(flat), b.reshape(flat)).reshape(
        *flat[:-1], *(1,) * len(dims))


def plus(a: Any, b: Any) -> Any:
    """a + b, where a may not be there yet."""
    return b if a is None else a + b


def tangents(x: Any, x_t: Any, weight: Any, weight_t: Any, bias_t: Any, mean: Any, rstd: Any,
             dims: tuple) -> tuple:
    """How y, μ, ρ and the variance change."""
    n, away = entries(x, dims), x - mean
    mean_t = total(x_t, dims) / n
    away_t = x_t - mean_t
    half = total(away * away_t, dims) / n
    rstd_t = -half * rstd * rstd * rstd
    found = away_t * rstd + away * rstd_t
    if weight is not None:
        found = found * weight + away * rstd * weight_t
    return (found if bias_t is None else found + bias_t), mean_t, rstd_t, half * 2


# ---- a batch: one mean for each channel ---------------------------------------------------------


def channels(values: Any, like: Any) -> Any:
    """One number for each channel, in a shape that broadcasts along dimension 1."""
    return None if values is None else values.reshape((1, -1, *(1,) * (len(like.shape) - 2)))


def all_but_channels(x: Any) -> tuple:
    """The dimensions that are summed over."""
    return (0, *range(2, len(x.shape)))


def over_channels(x: Any) -> Any:
    """The sum for each channel."""
    return None if x is None else total(x, all_but_channels(x)).reshape((x.shape[1],))


def batch_normalized(x: Any, weight: Any, bias: Any, eps: float) -> tuple:
    """As `normalized`, over all but the channels; μ, ρ and variance of shape (C)."""
    if type(x) is np.ndarray and x.dtype.char in "fd" and x.size:
        return norm_kernels.batch_normalized(x, weight, bias, eps)
    out, *rest = normalized(x, channels(weight, x), channels(bias, x), all_but_channels(x), eps)
    return (out, *[r.reshape((x.shape[1],)) for r in rest])


def batch_tangents(x: Any, x_t: Any, weight: Any, weight_t: Any, bias_t: Any, mean: Any,
                   rstd: Any) -> tuple:
    """As `tangents`."""
    out, *rest = tangents(x, x_t, *[channels(v, x) for v in (weight, weight_t, bias_t, mean, rstd)],
                          all_but_channels(x))
    return (out, *[r.reshape((x.shape[1],)) for r in rest])


# ---- groups of channels: rows of (N, group, all of a group) -------------------------------------


def in_groups(x: Any, group: int) -> Any:
    """A tensor by its groups; None stays None."""
    return None if x is None else x.reshape(
        (x.shape[0], group, math.prod(x.shape[1:]) // group))


def group_normalized(x: Any, weight: Any, bias: Any, group: int, eps: float) -> tuple:
    """As `normalized`, over each group; μ and ρ of shape (N, group)."""
    out, *rest = normalized(in_groups(widened(x), group), None, None, (-1,), eps)
    out = out.reshape(x.shape)
    if weight is not None:
        out *= channels(weight, x)
    if bias is not None:
        out += channels(bias, x)
    return (out.astype(x.dtype, copy=False), *[r.reshape(r.shape[:2]) for r in rest[:2]])


def centred(x: Any, mean: Any, rstd: Any, group: int) -> Any:
    """a ρ, in the shape of x."""
    away = in_groups(x, group) - in_groups(mean, group)
    return (away * in_groups(rstd, group)).reshape(x.shape)


def group_input_grad(grads: Any, x: Any, weight: Any, mean: Any, rstd: Any, group: int) -> Any:
    """As `input_grad`, over each group."""
    grad = grads[0] if weight is None or grads[0] is None else grads[0] * channels(weight, x)
    found = input_grad([in_groups(g, group) for g in (grad, *grads[1:])], in_groups(x, group),
                       None, in_groups(mean, group), in_groups(rstd, group), (-1,))
    return None if found is None else found.reshape(x.shape)


def group_tangents(x: Any, x_t: Any, weight: Any, weight_t: Any, bias_t: Any, mean: Any, rstd: Any,
                   group: int) -> tuple:
    """As `tangents`."""
    out, *rest = tangents(*[in_groups(v, group) for v in (x, x_t)], None, None, None,
                          *[in_groups(v, group) for v in (mean, rstd)], (-1,))
    out = out.reshape(x.shape)
    if weight is not None:
        out = out * channels(weight, x) + centred(x, mean, rstd, group) * channels(weight_t, x)
    return (out if bias_t is None else out + channels(bias_t, x),
            *[r.reshape(r.shape[:2]) for r in rest[:2]])


# ---- lanes of vmap ------------------------------------------------------------------------------


def layer_lanes(op: Op, lanes: Any) -> tuple:
    """The mean is over the last dimensions, so lanes in front are more rows; w's come after."""
    x, weight, bias = lanes.front(0), *lanes.values[1:]
    if not (lanes.has[1] or lanes.has[2]):
        return op.call(x, weight, bias, *lanes.args)
    out, *rest = op.call(x, None, None, *lanes.args)
    rank = len(lanes.shape(0))
    out = out if weight is None else out * lanes.aligned(1, rank)
    return (out if bias is None else out + lanes.aligned(2, rank), *rest)


def batch_lanes(op: Op, lanes: Any) -> tuple:
    """Lanes are more channels: (V, N, C, ...) as (N, V * C, ...)."""
    x, v = lanes.front(0).swapaxes(0, 1), lanes.size
    weight, bias = [None if lanes.values[i] is None else lanes.front(i).reshape((-1,))
                    for i in (1, 2)]
    out, *rest = op.call(x.reshape((x.shape[0], -1, *x.shape[3:])), weight, bias, *lanes.args)
    out = out.reshape((out.shape[0], v, -1, *out.shape[2:])).swapaxes(0, 1)
    return (out, *[r.reshape((v, -1)) for r in rest])


def group_lanes(op: Op, lanes: Any) -> tuple:
    """Lanes are more examples; w and b that have lanes come after."""
    x, v = lanes.front(0), lanes.size
    here = [None if lanes.has[i] else lanes.values[i] for i in (1, 2)]
    if lanes.has[1]:
        here = [None, None]                            # b is added after w
    out, *rest = op.call(x.reshape((-1, *x.shape[2:])), *here, *lanes.args)
    out, rest = out.reshape(x.shape), [r.reshape((v, -1, r.shape[1])) for r in rest]
    for i, join in ((1, operator.mul), (2, operator.add)):
        if lanes.values[i] is not None and here[i - 1] is None:
            each = lanes.front(i)
            out = join(out, each.reshape((v, 1, -1, *(1,) * (x.ndim - 3))))
    return (out, *rest)
