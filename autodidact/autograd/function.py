"""Function: operations written by users, with their own backward.

    class Square(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad * 2 * x

    y = Square.apply(x)

`ctx` *is* the node of the graph: what forward puts on it, backward finds on it.
"""

import functools
import inspect
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from autodidact.autograd import graph, saved_tensors
from autodidact.autograd.function_record import record
from autodidact.autograd.grad_mode import mode, no_grad
from autodidact.autograd.saved_tensors import FREED
from autodidact.tensor_base import LIFTED, TensorBase

__all__ = ["BackwardCFunction", "Function", "FunctionCtx", "InplaceFunction",
           "once_differentiable"]


class FunctionCtx:
    """What forward may tell about itself."""

    def save_for_backward(self, *tensors: TensorBase | None) -> None:
        """Keep tensors for backward: checked for in-place changes, freed with the graph.

        Call it once, in forward or setup_context; a later call replaces what an earlier one said.

        Args:
            tensors: inputs, outputs or intermediate results; None is allowed.

        Raises:
            TypeError: when `apply` ends, for anything that is no tensor.

        Example:
            >>> class Square(torch.autograd.Function):
            ...     @staticmethod
            ...     def forward(ctx, x):
            ...         ctx.save_for_backward(x)
            ...         return x * x
            >>> Square.apply(x).grad_fn.saved_tensors
            (tensor([1., 2.], requires_grad=True),)
        """
        self.to_save = tensors

    def save_for_forward(self, *tensors: TensorBase | None) -> None:
        """Keep tensors for `jvp`."""
        for t in tensors:
            if t is not None and not isinstance(t, TensorBase):
                raise TypeError("save_for_forward expects all arguments to be tensors; you should "
                                "save non-tensors as attributes on ctx.")
        self.saved_for_forward = tensors

    def mark_dirty(self, *tensors: TensorBase) -> None:
        """Say which inputs forward has changed in place; they must be returned too."""
        self.dirty_tensors = tensors

    def mark_non_differentiable(self, *tensors: TensorBase) -> None:
        """Say which outputs have no gradient."""
        self.non_differentiable = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """False: backward gets None, not zeros, for outputs that were not used."""
        self.materialize_grads = value


