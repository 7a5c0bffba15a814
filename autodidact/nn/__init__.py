"""Building blocks of neural networks; so far the functions, `torch.nn.functional`."""

from autodidact.nn import functional

__all__ = ["functional"]
