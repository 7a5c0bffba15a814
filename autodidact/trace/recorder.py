"""The recorder: turns what a `RecordingTask` notes into the states of a record."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from autodidact.arrays.gpu import observing
from autodidact.arrays.transfers import listening
from autodidact.autograd import engine
from autodidact.autograd.backward import inputs_of, roots_of, start
from autodidact.autograd.graph import Node
from autodidact.autograd.saved_tensors import Packed
from autodidact.levels.passes import batched_start
from autodidact.tensor_base import TensorBase
from autodidact.trace import case, repairs, sentences
from autodidact.trace.again import place_of, place_state
from autodidact.trace.cuts import cuts
from autodidact.trace.directions import reading
from autodidact.trace.happenings import deliver, event, happenings, hooks_now
from autodidact.trace.kept import Kept
from autodidact.trace.layered import on_top, settle, snapshot
from autodidact.trace.measure import measure
from autodidact.trace.names import Names
from autodidact.trace.outside import Objects, Outside
from autodidact.trace.packed import packed_state
from autodidact.trace.record import Record
from autodidact.trace.rules import numbers_put_in
from autodidact.trace.silent import Silent
from autodidact.trace.subject import Subject, keeps_grad
from autodidact.trace.tasks import CopyTask, RecordingTask, array_of

__all__ = ["Recorder", "RecordingTask"]

MOST_PREDICTED = 1 << 16     # elements: what a node will send is computed in advance up to here


class Recorder:
    """One pass, recorded: run it by `step()` or to its end by `run()`.

    Args:
        loss: the tensor to go back from (or several).
        gradient, retain_graph, create_graph, inputs: as for `backward`.
        names: what to call tensors, besides the variables in `found`.
        found: name -> tensor, from the caller's frame.
        copy: step a copy: nothing is freed, no `.grad` is written.
        accumulate: False records the pass of `autograd.grad`: what comes to `inputs` is returned.
        is_grads_batched: that pass with many gradients at once, along the first dimension of each.
    """

    subject_class = Subject
    call: tuple | None = None          # (file, line) of who has asked for the pass, where known
    silent: Silent | None = None       # looks for errors without an exception; not on a fork

    def __init__(self, loss: Any, *, gradient: Any = None, retain_graph: bool | None = None,
                 create_graph: bool = False, inputs: Any = None,
                 names: dict[str, TensorBase] | None = None,
                 found: dict[str, TensorBase] | None = None, copy: bool = False,
                 accumulate: bool = True, is_grads_batched: bool = False) -> None:
        kind = CopyTask if copy else RecordingTask
        task = (batched_start(loss, inputs, gradient, retain_graph, create_graph, kind)
                if is_grads_batched else start(loss, gradient, retain_graph, create_graph, inputs,
                                               kind, accumulate))
        naming = Names(names, found or {})
        asked = None if inputs is None else [
            naming.by_tensor.get(id(t)) or "?" for t in inputs_of(inputs)]
        root_name = naming.by_tensor.get(id(loss)) if isinstance(loss, TensorBase) else None
        self.attach(task, naming, roots_of(loss), root_name, asked, gradient, not copy)

    @classmethod
    def of_task(cls, task: Any, roots: list, found: dict[str, TensorBase]) -> "Recorder":
        """Record a pass that has been prepared elsewhere, by `backward()` or `grad()`.

        Args:
            task: a `RecordingTask` that has run nothing yet.
            roots: (node, output number, gradient) triples it begins with.
            found: name -> tensor, from the caller's frame.
        """
        recorder, naming = cls.__new__(cls), Names(None, found)
        asked = None if task.inputs is None else [
            naming.by_node.get(pair) or naming.raw(pair[0]) or "?" for pair in task.inputs]
        recorder.attach(task, naming, roots, None, asked, None, True)
        return recorder

    def attach(self, task: Any, naming: Names, roots: list, root_name: str | None,
               asked: list | None, gradient: Any, live: bool) -> None:
        """Describe the graph and write state 0."""
        self.task = task
        self.gradient = array_of(gradient) if isinstance(gradient, TensorBase) else None
        options = {"retain_graph": task.keep_graph, "create_graph": task.create_graph,
                   "inputs": asked, "live": live}
        if asked is not None and not getattr(task, "accumulate", True):
            options["returns"] = True
        if getattr(task, "lanes", None) is not None:
            options["directions"] = task.lanes.size
        self.subject = self.subject_class(task, naming, roots, options, root_name)
        if root_name is None and roots:
            self.subject.head["root"] = naming.of(roots[0][0])
        task.growth.know(self.subject)
        self.objects = Objects()
        self.error: BaseException | None = None
        self.state = self.first()
        self.record = Record(self.subject.head, [snapshot(self.state)])
        self.look = self.outside_look()
        self.silent = self.silent_look()

    def silent_look(self) -> Silent | None:
        """What looks for errors without an exception."""
        return Silent(self)

    def outside_look(self) -> Any:
        """What says whether the learner's own code may have changed the graph."""
        return Outside(self.task, self.subject)

    # ---- stepping -----------------------------------------------------------------------------

    @property
    def done(self) -> bool:
        """Whether the pass is over, well or not."""
        return self.state["end"] is not None

    def step(self) -> list:
        """Run one node; the new states (one, or none when the pass is over)."""
        if self.done:
            return []
        node = self.task.ready[0][2]
        self.outside = self.changes_outside(self.look.before(node))
        if self.silent is not None:
            self.silent.before(self, node)
        self.task.events.clear()
        try:
            with listening(lambda crossed: self.task.events.append(("transfer", crossed))):
                self.task.run(1)
                self.capture()
        except Exception as error:
            self.error = error
        new = self.after(node, self.look.after(node))
        delta = settle(self.state, new)
        self.state = new
        self.record.states.append(delta)
        return [delta]

    def capture(self) -> None:
        """What `grad()` keeps for a tensor whose node does not run is no step of its own."""
        while self.task.ready and getattr(self.task, "captures", None) and \
                not self.subject.runs(self.task.ready[0][2]):
            self.task.run(1)

    def run(self) -> list:
        """Run what is left; all the new states."""
        before = len(self.record.states)
        while not self.done:
            self.step()
        return self.record.states[before:]

    # ---- states -------------------------------------------------------------------------------

    def first(self) -> dict:
        """State 0: before any node has run."""
        subject = self.subject
        nodes = subject.head["nodes"]
        state = {
            "step": 0, "ran": None, "next": None, "end": None,
            "status": {subject.ids[n]: "waiting" if subject.runs(n) else "skipped"
                       for n in subject.order},
            "received": {n["id"]: [[] for _ in n["outputs"]] for n in nodes},
            "total": {n["id"]: [None for _ in n["outputs"]] for n in nodes},
            "saved": {}, "bytes": 0, "sent": {},
            "grads": {subject.ids[n]: self.grad(n) for n in subject.order if keeps_grad(n)},
            "predicted": {}, "events": [], "say": [], "error": None, "outside": []}
        for node in subject.order:
            for i, entry in subject.entries.get(node, ()):
                state["saved"][entry["key"]] = self.saved_state(node, i, entry)
        if versions := subject.families.versions():
            state["versions"] = versions
        self.kept = Kept(self.subject.head, state["saved"])
        state["bytes"] = self.kept.bytes
        for kind, *what in self.task.events:
            if kind == "deliver":
                deliver(self, state, *what)
        for _, _, node in self.task.ready:
            state["status"][subject.ids[node]] = "ready"
        hooks_now(self, state, subject.order)
        self.look_ahead(state)
        self.task.events.clear()
        state["say"] = sentences.start(self, state)
        return state

    def after(self, ran: Node, touched: list) -> dict:
        """The state after `ran` has run (or failed to); `touched`: where anything may be new."""
        subject, before = self.subject, self.state
        key = subject.ids[ran]
        state = on_top(before) | {
            "step": before["step"] + 1, "ran": key, "next": None, "end": None, "predicted": {},
            "events": [], "say": [], "error": None, "outside": self.outside}
        state.pop("clinic", None)
        ended = "done" if subject.runs(ran) else "skipped"
        state["status"][key] = ended if self.error is None else "failed"
        happenings(self, state, ran)
        hooks_now(self, state, touched)
        if made := self.task.growth.take(subject, ran):
            state.setdefault("second", {}).update(made)
        if "versions" in state:
            state["versions"].update({
                key: now for key, now in subject.families.versions().items()
                if now != before["versions"][key]})
        if lost := cuts(self, ran):
            state.setdefault("cuts", {}).update(lost)
        self.refresh_saved(state, touched)
        state["bytes"] = self.kept.bytes
        for node in filter(keeps_grad, touched):
            if self.task.grad_of(node) is not None or node is ran:
                state["grads"][subject.ids[node]] = self.grad(node)
        if self.error is not None:
            self.failed(state, ran)
        elif self.silent is not None and (found := self.silent.after(self, state, ran)) is not None:
            state["clinic"] = found
            state.setdefault("silent", {})[key] = found["say"][0]
        if self.error is None and self.task.ready:
            self.look_ahead(state)
        elif self.error is None:
            state["end"] = "ok"
        state["say"] = sentences.after(self, before, state)
        return state

    def failed(self, state: dict, ran: Node) -> None:
        """The pass has stopped at `ran`: what is to be said of it."""
        state["end"], state["error"] = "error", sentences.failure(self, state, ran)
        if found := repairs.candidates(self, state, ran):
            state["error"]["repairs"] = found
        if (known := case.of_pass(self, state, ran)) is not None:
            state["clinic"] = known
        state["events"].append(event("error", state["ran"], args=sentences.error_args(self.error)))

    def look_ahead(self, state: dict) -> None:
        """The next node, and what it will send."""
        node = self.task.ready[0][2]
        key = state["next"] = self.subject.ids[node]
        state["status"][key] = "next"
        state["predicted"] = self.predict(node, state)

    def predict(self, node: Node, state: dict) -> dict:
        """What the node's rule gives on a copy of what has arrived; {} where it cannot be run so.

        Rows are pure mathematics and can; a custom Function or a pack hook would notice.
        """
        grads = self.task.not_ready[node]
        if node.op is None or changes(node._hooks) or any(
                isinstance(item, Packed) for item in node.saved or ()):
            return {}
        if sum(np.size(self.task.numbers(g)) for g in grads if g is not None) > MOST_PREDICTED:
            return {}
        with reading(self.task.lanes, self.task):
            try:
                with np.errstate(all="ignore"), observing():
                    results = self.task.foretell(node, grads)
            except Exception:
                return {}                          # the step itself will show what is wrong
            return self.predictions(node, results, state)

    def predictions(self, node: Node, results: Any, state: dict) -> dict:
        """For each edge: the value, the numbers of its rule, and what the receiver will hold."""
        out, held, numbers = {}, {}, self.task.numbers
        for position, (consumer, slot, grad) in enumerate(
                zip(node.next, node.nrs, results, strict=False)):
            edge = self.subject.edges.get((node, position))
            if edge is None:
                continue
            value = then = None
            waiting = self.task.not_ready.get(consumer)
            total = held.get((consumer, slot), None if waiting is None else numbers(waiting[slot]))
            if grad is not None:
                shape, dtype = consumer.outputs[slot] if consumer.outputs else (
                    consumer.shape, consumer.dtype)
                with observing():
                    grad = numbers(engine.repair(consumer, slot, grad, shape, dtype))
                value = measure(grad)
                total = grad if total is None else total + grad
            held[consumer, slot] = total
            then = measure(total)
            out[edge] = {"value": value, "then": then,
                         "numbers": numbers_put_in(self.subject, node, position, state)}
        return out

    # ---- parts of a state ---------------------------------------------------------------------

    def saved_state(self, node: Node, index: int, entry: dict) -> dict:
        """kept, stale (changed in place since), packed, freed; none for plain numbers."""
        inner = getattr(node, "fn", node) if hasattr(node, "fn") else node
        if inner is None or inner.saved is None or node in self.task.freed:
            return {"state": "freed", "expected": 0, "actual": 0}
        item, expected = inner.saved[index], inner.versions[index]
        if place_of(item) is not None:
            return place_state(item, self.task.id)
        if isinstance(item, Packed):
            return {"state": "packed", "expected": None, "actual": None,
                    "packed": packed_state(item)}
        if expected < 0:
            counts = entry["role"] == "scalar" and inner.frees
            return {"state": "kept" if counts else "none", "expected": 0, "actual": 0}
        actual = item._version_cell[0]
        return {"state": "kept" if actual == expected else "stale", "expected": expected,
                "actual": actual}

    def refresh_saved(self, state: dict, nodes: Iterable) -> None:
        """Look at what nodes have saved: freed by the step, or changed by the learner."""
        saved = state["saved"]
        for node in nodes:
            for i, entry in self.subject.entries.get(node, ()):
                old = saved[entry["key"]]
                if old["state"] != "freed":
                    new = self.saved_state(node, i, entry)
                    if new["state"] == "freed":
                        new = {**old, "state": "freed", **self.last_reads(node, i, old)}
                    if new != old:
                        saved[entry["key"]] = new
                        self.kept.change(entry["key"], old["state"], new["state"])

    def last_reads(self, node: Node, index: int, old: dict) -> dict:
        """Of a packed entry that is freed: how often it had been read by then."""
        reads = self.task.reads.get((node, index))
        return {"packed": {**old["packed"], "reads": reads}} if reads is not None else {}

    def grad(self, node: Node) -> dict:
        """A leaf's `.grad`: value, which object it is, whether it shares memory."""
        tensor = self.task.grad_of(node)
        if tensor is None:
            return {"value": None, "object": None, "new": False, "shares": None}
        key, shares = self.objects.key(tensor), None
        if self.gradient is not None and isinstance(tensor._array, np.ndarray) and \
                isinstance(self.gradient, np.ndarray) and np.shares_memory(
                    tensor._array, self.gradient):
            shares = "gradient"
        old = self.state["grads"].get(self.subject.ids[node]) if hasattr(self, "state") else None
        before = old and old["object"]
        return {"value": measure(tensor._array), "object": key,
                "new": hasattr(self, "state") and before != key, "shares": shares,
                **strides(tensor, getattr(node, "variable", None))}

    def changes_outside(self, nodes: Iterable) -> list:
        """Names of the leaves among `nodes` whose `.grad` the learner has changed since."""
        found = []
        for node in filter(keeps_grad, nodes):
            key = self.subject.ids[node]
            old, now = self.state["grads"].get(key), self.grad(node)
            if old and (old["object"], old["value"]) != (now["object"], now["value"]):
                found.append(f"{self.subject.names.of(node)}.grad")
        return found


def strides(grad: Any, leaf: Any) -> dict:
    """Strides of a `.grad` and of its leaf; nothing where the leaf lies row by row."""
    if leaf is None or leaf.is_contiguous():
        return {}
    return {"strides": {"own": list(grad.stride()), "leaf": list(leaf.stride())}}


def changes(hooks: Any) -> bool:
    """Whether a node has hooks that could change a gradient; keeping it changes nothing."""
    return hooks is not None and bool(
        hooks.tensor or hooks.pre or hooks.post or hooks.post_accumulate)
