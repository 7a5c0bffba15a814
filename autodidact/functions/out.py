"""`out=`: a result written into a tensor that is already there.

Nobody records such a write, so it is refused while anything that takes part requires grad.

Example:
    >>> total = torch.zeros(2)
    >>> torch.add(torch.tensor([1., 2.]), 1, out=total) is total
    True
"""

import warnings
from collections.abc import Callable, Iterator
from typing import Any

from autodidact.arrays import promotion
from autodidact.autograd.grad_mode import mode, no_grad
from autodidact.functions.inplace import copy_, resize_
from autodidact.levels.tangents import get_tangent
from autodidact.ops.op import TABLE
from autodidact.tensor import Tensor

__all__ = ["accept_out", "offer_in_place"]

UNARY = ("abs", "acos", "acosh", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctanh",
         "asin", "asinh", "atan", "atanh", "ceil", "clamp", "clamp_max", "clamp_min", "clip",
         "cos", "cosh",
         "detach", "erf", "erfc", "exp", "exp2", "expm1", "fill", "fix", "floor", "frac", "log",
         "log10", "log1p", "log2", "logit", "nan_to_num", "neg", "negative", "reciprocal", "relu",
         "resize_as", "round", "rsqrt", "sigmoid", "sin", "sinh", "sqrt", "square", "tan", "tanh",
         "trunc", "zero")


def offer_in_place(functions: dict[str, Callable], methods: dict[str, Callable]) -> None:
    """`torch.relu_(x)`: the in-place methods that PyTorch offers as functions, too."""
    for name in UNARY:
        if f"{name}_" in methods:
            functions[f"{name}_"] = methods[f"{name}_"]


def accept_out(functions: dict[str, Callable]) -> None:
    """Let every function that promises `out=`, and every row, keep that promise."""
    rows = {id(op.call): op for op in TABLE.values() if op.call is not None and not op.args}
    for name, f in functions.items():
        code = getattr(f, "__code__", None)
        if id(f) in rows or (code and "out" in code.co_varnames[
                code.co_argcount:code.co_argcount + code.co_kwonlyargcount]):
            functions[name] = with_out(f, name)


def with_out(f: Callable, name: str) -> Callable:
    """`f` with a keyword `out`."""
    def call(*args: Any, out: Any = None, **named: Any) -> Any:
        if out is None:
            return f(*args, **named)
        return into(f, name, args, named, out)
    call.__wrapped__, call.__module__, call.__doc__ = f, f.__module__, f.__doc__
    call.__name__, call.__qualname__ = f.__name__, f.__qualname__
    return call


def into(f: Callable, name: str, args: tuple, named: dict, out: Any) -> Any:
    """Compute, then write into `out` (a tensor, or a tuple for several results)."""
    outs = out if isinstance(out, (tuple, list)) else (out,)
    if mode.grad and any(t.requires_grad for t in tensors_in((args, tuple(named.values()), outs))):
        raise RuntimeError(f"{name}(): functions with out=... arguments don't support automatic "
                           "differentiation, but one of the arguments requires grad.")
    if mode.duals or mode.stack:
        refuse_tangents(name, (args, tuple(named.values()), outs))
    with no_grad():
        result = f(*args, **named)
        for target, value in zip(outs, result if isinstance(result, tuple) else (result,),
                                 strict=True):
            put(target, value)
    return type(result)(*outs) if hasattr(result, "_fields") else out


def refuse_tangents(name: str, values: Any) -> None:
    """A write that nobody records has no tangent either."""
    for t in tensors_in(values):
        level = mode.stack[-1] if mode.stack else None
        if get_tangent(t, level) is not None:
            raise NotImplementedError(f"Trying to use forward AD with {name}_out that does not "
                                      "support it because it is an out= function")


def put(target: Tensor, value: Tensor) -> None:
    """One result into one tensor, which takes its shape."""
    promotion.check_castable(value._array.dtype, target._array.dtype)
    if target._array.shape != value._array.shape:
        if target._array.size:
            warnings.warn("An output with one or more elements was resized since it had shape "
                          f"{list(target._array.shape)}, which does not match the required output "
                          f"shape {list(value._array.shape)}.", UserWarning, stacklevel=5)
        resize_(target, value._array.shape)
    copy_(target, value)


def tensors_in(values: Any) -> Iterator:
    """The tensors in nested lists and tuples."""
    for value in values:
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from tensors_in(value)
