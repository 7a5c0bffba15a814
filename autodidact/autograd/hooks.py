"""Hooks: functions of the user that see a gradient on its way, and the order they run in.

At a node: hooks of its output tensors, then retain_grad's store, then the node's own pre-hooks,
the node, its post-hooks. At a leaf: tensor hooks, pre-hooks of the accumulator, the accumulation,
post-accumulate hooks, post-hooks of the accumulator.
"""

import itertools
import weakref
from collections.abc import Callable
from typing import Any

from autodidact.tensor_base import CHANGES

__all__ = ["Hooks", "RemovableHandle"]

_ids = itertools.count()


class RemovableHandle:
    """What a `register_...hook` returns: `remove()` takes the hook away; twice is fine."""

    __slots__ = ("_dict", "id")

    def __init__(self, hooks: "HookDict", key: int) -> None:
        self._dict = weakref.ref(hooks)
        self.id = key

    def remove(self) -> None:
        """Take the hook away."""
        hooks = self._dict()
        if hooks is not None:
            hooks.pop(self.id, None)
            CHANGES[0] += 1

    def __enter__(self) -> "RemovableHandle":
        return self

    def __exit__(self, *error: object) -> None:
        self.remove()


class HookDict(dict):
    """Hooks in order of registration; a class of its own so that handles hold it weakly."""

    __slots__ = ("__weakref__",)

    def add(self, hook: Callable) -> RemovableHandle:
        """Register `hook`; the handle removes it."""
        key = next(_ids)
        self[key] = hook
        CHANGES[0] += 1
        return RemovableHandle(self, key)


class Hooks:
    """All hooks of one node, or (tensor and post-accumulate hooks only) of one leaf."""

    __slots__ = ("post", "post_accumulate", "pre", "retain", "tensor")

    def __init__(self) -> None:
        self.tensor: dict[int, HookDict] = {}       # by output_nr
        self.retain: dict[int, weakref.ref] = {}    # by output_nr: the tensor that keeps .grad
        self.pre = HookDict()
        self.post = HookDict()
        self.post_accumulate = HookDict()

    def tensor_hooks(self, output_nr: int) -> HookDict:
        """The hooks of one output, made when first asked for."""
        if output_nr not in self.tensor:
            self.tensor[output_nr] = HookDict()
        return self.tensor[output_nr]


def run_tensor_hooks(hooks: HookDict, grad: Any) -> Any:
    """Each hook sees the gradient and may replace it."""
    for hook in list(hooks.values()):
        new = hook(grad)
        if new is not None:
            grad = check_replacement(hook, grad, new)
    return grad


def run_pre_hooks(hooks: HookDict, grads: tuple) -> tuple:
    """Each pre-hook sees all gradients that arrived at the node and may replace them."""
    for hook in list(hooks.values()):
        new = hook(grads)
        if new is not None:
            grads = check_replacements(hook, grads, new)
    return grads


def run_post_hooks(hooks: HookDict, results: tuple, grads: tuple) -> tuple:
    """Each post-hook sees what the node sends and what it received; it may replace the former."""
    for hook in list(hooks.values()):
        new = hook(results, grads)
        if new is not None:
            results = check_replacements(hook, results, new)
    return results


def check_replacements(hook: Callable, old: tuple, new: Any) -> tuple:
    """What a node's hook returned: a tuple with a replacement, or None, for each gradient."""
    if not isinstance(new, tuple):
        raise TypeError(f"expected tuple, but hook returned '{type(new).__name__}'")
    if len(new) != len(old):
        raise RuntimeError(f"hook '{hook_name(hook)}' has returned an incorrect number of values "
                           f"(got {len(new)}, but expected {len(old)})")
    for before, after in zip(old, new, strict=True):
        if after is not None:
            check_replacement(hook, before, after)
    return new


def check_replacement(hook: Callable, grad: Any, new: Any) -> Any:
    """A replacement is a tensor with the gradient's dtype and shape; there must be a gradient."""
    if not hasattr(new, "_array"):
        raise TypeError(f"expected Variable, but hook returned '{type(new).__name__}': a hook "
                        "returns None or a Tensor")
    if grad is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    if new._array.dtype != grad._array.dtype:
        raise RuntimeError(f"hook '{hook_name(hook)}' has changed the type of value (was "
                           f"{grad.type()} got {new.type()})")
    if new._array.shape != grad._array.shape:
        raise RuntimeError(f"hook '{hook_name(hook)}' has changed the size of value: the gradient "
                           f"has shape {tuple(grad.shape)}, the hook returned {tuple(new.shape)}")
    return new


def hook_name(hook: Callable) -> str:
    """The function's name; other callables may have none."""
    return getattr(hook, "__name__", "<unknown>")
