"""Plan: what a node keeps and computes, for one set of inputs that want a gradient.

A row's formulas say by the names of their parameters what they need. All looking up of names is
done here, once; what a node runs is one function of the gradient and of a tuple of values.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["FEW", "Plan", "either", "parameters"]


class Plan:
    """For one set of wanted edges: what to save, and the formulas with their values picked out.

    Args:
        op: the row.
        mask: bit i says that input i wants a gradient.
        count: how many inputs there are.

    Attributes:
        op: the row.
        inputs, results: positions of the inputs and outputs to save, in the order of `names`.
        shapes, dtypes: positions of inputs whose shape or dtype a formula names.
        names: the names of the values in the order in which `unpack` gives them.
        formulas: one for each edge, None where not wanted.
        run: all of them as `(grad, values) -> gradients`.
    """

    def __init__(self, op: Any, mask: int, count: int) -> None:
        self.op = op
        name_of = (lambda i: op.inputs[0]) if op.variadic else (lambda i: op.inputs[i])
        slots = [i for i in range(count) if op.differentiable(i)]
        formulas = self.formulas = tuple(
            op.vjp.get(name_of(i)) if mask >> i & 1 else None for i in slots)
        needed = {n for f in formulas if f for n in parameters(f)}
        known = [*op.inputs, *op.outputs]
        self.inputs = tuple(i for i, n in enumerate(op.inputs) if n in needed)
        self.results = tuple(i for i, n in enumerate(op.outputs) if n in needed)
        self.shapes = tuple(i for i, n in enumerate(op.inputs) if f"{n}_shape" in needed)
        self.dtypes = tuple(i for i, n in enumerate(op.inputs) if f"{n}_dtype" in needed)
        self.saved_names = tuple([op.inputs[i] for i in self.inputs]
                                 + [op.outputs[i] for i in self.results])
        self.names = (self.saved_names + tuple(f"{op.inputs[i]}_shape" for i in self.shapes)
                      + tuple(f"{op.inputs[i]}_dtype" for i in self.dtypes) + op.args)
        unknown = needed - set(known) - set(self.names) - {"k"}
        if unknown:
            raise ValueError(f"a formula of {op.signature} names {sorted(unknown)}")
        self.plain = not (self.shapes or self.dtypes or op.args)
        self.run = runner(op, slots, formulas, self.names)
        if op.at_once and set(self.names).issuperset(parameters(op.at_once)):
            self.run = together(op.at_once, formulas, self.run, self.names)
        self.repairs = True          # the engine checks shape and dtype of what comes out

    def without_repair(self) -> "Plan":
        """A twin for inputs of one shape and dtype.

        An elementwise row's gradients then fit as they are, and the engine need not look.
        """
        twin = object.__new__(Plan)
        twin.__dict__.update(self.__dict__)
        twin.repairs, twin.original = False, self
        return twin


def parameters(formula: Callable) -> tuple:
    """The names that a formula asks for, without its `grad`."""
    code = formula.__code__
    return code.co_varnames[1:code.co_argcount]


FEW = 1 << 13        # numbers: for fewer, an elementwise kernel costs more than it saves


def either(kernel: Callable, formula: Callable, least: int) -> Callable:
    """The kernel for arrays of at least so many float32 or float64; the formula for all else."""
    def call(first: Any, *rest: Any) -> Any:
        if type(first) is np.ndarray and first.size >= least and first.dtype.char in "fd":
            return kernel(first, *rest)
        return formula(first, *rest)
    return call


def either_of_one(kernel: Callable, formula: Callable, least: int) -> Callable:
    """The same for a formula of the gradient and one value."""
    ndarray = np.ndarray

    def call(grad: Any, value: Any) -> Any:
        if type(grad) is ndarray and grad.size >= least and grad.dtype.char in "fd":
            return kernel(grad, value)
        return formula(grad, value)
    return call


def numbered(formula: Callable, k: int) -> tuple:
    """A formula and the names it asks for; where one is `k`, its position, that is filled in."""
    wants = parameters(formula)
    if "k" not in wants:
        return formula, wants
    at = wants.index("k")
    return (lambda grad, *values: formula(grad, *values[:at], k, *values[at:])), (
        *wants[:at], *wants[at + 1:])


def runner(op: Any, slots: list, formulas: tuple, names: tuple) -> Callable:
    """All formulas of a plan as one `(grad, values) -> gradients`; usual cases without a loop."""
    calls, picks = [], []
    for i, formula in zip(slots, formulas, strict=True):
        call, wants = numbered(formula, i) if formula else (None, ())
        kernel = op.kernels.get(op.inputs[0 if op.variadic else i]) if formula else None
        choose = either_of_one if len(wants) == 1 else either
        calls.append(choose(kernel, call, op.least) if kernel else call)
        picks.append([names.index(n) for n in wants])
    if slots == [0] and calls[0]:
        kernel = op.kernels.get(op.inputs[0])
        if kernel and len(picks[0]) == 1:
            return one_with_kernel(kernel, formulas[0], op.least, picks[0][0])
        return one(calls[0], picks[0])
    if len(calls) == 2 and any(calls) and max(map(len, picks)) < 2:
        found = two(*calls, *picks)
        if found:
            return found
    readers = [call and reader(call, p) for call, p in zip(calls, picks, strict=True)]
    return lambda grad, values: [read and read(grad, values) for read in readers]


def together(at_once: Callable, formulas: tuple, run: Callable, names: tuple) -> Callable:
    """All gradients from one function, where it applies; else from their formulas."""
    picks = [names.index(n) for n in parameters(at_once)]

    def call(grad: Any, values: tuple) -> Any:
        found = at_once(grad, *[values[i] for i in picks])
        if found is None:
            return run(grad, values)
        return found if all(formulas) else [f and g for f, g in zip(formulas, found, strict=True)]
    return call


def one(call: Callable, picks: list) -> Callable:
    """The runner of an only formula."""
    if not picks:
        return lambda grad, values: (call(grad),)
    if len(picks) == 1:
        i = picks[0]
        return lambda grad, values: (call(grad, values[i]),)
    read = reader(call, picks)
    return lambda grad, values: (read(grad, values),)


def one_with_kernel(kernel: Callable, formula: Callable, least: int, i: int) -> Callable:
    """The same for a formula of one value, with its kernel: `either` in line."""
    ndarray = np.ndarray
    return lambda grad, values: ((
        kernel if type(grad) is ndarray and grad.size >= least and grad.dtype.char in "fd"
        else formula)(grad, values[i]),)


def two(f: Callable | None, g: Callable | None, for_f: list, for_g: list) -> Callable | None:
    """The runner of two formulas of at most one value each; None for mixed ones."""
    if len(for_f) + len(for_g) == (f is not None) + (g is not None):
        i, j = (for_f or [0])[0], (for_g or [0])[0]
        if f and g:
            return lambda grad, values: (f(grad, values[i]), g(grad, values[j]))
        return (lambda grad, values: (f(grad, values[i]), None)) if f else (
            lambda grad, values: (None, g(grad, values[j])))
    if for_f or for_g:
        return None
    if f and g:
        if handed_on(f) and handed_on(g):
            return lambda grad, values: (grad, grad)
        return lambda grad, values: (f(grad), g(grad))
    return (lambda grad, values: (f(grad), None)) if f else (lambda grad, values: (None, g(grad)))


def handed_on(formula: Callable) -> bool:
    """Whether a formula is `lambda grad: grad`, which need not be called."""
    return formula.__code__.co_code == HANDED_ON.__code__.co_code


HANDED_ON: Callable = lambda grad: grad


def reader(formula: Callable, picks: list) -> Callable:
    """The formula as `(grad, values) -> gradient`, its values picked by position."""
    if not picks:
        return lambda grad, values: formula(grad)
    if len(picks) == 1:
        i = picks[0]
        return lambda grad, values: formula(grad, values[i])
    if len(picks) == 2:
        i, j = picks
        return lambda grad, values: formula(grad, values[i], values[j])
    return lambda grad, values: formula(grad, *[values[i] for i in picks])
