"""Files: tensors, and containers of them, in the safetensors format. Reading one executes nothing.

A file holds named tensors and a short text. A flat dict of tensors, such as the `state_dict` of a
module, is stored as just that, so that other libraries read it, and theirs are read here. For
anything else the text says, as JSON, how lists, dicts and numbers are put together again around the
tensors.
"""

import json
import os
from collections import OrderedDict
from collections.abc import Mapping
from pickle import UnpicklingError
from typing import Any

import numpy as np

from autodidact._optional import optional
from autodidact.arrays import dtype as dt
from autodidact.arrays.bfloat16 import BFloat16Array, numpy_dtype
from autodidact.arrays.device import check
from autodidact.arrays.place import to_host
from autodidact.functions.creation import fresh
from autodidact.nn.parameter import Parameter
from autodidact.tensor import Size, Tensor

__all__ = ["load", "save"]

FORMAT = "autodidact"               # the key of the text that says how the tensors are put together
DEPTH = 100                         # of containers in containers
PLAIN = (bool, int, float, str, type(None))


# ---- writing ------------------------------------------------------------------------------------


def save(obj: Any, f: Any) -> None:
    """Write tensors, or containers of tensors, numbers and texts, to a file.

    Args:
        obj: a tensor; a number or text; lists, tuples, dicts of these, e.g. what `state_dict()` of
            a module or an optimizer gives.
        f: a path or an open binary file.

    Raises:
        TypeError: for anything else, such as a whole module: save its `state_dict()`.

    Example:
        >>> torch.save(model.state_dict(), "model.safetensors")
    """
    library = numpy_format()
    tensors: dict = {}
    if flat(obj):
        tensors = {name: array_of(t) for name, t in obj.items()}
        data = library.save(tensors, None)
    else:
        structure = described(obj, tensors, 0)
        data = library.save(tensors, {FORMAT: json.dumps(structure)})
    if isinstance(f, str | os.PathLike):
        with open(f, "wb") as file:
            file.write(data)
    else:
        f.write(data)


def numpy_format() -> Any:
    """The library, imported when first needed."""
    return optional("safetensors.numpy", extra="io")


def flat(obj: Any) -> bool:
    """Whether it is a dict of plain tensors by name: then the file needs no text."""
    return isinstance(obj, Mapping) and bool(obj) and all(
        isinstance(k, str) and isinstance(v, Tensor) and not isinstance(v, Parameter)
        and not v.requires_grad for k, v in obj.items())


def array_of(t: Tensor) -> np.ndarray:
    """The numbers in row-major order, as the format wants them; their shape stays."""
    array = to_host(t.detach()._array) if t.dtype is not dt.bfloat16 else t._array.inside
    return np.ascontiguousarray(array).reshape(array.shape)


def described(obj: Any, tensors: dict, depth: int) -> Any:
    """The object as JSON, with names in place of tensors, which are added to `tensors`."""
    if depth > DEPTH:
        raise TypeError("save: containers are nested too deeply")
    if isinstance(obj, Tensor):
        name = str(len(tensors))
        if obj.is_complex():
            raise TypeError("save: the format has no complex numbers; save torch.view_as_real(x)")
        tensors[name] = array_of(obj)
        return {"tensor": name, "grad": obj.requires_grad, "parameter": isinstance(obj, Parameter)}
    if isinstance(obj, np.generic):
        return described(obj.item(), tensors, depth)
    if type(obj) in PLAIN:
        return {"value": obj if obj == obj and obj not in (np.inf, -np.inf) else str(obj),
                **({"float": True} if isinstance(obj, float) else {})}
    if isinstance(obj, Mapping):
        return {"dict": [[described(k, tensors, depth + 1), described(v, tensors, depth + 1)]
                         for k, v in obj.items()]}
    for name, kind in CONTAINERS.items():
        if type(obj) is kind:
            return {name: [described(v, tensors, depth + 1) for v in obj]}
    raise TypeError(f"save: cannot write a {type(obj).__name__}. Files hold tensors, numbers, "
                    "texts, and lists, tuples and dicts of them; of a module or an optimizer, save "
                    "its state_dict()")


