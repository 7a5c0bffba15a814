"""Reading arguments as PyTorch's parser does: sizes as numbers or as one tuple, dimensions."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from autodidact.arrays.device import CPU
from autodidact.arrays.foreign import ForeignArray, device_of, plain_dtype
from autodidact.arrays.place import to_host
from autodidact.tensor import Tensor, wrap_dim

__all__ = ["dims_of", "ints", "looked_at", "need_tensor", "numbers_of", "resolve", "wrap_dim"]


def ints(given: tuple, what: str = "size") -> tuple:
    """`f(2, 3)`, `f((2, 3))` and `f(torch.Size([2, 3]))` mean the same.

    Raises:
        TypeError: where an entry is not an integer.
    """
    if len(given) == 1 and isinstance(given[0], (tuple, list)):
        given = given[0]
    for n in given:
        if type(n) is not int:
            break
    else:
        return tuple(given)
    try:
        return tuple([int(n) if type(n) is int else integer(n) for n in given])
    except TypeError:
        kinds = ", ".join(type(n).__name__ for n in given)
        raise TypeError(f"received an invalid combination of arguments - got ({kinds}), but "
                        f"expected one of: * (tuple of ints {what})") from None


def integer(n: Any) -> int:
    """An int from anything that says it is one; TypeError else."""
    if type(n) is int:
        return n
    if isinstance(n, (float, complex, str)):
        raise TypeError(f"expected int, got {type(n).__name__}")
    return int(n.__index__()) if hasattr(n, "__index__") else int(np.int64(n))


def need_tensor(x: Any, name: str, argument: str, position: int = 1) -> None:
    """PyTorch's complaint about anything but a tensor."""
    if not isinstance(x, Tensor):
        raise TypeError(f"{name}(): argument '{argument}' (position {position}) must be Tensor, "
                        f"not {type(x).__name__}")


def numbers_of(x: Tensor, name: str) -> np.ndarray:
    """The numbers of a tensor as an array, for functions that look at them.

    Raises:
        RuntimeError: inside vmap, where one tensor stands for many.
    """
    array = x._array
    while hasattr(array, "value"):                       # what a transform has put around it
        if array.lanes:
            raise RuntimeError(f"vmap: {name} looks at the numbers of its input, which differ from "
                               "lane to lane; it is not supported inside vmap")
        array = array.value._array
    return np.asarray(to_host(array))


def refuse_lanes(x: Tensor, name: str) -> None:
    """Refuse what would give another shape in each lane of a vmap."""
    array = x._array
    while hasattr(array, "value"):
        if array.lanes:
            raise RuntimeError("vmap: We do not support batching operators that can output dynamic "
                               f"shape: {name} gives another shape in each lane")
        array = array.value._array


def looked_at(x: Tensor) -> np.ndarray:
    """The numbers of an index, to be checked; none of a GPU's, where looking would mean waiting."""
    array = x._array
    return np.zeros((0,), plain_dtype(array.dtype)) if isinstance(array, ForeignArray) \
        else np.asarray(array)


def all_numbers(x: Tensor) -> np.ndarray:
    """The same; inside vmap, those of all lanes: for questions about every number."""
    array = x._array
    while hasattr(array, "value"):
        array = array.value._array
    return np.asarray(to_host(array) if device_of(array) is CPU else array)


def dims_of(dim: Any, ndim: int) -> tuple:
    """Several dimensions, counted from the front; each at most once."""
    given = dim if isinstance(dim, Iterable) else (dim,)
    dims = tuple(wrap_dim(integer(d), ndim) for d in given)
    for d in dims:
        if dims.count(d) > 1:
            raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
    return dims


def resolve(shape: tuple, numel: int) -> tuple:
    """The shape with its -1 filled in.

    Raises:
        RuntimeError: two -1, other negative sizes, or a number of elements that does not fit.
    """
    count = 1
    for n in shape:
        count *= n
    if count == numel and -1 not in shape and (count or min(shape) >= 0):
        return shape
    known = 1
    for i, n in enumerate(shape):
        if n < -1:
            raise RuntimeError(f"invalid shape dimension {n} at index {i} of shape {list(shape)}")
        known *= n if n != -1 else 1
    if -1 not in shape:
        raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {numel}")
    if shape.count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")
    if known == 0 and numel == 0:
        raise RuntimeError(f"cannot reshape tensor of 0 elements into shape {list(shape)} because "
                           "the unspecified dimension size -1 can be any value and is ambiguous")
    if known == 0 or numel % known:
        raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {numel}")
    return tuple(numel // known if n == -1 else n for n in shape)
