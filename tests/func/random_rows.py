"""Random programs whose operations are the rows of the table: what `random_programs` leaves out.

A row's first inputs are those of its case, moved a little by the (2, 3) tensor that goes through
the program, so that they stay in their domain; its outputs move that tensor on.
"""

import random

import numpy as np

from tests.func.random_programs import (
    FORWARD,
    LARGE,
    OPERATIONS,
    TRANSFORMS,
    WAYS,
    Program,
    const,
    forward,
    forward_over_backward,
)
from tests.ops.cases import CASES
from tests.ops.differences import floating

# A sign or a phase of these factors is free; as_strided looks at how a lane lies in memory.
LEFT_OUT = {"as_strided", "linalg_svd", "linalg_eig", "linalg_qr", "linalg_eigh"}
# PyTorch's forward derivative of these is wrong, or cannot be differentiated again: differences
# of its own values say so, and agree with ours.
WRONG_FORWARD = {"linalg_det", "linalg_slogdet", "linalg_solve", "prod", "scatter_prod"}
ROWS = [c for c in CASES if c.code and c.smooth and c.second and c.row not in LEFT_OUT
        and any(a is not None and floating(a) for a in c.arrays())]


def moved(torch, array, x, k):
    """An input of a row, as large as its case says, but for a few percent that depend on `x`."""
    t = torch.tensor(array)
    if not floating(array):
        return t
    return t * (1 + 0.05 * (x * const(torch, (2, 3), k)).sum().tanh())


def row_operation(case):
    """A row as an operation on a (2, 3) tensor."""
    def operation(torch, x):
        given = [a if a is None else moved(torch, a, x, k) for k, a in enumerate(case.arrays())]
        place = dict(zip("xyzu", given, strict=False)) | {
            "xs": given, "torch": torch, "F": torch.nn.functional}
        out = eval(case.code, place)
        total = 0
        for part in out if isinstance(out, tuple | list) else [out]:
            if part.dtype.is_complex:
                part = part.real + 0.3 * part.imag
            if part.dtype.is_floating_point:
                weights = const(torch, tuple(part.shape), 5)
                total = total + (part.double() * weights).sum() / (1 + weights.abs().sum())
        return x * (1 + 0.3 * total.sin())
    return operation


class RowProgram(Program):
    """One random program: one or two rows, and up to two small operations around them."""

    def __init__(self, seed):
        choose = random.Random(seed)
        self.rows = [choose.randrange(len(ROWS)) for _ in range(choose.randint(1, 2))]
        self.operations = [choose.randrange(len(OPERATIONS)) for _ in range(choose.randint(0, 2))]
        self.transforms = [(choose.choice(TRANSFORMS), choose.randint(1, 20))
                           for _ in range(choose.randint(0, 3))]
        if sum(t in LARGE for t, _ in self.transforms) > 1:
            self.transforms = self.transforms[:1]
        self.way = choose.choice(WAYS)

    def __repr__(self):
        return f"rows {[ROWS[i].id for i in self.rows]}, {super().__repr__()}"

    def torch_is_wrong(self):
        """As in the other programs; and rows that PyTorch cannot push forward."""
        is_forward = (any(t in FORWARD for t, _ in self.transforms)
                      or self.way in (forward, forward_over_backward))
        return super().torch_is_wrong() or (
            is_forward and any(ROWS[i].row in WRONG_FORWARD for i in self.rows))

    def run(self, torch):
        """The answer as an array."""
        steps = [OPERATIONS[i] for i in self.operations]
        for i in self.rows:
            steps.insert(i % (len(steps) + 1), row_operation(ROWS[i]))

        def f(x):
            for step in steps:
                x = step(torch, x)
            return x
        for transform, k in self.transforms:
            f = transform(torch, f, k)
        return np.array(self.way(torch, f, const(torch, (2, 3), 11)).detach().numpy())
