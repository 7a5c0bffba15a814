"""The same seed gives the numbers that PyTorch draws on the CPU."""

import json
import time
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from autodidact.arrays import distributions, random
from autodidact.arrays.random import Generator
from tests.arrays.random_cases import (
    CASES,
    CLOSE,
    DRAWS,
    RECORDED,
    as_json,
    mixed,
    torchs_answers,
    torchs_mixed,
)

ANSWERS = json.loads(Path(__file__).with_name("drawn.json").read_text())
each_case = pytest.mark.parametrize(("draw", "dtype"), CASES,
                                    ids=[f"{d.name}-{dtype}" for d, dtype in CASES])


def compare(ours, theirs, draw, dtype):
    """Equal bits, or close where PyTorch approximates."""
    if draw is not None and draw.exact:
        np.testing.assert_array_equal(ours, theirs)
    else:
        close = CLOSE.get(dtype, 0) * (draw.scale if draw else 4)
        np.testing.assert_allclose(ours, theirs, rtol=close, atol=close)


def vendors_numbers(torch):
    """Whether PyTorch draws `bernoulli_` otherwise here: from one word for the whole tensor."""
    one, other = torch.Generator().manual_seed(0), torch.Generator().manual_seed(0)
    torch.empty(5).bernoulli_(0.5, generator=one)
    torch.empty(10, dtype=torch.int32).random_(generator=other)
    return not torch.equal(one.get_state(), other.get_state())


@each_case
def test_recorded_numbers(draw, dtype):
    for n, seed in RECORDED:
        ours = draw.ours(Generator().manual_seed(seed), n, dtype)
        assert ours.dtype == (np.int64 if draw.name.startswith("multinomial") else dtype)
        compare(as_json(ours), ANSWERS[f"{draw.name} {dtype} {n}"], draw, dtype)


def test_recorded_sequence():
    for ours, theirs in zip(mixed(Generator().manual_seed(3)), ANSWERS["mixed"], strict=True):
        compare(as_json(ours), theirs, None, ours.dtype.name)


@each_case
def test_sizes_1_to_100(draw, dtype, oracle):
    """Draw after draw from one generator; at the end both generators are at the same place."""
    if draw.vendor and vendors_numbers(oracle):
        pytest.skip("this processor's vendor has a library with other numbers")
    ours, theirs = Generator().manual_seed(1), oracle.Generator().manual_seed(1)
    for n in range(101):
        numbers = draw.ours(ours, n, dtype)
        expected = draw.torchs(oracle, theirs, n, getattr(oracle, dtype)).numpy()
        assert (numbers.shape, numbers.dtype) == (expected.shape, expected.dtype)
        compare(numbers, expected, draw, dtype)
    assert_same_place(ours, theirs)


def assert_same_place(ours, theirs):
    """Both generators go on with the same words and the same spare normal number."""
    twin = Generator()
    twin.set_state(theirs.get_state().numpy())
    assert twin.spare_normal == ours.spare_normal
    assert twin.words(700).tolist() == ours.words(700).tolist()


@pytest.mark.parametrize("seed", [0, 1, 42, 2**32 - 1, 2**32, 2**63 + 5, -1])
def test_mixed_sequence(seed, oracle):
    ours, theirs = Generator().manual_seed(seed), oracle.Generator().manual_seed(seed)
    for numbers, expected in zip(mixed(ours), torchs_mixed(oracle, theirs), strict=True):
        compare(numbers, expected.numpy(), None, numbers.dtype.name)
    assert_same_place(ours, theirs)


def test_recorded_answers_are_torchs(oracle):
    if vendors_numbers(oracle):
        pytest.skip("this processor's vendor has a library with other numbers")
    answers = torchs_answers(oracle)
    assert answers.keys() == ANSWERS.keys()
    for draw, dtype in CASES:
        for n, _ in RECORDED:
            key = f"{draw.name} {dtype} {n}"
            compare(answers[key], ANSWERS[key], draw, dtype)


