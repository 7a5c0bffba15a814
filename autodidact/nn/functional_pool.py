"""Pooling with PyTorch's arguments; part of `torch.nn.functional`."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from autodidact.functions.arguments import all_numbers, numbers_of
from autodidact.functions.creation import fresh
from autodidact.nn.functional import relu
from autodidact.nn.functional_conv import batched, each
from autodidact.ops import pooling as rows
from autodidact.tensor import Tensor

__all__ = [
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool1d",
    "adaptive_max_pool2d", "adaptive_max_pool3d", "avg_pool1d", "avg_pool2d", "avg_pool3d",
    "lp_pool1d", "lp_pool2d", "lp_pool3d", "max_pool1d", "max_pool2d", "max_pool3d", "max_unpool1d",
    "max_unpool2d", "max_unpool3d",
]


def places(name: str, size: tuple, kernel: tuple, stride: tuple, padding: tuple, dilation: tuple,
           ceil_mode: bool) -> tuple:
    """How many places the window has along each dimension; in ceil_mode one more may reach out."""
    count = []
    for n, k, s, p, d in zip(size, kernel, stride, padding, dilation, strict=True):
        if p > (d * (k - 1) + 1) // 2:
            raise RuntimeError(f"{name}: pad should be at most half of effective kernel size, but "
                               f"got pad={p}, kernel_size={k} and dilation={d}")
        room = n + 2 * p - d * (k - 1) - 1
        c = (-(-room // s) if ceil_mode else room // s) + 1
        if ceil_mode and (c - 1) * s >= n + p:           # it must begin inside the input
            c -= 1
        count.append(c)
    if min(count) < 1:
        raise RuntimeError(f"{name}: given input size {tuple(size)}, the calculated output size "
                           f"{tuple(count)} is too small")
    return tuple(count)


def max_pool(name: str, dims: int, input: Tensor, kernel_size: Any, stride: Any, padding: Any,
             dilation: Any, ceil_mode: bool, return_indices: bool) -> Any:
    """The largest entry of each window."""
    if dims > 1 and input.dim() not in (dims + 1, dims + 2):
        raise RuntimeError(f"non-empty {dims + 1}D or {dims + 2}D (batch mode) tensor expected for "
                           "input")
    input, with_batch = batched(name, input, dims)
    flat = dims == 1                                      # a row of pixels is a picture of height 1
    kernel = each(kernel_size, dims)
    stride = kernel if stride is None or stride in ([], ()) else each(stride, dims)
    padding, dilation = each(padding, dims), each(dilation, dims)
    if flat:
        input = input.unsqueeze(-2)
        kernel, stride, padding, dilation = ((one, *v) for one, v in zip(
            (1, 1, 0, 1), (kernel, stride, padding, dilation), strict=True))
    count = places(name, tuple(input.shape[2:]), kernel, stride, padding, dilation, ceil_mode)
    row = rows.max_pool3d_with_indices if dims == 3 else rows.max_pool2d_with_indices
    found = row.call(input, kernel, stride, padding, dilation, count)
    found = [t.squeeze(-2) if flat else t for t in found]
    found = [t if with_batch else t.squeeze(0) for t in found]
    return tuple(found) if return_indices else found[0]


def avg_pool(name: str, dims: int, input: Tensor, kernel_size: Any, stride: Any, padding: Any,
             ceil_mode: bool, count_include_pad: bool, divisor_override: int | None) -> Tensor:
    """The mean of each window."""
    input, with_batch = batched(name, input, dims)
    flat = dims == 1
    kernel = each(kernel_size, dims)
    stride = kernel if stride is None or stride in ([], ()) else each(stride, dims)
    padding = each(padding, dims)
    if flat:
        input = input.unsqueeze(-2)
        kernel, stride, padding = (1, *kernel), (1, *stride), (0, *padding)
    size = tuple(input.shape[2:])
    count = places(name, size, kernel, stride, padding, (1,) * len(kernel), ceil_mode)
    divisor = divisor_override or shares(size, kernel, stride, padding, count, count_include_pad)
    if isinstance(divisor, np.ndarray):
        divisor = divisor.astype(input._array.dtype)
    row = rows.avg_pool3d if dims == 3 else rows.avg_pool2d
    result = row.call(input, kernel, stride, padding, count, divisor)
    result = result.squeeze(-2) if flat else result
    return result if with_batch else result.squeeze(0)


def shares(size: tuple, kernel: tuple, stride: tuple, padding: tuple, count: tuple,
           count_include_pad: bool) -> Any:
    """How many entries each window's sum is divided by; one number where all agree."""
    total: Any = np.ones((), np.int64)
    for n, k, s, p, c in zip(size, kernel, stride, padding, count, strict=True):
        start = np.arange(c, dtype=np.int64) * s - p
        stop = np.minimum(start + k, n + p)
        if not count_include_pad:
            start, stop = np.maximum(start, 0), np.minimum(stop, n)
        total = total[..., None] * (stop - start)
    return math.prod(kernel) if (total == math.prod(kernel)).all() else total


