"""Parametrizations: a parameter that is computed, each time it is read, from one that is trained.

`register_parametrization(layer, "weight", f)` moves the parameter to
`layer.parametrizations.weight.original`; `layer.weight` is then `f(original)`. For this the layer
gets a class of its own, `ParametrizedLinear`, in which `weight` is a property.
"""

import copy
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from autodidact.autograd.grad_mode import no_grad
from autodidact.nn.containers import ModuleDict, ModuleList
from autodidact.nn.module import Module
from autodidact.nn.parameter import Parameter
from autodidact.tensor import Tensor

__all__ = ["ParametrizationList", "cached", "is_parametrized", "register_parametrization",
           "remove_parametrizations", "transfer_parametrizations_and_params",
           "type_before_parametrizations"]


class Cache:
    """Values of parametrized tensors, while somebody wants them kept."""

    depth = 0
    values: dict = {}


@contextmanager
def cached() -> Iterator[None]:
    """Compute each parametrized tensor once inside, however often it is read."""
    Cache.depth += 1
    try:
        yield
    finally:
        Cache.depth -= 1
        if not Cache.depth:
            Cache.values = {}


def put(module: Module, name: str, tensor: Tensor) -> None:
    """A parameter, or a buffer."""
    if isinstance(tensor, Parameter):
        module.register_parameter(name, tensor)
    else:
        module.register_buffer(name, tensor)


def give(target: Tensor, numbers: Tensor) -> None:
    """Other numbers for a tensor that stays the same object, as the optimizer knows it."""
    if target is not numbers:
        with no_grad():
            target.set_(numbers.detach())


class ParametrizationList(ModuleList):
    """The parametrizations of one tensor, in order, and what they begin with.

    Attributes:
        original: the trained tensor; or original0, original1, ... where the first
            parametrization's `right_inverse` gives several.
        unsafe: whether shape and dtype may change.
    """

    def __init__(self, modules: Sequence, original: Tensor, unsafe: bool = False) -> None:
        if not modules:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        shape, kind = original.shape, original.dtype
        begin = self._begin(original)
        self.is_tensor = isinstance(begin, Tensor)
        self.ntensors = 1 if self.is_tensor else len(begin)
        if self.is_tensor:
            if begin.dtype != kind:
                raise ValueError("When `right_inverse` outputs one tensor, it may not change the "
                                 f"dtype.\noriginal.dtype: {kind}\nright_inverse(original).dtype: "
                                 f"{begin.dtype}")
            give(original, begin)
            put(self, "original", original)
        else:
            for i, tensor in enumerate(begin):
                self._put_one(i, tensor, original)
        if not unsafe:
            self._check(self(), shape, kind)

    def _begin(self, original: Tensor) -> Any:
        """What must be trained so that the parametrizations give `original`."""
        begin = original
        with no_grad():
            for module in reversed(list(self._modules.values())):
                if hasattr(module, "right_inverse"):
                    try:
                        begin = module.right_inverse(begin)
                    except NotImplementedError:
                        pass                                     # taken for the identity
        if not isinstance(begin, Tensor | Sequence):
            raise ValueError("'right_inverse' must return a Tensor or a Sequence of tensors "
                             f"(list, tuple...). Got {type(begin).__name__}")
        return begin

    def _put_one(self, i: int, tensor: Any, original: Tensor) -> None:
        if not isinstance(tensor, Tensor):
            raise ValueError("'right_inverse' must return a Tensor or a Sequence of tensors "
                             f"(list, tuple...). Got element {i} of the sequence with type "
                             f"{type(tensor).__name__}.")
        if isinstance(original, Parameter):
            tensor = Parameter(tensor.detach(), original.requires_grad)
        put(self, f"original{i}", tensor.requires_grad_(original.requires_grad))

    def _check(self, value: Any, shape: Any, kind: Any) -> None:
        if not isinstance(value, Tensor):
            raise ValueError(f"A parametrization must return a tensor. Got {type(value).__name__}.")
        for word, before, now in (("dtype", kind, value.dtype), ("shape", shape, value.shape)):
            if before != now:
                raise ValueError(f"Registering a parametrization may not change the {word} of the "
                                 f"tensor, unless `unsafe` flag is enabled.\nunparametrized {word}:"
                                 f" {before}\nparametrized {word}: {now}")

    def originals(self) -> list:
        """The trained tensors."""
        return ([self.original] if self.is_tensor else
                [getattr(self, f"original{i}") for i in range(self.ntensors)])

    def right_inverse(self, value: Any) -> None:
        """Train from now on what gives `value`: the way back through all parametrizations.

        Raises:
            RuntimeError: for one that has no `right_inverse`. ValueError: for other results.
        """
        with no_grad():
            for module in reversed(self.parts()):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(f"parametrization {type(module).__name__} does not "
                                       "implement right_inverse.")
                value = module.right_inverse(value)
        if self.is_tensor and not isinstance(value, Tensor):
            raise ValueError("`right_inverse` should return a tensor. Got "
                             f"{type(value).__name__}")
        if not self.is_tensor and not isinstance(value, Sequence):
            raise ValueError("'right_inverse' must return a sequence of tensors. Got "
                             f"{type(value).__name__}.")
        values = [value] if self.is_tensor else list(value)
        if len(values) != self.ntensors:
            raise ValueError("'right_inverse' must return a sequence of tensors of length "
                             f"{self.ntensors}. Got a sequence of length {len(values)}.")
        for target, new in zip(self.originals(), values, strict=True):
            if target.dtype != new.dtype:
                raise ValueError(f"The tensor returned by `right_inverse` has dtype {new.dtype} "
                                 f"while `original` has dtype {target.dtype}")
            give(target, new)

    def parts(self) -> list:
        """The parametrizations themselves."""
        return [m for name, m in self._modules.items() if name.isdigit()]

    def forward(self) -> Tensor:
        """The tensor that the module sees."""
        first, *others = self.parts()
        value = first(*self.originals())
        for part in others:
            value = part(value)
        return value


