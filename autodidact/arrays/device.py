"""device: where an array lives.

There are the CPU, GPUs ("cuda", through CuPy), and "meta" (shapes without numbers). The other names
exist so that programs written for PyTorch can be read, and refused with a sentence that says so.

Example:
    >>> device("cuda:1")
    device(type='cuda', index=1)
    >>> device("cpu") == device(type="cpu"), str(device("cuda", 0))
    (True, 'cuda:0')
"""

import re
from collections.abc import Callable

__all__ = ["CPU", "META", "check", "device", "get_default_device", "set_default_device"]

TYPES = ("cpu", "cuda", "ipu", "xpu", "mkldnn", "opengl", "opencl", "ideep", "hip", "ve", "fpga",
         "maia", "xla", "lazy", "vulkan", "mps", "meta", "hpu", "mtia", "privateuseone")
_NAME = re.compile(r"([a-zA-Z_]+)(?::(0|[1-9]\d*))?")
_LARGEST_INDEX = 127                                  # PyTorch keeps the index in one signed byte


class device:
    """A kind of device and, where there are several of that kind, which one.

    Args:
        type: "cpu", "cuda", "cuda:1", "meta", ...; or another device.
        index: the number, when the string has none.

    Attributes:
        type: the kind, without the number.
        index: the number, or None.

    Raises:
        RuntimeError: for a string that names no device, or a negative or doubled index.
        TypeError: for anything but a string or a device.

    Example:
        >>> device("cuda:1").index, device("cpu").index
        (1, None)
    """

    __slots__ = ("index", "type")
    type: str
    index: int | None

    def __init__(self, type: "str | device", index: int | None = None) -> None:
        if isinstance(type, device):
            kind, number = type.type, type.index
        elif isinstance(type, str):
            kind, number = _parse(type)
            if index is not None:
                number = _explicit(type, number, index)
        elif _is_int(type):
            _refuse_negative(type)
            kind, number = "cuda", type
            if not GPU_COUNT():
                raise RuntimeError("Cannot access accelerator device when none is available. "
                                   f"A number alone ({type}) means a GPU; write \"cpu\".")
        else:
            raise TypeError("device() received an invalid combination of arguments - got "
                            f"({type.__class__.__name__}), but expected a str or a torch.device")
        object.__setattr__(self, "type", kind)
        object.__setattr__(self, "index", number)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"attribute '{name}' of 'torch.device' objects is not writable")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, device):
            return NotImplemented
        return (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __repr__(self) -> str:
        index = "" if self.index is None else f", index={self.index}"
        return f"device(type='{self.type}'{index})"

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __reduce__(self) -> tuple:
        return (device, (self.type,) if self.index is None else (self.type, self.index))

    def __enter__(self) -> "device":
        """Make this the default device of the block."""
        _defaults.append(self)
        return self

    def __exit__(self, *exception: object) -> None:
        _defaults.pop()


def check(where: "str | int | device | None" = None) -> device:
    """The device that a new array would live on, refused if there is none.

    Args:
        where: a device, its name, a GPU's number, or None for the default device.

    Returns:
        The one CPU, the meta device, or a GPU with its number ("cuda" is the current one).

    Raises:
        AssertionError: for cuda without CuPy, and for xpu, as PyTorch built without them.
        NotImplementedError: for the other kinds.
        RuntimeError, TypeError: as `device` raises for bad names, and without a GPU.

    Example:
        >>> check("cpu:0")
        device(type='cpu')
    """
    if where is None:
        where = _defaults[-1]
    elif not isinstance(where, device):
        if not isinstance(where, str) and not _is_int(where):
            raise TypeError("argument 'device' must be torch.device, not "
                            f"{where.__class__.__name__}")
        where = device(where)
    if where.type == "cpu":
        return CPU
    if where.type == "meta":
        return META
    if where.type == "cuda":
        return GPU(where)
    if where.type == "xpu":
        raise AssertionError("Torch not compiled with XPU enabled: autodidact computes on the CPU "
                             f"and on CUDA's GPUs. Use device=\"cpu\" in place of \"{where}\".")
    raise NotImplementedError(f"Could not run on the '{where.type.upper()}' backend: autodidact "
                              "computes on the CPU and on CUDA's GPUs. Use device=\"cpu\".")


def _no_gpu(where: "device | int") -> device:
    """What `GPU` is before `arrays.place` is loaded."""
    raise AssertionError("Torch not compiled with CUDA enabled")


GPU_COUNT: Callable = int        # how many GPUs there are: set by place.py
GPU: Callable = _no_gpu          # device -> the same with its number, checked: set by place.py


def get_default_device() -> device:
    """The device that factories use when none is given; the CPU at the start."""
    return _defaults[-1]


def set_default_device(where: "str | device | None") -> None:
    """Set the device that factories use; None sets the CPU."""
    _defaults[-1] = CPU if where is None else device(where)


def _parse(name: str) -> tuple[str, int | None]:
    """Split "cuda:1" into ("cuda", 1)."""
    if not name:
        raise RuntimeError("Device string must not be empty")
    match = _NAME.fullmatch(name)
    if match is None:
        raise RuntimeError(f"Invalid device string: '{name}'")
    kind, digits = match.groups()
    if kind not in TYPES:
        raise RuntimeError(f"Expected one of {', '.join(TYPES)} device type at start of device "
                           f"string: {kind}")
    if digits is not None and int(digits) > _LARGEST_INDEX:
        raise RuntimeError(f"Could not parse device index '{digits}' in device string '{name}'")
    return kind, None if digits is None else int(digits)


def _explicit(name: str, number: int | None, index: int) -> int:
    """The index given as an argument of its own."""
    if number is not None:
        raise RuntimeError("type (string) must not include an index because index was passed "
                           f"explicitly: {name}")
    if not _is_int(index):
        raise TypeError("device(): argument 'index' (position 2) must be int, not "
                        f"{index.__class__.__name__}")
    _refuse_negative(index)
    if index > _LARGEST_INDEX:
        raise RuntimeError(f"Device index must not be greater than {_LARGEST_INDEX}, got {index}")
    return index


def _refuse_negative(index: int) -> None:
    if index < 0:
        raise RuntimeError("Device index must not be negative")


def _is_int(x: object) -> bool:
    return isinstance(x, int) and not isinstance(x, bool)


CPU, META = device("cpu"), device("meta")
_defaults = [CPU]
