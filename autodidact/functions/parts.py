"""Parts of a tensor, in its own memory: select, narrow, unbind, split, diagonal, windows."""

from itertools import pairwise
from typing import Any

import numpy as np

from autodidact.arrays.dtype import BFLOAT16
from autodidact.arrays.strided import data_ptr, element_strides, owner
from autodidact.autograd.views import base_of
from autodidact.functions.arguments import integer, ints, need_tensor
from autodidact.ops import shape as copies
from autodidact.ops import view as rows
from autodidact.public import both, function, method
from autodidact.tensor import Tensor, wrap_dim
from autodidact.tensor_base import memory

__all__ = ["as_strided", "narrow", "select", "split", "unbind"]


@both
def select(input: Tensor, dim: int, index: int) -> Tensor:
    """The slice at `index` of dimension `dim`, which disappears.

    Raises:
        IndexError: out of range, or a 0-dim tensor.
    """
    need_tensor(input, "select", "input")
    shape = input._array.shape
    if not shape:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    dim, index = wrap_dim(integer(dim), len(shape)), integer(index)
    n = shape[dim]
    if not -n <= index < n:
        raise IndexError(f"select(): index {index} out of range for tensor of size {list(shape)} "
                         f"at dimension {dim}")
    return rows.select.call(input, dim, index % n)


@both
def narrow(input: Tensor, dim: int, start: Any, length: int) -> Tensor:
    """`length` entries of dimension `dim`, from `start` on.

    Raises:
        RuntimeError: a negative length, or one that goes too far. IndexError: `start` outside.
    """
    shape = input._array.shape
    if not shape:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    dim, start = wrap_dim(dim, len(shape)), integer(start)
    n = shape[dim]
    if not -n <= start <= n:
        raise IndexError(f"start out of range (expected to be in range of [{-n}, {n}], but got "
                         f"{start})")
    start = start + n if start < 0 else start
    if start + length > n:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({n}).")
    return rows.slice_.call(input, dim, start, start + length, 1)


@both
def unbind(input: Tensor, dim: int = 0) -> tuple:
    """All slices along a dimension, as a tuple."""
    ndim = input._array.ndim
    if not ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return rows.unbind.call(input, wrap_dim(dim, ndim))


# ---- splitting ----------------------------------------------------------------------------------


def splitter(equal: Any, listed: Any, name: str) -> Any:
    """`split` and `unsafe_split`: parts of one size, or of the given sizes."""
    def split(tensor: Tensor, split_size_or_sections: Any = None, dim: int = 0,
              **named: Any) -> tuple:
        size = split_size_or_sections
        if size is None:
            size = next(iter(named.values()))
        shape = tensor._array.shape
        if not shape:
            raise RuntimeError("split expects at least a 1-dimensional tensor")
        dim = wrap_dim(dim, len(shape))
        if isinstance(size, (tuple, list)):
            return listed.call(tensor, check_sizes(ints((size,)), shape[dim], dim), dim)
        size = integer(size)
        if size < 0:
            raise RuntimeError("split expects split_size be non-negative, but got "
                               f"split_size={size}")
        if size == 0 and shape[dim]:
            raise RuntimeError("split_size can only be 0 if dimension size is 0, but got dimension "
                               f"size of {shape[dim]}")
        return equal.call(tensor, size, dim)

    split.__name__ = split.__qualname__ = name
    split.__doc__ = ("Parts along a dimension: all of one size (the last one perhaps smaller), or "
                     "of the sizes listed.")
    return split


def check_sizes(sizes: tuple, n: int, dim: int) -> tuple:
    """Part sizes must not be negative and must add up."""
    if min(sizes, default=0) < 0:
        raise RuntimeError("split_with_sizes expects split_sizes have only non-negative entries, "
                           f"but got split_sizes={list(sizes)}")
    if sum(sizes) != n:
        raise RuntimeError(f"split_with_sizes expects split_sizes to sum exactly to {n} (input "
                           f"tensor's size at dimension {dim}), but got split_sizes={list(sizes)}")
    return sizes


