"""The mathematics: one row per operation, formulas on arrays; `op.py` says what a row is."""

from autodidact.ops import aten

__all__ = ["aten"]
