"""Writing in place: `copy_`, `fill_`, `zero_`, shapes changed in place, memory exchanged."""

from typing import Any

import numpy as np

from autodidact.arrays.bfloat16 import number, wide
from autodidact.arrays.foreign import ForeignArray, as_array, device_of
from autodidact.arrays.place import put
from autodidact.arrays.strided import data_ptr, element_strides, owner
from autodidact.autograd import graph
from autodidact.autograd.grad_mode import mode
from autodidact.autograd.views import check_inplace, move_hooks
from autodidact.functions.arguments import dims_of, integer, ints
from autodidact.functions.parts import check_look
from autodidact.inplace import INTO, count_write, refuse_inference, unrecorded, write
from autodidact.ops import index as index_rows
from autodidact.ops import join, linalg, shape
from autodidact.ops import view as rows
from autodidact.public import function, method
from autodidact.tensor import Tensor, wrap, wrap_dim
from autodidact.tensor_base import LIFTED, VIEW, memory, reform

__all__ = ["copy_", "fill_", "zero_"]

shape.copy.node_class.__name__ = "CopyBackwards"
shape.copy.node_class.name = lambda self: "torch::autograd::CopyBackwards"


def put_values(out: np.ndarray, indices: tuple, values: np.ndarray, accumulate: bool) -> None:
    """`index_put_`'s own write."""
    index_rows.put(out, indices, values, accumulate)


def copy_into(out: np.ndarray, src: np.ndarray) -> None:
    """`copy_`'s own write: broadcast and cast, also from another device, to no other shape."""
    src = put(src, device_of(out))
    if src.ndim > out.ndim and np.broadcast_shapes(src.shape, out.shape) != out.shape:
        raise RuntimeError(f"output with shape {list(out.shape)} doesn't match the broadcast shape "
                           f"{list(np.broadcast_shapes(src.shape, out.shape))}")
    write_into(out, src)


def write_into(out: Any, value: Any) -> None:
    """Broadcast and cast."""
    if isinstance(out, ForeignArray):
        out[...] = value
    else:
        np.copyto(out, wide(value), casting="unsafe")


INTO |= {
    "copy": copy_into,
    "fill": lambda out, value: write_into(out, put(value, device_of(out))),
    "fill_scalar": lambda out, value: out.fill(value),
    "index_put": put_values,
    "zero": lambda out: out.fill(0),
}


@method
def copy_(self: Tensor, src: Any, non_blocking: bool = False) -> Tensor:
    """Write the numbers of `src`, broadcast and cast to this tensor's shape and dtype.

    Raises:
        RuntimeError: when the shapes do not fit.
    """
    if not isinstance(src, Tensor):
        if not isinstance(src, (int, float, complex, np.generic)):
            raise TypeError("copy_(): argument 'other' (position 1) must be Tensor, not "
                            f"{type(src).__name__}")
        src = wrap(as_array(number(src, self._array.dtype)))
    if (unrecorded(self) and type(self._array) is np.ndarray and not src._flags
            and not (mode.grad and src._requires_grad) and self._array.shape == src._array.shape
            and self._array.base is None and not isinstance(src._array, ForeignArray)):
        np.copyto(self._array, src._array, casting="unsafe")
        count_write(self)
        return self
    return write(shape.copy, self, (src,), ())


@method
def fill_(self: Tensor, value: Any) -> Tensor:
    """Write one value everywhere: a number or a 0-dim tensor."""
    if isinstance(value, Tensor):
        if value._array.ndim:
            raise RuntimeError("fill_ only supports 0-dimension value tensor but got tensor with "
                               f"{value._array.ndim} dimensions.")
        return write(shape.fill, self, (value,), ())
    value = number_for(self, value)
    if unrecorded(self):
        memory(self).fill(value)
        count_write(self)
        return self
    return write(shape.fill_scalar, self, (), (value,))


def number_for(x: Tensor, value: Any) -> Any:
    """A Python number that the dtype of `x` can hold; RuntimeError for a complex in a real one."""
    if not isinstance(value, (int, float, complex, np.generic)):
        raise TypeError("fill_(): argument 'value' (position 1) must be Number, not "
                        f"{type(value).__name__}")
    if isinstance(value, (complex, np.complexfloating)) and x._array.dtype.kind != "c":
        if complex(value).imag:
            raise RuntimeError(f"value cannot be converted to type {x.dtype} without overflow")
        return complex(value).real
    return value


