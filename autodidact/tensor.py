"""Tensor: PyTorch's tensor on a NumPy array.

The class holds what belongs to the tensor itself: its history, its gradient, its hooks, its
conversions. Operations are attached to it from the rows (`bind`) and from `functions/`.
"""

import warnings
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autodidact import _tensor_str, inplace
from autodidact.arrays import dtype as dt
from autodidact.arrays.device import device
from autodidact.arrays.strided import data_ptr, element_strides, offset
from autodidact.autograd import graph, views
from autodidact.autograd.accumulate_grad import leaf_hooks
from autodidact.autograd.backward import backward
from autodidact.autograd.grad_mode import mode
from autodidact.autograd.hooks import HookDict, RemovableHandle
from autodidact.levels import level as levels
from autodidact.ops.op import NUMPY
from autodidact.tensor_base import (
    DETACHED, FRESH, INFERENCE, LIFTED, VIEW, TensorBase, memory, version,
)

__all__ = ["Size", "Tensor"]

CPU = device("cpu")
TYPE_NAMES = {"float32": "Float", "float64": "Double", "float16": "Half", "int64": "Long",
              "int32": "Int", "int16": "Short", "int8": "Char", "uint8": "Byte", "bool": "Bool",
              "complex64": "ComplexFloat", "complex128": "ComplexDouble"}


class Size(tuple):
    """The shape of a tensor: a tuple printed as `torch.Size([2, 3])`."""

    __slots__ = ()

    def numel(self) -> int:
        """The number of elements."""
        count = 1
        for n in self:
            count *= n
        return count

    def __repr__(self) -> str:
        return f"torch.Size({list(self)})"

    def __getitem__(self, index: Any) -> Any:
        found = tuple.__getitem__(self, index)
        return Size(found) if isinstance(index, slice) else found

    def __add__(self, other: tuple) -> "Size":
        return Size(tuple.__add__(self, tuple(other)))


