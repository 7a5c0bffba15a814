"""MetaArray: an array with shape, strides and dtype, and no numbers (`device="meta"`).

What a function would give is found by letting NumPy compute it on stand-ins of one element:

    ufuncs              on arrays of one element; the shape is that of broadcasting
    views               on the *form*: one element that is looked at with the array's own shape and
                        strides. A view reads no element, so none of the missing ones is read
    everything else     on one element repeated to the shape (zero strides); of the result only
                        shape, dtype and strides are kept

So no row knows of it, and no memory is used for numbers, except for a moment in the last case.
Where a result's shape depends on the numbers (`nonzero`, a mask as index) there is none.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from autodidact.arrays.device import CPU, META
from autodidact.arrays.foreign import DifferentDevices, ForeignArray, in_numpy, marked, plain_dtype
from autodidact.arrays.strided import broadcast, data_ptr, look_at

__all__ = ["META", "MetaArray", "make", "without_numbers"]

DTYPES: dict[np.dtype, np.dtype] = {}
VIEWS = frozenset({
    np.transpose, np.swapaxes, np.moveaxis, np.squeeze, np.expand_dims, np.diagonal,
    np.broadcast_to, np.lib.stride_tricks.as_strided, np.shape, np.ndim,
    np.size, np.result_type, "swapaxes", "transpose", "squeeze", "diagonal", "view", "T", "real",
    "imag"})
READS = frozenset({np.nonzero, np.flatnonzero, np.unique, np.array_equal, "nonzero"})
NO_DATA = "Cannot copy out of meta tensor; no data!"


class MetaArray(ForeignArray):
    """Shape, strides and dtype; `inside` is the form, whose elements are never read."""

    __slots__ = ()
    device = META

    def __init__(self, form: np.ndarray) -> None:
        self.inside, self.dtype = form, dtype_of(form.dtype)

    def call(self, function: Any, args: tuple, kwargs: dict, method: str = "__call__") -> Any:
        """What NumPy would give, without its numbers."""
        if isinstance(function, np.ufunc) and method == "__call__" and function.signature is None:
            return elementwise(function, args, kwargs)
        if function == "__setitem__":
            return written(*args)
        if function is np.copyto:
            return written(args[0], Ellipsis, args[1])
        if function == "fill":
            return None
        if function in (np.may_share_memory, np.shares_memory):
            return element(args[0]) is element(args[1])
        if function in ("reshape", "ravel", "flatten") or function is np.reshape:
            return reshaped(args[0], args[1:], kwargs)
        if function in READS or holds_mask(args[1:] if function == "__getitem__" else ()):
            raise NotImplementedError(
                f"{getattr(function, '__name__', function)}: attempted to run this operator with "
                "Meta tensors: the shape of its result depends on numbers, and there are none")
        view = function in VIEWS or (function == "__getitem__" and is_basic(args[1]))
        stand_in = form_of if view else filled
        if function in MATRICES:
            stand_in = unit_matrices
        args, kwargs = opened(args, stand_in), opened(kwargs, stand_in)
        if method == "method":
            result = getattr(args[0], function)(*args[1:], **kwargs)
        elif method == "part":
            result = getattr(args[0], function)
        else:
            result = (function if method == "__call__" else getattr(function, method))(
                *args, **kwargs)
        return closed(result, view)

    def make(self, function: Callable, *args: Any, **kwargs: Any) -> "MetaArray":
        """An array from nothing."""
        return make(function, *args, **kwargs)

    def copy(self, order: str = "C") -> "MetaArray":
        """An array of the same form."""
        return without_numbers(np.empty_like(self.inside, order=order, shape=self.shape)
                               if self.size < SMALL else self.inside)

    def to_host(self) -> np.ndarray:
        """There is nothing to copy.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError(NO_DATA)

    def item(self) -> Any:
        """There is no number.

        Raises:
            RuntimeError: always.
        """
        raise RuntimeError("Tensor.item() cannot be called on meta tensors")

    __bool__ = __int__ = __float__ = __complex__ = __index__ = item

    # ---- memory that is not there ----

    data_ptr = 0

    @property
    def base(self) -> Any:
        """None: no memory is shared."""
        return None

    def owner(self) -> "MetaArray":
        """Itself: nothing is shared."""
        return self

    def restride(self, shape: tuple, strides: tuple, offset: int, dtype: Any) -> "MetaArray":
        """Another look."""
        form = self.inside
        return MetaArray(look_at(form, data_ptr(form) + offset, shape, strides,
                                 plain_dtype(dtype)))

    def broadcast(self, shape: tuple) -> "MetaArray":
        """Repeated to `shape` with zero strides."""
        return MetaArray(np.broadcast_to(self.inside, shape))


def dtype_of(kind: np.dtype) -> np.dtype:
    """NumPy's dtype, marked with the meta device."""
    found = DTYPES.get(kind)
    if found is None:
        found = DTYPES[kind] = marked(kind, device=META)
    return found


SMALL = 4096
MATRICES = frozenset({np.linalg.inv, np.linalg.solve, np.linalg.cholesky, np.linalg.pinv,
                      np.linalg.eig, np.linalg.eigh, np.linalg.svd, np.linalg.qr})


def element(x: MetaArray) -> np.ndarray:
    """The one element that a form and its views look at."""
    array = x.inside
    while not (array.base is None or isinstance(array.base, bytes)):
        array = getattr(array.base, "keeper", array.base)
    return array


def row_major(shape: tuple, itemsize: int) -> tuple:
    """Strides of an array without gaps, the last dimension first in memory."""
    strides = []
    for n in reversed(shape):
        strides.append(itemsize)
        itemsize *= max(n, 1)
    return tuple(reversed(strides))


