"""The order of elements in memory, as PyTorch lays it out."""

import numpy as np
import pytest

import autodidact as torch


def test_channels_last_keeps_values_and_turns_strides():
    x = torch.arange(24.).reshape(1, 2, 3, 4).requires_grad_()
    y = x.contiguous(memory_format=torch.channels_last)
    assert y.stride() == (24, 1, 8, 2) and np.array_equal(y.detach(), x.detach())
    assert y.contiguous(memory_format=torch.channels_last) is y
    assert y.clone().stride() == y.stride()
    assert y.clone(memory_format=torch.contiguous_format).stride() == (24, 12, 4, 1)
    y.sum().backward()
    assert x.grad.tolist() == torch.ones(1, 2, 3, 4).tolist()


def test_to_and_short_forms_take_a_format():
    x = torch.ones(1, 2, 3, 4)
    assert x.to(torch.float64, memory_format=torch.channels_last).stride() == (24, 1, 8, 2)
    assert x.double(memory_format=torch.channels_last).dtype is torch.float64
    assert x.to(memory_format=torch.preserve_format) is x


def test_another_rank_is_refused():
    with pytest.raises(RuntimeError, match="rank 4"):
        torch.ones(2, 3).contiguous(memory_format=torch.channels_last)
    assert repr(torch.channels_last_3d) == "torch.channels_last_3d"
