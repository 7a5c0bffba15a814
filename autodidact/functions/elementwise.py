"""Elementwise functions whose arguments need a look: powers, whole quotients, bounds, choices."""

from typing import Any

import numpy as np

from autodidact.arrays import dtype as dt
from autodidact.arrays import promotion
from autodidact.autograd.grad_mode import mode
from autodidact.functions.arguments import need_tensor
from autodidact.inplace import inplace, write
from autodidact.ops import choice, transcendental
from autodidact.ops import elementwise as rows
from autodidact.public import both, function, method, named
from autodidact.tensor import Tensor

__all__ = ["clamp", "div", "floor_divide", "pow", "remainder", "where"]

NUMBER = (int, float, complex)


def meets(x: Tensor, *numbers: Any) -> Tensor:
    """The tensor in the dtype in which it meets Python numbers: `ints + 0.5` is floating."""
    kind = x._array.dtype
    for n in numbers:
        if n is not None:
            kind = promotion.number_dtype(kind, type(n) if type(n) in (bool, *NUMBER) else float)
    return x if kind == x._array.dtype else x.to_numpy_dtype(kind)


def operand(x: Any) -> bool:
    """Whether an operator may meet it: tensors and numbers; anything else is Python's turn."""
    return isinstance(x, (Tensor, *NUMBER)) or mode.reading or isinstance(x, np.generic)


# ---- powers -------------------------------------------------------------------------------------


@both
def pow(input: Any, exponent: Any, *, out: Any = None) -> Tensor:
    """`input ** exponent`, broadcast; one of the two may be a number.

    Raises:
        RuntimeError: for an integer tensor to a negative integer power.

    Example:
        >>> torch.pow(torch.tensor([1., 2., 3.]), 2)
        tensor([1., 4., 9.])
    """
    if not isinstance(exponent, Tensor):
        need_tensor(input, "pow", "input")
        if isinstance(exponent, int) and exponent < 0 and input._array.dtype.kind in "iub":
            raise RuntimeError("Integers to negative integer powers are not allowed.")
        simple = type(exponent) in (int, float) and input._array.dtype.kind == "f"
        return rows.pow_number.call(input if simple else meets(input, exponent), exponent)
    if isinstance(input, Tensor):
        return rows.pow.call(input, exponent)
    return rows.pow_base.call(meets(exponent, input), input)


def power(self: Tensor, exponent: Any) -> Tensor:
    """The operator `**`."""
    return pow(self, exponent) if operand(exponent) else NotImplemented


def reflected_power(self: Tensor, base: Any) -> Tensor:
    """The operator `**` with a number in front."""
    return pow(base, self) if operand(base) else NotImplemented


@method
def pow_(self: Tensor, exponent: Any) -> Tensor:
    """Raise to a power in place."""
    if isinstance(exponent, Tensor):
        return write(rows.pow, self, (exponent,), ())
    return write(rows.pow_number, self, (), (exponent,))


method(power, "__pow__")
method(reflected_power, "__rpow__")
method(pow_, "__ipow__")


@both
def square(input: Tensor) -> Tensor:
    """`input ** 2`."""
    return pow(input, 2)


@method
def square_(self: Tensor) -> Tensor:
    """Square in place."""
    return pow_(self, 2)


@both
def float_power(input: Any, exponent: Any) -> Tensor:
    """`input ** exponent`, computed in float64 (complex128 where one is complex)."""
    given = [x._array.dtype.kind == "c" if isinstance(x, Tensor) else isinstance(x, complex)
             for x in (input, exponent)]
    kind = np.dtype(np.complex128 if any(given) else np.float64)
    input, exponent = (x.to_numpy_dtype(kind) if isinstance(x, Tensor) else kind.type(x).item()
                       for x in (input, exponent))
    return pow(input, exponent)


# ---- quotients ----------------------------------------------------------------------------------


def check_divisor(*operands: Any) -> None:
    """Integers divided by zero have no answer; floating numbers have inf or nan."""
    arrays = [getattr(x, "_array", x) for x in operands]
    whole = [isinstance(a, int) or (hasattr(a, "dtype") and a.dtype.kind in "iu") for a in arrays]
    if all(whole) and not np.all(arrays[-1]):
        raise RuntimeError("ZeroDivisionError")


@named("div", "divide", "true_divide")
def div(input: Tensor, other: Any, *, rounding_mode: str | None = None, out: Any = None) -> Tensor:
    """`input / other`, broadcast; the quotient of integers is floating.

    Args:
        input: a tensor.
        other: a tensor or a number.
        rounding_mode: None; "floor" rounds down, "trunc" towards zero: integers stay integers.
        out: not supported.

    Example:
        >>> torch.div(torch.tensor([7, -7]), 2, rounding_mode="floor")
        tensor([ 3, -4])
    """
    if rounding_mode is None:
        return rows.div.call(input, other)
    if rounding_mode not in ("floor", "trunc"):
        raise RuntimeError("div expected rounding_mode to be one of None, 'trunc', or 'floor' but "
                           f"found '{rounding_mode}'")
    check_divisor(input, other)
    return (rows.div_floor if rounding_mode == "floor" else rows.div_trunc).call(input, other)


