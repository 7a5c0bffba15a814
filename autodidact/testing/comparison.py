"""`assert_close`: whether two results agree; if not, how many numbers differ, and by how much."""

import cmath
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from autodidact.arrays import dtype as dt
from autodidact.arrays.promotion import promote_types
from autodidact.functions.compare import isclose
from autodidact.functions.creation import as_tensor
from autodidact.tensor import Tensor

__all__ = ["assert_close"]

# dtype -> (rtol, atol); 0 and 0 for all others.
TOLERANCES = {dt.float16: (1e-3, 1e-5), dt.bfloat16: (1.6e-2, 1e-5), dt.float32: (1.3e-6, 1e-5),
              dt.float64: (1e-7, 1e-7), dt.complex64: (1.3e-6, 1e-5), dt.complex128: (1e-7, 1e-7)}
NUMBERS = {int: dt.int64, float: dt.float64, complex: dt.complex128}


class Rules(NamedTuple):
    """What counts as close; see `assert_close`."""

    allow_subclasses: bool
    rtol: float | None
    atol: float | None
    equal_nan: bool
    check_device: bool
    check_dtype: bool
    check_layout: bool
    check_stride: bool

    def tolerances(self, *dtypes: dt.dtype) -> tuple:
        """(rtol, atol): the given ones, else the widest of those for the dtypes."""
        if self.rtol is not None:
            return self.rtol, self.atol
        known = [TOLERANCES.get(d, (0.0, 0.0)) for d in dtypes]
        return max(r for r, _ in known), max(a for _, a in known)


def assert_close(actual: Any, expected: Any, *, allow_subclasses: bool = True,
                 rtol: float | None = None, atol: float | None = None, equal_nan: bool = False,
                 check_device: bool = True, check_dtype: bool = True, check_layout: bool = True,
                 check_stride: bool = False, msg: Any = None) -> None:
    """Raise AssertionError where two results differ by more than the tolerances.

    Numbers agree where `|actual - expected| <= atol + rtol * |expected|`.

    Args:
        actual, expected: tensors, NumPy arrays, numbers, None, or lists, tuples and dicts of them.
        allow_subclasses: compare a tensor with one of a class made from its class.
        rtol, atol: both or none; without them by the dtype, e.g. 1.3e-6 and 1e-5 for float32.
        equal_nan: NaN agrees with NaN.
        check_device, check_dtype, check_layout, check_stride: whether these must agree, too.
        msg: the error's text instead of the usual one, or a function that makes it of that.

    Raises:
        AssertionError: where they differ; it says how many numbers, and the largest difference.
        ValueError: for one tolerance without the other.
        TypeError: for things that cannot be compared.

    Example:
        >>> assert_close(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.1]))
        Traceback (most recent call last):
        AssertionError: Tensor-likes are not close!
        <BLANKLINE>
        Mismatched elements: 1 / 2 (50.0%)
        Greatest absolute difference: 0.09999990463256836 at index (1,) (up to 1e-05 allowed)
        Greatest relative difference: 0.04761900380253792 at index (1,) (up to 1.3e-06 allowed)
    """
    if (rtol is None) != (atol is None):
        raise ValueError("Both 'rtol' and 'atol' must be either specified or omitted, but got no "
                         f"{'rtol' if rtol is None else 'atol'}.")
    rules = Rules(allow_subclasses, rtol, atol, equal_nan, check_device, check_dtype, check_layout,
                  check_stride)
    said = difference(actual, expected, rules, "")
    if said is not None:
        raise AssertionError(said if msg is None else msg(said) if callable(msg) else msg)


def difference(actual: Any, expected: Any, rules: Rules, where: str) -> str | None:
    """What to say of the first difference, None where there is none; `where`: indices so far."""
    both = (actual, expected)
    if all(isinstance(x, Sequence) and not isinstance(x, str) for x in both):
        if len(actual) != len(expected):
            return at(where, "The length of the sequences mismatch: "
                             f"{len(actual)} != {len(expected)}")
        keys = range(len(actual))
    elif all(isinstance(x, Mapping) for x in both):
        keys = expected.keys()
        if actual.keys() != keys:
            return at(where, "The keys of the mappings do not match:\n"
                      f"Missing keys in the actual mapping: {sorted(keys - actual.keys())}\n"
                      f"Additional keys in the actual mapping: {sorted(actual.keys() - keys)}")
    else:
        said = compare_of(actual, expected, rules)(actual, expected, rules)
        return None if said is None else at(where, said)
    found = (difference(actual[k], expected[k], rules, f"{where}[{k!r}]") for k in keys)
    return next((said for said in found if said is not None), None)


def at(where: str, said: str) -> str:
    """The sentence, with the place where it applies."""
    return f"{said}\n\nThe failure occurred for item {where}" if where else said


