"""Several runs side by side, step by step, and where they begin to differ.

A run is one backward pass, or several, one after the other: a list of records. All runs take their
steps together; one that is over waits for the others, and the next pass begins when all are over.
"""

from autodidact.trace.alike import facts, partners, same_value
from autodidact.trace.compare_rows import difference_row, shapes_row
from autodidact.trace.compare_text import Columns

__all__ = ["Comparison"]

MISSING = "nothing stands here"


class Comparison:
    """Runs in lock step.

    Args:
        runs: at least two; each a non-empty list of `Record`s. The lists may grow, and so may the
            records: a place that was once there stays as it is.
        labels: what to call the runs; None takes the options that differ.

    Example:
        >>> first, second = trace.record(x.sum()), trace.record(y.sum() * 2)
        >>> print(Comparison([[first], [second]], ["once", "twice"]).text())
    """

    def __init__(self, runs, labels=None):
        self.runs, self._labels = runs, labels
        self.rows = []  # the differences so far, as plain data
        self.missing = {}  # (run, pass) -> a sentence: why that pass never began
        self.later = 0  # steps of passes that have not begun; whoever runs them knows
        self._known, self._partners, self._done = {}, {}, 0

    # ---- places

    @property
    def labels(self):
        """A name for each run."""
        return list(self._labels or default_labels(self.runs))

    def places(self):
        """(pass, state) of every place on the common time line."""
        passes = max(len(run) for run in self.runs)
        return [
            (p, k)
            for p in range(passes)
            for k in range(max(len(run[p]) for run in self.runs if p < len(run)))
        ]

    def number(self, index):
        """How many steps, over all passes, lead to a place."""
        return sum(1 for _, k in self.places()[: index + 1] if k)

    def total(self):
        """How many steps there will be, as far as the passes can tell."""
        return self.later + sum(
            max(steps_of(run[p]) for run in self.runs if p < len(run))
            for p in range(max(len(run) for run in self.runs))
        )

    def __len__(self):
        """Number of places: the steps, and one more for the beginning of each pass."""
        return len(self.places())

    def at(self, run, place):
        """(record, index of the state) that a run shows at a place of the time line.

        A run that is over, or whose later passes never began, shows its last state.
        """
        p, k = place
        passes = self.runs[run]
        if p >= len(passes):
            return passes[-1], len(passes[-1]) - 1
        return passes[p], min(k, len(passes[p]) - 1)

    def state(self, run, place):
        """The folded state that a run shows at a place."""
        record, k = self.at(run, place)
        return record.state(k)

    # ---- differences

    def differences(self):
        """What differs, in the order in which it begins to.

        Returns:
            A list of {"place": its number, "at": sentence, "cells": a sentence for each run}; a
            sentence is a message id with its arguments. Example: `both.differences()[0]["place"]`.
        """
        places = self.places()
        for i in range(self._done, len(places)):
            self.rows += self._new_differences(i, places[i])
        self._done = len(places)
        return self.rows

    def _new_differences(self, index, place):
        records = [self.at(run, place)[0] for run in range(len(self.runs))]
        states = [self.state(run, place) for run in range(len(self.runs))]
        found = [facts(record.head, state) for record, state in zip(records, states, strict=True)]
        found[1:] = [
            self._in_place_of(records, run, own) for run, own in enumerate(found[1:], start=1)
        ]
        new, known = {}, {}
        for key in found[0]:
            values = [own.get(key, MISSING) for own in found]
            if not self._says_something(key, values, records, states):
                continue
            name = self._name(records, key)
            known[name] = values
            if not _same_all(self._known.get(name), values):
                new.setdefault(key[:2], []).append((key, values))
        self._known = known
        shapes = [shapes_row(self, index, records)] if place[1] == 0 else []
        return [row for row in shapes if row] + [
            difference_row(self, index, records, states, kind, node, parts)
            for (kind, node), parts in new.items()
        ]

    def _says_something(self, key, values, records, states):
        """Whether the values of a fact differ, and in more than who is how far."""
        if MISSING in values or all(same_value(values[0], value) for value in values[1:]):
            return False
        kind, node, _ = key
        over = [state["end"] is not None for state in states]
        if kind == "received" and any(
            value is None and end for value, end in zip(values, over, strict=True)
        ):
            return False  # a run that was stopped never got that far
        return len({len(record.head["nodes"]) for record in records}) == 1 or all(
            end or state["status"].get(self.partner(records, run, node)) == "done"
            for run, (state, end) in enumerate(zip(states, over, strict=True))
        )

    def _in_place_of(self, records, run, own):
        """A run's facts under the node ids of the first run; nodes without a partner left out."""
        names = self._names(records, run)
        return {
            (kind, names[node], part): value
            for (kind, node, part), value in own.items()
            if node in names
        }

    def _names(self, records, run):
        pair = id(records[0]), id(records[run])
        if pair not in self._partners:
            self._partners[pair] = partners(records[0].head, records[run].head)
        return self._partners[pair]

    def partner(self, records, run, node):
        """The id in `run` of the node that stands where `node` stands in the first run."""
        if run == 0:
            return node
        names = self._names(records, run)
        return next((own for own, mine in names.items() if mine == node), None)

    def _name(self, records, key):
        """A fact's name from pass to pass, where nodes have other ids."""
        kind, node, part = key
        each = next(each for each in records[0].head["nodes"] if each["id"] == node)
        return kind, each["var"] or each["source"] or each["label"], part

    # ---- text

    def text(self, place=None, language=None):
        """A place of the time line as text (the last one by default): all steps up to there.

        Example: `print(both.text(3))`.
        """
        index = range(len(self))[-1 if place is None else place]
        return Columns(self, language).render(index)


def _same_all(before, values):
    return before is not None and all(map(same_value, before, values))


def steps_of(record):
    """How many steps a pass takes: those recorded when it is over, else those planned."""
    if record.state(-1)["end"] is not None:
        return len(record) - 1
    return sum(1 for status in record.state(0)["status"].values() if status != "skipped")


ENGINES = {"autodidact": "autodidact", "torch": "PyTorch", "torch_by_hand": "PyTorch by hand"}


def default_labels(runs):
    """What sets the runs apart: an option, the engine, else the root's name, else a number."""
    heads = [run[0].head for run in runs]
    for name in ("retain_graph", "create_graph", "inputs"):
        values = [head["options"][name] for head in heads]
        if len({str(value) for value in values}) == len(values):
            return [f"{name}={_option(value)}" for value in values]
    engines = [ENGINES.get(head["engine"], head["engine"]) for head in heads]
    if len(set(engines)) == len(engines):
        return engines
    roots = [head["root"] for head in heads]
    if None not in roots and len(set(roots)) == len(roots):
        return roots
    return [str(i + 1) for i in range(len(runs))]


def _option(value):
    return f"[{', '.join(value)}]" if isinstance(value, list) else str(value)
