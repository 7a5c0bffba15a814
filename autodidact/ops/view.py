"""Views: new shapes, orders and parts of the same memory.

`view` never copies. `inverse` or `adjoint` says how the gradient goes back; where neither is
written, it is scattered into zeros through the view itself: no scatter formula is written by hand.
"""

from typing import Any

import numpy as np

from autodidact.arrays.bfloat16 import BFloat16Array, numpy_dtype
from autodidact.arrays.dtype import BFLOAT16
from autodidact.arrays.foreign import as_array, contiguous, made
from autodidact.arrays.scatter import add_rows
from autodidact.arrays.strided import broadcast, offset, restride
from autodidact.ops.op import Op, View, is_array, linear, sum_to

# ---- one to one -------------------------------------------------------------------------------

view = View("view(self, *, shape)",
    view    = lambda self, shape: reshape_view(self, shape),
    inverse = lambda grad, into, shape: grad.reshape(into))

unsafe_view = View("unsafe_view(self, *, shape)",
    view    = lambda self, shape: reshape_view(self, shape),
    inverse = lambda grad, into, shape: grad.reshape(into))

reshape_alias = View("reshape_alias(self, *, shape)",             # `reshape` of strided memory
    view    = lambda self, shape: reshape_view(self, shape),
    inverse = lambda grad, into, shape: grad.reshape(into))

alias = View("alias(self)",
    view    = lambda self: self[...],
    inverse = lambda grad, into: grad)

t = View("t(self)",
    view    = lambda self: self.T,
    inverse = lambda grad, into: grad.swapaxes(0, 1) if len(into) == 2 else grad)

transpose = View("transpose(self, *, dim0, dim1)",
    view    = lambda self, dim0, dim1: self.swapaxes(dim0, dim1) if self.ndim else self[...],
    inverse = lambda grad, into, dim0, dim1: grad.swapaxes(dim0, dim1) if into else grad)

permute = View("permute(self, *, dims)",
    view    = lambda self, dims: np.transpose(self, dims),
    inverse = lambda grad, into, dims: permute_back(grad, dims))

unsqueeze = View("unsqueeze(self, *, dim)",
    view    = lambda self, dim: self[(slice(None),) * dim + (None, ...)],
    inverse = lambda grad, into, dim: grad.reshape(into))

squeeze = View("squeeze(self)",
    view    = lambda self: self.reshape(tuple(n for n in self.shape if n != 1)),
    inverse = lambda grad, into: grad.reshape(into))

squeeze_dim = View("squeeze_dim(self, *, dim)",
    view    = lambda self, dim: self.reshape(without(self.shape, (dim,))),
    inverse = lambda grad, into, dim: grad.reshape(into),
    node    = "SqueezeBackward1")

squeeze_dims = View("squeeze_dims(self, *, dim)",
    view    = lambda self, dim: self.reshape(without(self.shape, dim)),
    inverse = lambda grad, into, dim: grad.reshape(into),
    node    = "SqueezeBackward2")

view_as_real = View("view_as_real(self)",                         # complex (...) as real (..., 2)
    view    = lambda self: complex_parts(self),
    inverse = lambda grad, into: view_as_complex(row_major(grad)),
    other_dtype = True)

view_as_complex = View("view_as_complex(self)",                   # real (..., 2) as complex (...)
    view    = lambda self: parts_as_complex(self),
    inverse = lambda grad, into: view_as_real(grad),
    other_dtype = True)

# ---- parts: the gradient is scattered -----------------------------------------------------------

select = View("select(self, *, dim, index)",
    view    = lambda self, dim, index:
              self[(slice(None),) * dim + (index, ...)] if dim else self[index, ...])

slice_ = View("slice(self, *, dim, start, end, step)",
    view    = lambda self, dim, start, end, step:
              self[(slice(None),) * dim + (slice(start, end, step),)] if dim else
              self[start:end:step])

