"""The public surface: which functions appear as `torch.name` and which as `Tensor.name`.

A module of `functions/` marks what it offers; `autodidact/__init__.py` puts the names in place.

    @function          torch.name
    @method            Tensor.name
    @both              torch.name and Tensor.name
"""

from collections.abc import Callable
from typing import Any

__all__ = ["FUNCTIONS", "METHODS", "both", "function", "method"]

FUNCTIONS: dict[str, Callable] = {}
METHODS: dict[str, Any] = {}


def function(f: Callable, name: str | None = None) -> Callable:
    """Offer `f` as `torch.name`."""
    FUNCTIONS[name or f.__name__] = f
    return f


def method(f: Any, name: str | None = None) -> Any:
    """Offer `f` (or a property) as `Tensor.name`."""
    METHODS[name or f.__name__] = f
    return f


def both(f: Callable, name: str | None = None) -> Callable:
    """Offer `f` as `torch.name` and as `Tensor.name`."""
    return method(function(f, name), name)


def named(*names: str) -> Callable:
    """As `both`, under several names: aliases such as `absolute` for `abs`."""
    def mark(f: Callable) -> Callable:
        for name in names:
            both(f, name)
        return f
    return mark
