"""Breakpoints: where a run of a pass stops by itself. A closed vocabulary; nothing is evaluated.

| kind | value | stops |
|---|---|---|
| node | a node's id | before it runs |
| op | a node's name, such as "MulBackward0" | before any of these runs |
| leaf | a leaf's name | before it adds to `.grad` |
| line | a line of the learner's program | before a node of that line runs |
| norm | a number | after a node that sent a gradient of a greater norm |
| nan | None | after the node that produced a NaN: sent one without having received one |
"""

import math
import numbers

from autodidact.trace.index import Index
from autodidact.trace.plain import visible, who

__all__ = ["halt", "make", "valid", "words"]

_TEXT, _MOST = ("node", "op", "leaf"), 200


def valid(point):
    """Whether something is a breakpoint: {"kind": ..., "value": ...} as the table says."""
    if not isinstance(point, dict) or set(point) != {"kind", "value"}:
        return False
    kind, value = point["kind"], point["value"]
    if not isinstance(kind, str):
        return False
    if kind in _TEXT:
        return isinstance(value, str) and 0 < len(value) <= _MOST
    if kind == "line":
        return type(value) is int and value >= 1
    if kind == "norm":
        return type(value) in (int, float) and math.isfinite(value)
    return kind == "nan" and value is None


def make(head, **given):
    """A breakpoint from one keyword: node=, op=, leaf=, line=, norm= or nan=True.

    A node is named by the learner's variable, by its label ("MulBackward0#2") or by its id.

    Raises:
        TypeError: not exactly one keyword, or an unknown one.
        ValueError: a node, leaf or line that this graph does not have; a value of the wrong kind.

    Example: make(record.head, op="MulBackward0").
    """
    if len(given) != 1 or not set(given) <= {*_TEXT, "line", "norm", "nan"}:
        raise TypeError("break_at() takes one of node=, op=, leaf=, line=, norm=, nan=; it was "
                        f"given {', '.join(given) or 'none'}")
    ((kind, value),) = given.items()
    if kind == "nan":
        value = None if value else "off"
    elif kind == "norm" and isinstance(value, numbers.Real):
        value = float(value)
    if kind == "node":
        value = _node(head, value)
    point = {"kind": kind, "value": value}
    if not valid(point):
        raise ValueError(f"break_at({kind}={value!r}): not a value for this kind of breakpoint")
    if kind in ("leaf", "line", "op") and not any(_meets(point, node) for node in head["nodes"]):
        raise ValueError(f"break_at({kind}={value!r}): no node of this graph is meant by it")
    return point


def _node(head, name):
    """The id of the node that a name means."""
    for node in head["nodes"]:
        if name in (node["id"], node["label"], node["var"], who(node)):
            return node["id"]
    known = ", ".join(who(node) for node in head["nodes"][:20])
    raise ValueError(f"break_at(node={name!r}): this graph has {known}")


def halt(head, points, before, state, index=None):
    """Why a run stops at a state, as sentences; [] where it goes on.

    Args:
        head: the record without its states.
        points: breakpoints.
        before: the state one step earlier, or None; only its "total" is read.
        state: the state; of "sent" only what this step has sent is read.
        index: the head's `Index`, where there is one.
    """
    index = index or Index(head)
    coming = index.nodes.get(state["next"])
    said = []
    if coming is not None and any(_meets(point, coming) for point in points):
        said.append({"id": "break.before", "args": {"who": who(coming)}})
    for point in points:
        found = before is not None and _sent(point, index, before, state)
        if found:
            said.append(found)
    return said


def _meets(point, node):
    """Whether a breakpoint of the first four kinds means this node."""
    kind, value = point["kind"], point["value"]
    if kind == "node":
        return node["id"] == value
    if kind == "op":
        return node["kind"] != "leaf" and value in (node["name"], node["name"].rstrip("0123456789"))
    if kind == "leaf":
        return node["kind"] == "leaf" and node["var"] == value
    return kind == "line" and bool(node["where"]) and node["where"]["line"] == value


def _sent(point, index, before, state):
    """The sentence of a condition that a gradient of this step fulfils; None if none does."""
    kind, limit = point["kind"], point["value"]
    if kind not in ("norm", "nan") or (kind == "nan" and _has_nan(before, state["ran"])):
        return None
    nodes, edges = index.nodes, index.edges
    for event in state["events"]:
        value = state["sent"].get(event.get("edge")) if event["kind"] == "send" else None
        size = _number(value["norm"]) if value else None
        if size is None or not (math.isnan(size) if kind == "nan" else size > limit):
            continue
        names = {"who": who(nodes[event["node"]]), "to": who(nodes[edges[event["edge"]]["to"]])}
        if kind == "nan":
            return {"id": "break.nan", "args": names}
        names |= {"norm": f"{size:.6g}", "limit": f"{limit:.6g}"}
        return {"id": "break.norm", "args": names}
    return None


def _has_nan(state, node):
    """Whether a NaN had arrived at a node."""
    return any(total and math.isnan(_number(total["norm"]) or 0.0)
               for total in state["total"].get(node, ()))


def _number(value):
    """A SUMMARY's number; NaN and infinities are strings in a record."""
    return None if value is None else float(value)


def words(head, point):
    """A breakpoint as a sentence: what it waits for."""
    value = point["value"]
    if point["kind"] == "node":
        value = next((who(node) for node in head["nodes"] if node["id"] == value), "?")
    shown = f"{value:.6g}" if point["kind"] == "norm" else visible(value)
    return {"id": f"break.at.{point['kind']}", "args": {"value": shown}}
