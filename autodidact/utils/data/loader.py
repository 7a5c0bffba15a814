"""DataLoader: batches of a dataset, in order or shuffled."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from autodidact.arrays.generator import Generator
from autodidact.utils.data.collate import default_collate, default_convert
from autodidact.utils.data.dataset import IterableDataset, Subset, TensorDataset
from autodidact.utils.data.sampler import (
    BatchSampler,
    RandomSampler,
    SequentialSampler,
    new_seed,
)

__all__ = ["DataLoader", "get_worker_info"]


def get_worker_info() -> None:
    """Which worker process reads: None, since the program's own process does."""


class DataLoader:
    """Walks through a dataset in batches; the same seed shuffles as in PyTorch.

    Examples are read in this process, whatever `num_workers` says.

    Args:
        dataset: anything with `__getitem__` and `__len__`, or an IterableDataset.
        batch_size: examples in a batch; None for single examples.
        shuffle: in random order, a new one each time.
        sampler: another order.
        batch_sampler: other batches; lists of numbers.
        num_workers: accepted for PyTorch's sake.
        collate_fn: a batch from a list of examples.
        pin_memory: accepted for PyTorch's sake.
        drop_last: leave the last batch out if it is smaller.
        timeout: accepted for PyTorch's sake.
        worker_init_fn: the same.
        generator: the source of the order.
        options: others of PyTorch's, about workers; accepted.

    Example:
        >>> for inputs, targets in DataLoader(TensorDataset(x, y), batch_size=64, shuffle=True):
        ...     pass
    """

    def __init__(self, dataset: Any, batch_size: int | None = 1, shuffle: bool | None = None,
                 sampler: Iterable | None = None, batch_sampler: Iterable | None = None,
                 num_workers: int = 0, collate_fn: Callable | None = None,
                 pin_memory: bool = False, drop_last: bool = False, timeout: float = 0,
                 worker_init_fn: Callable | None = None, multiprocessing_context: Any = None,
                 generator: Generator | None = None, **options: Any) -> None:
        if num_workers < 0:
            raise ValueError("num_workers option should be non-negative")
        self.dataset, self.num_workers, self.generator = dataset, num_workers, generator
        self.pin_memory = pin_memory
        self._iterable = isinstance(dataset, IterableDataset)
        check(self._iterable, batch_size, shuffle, sampler, batch_sampler, drop_last)
        if batch_sampler is not None:
            batch_size = None
        if sampler is None and not self._iterable:
            sampler = (RandomSampler(dataset, generator=generator) if shuffle
                       else SequentialSampler(dataset))
        if batch_size is not None and batch_sampler is None and not self._iterable:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_size, self.drop_last = batch_size, drop_last
        self.sampler, self.batch_sampler = sampler, batch_sampler
        batches = batch_sampler is not None or batch_size is not None
        self.collate_fn = collate_fn or (default_collate if batches else default_convert)

    def __iter__(self) -> Iterator:
        new_seed(self.generator)            # PyTorch draws one for its workers; so the next agree
        return self._walk()

    def _walk(self) -> Iterator:
        if self._iterable:
            yield from self._stream()
        elif self.batch_sampler is None:
            for index in self.sampler:
                yield self.collate_fn(self.dataset[index])
        else:
            quick = self.collate_fn is default_collate
            for batch in self.batch_sampler:
                found = rows_at_once(self.dataset, batch) if quick else None
                yield self.collate_fn(self._fetch(batch)) if found is None else found

    def _fetch(self, batch: list) -> list:
        if hasattr(self.dataset, "__getitems__"):
            return self.dataset.__getitems__(batch)
        return [self.dataset[index] for index in batch]

    def _stream(self) -> Iterator:
        """Batches of a dataset that can only be walked through."""
        if self.batch_size is None:
            yield from map(self.collate_fn, self.dataset)
            return
        batch: list = []
        for example in self.dataset:
            batch.append(example)
            if len(batch) == self.batch_size:
                yield self.collate_fn(batch)
                batch = []
        if batch and not self.drop_last:
            yield self.collate_fn(batch)

    def __len__(self) -> int:
        if not self._iterable:
            return len(self.sampler if self.batch_sampler is None else self.batch_sampler)
        count, size = len(self.dataset), self.batch_size
        if size is None:
            return count
        return count // size if self.drop_last else -(-count // size)


def check(iterable: bool, batch_size: int | None, shuffle: bool | None, sampler: Any,
          batch_sampler: Any, drop_last: bool) -> None:
    """Refuse options that exclude each other."""
    if iterable and (shuffle or sampler is not None or batch_sampler is not None):
        raise ValueError("DataLoader with IterableDataset: expected unspecified shuffle, sampler "
                         "and batch_sampler option")
    if sampler is not None and shuffle:
        raise ValueError("sampler option is mutually exclusive with shuffle")
    if batch_sampler is not None and (batch_size != 1 or shuffle or sampler is not None
                                      or drop_last):
        raise ValueError("batch_sampler option is mutually exclusive with batch_size, shuffle, "
                         "sampler, and drop_last")
    if batch_size is None and drop_last:
        raise ValueError("batch_size=None option disables auto-batching and is mutually exclusive "
                         "with drop_last")


def rows_at_once(dataset: Any, indices: list) -> list | None:
    """A batch of a plain TensorDataset in one step; the same as its rows one by one, stacked.

    None for anything else: a class of the user's, numbers of another kind, a recorded tensor.
    """
    while type(dataset) is Subset:
        dataset, indices = dataset.dataset, [dataset.indices[i] for i in indices]
    if type(dataset) is not TensorDataset or any(type(i) is not int for i in indices):
        return None
    if any(t.requires_grad for t in dataset.tensors):
        return None
    return [t[indices] for t in dataset.tensors]