class Tensor(TensorBase):
    """A multi-dimensional array that remembers how it was computed.

    Example:
        >>> x = torch.tensor([1., 2.], requires_grad=True)
        >>> (x * x).sum().backward()
        >>> x.grad
        tensor([2., 4.])
    """

    __slots__ = ()
    __array_priority__ = 1000

    # ---- what it is ---------------------------------------------------------------------------

    @property
    def shape(self) -> Size:
        """The size of each dimension."""
        return Size(self._array.shape)

    def size(self, dim: int | None = None) -> Any:
        """The shape, or the size of one dimension."""
        if dim is None:
            return self.shape
        return self._array.shape[wrap_dim(dim, self._array.ndim)]

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self._array.ndim

    @property
    def dtype(self) -> dt.dtype:
        """The kind of number, e.g. `torch.float32`."""
        return dt.of(self._array.dtype)

    @property
    def device(self) -> device:
        """Where the numbers live."""
        return CPU

    def dim(self) -> int:
        """The number of dimensions."""
        return self._array.ndim

    def numel(self) -> int:
        """The number of elements."""
        return self._array.size

    def element_size(self) -> int:
        """Bytes of one element."""
        return self._array.itemsize

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self._array.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self._array.size * self._array.itemsize

    def stride(self, dim: int | None = None) -> Any:
        """Steps, in elements, between neighbours along each dimension (or along `dim`)."""
        strides = element_strides(np.asarray(self._array))
        return strides if dim is None else strides[wrap_dim(dim, len(strides))]

    def storage_offset(self) -> int:
        """Elements between the start of the memory and the first element."""
        return offset(memory(self)) // self._array.itemsize

    def data_ptr(self) -> int:
        """The address of the first element."""
        return data_ptr(memory(self))

    def is_contiguous(self) -> bool:
        """Whether the elements lie in row-major order without gaps."""
        return bool(np.asarray(self._array).flags.c_contiguous)

    def is_floating_point(self) -> bool:
        """Whether the dtype is a real floating one."""
        return self._array.dtype.kind == "f"

    def is_complex(self) -> bool:
        """Whether the dtype is complex."""
        return self._array.dtype.kind == "c"

    def is_signed(self) -> bool:
        """Whether the dtype has negative numbers."""
        return self.dtype.is_signed

    def is_inference(self) -> bool:
        """Whether the tensor was made in inference mode."""
        return bool(self._flags & INFERENCE)

    def get_device(self) -> int:
        """-1: the CPU has no number."""
        return -1

    is_cuda = is_sparse = is_quantized = is_meta = is_mkldnn = False

    def type(self, dtype: Any = None) -> Any:
        """The old type name (`torch.DoubleTensor`), or the tensor in another dtype."""
        if dtype is None:
            return f"torch.{TYPE_NAMES[self.dtype.name]}Tensor"
        if isinstance(dtype, str):
            name = dtype.removeprefix("torch.").removesuffix("Tensor")
            dtype = next((dt.of(np.dtype(k)) for k, v in TYPE_NAMES.items() if v == name), None)
            if dtype is None:
                raise ValueError(f"invalid type: 'torch.{name}Tensor'")
        return self.to(getattr(dtype, "dtype", dtype))

    # ---- history ------------------------------------------------------------------------------

    @property
    def grad_fn(self) -> graph.Node | None:
        """The node that made this tensor; None for leaves."""
        return views.gradient_function(self)

    @property
    def requires_grad(self) -> bool:
        """Whether operations on this tensor are recorded."""
        return graph.requires_grad(self)

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        self.requires_grad_(value)

    def requires_grad_(self, requires_grad: bool = True) -> "Tensor":
        """Start (or stop) recording operations on this leaf; returns it.

        Raises:
            RuntimeError: for integer dtypes, and when a tensor inside the graph is told to stop.
        """
        if mode.stack:
            levels.refuse("requires_grad_()")
        if requires_grad and self._array.dtype.kind not in "fc":
            raise RuntimeError("only Tensors of floating point and complex dtype can require "
                               f"gradients, this one is {self.dtype}")
        if not requires_grad and self._grad_fn is not None:
            raise RuntimeError("you can only change requires_grad flags of leaf variables. To use "
                               "a computed variable in a subgraph that doesn't require "
                               "differentiation use var_no_grad = var.detach().")
        if requires_grad and self._flags & INFERENCE and not mode.inference:
            raise RuntimeError("Setting requires_grad=True on inference tensor outside "
                               "InferenceMode is not allowed.")
        if self._grad_fn is None:
            self._requires_grad = bool(requires_grad)
        return self

    @property
    def is_leaf(self) -> bool:
        """Whether no recorded operation made this tensor: its gradient goes to `.grad`."""
        return not self.requires_grad or self.grad_fn is None

    @property
    def _version(self) -> int:
        if self._version_cell is None:
            raise RuntimeError("Inference tensors do not track version counter.")
        return version(self)

    @property
    def _base(self) -> "Tensor | None":
        return self._view.base if self._flags & VIEW else None

    def _is_view(self) -> bool:
        return bool(self._flags & VIEW)

    def backward(self, gradient: Any = None, retain_graph: bool | None = None,
                 create_graph: bool = False, inputs: Any = None) -> None:
        """Compute the gradients of this tensor and add them to the leaves' `.grad`.

        Args:
            gradient: the gradient of the differentiated function with respect to this tensor, of
                the same shape; may be left out for a single element.
            retain_graph: keep what the nodes saved, for another pass; default: `create_graph`.
            create_graph: record the pass itself, for derivatives of derivatives.
            inputs: the tensors whose `.grad` shall be written; default: every leaf.

        Raises:
            RuntimeError: no graph; a freed graph; several elements and no `gradient`; a gradient
                of another shape; a saved tensor that was changed in place.

        Example:
            >>> x = torch.tensor(3., requires_grad=True)
            >>> (x ** 2).backward()
            >>> x.grad
            tensor(6.)
        """
        backward(self, gradient, retain_graph, create_graph, inputs=inputs)

    def detach(self) -> "Tensor":
        """The same numbers, same memory and version counter, without history."""
        if self._flags & LIFTED and self._level is not None:
            return levels.detached(self)
        t = TensorBase.wrap(memory(self))
        t._version_cell = self._version_cell
        t._flags = self._flags & INFERENCE
        if mode.watch is not None:
            mode.watch(None, (self,), (), (t,), None)
        return t

    def detach_(self) -> "Tensor":
        """Forget the history, in place.

        Raises:
            RuntimeError: for a view: its base would not know.
        """
        if mode.inference:
            return self
        if self._flags & LIFTED:
            levels.detach_below(self)
        if self._flags & VIEW:
            raise RuntimeError("Can't detach views in-place. Use detach() instead. If you are "
                               "using a functorch transform, it is the same there.".split(" If ")[0])
        if self._grad_fn is not None:
            self._grad_fn, self.output_nr, self._requires_grad = None, 0, False
            self._flags |= DETACHED
        self._requires_grad = False
        return self

    # ---- gradient -----------------------------------------------------------------------------

    @property
    def grad(self) -> "Tensor | None":
        """The accumulated gradient; None before the first backward."""
        found = getattr(self, "_grad", None)
        if found is None and self._grad_fn is not None and not self.retains_grad:
            warnings.warn("The .grad attribute of a Tensor that is not a leaf Tensor is being "
                          "accessed. Its .grad attribute won't be populated during "
                          "autograd.backward(). If you want it for a non-leaf Tensor, call "
                          ".retain_grad() on it before the pass.", UserWarning, stacklevel=2)
        return found

    @grad.setter
    def grad(self, value: "Tensor | None") -> None:
        if value is None:
            self._grad = None
            return
        check_grad(self, value)
        self._grad = value

    @grad.deleter
    def grad(self) -> None:
        self._grad = None

    def retain_grad(self) -> None:
        """Let a tensor inside the graph get its `.grad` too, in the next backward passes."""
        if mode.stack:
            levels.refuse("retain_grad()")
        if not self.requires_grad:
            raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
        fn = self.grad_fn
        if fn is not None:
            fn.hooks().retain[self.output_nr] = weakref.ref(self)

    @property
    def retains_grad(self) -> bool:
        """Whether `retain_grad` is in force."""
        fn = self._grad_fn
        entry = fn._hooks.retain.get(self.output_nr) if fn is not None and fn._hooks else None
        return entry is not None and entry() is self

    # ---- hooks --------------------------------------------------------------------------------

    def register_hook(self, hook: Callable) -> RemovableHandle:
        """Call `hook(grad)` when this tensor's gradient is complete; it may return another one.

        Example:
            >>> handle = x.register_hook(lambda grad: grad * 2)
            >>> handle.remove()
        """
        if not self.requires_grad:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        fn = self.grad_fn
        hooks = leaf_hooks(self) if fn is None else fn.hooks()
        return hooks.tensor_hooks(self.output_nr if fn is not None else 0).add(hook)

    @property
    def _backward_hooks(self) -> dict | None:
        fn = self.grad_fn
        hooks = getattr(self, "_hooks", None) if fn is None else fn._hooks
        return None if hooks is None else hooks.tensor.get(self.output_nr)

    @_backward_hooks.setter
    def _backward_hooks(self, hooks: dict | None) -> None:
        fn = self.grad_fn
        owner = leaf_hooks(self) if fn is None else fn.hooks()
        owner.tensor[self.output_nr] = HookDict(hooks or {})

    def register_post_accumulate_grad_hook(self, hook: Callable) -> RemovableHandle:
        """Call `hook(leaf)` after the leaf's `.grad` was written in a backward pass."""
        if not self.requires_grad:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        if self.grad_fn is not None:
            raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
        return leaf_hooks(self).post_accumulate.add(hook)

    # ---- data ---------------------------------------------------------------------------------

    @property
    def data(self) -> "Tensor":
        """The same memory without history, with a version counter of its own: unseen by checks."""
        if self._flags & LIFTED and self._level is not None:
            return levels.detached(self, own_version=True)
        t = TensorBase.wrap(memory(self))
        t._flags = self._flags & INFERENCE
        return t

    @data.setter
    def data(self, value: "Tensor") -> None:
        if not isinstance(value, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(value).__name__}")
        self._array = memory(value)

    def __delattr__(self, name: str) -> None:
        if name in ("data", "requires_grad", "_grad_fn", "grad_fn", "_backward_hooks"):
            raise RuntimeError(f"cannot delete the attribute {name} of a Tensor")
        object.__delattr__(self, name)

    @property
    def volatile(self) -> bool:
        """False: old code asks for it; today that is `torch.no_grad()`."""
        warnings.warn("volatile was removed (Variable.volatile is always False); use "
                      "torch.no_grad()", UserWarning, stacklevel=2)
        return False

    # ---- into Python --------------------------------------------------------------------------

    def numpy(self, *, force: bool = False) -> np.ndarray:
        """The NumPy array that holds the numbers: shared, not copied.

        Raises:
            RuntimeError: when the tensor requires grad (and is not inside no_grad).
        """
        if self.requires_grad and not force and mode.grad:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use "
                               "tensor.detach().numpy() instead.")
        return memory(levels.grounded(self) if self._flags & LIFTED else self)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        array = self.numpy()
        if dtype is None and not copy:
            return array
        return np.array(array, dtype=dtype, copy=copy if copy is not None else None)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if mode.reading and method == "__call__" and not kwargs and ufunc in NUMPY:
            return NUMPY[ufunc].call(*inputs)
        if ufunc in OPERATOR_UFUNCS and not isinstance(inputs[0], Tensor):
            return NotImplemented
        arrays = [x.__array__() if isinstance(x, Tensor) else x for x in inputs]
        return getattr(ufunc, method)(*arrays, **kwargs)

    def __array_function__(self, func: Any, types: Any, args: tuple, kwargs: dict) -> Any:
        if mode.reading and func in NUMPY:
            return NUMPY[func].call(*args, **kwargs)
        return func._implementation(*unwrapped(args), **unwrapped(kwargs))

    def tolist(self) -> Any:
        """Python numbers in nested lists; a number for 0 dimensions."""
        return self._array.tolist()

    def item(self) -> Any:
        """The single element as a Python number."""
        if self._array.size != 1:
            raise RuntimeError(f"a Tensor with {self._array.size} elements cannot be converted to "
                               "Scalar")
        return self._array.item()

    def __bool__(self) -> bool:
        if self._array.size != 1:
            word = "no values" if self._array.size == 0 else "more than one value"
            raise RuntimeError(f"Boolean value of Tensor with {word} is ambiguous")
        return bool(self._array.item())

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __complex__(self) -> complex:
        return complex(self.item())

    def __index__(self) -> int:
        if self._array.dtype.kind not in "iub" or self._array.size != 1:
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(self._array.item())

    def __len__(self) -> int:
        if self._array.ndim == 0:
            raise TypeError("len() of a 0-d tensor")
        return self._array.shape[0]

    def __iter__(self) -> Iterator:
        if self._array.ndim == 0:
            raise TypeError("iteration over a 0-d tensor")
        return iter(self.unbind(0))

    def __contains__(self, element: Any) -> bool:
        return bool((self._array == getattr(element, "_array", element)).any())

    def __hash__(self) -> int:
        return id(self)

    def __reversed__(self) -> "Tensor":
        return self.flip(tuple(range(self._array.ndim)))

    def __format__(self, spec: str) -> str:
        if self._array.ndim == 0 and spec:
            return format(self.item(), spec)
        return object.__format__(self, spec) if spec else repr(self)

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        if self._flags & LIFTED and self._level is not None:
            return levels.text_of(self)
        text = _tensor_str.tensor_str(
            np.asarray(self._array), dtype=self.dtype, grad_fn_name=grad_fn_name(self),
            requires_grad=self.requires_grad)
        if self._flags & LIFTED and self._tangent is not None:
            text = f"{text[:-1]}, tangent={self._tangent!r})"
        return text


