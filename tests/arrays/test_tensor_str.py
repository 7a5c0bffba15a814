"""Printing is PyTorch's, character for character."""

import json
import time
from pathlib import Path

import numpy as np
import pytest

from autodidact import _tensor_str as printing
from autodidact.arrays import dtype as dt
from tests.arrays.printing_cases import chosen, drawn, torch_text

RECORDED = json.loads(Path(__file__).with_name("printed.json").read_text())
ORIGIN = {"plain": {}, "leaf": {"requires_grad": True},
          "clone": {"requires_grad": True, "grad_fn_name": "CloneBackward0"}}


def our_text(kind, numbers, options, origin):
    """What we print for a case."""
    with printing.printoptions(profile="default"), printing.printoptions(**options):
        return printing.tensor_str(numbers, dtype=kind, **ORIGIN[origin])


@pytest.mark.parametrize(("case", "text"), list(zip(chosen(), RECORDED, strict=True)))
def test_recorded_texts(case, text):
    assert our_text(*case) == text


def test_recorded_texts_are_torchs(oracle):
    assert [torch_text(oracle, *case) for case in chosen()] == RECORDED


@pytest.mark.parametrize("seed", range(3))
def test_drawn_tensors_print_as_in_torch(seed, oracle):
    for case in drawn(seed, 100):
        assert our_text(*case) == torch_text(oracle, *case)


@pytest.mark.parametrize("name", ["float16", "float64"])
def test_the_default_dtype_is_not_shown(name, oracle):
    ours, theirs = getattr(dt, name), getattr(oracle, name)
    dt.set_default_dtype(ours)
    oracle.set_default_dtype(theirs)
    try:
        for kind in dt.ALL:
            for numbers in (np.ones(2, kind.numpy), np.ones((2, 0), kind.numpy)):
                assert our_text(kind, numbers, {}, "plain") == torch_text(
                    oracle, kind, numbers, {}, "plain")
    finally:
        dt.set_default_dtype(dt.float32)
        oracle.set_default_dtype(oracle.float32)


def test_notes_and_prefix(oracle):
    class Named(oracle.Tensor):
        pass

    numbers = np.arange(4, dtype=np.float32).reshape(2, 2)
    assert printing.tensor_str(numbers, dtype=dt.float32, prefix="Named") == repr(
        Named(numbers.tolist()))
    assert printing.tensor_str(numbers, dtype=dt.float32, device="cuda:0").endswith(
        ", device='cuda:0')")


@pytest.mark.filterwarnings("ignore::DeprecationWarning:torch")
def test_a_tangent_is_shown(oracle):
    forward_ad = oracle.autograd.forward_ad
    for shape in ((2,), (2, 2, 2)):
        numbers = np.ones(shape, np.float64)
        with forward_ad.dual_level():
            x = oracle.from_numpy(numbers)
            expected = repr(forward_ad.make_dual(x, x / 3))
        tangent = printing.tensor_str(numbers / 3, dtype=dt.float64)
        assert printing.tensor_str(numbers, dtype=dt.float64, tangent=tangent) == expected


def test_levels(oracle):
    shown = []
    oracle.func.grad(lambda x: shown.append(repr(x)) or x.sum())(oracle.ones(2, 3))
    inside = printing.tensor_str(np.ones((2, 3)), dtype=dt.float32)
    assert printing.level_str("GradTrackingTensor", inside, lvl=1) == shown[0]


def test_numpy_scalars_are_0_dim_tensors():
    assert printing.tensor_str(np.float32(2), dtype=dt.float32) == "tensor(2.)"


def test_options_stay_and_go_back():
    text = "tensor(0.12)"
    third = np.float32(0.125)
    printing.set_printoptions(profile="short")
    assert printing.tensor_str(third, dtype=dt.float32) == text
    printing.set_printoptions(sci_mode=True)
    assert printing.tensor_str(third, dtype=dt.float32) == "tensor(1.25e-01)"
    printing.set_printoptions(profile="default")
    assert printing.get_printoptions() == {
        "precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80, "sci_mode": None}


def test_a_large_tensor_prints_at_once():
    """Only the numbers of the summary are looked at."""
    numbers = np.ones((2000, 2000), np.float32)
    start = time.process_time()             # another program's work must not count
    printing.tensor_str(numbers, dtype=dt.float32)
    assert time.process_time() - start < 0.05
