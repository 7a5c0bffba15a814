"""Operations that copy or cast, and are the identity for gradients."""

import numpy as np

from autodidact.arrays.bfloat16 import cast as converted
from autodidact.arrays.foreign import ForeignArray, as_array, made
from autodidact.arrays.place import moved
from autodidact.arrays.strided import is_dense
from autodidact.ops.op import Op, linear

clone = Op("clone(self)",
    forward = lambda self: duplicate(self),
    vjp     = {"self": lambda grad: grad},
    kind    = linear)

to_copy = Op("to_copy(self, *, dtype)",                          # `x.to(dtype)`, `x.double()`
    forward = lambda self, dtype: converted(on_device_of(self, dtype), dtype),
    vjp     = {"self": lambda grad, self_dtype: cast(grad, self_dtype)},
    kind    = linear)

contiguous = Op("contiguous(self)",
    forward = lambda self: row_major(self),
    vjp     = {"self": lambda grad: grad},
    node    = "CloneBackward0",
    kind    = linear)


def cast(grad: object, dtype: np.dtype) -> object:
    """The gradient in the dtype of the value it belongs to; the real part where that is real."""
    if dtype.kind != "c" and np.dtype(getattr(grad, "_array", grad).dtype).kind == "c":
        grad = grad.real
    if hasattr(grad, "_array"):
        return grad.to_numpy_dtype(dtype)
    return converted(moved(grad, dtype), dtype, copy=True)


def on_device_of(array: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """A copy on the device that the dtype belongs to."""
    there = moved(array, dtype)
    return duplicate(array) if there is array else there


def row_major(array: np.ndarray) -> np.ndarray:
    """A copy whose last dimension comes first in memory."""
    return array.copy(order="C") if isinstance(array, ForeignArray) else np.array(array, order="C")


def duplicate(array: np.ndarray) -> np.ndarray:
    """A copy that keeps the order of dense memory, and is row-major where there are gaps."""
    order = "K" if is_dense(as_array(array)) else "C"
    return array.copy(order=order) if isinstance(array, ForeignArray) else np.array(
        array, order=order)


complex_ = Op("complex(real, imag)",                              # real + i imag
    forward = lambda real, imag: join_parts(real, imag),
    vjp     = {"real": lambda grad: grad.real,
               "imag": lambda grad: grad.imag},
    promote = "common",
    kind    = linear)


def join_parts(real: np.ndarray, imag: np.ndarray) -> np.ndarray:
    """A complex array from its parts; `real + 1j * imag` would spoil infinities."""
    out = made(real, np.empty, np.broadcast_shapes(real.shape, imag.shape),
               np.dtype(f"c{2 * real.itemsize}"))
    out.real[...], out.imag[...] = real, imag
    return out


# ---- the writes of `copy_`, `fill_`, `zero_`: what was there before gets no gradient -------------

copy = Op("copy(self, src)",
    forward = lambda self, src: np.broadcast_to(src, self.shape),
    vjp     = {"self": lambda grad: np.zeros_like(grad),
               "src":  lambda grad: grad},
    jvp     = lambda self_t, src_t: np.zeros_like(self_t) + src_t,
    node    = "torch::autograd::CopyBackwards",
    kind    = linear)

fill = Op("fill(self, value)",
    forward = lambda self, value: np.full_like(self, value),
    vjp     = {"self":  lambda grad: np.zeros_like(grad),
               "value": lambda grad: grad.sum()},
    jvp     = lambda self_t, value_t: np.zeros_like(self_t) + value_t,
    node    = "FillBackward3",
    kind    = linear)

fill_scalar = Op("fill_scalar(self, *, value)",
    forward = lambda self, value: np.full_like(self, value),
    vjp     = {"self": lambda grad: np.zeros_like(grad)},
    jvp     = lambda self_t: np.zeros_like(self_t),
    node    = "FillBackward2",
    kind    = linear)

zero = Op("zero(self)",
    forward = lambda self: np.zeros_like(self),
    vjp     = {"self": lambda grad: np.zeros_like(grad)},
    jvp     = lambda self_t: np.zeros_like(self_t),
    kind    = linear)
