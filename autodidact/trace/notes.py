"""recording(): notes about the forward pass, for whoever looks at its graph later.

The engine keeps what it needs and no more: no source lines, no names of the learner's variables, no
values that forward did not save. Inside `recording()` a note is made for every new node: the line
that made it, the name it was given, a summary of its value and of what it saved; and for every
in-place write, the line that wrote. Outside nothing is noted and nothing is paid.
"""

import ast
import linecache
import sys
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from autodidact.autograd.accumulate_grad import AccumulateGrad
from autodidact.autograd.grad_mode import mode
from autodidact.autograd.graph import Node
from autodidact.tensor_base import VIEW
from autodidact.trace import past
from autodidact.trace.calls import calls_of
from autodidact.trace.measure import measure

__all__ = ["Note", "note_of", "recording", "write_of"]

LIMIT = 2000  # nodes noted in one `recording()`; then it stops, and says so
OWN_MODULES = ("autodidact.", "autodidact_widgets.")

notes: "weakref.WeakKeyDictionary[Node, Note]" = weakref.WeakKeyDictionary()
writes: dict[int, tuple] = {}  # id of a version cell -> (the cell, {version: where})


def no_cell(file: str) -> int | None:
    """Outside IPython no code belongs to a cell."""
    return None


cell_number: Callable[[str], int | None] = no_cell  # set by the widgets in IPython


class Note:
    """What is known of one node beyond the graph.

    Attributes:
        var: the learner's name for the result, where the line is `name = operation`.
        source: the program text of the operation.
        where: {"cell", "line", "file"}.
        value: SUMMARY of output 0.
        tangent: the same of its tangent, where forward mode has given it one.
        saved: SUMMARY of each saved tensor when it was saved.
        inputs: weak references to the tensors that went in.
        cut: (weak reference, where its way back ends) of inputs that have lost their graph.
        calls: the calls of the learner's functions that it was made in, see `calls.py`.
        file: the name of the file that holds the text, as Python knows it.
    """

    __slots__ = ("calls", "cut", "file", "inputs", "saved", "source", "tangent", "value", "var",
                 "where")

    def __init__(self, node: Node, tensors: tuple, results: tuple) -> None:
        frame = user_frame()
        self.var, self.source, self.where = place(frame) if frame else (None, None, None)
        self.file = frame.f_code.co_filename if frame else None
        self.calls = calls_of(frame)
        self.value = measure(results[0]._array) if hasattr(results[0], "_array") else None
        self.tangent: dict | None = None               # comes a moment later
        self.saved = tuple(
            measure(item._array) if hasattr(item, "_array") else None for item in node.saved or ()
        )
        self.inputs = tuple(weakref.ref(t) if hasattr(t, "_array") else None for t in tensors)
        cut = {id(t): (weakref.ref(t), told) for t in tensors if (told := past.cut_of(t))}
        self.cut = tuple(cut.values())


def note_of(node: Node) -> Note | None:
    """The note made for a node; None where nothing was recording."""
    return notes.get(node)


def write_of(cell: list, version: int) -> dict | None:
    """Where the in-place write happened that made `version` of this version cell, and its text."""
    kept, lines = writes.get(id(cell), (None, {}))
    return lines.get(version) if kept is cell else None


@contextmanager
def recording(limit: int = LIMIT) -> Iterator[dict]:
    """Note every node made inside.

    Args:
        limit: nodes to note; beyond it the recording stops by itself.

    Yields:
        {"nodes": how many were noted, "full": whether the limit was reached}.

    Example:
        >>> with trace.recording():
        ...     loss = (x * x).sum()
        >>> trace.record(loss).head["nodes"][0]["source"]
        'loss = (x * x).sum()'
    """
    seen = {"nodes": 0, "full": False}

    def watch(op: Any, tensors: tuple, args: tuple, results: tuple, node: Node | None) -> None:
        if op is AccumulateGrad:
            past.accumulated(tensors[0])
            return
        if node is not None:
            if seen["nodes"] >= limit:
                seen["full"] = True
                mode.set(watch=None)
                return
            notes[node] = Note(node, tensors, results)
            seen["nodes"] += 1
        if tensors and results and results[0] is tensors[0]:
            note_write(results[0])
            note_base(results[0], tensors)
        elif node is None and mode.task is None:
            past.note_cut(op, tensors, results, lambda: place(user_frame()))

    before = {"watch": mode.watch, "moved": mode.moved}
    mode.set(watch=watch, moved=note_tangent)
    try:
        yield seen
    finally:
        mode.set(**before)