CONTAINERS = {"list": list, "tuple": tuple, "size": Size}


# ---- reading ------------------------------------------------------------------------------------


def load(f: Any, map_location: Any = None, *, weights_only: bool = True) -> Any:
    """Read what `save` has written, or any safetensors file.

    Nothing in the file is executed, whoever has written it.

    Args:
        f: a path or an open binary file.
        map_location: "cpu".
        weights_only: True; there is no other way of reading.

    Raises:
        pickle.UnpicklingError, as in PyTorch: for a file that is cut short, has a wrong header, or
            is of another kind, such as a pickle.

    Example:
        >>> torch.save(model.state_dict(), "model.safetensors")
        >>> model.load_state_dict(torch.load("model.safetensors"))
        <All keys matched successfully>
    """
    if not weights_only:
        raise ValueError("load: weights_only=False would run code from the file; it is not "
                         "supported")
    if map_location is not None and not callable(map_location):
        check(map_location)
    if isinstance(f, str | os.PathLike):
        with open(f, "rb") as file:
            data = file.read()
    else:
        data = f.read()
    tensors, text = parts(data)
    if text is None:
        return OrderedDict((name, fresh(array)) for name, array in tensors.items())
    try:
        return rebuilt(json.loads(text), tensors, 0)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise UnpicklingError("Weights only load failed. The file's description of its contents "
                              f"makes no sense ({type(error).__name__})") from None


def parts(data: bytes) -> tuple:
    """The tensors by name, and the text, of a file's bytes."""
    library = optional("safetensors", extra="io")
    try:
        arrays = dict(library.deserialize(data))
        size = int.from_bytes(data[:8], "little")
        header = json.loads(data[8:8 + size])
    except Exception as error:
        if data[:1] == b"\x80" or data[:2] == b"PK":
            raise UnpicklingError(
                "Weights only load failed. This is a pickle (or a ZIP of one, as PyTorch writes): "
                "reading it could run code, so it is refused. Save with "
                "safetensors.torch.save_file there, and load that") from None
        raise UnpicklingError("Weights only load failed. This is no whole safetensors file: "
                              f"{error}") from None
    order = sorted(arrays, key=lambda name: header[name]["data_offsets"])
    text = (header.get("__metadata__") or {}).get(FORMAT)
    return {name: array_in(name, arrays[name]) for name in order}, text


KINDS = {"BOOL": dt.bool_, "U8": dt.uint8, "I8": dt.int8, "I16": dt.int16, "I32": dt.int32,
         "I64": dt.int64, "F16": dt.float16, "BF16": dt.bfloat16, "F32": dt.float32,
         "F64": dt.float64, "C64": dt.complex64}


def array_in(name: str, entry: dict) -> Any:
    """One tensor's numbers, writable, from the file's dtype, shape and bytes."""
    kind = KINDS.get(entry["dtype"])
    if kind is None:
        raise UnpicklingError(f"Weights only load failed. The tensor {name!r} has the dtype "
                              f"{entry['dtype']}, which no tensor has here")
    stored = numpy_dtype() if kind is dt.bfloat16 else kind.numpy
    array = np.frombuffer(entry["data"], stored).reshape(entry["shape"]).copy()
    return BFloat16Array(array) if kind is dt.bfloat16 else array


def rebuilt(item: Any, tensors: dict, depth: int) -> Any:
    """An object from its description."""
    if depth > DEPTH:
        raise ValueError("nested too deeply")
    ((kind, content), *_) = item.items()
    if kind == "tensor":
        t = fresh(tensors[content])
        wants = item["grad"] is True
        return Parameter(t, wants) if item["parameter"] is True else t.requires_grad_(wants)
    if kind == "value":
        return float(content) if item.get("float") else plain(content)
    if kind == "dict":
        return {rebuilt(k, tensors, depth + 1): rebuilt(v, tensors, depth + 1) for k, v in content}
    return CONTAINERS[kind]([rebuilt(v, tensors, depth + 1) for v in content])


def plain(value: Any) -> Any:
    """A value that JSON can hold by itself."""
    if type(value) not in PLAIN:
        raise TypeError("no plain value")
    return value