def test_dropout(oracle):
    if vendors_numbers(oracle):
        pytest.skip("this processor's vendor has a library with other numbers")
    for p in (0.0, 0.1, 0.4, 1.0):
        gen = Generator().manual_seed(5)
        oracle.manual_seed(5)
        for shape in ((3,), (4, 5), (2, 3, 1, 1)):
            expected = oracle.nn.functional.dropout(oracle.ones(shape), p).numpy()
            np.testing.assert_array_equal(random.dropout_mask(gen, shape, np.float32, p), expected)


def test_shapes_are_filled_in_order(oracle):
    ours, theirs = Generator().manual_seed(2), oracle.Generator().manual_seed(2)
    for shape in ((), (0,), (2, 0, 3), (4, 5), (2, 3, 4)):
        np.testing.assert_array_equal(random.uniform(ours, shape, np.float32),
                                      oracle.rand(shape, generator=theirs).numpy())


def test_rounding_up_to_the_bound(oracle):
    """A number rounded up to the bound becomes the lowest instead."""
    ours, theirs = Generator().manual_seed(3), oracle.Generator().manual_seed(3)
    for low, high in ((0, 1), (2, 5), (-2, 3.3)):
        numbers = random.uniform(ours, (50_000,), np.float16, low, high)
        expected = oracle.empty(50_000, dtype=oracle.float16).uniform_(low, high, generator=theirs)
        np.testing.assert_array_equal(numbers, expected.numpy())
        assert numbers.max() < np.float16(high)


def test_multiply_and_add_round_once():
    """Against exact fractions; halves, which two roundings would get wrong, included."""
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.random(2000), 1 + np.arange(50) * 2.0**-52])
    for factor, term in ((0.1, 3.0), (3.37, -0.07), (1 + 2.0**-30, 2.0**-30), (1 / 3, 1e-17)):
        ours = random._fused(x, np.float64(factor), np.float64(term))
        exact = [float(Fraction(v) * Fraction(factor) + Fraction(term)) for v in x.tolist()]
        assert ours.tolist() == exact


