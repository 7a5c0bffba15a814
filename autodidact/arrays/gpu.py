"""GpuArray, and the streams on which its operations run.

A GPU works through a *stream*: a queue of operations, done in order while the program goes on. What
stands in two streams has no order, unless one is told to wait for the other (`wait_stream`, or an
event). Every array knows the stream that it was made on; so the engine can run a node's backward
on the stream of its forward, and wait where gradients come from elsewhere.

What computes is a *driver*: CuPy (`cupy.py`) or a simulated GPU (`simulated.py`). The first one
that is there is used; a `with simulated_gpu()` block puts its own in front.
"""

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from autodidact.arrays.device import CPU, device
from autodidact.arrays.foreign import DifferentDevices, ForeignArray, in_numpy, marked, plain_dtype
from autodidact.arrays.transfers import report

__all__ = ["GpuArray", "Queue", "current", "driver", "observing", "on_stream", "several_streams",
           "simulated", "upload"]




class State:
    """What is in force.

    Attributes:
        driver: what computes; None until a GPU is first asked for.
        device: the number of the current GPU.
        queues: the current stream of each GPU.
        several: whether any stream but the default ones has been made.
        patient: inside a backward pass: an operation waits for the streams its inputs come from.
        quiet: a viewer looks: no transfer is told, no race noted.
    """

    driver: Any = None
    device = 0
    queues: dict = {}
    several = False
    patient = False
    quiet = False


class Queue:
    """One stream of one GPU, as the arrays see it (`torch.cuda.Stream` is made on it).

    Attributes:
        device: the GPU.
        number: 0 for the default stream.
        raw: the driver's own stream.
        done: operations asked for so far: an array's `stamp` is this count when it was made.
        seen: how far this stream has waited for others: {stream number: count}.
    """

    numbers = itertools.count(1)

    def __init__(self, where: device, raw: Any, number: int) -> None:
        self.device, self.raw, self.number = where, raw, number
        self.done, self.seen, self.dtypes = 0, {}, {}

    def dtype(self, kind: np.dtype) -> np.dtype:
        """NumPy's dtype, marked with this stream and its device."""
        found = self.dtypes.get(kind)
        if found is None:
            found = self.dtypes[kind] = marked(kind, device=self.device, stream=self)
        return found

    def wait_for(self, other: "Queue", count: int | None = None, event: Any = None) -> None:
        """What is asked of this stream from now on begins after what `other` was asked so far.

        Args:
            other: another stream.
            count: up to this operation only; then nothing is done if that was waited for before.
            event: wait for this mark in `other`, which was set after operation `count`.
        """
        if other is self or (count is not None and self.seen.get(other, -1) >= count):
            return
        State.driver.wait(self.raw, other.raw, event)
        self.seen[other] = other.done if event is None else count
        if event is None:                         # what the other has waited for is over, too
            for third, seen in other.seen.items():
                if third is not self:
                    self.seen[third] = max(self.seen.get(third, -1), seen)

    def __repr__(self) -> str:
        return f"<stream {self.number} of {self.device}>"


def driver() -> Any:
    """What computes; an error that says what is missing where nothing does.

    Raises:
        AssertionError, RuntimeError: as PyTorch without CUDA, or without a GPU.
    """
    if State.driver is None:
        State.driver = DRIVER[0]()
        State.queues = {}
    return State.driver


DRIVER: list[Callable] = []       # what makes the driver for real GPUs: put here by cupy.py


def simulated() -> bool:
    """Whether what computes for GPUs is NumPy."""
    return State.driver is not None and State.driver.simulated


def current(where: device) -> Queue:
    """The current stream of a GPU."""
    found = State.queues.get(where.index)
    if found is None:
        found = State.queues[where.index] = default(where)
    return found


def default(where: device) -> Queue:
    """The default stream of a GPU: number 0."""
    made = driver().defaults.get(where.index)
    if made is None:
        made = driver().defaults[where.index] = Queue(where, driver().default_stream(where.index),
                                                      0)
    return made


def new_queue(where: device, priority: int = 0) -> Queue:
    """Another stream."""
    State.several = True
    return Queue(where, driver().new_stream(where.index, priority), next(Queue.numbers))


def several_streams() -> bool:
    """Whether a backward pass has to look at streams."""
    return State.several


@contextmanager
def on_stream(queue: Queue | None) -> Iterator[None]:
    """Operations of the block go to this stream of its GPU; None changes nothing."""
    if queue is None:
        yield
        return
    before, device_before = current(queue.device), State.device
    State.queues[queue.device.index], State.device = queue, queue.device.index
    try:
        yield
    finally:
        State.queues[queue.device.index], State.device = before, device_before


@contextmanager
def observing() -> Iterator[None]:
    """A viewer looks at numbers: what that takes is no part of the program."""
    before, State.quiet = State.quiet, True
    try:
        with patiently():
            yield
    finally:
        State.quiet = before


def tell(source: device, target: device, nbytes: int) -> None:
    """A transfer of the program is told; one that a viewer makes is not."""
    if not State.quiet:
        report(source, target, nbytes)


@contextmanager
def patiently() -> Iterator[None]:
    """Inside, an operation waits for the streams that its inputs were made on."""
    before, State.patient = State.patient, True
    try:
        yield
    finally:
        State.patient = before


