"""checkpoint: keep less in forward, compute it again in backward.

    use_reentrant=False    forward runs as usual, but every saved tensor becomes an empty place;
                           when backward asks for one, forward runs once more and fills all places
    use_reentrant=True     forward runs unrecorded; backward runs it again, recorded, and a second
                           backward pass inside the first

The first is the better way: it knows what was saved, and works with everything autograd does.
"""

import warnings
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from autodidact.arrays import generator
from autodidact.autograd.backward import backward
from autodidact.autograd.function import Function
from autodidact.autograd.grad_mode import enable_grad, mode, no_grad
from autodidact.tensor_base import TensorBase
from autodidact.utils.checkpoint_frame import (
    CheckpointError,
    Frame,
    Log,
    Options,
    SaveInputs,
    hooks_of,
    set_checkpoint_debug_enabled,
    set_checkpoint_early_stop,
)
from autodidact.utils.checkpoint_selective import (
    CheckpointPolicy,
    SelectiveCheckpointContext,
    create_selective_checkpoint_contexts,
)

__all__ = [
    "CheckpointError",
    "CheckpointPolicy",
    "SelectiveCheckpointContext",
    "checkpoint",
    "checkpoint_sequential",
    "create_selective_checkpoint_contexts",
    "noop_context_fn",
    "set_checkpoint_debug_enabled",
    "set_checkpoint_early_stop",
]


def noop_context_fn() -> tuple[AbstractContextManager, AbstractContextManager]:
    """Contexts for forward and for the second forward that do nothing."""
    return nullcontext(), nullcontext()


def checkpoint(
    function: Callable,
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: Callable = noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    **kwargs: Any,
) -> Any:
    """`function(*args, **kwargs)`, without keeping what its nodes would save: it runs again.

    Args:
        function: must do the same when it runs again.
        args, kwargs: its arguments.
        use_reentrant: the old way (True) or the better one (False); pass it explicitly.
        context_fn: gives two contexts, for the two runs; only with use_reentrant=False.
        determinism_check: "default" compares shapes and dtypes of what both runs save, "none"
            nothing.
        debug: messages about runs that differ list the operations of both.
        early_stop: the second run ends once the last tensor that is needed is there.

    Raises:
        CheckpointError: in backward, when the second run differs from the first.
        ValueError: arguments that only the other way knows.

    Example:
        >>> y = torch.utils.checkpoint.checkpoint(layer, x, use_reentrant=False)
    """
    if use_reentrant is None:
        warnings.warn(
            "torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly. "
            "use_reentrant=False is the better one; without it you get use_reentrant=True.",
            UserWarning,
            stacklevel=2,
        )
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if use_reentrant:
        if context_fn is not noop_context_fn or debug:
            raise ValueError(
                "Passing `context_fn` or `debug` is only supported when use_reentrant=False."
            )
        if kwargs:
            raise ValueError(f"Unexpected keyword arguments: {','.join(kwargs)}")
        return Reentrant.apply(function, preserve, *args)
    options = Options(preserve, determinism_check, debug, early_stop)
    return without_reentrance(function, args, kwargs, context_fn, options)


# ---- use_reentrant=False -------------------------------------------------------------------------


def without_reentrance(
    function: Callable, args: tuple, kwargs: dict, context_fn: Callable, options: Options
) -> Any:
    """Forward with empty places for saved tensors."""
    if options.determinism_check not in ("default", "none"):
        raise ValueError(
            f"determinism_check should be one of ['default', 'none'], but got "
            f"{options.determinism_check}"
        )
    first, second = context_fn()
    state = generator.get_rng_state() if options.preserve_rng_state else None

    def again(watched: Callable, *given: Any) -> None:
        with generator.fork_rng(state is not None):
            if state is not None:
                generator.set_rng_state(state)
            with second, watched(state):
                function(*given, **kwargs)

    tensors = tuple(a for a in args if isinstance(a, TensorBase))
    kept = SaveInputs.apply(TensorBase.wrap(np.zeros(0, np.float32)).requires_grad_(), *tensors)
    if kept.grad_fn is None:
        with first:
            return function(*args, **kwargs)
    frame = Frame(again, args, kept, options)
    with hooks_of(frame), frame.watching(Log.FORWARD), first:
        result = function(*args, **kwargs)
    frame.finish()
    return result


