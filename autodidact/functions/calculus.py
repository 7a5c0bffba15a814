"""Differences, integrals, covariance, quantiles: compositions, differentiated by their rows."""

from typing import Any

import numpy as np

from autodidact.functions.arguments import dims_of, need_tensor, numbers_of
from autodidact.functions.joining import cat
from autodidact.functions.ordering import sort
from autodidact.functions.reduction import returned
from autodidact.ops import index as index_rows
from autodidact.ops import scattering as order_rows
from autodidact.public import both, function
from autodidact.tensor import Tensor, wrap, wrap_dim

__all__ = ["cov", "diff", "kthvalue", "nanmedian", "quantile", "trapezoid"]

KTH, MODE, NANMEDIAN = (returned(n, "values indices") for n in ("kthvalue", "mode", "nanmedian"))

# ---- differences and integrals ------------------------------------------------------------------


@both
def diff(input: Tensor, n: int = 1, dim: int = -1, prepend: Tensor | None = None,
         append: Tensor | None = None, *, out: Any = None) -> Tensor:
    """The differences of neighbours along `dim`, n times over.

    Example:
        >>> torch.diff(torch.tensor([1, 4, 9]))
        tensor([3, 5])
    """
    need_tensor(input, "diff", "input")
    if not input._array.ndim:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    dim = wrap_dim(dim, input._array.ndim)
    if n == 0:
        return input.clone() if prepend is None and append is None else cat(
            [p for p in (prepend, input, append) if p is not None], dim)
    if prepend is not None or append is not None:
        input = cat([p for p in (prepend, input, append) if p is not None], dim)
    for _ in range(min(n, input._array.shape[dim])):
        left, right = sides(input, dim)
        input = left ^ right if input._array.dtype.kind == "b" else right - left
    return input


def sides(x: Tensor, dim: int) -> tuple:
    """All slices but the last, and all but the first."""
    n = max(x._array.shape[dim] - 1, 0)
    return x.narrow(dim, 0, n), x.narrow(dim, min(1, x._array.shape[dim]), n)


def steps(x: Any, y: Tensor, dim: int) -> Tensor:
    """The distances of the places x, in a shape that meets y."""
    if x._array.ndim == 1 and y._array.ndim > 1:
        if x._array.size != y._array.shape[dim]:
            raise RuntimeError("trapezoid: There must be one `x` value for each sample point")
        x = x.reshape([-1 if d == dim else 1 for d in range(y._array.ndim)])
    elif x._array.ndim < y._array.ndim:
        x = x.reshape((1,) * (y._array.ndim - x._array.ndim) + x._array.shape)
    left, right = sides(x, dim - y._array.ndim + x._array.ndim)
    return right - left


def areas(y: Tensor, x: Any, dx: Any, dim: int) -> tuple:
    """The areas under the pieces of a polygon, and along which dimension they lie."""
    if isinstance(x, Tensor) and dx is not None:
        raise TypeError("trapezoid(): got both x and dx")
    dim = wrap_dim(dim, y._array.ndim)
    left, right = sides(y, dim)
    if isinstance(x, Tensor):
        return (left + right) * steps(x, y, dim) / 2, dim
    return (left + right) * ((1 if dx is None else dx) / 2), dim


@function
def trapezoid(y: Tensor, x: Any = None, *, dx: Any = None, dim: int = -1) -> Tensor:
    """The integral along `dim` by the trapezoidal rule; x: the places, or dx: their distance."""
    parts, dim = areas(y, x, dx, dim)
    return parts.sum(dim)


@function
def trapz(y: Tensor, x: Any = None, *, dx: Any = None, dim: int = -1) -> Tensor:
    """`trapezoid`, by its old name."""
    return trapezoid(y, x, dx=dx, dim=dim)


@function
def cumulative_trapezoid(y: Tensor, x: Any = None, *, dx: Any = None, dim: int = -1) -> Tensor:
    """The integrals up to each place by the trapezoidal rule."""
    parts, dim = areas(y, x, dx, dim)
    return parts.cumsum(dim)


@function
def gradient(input: Tensor, *, spacing: Any = 1, dim: Any = None, edge_order: int = 1) -> tuple:
    """The slopes along every dimension (or those in `dim`), by central differences.

    Args:
        input: the values.
        spacing: the distance of neighbours, one for each dimension, or tensors of places.
        dim: which dimensions; None for all.
        edge_order: 1 or 2: how the slopes at the edges are found.
    """
    rank, spacing = input._array.ndim, 1 if spacing is None else spacing
    dims = tuple(range(rank)) if dim is None else dims_of(dim, rank)
    many = isinstance(spacing, (list, tuple))
    spacings = list(spacing) if many else [spacing] * len(dims)
    if len(spacings) != len(dims):
        raise RuntimeError("torch.gradient expected spacing to be unspecified, a scalar, or a list "
                           f"of length equal to 'self.dim() = {rank}' or the number of dims, but "
                           f"got a list of length {len(spacings)}")
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    for d in dims:
        if input._array.shape[d] < edge_order + 1:
            raise RuntimeError("torch.gradient expected each dimension size to be at least "
                               "edge_order+1")
    return tuple(slope(input, d, h, edge_order) for d, h in zip(dims, spacings, strict=True))


