"""Which calls of the learner's functions an operation was made in: the 3rd of `block`, `attend`.

A line tells where an operation stands; in a loop over `block(x)` it is the calls that belong
together. A frame has no name of its own and its address is soon another's, so each is given a
number when it is first seen, in `f_trace`: nobody reads that but a debugger, whose frames are left
alone, and it goes when the frame goes.
"""

import itertools
import sys
from typing import Any

__all__ = ["calls_of", "within"]

OWN_MODULES = ("autodidact.", "autodidact_widgets.", "contextlib")
MOST = 12              # calls inside calls that are told, the outermost
DEEPEST = 100          # that are looked at
LONGEST = 40           # characters of a name
_count = itertools.count(1)


class Call:
    """The number of one call. As a frame's `f_trace` it would be called by a debugger's tracing."""

    __slots__ = ("number",)

    def __init__(self) -> None:
        self.number = next(_count)

    def __call__(self, frame: Any, event: str, arg: Any) -> None:
        """A frame that nobody traces."""


def calls_of(frame: Any) -> tuple:
    """(number, name) of the calls that a frame is in, outermost first.

    From the cell or script down; frames of this package between them, comprehensions and whatever
    called the learner's code from an installed package are left out.
    """
    found: list[tuple] = []
    while frame is not None and len(found) < DEEPEST:
        name, file = frame.f_code.co_qualname, frame.f_code.co_filename
        ours = frame.f_globals.get("__name__", "").startswith(OWN_MODULES)
        if not ours:
            if name == "<module>" or installed(file):
                break
            number = None if name.endswith(("comp>", "<genexpr>")) else numbered(frame)
            if number is not None:
                found.append((number, name.rpartition("<locals>.")[2][:LONGEST]))
        frame = frame.f_back
    return tuple(reversed(found[-MOST:]))


def installed(file: str) -> bool:
    """Whether a file belongs to Python or to a package, not to the learner."""
    return "site-packages" in file or file.startswith((sys.base_prefix + "/lib", "<frozen"))


def numbered(frame: Any) -> int | None:
    """The number of the call that a frame is; None where a debugger has the frame."""
    if frame.f_trace is None:
        frame.f_trace = Call()
    return frame.f_trace.number if isinstance(frame.f_trace, Call) else None


def within(paths: dict) -> dict:
    """The same paths without the calls that all of them are in, numbered anew from 1.

    Args:
        paths: anything -> its calls.

    Returns:
        key -> [[number, name], ...], of those that are in any call.

    Example: within({"a": ((7, "f"), (9, "g")), "b": ((7, "f"),)}) is {"a": [[1, "g"]]}.
    """
    shared = list(next(iter(paths.values()), ()))
    for path in paths.values():
        same = itertools.takewhile(lambda pair: pair[0] == pair[1],
                                   zip(shared, path, strict=False))
        shared = [one for one, _ in same]
    rest = {key: path[len(shared):] for key, path in paths.items()}
    old = sorted({number for path in rest.values() for number, _ in path})
    new = {number: i for i, number in enumerate(old, 1)}
    return {key: [[new[number], name] for number, name in path]
            for key, path in rest.items() if path}
