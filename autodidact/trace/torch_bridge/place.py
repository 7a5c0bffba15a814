"""Where a tensor of PyTorch's has its numbers."""

from typing import Any

__all__ = ["memory"]


def memory(tensor: Any) -> tuple[int, int]:
    """(address, bytes) of a tensor's memory; (0, 0) where it has none of its own."""
    try:
        storage = tensor.untyped_storage()
        return storage.data_ptr(), storage.nbytes()
    except (AttributeError, RuntimeError, NotImplementedError):
        return 0, 0
