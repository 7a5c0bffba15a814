"""A layer of an LSTM over a whole sequence, in one operation, as PyTorch's kernel for float32.

For each step, with z = W x + b + V h + d cut into four parts:

    c' = σ(f) c + σ(i) tanh(g)          h' = σ(o) tanh(c')          z = (i, f, g, o)

Nothing but h is kept of the steps. On the way back z is computed anew, for all steps at once; what
must wait for the step before is only how a change of h and c goes on.
"""

from typing import Any

import numpy as np

from autodidact.arrays.foreign import contiguous, copied, made
from autodidact.ops.join import cat, stack
from autodidact.ops.op import Op, is_array, sum_to
from autodidact.ops.transcendental import sigmoid

mkldnn_rnn_layer = Op(
    "mkldnn_rnn_layer(input, weight0, weight1, weight2, weight3, hx, cx, *, reverse)",
    outputs = ("result0", "result1", "result2"),                  # h of all steps, the last h and c
    forward = lambda input, weight0, weight1, weight2, weight3, hx, cx, reverse:
              run(input, weight0, weight1, weight2 + weight3, hx, cx, reverse),
    vjp     = dict.fromkeys(
        ("input", "weight0", "weight1", "weight2", "weight3", "hx", "cx"),
        lambda grads, input, weight0, weight1, weight2, weight3, hx, cx, result0, reverse, k:
        way_back(grads, input, weight0, weight1, weight2, weight3, hx, cx, result0, reverse)[k]),
    at_once = lambda grads, input, weight0, weight1, weight2, weight3, hx, cx, result0, reverse:
              way_back(grads, input, weight0, weight1, weight2, weight3, hx, cx, result0, reverse),
    jvp     = lambda input, input_t, weight0, weight0_t, weight1, weight1_t, weight2, weight2_t,
              weight3, weight3_t, hx, hx_t, cx, cx_t, result0, reverse:
              tangents((input, weight0, weight1, weight2 + weight3, hx, cx, result0, reverse),
                       input_t, weight0_t, weight1_t, weight2_t + weight3_t, hx_t, cx_t),
    only    = "f")


def order(n: int, reverse: bool) -> range:
    """The steps in the order in which they are taken."""
    return range(n - 1, -1, -1) if reverse else range(n)


def run(x: np.ndarray, w: np.ndarray, v: np.ndarray, bias: np.ndarray, h: np.ndarray,
        c: np.ndarray, reverse: bool) -> tuple:
    """h of all steps, shape (L, N, hidden), and the last h and c.

    As σ(z) = (1 + tanh(z/2)) / 2, all four parts are one tanh, once the gates' z are halved.
    """
    size = v.shape[1]
    z = np.matmul(flat(x), turned(w))
    z += bias
    z, across = halved(z, size).reshape(*x.shape[:2], -1), halved(copied(turned(v)), size)
    out = made(x, np.empty, (*x.shape[:2], size), z.dtype)
    for t in order(len(x), reverse):
        now = np.matmul(h, across)
        now += z[t]
        np.tanh(now, now)
        gates = now * 0.5
        gates += 0.5
        c = gates[:, size:2 * size] * c
        c += gates[:, :size] * now[:, 2 * size:3 * size]
        h = np.tanh(c, out[t])
        h *= gates[:, 3 * size:]
    return out, h.copy(), c


def halved(columns: np.ndarray, size: int) -> np.ndarray:
    """The columns of the three gates times 1/2, in place; those of g as they are."""
    columns[:, :2 * size] *= 0.5
    columns[:, 3 * size:] *= 0.5
    return columns