def note_tangent(t: Any, tangent: Any) -> None:
    """A result has got its tangent: it belongs to the value that is noted."""
    note = note_of(t._grad_fn) if t._grad_fn is not None and t.output_nr == 0 else None
    if note is not None:
        note.tangent = measure(tangent._array)


def note_base(t: Any, tensors: tuple) -> None:
    """A write through a view has given the base a node of its own: note that one as well."""
    base = t._view.base if t._flags & VIEW and t._view is not None else t
    node = base._grad_fn
    if getattr(node, "fn", None) is not None and node not in notes:
        note = notes[node] = Note(node, tensors, (base,))
        frame = user_frame()
        file = frame.f_code.co_filename if frame else ""
        note.var, note.source = None, whole_line(file, frame) or note.source


def whole_line(file: str, frame: Any) -> str | None:
    """The line that a frame is in the middle of."""
    line = positions(frame.f_code, frame.f_lasti)[0] or frame.f_lineno if frame else 0
    return linecache.getline(file, line).strip() or None


def note_write(t: Any) -> None:
    """Remember the line that has just written into `t`."""
    cell, frame = t._version_cell, user_frame()
    if cell is None or frame is None:
        return
    if len(writes) >= 4 * LIMIT:
        del writes[next(iter(writes))]
    kept, lines = writes.get(id(cell), (None, None))
    if kept is not cell:
        writes[id(cell)] = (cell, lines := {})
    _, source, where = place(frame)
    lines[cell[0]] = {**where, "source": source}
    past.wrote(t, lines[cell[0]])


# ---- the learner's line -------------------------------------------------------------------------


def user_frame() -> Any:
    """The innermost frame that is not ours."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").startswith(OWN_MODULES):
        frame = frame.f_back
    while frame is not None and frame.f_globals.get("__name__", "") in ("autodidact", "contextlib"):
        frame = frame.f_back
    return frame


def place(frame: Any) -> tuple:
    """(variable, source text, where) of the operation that a frame is in the middle of."""
    code, file = frame.f_code, frame.f_code.co_filename
    spot = positions(code, frame.f_lasti)
    line = spot[0] or frame.f_lineno
    where = {"cell": cell_number(file), "line": line, "file": None}
    if where["cell"] is None:
        where["file"] = file.replace("\\", "/").rpartition("/")[2]
    var, source = statement(file, spot) if None not in spot else (None, None)
    if source is None:
        source = linecache.getline(file, line).strip() or None
    return var, source, where


def positions(code: Any, instruction: int) -> tuple:
    """(line, end line, column, end column) of the instruction that is running."""
    for index, spot in enumerate(code.co_positions()):
        if index == instruction // 2:
            return spot
    return (None,) * 4


_parsed: dict[str, tuple] = {}


def statement(file: str, spot: tuple) -> tuple:
    """(variable, text) of the operation at a spot.

    `("c", "c = a * b")` where it is all of an assignment's right side, `(None, "a * b")` where it
    is a part of something larger.
    """
    lines = linecache.getlines(file)
    text = "".join(lines)
    if not text:
        return None, None
    kept = _parsed.get(file)
    if kept is None or kept[0] != text:
        try:
            kept = _parsed[file] = (text, assignments(ast.parse(text)))
        except SyntaxError:  # a cell with magics: the plain line must do
            kept = _parsed[file] = (text, {})
    found = kept[1].get(spot)
    if found is not None:
        return found
    first, last, start, end = spot
    part = [line.encode() for line in lines[first - 1 : last]]
    part[-1] = part[-1][:end]
    part[0] = part[0][start:]
    return None, " ".join(b"".join(part).decode(errors="replace").split())


def assignments(tree: ast.AST) -> dict:
    """For every assignment: the span of its right side -> (the name, the whole text)."""
    found = {}
    for node in ast.walk(tree):
        target = None
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target, value = node.targets[0], node.value
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            target, value = node.target, node.value
        elif isinstance(node, ast.AugAssign):
            target, value = node.target, node
        if target is None:
            continue
        if isinstance(target, ast.Subscript) and isinstance(node, ast.Assign):
            continue                                   # base[1] = x * x: the write is another node
        name = ast.unparse(target)
        spot = (value.lineno, value.end_lineno, value.col_offset, value.end_col_offset)
        found[spot] = (name if isinstance(target, ast.Name) else None, ast.unparse(node))
    return found
