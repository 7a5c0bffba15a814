"""Nodes and edges of a head, found by their ids."""

from typing import Any

__all__ = ["Index", "index_of"]


class Index:
    """A head's nodes and edges by id.

    Attributes:
        nodes, edges: id -> node, id -> edge.
    """

    def __init__(self, head: dict) -> None:
        self.head = head
        self.nodes = {node["id"]: node for node in head["nodes"]}
        self.edges = {edge["id"]: edge for edge in head["edges"]}


def index_of(owner: Any) -> Index:
    """The index of `owner.head`, kept in `owner.index` and made once for each head."""
    found = getattr(owner, "index", None)
    if found is None or found.head is not owner.head:
        found = owner.index = Index(owner.head)
    return found
