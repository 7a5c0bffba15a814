"""torch.cuda: what there is to ask of GPUs, and their streams.

A GPU is one that CuPy sees (extra `cuda12` or `cuda13`), or a simulated one inside
`with autodidact.arrays.simulated.simulated_gpu():`. CuPy is imported when a GPU is first asked for.

Example:
    >>> torch.cuda.is_available()                                       # doctest: +SKIP
    True
    >>> torch.ones(2, device="cuda").device                             # doctest: +SKIP
    device(type='cuda', index=0)
"""

import contextlib
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

from autodidact.arrays import gpu
from autodidact.arrays.device import device as Device
from autodidact.arrays.generator import default_for
from autodidact.arrays.place import gpu_count, numbered
from autodidact.functions.creation import fresh

__all__ = [
    "Event", "Stream", "current_device", "current_stream", "default_stream", "device",
    "device_count", "empty_cache", "get_device_name", "get_rng_state", "initial_seed",
    "is_available", "is_initialized", "manual_seed", "manual_seed_all", "max_memory_allocated",
    "memory_allocated", "memory_reserved", "set_device", "set_rng_state", "set_stream", "stream",
    "synchronize",
]


# ---- devices ----------------------------------------------------------------------------------


def is_available() -> bool:
    """Whether `device="cuda"` works here."""
    return gpu_count() > 0


def device_count() -> int:
    """How many GPUs there are; 0 without CuPy or without a driver."""
    return gpu_count()


def is_initialized() -> bool:
    """Whether a GPU has been used."""
    return gpu.State.driver is not None


def number(where: Any = None) -> Device:
    """A GPU from its number, its name, or None: the current one."""
    if where is None or isinstance(where, int):
        where = Device("cuda") if where is None or where < 0 else Device("cuda", where)
    where = where if isinstance(where, Device) else Device(where)
    if where.type != "cuda":
        raise ValueError(f"Expected a cuda device, but got: {where}")
    return numbered(where)


def current_device() -> int:
    """The number of the GPU that "cuda" means.

    Raises:
        AssertionError, RuntimeError: there is none.
    """
    return number().index


def set_device(device: Any) -> None:
    """Let "cuda" mean this GPU."""
    gpu.State.device = number(device).index


def get_device_name(device: Any = None) -> str:
    """What the GPU calls itself; a simulated one says that it is one."""
    where = number(device)
    return gpu.driver().name(where.index)


class device:
    """Inside the block "cuda" means this GPU.

    Example:
        >>> with torch.cuda.device(1): ...                              # doctest: +SKIP
    """

    def __init__(self, device: Any) -> None:
        self.idx = device

    def __enter__(self) -> None:
        self._before = gpu.State.device
        if self.idx is not None:
            set_device(self.idx)

    def __exit__(self, *error: object) -> None:
        gpu.State.device = self._before


def synchronize(device: Any = None) -> None:
    """Wait until the GPU has done all that it was asked."""
    where = number(device)
    gpu.driver().synchronize(where.index)


# ---- memory -----------------------------------------------------------------------------------


def memory_allocated(device: Any = None) -> int:
    """Bytes that arrays use on the GPU; 0 where there is none."""
    return gpu.driver().memory()["allocated"] if is_available() else 0


def memory_reserved(device: Any = None) -> int:
    """Bytes that are kept for arrays, used or not; 0 where there is no GPU."""
    return gpu.driver().memory()["reserved"] if is_available() else 0


def max_memory_allocated(device: Any = None) -> int:
    """CuPy counts no peak: what is in use now."""
    return memory_allocated(device)


def memory_stats(device: Any = None) -> OrderedDict:
    """The two figures above, under PyTorch's names."""
    if not is_available():
        return OrderedDict()
    return OrderedDict({"allocated_bytes.all.current": memory_allocated(),
                        "reserved_bytes.all.current": memory_reserved()})


def empty_cache() -> None:
    """Give memory that no array uses back to the driver."""
    if is_available():
        gpu.driver().empty_cache()


# ---- random numbers ---------------------------------------------------------------------------


def manual_seed(seed: int) -> None:
    """Begin the current GPU's random numbers anew; nothing without a GPU."""
    if is_available():
        default_for(number()).manual_seed(int(seed))


def manual_seed_all(seed: int) -> None:
    """Begin the random numbers of all GPUs anew."""
    for index in range(device_count()):
        default_for(Device("cuda", index)).manual_seed(int(seed))


def initial_seed() -> int:
    """The seed with which the current GPU's random numbers began."""
    return default_for(number()).initial_seed()


def get_rng_state(device: Any = "cuda") -> Any:
    """The state of a GPU's generator: a tensor of bytes, on the CPU."""
    return fresh(default_for(number(device)).get_state())


