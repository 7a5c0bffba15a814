"""What a stopped pass has to say beyond its error: the rule broken, the lesson, the lines."""

from typing import Any

from autodidact.trace.listing import listing_of_pass
from autodidact.trace.sentences import sentence

__all__ = ["LESSONS", "case", "of_pass", "rule_of"]

# What the rules are told in; of these names the notebooks are called.
LESSONS = {
    "04": "04-node-by-node", "05": "05-grad", "06": "06-what-forward-keeps",
    "07": "07-free-or-keep", "08": "08-your-own-function", "09": "09-views-in-place-versions"}
RULES = {
    "error.freed": ("rule.freed", "07"), "error.inplace": ("rule.version", "09"),
    "error.inplace_cells": ("rule.version", "09"), "error.inplace_unknown": ("rule.version", "09"),
    "error.no_graph": ("rule.no_graph", "06"), "error.not_scalar": ("rule.scalar", "04"),
    "error.unused": ("rule.unused", "05"), "error.leaf_written": ("rule.leaf", "09"),
    "silent.added": ("rule.added", "05"), "silent.data": ("rule.data", "09"),
    "silent.data_somewhere": ("rule.data", "09"), "silent.once": ("rule.once", "08")}


def rule_of(message: str) -> tuple:
    """(the rule as a sentence, the lesson) of an error's or a silent error's sentence."""
    rule, lesson = RULES.get(message, (None, None))
    return (sentence(rule) if rule else None), LESSONS.get(lesson or "")


def case(kind: str, message: str, **more: Any) -> dict:
    """The "clinic" of a state; `more` are its members "say", "listing", "repairs", "repaired"."""
    rule, lesson = rule_of(message)
    return {"kind": kind, "say": [], "rule": rule, "lesson": lesson, "listing": None,
            "repairs": [], "repaired": None, **more}


def of_pass(recorder: Any, state: dict, ran: Any) -> dict | None:
    """The case of a pass that has stopped at `ran`; None where no rule is known."""
    message = state["error"]["say"][0]["id"] if state["error"]["say"] else ""
    if message not in RULES:
        return None
    return case("error", message, listing=listing_of_pass(recorder, state, ran))
