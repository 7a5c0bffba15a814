"""Sequences of unequal length: padded in one tensor, or packed without padding."""

from collections import namedtuple
from typing import Any

import numpy as np

from autodidact.functions.creation import as_tensor, fresh
from autodidact.functions.joining import cat
from autodidact.tensor import Tensor

__all__ = ["PackedSequence", "pack_padded_sequence", "pack_sequence", "pad_packed_sequence",
           "pad_sequence", "unpack_sequence", "unpad_sequence"]


class PackedSequence(namedtuple("PackedSequence", ["data", "batch_sizes", "sorted_indices",
                                                   "unsorted_indices"])):
    """Sequences step by step: first the first entries of all, then the second ones, ...

    Attributes:
        data: all entries, shape (sum of lengths, ...).
        batch_sizes: how many sequences have a first entry, a second one, ...
        sorted_indices: the order from long to short; None if it was so.
        unsorted_indices: the way back.
    """

    __slots__ = ()

    def __new__(cls, data: Tensor, batch_sizes: Tensor, sorted_indices: Tensor | None = None,
                unsorted_indices: Tensor | None = None) -> "PackedSequence":
        """The way back follows from the order."""
        if unsorted_indices is None and sorted_indices is not None:
            unsorted_indices = inverse(sorted_indices)
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args: Any, **kwargs: Any) -> "PackedSequence":
        """The same with data in another dtype."""
        return self._replace(data=self.data.to(*args, **kwargs))


def inverse(order: Tensor) -> Tensor:
    """The inverse permutation."""
    back = np.empty_like(np.asarray(order._array))
    back[np.asarray(order._array)] = np.arange(len(back))
    return fresh(back)


def pad_sequence(sequences: Any, batch_first: bool = False, padding_value: float = 0.0,
                 padding_side: str = "right") -> Tensor:
    """Sequences (L, ...) of unequal length in one tensor (max L, N, ...), padded at the end."""
    if padding_side not in ("left", "right"):
        raise ValueError(f"padding_side must be 'left' or 'right', got {padding_side}")
    sequences, longest = list(sequences), max(len(s) for s in sequences)
    rows = []
    for s in sequences:
        more = s.new_full((longest - len(s), *s.shape[1:]), padding_value)
        rows.append(cat([s, more] if padding_side == "right" else [more, s]).unsqueeze(0))
    padded = cat(rows)
    return padded if batch_first else padded.transpose(0, 1)


def unpad_sequence(padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False) -> list:
    """The sequences of a padded tensor."""
    rows = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    return [row[:n] for row, n in zip(rows, lengths.tolist(), strict=True)]


def pack_padded_sequence(input: Tensor, lengths: Any, batch_first: bool = False,
                         enforce_sorted: bool = True) -> PackedSequence:
    """Pack a padded tensor.

    Args:
        input: shape (L, N, ...), or (N, L, ...) with `batch_first`.
        lengths: of the sequences.
        batch_first: which dimension comes first.
        enforce_sorted: insist on sequences from long to short; else they are sorted.

    Raises:
        RuntimeError: for lengths that are not sorted though they should be, or zero.
    """
    lengths = np.asarray(as_tensor(lengths)._array).astype(np.int64)
    order = None
    if enforce_sorted:
        if (lengths[:-1] < lengths[1:]).any():
            raise RuntimeError("`lengths` array must be sorted in decreasing order when "
                               "`enforce_sorted` is True. You can pass `enforce_sorted=False` to "
                               "pack_padded_sequence to sidestep this requirement.")
    else:
        places = np.argsort(-lengths, kind="stable")
        order, lengths = fresh(places), lengths[places]
        input = input.index_select(0 if batch_first else 1, order)
    if lengths.min(initial=1) <= 0:
        raise RuntimeError("Length of all samples has to be greater than 0, but found an element "
                           "in 'lengths' that is <= 0")
    steps = input.transpose(0, 1) if batch_first else input
    sizes = np.array([(lengths > t).sum() for t in range(lengths[0])], np.int64)
    data = cat([steps[t, :n] for t, n in enumerate(sizes.tolist())])
    return PackedSequence(data, fresh(sizes), order)


def pack_sequence(sequences: list, enforce_sorted: bool = True) -> PackedSequence:
    """Pack a list of sequences (L, ...)."""
    return pack_padded_sequence(pad_sequence(sequences), [len(s) for s in sequences],
                                enforce_sorted=enforce_sorted)


def pad_packed_sequence(sequence: PackedSequence, batch_first: bool = False,
                        padding_value: float = 0.0, total_length: int | None = None) -> tuple:
    """The padded tensor, and the lengths."""
    sizes = sequence.batch_sizes.tolist()
    count, rows, start = sizes[0], [], 0
    for n in sizes:
        step = sequence.data[start:start + n]
        start += n
        if n < count:
            step = cat([step, step.new_full((count - n, *step.shape[1:]), padding_value)])
        rows.append(step.unsqueeze(0))
    if total_length is not None:
        if total_length < len(sizes):
            raise ValueError("Expected total_length to be at least the length of the longest "
                             f"sequence in input, but got total_length={total_length} and max "
                             f"sequence length being {len(sizes)}")
        rows += [rows[0].new_full(rows[0].shape, padding_value)] * (total_length - len(sizes))
    padded = cat(rows)
    lengths = fresh(np.array([sum(n > i for n in sizes) for i in range(count)], np.int64))
    back = sequence.unsorted_indices
    if back is not None:
        padded, lengths = padded.index_select(1, back), lengths[back]
    return (padded.transpose(0, 1) if batch_first else padded), lengths


def unpack_sequence(packed_sequences: PackedSequence) -> list:
    """The list of sequences."""
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)
