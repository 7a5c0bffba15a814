"""Modules and convolutions under torch.func: without a loop, and as in PyTorch."""

import warnings

import numpy as np
import pytest

import autodidact as ad


def results(torch):
    """Lanes in the input, the weight, the bias; gradients for each example; a functional call."""
    rng = np.random.default_rng(0)
    f, functional = torch.func, torch.nn.functional

    def t(*shape):
        return torch.tensor(rng.normal(size=shape))
    x, w, b = t(4, 2, 3, 5, 5), t(4, 6, 3, 3, 3), t(4, 6)

    def loss(w, b, x):
        return (functional.conv2d(x, w, b) ** 2).sum()
    model = torch.nn.Sequential(torch.nn.Conv2d(3, 2, 3), torch.nn.ReLU(), torch.nn.MaxPool2d(2),
                                torch.nn.Flatten(), torch.nn.Linear(2, 2)).double()
    parameters = {name: t(*p.shape) for name, p in model.named_parameters()}
    return [
        f.vmap(lambda x: functional.conv2d(x, w[0], b[0], padding=1))(x),
        f.vmap(lambda w: functional.conv2d(x[0], w, b[0], stride=2))(w),
        f.vmap(lambda x, w, b: functional.conv2d(x, w, b))(x, w, b),
        f.vmap(lambda b: functional.conv2d(x[0], w[0], b))(b),
        *f.vmap(f.grad(loss, argnums=(0, 1)), in_dims=(None, None, 0))(w[0], b[0], x),
        f.vmap(f.grad(loss, argnums=2))(w, b, x),
        f.jvp(lambda w: functional.conv2d(x[0], w, b[0]), (w[0],), (w[1],))[1],
        *f.grad(lambda p: (f.functional_call(model, p, (x[0],)) ** 2).sum())(parameters).values(),
    ]


@pytest.mark.filterwarnings("ignore:.*:DeprecationWarning")
def test_as_in_pytorch_and_without_a_loop(oracle):
    with warnings.catch_warnings():
        warnings.simplefilter("error")                   # a loop over lanes warns
        found = results(ad)
    for a, b in zip(found, results(oracle), strict=True):
        np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(), rtol=1e-9, atol=1e-9)