split = both(splitter(rows.split, rows.split_with_sizes, "split"))
unsafe_split = both(splitter(rows.unsafe_split, rows.unsafe_split_with_sizes, "unsafe_split"))


@both
def split_with_sizes(input: Tensor, split_sizes: Any, dim: int = 0) -> tuple:
    """Parts of the listed sizes."""
    return split(input, list(split_sizes), dim)


@both
def unsafe_split_with_sizes(input: Tensor, split_sizes: Any, dim: int = 0) -> tuple:
    """As `split_with_sizes`, for those who promise never to write into the parts."""
    return unsafe_split(input, list(split_sizes), dim)


def chunker(splitting: Any, name: str) -> Any:
    """`chunk` and `unsafe_chunk`."""
    def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple:
        shape = input._array.shape
        if not shape:
            raise RuntimeError("chunk expects at least a 1-dimensional tensor")
        if chunks <= 0:
            raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
        n = shape[wrap_dim(dim, len(shape))]
        size = -(-n // chunks)
        return splitting(input, size if size else [0] * chunks, dim)

    chunk.__name__ = chunk.__qualname__ = name
    chunk.__doc__ = "At most `chunks` parts of one size along a dimension."
    return chunk


chunk = both(chunker(split, "chunk"))
unsafe_chunk = both(chunker(unsafe_split, "unsafe_chunk"))


@both
def tensor_split(input: Tensor, indices_or_sections: Any, dim: int = 0, **named: Any) -> tuple:
    """Parts along a dimension, split at the given places or into that many nearly equal parts."""
    places = named.get("indices", named.get("sections", indices_or_sections))
    dim = wrap_dim(dim, input._array.ndim)
    if isinstance(places, Tensor):
        places = places.tolist()
    n = input._array.shape[dim]
    if isinstance(places, int):
        if places <= 0:
            raise RuntimeError(f"number of sections must be larger than 0, got {places}")
        small, larger = divmod(n, places)
        places = np.cumsum([small + (i < larger) for i in range(places)])[:-1].tolist()
    edges = [0, *places, n]
    return tuple(rows.slice_.call(input, dim, a, b, 1) for a, b in pairwise(edges))


def splits_along(name: str, dim: int, least: int) -> None:
    """`hsplit`, `vsplit`, `dsplit`: `tensor_split` along a fixed dimension."""
    def split_(input: Tensor, indices_or_sections: Any) -> tuple:
        ndim = input._array.ndim
        if ndim < least:
            raise RuntimeError(f"torch.{name} requires a tensor with at least {least} dimension, "
                               f"but got a tensor with {ndim} dimensions!")
        along = 0 if name == "hsplit" and ndim == 1 else dim
        n, parts = input._array.shape[along], indices_or_sections
        if isinstance(parts, int) and n % parts:
            raise RuntimeError(f"torch.{name} attempted to split along dimension {along}, but the "
                               f"size of the dimension {n} is not divisible by the split_size "
                               f"{parts}!")
        return tensor_split(input, parts, along)

    split_.__doc__ = f"`tensor_split` along dimension {dim}."
    both(split_, name)


splits_along("hsplit", 1, 1)
splits_along("vsplit", 0, 2)
splits_along("dsplit", 2, 3)


# ---- diagonals, windows, strides -----------------------------------------------------------------


@both
def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """The entries where the indices of two dimensions differ by `offset`, as a last dimension."""
    ndim = input._array.ndim
    dim1, dim2 = wrap_dim(dim1, ndim), wrap_dim(dim2, ndim)
    if dim1 == dim2:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return rows.diagonal.call(input, offset, dim1, dim2)


@method
def unfold(self: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """Windows of `size` entries, `step` apart, along a dimension; the window comes last."""
    shape = self._array.shape
    dimension = wrap_dim(dimension, len(shape))
    n = shape[dimension] if shape else 1
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0")
    if size > n:
        raise RuntimeError(f"maximum size for tensor at dimension {dimension} is {n} but size is "
                           f"{size}")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    return rows.unfold.call(self, dimension, size, step)


@both
def as_strided(input: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
    """Any look at the memory: sizes, strides and offset, counted in elements.

    Raises:
        RuntimeError: negative strides, or a look beyond the end of the memory.
    """
    size, stride = ints((size,)), ints((stride,))
    array = memory(input)
    check_look(array, size, stride, storage_offset)
    item = array.itemsize
    own = (data_ptr(array) - data_ptr(owner(array))) // item
    offset = own if storage_offset is None else storage_offset
    base = memory(base_of(input))
    from_base = offset - (data_ptr(base) - data_ptr(owner(array))) // item
    steps = (None, rows.as_strided, (size, stride, from_base, element_strides(base)), base.shape)
    return rows.as_strided.call(input, size, stride, offset - own, element_strides(array),
                                steps=steps)


def check_look(array: np.ndarray, size: tuple, stride: tuple, offset: int | None) -> None:
    """Refuse a look that leaves the memory."""
    if len(size) != len(stride):
        raise RuntimeError("mismatch in length of strides and shape")
    if min(stride, default=0) < 0:
        raise RuntimeError("as_strided: Negative strides are not supported at the moment, got "
                           f"strides: {list(stride)}")
    if min(size, default=0) < 0:
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(size)} and "
                           f"strides={list(stride)}")
    block, item = owner(array), array.itemsize
    if offset is None:
        offset = (data_ptr(array) - data_ptr(block)) // item
    if offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {offset}")
    last = offset + sum((n - 1) * s for n, s in zip(size, stride, strict=True))
    if 0 not in size and (last + 1) * item > block.nbytes:
        raise RuntimeError(f"setStorage: sizes {list(size)}, strides {list(stride)}, storage "
                           f"offset {offset}, and itemsize {item} requiring a storage size of "
                           f"{(last + 1) * item} are out of bounds for storage of size "
                           f"{block.nbytes}")


@function
def real(input: Tensor) -> Tensor:
    """The real parts, in the same memory; a real tensor itself."""
    if input._array.dtype.kind != "c":
        return input
    parts = rows.view_as_real.call(input)
    return rows.select.call(parts, parts._array.ndim - 1, 0)


@function
def imag(input: Tensor) -> Tensor:
    """The imaginary parts, in the same memory; RuntimeError for a real tensor."""
    if input._array.dtype.kind != "c":
        raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")
    parts = rows.view_as_real.call(input)
    return rows.select.call(parts, parts._array.ndim - 1, 1)


def assigned(get: Any) -> property:
    """`x.real` and `x.imag`, also on the left of an equals sign."""
    def put(self: Tensor, value: Any) -> None:
        get(self).copy_(value) if isinstance(value, Tensor) else get(self).fill_(value)
    return property(get, put, doc=get.__doc__)


method(assigned(real), "real")
method(assigned(imag), "imag")


@function
def complex(real: Tensor, imag: Tensor) -> Tensor:
    """A complex tensor from its real and imaginary parts."""
    for part in (real, imag):
        if part._array.dtype.kind != "f":
            raise RuntimeError("Expected both inputs to be Half, Float or Double tensors but got "
                               f"{real.dtype} and {imag.dtype}")
    if real._array.dtype != imag._array.dtype:
        raise RuntimeError(f"Expected object of scalar type {real.dtype} but got scalar type "
                           f"{imag.dtype} for second argument")
    return copies.complex_.call(real, imag)


@function
def view_as_real(input: Tensor) -> Tensor:
    """A complex tensor as a real one with a last dimension of 2: real and imaginary part."""
    if input._array.dtype.kind != "c":
        raise RuntimeError("view_as_real is only supported for complex tensors")
    return rows.view_as_real.call(input)


@function
def view_as_complex(input: Tensor) -> Tensor:
    """The reverse of `view_as_real`."""
    if input._array.dtype.kind != "f" or input._array.dtype is BFLOAT16:
        raise RuntimeError("view_as_complex is only supported for half, float and double tensors, "
                           f"but got a tensor of scalar type: {input.type()}")
    return rows.view_as_complex.call(input)
