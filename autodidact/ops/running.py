"""Running sums and products, and the product of all entries.

The derivative of a product is the product of the others. Where no entry is 0 that is
result / entry; where one is, it is computed without division, by a recurrence: the row `scan`.
"""

from typing import Any

import numpy as np

from autodidact.arrays.foreign import certainly, copied, made
from autodidact.ops.index import gather, scatter_add
from autodidact.ops.op import Op, conj, linear, reduction, rowwise
from autodidact.ops.reduction import INT64, back, put_at

# ---- running sums -------------------------------------------------------------------------------

cumsum = Op("cumsum(self, *, dim)",                                # sums of the first 1, 2, 3, ...
    forward = lambda self, dim: running(np.add, self, dim),
    vjp     = {"self": lambda grad, dim: reverse_cumsum(grad, dim)},
    kind    = linear | rowwise)

reverse_cumsum = Op("reverse_cumsum(self, *, dim)",                # the transpose of cumsum
    forward = lambda self, dim: np.flip(running(np.add, np.flip(self, dim), dim), dim)
              if self.ndim else self,
    vjp     = {"self": lambda grad, dim: cumsum(grad, dim)},
    kind    = linear | rowwise)

# ---- products -----------------------------------------------------------------------------------

prod = Op("prod(self)",
    forward = lambda self: product(self, None, False),
    vjp     = {"self": lambda grad, self, result: prod_grad(grad, self, result, None, False)},
    jvp     = lambda self_t, self, result: prod_tangent(self_t, self, result, None, False),
    kind    = reduction)

prod_dim = Op("prod_dim(self, *, dim, keepdim)",
    forward = lambda self, dim, keepdim: product(self, dim, keepdim),
    vjp     = {"self": lambda grad, self, result, dim, keepdim:
               prod_grad(grad, self, result, dim, keepdim)},
    jvp     = lambda self_t, self, result, dim, keepdim:
              prod_tangent(self_t, self, result, dim, keepdim),
    node    = "ProdBackward1",
    kind    = reduction)

cumprod = Op("cumprod(self, *, dim)",                              # products of the first 1, 2, ...
    forward = lambda self, dim: running(np.multiply, self, dim),
    vjp     = {"self": lambda grad, self, result, dim: cumprod_grad(grad, self, result, dim)},
    jvp     = lambda self_t, self, result, dim: cumprod_tangent(self_t, self, result, dim),
    kind    = rowwise)

# ---- running maximum and running logarithm of a sum ---------------------------------------------

cummax = Op("cummax(self, *, dim)", outputs = ("values", "indices"),
    forward = lambda self, dim: record_holder(np.maximum, self, dim),
    vjp     = {"self": lambda grad, self, indices, dim:
               scatter_add(np.zeros_like(self), indices, grad, dim)},
    jvp     = lambda self_t, indices, dim: gather(self_t, indices, dim),
    kind    = rowwise)

cummin = Op("cummin(self, *, dim)", outputs = ("values", "indices"),
    forward = lambda self, dim: record_holder(np.minimum, self, dim),
    vjp     = {"self": lambda grad, self, indices, dim:
               scatter_add(np.zeros_like(self), indices, grad, dim)},
    jvp     = lambda self_t, indices, dim: gather(self_t, indices, dim),
    kind    = rowwise)

logcumsumexp = Op("logcumsumexp(self, *, dim)",                    # log of the sums of exp(x)
    forward = lambda self, dim: np.logaddexp.accumulate(self, axis=dim) if self.ndim else self,
    vjp     = {"self": lambda grad, self, result, dim:
               scan_back(grad, decay(result, dim), dim) * np.exp(self - result)},
    jvp     = lambda self_t, self, result, dim:
              scan(self_t * np.exp(self - result), decay(result, dim), dim),
    kind    = rowwise)

# ---- recurrences: the rows that the formulas above are made of ----------------------------------

scan = Op("scan(self, factor, *, dim)",                            # y[k] = x[k] + f[k] y[k-1]
    forward = lambda self, factor, dim: recurrence(self, factor, dim),
    vjp     = {"self":   lambda grad, factor, dim: scan_back(grad, conj(factor), dim),
               "factor": lambda grad, factor, result, dim: scan_back(grad, conj(factor), dim)
                         * conj(shift(result, dim, 1, 0))},
    jvp     = lambda self_t, factor_t, factor, result, dim:
              scan(self_t + factor_t * shift(result, dim, 1, 0), factor, dim),
    kind    = rowwise)

scan_back = Op("scan_back(self, factor, *, dim)",                  # y[k] = x[k] + f[k+1] y[k+1]
    forward = lambda self, factor, dim: recurrence_back(self, factor, dim),
    vjp     = {"self":   lambda grad, factor, dim: scan(grad, conj(factor), dim),
               "factor": lambda grad, factor, result, dim:
                         shift(scan(grad, conj(factor), dim), dim, 1, 0) * conj(result)},
    jvp     = lambda self_t, factor_t, factor, result, dim:
              scan_back(self_t + shift(factor_t * result, dim, -1, 0), factor, dim),
    kind    = rowwise)

