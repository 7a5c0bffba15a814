"""A learner's own engine, stepped and recorded like the package's.

The learner's part is objects with three methods (`parents()`, `value()`, `rule(grad)`) and the
order in which they run; this file hands gradients on and sums them
where they meet, as every engine does. A wrong order is shown as what it is: a node that runs before
all of its gradients have arrived sends on a wrong number, and the record says which, and which
number was expected.
"""

import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from autodidact.trace import sentences
from autodidact.trace.happenings import event
from autodidact.trace.layered import on_top, settle, snapshot
from autodidact.trace.measure import measure
from autodidact.trace.names import local_variables
from autodidact.trace.own_graph import OwnGraph, close
from autodidact.trace.record import Record

__all__ = ["OwnEngine", "names_of", "own_engine"]


class OwnRuleError(ValueError):
    """A rule that does not give one gradient for each parent; `say` is the sentence for it."""

    say: dict


class OwnEngine:
    """One pass over a learner's graph, with the methods and fields of a `Recorder`.

    Args:
        root: the last object.
        order: the objects in the order of running, or a function that makes such a list from
            `root`; None: the right order.
        names: object id -> name.
        expected: name -> number that a leaf's gradient should end with.

    Raises:
        TypeError, ValueError: as `OwnGraph` says.
    """

    def __init__(self, root: Any, *, order: Any = None, names: dict[int, str] | None = None,
                 expected: dict[str, Any] | None = None) -> None:
        order = order(root) if callable(order) else order
        self.graph = OwnGraph(root, order, names or {})
        self.subject = SimpleNamespace(head=self.graph.head)      # what sentences.py asks for
        self.error: BaseException | None = None
        self.expected = expected or {}
        self.at, self.totals = 0, {id(root): np.ones_like(asked_value(root))[()]}
        self.answers: Any = None                   # of the next node's rule, asked for once
        self.state = self.first(root)
        self.record = Record(self.graph.head, [snapshot(self.state)])

    @property
    def done(self) -> bool:
        """Whether the pass is over, well or not."""
        return self.state["end"] is not None

    def step(self) -> list:
        """Run one object; the new states (one, or none when the pass is over)."""
        if self.done:
            return []
        node = self.graph.nodes[self.at]
        self.at += 1
        new = self.after(node)
        delta = settle(self.state, new)
        self.state = new
        self.record.states.append(delta)
        return [delta]

    def run(self) -> list:
        """Run what is left; all the new states."""
        before = len(self.record.states)
        while not self.done:
            self.step()
        return self.record.states[before:]

    # ---- states -------------------------------------------------------------------------------

    def first(self, root: Any) -> dict:
        """State 0: the root has received its 1."""
        nodes = self.graph.head["nodes"]
        key, one = self.graph.ids[id(root)], measure(self.totals[id(root)])
        none = {"value": None, "object": None, "new": False, "shares": None}
        state = {
            "step": 0, "ran": None, "next": None, "end": None,
            "status": {n["id"]: "waiting" for n in nodes},
            "received": {n["id"]: [[]] for n in nodes} | {key: [[{"edge": None, "value": one}]]},
            "total": {n["id"]: [None] for n in nodes} | {key: [one]},
            "saved": {}, "bytes": 0, "sent": {}, "predicted": {}, "events": [], "say": [],
            "grads": {n["id"]: dict(none) for n in nodes if n["kind"] == "leaf"},
            "error": None, "outside": [], "wrong": {}}
        self.look_ahead(state)
        state["say"] = sentences.start(self, state)
        return state

    def after(self, node: Any) -> dict:
        """The state after `node` has run (or failed to)."""
        before, key = self.state, self.graph.ids[id(node)]
        state = on_top(before) | {"step": before["step"] + 1, "ran": key, "next": None,
                                  "predicted": {}, "events": [], "say": [], "error": None}
        if isinstance(self.answers, Exception):
            return self.stopped(state, self.answers)
        state["status"][key] = "done"
        if not self.graph.parents[id(node)]:
            self.keep(state, key, self.totals.get(id(node)))
            state["events"].append(event("accumulate", key))
        elif not close(self.totals.get(id(node)), right := self.right_total(node)):
            self.mark(state, key, self.totals.get(id(node), zero(node)), right)
        self.hand_on(state, node)
        if self.at < self.graph.runs:
            self.look_ahead(state)
        else:
            state["end"] = "ok"
            self.compare(state)
        state["say"] = self.sentences(before, state, node)
        return state

    def stopped(self, state: dict, error: Exception) -> dict:
        """The state in which a rule raised."""
        self.error = error
        state["status"][state["ran"]], state["end"] = "failed", "error"
        state["error"] = sentences.failure(self, state, None)
        state["events"].append(event("error", state["ran"], args=sentences.error_args(error)))
        state["say"] = sentences.after(self, self.state, state)
        return state

    def hand_on(self, state: dict, node: Any) -> None:
        """Give each parent its gradient; sum where several meet."""
        for position, parent in enumerate(self.graph.parents[id(node)]):
            if parent is None:
                continue
            edge, to = self.graph.edges[id(node), position], self.graph.ids[id(parent)]
            grad, total = self.answers[position], self.totals.get(id(parent))
            total = self.totals[id(parent)] = grad if total is None else total + grad
            value, summed = measure(grad), measure(total)
            state["received"][to] = [[*state["received"][to][0], {"edge": edge, "value": value}]]
            state["total"][to], state["sent"][edge] = [summed], value
            state["events"].append(event("send", state["ran"], edge=edge))
            if state["status"][to] == "done" and to in state["grads"]:
                self.keep(state, to, total)
            elif state["status"][to] == "waiting" and len(
                    state["received"][to][0]) >= self.graph.expected[id(parent)]:
                state["status"][to] = "ready"

    def look_ahead(self, state: dict) -> None:
        """The next object, and what its rule sends: asked once, sent in the next step."""
        node = self.graph.nodes[self.at]
        state["next"] = key = self.graph.ids[id(node)]
        state["status"][key] = "next"
        self.answers = answers(node, self.totals.get(id(node)), self.graph)
        held: dict[int, Any] = {}
        for position, parent in enumerate(self.graph.parents[id(node)]):
            if parent is None or isinstance(self.answers, Exception):
                continue
            grad, total = self.answers[position], held.get(id(parent), self.totals.get(id(parent)))
            total = held[id(parent)] = grad if total is None else total + grad
            state["predicted"][self.graph.edges[id(node), position]] = {
                "value": measure(grad), "numbers": None, "then": measure(total)}

    def keep(self, state: dict, key: str, total: Any) -> None:
        """A leaf's gradient, as the learner's engine would keep it."""
        state["grads"][key] = {"value": measure(total), "object": None, "new": False,
                               "shares": None}

    # ---- what should have come out ------------------------------------------------------------

    def right_total(self, node: Any) -> Any:
        """What a node would have received in the right order.

        Where all has arrived from nodes that were right, that is what it has; else the pass is run
        again in the right order, once.
        """
        if not hasattr(self, "right"):
            places = {id(n): k for k, n in enumerate(self.graph.nodes[:self.graph.runs])}
            early = any(places.get(id(n), -1) > places.get(id(p), len(places))
                        for n in self.graph.nodes for p in self.graph.parents[id(n)]
                        if p is not None)
            self.right = self.play() if early or len(places) < len(self.graph.nodes) else None
        return self.totals.get(id(node)) if self.right is None else self.right.get(id(node))

    def play(self) -> dict | None:
        """Every gradient in the right order; None where a rule fails."""
        totals = {id(self.graph.right[0]): self.totals[id(self.graph.right[0])]}
        for node in self.graph.right:
            given = answers(node, totals.get(id(node)), self.graph)
            if isinstance(given, Exception):
                return None
            for parent, grad in zip(self.graph.parents[id(node)], given, strict=True):
                if parent is not None:
                    total = totals.get(id(parent))
                    totals[id(parent)] = grad if total is None else total + grad
        return totals

    def compare(self, state: dict) -> None:
        """At the end: each leaf against the right order, and against what the caller expects."""
        for node in self.graph.nodes:
            if self.graph.parents[id(node)]:
                continue
            key, name = self.graph.ids[id(node)], self.graph.names[id(node)]
            self.keep(state, key, self.totals.get(id(node)))      # also one that was left out
            got, right = self.totals.get(id(node)), self.right_total(node)
            right = self.expected.get(name, right)
            if right is not None and not close(got, right):
                self.mark(state, key, got, right)

    def mark(self, state: dict, key: str, got: Any, expected: Any) -> None:
        """This number is wrong."""
        state["wrong"][key] = {"got": measure(got), "expected": measure(expected)}

    def sentences(self, before: dict, state: dict, node: Any) -> list:
        """What is said after a step; a wrong number before all else."""
        names, key, said = sentences.people(self), state["ran"], []
        mark = state["wrong"].get(key)
        if mark and state["grads"].get(key) is None:
            missing = self.graph.expected[id(node)] - len(state["received"][key][0])
            message = "step.own_early" if missing > 0 else "step.own_passed_on"
            said.append(sentences.sentence(
                message, who=names[key], count=missing, got=sentences.text_of(mark["got"]),
                expected=sentences.text_of(mark["expected"])))
        said += sentences.after(self, before, state)
        if not state["end"]:
            return said
        left_out = [names[n["id"]] for n in self.graph.head["nodes"][self.graph.runs:]]
        wrong = [[names[k], sentences.text_of(m["got"]), sentences.text_of(m["expected"])]
                 for k, m in state["wrong"].items() if k in state["grads"]]
        if left_out:
            said.append(sentences.sentence("step.own_left_out", what=left_out))
        if wrong:
            said.append(sentences.sentence("step.own_wrong", what=wrong))
        return said


