"""Several runs side by side, step by step, and where they begin to differ.

A run is one backward pass, or several, one after the other: a list of records. All runs take their
steps together; one that is over waits for the others, and the next pass begins when all are over.
"""

from autodidact.trace.alike import Facts, partners, same_value
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
        self._places, self._done = [], 0
        self._facts, self._partners, self._titles = {}, {}, {}
        self._known = {}  # fact -> its values, of those that differ now
        self._by_place = {}

    # ---- places

    @property
    def labels(self):
        """A name for each run."""
        return list(self._labels or default_labels(self.runs))

    def places(self):
        """(pass, state) of every place on the common time line."""
        p, k = self._places[-1] if self._places else (0, -1)
        for at in range(p, max(len(run) for run in self.runs)):
            longest = max(len(run[at]) for run in self.runs if at < len(run))
            self._places += [(at, i) for i in range(k + 1 if at == p else 0, longest)]
        return self._places

    def number(self, index):
        """How many steps, over all passes, lead to a place."""
        return index - self.places()[index][0]  # each pass has one place more than steps

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

    def rows_at(self, index):
        """The differences that begin at a place."""
        self.differences()
        return self._by_place.get(index, [])

    def _new_differences(self, index, place):
        """Only nodes that a step has touched can differ anew, so that a step costs what it did."""
        at = [self.at(run, place) for run in range(len(self.runs))]
        records = [record for record, _ in at]
        states = [record.state(k) for record, k in at]
        if place[1] == 0:
            self._begin(records)
        new = {}
        for node in self._touched(at, place):
            for key, values in self._differing(node, records, states).items():
                new.setdefault(key[:2], []).append((key, values))
        shapes = [shapes_row(self, index, records)] if place[1] == 0 else []
        rows = [row for row in shapes if row] + [
            difference_row(self, index, records, states, kind, node, parts)
            for (kind, node), parts in new.items()
        ]
        self._by_place[index] = rows
        return rows

    def _begin(self, records):
        """A pass begins: what differed at the end of the last one is known under new node ids."""
        before = {(kind, self._titles[node], part): values
                  for (kind, node, part), values in self._known.items()}
        self._titles = titles(records[0].head)
        ids = {title: node for node, title in self._titles.items()}
        self._known = {(kind, ids[title], part): values
                       for (kind, title, part), values in before.items() if title in ids}

    def _touched(self, at, place):
        """The nodes to look at, by their ids in the first run, in its order."""
        moved = [(run, record.states[k]) for run, (record, k) in enumerate(at)
                 if place[0] < len(self.runs[run]) and k == place[1]]
        first = self.facts(at[0][0])
        if place[1] == 0 or any(delta["end"] for _, delta in moved):
            return list(first.nodes)
        records, found = [record for record, _ in at], set()
        for run, delta in moved:
            own = self.facts(at[run][0]).touched(delta)
            names = self._names(records, run) if run else None
            found |= own if names is None else {names[node] for node in own if node in names}
        return sorted(found, key=first.places.get)

    def _differing(self, node, records, states):
        """fact -> its values, of those of a node that begin to differ or differ otherwise."""
        partners_of = [self.partner(records, run, node) for run in range(len(records))]
        found = [
            {(kind, part): value for (kind, _, part), value in
             self.facts(record).of(own, state).items()} if own is not None else {}
            for record, state, own in zip(records, states, partners_of, strict=True)
        ]
        new = {}
        for kind, part in found[0]:
            key, values = (kind, node, part), [own.get((kind, part), MISSING) for own in found]
            before = self._known.pop(key, None)
            if self._says_something(key, values, records, states):
                self._known[key] = values
                if not _same_all(before, values):
                    new[key] = values
        return new

    def facts(self, record):
        """What the states of a record show."""
        if id(record) not in self._facts:
            self._facts[id(record)] = Facts(record.head)
        return self._facts[id(record)]

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

    def _names(self, records, run):
        """A run's node ids -> those of the first run; nodes without a partner left out."""
        pair = id(records[0]), id(records[run])
        if pair not in self._partners:
            names = partners(records[0].head, records[run].head)
            self._partners[pair] = names, {mine: own for own, mine in names.items()}
        return self._partners[pair][0]

    def partner(self, records, run, node):
        """The id in `run` of the node that stands where `node` stands in the first run."""
        if run == 0:
            return node
        self._names(records, run)
        return self._partners[id(records[0]), id(records[run])][1].get(node)

    # ---- text

    def text(self, place=None, language=None):
        """A place of the time line as text (the last one by default): all steps up to there.

        Example: `print(both.text(3))`.
        """
        index = range(len(self))[-1 if place is None else place]
        return Columns(self, language).render(index)


def titles(head):
    """Node id -> what it is called from pass to pass, where ids are others: its name, a number."""
    seen, found = {}, {}
    for node in head["nodes"]:
        name = node["var"] or node["source"] or node["label"]
        seen[name] = seen.get(name, 0) + 1
        found[node["id"]] = name, seen[name]
    return found


def _same_all(before, values):
    return before is not None and all(map(same_value, before, values))


def steps_of(record):
    """How many steps a pass takes: those recorded when it is over, else those planned."""
    return record.planned if record.states[-1]["end"] is None else len(record) - 1


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
