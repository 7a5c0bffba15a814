"""Random tensors with PyTorch's arguments; also what `torch.random` offers.

The numbers are those of `arrays/random.py`: what PyTorch draws on the CPU from the same seed. They
are drawn on the CPU for every device, and sent: the same seed gives the same numbers everywhere.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from autodidact.arrays import device as devices
from autodidact.arrays import distributions, generator
from autodidact.arrays import dtype as dt
from autodidact.arrays import random as draws
from autodidact.arrays.bfloat16 import cast
from autodidact.arrays.device import CPU
from autodidact.arrays.foreign import plain_dtype
from autodidact.autograd.grad_mode import no_grad
from autodidact.functions.arguments import need_tensor
from autodidact.functions.creation import fresh, kind_of, shape_of
from autodidact.functions.inplace import copy_
from autodidact.functions.no_derivative import constant, refused
from autodidact.functions.questions import TYPE_NAMES
from autodidact.levels.randomness import drawn, odds_of
from autodidact.public import FUNCTIONS, both, function, method
from autodidact.tensor import Tensor

__all__ = ["Generator", "bernoulli", "fork_rng", "get_rng_state", "initial_seed", "manual_seed",
           "multinomial", "normal", "rand", "randint", "randn", "randperm", "seed", "set_rng_state"]

Generator = generator.Generator
FUNCTIONS["Generator"], FUNCTIONS["default_generator"] = Generator, generator.default_generator

# ---- the generator ------------------------------------------------------------------------------


@function
def manual_seed(seed: int) -> Generator:
    """Begin the random numbers anew: the same seed, the same numbers."""
    return generator.manual_seed(seed)


@function
def seed() -> int:
    """Begin the random numbers anew with a seed that nobody knows; returns it."""
    return generator.seed()


@function
def initial_seed() -> int:
    """The seed with which the numbers began."""
    return generator.initial_seed()


@function
def get_rng_state() -> Tensor:
    """The generator's whole state, as a tensor of bytes."""
    return fresh(generator.get_rng_state())


@function
def set_rng_state(new_state: Tensor) -> None:
    """Go on from a state that `get_rng_state` gave."""
    generator.set_rng_state(np.asarray(new_state._array))


@contextmanager
def fork_rng(devices: Any = None, enabled: bool = True) -> Iterator[None]:
    """What is drawn inside does not move the numbers outside."""
    with generator.fork_rng(enabled):
        yield


def source(given: Generator | None, where: Any = CPU) -> Generator:
    """The generator to draw from: the given one, or that of the device."""
    return generator.default_for(where) if given is None else given


# ---- new tensors --------------------------------------------------------------------------------


def factory(name: str, draw: Callable, doc: str) -> None:
    """`torch.name(*size)` and `torch.name_like(x)`."""
    def make(*size: Any, generator: Generator | None = None, dtype: Any = None, device: Any = None,
             requires_grad: bool = False, **unused: Any) -> Tensor:
        where = devices.check(device)
        size = (unused["size"],) if "size" in unused else size
        return drawn(lambda shape: draw(source(generator, where), shape, kind_of(dtype)),
                     shape_of(size), requires_grad, where)

    def like(input: Tensor, *, generator: Generator | None = None, dtype: Any = None,
             device: Any = None, requires_grad: bool = False, **unused: Any) -> Tensor:
        need_tensor(input, f"{name}_like", "input")
        where = input.device if device is None else devices.check(device)
        kind = plain_dtype(input._array.dtype) if dtype is None else dt.to_numpy(dtype)
        return drawn(lambda shape: draw(source(generator, where), shape, kind),
                     input._array.shape, requires_grad, where)
    for f, called in ((make, name), (like, f"{name}_like")):
        f.__name__ = f.__qualname__ = called
        f.__doc__ = doc
        function(f)


factory("rand", draws.uniform, "Numbers of [0, 1), equally likely.")
factory("randn", draws.normal, "Normally distributed numbers with mean 0 and variance 1.")
rand, randn = FUNCTIONS["rand"], FUNCTIONS["randn"]