diagonal = View("diagonal(self, *, offset, dim1, dim2)",
    view    = lambda self, offset, dim1, dim2: writable_diagonal(self, offset, dim1, dim2))

unbind = View("unbind(self, *, dim)",
    parts   = lambda self, dim: list(self) if first_of_several(self, dim) else [
              select.forward(self, dim, i) for i in range(self.shape[dim])],
    each    = lambda i, dim: (select, (dim, i)))

split = View("split(self, *, split_size, dim)",
    parts   = lambda self, split_size, dim: equal_parts(self, split_size, dim),
    each    = lambda i, split_size, dim:
              (slice_, (dim, i * split_size, (i + 1) * split_size, 1)))

split_with_sizes = View("split_with_sizes(self, *, split_sizes, dim)",
    parts   = lambda self, split_sizes, dim:
              [slice_.forward(self, *bounds(split_sizes, i, dim)) for i in range(len(split_sizes))],
    each    = lambda i, split_sizes, dim: (slice_, bounds(split_sizes, i, dim)))

unsafe_split = View("unsafe_split(self, *, split_size, dim)",
    parts   = split.parts, each = split.each)

unsafe_split_with_sizes = View("unsafe_split_with_sizes(self, *, split_sizes, dim)",
    parts   = split_with_sizes.parts, each = split_with_sizes.each)

# ---- an element seen more than once: the gradient is summed --------------------------------------

expand = View("expand(self, *, size)",
    view    = lambda self, size: broadcast(as_array(self), size),
    adjoint = lambda grad, into, size: sum_to(grad, into))

unfold = View("unfold(self, *, dimension, size, step)",
    view    = lambda self, dimension, size, step: windows(self, dimension, size, step),
    adjoint = lambda grad, into, dimension, size, step:
              unfold_backward(grad, into, dimension, size, step))

as_strided = View("as_strided(self, *, size, stride, offset, base_strides)",
    view    = lambda self, size, stride, offset, base_strides:
              restride(self, size, tuple(s * self.itemsize for s in stride),
                       offset * self.itemsize),
    adjoint = lambda grad, into, size, stride, offset, base_strides:
              as_strided_backward(grad, into, size, stride, offset, base_strides))

# ---- rows that the adjoints of views are made of -------------------------------------------------

scatter_view = Op("scatter_view(grad, *, row, args, shape)",     # zeros, grad where the view looks
    forward = lambda grad, row, args, shape: scatter(grad, row, args, shape),
    vjp     = {"grad": lambda grad, row, args: row(grad, *args)},
    kind    = linear)

unfold_backward = Op("unfold_backward(grad, *, shape, dimension, size, step)",
    forward = lambda grad, shape, dimension, size, step:
              add_windows(grad, shape, dimension, size, step),
    vjp     = {"grad": lambda grad, dimension, size, step: unfold(grad, dimension, size, step)},
    kind    = linear)

as_strided_backward = Op("as_strided_backward(grad, *, into, size, stride, offset, base_strides)",
    forward = lambda grad, into, size, stride, offset, base_strides:
              add_strided(grad, into, size, stride, offset, base_strides),
    vjp     = {"grad": lambda grad, into, size, stride, offset, base_strides:
               strided_look(grad, into, size, stride, offset, base_strides)},
    kind    = linear)

strided_look = Op("strided_look(grad, *, into, size, stride, offset, base_strides)",
    forward = lambda grad, into, size, stride, offset, base_strides:
              look_strided(grad, into, size, stride, offset, base_strides),
    vjp     = {"grad": lambda grad, into, size, stride, offset, base_strides:
               as_strided_backward(grad, into, size, stride, offset, base_strides)},
    kind    = linear)


# ---- longer mathematics -------------------------------------------------------------------------


def reshape_view(array: np.ndarray, shape: tuple) -> np.ndarray:
    """Reshape without a copy; ValueError where the strides do not allow it."""
    result = array.reshape(shape)
    if array.size and not array.flags.c_contiguous and not np.may_share_memory(result, array):
        raise ValueError("view size is not compatible with input tensor's size and stride (at "
                         "least one dimension spans across two contiguous subspaces). Use "
                         ".reshape(...) instead.")
    return result