shift = Op("shift(self, *, dim, step, fill)",                      # y[k] = x[k-step], else fill
    forward = lambda self, dim, step, fill: shifted(self, dim, step, fill),
    vjp     = {"self": lambda grad, dim, step: shift(grad, dim, -step, 0)},
    jvp     = lambda self_t, dim, step: shift(self_t, dim, step, 0),
    kind    = rowwise)


# ---- longer mathematics -------------------------------------------------------------------------


def product(x: Any, dim: Any, keepdim: bool) -> Any:
    """The product; of integers and bools in int64."""
    dtype = x.dtype if x.dtype.kind in "fc" else INT64
    return np.multiply.reduce(x, axis=dim, keepdims=keepdim, dtype=dtype)


def running(ufunc: Any, x: Any, dim: int) -> Any:
    """Running sums or products; a 0-dim value is its own."""
    dtype = x.dtype if x.dtype.kind in "fc" else INT64
    return ufunc.accumulate(x, axis=dim, dtype=dtype) if x.ndim else x.astype(dtype)


def plain(x: Any) -> Any:
    """The array of a Tensor, an array itself: to look at values, not to compute with them."""
    return getattr(x, "_array", x)


def along(dim: int, part: slice) -> tuple:
    """An index that takes `part` of one dimension."""
    return (*(slice(None),) * dim, part)


def shifted(x: Any, dim: int, step: int, fill: float) -> Any:
    """Moved by one place along `dim`, forward (1) or backward (-1)."""
    out = np.full_like(x, fill)
    if x.ndim and step == 1:
        out[along(dim, slice(1, None))] = x[along(dim, slice(None, -1))]
    elif x.ndim:
        out[along(dim, slice(None, -1))] = x[along(dim, slice(1, None))]
    return out


def recurrence(x: Any, factor: Any, dim: int) -> Any:
    """y[k] = x[k] + factor[k] * y[k-1], from the front."""
    y = copied(x)
    for k in range(1, x.shape[dim] if x.ndim else 0):
        here, before = along(dim, k), along(dim, k - 1)
        y[here] += factor[here] * y[before]
    return y


def recurrence_back(x: Any, factor: Any, dim: int) -> Any:
    """y[k] = x[k] + factor[k+1] * y[k+1], from the end."""
    y = copied(x)
    for k in range((x.shape[dim] if x.ndim else 0) - 2, -1, -1):
        here, after = along(dim, k), along(dim, k + 1)
        y[here] += factor[after] * y[after]
    return y


def prod_grad(grad: Any, self: Any, result: Any, dim: Any, keepdim: bool) -> Any:
    """The gradient times the product of all other entries."""
    shape = tuple(self.shape)
    if not shape:
        return grad
    if certainly(plain(self).all()):
        return back(grad, shape, dim, keepdim) * conj(back(result, shape, dim, keepdim) / self)
    if dim is None:
        flat = self.reshape((-1,))
        return others(grad.reshape((1,)), flat, 0).reshape(shape)
    return others(back(grad, shape, dim, keepdim), self, dim)


def others(grad: Any, x: Any, dim: int) -> Any:
    """The products of what comes before and what comes after each entry; `dim` is kept."""
    last = np.full_like(plain(grad), x.shape[dim] - 1, dtype=np.int64)
    at_end = put_at(grad, last, tuple(x.shape), dim, True)
    return scan_back(at_end, conj(x), dim) * conj(shift(cumprod(x, dim), dim, 1, 1))


def prod_tangent(self_t: Any, self: Any, result: Any, dim: Any, keepdim: bool) -> Any:
    """The sum of the tangents, each times the product of all other entries."""
    one = np.ones_like(self_t.sum(axis=dim, keepdims=keepdim))
    return (self_t * conj(prod_grad(one, self, result, dim, keepdim))).sum(
        axis=dim, keepdims=keepdim)


def cumprod_grad(grad: Any, self: Any, result: Any, dim: int) -> Any:
    """What arrives from entry k on, times the product before k."""
    if self.shape and certainly(plain(self).all()):
        return reverse_cumsum(grad * conj(result), dim) / conj(self)
    return scan_back(grad, conj(self), dim) * conj(shift(result, dim, 1, 1))


def cumprod_tangent(self_t: Any, self: Any, result: Any, dim: int) -> Any:
    """Each running product is the one before times an entry: the rule of the product."""
    return scan(self_t * shift(result, dim, 1, 1), self, dim)


def record_holder(ufunc: Any, x: Any, dim: int) -> tuple:
    """The largest (smallest) entry so far, and its place: of equal ones the latest."""
    if not x.ndim:
        return x, np.zeros_like(x, dtype=np.int64)
    values = ufunc.accumulate(x, axis=dim)
    places = made(x, np.arange, x.shape[dim], dtype=np.int64).reshape(
        tuple(-1 if i == dim else 1 for i in range(x.ndim)))
    new = np.where((x == values) | np.isnan(x), places, 0)
    return values, np.maximum.accumulate(new, axis=dim)


def decay(result: Any, dim: int) -> Any:
    """By which factor each sum of exponentials is smaller than the next: never above 1."""
    return np.exp(shift(result, dim, 1, -np.inf) - result)
