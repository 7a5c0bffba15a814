"""How `x[...]` is read: which views first, then which tensors of indices.

`read` works on the shape alone and gives steps of view rows, so that `x[i]` makes views of them and
`x[i] = v` writes through them without making a single view tensor.
"""

from typing import Any, NamedTuple

import numpy as np

from autodidact.arrays.foreign import ForeignArray, as_array
from autodidact.functions.arguments import integer
from autodidact.functions.creation import tensor
from autodidact.ops import view as rows
from autodidact.tensor import Tensor, wrap
from autodidact.tensor_base import TensorBase, version

__all__ = ["Indices", "Plan", "read"]

NUMBERS = (int, np.integer)
NUMBER_OR_NONE = frozenset({int, type(None)})
BOOLS = (bool, np.bool_)


class Places(tuple):
    """The arrays of `Indices`, as NumPy takes them: arrays and full slices."""

    __slots__ = ()
    dtype, shape, size = None, (), 0


class Indices(TensorBase):
    """Several index tensors that a node saves as one: `_saved_indices`.

    Its version is the sum of theirs, so that a write into any of them is noticed.
    """

    __slots__ = ("tensors", "versions")
    requires_grad = False

    def __init__(self, tensors: tuple) -> None:
        self.tensors = tensors
        self._array = Places(slice(None) if t is None else mask_or_places(t._array)
                             for t in tensors)
        self._flags, self._requires_grad, self._grad_fn, self.output_nr = 0, False, None, 0
        self.versions = tuple(0 if t is None else version(t) for t in tensors)

    @property
    def _version_cell(self) -> list:
        return [sum(version(t) for t in self.tensors if t is not None)]

    @property
    def changed(self) -> Tensor:
        """The index tensor that was written to since."""
        return next(t for t, seen in zip(self.tensors, self.versions, strict=True)
                    if t is not None and version(t) != seen)


def mask_or_places(array: Any) -> np.ndarray:
    """uint8 is an old way to write a mask."""
    array = as_array(array)
    return array.astype(np.bool_) if array.dtype == np.uint8 else array


class Plan(NamedTuple):
    """What an index means: view steps (row, arguments), then index tensors by dimension."""

    steps: list
    tensors: list
    shape: tuple


def read(shape: tuple, index: Any) -> Plan:
    """Read an index for a tensor of this shape.

    Raises:
        IndexError: out of range, too many indices, things that cannot be indices.
    """
    if type(index) is not tuple:
        if isinstance(index, slice):
            row, args = whole_slice(shape, index)
            return Plan([(row, args)], [], (len(range(*args[1:])), *shape[1:]))
        index = tuple(index) if is_tuple(index) else (index,)
    specified = sum(consumed(item) for item in index)
    if specified > len(shape):
        if not shape and len(index) == 1 and isinstance(index[0], NUMBERS):
            raise IndexError("invalid index of a 0-dim tensor. Use `tensor.item()` in Python or "
                             "`tensor.item<T>()` in C++ to convert a 0-dim tensor to a number")
        raise IndexError(f"too many indices for tensor of dimension {len(shape)}")
    items = [as_index(item) for item in index]
    sizes, steps, tensors, dim, covered = list(shape), [], [], 0, 0
    for item in items:
        if item is None:
            steps.append((rows.unsqueeze, (dim,)))
            sizes.insert(dim, 1)
            dim += 1
        elif item is Ellipsis:
            dim += len(shape) - specified
        elif isinstance(item, slice):
            start, stop, step = bounds(item, sizes[dim])
            if not means_all(item, sizes[dim]):
                steps.append((rows.slice_, (dim, start, stop, step)))
                sizes[dim] = len(range(start, stop, step))
            dim += 1
        elif isinstance(item, NUMBERS) and not isinstance(item, BOOLS):
            steps.append((rows.select, (dim, position(item, sizes, dim))))
            del sizes[dim]
        else:
            if isinstance(item, BOOLS):
                steps.append((rows.unsqueeze, (dim,)))
                sizes.insert(dim, 1)
                item = wrap(np.zeros(1 if item else 0, np.int64))
            tensors += [None] * (dim - covered) + [item]
            dim += max(consumed(item), 1)
            covered = dim
    return Plan(steps, tensors, tuple(sizes))


