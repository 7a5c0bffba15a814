"""clinic(): run a program and show what is wrong with it, at its place, with repairs to be tried.

A program is a function. It runs under observation, in the kernel; a repair is a changed line, and
"repair and retry" runs the changed program from its beginning.
"""

from typing import Any

from autodidact.trace.clinic import Patient
from autodidact.trace.groups import LARGEST_WHOLE
from autodidact.trace.record import Record
from autodidact_widgets.show import Over, Stepper

__all__ = ["ClinicStepper", "Ward", "clinic"]


class Ward:
    """The driver of a program that was run and looked at: there is nothing left to run.

    Args:
        patient: the program.
        original: the driver of the program that this one is a repair of.
    """

    done = True

    def __init__(self, patient: Patient, original: "Ward | None" = None) -> None:
        self.patient, self.original = patient, original
        self.recorder = Over(patient.record, patient.error, {})
        if len(self.head["nodes"]) <= LARGEST_WHOLE:
            self.record.layout()

    mended = None

    @property
    def record(self) -> Record:
        """The record in which the program stopped or went wrong."""
        return self.patient.record

    @property
    def head(self) -> dict:
        """The record without its states."""
        return self.record.head

    @property
    def states(self) -> list:
        """State 0 and the deltas."""
        return self.record.states

    def step(self) -> list:
        """There is nothing left to run."""
        return []

    run = step

    def repaired(self) -> None:
        """Not here: a repaired program runs from its beginning."""

    def release(self) -> None:
        """The graphs are gone already."""

    def set_option(self, name: str, value: bool) -> list:
        """The program itself says it."""
        return [{"id": "refused.program", "args": {"name": name}}]


class ClinicStepper(Stepper):
    """A program on the screen, at the place where it stopped or went wrong.

    Attributes:
        error: what the program raised, or None. value: what it returned.
    """

    def __init__(self, driver: Ward) -> None:
        super().__init__(driver)
        self.position = driver.patient.step

    @property
    def error(self) -> BaseException | None:
        """What the program raised."""
        return self._driver.recorder.error

    @property
    def value(self) -> Any:
        """What the program returned."""
        return self._driver.patient.value

    def retry(self, number: int) -> "ClinicStepper":
        """A new stepper, of the program with one of its repairs (the first is 1).

        Raises:
            IndexError: there is no such repair.
        """
        return ClinicStepper(Ward(self._driver.patient.mended(number)))

    def take(self, driver: Ward) -> None:
        """Show another program from now on, at its place."""
        super().take(driver)
        self._show(driver.patient.step)

    def _answer_retry(self, content: dict) -> None:
        """A view asks for a repair; `content` has been checked."""
        if 1 <= content["number"] <= len(self._driver.patient.repairs):
            self.take(Ward(self._driver.patient.mended(content["number"]), self._driver))
        else:
            self._refuse([{"id": "refused.repair", "args": {}}])


def clinic(program: Any, *args: Any) -> ClinicStepper:
    """Run a program; show what is wrong with it, the rule it broke, and repairs.

    The program runs once, on copies of the tensors it is given. What is found: the exceptions of a
    pass, those before, after and between passes, and three errors without an exception (a gradient
    that is added to an old one, a write through `.data`, a derivative cut off by
    `once_differentiable`).

    Args:
        program: a function. It is listed, and repairs are found, where its text is known.
        args: what it is called with.

    Returns:
        A stepper at the place where the program stopped or went wrong; `.retry(1)` runs the program
        again with its first repair. The program's exception is raised by `.finish()`.

    Raises:
        TypeError: not a function.

    Example:
        clinic(train, 2.0)                  # as the last line of a cell
    """
    return ClinicStepper(Ward(Patient(program, args)))