def max_pool_of(dims: int) -> Callable:
    """`max_pool1d`, `max_pool2d`, `max_pool3d`."""
    name = f"max_pool{dims}d"

    def pool(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0,
             dilation: Any = 1, ceil_mode: bool = False, return_indices: bool = False) -> Any:
        """The largest entry of each window; with `return_indices` also where it was."""
        return max_pool(name, dims, input, kernel_size, stride, padding, dilation, ceil_mode,
                        return_indices)
    pool.__name__ = pool.__qualname__ = name
    return pool


def avg_pool_of(dims: int) -> Callable:
    """`avg_pool1d`, `avg_pool2d`, `avg_pool3d`."""
    name = f"avg_pool{dims}d"

    def pool(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0,
             ceil_mode: bool = False, count_include_pad: bool = True,
             divisor_override: int | None = None) -> Tensor:
        """The mean of each window; zeros of the padding count unless told otherwise."""
        return avg_pool(name, dims, input, kernel_size, stride, padding, ceil_mode,
                        count_include_pad, divisor_override)
    pool.__name__ = pool.__qualname__ = name
    return pool


max_pool1d, max_pool2d, max_pool3d = map(max_pool_of, (1, 2, 3))
avg_pool1d, avg_pool2d, avg_pool3d = map(avg_pool_of, (1, 2, 3))


# ---- adaptive: the size of the output is given --------------------------------------------------


def wanted(output_size: Any, size: tuple) -> tuple:
    """The output's size; None keeps the input's."""
    given = output_size if isinstance(output_size, tuple | list) else (output_size,) * len(size)
    return tuple(n if o is None else int(o) for o, n in zip(given, size, strict=True))


