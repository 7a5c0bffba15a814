"""Arithmetic as Python writes it: operators, their reflected and in-place forms, `alpha=`."""

from typing import Any

from autodidact.inplace import inplace, write, write_scaled
from autodidact.ops import elementwise as rows
from autodidact.public import both, function, method, named
from autodidact.tensor import Tensor

__all__ = ["add", "sub"]


for symbol, row in (("add", rows.add), ("sub", rows.sub), ("mul", rows.mul),
                    ("truediv", rows.div)):
    method(row.call, f"__{symbol}__")       # the row's own callable: `x * y` takes no detour
    method(inplace(row), f"__i{symbol}__")

method(rows.add.call, "__radd__")
method(rows.mul.call, "__rmul__")
method(rows.rsub.call, "__rsub__")
method(rows.neg.call, "__neg__")
method(rows.abs.call, "__abs__")
method(lambda self: self, "__pos__")


@both
def add(input: Any, other: Any, *, alpha: Any = 1, out: Any = None) -> Tensor:
    """`input + alpha * other`, broadcast.

    Example:
        >>> torch.add(torch.tensor([1., 2.]), 10)
        tensor([11., 12.])
    """
    if alpha == 1:
        return rows.add.call(input, other)
    return scaled(rows.add_scaled, input, other, alpha)


@named("sub", "subtract")
def sub(input: Any, other: Any, *, alpha: Any = 1, out: Any = None) -> Tensor:
    """`input - alpha * other`, broadcast."""
    if alpha == 1:
        return rows.sub.call(input, other)
    return scaled(rows.sub_scaled, input, other, alpha)


@function
def rsub(input: Any, other: Any, *, alpha: Any = 1) -> Tensor:
    """`other - alpha * input`."""
    if isinstance(other, Tensor):
        return rows.rsub_scaled.call(input, other, alpha)
    return rows.rsub.call(input, other) if alpha == 1 else other - input * alpha


def scaled(row: Any, input: Any, other: Any, alpha: Any) -> Tensor:
    """The rows with alpha want a tensor for `other`."""
    return row.call(input, other if isinstance(other, Tensor) else input.new_tensor(other), alpha)


add_in_place, sub_in_place = inplace(rows.add), inplace(rows.sub)


@method
def add_(self: Tensor, other: Any, *, alpha: Any = 1) -> Tensor:
    """Add `alpha * other` in place."""
    if alpha == 1:
        return add_in_place(self, other)
    if write_scaled(rows.add, self, other, alpha):
        return self
    other = other if isinstance(other, Tensor) else self.new_tensor(other)
    return write(rows.add_scaled, self, (other,), (alpha,))


@method
def sub_(self: Tensor, other: Any, *, alpha: Any = 1) -> Tensor:
    """Subtract `alpha * other` in place."""
    if alpha == 1:
        return sub_in_place(self, other)
    if write_scaled(rows.sub, self, other, alpha):
        return self
    other = other if isinstance(other, Tensor) else self.new_tensor(other)
    return write(rows.sub_scaled, self, (other,), (alpha,))
