"""A GPU that is none: NumPy's arrays behind the walls of a device.

For tests and lessons on machines without a GPU. What `device="cuda"` computes inside the block is
computed by NumPy, but nothing passes to or from the CPU unseen, and streams keep their rules: an
array used on a stream that has not waited for the array's own stream is a *race*, and is noted,
where a real GPU would sometimes give wrong numbers. Nothing is faster.

Example:
    >>> with simulated_gpu():
    ...     torch.ones(2, device="cuda").device, torch.cuda.get_device_name()
    (device(type='cuda', index=0), 'simulated GPU (NumPy computes)')
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from autodidact.arrays import gpu, strided
from autodidact.arrays.cupy import LACKING

__all__ = ["Race", "SimulatedDriver", "simulated_gpu"]


class Race:
    """An array used on a stream that has not waited for the one where it was made."""

    def __init__(self, name: str, made_on: gpu.Queue, used_on: gpu.Queue) -> None:
        self.name, self.made_on, self.used_on = name, made_on, used_on

    def __repr__(self) -> str:
        return f"<{self.name} on {self.used_on} did not wait for {self.made_on}>"


class SimulatedDriver:
    """Computes with NumPy.

    Args:
        devices: how many GPUs.
        allow: called with (function, method, args, kwargs) before each operation; may refuse.

    Attributes:
        simulated: True.
        races: the races noted.
        log: (stream, operation) in order, while `logging` is True.
    """

    simulated, array_type, lacks = True, np.ndarray, LACKING

    def __init__(self, devices: int = 1, allow: Callable | None = None) -> None:
        self.devices, self.allow = devices, allow
        self.defaults: dict = {}
        self.races: list[Race] = []
        self.logging, self.log = False, []

    def count(self) -> int:
        """How many GPUs there are."""
        return self.devices

    def name(self, index: int) -> str:
        """What the GPU is."""
        return "simulated GPU (NumPy computes)"

    # ---- computing ----

    def call(self, stream: gpu.Queue, function: Any, method: str, args: tuple, kwargs: dict,
             arrays: list) -> Any:
        """One operation."""
        name = function if isinstance(function, str) else getattr(function, "__name__", "function")
        self.note(stream, name, arrays)
        if self.allow is not None:
            self.allow(function, method, args, kwargs)
        if method == "method":
            return getattr(args[0], name)(*args[1:], **kwargs)
        if method == "part":
            return getattr(args[0], name)
        return (function if method == "__call__" else getattr(function, method))(*args, **kwargs)

    def note(self, stream: gpu.Queue, name: str, arrays: list) -> None:
        """Races, and the log."""
        for array in () if gpu.State.quiet else arrays:
            made_on = array.stream
            if made_on is not stream and stream.seen.get(made_on, -1) < array.stamp:
                if stream.device == made_on.device:
                    self.races.append(Race(name, made_on, stream))
        if self.logging and not gpu.State.quiet:
            self.log.append((stream, name))

    # ---- memory ----

    def upload(self, stream: gpu.Queue, array: np.ndarray) -> np.ndarray:
        """The CPU's numbers, copied."""
        return array.copy(order="K")

    def download(self, stream: gpu.Queue, array: np.ndarray, whole: gpu.GpuArray) -> np.ndarray:
        """A copy for the CPU."""
        self.note(stream, "to the CPU", [whole])
        return np.array(array)

    def across(self, stream: gpu.Queue, array: np.ndarray) -> np.ndarray:
        """A copy for another GPU."""
        return array.copy(order="K")

    def data_ptr(self, array: np.ndarray) -> int:
        """The address of the first element."""
        return strided.data_ptr(np.asarray(array))

    def owner(self, array: np.ndarray) -> np.ndarray:
        """The array that owns the memory."""
        return strided.owner(array)

    def restride(self, array: np.ndarray, *look: Any) -> np.ndarray:
        """Another look at the same memory."""
        return strided.restride(array, *look)

    def broadcast(self, array: np.ndarray, shape: tuple) -> np.ndarray:
        """Repeated with zero strides."""
        return strided.broadcast(array, shape)

    # ---- streams ----

    def default_stream(self, index: int) -> object:
        """The stream number 0."""
        return object()

    def new_stream(self, index: int, priority: int) -> object:
        """Another stream."""
        return object()

    def wait(self, stream: object, other: object, event: object = None) -> None:
        """Nothing to wait for: all is done at once; `Queue.seen` remembers that it was asked."""

    def synchronize(self, *unused: Any) -> None:
        """The same."""

    def new_event(self, **unused: Any) -> object:
        """A mark in a stream."""
        return object()

    def memory(self) -> dict:
        """Nothing is counted."""
        return {"allocated": 0, "reserved": 0}

    def empty_cache(self) -> None:
        """There is none."""

    def record(self, event: object, stream: object) -> None:
        """See `wait`."""

    def elapsed(self, first: object, second: object) -> float:
        """Everything happens at once."""
        return 0.0


@contextmanager
def simulated_gpu(devices: int = 1, allow: Callable | None = None) -> Iterator[SimulatedDriver]:
    """Inside the block `device="cuda"` is a simulated GPU, whatever the machine has.

    Args:
        devices: how many.
        allow: see `SimulatedDriver`.

    Yields:
        The driver: its `races` are what a real GPU might have got wrong.
    """
    state = gpu.State
    before = state.driver, state.queues, state.device, state.several
    state.driver, state.queues, state.device = SimulatedDriver(devices, allow), {}, 0
    state.several = False
    try:
        yield state.driver
    finally:
        state.driver, state.queues, state.device, state.several = before