def slope(x: Tensor, d: int, spacing: Any, order: int) -> Tensor:
    """The slopes along one dimension, for equal or given distances."""
    x = x if x._array.dtype.kind in "fc" else x.float()
    n, places = x._array.shape[d], isinstance(spacing, Tensor) and spacing._array.ndim > 0
    h = diff(spacing) if places else x.real.new_ones(n - 1) * spacing
    h = h.reshape([-1 if k == d else 1 for k in range(x._array.ndim)])

    def at(t: Tensor, start: int, count: int = 1) -> Tensor:
        return t.narrow(d, start % t._array.shape[d], count)
    parts = [edge(at, x, h, order, 0, 1)]
    if n > 2:
        a, b = at(h, 0, n - 2), at(h, 1, n - 2)
        parts.append(at(x, 0, n - 2) * (-b / (a * (a + b))) + at(x, 1, n - 2) * ((b - a) / (a * b))
                     + at(x, 2, n - 2) * (a / (b * (a + b))))
    parts.append(edge(at, x, h, order, -1, -1))
    return cat(parts, d)


def edge(at: Any, x: Tensor, h: Tensor, order: int, k: int, step: int) -> Tensor:
    """The slope at one end, from the two or three nearest values."""
    a = at(h, k)
    if order == 1:
        return (at(x, k + step) - at(x, k)) / a * step
    b = at(h, k + step)
    return step * (at(x, k) * (-(2 * a + b) / (a * (a + b))) + at(x, k + step) * ((a + b) / (a * b))
                   - at(x, k + 2 * step) * (a / (b * (a + b))))


# ---- covariance ---------------------------------------------------------------------------------


@both
def cov(input: Tensor, *, correction: int = 1, fweights: Tensor | None = None,
        aweights: Tensor | None = None) -> Tensor:
    """The covariances of variables (rows) over observations (columns).

    Args:
        input: up to two dimensions.
        correction: the sum is divided by n - correction.
        fweights: how often each observation counts (whole numbers).
        aweights: how much each observation counts.
    """
    if input._array.ndim > 2:
        raise RuntimeError("cov(): expected input to have two or fewer dimensions but got an input "
                           f"with {input._array.ndim} dimensions")
    if input._array.dtype.kind == "b":
        raise RuntimeError("cov(): bool dtype is not supported for input")
    x = input if input._array.ndim == 2 else input.reshape(1, -1)
    x = x if x._array.dtype.kind in "fc" else x.float()
    weight = fweights if aweights is None else aweights if fweights is None else (
        fweights * aweights)
    n = x._array.shape[1]
    if weight is None:
        average = x.mean(1, keepdim=True)
        free: Any = n - correction
    else:
        total = weight.sum()
        average = (x * weight).sum(1, keepdim=True) / total
        free = total - correction if aweights is None else total - correction * (
            weight * aweights).sum() / total
    away = x - average
    scaled = away if weight is None else away * weight
    free = free.clamp_min(0) if isinstance(free, Tensor) else max(free, 0)
    if not isinstance(free, Tensor):
        free = wrap(np.asarray(free, away.abs()._array.dtype))
    return (scaled @ away.mH / free).squeeze()


@both
def corrcoef(input: Tensor) -> Tensor:
    """The correlation coefficients of variables (rows): covariances over the deviations."""
    if input._array.ndim > 2:
        raise RuntimeError("corrcoef(): expected input to have two or fewer dimensions but got an "
                           f"input with {input._array.ndim} dimensions")
    c = cov(input)
    if not c._array.ndim:
        return c / c
    deviation = c.diagonal().real.sqrt() if c.is_complex() else c.diagonal().sqrt()
    found = c / deviation.reshape(-1, 1) / deviation.reshape(1, -1)
    return found if found.is_complex() else found.clamp(-1, 1)


# ---- order statistics ---------------------------------------------------------------------------


@both
def kthvalue(input: Tensor, k: int, dim: int = -1, keepdim: bool = False, *,
             out: Any = None) -> Any:
    """The k-th smallest value along `dim`, and where it is."""
    dim = wrap_dim(dim, input._array.ndim)
    n = input._array.shape[dim] if input._array.ndim else 1
    if not 1 <= k <= n:
        raise RuntimeError("kthvalue(): selected number k out of range for dimension "
                           f"{dim}")
    if not input._array.ndim:
        return KTH(input.clone(), wrap(np.zeros((), np.int64)))
    _, order = sort(input.detach(), dim)
    places = order.narrow(dim, k - 1, 1)
    return picked(KTH, input, places, dim, keepdim)


