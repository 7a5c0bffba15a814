"""Floor 0: where numbers live; nothing here knows of gradients."""

from autodidact.arrays import heap

__all__ = ["heap"]
