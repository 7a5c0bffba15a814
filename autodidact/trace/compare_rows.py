"""One difference between runs side by side: where it begins, and what each run shows, as phrases.

Like every sentence of a record they are message ids with arguments, never words.
"""

from autodidact.trace.plain import value_text, who

__all__ = ["ORDER", "difference_row", "shapes_row"]

ORDER = ("stale", "kept", "packed", "freed")
MOST_NAMES = 4         # of a graph are told


def sentence(message, **args):
    """One sentence as plain data."""
    return {"id": message, "args": args}


def difference_row(both, index, records, states, kind, node, parts):
    """One difference as plain data: where, and what each run shows."""
    nodes = [
        both.facts(record).nodes[both.partner(records, run, node)]
        for run, record in enumerate(records)
    ]
    cells = [
        cell(kind, own, state, [values[run] for _, values in parts])
        for run, (own, state) in enumerate(zip(nodes, states, strict=True))
    ]
    return {"place": index, "at": where(both, index, records, states), "kind": kind, "cells": cells}


def shapes_row(both, index, records):
    """What sets the graphs themselves apart; None where they are of one shape."""
    shapes = [[node["name"] for node in record.head["nodes"]] for record in records]
    if all(shape == shapes[0] for shape in shapes):
        return None
    cells = []
    for record in records:
        names = [node["name"] for node in record.head["nodes"] if node["kind"] != "leaf"]
        what = names if len(names) <= MOST_NAMES else [*names[: MOST_NAMES - 1], "..."]
        cells.append(sentence("compare.graph", n=len(names), what=what))
    return {"place": index, "at": where(both, index, records, ()), "kind": "graph", "cells": cells}


def where(both, index, records, states):
    """The place: step 1, after l1; the beginning of pass 2."""
    p, k = both.places()[index]
    if k == 0:
        return sentence("compare.at_start", n=p + 1)
    names = {}
    for record, state in zip(records, states, strict=True):
        ran = both.facts(record).nodes.get(state["ran"])
        if ran and state["step"] == k:
            names[who(ran)] = None
    return sentence("compare.at_step", n=both.number(index), who=" / ".join(names))


def cell(kind, node, state, values):
    """What one run shows of a fact, as a phrase."""
    name = who(node)
    if kind == "saved":
        words = sorted({value or "none" for value in values}, key=("none", *ORDER).index)
        return sentence(
            "compare.saved",
            who=name,
            n=len(values),
            state=[sentence(f"saved.{word}") for word in words],
        )
    if kind == "grad":
        return sentence("compare.grad", who=name, value=short(values[0]))
    if kind == "received":
        return sentence("compare.received", who=name, value=short(values[0]))
    if kind == "cut":
        lost = next((value for value in values if value), None)
        return sentence("compare.lost", who=name, what=sentence(f"cut.{lost}")) if lost else (
            sentence("compare.linked", who=name))
    if values[0] == "skipped":
        return sentence("compare.skipped", who=name)
    if values[0] == "asked for":
        ran = state["status"].get(node["id"]) == "done"
        return sentence("compare.ran" if ran else "compare.not_ran", who=name)
    return sentence("compare.stopped", who=name, error=values[0])


def short(summary):
    """A value in a phrase."""
    if summary is None:
        return None
    if summary["label"] == "value":
        return summary["text"]
    if summary["values"] is not None and len(value_text(summary, 24)) <= 24:
        return value_text(summary, 24)
    return sentence("text.norm", value=summary["text"])
