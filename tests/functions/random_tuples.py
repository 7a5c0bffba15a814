"""Random numbers by their public names: (function, dtype, size, seed) under either library.

`tests/arrays/random_cases.py` tries the draws beneath; here each call begins with its own seed and
is written as a learner writes it.
"""

from dataclasses import dataclass

import numpy as np

SIZES = ((), (1,), (2,), (7,), (15,), (16,), (17,), (33,), (100,), (3, 5), (4, 2, 3))
SEEDS = (0, 1, 42, 123456789, 2**32 + 7)
RECORDED = (((3,), 42), ((5, 7), 2**32 + 7))           # what is written down for machines without

FLOATS = ("float32", "float64", "float16")
NORMAL = ("float32", "float64")
COMPLEX = ("complex64", "complex128")
INTEGERS = ("int64", "int32", "int16", "int8", "uint8")


@dataclass
class Function:
    """One call; in `code`, s is the size and d the dtype, x zeros, p odds and r rates of both.

    Attributes:
        code: what is evaluated, for the test's name and the record.
        dtypes: with which it is tried.
        exact: the same bits; else float32 within 1e-6 absolute, float64 within 1e-14 relative.
    """

    code: str
    dtypes: tuple
    exact: bool = True


EXACT = [
    Function("torch.rand(s, dtype=d)", FLOATS + COMPLEX),
    Function("torch.rand_like(x)", FLOATS),
    Function("x.uniform_()", FLOATS),
    Function("x.uniform_(-0.07, 3.3)", FLOATS),
    Function("torch.nn.init.uniform_(x, 2, 5)", FLOATS),
    Function("torch.randint(10, s, dtype=d)", INTEGERS + FLOATS),
    Function("torch.randint(-5, 100, s, dtype=d)", ("int64", "int32", "int16", "int8")),
    Function("torch.randint(-2**40, 2**62, s, dtype=d)", ("int64",)),
    Function("torch.randint_like(x, 3, 9)", INTEGERS),
    Function("x.random_()", INTEGERS + FLOATS + ("bool",)),
    Function("x.random_(2, 50)", INTEGERS),
    Function("torch.randperm(x.numel(), dtype=d)", ("int64", "int32", "float32")),
    Function("torch.bernoulli(p)", FLOATS),
    Function("torch.rand(s, dtype=d) < 0.3", NORMAL),
    Function("x.geometric_(0.3)", NORMAL),
    Function("torch.poisson(r)", NORMAL),
    Function("torch.multinomial(p.reshape(-1) + 1, 5, replacement=True)", NORMAL),
    Function("torch.nn.init.xavier_uniform_(x.expand(2, 3, *s).clone())", NORMAL),
]
CLOSE = [
    Function("torch.randn(s, dtype=d)", FLOATS + COMPLEX, exact=False),
    Function("torch.randn_like(x)", NORMAL, exact=False),
    Function("x.normal_()", NORMAL, exact=False),
    Function("x.normal_(0, 0.3)", NORMAL, exact=False),
    Function("torch.normal(0.0, 0.5, s, dtype=d)", NORMAL, exact=False),
    Function("torch.normal(x, p + 0.1)", NORMAL, exact=False),
    Function("torch.nn.init.kaiming_normal_(x.expand(2, 3, *s).clone())", NORMAL, exact=False),
]
FUNCTIONS = EXACT + CLOSE
CASES = [(f, dtype) for f in FUNCTIONS for dtype in f.dtypes]
TUPLES = [(f.code, dtype, size, seed) for f, dtype in CASES for size in SIZES for seed in SEEDS]


def drawn(library, function, dtype, size, seed):
    """What the call gives under a library, as an array of NumPy."""
    d = getattr(library, dtype)
    n = int(np.prod(size))
    names = {"torch": library, "s": size, "d": d, "x": library.zeros(size, dtype=d)}
    if dtype in FLOATS:
        steps = library.arange(n).reshape(size)
        names |= {"p": (steps * 7 % 11).to(d) / 11, "r": (steps * 5 % 17).to(d)}
    library.manual_seed(seed)
    return eval(function.code, names).numpy()


def distance(ours, theirs, exact):
    """How far apart the numbers are, in units of what is allowed: at most 1 is well."""
    if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
        return np.inf
    if exact:
        return 0.0 if np.array_equal(ours, theirs) else np.inf
    allowed = {"d": 1e-14 * np.abs(theirs), "D": 1e-14 * np.abs(theirs), "f": 1e-6, "F": 1e-6,
               "e": 1e-3}[theirs.dtype.char]
    gap = np.abs(ours - theirs)
    return float(np.max(gap / np.maximum(allowed, 1e-300), initial=0.0))


def as_json(numbers):
    """Numbers that JSON can hold: a complex number as a pair."""
    return numbers.view(numbers.real.dtype).reshape(-1).tolist()


def torchs_answers(torch):
    """PyTorch's numbers for every function, dtype and recorded (size, seed)."""
    return {f"{f.code} {dtype} {size}": as_json(drawn(torch, f, dtype, size, seed))
            for f, dtype in CASES for size, seed in RECORDED}
