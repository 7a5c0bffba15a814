"""One backward pass as plain data: a static head, then one state per step.

States after the first are deltas. `fold` puts one on top of its predecessor ("last value per key
wins") and `difference` makes one; the format is written down in `record.schema.json`.
"""

import base64
import functools
import html
import json
from collections import ChainMap

from autodidact.trace import layout, questions, replay, svg, text
from autodidact.trace.groups import LARGEST_WHOLE
from autodidact.trace.mathml import mathml
from autodidact.trace.memory import Memory
from autodidact.trace.messages import say
from autodidact.trace.packing import packed, unpacked
from autodidact.trace.page import page
from autodidact.trace.plain import plain_values
from autodidact.trace.summary import flat

MERGED = ("status", "received", "total", "saved", "grads", "sent")
CLINIC = "clinic"  # of one state only, and mostly absent: what is wrong, how to mend it
# As those, but absent where there is nothing to say.
OPTIONAL = ("wrong", "hooks", "second", "versions", "cuts", "silent")
OWN = {"predicted": {}, "events": [], "say": [], "error": None, "outside": []}
ALWAYS = ("step", "ran", "next", "end")
_HEAD = (
    "format",
    "engine",
    "root",
    "roots",
    "options",
    "recorded",
    "nodes",
    "edges",
    "storages",
    "layout",
)
# What a learner has changed; devices that are none; the pass whose gradient is gone back from;
# tensors in one memory; what a big graph is grouped by.
_OPTIONAL = ("edits", "simulated", "second_of", "families", "grouped")
_CHECKPOINT = 32
PLAIN = 60_000        # characters: a record up to here is written as it is


def fold(state, delta):
    """The state after `delta`, as a new dict; `state` stays as it was.

    Example: fold({... "status": {"n0": "next"}}, {"step": 1, "status": {"n0": "done"}, ...}).
    """
    new = {key: delta.get(key) for key in ALWAYS}
    new |= {key: {**state[key], **delta.get(key, {})} for key in MERGED}
    new |= {
        key: {**state.get(key, {}), **delta.get(key, {})}
        for key in OPTIONAL
        if key in state or key in delta
    }
    new |= {
        key: delta.get(key, type(empty)() if empty is not None else None)
        for key, empty in OWN.items()
    }
    new |= {CLINIC: delta[CLINIC]} if CLINIC in delta else {}
    return new | {"bytes": delta.get("bytes", state["bytes"])}


def difference(before, after):
    """What changed between two folded states: a delta that `fold` puts back on `before`."""
    delta = {key: after[key] for key in ALWAYS}
    for key in (*MERGED, *OPTIONAL):
        old, new = before.get(key, {}), after.get(key, {})
        new = new.maps[0] if isinstance(new, ChainMap) else new   # what was written: see layered.py
        changed = {
            k: v for k, v in new.items()
            if k not in old or (old[k] is not v and old[k] != v)
        }
        if changed:
            delta[key] = changed
    delta |= {key: after[key] for key, empty in OWN.items() if after[key] != empty}
    if CLINIC in after:
        delta[CLINIC] = after[CLINIC]
    if after["bytes"] != before["bytes"]:
        delta["bytes"] = after["bytes"]
    return delta


