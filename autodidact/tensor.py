"""Tensor: PyTorch's tensor on a NumPy array.

The class holds what belongs to the tensor itself: its history, its gradient, its hooks. All else is
attached to it: operations from the rows (`bind`), conversions and questions from `functions/`.
"""

import importlib
import warnings
import weakref
from collections.abc import Callable
from typing import Any

from autodidact.arrays import dtype as dt
from autodidact.arrays.device import device
from autodidact.arrays.foreign import device_of
from autodidact.autograd import graph, views
from autodidact.autograd.accumulate_grad import leaf_hooks
from autodidact.autograd.backward import backward
from autodidact.autograd.grad_mode import mode
from autodidact.autograd.hooks import HookDict, RemovableHandle
from autodidact.levels import level as levels
from autodidact.size import Size
from autodidact.tensor_base import (
    CHANGES,
    DETACHED,
    FRESH,
    INFERENCE,
    LIFTED,
    VIEW,
    TensorBase,
    memory,
    reform,
    version,
)

__all__ = ["Size", "Tensor"]

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
        return device_of(self._array)

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

    # ---- history ------------------------------------------------------------------------------

    @property
    def grad_fn(self) -> graph.Node | None:
        """The node that made this tensor; None for leaves."""
        return graph.dressed(views.gradient_function(self))

    @property
    def requires_grad(self) -> bool:
        """Whether operations on this tensor are recorded."""
        return graph.requires_grad(self)

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        self.requires_grad_(value)

    @requires_grad.deleter
    def requires_grad(self) -> None:
        kept("requires_grad")

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
            raise RuntimeError("Can't detach views in-place. Use detach() instead.")
        if self._grad_fn is not None:
            views.before_detaching(self)
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
        if value is not None:
            check_grad(self, value)
        self._grad = value
        CHANGES[0] += 1

    @grad.deleter
    def grad(self) -> None:
        self.grad = None

    def retain_grad(self) -> None:
        """Let a tensor inside the graph get its `.grad` too, in the next backward passes."""
        if mode.stack:
            levels.refuse("retain_grad()")
        if not self.requires_grad:
            raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
        fn = self.grad_fn
        if fn is not None:
            fn.hooks().retain[self.output_nr] = weakref.ref(self)
            CHANGES[0] += 1

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

    @_backward_hooks.deleter
    def _backward_hooks(self) -> None:
        kept("_backward_hooks")

    def register_post_accumulate_grad_hook(self, hook: Callable) -> RemovableHandle:
        """Call `hook(leaf)` after the leaf's `.grad` was written in a backward pass."""
        if not self.requires_grad:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        if self.grad_fn is not None:
            raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf "
                               "tensors")
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
        reform(self, memory(value))

    @data.deleter
    def data(self) -> None:
        kept("data")

    @property
    def volatile(self) -> bool:
        """False: old code asks for it; today that is `torch.no_grad()`."""
        warnings.warn("volatile was removed (Variable.volatile is always False); use "
                      "torch.no_grad()", UserWarning, stacklevel=2)
        return False

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        if self._flags & LIFTED and self._level is not None:
            return levels.text_of(self)
        dual = self._flags & LIFTED and self._tangent is not None
        tangent = repr(self._tangent) if dual else None
        printing = importlib.import_module("autodidact._tensor_str")       # on first use
        return printing.tensor_str(
            self._array, dtype=self.dtype, grad_fn_name=grad_fn_name(self),
            requires_grad=self.requires_grad, tangent=tangent, device=self.device)


def grad_fn_name(t: Tensor) -> str | None:
    """The name that printing shows: of the node, "Invalid" where the view has none any more."""
    try:
        fn = t.grad_fn
    except RuntimeError:
        return "Invalid"
    return None if fn is None else fn.name().rpartition("::")[2]


def wrap_dim(dim: int, ndim: int) -> int:
    """A dimension counted from the front; IndexError with the range that was expected."""
    span = max(ndim, 1)
    if not -span <= dim < span:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-span}, "
                         f"{span - 1}], but got {dim})")
    return dim % span


def kept(name: str) -> None:
    """Refuse to delete an attribute. A `__delattr__` would slow every assignment down."""
    raise RuntimeError(f"cannot delete the attribute {name} of a Tensor")


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
    if value.device != t.device:
        raise RuntimeError(f"attempting to assign a gradient with device type '{value.device}' to "
                           f"a tensor with device type '{t.device}'. Please ensure that the "
                           "gradient and the tensor are on the same device")
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
