"""Reductions with PyTorch's arguments `dim`, `keepdim`, `dtype`, and NumPy's `axis`, `keepdims`."""

from collections import namedtuple
from collections.abc import Callable
from functools import cache
from typing import Any

from autodidact.arrays import dtype as dt
from autodidact.functions.arguments import dims_of, need_tensor, wrap_dim
from autodidact.inplace import write
from autodidact.ops import choice, running
from autodidact.ops import reduction as rows
from autodidact.public import both, method
from autodidact.tensor import Tensor

__all__ = ["max", "mean", "min", "sum"]


@cache
def results_class(name: str, fields: str) -> type:
    """A named tuple that prints as PyTorch's: `torch.return_types.max(values=..., indices=...)`."""
    def show(self: Any) -> str:
        parts = ",\n".join(f"{f}={getattr(self, f)!r}" for f in self._fields)
        return f"torch.return_types.{name}(\n{parts})"
    base = namedtuple(name, fields)
    words = {"__slots__": (), "__repr__": show, "__module__": "torch.return_types"}
    return type(name, (base,), words)


def returned(name: str, fields: str) -> Callable:
    """What makes results with names; their class is made with the first: thirty delay an import."""
    return lambda *values: results_class(name, fields)(*values)


MAX, MIN, MEDIAN = (returned(n, "values indices") for n in ("max", "min", "median"))
CUMMAX, CUMMIN = (returned(n, "values indices") for n in ("cummax", "cummin"))
AMINMAX = returned("aminmax", "min max")
UNSET: Any = object()


def numpy_names(dim: Any, keepdim: Any, axis: Any, keepdims: Any) -> tuple:
    """`axis` and `keepdims` mean `dim` and `keepdim`."""
    return dim if axis is UNSET else axis, keepdim if keepdims is None else keepdims


def cast(x: Tensor, dtype: Any) -> Tensor:
    """The tensor in the dtype asked for."""
    return x if dtype is None else x.to(dtype)


def some(dim: Any, ndim: int) -> tuple:
    """The dimensions to reduce, from the front; none given means all of them."""
    if dim is None or (isinstance(dim, (tuple, list)) and not dim):
        return tuple(range(ndim))
    dims = dims_of(dim, ndim)
    return dims if ndim else ()


def need_floating(x: Tensor, name: str) -> None:
    """PyTorch's refusal of integers, where an average would not be one."""
    if x._array.dtype.kind not in "fc":
        long = {"int64": "Long", "bool": "Bool"}.get(x.dtype.name, x.dtype.name.capitalize())
        raise RuntimeError(f"{name}(): could not infer output dtype. Input dtype must be either a "
                           f"floating point or complex dtype. Got: {long}")


# ---- sums and products --------------------------------------------------------------------------


@both
def sum(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None,
        axis: Any = UNSET, keepdims: Any = None, out: Any = None) -> Tensor:
    """The sum of all entries, or along `dim` (one dimension or several).

    Args:
        input: any dtype; integers and bools are summed in int64.
        dim: which dimensions disappear; None for all.
        keepdim: they stay, with size 1.
        dtype: the dtype to cast to before summing.
        axis: NumPy's name for `dim`.
        keepdims: NumPy's name for `keepdim`.
        out: not supported.

    Raises:
        IndexError: for a dimension out of range.

    Example:
        >>> torch.tensor([[1., 2.], [3., 4.]]).sum(dim=0)
        tensor([4., 6.])
    """
    if dim is None and axis is UNSET and not keepdim and not keepdims and dtype is None:
        return rows.sum.call(input)
    need_tensor(input, "sum", "input")
    dim, keepdim = numpy_names(dim, keepdim, axis, keepdims)
    input = cast(input, dtype)
    if dim is None and not keepdim:
        return rows.sum.call(input)
    return rows.sum_dim.call(input, some(dim, input._array.ndim), keepdim)


