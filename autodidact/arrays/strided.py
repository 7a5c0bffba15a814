"""Strided memory: the only place where pointers are computed.

An array is an owner (the memory), an offset into it, a shape and strides in bytes.
"""

import numpy as np

__all__ = ["broadcast", "data_ptr", "element_strides", "is_dense", "look_at", "may_overlap_itself",
           "offset", "owner", "restride"]


def owner(array: np.ndarray) -> np.ndarray:
    """The array whose memory this one looks into; itself when it owns its memory."""
    if hasattr(array, "inside"):
        return array.owner()
    while True:
        base = array.base
        if not isinstance(base, np.ndarray):
            base = getattr(base, "base", None)           # as_strided puts a link between
            if not isinstance(base, np.ndarray):
                return array
        array = base


def data_ptr(array: np.ndarray) -> int:
    """The address of the first element."""
    return array.data_ptr if hasattr(array, "inside") else array.__array_interface__["data"][0]


def offset(array: np.ndarray) -> int:
    """Bytes from the start of the owner's memory to the first element."""
    return data_ptr(array) - data_ptr(owner(array))


def element_strides(array: np.ndarray) -> tuple:
    """Strides in elements, as PyTorch counts them; those NumPy leaves open are made row-major."""
    if array.size == 0 or array.flags.c_contiguous:
        strides, step = [], 1
        for n in reversed(array.shape):
            strides.append(step)
            step *= max(n, 1)
        return tuple(reversed(strides))
    return tuple(s // array.itemsize for s in array.strides)


def restride(array: np.ndarray, shape: tuple, strides: tuple, offset: int = 0,
             dtype: np.dtype | None = None) -> np.ndarray:
    """Another look at the same memory: strides and offset in bytes, from the array's own start.

    No bounds are checked here: the callers are view rows, which check in their own words.
    """
    if hasattr(array, "inside"):                  # a foreign array knows its memory itself
        return array.restride(shape, strides, offset, dtype or array.dtype)
    memory = owner(array)
    flat = memory if memory.ndim == 1 else one_row(memory)
    start = data_ptr(array) - data_ptr(memory) + offset
    return np.ndarray(shape, dtype or array.dtype, flat, start, strides)


def one_row(memory: np.ndarray) -> np.ndarray:
    """The same memory as one row, in the order in which it lies."""
    if not memory.flags.forc:                  # what NumPy makes of permuted operands is permuted
        memory = memory.transpose(np.argsort([-stride for stride in memory.strides],
                                             kind="stable"))
        if not memory.flags.c_contiguous:
            raise RuntimeError("these numbers lie in memory that NumPy cannot address as one "
                               "block; clone() the tensor first")
    return memory.reshape(-1, order="A")


def broadcast(array: np.ndarray, shape: tuple) -> np.ndarray:
    """The array repeated to `shape` with zero strides: no copy, writable, quick."""
    if array.shape == shape:
        return array
    if hasattr(array, "inside"):
        return array.broadcast(shape)
    if array.ndim == 0:
        return np.ndarray(shape, array.dtype, array, 0, (0,) * len(shape))
    lead = len(shape) - array.ndim
    if lead < 0:
        raise ValueError(f"cannot broadcast {array.shape} to {shape}")
    strides = [0] * lead
    for have, want, stride in zip(array.shape, shape[lead:], array.strides, strict=True):
        if have != want and have != 1:
            raise ValueError(f"cannot broadcast {array.shape} to {shape}")
        strides.append(stride if have == want else 0)
    if array.size == 0 or not array.flags.forc:
        return np.lib.stride_tricks.as_strided(array, shape, strides)
    return np.ndarray(shape, array.dtype, array, 0, tuple(strides))


class Interface:
    """What NumPy asks of memory that is to become an array."""

    def __init__(self, keeper: np.ndarray, pointer: int, shape: tuple, strides: tuple,
                 dtype: np.dtype) -> None:
        self.keeper = keeper
        self.__array_interface__ = {"version": 3, "data": (pointer, False), "shape": shape,
                                    "strides": strides, "typestr": dtype.str}


def look_at(keeper: np.ndarray, pointer: int, shape: tuple, strides: tuple,
            dtype: np.dtype) -> np.ndarray:
    """An array at an address, unchecked: only for forms that nobody reads (`meta.py`)."""
    return np.asarray(Interface(keeper, pointer, shape, strides, dtype))


def is_dense(array: np.ndarray) -> bool:
    """Non-overlapping and dense: the elements fill one block, in whatever order of dimensions."""
    if array.flags.forc:
        return True
    step = array.itemsize
    pairs = zip(array.strides, array.shape, strict=True)
    for stride, n in sorted((s, n) for s, n in pairs if n != 1):
        if stride != step:
            return False
        step *= n
    return True


def may_overlap_itself(array: np.ndarray) -> bool:
    """Whether two of its positions share an element (a zero stride over more than one element)."""
    return array.size > 1 and any(
        s == 0 and n > 1 for s, n in zip(array.strides, array.shape, strict=True))
