"""Samplers: in which order examples are read."""

import itertools
from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import Any

import numpy as np

from autodidact.arrays import distributions
from autodidact.arrays import random as draws
from autodidact.arrays.generator import Generator, default_generator

__all__ = ["BatchSampler", "RandomSampler", "Sampler", "SequentialSampler",
           "SubsetRandomSampler", "WeightedRandomSampler", "new_seed"]

LOT = 32                 # with replacement, PyTorch draws so many numbers at a time


def new_seed(generator: Generator | None) -> int:
    """A seed, drawn as PyTorch draws it."""
    source = default_generator if generator is None else generator
    return int(draws.random(source, (), np.int64))


class Sampler:
    """Base class: subclasses write `__iter__`, which gives the numbers of examples."""

    def __iter__(self) -> Iterator:
        raise NotImplementedError


class SequentialSampler(Sampler):
    """0, 1, 2, ..."""

    def __init__(self, data_source: Sized) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler):
    """In random order; with replacement, or for more or fewer numbers than there are, as often.

    Args:
        data_source: the dataset.
        replacement: draw each number from all.
        num_samples: how many; default: all.
        generator: the source; without one, a new one is seeded from the default one each time.
    """

    def __init__(self, data_source: Sized, replacement: bool = False,
                 num_samples: int | None = None, generator: Generator | None = None) -> None:
        if not isinstance(replacement, bool):
            raise TypeError("replacement should be a boolean value, but got "
                            f"replacement={replacement}")
        self.data_source, self.replacement, self.generator = data_source, replacement, generator
        self._num_samples = num_samples
        if not isinstance(self.num_samples, int) or self.num_samples < 0:
            raise ValueError("num_samples should be a non-negative integer value, but got "
                             f"num_samples={self.num_samples}")

    @property
    def num_samples(self) -> int:
        """How many numbers it gives."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator:
        n, wanted, gen = len(self.data_source), self.num_samples, self.generator
        if gen is None:
            gen = Generator().manual_seed(new_seed(None))
        if self.replacement:
            for size in [LOT] * (wanted // LOT) + [wanted % LOT]:
                yield from draws.integers(gen, 0, n, (size,), np.int64).tolist()
            return
        for _ in range(wanted // n):
            yield from draws.permutation(gen, n).tolist()
        yield from draws.permutation(gen, n).tolist()[:wanted % n]

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler):
    """Some numbers in random order."""

    def __init__(self, indices: Sequence, generator: Generator | None = None) -> None:
        self.indices, self.generator = indices, generator

    def __iter__(self) -> Iterator:
        gen = default_generator if self.generator is None else self.generator
        for i in draws.permutation(gen, len(self.indices)).tolist():
            yield self.indices[i]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler):
    """Numbers drawn with probability in proportion to weights."""

    def __init__(self, weights: Sequence, num_samples: int, replacement: bool = True,
                 generator: Generator | None = None) -> None:
        if not isinstance(num_samples, int) or isinstance(num_samples, bool) or num_samples <= 0:
            raise ValueError("num_samples should be a positive integer value, but got "
                             f"num_samples={num_samples}")
        self.weights = np.array(getattr(weights, "_array", weights), np.float64)
        if self.weights.ndim != 1:
            raise ValueError("weights should be a 1d sequence but given weights have shape "
                             f"{self.weights.shape}")
        self.num_samples, self.replacement, self.generator = num_samples, replacement, generator

    def __iter__(self) -> Iterator:
        gen = default_generator if self.generator is None else self.generator
        yield from distributions.multinomial(gen, self.weights, self.num_samples,
                                             self.replacement).tolist()

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler):
    """Lists of so many numbers of another sampler.

    Args:
        sampler: the other one, or any iterable.
        batch_size: how many.
        drop_last: leave the last list out if it is shorter.
    """

    def __init__(self, sampler: Iterable, batch_size: int, drop_last: bool) -> None:
        if not isinstance(batch_size, int) or isinstance(batch_size, bool) or batch_size <= 0:
            raise ValueError("batch_size should be a positive integer value, but got "
                             f"batch_size={batch_size}")
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last

    def __iter__(self) -> Iterator:
        numbers = iter(self.sampler)
        while batch := list(itertools.islice(numbers, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self) -> int:
        count: Any = len(self.sampler)
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)