@method
def zero_(self: Tensor) -> Tensor:
    """Write zeros everywhere."""
    if unrecorded(self):
        memory(self).fill(0)
        count_write(self)
        return self
    return write(shape.zero, self, (), ())


@function
def fill(input: Tensor, value: Any) -> Tensor:
    """A tensor like `input` with one value everywhere."""
    return input.clone().fill_(value)


@method
def fill_diagonal_(self: Tensor, fill_value: Any, wrap: bool = False) -> Tensor:
    """Write one value on the main diagonal."""
    if self._array.ndim < 2:
        raise RuntimeError("dimensions must larger than 1")
    n = min(self._array.shape)
    step = sum(self.stride())
    self.as_strided((n,), (step,)).fill_(fill_value)
    return self


# ---- rows with arguments, in place ---------------------------------------------------------------


def in_place_of(row: Any, name: str, prepare: Any) -> None:
    """`name_(self, ...)`: `prepare` gives the row's further tensors and plain arguments."""
    def call(self: Tensor, *args: Any, **named: Any) -> Tensor:
        others, plain = prepare(self, *args, **named)
        return write(row, self, others, plain)
    call.__name__ = call.__qualname__ = f"{name}_"
    call.__doc__ = f"`{name}`, written into the tensor itself."
    method(call)


in_place_of(join.tril, "tril", lambda self, diagonal=0: ((), (diagonal,)))
in_place_of(join.triu, "triu", lambda self, diagonal=0: ((), (diagonal,)))
in_place_of(linalg.addmm, "addmm",
            lambda self, mat1, mat2, *, beta=1, alpha=1: ((mat1, mat2), (beta, alpha)))
in_place_of(linalg.addmv, "addmv",
            lambda self, mat, vec, *, beta=1, alpha=1: ((mat, vec), (beta, alpha)))
in_place_of(linalg.baddbmm, "baddbmm",
            lambda self, batch1, batch2, *, beta=1, alpha=1: ((batch1, batch2), (beta, alpha)))


# ---- the shape changed in place ------------------------------------------------------------------


def reshape_in_place(self: Tensor, row: Any, args: tuple, node_name: str,
                     steps: tuple | None = None) -> Tensor:
    """Give the tensor another look at its memory.

    A view keeps its base and gets one more step; the older views of a base notice that its array
    is another one. The history gets an ordinary node, never CopySlices: the base's values stay.
    """
    if mode.stack or mode.duals or self._flags & LIFTED:
        return adopt(self, row, args, steps)
    refuse_inference(self)
    recorded = mode.grad and graph.requires_grad(self)
    if recorded:
        check_inplace(self)
    old_shape, node = self._array.shape, None
    array = row.forward(memory(self), *args)
    if recorded:
        node = object.__new__(renamed(row, node_name))
        fn, number = graph.edge(self)
        node.next, node.nrs, node.plan = (fn,), (number,), row.plan_of_view
        node.saved = node.versions = ()
        node.args, node._hooks = (old_shape, *args), None
        node.shape, node.dtype, node.sequence_nr = (
            array.shape, array.dtype, next(graph.sequence))
    if node is None:
        reform(self, array)
    else:
        self._array = array
    count_write(self)
    if self._flags & VIEW:
        view = self._view
        view.steps = steps or (view.steps, row, args, old_shape)
    if node is not None:
        old, old_nr = self._grad_fn, self.output_nr
        self._grad_fn, self.output_nr, self._requires_grad = node, 0, True
        move_hooks(self, old, old_nr, node)
        if self._flags & VIEW:
            self._view.attr_version = self._version_cell[0]
    if mode.watch is not None:
        mode.watch(row, (self,), args, (self,), node)
    return self


def adopt(self: Tensor, row: Any, args: tuple, steps: tuple | None) -> Tensor:
    """The same inside transforms: the tensor becomes what the row makes of it, on every level."""
    if mode.grad and graph.requires_grad(self):
        check_inplace(self)
    old_shape = self._array.shape
    made = row.call(self, *args)
    self._array = made._array
    count_write(self)
    if self._flags & VIEW:
        self._view.steps = steps or (self._view.steps, row, args, old_shape)
        self._view.attr_version = self._version_cell[0]
    if made._requires_grad:
        old, old_nr = self._grad_fn, self.output_nr
        self._grad_fn, self.output_nr, self._requires_grad = made._grad_fn, made.output_nr, True
        move_hooks(self, old, old_nr, made._grad_fn)
    if made._flags & LIFTED:
        self._tangent = made._tangent
    return self