class BackwardCFunction(graph.Node, FunctionCtx):
    """The node of a custom Function; each Function has a subclass of its own."""

    _forward_cls: type
    op = None
    dirty_tensors: tuple = ()
    non_differentiable: tuple = ()
    to_save: tuple = ()
    saved_for_forward: tuple = ()
    for_jvp: tuple | None = None
    materialize_grads = True
    _materialize_non_diff_grads = True
    outputs: tuple | None = None

    def start(self, args: tuple) -> None:
        """Fields of a node that has not run forward yet."""
        self.tensor_args = tuple(isinstance(a, TensorBase) for a in args)
        self.needs_input_grad = tuple(
            isinstance(a, TensorBase) and graph.requires_grad(a) for a in args)
        self.saved = self.versions = self.args = self.next = self.nrs = ()
        self.plan, self._hooks, self.sequence_nr = None, None, next(graph.sequence)

    def connect(self, args: tuple) -> None:
        """The edges, as they are before forward may write into its inputs."""
        edges = [graph.edge(t) if graph.requires_grad(t) else (None, 0)
                 for t in args if isinstance(t, TensorBase)]
        self.next, self.nrs = tuple(n for n, _ in edges), tuple(k for _, k in edges)

    @property
    def saved_tensors(self) -> tuple:
        """What `save_for_backward` kept, checked; () while forward is running.

        While `jvp` runs, what `save_for_forward` kept.
        """
        if self.for_jvp is not None:
            return self.for_jvp
        if self.saved is None:
            raise RuntimeError(FREED)
        return tuple(saved_tensors.unpack(self, item, expected)
                     for item, expected in zip(self.saved, self.versions, strict=True))

    @property
    def saved_variables(self) -> tuple:
        """The old name of `saved_tensors`."""
        warnings.warn("'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning,
                      stacklevel=2)
        return self.saved_tensors

    @property
    def _raw_saved_tensors(self) -> tuple:
        if self.saved is None:
            raise RuntimeError(FREED)
        return tuple(saved_tensors.raw(self, i) for i in range(len(self.saved)))

    def apply(self, grads: list, tensors: bool = False) -> tuple:
        """Run the user's backward on Tensors, and check what it returns."""
        given = tuple(self.materialized(i, g if tensors or g is None else TensorBase.wrap(g))
                      for i, g in enumerate(grads))
        function = self._forward_cls
        backward = function.vjp if function.vjp is not Function.vjp else function.backward
        before = mode.reading, mode.node
        mode.reading, mode.node = False, self     # the user's code sees Tensors, not formulas
        try:
            results = backward(self, *given)
        finally:
            mode.reading, mode.node = before
        checked = self.check(results if isinstance(results, tuple) else (results,))
        return checked if tensors else tuple(r if r is None else r._array for r in checked)

    def materialized(self, i: int, grad: Any) -> Any:
        """Zeros for an output that was not used, unless the user prefers None."""
        if grad is not None or not self.materialize_grads or self.outputs[i] is None:
            return grad
        if not self._materialize_non_diff_grads and i in self.non_diff_outputs:
            return None
        shape, dtype = self.outputs[i]
        return TensorBase.wrap(np.zeros(shape, dtype))

    def check(self, results: tuple) -> tuple:
        """One gradient for each argument, None for those that are no tensors."""
        count = len(self.tensor_args)
        if len(results) > count and all(r is None for r in results[count:]):
            results = results[:count]
        if len(results) != count:
            raise RuntimeError(f"function {self.name()} returned an incorrect number of gradients "
                               f"(expected {count}, got {len(results)})")
        kept = []
        for i, (is_tensor, r) in enumerate(zip(self.tensor_args, results, strict=True)):
            if is_tensor:
                if r is not None and not isinstance(r, TensorBase):
                    raise RuntimeError(f"expected Variable or None (got {type(r).__name__}) as "
                                       f"gradient {i} of {self.name()}")
                kept.append(r)
            elif r is not None:
                raise RuntimeError(f"function {self.name()} returned a gradient different from "
                                   f"None at position {i + 1}, but the corresponding forward "
                                   "input was not a Variable")
        return tuple(kept)


class FunctionMeta(type):
    """Gives each Function its node class: `Square` gets `SquareBackward`."""

    def __init__(cls, name: str, bases: tuple, attributes: dict) -> None:
        super().__init__(name, bases, attributes)
        cls._backward_cls = type(f"{name}Backward", (BackwardCFunction,), {
            "_forward_cls": cls, "__module__": attributes.get("__module__", __name__)})


