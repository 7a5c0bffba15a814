"""What if? A PyTorch pass forked where it stands, and run on by hand, on a copy.

The rest of the copy is computed at once, when it is made or changed, and only told step by step:
the real pass may go on and free meanwhile what the copy needs.
"""

import copy
from typing import Any

import numpy as np

from autodidact.trace import sentences
from autodidact.trace.kept import Kept
from autodidact.trace.layered import snapshot
from autodidact.trace.record import Record
from autodidact.trace.subject import is_leaf
from autodidact.trace.torch_bridge.hand import HandTask
from autodidact.trace.torch_bridge.library import array_of, summary, torch
from autodidact.trace.torch_bridge.recorder import TorchRecorder
from autodidact.trace.torch_bridge.second import TorchGrowth
from autodidact.trace.whatif import ForkedRecorder, copies_of_grads, fitted, node_of

__all__ = ["ForkedTorchRecorder"]


class ForkedTask(HandTask):
    """A pass driven by hand from the middle on."""

    def __init__(self, task: Any) -> None:
        for name in ("graph", "given", "keep_graph", "create_graph", "inputs", "accumulate",
                     "modules", "exec_info", "shared", "arrivals"):
            setattr(self, name, getattr(task, name))
        self.events, self.edits, self.links = [], {}, {}
        self.growth = TorchGrowth(task.create_graph, task.graph)
        self.growth.keys.update(task.growth.keys)
        self.ready, self.dependencies = list(task.ready), dict(task.dependencies)
        self.not_ready = {node: list(slots) for node, slots in task.not_ready.items()}
        self.freed = set(task.freed)
        self.grads: dict[Any, Any] = {}
        for node in filter(is_leaf, task.dependencies):
            grad = task.grad_of(node)
            self.grads[node] = None if grad is None else grad.detach().clone()
        self.known: dict[Any, Any] = {}                # node -> what it will send, or its error

    def foresee(self) -> None:
        """Compute the rest now, on a twin."""
        twin = ForkedTask(self)
        while twin.ready:
            node = twin.ready[0][2]
            try:
                twin.run(1)
            except Exception as error:
                twin.known[node] = error
                break
        self.known = twin.known

    def work(self, node: Any, grads: list) -> tuple:
        """What the node sends: known already, or computed and kept."""
        if node not in self.known:
            self.known[node] = super().work(node, grads)
        found = self.known[node]
        if isinstance(found, Exception):
            raise found
        return found


class ForkedTorchRecorder(TorchRecorder):
    """Records a fork of a PyTorch pass: the states so far are the original's."""

    edited = ForkedRecorder.edited

    def __init__(self, recorder: TorchRecorder) -> None:
        self.task = ForkedTask(recorder.task)
        self.task.foresee()
        self.gradient, self.error, self.seed = None, None, 0
        self.outside: list = []
        self.subject = copy.copy(recorder.subject)
        self.subject.task = self.task
        old = recorder.subject.head
        self.subject.head = {**old, "engine": self.task.engine, "edits": list(old.get("edits", ())),
                             "options": old["options"] | {"live": False}}
        self.state = snapshot(recorder.state)
        self.kept = Kept(self.subject.head, self.state["saved"])
        self.record = Record(self.subject.head, list(recorder.record.states))
        self.objects = recorder.objects.copy(copies_of_grads(self))
        self.look = self.outside_look()

    def edit_received(self, node_id: str, slot: int, value: Any) -> None:
        """Change what a node has received and has not used yet; see `trace/whatif.py`."""
        node = node_of(self, node_id)
        waiting = self.task.not_ready.get(node)
        name = sentences.people(self)[node_id]
        if waiting is None or not 0 <= slot < len(waiting) or waiting[slot] is None:
            raise ValueError(f"{name} holds no gradient that could be changed: none has arrived "
                             "yet, or it has been used")
        old = waiting[slot]
        new = fitted(value, array_of(old), name)
        waiting[slot] = torch().as_tensor(np.ascontiguousarray(new), dtype=old.dtype).reshape(
            old.shape)
        self.task.foresee()
        before, after = summary(old), summary(waiting[slot])
        state = dict(self.state)
        totals = [*state["total"][node_id][:slot], after, *state["total"][node_id][slot + 1:]]
        state["total"] = {**state["total"], node_id: totals}
        parts = [list(each) for each in state["received"][node_id]]
        if len(parts[slot]) == 1:
            parts[slot] = [{**parts[slot][0], "value": after}]
            state["received"] = {**state["received"], node_id: parts}
        said = sentences.sentence("step.edited", who=name, before=sentences.text_of(before),
                                  now=sentences.text_of(after))
        self.edited(state, {"node": node_id, "slot": slot, "key": None, "before": before,
                            "after": after}, said)

    def edit_saved(self, key: str, value: Any) -> None:
        """Not of a PyTorch node: nothing can be put into it from outside."""
        raise ValueError("what a node of PyTorch's has saved cannot be changed")
