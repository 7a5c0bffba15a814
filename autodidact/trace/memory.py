"""The bytes that a graph keeps for its backward pass, step by step: a curve and its storages.

Every storage is counted once, however many nodes keep it. Parameters exist anyway, so they are told
apart: `bytes` are those of all storages kept, `parameters` how many of them belong to leaves.
"""

from autodidact.trace.memory_svg import render
from autodidact.trace.memory_text import MemoryText

__all__ = ["Memory"]

KEPT = ("kept", "stale")


class Memory:
    """What a record says of memory.

    Args:
        record: the record; it may still grow.

    Example:
        >>> print(trace.record(loss).memory().text())
    """

    def __init__(self, record):
        self.record = record
        self.sizes = {storage["id"]: storage["bytes"] for storage in record.head["storages"]}
        self.parameters = {s["id"] for s in record.head["storages"] if s["parameter"]}
        operations = [node for node in record.head["nodes"] if node["kind"] != "leaf"]
        self.forward_order = sorted(operations, key=lambda node: -(node["number"] or 0))
        self.entries = {}  # storage -> [(node, entry)], as forward saved them
        first, self.again = record.state(0), self.filled()
        for node in self.forward_order:
            for entry in node["saved"]:
                known = counts(entry, first) or entry["key"] in self.again
                if entry["storage"] in self.sizes and known:
                    self.entries.setdefault(entry["storage"], []).append((node, entry))

    # ---- the curve

    def forward(self):
        """The way up: [(node, bytes, of which parameters)] after each operation of forward."""
        out, kept, first = [], set(), self.record.state(0)
        for node in self.forward_order:
            kept |= {e["storage"] for e in node["saved"] if is_kept(e, first)} & self.sizes.keys()
            out.append((node, *self.weigh(kept)))
        return out

    def backward(self):
        """The way down: [(bytes, of which parameters)] in every recorded state."""
        return [self.at(k) for k in range(len(self.record))]

    def at(self, step):
        """(bytes kept, of which parameters) in a state."""
        return self.weigh(self.kept(step))

    def kept(self, step):
        """The ids of the storages that are kept in a state."""
        state = self.record.state(step)
        return {
            storage
            for storage, users in self.entries.items()
            if any(is_kept(entry, state) for _, entry in users)
        }

    def weigh(self, storages):
        """(bytes, of which parameters) of some storages."""
        return (
            sum(self.sizes[s] for s in storages),
            sum(self.sizes[s] for s in storages & self.parameters),
        )

    # ---- the storages

    def lives(self):
        """Every storage with its life, in the order of forward.

        Returns:
            A list of {"storage", "bytes", "parameter", "entries": [{"node", "entry", "from": number
            of the forward operation that saved it (of one computed again, so many operations and
            steps), "again": the step in which it was computed again, or None, "until": the step in
            which it was let go, or None}]}.
        """
        born = {node["id"]: i for i, node in enumerate(self.forward_order, 1)}
        gone = self.ends()
        return [
            {
                "storage": storage,
                "bytes": self.sizes[storage],
                "parameter": storage in self.parameters,
                "entries": [
                    {
                        "node": node,
                        "entry": entry,
                        "from": self.begins(entry, born[node["id"]]),
                        "again": self.again.get(entry["key"]),
                        "until": gone.get(entry["key"]),
                    }
                    for node, entry in users
                ],
            }
            for storage, users in self.entries.items()
        ]

    def begins(self, entry, forward):
        """Where on the time line an entry begins: in forward, or when it was computed again."""
        again = self.again.get(entry["key"])
        return forward if again is None else len(self.forward_order) + again

    def filled(self):
        """Key of an entry that a checkpoint did not keep -> the step that computed it again."""
        found = {}
        for k, delta in enumerate(self.record.states):
            for key, now in delta.get("saved", {}).items():
                if now["state"] == "kept" and "place" in now.get("packed", {}):
                    found.setdefault(key, k)
        return found

    def ends(self):
        """Key of an entry -> the step in which it was freed."""
        found = {}
        for k, delta in enumerate(self.record.states):
            for key, now in delta.get("saved", {}).items():
                if now["state"] == "freed":
                    found.setdefault(key, k)
        return found

    # ---- as text

    def text(self, step=None, language=None):
        """The curve up to a state (the last by default) and the storages in it, as text.

        The bytes of the storages marked kept add up to the curve's last number.
        """
        k = range(len(self.record))[-1 if step is None else step]
        return MemoryText(self, k, language).render()

    def svg(self, step=None, language=None):
        """The curve and the lives of the storages as a self-contained SVG picture."""
        return render(self, range(len(self.record))[-1 if step is None else step], language)


def counts(entry, state):
    """Whether an entry holds memory for backward: not a plain number, not packed away."""
    return entry["role"] != "scalar" and state["saved"].get(entry["key"], {}).get("state") not in (
        None,
        "none",
        "packed",
    )


def is_kept(entry, state):
    """Whether an entry's array is kept in a state."""
    return entry["role"] != "scalar" and state["saved"].get(entry["key"], {}).get("state") in KEPT
