"""Convolution in any number of dimensions: sums of products over windows that slide.

Three functions, each linear in each of its two arrays, and each other's derivatives:

    gather(x, w)          y[n,o,p] = Σ x[n,c,p+k] w[o,c,k]      the convolution
    spread(y, w)          x[n,c,p+k] += y[n,o,p] w[o,c,k]       its transpose in x
    correlate(y, x)       w[o,c,k] = Σ y[n,o,p] x[n,c,p+k]      its transpose in w

Nothing is copied but one row of the window at a time: looks into the padded input are multiplied as
matrices and added up.
"""

import itertools
import math
from typing import Any

import numpy as np

from autodidact.arrays.foreign import ForeignArray, contiguous, made
from autodidact.arrays.strided import restride
from autodidact.ops import sliding
from autodidact.ops.normalization import over_channels
from autodidact.ops.op import Op, conj, linear, multilinear

FEW = 64          # up to so many products per output, all rows of the window are copied at once

convolution = Op("convolution(input, weight, bias=None, *, stride, padding, dilation, groups)",
    forward = lambda input, weight, bias, stride, padding, dilation, groups:
              plus(gather(input, weight, stride, padding, dilation, groups), bias),
    vjp     = {"input":  lambda grad, weight, input_shape, stride, padding, dilation, groups:
                         convolution_input(grad, conj(weight), input_shape, stride, padding,
                                           dilation, groups),
               "weight": lambda grad, input, weight_shape, stride, padding, dilation, groups:
                         convolution_weight(grad, conj(input), weight_shape, stride, padding,
                                            dilation, groups),
               "bias":   lambda grad: over_channels(grad)},
    jvp     = lambda input, input_t, weight, weight_t, bias_t, stride, padding, dilation, groups:
              convolution(input_t, weight, bias_t, stride, padding, dilation, groups)
              + convolution(input, weight_t, None, stride, padding, dilation, groups),
    batch   = lambda op, lanes: conv_lanes(op, lanes))

convolution_transpose = Op(
    "convolution_transpose(input, weight, bias=None, *, shape, stride, padding, dilation, groups)",
    forward = lambda input, weight, bias, shape, stride, padding, dilation, groups:
              plus(spread(input, weight, (len(input), *shape), stride, padding, dilation, groups),
                   bias),
    vjp     = {"input":  lambda grad, input_shape, weight, stride, padding, dilation, groups: first(
                         convolution(grad, conj(weight), None, stride, padding, dilation, groups),
                         input_shape),
               "weight": lambda grad, input, weight_shape, stride, padding, dilation, groups:
                         convolution_weight(conj(input), grad, weight_shape, stride, padding,
                                            dilation, groups),
               "bias":   lambda grad: over_channels(grad)},
    jvp     = lambda input, input_t, weight, weight_t, bias_t, shape, stride, padding, dilation,
              groups:
              convolution_transpose(input_t, weight, bias_t, shape, stride, padding, dilation,
                                    groups)
              + convolution_transpose(input, weight_t, None, shape, stride, padding, dilation,
                                      groups),
    node    = "ConvolutionBackward0")

convolution_input = Op(
    "convolution_input(grad, weight, *, shape, stride, padding, dilation, groups)",
    forward = lambda grad, weight, shape, stride, padding, dilation, groups:
              spread(grad, weight, shape, stride, padding, dilation, groups),
    vjp     = {"grad":   lambda grad, weight, grad_shape, stride, padding, dilation, groups: first(
                         convolution(grad, conj(weight), None, stride, padding, dilation, groups),
                         grad_shape),
               "weight": lambda grad_, grad, weight_shape, stride, padding, dilation, groups:
                         convolution_weight(conj(grad), grad_, weight_shape, stride, padding,
                                            dilation, groups)},
    kind    = multilinear,
    batch   = lambda op, lanes: input_lanes(op, lanes))