# ---- use_reentrant=True --------------------------------------------------------------------------


class Reentrant(Function):
    """Forward unrecorded; backward runs it again, recorded, and a pass of its own."""

    @staticmethod
    def forward(ctx: Any, function: Callable, preserve: bool, *args: Any) -> Any:
        """Run the function; keep its arguments."""
        if not any(isinstance(a, TensorBase) and a.requires_grad for a in args):
            warnings.warn(
                "None of the inputs have requires_grad=True. Gradients will be None",
                UserWarning,
                stacklevel=4,
            )
        ctx.function, ctx.preserve = function, preserve
        ctx.state = generator.get_rng_state() if preserve else None
        ctx.places = [i for i, a in enumerate(args) if isinstance(a, TensorBase)]
        ctx.others = [None if isinstance(a, TensorBase) else a for a in args]
        ctx.save_for_backward(*(args[i] for i in ctx.places))
        with no_grad():
            return function(*args)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> tuple:
        """Run it again and send the gradients through."""
        if mode.task is not None and mode.task.inputs is not None:
            raise RuntimeError(
                "When use_reentrant=True, torch.utils.checkpoint is incompatible with "
                ".grad() or passing an `inputs` parameter to .backward(): it cannot know "
                "which gradients are wanted. Pass use_reentrant=False."
            )
        args = list(ctx.others)
        for i, t in zip(ctx.places, ctx.saved_tensors, strict=True):
            args[i] = t.detach()
            args[i].requires_grad_(t.requires_grad)
        with generator.fork_rng(ctx.preserve):
            if ctx.preserve:
                generator.set_rng_state(ctx.state)
            with enable_grad():
                outputs = ctx.function(*args)
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        pairs = [
            (o, g)
            for o, g in zip(outputs, grads, strict=True)
            if isinstance(o, TensorBase) and o.requires_grad
        ]
        if not pairs:
            raise RuntimeError(
                "none of output has requires_grad=True, this checkpoint() is not necessary"
            )
        backward([o for o, _ in pairs], [g for _, g in pairs])
        return (None, None, *(a.grad if isinstance(a, TensorBase) else None for a in args))


# ---- a chain -------------------------------------------------------------------------------------


def checkpoint_sequential(
    functions: Iterable[Callable],
    segments: int,
    input: Any,
    use_reentrant: bool | None = None,
    **kwargs: Any,
) -> Any:
    """A chain of functions (or a Sequential), checkpointed in `segments` parts; the last is not.

    Args:
        functions: called one after the other.
        segments: how many parts.
        input: goes into the first.
        use_reentrant, kwargs: as for `checkpoint`; only `preserve_rng_state`.

    Example:
        >>> y = torch.utils.checkpoint.checkpoint_sequential(model, 2, x, use_reentrant=False)
    """
    if use_reentrant is None:
        warnings.warn(
            "torch.utils.checkpoint.checkpoint_sequential: the use_reentrant parameter should "
            "be passed explicitly.",
            UserWarning,
            stacklevel=2,
        )
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError(f"Unexpected keyword arguments: {','.join(kwargs)}")
    parts = list(functions.children()) if hasattr(functions, "children") else list(functions)

    def chain(start: int, stop: int) -> Callable:
        def run(x: Any) -> Any:
            for part in parts[start:stop]:
                x = part(x)
            return x

        return run

    size, end = len(parts) // segments, 0
    for start in range(0, size * (segments - 1), size or 1):
        end = start + size
        input = checkpoint(
            chain(start, end), input, use_reentrant=use_reentrant, preserve_rng_state=preserve
        )
    return chain(end, len(parts))(input)
