"""Containers: modules and parameters in sequences, lists and dicts."""

import operator
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from autodidact.nn.module import Module, indented
from autodidact.nn.parameter import Parameter
from autodidact.tensor import Tensor

__all__ = ["ModuleDict", "ModuleList", "ParameterDict", "ParameterList", "Sequential"]


def place(index: Any, size: int) -> int:
    """An index counted from the front."""
    index = operator.index(index)
    if not -size <= index < size:
        raise IndexError(f"index {index} is out of range")
    return index % size


class Indexed(Module):
    """What Sequential and ModuleList share: modules under the names "0", "1", ..."""

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self._sliced(list(self._modules.items())[index])
        return list(self._modules.values())[place(index, len(self))]

    def _sliced(self, items: list) -> Any:
        return type(self)(OrderedDict(items))

    def __setitem__(self, index: int, module: Module) -> None:
        setattr(self, list(self._modules)[place(index, len(self))], module)

    def __delitem__(self, index: Any) -> None:
        names = list(self._modules)
        for name in names[index] if isinstance(index, slice) else [names[place(index, len(self))]]:
            delattr(self, name)
        self._renumber(list(self._modules.values()))

    def _renumber(self, modules: list) -> None:
        self._modules.clear()
        self._modules.update((str(i), module) for i, module in enumerate(modules))

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator:
        return iter(self._modules.values())

    def append(self, module: Module) -> Any:
        """Add a module at the end; returns the container."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules: Iterable) -> Any:
        """Add several modules at the end; returns the container."""
        if not isinstance(modules, Iterable):
            raise TypeError(f"{type(self).__name__}.extend should be called with an iterable, but "
                            f"got {type(modules).__name__}")
        for module in modules:
            self.append(module)
        return self

    def insert(self, index: int, module: Module) -> Any:
        """Put a module before position `index`."""
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        modules = list(self._modules.values())
        modules.insert(index, module)
        self._renumber(modules)
        return self

    def pop(self, key: int) -> Module:
        """Take out one module and return it."""
        module = self[key]
        del self[key]
        return module


class Sequential(Indexed):
    """Modules one after the other: each gets the output of the one before.

    Args:
        *args: the modules, or one OrderedDict of them by name.

    Example:
        >>> nn.Sequential(nn.Linear(2, 3), nn.ReLU())
        Sequential(
          (0): Linear(in_features=2, out_features=3, bias=True)
          (1): ReLU()
        )
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        named = (args[0].items() if len(args) == 1 and isinstance(args[0], OrderedDict)
                 else ((str(i), module) for i, module in enumerate(args)))
        for name, module in named:
            self.add_module(name, module)

    def forward(self, input: Any) -> Any:
        """All modules in turn."""
        for module in self._modules.values():
            input = module(input)
        return input

    def _renumber(self, modules: list) -> None:
        names = list(self._modules)
        if len(names) != len(modules) or all(name.isdigit() for name in names):
            super()._renumber(modules)

    def __add__(self, other: "Sequential") -> "Sequential":
        if not isinstance(other, Sequential):
            raise ValueError("add operator supports only objects of Sequential class, but "
                             f"{type(other)} is given.")
        return Sequential(*self, *other)

    def __iadd__(self, other: "Sequential") -> "Sequential":
        return self.extend(list(other))

    def __mul__(self, times: int) -> "Sequential":
        if not isinstance(times, int):
            raise TypeError("unsupported operand type(s) for *: Sequential and "
                            f"{type(times).__name__}")
        return Sequential(*(list(self) * times))

    __rmul__ = __mul__