class GpuArray(ForeignArray):
    """An array in a GPU's memory.

    Attributes:
        stream: the stream that it was made on.
        stamp: how many operations that stream had been asked for then.
    """

    __slots__ = ("stamp", "stream")

    def __init__(self, inside: Any, stream: Queue) -> None:
        self.inside, self.stream, self.stamp = inside, stream, stream.done
        self.dtype = stream.dtype(inside.dtype)

    @property
    def device(self) -> device:
        """The GPU."""
        return self.stream.device

    @property
    def base(self) -> Any:
        """What owns the memory, if another array does."""
        return self.inside.base

    def call(self, function: Any, args: tuple, kwargs: dict, method: str = "__call__") -> Any:
        """Compute on the current stream of the GPU where the arrays are."""
        if getattr(function, "__name__", None) in State.driver.lacks:
            return self.by_cpu(function, args)
        found: list = []
        args, kwargs = opened(args, found), opened(kwargs, found)
        where = found[0].device
        for other in found:
            if other.device != where:
                raise DifferentDevices(where, other.device)
        stream = current(where)
        if State.patient:
            for array in found:
                stream.wait_for(array.stream, array.stamp)
        stream.done += 1
        inside = State.driver.call(stream, function, method, args, kwargs, found)
        return closed(inside, stream)

    def by_cpu(self, function: Callable, args: tuple) -> Any:
        """A function that the GPU's library lacks: the numbers go to the CPU and come back."""
        made = function(*(a.to_host() if isinstance(a, GpuArray) else a for a in args))
        return tuple(upload(m, self.device) for m in made) if isinstance(made, tuple) else upload(
            made, self.device)

    def make(self, function: Callable, *args: Any, **kwargs: Any) -> Any:
        """An array from nothing, on the same GPU."""
        return make(self.device, function, *args, **kwargs)

    def to_host(self) -> np.ndarray:
        """A copy of the numbers in the CPU's memory; waits for the GPU."""
        stream = current(self.device)
        if State.patient:
            stream.wait_for(self.stream, self.stamp)
        tell(self.device, CPU, self.nbytes)
        return State.driver.download(stream, self.inside, self)

    def to_gpu(self, where: device) -> "GpuArray":
        """A copy on another GPU."""
        tell(self.device, where, self.nbytes)
        stream = current(where)
        stream.wait_for(current(self.device))
        return GpuArray(State.driver.across(stream, self.inside), stream)

    @property
    def data_ptr(self) -> int:
        """The address of the first element."""
        return State.driver.data_ptr(self.inside)

    def owner(self) -> "GpuArray":
        """The array whose memory this one looks into."""
        return GpuArray(State.driver.owner(self.inside), self.stream)

    def restride(self, shape: tuple, strides: tuple, offset: int, dtype: Any) -> "GpuArray":
        """Another look at the same memory: strides and offset in bytes."""
        return self.looked(State.driver.restride(self.inside, shape, strides, offset,
                                                 plain_dtype(dtype)))

    def broadcast(self, shape: tuple) -> "GpuArray":
        """The array repeated to `shape` with zero strides."""
        return self.looked(State.driver.broadcast(self.inside, shape))

    def looked(self, inside: Any) -> "GpuArray":
        """A view: as old as the memory that it looks into."""
        view = GpuArray(inside, self.stream)
        view.stamp = self.stamp
        return view


def upload(array: Any, where: device) -> GpuArray:
    """A copy of the CPU's numbers on a GPU."""
    array = np.asarray(array)
    tell(CPU, where, array.nbytes)
    stream = current(where)
    stream.done += 1
    return GpuArray(driver().upload(stream, array), stream)


def make(where: device, function: Callable, *args: Any, **kwargs: Any) -> GpuArray:
    """`function(*args)` on a GPU, from Python's numbers alone: `np.zeros`, `np.arange`."""
    stream = current(where)
    stream.done += 1
    plain = tuple(plain_dtype(a) if isinstance(a, np.dtype) else a for a in args)
    return closed(driver().call(stream, function, "__call__", plain, kwargs, []), stream)


def opened(value: Any, found: list) -> Any:
    """The insides of arguments, also inside tuples, lists and dicts; `found` gets the arrays."""
    if isinstance(value, GpuArray):
        found.append(value)
        return value.inside
    if isinstance(value, (tuple, list)):
        return type(value)([opened(v, found) for v in value])
    if isinstance(value, dict):
        return {k: opened(v, found) for k, v in value.items()}
    if isinstance(value, np.dtype):
        return plain_dtype(value)
    if isinstance(value, ForeignArray):
        raise DifferentDevices(value.device, found[0].device if found else CPU)
    if in_numpy(value):
        if value.ndim:
            raise DifferentDevices(found[0].device if found else device("cuda", State.device), CPU)
        return value[()]                          # a single number goes along with the call
    return value


def closed(inside: Any, stream: Queue) -> Any:
    """Results of the driver as arrays, also inside tuples and lists."""
    if isinstance(inside, np.generic):
        inside = np.array(inside)                 # a simulated GPU: NumPy gives scalars
    if isinstance(inside, State.driver.array_type):
        return GpuArray(inside, stream)
    if isinstance(inside, tuple) and hasattr(inside, "_fields"):
        return type(inside)(*(closed(v, stream) for v in inside))
    if isinstance(inside, (tuple, list)):
        return type(inside)([closed(v, stream) for v in inside])
    return inside
