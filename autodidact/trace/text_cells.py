"""The cells of the text form's tables: what each says of one node, one slot, one saved entry."""

from autodidact.trace.messages import say
from autodidact.trace.plain import (
    expected_count,
    is_result,
    plain_values,
    received_count,
    saved_name,
    shape_text,
    shorten,
    value_text,
    visible,
    who,
)

MOST_SOURCE = 40
MOST_PARTS = 4


class Cells:
    """One state and what is known of it, in words."""

    def __init__(self, head, state, before, first, language):
        self.head, self.state, self.first, self.language = head, state, first, language
        self.before = before or first
        self.saves = head["engine"] != "own"  # of a learner's engine nobody knows what it keeps
        self.nodes = {node["id"]: node for node in head["nodes"]}
        self.edges = {edge["id"]: edge for edge in head["edges"]}
        self.keys = {entry["key"]: entry for node in head["nodes"] for entry in node["saved"]}

    def say(self, message, /, **args):
        """A message in the language of this text."""
        return say(message, args, self.language)

    def value(self, summary, most=28):
        """An array in at most about `most` columns."""
        return value_text(summary, most, self.language)

    def who(self, node_id):
        """What a node is called."""
        return who(self.nodes[node_id])

    def calls(self, node):
        """The learner's functions that a node was made in: "in block, attend"."""
        names = [visible(name) for _, name in node.get("calls", ())]
        return self.say("text.in_calls", what=", ".join(names)) if names else ""

    # ---- nodes

    def status(self, node, status):
        """The state of a node; how much has arrived where it waits."""
        status = "running" if status == "next" and "part" in self.state else status
        if status == "skipped" and is_result(self.head, node):
            status = "result"
        word = self.say(f"status.{status}")
        if status != "waiting":
            return word
        return f"{word} {received_count(node['id'], self.state)}/{expected_count(node)}"

    def receives(self, node, status):
        """What has arrived: 8 + 8 = 16; with several outputs each after its number."""
        if status == "skipped" and not received_count(node["id"], self.state):
            return ""
        received = self.state["received"].get(node["id"], [[] for _ in node["outputs"]])
        totals = self.state["total"].get(node["id"], [None for _ in node["outputs"]])
        slots = [
            self._slot(output["expected"], parts, total)
            for output, parts, total in zip(node["outputs"], received, totals, strict=False)
        ]
        if len(slots) == 1:
            return slots[0]
        return "; ".join(f"[{i}] {slot}" for i, slot in enumerate(slots))

    def _slot(self, expected, parts, total):
        if expected == 0 and not parts:
            return self.say("value.none")
        if expected > MOST_PARTS:
            count = self.say("text.of", got=len(parts), of=expected)
            return f"{count} = {self.value(total)}" if parts else count
        words = [self.value(part["value"]) for part in parts]
        text = " + ".join([*words, "..."] if len(parts) < expected else words)
        return f"{text} = {self.value(total)}" if len(parts) >= max(expected, 2) else text

    def saved(self, node):
        """Two cells: which entries, and their state; each carries its own where they differ."""
        if node["kind"] == "leaf" or not self.saves:
            return []
        entries, _ = plain_values(node, self.state)
        if not entries:
            return [self.say("text.nothing")]
        words = [self.entry_state(entry) for entry in entries]
        names = [shorten(saved_name(entry), MOST_SOURCE) for entry in entries]
        if len(set(words)) == 1:
            return [", ".join(names), words[0]]
        return [", ".join(f"{name} {word}" for name, word in zip(names, words, strict=True))]

    def entry_state(self, entry):
        """kept, freed, stale, packed; of a packed one, how often it has been read."""
        status = self.state["saved"].get(entry["key"])
        place = status.get("packed", {}).get("place") if status else None
        if place and status["state"] != "freed":
            return self.say(f"saved.{place}")
        if status and status.get("packed", {}).get("reads"):
            return self.say(f"saved.{status['state']}_read", n=status["packed"]["reads"])
        return self.say(f"saved.{status['state']}") if status else "-"

    def instead(self, mark):
        """0 instead of 16."""
        got, expected = (self.value(mark[key]) for key in ("got", "expected"))
        return self.say("text.instead", got=got, expected=expected)

    # ---- leaves

    def received(self, node):
        """What a leaf has received so far: 16, 1/2."""
        got, of = received_count(node["id"], self.state), expected_count(node)
        if not got:
            return f"{got}/{of}"
        total = (self.state["total"].get(node["id"]) or [None])[0]
        return f"{self.value(total)}, {got}/{of}"

    def grad(self, node_id, state):
        """The `.grad` of a leaf in some state."""
        grad = state["grads"].get(node_id)
        return self.value(grad["value"] if grad else None)

    def grad_now(self, node_id):
        """The `.grad` of a leaf now; whether it is the tensor it was before the pass."""
        text = self.grad(node_id, self.state)
        old, new = self.first["grads"].get(node_id), self.state["grads"].get(node_id)
        if old and new and old["value"] and new["value"] and self._ran(node_id):
            same = old["object"] == new["object"]
            text = self.say("text.same_tensor" if same else "text.new_tensor", value=text)
        if new and new["shares"]:
            text = self.say("text.shares", value=text, who=visible(new["shares"]))
        if new and new["value"] and "strides" in new:
            text += ", " + self.strides(**new["strides"])
        return text

    def strides(self, own, leaf):
        """Whether a `.grad` lies in memory as its leaf does."""
        own, leaf = shape_text(own), shape_text(leaf)
        if own == leaf:
            return self.say("grad.strides.same", own=own)
        return self.say("grad.strides.own", own=own, leaf=leaf)

    def _ran(self, node_id):
        return self.state["status"].get(node_id) == "done"
