"""Tables under vmap (lookups, classes, sequences): one call for all lanes, as a loop gives it."""

import itertools
import warnings

import numpy as np
import pytest

import autodidact as ad
from autodidact.func import grad, jacfwd, vmap
from autodidact.nn import functional as F

RNG = np.random.default_rng(21)


def real(*shape):
    return ad.tensor(RNG.normal(size=shape))


def whole(low, high, *shape):
    return ad.tensor(RNG.integers(low, high, shape))


def labels(*shape):
    """Classes 0 to 4, some of them to be ignored."""
    drawn = RNG.integers(-1, 5, shape)
    return ad.tensor(np.where(drawn < 0, -100, drawn))


def nll(how, ignored=-100):
    return lambda x, target, weight: F.nll_loss(x, target, weight, reduction=how,
                                                ignore_index=ignored)


CASES = {                       # the function, and a stack of three for each of its inputs
    "take": (ad.take, real(3, 2, 4), whole(-8, 8, 3, 2, 2)),
    "take of a vector": (ad.take, real(3, 5), whole(-5, 5, 3)),
    "embedding": (lambda w, i: F.embedding(i, w), real(3, 5, 2), whole(0, 5, 3, 4)),
    "embedding with padding": (lambda w, i: F.embedding(i, w, padding_idx=2), real(3, 5, 2),
                               whole(0, 5, 3, 2, 4)),
    "embedding by frequency": (lambda w, i: F.embedding(i, w, scale_grad_by_freq=True),
                               real(3, 4, 2), whole(0, 4, 3, 6)),
    "nll, each": (nll("none"), real(3, 4, 5), labels(3, 4), real(3, 5).abs()),
    "nll, sum": (nll("sum", 1), real(3, 4, 5), whole(0, 5, 3, 4), real(3, 5).abs()),
    "nll, mean": (nll("mean"), real(3, 4, 5), whole(2, 5, 3, 4), real(3, 5).abs()),
    "nll of one": (nll("mean"), real(3, 5), whole(2, 5, 3), real(3, 5).abs()),
    "nll of pictures": (nll("mean"), real(3, 2, 5, 2, 2), labels(3, 2, 2, 2),
                        real(3, 5).abs()),
}


@pytest.fixture(autouse=True)
def no_loop():
    """A loop over lanes would warn."""
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message="There is a performance drop")
        yield


def loop(function, stacks, dims):
    """The same lane by lane."""
    lanes = ([s if d is None else s[k] for s, d in zip(stacks, dims, strict=True)]
             for k in range(3))
    return ad.stack([function(*lane) for lane in lanes])


@pytest.mark.parametrize("name", CASES)
def test_vmap_is_a_loop_for_every_choice_of_lanes(name):
    function, *stacks = CASES[name]
    first = {f"the gradient of {name}": grad(lambda *given: (function(*given) ** 2).sum()),
             f"the forward derivative of {name}": jacfwd(lambda *given: function(*given) ** 2),
             name: function}
    for dims in itertools.product((0, None), repeat=len(stacks)):
        if dims == (None,) * len(stacks):
            continue
        given = [s if d == 0 else s[0] for s, d in zip(stacks, dims, strict=True)]
        for what, f in first.items():
            found, want = vmap(f, in_dims=dims)(*given), loop(f, given, dims)
            np.testing.assert_allclose(found.numpy(), want.numpy(), rtol=1e-10, atol=1e-12,
                                       err_msg=f"{what}, {dims}")


@pytest.mark.parametrize("name", CASES)
def test_gradients_of_all_lanes_at_once(name):
    function, *stacks = CASES[name]
    x, *rest = stacks
    both = []
    for way in (lambda t: vmap(function)(t, *rest),
                lambda t: loop(function, [t, *rest], [0] * len(stacks))):
        leaf = x.clone().requires_grad_()
        (way(leaf) ** 2).sum().backward()
        both.append(leaf.grad.numpy())
    np.testing.assert_allclose(*both, rtol=1e-10, atol=1e-12)


def test_two_levels_and_no_lanes():
    table, places = real(2, 3, 5, 2), whole(0, 5, 2, 3, 4)
    found = vmap(vmap(lambda w, i: F.embedding(i, w, padding_idx=1)))(table, places)
    for b, k in itertools.product(range(2), range(3)):
        assert found[b, k].tolist() == table[b, k][places[b, k]].tolist()
    assert vmap(ad.take)(ad.zeros(0, 4), ad.zeros(0, 2, dtype=ad.int64)).shape == (0, 2)


def test_sequences_with_lanes():
    scores = real(3, 6, 2, 4).log_softmax(-1)
    targets, steps, lengths = ad.tensor([[1, 2], [3, 3]]), ad.tensor([6, 5]), ad.tensor([2, 1])

    def loss(x):
        return F.ctc_loss(x, targets, steps, lengths, reduction="none")

    for f in (loss, grad(lambda x: (loss(x) ** 2).sum())):
        want = ad.stack([f(s) for s in scores])
        np.testing.assert_allclose(vmap(f)(scores).numpy(), want.numpy(), rtol=1e-10, atol=1e-12)
