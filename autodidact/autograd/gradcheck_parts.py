"""What gradcheck asks of a backward: that it agrees with differences, and what else it must do."""

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from autodidact.autograd.backward import grad
from autodidact.autograd.differences import (
    as_tuple,
    columns,
    difference,
    numbers,
    side_by_side,
)
from autodidact.autograd.function import Function
from autodidact.tensor_base import TensorBase

__all__ = ["Check", "GradcheckError"]


class GradcheckError(RuntimeError):
    """The check failed: the message says where, and what was expected."""


class Check(NamedTuple):
    """One call of gradcheck: the function, its inputs, and the tolerances."""

    function: Callable
    inputs: tuple
    eps: float
    atol: float
    rtol: float
    nondet_tol: float
    grad_dtypes: bool
    fast: bool
    rng: Any

    def wanted(self) -> list:
        """The positions of the inputs that require grad."""
        return [
            i for i, x in enumerate(self.inputs) if isinstance(x, TensorBase) and x.requires_grad
        ]

    def close(self, analytical: Any, numerical: Any, scale: float = 1.0) -> np.ndarray:
        """Where two arrays agree; NaN agrees with nothing."""
        return np.isclose(analytical, numerical, self.rtol, self.atol * scale)

    def random(self, array: Any) -> np.ndarray:
        """A random array with entries in [0, 1) and length 1, of the shape and dtype of another."""
        array = np.asarray(array)
        u = self.rng.random(array.shape)
        if array.dtype.kind == "c":
            u = u + 1j * self.rng.random(array.shape)
        return u / (np.linalg.norm(u.reshape(-1)) or 1)


def check_constant(check: Check) -> None:
    """Where the graph says that nothing depends on the inputs, differences must be zero."""
    for i in check.wanted():
        for column in columns(check.function, check.inputs, i, check.eps):
            if np.any(column):
                raise GradcheckError(
                    "Numerical gradient for function expected to be zero: no output "
                    f"requires grad, but the outputs change with input {i}"
                )


# ---- backward against differences ---------------------------------------------------------------


def check_gradients(check: Check, outputs: list) -> None:
    """The Jacobian of every output that requires grad."""
    for k, output in outputs:
        (fast_gradients if check.fast else slow_gradients)(check, k, output)


def pull(check: Check, output: TensorBase, v: np.ndarray) -> list:
    """One backward pass, twice: vᵀ J for each input that requires grad, as arrays."""
    inputs = [check.inputs[i] for i in check.wanted()]
    first, second = (
        [
            None if g is None else g.detach()
            for g in grad(
                output,
                inputs,
                TensorBase.wrap(v.astype(output._array.dtype)),
                retain_graph=True,
                allow_unused=True,
            )
        ]
        for _ in range(2)
    )
    found = []
    for x, g, again in zip(inputs, first, second, strict=True):
        if g is None:
            found.append(np.zeros(x._array.shape, x._array.dtype))
            continue
        if g._array.shape != x._array.shape:
            raise GradcheckError(
                "Analytical gradient has incorrect size: "
                f"{list(g._array.shape)} for an input of {list(x._array.shape)}"
            )
        if check.grad_dtypes and g._array.dtype != x._array.dtype:
            raise GradcheckError(
                f"Gradient has dtype mismatch: {g.dtype} for an input of {x.dtype}"
            )
        a, b = numbers(g), numbers(again)
        if a.size and np.abs(a - b).max() > check.nondet_tol:
            raise GradcheckError(
                "Backward is not reentrant, i.e., running backward with same input "
                "and grad_output multiple times gives different values, although "
                "nothing else changed. The tolerance for nondeterminism was "
                f"{check.nondet_tol}."
            )
        found.append(a)
    return found


def slow_gradients(check: Check, k: int, output: TensorBase) -> None:
    """Every entry: row by row from backward, column by column from differences."""
    for i, rows in zip(check.wanted(), analytical_columns(check, output), strict=True):
        compare(
            check,
            k,
            i,
            columns(check.function, check.inputs, i, check.eps)[k],
            rows,
            output._array.shape,
        )