OPERATOR_UFUNCS = frozenset({
    np.add, np.subtract, np.multiply, np.divide, np.power, np.matmul, np.floor_divide,
    np.remainder, np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal,
    np.bitwise_and, np.bitwise_or, np.bitwise_xor})


def grad_fn_name(t: Tensor) -> str | None:
    """The name that printing shows: of the node, "Invalid" where the view has none any more."""
    try:
        fn = t.grad_fn
    except RuntimeError:
        return "Invalid"
    return None if fn is None else fn.name().rpartition("::")[2]


def unwrapped(values: Any) -> Any:
    """Arrays in place of tensors, for NumPy's functions called by a user."""
    if isinstance(values, dict):
        return {k: unwrapped(v) for k, v in values.items()}
    if isinstance(values, (tuple, list)):
        return type(values)(unwrapped(v) for v in values)
    return values.__array__() if isinstance(values, Tensor) else values


def wrap_dim(dim: int, ndim: int) -> int:
    """A dimension counted from the front; IndexError with the range that was expected."""
    span = max(ndim, 1)
    if not -span <= dim < span:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-span}, "
                         f"{span - 1}], but got {dim})")
    return dim % span


def check_grad(t: Tensor, value: Any) -> None:
    """Refuse a `.grad` that could not be this tensor's gradient."""
    if not isinstance(value, Tensor):
        raise TypeError(f"assigned grad expected to be a Tensor or None but got grad of type "
                        f"{type(value).__name__}")
    if value is t:
        raise RuntimeError("can't assign Variable as its own grad")
    if value._array.dtype != t._array.dtype:
        raise RuntimeError("attempting to assign a gradient with dtype "
                           f"'{value.dtype}' to a tensor with grad_dtype '{t.dtype}'. The "
                           "gradient must match the tensor's grad_dtype (defaults to the tensor's "
                           "dtype).")
    if value._array.shape != t._array.shape:
        raise RuntimeError("attempting to assign a gradient of size "
                           f"'{list(value._array.shape)}' to a tensor of size "
                           f"'{list(t._array.shape)}'. Please ensure that the gradient and the "
                           "tensor are the same size.")


def wrap(array: Any) -> Tensor:
    """A plain tensor on an array (or NumPy scalar)."""
    t = object.__new__(Tensor)
    t._array, t._flags, t.output_nr = array, 0, 0
    t._version_cell, t._requires_grad, t._grad_fn = FRESH, False, None
    return t


TensorBase.wrap = staticmethod(wrap)
