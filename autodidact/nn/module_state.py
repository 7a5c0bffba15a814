"""State of modules: parameters and buffers under dotted names, taken out and put back."""

from collections import OrderedDict, namedtuple
from collections.abc import Callable, Mapping
from typing import Any

from autodidact.autograd.grad_mode import no_grad
from autodidact.autograd.hooks import RemovableHandle
from autodidact.nn.parameter import Parameter
from autodidact.tensor import Tensor

__all__ = ["IncompatibleKeys", "Stateful"]

EXTRA_STATE = "_extra_state"


class IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """What `load_state_dict` returns: the names that did not match."""

    __slots__ = ()

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return super().__repr__().replace("IncompatibleKeys", "_IncompatibleKeys", 1)

    __str__ = __repr__


class WithoutModule:
    """A hook that does not want the module."""

    def __init__(self, hook: Callable) -> None:
        self.hook = hook

    def __call__(self, module: Any, *args: Any) -> Any:
        """The hook, without it."""
        return self.hook(*args)


class Stateful:
    """The part of Module that is saved and loaded.

    A state_dict is an OrderedDict of tensors by dotted name; its `_metadata` holds versions.
    """

    _version = 1

    def get_extra_state(self) -> Any:
        """Override (with `set_extra_state`) to save more than tensors."""
        raise RuntimeError("get_extra_state is not defined for this module")

    def set_extra_state(self, state: Any) -> None:
        """Take back what `get_extra_state` gave."""
        raise RuntimeError("set_extra_state is not defined for this module")

    def state_dict(self, *, destination: dict | None = None, prefix: str = "",
                   keep_vars: bool = False) -> dict:
        """Parameters and persistent buffers by dotted name, sharing memory with the module.

        Args:
            destination: a dict to add to.
            prefix: put before each name.
            keep_vars: give the Parameters themselves, not detached tensors.

        Example:
            >>> list(nn.Linear(2, 1).state_dict())
            ['weight', 'bias']
        """
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        metadata = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = metadata
        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=destination, prefix=f"{prefix}{name}.",
                                  keep_vars=keep_vars)
        for hook in self._state_dict_hooks.values():
            new = hook(self, destination, prefix, metadata)
            destination = destination if new is None else new
        return destination

    def _save_to_state_dict(self, destination: dict, prefix: str, keep_vars: bool) -> None:
        for name, tensor in self._own_state().items():
            destination[prefix + name] = tensor if keep_vars else tensor.detach()
        if type(self).get_extra_state is not Stateful.get_extra_state:
            destination[prefix + EXTRA_STATE] = self.get_extra_state()

    def _own_state(self) -> dict:
        """Parameters and persistent buffers of this module alone."""
        buffers = {name: b for name, b in self._buffers.items()
                   if name not in self._non_persistent_buffers_set}
        return {name: t for name, t in (self._parameters | buffers).items() if t is not None}

    def register_state_dict_pre_hook(self, hook: Callable) -> RemovableHandle:
        """Call `hook(module, prefix, keep_vars)` before `state_dict` reads the module."""
        return self._state_dict_pre_hooks.add(hook)

    def register_state_dict_post_hook(self, hook: Callable) -> RemovableHandle:
        """Call `hook(module, state_dict, prefix, local_metadata)` after it."""
        return self._state_dict_hooks.add(hook)

    _register_state_dict_hook = register_state_dict_post_hook

    def register_load_state_dict_pre_hook(self, hook: Callable) -> RemovableHandle:
        """Call `hook(module, state_dict, prefix, ...)` before the module's part is loaded."""
        return self._load_state_dict_pre_hooks.add(hook)

    def _register_load_state_dict_pre_hook(self, hook: Callable,
                                           with_module: bool = False) -> RemovableHandle:
        """The same; unless `with_module`, the hook is not told the module."""
        return self._load_state_dict_pre_hooks.add(hook if with_module else WithoutModule(hook))

    def register_load_state_dict_post_hook(self, hook: Callable) -> RemovableHandle:
        """Call `hook(module, incompatible_keys)` after loading; it may change the lists."""
        return self._load_state_dict_post_hooks.add(hook)

    def load_state_dict(self, state_dict: Mapping, strict: bool = True,
                        assign: bool = False) -> IncompatibleKeys:
        """Copy tensors by name into parameters and buffers.

        Args:
            state_dict: as `state_dict()` gives it.
            strict: raise when names are missing or left over.
            assign: take the tensors themselves instead of copying their numbers.

        Returns:
            The names that are missing and those left over.

        Raises:
            RuntimeError: names or sizes that do not match; all of them are listed. A
                tensor whose size does not match stays as it was.
            TypeError: when `state_dict` is no mapping.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        loading = Loading(OrderedDict(state_dict), strict, assign,
                          getattr(state_dict, "_metadata", None))
        loading.walk(self, loading.state_dict, "")
        found = IncompatibleKeys(loading.missing, loading.unexpected)
        for module, hook in loading.after:
            if hook(module, found) is not None:
                raise AssertionError("Hooks registered with ``register_load_state_dict_post_hook`` "
                                     "are not expected to return new values, if incompatible_keys "
                                     "need to be modified, it should be done inplace.")
        complaints = loading.complaints()
        if complaints:
            text = "".join(f"\n\t{complaint}" for complaint in complaints)
            raise RuntimeError(
                f"Error(s) in loading state_dict for {type(self).__name__}:{text}")
        return found

    def _load_from_state_dict(self, state_dict: dict, prefix: str, local_metadata: dict,
                              strict: bool, missing_keys: list, unexpected_keys: list,
                              error_msgs: list) -> None:
        for hook in self._load_state_dict_pre_hooks.values():
            hook(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys,
                 error_msgs)
        assign = local_metadata.get("assign_to_params_buffers", False)
        for name, own in self._own_state().items():
            key = prefix + name
            if key in state_dict:
                self._load_tensor(name, own, key, state_dict[key], assign, error_msgs)
            elif strict:
                missing_keys.append(key)
        key = prefix + EXTRA_STATE
        if type(self).set_extra_state is not Stateful.set_extra_state:
            if key in state_dict:
                self.set_extra_state(state_dict[key])
            elif strict:
                missing_keys.append(key)
        elif strict and key in state_dict:
            unexpected_keys.append(key)
        if strict:
            unexpected_keys += self._left_over(state_dict, prefix)

    def _left_over(self, state_dict: dict, prefix: str) -> list:
        """Names under this module's prefix that belong to none of its parts."""
        left = []
        for key in state_dict:
            if key.startswith(prefix) and key != prefix + EXTRA_STATE:
                head, *rest = key[len(prefix):].split(".", 1)
                if head not in self._modules if rest else head not in self._own_state():
                    left.append(key)
        return left

    def _load_tensor(self, name: str, own: Tensor, key: str, given: Any, assign: bool,
                     errors: list) -> None:
        """One tensor, copied or taken; what does not fit becomes a line of the error."""
        if not isinstance(given, Tensor):
            errors.append(f'While copying the parameter named "{key}", expected torch.Tensor or '
                          "Tensor-like object from checkpoint but received "
                          f"{type(given)}")
            return
        if own.dim() == 0 and given.dim() == 1 and given.numel() == 1:
            given = given[0]                 # as old files hold numbers
        if given.shape != own.shape:
            errors.append(f"size mismatch for {key}: copying a param with shape {given.shape} from "
                          f"checkpoint, the shape in current model is {own.shape}.")
            return
        with no_grad():
            if not assign:
                own.copy_(given)
            elif isinstance(own, Parameter) and not isinstance(given, Parameter):
                setattr(self, name, Parameter(given, requires_grad=own.requires_grad))
            else:
                setattr(self, name, given)