def form(shape: tuple, kind: np.dtype, strides: tuple | None = None) -> MetaArray:
    """An array of this form on one element of its own."""
    element = np.zeros((1,), kind)
    strides = row_major(shape, kind.itemsize) if strides is None else strides
    return MetaArray(look_at(element, data_ptr(element), shape, strides, kind))


def without_numbers(array: Any) -> MetaArray:
    """The form of an array."""
    array = np.asarray(array)
    return form(array.shape, plain_dtype(array.dtype),
                array.strides if array.size and dense(array) else None)


def dense(array: np.ndarray) -> bool:
    """Whether the strides are those of an array that has been computed, not of a stand-in."""
    return all(s for s, n in zip(array.strides, array.shape, strict=True) if n > 1)


def make(function: Callable, *args: Any, **kwargs: Any) -> MetaArray:
    """What `function(*args)` would make: `np.zeros` and its kind need no numbers for that."""
    if function in (np.zeros, np.ones, np.empty, np.full):
        shape = tuple(args[0]) if isinstance(args[0], (tuple, list)) else (args[0],)
        return form(shape, plain_dtype(np.dtype(args[-1])))
    return without_numbers(function(*(plain_dtype(a) if isinstance(a, np.dtype) else a
                                      for a in args), **kwargs))


def form_of(x: MetaArray) -> np.ndarray:
    """For functions that read no element."""
    return x.inside


def filled(x: MetaArray) -> np.ndarray:
    """For functions that read (or write, to no effect): one element, repeated."""
    return broadcast(np.zeros((), x.inside.dtype), x.shape)


def unit_matrices(x: MetaArray) -> np.ndarray:
    """For functions that refuse singular matrices."""
    if x.ndim < 2:
        return filled(x)
    return np.broadcast_to(np.eye(*x.shape[-2:], dtype=x.inside.dtype), x.shape)


def opened(value: Any, stand_in: Callable) -> Any:
    """Stand-ins for the arrays, also inside tuples, lists and dicts."""
    if isinstance(value, MetaArray):
        return stand_in(value)
    if isinstance(value, (tuple, list)):
        return type(value)([opened(v, stand_in) for v in value])
    if isinstance(value, dict):
        return {k: opened(v, stand_in) for k, v in value.items()}
    if isinstance(value, np.dtype):
        return plain_dtype(value)
    check(value)
    return value


def check(value: Any) -> None:
    """Refuse an array of another device; a single number may join."""
    if isinstance(value, ForeignArray) and not isinstance(value, MetaArray):
        raise DifferentDevices(META, value.device)
    if in_numpy(value) and value.ndim:
        raise DifferentDevices(META, CPU)


def closed(result: Any, view: bool) -> Any:
    """Results without their numbers."""
    if isinstance(result, (np.ndarray, np.generic)):
        return MetaArray(result) if view else without_numbers(result)
    if isinstance(result, tuple) and hasattr(result, "_fields"):
        return type(result)(*(closed(r, view) for r in result))
    if isinstance(result, (tuple, list)):
        return type(result)([closed(r, view) for r in result])
    return result


def elementwise(ufunc: np.ufunc, args: tuple, kwargs: dict) -> Any:
    """The dtype from one element, the shape from broadcasting."""
    shape = ()
    for a in args:
        check(a)
        shape = np.broadcast_shapes(shape, a.shape) if isinstance(a, MetaArray) else shape
    one = opened(args, lambda x: np.ones((1,) * x.ndim, x.inside.dtype))
    result = ufunc(*one, **opened(kwargs, filled))
    if isinstance(result, tuple):
        return tuple(form(shape, r.dtype) for r in result)
    same = next((a for a in args if isinstance(a, MetaArray) and a.shape == shape), None)
    strides = same.strides if same is not None and dense(same.inside) else None
    if strides is not None and same.itemsize != result.dtype.itemsize:
        strides = tuple(s // same.itemsize * result.dtype.itemsize for s in strides)
    return form(shape, result.dtype, strides)


def written(target: MetaArray, index: Any, value: Any) -> None:
    """`target[index] = value`: only the shapes are looked at."""
    if index is Ellipsis:
        room = target.shape
    elif holds_mask((index,)):
        return
    else:
        room = target[index].shape
    if isinstance(value, (MetaArray, np.ndarray)):
        np.broadcast_to(np.zeros((1,) * value.ndim, np.bool_) if not value.size else
                        np.broadcast_to(np.zeros((), np.bool_), value.shape), room)


def reshaped(x: MetaArray, args: tuple, kwargs: dict) -> MetaArray:
    """Another shape: the same memory where the strides allow it, else row-major."""
    shape = kwargs.get("shape", args[0] if len(args) == 1 else args) if args or kwargs else (-1,)
    shape = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    shape = filled(x).reshape(shape).shape
    if x.size and not x.inside.flags.c_contiguous:
        try:
            return MetaArray(np.reshape(x.inside, shape, copy=False))
        except (ValueError, TypeError):           # a copy is needed; NumPy 2.0 cannot be asked
            return form(shape, x.inside.dtype)
    return MetaArray(look_at(x.inside, data_ptr(x.inside), shape,
                             row_major(shape, x.itemsize), x.inside.dtype))


def holds_mask(indices: Any) -> bool:
    """Whether a mask stands among the indices."""
    indices = indices[0] if len(indices) == 1 and isinstance(indices[0], tuple) else indices
    return any(isinstance(i, ForeignArray) and i.dtype.kind == "b" for i in indices)


def is_basic(index: Any) -> bool:
    """Whether an index makes a view: no arrays in it."""
    return not any(isinstance(i, (ForeignArray, np.ndarray, list))
                   for i in (index if isinstance(index, tuple) else (index,)))