@both
def mean(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None,
         axis: Any = UNSET, keepdims: Any = None, out: Any = None) -> Tensor:
    """The mean of all entries, or along `dim`.

    Raises:
        RuntimeError: for integers.

    Example:
        >>> torch.tensor([1., 2., 6.]).mean()
        tensor(3.)
    """
    need_tensor(input, "mean", "input")
    dim, keepdim = numpy_names(dim, keepdim, axis, keepdims)
    input = cast(input, dtype)
    need_floating(input, "mean")
    if dim is None and not keepdim:
        return rows.mean.call(input)
    return rows.mean_dim.call(input, some(dim, input._array.ndim), keepdim)


@both
def nansum(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The sum of what is not nan."""
    input = cast(input, dtype)
    if input._array.dtype.kind not in "fc":
        return sum(input, dim, keepdim)
    return rows.nansum.call(input, some(dim, input._array.ndim), keepdim)


@both
def nanmean(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The mean of what is not nan."""
    count = (~input.detach().isnan()).sum(dim, keepdim)
    return nansum(input, dim, keepdim, dtype=dtype) / count


@both
def prod(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The product of all entries, or along one dimension; integers in int64."""
    need_tensor(input, "prod", "input")
    input = cast(input, dtype)
    if dim is None:
        return running.prod.call(input)
    return running.prod_dim.call(input, wrap_dim(dim, input._array.ndim), keepdim)


@both
def cumsum(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """Along `dim`: the first entry, the sum of the first two, of the first three, ..."""
    return running.cumsum.call(cast(input, dtype), wrap_dim(dim, input._array.ndim))


@both
def cumprod(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """Along `dim`: the first entry, the product of the first two, of the first three, ..."""
    return running.cumprod.call(cast(input, dtype), wrap_dim(dim, input._array.ndim))


@both
def logcumsumexp(input: Tensor, dim: int) -> Tensor:
    """Along `dim`: the logarithms of the running sums of `exp(input)`."""
    need_floating(input, "logcumsumexp")
    return running.logcumsumexp.call(input, wrap_dim(dim, input._array.ndim))


def record(row: Any, result: type) -> None:
    """`cummax` and `cummin`."""
    def f(input: Tensor, dim: int) -> Any:
        return result(*row.call(input, wrap_dim(dim, input._array.ndim)))
    f.__name__ = f.__qualname__ = row.name
    f.__doc__ = f"Along `dim`: the {row.name[3:]}imum so far and its place, a named tuple."
    both(f)


record(running.cummax, CUMMAX)
record(running.cummin, CUMMIN)


def in_place(row: Any) -> None:
    """`cumsum_` and `cumprod_`."""
    def f(self: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
        return write(row, self, (), (wrap_dim(dim, self._array.ndim),))
    method(f, f"{row.name}_")


in_place(running.cumsum)
in_place(running.cumprod)

# ---- the largest and the smallest ---------------------------------------------------------------


def extremum(name: str, whole: Any, along: Any, binary: Any, result: type) -> None:
    """`max` and `min`: of all entries, along a dimension, or of two tensors."""
    def f(input: Tensor, dim: Any = None, keepdim: bool = False, *, other: Any = None,
          axis: Any = UNSET, keepdims: Any = None, out: Any = None) -> Any:
        need_tensor(input, name, "input")
        dim, keepdim = numpy_names(dim, keepdim, axis, keepdims)
        if isinstance(dim, Tensor) or other is not None:
            return binary.call(input, other if dim is None else dim)
        check_not_empty(input, dim, name)
        if dim is None:
            return whole.call(input)
        return result(*along.call(input, wrap_dim(dim, input._array.ndim), keepdim))
    f.__name__ = f.__qualname__ = name
    f.__doc__ = (f"The {name}imum of all entries (equal ones share the gradient); with `dim`, the "
                 "named tuple (values, indices); with a second tensor, the elementwise one.")
    both(f, name)


def check_not_empty(x: Tensor, dim: Any, name: str) -> None:
    """Nothing has no largest entry."""
    if x._array.size == 0 and (dim is None or x._array.shape[wrap_dim(dim, x._array.ndim)] == 0):
        if dim is None:
            raise (RuntimeError if name in ("max", "min") else IndexError)(
                f"{name}(): Expected reduction dim to be specified for input.numel() == 0. "
                "Specify the reduction dim with the 'dim' argument.")
        raise IndexError(f"{name}(): Expected reduction dim {dim} to have non-zero size.")


extremum("max", rows.max, rows.max_dim, choice.maximum, MAX)
extremum("min", rows.min, rows.min_dim, choice.minimum, MIN)


def extreme_values(row: Any) -> None:
    """`amax` and `amin`: values only, over several dimensions."""
    def f(input: Tensor, dim: Any = (), keepdim: bool = False, *, axis: Any = UNSET,
          keepdims: Any = None) -> Tensor:
        dim, keepdim = numpy_names(dim, keepdim, axis, keepdims)
        dims = some(dim, input._array.ndim)
        for d in dims:
            check_not_empty(input, d, row.name)
        return row.call(input, dims, keepdim)
    f.__name__ = f.__qualname__ = row.name
    f.__doc__ = (f"The {row.name[1:]}imum over the dimensions `dim` (default: all); equal entries "
                 "share the gradient.")
    both(f, row.name)


extreme_values(rows.amax)
extreme_values(rows.amin)


@both
def aminmax(input: Tensor, *, dim: int | None = None, keepdim: bool = False) -> Any:
    """Minimum and maximum together: a named tuple (min, max)."""
    dims = some(dim, input._array.ndim)
    return AMINMAX(rows.amin.call(input, dims, keepdim), rows.amax.call(input, dims, keepdim))


def place(row: Any) -> None:
    """`argmax` and `argmin`."""
    def f(input: Tensor, dim: int | None = None, keepdim: bool = False, *,
          axis: Any = UNSET) -> Tensor:
        need_tensor(input, row.name, "input")
        dim, keepdim = numpy_names(dim, keepdim, axis, None)
        check_not_empty(input, dim, row.name)
        return row.call(input, None if dim is None else wrap_dim(dim, input._array.ndim), keepdim)
    f.__name__ = f.__qualname__ = row.name
    f.__doc__ = (f"The index of the first {row.name[3:]}imum: along `dim`, or in the flattened "
                 "tensor.")
    both(f, row.name)


place(rows.argmax)
place(rows.argmin)


@both
def median(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """The middle entry in order, the lower one of two; with `dim`, (values, indices)."""
    if dim is None:
        return rows.median.call(input)
    check_not_empty(input, dim, "median")
    return MEDIAN(*rows.median_dim.call(input, wrap_dim(dim, input._array.ndim), keepdim))


# ---- truth and counts ---------------------------------------------------------------------------


def truth(row: Any, doc: str) -> None:
    """`all` and `any`."""
    def f(input: Tensor, dim: Any = None, keepdim: bool = False, *, axis: Any = UNSET,
          keepdims: Any = None, out: Any = None) -> Tensor:
        need_tensor(input, row.name, "input")
        dim, keepdim = numpy_names(dim, keepdim, axis, keepdims)
        result = row.call(input, some(dim, input._array.ndim), keepdim)
        return result.to(dt.uint8) if input.dtype is dt.uint8 else result
    f.__name__ = f.__qualname__ = row.name
    f.__doc__ = doc
    both(f, row.name)


truth(rows.all, "Whether all entries are true (not zero), or along `dim`.")
truth(rows.any, "Whether any entry is true (not zero), or along `dim`.")


@both
def count_nonzero(input: Tensor, dim: Any = None) -> Tensor:
    """How many entries are not zero, or along `dim`."""
    return rows.count_nonzero.call(input, some(dim, input._array.ndim))
