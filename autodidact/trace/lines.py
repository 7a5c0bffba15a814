"""The lines of a custom `backward`, noted while its node runs, and at no other time.

Python's own line tracing (`sys.settrace`) is on from the node's start to its end, and only where
nobody else (a debugger, a coverage tool) is using it. It looks: values are measured, no method of
the learner's objects is called.
"""

import inspect
import linecache
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from autodidact.autograd.function import BackwardCFunction, Function
from autodidact.tensor_base import TensorBase
from autodidact.trace.measure import measure
from autodidact.trace.sentences import text_of

__all__ = ["context_of", "program_of", "watched"]

MOST_LINES, MOST_NOTED, MOST_ITEMS, MOST_TEXT = 80, 200, 8, 40
UNPACK = BackwardCFunction.saved_tensors.fget.__code__
OURS = frozenset((
    "_hooks", "args", "dirty_tensors", "dtype", "for_jvp", "materialize_grads", "needs_input_grad",
    "next", "non_diff_outputs", "non_differentiable", "nrs", "outputs", "plan", "saved",
    "saved_for_forward", "sequence_nr", "shape", "tensor_args", "to_save", "versions", "_extra"))


def backward_code(node: Any) -> Any:
    """The code of a custom Function's backward; None for other nodes."""
    function = getattr(node, "_forward_cls", None)
    if function is None:
        return None
    backward = function.vjp if function.vjp is not Function.vjp else function.backward
    return getattr(inspect.unwrap(backward), "__code__", None)


def program_of(node: Any) -> dict | None:
    """{"first": number of the first line, "lines": [...]} of a custom backward; None if unknown."""
    code = backward_code(node)
    if code is None or not linecache.getlines(code.co_filename):
        return None
    try:
        lines, first = inspect.getsourcelines(code)
    except (OSError, TypeError, SyntaxError, IndexError):
        return None
    text = textwrap.dedent("".join(lines[:MOST_LINES])).splitlines()
    return {"first": first, "lines": [line[:200] for line in text]}


def context_of(node: Any) -> list:
    """What forward has put on `ctx`, besides the saved tensors: [name, text] pairs."""
    if getattr(node, "_forward_cls", None) is None:
        return []
    return [[name, told(value)] for name, value in vars(node).items() if name not in OURS]


@contextmanager
def watched(node: Any, events: list) -> Iterator[None]:
    """Note the lines of the node's backward in `events` while the block runs."""
    code = backward_code(node)
    if code is None or sys.gettrace() is not None:
        yield
        return
    sys.settrace(Lines(node, code, events).called)
    try:
        yield
    finally:
        sys.settrace(None)


class Lines:
    """One run of one backward, as it happens.

    Notes ("line", node, number, what has changed), ("unpack", node), ("return", node, values).
    """

    def __init__(self, node: Any, code: Any, events: list) -> None:
        self.node, self.code, self.events = node, code, events
        self.seen: dict[str, Any] = {}
        self.inside = self.raised = False

    def called(self, frame: Any, what: str, arg: Any) -> Any:
        """A function is entered: the backward itself, or a look at the saved tensors in it."""
        if frame.f_code is self.code:
            self.inside = True
            return self.local
        if frame.f_code is UNPACK and self.inside:
            self.events.append(("unpack", self.node))
        return None

    def local(self, frame: Any, what: str, arg: Any) -> Any:
        """A line of the backward is about to run, it raises, or the backward returns."""
        if what == "line":
            self.raised = False
        if what == "line" and len(self.events) < MOST_NOTED:
            self.events.append(("line", self.node, frame.f_lineno, self.changed(frame.f_locals)))
        elif what == "exception":
            self.raised = True
        elif what == "return":
            self.inside = False
            if not self.raised:
                given = arg if isinstance(arg, tuple) else (arg,)
                self.events.append(("return", self.node, [told(each) for each in given]))
        return self.local

    def changed(self, values: dict) -> list:
        """[name, text] of the variables that are new or other than at the line before."""
        now = {name: told(value) for name, value in values.items() if value is not self.node}
        news = [[name, text] for name, text in now.items()
                if name not in self.seen or self.seen[name] != text]
        self.seen = now
        return news


def told(value: Any, inner: bool = False) -> Any:
    """A value in a few words; of things that are no numbers only their class."""
    if isinstance(value, TensorBase):
        return text_of(measure(value._array))
    if value is None or isinstance(value, (bool, int, float, complex, str)):
        return repr(value)[:MOST_TEXT]
    if type(value) in (tuple, list) and not inner and len(value) <= MOST_ITEMS:
        return [told(each, True) for each in value] or type(value).__name__
    return type(value).__name__
