"""The rows of networks: declared and bound with `nn`, so that plain tensors start quickly."""

from autodidact.functions.rows import bind_new
from autodidact.ops import (
    convolution,
    ctc,
    loss,
    normalization,
    padding,
    pooling,
    recurrent,
)

__all__ = ["convolution", "ctc", "loss", "normalization", "padding", "pooling", "recurrent"]

bind_new()
