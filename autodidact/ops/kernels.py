"""Kernels: what a row's line of mathematics says, written for speed.

A row names them in `kernels`; they stand in for its forward and its formulas when these are read
on arrays of float32 and float64, and give the same numbers (a law compares). What makes them quick:

    one pass    Over an array that is larger than the processor's cache, every operator goes to the
                memory and back. `piecewise` takes pieces that stay in the cache through all steps.
    in place    Each step writes into the piece that the last one made.
"""

import math
from collections.abc import Callable

import numpy as np

from autodidact._optional import optional

__all__ = ["gelu", "gelu_grad", "log_softmax", "log_softmax_grad", "mm", "mm_mat2", "mm_self",
           "mv", "mv_self", "mv_vec", "rectify", "rectify_grad", "sigmoid", "sigmoid_grad", "silu",
           "silu_grad", "softmax", "softmax_grad", "tanh_grad"]

PIECE = 1 << 16                # numbers: a few such pieces stay in the cache
C, A = math.sqrt(2 / math.pi), 0.044715      # gelu ≈ x/2 (1 + tanh(C (x + A x³)))
ONE = {kind: np.ones((), kind) for kind in "fd"}     # NumPy takes it in half the time of a number
SHORT = 64                     # numbers in a row
WORD = {4: np.dtype(np.int32), 8: np.dtype(np.int64)}      # integers as wide as a float


def piecewise(kernel: Callable, *arrays: np.ndarray) -> np.ndarray:
    """`kernel(out, *arrays)`, an elementwise one, on pieces; the array that it wrote.

    Args:
        kernel: writes into its first argument, or, where that is None, into a new array, and
            returns it; the other arguments must be left as they are.
        arrays: of one shape and dtype, not 0-dim.
    """
    first = arrays[0]
    if first.size <= PIECE or not all(a.flags.c_contiguous for a in arrays):
        return kernel(None, *arrays)
    out = np.empty_like(first)
    flat = [a.reshape(-1) for a in (out, *arrays)]
    for start in range(0, first.size, PIECE):
        kernel(*[a[start:start + PIECE] for a in flat])
    return out


# ---- sigmoid, tanh ------------------------------------------------------------------------------

Out = np.ndarray | None        # what `piecewise` gives a kernel to write into


def sigmoid(self: np.ndarray) -> np.ndarray:
    """1 / (1 + exp(-x))."""
    return piecewise(put_sigmoid, self)


def put_sigmoid(out: Out, x: np.ndarray) -> np.ndarray:
    """The sigmoid of a piece."""
    out = np.negative(x, out)
    np.exp(out, out)
    np.add(out, ONE[x.dtype.char], out)
    return np.divide(ONE[x.dtype.char], out, out)


def sigmoid_grad(grad: np.ndarray, result: np.ndarray) -> np.ndarray:
    """dy σ (1 - σ)."""
    return piecewise(put_sigmoid_grad, result, grad)


def put_sigmoid_grad(out: Out, s: np.ndarray, grad: np.ndarray) -> np.ndarray:
    """dy σ (1 - σ) of a piece."""
    out = np.subtract(ONE[s.dtype.char], s, out)
    np.multiply(out, s, out)
    return np.multiply(out, grad, out)


def tanh_grad(grad: np.ndarray, result: np.ndarray) -> np.ndarray:
    """dy (1 - tanh²)."""
    if result.size <= PIECE:
        return put_tanh_grad(None, result, grad)
    return piecewise(put_tanh_grad, result, grad)


def put_tanh_grad(out: Out, t: np.ndarray, grad: np.ndarray) -> np.ndarray:
    """dy (1 - tanh²) of a piece."""
    out = np.multiply(t, t, out)
    np.subtract(ONE[t.dtype.char], out, out)
    return np.multiply(out, grad, out)


def silu(self: np.ndarray) -> np.ndarray:
    """x σ(x)."""
    return piecewise(put_silu, self)


def put_silu(out: Out, x: np.ndarray) -> np.ndarray:
    """x σ(x) of a piece."""
    out = np.negative(x, out)
    np.exp(out, out)
    np.add(out, ONE[x.dtype.char], out)
    return np.divide(x, out, out)


