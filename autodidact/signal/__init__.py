"""torch.signal: windows of signals."""

from autodidact.signal import windows

__all__ = ["windows"]
