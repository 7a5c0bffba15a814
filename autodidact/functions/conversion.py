"""A tensor's way into Python and NumPy: `item`, `tolist`, `float(x)`, `x.numpy()`, `np.sqrt(x)`."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from autodidact.arrays import dtype as dt
from autodidact.arrays.place import to_host
from autodidact.autograd.grad_mode import mode
from autodidact.levels import level as levels
from autodidact.ops.op import NUMPY
from autodidact.public import method
from autodidact.tensor import Tensor, wrap
from autodidact.tensor_base import LIFTED, memory

__all__ = ["only_element"]

@method
def numpy(self: Tensor, *, force: bool = False) -> np.ndarray:
    """The NumPy array that holds the numbers: shared, not copied.

    Raises:
        TypeError: when the numbers are on another device than the CPU.
        RuntimeError: when the tensor requires grad (and is not inside no_grad), or belongs to a
            transform that is running, which NumPy would leave in silence.
    """
    if self.device.type != "cpu" and not force:
        raise TypeError(f"can't convert {self.device} device type tensor to numpy. Use "
                        "Tensor.cpu() to copy the tensor to host memory first.")
    if self._array.dtype is dt.BFLOAT16:
        raise TypeError("Got unsupported ScalarType BFloat16: NumPy has no such numbers; "
                        "x.float().numpy() gives them as float32")
    if self.requires_grad and not force and mode.grad:
        raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use "
                           "tensor.detach().numpy() instead.")
    if self._flags & LIFTED and self._level is not None and self._level.alive:
        raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage: inside "
                           "vmap, grad, jvp and the like NumPy would see the numbers and not what "
                           "belongs to them; use the operations of torch")
    return to_host(memory(levels.grounded(self) if self._flags & LIFTED else self))


@method
def __array__(self: Tensor, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
    array = self.numpy()
    if dtype is None and not copy:
        return array
    return np.array(array, dtype=dtype, copy=copy if copy is not None else None)


@method
def __array_ufunc__(self: Tensor, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
    if mode.reading and method == "__call__" and not kwargs and ufunc in NUMPY:
        return NUMPY[ufunc].call(*inputs)
    if ufunc in REFLECTED and isinstance(inputs[0], np.generic) and method == "__call__":
        return getattr(inputs[1], REFLECTED[ufunc])(inputs[0].item())    # np.float64(2) * x
    if ufunc in OPERATOR_UFUNCS and not isinstance(inputs[0], Tensor):
        return NotImplemented
    arrays = [x.__array__() if isinstance(x, Tensor) else x for x in inputs]
    result = getattr(ufunc, method)(*arrays, **kwargs)
    return wrap(result) if isinstance(result, (np.ndarray, np.generic)) else result


@method
def __array_function__(self: Tensor, func: Any, types: Any, args: tuple, kwargs: dict) -> Any:
    if mode.reading and func in NUMPY:
        return NUMPY[func].call(*args, **kwargs)
    return func._implementation(*unwrapped(args), **unwrapped(kwargs))


@method
def tolist(self: Tensor) -> Any:
    """Python numbers in nested lists; a number for 0 dimensions."""
    return self._array.tolist()


@method
def item(self: Tensor) -> Any:
    """The single element as a Python number."""
    if self._array.size != 1:
        raise RuntimeError(f"a Tensor with {self._array.size} elements cannot be converted to "
                           "Scalar")
    return self._array.item()


@method
def __bool__(self: Tensor) -> bool:
    if self._array.size != 1:
        word = "no values" if self._array.size == 0 else "more than one value"
        raise RuntimeError(f"Boolean value of Tensor with {word} is ambiguous")
    return bool(self._array.item())


@method
def __float__(self: Tensor) -> float:
    return float(real_number(self))


@method
def __int__(self: Tensor) -> int:
    return int(real_number(self))


@method
def __complex__(self: Tensor) -> complex:
    return complex(only_element(self))


@method
def __index__(self: Tensor) -> int:
    if self._array.dtype.kind not in "iub" or self._array.size != 1:
        raise TypeError("only integer tensors of a single element can be converted to an index")
    return int(self._array.item())


@method
def __len__(self: Tensor) -> int:
    if self._array.ndim == 0:
        raise TypeError("len() of a 0-d tensor")
    return self._array.shape[0]


@method
def __iter__(self: Tensor) -> Iterator:
    if self._array.ndim == 0:
        raise TypeError("iteration over a 0-d tensor")
    return iter(self.unbind(0))


@method
def __contains__(self: Tensor, element: Any) -> bool:
    return bool((self._array == getattr(element, "_array", element)).any())


@method
def __reversed__(self: Tensor) -> "Tensor":
    return self.flip(tuple(range(self._array.ndim)))


@method
def __format__(self: Tensor, spec: str) -> str:
    if self._array.ndim == 0:
        return format(self.item(), spec)
    return object.__format__(self, spec) if spec else repr(self)


OPERATOR_UFUNCS = frozenset({
    np.add, np.subtract, np.multiply, np.divide, np.power, np.matmul, np.floor_divide,
    np.remainder, np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal,
    np.bitwise_and, np.bitwise_or, np.bitwise_xor})


def only_element(t: Tensor) -> Any:
    """What `float(t)` and its like convert; ValueError for any other number of elements."""
    if t._array.size != 1:
        raise ValueError("only one element tensors can be converted to Python scalars, this one "
                         f"has {t._array.size}")
    return t._array.item()


def real_number(t: Tensor) -> Any:
    """The same without an imaginary part; RuntimeError where there is one."""
    value = only_element(t)
    if type(value) is complex:
        if value.imag:
            raise RuntimeError("value cannot be converted to type double without overflow")
        return value.real
    return value


REFLECTED = {np.add: "__radd__", np.subtract: "__rsub__", np.multiply: "__rmul__",
             np.divide: "__rtruediv__", np.power: "__rpow__", np.floor_divide: "__rfloordiv__",
             np.remainder: "__rmod__"}


def unwrapped(values: Any) -> Any:
    """Arrays in place of tensors, for NumPy's functions called by a user."""
    if isinstance(values, dict):
        return {k: unwrapped(v) for k, v in values.items()}
    if isinstance(values, (tuple, list)):
        return type(values)(unwrapped(v) for v in values)
    return values.__array__() if isinstance(values, Tensor) else values
