"""A program run under observation: its passes recorded, its lines followed, until it stops.

The program runs as ever, on copies of the tensors it is given. While it does, Python's own line
tracing says which line is at work (where no debugger or coverage tool is using it), every backward
pass is recorded, and two things are looked for that no exception tells of: a saved tensor whose
values changed though its version did not, and the line after which a result has no graph.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from autodidact.autograd import engine
from autodidact.autograd.grad_mode import mode
from autodidact.tensor_base import TensorBase
from autodidact.trace.measure import measure
from autodidact.trace.names import variables
from autodidact.trace.notes import notes, recording, user_frame
from autodidact.trace.program import Program
from autodidact.trace.recorder import Recorder
from autodidact.trace.tasks import RecordingTask

__all__ = ["Pass", "Visit"]

MOST_PASSES = 20      # of one program that are recorded
MOST_NODES = 200      # whose saved values are looked at after each line


class Pass:
    """One pass of the program: its record, the line that ran it, and the gradients it found."""

    def __init__(self, recorder: Recorder, line: int | None) -> None:
        self.recorder, self.line = recorder, line
        self.returns = bool(recorder.subject.head["options"].get("returns"))
        self.leaves = [node for node in recorder.subject.order if hasattr(node, "variable")]


class Visit:
    """One run of a program.

    Attributes:
        passes: every pass, in order. value: what the program returned.
        error: what it stopped with, or None; stop: the line that did.
        sly: node -> (line, index of the saved tensor, before, after), values changed unnoticed.
        cuts: [(line, name, names read)], results without a graph though an input has one.
        values: the program's variables when it ended.
    """

    def __init__(self, program: Program, args: tuple) -> None:
        self.program, self.args = program, args
        self.passes: list[Pass] = []
        self.value: Any = None
        self.error: Exception | None = None
        self.stop: int | None = None
        self.sly: dict[Any, tuple] = {}
        self.cuts: list[tuple] = []
        self.values: dict[str, Any] = {}
        self.line: int | None = None
        self.known: dict[str, Any] = {}

    def run(self) -> "Visit":
        """Run the program to its end, or to its exception."""
        given = [own_copy(each) for each in self.args]
        with recording(), self.passes_recorded(), self.lines_followed():
            try:
                self.value = self.program.function(*given)
            except Exception as error:
                self.error = error
                self.stop = line_of(error, self.program.function.__code__)
        return self

    # ---- passes

    @contextmanager
    def passes_recorded(self) -> Iterator[None]:
        """Every pass that begins inside is recorded."""
        before = engine.task_class
        engine.task_class = type("VisitTask", (VisitTask,), {"visit": self, "usual": before})
        try:
            yield
        finally:
            engine.task_class = before

    # ---- lines

    @contextmanager
    def lines_followed(self) -> Iterator[None]:
        """Know the line that is at work."""
        if sys.gettrace() is not None:
            yield
            return
        sys.settrace(self.called)
        try:
            yield
        finally:
            sys.settrace(None)

    def called(self, frame: Any, what: str, arg: Any) -> Any:
        """A function is entered: only the program itself is followed."""
        return self.local if frame.f_code is self.program.function.__code__ else None

    def local(self, frame: Any, what: str, arg: Any) -> Any:
        """A line of the program is about to run, or the program returns."""
        if what in ("line", "return"):
            if self.line is not None:
                self.after(self.line, frame.f_locals)
            self.line = frame.f_lineno if what == "line" else None
            self.values = {k: v for k, v in frame.f_locals.items()}
        return self.local

    def after(self, line: int, values: dict) -> None:
        """A line has run: what has it made without a graph, what has it changed unnoticed?"""
        fresh = {name: value for name, value in values.items()
                 if isinstance(value, TensorBase) and self.known.get(name) is not value}
        names = self.program.names_in(line)
        through = [name for name in names
                   if isinstance(values.get(name), TensorBase) and values[name].requires_grad]
        self.cuts += [(line, name, through) for name, value in fresh.items()
                      if through and name not in through and not value.requires_grad]
        self.known = dict(values)
        for node, note in list(notes.items())[-MOST_NODES:]:
            if note.file == self.program.file and node not in self.sly:
                self.look(node, note, line)

    def look(self, node: Any, note: Any, line: int) -> None:
        """Has a saved tensor other values than it had, though its version is the same?"""
        for i, item in enumerate(node.saved or ()):
            old = note.saved[i] if i < len(note.saved) else None
            if old is None or not hasattr(item, "_array") or node.versions[i] < 0:
                continue
            if getattr(item, "_version_cell", [None])[0] != node.versions[i]:
                continue
            now = measure(item._array)
            if (now["text"], now["values"]) != (old["text"], old["values"]):
                self.sly[node] = (line, i, old, now)


class VisitTask(RecordingTask):
    """A pass of the program. `visit` and `usual` are set by `passes_recorded`."""

    visit: Visit
    usual: type

    def __new__(cls, roots: list, **options: Any) -> Any:
        """This task, or the usual one inside another pass, inside a transform, or late."""
        if mode.task is None and not options.get("tensors") and \
                len(cls.visit.passes) < MOST_PASSES:
            return super().__new__(cls)
        return cls.usual(roots, **options)

    def __init__(self, roots: list, **options: Any) -> None:
        self.given = roots
        super().__init__(roots, **options)

    def run(self, limit: int = -1) -> bool:
        """To the end, recorded; so many nodes: as always."""
        if limit >= 0:
            return super().run(limit)
        frame = user_frame()
        recorder = Recorder.of_task(self, self.given, variables(frame))
        self.given, here = [], self.visit.program.function.__code__
        while frame is not None and frame.f_code is not here:
            frame = frame.f_back
        self.visit.passes.append(Pass(recorder, frame.f_lineno if frame else None))
        recorder.run()
        if recorder.error is not None:
            raise recorder.error
        return False


def own_copy(value: Any) -> Any:
    """A tensor's copy, so that a program may be run again; other things as they are."""
    if not isinstance(value, TensorBase):
        return value
    copied = TensorBase.wrap(np.array(value._array, copy=True))
    copied._requires_grad = bool(value.requires_grad)
    return copied


def line_of(error: BaseException, code: Any) -> int | None:
    """The line of the program in which an exception came up."""
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code is code:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def name_of(visit: Visit, tensor: Any) -> str | None:
    """What the program calls a tensor."""
    return next((name for name, value in visit.values.items() if value is tensor), None)

