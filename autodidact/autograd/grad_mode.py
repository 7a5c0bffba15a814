"""Grad mode: is the graph being recorded?

`mode` holds every switch that changes what an operation does, one set per thread. Its `state` sums
them up in one number, so that an operation reads one attribute and knows its way:

    0  plain, recording        1  plain, not recording        2  something special: the slow door

Example:
    >>> with no_grad():
    ...     is_grad_enabled()
    False
"""

import functools
import threading
import types
import warnings
from collections.abc import Callable
from typing import Any

__all__ = ["enable_grad", "inference_mode", "is_grad_enabled", "is_inference_mode_enabled",
           "mode", "no_grad", "set_grad_enabled"]


class Mode(threading.local):
    """The switches of one thread; change them only through `set`, which keeps `state` right."""

    state = 0            # 0, 1 or 2: see the module's text
    grad = True          # GradMode: record nodes
    inference = False    # inference_mode
    saved_hooks = ()     # stack of (pack, unpack) of saved_tensors_hooks
    anomaly = False      # detect_anomaly: every node keeps where it was made
    check_nan = True     # and every gradient is looked at
    mutations = None     # allow_mutation_on_saved_tensors: called before each write
    tracking = False     # _force_original_view_tracking: views keep their own steps
    watch = None         # trace.recording(): called with (node, inputs, outputs) for every new node
    moved = None         # and with (tensor, tangent) where forward mode at the ground gives one
    known = None         # selective checkpointing: says which results need not be computed again
    stack = ()           # levels of the transforms, outermost first
    full = ()            # the same, also while an operation works below some of them
    duals = 0            # forward-mode levels that are open
    fwd = True           # forward mode: pass tangents on
    muted = ()           # levels whose tangents rest while a tangent is being computed
    multithreading = True
    reading = False      # a formula is being read on Tensors: they answer NumPy's functions
    task = None          # the backward pass that is running, the innermost one
    node = None          # its node, while the user's own code runs

    def set(self, **switches: Any) -> None:
        """Change switches, then sum them up."""
        for name, value in switches.items():
            setattr(self, name, value)
        self.sum_up()

    def enter(self, grad: bool, reading: bool, task: Any, saved_hooks: tuple | None = None) -> None:
        """`set` for the switches of a backward pass, which begins and ends often."""
        here = self.__dict__                     # this thread's own: quicker than attribute after
        here["grad"], here["reading"], here["task"] = grad, reading, task
        if saved_hooks is not None:
            here["saved_hooks"] = saved_hooks
        if saved_hooks or here.get("state") == 2:
            self.sum_up()
        else:
            here["state"] = 0 if grad else 1     # nothing special before, nor now

    def sum_up(self) -> None:
        """Compute `state` from the switches."""
        special = (self.inference or self.saved_hooks or self.anomaly or self.tracking
                   or self.watch is not None or self.stack or self.duals
                   or self.mutations is not None or self.known is not None)
        self.state = 2 if special else 0 if self.grad else 1


mode = Mode()


def is_grad_enabled() -> bool:
    """Whether operations are being recorded in this thread."""
    return mode.grad


def is_inference_mode_enabled() -> bool:
    """Whether inference mode is on in this thread."""
    return mode.inference


class ModeGuard:
    """A switch of `mode` as context manager and as decorator, also of generator functions."""

    def __enter__(self) -> None:
        self._before = self._now()
        self._switch()

    def __exit__(self, *error: object) -> None:
        mode.set(**self._before)

    def _now(self) -> dict:
        return {"grad": mode.grad}

    def _switch(self) -> None:
        raise NotImplementedError

    def clone(self) -> "ModeGuard":
        """A fresh guard of the same kind; a decorated function takes one for each call."""
        return type(self)()

    def __call__(self, function: Callable) -> Callable:
        if isinstance(function, type):
            warnings.warn("Decorating classes is deprecated and will be disabled in future "
                          "versions. Decorate __init__ or the methods you mean instead.",
                          FutureWarning, stacklevel=2)
            function.__init__ = self(function.__init__)
            return function
        if _is_generator(function):
            return self._around_generator(function)

        @functools.wraps(function)
        def guarded(*args: Any, **kwargs: Any) -> Any:
            with self.clone():
                return function(*args, **kwargs)
        return guarded

    def _around_generator(self, function: Callable) -> Callable:
        """Switch on each resume, switch back at each yield: the caller keeps its own mode."""
        @functools.wraps(function)
        def guarded(*args: Any, **kwargs: Any) -> Any:
            generator = function(*args, **kwargs)
            resume: Callable = functools.partial(next, generator)
            while True:
                try:
                    with self.clone():
                        value = resume()
                except StopIteration as stop:
                    return stop.value
                try:
                    request = yield value
                except GeneratorExit:
                    with self.clone():
                        generator.close()
                    raise
                except BaseException as error:
                    resume = functools.partial(generator.throw, error)
                else:
                    resume = functools.partial(generator.send, request)
        return guarded


