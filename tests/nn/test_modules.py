"""Every module of the table against PyTorch: live where it is installed, recorded everywhere."""

import json
from pathlib import Path

import numpy as np
import pytest

import autodidact as ad
from tests.nn.modules import TABLE, trained

ANSWERS = Path(__file__).parent / "answers.json"
IDS = [f"{one.code[3:]}{'' if one.training else '-eval'}-{i}" for i, one in enumerate(TABLE)]


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("one", TABLE, ids=IDS)
def test_module_is_that_of_pytorch(one, oracle):
    compare(trained(one, ad), trained(one, oracle), one.rtol)


def compare(ours, theirs, rtol):
    """Texts and numbers agree."""
    assert ours["repr"] == theirs["repr"]
    assert ours["keys"] == theirs["keys"]
    for name in ("begin", "outputs", "gradients", "end"):
        assert len(ours[name]) == len(theirs[name]), name
        for a, b in zip(ours[name], theirs[name], strict=True):
            assert a.dtype == b.dtype
            np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol / 10, err_msg=name)


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("number", range(len(TABLE)), ids=IDS)
def test_module_is_as_recorded(number):
    recorded = json.loads(ANSWERS.read_text(encoding="utf-8"))
    known, one = recorded[IDS[number]], TABLE[number]
    ours = trained(one, ad)
    assert ours["repr"] == known["repr"] and ours["keys"] == known["keys"]
    for name in ("begin", "outputs", "gradients", "end"):
        assert summed(ours[name]) == pytest.approx(
            known[name], rel=100 * one.rtol, abs=100 * one.rtol), name


def summed(arrays):
    """Few numbers that stand for many."""
    return [float((a * np.cos(np.arange(a.size)).reshape(a.shape)).sum()) for a in arrays]
