"""torch.utils: what helps around training."""

from autodidact.utils import checkpoint, data

__all__ = ["checkpoint", "data"]