def compare_of(actual: Any, expected: Any, rules: Rules) -> Callable:
    """How two things that are no containers are compared; TypeError if they cannot be."""
    both, kinds = (actual, expected), (type(actual), type(expected))
    if any(x is None for x in both):
        return identical
    if all(isinstance(x, (bool, np.bool_)) for x in both):
        return identical
    if all(isinstance(x, (int, float, complex, np.number)) and not isinstance(x, bool)
           for x in both):
        return numbers
    related = kinds[0] is kinds[1] or (rules.allow_subclasses and (
        issubclass(*kinds) or issubclass(*reversed(kinds))))
    if related and all(isinstance(x, (Tensor, np.ndarray)) for x in both):
        return tensors
    raise TypeError(f"No comparison pair was able to handle inputs of type {kinds[0]} and "
                    f"{kinds[1]}.")


def identical(actual: Any, expected: Any, rules: Rules) -> str | None:
    """None with None, a bool with a bool."""
    same = actual is expected or (None not in (actual, expected) and bool(actual) == bool(expected))
    what = "None" if actual is None or expected is None else "Booleans"
    return None if same else f"{what} mismatch: {actual} is not {expected}"


def numbers(actual: Any, expected: Any, rules: Rules) -> str | None:
    """Two numbers."""
    actual, expected = (x.item() if isinstance(x, np.number) else x for x in (actual, expected))
    kinds = type(actual), type(expected)
    if rules.check_dtype and kinds[0] is not kinds[1]:
        return f"The (d)types do not match: {kinds[0]} != {kinds[1]}."
    return two_numbers(actual, expected, rules.tolerances(*(NUMBERS[k] for k in kinds)),
                       rules.equal_nan)


def two_numbers(actual: Any, expected: Any, tolerances: tuple, equal_nan: bool) -> str | None:
    """Two numbers whose dtype does not matter any more."""
    rtol, atol = tolerances
    apart = abs(actual - expected)
    both_nan = equal_nan and cmath.isnan(actual) and cmath.isnan(expected)
    if both_nan or actual == expected or (math.isfinite(apart) and (
            apart <= atol + rtol * abs(expected))):
        return None
    relative = math.inf if expected == 0 else apart / abs(expected)
    return "\n".join([heading("Scalars", tolerances), "",
                      f"Expected {expected} but got {actual}.",
                      f"Absolute difference: {apart}{allowed(atol, tolerances)}",
                      f"Relative difference: {relative}{allowed(rtol, tolerances)}"])


def heading(what: str, tolerances: tuple) -> str:
    """The first line."""
    return f"{what} are not {'close' if any(tolerances) else 'equal'}!"


def allowed(tolerance: float, tolerances: tuple) -> str:
    """What a difference might have been."""
    return f" (up to {tolerance} allowed)" if any(tolerances) else ""


def tensors(actual: Any, expected: Any, rules: Rules) -> str | None:
    """Two tensors: what they are, then their numbers."""
    actual, expected = (as_tensor(x).detach() for x in (actual, expected))
    checks = (("shape", True, lambda t: t.shape),
              ("layout", rules.check_layout, lambda t: t.layout),
              ("stride()", rules.check_stride, lambda t: t.stride()),
              ("device", rules.check_device, lambda t: t.device),
              ("dtype", rules.check_dtype, lambda t: t.dtype))
    for name, checked, ask in checks:
        if checked and ask(actual) != ask(expected):
            return (f"The values for attribute '{name}' do not match: {ask(actual)} != "
                    f"{ask(expected)}.")
    tolerances = rules.tolerances(actual.dtype, expected.dtype)
    kind = promote_types(actual.dtype, expected.dtype)
    actual, expected = actual.to("cpu", kind), expected.to("cpu", kind)
    close = isclose(actual, expected, *tolerances, equal_nan=rules.equal_nan)
    if bool(close.all()):
        return None
    if not actual.dim():
        return two_numbers(actual.item(), expected.item(), tolerances, rules.equal_nan)
    return many_numbers(actual, expected, close, tolerances)


def many_numbers(actual: Tensor, expected: Tensor, close: Tensor, tolerances: tuple) -> str:
    """How many numbers differ, and where most."""
    if not (actual.is_floating_point() or actual.is_complex()):
        actual, expected = actual.to(dt.int64), expected.to(dt.int64)
    apart = (actual - expected).abs()
    wrong = int((~close).sum())
    lines = [heading("Tensor-likes", tolerances), "",
             f"Mismatched elements: {wrong} / {close.numel()} ({wrong / close.numel():.1%})"]
    for name, far, tolerance in (("absolute", apart, tolerances[1]),
                                 ("relative", apart / expected.abs(), tolerances[0])):
        far[close] = 0
        most, place = far.flatten().max(0)
        index = tuple(int(i) for i in np.unravel_index(int(place), tuple(far.shape)))
        lines.append(f"Greatest {name} difference: {most.item()} at index {index}"
                     f"{allowed(tolerance, tolerances)}")
    return "\n".join(lines)
