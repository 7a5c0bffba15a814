"""Hooks of all modules at once, for debugging: they run before each module's own."""

from collections.abc import Callable

from autodidact.autograd.hooks import HookDict, RemovableHandle

__all__ = [
    "register_module_backward_hook", "register_module_buffer_registration_hook",
    "register_module_forward_hook", "register_module_forward_pre_hook",
    "register_module_full_backward_hook", "register_module_full_backward_pre_hook",
    "register_module_module_registration_hook", "register_module_parameter_registration_hook",
]


class Everywhere:
    """The hooks of all modules.

    Attributes:
        forward_pre, forward, backward_pre, backward: what is called, by its number.
        with_kwargs, always_called: the numbers of forward hooks that asked for it.
        is_full: whether the backward hooks are full ones; None before the first.
        parameters, buffers, modules: called when such a part is registered.
    """

    forward_pre, forward = HookDict(), HookDict()
    backward_pre, backward = HookDict(), HookDict()
    with_kwargs: set = set()
    always_called: set = set()
    is_full: bool | None = None
    parameters, buffers, modules = HookDict(), HookDict(), HookDict()

    @classmethod
    def any_call(cls) -> bool:
        """Whether a call of a module concerns some of them."""
        return bool(cls.forward_pre or cls.forward or cls.backward_pre or cls.backward)


def register_module_forward_pre_hook(hook: Callable) -> RemovableHandle:
    """Call `hook(module, args)` before every module's `forward`; it may return other arguments."""
    return Everywhere.forward_pre.add(hook)


def register_module_forward_hook(hook: Callable, *, with_kwargs: bool = False,
                                 always_call: bool = False) -> RemovableHandle:
    """Call `hook(module, args, output)` after every module's `forward`.

    It may return another output. With `with_kwargs` it is called with (module, args, kwargs,
    output); with `always_call` also when `forward` has raised.

    Example:
        >>> seen = []
        >>> hook = nn.modules.module.register_module_forward_hook(
        ...     lambda module, args, output: seen.append(type(module).__name__))
        >>> y = nn.Sequential(nn.Linear(2, 2), nn.ReLU())(torch.ones(2))
        >>> hook.remove()
        >>> seen
        ['Linear', 'ReLU', 'Sequential']
    """
    handle = Everywhere.forward.add(hook)
    if with_kwargs:
        Everywhere.with_kwargs.add(handle.id)
    if always_call:
        Everywhere.always_called.add(handle.id)
    return handle


def register_module_full_backward_pre_hook(hook: Callable) -> RemovableHandle:
    """Call `hook(module, grad_output)` when a backward pass reaches a module's outputs."""
    return Everywhere.backward_pre.add(hook)


def register_module_full_backward_hook(hook: Callable) -> RemovableHandle:
    """Call `hook(module, grad_input, grad_output)` when gradients of a module's inputs are there.

    Raises:
        RuntimeError: where there have been hooks of the old kind.
    """
    return add_backward(hook, True)


def register_module_backward_hook(hook: Callable) -> RemovableHandle:
    """The old form of `register_module_full_backward_hook`: it sees each module's last node only.

    Raises:
        RuntimeError: where there have been full hooks.
    """
    return add_backward(hook, False)


def add_backward(hook: Callable, full: bool) -> RemovableHandle:
    """One kind at a time."""
    if Everywhere.is_full is (not full):            # for good, as in PyTorch: hooks may be gone
        raise RuntimeError("Cannot use both regular backward hooks and full backward hooks as a "
                           "global Module hook. Please use only one of them.")
    Everywhere.is_full = full
    return Everywhere.backward.add(hook)


def register_module_parameter_registration_hook(hook: Callable) -> RemovableHandle:
    """Call `hook(module, name, param)` when a parameter joins a module; it may return another."""
    return Everywhere.parameters.add(hook)


def register_module_buffer_registration_hook(hook: Callable) -> RemovableHandle:
    """Call `hook(module, name, buffer)` when a buffer joins a module; it may return another."""
    return Everywhere.buffers.add(hook)


def register_module_module_registration_hook(hook: Callable) -> RemovableHandle:
    """Call `hook(module, name, submodule)` when a module joins one; it may return another."""
    return Everywhere.modules.add(hook)


def registered(hooks: HookDict, module: object, name: str, part: object) -> object:
    """The part that joins, after the hooks."""
    for hook in list(hooks.values()):
        new = hook(module, name, part)
        part = part if new is None else new
    return part
