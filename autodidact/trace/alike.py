"""Are two states the same, as far as anybody can see? What is held against what, side by side.

A fact is one thing that a state shows: what a node has received, whether it still has what it
saved, a leaf's `.grad`, an error. Numbers are the same where they read the same, to six digits; of
narrow dtypes to as many as two engines, which add in another order, have in common.
"""

from difflib import SequenceMatcher

from autodidact.trace.plain import plain_values
from autodidact.trace.summary import flat, number

__all__ = ["Facts", "partners", "same_value"]

_STATISTICS = ("min", "max", "mean", "norm")
_TOLERANCE = {"float32": 1e-5, "complex64": 1e-5, "float16": 1e-2, "bfloat16": 1e-2}


def partners(head, other):
    """Node id of `other` -> id of the node of `head` in whose place it stands.

    In two recordings of the same program node stands by node; in two programs the longest common
    parts of their running orders do. A node without a partner is left out.
    """
    mine, others = (
        [(kind_or_name(node), node["var"] or "") for node in each["nodes"]]
        for each in (head, other)
    )
    blocks = (
        [(0, 0, len(mine))]
        if mine == others
        else SequenceMatcher(None, mine, others, autojunk=False).get_matching_blocks()
    )
    return {
        other["nodes"][j + k]["id"]: head["nodes"][i + k]["id"]
        for i, j, length in blocks
        for k in range(length)
    }


def kind_or_name(node):
    """A node's class; one custom Function stands for another, whatever they are called."""
    custom = node["kind"] == "function" and "program" in node
    return "function" if custom else node["name"]


class Facts:
    """What the states of one record show, node by node.

    Args:
        head: the record without its states.
    """

    def __init__(self, head):
        self.nodes = {node["id"]: node for node in head["nodes"]}
        self.places = {key: i for i, key in enumerate(self.nodes)}
        self.sender = {edge["id"]: edge["from"] for edge in head["edges"]}
        self.owner = {entry["key"]: node["id"] for node in head["nodes"] for entry in node["saved"]}
        self.graph = head["options"]["create_graph"]   # then gradients are to have a graph
        self.edges = {}
        for edge in head["edges"]:
            self.edges.setdefault(edge["from"], []).append(edge)

    def of(self, key, state):
        """(kind, node id, part) -> what a folded state shows of one node.

        The kinds: "status" ("asked for", "skipped" or the class of an error), "received" (the sum
        at each slot), "saved" (the state of each entry), "grad" (a leaf's) and, under create_graph,
        "cut" (how a custom Function's gradient lost its graph; "" where it has not).
        """
        node, error, found = self.nodes[key], state["error"], {}
        skipped = state["status"].get(key) == "skipped"
        found["status", key, ""] = "skipped" if skipped else "asked for"
        if error and error["node"] == key:
            found["status", key, ""] = error["class"]
        for slot, total in enumerate(state["total"].get(key, ())):
            found["received", key, slot] = total
        for entry in plain_values(node, state)[0]:
            now = state["saved"].get(entry["key"])
            found["saved", key, entry["name"]] = now["state"] if now else None
        if self.graph and node["kind"] == "function":
            for edge in self.edges.get(key, ()):
                if edge["id"] in state["sent"]:
                    kind = state.get("cuts", {}).get(edge["id"], {}).get("kind", "")
                    found["cut", key, edge["position"]] = kind
        if key in state["grads"]:
            found["grad", key, ""] = state["grads"][key]["value"]
        return found

    def touched(self, delta):
        """The nodes of which a step may show something new."""
        found = {*delta.get("status", ()), *delta.get("total", ()), *delta.get("grads", ())}
        found.update(self.owner[key] for key in delta.get("saved", ()) if key in self.owner)
        found.update(self.sender[key] for part in ("sent", "cuts") for key in delta.get(part, ())
                     if key in self.sender)
        return found & self.nodes.keys()


def same_value(one, other):
    """Whether two arrays (SUMMARYs or None), or two words, read the same."""
    if not isinstance(one, dict) or not isinstance(other, dict):
        return one == other
    if one["shape"] != other["shape"]:
        return False
    wide = max(_TOLERANCE.get(each["dtype"], 1e-6) for each in (one, other))
    least = wide * _size(one) if wide > 1e-6 else 0.0
    if one["values"] is not None and other["values"] is not None:
        pairs = zip(flat(one["values"]), flat(other["values"]), strict=True)
    else:
        pairs = ((one[name], other[name]) for name in _STATISTICS)
    return all(_alike(*pair, wide, least) for pair in pairs)


def _size(summary):
    """The largest of an array's numbers: what is far below it may be the rounding of a sum."""
    ends = [summary[name] for name in ("min", "max")]
    return max((abs(end) for end in ends if isinstance(end, (int, float))), default=0.0)


def _alike(one, other, wide, least):
    """The same number, or so near that both print alike."""
    if one == other or one is None or other is None:
        return one == other
    if number(one) == number(other):
        return True
    if any(isinstance(each, (str, complex)) for each in (one, other)):
        return False
    return abs(one - other) <= max(wide * max(abs(one), abs(other)), least)