class Function(metaclass=FunctionMeta):
    """Base class of custom operations: write `forward` and `backward` as static methods."""

    generate_vmap_rule = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warnings.warn(f"{type(self).__name__} should not be instantiated. Methods on autograd "
                      "functions are all static, so you should invoke them on the class itself: "
                      f"{type(self).__name__}.apply(...)", DeprecationWarning, stacklevel=2)

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        """Refused: the old style, with an instance for each call."""
        raise RuntimeError("Legacy autograd function with non-static forward method is deprecated. "
                           "Please use new-style autograd function with static forward method.")

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute the outputs: `forward(ctx, *args)`, or `forward(*args)` with `setup_context`."""
        raise NotImplementedError("You must implement the forward function for custom "
                                  "autograd.Function.")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple, output: Any) -> None:
        """Save what backward needs, where `forward` is written without `ctx`."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """The gradients of the arguments, from those of the outputs."""
        raise NotImplementedError("You must implement either the backward or vjp method for your "
                                  "custom autograd.Function to use it with backward mode AD.")

    @staticmethod
    def vjp(ctx: Any, *grad_outputs: Any) -> Any:
        """Another name for `backward`."""
        raise NotImplementedError("vjp is another name for backward")

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        """The tangents of the outputs, from those of the arguments."""
        raise NotImplementedError("You must implement the jvp function for custom autograd."
                                  "Function to use it with forward mode AD.")

    @staticmethod
    def vmap(info: Any, in_dims: Any, *args: Any) -> Any:
        """The rule for batched arguments."""
        raise NotImplementedError("To use autograd.Function with vmap, you must either override "
                                  "the vmap staticmethod or set generate_vmap_rule=True.")

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run forward and record the node."""
        if cls.backward is not Function.backward and cls.vjp is not Function.vjp:
            raise RuntimeError("Implementing both 'backward' and 'vjp' for a custom Function is "
                               "not allowed. You should only implement one of them.")
        separate = cls.setup_context is not Function.setup_context
        if separate:
            args, kwargs = with_defaults(cls.forward, args, kwargs)
        if mode.stack or mode.duals or any(isinstance(a, TensorBase) and a._flags & LIFTED
                                           for a in args):
            return STEPS["apply"](cls, args, kwargs)
        outputs, ctx = cls.ground(args, kwargs)
        ctx.saved_for_forward = ()
        return outputs

    @classmethod
    def ground(cls, args: tuple, kwargs: dict) -> tuple:
        """The same outside all transforms, or below them: the outputs, and the node."""
        separate = cls.setup_context is not Function.setup_context
        ctx = cls._backward_cls()
        ctx.start(args)
        recorded = mode.grad and any(ctx.needs_input_grad)
        if recorded:
            ctx.connect(args)
        with no_grad():
            if separate:
                output = cls.forward(*args, **kwargs)
                cls.setup_context(ctx, args, output)
            else:
                output = cls.forward(ctx, *args, **kwargs)
        many = isinstance(output, tuple)
        outputs = record(ctx, args, output if many else (output,), recorded,
                         separate)
        if mode.watch is not None:
            tensors = tuple(a for a in args if isinstance(a, TensorBase))
            mode.watch(cls, tensors, (), outputs, ctx if recorded else None)
        return (outputs if many else outputs[0]), ctx


InplaceFunction = Function
STEPS: dict[str, Any] = {}      # "apply": a Function inside transforms; set by levels/functions.py


def with_defaults(forward: Callable, args: tuple, kwargs: dict) -> tuple:
    """(arguments with forward's defaults filled in, those that only come by name)."""
    bound = inspect.signature(forward).bind(*args, **kwargs)
    bound.apply_defaults()
    return bound.args, bound.kwargs


# ---- once_differentiable ------------------------------------------------------------------------


class Error(graph.Node):
    """The node that refuses a second differentiation."""

    __slots__ = ("message", "outputs")

    def name(self) -> str:
        """PyTorch's name, with its C++ namespace."""
        return "torch::autograd::Error"

    def __init__(self, outputs: list, message: str) -> None:
        self.message = message
        self.outputs = tuple((o._array.shape, o._array.dtype) for o in outputs)
        self.next = self.nrs = self.saved = self.versions = self.args = ()
        self.plan, self._hooks, self.sequence_nr = None, None, next(graph.sequence)
        self.shape, self.dtype = self.outputs[0]

    def apply(self, grads: list, tensors: bool = False) -> tuple:
        """Say why there is no second derivative."""
        raise RuntimeError(self.message)


def refusing(tensors: list, message: str) -> None:
    """Give tensors a history that raises `message` when it is gone back along."""
    node = Error(tensors, message)
    for number, t in enumerate(tensors):
        t._grad_fn, t.output_nr, t._requires_grad = node, number, True


def once_differentiable(backward: Callable) -> Callable:
    """Mark a backward that cannot be differentiated itself: doing so raises, not lies.

    Example:
        >>> @staticmethod
        ... @once_differentiable
        ... def backward(ctx, grad):
        ...     return grad * ctx.factor
    """
    @functools.wraps(backward)
    def once(ctx: Any, *grads: Any) -> Any:
        with no_grad():
            results = backward(ctx, *grads)
        if not mode.grad or not any(isinstance(g, TensorBase) and graph.requires_grad(g)
                                    for g in grads):
            return results
        many = isinstance(results, tuple)
        results = results if many else (results,)
        tensors = [r.detach() for r in results if r is not None]
        if tensors:
            refusing(tensors, "trying to differentiate twice a function that was marked with "
                              "@once_differentiable: its backward is not recorded")
        fresh = iter(tensors)
        results = tuple(None if r is None else next(fresh) for r in results)
        return results if many else results[0]
    once.once_differentiable = True                    # type: ignore[attr-defined]
    return once
