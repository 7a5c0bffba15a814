"""What if? A pass forked where it stands, a number in it changed, and run on, on a copy.

The fork shares the graph with the original and writes to nothing of it: what it would free and
accumulate is only noted (`CopyTask`). So the original can go on too, and the two be compared.
"""

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from autodidact.autograd.graph import Node
from autodidact.autograd.saved_tensors import Packed, SavedResult
from autodidact.levels.level import Below, lift
from autodidact.tensor_base import TensorBase
from autodidact.trace import sentences
from autodidact.trace.directions import as_before
from autodidact.trace.kept import Kept
from autodidact.trace.layered import snapshot
from autodidact.trace.measure import measure
from autodidact.trace.record import Record, difference
from autodidact.trace.recorder import Recorder
from autodidact.trace.subject import keeps_grad
from autodidact.trace.tasks import CopyTask, array_of

__all__ = ["edit_received", "edit_saved", "fork"]


class ForkedTask(CopyTask):
    """A copy of a pass from the middle on; some saved values may have been replaced."""

    def __init__(self, task: Any) -> None:
        self.__dict__.update(task.__dict__)
        self.events, self.ready = [], list(task.ready)
        self.dependencies, self.captured_vars = dict(task.dependencies), list(task.captured_vars)
        self.callbacks: list = []                     # the real pass's own business
        self.not_ready = {node: list(map(copied, grads)) for node, grads in task.not_ready.items()}
        self.reads, self.links = dict(task.reads), {}
        self.growth = task.growth.fork()
        self.summed = set()                           # all of these arrays are the original's
        self.freed = set(task.freed)
        self.replaced: dict[Node, dict[int, Any]] = {}
        self.held = {node: held(node) for node in task.dependencies if held(node)}
        self.grads = {}
        for node in filter(keeps_grad, task.dependencies):
            grad = task.grad_of(node)
            self.grads[node] = None if grad is None else copied(grad)

    def grad_of(self, node: Node) -> TensorBase | None:
        """What a leaf's `.grad` was at the fork, and what has been added since."""
        return self.grads[node]

    def apply(self, node: Node, grads: list) -> Any:
        """The node sees the values put in its place, and only while it runs."""
        with self.replacements(node):
            return super().apply(node, grads)

    @contextmanager
    def replacements(self, node: Node) -> Iterator[None]:
        """Give a node what it had saved at the fork, some of it replaced; and take it back again.

        The original may have run and freed the node meanwhile.
        """
        kept = self.held.get(node)
        if kept is None:
            yield
            return
        now = {name: getattr(node, name) for name in kept}
        own = self.replaced.get(node, {})
        try:
            for name, value in kept.items():
                setattr(node, name, value)
            if own:
                node.saved = tuple(own.get(i, item) for i, item in enumerate(kept["saved"]))
                node.versions = tuple(0 if i in own else v for i, v in enumerate(kept["versions"]))
            yield
        finally:
            for name in kept:
                setattr(node, name, now[name])


class ForkedRecorder(Recorder):
    """Records a fork: the states so far are the original's."""

    def __init__(self, recorder: Recorder) -> None:
        self.task = ForkedTask(recorder.task)
        self.gradient, self.error = recorder.gradient, None
        self.outside: list = []
        old = recorder.subject
        self.subject = copy.copy(old)
        self.subject.task = self.task
        self.subject.head = {
            **old.head, "nodes": copy.deepcopy(old.head["nodes"]),
            "options": old.head["options"] | {"live": False},
            "edits": list(old.head.get("edits", ())),
        }
        self.state = snapshot(recorder.state)
        self.kept = Kept(self.subject.head, self.state["saved"])
        self.record = Record(self.subject.head, list(recorder.record.states))
        self.objects = recorder.objects.copy(copies_of_grads(self))
        self.look = self.outside_look()

    def predict(self, node: Node, state: dict) -> dict:
        """As ever, with the replaced values."""
        with self.task.replacements(node):
            return super().predict(node, state)

    def saved_state(self, node: Node, index: int, entry: dict) -> dict:
        """As ever, of what the fork holds."""
        with self.task.replacements(node):
            return super().saved_state(node, index, entry)

    def edited(self, state: dict, edit: dict, said: dict) -> None:
        """Put an edited state in place of the last one, and note what was edited."""
        self.subject.head["edits"].append({"step": state["step"], **edit})
        node = self.task.ready[0][2] if self.task.ready else None
        state["predicted"] = self.predict(node, state) if node is not None else {}
        state["say"] = [said, *state["say"][-1:]]
        states = self.record.states
        before = self.record.state(len(states) - 2) if len(states) > 1 else None
        states[-1] = snapshot(state) if before is None else difference(before, state)
        self.record = Record(self.subject.head, states)
        self.state = state


def copies_of_grads(recorder: Any) -> dict:
    """Key of a `.grad` -> the copy of it that a fork adds to: no new object to the learner."""
    found = {}
    for node in filter(keeps_grad, recorder.subject.order):
        known = recorder.state["grads"].get(recorder.subject.ids[node], {"object": None})
        if known["object"] is not None and recorder.task.grads[node] is not None:
            found[known["object"]] = recorder.task.grads[node]
    return found


def fork(recorder: Recorder) -> ForkedRecorder:
    """A copy of a pass that stands between two steps; running it changes nothing of the original.

    Raises:
        RuntimeError: the pass is over.
    """
    if recorder.done:
        raise RuntimeError("This pass is over: there is nothing left to run with another number.")
    return ForkedRecorder(recorder)


