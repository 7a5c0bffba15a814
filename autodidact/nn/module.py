"""Module: a function with parameters, built from other modules."""

from collections.abc import Callable, Iterator
from typing import Any

from autodidact.autograd.hooks import HookDict
from autodidact.nn.module_convert import Converted
from autodidact.nn.module_everywhere import Everywhere, registered
from autodidact.nn.module_hooks import Hooked
from autodidact.nn.module_state import Stateful
from autodidact.nn.parameter import Buffer, Parameter
from autodidact.tensor import Tensor

__all__ = ["Module"]

HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks",
         "_state_dict_hooks", "_state_dict_pre_hooks", "_load_state_dict_pre_hooks",
         "_load_state_dict_post_hooks")
KINDS = ("_parameters", "_buffers", "_modules")


class Module(Hooked, Stateful, Converted):
    """Base class of all building blocks: subclass it, set parts in `__init__`, write `forward`.

    Parameters and modules that are set as attributes are found again by `parameters()`, `to()`,
    `state_dict()`, `print`.

    Attributes:
        training: True after `train()`, False after `eval()`; Dropout and BatchNorm look at it.

    Example:
        >>> class Net(nn.Module):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.layer = nn.Linear(2, 1)
        ...     def forward(self, x):
        ...         return self.layer(x).tanh()
    """

    training: bool

    def __init__(self) -> None:
        put = super().__setattr__
        put("training", True)
        for name in KINDS:
            put(name, {})
        put("_non_persistent_buffers_set", set())
        put("_is_full_backward_hook", None)
        for name in HOOKS:
            put(name, HookDict())
        for name in ("_forward_hooks_with_kwargs", "_forward_pre_hooks_with_kwargs",
                     "_forward_hooks_always_called"):
            put(name, {})

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the module computes: to be written by every subclass."""
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required '
                                  '"forward" function')

    # ---- parts ----------------------------------------------------------------------------------

    def __setattr__(self, name: str, value: Any) -> None:
        own = self.__dict__
        kind = ("_parameters" if isinstance(value, Parameter) else
                "_modules" if isinstance(value, Module) else
                "_buffers" if isinstance(value, Buffer) else None)
        if kind is not None:
            if kind not in own:
                raise AttributeError(f"cannot assign {kind[1:]} before Module.__init__() call")
            self._forget(name, but=kind)
            if kind == "_parameters":
                self.register_parameter(name, value)
            elif kind == "_buffers":
                self.register_buffer(name, value, value.persistent)
            else:
                own["_modules"][name] = registered(Everywhere.modules, self, name, value)
            return
        for kind, what in (("_parameters", "parameter"), ("_modules", "child module"),
                           ("_buffers", "buffer")):
            if name in own.get(kind, ()):
                self._check(kind, what, name, value)
                own[kind][name] = value
                return
        super().__setattr__(name, value)

    def _check(self, kind: str, what: str, name: str, value: Any) -> None:
        """A name that stands for a part takes only another such part, or None."""
        wanted = {"_parameters": "torch.nn.Parameter", "_modules": "torch.nn.Module",
                  "_buffers": "torch.Tensor"}[kind]
        if value is not None and not (kind == "_buffers" and isinstance(value, Tensor)):
            home = type(value).__module__
            kind_of = f"{home}.".replace("builtins.", "") + type(value).__qualname__
            kind_of = "torch.FloatTensor" if isinstance(value, Tensor) else kind_of
            raise TypeError(f"cannot assign '{kind_of}' as {what} '{name}' ({wanted} or None "
                            "expected)")

    def _forget(self, name: str, but: str) -> None:
        """Remove what the name stood for."""
        own = self.__dict__
        own.pop(name, None)
        for kind in KINDS:
            if kind != but:
                own[kind].pop(name, None)
        own["_non_persistent_buffers_set"].discard(name)

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__
        for kind in KINDS:
            if kind in own and name in own[kind]:
                return own[kind][name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __delattr__(self, name: str) -> None:
        for kind in KINDS:
            if name in self.__dict__[kind]:
                del self.__dict__[kind][name]
                self._non_persistent_buffers_set.discard(name)
                return
        super().__delattr__(name)

    def __dir__(self) -> list:
        names = {*super().__dir__(), *self._parameters, *self._modules, *self._buffers}
        return sorted(name for name in names if not name[0].isdigit())

    def _new_name(self, kind: str, name: str, what: str) -> None:
        """Refuse names that would be lost or ambiguous."""
        if kind not in self.__dict__:
            raise AttributeError(f"cannot assign {what} before Module.__init__() call")
        if not isinstance(name, str):
            raise TypeError(f"{what} name should be a string. Got {type(name).__name__}")
        if "." in name:
            raise KeyError(f'{what} name can\'t contain "."' if what != "module" else
                           f'module name can\'t contain ".", got: {name}')
        if name == "":
            raise KeyError(f'{what} name can\'t be empty string ""')
        if hasattr(self, name) and name not in self.__dict__[kind]:
            raise KeyError(f"attribute '{name}' already exists")

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Add a parameter under a name; None leaves the place empty.

        Raises:
            TypeError: no Parameter. ValueError: one inside the graph. KeyError: a bad name.
        """
        self._new_name("_parameters", name, "parameter")
        if param is not None:
            if not isinstance(param, Parameter):
                raise TypeError(f"cannot assign '{type(param).__name__}' object to parameter "
                                f"'{name}' (torch.nn.Parameter or None required)")
            if param.grad_fn is not None:
                raise ValueError(f"Cannot assign non-leaf Tensor to parameter '{name}'. Model "
                                 "parameters must be created explicitly.")
            param = registered(Everywhere.parameters, self, name, param)
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Add a tensor that is state but not trained; `persistent` ones are in the state_dict."""
        self._new_name("_buffers", name, "buffer")
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(f"cannot assign '{type(tensor).__name__}' object to buffer '{name}' "
                            "(torch Tensor or None required)")
        self._buffers[name] = registered(Everywhere.buffers, self, name, tensor)
        self._non_persistent_buffers_set.discard(name)
        if not persistent:
            self._non_persistent_buffers_set.add(name)

    def add_module(self, name: str, module: "Module | None") -> None:
        """Add a module under a name."""
        if not isinstance(module, Module) and module is not None:
            raise TypeError(f"{type(module).__name__} is not a Module subclass")
        self._new_name("_modules", name, "module")
        self._modules[name] = registered(Everywhere.modules, self, name, module)

    register_module = add_module

    def get_submodule(self, target: str) -> "Module":
        """The module under a dotted name; "" is this one."""
        module = self
        for name in target.split(".") if target else ():
            if not hasattr(module, name):
                raise AttributeError(f"{type(module).__name__} has no attribute `{name}`")
            module = getattr(module, name)
            if not isinstance(module, Module):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return module

    def set_submodule(self, target: str, module: "Module", strict: bool = False) -> None:
        """Put a module under a dotted name, in the place of the one that is there.

        Args:
            target: the name.
            module: what goes there.
            strict: refuse a name that nothing has.

        Raises:
            ValueError: for no name, or no module.
            AttributeError: where the way there, or what is there, is no module.
        """
        path, _, name = target.rpartition(".")
        if not target:
            raise ValueError("Cannot set the submodule without a target name!")
        if not isinstance(module, Module):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        parent = self.get_submodule(path)
        if strict or hasattr(parent, name):
            parent.get_submodule(name)
        setattr(parent, name, module)

    def get_parameter(self, target: str) -> Parameter:
        """The parameter under a dotted name."""
        path, _, name = target.rpartition(".")
        found = getattr(self.get_submodule(path), name)
        if not isinstance(found, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return found

    def get_buffer(self, target: str) -> Tensor:
        """The buffer under a dotted name."""
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        found = getattr(module, name)
        if name not in module._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return found

    # ---- all parts ------------------------------------------------------------------------------

    def named_modules(self, memo: set | None = None, prefix: str = "",
                      remove_duplicate: bool = True) -> Iterator:
        """This module and all inside, with dotted names."""
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                inner = f"{prefix}.{name}" if prefix else name
                yield from module.named_modules(memo, inner, remove_duplicate)

    def modules(self, remove_duplicate: bool = True) -> Iterator:
        """This module and all inside."""
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    def named_children(self) -> Iterator:
        """The modules directly inside, each once, with their names."""
        memo: set = set()
        for name, module in self._modules.items():
            if module is not None and module not in memo:
                memo.add(module)
                yield name, module

    def children(self) -> Iterator:
        """The modules directly inside."""
        for _, module in self.named_children():
            yield module

    def _named(self, kind: str, prefix: str, recurse: bool, remove_duplicate: bool) -> Iterator:
        memo: set = set()
        modules = (self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
                   if recurse else [(prefix, self)])
        for path, module in modules:
            for name, t in module.__dict__[kind].items():
                if t is None or id(t) in memo:
                    continue
                if remove_duplicate:
                    memo.add(id(t))
                yield (f"{path}.{name}" if path else name), t

    def named_parameters(self, prefix: str = "", recurse: bool = True,
                         remove_duplicate: bool = True) -> Iterator:
        """All parameters with dotted names, each once."""
        return self._named("_parameters", prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator:
        """All parameters, each once: what an optimizer wants.

        Example:
            >>> torch.optim.SGD(model.parameters(), lr=0.1)
        """
        for _, p in self.named_parameters(recurse=recurse):
            yield p

    def named_buffers(self, prefix: str = "", recurse: bool = True,
                      remove_duplicate: bool = True) -> Iterator:
        """All buffers with dotted names, each once."""
        return self._named("_buffers", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator:
        """All buffers."""
        for _, b in self.named_buffers(recurse=recurse):
            yield b

    # ---- changes --------------------------------------------------------------------------------

    def apply(self, fn: Callable) -> "Module":
        """Call `fn` with every module inside, then with this one; returns it.

        Example:
            >>> model.apply(lambda m: nn.init.zeros_(m.bias) if isinstance(m, nn.Linear) else None)
        """
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def train(self, mode: bool = True) -> "Module":
        """Set training mode (or, with False, evaluation mode) here and in all modules inside."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> "Module":
        """Set evaluation mode."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> "Module":
        """Set whether operations on the parameters are recorded: False freezes the module."""
        for p in self.parameters():
            p.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of all parameters; with False, set them to zero."""
        for p in self.parameters():
            if p.grad is None:
                continue
            if set_to_none:
                p.grad = None
            else:
                p.grad = p.grad.detach()
                p.grad.zero_()

    # ---- printing -------------------------------------------------------------------------------

    def _get_name(self) -> str:
        return type(self).__name__

    def extra_repr(self) -> str:
        """What stands between the brackets when the module is printed."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        parts = [f"({name}): " + indented(repr(module), 2)
                 for name, module in self._modules.items()]
        if not parts and len(lines) == 1:
            return f"{self._get_name()}({lines[0]})"
        if not lines + parts:
            return f"{self._get_name()}()"
        return f"{self._get_name()}(\n  " + "\n  ".join(lines + parts) + "\n)"


def indented(text: str, spaces: int) -> str:
    """All lines but the first, moved to the right."""
    return text.replace("\n", "\n" + " " * spaces)
