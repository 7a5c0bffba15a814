"""Hooks of modules: functions of the user that see a module's inputs, outputs and gradients.

Forward hooks are plain calls around `forward`. For backward hooks the module's inputs and outputs
pass through an identity, `BackwardHookFunction`. The hooks are fastened to its nodes: the gradients
that arrive there are those of the module's outputs (inputs), whatever happens inside.
"""

import warnings
from collections.abc import Callable
from typing import Any

from autodidact.autograd.function import Function
from autodidact.autograd.grad_mode import mode
from autodidact.autograd.hooks import HookDict, RemovableHandle
from autodidact.nn.module_everywhere import Everywhere
from autodidact.tensor import Tensor

__all__ = ["BackwardHook", "Hooked"]


class BackwardHookFunction(Function):
    """The identity, to have a node for the hooks."""

    @staticmethod
    def forward(ctx: Any, *args: Tensor) -> tuple:
        """The tensors themselves."""
        ctx.mark_non_differentiable(*[arg for arg in args if not arg.requires_grad])
        return args

    @staticmethod
    def backward(ctx: Any, *args: Tensor) -> tuple:
        """Their gradients themselves."""
        return args


class BackwardHook:
    """One call of a module with backward hooks: two nodes, and what the first has seen.

    Args:
        module: the module.
        user_hooks: called with (module, grad_input, grad_output) once both are there.
        user_pre_hooks: called with (module, grad_output) before the pass enters the module.
    """

    def __init__(self, module: Any, user_hooks: list, user_pre_hooks: list) -> None:
        self.module, self.user_hooks, self.user_pre_hooks = module, user_hooks, user_pre_hooks
        self.grad_outputs: tuple | None = None
        self.n_inputs = self.n_outputs = 0
        self.input_places: list | None = None
        self.output_places: list | None = None

    def setup_input_hook(self, args: tuple) -> tuple:
        """The arguments, passed through a node that calls the user's hooks."""
        def fasten(node: Any) -> None:
            node.register_hook(self.at_inputs)
        args, self.input_places = through_identity(fasten, args)
        self.n_inputs = len(args)
        return args

    def setup_output_hook(self, result: Any) -> Any:
        """The result, passed through a node that notes its gradients."""
        def fasten(node: Any) -> None:
            node.register_hook(self.at_outputs)
        single = not isinstance(result, tuple)
        results, self.output_places = through_identity(fasten, (result,) if single else result)
        self.n_outputs = len(results)
        return results[0] if single else results

    def at_inputs(self, grad_input: tuple, _: tuple) -> tuple | None:
        """The pass has come through the module: the user's hooks have their turn."""
        if self.grad_outputs is None:          # a second derivative, or an output that was not used
            return None
        grads = spread(self.input_places, grad_input, self.n_inputs)
        for hook in self.user_hooks:
            new = hook(self.module, grads, self.grad_outputs)
            if new is not None:
                grads = self.checked(new, self.n_inputs, "Backward hook", "grad_input")
        self.grad_outputs = None
        return tuple(grads[i] for i in self.input_places)

    def at_outputs(self, _: tuple, grad_output: tuple) -> tuple | None:
        """The pass has reached the module."""
        self.grad_outputs = spread(self.output_places, grad_output, self.n_outputs)
        for hook in self.user_pre_hooks:
            new = hook(self.module, self.grad_outputs)
            if new is not None:
                self.grad_outputs = self.checked(new, self.n_outputs, "Backward pre hook",
                                                 "grad_output")
        grads = self.grad_outputs
        if self.input_places is None:          # no input wants a gradient: nobody else will call
            self.call_without_inputs()
        return tuple(grads[i] for i in self.output_places)

    def call_without_inputs(self) -> None:
        """The user's hooks, told that there are no gradients of inputs."""
        nothing = (None,) * self.n_inputs
        for hook in self.user_hooks:
            new = hook(self.module, nothing, self.grad_outputs)
            if new is not None and not (isinstance(new, tuple) and all(g is None for g in new)):
                raise RuntimeError("Backward hook for Modules where no input requires gradient "
                                   "should always return None or None for all gradients.")
        self.grad_outputs = None

    def checked(self, new: Any, count: int, what: str, name: str) -> tuple:
        """A hook's answer as a tuple of as many gradients as there are."""
        new = new if isinstance(new, tuple) else (new,)
        if len(new) != count:
            raise RuntimeError(f"{what} returned an invalid number of {name}, got {len(new)}, but "
                               f"expected {count}")
        return new