def edit_received(recorder: ForkedRecorder, node_id: str, slot: int, value: Any) -> None:
    """Change what a node has received and has not used yet.

    Args:
        recorder: a fork.
        node_id: the node's id in the record.
        slot: which of its outputs the gradient belongs to.
        value: a number or array of its shape, or a function from the old array to the new one.

    Raises:
        ValueError: nothing has arrived there, or the value has another shape.
    """
    node = node_of(recorder, node_id)
    waiting = recorder.task.not_ready.get(node)
    name = sentences.people(recorder)[node_id]
    if waiting is None or not 0 <= slot < len(waiting) or waiting[slot] is None:
        raise ValueError(f"{name} holds no gradient that could be changed: none has arrived yet, "
                         "or it has been used")
    old = recorder.task.numbers(waiting[slot])
    new = fitted(value, old, name)
    tensors = isinstance(waiting[slot], TensorBase)
    waiting[slot] = as_before(new, waiting[slot]) if tensors else new
    before, after = measure(old), measure(new)
    state = dict(recorder.state)
    totals = list(state["total"][node_id])
    totals[slot] = after
    state["total"] = {**state["total"], node_id: totals}
    parts = [list(each) for each in state["received"][node_id]]
    if len(parts[slot]) == 1:
        parts[slot] = [{**parts[slot][0], "value": after}]
        state["received"] = {**state["received"], node_id: parts}
    said = sentences.sentence("step.edited", who=name, before=sentences.text_of(before),
                              now=sentences.text_of(after))
    recorder.edited(state, {"node": node_id, "slot": slot, "key": None, "before": before,
                            "after": after}, said)


def edit_saved(recorder: ForkedRecorder, key: str, value: Any, repair: bool = False) -> None:
    """Change a value that a node has saved. What comes out then is no gradient of the program.

    Args:
        recorder: a fork.
        key: the saved entry's key in the record.
        value: a number or array of its shape, or a function from the old array to the new one.
        repair: put back what was saved before the tensor was written to.

    Raises:
        ValueError: there is no such entry, it is not there any more, or it cannot be replaced.
    """
    found = next(((node, i, entry) for node, entries in recorder.subject.entries.items()
                  for i, entry in entries if entry["key"] == key), None)
    if found is None:
        raise ValueError(f"there is no saved entry {key!r}")
    node, i, entry = found
    name = sentences.people(recorder)[recorder.subject.ids[node]]
    kept = recorder.task.held.get(node, {}).get("saved")
    item = kept[i] if kept and not hasattr(node, "fn") else None
    if (not isinstance(item, (TensorBase, SavedResult)) or isinstance(item, Packed)
            or recorder.state["saved"][key]["state"] != ("stale" if repair else "kept")):
        raise ValueError(f"{entry['name']} of {name} cannot be changed: it is not kept as an array")
    own = recorder.task.replaced.setdefault(node, {})
    old = own.get(i, item)._array
    own[i] = TensorBase.wrap(fitted(value, old, name))
    told = next(e for n in recorder.subject.head["nodes"] for e in n["saved"] if e["key"] == key)
    before, after = measure(old), measure(own[i]._array)
    told["value"] = after
    message = "step.repaired" if repair else "step.edited_saved"
    said = sentences.sentence(message, who=name, name=entry["var"] or entry["name"],
                              before=sentences.text_of(before), now=sentences.text_of(after))
    state = dict(recorder.state)
    if repair:
        again = state["saved"][key]["expected"]
        state["saved"] = {**state["saved"], key: {
            "state": "kept", "expected": again, "actual": again}}
    recorder.edited(state, {
        "node": recorder.subject.ids[node], "slot": None, "key": key, "before": before,
        "after": after, **({"repair": True} if repair else {})}, said)


def node_of(recorder: Recorder, node_id: str) -> Node:
    """The node of an id."""
    found = next((node for node, key in recorder.subject.ids.items() if key == node_id), None)
    if found is None:
        raise ValueError(f"there is no node {node_id!r}")
    return found


def fitted(value: Any, old: Any, name: str) -> Any:
    """A new value as an array of the old one's shape and dtype."""
    new = value(np.array(old)) if callable(value) else array_of(value)
    new = np.asarray(new)
    if new.shape != np.shape(old) and new.size != 1:
        raise ValueError(f"{name}: a value of shape {np.shape(old)} can be changed to one number, "
                         f"or to values of that shape; got shape {new.shape}")
    return np.array(np.broadcast_to(new.reshape(()) if new.size == 1 else new, np.shape(old)),
                    dtype=np.asarray(old).dtype)


def held(node: Node) -> dict:
    """What a node lets go of when it is freed; empty where there is nothing (any more)."""
    fn = getattr(node, "fn", None)
    if not node.saved and fn is None:
        return {}
    found = {"saved": node.saved, "versions": node.versions}
    return found if fn is None else {**found, "fn": fn}


def copied(grad: Any) -> Any:
    """A gradient of its own memory."""
    if grad is None:
        return None
    if isinstance(grad, TensorBase) and isinstance(grad._array, Below):
        return lift(copied(grad._array.value), grad._level, grad._array.lanes)
    if isinstance(grad, TensorBase):
        return grad.clone() if grad._requires_grad or grad._grad_fn else TensorBase.wrap(
            np.array(grad._array))
    return np.array(grad)
