"""The meta device: shapes, dtypes and gradients' shapes without numbers."""

import numpy as np
import pytest

import autodidact as ad
from autodidact.ops.op import TABLE, View
from tests.gpu.test_rows import ROWS, WITH_GRADIENT, there
from tests.ops.differences import cotangents, gradients, run, tensors_of

# Rows whose result has a shape that depends on numbers: PyTorch refuses them, too.
NUMBERS = {"mode_place", "ctc_loss", "ctc_backward", "index:mask", "masked_select",
           "masked_select_backward", "masked_scatter"}


@pytest.mark.parametrize("case", ROWS, ids=lambda c: c.id)
def test_forward_has_shape_dtype_and_strides(case):
    arrays = case.arrays()
    expected = run(case, tensors_of(arrays, False))
    inputs = [there(t, "meta") for t in tensors_of(arrays, False)]
    if {case.row, case.id} & NUMBERS:
        with pytest.raises(NotImplementedError, match=r"Meta tensors|meta tensor; no data"):
            wanting = [there(t, "meta") for t in tensors_of(arrays)]
            gradients(case, wanting, run(case, wanting))
        return
    for f, e in zip(run(case, inputs), expected, strict=True):
        assert f.is_meta and f.dtype is e.dtype and f.shape == e.shape
        if isinstance(TABLE[case.row], View):
            assert f.stride() == e.stride()


@pytest.mark.parametrize("case", [c for c in WITH_GRADIENT if not {c.row, c.id} & NUMBERS],
                         ids=lambda c: c.id)
def test_backward_has_shape_and_dtype(case):
    arrays = case.arrays()
    weights = cotangents([o._array for o in run(case, tensors_of(arrays, False))],
                         np.random.default_rng(8))
    expected = gradients(case, tensors_of(arrays), weights)
    inputs = [there(t, "meta") for t in tensors_of(arrays)]
    sent = [w if w is None else ad.tensor(w, device="meta") for w in weights]
    for f, e in zip(gradients(case, inputs, sent), expected, strict=True):
        assert f.is_meta and f.dtype is e.dtype and f.shape == e.shape