class Record:
    """A recorded pass: `head` is the record without its states, `states` state 0 and the deltas."""

    def __init__(self, head, states):
        self.head, self.states = head, states
        self._folded = {}
        self._layout = head.get("layout")

    def __len__(self):
        """Number of states: one more than the number of steps."""
        return len(self.states)

    def state(self, k):
        """The folded state `k`; negative numbers count from the end. IndexError outside."""
        k = range(len(self.states))[k]
        at = k
        while at and at not in self._folded:
            at -= 1
        state = self._folded.get(at) or self.states[0]
        while at < k:
            at += 1
            state = fold(state, self.states[at])
            if at % _CHECKPOINT == 0:
                self._folded[at] = state
        self._folded.pop(getattr(self, "_last", None), None)
        if k % _CHECKPOINT:  # the latest one asked for is kept too: stepping costs one fold
            self._folded[k] = state
            self._last = k
        return state

    @functools.cached_property
    def planned(self):
        """How many steps the pass will take, as far as is known when it begins."""
        return sum(1 for status in self.states[0]["status"].values() if status != "skipped")

    def stop(self):
        """Note that the pass was given up at the last state; nothing follows it."""
        said = self.state(-1)["say"]
        self.states[-1] |= {"end": "stopped", "say": [*said, {"id": "step.stopped", "args": {}}]}
        self._folded.clear()

    # ---- JSON

    def to_json(self):
        """The record as a JSON text; `from_json` reads it back.

        A long one is packed (see `trace/packing.py`), and leaves out what can be made again: the
        layout, and the MathML of formulas whose LaTeX is there.
        """
        data = {**self.head, "states": self.states}
        text = json.dumps(data, allow_nan=False, ensure_ascii=False)
        if len(text) <= PLAIN:
            return text
        nodes = [{**node, "rules": [_without_mathml(rule) for rule in node["rules"]]}
                 for node in data["nodes"]]
        slim = packed({**data, "nodes": nodes, "layout": None})
        return json.dumps(slim, allow_nan=False, ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, source):
        """A record from its JSON text, or from the dict it stands for.

        The shape is looked at cheaply, without a schema library; ValueError says what is wrong.
        """
        data = json.loads(source) if isinstance(source, (str, bytes)) else source
        was_packed = isinstance(data, dict) and "pool" in data
        data = unpacked(data) if was_packed else data
        problem = _problem(data)
        if problem:
            raise ValueError(f"not a record of a backward pass: {problem}")
        head = {key: data[key] for key in _HEAD} | {
            key: data[key] for key in _OPTIONAL if key in data}
        if was_packed:
            _make_mathml(head["nodes"])
        return cls(head, list(data["states"]))

    # ---- views

    def layout(self):
        """Where everything stands in the picture; made on first use and kept in the head."""
        if self._layout is None:
            self._layout = self.head["layout"] = layout.lay_out(self.head)
        return self._layout

    def text(self, step=None, language=None, event=None, hide=()):
        """State `step` (the last one by default) as text; see `trace/text.py`.

        With `event`, a moment inside that step: its first `event` events have happened. `hide`
        are questions (`trace/questions.py`) whose numbers are not to be seen.
        """
        k = range(len(self.states))[-1 if step is None else step]
        before = self.state(k - 1) if k else None
        state = questions.hidden(self.moment(k, event), hide)
        return text.render(self.head, state, before, self.state(0), language)

    def svg(self, step=None, language=None, event=None, hide=()):
        """State `step` (the last one by default) as a self-contained SVG picture."""
        state = questions.hidden(self.moment(-1 if step is None else step, event), hide)
        return svg.render(self.head, self.layout(), state, language)

    def memory(self):
        """The bytes that the graph keeps, step by step: `record.memory().text()`, `.svg()`."""
        return Memory(self)

    def moment(self, step, event=None):
        """The folded state `step`; with `event`, as it was after that many of the step's events."""
        k = range(len(self.states))[step]
        if event is None or k == 0:
            return self.state(k)
        return replay.part(self.head, self.state(k - 1), self.state(k), max(0, event))

    def html(self, step=None, language=None):
        """The record as one interactive HTML page that needs no kernel, network or other file.

        Args:
            step: the state that is shown first; the last one by default.
            language: "en" or "ru"; None takes the current one.

        Example:
            >>> page = trace.record(loss).html()
            >>> page.startswith("<!doctype html>")
            True
        """
        k = range(len(self.states))[-1 if step is None else step]
        if len(self.head["nodes"]) <= LARGEST_WHOLE:
            self.layout()
        title = say("title.pass", {"root": self.head["root"] or "-"}, language)
        return page(self.head, self.states, k, title, self.text(k, language), language)

    def still(self, step=None, language=None):
        """Picture and text as HTML that survives a notebook's sanitizer: an <img> and a <pre>."""
        picture = base64.b64encode(self.svg(step, language).encode()).decode()
        words = html.escape(self.text(step, language))
        return f'<img alt="" src="data:image/svg+xml;base64,{picture}">\n<pre>{words}</pre>'

    def as_reference(self):
        """The pass in the words of the reference traces: edges, steps, final.

        A step holds the label of the node, its incoming gradients (one flat list per slot, rounded
        to 6 places, or None), the saved state of every operation's node and every leaf's `.grad`,
        as they were just before it ran.
        """
        label = {node["id"]: node["label"] for node in self.head["nodes"]}
        order = {node["id"]: i for i, node in enumerate(self.head["nodes"])}
        edges = sorted(self.head["edges"], key=lambda edge: (order[edge["from"]], edge["position"]))
        steps = []
        for k in range(1, len(self.states)):
            before, ran = self.state(k - 1), self.states[k]["ran"]
            if ran is not None:
                incoming = [_numbers(total) for total in before["total"].get(ran, [])]
                steps.append({"node": label[ran], "incoming": incoming, **self._kept(before)})
        last = self.state(-1)
        end = last["error"]["class"] if last["error"] else last["end"]
        return {
            "edges": [[label[edge["from"]], label[edge["to"]], edge["slot"]] for edge in edges],
            "steps": steps,
            "final": {"end": end, **self._kept(last)},
        }

    def _kept(self, state):
        nodes = self.head["nodes"]
        return {
            "saved": {
                node["label"]: saved_state(node, state) for node in nodes if node["kind"] != "leaf"
            },
            "grad": {
                node["var"] or node["label"]: _numbers(
                    state["grads"].get(node["id"], {}).get("value")
                )
                for node in nodes
                if node["kind"] == "leaf"
            },
        }


