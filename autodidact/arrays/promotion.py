"""Type promotion: which dtype comes out when different dtypes meet.

PyTorch's rule has two parts. The *lattice* (`promote_types`) says what two dtypes make of each
other. The *ranks* say whose word counts: tensors with dimensions speak first, then 0-dim tensors,
then Python numbers; a lower rank is heard only when it brings a higher category (bool < integer <
floating < complex), so that `x * 2.5` keeps a float16 `x` float16, and turns an int64 `x` into
the default dtype.

NumPy's own promotion differs (int64 with float32 makes float64 there), so every operation that
mixes dtypes asks this page first. The answers for pairs are remembered in tables, filled on first
use, because this question is asked once per operation.

Example:
    >>> promote_types(dt.int64, dt.float16)
    torch.float16
    >>> result_dtype([(dt.int32, True, False), (dt.float64, False, False)])
    torch.float64
    >>> common_dtype(np.dtype(np.float32), 2, np.dtype(np.float64), 0)
    dtype('float32')
"""

from collections.abc import Callable, Iterable

import numpy as np

from autodidact.arrays import dtype as dt
from autodidact.arrays.dtype import dtype

__all__ = [
    "SCALAR_NAMES", "can_cast", "check_castable", "common_dtype", "float_dtype", "float_of",
    "number_dtype", "promote_types", "result_dtype", "result_type",
]

Operand = tuple[dtype | np.dtype, bool, bool]

# The names that PyTorch's error messages give to dtypes ("expected scalar type Float ...").
SCALAR_NAMES = {
    "bool": "Bool", "uint8": "Byte", "int8": "Char", "int16": "Short", "int32": "Int",
    "int64": "Long", "float16": "Half", "bfloat16": "BFloat16", "float32": "Float",
    "float64": "Double", "complex64": "ComplexFloat", "complex128": "ComplexDouble",
}


class _Table(dict):
    """A dictionary that computes a missing entry with `rule(*key)` and keeps it."""

    def __init__(self, rule: Callable) -> None:
        super().__init__()
        self.rule = rule

    def __missing__(self, key: tuple) -> object:
        found = self[key] = self.rule(*key)
        return found


def _promote(a: dtype, b: dtype) -> dtype:
    """The lattice, by category: the higher one wins, and within one the wider."""
    if a.category < b.category:
        a, b = b, a
    if a is b or (b.category < 2 and a.category > b.category):
        return a                                          # an integer never widens a float
    if a.is_complex:
        return _promote(a.to_real(), b.to_real()).to_complex()
    if a.is_signed != b.is_signed:                        # uint8 fits no signed type below int16
        signed = a if a.is_signed else b
        return dt.int16 if signed is dt.int8 else signed
    if a.itemsize == b.itemsize:                          # float16 and bfloat16: neither holds
        return dt.float32                                 # the other
    return a if a.itemsize > b.itemsize else b


_PROMOTED = _Table(_promote)


def promote_types(type1: dtype, type2: dtype) -> dtype:
    """The smallest dtype of PyTorch's lattice that both can be turned into.

    Args:
        type1: a dtype.
        type2: a dtype.

    Raises:
        TypeError: for anything but a `dtype`.

    Example:
        >>> promote_types(dt.uint8, dt.int8)
        torch.int16
    """
    for position, given in enumerate((type1, type2), 1):
        _require_dtype("promote_types", f"type{position}", position, given)
    return _PROMOTED[type1, type2]


def can_cast(from_: dtype, to: dtype) -> bool:
    """True when the category allows it: integer to floating yes, floating to integer no.

    Widths do not matter (float64 to float16 is allowed); this is the test of in-place operations.

    Raises:
        TypeError: for anything but a `dtype`.

    Example:
        >>> can_cast(dt.float64, dt.float32), can_cast(dt.float32, dt.int64)
        (True, False)
    """
    _require_dtype("can_cast", "from_", 1, from_)
    _require_dtype("can_cast", "to", 2, to)
    return from_.category <= to.category


def check_castable(result: dtype | np.dtype, target: dtype | np.dtype) -> None:
    """Raise PyTorch's RuntimeError when an in-place result does not fit the tensor it goes to."""
    result, target = _as_dtype(result), _as_dtype(target)
    if result.category > target.category:
        raise RuntimeError(
            f"result type {SCALAR_NAMES[result.name]} can't be cast to the desired output type "
            f"{SCALAR_NAMES[target.name]}")


