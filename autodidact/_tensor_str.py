"""Printing: the text that `repr` and `print` show for a tensor, character for character PyTorch's.

One look at all numbers to be shown chooses a common format (whole numbers as "2.", decimals as
"2.5000", or scientific) and a common width, so that columns line up. More than `threshold` numbers
are summarised: the first and last `edgeitems` along each dimension, with "..." between. What a
reader cannot see from the numbers follows them: size of an empty tensor, an unusual dtype, grad_fn.

Example:
    >>> print(tensor_str(np.float32([[1, 2.5], [3, np.nan]]), dtype=dt.float32,
    ...                  grad_fn_name="MulBackward0"))
    tensor([[1.0000, 2.5000],
            [3.0000,    nan]], grad_fn=<MulBackward0>)
"""

import math
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from autodidact.arrays import dtype as dt
from autodidact.arrays.dtype import dtype as Dtype
from autodidact.arrays.place import to_host

__all__ = ["PrintOptions", "get_printoptions", "level_str", "printoptions", "set_printoptions",
           "tensor_str"]


@dataclass(frozen=True)
class PrintOptions:
    """How tensors are printed.

    Attributes:
        precision: digits after the decimal point.
        threshold: more elements than this are summarised.
        edgeitems: elements shown at each end of a summarised dimension.
        linewidth: characters of a line, before it is broken.
        sci_mode: True or False forces or forbids scientific notation; None lets the numbers decide.
    """

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


PROFILES = {
    "default": PrintOptions(),
    "short": PrintOptions(precision=2, edgeitems=2),
    "full": PrintOptions(threshold=math.inf),
}
_options = [PROFILES["default"]]


def set_printoptions(precision: int | None = None, threshold: float | None = None,
                     edgeitems: int | None = None, linewidth: int | None = None,
                     profile: str | None = None, sci_mode: bool | None = None) -> None:
    """Change how tensors are printed from now on; options not given stay as they are.

    Only `sci_mode` goes back to its default (None) when it is not given, as in PyTorch.

    Args:
        precision: digits after the decimal point (4 at the start).
        threshold: more elements than this are summarised (1000).
        edgeitems: elements shown at each end of a summarised dimension (3).
        linewidth: characters of a line (80).
        profile: "default", "short" or "full": sets all of the above first.
        sci_mode: True or False forces or forbids scientific notation.

    Example:
        >>> set_printoptions(precision=2)
        >>> tensor_str(np.float32(0.125), dtype=dt.float32)
        'tensor(0.12)'
        >>> set_printoptions(profile="default")
    """
    options = _options[0]
    if profile is not None:
        options = replace(PROFILES.get(profile, options), sci_mode=None)
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems,
             "linewidth": linewidth}
    given = {name: value for name, value in given.items() if value is not None}
    _options[0] = replace(options, **given, sci_mode=sci_mode)


def get_printoptions() -> dict:
    """The options in force, by name."""
    return asdict(_options[0])


@contextmanager
def printoptions(**options: object) -> Iterator[None]:
    """Print with other options inside a `with` block."""
    before = _options[0]
    set_printoptions(**options)
    try:
        yield
    finally:
        _options[0] = before


def tensor_str(array: np.ndarray | np.generic, *, dtype: Dtype, prefix: str = "tensor",
               grad_fn_name: str | None = None, requires_grad: bool = False,
               device: Any = None, tangent: str | None = None, indent: int = 0) -> str:
    """The text of `repr(tensor)`.

    Args:
        array: the numbers, of any shape; a NumPy scalar stands for a 0-dim tensor.
        dtype: the tensor's dtype.
        prefix: what stands before the parenthesis; a subclass gives its name.
        grad_fn_name: name of the node that made the tensor, e.g. "MulBackward0".
        requires_grad: shown when there is no grad_fn.
        device: shown for all but the CPU; "meta" has no numbers to show.
        tangent: the text of the tangent, for a dual tensor.
        indent: columns by which the lines after the first are moved to the right.

    Returns:
        The text, its lines separated by newlines, without one at the end.
    """
    where = "cpu" if device is None else str(device)
    array = np.empty(array.shape, np.bool_) if where == "meta" else np.asarray(to_host(array))
    options = _options[0]
    prefix += "("
    indent += len(prefix)
    notes = [] if where == "cpu" else [f"device='{where}'"]
    usual = (dt.get_default_dtype(), _default_complex(), dt.int64, dt.bool_)
    if where == "meta":                            # no numbers to show
        body = "..."
        notes.append(f"size={array.shape}")
        usual = (dt.get_default_dtype(),)
    elif array.size:
        body = _numbers(array, dtype, indent, options)
    else:                                          # no number shows what kind they would be
        body = "[]"
        usual = (dt.get_default_dtype(),)
        if array.ndim != 1:
            notes.append(f"size={array.shape}")
    if dtype not in usual:
        notes.append(f"dtype={dtype}")
    if grad_fn_name is not None:
        notes.append(f"grad_fn=<{grad_fn_name}>")
    elif requires_grad:
        notes.append("requires_grad=True")
    if tangent is not None:
        notes.append(f"tangent={tangent}")
    return _append_notes(prefix + body, notes, indent, options.linewidth) + ")"


