"""Repairs of a pass that met a tensor changed in place: three candidates, and the numbers for one.

The candidates are lines of the learner's program, rewritten. Each would let the node find what it
had saved; so all three can be tried at once, on a copy of the pass in which the saved values are
put back.
"""

import re
from typing import Any

import numpy as np

from autodidact.trace.families import holder
from autodidact.trace.notes import note_of, write_of
from autodidact.trace.sentences import sentence

__all__ = ["candidates", "values_before"]

_METHOD = re.compile(r"(\w+)\.(\w+)_\((.*)\)$")
_AUGMENTED = re.compile(r"(\w+)\s*(\*\*|//|[-+*/@])=\s*(.+)$")


def out_of_place(line: str) -> str | None:
    """The line without writing in place: `w.add_(1)` as `w = w.add(1)`; None for another line."""
    if found := _METHOD.match(line):
        return f"{found[1]} = {found[1]}.{found[2]}({found[3]})"
    if found := _AUGMENTED.match(line):
        return f"{found[1]} = {found[1]} {found[2]} {found[3]}"
    return None


def candidates(recorder: Any, state: dict, ran: Any) -> list:
    """Sentences for the repairs of a pass that has stopped at `ran`; [] where none is known.

    Each has the arguments "line", "old" and "new": the line's number, its text and the new text.
    """
    stale = [(i, entry) for i, entry in recorder.subject.entries.get(ran, ())
             if state["saved"][entry["key"]]["state"] == "stale"]
    note = note_of(ran)
    if not stale or note is None or note.where is None:
        return []
    i, entry = stale[0]
    cell = holder(ran).saved[i]._version_cell
    wrote = write_of(cell, state["saved"][entry["key"]]["expected"] + 1)
    var, saving = (entry["var"] or "").rstrip("₀₁₂₃₄₅₆₇₈₉"), note.source
    writing = wrote.get("source") if wrote else None
    if not (var and writing and saving and var.isidentifier()):
        return []
    new, copied = out_of_place(writing), re.sub(rf"\b{var}\b", "kept", saving)
    out = [] if new is None else [
        sentence("repair.new", line=wrote["line"], old=writing, new=new)]
    return [*out,
            sentence("repair.clone", line=note.where["line"], old=saving, who=var,
                     new=f"kept = {var}.clone(); {copied}"),
            sentence("repair.later", line=wrote["line"], old=writing, who=var, new=writing)]


def values_before(recorder: Any) -> dict[str, Any]:
    """Key -> the array that the next node had saved, for each saved tensor written to since.

    Empty where there is none, or where one is too large for its values to have been kept.
    """
    state = getattr(recorder, "state", None) or {"next": None}
    if state["next"] is None:
        return {}
    node = recorder.subject.head["nodes"][int(state["next"][1:])]
    stale = [entry for entry in node["saved"]
             if state["saved"][entry["key"]]["state"] == "stale"]
    unknown = any(entry["value"] is None or entry["value"]["values"] is None for entry in stale)
    if unknown or "writes" in node:
        return {}
    return {entry["key"]: np.array(entry["value"]["values"], dtype=entry["value"]["dtype"])
            for entry in stale}
