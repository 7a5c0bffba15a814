"""Passes in lock step: the driver behind `compare()`.

A session is one pass that can be stepped: what `show` drives (`Driver`), or a finished record that
is played again (`Replayed`). A run is a list of sessions, one after the other. One step of the
driver moves every run by one node; the next pass begins when all runs are over with the last.
"""

from typing import Any

from autodidact.trace.compare import Comparison, steps_of
from autodidact.trace.compare_text import Columns
from autodidact.trace.messages import current_language
from autodidact.trace.outside import Outside
from autodidact.trace.record import Record
from autodidact_widgets.second import leaves_of, second_pass

__all__ = ["LARGEST_PICTURE", "Later", "Lockstep", "Replayed"]

LARGEST_PICTURE = 400        # nodes of a graph that is drawn


class Replayed:
    """A record that is played again, one state at a time.

    Args:
        record: the record.
    """

    def __init__(self, record: Record) -> None:
        self.whole = record
        self.begin()

    def begin(self) -> None:
        """Go back to state 0."""
        self.record = Record(self.whole.head, self.whole.states[:1])

    @property
    def done(self) -> bool:
        """Whether all of the record has been played."""
        return len(self.record) == len(self.whole)

    def step(self) -> list:
        """The next state."""
        new = self.whole.states[len(self.record):][:1]
        self.record.states += new
        return new

    def release(self) -> None:
        """There is nothing to let go of."""


class Later:
    """The pass of a gradient: it can begin when the pass that makes the gradient is over.

    Args:
        before: the session of that pass, with create_graph.
        name: "x.grad".
    """

    def __init__(self, before: Any, name: str) -> None:
        self.before, self.name, self.driver = before, name, None
        self.held = [leaf() for leaf in leaves_of(getattr(before, "recorder", None)).values()]

    @property
    def later(self) -> bool:
        """Whether it has not begun."""
        return self.driver is None

    @property
    def record(self) -> Record:
        """The record, once it has begun."""
        return self.driver.record

    @property
    def done(self) -> bool:
        """Whether the pass is over."""
        return self.driver.done

    def obstacle(self) -> dict | None:
        """Why it cannot begin, as a sentence; else it is prepared."""
        self.driver = second_pass(self.before, self.name.removesuffix(".grad"))
        return None if self.driver else {"id": "compare.no_graph", "args": {"who": self.name}}

    def begin(self) -> None:
        """It has been prepared."""

    def step(self) -> list:
        """Run one node; the new states."""
        return self.driver.step()

    def release(self) -> None:
        """The graph belongs to the gradient."""


