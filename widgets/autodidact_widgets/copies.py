"""CopyDriver: what every driver has whose pass runs on a copy and has begun already."""

from typing import Any

from autodidact.trace.record import Record

__all__ = ["CopyDriver"]


class CopyDriver:
    """Hands a widget's requests to a recorder.

    Attributes:
        recorder: steps the copy; set by the classes of this one.
    """

    recorder: Any

    @property
    def record(self) -> Record:
        """The record so far."""
        return self.recorder.record

    @property
    def head(self) -> dict:
        """The record without its states."""
        return self.record.head

    @property
    def states(self) -> list:
        """State 0 and the deltas so far."""
        return self.record.states

    @property
    def done(self) -> bool:
        """Whether the pass is over."""
        return self.recorder.done

    def begin(self) -> None:
        """It has begun already."""

    def step(self) -> list:
        """Run one node; the new states."""
        return self.recorder.step()

    def run(self) -> list:
        """Run what is left; the new states."""
        return self.recorder.run()

    def set_option(self, name: str, value: bool) -> list:
        """The options are those of the pass that it stands for."""
        return [{"id": "refused.started", "args": {"name": name}}]

    def release(self) -> None:
        """The graph belongs to somebody else."""
