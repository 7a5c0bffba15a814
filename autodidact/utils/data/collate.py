"""Collating: a batch from a list of examples."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from autodidact.arrays.dtype import float64
from autodidact.functions.creation import as_tensor, tensor
from autodidact.functions.joining import stack
from autodidact.tensor import Tensor

__all__ = ["default_collate", "default_convert"]


def default_collate(batch: Any) -> Any:
    """Tensors stacked, numbers as a tensor, containers entry by entry.

    Args:
        batch: examples of one kind: tensors, arrays, numbers, texts; or dicts, tuples, lists of
            them.

    Raises:
        TypeError: for other things. RuntimeError: for examples of unequal length.

    Example:
        >>> default_collate([(torch.zeros(2), 1), (torch.ones(2), 0)])
        [tensor([[0., 0.],
                [1., 1.]]), tensor([1, 0])]
    """
    first = batch[0]
    if isinstance(first, Tensor):
        return stack(batch, 0)
    if isinstance(first, np.ndarray):
        return default_collate([as_tensor(a) for a in batch])
    if isinstance(first, float) and not isinstance(first, np.generic):
        return tensor(batch, dtype=float64)
    if isinstance(first, np.generic):
        return as_tensor(np.array(batch))
    if isinstance(first, int):
        return tensor(batch)
    if isinstance(first, str | bytes):
        return batch
    if isinstance(first, Mapping):
        return {name: default_collate([example[name] for example in batch]) for name in first}
    if isinstance(first, Sequence):
        if any(len(example) != len(first) for example in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        columns = [default_collate(column) for column in zip(*batch, strict=True)]
        return type(first)(*columns) if hasattr(first, "_fields") else columns
    raise TypeError("default_collate: batch must contain tensors, numpy arrays, numbers, dicts or "
                    f"lists; found {type(first)}")


def default_convert(example: Any) -> Any:
    """One example, arrays as tensors: what a loader without batches gives."""
    if isinstance(example, np.ndarray | np.generic) and np.asarray(example).dtype.kind not in "SU":
        return as_tensor(example)
    if isinstance(example, Mapping):
        return {name: default_convert(value) for name, value in example.items()}
    if isinstance(example, tuple) and hasattr(example, "_fields"):
        return type(example)(*map(default_convert, example))
    if isinstance(example, tuple | list):
        return [default_convert(value) for value in example]
    return example