convolution_weight = Op(
    "convolution_weight(grad, input, *, shape, stride, padding, dilation, groups)",
    forward = lambda grad, input, shape, stride, padding, dilation, groups:
              correlate(grad, input, shape, stride, padding, dilation, groups),
    vjp     = {"grad":  lambda grad, input, grad_shape, stride, padding, dilation, groups: first(
                        convolution(conj(input), grad, None, stride, padding, dilation, groups),
                        grad_shape),
               "input": lambda grad_, grad, input_shape, stride, padding, dilation, groups:
                        convolution_input(conj(grad), grad_, input_shape, stride, padding,
                                          dilation, groups)},
    kind    = multilinear,
    batch   = lambda op, lanes: weight_lanes(op, lanes))

im2col = Op("im2col(self, *, kernel, dilation, padding, stride)",  # every window as a column
    forward = lambda self, kernel, dilation, padding, stride:
              columns(self, kernel, dilation, padding, stride),
    vjp     = {"self": lambda grad, self_shape, kernel, dilation, padding, stride:
               col2im(grad, self_shape[2:], kernel, dilation, padding, stride)},
    node    = "Im2ColBackward0",
    kind    = linear)

col2im = Op("col2im(self, *, size, kernel, dilation, padding, stride)",   # columns added up again
    forward = lambda self, size, kernel, dilation, padding, stride:
              from_columns(self, size, kernel, dilation, padding, stride),
    vjp     = {"self": lambda grad, kernel, dilation, padding, stride:
               im2col(grad, kernel, dilation, padding, stride)},
    node    = "Col2ImBackward0",
    kind    = linear)


# ---- looks into a padded array ------------------------------------------------------------------


def plus(result: Any, bias: Any) -> Any:
    """A number for each channel added, in place: nobody else has the result."""
    if bias is not None:
        result += bias.reshape((-1,) + (1,) * (result.ndim - 2))
    return result


def first(x: Any, shape: tuple) -> Any:
    """The first entries; a padded output may have room for more windows than there were."""
    if tuple(x.shape[2:]) == tuple(shape[2:]):
        return x
    return x[(slice(None), slice(None), *[slice(n) for n in shape[2:]])]


def surrounded(x: np.ndarray, padding: tuple, value: float = 0) -> np.ndarray:
    """The array with `padding` entries more at both ends of each spatial dimension."""
    if not any(padding):
        return x
    shape = x.shape[:2] + tuple(n + 2 * p for n, p in zip(x.shape[2:], padding, strict=True))
    out = made(x, np.full, shape, value, x.dtype) if value else made(x, np.zeros, shape, x.dtype)
    out[inner(x.shape[2:], padding)] = x
    return out


def inner(size: tuple, padding: tuple) -> tuple:
    """Where the array lies inside its padding."""
    return (slice(None), slice(None),
            *(slice(p, p + n) for n, p in zip(size, padding, strict=True)))


def look(offset: tuple, count: tuple, stride: tuple, dilation: tuple) -> tuple:
    """The index of what the windows' entry at `offset` sees, for `count` places of the window."""
    return (slice(None), slice(None), *(
        slice(k * d, k * d + (n - 1) * s + 1, s)
        for k, n, s, d in zip(offset, count, stride, dilation, strict=True)))


def windows(x: np.ndarray, kernel: tuple, count: tuple, stride: tuple,
            dilation: tuple) -> np.ndarray:
    """A look of shape (N, C, *kernel, *count) into a padded array; nothing is copied."""
    steps = x.strides[2:]
    if isinstance(x, ForeignArray):
        look = (*x.strides[:2], *(s * d for s, d in zip(steps, dilation, strict=True)),
                *(s * n for s, n in zip(steps, stride, strict=True)))
        return restride(x, (*x.shape[:2], *kernel, *count), look)
    return np.lib.stride_tricks.as_strided(
        x, (*x.shape[:2], *kernel, *count),
        (*x.strides[:2], *(s * d for s, d in zip(steps, dilation, strict=True)),
         *(s * n for s, n in zip(steps, stride, strict=True))), writeable=False)


