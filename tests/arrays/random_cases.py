"""Every draw, written twice: with our functions and with PyTorch's."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from autodidact.arrays import distributions, random

FLOATS = ("float32", "float64", "float16")
INTEGERS = ("int64", "int32", "int16", "int8", "uint8")
# What goes through a logarithm or a sine: libraries differ in the last bit, and for float32
# normal numbers PyTorch has approximations of its own.
CLOSE = {"float32": 1e-6, "complex64": 1e-6, "float16": 1e-3, "float64": 1e-14,
         "complex128": 1e-14}


@dataclass
class Draw:
    """One kind of draw.

    Attributes:
        name: for the test's name and the record.
        dtypes: that it can make.
        ours: (our generator, n, name of the dtype) -> array.
        torchs: (torch, its generator, n, its dtype) -> tensor.
        exact: the same bits; else equal within CLOSE, times `scale`.
        vendor: PyTorch may take it from the processor's vendor, with other numbers.
    """

    name: str
    dtypes: tuple
    ours: Callable
    torchs: Callable
    exact: bool = True
    vendor: bool = False
    scale: float = 1


def chances(n, dtype):
    """n probabilities or weights."""
    return (np.arange(1, n + 1) * 7 % 11 / 11).astype(dtype)


def rates(n, dtype):
    """n rates, some of them zero, some beyond 10, where the way of drawing changes."""
    return (np.arange(n) * 5 % 17).astype(dtype)


def _range(low, high):
    return (lambda gen, n, d: random.integers(gen, low, high, (n,), d),
            lambda torch, g, n, d: torch.empty(n, dtype=d).random_(low, high, generator=g))


def _filled(method, **arguments):
    return lambda torch, g, n, d: getattr(torch.empty(n, dtype=d), method)(
        generator=g, **arguments)


def _spaced(torch, g, n, d):
    """Normal numbers in a tensor with gaps between its elements."""
    return torch.empty(2 * n, dtype=d)[::2].normal_(generator=g)


DRAWS = [
    Draw("rand", (*FLOATS, "complex64", "complex128"),
         lambda gen, n, d: random.uniform(gen, (n,), d),
         lambda torch, g, n, d: torch.rand(n, generator=g, dtype=d)),
    Draw("uniform_", FLOATS,
         lambda gen, n, d: random.uniform(gen, (n,), d, -0.07, 3.3),
         lambda torch, g, n, d: torch.empty(n, dtype=d).uniform_(-0.07, 3.3, generator=g)),
    Draw("randn", (*FLOATS, "complex64", "complex128"),
         lambda gen, n, d: random.normal(gen, (n,), d),
         lambda torch, g, n, d: torch.randn(n, generator=g, dtype=d), exact=False),
    Draw("normal_", (*FLOATS, "complex64", "complex128"),
         lambda gen, n, d: random.normal(gen, (n,), d, 2, 0.5),
         lambda torch, g, n, d: torch.empty(n, dtype=d).normal_(2, 0.5, generator=g),
         exact=False, scale=2),
    Draw("normal_ with gaps", FLOATS,
         lambda gen, n, d: random.normal(gen, (n,), d, contiguous=False), _spaced, exact=False),
    Draw("normal of tensors", ("float32", "float64"),
         lambda gen, n, d: random.normal(gen, (n,), d, rates(n, d), chances(n, d)),
         lambda torch, g, n, d: torch.normal(
             torch.from_numpy(rates(n, np.float64)).to(d),
             torch.from_numpy(chances(n, np.float64)).to(d), generator=g), exact=False, scale=4),
    Draw("randint", (*INTEGERS, *FLOATS), *_range(0, 100)),
    Draw("randint of bool", ("bool",), *_range(0, 2)),
    Draw("randint below 2**28", ("int64",), *_range(0, 2**28 - 1)),
    Draw("randint from 2**28", ("int64", "int32"), *_range(-5, 2**28 - 5)),
    Draw("randint of nearly all", ("int64",), *_range(-2**63, 2**63 - 1)),
    Draw("random_ from -3", ("int64",), *_range(-3, None)),
    Draw("random_", (*INTEGERS, *FLOATS, "bool"),
         lambda gen, n, d: random.random(gen, (n,), d), _filled("random_")),
    Draw("randperm", ("int64", "int32", "uint8", "float32"),
         lambda gen, n, d: random.permutation(gen, n, d),
         lambda torch, g, n, d: torch.randperm(n, generator=g, dtype=d)),
    Draw("bernoulli_", ("float32", "float64", "float16", "int64", "bool"),
         lambda gen, n, d: random.bernoulli(gen, 0.3, (n,), d), _filled("bernoulli_", p=0.3),
         vendor=True),
    Draw("bernoulli of a tensor", FLOATS,
         lambda gen, n, d: random.bernoulli(gen, chances(n, d), (n,), d),
         lambda torch, g, n, d: torch.bernoulli(
             torch.from_numpy(chances(n, np.float64)).to(d), generator=g)),
    Draw("exponential_", FLOATS,
         lambda gen, n, d: distributions.exponential(gen, (n,), d, 1.7),
         _filled("exponential_", lambd=1.7), exact=False, vendor=True),
    Draw("cauchy_", FLOATS,
         lambda gen, n, d: distributions.cauchy(gen, (n,), d, 1, 2),
         _filled("cauchy_", median=1, sigma=2), exact=False, scale=10),
    Draw("log_normal_", FLOATS,
         lambda gen, n, d: distributions.log_normal(gen, (n,), d, 0.5, 0.7),
         _filled("log_normal_", mean=0.5, std=0.7), exact=False),
    Draw("geometric_", (*FLOATS, "int64"),
         lambda gen, n, d: distributions.geometric(gen, (n,), d, 0.2),
         _filled("geometric_", p=0.2)),
    Draw("poisson", ("float32", "float64"),
         lambda gen, n, d: distributions.poisson(gen, rates(n, d)),
         lambda torch, g, n, d: torch.poisson(
             torch.from_numpy(rates(n, np.float64)).to(d), generator=g)),
    Draw("multinomial with replacement", FLOATS,
         lambda gen, n, d: distributions.multinomial(gen, chances(9, d), n + 1, True),
         lambda torch, g, n, d: torch.multinomial(
             torch.from_numpy(chances(9, np.float64)).to(d), n + 1, True, generator=g)),
    Draw("multinomial of rows", ("float32", "float64"),
         lambda gen, n, d: distributions.multinomial(gen, chances(27, d).reshape(3, 9) + 1, 4,
                                                     n % 2 == 0),
         lambda torch, g, n, d: torch.multinomial(
             torch.from_numpy(chances(27, np.float64)).to(d).reshape(3, 9) + 1, 4, n % 2 == 0,
             generator=g), vendor=True),
    Draw("multinomial without replacement", ("float32", "float64"),
         lambda gen, n, d: distributions.multinomial(gen, chances(n + 1, d) + 1, n + 1),
         lambda torch, g, n, d: torch.multinomial(
             torch.from_numpy(chances(n + 1, np.float64)).to(d) + 1, n + 1, generator=g),
         vendor=True),
]
CASES = [(draw, dtype) for draw in DRAWS for dtype in draw.dtypes]


def mixed(gen):
    """A sequence of our draws in which each begins where the one before it ended."""
    yield random.normal(gen, (3,), "float32")
    yield random.normal(gen, (1,), "float64")           # the half that the three left behind
    yield random.uniform(gen, (2, 3), "float32")
    yield random.normal(gen, (5, 7), "float32", 1, 2)
    yield random.permutation(gen, 6)
    yield random.normal(gen, (1,), "float32")
    yield random.integers(gen, -9, 9, (4,), "int64")
    yield random.bernoulli(gen, chances(5, "float32"), (5,), "float32")
    yield random.normal(gen, (2,), "complex64")
    yield random.uniform(gen, (700,), "float64")[-3:]
    yield random.normal(gen, (1,), "float32")


def torchs_mixed(torch, g):
    """The same sequence with PyTorch."""
    yield torch.randn(3, generator=g)
    yield torch.randn(1, generator=g, dtype=torch.float64)
    yield torch.rand(2, 3, generator=g)
    yield torch.empty(5, 7).normal_(1, 2, generator=g)
    yield torch.randperm(6, generator=g)
    yield torch.randn(1, generator=g)
    yield torch.randint(-9, 9, (4,), generator=g)
    yield torch.bernoulli(torch.from_numpy(chances(5, "float32")), generator=g)
    yield torch.randn(2, generator=g, dtype=torch.complex64)
    yield torch.rand(700, generator=g, dtype=torch.float64)[-3:]
    yield torch.randn(1, generator=g)


def as_json(array):
    """Numbers that JSON can hold: a complex number as a pair."""
    array = np.asarray(array)
    if array.dtype.kind == "c":
        array = array.view(array.real.dtype)
    return array.reshape(-1).tolist()


def torchs_answers(torch):
    """PyTorch's numbers for every case: sizes 5 and 17, seeds 0 and 2**32 + 1."""
    answers = {}
    for draw, dtype in CASES:
        for n, seed in RECORDED:
            g = torch.Generator().manual_seed(seed)
            answers[f"{draw.name} {dtype} {n}"] = as_json(
                draw.torchs(torch, g, n, getattr(torch, dtype)))
    g = torch.Generator().manual_seed(3)
    answers["mixed"] = [as_json(x) for x in torchs_mixed(torch, g)]
    return answers


RECORDED = ((5, 0), (17, 2**32 + 1))
