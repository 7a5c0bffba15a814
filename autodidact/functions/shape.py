"""New shapes and orders of the same numbers: view, reshape, expand, permute, squeeze, ...

All but `reshape`, `contiguous` and `flatten` of awkwardly strided memory share memory with their
input.
"""

from typing import Any

import numpy as np

from autodidact.arrays import dtype as dt
from autodidact.arrays.foreign import as_array
from autodidact.arrays.memory_format import contiguous_format, laid_out
from autodidact.functions.arguments import dims_of, integer, ints, need_tensor, resolve
from autodidact.ops import shape as copies
from autodidact.ops import view as rows
from autodidact.public import both, function, method, named
from autodidact.tensor import Size, Tensor, wrap_dim
from autodidact.tensor_base import INFERENCE, TensorBase, memory

__all__ = ["expand", "permute", "reshape", "view"]


# ---- shapes -------------------------------------------------------------------------------------


@method
def view(self: Tensor, *size: Any, **named: Any) -> Tensor:
    """The same memory in another shape, or (given a dtype) read as another dtype.

    Args:
        self: the tensor.
        size: the new sizes, one of them may be -1; or one dtype.
        named: `size=`, `shape=` or `dtype=` by name.

    Raises:
        RuntimeError: when the sizes do not fit, or the strides do not allow it (then `reshape`).

    Example:
        >>> torch.arange(6).view(2, -1)
        tensor([[0, 1, 2],
                [3, 4, 5]])
    """
    size = size or tuple(named.values())
    if len(size) == 1 and isinstance(size[0], dt.dtype):
        return view_dtype(self, size[0])
    if not size:
        raise TypeError("view() received an invalid combination of arguments - got (), but "
                        "expected one of: * (torch.dtype dtype) * (tuple of ints size)")
    return rows.view.call(self, resolve(ints(size), self._array.size))


def view_dtype(self: Tensor, dtype: Any) -> Tensor:
    """The bytes read as numbers of another dtype; no gradient goes through."""
    kind, old = dtype.numpy, self._array.dtype
    if kind is old:
        return rows.alias.call(self)
    if dtype.itemsize > self._array.itemsize:
        times = dtype.itemsize // self._array.itemsize
        if not self._array.ndim or self._array.shape[-1] % times:
            raise RuntimeError(f"self.size(-1) must be divisible by {times} to view {self.dtype} "
                               f"as {dtype} (different element sizes), but got "
                               f"{self._array.shape[-1] if self._array.ndim else 1}")
    array = rows.bytes_as(memory(self), kind)
    t = TensorBase.wrap(array)
    t._version_cell, t._flags = self._version_cell, self._flags & INFERENCE
    return t


@both
def reshape(input: Tensor, *shape: Any, **named: Any) -> Tensor:
    """The numbers in another shape: a view where the strides allow it, else a copy.

    Raises:
        RuntimeError: when the number of elements does not fit.

    Example:
        >>> torch.arange(4).reshape(2, 2)
        tensor([[0, 1],
                [2, 3]])
    """
    shape = shape or tuple(named.values())
    shape = resolve(ints(shape, "shape"), input._array.size)
    array = as_array(input._array)
    if array.flags.c_contiguous:
        return rows.view.call(input, shape)
    if can_view(array, shape):
        return rows.reshape_alias.call(input, shape)
    return rows.unsafe_view.call(copies.contiguous.call(input), shape)


