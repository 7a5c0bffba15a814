"""How modules that only call a function say which arguments they take."""

from typing import Any

__all__ = ["takes"]


def takes(**defaults: Any) -> dict:
    """The arguments in their order, with their defaults."""
    return defaults
