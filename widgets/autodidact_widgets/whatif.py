"""What-if in a widget: a number changed in flight, the pass run on on a copy, the original kept."""

import math
from collections.abc import Callable
from typing import Any

from autodidact.trace.plain import who
from autodidact.trace.whatif import edit_received, edit_saved, fork
from autodidact_widgets.copies import CopyDriver

__all__ = ["REQUESTS", "Edits", "Fork", "place_of"]


def is_number(value: Any) -> bool:
    """Whether a view may send this as a number."""
    return type(value) in (int, float) and math.isfinite(value)


# What a view may ask for: type -> the other members with the test each must pass.
REQUESTS = {
    "undo": {},
    "repair": {},
    "edit": {
        "node": lambda node: isinstance(node, str),
        "slot": lambda slot: type(slot) is int or slot is None,
        "key": lambda key: isinstance(key, str) or key is None,
        "how": lambda how: how in ("times", "value"),
        "value": is_number,
    },
}


FORKS: dict[type, Callable] = {}     # of other engines' recorders; torch_view.py puts its own here


class Fork(CopyDriver):
    """A driver that runs a copy from where another driver stands.

    Args:
        original: the driver of the pass that is copied; it stays where it is.

    Attributes:
        original: the same.
    """

    def __init__(self, original: Any) -> None:
        self.original = original
        self.recorder = FORKS.get(type(original.recorder), fork)(original.recorder)

    def put_back(self, values: dict) -> None:
        """Give entries (by key) the values that they had when they were saved."""
        for key, value in values.items():
            edit_saved(self.recorder, key, value, repair=True)

    def edit(self, node: str, slot: int | None, key: str | None, value: Any) -> None:
        """Change what a node has received (`slot`), or what it has saved (`key`)."""
        own = type(self.recorder)
        if key is None:
            getattr(own, "edit_received", edit_received)(self.recorder, node, slot or 0, value)
        else:
            getattr(own, "edit_saved", edit_saved)(self.recorder, key, value)


def place_of(head: dict, name: str, saved: str | None) -> tuple:
    """(node id, key) of a node that goes by `name`, and of what it has saved as `saved`.

    Raises:
        ValueError: no node, or no entry, goes by that name.
    """
    node = next((n for n in head["nodes"] if name in (who(n), n["var"], n["label"], n["id"])), None)
    if node is None:
        raise ValueError(f"no node is called {name!r}; there are "
                         f"{', '.join(who(n) for n in head['nodes'][:12])}")
    if saved is None:
        return node["id"], None
    entry = next((e for e in node["saved"] if saved in (e["name"], e["var"], e["key"])), None)
    if entry is None:
        raise ValueError(f"{name} has saved nothing called {saved!r}; it has saved "
                         f"{', '.join(e['name'] for e in node['saved']) or 'nothing'}")
    return node["id"], entry["key"]


class Edits:
    """The what-if of a widget: the driver is swapped for a copy's, and back."""

    def _answer_what_if(self, content: dict) -> None:
        """Do what a view has asked for; `content` has been checked."""
        if content["type"] == "undo":
            self.undo()
        elif content["type"] == "repair":
            made = self._driver.repaired() if hasattr(self._driver, "repaired") else None
            if made is None:
                self._refuse([{"id": "refused.repair", "args": {}}])
            else:
                self.take(made)
        elif self._driver.done or not hasattr(self._driver, "recorder"):
            self._refuse([{"id": "refused.done", "args": {}}])
        else:
            made, value = Fork(self._driver), content["value"]
            change = (lambda old: old * value) if content["how"] == "times" else value
            try:
                made.edit(content["node"], content["slot"], content["key"], change)
            except ValueError as problem:
                self._refuse([{"id": "refused.edit", "args": {"why": str(problem)}}])
                return
            self.take(made)

    def undo(self) -> None:
        """Back from a what-if, a second pass or a repair to what it was made from."""
        original = getattr(self._driver, "original", None)
        if original is not None:
            self.take(original)

    def take(self, driver: Any) -> None:
        """Show another driver's pass from now on, at its newest state."""
        self._driver = driver
        self._send_states(0)
        self._update(len(driver.states) - 1)
        self.send_state("_head")
