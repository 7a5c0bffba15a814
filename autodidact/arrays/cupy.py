"""The driver for real GPUs: CuPy, and the one list of what CuPy does otherwise than NumPy.

CuPy is imported when a GPU is first asked for. A function of NumPy is looked up in CuPy by its name
(`np.linalg.inv` -> `cupy.linalg.inv`, a function of `scipy.special` in `cupyx.scipy.special`), but
for those that stand in `OTHERWISE`: CuPy lacks them, or takes other arguments. Nothing else in the
project knows CuPy.

Checked against CuPy 14, whose rules for dtypes are those of NumPy 2. (`tests/gpu`: what can be
checked without a GPU, and the script that needs one.)
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from autodidact._optional import MissingExtra, optional
from autodidact.arrays import gpu

__all__ = ["LACKING", "OTHERWISE", "CupyDriver"]

INSTALL = ("Torch not compiled with CUDA enabled: a GPU needs the library CuPy, which is not "
           "installed. pip install 'autodidact-grad[cuda12]' (or [cuda13], as your driver is). "
           "On the CPU the same program runs with device=\"cpu\".")
NO_DRIVER = ("Found no NVIDIA driver on your system: CuPy is installed, but sees no GPU. ({}) "
             "On the CPU the same program runs with device=\"cpu\".")


# Functions of scipy.special that CuPy has not: their numbers go to the CPU and come back, and that
# is told as transfers.
LACKING = frozenset({"airy", "eval_chebyt", "eval_chebyu", "eval_hermite", "eval_legendre",
                     "eval_sh_chebyt", "eval_sh_chebyu", "spherical_jn"})


class CupyDriver:
    """Computes with CuPy.

    Raises:
        AssertionError: CuPy is not installed (PyTorch's class: "not compiled with CUDA").
        RuntimeError: there is no GPU.
    """

    simulated, lacks = False, LACKING

    def __init__(self) -> None:
        try:
            self.cupy = optional("cupy", extra="cuda12")
        except MissingExtra:
            raise AssertionError(INSTALL) from None
        try:
            self.devices = self.cupy.cuda.runtime.getDeviceCount()
        except Exception as error:
            raise RuntimeError(NO_DRIVER.format(error)) from None
        self.array_type = self.cupy.ndarray
        self.defaults: dict = {}
        self.active: gpu.Queue | None = None
        self.known: dict = {}

    def count(self) -> int:
        """How many GPUs there are."""
        return self.devices

    def name(self, index: int) -> str:
        """What the GPU calls itself."""
        return self.cupy.cuda.runtime.getDeviceProperties(index)["name"].decode()

    # ---- computing ----

    def activate(self, stream: gpu.Queue) -> None:
        """What follows goes to this stream of its GPU."""
        if stream is not self.active:
            self.cupy.cuda.Device(stream.device.index).use()
            stream.raw.use()
            self.active = stream

    def call(self, stream: gpu.Queue, function: Any, method: str, args: tuple, kwargs: dict,
             arrays: list) -> Any:
        """One operation."""
        self.activate(stream)
        if method == "method":
            return getattr(args[0], function)(*args[1:], **kwargs)
        if method == "part":
            return getattr(args[0], function)
        key = function if method == "__call__" else (function, method)
        found = self.known.get(key)
        if found is None:
            found = self.known[key] = self.translated(key)
        return found(*args, **kwargs)

    def translated(self, key: Any) -> Callable:
        """CuPy's function for NumPy's or SciPy's."""
        if key in OTHERWISE:
            return lambda *args, **kwargs: OTHERWISE[key](self.cupy, *args, **kwargs)
        function, method = key if isinstance(key, tuple) else (key, None)
        found = self.cupys(function)
        if found is None:
            raise NotImplementedError(f"{function.__name__} is not available on the GPU: CuPy has "
                                      "no such function. Use .cpu() before it")
        return found if method is None else getattr(found, method)

    def cupys(self, function: Any) -> Any:
        """The function of the same name, or None."""
        module = home_of(function)
        where = optional(module, extra="cuda12")
        return getattr(where, name_of(function), None)

    # ---- memory ----

    def upload(self, stream: gpu.Queue, array: np.ndarray) -> Any:
        """The CPU's numbers, copied."""
        self.activate(stream)
        return self.cupy.array(array, order="K")

    def download(self, stream: gpu.Queue, array: Any, whole: gpu.GpuArray) -> np.ndarray:
        """A copy for the CPU; waits until the stream is done."""
        self.activate(stream)
        return self.cupy.asnumpy(array, order="A")

    def across(self, stream: gpu.Queue, array: Any) -> Any:
        """A copy on the GPU of `stream`."""
        self.activate(stream)
        return self.cupy.array(array, order="K")

    def data_ptr(self, array: Any) -> int:
        """The address of the first element."""
        return array.data.ptr

    def owner(self, array: Any) -> Any:
        """The array that owns the memory."""
        while array.base is not None:
            array = array.base
        return array

    def restride(self, array: Any, shape: tuple, strides: tuple, offset: int,
                 dtype: np.dtype) -> Any:
        """Another look at the same memory."""
        return self.cupy.ndarray(shape, dtype, memptr=array.data + offset, strides=strides)

    def broadcast(self, array: Any, shape: tuple) -> Any:
        """Repeated with zero strides."""
        return self.cupy.broadcast_to(array, shape)

    def memory(self) -> dict:
        """Bytes in use, and bytes that CuPy's pool holds."""
        pool = self.cupy.get_default_memory_pool()
        return {"allocated": pool.used_bytes(), "reserved": pool.total_bytes()}

    def empty_cache(self) -> None:
        """Give unused blocks back to the driver."""
        self.cupy.get_default_memory_pool().free_all_blocks()

    # ---- streams ----

    def default_stream(self, index: int) -> Any:
        """The stream number 0, which PyTorch uses, too."""
        return self.cupy.cuda.Stream.null

    def new_stream(self, index: int, priority: int) -> Any:
        """Another stream, without an order against the default one."""
        with self.cupy.cuda.Device(index):
            return self.cupy.cuda.Stream(non_blocking=True, priority=priority)

    def wait(self, stream: Any, other: Any, event: Any = None) -> None:
        """`stream` goes on when `other` has done what it was asked so far, or before an event."""
        stream.wait_event(other.record() if event is None else event)

    def synchronize(self, index: int, raw: Any = None) -> None:
        """The program waits for a stream, an event, or a whole GPU."""
        (raw if raw is not None else self.cupy.cuda.Device(index)).synchronize()

    def new_event(self, *, timing: bool, blocking: bool) -> Any:
        """A mark in a stream."""
        return self.cupy.cuda.Event(block=blocking, disable_timing=not timing)

    def record(self, event: Any, stream: Any) -> None:
        """Set the mark."""
        event.record(stream)

    def elapsed(self, first: Any, second: Any) -> float:
        """Milliseconds between two marks."""
        return self.cupy.cuda.get_elapsed_time(first, second)


gpu.DRIVER.append(CupyDriver)


def name_of(function: Any) -> str:
    """The name without the underscore that some of SciPy's ufuncs begin with."""
    return function.__name__.lstrip("_")


def home_of(function: Any) -> str:
    """CuPy's module for the module that a function of NumPy or SciPy comes from."""
    if isinstance(function, np.ufunc):
        return "cupy" if getattr(np, function.__name__, None) is function else "cupyx.scipy.special"
    parts = function.__module__.split(".")
    parts = [p for p in parts if not p.startswith("_")]
    return "cupyx." + ".".join(parts[:2]) if parts[0] == "scipy" else ".".join(["cupy", *parts[1:]])


# ---- where CuPy differs: (cupy, the arguments of NumPy's function) -------------------------------


def running(ufunc: str) -> Callable:
    """`ufunc.accumulate` by doubling: after step k each entry covers 2**k entries."""
    def accumulate(cupy: Any, x: Any, axis: int = 0, dtype: Any = None) -> Any:
        out = cupy.moveaxis(x.astype(dtype or x.dtype, copy=True), axis, -1)
        step = 1
        while step < out.shape[-1]:
            joined = getattr(cupy, ufunc)(out[..., step:], out[..., :-step])
            out = cupy.concatenate([out[..., :step], joined], axis=-1)
            step *= 2
        return cupy.moveaxis(out, -1, axis)
    return accumulate


def log_sum(cupy: Any, x: Any, axis: Any = 0, keepdims: bool = False, **unused: Any) -> Any:
    """`logaddexp.reduce`, by the largest entry."""
    top = cupy.max(x, axis=axis, keepdims=True)
    top = cupy.where(cupy.isfinite(top), top, 0)
    total = cupy.log(cupy.exp(x - top).sum(axis=axis, keepdims=True)) + top
    return total if keepdims else cupy.squeeze(total, axis)


def multiply_at(cupy: Any, out: Any, places: tuple, values: Any) -> None:
    """`multiply.at`: sorted by place, products within each run of equal places by doubling."""
    flat, size = 0, out.size
    for index, n in zip(places if isinstance(places, tuple) else (places,), out.shape,
                        strict=True):
        flat = flat * n + cupy.where(index < 0, index + n, index)
    flat = cupy.broadcast_to(flat, values.shape).reshape(-1)
    order = cupy.argsort(flat, kind="stable")
    where, product = flat[order], values.reshape(-1)[order]
    step = 1
    while step < len(where):
        joined = cupy.where(where[step:] == where[:-step], product[step:] * product[:-step],
                            product[step:])
        product = cupy.concatenate([product[:step], joined])
        step *= 2
    last = cupy.ones_like(where, dtype=bool)
    last[:-1] = where[1:] != where[:-1]
    total = cupy.ones(size + 1, dtype=out.dtype)           # one more: for all but the last of a run
    total[cupy.where(last, where, size)] = product
    out *= total[:size].reshape(out.shape)


def reduced_by(name: str) -> Callable:
    """`ufunc.reduce` by the function that does the same."""
    def reduce(cupy: Any, x: Any, axis: Any = 0, keepdims: bool = False, dtype: Any = None) -> Any:
        return getattr(cupy, name)(x, axis=axis, keepdims=keepdims)
    return reduce


OTHERWISE: dict[Any, Callable] = {
    # Of ufunc.reduce and accumulate CuPy has those of add and multiply.
    (np.logical_and, "reduce"): reduced_by("all"),
    (np.logical_or, "reduce"): reduced_by("any"),
    (np.maximum, "reduce"): reduced_by("max"),
    (np.minimum, "reduce"): reduced_by("min"),
    (np.logaddexp, "reduce"): log_sum,
    (np.maximum, "accumulate"): running("maximum"),
    (np.minimum, "accumulate"): running("minimum"),
    (np.logaddexp, "accumulate"): running("logaddexp"),
    (np.multiply, "at"): multiply_at,
}
