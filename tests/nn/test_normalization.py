"""Normalisation in half precision, and what is refused: by table, and beside PyTorch."""

import pytest

import autodidact as ad

# Sums and squares of these have no room in float16.
CALLS = {
    "layer": "F.layer_norm(x, (512,), w[:512], w[:512])",
    "batch": "F.batch_norm(x.T, None, None, w[:8], w[:8], True)",
    "group": "F.group_norm(x.reshape(1, 8, 512), 2, w[:8], w[:8])",
}
REFUSED = """
F.layer_norm(T.tensor([[1, 2, 3]]), (3,))
F.batch_norm(T.tensor([[1, 2], [3, 5]]), None, None, training=True)
F.group_norm(T.tensor([[1, 2], [3, 5]]), 1)
F.layer_norm(T.ones(2, 3, dtype=T.complex64), (3,))
F.layer_norm(T.ones(2, 3), (3,), T.ones(3, dtype=T.float64))
F.batch_norm(T.ones(2, 3), None, None, T.ones(3, dtype=T.float64), training=True)
F.group_norm(T.ones(2, 4), 2, T.ones(4, dtype=T.float64))
F.layer_norm(T.ones(2, 3), (3,), T.ones(2))
F.layer_norm(T.ones(2, 3), (3,), None, T.ones(2))
F.group_norm(T.ones(2, 4), 2, T.ones(3))
""".split("\n")[1:-1]


def both(library, code, dtype):
    """The value and the gradients of a call, in float32."""
    x = (library.arange(4096.0).reshape(8, 512) / 8).to(dtype).requires_grad_()
    w = (1 + library.arange(512.0) / 512).to(dtype).requires_grad_()
    y = eval(code, {"F": library.nn.functional, "x": x, "w": w})
    assert y.dtype == dtype
    grads = library.autograd.grad((y * y).sum(), [x, w])
    assert all(g.dtype == dtype for g in grads)
    return [t.detach().float() for t in (y, *grads)]


@pytest.mark.parametrize("name", CALLS)
def test_half_precision_is_computed_in_float32(name):
    half, full = (both(ad, CALLS[name], dtype) for dtype in (ad.float16, ad.float32))
    for a, b in zip(half, full, strict=True):
        assert ad.isfinite(a).all()
        assert (a - b).abs().max() <= 4e-3 * b.abs().max() + 1e-3


@pytest.mark.oracle
@pytest.mark.parametrize("code", REFUSED)
def test_refusals_are_those_of_pytorch(code, oracle):
    said = []
    for library in (oracle, ad):
        with pytest.raises((RuntimeError, NotImplementedError)) as caught:
            eval(code, {"F": library.nn.functional, "T": library})
        said.append((caught.type, str(caught.value)))
    assert said[0] == said[1]