CLASSES: dict[str, type] = {}


def renamed(row: Any, name: str) -> type:
    """The node class of the in-place overload: `TBackward1` for `t_`."""
    found = CLASSES.get(name)
    if found is None:
        found = CLASSES[name] = type(name, (row.node_class,), {"__slots__": (), "op": row})
    return found


@method
def t_(self: Tensor) -> Tensor:
    """Transpose a matrix in place."""
    if self._array.ndim > 2:
        raise RuntimeError("t_() expects a tensor with <= 2 dimensions, but self is "
                           f"{self._array.ndim}D")
    return reshape_in_place(self, rows.t, (), "TBackward1")


@method
def transpose_(self: Tensor, dim0: int, dim1: int) -> Tensor:
    """Exchange two dimensions in place."""
    ndim = self._array.ndim
    dims = wrap_dim(integer(dim0), ndim), wrap_dim(integer(dim1), ndim)
    return reshape_in_place(self, rows.transpose, dims, "TransposeBackward1")


method(transpose_, "swapaxes_")
method(transpose_, "swapdims_")


@method
def unsqueeze_(self: Tensor, dim: int) -> Tensor:
    """Insert a dimension of size 1 in place."""
    dim = wrap_dim(integer(dim), self._array.ndim + 1)
    return reshape_in_place(self, rows.unsqueeze, (dim,), "UnsqueezeBackward1")


@method
def squeeze_(self: Tensor, dim: Any = None) -> Tensor:
    """Remove dimensions of size 1 in place."""
    if dim is None:
        return reshape_in_place(self, rows.squeeze, (), "SqueezeBackward3")
    if isinstance(dim, (tuple, list)):
        dims = dims_of(dim, self._array.ndim)
        return reshape_in_place(self, rows.squeeze_dims, (dims,), "SqueezeBackward5")
    dim = wrap_dim(integer(dim), self._array.ndim)
    return reshape_in_place(self, rows.squeeze_dim, (dim,), "SqueezeBackward4")


@method
def as_strided_(self: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
    """Look at the memory with other sizes, strides and offset, in place."""
    size, stride = ints((size,)), ints((stride,))
    array = memory(self)
    check_look(array, size, stride, storage_offset)
    own = (data_ptr(array) - data_ptr(owner(array))) // array.itemsize
    offset = (own if storage_offset is None else storage_offset) - own
    args = (size, stride, offset, element_strides(array))
    return reshape_in_place(self, rows.as_strided, args, "AsStridedBackward1")


# ---- memory exchanged ----------------------------------------------------------------------------


@method
def set_(self: Tensor, source: Tensor | None = None) -> Tensor:
    """Look at the memory of another tensor from now on (at nothing, without one)."""
    if source is not None and source._array.dtype != self._array.dtype:
        raise RuntimeError(f"Could not set tensor of type {source.dtype} to a tensor of type "
                           f"{self.dtype}")
    refuse_inference(self)
    if mode.grad and graph.requires_grad(self):
        check_inplace(self)
    reform(self, np.zeros(0, self._array.dtype) if source is None else memory(source))
    self._accumulator = None
    count_write(self)
    return self


@method
def resize_(self: Tensor, *size: Any, memory_format: Any = None) -> Tensor:
    """Another shape in the same memory; where it must grow, in new memory.

    A tensor that grows leaves the memory it shared with its views: NumPy cannot move a block under
    the feet of others as PyTorch does.

    Raises:
        RuntimeError: for a tensor that requires grad, and for a negative size.
    """
    size = ints(size)
    if any(n < 0 for n in size):
        raise RuntimeError(f"resize_(): a negative size is an integer overflow of numel: {size}")
    refuse_inference(self)
    if graph.requires_grad(self):
        raise RuntimeError("cannot resize variables that require grad")
    if size == self._array.shape:
        return self
    array = memory(self)
    count = 1
    for n in size:
        count *= n
    block = owner(array)
    flat = block.reshape(-1, order="A")[(data_ptr(array) - data_ptr(block)) // array.itemsize:]
    if count > flat.size:
        grown = np.zeros(count, array.dtype)
        grown[:flat.size] = flat
        flat = grown
    reform(self, flat[:count].reshape(size))
    count_write(self)
    return self


@method
def resize_as_(self: Tensor, other: Tensor) -> Tensor:
    """`resize_` to the shape of another tensor."""
    return resize_(self, other._array.shape)