def own_class(module: Module) -> None:
    """Give the module a class of its own, in which properties can stand."""
    def __deepcopy__(self: Module, memo: dict) -> Module:
        if id(self) not in memo:
            cls = type(self)                   # a class of its own again: it holds the properties
            twin = memo[id(self)] = self.__new__(type(cls.__name__, cls.__bases__, dict(vars(cls))))
            vars(twin).update(copy.deepcopy(vars(self), memo))
        return memo[id(self)]

    def __getstate__(self: Module) -> None:
        raise RuntimeError("Serialization of parametrized modules is only supported through "
                           "state_dict().")
    methods = {"__getstate__": __getstate__}
    cls = type(module)
    if not hasattr(cls, "__deepcopy__"):
        methods["__deepcopy__"] = __deepcopy__
    module.__class__ = type(f"Parametrized{cls.__name__}", (cls,), methods)


def computed(name: str) -> property:
    """The property that stands for a parametrized tensor."""
    def read(self: Module) -> Tensor:
        if not Cache.depth:
            return self.parametrizations[name]()
        key = (id(self), name)
        if key not in Cache.values:
            Cache.values[key] = self.parametrizations[name]()
        return Cache.values[key]

    def write(self: Module, value: Any) -> None:
        self.parametrizations[name].right_inverse(value)
    return property(read, write)