def can_view(array: np.ndarray, shape: tuple) -> bool:
    """Whether the strides allow the new shape without a copy (tried on one byte per element)."""
    bits = np.lib.stride_tricks.as_strided(
        np.empty(1, np.bool_), array.shape, tuple(s // array.itemsize for s in array.strides))
    try:
        bits.shape = shape
    except AttributeError:
        return False
    return True


@method
def view_as(self: Tensor, other: Tensor) -> Tensor:
    """`self` in the shape of `other`."""
    need_tensor(other, "view_as", "other")
    return view(self, other._array.shape)


@method
def reshape_as(self: Tensor, other: Tensor) -> Tensor:
    """`self` reshaped to the shape of `other`."""
    need_tensor(other, "reshape_as", "other")
    return reshape(self, other._array.shape)


@both
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """The dimensions from `start_dim` to `end_dim` (included) made one."""
    shape = input._array.shape
    first, last = wrap_dim(start_dim, len(shape)), wrap_dim(end_dim, len(shape))
    if first > last:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if not shape:
        return reshape(input, 1)
    if first == last:
        return input
    count = 1
    for n in shape[first:last + 1]:
        count *= n
    return reshape(input, (*shape[:first], count, *shape[last + 1:]))


@both
def unflatten(input: Tensor, dim: int, sizes: Any) -> Tensor:
    """The dimension `dim` split into several; one of the sizes may be -1."""
    shape, dim = input._array.shape, wrap_dim(dim, input._array.ndim)
    sizes = ints((sizes,), "sizes")
    if not sizes:
        raise RuntimeError("unflatten: sizes must be non-empty")
    try:
        sizes = resolve(sizes, shape[dim])
    except RuntimeError:
        raise RuntimeError(f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size "
                           f"of dim {dim} ({shape[dim]}) in the input tensor") from None
    return view(input, (*shape[:dim], *sizes, *shape[dim + 1:]))


@both
def ravel(input: Tensor) -> Tensor:
    """All numbers in a row, a view where possible."""
    return reshape(contiguous(input), -1)


@method
def contiguous(self: Tensor, *, memory_format: Any = None) -> Tensor:
    """Itself when its elements lie in row-major order (or the format's), else a copy that does."""
    if memory_format is None or memory_format is contiguous_format:
        return self if as_array(self._array).flags.c_contiguous else copies.contiguous.call(self)
    array = memory(self)
    return self if laid_out(array, memory_format).strides == array.strides else clone(
        self, memory_format=memory_format)


@both
def clone(input: Tensor, *, memory_format: Any = None) -> Tensor:
    """A copy that gradients pass through."""
    made = copies.clone.call(input)
    if memory_format is not None:
        made._array = laid_out(memory(made), memory_format)
    return made


# ---- expanding ----------------------------------------------------------------------------------


@method
def expand(self: Tensor, *size: Any, implicit: bool = False, **named: Any) -> Tensor:
    """Repeat along dimensions of size 1 without a copy; -1 keeps a size.

    Raises:
        RuntimeError: when a size other than 1 would have to change.

    Example:
        >>> torch.tensor([[1], [2]]).expand(2, 3)
        tensor([[1, 1, 1],
                [2, 2, 2]])
    """
    wanted = ints(size or tuple(named.values()))
    return rows.expand.call(self, expanded_size(self, wanted))


def expanded_size(x: Tensor, wanted: tuple) -> tuple:
    """The sizes with -1 filled in; RuntimeError where they cannot be had."""
    have = x._array.shape
    lead = len(wanted) - len(have)
    if lead < 0:
        raise RuntimeError(f"expand({x.type()}{{{list(have)}}}, size={list(wanted)}): the number "
                           f"of sizes provided ({len(wanted)}) must be greater or equal to the "
                           f"number of dimensions in the tensor ({len(have)})")
    if wanted[lead:] == have and -1 not in wanted:
        return wanted
    size = []
    for i, n in enumerate(wanted):
        old = have[i - lead] if i >= lead else 1
        if n == -1 and i < lead:
            raise RuntimeError(f"The expanded size of the tensor (-1) isn't allowed in a leading, "
                               f"non-existing dimension {i}")
        n = old if n == -1 else n
        if n != old and old != 1:
            raise RuntimeError(f"The expanded size of the tensor ({n}) must match the existing "
                               f"size ({old}) at non-singleton dimension {i}.  Target sizes: "
                               f"{list(wanted)}.  Tensor sizes: {list(have)}")
        size.append(n)
    return tuple(size)


@method
def expand_as(self: Tensor, other: Tensor) -> Tensor:
    """`self` expanded to the shape of `other`."""
    need_tensor(other, "expand_as", "other")
    return expand(self, other._array.shape)


@both
def broadcast_to(input: Tensor, size: Any) -> Tensor:
    """`input` expanded to `size`."""
    return expand(input, size)


@function
def broadcast_tensors(*tensors: Any) -> tuple:
    """The tensors, each expanded to the shape they have in common."""
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        tensors = tuple(tensors[0])
    shape = common_shape([t._array.shape for t in tensors])
    return tuple(expand(t, shape) for t in tensors)


def common_shape(shapes: list) -> tuple:
    """The shape that all broadcast to."""
    result = ()
    for shape in shapes:
        n = max(len(result), len(shape))
        a, b = ((1,) * (n - len(s)) + s for s in (result, tuple(shape)))
        for i in range(n):
            if a[i] != b[i] and 1 not in (a[i], b[i]):
                raise RuntimeError(f"The size of tensor a ({a[i]}) must match the size of tensor "
                                   f"b ({b[i]}) at non-singleton dimension {i}")
        result = tuple(y if x == 1 else x for x, y in zip(a, b, strict=True))
    return result


@function
def broadcast_shapes(*shapes: Any) -> Any:
    """The shape that arrays of these shapes broadcast to."""
    return Size(common_shape([ints((s,)) for s in shapes]))


# ---- orders of dimensions -----------------------------------------------------------------------


@both
def permute(input: Tensor, *dims: Any, **named: Any) -> Tensor:
    """The dimensions in another order."""
    dims, ndim = ints(dims or tuple(named.values()), "dims"), input._array.ndim
    if len(dims) != ndim:
        raise RuntimeError("permute(): number of dimensions in the tensor input does not match the "
                           f"length of the desired ordering of dimensions i.e. input.dim() = {ndim}"
                           f" is not equal to len(dims) = {len(dims)}")
    wrapped = tuple(wrap_dim(d, ndim) for d in dims)
    if len(set(wrapped)) != ndim:
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return rows.permute.call(input, wrapped)


@named("transpose", "swapdims")
def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Two dimensions exchanged."""
    need_tensor(input, "transpose", "input")
    ndim = input._array.ndim
    return rows.transpose.call(input, wrap_dim(integer(dim0), ndim), wrap_dim(integer(dim1), ndim))


@both
def swapaxes(input: Tensor, axis0: int, axis1: int) -> Tensor:
    """`transpose` under NumPy's name."""
    return transpose(input, axis0, axis1)


@both
def t(input: Tensor) -> Tensor:
    """A matrix transposed; a vector or number as it is."""
    need_tensor(input, "t", "input")
    if input._array.ndim > 2:
        raise RuntimeError("t() expects a tensor with <= 2 dimensions, but self is "
                           f"{input._array.ndim}D")
    return rows.t.call(input)


def reversed_dims(self: Tensor) -> Tensor:
    """All dimensions in reverse order."""
    return rows.permute.call(self, tuple(reversed(range(self._array.ndim))))


def matrix_transposed(name: str, exactly: bool, conjugate: bool) -> property:
    """`mT`, `mH`, `H`: the last two dimensions exchanged."""
    def get(self: Tensor) -> Tensor:
        ndim = self._array.ndim
        if ndim == 0 and exactly:
            return self.conj() if conjugate else self
        if (exactly and ndim != 2) or ndim < 2:
            what = "matrices (2-D tensors)" if exactly else "matrices or batches of matrices"
            raise RuntimeError(f"tensor.{name} is only supported on {what}. Got {ndim}-D tensor.")
        turned = rows.transpose.call(self, ndim - 2, ndim - 1)
        return turned.conj() if conjugate else turned
    return property(get, doc="The last two dimensions exchanged"
                             + (", conjugated." if conjugate else "."))


method(property(reversed_dims, doc="All dimensions in reverse order."), "T")
method(matrix_transposed("mT", False, False), "mT")
method(matrix_transposed("mH", False, True), "mH")
method(matrix_transposed("H", True, True), "H")


@method
def adjoint(self: Tensor) -> Tensor:
    """The last two dimensions exchanged, conjugated: `mH`."""
    return self.mH


@named("movedim", "moveaxis")
def movedim(input: Tensor, source: Any, destination: Any) -> Tensor:
    """Dimensions moved to other places; the others keep their order."""
    ndim = input._array.ndim
    pairs = {}
    for name, given in (("source", source), ("destination", destination)):
        dims = ints((given if isinstance(given, (tuple, list)) else (given,),))
        pairs[name] = [wrap_dim(d, ndim) for d in dims]
    source, destination = pairs["source"], pairs["destination"]
    if len(source) != len(destination):
        raise RuntimeError(f"movedim: Invalid source or destination dims: source ({source} dims) "
                           "should contain the same number of dims as destination "
                           f"({destination} dims)")
    for name, dims in pairs.items():
        if len(set(dims)) != len(dims):
            raise RuntimeError(f"movedim: repeated dim in `{name}` ({dims})")
    rest = [d for d in range(ndim) if d not in source]
    order = dict(zip(destination, source, strict=True))
    return rows.permute.call(input, tuple(order[i] if i in order else rest.pop(0)
                                          for i in range(ndim)))


# ---- dimensions of size 1 -----------------------------------------------------------------------


@both
def squeeze(input: Tensor, dim: Any = None) -> Tensor:
    """Without the dimensions of size 1, or without those of `dim` that have size 1."""
    if dim is None:
        return rows.squeeze.call(input)
    if isinstance(dim, (tuple, list)):
        return rows.squeeze_dims.call(input, dims_of(dim, input._array.ndim))
    return rows.squeeze_dim.call(input, wrap_dim(integer(dim), input._array.ndim))


@both
def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """With a dimension of size 1 inserted at `dim`."""
    need_tensor(input, "unsqueeze", "input")
    return rows.unsqueeze.call(input, wrap_dim(integer(dim), input._array.ndim + 1))
