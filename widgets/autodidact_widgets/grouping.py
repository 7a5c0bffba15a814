"""Big graphs: the view shows groups, and asks for the picture of the one that is open."""

from typing import Any

from autodidact.trace.groups import LARGEST_WHOLE, groups
from autodidact.trace.packing import packed
from autodidact.trace.parts import lay_out_part

__all__ = ["REQUESTS", "Grouping"]

REQUESTS = {"group": {"id": lambda key: isinstance(key, str) and len(key) <= 20}}


class Grouping:
    """The part of a stepper that knows the groups of its graph."""

    _driver: Any

    def _wire(self) -> dict:
        """The head as it travels: that of a big graph with its groups, and packed."""
        head = self._driver.head
        if len(head.get("nodes", ())) <= LARGEST_WHOLE:
            return head
        if self._packed[0] is not head:
            known = groups(head)
            self._packed = head, packed({**head, "groups": known})
            self._groups = {group["id"]: group["nodes"] for group in known}
            self._layouts: dict = {}
        return self._packed[1]

    def _answer_group(self, content: dict) -> None:
        """The picture of a group; none of what is no group, or holds only groups."""
        self._wire()
        key = content["id"]
        nodes = getattr(self, "_groups", {}).get(key)
        if nodes and key not in self._layouts:
            self._layouts[key] = lay_out_part(self._driver.head, nodes)
        layout = self._layouts[key] if nodes else None
        self.send({"type": "layout", "group": key, "layout": layout})
