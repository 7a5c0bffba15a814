"""Lazy modules: the size of the input is learned from the first one that comes.

A lazy layer keeps the arguments it was made with. When it is called for the first time, it makes
the ordinary layer of the right size, takes over its parameters, and is of that class from then on.
"""

from typing import Any

import numpy as np

from autodidact.arrays.dtype import get_default_dtype
from autodidact.arrays.generator import fork_rng
from autodidact.autograd.grad_mode import no_grad
from autodidact.nn.conv import (
    Conv1d,
    Conv2d,
    Conv3d,
    ConvTranspose1d,
    ConvTranspose2d,
    ConvTranspose3d,
)
from autodidact.nn.linear import Linear
from autodidact.nn.module import Module
from autodidact.nn.normalization import (
    BatchNorm1d,
    BatchNorm2d,
    BatchNorm3d,
    InstanceNorm1d,
    InstanceNorm2d,
    InstanceNorm3d,
)
from autodidact.nn.parameter import Parameter
from autodidact.tensor import Tensor, wrap

__all__ = [
    "LazyBatchNorm1d", "LazyBatchNorm2d", "LazyBatchNorm3d", "LazyConv1d", "LazyConv2d",
    "LazyConv3d", "LazyConvTranspose1d", "LazyConvTranspose2d", "LazyConvTranspose3d",
    "LazyInstanceNorm1d", "LazyInstanceNorm2d", "LazyInstanceNorm3d", "LazyLinear",
    "UninitializedBuffer", "UninitializedParameter", "is_lazy",
]


class Uninitialized:
    """What tensors without a size yet share: whoever asks for it gets an error."""

    __slots__ = ()

    @property
    def shape(self) -> Any:
        """There is none yet."""
        raise RuntimeError("Can't access the shape of an uninitialized parameter or buffer. Call "
                           "the module's `forward` first; load_state_dict cannot take a size that "
                           "is not known from a module that has none.")

    def _no_size(self, *args: Any) -> Any:
        raise ValueError("Attempted to use an uninitialized parameter: call the lazy module once "
                         "first, so that it knows its sizes.")

    numel = size = dim = __len__ = _no_size
    __add__ = __radd__ = __mul__ = __rmul__ = __sub__ = __matmul__ = __rmatmul__ = _no_size

    def materialize(self, shape: tuple, device: Any = None, dtype: Any = None) -> None:
        """Become an ordinary tensor of this shape; its numbers are still to be set."""
        kind = self._array.dtype if dtype is None else dtype.numpy
        self._array = np.empty(shape, kind)
        self.__class__ = self.ordinary

    def __repr__(self, **options: Any) -> str:
        return f"<{type(self).__name__}>"


class UninitializedParameter(Uninitialized, Parameter):
    """A parameter whose size is not known yet."""

    __slots__ = ()
    ordinary = Parameter

    def __new__(cls, requires_grad: bool = True, device: Any = None,
                dtype: Any = None) -> "UninitializedParameter":
        """Without numbers."""
        return Parameter.__new__(cls, nothing(dtype), requires_grad)

    def __deepcopy__(self, memo: dict) -> "UninitializedParameter":
        """Another one."""
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.requires_grad, dtype=self.dtype)
        return memo[id(self)]


class UninitializedBuffer(Uninitialized, Tensor):
    """A buffer whose size is not known yet."""

    __slots__ = ()
    ordinary = Tensor

    def __new__(cls, requires_grad: bool = False, device: Any = None, dtype: Any = None,
                persistent: bool = True) -> "UninitializedBuffer":
        """Without numbers."""
        made = nothing(dtype)
        made.__class__ = cls
        return made


def nothing(dtype: Any) -> Tensor:
    """A tensor of no numbers."""
    return wrap(np.empty(0, (dtype or get_default_dtype()).numpy))


def is_lazy(thing: Any) -> bool:
    """Whether it is a parameter or buffer without a size."""
    return isinstance(thing, Uninitialized)