def set_rng_state(new_state: Any, device: Any = "cuda") -> None:
    """Go on from a state that `get_rng_state` gave."""
    default_for(number(device)).set_state(new_state.numpy())


# ---- streams ----------------------------------------------------------------------------------


class Stream:
    """A queue of a GPU's operations; operations in different streams have no order.

    Args:
        device: the GPU; the current one where it is not said.
        priority: -1 for a stream that goes first.

    Example:
        >>> s = torch.cuda.Stream()                                     # doctest: +SKIP
        >>> s.wait_stream(torch.cuda.current_stream())                  # doctest: +SKIP
        >>> with torch.cuda.stream(s): y = x * 2                        # doctest: +SKIP
    """

    def __init__(self, device: Any = None, priority: int = 0, **unused: Any) -> None:
        if not is_available():
            raise RuntimeError("torch.cuda.Stream requires CUDA support")
        self._queue = gpu.new_queue(number(device), priority)

    @property
    def device(self) -> Device:
        """The GPU."""
        return self._queue.device

    @property
    def stream_id(self) -> int:
        """0 for the default stream."""
        return self._queue.number

    @property
    def cuda_stream(self) -> int:
        """The driver's handle; 0 where there is none."""
        return int(getattr(self._queue.raw, "ptr", self._queue.number))

    def wait_stream(self, stream: "Stream") -> None:
        """What is asked of this stream from now on begins after all that `stream` was asked."""
        self._queue.wait_for(stream._queue)

    def wait_event(self, event: "Event") -> None:
        """What is asked of this stream from now on begins after the event."""
        event.wait(self)

    def record_event(self, event: "Event | None" = None) -> "Event":
        """A mark after all that the stream was asked so far."""
        event = Event() if event is None else event
        event.record(self)
        return event

    def synchronize(self) -> None:
        """The program waits for the stream."""
        gpu.driver().synchronize(self.device.index, self._queue.raw)

    def query(self) -> bool:
        """Whether all is done."""
        return bool(getattr(self._queue.raw, "done", True))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and other._queue is self._queue

    def __hash__(self) -> int:
        return hash(self._queue)

    def __repr__(self) -> str:
        return f"<torch.cuda.Stream device={self.device} cuda_stream={self.cuda_stream:#x}>"


def seen_as_stream(queue: gpu.Queue) -> Stream:
    """A `Stream` for a queue that is there."""
    found = object.__new__(Stream)
    found._queue = queue
    return found


class Event:
    """A mark in a stream: others can wait for it, and the time between two can be measured.

    Args:
        enable_timing: whether `elapsed_time` will be asked.
        blocking: whether `synchronize` sleeps.
    """

    def __init__(self, enable_timing: bool = False, blocking: bool = False,
                 interprocess: bool = False) -> None:
        if not is_available():
            raise RuntimeError("Tried to instantiate dummy base class Event: there is no GPU")
        self._raw = gpu.driver().new_event(timing=enable_timing, blocking=blocking)
        self._queue, self._count = None, -1

    def record(self, stream: Stream | None = None) -> None:
        """Set the mark after all that the stream was asked so far."""
        stream = current_stream() if stream is None else stream
        self._queue, self._count = stream._queue, stream._queue.done
        gpu.driver().record(self._raw, stream._queue.raw)

    def wait(self, stream: Stream | None = None) -> None:
        """The stream goes on after the mark."""
        stream = current_stream() if stream is None else stream
        if self._queue is not None:
            stream._queue.wait_for(self._queue, self._count, self._raw)

    def synchronize(self) -> None:
        """The program waits for the mark."""
        gpu.driver().synchronize(None, self._raw)

    def query(self) -> bool:
        """Whether the mark has been reached."""
        return bool(getattr(self._raw, "done", True))

    def elapsed_time(self, end_event: "Event") -> float:
        """Milliseconds from this mark to another."""
        return gpu.driver().elapsed(self._raw, end_event._raw)


def current_stream(device: Any = None) -> Stream:
    """The stream that operations on the GPU go to."""
    return seen_as_stream(gpu.current(number(device)))


def default_stream(device: Any = None) -> Stream:
    """The stream that operations go to where nothing else is said."""
    return seen_as_stream(gpu.default(number(device)))


def set_stream(stream: Stream | None) -> None:
    """Operations go to this stream from now on."""
    if stream is not None:
        gpu.State.queues[stream.device.index] = stream._queue


@contextlib.contextmanager
def stream(stream: Stream | None) -> Iterator[None]:
    """Operations of the block go to this stream; None changes nothing."""
    with gpu.on_stream(None if stream is None else stream._queue):
        yield
