"""measure(): the SUMMARY of a NumPy array, quick also for large ones."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from autodidact.arrays.place import looked_at
from autodidact.levels.level import Below
from autodidact.trace.summary import MOST_BLOCKS, MOST_VALUES, summarise

__all__ = ["measure", "without_pictures"]

drawn = [True]            # whether large arrays get a heat map


@contextmanager
def without_pictures() -> Iterator[None]:
    """Inside, large arrays get their statistics only: most of what they cost is the heat map."""
    before, drawn[0] = drawn[0], False
    try:
        yield
    finally:
        drawn[0] = before


def measure(array: Any) -> dict | None:
    """What a viewer shows of an array: values where they are few, else statistics and a heat map.

    Args:
        array: an array of any device, shape and dtype, or None; of a tensor of a transform's level
            it is that of the tensor at the bottom, with all its lanes.

    Returns:
        A SUMMARY as `trace/summary.py` describes it; None for None.
    """
    if array is None:
        return None
    while isinstance(array, Below):
        array = array.value._array
    numbers = looked_at(array)
    if numbers is None:                            # the meta device: a shape without numbers
        return summarise(None, array.shape, array.dtype.name)
    array = numbers
    if array.size <= MOST_VALUES:
        return summarise(array.tolist(), array.shape, array.dtype.name)
    return summarise(
        None, array.shape, array.dtype.name, heat=heat(array) if drawn[0] else None,
        statistics=statistics(array)
    )


def statistics(array: np.ndarray) -> dict:
    """min, max, mean and norm of a large array, as Python numbers."""
    with np.errstate(all="ignore"):
        if array.dtype.kind == "c":
            return {
                "min": None,
                "max": None,
                "mean": complex(array.mean()),
                "norm": float(np.linalg.norm(array.reshape(-1))),
            }
        wide = array.astype(np.float64) if array.dtype.kind in "iub" else array
        flat = wide.reshape(-1)
        norm = float(np.sqrt(np.dot(flat, flat)))
        return {
            "min": array.min().item(),
            "max": array.max().item(),
            "mean": float(flat.mean(dtype=np.float64)),
            "norm": norm,
        }


def heat(array: np.ndarray) -> list:
    """At most 16 x 16 of its entries: a picture, not a statistic.

    They are evenly spread over rows (all but the last dimension) and columns.
    """
    rows = array.reshape(-1, array.shape[-1])
    if rows.dtype.kind == "c":
        rows = np.abs(rows)
    return rows[np.ix_(spread(rows.shape[0]), spread(rows.shape[1]))].astype(np.float64).tolist()


def spread(length: int) -> np.ndarray:
    """Up to 16 positions, evenly spread over `length`."""
    count = min(length, MOST_BLOCKS)
    return (np.arange(count, dtype=np.int64) * 2 + 1) * length // (2 * count)
