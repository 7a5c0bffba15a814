"""Transfers: every copy of numbers from one device to another is told here.

A copy between devices is the hidden cost of a program on a GPU: it waits for all that was asked of
the GPU before it. So nothing crosses without being told, and whoever wants to know listens.

Example:
    >>> from autodidact.arrays import simulated, transfers
    >>> with simulated.simulated_gpu(), transfers.watched() as crossed:
    ...     total = torch.ones(3).cuda().sum().item()
    >>> [str(t) for t in crossed]
    ['cpu -> cuda:0, 12 bytes', 'cuda:0 -> cpu, 4 bytes']
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from autodidact.arrays.device import device

__all__ = ["Transfer", "listening", "report", "watched"]


class Transfer:
    """One copy between devices.

    Attributes:
        source, target: the devices.
        nbytes: how much was copied.
    """

    __slots__ = ("nbytes", "source", "target")

    def __init__(self, source: device, target: device, nbytes: int) -> None:
        self.source, self.target, self.nbytes = source, target, nbytes

    def __str__(self) -> str:
        return f"{self.source} -> {self.target}, {self.nbytes} bytes"

    def __repr__(self) -> str:
        return f"<{self}>"


LISTENERS: list[Callable] = []


def report(source: device, target: device, nbytes: int) -> None:
    """Tell all listeners that bytes have crossed."""
    for listener in tuple(LISTENERS):
        listener(Transfer(source, target, nbytes))


@contextmanager
def listening(listener: Callable) -> Iterator[None]:
    """Call `listener(transfer)` for every transfer of the block."""
    LISTENERS.append(listener)
    try:
        yield
    finally:
        LISTENERS.remove(listener)


@contextmanager
def watched() -> Iterator[list]:
    """A list that gets every transfer of the block."""
    found: list[Transfer] = []
    with listening(found.append):
        yield found