def analytical_columns(check: Check, output: TensorBase) -> list:
    """For each input the Jacobian as `columns` gives it, by a backward pass per output entry."""
    shape, kind = output._array.shape, output._array.dtype.kind
    found: list = [[] for _ in check.wanted()]
    for place in np.ndindex(shape):
        rows = [0] * len(found)
        for part in (1, 1j) if kind == "c" else (1,):
            v = np.zeros(shape, output._array.dtype)
            v[place] = part
            rows = [
                r + part * along_directions(g)
                for r, g in zip(rows, pull(check, output, v), strict=True)
            ]
        for column, row in zip(found, rows, strict=True):
            column.append(row)
    sizes = [along_directions(check.inputs[i]._array).size for i in check.wanted()]
    return [
        np.array(column).reshape(len(column), n).T for column, n in zip(found, sizes, strict=True)
    ]


def along_directions(g: np.ndarray) -> np.ndarray:
    """The derivative in each unit direction: for complex input the real and the imaginary one."""
    flat = np.asarray(g).reshape(-1)
    return np.stack([flat.real, flat.imag], 1).reshape(-1) if flat.dtype.kind == "c" else flat


def compare(
    check: Check,
    k: int,
    i: int,
    numerical: np.ndarray,
    analytical: np.ndarray,
    output_shape: tuple,
    how: str = "",
) -> None:
    """Raise where two Jacobians disagree, the imaginary parts of complex outputs first."""
    parts = (
        [("imaginary", np.imag), ("real", np.real)]
        if np.iscomplexobj(numerical) and not how
        else [("", np.asarray)]
    )
    for name, part in parts:
        n, a = part(numerical), part(analytical)
        close = check.close(a, n)
        if not close.all():
            x = check.inputs[i]
            raise GradcheckError(
                headline(check, k, i, name, how)
                + "\n"
                + side_by_side(
                    n, a, close, x._array.dtype.kind == "c", x._array.shape, output_shape
                )
                + f"\nnumerical:\n{n}\nanalytical:\n{a}\n"
                + hint(check, i)
            )


def headline(check: Check, k: int, i: int, part: str, how: str = "") -> str:
    """The first line of a failure."""
    prefix = f"While considering the {part} part of complex outputs only, " if part else ""
    return (
        f"{prefix}Jacobian {how}mismatch for output {k} with respect to input {i}, where "
        f"|analytical - numerical| is more than {check.atol:g} + {check.rtol:g} |numerical|:"
    )


def hint(check: Check, i: int) -> str:
    """Why a correct gradient may fail: precision."""
    kind = check.inputs[i]._array.dtype
    if kind in (np.float64, np.complex128):
        return ""
    return (
        f"Input {i} is {kind}: its numbers have about seven digits, and a step of {check.eps:g} "
        "moves only the last of them, so the numerical column is mostly rounding. Check in "
        "double precision (dtype=torch.float64) before doubting the gradient."
    )


def fast_gradients(check: Check, k: int, output: TensorBase) -> None:
    """vᵀ J u for one random v and a random u for each input; complex outputs part by part."""
    complex_output = output._array.dtype.kind == "c"
    inputs = check.wanted()
    us = [check.random(check.inputs[i]._array) for i in inputs]
    steps = [
        difference(check.function, check.inputs, i, u, check.eps)[k]
        for i, u in zip(inputs, us, strict=True)
    ]
    v = check.random(np.zeros(output._array.shape, np.float64))
    for part, name in ((1j, "imaginary"), (1, "real")) if complex_output else ((1, ""),):
        for i, u, g, step in zip(inputs, us, pull(check, output, part * v), steps, strict=True):
            numerical = np.sum((np.conj(part * v) * step).real)
            analytical = np.sum((np.conj(g) * u).real)
            scale = np.abs(v).sum() * (np.abs(u.real).sum() + np.abs(u.imag).sum())
            if not check.close(analytical, numerical, scale):
                slow_gradients(check, k, output)
                raise GradcheckError(
                    headline(check, k, i, name) + f"\nnumerical: {numerical}\nanalytical: "
                    f"{analytical}\nFast gradcheck failed but element-wise differences are small. "
                    "Call it with fast_mode=False to compare entry by entry.\n" + hint(check, i)
                )


