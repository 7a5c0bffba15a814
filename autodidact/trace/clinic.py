"""The clinic: a program run under observation, what is wrong with it, and repairs to be tried."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from autodidact.trace.diagnosis import diagnose
from autodidact.trace.lines import told
from autodidact.trace.program import Program
from autodidact.trace.sentences import sentence
from autodidact.trace.visit import Visit

__all__ = ["Patient"]


class Patient:
    """A program that has been run and looked at.

    Args:
        program: the function, or its `Program`.
        args: what it is called with; tensors are copied for each run.
        repaired: the sentence of the repair that made it.

    Attributes:
        record: the record in which it stopped or went wrong. step: the state with the case.
        error: what it raised, or None. value: what it returned.
    """

    def __init__(self, program: Any, args: tuple = (), repaired: dict | None = None,
                 without: Any = None) -> None:
        self.program = program if isinstance(program, Program) else Program.of(program)
        self.args, self.without = args, without
        with undecorated(without):
            visit = Visit(self.program, args).run()
            found = diagnose(visit)
        self.record, self.step, self.repairs = found.record, found.step, found.repairs
        self.error, self.value = visit.error, visit.value
        case = self.case
        case["repaired"] = repaired
        if repaired and self.error is None and case["kind"] != "healthy":
            case["say"].append(sentence("clinic.returns", value=told(self.value)))

    @property
    def case(self) -> dict:
        """What is wrong, as plain data."""
        return self.record.states[self.step]["clinic"]

    def text(self) -> str:
        """The state with the case, as text."""
        return self.record.text(self.step)

    def mended(self, number: int) -> "Patient":
        """The program with one of its repairs (the first is 1), run again from its beginning.

        Raises:
            IndexError: there is no such repair.
        """
        if not 1 <= number <= len(self.repairs):
            raise IndexError(f"repair {number} of {len(self.repairs)}")
        edits, said = self.repairs[number - 1], self.case["repairs"][number - 1]
        if "undecorated" in edits:
            return Patient(self.program, self.args, said, edits["undecorated"])
        return Patient(self.program.changed(edits), self.args, said, self.without)


@contextmanager
def undecorated(function: Any) -> Iterator[None]:
    """Inside, a Function's backward is what it was before `once_differentiable` was put on it."""
    if function is None:
        yield
        return
    kept = function.__dict__["backward"]
    function.backward = staticmethod(function.backward.__wrapped__)
    try:
        yield
    finally:
        function.backward = kept