def way_back(grads: tuple, x: Any, w: Any, v: Any, b: Any, d: Any, first_h: Any, first_c: Any,
             out: Any, reverse: bool) -> tuple:
    """The gradients of all inputs, in their order; read on arrays and on Tensors."""
    before, gates, slopes, through = again(x, w, v, b + d, first_h, first_c, out, reverse)
    grad_out, dh, dc = grads
    found: list = [None] * len(x)
    for t in reversed(order(len(x), reverse)):
        dh = sum_of(dh, None if grad_out is None else grad_out[t])
        dc = sum_of(dc, None if dh is None else dh * through[t])
        parts = [dc * slope[t] for slope in slopes[:3]]
        parts.append(dc * 0 if dh is None else dh * slopes[3][t])
        found[t] = joined(cat, parts, 1)
        dh, dc = np.matmul(found[t], v), dc * gates[1][t]
    dz = joined(cat, found, 0)
    across = dz.swapaxes(0, 1)
    bias = sum_to(dz, tuple(b.shape))
    return (np.matmul(dz, w).reshape(x.shape), np.matmul(across, flat(x)),
            np.matmul(across, flat(before)), bias, bias, dh, dc)


def tangents(known: tuple, x_t: Any, w_t: Any, v_t: Any, bias_t: Any, h_t: Any,
             c_t: Any) -> tuple:
    """How h of all steps, and the last h and c, move; `known` are the arguments of `again`."""
    x, w, v, *_, out, reverse = known
    before, gates, slopes, through = again(*known)
    z_t = (np.matmul(flat(x_t), w.swapaxes(0, 1)) + np.matmul(flat(x), w_t.swapaxes(0, 1))
           + np.matmul(flat(before), v_t.swapaxes(0, 1)) + bias_t).reshape((*out.shape[:2], -1))
    size, found = out.shape[2], [None] * len(x)
    for t in order(len(x), reverse):
        now = z_t[t] + np.matmul(h_t, v.swapaxes(0, 1))
        i, f, g, o = (now[:, k * size:(k + 1) * size] for k in range(4))
        c_t = gates[1][t] * c_t + slopes[0][t] * i + slopes[1][t] * f + slopes[2][t] * g
        h_t = found[t] = through[t] * c_t + slopes[3][t] * o
    return joined(stack, found, 0), h_t, c_t


def again(x: Any, w: Any, v: Any, bias: Any, first_h: Any, first_c: Any, out: Any,
          reverse: bool) -> tuple:
    """What the way back needs of the steps, all at once.

    Returns:
        h before each step; the gates and the new part; how z's four parts move with c, c, c and h;
        how c moves with h.
    """
    first = first_h.reshape((1, *first_h.shape))
    before = joined(cat, [out[1:], first] if reverse else [first, out[:-1]], 0)
    z = (np.matmul(flat(x), turned(w)) + np.matmul(flat(before), turned(v))
         + bias).reshape((*out.shape[:2], -1))
    size = out.shape[2]
    i, f, g, o = (z[:, :, k * size:(k + 1) * size] for k in range(4))
    i, f, g, o = sigmoid(i), sigmoid(f), np.tanh(g), sigmoid(o)
    new, cells, c = i * g, [None] * len(x), first_c
    for t in order(len(x), reverse):
        cells[t] = c
        c = f[t] * c + new[t]
    old = joined(stack, cells, 0)
    seen = np.tanh(f * old + new)
    return before, (i, f, g, o), (new * (1 - i), old * f * (1 - f), i * (1 - g * g),
                                  seen * o * (1 - o)), o * (1 - seen * seen)


def flat(x: Any) -> Any:
    """All steps of all examples as rows of one matrix."""
    return x.reshape((-1, x.shape[2]))


def turned(matrix: Any) -> Any:
    """The transpose; of an array row-major, since products with it are quicker."""
    return matrix.swapaxes(0, 1) if hasattr(matrix, "_array") else contiguous(matrix.T)


def joined(row: Op, parts: list, dim: int) -> Any:
    """`cat` or `stack` of arrays or of Tensors."""
    if is_array(parts[0]):
        return (np.concatenate if row is cat else np.stack)(parts, dim)
    return row.call(parts, dim)


def sum_of(a: Any, b: Any) -> Any:
    """a + b, where either may not be there."""
    return b if a is None else a if b is None else a + b
