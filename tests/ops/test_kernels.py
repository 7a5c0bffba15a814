"""The law of kernels: each gives what the row's line of mathematics gives."""

import numpy as np
import pytest

from autodidact.ops import kernels
from autodidact.ops.op import TABLE, either, parameters
from tests.ops.cases import CASES
from tests.ops.differences import floating

ROWS = sorted(op.name for op in TABLE.values() if op.kernels)
SIZES = {"one piece": (3, 5), "some pieces": (3, kernels.PIECE // 2 + 7), "no numbers": (0, 4)}
ULP = {np.dtype(np.float32): 4e-6, np.dtype(np.float64): 1e-14}


def formula_of(op, word):
    """The line of mathematics that a kernel stands for."""
    if word != "forward":
        return op.vjp[word]
    return op.forward.__closure__[1].cell_contents


def arguments(op):
    """The plain arguments of the row's cases."""
    return [c.args for c in CASES if c.row == op.name]


def numbers(shape, dtype, seed):
    """Numbers around 0, zero and the numbers that are none among them."""
    x = (np.random.default_rng(seed).normal(size=shape) * 3).astype(dtype)
    x.reshape(-1)[:4] = [0, np.inf, -np.inf, np.nan][:x.size]
    return x


def layouts(x):
    """The same numbers, in a row and with gaps."""
    wide = np.zeros((*x.shape[:-1], 2 * x.shape[-1]), x.dtype)
    wide[..., ::2] = x
    return [x, wide[..., ::2], np.asfortranarray(x)]


@pytest.mark.parametrize("dtype", ULP, ids=str)
@pytest.mark.parametrize("shape", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize("name", ROWS)
def test_kernel_gives_what_the_formula_gives(name, shape, dtype):
    op = TABLE[name]
    for word, kernel in op.kernels.items():
        formula = formula_of(op, word)
        for args in arguments(op):
            known = {"grad": numbers(shape, dtype, 1), "self": numbers(shape, dtype, 2)}
            with np.errstate(all="ignore"):
                known["result"] = op.forward(known["self"], *args.values())
            known |= args
            wants = parameters(formula)
            first = "self" if word == "forward" else "grad"
            rest = list(args) if word == "forward" else list(wants)
            assert kernel.__code__.co_varnames[:kernel.__code__.co_argcount] == (first, *rest)
            for i, x in enumerate(layouts(known[first])):
                others = [layouts(known[n])[i] if n not in args else known[n] for n in rest]
                before = [np.copy(x) for x in (x, *others) if isinstance(x, np.ndarray)]
                with np.errstate(all="ignore"):
                    expected, found = formula(x, *others), kernel(x, *others)
                assert found.dtype == dtype and found.shape == shape
                np.testing.assert_allclose(found, expected, rtol=ULP[dtype], atol=ULP[dtype])
                after = [x for x in (x, *others) if isinstance(x, np.ndarray)]
                for a, b in zip(before, after, strict=True):
                    np.testing.assert_array_equal(a, b)


def test_kernels_are_for_arrays_of_float32_and_float64():
    which = either(lambda first: "kernel", lambda first: "formula")
    assert which(np.ones(2)) == "kernel"
    for other in (np.float64(1), np.ones(()), np.ma.ones(2),
                  *(np.ones(2, kind) for kind in (np.float16, np.complex64, np.int64))):
        assert which(other) == "formula"


def test_there_are_rows_with_kernels():
    assert len(ROWS) >= 5
    assert all(floating(c.arrays()[0]) for c in CASES if c.row in ROWS)