def picked(kind: type, x: Tensor, places: Tensor, dim: int, keepdim: bool) -> Any:
    """The values at places along a dimension, and the places."""
    values = index_rows.gather.call(x, places, dim)
    return kind(values, places) if keepdim else kind(values.squeeze(dim), places.squeeze(dim))


@both
def mode(input: Tensor, dim: int = -1, keepdim: bool = False) -> Any:
    """The most frequent value along `dim` (of several the smallest), and where it last occurs."""
    dim = wrap_dim(dim, input._array.ndim)
    if not input._array.ndim:
        return MODE(input.clone(), wrap(np.zeros((), np.int64)))
    return picked(MODE, input, order_rows.mode_place.call(input.detach(), dim), dim, keepdim)


@both
def nanmedian(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """The median of what is not nan; with `dim`, (values, indices)."""
    if input._array.dtype.kind != "f":
        return input.median() if dim is None else NANMEDIAN(*input.median(dim, keepdim))
    if dim is None:
        known = ~input.detach().isnan()
        return (input[known] if bool(known.any()) else input).median()
    dim = wrap_dim(dim, input._array.ndim)
    if not input._array.ndim:
        return NANMEDIAN(input.clone(), wrap(np.zeros((), np.int64)))
    known = input.detach()
    middle = ((~known.isnan()).sum(dim, keepdim=True) - 1).clamp_min(0) // 2
    return picked(NANMEDIAN, input, sort(known, dim)[1].gather(dim, middle), dim, keepdim)


def quantiles(name: str, x: Tensor, q: Any, dim: Any, keepdim: bool, how: str,
              skip_nan: bool) -> Tensor:
    """`quantile` and `nanquantile`: the sorted values at places between them."""
    if x._array.dtype not in (np.float32, np.float64):
        raise RuntimeError(f"{name}() input tensor must be either float or double dtype")
    if how not in ("linear", "lower", "higher", "nearest", "midpoint"):
        raise RuntimeError(f"{name}() interpolation must be one of linear, lower, higher, midpoint "
                           f"or nearest, but got {how}")
    shares = q if isinstance(q, Tensor) else wrap(np.asarray(q, x._array.dtype))
    if shares._array.dtype != x._array.dtype:
        raise RuntimeError(f"{name}() q tensor must be same dtype as the input tensor")
    numbers = numbers_of(shares, name)
    if np.any((numbers < 0) | (numbers > 1)):
        raise RuntimeError(f"{name}() q values must be in the range [0, 1]")
    rank = x._array.ndim
    flat = x.reshape(-1) if dim is None else x.movedim(dim, -1) if rank else x.reshape(1)
    values, _ = sort(flat, -1)
    found = between(values, shares.reshape(-1), how, skip_nan)
    found = found.movedim(-1, 0)
    if keepdim:
        found = found.reshape(-1, *(1,) * rank) if dim is None else (
            found.unsqueeze(wrap_dim(dim, rank) + 1) if rank else found)
    return found if shares._array.ndim else found.squeeze(0)


def between(values: Tensor, shares: Tensor, how: str, skip_nan: bool) -> Tensor:
    """Sorted values at the given shares of their range; nan, which is last, spoils the others."""
    unknown = values.detach().isnan()
    last = values._array.shape[-1] - 1
    if skip_nan:
        ranks = shares * (last - unknown.sum(-1, keepdim=True)).clamp_min(0)
    else:
        spoilt = unknown.any(-1, keepdim=True)
        ranks = shares * last * (~spoilt) + spoilt * last
    if how in ("lower", "higher", "nearest"):
        ranks = {"lower": ranks.floor, "higher": ranks.ceil, "nearest": ranks.round}[how]()
        return values.gather(-1, ranks.detach().long())
    floor = ranks.detach().floor()
    below = values.gather(-1, floor.long())
    above = values.gather(-1, ranks.detach().ceil().long())
    return below.lerp(above, floor * 0 + 0.5 if how == "midpoint" else ranks - floor)


@both
def quantile(input: Tensor, q: Any, dim: int | None = None, keepdim: bool = False, *,
             interpolation: str = "linear", out: Any = None) -> Tensor:
    """The values below which the shares q of all entries lie (along `dim`).

    Args:
        input: float32 or float64.
        q: a share from 0 to 1, or a vector of them, which then comes first in the shape.
        dim: which dimension; None for all entries.
        keepdim: the dimension stays, with size 1.
        interpolation: linear, lower, higher, nearest or midpoint.
        out: a tensor to write into.

    Example:
        >>> torch.quantile(torch.tensor([1., 2., 3.]), 0.25)
        tensor(1.5000)
    """
    return quantiles("quantile", input, q, dim, keepdim, interpolation, False)


@both
def nanquantile(input: Tensor, q: Any, dim: int | None = None, keepdim: bool = False, *,
                interpolation: str = "linear", out: Any = None) -> Tensor:
    """The same of what is not nan."""
    return quantiles("nanquantile", input, q, dim, keepdim, interpolation, True)