def silu_grad(grad: np.ndarray, self: np.ndarray) -> np.ndarray:
    """dy σ (1 + x (1 - σ))."""
    return piecewise(put_silu_grad, self, grad)


def put_silu_grad(out: Out, x: np.ndarray, grad: np.ndarray) -> np.ndarray:
    """dy σ (1 + x (1 - σ)) of a piece."""
    s = put_sigmoid(None, x)
    out = np.subtract(ONE[s.dtype.char], s, out)
    np.multiply(out, x, out)
    np.add(out, ONE[x.dtype.char], out)
    np.multiply(out, s, out)
    return np.multiply(out, grad, out)


# ---- gelu ---------------------------------------------------------------------------------------


def gelu(self: np.ndarray, approximate: str) -> np.ndarray:
    """x Φ(x)."""
    return piecewise(put_exact_gelu if approximate == "none" else put_gelu, self)


def gelu_grad(grad: np.ndarray, self: np.ndarray, approximate: str) -> np.ndarray:
    """dy (Φ(x) + x φ(x))."""
    return piecewise(put_exact_gelu_grad if approximate == "none" else put_gelu_grad, self, grad)


def put_normal_cdf(out: Out, x: np.ndarray) -> np.ndarray:
    """Φ(x) of a piece."""
    out = np.multiply(x, math.sqrt(0.5), out)
    out[...] = optional("scipy.special").erf(out)
    np.add(out, ONE[x.dtype.char], out)
    return np.multiply(out, 0.5, out)


def put_exact_gelu(out: Out, x: np.ndarray) -> np.ndarray:
    """x Φ(x) of a piece."""
    out = put_normal_cdf(out, x)
    return np.multiply(out, x, out)


def put_exact_gelu_grad(out: Out, x: np.ndarray, grad: np.ndarray) -> np.ndarray:
    """dy (Φ(x) + x exp(-x²/2) / √2π) of a piece."""
    slope = x * x
    np.multiply(slope, -0.5, slope)
    np.exp(slope, slope)
    np.multiply(slope, 1 / math.sqrt(2 * math.pi), slope)
    np.multiply(slope, x, slope)
    out = put_normal_cdf(out, x)
    np.add(out, slope, out)
    return np.multiply(out, grad, out)


def put_gelu(out: Out, x: np.ndarray) -> np.ndarray:
    """x / (1 + exp(w)) of a piece, w = -2 C (x + A x³): as 1 + tanh(u) = 2 / (1 + exp(-2 u))."""
    out = np.multiply(x, x, out)
    np.multiply(out, -2 * C * A, out)
    np.subtract(out, 2 * C, out)
    np.multiply(out, x, out)
    np.exp(out, out)
    np.add(out, ONE[x.dtype.char], out)
    return np.divide(x, out, out)


def put_gelu_grad(out: Out, x: np.ndarray, grad: np.ndarray) -> np.ndarray:
    """dy s (1 + (s - 1) x dw/dx) of a piece, with s = 1 / (1 + exp(w))."""
    slope = np.multiply(x, x)
    s = np.multiply(slope, -2 * C * A)
    np.subtract(s, 2 * C, s)
    np.multiply(s, x, s)
    np.exp(s, s)
    np.add(s, ONE[x.dtype.char], s)
    np.divide(ONE[x.dtype.char], s, s)
    np.multiply(slope, -6 * C * A, slope)
    np.subtract(slope, 2 * C, slope)
    np.multiply(slope, x, slope)
    out = np.subtract(s, ONE[x.dtype.char], out)
    np.multiply(out, slope, out)
    np.add(out, ONE[x.dtype.char], out)
    np.multiply(out, s, out)
    return np.multiply(out, grad, out)


# ---- softmax ------------------------------------------------------------------------------------


def total(x: np.ndarray, dim: int) -> np.ndarray:
    """The sum along a dimension, which is kept; of rows the product with ones: it is quicker."""
    if dim % x.ndim == x.ndim - 1 and x.flags.c_contiguous:
        return np.matmul(x, np.ones((x.shape[-1], 1), x.dtype))
    return np.add.reduce(x, dim, keepdims=True)


