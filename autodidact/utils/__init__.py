"""torch.utils: what helps around training."""

from autodidact.utils import _pytree, checkpoint, data

__all__ = ["_pytree", "checkpoint", "data"]