def level_str(name: str, value: str, **fields: int) -> str:
    """The text of a tensor wrapped by a transform, around the text of the tensor inside.

    Example:
        >>> print(level_str("BatchedTensor", "tensor([1., 1.])", lvl=1, bdim=0))
        BatchedTensor(lvl=1, bdim=0, value=
            tensor([1., 1.])
        )
    """
    head = ", ".join(f"{field}={number}" for field, number in fields.items())
    return f"{name}({head}, value=\n{textwrap.indent(value, '    ')}\n)"


def _default_complex() -> Dtype:
    return dt.complex128 if dt.get_default_dtype() is dt.float64 else dt.complex64


def _append_notes(text: str, notes: list[str], indent: int, linewidth: int) -> str:
    """Put each note behind the text, on a new line where the old one has no room for it."""
    line = len(text) - (text.rfind("\n") + 1) + 2      # room for ")" and one more
    for note in notes:
        if line + len(note) + 2 > linewidth:                           # 2: comma and space
            text += ",\n" + " " * indent + note
            line = indent + len(note)
        else:
            text += ", " + note
            line += len(note) + 2
    return text


def _numbers(array: np.ndarray, dtype: Dtype, indent: int, options: PrintOptions) -> str:
    """The bracketed numbers."""
    summarise = array.size > options.threshold
    shown = _edges(array, options.edgeitems) if summarise else array
    write, width = _format_for(shown, dtype, options)
    vector_indent = indent + max(0, array.ndim - 1)
    per_line = max(1, (options.linewidth - vector_indent) // (width + 2))          # 2: ", "
    edgeitems = options.edgeitems if summarise else array.size
    return _nested(array, indent, write, edgeitems, per_line)


def _edges(array: np.ndarray, edgeitems: int) -> np.ndarray:
    """Only the elements that a summary shows."""
    for axis, size in enumerate(array.shape):
        if size > 2 * edgeitems:
            ends = [*range(edgeitems), *range(size - edgeitems, size)]
            array = array.take(ends, axis)
    return array


def _nested(array: np.ndarray, indent: int, write: Callable, edgeitems: int, per_line: int) -> str:
    """One bracket per dimension; slices of d dimensions are d newlines apart."""
    if array.ndim == 0:
        return write(array.item())
    if array.ndim == 1:
        return _vector(array, indent, write, edgeitems, per_line)
    slices = [_nested(part, indent + 1, write, edgeitems, per_line)
              if part is not None else "..." for part in _parts(array, edgeitems)]
    return "[" + ("," + "\n" * (array.ndim - 1) + " " * (indent + 1)).join(slices) + "]"


def _vector(array: np.ndarray, indent: int, write: Callable, edgeitems: int,
            per_line: int) -> str:
    """One bracket of numbers, `per_line` in a line ("..." counts as one)."""
    texts = [write(x.item()) if x is not None else " ..." for x in _parts(array, edgeitems)]
    lines = [", ".join(texts[i:i + per_line]) for i in range(0, len(texts), per_line)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"


def _parts(array: np.ndarray, edgeitems: int) -> list:
    """The slices along the first dimension, with None in the place of those left out."""
    if len(array) <= 2 * edgeitems:
        return list(array)
    return [*array[:edgeitems], None, *array[len(array) - edgeitems:]]


def _format_for(shown: np.ndarray, dtype: Dtype, options: PrintOptions) -> tuple[Callable, int]:
    """The function that writes one number, and the width of its texts."""
    if dtype.is_complex:
        real, real_width = _format_float(shown.real, options)
        imag, imag_width = _format_float(shown.imag, options)

        def write(x: complex) -> str:
            second = imag(x.imag).lstrip()
            return real(x.real) + ("" if second[0] == "-" else "+") + second + "j"
        return write, real_width + imag_width + 1
    if dtype.is_floating_point:
        return _format_float(shown, options)
    width = max(len(str(x)) for x in shown.reshape(-1).tolist())
    return (lambda x: str(x).rjust(width)), width


def _format_float(shown: np.ndarray, options: PrintOptions) -> tuple[Callable, int]:
    """Choose among "2.", "2.5000" and "2.5000e+00" for all numbers together.

    Zeros, infinities and NaNs have no say, neither in the choice nor in the width.
    """
    values = shown.reshape(-1).astype(np.float64)
    values = values[np.isfinite(values) & (values != 0)]
    whole = bool((values == np.ceil(values)).all())
    scientific = values.size > 0 and (
        _needs_exponents(np.abs(values), whole) if options.sci_mode is None else options.sci_mode)

    def text(x: float) -> str:
        if scientific:
            return f"{x:.{options.precision}e}"
        if whole:
            return f"{x:.0f}" + ("." if math.isfinite(x) else "")
        return f"{x:.{options.precision}f}"

    width = max((len(text(x)) for x in values.tolist()), default=1)
    return (lambda x: text(float(x)).rjust(width)), width


def _needs_exponents(sizes: np.ndarray, whole: bool) -> bool:
    """True when the numbers differ too much in size, or are too large or small, for decimals."""
    largest, smallest = sizes.max(), sizes.min()
    return bool(largest / smallest > 1000 or largest > 1e8 or (smallest < 1e-4 and not whole))