def result_dtype(operands: Iterable[Operand]) -> dtype:
    """The dtype that an operation computes in and returns, for any number of operands.

    Args:
        operands: triples (dtype, is_dimensioned, is_number): dtype is ours or NumPy's;
            is_dimensioned says ndim > 0; is_number marks a Python number, whose dtype tells
            only its category (any floating dtype for a float, any complex one for a complex).

    Returns:
        The dtype. Python floats and complexes count as the default dtype (and its complex
        partner; complex64 for float16, as NumPy has no smaller one).

    Raises:
        ValueError: when there is no operand.

    Example:
        >>> result_dtype([(dt.uint8, True, False), (dt.int64, False, False)])   # x + 0-dim tensor
        torch.uint8
        >>> result_dtype([(dt.int64, True, False), (dt.float64, False, True)])  # x + 0.5
        torch.float32
    """
    dimensioned = zero_dim = number = None
    for kind, is_dimensioned, is_number in operands:
        kind = _as_dtype(kind)
        if is_number:
            number = _join(number, _of_number(kind))
        elif is_dimensioned:
            dimensioned = _join(dimensioned, kind)
        else:
            zero_dim = _join(zero_dim, kind)
    result = _outrank(dimensioned, _outrank(zero_dim, number))
    if result is None:
        raise ValueError("result_dtype() needs at least one operand")
    return result


def result_type(a: object, b: object) -> dtype:
    """`torch.result_type` for two values, each a Python number or with `dtype` and `ndim`.

    Example:
        >>> result_type(np.ones(3, np.int32), 1.5)
        torch.float32
    """
    return result_dtype(_operand(x) for x in (a, b))


def common_dtype(a: np.dtype, a_ndim: int, b: np.dtype, b_ndim: int) -> np.dtype:
    """NumPy's dtype in which two tensors meet; one table look-up, made for the hot path.

    Example:
        >>> common_dtype(np.dtype(np.int64), 1, np.dtype(np.float32), 0)
        dtype('float32')
    """
    if a is b:
        return a
    if (a_ndim > 0) == (b_ndim > 0):
        return _EQUAL_RANK[a, b]
    return _FIRST_OUTRANKS[a, b] if a_ndim else _FIRST_OUTRANKS[b, a]


def number_dtype(a: np.dtype, number: type) -> np.dtype:
    """NumPy's dtype in which a tensor of any rank meets a Python number of type `number`.

    Args:
        a: the tensor's dtype.
        number: bool, int, float or complex.

    Example:
        >>> number_dtype(np.dtype(np.float16), float), number_dtype(np.dtype(np.int32), float)
        (dtype('float16'), dtype('float32'))
    """
    return _WITH_NUMBER[a, number, dt.get_default_dtype()]


def float_of(d: dtype) -> dtype:
    """The dtype of `sin(x)`, `x / y`, ...: integers and bool give the default dtype.

    Example:
        >>> float_of(dt.int64), float_of(dt.float64)
        (torch.float32, torch.float64)
    """
    return d if d.category > 1 else dt.get_default_dtype()


def float_dtype(a: np.dtype) -> np.dtype:
    """`float_of` for NumPy's dtypes."""
    return dt.get_default_dtype().numpy if a.kind in "iub" else a


def _join(a: dtype | None, b: dtype) -> dtype:
    """Operands of one rank are equals: the lattice decides."""
    return b if a is None else _PROMOTED[a, b]


def _outrank(higher: dtype | None, lower: dtype | None) -> dtype | None:
    """The higher rank's dtype, unless the lower rank brings a higher category."""
    if higher is None or lower is None:
        return lower if higher is None else higher
    if lower.category <= higher.category:
        return higher
    if higher.is_floating_point:        # complex arrives: the precision stays the higher rank's
        return higher.to_complex()
    return _PROMOTED[higher, lower]


def _of_number(kind: dtype) -> dtype:
    """What a Python number of this kind counts as."""
    if kind.category < 2:
        return kind
    default = dt.get_default_dtype()
    return default.to_complex() if kind.is_complex else default


def _as_dtype(kind: dtype | np.dtype) -> dtype:
    return kind if type(kind) is dtype else dt.of(kind)


_NUMBER_KINDS = {bool: dt.bool_, int: dt.int64, float: dt.float64, complex: dt.complex128}


def _operand(x: object) -> Operand:
    kind = _NUMBER_KINDS.get(type(x))
    return (x.dtype, x.ndim > 0, False) if kind is None else (kind, False, True)


def _require_dtype(function: str, argument: str, position: int, given: object) -> None:
    if type(given) is not dtype:
        raise TypeError(f"{function}(): argument '{argument}' (position {position}) must be "
                        f"torch.dtype, not {type(given).__name__}")


_EQUAL_RANK = _Table(lambda a, b: _PROMOTED[dt.of(a), dt.of(b)].numpy)
_FIRST_OUTRANKS = _Table(lambda a, b: _outrank(dt.of(a), dt.of(b)).numpy)
# The default dtype is part of the key only so that each default has its own answers.
_WITH_NUMBER = _Table(
    lambda a, number, default: _outrank(dt.of(a), _of_number(_NUMBER_KINDS[number])).numpy)