def saved_state(node, state):
    """One word for all tensors a node has saved: none, stale, freed, packed or kept."""
    entries, _ = plain_values(node, state)
    words = {
        state["saved"][entry["key"]]["state"] for entry in entries if entry["key"] in state["saved"]
    }
    return next((word for word in ("stale", "freed", "packed", "kept") if word in words), "none")


def _without_mathml(rule):
    """A rule whose MathML can be made again from its LaTeX."""
    return {**rule, "mathml": None} if rule["latex"] else rule


def _make_mathml(nodes):
    """Make the MathML that a packed record has left out."""
    for node in nodes:
        for rule in node.get("rules", ()):
            if isinstance(rule, dict) and isinstance(rule.get("latex"), str):
                rule["mathml"] = mathml(rule["latex"])


def _numbers(summary):
    """A summary's values as a flat list rounded to 6 places; None stays None."""
    if summary is None or summary["values"] is None:
        return None
    return [round(float(x), 6) if not _is_complex(x) else x for x in flat(summary["values"])]


def _is_complex(value):
    return isinstance(value, str) and value.endswith("j")


def _problem(data):
    """The first thing wrong with a record's outer shape, or None."""
    if not isinstance(data, dict):
        return f"expected a JSON object, got {type(data).__name__}"
    if data.get("format") != 1:
        return f"format {data.get('format')!r}; this version reads format 1"
    missing = [key for key in (*_HEAD, "states") if key not in data]
    if missing:
        return f"without {', '.join(missing)}"
    for key in ("nodes", "edges", "storages", "states"):
        if not isinstance(data[key], list) or not all(isinstance(each, dict) for each in data[key]):
            return f"{key} is not a list of objects"
    ids = {node.get("id") for node in data["nodes"]}
    lost = [
        edge for edge in data["edges"] if edge.get("from") not in ids or edge.get("to") not in ids
    ]
    if lost:
        return f"edge {lost[0].get('id')!r} joins a node that is not there"
    if not data["states"]:
        return "no state in it"
    return _state_problem(data["states"])


def _state_problem(states):
    missing = [key for key in (*ALWAYS, *MERGED, *OWN, "bytes") if key not in states[0]]
    if missing:
        return f"state 0 without {', '.join(missing)}"
    for k, state in enumerate(states):
        if state.get("step") != k or any(key not in state for key in ALWAYS):
            return f"state {k} is incomplete or out of order"
        if any(not isinstance(state.get(key, {}), dict) for key in (*MERGED, *OPTIONAL)):
            return f"state {k} has a part of the wrong kind"
    return None
