"""What a viewer sees of a backward pass, as plain data: records, their text and their picture.

Example:
    >>> from autodidact import trace
    >>> with trace.recording():
    ...     y = (x * x).sum()
    >>> print(trace.record(y).text())
"""

import sys
import types
from typing import Any

from autodidact.public import FUNCTIONS
from autodidact.trace.notes import recording
from autodidact.trace.own_engine import own_engine
from autodidact.trace.record import Record
from autodidact.trace.stepper import counting, record

__all__ = ["Record", "counting", "own_engine", "record", "recording"]


class _Package(types.ModuleType):
    """This package under the name of PyTorch's `torch.trace(x)`, the sum of a diagonal."""

    def __call__(self, input: Any) -> Any:
        return FUNCTIONS["trace"](input)


sys.modules[__name__].__class__ = _Package