def places(size: tuple, kernel: tuple, stride: tuple, padding: tuple, dilation: tuple) -> tuple:
    """How many places a window has along each dimension."""
    return tuple((n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, s, p, d in zip(
        size, kernel, stride, padding, dilation, strict=True))


def slides(stride: tuple, shape: tuple, groups: int) -> bool:
    """Whether windows move by single steps and much is summed: `sliding.py` is quicker then.

    It is for NumPy's arrays: what it saves is the CPU's cache.
    """
    channels = min(shape[0] // groups, shape[1])
    return set(stride) == {1} and channels * math.prod(shape[2:]) > FEW


def strips(kernel: tuple, channels: int) -> list:
    """The parts of a window that are multiplied at once, as indices behind (N, C)."""
    if channels * math.prod(kernel) <= FEW:
        return [()]
    return list(itertools.product(*map(range, kernel[:-1])))


# ---- the three products -------------------------------------------------------------------------


def gather(x: np.ndarray, w: np.ndarray, stride: tuple, padding: tuple, dilation: tuple,
           groups: int) -> np.ndarray:
    """The convolution: shape (N, O, *places)."""
    n, kernel = len(x), w.shape[2:]
    count = places(x.shape[2:], kernel, stride, padding, dilation)
    if not n:
        return made(x, np.zeros, (0, len(w), *count), np.result_type(x, w))
    if slides(stride, w.shape, groups) and isinstance(w, np.ndarray):
        return sliding.gather(x, w, padding, dilation, groups)
    seen = windows(surrounded(x, padding), kernel, count, stride, dilation)
    w = w.reshape(groups, -1, *w.shape[1:])
    out = None
    for strip in strips(kernel, w.shape[2]):
        column = seen[(slice(None), slice(None), *strip)].reshape(n, groups, -1, math.prod(count))
        row = w[(slice(None),) * 3 + strip].reshape(groups, w.shape[1], -1)
        product = np.matmul(row, column)
        out = product if out is None else np.add(out, product, out)
    return out.reshape(n, -1, *count)


def spread(y: np.ndarray, w: np.ndarray, shape: tuple, stride: tuple, padding: tuple,
           dilation: tuple, groups: int) -> np.ndarray:
    """Every entry of y, times the window, added where the window lay: an array of `shape`."""
    n, kernel, count = len(y), w.shape[2:], y.shape[2:]
    size = shape[2:]
    if not n:
        return made(y, np.zeros, shape, np.result_type(y, w))
    if slides(stride, w.shape, groups) and isinstance(w, np.ndarray) and all(
            p <= d * (k - 1) for p, d, k in zip(padding, dilation, kernel, strict=True)):
        return sliding.spread(y, w, shape, padding, dilation, groups)
    room = (*shape[:2], *(m + 2 * p for m, p in zip(size, padding, strict=True)))
    padded = made(y, np.zeros, room, np.result_type(y, w))
    rows = y.reshape(n, groups, -1, math.prod(count))
    w = np.moveaxis(w.reshape(groups, -1, *w.shape[1:]), 1, -1)       # (groups, C/g, *kernel, O/g)
    for offset in itertools.product(*map(range, kernel)):
        entry = contiguous(w[(slice(None), slice(None), *offset)])
        product = np.matmul(entry, rows).reshape(n, -1, *count)
        padded[look(offset, count, stride, dilation)] += product
    return padded[inner(size, padding)] if any(padding) else padded


def correlate(y: np.ndarray, x: np.ndarray, shape: tuple, stride: tuple, padding: tuple,
              dilation: tuple, groups: int) -> np.ndarray:
    """What each entry of the window contributes: an array of `shape`, as the weight."""
    n, kernel, count = len(x), shape[2:], y.shape[2:]
    if not n:
        return made(y, np.zeros, shape, np.result_type(y, x))
    if shape[1] >= sliding.THIN and slides(stride, shape, groups) and isinstance(y, np.ndarray):
        return sliding.correlate(y, x, shape, padding, dilation, groups)
    seen = windows(surrounded(x, padding), kernel, count, stride, dilation)
    rows = y.reshape(n, groups, -1, math.prod(count))
    out = made(y, np.empty, (groups, shape[0] // groups, *shape[1:]), np.result_type(y, x))
    for strip in strips(kernel, shape[1]):
        column = seen[(slice(None), slice(None), *strip)].reshape(n, groups, -1, math.prod(count))
        product = np.matmul(rows, column.swapaxes(2, 3)).sum(0)
        target = out[(slice(None),) * 3 + strip]
        target[...] = product.reshape(target.shape)
    return out.reshape(shape)


def columns(x: np.ndarray, kernel: tuple, dilation: tuple, padding: tuple,
            stride: tuple) -> np.ndarray:
    """Every window as a column: shape (N, C * window, places)."""
    count = places(x.shape[2:], kernel, stride, padding, dilation)
    seen = windows(surrounded(x, padding), kernel, count, stride, dilation)
    return seen.reshape(len(x), x.shape[1] * math.prod(kernel), math.prod(count))


def from_columns(c: np.ndarray, size: tuple, kernel: tuple, dilation: tuple, padding: tuple,
                 stride: tuple) -> np.ndarray:
    """The transpose of `columns`: what was seen several times is added."""
    count = places(size, kernel, stride, padding, dilation)
    parts = c.reshape(len(c), c.shape[1] // math.prod(kernel), *kernel, *count)
    room = (*parts.shape[:2], *(n + 2 * p for n, p in zip(size, padding, strict=True)))
    padded = made(c, np.zeros, room, c.dtype)
    for offset in itertools.product(*map(range, kernel)):
        padded[look(offset, count, stride, dilation)] += parts[(slice(None), slice(None), *offset)]
    return padded[inner(size, padding)]


# ---- lanes of vmap: a batch with lanes is a larger batch, weights with lanes are more groups ----


def conv_lanes(op: Op, lanes: Any) -> Any:
    """x (V, N, C, ...), w (V, O, C, ...): groups of one convolution."""
    _, w, bias = lanes.values
    *plain, groups = lanes.args
    v = lanes.size
    if not lanes.has[1]:
        n = lanes.shape(0)[0]
        out = op.call(lanes.front(0).reshape((v * n, *lanes.shape(0)[1:])), w,
                      None if bias is None or lanes.has[2] else bias, *plain, groups)
        out = out.reshape((v, n, *out.shape[1:]))
    else:
        out = op.call(beside(lanes, 0), flat(lanes, 1), None, *plain, v * groups)
        out = apart(out, v)
    if bias is not None and (lanes.has[1] or lanes.has[2]):
        lead = (v, 1) if lanes.has[2] else (1, 1)
        out = out + bias.reshape((*lead, -1, *(1,) * (len(out.shape) - 3)))
    return out


def input_lanes(op: Op, lanes: Any) -> Any:
    """The same for the gradient of the input."""
    grad, w = lanes.values
    shape, *plain, groups = lanes.args
    v, n = lanes.size, shape[0]
    if not lanes.has[1]:
        flat_grad = grad.reshape((v * n, *lanes.shape(0)[1:]))
        found = op.call(flat_grad, w, (v * n, *shape[1:]), *plain, groups)
        return found.reshape((v, *shape))
    found = op.call(beside(lanes, 0), flat(lanes, 1), (n, v * shape[1], *shape[2:]), *plain,
                    v * groups)
    return apart(found, v)


def weight_lanes(op: Op, lanes: Any) -> Any:
    """The gradient of the weight: one for each lane."""
    shape, *plain, groups = lanes.args
    v = lanes.size
    found = op.call(beside(lanes, 0), beside(lanes, 1), (v * shape[0], *shape[1:]), *plain,
                    v * groups)
    return found.reshape((v, *shape))


def beside(lanes: Any, i: int) -> Any:
    """(V, N, C, ...) as (N, V * C, ...)."""
    x = lanes.front(i).swapaxes(0, 1)
    return x.reshape((x.shape[0], -1, *x.shape[3:]))


def flat(lanes: Any, i: int) -> Any:
    """(V, O, ...) as (V * O, ...)."""
    x = lanes.front(i)
    return x.reshape((-1, *x.shape[2:]))


def apart(x: Any, v: int) -> Any:
    """(N, V * C, ...) as (V, N, C, ...)."""
    return x.reshape((x.shape[0], v, -1, *x.shape[2:])).swapaxes(0, 1)
