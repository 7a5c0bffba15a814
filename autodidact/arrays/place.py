"""From one device to another: `put`, and arrays made where they are to be."""

from collections.abc import Callable
from typing import Any

import numpy as np

from autodidact.arrays import cupy, gpu, meta
from autodidact.arrays import device as devices
from autodidact.arrays.device import CPU, device
from autodidact.arrays.dtype import BFLOAT16
from autodidact.arrays.foreign import (
    DifferentDevices,
    ForeignArray,
    device_of,
    device_of_dtype,
    plain_dtype,
)

__all__ = ["ELSEWHERE", "check_same", "gpu_count", "looked_at", "make_on", "marked_for", "moved",
           "put", "to_host"]

LOADED = cupy          # says how a real GPU is driven
ELSEWHERE = frozenset({gpu.GpuArray, meta.MetaArray})     # the classes of arrays not in the CPU


ONLY_HERE = "bfloat16 is on the CPU only here: convert with .float() first"


def make_on(where: device, function: Callable, *args: Any) -> Any:
    """`function(*args)`, an array from nothing (`np.zeros`), made on a device."""
    if where is CPU:
        return function(*args)
    if any(a is BFLOAT16 for a in args):
        raise RuntimeError(ONLY_HERE)
    if where.type == "meta":
        return meta.make(function, *args)
    return gpu.make(where, function, *args)


def put(array: Any, where: device) -> Any:
    """The array on `where`: itself if it is there, else a copy.

    Raises:
        NotImplementedError: out of the meta device, where there are no numbers.
    """
    here = device_of(array)
    if here == where:
        return array
    if array.dtype is BFLOAT16:
        raise RuntimeError(ONLY_HERE)
    if where.type == "cpu":
        return array.to_host()
    if where.type == "meta":
        return meta.without_numbers(array.inside if isinstance(array, ForeignArray) and
                                    here.type == "meta" else stand_in(array))
    if here.type == "cuda":
        return array.to_gpu(where)
    return gpu.upload(to_host(array), where)


def marked_for(kind: np.dtype, where: device) -> np.dtype:
    """The dtype object that an array of this dtype has on a device (see `foreign.py`)."""
    kind = plain_dtype(kind)
    if where.type == "cpu":
        return kind
    if kind is BFLOAT16:
        raise RuntimeError(ONLY_HERE)
    return meta.dtype_of(kind) if where.type == "meta" else gpu.current(where).dtype(kind)


def moved(array: Any, kind: np.dtype) -> Any:
    """The array on the device that a dtype object names; its own dtype stays."""
    return put(array, device_of_dtype(kind))


def stand_in(array: Any) -> np.ndarray:
    """An array of NumPy of the same shape, dtype and strides, for its form only."""
    if isinstance(array, ForeignArray):
        return meta.form(array.shape, np.dtype(array.dtype.type), array.strides).inside
    return array


def to_host(array: Any) -> Any:
    """The numbers as NumPy's; NumPy's arrays and scalars themselves."""
    return array.to_host() if isinstance(array, ForeignArray) else array


def looked_at(array: Any) -> np.ndarray | None:
    """The numbers for a viewer, whose looking is no transfer of the program; None on meta."""
    if not isinstance(array, ForeignArray):
        return np.asarray(array)
    if array.device.type == "meta":
        return None
    with gpu.observing():
        return array.to_host()


def check_same(arrays: Any) -> None:
    """Refuse arrays of several devices; a single number of the CPU may join.

    Raises:
        RuntimeError: with PyTorch's words.
    """
    first = None
    for array in arrays:
        where = device_of(array)
        if getattr(array, "ndim", 0) == 0 and where is CPU:
            continue
        if first is not None and where != first:
            raise RuntimeError(str(DifferentDevices(first, where)))
        first = where if first is None else first


def gpu_count() -> int:
    """How many GPUs there are; 0 without CuPy or without a driver."""
    try:
        return gpu.driver().count()
    except (AssertionError, RuntimeError):
        return 0


def numbered(where: device) -> device:
    """A GPU with its number; "cuda" is the current one.

    Raises:
        AssertionError, RuntimeError: there is no GPU, or none of this number.
    """
    count = gpu.driver().count()
    index = gpu.State.device if where.index is None else where.index
    if index >= count:
        raise RuntimeError(f"CUDA error: invalid device ordinal {index}: there "
                           f"{'is 1 GPU' if count == 1 else f'are {count} GPUs'}")
    return device("cuda", index)


devices.GPU, devices.GPU_COUNT = numbered, gpu_count
