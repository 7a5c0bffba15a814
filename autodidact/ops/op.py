"""Op: an operation is one row of mathematics.

    mul = Op("mul(self, other)",
        forward = np.multiply,
        vjp     = {"self":  lambda grad, other: grad * conj(other),      # d(xy)/dx = y
                   "other": lambda grad, self:  grad * conj(self)},      # d(xy)/dy = x
        kind    = elementwise)

A signature lists tensors first, plain arguments after `*`; `cat(*tensors, dim)` takes a list.
A formula's first parameter is `grad` (with several outputs `grads`); the others name what it needs:

    an input or an output (`result`)     saved for backward, under just this name: `_saved_self`
    `self_shape`, `self_dtype`           the shape or dtype of an input
    a plain argument                     its value
    `k`                                  the position in a list of tensors

What no formula names is not kept. Formulas are read on arrays, and, under `create_graph`, on
Tensors; so their vocabulary is closed: operators, ufuncs, `np.where`, `np.matmul`, `.sum(axis,
keepdims)`, `.reshape`, `.swapaxes`, other rows called by their name, and the helpers below.
"""

import enum
import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from autodidact.arrays.dtype import of
from autodidact.arrays.promotion import SCALAR_NAMES
from autodidact.arrays.strided import broadcast
from autodidact.ops.plan import FEW, Plan, either, parameters

__all__ = [
    "TABLE",
    "Op",
    "View",
    "conj",
    "elementwise",
    "expand",
    "linear",
    "multilinear",
    "parameters",
    "reduction",
    "rowwise",
    "spread",
    "sum_to",
    "view",
]


class Kind(enum.Flag):
    """What kind of mathematics a row is: forward mode and vmap follow from the word."""

    ELEMENTWISE = enum.auto()     # each output entry depends on the entries at its own place
    LINEAR = enum.auto()          # linear in all inputs together: jvp = the row on the tangents
    MULTILINEAR = enum.auto()     # linear in each input: jvp = a sum over the inputs
    REDUCTION = enum.auto()       # consumes the dimensions in `dim`
    ROWWISE = enum.auto()         # acts along `dim` and keeps it
    VIEW = enum.auto()            # shares memory with its input


elementwise, linear, multilinear = Kind.ELEMENTWISE, Kind.LINEAR, Kind.MULTILINEAR
reduction, rowwise, view = Kind.REDUCTION, Kind.ROWWISE, Kind.VIEW

TABLE: dict[str, "Op"] = {}            # every row, by name
NUMPY: dict[Any, "Op"] = {}            # NumPy's function -> row: Tensors answer its protocols