class Lazy(Module):
    """What lazy modules share.

    Attributes:
        cls_to_become: the ordinary class.
        size_name: the attribute that holds the size of the input, and 0 before it is known.
        allowed: how many dimensions an input may have; None: any.
    """

    cls_to_become: Any = None
    size_name = "in_features"
    allowed: tuple | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        any_size = self._any_size(kwargs, args)
        with fork_rng():                                   # these numbers are thrown away
            super().__init__(any_size, *args, **kwargs)
        self._given = (args, {k: v for k, v in kwargs.items() if k != "dtype"})
        for name, p in list(self._parameters.items()):
            if p is not None:
                self._parameters[name] = UninitializedParameter(dtype=p.dtype)
        for name, b in list(self._buffers.items()):
            if b is not None and b.dim():
                self._buffers[name] = UninitializedBuffer(dtype=b.dtype)
        setattr(self, self.size_name, 0)
        self._first_call = self.register_forward_pre_hook(first_call, with_kwargs=True)
        self._loading = self._register_load_state_dict_pre_hook(take_sizes, with_module=True)

    def _any_size(self, kwargs: dict, args: tuple) -> int:
        """A size that the arguments allow."""
        return kwargs.get("groups", 1)

    def _size_of(self, input: Tensor) -> int:
        """The size that an input tells."""
        return input.size(-1)

    def has_uninitialized_params(self) -> bool:
        """Whether a size is not known yet."""
        return any(map(is_lazy, [*self._parameters.values(), *self._buffers.values()]))

    def initialize_parameters(self, input: Tensor, *rest: Any, **words: Any) -> None:
        """Learn the size from an input, and draw the parameters."""
        size = self._size_of(input)
        if self.has_uninitialized_params():
            args, kwargs = self._given
            kind = next(t.dtype for t in [*self._parameters.values(), *self._buffers.values()]
                         if is_lazy(t))
            made = self.cls_to_become(size, *args, **kwargs, dtype=kind)
            with no_grad():
                for own, its in ((self._parameters, made._parameters),
                                 (self._buffers, made._buffers)):
                    for name, t in own.items():
                        if is_lazy(t):
                            t.materialize(its[name].shape)
                            t.copy_(its[name])
        setattr(self, self.size_name, size)

    def _apply(self, fn: Any, recurse: bool = True) -> Module:
        """Converted: buffers without a size stay such."""
        waiting = [name for name, b in self._buffers.items() if is_lazy(b)]
        super()._apply(fn, recurse)
        for name in waiting:
            self._buffers[name] = UninitializedBuffer(dtype=self._buffers[name].dtype)
        return self

    def _save_to_state_dict(self, destination: dict, prefix: str, keep_vars: bool) -> None:
        super()._save_to_state_dict(destination, prefix, keep_vars)
        for name, t in [*self._parameters.items(), *self._buffers.items()]:
            if is_lazy(t):
                destination[prefix + name] = t


def first_call(module: Lazy, args: tuple, kwargs: dict) -> None:
    """Before the first forward: the sizes, then the ordinary class."""
    module.initialize_parameters(*args, **kwargs)
    module._first_call.remove()
    module._loading.remove()
    for name in ("_first_call", "_loading", "_given"):
        delattr(module, name)
    module.__class__ = module.cls_to_become


def take_sizes(module: Lazy, state_dict: dict, prefix: str, *rest: Any) -> None:
    """Before a state is loaded: tensors of its sizes."""
    for name, t in [*module._parameters.items(), *module._buffers.items()]:
        given = state_dict.get(prefix + name)
        if is_lazy(t) and given is not None and not is_lazy(given):
            t.materialize(tuple(given.shape))


class LazyLinear(Lazy, Linear):
    """Linear that learns `in_features` from its first input.

    Example:
        >>> layer = nn.LazyLinear(2)
        >>> layer(torch.ones(1, 5)).shape, layer
        (torch.Size([1, 2]), Linear(in_features=5, out_features=2, bias=True))
    """

    cls_to_become = Linear


class LazyChannels(Lazy):
    """What lazy convolutions and normalisations share: the size is that of the channels."""

    def _size_of(self, input: Tensor) -> int:
        if input.dim() not in self.allowed:
            words = " or ".join(f"{d}D" for d in self.allowed)
            raise RuntimeError(f"Expected {words} input to {type(self).__name__}, but got input of "
                               f"size: {input.size()}")
        batched = len(self.allowed) < 2 or input.dim() == self.allowed[-1]
        return input.size(1 if batched or (self.size_name == "num_features" and input.dim() == 2)
                          else 0)


class LazyConv(LazyChannels):
    """A convolution that learns `in_channels`."""

    size_name = "in_channels"

    def _any_size(self, kwargs: dict, args: tuple) -> int:
        place = 6 if self.cls_to_become.transposed else 5            # of `groups`, without the size
        return kwargs.get("groups", args[place] if len(args) > place else 1)


class LazyNorm(LazyChannels):
    """A normalisation that learns `num_features`."""

    size_name = "num_features"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        usual = {name: True for place, name in ((2, "affine"), (3, "track_running_stats"))
                 if place >= len(args)}                  # of instance norms, too, when lazy
        super().__init__(*args, **usual | kwargs)


def lazy(base: type, kind: type, dims: tuple) -> type:
    """The lazy class of an ordinary one."""
    text = f"{base.__name__} that learns the number of channels from its first input."
    return type(f"Lazy{base.__name__}", (kind, base), {
        "cls_to_become": base, "allowed": dims, "__doc__": text, "__module__": __name__})


LazyConv1d, LazyConv2d, LazyConv3d = (
    lazy(base, LazyConv, (d + 1, d + 2)) for d, base in enumerate((Conv1d, Conv2d, Conv3d), 1))
LazyConvTranspose1d, LazyConvTranspose2d, LazyConvTranspose3d = (
    lazy(base, LazyConv, (d + 1, d + 2)) for d, base in enumerate(
        (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d), 1))
LazyBatchNorm1d, LazyBatchNorm2d, LazyBatchNorm3d = (
    lazy(base, LazyNorm, dims) for base, dims in (
        (BatchNorm1d, (2, 3)), (BatchNorm2d, (4,)), (BatchNorm3d, (5,))))
LazyInstanceNorm1d, LazyInstanceNorm2d, LazyInstanceNorm3d = (
    lazy(base, LazyNorm, (d + 1, d + 2)) for d, base in enumerate(
        (InstanceNorm1d, InstanceNorm2d, InstanceNorm3d), 1))
