"""Questions about tensors, and small names that old code asks for."""

from typing import Any

import numpy as np

from autodidact.arrays import dtype as dt
from autodidact.arrays.foreign import as_array
from autodidact.arrays.memory_format import strided
from autodidact.arrays.strided import data_ptr as address
from autodidact.arrays.strided import element_strides, offset
from autodidact.public import both, function, method
from autodidact.tensor import Tensor, wrap_dim
from autodidact.tensor_base import INFERENCE, memory

__all__ = ["is_tensor"]

TYPE_NAMES = {"float32": "Float", "float64": "Double", "float16": "Half", "bfloat16": "BFloat16",
              "int64": "Long", "int32": "Int", "int16": "Short", "int8": "Char", "uint8": "Byte",
              "bool": "Bool",
              "complex64": "ComplexFloat", "complex128": "ComplexDouble"}


@function
def is_tensor(obj: Any) -> bool:
    """Whether `obj` is a tensor."""
    return isinstance(obj, Tensor)


@function
def is_storage(obj: Any) -> bool:
    """False: memory has no class of its own here."""
    return False


@function
def numel(input: Tensor) -> int:
    """The number of elements."""
    return input.numel()


@both
def is_nonzero(input: Tensor) -> bool:
    """Whether the single element is not zero.

    Raises:
        RuntimeError: for any other number of elements.
    """
    return bool(input)


@both
def is_conj(input: Tensor) -> bool:
    """False: `conj()` computes at once here, it sets no mark."""
    return False


@both
def is_neg(input: Tensor) -> bool:
    """False: as `is_conj`."""
    return False


@both
def resolve_conj(input: Tensor) -> Tensor:
    """The tensor itself: no conjugation is pending."""
    return input


@both
def resolve_neg(input: Tensor) -> Tensor:
    """The tensor itself: no negation is pending."""
    return input


@both
def is_same_size(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same shape."""
    return input._array.shape == other._array.shape


@method
def nelement(self: Tensor) -> int:
    """The number of elements."""
    return self._array.size


@method
def ndimension(self: Tensor) -> int:
    """The number of dimensions."""
    return self._array.ndim


@method
def is_set_to(self: Tensor, tensor: Tensor) -> bool:
    """Whether both look at the same memory in the same way."""
    a, b = memory(self), memory(tensor)
    return (self.data_ptr() == tensor.data_ptr() and a.shape == b.shape and a.strides == b.strides)


@method
def is_pinned(self: Tensor) -> bool:
    """False: memory is not pinned."""
    return False


@method
def is_shared(self: Tensor) -> bool:
    """False: memory belongs to this process."""
    return False


@method
def pin_memory(self: Tensor, device: Any = None) -> Tensor:
    """The tensor itself: memory is not pinned."""
    return self


@method
def apply_(self: Tensor, callable: Any) -> Tensor:
    """Replace each element by `callable(element)`; slow, and not recorded.

    Raises:
        RuntimeError: when the tensor requires grad.
    """
    if self.requires_grad:
        raise RuntimeError("Can't call apply_() on Variable that requires grad. Use "
                           "var.detach().apply_() instead.")
    array = np.asarray(self._array)
    values = [callable(x) for x in array.reshape(-1).tolist()]
    return self.copy_(self.new_tensor(values).reshape(self.shape))


@method
def stride(self: Tensor, dim: int | None = None) -> Any:
    """Steps, in elements, between neighbours along each dimension (or along `dim`)."""
    strides = element_strides(as_array(self._array))
    return strides if dim is None else strides[wrap_dim(dim, len(strides))]


@method
def storage_offset(self: Tensor) -> int:
    """Elements between the start of the memory and the first element."""
    return offset(memory(self)) // self._array.itemsize


@method
def data_ptr(self: Tensor) -> int:
    """The address of the first element."""
    return address(memory(self))


@method
def is_contiguous(self: Tensor) -> bool:
    """Whether the elements lie in row-major order without gaps."""
    return bool(as_array(self._array).flags.c_contiguous)


@both
def is_floating_point(self: Tensor) -> bool:
    """Whether the dtype is a real floating one."""
    return self._array.dtype.kind == "f"


@both
def is_complex(self: Tensor) -> bool:
    """Whether the dtype is complex."""
    return self._array.dtype.kind == "c"


@both
def is_signed(self: Tensor) -> bool:
    """Whether the dtype has negative numbers."""
    return self.dtype.is_signed


@both
def is_inference(self: Tensor) -> bool:
    """Whether the tensor was made in inference mode."""
    return bool(self._flags & INFERENCE)


@method
def get_device(self: Tensor) -> int:
    """The number of the GPU; -1 for the CPU and the meta device, which have none."""
    index = self.device.index
    return -1 if index is None else index


@method
def type(self: Tensor, dtype: Any = None) -> Any:
    """The old type name (`torch.DoubleTensor`), or the tensor in another dtype."""
    if dtype is None:
        kind = self.device.type
        return (f"torch.{'' if kind == 'cpu' else kind + '.'}{TYPE_NAMES[self.dtype.name]}"
                "Tensor")
    if isinstance(dtype, str):
        name = dtype.removeprefix("torch.").removesuffix("Tensor")
        dtype = next((dt.BY_NAME[k] for k, v in TYPE_NAMES.items() if v == name), None)
        if dtype is None:
            raise ValueError(f"invalid type: 'torch.{name}Tensor'")
    return self.to(getattr(dtype, "dtype", dtype))


Tensor.layout = strided
Tensor.is_sparse = Tensor.is_quantized = Tensor.is_mkldnn = False
for _kind in ("cpu", "cuda", "meta"):
    setattr(Tensor, f"is_{_kind}", property(lambda self, kind=_kind: self.device.type == kind))