class Op:
    """One row.

    Args:
        signature: "name(tensors, *, plain arguments)".
        forward: arrays (then plain arguments) -> array, or a tuple where `outputs` has several.
        vjp: a formula for each differentiable input.
        kind: the words for forward mode and vmap.
        outputs: names of the outputs; "result" when there is one.
        node: PyTorch's name of the node, where it is not `NameBackward0`.
        promote: "common" (tensors meet in one dtype), "float" (the same, integers become floats),
            None (dtypes must agree already).
        ufunc: the NumPy function that reads as this row in formulas, where `forward` is not it.
        jvp, batch: written only where no word applies.
        formula: LaTeX for the stepper, where the lambda does not already read as mathematics.
        scalar: the same forward on NumPy scalars, where Python has a faster operator for it.
        only: the kinds of dtype (letters of "biufc") that the row takes; "" for all.
        refusal: what PyTorch says to others, `{}` for the dtype; a NotImplementedError unless it
            begins with another class and a colon.
        index: inputs that are no values (masks, indices): never promoted, never differentiated.
        kernels: quick functions (`ops/kernels.py`) that stand in for "forward" and for formulas,
            on arrays of many numbers: same parameters, same numbers.
        least: how many numbers, where the usual bound is not the right one.
        at_once: all formulas as one function, where they share work: a tuple of all gradients; None
            where it does not apply, and the formulas are to be read.
    """

    def __init__(self, signature: str, *, forward: Callable | None = None,
                 vjp: dict[str, Callable] | None = None, kind: Kind | None = None,
                 outputs: tuple = ("result",), node: str | None = None,
                 promote: str | None = None, ufunc: Any = None, jvp: Callable | None = None,
                 batch: Callable | None = None, formula: dict | None = None,
                 scalar: Callable | None = None, index: tuple = (), only: str = "",
                 refusal: str = "", kernels: dict | None = None, least: int | None = None,
                 at_once: Callable | None = None) -> None:
        self.name, self.inputs, self.args, self.defaults, self.variadic = parse(signature)
        self.signature, self.forward, self.vjp = signature, forward, vjp or {}
        self.kind, self.outputs, self.promote = kind, outputs, promote
        self.jvp, self.batch, self.formula, self.scalar = jvp, batch, formula, scalar
        self.index, self.only, self.kernels, self.at_once = index, only, kernels or {}, at_once
        self.elementwise = kind is not None and bool(kind._value_ & elementwise._value_)
        self.least = least or (FEW if self.elementwise else 2)
        if "forward" in self.kernels:
            self.forward = either(self.kernels["forward"], forward, self.least)
        self.refusal = refusal or f"\"{self.name}_cpu\" not implemented for '{{}}'"
        self.node_name = node or f"{camel(self.name)}Backward0"
        self.call: Callable | None = None            # the bound callable: set by dispatch.bind
        self.make_node_class: Callable | None = None # how, once it is needed: set by dispatch.bind
        self.numbered: Callable | None = None        # gives the class of "tensor op number" nodes
        self._node_class: type | None = None
        self._plans: dict[Any, Plan] = {}
        # Which inputs have an edge in the graph (a mask or an index has none); None: all, a list.
        self.slots = None if self.variadic else tuple(n in self.vjp for n in self.inputs)
        if promote is None and self.elementwise:
            self.promote = "common"
        if self.name in TABLE:
            raise ValueError(f"two rows are named {self.name}")
        TABLE[self.name] = self
        for function in (ufunc, forward):
            if isinstance(function, np.ufunc) or function is ufunc is not None:
                NUMPY.setdefault(function, self)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """A row called in a formula of another row: on arrays the forward, else the Tensor op."""
        for t in args[0] if self.variadic else args[:len(self.inputs)]:
            if hasattr(t, "_array"):
                return self.call(*args, **kwargs)
        if self.variadic:
            return self.forward(*args[0], *args[1:], **kwargs)
        return self.forward(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<row {self.signature}>"

    @property
    def node_class(self) -> type:
        """The class of this row's nodes, made when the first is recorded."""
        if self._node_class is None:
            self._node_class = self.make_node_class()
        return self._node_class

    @node_class.setter
    def node_class(self, made: type) -> None:
        self._node_class = made

    def check(self, dtypes: list) -> None:
        """Refuse tensors of a kind that the row does not take; the highest kind counts."""
        top = max(dtypes, key=lambda d: "biufc".index(d.kind))
        if top.kind not in self.only:
            name, _, text = self.refusal.rpartition("Error: ")
            kind = {"Runtime": RuntimeError, "Type": TypeError}.get(name, NotImplementedError)
            raise kind(text.format(SCALAR_NAMES[of(top).name]))

    def differentiable(self, i: int) -> bool:
        """Whether input `i` has an edge in the graph: a mask or an index has none."""
        return self.variadic or self.inputs[i] in self.vjp

    def plan(self, mask: int, count: int) -> "Plan":
        """What a node keeps and computes when the inputs whose bits are set want a gradient."""
        key = (mask, count) if self.variadic else mask
        found = self._plans.get(key)
        if found is None:
            found = self._plans[key] = Plan(self, mask, count)
        return found


class View(Op):
    """A row whose result shares memory with its input.

    Args:
        signature, kind, node: as in `Op`.
        view: array and plain arguments -> a view of it; never copies.
        inverse: (grad, shape, *args) -> the gradient of the input, where the view is one to one.
        adjoint: the same, where an element is seen more than once, so that it must sum.
            With neither, the adjoint writes the gradient into zeros of the input's shape.
        parts, each: for several views at once: the arrays, and the row and arguments of output i.
        other_dtype: whether the numbers are read as another dtype.
    """

    def __init__(self, signature: str, *, view: Callable | None = None,
                 inverse: Callable | None = None, adjoint: Callable | None = None,
                 parts: Callable | None = None, each: tuple | None = None,
                 other_dtype: bool = False, **words: Any) -> None:
        super().__init__(signature, forward=view, kind=linear | Kind.VIEW, **words)
        self.other_dtype = other_dtype
        self.inverse, self.adjoint, self.parts, self.each = inverse, adjoint, parts, each


_LITERALS = {"None": None, "True": True, "False": False, "()": ()}


def parse(signature: str) -> tuple:
    """`name(self, other, *, dim=None)` -> name, tensors, plain arguments, defaults, variadic."""
    name, _, rest = signature.rstrip(")").partition("(")
    if "=" not in rest and "*" not in rest:                  # most rows have tensors only
        return name, tuple(rest.split(", ")) if rest else (), (), {}, False
    tensors, args, defaults, plain, variadic = [], [], {}, False, False
    for part in filter(None, (p.strip() for p in rest.split(","))):
        if part.startswith("*"):
            plain, variadic = True, len(part) > 1
            tensors += [part[1:]] if variadic else []
            continue
        parameter, _, default = (s.strip() for s in part.partition("="))
        (args if plain else tensors).append(parameter)
        if default:
            defaults[parameter] = _LITERALS[default] if default in _LITERALS else (
                float(default) if "." in default or "e" in default else
                int(default) if default.lstrip("-").isdigit() else default.strip("'\""))
    return name, tuple(tensors), tuple(args), defaults, variadic


def camel(name: str) -> str:
    """`log_softmax` -> `LogSoftmax`, as PyTorch names nodes."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


# ---- the helpers that formulas may use --------------------------------------------------------


def conj(x: Any) -> Any:
    """The complex conjugate; a real array itself, without a copy."""
    if type(x) is np.float64 or type(x) is np.float32:
        return x
    return x.conj()


def is_array(x: Any) -> bool:
    """An array or NumPy scalar, and not a Tensor: which of its two readings a formula is in."""
    return not hasattr(x, "_array")


SHORT = {(n,): np.ones(n, np.float64) for n in range(1, 65)}
FLOAT64 = np.dtype(np.float64)
empty, generic, ndarray = np.empty, np.generic, np.ndarray
ones = lru_cache(64)(np.ones)            # shared: never written to


def sum_all(x: Any) -> Any:
    """The sum of all entries; of a short vector its product with ones: that is quicker."""
    if type(x) is not ndarray:
        return x.sum()
    short = SHORT.get(x.shape)
    if short is not None and x.dtype is FLOAT64:
        return x.dot(short)
    return np.add.reduce(x, axis=None)


def expand(grad: Any, shape: tuple) -> Any:
    """Broadcast to `shape` without a copy (a short vector is written: that is quicker)."""
    if isinstance(grad, generic) and shape in SHORT:
        made = empty(shape, grad.dtype)
        made.fill(grad)
        return made
    if type(grad) is np.ndarray or isinstance(grad, np.generic):
        return broadcast(np.asarray(grad), shape)
    if hasattr(grad, "_array"):
        return TABLE["expand"].call(grad, shape)
    return np.broadcast_to(grad, shape)                   # an array of another class


def sum_to(grad: Any, shape: tuple) -> Any:
    """The transpose of broadcasting `shape` to the gradient's shape: sum what was repeated."""
    if not shape:
        return sum_all(grad) if grad.shape else grad
    have = tuple(grad.shape)
    if have == shape:
        return grad
    lead = len(have) - len(shape)
    if type(grad) is np.ndarray and have[lead:] == shape:
        if len(shape) == 1 and grad.dtype.char in "fd" and (lead == 1 or grad.flags.c_contiguous):
            rows = grad if lead == 1 else grad.reshape(math.prod(have[:-1]), shape[0])
            return ones(len(rows), grad.dtype).dot(rows)          # as in `sum_all`
        return np.add.reduce(grad, tuple(range(lead)))
    axes = tuple(range(lead)) + tuple(
        i + lead for i, n in enumerate(shape) if n == 1 and have[i + lead] != 1)
    if is_array(grad):
        return (grad.sum(axis=axes, keepdims=True) if axes else grad).reshape(shape)
    if axes:
        grad = TABLE["sum_dim"].call(grad, axes, True)
    if not lead:
        return grad
    array = grad._array
    plain = type(array) is np.ndarray and array.flags.c_contiguous
    return TABLE["view"].call(grad, shape) if plain else grad.reshape(shape)


def spread(grad: Any, shape: tuple, dim: Any, keepdim: bool) -> Any:
    """The transpose of summing over `dim` (None: all): repeat the gradient along it."""
    if dim is not None and dim != () and not keepdim:
        given = dim if isinstance(dim, tuple) else (dim,)
        dims = {d % len(shape) for d in given} if shape else ()
        grad = grad.reshape(tuple(1 if i in dims else n for i, n in enumerate(shape)))
    return expand(grad, shape)
