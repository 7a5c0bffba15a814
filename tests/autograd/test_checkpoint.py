"""checkpoint where PyTorch's own answer depends on what ran before: see tests/func/programs."""

import pytest

import autodidact as ad
from autodidact.utils import checkpoint as module


def test_debug_switched_on_lists_the_operations_of_both_runs():
    runs = iter((lambda x: (x * x).sin(), lambda x: (x[:1] * x[:1]).cos()))
    x = ad.tensor([0.3, 0.4], requires_grad=True)
    with module.set_checkpoint_debug_enabled(True):
        y = module.checkpoint(lambda x: next(runs)(x), x, use_reentrant=False)
    with pytest.raises(module.CheckpointError) as error:
        y.sum().backward()
    text = str(error.value)
    assert "You are seeing this error because you passed `debug=True`" in text
    assert "mul, sin" in text and "slice, slice, mul" in text


def test_nothing_is_recomputed_when_nothing_was_saved():
    calls = []
    x = ad.tensor([0.3], requires_grad=True)
    y = module.checkpoint(lambda x: (calls.append(1), x + 1)[1], x, use_reentrant=False)
    y.backward()
    assert calls == [1] and x.grad.item() == 1.0


def test_unexpected_arguments():
    x = ad.tensor([0.3], requires_grad=True)
    with pytest.raises(ValueError, match="Unexpected keyword arguments"):
        module.checkpoint(ad.sin, x, use_reentrant=True, colour="red")
    with pytest.raises(ValueError, match="determinism_check"):
        module.checkpoint(ad.sin, x, use_reentrant=False, determinism_check="maybe")
