"""Every row on a device that is not NumPy's: the simulated GPU, which refuses what CuPy refuses.

Its arrays never become NumPy's by themselves, hold no scalars, and tell each transfer. What holds
here is that a row takes the right way; that CuPy computes the right numbers is for `run_gpu.py`.
"""

import numpy as np
import pytest

import autodidact as ad
from autodidact.arrays import transfers
from autodidact.arrays.simulated import simulated_gpu
from autodidact.functions.index_plan import Indices
from autodidact.ops.op import TABLE, View
from tests.gpu.strict import allow
from tests.ops.cases import CASES
from tests.ops.differences import cotangents, floating, gradients, run, tensors_of

# Rows whose numbers have to come to the CPU: the reason.
HOST = {"mode_place": "the commonest value is counted value by value",
        "ctc_loss": "a recurrence over short slices, one step of time after the other",
        "ctc_backward": "the same",
        **dict.fromkeys(["special_airy_ai", "special_spherical_bessel_j0",
                         "special_chebyshev_polynomial_t", "special_chebyshev_polynomial_u",
                         "special_hermite_polynomial_h", "special_legendre_polynomial_p",
                         "special_shifted_chebyshev_polynomial_t",
                         "special_shifted_chebyshev_polynomial_u"], "CuPy has no such function"),
        "avg_pool2d:uneven": "how many entries each window counts is known from shapes alone"}
# `to_copy` moves: its dtype says where to. See test_devices.py.
ROWS = [c for c in CASES if c.row != "to_copy"]


def there(t, where):
    """A tensor, or a list of index tensors, moved; leaves stay leaves."""
    if t is None:
        return None
    if isinstance(t, Indices):
        return Indices(tuple(i if i is None else i.to(where) for i in t.tensors))
    return t.detach().to(where).requires_grad_(t.requires_grad)


def differentiable(case):
    op, arrays = TABLE[case.row], case.arrays()
    named = op.inputs * len(arrays) if op.variadic else op.inputs
    return op.node_name != "NotImplemented" and any(
        floating(a) and (isinstance(op, View) or n in op.vjp)
        for n, a in zip(named, arrays, strict=True))


def same(found, expected, exact=False):
    """Equal values, shapes and dtypes; `found` is on the device."""
    assert found.dtype is expected.dtype and found.shape == expected.shape
    np.testing.assert_allclose(found.detach().cpu().numpy(), expected.detach().numpy(),
                               rtol=1e-12, atol=1e-12)


def hidden(crossed, case):
    """No transfer, but for the rows that say why."""
    assert bool(crossed) == (case.row in HOST or case.id in HOST), crossed


WITH_GRADIENT = [c for c in ROWS if differentiable(c)]


@pytest.mark.parametrize("case", ROWS, ids=lambda c: c.id)
def test_forward(case):
    arrays = case.arrays()
    expected = run(case, tensors_of(arrays, False))
    with simulated_gpu(allow=allow):
        inputs = [there(t, "cuda") for t in tensors_of(arrays, False)]
        with transfers.watched() as crossed:
            found = run(case, inputs)
        hidden(crossed, case)
        for f, e in zip(found, expected, strict=True):
            assert f.device == ad.device("cuda", 0)
            same(f, e)


@pytest.mark.parametrize("create_graph", [False, True], ids=["arrays", "tensors"])
@pytest.mark.parametrize("case", WITH_GRADIENT, ids=lambda c: c.id)
def test_backward(case, create_graph):
    arrays = case.arrays()
    weights = cotangents([o._array for o in run(case, tensors_of(arrays, False))],
                         np.random.default_rng(8))
    expected = gradients(case, tensors_of(arrays), weights, create_graph=create_graph)
    with simulated_gpu(allow=allow) as driver:
        inputs = [there(t, "cuda") for t in tensors_of(arrays)]
        sent = [w if w is None else ad.tensor(w, device="cuda") for w in weights]
        with transfers.watched() as crossed:
            found = gradients(case, inputs, sent, create_graph=create_graph)
        hidden(crossed, case)
        assert not driver.races
        for f, e in zip(found, expected, strict=True):
            assert f.device == ad.device("cuda", 0)
            same(f, e)
