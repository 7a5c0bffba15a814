"""PyTorch itself, where it is in use already.

Nothing here loads it for those who do without: a tensor of PyTorch's can only come in where PyTorch
has been imported.
"""

import sys
from typing import Any

import numpy as np

from autodidact._optional import optional
from autodidact.trace.measure import measure
from autodidact.trace.summary import summarise

__all__ = ["dtype_name", "is_module", "is_tensor", "summary", "torch"]


def torch() -> Any:
    """The module `torch`.

    Raises MissingExtra (an ImportError) where it is not installed.
    """
    return sys.modules.get("torch") or optional("torch", extra="oracle")


def is_tensor(value: Any) -> bool:
    """Whether a value is a tensor of PyTorch's."""
    library = sys.modules.get("torch")
    return library is not None and isinstance(value, library.Tensor)


def is_module(value: Any) -> bool:
    """Whether a value is a module of PyTorch's."""
    networks = sys.modules.get("torch.nn")
    return networks is not None and isinstance(value, networks.Module)


def dtype_name(dtype: Any) -> str:
    """PyTorch's name of a dtype, without the package: "float32"."""
    return str(dtype).rpartition(".")[2]


def summary(tensor: Any) -> dict | None:
    """SUMMARY of a tensor of any dtype, on any device; None for None.

    Of a tensor that has no numbers to read (sparse, meta, ...) the shape and dtype are told.
    """
    if tensor is None:
        return None
    if not is_tensor(tensor):
        return measure(np.asarray(tensor))
    told = dtype_name(tensor.dtype)
    array = array_of(tensor)
    if array is None:
        return summarise(None, tuple(tensor.shape), told)
    return {**measure(array), "dtype": told}


def array_of(tensor: Any) -> np.ndarray | None:
    """A tensor's numbers as NumPy has them; None where they cannot be read."""
    plain = tensor.detach()
    if plain.dtype in (torch().bfloat16,):
        plain = plain.float()                          # NumPy has no such dtype
    try:
        return plain.cpu().resolve_conj().resolve_neg().numpy()
    except (RuntimeError, TypeError, NotImplementedError):
        return None
