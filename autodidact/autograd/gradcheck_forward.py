"""What gradcheck asks of forward mode: tangents that agree with differences."""

import warnings
from typing import Any

import numpy as np

from autodidact.autograd.differences import as_tuple, columns, difference, directions, numbers
from autodidact.autograd.forward_ad import dual_level, make_dual, unpack_dual
from autodidact.autograd.gradcheck_parts import Check, GradcheckError, compare, headline, hint
from autodidact.func.tree import LEAF
from autodidact.func.vmap import run as run_lanes
from autodidact.tensor_base import TensorBase

__all__ = ["check_batched_tangents", "check_tangents", "check_undefined_tangents"]

HOW = "computed with forward mode "


def tensor(array: Any) -> TensorBase:
    """A plain tensor on a copy of an array."""
    return TensorBase.wrap(np.array(array))


def tangents(check: Check, moving: dict) -> list:
    """Each output's tangent (None without one) when some inputs move; call this in a dual level.

    Args:
        check: function and inputs; those that require grad become dual, with zeros if not in
            `moving`.
        moving: for some inputs the tangent, or None: the input stays plain.
    """
    given = []
    for i, x in enumerate(check.inputs):
        if isinstance(x, TensorBase) and x.requires_grad:
            t = moving.get(i, np.zeros(x._array.shape, x._array.dtype))
            x = x.detach()
            x = x if t is None else make_dual(x, t if isinstance(t, TensorBase) else tensor(t))
        given.append(x)
    found = [
        unpack_dual(o)
        for o in as_tuple(check.function(*given))
        if isinstance(o, TensorBase) and o._array.dtype.kind in "fc"
    ]
    for value, t in found:
        if (
            check.grad_dtypes
            and t is not None
            and (value._array.dtype.kind == "c") != (t._array.dtype.kind == "c")
        ):
            raise GradcheckError("Forward AD gradient has dtype mismatch.")
    return [None if t is None else numbers(t) for _, t in found]


def check_tangents(check: Check, outputs: tuple) -> None:
    """J u by forward mode against differences: random u (fast), or every entry."""
    shown = [
        k
        for k, o in enumerate(outputs)
        if isinstance(o, TensorBase) and o._array.dtype.kind in "fc"
    ]
    for i in check.wanted():
        (fast_columns if check.fast else slow_columns)(check, i, outputs, shown)


def part_of_input(check: Check, i: int, u: np.ndarray) -> str:
    """Which part of a complex input moves."""
    if check.inputs[i]._array.dtype.kind != "c":
        return ""
    part = "imaginary" if not np.any(u.real) else "real"
    return f"While considering the {part} part of complex inputs only, "


def fast_columns(check: Check, i: int, outputs: tuple, shown: list) -> None:
    """One direction for each input; two for a complex one."""
    u = np.abs(check.random(check.inputs[i]._array).real)
    steps = (1j * u, u) if check.inputs[i]._array.dtype.kind == "c" else (u,)
    for direction in steps:
        numerical = difference(check.function, check.inputs, i, direction, check.eps)
        with dual_level():
            found = tangents(check, {i: direction})
        for k, t in zip(shown, found, strict=True):
            n = numerical[k]
            a = np.zeros_like(n) if t is None else t
            if not check.close(a, n, np.abs(direction).sum()).all():
                slow_columns(check, i, outputs, shown)
                raise GradcheckError(
                    part_of_input(check, i, direction)
                    + headline(check, k, i, "", HOW)
                    + f"\nnumerical:\n{n}\nanalytical:\n{a}\n"
                    + hint(check, i)
                )


def slow_columns(check: Check, i: int, outputs: tuple, shown: list) -> None:
    """Every column."""
    numerical = columns(check.function, check.inputs, i, check.eps)
    rows: list = [[] for _ in shown]
    with dual_level():
        for unit in directions(np.asarray(check.inputs[i]._array)):
            for row, k, t in zip(rows, shown, tangents(check, {i: unit}), strict=True):
                row.append(np.zeros(outputs[k]._array.size) if t is None else t.reshape(-1))
    for row, k in zip(rows, shown, strict=True):
        n = numerical[k]
        compare(check, k, i, n, np.array(row).reshape(n.shape), outputs[k]._array.shape, HOW)


def check_undefined_tangents(check: Check) -> None:
    """An input without tangent must count as one that does not move."""
    wanted = check.wanted()
    with dual_level():
        others = {i: check.random(check.inputs[i]._array) for i in wanted}
        for i in wanted:
            zero = np.zeros(check.inputs[i]._array.shape, check.inputs[i]._array.dtype)
            with_zero = tangents(check, others | {i: zero})
            without = tangents(check, others | {i: None})
            for k, (a, b) in enumerate(zip(with_zero, without, strict=True)):
                if a is not None and b is not None and not np.allclose(a, b, 1e-5, 1e-8):
                    raise GradcheckError(
                        f"Mismatch in tangent values for output {k} when input {i} has "
                        f"an undefined tangent: got {b} but expected {a}"
                    )


def check_batched_tangents(check: Check) -> None:
    """Two tangents at once, under vmap, must give the same as one at a time."""
    for i in check.wanted():
        x = check.inputs[i]

        def push(tangent: Any, i: int = i) -> tuple:
            with dual_level():
                given = [v.detach() if isinstance(v, TensorBase) else v for v in check.inputs]
                given[i] = make_dual(given[i], tangent)
                found = [unpack_dual(o) for o in as_tuple(check.function(*given)) if o is not None]
                return tuple(
                    TensorBase.wrap(np.zeros(p._array.shape, p._array.dtype)) if t is None else t
                    for p, t in found
                )

        us = [check.random(x._array) for _ in range(2)]
        singles = [push(tensor(u)) for u in us]
        try:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", message="There is a performance drop")
                both = run_lanes(
                    push,
                    [tensor(np.stack(us))],
                    [0],
                    spec_of_one(),
                    2,
                    0,
                    "error",
                    {},
                    internal=True,
                )
        except RuntimeError as error:
            raise GradcheckError(
                "While computing batched gradients, got: "
                f"{error}\n\nForward mode of this function cannot run under vmap; "
                "check_batched_forward_grad=False leaves this out."
            ) from error
        for k, (found, *each) in enumerate(zip(both, *singles, strict=True)):
            expected = np.stack([numbers(t) for t in each])
            if not np.allclose(numbers(found), expected, 1e-5, 1e-8):
                raise GradcheckError(
                    f"Batched tangents differ from single ones for output {k} and "
                    f"input {i}:\nbatched:\n{numbers(found)}\none at a time:\n"
                    f"{expected}"
                )


def spec_of_one() -> Any:
    """The shape of one argument."""
    return type(LEAF)(tuple, (), (LEAF,))
