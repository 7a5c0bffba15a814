"""Errors without an exception that a pass itself shows: the clinic's rules, step by step.

Two are seen from the graph and from what a recording has noted (`past.py`): a saved tensor whose
values changed though its version did not, and a gradient added to one that belongs to an older
value of its leaf. Where nothing was recorded, nothing is said: better no mark than a false one.
"""

from typing import Any

from autodidact.arrays.gpu import observing
from autodidact.autograd.graph import Node
from autodidact.trace import past
from autodidact.trace.case import case
from autodidact.trace.listing import listing_around, mark
from autodidact.trace.measure import measure, without_pictures
from autodidact.trace.notes import note_of
from autodidact.trace.plain import who
from autodidact.trace.sentences import sentence, text_of
from autodidact.trace.subject import is_leaf

__all__ = ["Silent", "changed_unnoticed"]


def changed_unnoticed(node: Node, note: Any) -> tuple | None:
    """(index, before, after) of a saved tensor whose values have changed, but not its version.

    Args:
        node: the node, before it runs.
        note: what a recording has noted of it.
    """
    for i, item in enumerate(node.saved or ()):
        old = note.saved[i] if i < len(note.saved) else None
        if old is None or not hasattr(item, "_array") or node.versions[i] < 0:
            continue
        if getattr(item, "_version_cell", [None])[0] != node.versions[i]:
            continue
        with observing(), without_pictures():
            now = measure(item._array)
        if not past.same(now, old):
            return i, old, now
    return None


class Silent:
    """Looks for silent errors of one pass; what it needs of the recorder it is given each time.

    Args:
        recorder: the pass, described and not yet begun.
    """

    def __init__(self, recorder: Any) -> None:
        head = recorder.subject.head
        self.real = head["options"]["live"]            # a copy writes no `.grad` that stays
        self.then: dict[Node, dict] = {}               # leaf -> its value when .grad was written
        for node in recorder.subject.order if not head["options"].get("returns") else ():
            told = past.leaf_when(recorder.task.grad_of(node)) if is_leaf(node) else None
            if told is not None:
                self.then[node] = told
        self.found: tuple | None = None                # of the node that is about to run
        self.wrote: dict | None = None                 # the line that changed it

    def before(self, recorder: Any, node: Node) -> None:
        """A node is about to run: is what it saved what it was?"""
        note = note_of(node)
        edited = recorder.subject.head.get("edits")
        self.found = changed_unnoticed(node, note) if note is not None and not edited else None
        if self.found is not None:
            self.wrote = past.wrote_last(node.saved[self.found[0]])

    def after(self, recorder: Any, state: dict, ran: Node) -> dict | None:
        """The case of a step that has gone well, or None."""
        found = self.unnoticed(recorder, state, ran) if self.found is not None else (
            self.added(recorder, state, ran) if ran in self.then else None)
        if self.real and is_leaf(ran):
            past.accumulated(ran.variable)
        return found

    def unnoticed(self, recorder: Any, state: dict, ran: Node) -> dict:
        """It has computed with a tensor that was changed behind its version."""
        (index, old, now), wrote = self.found, self.wrote
        entry = next(e for at, e in recorder.subject.entries[ran] if at == index)
        told = {"var": entry["var"] or entry["name"], "before": text_of(old), "after": text_of(now),
                "who": name_of(recorder, ran), "version": state["saved"][entry["key"]]["expected"]}
        if wrote is None:
            return case("silent", "silent.data_somewhere",
                        say=[sentence("silent.data_somewhere", **told)])
        said = sentence("silent.data", line=wrote["line"], **told)
        return case("silent", "silent.data", say=[said], listing=self.listing(recorder, ran, told))

    def listing(self, recorder: Any, ran: Node, told: dict) -> dict | None:
        """The program around the write, where both lines stand in one file."""
        note, wrote = note_of(ran), self.wrote
        if note.where is None or wrote["cell"] != note.where["cell"]:
            return None
        marks = [mark(note.where["line"], "save", "listing.saves", var=told["var"],
                      version=told["version"]),
                 mark(wrote["line"], "guilty", "listing.unnoticed", var=told["var"])]
        return listing_around(recorder, note, marks)

    def added(self, recorder: Any, state: dict, ran: Node) -> dict | None:
        """A leaf's `.grad` has been added to, though it belongs to another value of the leaf."""
        key, then = recorder.subject.ids[ran], self.then[ran]
        before, now = recorder.state["grads"][key], state["grads"][key]
        value = recorder.subject.head["nodes"][int(key[1:])]["value"]
        empty = before["value"] is None or not before["value"]["norm"]
        new = before["object"] != recorder.record.states[0]["grads"][key]["object"]
        if empty or new or now["value"] == before["value"] or past.same(then, value):
            return None
        said = sentence("silent.added", who=name_of(recorder, ran), before=text_of(before["value"]),
                        added=text_of(state["total"][key][0]), value=text_of(then))
        return case("silent", "silent.added", say=[said])


def name_of(recorder: Any, node: Node) -> str:
    """What a sentence calls a node."""
    return who(recorder.subject.head["nodes"][int(recorder.subject.ids[node][1:])])
