"""What gradcheck asks of forward mode."""

from typing import Any

__all__ = ["check_batched_tangents", "check_tangents", "check_undefined_tangents"]


def check_tangents(check: Any, outputs: tuple) -> None:
    """Forward mode against differences."""
    raise NotImplementedError("check_forward_ad=True needs forward mode, which is not there yet")


check_undefined_tangents = check_batched_tangents = check_tangents
