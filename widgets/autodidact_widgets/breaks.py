"""Breakpoints of a stepper: kept in the kernel, shown and set in the view as well.

`breaks` is the list, `halts` says at which recorded steps a run stops, and why. Both are the
kernel's; a view asks by a message.
"""

from typing import Any

import traitlets

from autodidact.trace import breakpoints
from autodidact.trace.index import index_of
from autodidact.trace.messages import say
from autodidact_widgets.wire import told

__all__ = ["REQUESTS", "Breaks"]

MOST = 50                     # breakpoints of one stepper

REQUESTS = {
    "break": {"point": breakpoints.valid},
    "unbreak": {"index": lambda index: type(index) is int and 0 <= index < MOST},
    "continue": {},
}


class Breaks(traitlets.HasTraits):
    """The part of a stepper that knows where to stop."""

    breaks = traitlets.List().tag(sync=True, to_json=told)
    halts = traitlets.Dict().tag(sync=True, to_json=told)

    def break_at(self, **point: Any) -> "Breaks":
        """Stop before a node runs, or after a gradient fulfils a condition.

        One keyword: node="c" (a variable or a label), op="MulBackward0", leaf="a", line=3 (of the
        learner's program), norm=100.0 (a gradient of a greater norm), nan=True (the first node that
        produces a NaN).

        Returns:
            The stepper.

        Raises:
            TypeError: not exactly one keyword.
            ValueError: a node, leaf, operation or line that this graph does not have.

        Example: stepper.break_at(op="MulBackward0").run_to_break()
        """
        self._add_break(breakpoints.make(self._driver.head, **point))
        return self

    def clear_breaks(self) -> None:
        """Take all breakpoints away."""
        self._set_breaks([])

    def run_to_break(self) -> "Breaks":
        """Go on until a breakpoint, or to the end of the pass, which may be an error, raised."""
        self._continue()
        return self

    def _break_lines(self) -> str:
        """The breakpoints, and why a run has stopped here; empty where there are none."""
        if not self.breaks:
            return ""
        said = self.halts.get(str(self.position), []) if self.event < 0 else []
        lines = [say("break.list", {"what": [point["say"] for point in self.breaks]})]
        return "\n".join(["", *lines, *(say(each["id"], each["args"]) for each in said), ""])

    def _answer_break(self, content: dict) -> None:
        """A view's request about breakpoints, already checked."""
        if content["type"] == "break":
            point, kept = content["point"], list(self._breaks)
            if point in kept:
                kept.remove(point)                     # the same again takes it away
                self._set_breaks(kept)
            else:
                self._add_break(point)
        elif content["type"] == "unbreak":
            self._set_breaks([p for i, p in enumerate(self._breaks) if i != content["index"]])
        else:
            self._continue()

    def _add_break(self, point: dict) -> None:
        if point not in self._breaks and len(self._breaks) < MOST:
            self._set_breaks([*self._breaks, point])

    def _set_breaks(self, points: list) -> None:
        self._breaks, self._halts, self._looked = list(points), {}, 0
        self._said = [{**p, "say": breakpoints.words(self._driver.head, p)} for p in points]
        self._look_for_halts()

    def _look_for_halts(self) -> None:
        """Hold the states that are new against the breakpoints."""
        states, head = self._driver.states, self._driver.head
        if self._looked > len(states):
            self._halts, self._looked = {}, 0          # a new pass has begun
        for k in range(self._looked, len(states) if self._breaks else 0):
            state = {"events": [], "sent": {}, "total": {}, **states[k]}
            before = {"total": self._totals} if k else None
            said = breakpoints.halt(head, self._breaks, before, state, index_of(self._driver))
            self._totals = self._totals if k else {}
            self._totals.update(state["total"])
            if said:
                self._halts[str(k)] = said
            self._looked = k + 1
        with self.hold_trait_notifications():
            self.breaks = self._said
            self.halts = dict(self._halts)

    def _next_halt(self) -> int | None:
        """The first recorded step after the shown one at which a run stops."""
        return min((int(k) for k in self._halts if int(k) > self.position), default=None)

    def _continue(self) -> None:
        """Run to the next breakpoint, in the record first, then in the pass."""
        found = self._next_halt()
        while found is None and not self._driver.done:
            self._driver.step()
            self._look_for_halts()
            found = self._next_halt()
        self.follow()
        if found is not None:
            self._show(found)
