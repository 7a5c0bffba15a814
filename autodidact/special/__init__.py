"""torch.special: functions of Euler, Bessel and Gauss, and their relatives."""

from autodidact.functions.special import SPECIAL

__all__ = sorted(SPECIAL)
globals().update(SPECIAL)