def spans(n: int, out: int) -> list:
    """Begin and end of each of `out` parts of a dimension; they may overlap by one."""
    return [(i * n // out, -(-(i + 1) * n // out)) for i in range(out)]


def adaptive_avg(dims: int) -> Callable:
    """`adaptive_avg_pool1d`, ..."""
    name = f"adaptive_avg_pool{dims}d"

    def pool(input: Tensor, output_size: Any) -> Tensor:
        """The mean of each part, the dimensions cut into `output_size` parts."""
        x, with_batch = batched(name, input, dims)
        for i, (n, out) in enumerate(zip(x.shape[2:], wanted(output_size, x.shape[2:]),
                                         strict=True)):
            if out == 1:
                x = x.mean(i + 2, keepdim=True)
            elif out != n:
                means = np.zeros((n, out), x._array.dtype)
                for k, (begin, end) in enumerate(spans(n, out)):
                    means[begin:end, k] = 1 / (end - begin)
                x = (x.transpose(i + 2, -1) @ fresh(means)).transpose(i + 2, -1)
        return x if with_batch else x.squeeze(0)
    pool.__name__ = pool.__qualname__ = name
    return pool


def adaptive_max(dims: int) -> Callable:
    """`adaptive_max_pool1d`, ..."""
    name = f"adaptive_max_pool{dims}d"

    def pool(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
        """The largest entry of each part, the dimensions cut into `output_size` parts."""
        x, with_batch = batched(name, input, dims)
        size = tuple(x.shape[2:])
        numbers = numbers_of(x, name) if hasattr(x._array, "value") else all_numbers(x)
        indices = fresh(best_of_parts(numbers, wanted(output_size, size)))
        found = [rows.pick_planes.call(x, indices), indices]
        found = [t if with_batch else t.squeeze(0) for t in found]
        return tuple(found) if return_indices else found[0]
    pool.__name__ = pool.__qualname__ = name
    return pool


def best_of_parts(x: np.ndarray, out: tuple) -> np.ndarray:
    """Where each part's largest entry is, as a flat position in its plane."""
    size = x.shape[2:]
    found = np.empty((*x.shape[:2], *out), np.int64)
    number = np.arange(math.prod(size), dtype=np.int64).reshape(size)
    cuts = [spans(n, o) for n, o in zip(size, out, strict=True)]
    for place in np.ndindex(out):
        part = tuple(slice(*cuts[i][k]) for i, k in enumerate(place))
        best = x[(slice(None), slice(None), *part)].reshape(*x.shape[:2], -1).argmax(2)
        found[(slice(None), slice(None), *place)] = number[part].reshape(-1)[best]
    return found


adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d = map(adaptive_avg, (1, 2, 3))
adaptive_max_pool1d, adaptive_max_pool2d, adaptive_max_pool3d = map(adaptive_max, (1, 2, 3))


# ---- the rest -----------------------------------------------------------------------------------


def lp_pool(dims: int) -> Callable:
    """`lp_pool1d`, `lp_pool2d`, `lp_pool3d`."""
    average = (avg_pool1d, avg_pool2d, avg_pool3d)[dims - 1]

    def pool(input: Tensor, norm_type: float, kernel_size: Any, stride: Any = None,
             ceil_mode: bool = False) -> Tensor:
        """The p-norm of each window (of what is positive after summing)."""
        mean = average(input ** norm_type, kernel_size, stride, 0, ceil_mode)
        count = math.prod(each(kernel_size, dims))
        return (mean.sign() * relu(mean.abs()) * count) ** (1.0 / norm_type)
    pool.__name__ = pool.__qualname__ = f"lp_pool{dims}d"
    return pool


lp_pool1d, lp_pool2d, lp_pool3d = map(lp_pool, (1, 2, 3))


def max_unpool(dims: int) -> Callable:
    """`max_unpool1d`, ..."""
    name = f"max_unpool{dims}d"

    def unpool(input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None,
               padding: Any = 0, output_size: Any = None) -> Tensor:
        """Zeros, with each entry where max_pool had found it."""
        x, with_batch = batched(name, input, dims)
        kernel = each(kernel_size, dims)
        stride = kernel if stride is None else each(stride, dims)
        size = tuple((n - 1) * s - 2 * p + k for n, s, p, k in zip(
            x.shape[2:], stride, each(padding, dims), kernel, strict=True))
        size = size if output_size is None else tuple(output_size)[-dims:]
        where = indices if with_batch else indices.unsqueeze(0)
        flat = x.new_zeros(*x.shape[:2], math.prod(size))
        result = flat.scatter(2, where.flatten(2), x.flatten(2)).reshape(*x.shape[:2], *size)
        return result if with_batch else result.squeeze(0)
    unpool.__name__ = unpool.__qualname__ = name
    return unpool


max_unpool1d, max_unpool2d, max_unpool3d = map(max_unpool, (1, 2, 3))