def _is_generator(function: Callable) -> bool:
    code = getattr(function, "__code__", None)
    return isinstance(code, types.CodeType) and bool(code.co_flags & 0x20)  # CO_GENERATOR


class _NoArguments(ModeGuard):
    """A guard that may also be used without parentheses: `@no_grad`."""

    def __new__(cls, function: Callable | None = None) -> Any:
        guard = super().__new__(cls)
        return guard if function is None else guard(function)


class no_grad(_NoArguments):
    """Operations inside are not recorded; their results do not require grad.

    Example:
        >>> x = torch.ones(2, requires_grad=True)
        >>> with torch.no_grad():
        ...     (x * 2).requires_grad
        False
    """

    def _switch(self) -> None:
        mode.set(grad=False)


class enable_grad(_NoArguments):
    """Operations inside are recorded, also inside `no_grad`."""

    def _switch(self) -> None:
        mode.set(grad=True)


class Setting(ModeGuard):
    """A switch that is set from its making on: a plain call, a context manager or a decorator.

    Args:
        mode: on or off.
    """

    switch: str          # its name in `mode`

    def __init__(self, mode: bool) -> None:
        self._before, self._enabled = self._now(), bool(mode)
        self._switch()

    def __enter__(self) -> None:
        self._switch()

    def __call__(self, function: Callable) -> Callable:
        """As a decorator."""
        mode.set(**self._before)      # as a decorator it takes back what the plain call did
        return super().__call__(function)

    def _now(self) -> dict:
        return {self.switch: getattr(mode, self.switch)}

    def _switch(self) -> None:
        mode.set(**{self.switch: self._enabled})

    def clone(self) -> "Setting":
        """A fresh guard with the same setting."""
        return type(self)(self._enabled)


class set_grad_enabled(Setting):
    """Switch recording on or off: as a plain call, a context manager or a decorator.

    Args:
        mode: record (True) or not (False).
    """

    switch = "grad"


class inference_mode(ModeGuard):
    """Like `no_grad`, and the tensors made inside keep no version counter either.

    They can never take part in recording later; in exchange they cost the least. Forward mode is
    off, too.
    """

    def __new__(cls, mode: Any = True) -> Any:
        """A guard; a function in the argument's place is decorated at once."""
        guard = super().__new__(cls)
        if isinstance(mode, bool):
            return guard
        guard._enabled = True
        return guard(mode)

    def __init__(self, mode: bool = True) -> None:
        self._enabled = mode

    def _now(self) -> dict:
        return {"grad": mode.grad, "inference": mode.inference, "fwd": mode.fwd}

    def _switch(self) -> None:
        mode.set(grad=not self._enabled, inference=self._enabled, fwd=not self._enabled)

    def clone(self) -> "inference_mode":
        """A fresh guard with the same setting."""
        return inference_mode(self._enabled)


class set_multithreading_enabled(Setting):
    """Whether backward may use threads: a setting that is kept and read, for PyTorch's sake.

    This engine runs in the calling thread in any case.
    """

    switch = "multithreading"
    __call__ = ModeGuard.__call__      # as a decorator PyTorch's does not take the plain call back


class _force_original_view_tracking(Setting):
    """Whether a view made now keeps its own way from its base.

    When the base is written to, such a view gets its own node again (`SelectBackward0`), where
    others get `AsStridedBackward0`.

    Example:
        >>> base = torch.ones(2, requires_grad=True).clone()
        >>> with torch.autograd._force_original_view_tracking(True):
        ...     view = base[0]
        >>> _ = base.mul_(2)
        >>> view.grad_fn.name()
        'SelectBackward0'
    """

    switch = "tracking"


def is_multithreading_enabled() -> bool:
    """The setting of `set_multithreading_enabled`."""
    return mode.multithreading


def is_view_replay_enabled() -> bool:
    """The setting of `_force_original_view_tracking`."""
    return mode.tracking