class Lockstep:
    """Several runs as one driver: what a widget steps and shows.

    Args:
        runs: lists of sessions, at least two.
        labels: what to call them, or None.

    Attributes:
        comparison: the runs so far, and their differences.
        head: what never changes. states: what each place adds; see `place`.
    """

    def __init__(self, runs: list, labels: list | None) -> None:
        self.runs, self.current = runs, 0
        for run in runs:
            if len(run[0].record) == 1:               # one that stands half way goes on from there
                run[0].begin()
        self.comparison = Comparison([[run[0].record] for run in runs], labels)
        self.words = Columns(self.comparison, current_language())
        self.head = {"format": 1, "kind": "compare", "labels": self.comparison.labels}
        self.states: list[dict] = []
        self.shown = [0] * len(runs)         # states of the pass that have been handed on, per run
        self.places()

    @property
    def done(self) -> bool:
        """Whether every run has reached its end or its error."""
        return all(session.done for session in self.sessions()) and not self.waiting()

    def sessions(self) -> list:
        """The sessions that run now; a run whose pass never began has none."""
        begun = self.comparison.runs
        return [run[self.current] for run, records in zip(self.runs, begun, strict=True)
                if len(records) > self.current]

    def waiting(self) -> list:
        """The numbers of the runs that have another pass to begin.

        A failed pass was the last; so is one whose gradient, which the next pass was to go back
        from, has no graph.
        """
        able = []
        for i, run in enumerate(self.runs):
            if (len(run) > self.current + 1 == len(self.comparison.runs[i])
                    and self.comparison.runs[i][-1].states[-1]["end"] == "ok"):
                why = run[self.current + 1].obstacle() if hasattr(
                    run[self.current + 1], "obstacle") else None
                if why is None:
                    able.append(i)
                else:
                    self.comparison.missing[i, self.current + 1] = why
        return able

    def step(self) -> list:
        """Every run takes one step, or the next pass begins; the new place."""
        moving = [session for session in self.sessions() if not session.done]
        if moving:
            for session in moving:
                session.step()
                self.excuse(session)
            return self.places()
        waiting = self.waiting()
        if not waiting:
            return []
        self.current += 1
        for i in waiting:
            self.runs[i][self.current].begin()
            self.comparison.runs[i].append(self.runs[i][self.current].record)
        self.shown = [0] * len(self.runs)
        return self.places()

    def excuse(self, moved: Any) -> None:
        """A run's step is no change from outside to the others, if it is nothing but a step."""
        step = look_of(moved)
        for session in self.sessions() if step is not None else ():
            look = look_of(session)
            if look is not None and look is not step:
                look.excuse(step)

    def run(self) -> list:
        """Run what is left; the new places."""
        before = len(self.states)
        while self.step():
            pass
        return self.states[before:]

    def set_option(self, name: str, value: bool) -> list:
        """The options of each pass are its own."""
        return [{"id": "refused.unknown", "args": {}}]

    def release(self) -> None:
        """Let go of the graphs; the records stay."""
        for run in self.runs:
            for session in run:
                session.release()

    # ---- what a view is sent

    def places(self) -> list:
        """The places reached since the last time (several, where a session was stepped outside)."""
        before = len(self.states)
        while len(self.states) < len(self.comparison):
            self.states.append(self.place())
        return self.states[before:]

    def place(self) -> dict:
        """The place just reached, as plain data that comes on top of the places before.

        "heads": at the beginning of a pass the head of each run, else None. "states": each run's
        new state, None where it waits. "line": its line in the text form. "rows": differences that
        begin here. "steps", "total": how many steps led here, and how many there will be.
        """
        both = self.comparison
        self.count_later()
        index = len(self.states)
        p, k = both.places()[index]
        heads, states = [], []
        for i, records in enumerate(both.runs):
            record = records[p] if p < len(records) else None
            fresh = record is not None and len(record) > self.shown[i]
            states.append(record.states[self.shown[i]] if fresh else None)
            self.shown[i] += fresh
            if k == 0 and record is not None and len(record.head["nodes"]) <= LARGEST_PICTURE:
                record.layout()
            heads.append(record.head if k == 0 and record is not None else None)
        rows = both.rows_at(index)
        return {"step": index, "pass": p, "heads": heads if k == 0 else None, "states": states,
                "rows": rows, "line": self.words.line(index, both.places()),
                "steps": both.number(index), "total": both.total()}

    def speak(self, language: str) -> None:
        """Say in another language what has been said so far."""
        self.words = Columns(self.comparison, language)
        places = self.comparison.places()
        for index, state in enumerate(self.states):
            state["line"] = self.words.line(index, places)

    def count_later(self) -> None:
        """Tell the comparison how many steps the passes that have not begun will take."""
        depth = max(len(run) for run in self.runs)
        self.comparison.later = sum(
            max((self.planned(run[p]) for i, run in enumerate(self.runs)
                 if p < len(run) and self.may_begin(i)), default=0)
            for p in range(self.current + 1, depth))

    def may_begin(self, i: int) -> bool:
        """Whether a run is still on its way: no pass of it has failed."""
        return self.comparison.runs[i][-1].states[-1]["end"] != "error"

    def planned(self, session: Any) -> int:
        """How many steps a session will take."""
        if getattr(session, "later", False):
            return 0                                   # not known before it begins
        return steps_of(getattr(session, "whole", session.record))


def look_of(session: Any) -> Outside | None:
    """What looks for changes from outside in a session's pass, while that is stepped here."""
    driver = getattr(session, "driver", None) or session
    look = getattr(getattr(driver, "recorder", None), "look", None)
    return look if isinstance(look, Outside) else None