@function
def randint(low: int, high: Any = None, size: Any = None, *, generator: Generator | None = None,
            dtype: Any = None, device: Any = None, requires_grad: bool = False,
            **unused: Any) -> Tensor:
    """Integers of [low, high), equally likely: `randint(high, size)` or `randint(low, high, size)`.

    Example:
        >>> torch.randint(3, 5, (2,))                                     # doctest: +SKIP
        tensor([4, 3])
    """
    where = devices.check(device)
    if size is None:
        low, high, size = 0, low, high
    if size is None:
        raise TypeError("randint() received an invalid combination of arguments: it needs a size")
    kind = np.dtype(np.int64) if dtype is None else dt.to_numpy(dtype)
    return drawn(lambda shape: draws.integers(source(generator, where), int(low), int(high), shape,
                                              kind), shape_of((size,)), requires_grad, where)


@function
def randint_like(input: Tensor, low: int, high: int | None = None, *, dtype: Any = None,
                 device: Any = None, requires_grad: bool = False, **unused: Any) -> Tensor:
    """Integers of [low, high) (or [0, low)) in the shape of `input`."""
    low, high = (0, low) if high is None else (low, high)
    return randint(low, high, input.shape, dtype=dtype or input.dtype,
                   device=device or input.device, requires_grad=requires_grad)


@function
def randperm(n: int, *, generator: Generator | None = None, dtype: Any = None, device: Any = None,
             requires_grad: bool = False, **unused: Any) -> Tensor:
    """The numbers 0, ..., n - 1 in random order."""
    where = devices.check(device)
    kind = np.dtype(np.int64) if dtype is None else dt.to_numpy(dtype)
    def draw(shape: tuple) -> np.ndarray:
        rows = [draws.permutation(source(generator, where), int(n), kind)
                for _ in range(int(np.prod(shape[:-1])))]
        return np.array(rows, kind).reshape(shape)
    return drawn(draw, (int(n),), requires_grad, where)


@function
def normal(mean: Any, std: Any = 1.0, size: Any = None, *, generator: Generator | None = None,
           dtype: Any = None, device: Any = None, requires_grad: bool = False,
           **unused: Any) -> Tensor:
    """Normally distributed numbers; `mean` and `std` are numbers (then with `size`) or tensors."""
    tensors = [x for x in (mean, std) if isinstance(x, Tensor)]
    which = isinstance(mean, Tensor) + 2 * isinstance(std, Tensor)      # PyTorch's number of it
    arrays = [x._array for x in tensors]
    where = tensors[0].device if tensors and device is None else devices.check(device)
    if size is not None:
        shape, kind = shape_of((size,)), kind_of(dtype)
    else:
        if not arrays:
            raise TypeError("normal() received an invalid combination of arguments: numbers for "
                            "mean and std need a size")
        shape = np.broadcast_shapes(*(a.shape for a in arrays))
        kind = plain_dtype(arrays[0].dtype)
    mean, std = (odds_of(x) if isinstance(x, Tensor) else x for x in (mean, std))
    found = drawn(lambda shape: draws.normal(source(generator, where), shape, kind, mean, std),
                  shape, requires_grad, where)
    return constant(f"NormalBackward{which}", tuple(tensors), found) if which else found


@function
def bernoulli(input: Tensor, p: float | None = None, *, generator: Generator | None = None,
              out: Any = None) -> Tensor:
    """Ones and zeros; a one with the probability that stands at its place in `input` (or `p`)."""
    need_tensor(input, "bernoulli", "input")
    odds = odds_of(input) if p is None else p
    where, kind = input.device, plain_dtype(input._array.dtype)
    found = drawn(lambda shape: draws.bernoulli(source(generator, where), odds, shape, kind),
                  input._array.shape, where=where)
    if p is None:
        return constant("BernoulliBackward0", (input,), found)
    return refused(None, "bernoulli", (input,), found)


def _bernoulli(self: Tensor, p: float | None = None, *,
               generator: Generator | None = None) -> Tensor:
    return bernoulli(self, p, generator=generator)


method(_bernoulli, "bernoulli")


@both
def multinomial(input: Tensor, num_samples: int, replacement: bool = False, *,
                generator: Generator | None = None, out: Any = None) -> Tensor:
    """Indices drawn with probability in proportion to `input`, from each row."""
    where = input.device
    return fresh(distributions.multinomial(source(generator, where), odds_of(input), num_samples,
                                           replacement), where=where)


@function
def poisson(input: Tensor, generator: Generator | None = None) -> Tensor:
    """Counts of events at the rates of `input`."""
    where = input.device
    counts = distributions.poisson(source(generator, where), odds_of(input))
    found = fresh(cast(counts, kind_in(input)), where=where)
    return constant("PoissonBackward0", (input,), found)


