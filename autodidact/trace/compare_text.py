"""Runs side by side as text: a line for each step, a column for each run, then what differs."""

from autodidact.trace.compare_rows import ORDER
from autodidact.trace.messages import say
from autodidact.trace.plain import (
    aligned,
    headline,
    plain_values,
    shorten,
    value_text,
    visible,
    who,
    width,
)
from autodidact.trace.text_cells import Cells

TITLE_COLUMN = 53
MOST_LABEL = 40
MOST_ROWS = 24  # differences that are told one by one


class Columns:
    """The text form of a `Comparison`."""

    def __init__(self, comparison, language):
        self.both, self.language = comparison, language
        self.labels = [shorten(visible(label), MOST_LABEL) for label in comparison.labels]

    def say(self, message, /, **args):
        """A message in the language of this text."""
        return say(message, args, self.language)

    def render(self, index):
        """All places up to `index`."""
        places = self.both.places()
        told = [row for row in self.both.differences() if row["place"] <= index]
        lines = [self.line(i, places) for i in range(index + 1)]
        parts = [
            [self.title(index), self.first(told)],
            self.table(lines),
            self.leaves(places[index]),
            self.told(told),
        ]
        return "\n\n".join("\n".join(part) for part in parts if part) + "\n"

    def table(self, lines):
        """The lines with straight columns, a run's cells under its label.

        A line is its number and then three cells for each run. The first, the node, has a column
        for itself where the runs are always at the same node.
        """
        step, *cells = list(zip(*lines, strict=True))
        nodes = [set(names) - {""} for names in zip(*cells[::3], strict=True)]
        together = all(len(names) < 2 for names in nodes)
        columns = [("  " + self.say("compare.step"), *step)]
        if together:
            columns.append((self.say("text.node"), *("".join(names) for names in nodes)))
        for run, label in enumerate(self.labels):
            own = cells[3 * run + together : 3 * run + 3]
            columns.append((label, *aligned(list(zip(*own, strict=True)))))
        return aligned(list(zip(*columns, strict=True)))

    def title(self, index):
        """Who is compared, and how far it has gone."""
        left = self.say("compare.title", runs=" | ".join(self.labels))
        count = self.say("ui.count", done=self.both.number(index), total=self.both.total())
        return left + " " * max(3, TITLE_COLUMN - width(left)) + count

    def first(self, told):
        """The first difference, in one line."""
        if not told:
            return self.say("compare.alike")
        where, *cells = self.words(told[0])
        return self.say("compare.first", where=where, what=" | ".join(cells))

    def words(self, row):
        """A difference in words: the place, and a phrase for each run."""
        return [say(each["id"], each["args"], self.language) for each in (row["at"], *row["cells"])]

    def line(self, index, places):
        """One place: its number; for each run the node, what it received, what became of it."""
        p, k = places[index]
        runs = range(len(self.labels))
        if k == 0:
            cells = [cell for run in runs for cell in (self.start(run, p), "", "")]
            return ["  " + self.say("compare.pass", n=p + 1), *cells]
        mark = "* " if self.both.rows_at(index) else "  "
        cells = [cell for run in runs for cell in self.ran(run, (p, k))]
        return [f"{mark}{self.both.number(index)}", *cells]

    def start(self, run, p):
        """The beginning of a pass of one run."""
        if p >= len(self.both.runs[run]):
            why = self.both.missing.get((run, p))
            return self.say(why["id"], **why["args"]) if why else ""
        root = self.both.runs[run][p].head["root"] or self.say("title.output")
        return self.say("title.pass", root=visible(root))

    def ran(self, run, place):
        """[node, received, what became of it] of the step that led to a place."""
        record, k = self.both.at(run, place)
        if place[0] >= len(self.both.runs[run]) or place[1] != k:
            return ["", "-", ""]
        state, before = record.state(k), record.state(k - 1)
        node = self.both.facts(record).nodes.get(state["ran"])
        if node is None:
            return ["", "-", ""]
        totals = before["total"].get(node["id"], ())
        received = ", ".join(value_text(total, language=self.language) for total in totals)
        title = headline(node) if headline(node) != "-" else who(node)
        return [
            shorten(title, MOST_LABEL),
            f"{self.say('text.receives')} {received}",
            self.became(node, state),
        ]

    def became(self, node, state):
        """done, its saved tensors counted; a leaf's `.grad`; the class of an error."""
        if state["error"]:
            return f"{self.say('status.failed')}: {visible(state['error']['class'])}"
        if node["kind"] == "leaf":
            grad = state["grads"][node["id"]]["value"]
            return f".grad {value_text(grad, language=self.language)}"
        entries, _ = plain_values(node, state)
        words = [state["saved"][e["key"]]["state"] for e in entries if e["key"] in state["saved"]]
        counts = [self.say(f"count.{word}", n=words.count(word)) for word in ORDER if word in words]
        return ", ".join([self.say("status.done"), *counts])

    def leaves(self, place):
        """`.grad` of every leaf in every run."""
        cells = [
            Cells(record.head, record.state(k), None, record.state(0), self.language)
            for record, k in (self.both.at(run, place) for run in range(len(self.labels)))
        ]
        names = {}
        for run, own in enumerate(cells):
            for node in own.head["nodes"]:
                if node["kind"] == "leaf":
                    names.setdefault(who(node), ["-"] * len(cells))[run] = own.grad(
                        node["id"], own.state
                    )
        rows = [[f"{name}.grad", *grads] for name, grads in names.items()]
        return aligned([[self.say("text.leaf"), *self.labels], *rows]) if rows else []

    def told(self, rows):
        """What differs, a line each."""
        lines = []
        for row in rows[:MOST_ROWS]:
            where, *cells = self.words(row)
            lines.append(["  " + where, *cells])
        more = len(rows) - MOST_ROWS
        extra = ["  " + self.say("compare.more", n=more)] if more > 0 else []
        return [self.say("compare.differences"), *aligned(lines), *extra] if rows else []