def row_major(grad: Any) -> Any:
    """The gradient in memory where real and imaginary parts are neighbours."""
    return contiguous(grad) if is_array(grad) else grad.contiguous()


def permute_back(grad: Any, dims: tuple) -> Any:
    """The inverse permutation."""
    back = [0] * len(dims)
    for i, d in enumerate(dims):
        back[d % len(dims)] = i
    return np.transpose(grad, tuple(back)) if is_array(grad) else grad.permute(*back)


def writable_diagonal(array: np.ndarray, offset: int, dim1: int, dim2: int) -> np.ndarray:
    """NumPy hands out diagonals read-only; PyTorch's may be written to."""
    result = np.diagonal(array, offset, dim1, dim2)
    if getattr(array.flags, "writeable", False):
        result.flags.writeable = True
    return result


def without(shape: tuple, dims: tuple) -> tuple:
    """The shape without those of `dims` that have size 1."""
    return tuple(n for i, n in enumerate(shape) if n != 1 or i not in dims)


def equal_parts(array: np.ndarray, size: int, dim: int) -> list:
    """Parts of `size` along `dim`, the last one perhaps smaller; one part of an empty array."""
    count = max(-(-array.shape[dim] // size), 1) if size else 1
    return [slice_.forward(array, dim, i * size, (i + 1) * size, 1) for i in range(count)]


def complex_parts(array: np.ndarray) -> np.ndarray:
    """Real and imaginary parts as a last dimension of size 2, in the same memory."""
    real = np.dtype(f"f{array.itemsize // 2}")
    return restride(array, (*array.shape, 2), (*array.strides, real.itemsize), dtype=real)


def parts_as_complex(array: np.ndarray) -> np.ndarray:
    """The reverse of `complex_parts`; ValueError where memory or shape do not allow it."""
    if not array.ndim:
        raise ValueError("Input tensor must have one or more dimensions")
    if array.shape[-1] != 2:
        raise ValueError("Tensor must have a last dimension of size 2")
    if not array.size:
        return made(array, np.zeros, array.shape[:-1], np.dtype(f"c{2 * array.itemsize}"))
    if array.strides[-1] != array.itemsize:
        raise ValueError("Tensor must have a last dimension with stride 1")
    if any(s % (2 * array.itemsize) for n, s in zip(array.shape, array.strides[:-1], strict=False)
           if n > 1):
        raise ValueError("Tensor must have a stride divisible by 2 for all but last dimension")
    if offset(array) % (2 * array.itemsize):
        raise ValueError("Tensor must have a storage_offset divisible by 2")
    return restride(array, array.shape[:-1], array.strides[:-1],
                    dtype=np.dtype(f"c{2 * array.itemsize}"))


def bytes_as(array: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """The same bytes as numbers of another dtype; the last dimension takes the difference."""
    if dtype is BFLOAT16:
        return BFloat16Array(bytes_as(array, numpy_dtype()))
    if array.ndim == 0 and array.itemsize == dtype.itemsize:
        return restride(array, (), (), dtype=dtype)
    return array.view(dtype)


def first_of_several(array: Any, dim: int) -> bool:
    """Whether NumPy's own iteration gives the parts along `dim`, as arrays and not as numbers."""
    return dim == 0 and type(array) is np.ndarray and array.ndim > 1


def bounds(sizes: tuple, i: int, dim: int) -> tuple:
    """The slice arguments of part `i`."""
    start = sum(sizes[:i])
    return dim, start, start + sizes[i], 1


def windows(array: np.ndarray, dimension: int, size: int, step: int) -> np.ndarray:
    """Sliding windows along one dimension; the window becomes the last dimension."""
    if array.ndim == 0:
        return restride(array, (size,), (array.itemsize,))
    n = (array.shape[dimension] - size) // step + 1
    shape = (*array.shape[:dimension], n, *array.shape[dimension + 1:], size)
    before, own, after = (array.strides[:dimension], array.strides[dimension],
                          array.strides[dimension + 1:])
    strides = (*before, own * step, *after, own)
    return restride(array, shape, strides)


def add_windows(grad: np.ndarray, shape: tuple, dimension: int, size: int, step: int) -> np.ndarray:
    """The transpose of `windows`: windows added back where they came from."""
    out = made(grad, np.zeros, shape, grad.dtype)
    if not shape:
        return out + grad.sum()
    n = grad.shape[dimension]
    for k in range(size):
        part = (slice(None),) * dimension + (slice(k, k + (n - 1) * step + 1, step),)
        out[part] += grad[..., k]
    return out


def add_strided(grad: np.ndarray, into: tuple, size: tuple, stride: tuple, offset: int,
                base_strides: tuple) -> np.ndarray:
    """Add a strided view's gradient into zeros of the base's shape, element by element.

    Both looks are turned into positions in one flat buffer. An element that the *input* shows n
    times gets an n-th of the sum each time, as in PyTorch.
    """
    look, own, times = strided_positions(grad, into, size, stride, offset, base_strides)
    buffer = made(grad, np.zeros, (len(times), 1), grad.dtype)
    add_rows(buffer, look.reshape(-1), as_array(grad).reshape(-1, 1))
    return (buffer / np.maximum(times, 1).astype(buffer.dtype))[:, 0][own]


def look_strided(grad: np.ndarray, into: tuple, size: tuple, stride: tuple, offset: int,
                 base_strides: tuple) -> np.ndarray:
    """The transpose of `add_strided`: the strided look at a gradient of the base's shape.

    The gradient may lie in memory in any order; positions are those the base has.
    """
    look, own, times = strided_positions(grad, into, size, stride, offset, base_strides)
    buffer = made(grad, np.zeros, (len(times), 1), grad.dtype)
    add_rows(buffer, own.reshape(-1), as_array(grad).reshape(-1, 1))
    return (buffer / np.maximum(times, 1).astype(buffer.dtype))[:, 0][look]


def strided_positions(like: Any, into: tuple, size: tuple, stride: tuple, offset: int,
                      base_strides: tuple) -> tuple:
    """Positions of the look and of the base in one flat buffer, and how often the base has each."""
    first = min(extent(size, stride, offset)[0], 0)
    length = 1 + max(extent(size, stride, offset)[1], extent(into, base_strides, 0)[1]) - first
    look = positions(like, size, stride, offset - first)
    own = positions(like, into, base_strides, -first)
    times = made(like, np.zeros, (length, 1), np.float64)
    add_rows(times, own.reshape(-1), np.ones_like(own, dtype=np.float64).reshape(-1, 1))
    return look, own, times


def extent(shape: tuple, strides: tuple, offset: int) -> tuple:
    """The lowest and the highest position that a strided look shows; (0, 0) when it is empty."""
    if 0 in shape:
        return 0, 0
    steps = [(n - 1) * s for n, s in zip(shape, strides, strict=True)]
    return offset + sum(min(s, 0) for s in steps), offset + sum(max(s, 0) for s in steps)


def positions(like: Any, shape: tuple, strides: tuple, offset: int) -> np.ndarray:
    """The position in flat memory of every element of a strided look."""
    out = made(like, np.full, (), offset, np.int64)
    for n, s in zip(shape, strides, strict=True):
        out = out[..., None] + made(like, np.arange, n, dtype=np.int64) * s
    return out


def scatter(grad: np.ndarray, row: View, args: tuple, shape: tuple) -> np.ndarray:
    """Zeros of `shape` with the gradient written where the view looks."""
    out = made(grad, np.zeros, shape, grad.dtype)
    row.forward(out, *args)[...] = grad
    return out