class Loading:
    """One `load_state_dict`: what it reads from and what it has found wrong."""

    def __init__(self, state_dict: OrderedDict, strict: bool, assign: bool,
                 metadata: Mapping | None) -> None:
        self.state_dict, self.strict, self.assign = state_dict, strict, assign
        self.metadata = metadata or {}
        self.missing: list = []
        self.unexpected: list = []
        self.errors: list = []
        self.after: list = []

    def walk(self, module: Any, state_dict: Mapping, prefix: str) -> None:
        """Load a module and those inside it."""
        metadata = dict(self.metadata.get(prefix[:-1], {}))
        if self.assign:
            metadata["assign_to_params_buffers"] = True
        module._load_from_state_dict(state_dict, prefix, metadata, True, self.missing,
                                     self.unexpected, self.errors)
        for name, child in module._modules.items():
            if child is not None:
                inner = f"{prefix}{name}."
                self.walk(child, {k: v for k, v in state_dict.items() if k.startswith(inner)},
                          inner)
        self.after += [(module, hook) for hook in module._load_state_dict_post_hooks.values()]

    def complaints(self) -> list:
        """The lines of the error, names first."""
        lines = list(self.errors)
        if self.strict:
            for word, names in (("Unexpected", self.unexpected), ("Missing", self.missing)):
                if names:
                    listed = ", ".join(f'"{name}"' for name in names)
                    lines.insert(0, f"{word} key(s) in state_dict: {listed}. ")
        return lines
