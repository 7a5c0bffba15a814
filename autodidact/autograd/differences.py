"""Derivatives by differences: the numbers that gradcheck believes.

The derivative of f in direction u is approached by (f(x + eps u) - f(x - eps u)) / (2 eps). The
error of that is of two kinds: about eps², since f is not straight, and about (precision of x) /
eps, since nearby values cancel. In double precision (1e-16) an eps of 1e-6 leaves ten good
digits; in single precision (1e-7) it leaves one, which is why a check in float32 fails for
correct gradients, too.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from autodidact.tensor_base import TensorBase, memory

__all__ = ["columns", "difference", "directions"]


def as_tuple(x: Any) -> tuple:
    """One output or several, as a tuple."""
    return tuple(x) if isinstance(x, (tuple, list)) else (x,)


def numbers(x: Any) -> np.ndarray:
    """An output as an array; 0-dim arrays stay arrays."""
    return np.asarray(x.detach()._array if isinstance(x, TensorBase) else x)


def difference(
    function: Callable, inputs: tuple, i: int, direction: np.ndarray, eps: float
) -> list:
    """The derivative of every output with respect to input `i` in a direction, by differences.

    The input is changed in place, so that a function that looks at it from outside sees it move
    too.

    Args:
        function: called with `inputs`; gives a tensor or several.
        inputs: tensors and other values.
        i: which input moves.
        direction: an array of that input's shape; complex for a complex input.
        eps: the step.

    Returns:
        One array for each output.
    """
    array = memory(inputs[i])
    before = array.copy()

    def moved(step: float) -> list:
        array[...] = before + (direction * step).astype(array.dtype)
        # the function runs as for a user, recording or not: it may ask for gradients itself
        return [np.array(numbers(o)) for o in as_tuple(function(*given))]

    given = tuple(fresh_alias(x) if isinstance(x, TensorBase) else x for x in inputs)
    try:
        up, down = moved(eps), moved(-eps)
    finally:
        array[...] = before
    for a, b in zip(up, down, strict=True):
        if a.shape != b.shape:
            raise AssertionError(
                "expected the function to return outputs with the same shape when "
                f"inputs are perturbed, but got {a.shape} and {b.shape}"
            )
        if a.dtype != b.dtype:
            raise AssertionError(
                "expected the function to return outputs with the same dtype when "
                f"inputs are perturbed, but got {a.dtype} and {b.dtype}"
            )
    return [(a.astype(wide(a)) - b) / (2 * eps) for a, b in zip(up, down, strict=True)]


def fresh_alias(x: TensorBase) -> TensorBase:
    """The same memory as a leaf of its own; requires grad as `x` does."""
    t = x.detach()
    t._requires_grad = bool(x.requires_grad)
    return t


def wide(array: np.ndarray) -> np.dtype:
    """Integers and booleans are subtracted as doubles."""
    return array.dtype if array.dtype.kind in "fc" else np.dtype(np.float64)


def directions(array: np.ndarray) -> Any:
    """Every unit direction of an array: one for each entry, two for a complex one."""
    for place in np.ndindex(array.shape):
        for step in (1, 1j) if array.dtype.kind == "c" else (1,):
            unit = np.zeros(array.shape, array.dtype)
            unit[place] = step
            yield unit


def columns(function: Callable, inputs: tuple, i: int, eps: float) -> list:
    """The whole Jacobian of every output with respect to input `i`, by differences.

    Returns:
        For each output an array (directions, output entries).
    """
    outputs = [numbers(o) for o in as_tuple(function(*inputs))]
    rows: list = [[] for _ in outputs]
    for unit in directions(memory(inputs[i])):
        for k, column in enumerate(difference(function, inputs, i, unit, eps)):
            rows[k].append(column.reshape(-1))
    return [np.array(r).reshape(len(r), o.size) for r, o in zip(rows, outputs, strict=True)]


def side_by_side(
    numerical: np.ndarray,
    analytical: np.ndarray,
    close: np.ndarray,
    complex_input: bool,
    shape: tuple,
    output_shape: tuple,
    limit: int = 8,
) -> str:
    """The entries that disagree, one a line: where, numerical, analytical, how far apart."""
    lines = ["    input entry   output entry     numerical       analytical      difference"]
    wrong = np.argwhere(~close)
    for row, column in wrong[:limit]:
        place = np.unravel_index(row // 2 if complex_input else row, shape) if shape else ()
        out = np.unravel_index(column, output_shape) if output_shape else ()
        n, a = numerical[row, column], analytical[row, column]
        part = (
            ("  (imaginary direction)" if row % 2 else "  (real direction)")
            if complex_input
            else ""
        )
        lines.append(
            f"    {brackets(place):<13} {brackets(out):<16} {n:<15.7g} {a:<15.7g} "
            f"{abs(n - a):.3g}{part}"
        )
    if len(wrong) > limit:
        lines.append(f"    ... and {len(wrong) - limit} more")
    return "\n".join(lines)


def brackets(place: tuple) -> str:
    """An index as it is written: `[0, 2]`; `[]` for a 0-dim tensor."""
    return str([int(i) for i in place])