def register_parametrization(module: Module, tensor_name: str, parametrization: Module, *,
                             unsafe: bool = False) -> Module:
    """From now on `module.tensor_name` is `parametrization` of a trained tensor.

    Args:
        module: changed, and returned.
        tensor_name: one of its parameters or buffers; registered again, the new parametrization
            comes after those that are there.
        parametrization: a module; its `right_inverse`, where it has one, says what is trained
            so that the tensor begins as it was, and makes `module.tensor_name = value` possible.
        unsafe: allow it to change shape and dtype.

    Raises:
        ValueError: no such tensor; or, unless `unsafe`, another shape or dtype.

    Example:
        >>> class Symmetric(nn.Module):
        ...     def forward(self, x):
        ...         return x.triu() + x.triu(1).T
        >>> layer = nn.utils.parametrize.register_parametrization(nn.Linear(3, 3), "weight",
        ...                                                       Symmetric())
        >>> bool((layer.weight == layer.weight.T).all())
        True
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        there = module.parametrizations[tensor_name]
        if not unsafe:
            check_addition(getattr(module, tensor_name), parametrization)
        there.append(parametrization)
        there.unsafe |= unsafe
        return module
    if tensor_name not in module._buffers and tensor_name not in module._parameters:
        raise ValueError(f"Module '{module}' does not have a parameter, a buffer, or a "
                         f"parametrized element with name '{tensor_name}'")
    found = ParametrizationList([parametrization], getattr(module, tensor_name), unsafe)
    delattr(module, tensor_name)
    if not is_parametrized(module):
        own_class(module)
        module.parametrizations = ModuleDict()
    setattr(type(module), tensor_name, computed(tensor_name))
    module.parametrizations[tensor_name] = found
    return module


def check_addition(value: Tensor, parametrization: Module) -> None:
    """One more parametrization, and its way back, must keep shape and dtype."""
    new = parametrization(value)
    results = {"A parametrization": new}
    if isinstance(new, Tensor) and hasattr(parametrization, "right_inverse"):
        try:
            results["parametrization.right_inverse"] = parametrization.right_inverse(new)
        except NotImplementedError:
            pass
    for what, result in results.items():
        if not isinstance(result, Tensor):
            raise ValueError(f"{what} must return a tensor. Got {type(result).__name__}.")
        for word in ("dtype", "shape"):
            before, now = getattr(value, word), getattr(result, word)
            if before != now:
                raise ValueError(f"Registering a parametrization may not change the {word} of the "
                                 f"tensor, unless the `unsafe` flag is enabled: {what} made "
                                 f"{now} of {before}.")


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """Whether a tensor of the module, or any, is parametrized."""
    there = getattr(module, "parametrizations", None)
    if not isinstance(there, ModuleDict):
        return False
    return len(there) > 0 if tensor_name is None else tensor_name in there


def remove_parametrizations(module: Module, tensor_name: str,
                            leave_parametrized: bool = True) -> Module:
    """Make a parametrized tensor a plain one again.

    Args:
        module: changed, and returned.
        tensor_name: which tensor.
        leave_parametrized: with the value that it has now; else with that of the trained one.

    Raises:
        ValueError: not parametrized; or several trained tensors, none of which could be left.
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    there = module.parametrizations[tensor_name]
    if there.is_tensor:
        tensor = there.original
        if leave_parametrized:
            with no_grad():
                give(tensor, getattr(module, tensor_name))
    elif leave_parametrized:
        value = getattr(module, tensor_name)
        tensor = Parameter(value.detach()) if value.requires_grad else value
    else:
        raise ValueError("Cannot leave unparametrized (`leave_parametrized=False`) a tensor that "
                         "is parametrized in terms of a sequence of tensors.")
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    put(module, tensor_name, tensor)
    if not is_parametrized(module):
        del module.parametrizations
        module.__class__ = type(module).__bases__[0]
    return module


def type_before_parametrizations(module: Module) -> type:
    """The class that the module had."""
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


def transfer_parametrizations_and_params(from_module: Module, to_module: Module,
                                         tensor_name: str | None = None) -> Module:
    """Parametrize another module in the same way, by the same trained tensors."""
    if not is_parametrized(from_module):
        return to_module
    for name in [tensor_name] if tensor_name else list(from_module.parametrizations):
        source = from_module.parametrizations[name]
        if not hasattr(to_module, name):
            setattr(to_module, name, Parameter(getattr(from_module, name).detach()))
        for part in source.parts():
            register_parametrization(to_module, name, part)
        target = to_module.parametrizations[name]
        for key in ["original"] if source.is_tensor else [
                f"original{i}" for i in range(source.ntensors)]:
            setattr(target, key, getattr(source, key))
    return to_module