def through_identity(fasten: Callable, args: tuple) -> tuple:
    """The tensors among `args` passed through one node; their places, if one wants grad."""
    places = [i for i, arg in enumerate(args) if isinstance(arg, Tensor)]
    tensors = [args[i] for i in places]
    if not (mode.grad and any(t.requires_grad for t in tensors)):
        return args, None
    passed = BackwardHookFunction.apply(*tensors)
    fasten(next(t.grad_fn for t in passed if t.grad_fn is not None
                and t.grad_fn.name() == "BackwardHookFunctionBackward"))
    new = list(args)
    for i, t in zip(places, passed, strict=True):
        new[i] = t
    kind = type(args)
    return (tuple(new) if kind is tuple else kind(*new)), places


def spread(places: list, grads: tuple, count: int) -> tuple:
    """The gradients at their places among `count`, None elsewhere."""
    found = [None] * count
    for i, grad in zip(places, grads, strict=True):
        found[i] = grad
    return tuple(found)


class Hooked:
    """The part of Module that calls: `module(x)` runs the hooks around `forward`."""

    def register_forward_pre_hook(self, hook: Callable, *, prepend: bool = False,
                                  with_kwargs: bool = False) -> RemovableHandle:
        """Call `hook(module, args)` before each `forward`; it may return other arguments.

        With `with_kwargs` the hook is called with (module, args, kwargs) and may return both.
        """
        handle = self._forward_pre_hooks.add(hook)
        if with_kwargs:
            self._forward_pre_hooks_with_kwargs[handle.id] = True
        return first(self._forward_pre_hooks, handle, prepend)

    def register_forward_hook(self, hook: Callable, *, prepend: bool = False,
                              with_kwargs: bool = False,
                              always_call: bool = False) -> RemovableHandle:
        """Call `hook(module, args, output)` after each `forward`; it may return another output.

        With `always_call` also when `forward` has raised.
        """
        handle = self._forward_hooks.add(hook)
        if with_kwargs:
            self._forward_hooks_with_kwargs[handle.id] = True
        if always_call:
            self._forward_hooks_always_called[handle.id] = True
        return first(self._forward_hooks, handle, prepend)

    def register_full_backward_pre_hook(self, hook: Callable,
                                        prepend: bool = False) -> RemovableHandle:
        """Call `hook(module, grad_output)` when a backward pass reaches the module's outputs."""
        return first(self._backward_pre_hooks, self._backward_pre_hooks.add(hook), prepend)

    def register_full_backward_hook(self, hook: Callable, prepend: bool = False) -> RemovableHandle:
        """Call `hook(module, grad_input, grad_output)` when the inputs' gradients are there.

        It may return other gradients for the inputs.

        Example:
            >>> layer.register_full_backward_hook(lambda m, gi, go: print(go[0].norm()))
        """
        if self._is_full_backward_hook is False:
            raise RuntimeError("Cannot use both regular backward hooks and full backward hooks on "
                               "a single Module. Please use only one of them.")
        self._is_full_backward_hook = True
        return first(self._backward_hooks, self._backward_hooks.add(hook), prepend)

    def register_backward_hook(self, hook: Callable) -> RemovableHandle:
        """The old form of `register_full_backward_hook`: it sees the last node only."""
        if self._is_full_backward_hook is True:
            raise RuntimeError("Cannot use both regular backward hooks and full backward hooks on "
                               "a single Module. Please use only one of them.")
        self._is_full_backward_hook = False
        return self._backward_hooks.add(hook)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run `forward`, with the hooks around it."""
        if not (self._forward_hooks or self._forward_pre_hooks or self._backward_hooks
                or self._backward_pre_hooks or Everywhere.any_call()):
            return self.forward(*args, **kwargs)
        called: set = set()
        try:
            return self._call_with_hooks(args, kwargs, called)
        except Exception:
            self._call_after_error(args, kwargs, called)
            raise

    def _call_with_hooks(self, args: tuple, kwargs: dict, called: set) -> Any:
        args, kwargs = self._prepared(args, kwargs)
        full = self._backward_hooks_that_are(full=True)
        pre = [*Everywhere.backward_pre.values(), *self._backward_pre_hooks.values()]
        watched = BackwardHook(self, full, pre) if full or pre else None
        if watched:
            args = watched.setup_input_hook(args)
        result = self.forward(*args, **kwargs)
        for key, hook in [*Everywhere.forward.items(), *self._forward_hooks.items()]:
            called.add(key)
            words = (kwargs,) if self._wants_kwargs(key) else ()
            new = hook(self, args, *words, result)
            result = result if new is None else new
        if watched:
            if not isinstance(result, Tensor | tuple):
                warnings.warn("For backward hooks to be called, module output should be a Tensor "
                              f"or a tuple of Tensors but received {type(result)}", stacklevel=3)
            result = watched.setup_output_hook(result)
        old = self._backward_hooks_that_are(full=False)
        if old:
            self._hook_last_node(result, old)
        return result

    def _backward_hooks_that_are(self, full: bool) -> list:
        """Full ones or old ones: those of all modules, then its own."""
        found = list(Everywhere.backward.values()) if Everywhere.is_full is full else []
        return [*found, *self._backward_hooks.values()] if self._is_full_backward_hook is full \
            else found

    def _wants_kwargs(self, key: int) -> bool:
        return key in self._forward_hooks_with_kwargs or key in Everywhere.with_kwargs

    def _prepared(self, args: tuple, kwargs: dict) -> tuple:
        for key, hook in [*Everywhere.forward_pre.items(), *self._forward_pre_hooks.items()]:
            if key in self._forward_pre_hooks_with_kwargs:
                new = hook(self, args, kwargs)
                if new is not None:
                    if not (isinstance(new, tuple) and len(new) == 2):
                        raise RuntimeError("forward pre-hook must return None or a tuple of "
                                           f"(new_args, new_kwargs), but got {new}.")
                    args, kwargs = new
                continue
            new = hook(self, args)
            if new is not None:
                args = new if isinstance(new, tuple) else (new,)
        return args, kwargs

    def _hook_last_node(self, result: Any, hooks: list) -> None:
        while not isinstance(result, Tensor):
            result = (next(v for v in result.values() if isinstance(v, Tensor))
                      if isinstance(result, dict) else result[0])
        if result.grad_fn is not None:
            for hook in hooks:
                result.grad_fn.register_hook(
                    lambda grad_input, grad_output, hook=hook: hook(self, grad_input, grad_output))

    def _call_after_error(self, args: tuple, kwargs: dict, called: set) -> None:
        always = self._forward_hooks_always_called.keys() | Everywhere.always_called
        for key, hook in [*Everywhere.forward.items(), *self._forward_hooks.items()]:
            if key not in always or key in called:
                continue
            words = (kwargs,) if self._wants_kwargs(key) else ()
            try:
                hook(self, args, *words, None)
            except Exception as error:
                warnings.warn("module forward hook with ``always_call=True`` raised an exception "
                              f"that was silenced as another error was raised in forward: {error}",
                              stacklevel=3)


def first(hooks: HookDict, handle: RemovableHandle, prepend: bool) -> RemovableHandle:
    """The handle; with `prepend`, the hook moved before all others."""
    if prepend:
        others = [(key, hook) for key, hook in hooks.items() if key != handle.id]
        own = hooks[handle.id]
        hooks.clear()
        hooks[handle.id] = own
        hooks.update(others)
    return handle
