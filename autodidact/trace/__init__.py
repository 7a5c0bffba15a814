"""What a viewer sees of a backward pass, as plain data: records, their text and their picture.

Example:
    >>> from autodidact import trace
    >>> with trace.recording():
    ...     y = (x * x).sum()
    >>> print(trace.record(y).text())
"""

from autodidact.trace.record import Record
from autodidact.trace.notes import recording
from autodidact.trace.stepper import counting, record

__all__ = ["Record", "counting", "record", "recording"]
