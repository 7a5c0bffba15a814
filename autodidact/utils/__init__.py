"""torch.utils: what helps around training."""

from autodidact.utils import checkpoint

__all__ = ["checkpoint"]