def means_all(item: slice, n: int) -> bool:
    """Whether a slice plainly means the whole dimension: PyTorch then makes no view."""
    return (item.start in (None, 0) and item.step in (None, 1)
            and (item.stop is None or (type(item.stop) is int and item.stop >= n)))


def whole_slice(shape: tuple, item: slice) -> tuple:
    """`x[a:b]`: one step, made even where it changes nothing."""
    if not shape:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    return rows.slice_, (0, *bounds(item, shape[0]))


def is_tuple(index: Any) -> bool:
    """Whether a list stands for a tuple: a short one that holds slices, None, tensors or lists."""
    if not isinstance(index, (list, range)) or len(index) >= 32:
        return False
    return any(isinstance(item, (Tensor, slice, list, tuple, range, np.ndarray)) or item is None
               or item is Ellipsis for item in index)


def as_index(item: Any) -> Any:
    """An item as None, Ellipsis, slice, int, bool or index tensor; else PyTorch's complaint."""
    if item is None or item is Ellipsis or isinstance(item, (*NUMBERS, *BOOLS, slice)):
        return item
    if isinstance(item, Tensor):
        kind = item._array.dtype.kind
        if kind not in "iub":
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
        if item._array.ndim == 0:
            value = item._array.item()
            return bool(value) if item._array.dtype.kind == "b" or (item._array.itemsize == 1 and \
                kind == "u") else int(value)
        return item
    if isinstance(item, str):
        raise TypeError("new(): invalid data type 'str'")
    if isinstance(item, (list, tuple, range, np.ndarray)):
        made = tensor(list(item) if isinstance(item, range) else item)
        if made._array.size == 0 and made._array.dtype.kind == "f":
            made = made.long()
        return as_index(made)
    raise IndexError("only integers, slices (`:`), ellipsis (`...`), None and long or byte "
                     f"Variables are valid indices (got {type(item).__name__})")


def consumed(item: Any) -> int:
    """How many dimensions an item stands for."""
    if item is None or item is Ellipsis or isinstance(item, BOOLS):
        return 0
    if isinstance(item, Tensor) and is_mask(item):
        return item._array.ndim
    return 1


def is_mask(item: Tensor) -> bool:
    """Whether an index tensor is a mask."""
    return item._array.dtype.kind == "b" or item._array.dtype == np.uint8


def position(item: Any, sizes: list, dim: int) -> int:
    """An index counted from the front."""
    n = sizes[dim]
    if not -n <= item < n:
        raise IndexError(f"index {int(item)} is out of bounds for dimension {dim} with size {n}")
    return int(item) + n if item < 0 else int(item)


def bounds(item: slice, n: int) -> tuple:
    """Start, stop and step of a slice, within the size."""
    start, stop, step = item.start, item.stop, item.step
    if step is None and type(start) in NUMBER_OR_NONE and type(stop) in NUMBER_OR_NONE:
        start, stop, _ = item.indices(n)
        return start, (stop if stop > start else start), 1
    step = 1 if step is None else integer(step)
    if step == 0:
        raise ValueError("slice step cannot be zero")
    if step < 0:
        raise ValueError("step must be greater than zero")
    start, stop = (None if v is None else integer(v) for v in (start, stop))
    start, stop, step = slice(start, stop, step).indices(n)
    return start, max(start, stop), step


def check_tensors(plan_tensors: list, sizes: tuple) -> None:
    """Masks must have the sizes of the dimensions they stand for; the rest must broadcast."""
    dim, shapes = 0, []
    for t in plan_tensors:
        if t is None:
            dim += 1
            continue
        if is_mask(t):
            shape = t._array.shape
            for k, n in enumerate(shape):
                if dim + k >= len(sizes) or sizes[dim + k] != n:
                    raise IndexError(f"The shape of the mask {list(shape)} at index {k} does not "
                                     f"match the shape of the indexed tensor {list(sizes)} at "
                                     f"index {dim + k}")
            dim += len(shape)
            if not isinstance(t._array, ForeignArray):     # counting there would mean waiting
                shapes.append((int(np.count_nonzero(t._array)),))
        else:
            dim += 1
            shapes.append(t._array.shape)
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        raise IndexError("shape mismatch: indexing tensors could not be broadcast together with "
                         f"shapes {', '.join(str(list(s)) for s in shapes)}") from None