# What PyTorch refuses: our call, PyTorch's call.
WRONG = [
    (lambda g: random.integers(g, 5, 5, (2,), "int64"),
     lambda t: t.empty(2, dtype=t.int64).random_(5, 5)),
    (lambda g: random.integers(g, 0, 300, (2,), "uint8"),
     lambda t: t.empty(2, dtype=t.uint8).random_(0, 300)),
    (lambda g: random.integers(g, 0, 3, (2,), "bool"),
     lambda t: t.empty(2, dtype=t.bool).random_(0, 3)),
    (lambda g: random.integers(g, -1, 3, (2,), "uint8"),
     lambda t: t.empty(2, dtype=t.uint8).random_(-1, 3)),
    (lambda g: random.integers(g, 0, 2**24, (2,), "float16"),
     lambda t: t.randint(0, 2**24, (2,), dtype=t.float16)),
    (lambda g: random.random(g, (2,), "complex64"),
     lambda t: t.empty(2, dtype=t.complex64).random_()),
    (lambda g: random.normal(g, (2,), "float32", 0, -1), lambda t: t.empty(2).normal_(0, -1)),
    (lambda g: random.normal(g, (2,), "int64"), lambda t: t.randn(2, dtype=t.int64)),
    (lambda g: random.normal(g, (2,), "float32", 0, np.float32([-1, 2])),
     lambda t: t.normal(t.zeros(2), t.tensor([-1.0, 2]))),
    (lambda g: random.uniform(g, (2,), "float32", 2, 1), lambda t: t.empty(2).uniform_(2, 1)),
    (lambda g: random.uniform(g, (2,), "float32", -4e38, 0),
     lambda t: t.empty(2).uniform_(-4e38, 0)),
    (lambda g: random.uniform(g, (2,), "float32", -3e38, 3e38),
     lambda t: t.empty(2).uniform_(-3e38, 3e38)),
    (lambda g: random.uniform(g, (2,), "int64"), lambda t: t.rand(2, dtype=t.int64)),
    (lambda g: random.permutation(g, -1), lambda t: t.randperm(-1)),
    (lambda g: random.permutation(g, 3000, "float16"), lambda t: t.randperm(3000, dtype=t.half)),
    (lambda g: random.bernoulli(g, 1.5, (2,), "float32"), lambda t: t.empty(2).bernoulli_(1.5)),
    (lambda g: random.bernoulli(g, np.float32([1.5]), (1,), "float32"),
     lambda t: t.bernoulli(t.tensor([1.5]))),
    (lambda g: random.bernoulli(g, np.ones(2, np.int64), (2,), "int64"),
     lambda t: t.bernoulli(t.ones(2, dtype=t.int64))),
    (lambda g: random.bernoulli(g, 0.5, (2,), "complex64"),
     lambda t: t.empty(2, dtype=t.complex64).bernoulli_()),
    (lambda g: distributions.exponential(g, (2,), "float32", -1),
     lambda t: t.empty(2).exponential_(-1)),
    (lambda g: distributions.exponential(g, (2,), "int64"),
     lambda t: t.empty(2, dtype=t.int64).exponential_()),
    (lambda g: distributions.cauchy(g, (2,), "float32", 0, -1),
     lambda t: t.empty(2).cauchy_(0, -1)),
    (lambda g: distributions.log_normal(g, (2,), "float32", 0, -1),
     lambda t: t.empty(2).log_normal_(0, -1)),
    (lambda g: distributions.geometric(g, (2,), "float32", 0), lambda t: t.empty(2).geometric_(0)),
    (lambda g: distributions.poisson(g, np.float32([-1])), lambda t: t.poisson(t.tensor([-1.0]))),
    (lambda g: distributions.multinomial(g, np.ones(3), 5), lambda t: t.multinomial(t.ones(3), 5)),
    (lambda g: distributions.multinomial(g, np.ones(3), 0), lambda t: t.multinomial(t.ones(3), 0)),
    (lambda g: distributions.multinomial(g, np.zeros(3), 1),
     lambda t: t.multinomial(t.zeros(3), 1)),
    (lambda g: distributions.multinomial(g, np.float32([-1, 2]), 1),
     lambda t: t.multinomial(t.tensor([-1.0, 2]), 1)),
    (lambda g: distributions.multinomial(g, np.ones((2, 2, 2)), 1),
     lambda t: t.multinomial(t.ones(2, 2, 2), 1)),
    (lambda g: distributions.multinomial(g, np.ones(2, np.int64), 1),
     lambda t: t.multinomial(t.ones(2, dtype=t.int64), 1)),
]


@pytest.mark.parametrize(("ours", "theirs"), WRONG)
def test_refusals(ours, theirs, oracle):
    with pytest.raises((RuntimeError, NotImplementedError)) as expected:
        theirs(oracle)
    with pytest.raises(expected.type) as raised:
        ours(Generator())
    assert raised.type is expected.type
    assert str(expected.value).startswith(str(raised.value)[:60])


@pytest.mark.parametrize("draw", [
    lambda gen: random.normal(gen, (1_000_000,), np.float32),
    lambda gen: random.uniform(gen, (1_000_000,), np.float32),
    lambda gen: random.bernoulli(gen, 0.5, (1_000_000,), np.float32),
], ids=["normal", "uniform", "bernoulli"])
def test_a_million_numbers(draw):
    """Vectorised: about 30 ms of the processor's time; number by number it would be a second."""
    def once():
        start = time.process_time()         # another program's work must not count
        draw(random.default_generator)
        return time.process_time() - start

    assert min(once() for _ in range(7)) < 0.15


def test_every_draw_is_compared_with_enough_tuples():
    """At least a thousand (function, dtype, size, seed) in all."""
    assert len({draw.name for draw in DRAWS}) == len(DRAWS)
    assert 101 * len(CASES) > 1000
