"""Operations that copy or cast, and are the identity for gradients."""

import numpy as np

from autodidact.ops.op import Op, linear

clone = Op("clone(self)",
    forward = lambda self: np.array(self, order="K"),
    vjp     = {"self": lambda grad: grad},
    kind    = linear)

to_copy = Op("to_copy(self, *, dtype)",                          # `x.to(dtype)`, `x.double()`
    forward = lambda self, dtype: self.astype(dtype),
    vjp     = {"self": lambda grad, self_dtype: cast(grad, self_dtype)},
    kind    = linear)

contiguous = Op("contiguous(self)",
    forward = lambda self: np.array(self, order="C"),
    vjp     = {"self": lambda grad: grad},
    node    = "CloneBackward0",
    kind    = linear)


def cast(grad: object, dtype: np.dtype) -> object:
    """The gradient in the dtype of the value it belongs to; the real part where that is real."""
    if dtype.kind != "c" and np.dtype(getattr(grad, "_array", grad).dtype).kind == "c":
        grad = grad.real
    return grad.to_numpy_dtype(dtype) if hasattr(grad, "_array") else grad.astype(dtype)
