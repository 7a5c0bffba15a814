"""ForeignArray: an array that lives elsewhere than in NumPy, and answers NumPy's protocols.

A row says `grad * np.cos(self)`. On NumPy's arrays that is NumPy; on a foreign array NumPy asks the
array itself (`__array_ufunc__`, `__array_function__`), which computes where its numbers are. So one
formula serves all devices. Three kinds: `GpuArray` on CuPy or on a simulated GPU (`gpu.py`), and
`MetaArray`, which has a shape but no numbers (`meta.py`).

The rules, those of CuPy and of PyTorch's devices:
    An operation takes arrays of one device; a single number from the CPU may join.
    Nothing becomes a NumPy array unless it is asked to (`to_host`), and each time is told.
    Every result is an array, a 0-dim one where NumPy gives a scalar.

`dtype` of a foreign array is a NumPy dtype that is *equal* to the usual one, but another object:
it carries the device (and the stream) in its metadata. The fast paths compare dtypes by identity,
and so tell devices apart without a look of their own; a node, which keeps the dtype of its value,
knows the device its gradient must come from.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from autodidact.arrays.device import CPU, device

__all__ = ["DifferentDevices", "ForeignArray", "as_array", "certainly", "computed", "contiguous",
           "copied", "device_of", "device_of_dtype", "in_numpy", "made", "marked", "plain_dtype"]


class DifferentDevices(TypeError):
    """Arrays of several devices in one operation: PyTorch's message is made from `devices`."""

    def __init__(self, *devices: device) -> None:
        self.devices = devices
        super().__init__(self.message())

    def message(self) -> str:
        """PyTorch's words."""
        first, second = self.devices
        text = ("Expected all tensors to be on the same device, but found at least two devices, "
                f"{first} and {second}!")
        if "meta" in (first.type, second.type):
            text += f" Tensor on device {second} is not on the expected device {first}!"
        return text


def marked(kind: np.dtype, **where: Any) -> np.dtype:
    """A dtype equal to `kind`, another object, with metadata."""
    return np.dtype(kind.type, metadata=where)


def plain_dtype(kind: np.dtype) -> np.dtype:
    """NumPy's own object for a dtype."""
    return np.dtype(kind.type) if kind.metadata else kind


def device_of_dtype(kind: np.dtype) -> device:
    """The device of the values that have this dtype object."""
    return kind.metadata["device"] if kind.metadata else CPU


def in_numpy(x: Any) -> bool:
    """Whether x is NumPy's array or scalar."""
    return type(x) is np.ndarray or isinstance(x, (np.generic, np.ndarray))


def device_of(x: Any) -> device:
    """Where an array lives; NumPy's scalars and Python's numbers count as the CPU's."""
    if type(x) is np.ndarray:
        return CPU
    if isinstance(x, ForeignArray):
        return x.device
    kind = getattr(x, "dtype", None)              # what stands for an array inside a transform
    return device_of_dtype(kind) if isinstance(kind, np.dtype) else CPU


# ---- what rows use where NumPy would make an array of its own ------------------------------------


def made(like: Any, function: Callable, *args: Any, **kwargs: Any) -> Any:
    """`function(*args)`, an array from nothing (`np.zeros`, `np.arange`), made where `like` is."""
    if isinstance(like, ForeignArray):
        return like.make(function, *args, **kwargs)
    return function(*args, **kwargs)


def copied(x: Any) -> Any:
    """A copy that may be written to."""
    return x.copy() if isinstance(x, ForeignArray) else np.array(x)


def contiguous(x: Any, dtype: Any = None) -> Any:
    """The array itself if its last dimension comes first in memory without gaps, else such a copy.

    With `dtype` also in that dtype.
    """
    if isinstance(x, ForeignArray):
        return x.astype(x.dtype if dtype is None else dtype, order="C", copy=False)
    return np.ascontiguousarray(x, dtype)


def computed(function: Callable, *args: Any) -> Any:
    """`function(*args)`, for functions that do not ask the arrays themselves (most of SciPy's)."""
    for a in args:
        if isinstance(a, ForeignArray):
            return a.call(function, args, {})
    return function(*args)


