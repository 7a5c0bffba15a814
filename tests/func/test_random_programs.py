"""Random functions under random nestings of transforms, here and on PyTorch."""

import warnings

import numpy as np
import pytest

import autodidact
from tests.func.random_programs import Program
from tests.func.random_rows import RowProgram

CHUNK = 25
SEEDS = [(kind, first) for kind, count in ((Program, 500), (RowProgram, 200))
         for first in range(0, count, CHUNK)]
MOSTLY = 0.5        # so many of a chunk must be answered by PyTorch: else the test tests nothing


@pytest.mark.parametrize(("kind", "first"), SEEDS)
def test_programs_are_equal(kind, first, oracle):
    answered = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed in range(first, first + CHUNK):
            program = kind(seed)
            if program.torch_is_wrong():
                continue
            try:
                expected = program.run(oracle)
            except Exception:
                continue           # what PyTorch refuses has tests of its own: tests/func/programs
            answered += 1
            found = program.run(autodidact)
            np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8,
                                       err_msg=f"seed {seed}: {program}")
    assert answered >= MOSTLY * CHUNK