def asked_value(node: Any) -> Any:
    """An object's number."""
    return node.value() if callable(node.value) else node.value


def zero(node: Any) -> Any:
    """The gradient of a node to which nothing was sent."""
    return np.zeros_like(asked_value(node))[()]


def answers(node: Any, grad: Any, graph: OwnGraph) -> Any:
    """What a node's rule sends for a gradient (zero where none has arrived); its error, if any."""
    count = len(graph.parents[id(node)])
    if not count:
        return ()
    try:
        given = node.rule(zero(node) if grad is None else grad)
        given = tuple(given) if isinstance(given, (tuple, list)) else (given,)
        if len(given) != count:
            error = OwnRuleError(f"rule() of {type(node).__name__} gave {len(given)} gradients for "
                                 f"{count} parents")
            name = graph.names.get(id(node)) or type(node).__name__
            error.say = sentences.sentence("error.count", who=name, got=len(given), expected=count)
            raise error
        for each in given:
            np.asarray(each, dtype=np.result_type(each, np.float64))
    except Exception as error:
        return error
    return given


def names_of(frame: Any) -> dict[int, str]:
    """id -> name of the caller's variables that look like nodes of a learner's engine."""
    spaces = (frame.f_globals, local_variables(frame))
    return {id(value): name for space in spaces for name, value in list(space.items())
            if not name.startswith("_") and callable(getattr(type(value), "rule", None))}