class ModuleList(Indexed):
    """A list of modules whose parameters count; it has no forward of its own.

    Example:
        >>> layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(3)])
    """

    def __init__(self, modules: Iterable | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def _sliced(self, items: list) -> "ModuleList":
        return type(self)(module for _, module in items)

    def __iadd__(self, modules: Iterable) -> "ModuleList":
        return self.extend(modules)

    def __add__(self, other: Iterable) -> "ModuleList":
        return ModuleList([*self, *other])

    def __repr__(self) -> str:
        texts = [repr(module) for module in self]
        if not texts:
            return f"{self._get_name()}()"
        runs: list = []                                # equal neighbours share a line
        for i, text in enumerate(texts):
            if runs and runs[-1][2] == text:
                runs[-1][1] = i
            else:
                runs.append([i, i, text])
        lines = [f"({first}): {text}" if first == last else
                 f"({first}-{last}): {last - first + 1} x {text}" for first, last, text in runs]
        return (f"{self._get_name()}(\n  " + "\n  ".join(indented(line, 2) for line in lines)
                + "\n)")


class ModuleDict(Module):
    """Modules by name."""

    def __init__(self, modules: Mapping | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Module:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator:
        return iter(self._modules)

    def __contains__(self, key: str) -> bool:
        return key in self._modules

    def clear(self) -> None:
        """Take everything out."""
        self._modules.clear()

    def pop(self, key: str) -> Module:
        """Take out one module and return it."""
        module = self[key]
        del self[key]
        return module

    def keys(self) -> Any:
        """The names."""
        return self._modules.keys()

    def values(self) -> Any:
        """The modules."""
        return self._modules.values()

    def items(self) -> Any:
        """Names and modules."""
        return self._modules.items()

    def update(self, modules: Any) -> None:
        """Add or replace modules: a dict, or pairs of name and module."""
        for key, module in modules.items() if hasattr(modules, "items") else modules:
            self[key] = module


class ParameterList(Module):
    """A list of parameters (and other things); tensors become Parameters."""

    def __init__(self, values: Iterable | None = None) -> None:
        super().__init__()
        self._size = 0
        for value in values or ():
            self.append(value)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)(getattr(self, str(i)) for i in range(*index.indices(len(self))))
        return getattr(self, str(place(index, len(self))))

    def __setitem__(self, index: int, value: Any) -> None:
        setattr(self, str(place(index, len(self))), as_parameter(value))

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator:
        return iter(self[i] for i in range(len(self)))

    def append(self, value: Any) -> "ParameterList":
        """Add a value at the end; returns the list."""
        self._size += 1
        self[len(self) - 1] = value
        return self

    def extend(self, values: Iterable) -> "ParameterList":
        """Add several values at the end; returns the list."""
        for value in values:
            self.append(value)
        return self

    def __iadd__(self, values: Iterable) -> "ParameterList":
        return self.extend(values)

    def extra_repr(self) -> str:
        """One line for each parameter."""
        return "\n".join(described(i, value, str(getattr(value, "dtype", "")))
                         for i, value in enumerate(self))

    def forward(self, *args: Any) -> None:
        """It has none."""
        raise RuntimeError("ParameterList should not be called.")


class ParameterDict(Module):
    """Parameters (and other things) by name; tensors become Parameters."""

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._keys: dict = {}
        if parameters is not None:
            self.update(parameters)

    def __getitem__(self, key: str) -> Any:
        if key not in self._keys:
            raise KeyError(key)
        return getattr(self, key)

    def __setitem__(self, key: str, value: Any) -> None:
        self._keys[key] = None
        setattr(self, key, as_parameter(value))

    def __delitem__(self, key: str) -> None:
        del self._keys[key]
        delattr(self, key)

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator:
        return iter(self._keys)

    def __contains__(self, key: str) -> bool:
        return key in self._keys

    def keys(self) -> Any:
        """The names."""
        return self._keys.keys()

    def values(self) -> Iterator:
        """The values."""
        return (self[key] for key in self._keys)

    def items(self) -> Iterator:
        """Names and values."""
        return ((key, self[key]) for key in self._keys)

    def get(self, key: str, default: Any = None) -> Any:
        """The value under a name, or the default."""
        return self[key] if key in self._keys else default

    def pop(self, key: str) -> Any:
        """Take out one value and return it."""
        value = self[key]
        del self[key]
        return value

    def update(self, parameters: Any) -> None:
        """Add or replace values: a dict, or pairs of name and value."""
        pairs = parameters.items() if hasattr(parameters, "items") else parameters
        for key, value in pairs:
            self[key] = value

    def extra_repr(self) -> str:
        """One line for each parameter."""
        return "\n".join(described(key, value, value.type() if isinstance(value, Tensor) else "")
                         for key, value in self.items())

    def forward(self, *args: Any) -> None:
        """It has none."""
        raise RuntimeError("ParameterDict should not be called.")


def as_parameter(value: Any) -> Any:
    """Tensors as Parameters, anything else as it is."""
    plain = isinstance(value, Tensor) and not isinstance(value, Parameter)
    return Parameter(value) if plain else value


def described(key: Any, value: Any, dtype: str) -> str:
    """One entry as printed: kind, dtype and size of a tensor, the type of anything else."""
    if isinstance(value, Tensor):
        kind = "Parameter" if isinstance(value, Parameter) else "Tensor"
        sizes = "x".join(str(n) for n in value.size())
        return f"  ({key}): {kind} containing: [{dtype} of size {sizes}]"
    return f"  ({key}): Object of type: {type(value).__name__}"