# ---- what else a backward must do ---------------------------------------------------------------


def check_batched(check: Check, k: int, output: TensorBase) -> None:
    """Two gradients at once, under vmap, must equal one at a time."""
    inputs = [check.inputs[i] for i in check.wanted()]
    vs = [check.random(output._array) for _ in range(2)]

    def pulled(v: np.ndarray, batched: bool) -> tuple:
        return grad(
            output,
            inputs,
            TensorBase.wrap(v.astype(output._array.dtype)),
            retain_graph=True,
            allow_unused=True,
            is_grads_batched=batched,
        )

    singles = [pulled(v, False) for v in vs]
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="There is a performance drop")
            together = pulled(np.stack(vs), True)
    except RuntimeError as error:
        raise GradcheckError(
            f"While computing batched gradients, got: {error}\n\nThe backward of "
            "this function cannot run under vmap; check_batched_grad=False leaves "
            "this out."
        ) from error
    for i, both, *each in zip(check.wanted(), together, *singles, strict=True):
        if both is None:
            continue
        expected = np.stack([numbers(g) for g in each])
        if not np.allclose(numbers(both), expected, 1e-5, 1e-8, equal_nan=True):
            raise GradcheckError(
                f"Batched gradients differ from single ones for output {k} and input "
                f"{i}:\nbatched:\n{numbers(both)}\none at a time:\n{expected}"
            )


def check_proportional(check: Check, outputs: list) -> None:
    """A zero gradient must give zeros, of the inputs' shapes and dtypes."""
    inputs = [check.inputs[i] for i in check.wanted()]
    found = grad(outputs, inputs, zeros_of(outputs), retain_graph=True, allow_unused=True)
    for x, g in zip(inputs, found, strict=True):
        if g is None:
            continue
        if np.any(numbers(g)):
            raise GradcheckError(
                f"backward not multiplied by grad_output: a gradient of zeros gives {numbers(g)}"
            )
        if g._array.dtype != x._array.dtype:
            raise GradcheckError(f"grad is incorrect type: {g.dtype} for an input of {x.dtype}")
        if g._array.shape != x._array.shape:
            raise GradcheckError(
                f"grad is incorrect size: {list(g._array.shape)} for {list(x._array.shape)}"
            )


def zeros_of(tensors: list) -> list:
    """Zeros like each."""
    return [TensorBase.wrap(np.zeros(t._array.shape, t._array.dtype)) for t in tensors]


class Undefined(Function):
    """The identity, whose backward sends no gradient at all."""

    @staticmethod
    def forward(ctx: Any, x: TensorBase) -> TensorBase:
        """A copy."""
        return x.clone()

    @staticmethod
    def backward(ctx: Any, grad: TensorBase) -> None:
        """Nothing."""
        return None


def check_undefined(check: Check) -> None:
    """Outputs that get no gradient count as zero: all of them, then each one alone."""
    inputs = [check.inputs[i] for i in check.wanted()]

    def outputs() -> list:
        return [
            o
            for o in as_tuple(check.function(*check.inputs))
            if isinstance(o, TensorBase) and o.requires_grad
        ]

    cases = [[Undefined.apply(o) for o in outputs()]]
    if len(cases[0]) > 1:
        cases += [
            [Undefined.apply(o) if i == k else o for i, o in enumerate(outputs())]
            for k in range(len(cases[0]))
        ]
    for case in cases:
        try:
            found = grad(case, inputs, zeros_of(case), allow_unused=True)
        except RuntimeError as error:
            announce()
            raise GradcheckError(
                f"Expected backward function to handle undefined output grads: it raised {error!r}"
            ) from error
        if any(g is not None and np.any(numbers(g)) for g in found):
            announce()
            raise GradcheckError(
                "Expected all input grads to be undefined or zero when all output "
                "grads are undefined or zero"
            )


def announce() -> None:
    """PyTorch's word of warning about this check."""
    warnings.warn(
        "Backwards compatibility: New undefined gradient support checking feature is "
        "enabled by default. check_undefined_grad=False leaves it out.",
        UserWarning,
        stacklevel=6,
    )