def own_engine(root: Any, *, order: list | Callable | None = None,
               names: dict[str, Any] | None = None,
               expected: dict[str, Any] | None = None) -> Record:
    """Run a backward pass over a learner's own graph to its end, and return what happened.

    The graph is made of objects of any class with three methods: `parents()`, the objects it was
    made from (plain numbers among them are passed over; `()` for a leaf); `value()`, its number or
    array; and `rule(grad)`, one gradient for each parent, in their order. `parents` and `value` may
    be attributes instead. Optional are the attributes `name` (else the caller's variables are
    looked up) and `op`, such as "*" or "tanh", from which the line `c = a * b` is put together.
    Nothing is written into the objects; `rule` is called once for each of them (and once more for
    each where the order is wrong, to say what the right number is).

    Args:
        root: the last object; the pass starts there with 1.
        order: the objects in the order of running, from root to leaves, as a list or as a function
            of `root`. Without it the right order is used. A node that runs too early sends on what
            has arrived until then; the record marks the number, says what was expected.
        names: name -> object.
        expected: name -> gradient that a leaf should end with; another number is marked.

    Returns:
        The record; `record.text()` tells its last state, `record.state(-1)["wrong"]` the marks.
        An exception in `rule` ends the pass and is in the last state, not raised.

    Raises:
        TypeError: an object without the three methods.
        ValueError: a circle; an order with a stranger, the same object twice, or nothing in it.

    Example:
        >>> class Value:
        ...     def __init__(self, number, parents=(), slopes=()):
        ...         self.number, self.made_from, self.slopes = number, parents, slopes
        ...     def parents(self):
        ...         return self.made_from
        ...     def value(self):
        ...         return self.number
        ...     def rule(self, grad):
        ...         return [grad * slope for slope in self.slopes]
        >>> p, q = Value(2.0), Value(3.0)
        >>> r = Value(6.0, (p, q), (3.0, 2.0))
        >>> trace.own_engine(r).as_reference()["final"]["grad"]
        {'q': [2.0], 'p': [3.0]}
    """
    found = names_of(sys._getframe(1)) | {id(each): name for name, each in (names or {}).items()}
    engine = OwnEngine(root, order=order, names=found, expected=expected)
    engine.run()
    return engine.record
