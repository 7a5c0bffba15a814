"""The mathematics: one row per operation, formulas on arrays; `op.py` says what a row is."""

import importlib


def __getattr__(name: str) -> object:
    if name != "aten":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return importlib.import_module("autodidact.ops.aten")
