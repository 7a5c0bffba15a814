"""How a case is written: the row, its inputs, its arguments, and the same call in PyTorch's words.

    case("log", positive(3, 4), code="x.log()")
    case("sum_dim", real(3, 4), args=dict(dim=(1,), keepdim=False), code="x.sum(1)")

Inputs are made by the functions of this file from a random generator, so that each test draws its
own; `code` sees the tensors as x, y, z, u (a list as xs) and the library as `torch` and `F`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

CASES: list = []


@dataclass
class Case:
    """One row to try.

    Attributes:
        row: the row's name in the table.
        inputs: makers of the tensor inputs, in order; for a row with a list, of the list.
        args: the plain arguments, by name.
        code: the same call in PyTorch's words; None for rows that PyTorch's users never see.
        value: a NumPy function of the arrays and plain arguments that gives the same values.
        smooth: False where the derivatives must not be compared with differences.
        second: False where the second derivative is not to be taken.
        duck: False where the row's forward needs NumPy itself (scipy, memory, ...).
        node: False where PyTorch's user sees a different node than the row's.
        tag: what tells cases of one row apart.
    """

    row: str
    inputs: tuple
    args: dict = field(default_factory=dict)
    code: str | None = None
    value: Callable | None = None
    smooth: bool = True
    second: bool = True
    duck: bool = True
    node: bool = True
    tag: str = ""

    @property
    def id(self) -> str:
        """The name of the case in a test's report."""
        return f"{self.row}:{self.tag}" if self.tag else self.row

    def arrays(self, seed: int = 0) -> list:
        """The inputs, drawn anew from a seed; None for an optional one that is not given."""
        rng = np.random.default_rng(seed)
        return [None if make is None else make(rng) for make in self.inputs]


def case(row: str, *inputs: Any, **words: Any) -> None:
    """Write down one case."""
    CASES.append(Case(row, inputs, **words))


# ---- makers of inputs ---------------------------------------------------------------------------


def drawn(draw: Callable) -> Callable:
    """A maker from a function of (generator, shape)."""
    return lambda *shape: lambda rng: draw(rng, shape)


def apart(rng: np.random.Generator, shape: tuple, low: float, high: float) -> np.ndarray:
    """Numbers of an interval in random order, at a distance: no ties, no kink within reach."""
    n = int(np.prod(shape))
    numbers = low + (high - low) * (np.arange(n) + 0.25 + 0.5 * rng.random(n)) / max(n, 1)
    return rng.permutation(numbers).reshape(shape)


def between(low: float, high: float) -> Callable:
    """Maker of numbers between two bounds."""
    return drawn(lambda rng, shape: apart(rng, shape, low, high))


real = drawn(lambda rng, shape: apart(rng, shape, -2.0, 2.0))
positive = between(0.3, 2.5)
unit = between(-0.9, 0.9)
probability = between(0.1, 0.9)
complex_ = drawn(lambda rng, shape: rng.normal(size=shape) + 1j * rng.normal(size=shape))
mask = drawn(lambda rng, shape: rng.random(shape) < 0.5)


def integers(low: int, high: int) -> Callable:
    """Maker of int64 numbers from low to high - 1."""
    return drawn(lambda rng, shape: rng.integers(low, high, shape, dtype=np.int64))


def exactly(values: Any, dtype: Any = np.float64) -> Callable:
    """Maker of these very numbers: zeros, ties and other places of interest."""
    return lambda rng: np.array(values, dtype)
