"""Predict before the step: what is asked about the next node, and whether an answer is right.

One question for each receiver of the next node, where what it will get is a single number. Where
the node sends to one receiver several times, the question is about the sum.
"""

import math
import re

from autodidact.trace.index import Index
from autodidact.trace.plain import who

__all__ = ["hidden", "judge", "number_in", "questions", "sentence_of"]

TOLERANCE = 0.005
_FRACTION = re.compile(r"\s*([-+]?[\d.]+)\s*/\s*([\d.]+)\s*")


def questions(head, state, index=None):
    """The questions about the next node of a state, of which "next" and "predicted" are read.

    Returns:
        A list of {"node", "to", "edges", "all", "rule", "was"}: ids of sender, receiver and edges,
        whether several gradients are meant, the rule as text, and the right number. Empty where the
        numbers are not known in advance, or are not single ones.

    Example: questions(record.head, record.state(2)).
    """
    found, index = {}, index or Index(head)
    coming = index.nodes.get(state["next"])
    rules = {rule["edge"]: rule["text"] for rule in coming["rules"]} if coming else {}
    for key, told in state["predicted"].items():
        edge = index.edges[key]
        value = _single(told["value"]) if edge["from"] == state["next"] else None
        if value is None:
            continue
        asked = found.setdefault((edge["to"], edge["slot"]), {
            "node": edge["from"], "to": edge["to"], "edges": [], "all": False,
            "rule": rules.get(edge["id"]), "was": 0.0})
        asked["edges"].append(edge["id"])
        asked["all"], asked["was"] = len(asked["edges"]) > 1, asked["was"] + value
    return list(found.values())


def _single(summary):
    """A SUMMARY of one finite real number as that number; None for anything else."""
    if summary is None or summary["label"] != "value" or math.prod(summary["shape"]) != 1:
        return None
    try:
        value = float(summary["text"])
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def hidden(state, open_questions):
    """The state without the numbers that are still asked for."""
    edges = {edge for question in open_questions for edge in question["edges"]}
    if not edges:
        return state
    known = {key: told for key, told in state["predicted"].items() if key not in edges}
    return {**state, "predicted": known}


def number_in(text):
    """The number that an answer means: "48", "-1.5", "0,5" or "1/3"; None where it is none."""
    text = str(text).strip()[:40].replace(",", ".").replace("\N{MINUS SIGN}", "-")
    fraction = _FRACTION.fullmatch(text)
    try:
        value = float(fraction[1]) / float(fraction[2]) if fraction else float(text)
    except (ValueError, ZeroDivisionError):
        return None
    return value if math.isfinite(value) else None


def judge(said, was, tolerance=TOLERANCE):
    """Whether a number is right within the tolerance, a part of the right number.

    Around zero the tolerance itself is allowed. Example: judge(48.1, 48) is True.
    """
    return abs(said - was) <= tolerance * (abs(was) or 1.0)


def sentence_of(head, question, message="ask.question"):
    """A question in words: what will c send to a?"""
    meant = (question["node"], question["to"])
    names = {node["id"]: who(node) for node in head["nodes"] if node["id"] in meant}
    message = f"{message}_all" if question["all"] else message
    return {"id": message, "args": {"who": names[question["node"]], "to": names[question["to"]]}}