def shifted(x: np.ndarray, dim: int) -> np.ndarray:
    """A copy whose largest entry along the dimension is 0, so that no exponential overflows."""
    return np.subtract(x, largest(x, dim)) if x.size else x.copy()


def largest(x: np.ndarray, dim: int) -> np.ndarray:
    """The largest along a dimension, which is kept; short rows are compared as columns: quicker."""
    n = x.shape[dim]
    if n > SHORT or dim % x.ndim < x.ndim - 1 or not x.flags.c_contiguous:
        return np.maximum.reduce(x, dim, keepdims=True)
    columns = np.ascontiguousarray(x.reshape(-1, n).T)
    return np.maximum.reduce(columns, 0).reshape(*x.shape[:-1], 1)


def softmax(self: np.ndarray, dim: int) -> np.ndarray:
    """exp(x) / Σ exp(x)."""
    out = shifted(self, dim)
    np.exp(out, out)
    return np.divide(out, total(out, dim), out)


def softmax_grad(grad: np.ndarray, result: np.ndarray, dim: int) -> np.ndarray:
    """y (dy - Σ dy y)."""
    out = np.multiply(result, grad)
    np.subtract(grad, total(out, dim), out)
    return np.multiply(out, result, out)


def log_softmax(self: np.ndarray, dim: int) -> np.ndarray:
    """x - log Σ exp(x)."""
    out = shifted(self, dim)
    return np.subtract(out, np.log(total(np.exp(out), dim)), out)


def log_softmax_grad(grad: np.ndarray, result: np.ndarray, dim: int) -> np.ndarray:
    """dy - exp(y) Σ dy."""
    out = np.exp(result)
    np.multiply(out, total(grad, dim), out)
    return np.subtract(grad, out, out)


# ---- relu ---------------------------------------------------------------------------------------


def rectify(self: np.ndarray) -> np.ndarray:
    """max(x, 0); NumPy compares with an array of zeros twice as quickly as with a zero."""
    if self.size > PIECE and not self.flags.c_contiguous:
        return np.maximum(self, 0)
    zeros = np.zeros(self.shape if self.size <= PIECE else PIECE, self.dtype)
    return piecewise(lambda out, x: np.maximum(x, zeros[:len(x)], out=out), self)


def rectify_grad(grad: np.ndarray, result: np.ndarray) -> np.ndarray:
    """dy where y > 0, else 0."""
    return piecewise(put_rectify_grad, result, grad)


def put_rectify_grad(out: Out, y: np.ndarray, grad: np.ndarray) -> np.ndarray:
    """dy where y > 0, else 0, of a piece.

    `np.where` takes a branch for each number, which the processor guesses wrong half of the time.
    Here the bits of each number are read as an integer, times 1 or 0: also of inf and nan.
    """
    word = WORD[grad.itemsize]
    bits = np.multiply(grad.view(word), y > 0, None if out is None else out.view(word))
    return bits.view(grad.dtype)


# ---- products: `dot` begins sooner than `matmul` -------------------------------------------------


def outer(column: np.ndarray, row: np.ndarray) -> np.ndarray:
    """A column times a row; as a matrix product it would take four times as long."""
    return np.multiply(column, row, order="C")


def mm(self: np.ndarray, mat2: np.ndarray) -> np.ndarray:
    """A B."""
    return outer(self, mat2) if self.shape[1] == 1 else self.dot(mat2)


def mm_self(grad: np.ndarray, mat2: np.ndarray) -> np.ndarray:
    """dC Bᵀ."""
    return outer(grad, mat2.T) if grad.shape[1] == 1 else grad.dot(mat2.T)


def mm_mat2(grad: np.ndarray, self: np.ndarray) -> np.ndarray:
    """Aᵀ dC."""
    return outer(self.T, grad) if grad.shape[0] == 1 else self.T.dot(grad)


def mv(self: np.ndarray, vec: np.ndarray) -> np.ndarray:
    """A v."""
    return self.dot(vec)


def mv_self(grad: np.ndarray, vec: np.ndarray) -> np.ndarray:
    """dy vᵀ."""
    return outer(grad[:, None], vec)


def mv_vec(grad: np.ndarray, self: np.ndarray) -> np.ndarray:
    """Aᵀ dy, as dyᵀ A."""
    return grad.dot(self)