def div_(self: Tensor, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    """Divide in place."""
    row = {None: rows.div, "floor": rows.div_floor, "trunc": rows.div_trunc}[rounding_mode]
    return write(row, self, (other,), ())


for name in ("div_", "divide_", "true_divide_"):
    method(div_, name)


@both
def floor_divide(input: Any, other: Any) -> Tensor:
    """The quotient rounded down; it has no derivative.

    Raises:
        RuntimeError: for integers divided by zero.
    """
    check_divisor(input, other)
    return rows.floor_divide.call(input, other)


@both
def remainder(input: Any, other: Any) -> Tensor:
    """What is left of `input` after whole times `other`; has the sign of `other`.

    Example:
        >>> torch.remainder(torch.tensor([-3., 3.]), 2)
        tensor([1., 1.])
    """
    return left_over(rows.remainder, rows.remainder_number, input, other)


@both
def fmod(input: Any, other: Any) -> Tensor:
    """What is left of `input` after whole times `other`; has the sign of `input`."""
    return left_over(rows.fmod, rows.fmod_number, input, other)


def left_over(row: Any, number_row: Any, input: Any, other: Any) -> Tensor:
    """One row for two tensors, one for a tensor and a number."""
    check_divisor(input, other)
    if isinstance(other, Tensor):
        return row.call(input, other)
    return number_row.call(meets(input, other), other)


def guarded(f: Any, reflected: bool = False) -> Any:
    """The operator of a function; it is Python's turn where the other side is no number."""
    def forward(self: Tensor, other: Any) -> Any:
        return f(self, other) if operand(other) else NotImplemented

    def right(self: Tensor, other: Any) -> Any:
        return f(other, self) if operand(other) else NotImplemented
    return right if reflected else forward


for name, f in (("floordiv", floor_divide), ("mod", remainder)):
    method(guarded(f), f"__{name}__")
    method(guarded(f, reflected=True), f"__r{name}__")


def reflected_division(self: Tensor, other: Any) -> Any:
    """The operator `/` with a number in front: the reciprocal, times the number."""
    if isinstance(other, Tensor):
        return rows.div.call(other, self)
    return rows.mul.call(rows.reciprocal.call(self), other) if operand(other) else NotImplemented


method(reflected_division, "__rtruediv__")
for name, row in (("floor_divide", rows.floor_divide), ("remainder", rows.remainder),
                  ("fmod", rows.fmod)):
    method(inplace(row), f"{name}_")
method(inplace(rows.floor_divide), "__ifloordiv__")
method(inplace(rows.remainder), "__imod__")

# ---- rounding -----------------------------------------------------------------------------------


@both
def round(input: Tensor, *, decimals: int = 0) -> Tensor:
    """Rounded to the nearest whole number (halves to the even one), or after `decimals` places."""
    return rows.round_decimals.call(input, decimals) if decimals else rows.round.call(input)


@method
def round_(self: Tensor, *, decimals: int = 0) -> Tensor:
    """Round in place."""
    return write(rows.round_decimals, self, (), (decimals,)) if decimals else write(
        rows.round, self, (), ())


# ---- bounds -------------------------------------------------------------------------------------


@named("clamp", "clip")
def clamp(input: Tensor, min: Any = None, max: Any = None, *, out: Any = None) -> Tensor:
    """Every entry brought between `min` and `max`: numbers or tensors, one may be None.

    Raises:
        RuntimeError: when both are None.

    Example:
        >>> torch.clamp(torch.tensor([-2., 0.5, 2.]), -1, 1)
        tensor([-1.0000,  0.5000,  1.0000])
    """
    row, tensors, args = clamping(input, min, max)
    return row.call(meets(input, *args), *tensors, *args)


@named("clamp_", "clip_")
def clamp_(self: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """Clamp in place."""
    row, tensors, args = clamping(self, min, max)
    return write(row, self, tensors, args)


def clamping(x: Tensor, low: Any, high: Any) -> tuple:
    """The row for these bounds, its further tensors and its plain arguments."""
    need_tensor(x, "clamp", "input")
    if low is None and high is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    if isinstance(low, Tensor) or isinstance(high, Tensor):
        if isinstance(low, NUMBER) or isinstance(high, NUMBER):
            raise TypeError("clamp() received an invalid combination of arguments: min and max "
                            "must both be tensors or both be numbers")
        return choice.clamp_tensor, (low, high), ()
    return choice.clamp, (), (low, high)


def one_bound(row: Any, low: bool) -> None:
    """`clamp_min` and `clamp_max`, out of place and in place."""
    def bound(input: Tensor, bound: Any) -> Tensor:
        if isinstance(bound, Tensor):
            return clamp(input, bound, None) if low else clamp(input, None, bound)
        return row.call(meets(input, bound), bound)
    bound.__doc__ = f"Every entry at {'least' if low else 'most'} as large as the bound."
    both(bound, row.name)

    def bound_(self: Tensor, bound: Any) -> Tensor:
        if isinstance(bound, Tensor):
            return clamp_(self, bound, None) if low else clamp_(self, None, bound)
        return write(row, self, (), (bound,))
    method(bound_, f"{row.name}_")


one_bound(choice.clamp_min, True)
one_bound(choice.clamp_max, False)


@both
def nan_to_num(input: Tensor, nan: float | None = 0.0, posinf: float | None = None,
               neginf: float | None = None) -> Tensor:
    """nan and the infinities replaced by numbers; by default 0 and the dtype's limits."""
    if input._array.dtype.kind not in "fc":
        return input.clone()
    return choice.nan_to_num.call(input, 0.0 if nan is None else nan, posinf, neginf)


# ---- choices ------------------------------------------------------------------------------------


@function
def where(condition: Tensor, input: Any = None, other: Any = None, *, out: Any = None) -> Any:
    """Entries of `input` where `condition` is true, else of `other`; broadcast.

    With the condition alone: the indices of its true entries, one tensor for each dimension.

    Example:
        >>> torch.where(torch.tensor([True, False]), 1.0, torch.tensor([5., 6.]))
        tensor([1., 6.])
    """
    need_tensor(condition, "where", "condition")
    if input is None and other is None:
        return condition.nonzero(as_tuple=True)
    if condition._array.dtype.kind not in "bu" or condition._array.dtype.itemsize > 1:
        raise RuntimeError("where expected condition to be a boolean tensor, but got a tensor with "
                           f"dtype {condition.dtype}")
    return choice.where.call(condition, input, other)


def _where(self: Tensor, condition: Tensor, other: Any) -> Tensor:
    return where(condition, self, other)


method(_where, "where")

# ---- several at once ----------------------------------------------------------------------------


@both
def lerp(input: Tensor, end: Tensor, weight: Any) -> Tensor:
    """`input + weight * (end - input)`: the way from `input` to `end`, partly gone."""
    if isinstance(weight, Tensor):
        return rows.lerp_tensor.call(input, end, weight)
    return rows.lerp.call(input, end, weight)


@method
def lerp_(self: Tensor, end: Tensor, weight: Any) -> Tensor:
    """`lerp` in place."""
    if isinstance(weight, Tensor):
        return write(rows.lerp_tensor, self, (end, weight), ())
    return write(rows.lerp, self, (end,), (weight,))


def with_value(row: Any, doc: str) -> None:
    """`addcmul`, `addcdiv` and their in-place forms."""
    def out_of_place(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1) -> Tensor:
        return row.call(input, tensor1, tensor2, value)

    def in_place(self: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1) -> Tensor:
        return write(row, self, (tensor1, tensor2), (value,))
    out_of_place.__doc__ = in_place.__doc__ = doc
    both(out_of_place, row.name)
    method(in_place, f"{row.name}_")


with_value(rows.addcmul, "`input + value * tensor1 * tensor2`.")
with_value(rows.addcdiv, "`input + value * tensor1 / tensor2`.")


@method
def nan_to_num_(self: Tensor, nan: float | None = 0.0, posinf: float | None = None,
                neginf: float | None = None) -> Tensor:
    """`nan_to_num` in place."""
    return write(choice.nan_to_num, self, (), (0.0 if nan is None else nan, posinf, neginf))


@method
def float_power_(self: Tensor, exponent: Any) -> Tensor:
    """`float_power` in place; the tensor must have that dtype already."""
    kind = dt.complex128 if self.is_complex() else dt.float64
    if self.dtype is not kind:
        raise RuntimeError(f"the base given to float_power_ has dtype {self.dtype} but the "
                           f"operation's result requires dtype {kind}")
    return pow_(self, exponent)


@method
def logit_(self: Tensor, eps: float | None = None) -> Tensor:
    """`logit` in place."""
    return write(transcendental.logit, self if eps is None else clamp_(self, eps, 1 - eps), (), ())


@both
def logit(input: Tensor, eps: float | None = None) -> Tensor:
    """`log(input / (1 - input))`, the inverse of sigmoid; with `eps`, of the clamped input."""
    return transcendental.logit.call(input if eps is None else clamp(input, eps, 1 - eps))


@both
def conj(input: Tensor) -> Tensor:
    """The complex conjugate; a real tensor itself."""
    return rows.conj_physical.call(input) if input._array.dtype.kind == "c" else input


@both
def positive(input: Tensor) -> Tensor:
    """The tensor itself."""
    return input