# ---- filling in place ---------------------------------------------------------------------------


def filled(self: Tensor, draw: Callable) -> Tensor:
    """Write what is drawn; like any write it counts a version and is refused for leaves."""
    return copy_(self, drawn(draw, self._array.shape, where=self.device))


def kind_in(t: Tensor) -> np.dtype:
    """The dtype to draw for a tensor: the numbers are drawn on the CPU."""
    return plain_dtype(t._array.dtype)


@method
def normal_(self: Tensor, mean: float = 0, std: float = 1, *,
            generator: Generator | None = None) -> Tensor:
    """Fill with normally distributed numbers."""
    gen, kind = source(generator, self.device), kind_in(self)
    return filled(self, lambda shape: draws.normal(gen, shape, kind, mean, std,
                                                   self.is_contiguous()))


@method
def uniform_(self: Tensor, from_: float = 0, to: float = 1, *, generator: Generator | None = None,
             **named: float) -> Tensor:
    """Fill with numbers of [from, to), equally likely."""
    gen, kind = source(generator, self.device), kind_in(self)
    return filled(self, lambda shape: draws.uniform(gen, shape, kind, named.get("from", from_), to))


@method
def bernoulli_(self: Tensor, p: Any = 0.5, *, generator: Generator | None = None) -> Tensor:
    """Fill with ones (with probability `p`, a number or a tensor) and zeros."""
    odds = odds_of(p) if isinstance(p, Tensor) else p
    return filled(self, lambda shape: draws.bernoulli(source(generator, self.device), odds, shape,
                                                      kind_in(self)))


@method
def random_(self: Tensor, from_: int | None = None, to: int | None = None, *,
            generator: Generator | None = None) -> Tensor:
    """Fill with integers: of [from, to), of [0, from), or of all that the dtype holds exactly."""
    gen, kind = source(generator, self.device), kind_in(self)
    if from_ is None:
        return filled(self, lambda shape: draws.random(gen, shape, kind))
    low, high = (0, from_) if to is None else (from_, to)
    return filled(self, lambda shape: draws.integers(gen, low, high, shape, kind))


def filling(name: str, draw: Callable, defaults: dict, doc: str, only: str = "biufc",
            error: type = NotImplementedError, refusal: str = "") -> None:
    """`Tensor.exponential_` and the like; other dtypes than those in `only` get the refusal."""
    def fill(self: Tensor, *args: float, generator: Generator | None = None,
             **named: float) -> Tensor:
        if self._array.dtype.kind not in only:
            raise error(refusal.format(TYPE_NAMES[self.dtype.name]))
        words = defaults | dict(zip(defaults, args, strict=False)) | named
        return filled(self, lambda shape: draw(source(generator, self.device), shape, kind_in(self),
                                               **words))
    fill.__name__ = fill.__qualname__ = name
    fill.__doc__ = doc
    method(fill)


filling("exponential_", distributions.exponential, {"lambd": 1.0}, "Fill with waiting times.")
filling("cauchy_", distributions.cauchy, {"median": 0.0, "sigma": 1.0}, "Fill from Cauchy's law.",
        "f", RuntimeError, "Cauchy distribution is a continuous probability distribution. dtype "
        "must be a floating point but you specified {}")
filling("log_normal_", distributions.log_normal, {"mean": 1.0, "std": 2.0},
        "Fill with exponentials of normal numbers.", "f",
        refusal="\"log_normal_cpu\" not implemented for '{}'")
filling("geometric_", distributions.geometric, {"p": 0.5}, "Fill with numbers of tries.", "iuf",
        refusal="\"geometric_cpu\" not implemented for '{}'")


def dropped(input: Tensor, p: float, inplace: bool) -> Tensor:
    """Zeros with probability p, the rest larger by 1 / (1 - p).

    The mask is drawn in the order in which the input lies in memory, as PyTorch does.
    """
    array = input._array
    strides = getattr(array, "strides", None) or (0,) * len(array.shape)
    order = sorted(range(len(array.shape)), key=lambda dim: -strides[dim])
    with no_grad():
        where, kind = input.device, plain_dtype(array.dtype)
        mask = drawn(lambda shape: draws.dropout_mask(source(None, where), shape, kind, p),
                     tuple(array.shape[dim] for dim in order), where=where)
        if order != sorted(order):
            mask = mask.permute(*[order.index(dim) for dim in range(len(order))])
    return input.mul_(mask) if inplace else input * mask