def certainly(x: Any) -> bool:
    """Whether a truth value is known to be true; one on a device is not known without waiting."""
    return not isinstance(x, ForeignArray) and bool(x)


def as_array(x: Any) -> Any:
    """NumPy's scalars as 0-dim arrays; arrays of every kind as they are."""
    return x if isinstance(x, ForeignArray) else np.asarray(x)


# ---- the array --------------------------------------------------------------------------------


class ForeignArray(NDArrayOperatorsMixin):
    """What all foreign arrays share: protocols, methods and indexing end in `call`.

    Attributes:
        inside: the array of the library that computes.
        dtype: equal to NumPy's, with the device in its metadata.
    """

    __slots__ = ("dtype", "inside")
    __hash__ = None

    inside: Any
    dtype: np.dtype

    # A subclass says:
    #   device                         where it lives
    #   call(function, args, kwargs)   compute; `function` is NumPy's, or works on the insides
    #   make(function, *args, ...)     an array from nothing, at the same place
    #   to_host()                      the numbers as NumPy's array; told as a transfer

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        raise TypeError(f"implicit conversion of an array on {self.device} to a NumPy array is "
                        "not allowed: use to_host()")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        out = kwargs.get("out")
        if out is not None:
            result = self.call(ufunc, inputs, {k: v for k, v in kwargs.items() if k != "out"},
                               method)
            out[0][...] = result
            return out[0]
        return self.call(ufunc, inputs, kwargs, method)

    def __array_function__(self, function: Any, types: Any, args: tuple, kwargs: dict) -> Any:
        return self.call(function, args, kwargs)

    def method(self, name: str, args: tuple, kwargs: dict) -> Any:
        """A method of the array."""
        return self.call(name, (self, *args), kwargs, "method")

    # ---- questions that need no numbers ----

    @property
    def shape(self) -> tuple:
        """The size of each dimension."""
        return self.inside.shape

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self.inside.ndim

    @property
    def size(self) -> int:
        """The number of elements."""
        return self.inside.size

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self.inside.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.inside.size * self.inside.itemsize

    @property
    def strides(self) -> tuple:
        """Steps in bytes."""
        return self.inside.strides

    @property
    def flags(self) -> Any:
        """How the numbers lie in memory."""
        return self.inside.flags

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    # ---- Python's numbers: each is a transfer ----

    def item(self) -> Any:
        """The single element as a Python number."""
        return self.to_host().item()

    def tolist(self) -> Any:
        """Python numbers in nested lists."""
        return self.to_host().tolist()

    def __bool__(self) -> bool:
        return bool(self.to_host())

    def __int__(self) -> int:
        return int(self.to_host())

    def __index__(self) -> int:
        return self.to_host().__index__()

    def __float__(self) -> float:
        return float(self.to_host())

    def __complex__(self) -> complex:
        return complex(self.to_host())


def method_of(name: str) -> Callable:
    """A method that the array of the library has, too."""
    def call(self: ForeignArray, *args: Any, **kwargs: Any) -> Any:
        return self.call(name, (self, *args), kwargs, "method")
    call.__name__ = call.__qualname__ = name
    return call


METHODS = ("all", "any", "argmax", "argmin", "argsort", "astype", "conj", "conjugate", "copy",
           "cumprod", "cumsum", "diagonal", "dot", "fill", "flatten", "max", "mean", "min",
           "nonzero", "prod", "ravel", "repeat", "reshape", "round", "sort", "squeeze", "sum",
           "swapaxes", "take", "trace", "transpose", "view", "__getitem__", "__setitem__")
for _name in METHODS:
    setattr(ForeignArray, _name, method_of(_name))


def part_of(name: str) -> property:
    """An attribute that is an array itself: `.real`, `.T`."""
    return property(lambda self: self.call(name, (self,), {}, "part"))


for _name in ("real", "imag", "T", "flat"):
    setattr(ForeignArray, _name, part_of(_name))
