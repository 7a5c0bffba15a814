"""A program as a list of lines, with marks at those that matter: who saved, who changed, stopped.

A mark is {"line", "kind", "say"}: kind "save", "note", "guilty" or "stop"; `say` is a sentence.
"""

import linecache
from typing import Any

from autodidact.trace.families import holder
from autodidact.trace.notes import note_of, write_of
from autodidact.trace.sentences import sentence

__all__ = ["MOST_LINES", "listing", "listing_around", "listing_of_pass", "mark"]

MOST_LINES = 60       # of a program that are listed
LONGEST = 200         # characters of a line
NEAR = 3              # lines of context around the marks of a long program


def mark(line: int, kind: str, message: str | None = None, /, **args: Any) -> dict:
    """One mark; without a message only the sign."""
    return {"line": line, "kind": kind, "say": sentence(message, **args) if message else None}


def listing(first: int, lines: list, marks: list) -> dict:
    """The lines, or of a long program those around the marks."""
    last = first + len(lines) - 1
    marks = [each for each in marks if first <= each["line"] <= last]
    if len(lines) > MOST_LINES and marks:
        start = max(first, min(each["line"] for each in marks) - NEAR)
        end = min(last, max(each["line"] for each in marks) + NEAR, start + MOST_LINES - 1)
        lines, first = lines[start - first:end - first + 1], start
    text = [line.rstrip().replace("\t", "    ")[:LONGEST] for line in lines[:MOST_LINES]]
    marks = sorted(marks, key=lambda each: each["line"])
    return {"first": first, "lines": text, "marks": marks}


def listing_of_pass(recorder: Any, state: dict, ran: Any) -> dict | None:
    """The lines around a tensor that was changed in place after `ran` had saved it."""
    marks, note = marks_of_stale(recorder, state, ran), note_of(ran)
    if getattr(note, "file", None) is None or not marks:
        return None
    call = getattr(recorder, "call", None)         # (file, line) of who has asked for the pass
    if call is not None and call[0] == note.file:
        marks.append(asked(recorder, state, ran, call[1]))
    return listing_around(recorder, note, marks)


def listing_around(recorder: Any, note: Any, marks: list) -> dict | None:
    """The cell that a note tells of; of a file the lines of the graph near the first mark."""
    lines = linecache.getlines(note.file) if note.file is not None else []
    if not lines:
        return None
    if note.where["cell"] is not None:
        return listing(1, trimmed(lines), marks)
    used = [mark["line"] for mark in marks]
    known = [n.where["line"] for n in map(note_of, recorder.subject.order)
             if getattr(n, "file", None) == note.file and n.where]
    used += [line for line in known if abs(line - used[0]) < MOST_LINES // 2]
    start, end = max(1, min(used)), max(used)
    return listing(start, dedented(lines[start - 1:end]), marks)


def trimmed(lines: list) -> list:
    """Without the empty lines at the end."""
    lines = [line.rstrip("\n") for line in lines]
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


def dedented(lines: list) -> list:
    """Without the indent that all lines share."""
    margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return [line[margin:].rstrip("\n") for line in lines]


def asked(recorder: Any, state: dict, ran: Any, line: int) -> dict:
    """The mark of the line whose pass has stopped."""
    _, entry = next((i, entry) for i, entry in recorder.subject.entries[ran]
                    if state["saved"][entry["key"]]["state"] == "stale")
    return mark(line, "stop", "listing.gone", step=state["step"],
                var=entry["var"] or entry["name"],
                version=state["saved"][entry["key"]]["expected"])


def marks_of_stale(recorder: Any, state: dict, ran: Any) -> list:
    """Who saved the tensor, and who changed it."""
    note = note_of(ran)
    stale = [(i, entry) for i, entry in recorder.subject.entries.get(ran, ())
             if state["saved"][entry["key"]]["state"] == "stale"]
    if note is None or note.where is None or not stale:
        return []
    i, entry = stale[0]
    saved = state["saved"][entry["key"]]
    var = entry["var"] or entry["name"]
    same = sum(1 for _, other in stale if other["storage"] == entry["storage"])
    message = "listing.saves_twice" if same > 1 else "listing.saves"
    marks = [mark(note.where["line"], "save", message, var=var, version=saved["expected"])]
    cell = holder(ran).saved[i]._version_cell
    for version in range(saved["expected"] + 1, saved["actual"] + 1):
        wrote = write_of(cell, version)
        if wrote is not None and wrote["cell"] == note.where["cell"]:
            marks.append(mark(wrote["line"], "guilty", "listing.changes", var=var,
                              before=version - 1, after=version))
    return marks
