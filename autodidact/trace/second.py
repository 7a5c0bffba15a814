"""Under create_graph a pass makes a graph of its own: which node's backward made which new node.

While the recorder runs a node, every operation that is recorded becomes a "made" node: numbered in
the order of making, told as a short piece of program with those numbers (`② = ① * 3`), and linked
to the node whose backward made it. What nobody keeps is gone again, as in the graph itself: made
nodes are known weakly.
"""

import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from autodidact.autograd.grad_mode import mode
from autodidact.autograd.graph import Node
from autodidact.tensor_base import TensorBase
from autodidact.trace.measure import measure
from autodidact.trace.plain import shape_text, who
from autodidact.trace.summary import number

__all__ = ["Growth", "Maker", "called_before", "maker_of", "ordinal"]

SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "pow": "**", "matmul": "@", "mm": "@"}
LONGEST = 24           # characters of an operand or of one more argument

makers: "weakref.WeakKeyDictionary[Node, Maker]" = weakref.WeakKeyDictionary()
called: "weakref.WeakKeyDictionary[Node, str]" = weakref.WeakKeyDictionary()


class Maker:
    """What is known of a node that a backward pass has made.

    Attributes:
        by: what sentences call the node whose backward made it.
        root: the pass that it belongs to; None where its output has no name.
        text: the operation: "② = ① * 3".
        name: its number, ②.
        value: SUMMARY of its result.
    """

    __slots__ = ("by", "name", "root", "text", "value")

    def __init__(self, by: str, root: str | None, text: str, value: dict | None) -> None:
        self.by, self.root, self.text, self.value = by, root, text, value
        self.name = text.partition(" ")[0]


def maker_of(node: Node) -> Maker | None:
    """What is known of a node that a recorded pass has made; None for other nodes."""
    return makers.get(node)


def called_before(node: Node) -> str | None:
    """What a pass with create_graph has called a node of its graph."""
    return called.get(node)


def ordinal(k: int) -> str:
    """The number of a made node: ① to ⑳, then (21), (22)."""
    return chr(0x2460 + k - 1) if k <= 20 else f"({k})"


class Growth:
    """The second graph of one pass.

    Args:
        create_graph: whether the pass makes one at all.

    Attributes:
        made: what has been made since the last `take`, as (weak node, text, summary).
    """

    def __init__(self, create_graph: bool) -> None:
        self.on, self.made = create_graph, []
        self.keys: weakref.WeakKeyDictionary[Node, int] = weakref.WeakKeyDictionary()
        self.names: dict[Node | None, str] = {}   # of the pass's own nodes
        self.leaves: dict[int, str] = {}          # of their tensors, by identity
        self.count = 0
        self.subject: Any = lambda: None

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Note every node that is made inside."""
        if not self.on:
            yield
            return
        before = mode.watch

        def watch(op: Any, tensors: tuple, args: tuple, results: tuple, node: Any) -> None:
            if node is not None and node not in self.keys:
                self.note(op, tensors, args, results, node)
            if before is not None:
                before(op, tensors, args, results, node)

        mode.set(watch=watch)
        try:
            yield
        finally:
            mode.set(watch=before)

    def note(self, op: Any, tensors: tuple, args: tuple, results: tuple, node: Node) -> None:
        """One node: its number, its text, its value."""
        self.count += 1
        self.keys[node] = self.count
        text = f"{ordinal(self.count)} = {self.operation(op, tensors, args)}"
        value = measure(results[0]._array) if hasattr(results[0], "_array") else None
        self.made.append((weakref.ref(node), text, value))

    def refused(self, results: Any) -> None:
        """A node that refuses a second pass comes from no operation: noted when sent."""
        for grad in results:
            node = getattr(grad, "_grad_fn", None)
            if node is not None and node not in self.keys and node.name().endswith("::Error"):
                self.count += 1
                self.keys[node] = self.count
                text = f"{ordinal(self.count)} = once_differentiable"
                self.made.append((weakref.ref(node), text, measure(grad._array)))

    def operation(self, op: Any, tensors: tuple, args: tuple, first: Any = None) -> str:
        """An operation as program text: `① * 3`, `exp(x)`; `first` may know an operand better."""
        name = str(getattr(op, "name", getattr(op, "__name__", "?"))).removesuffix("_number")
        words = [(first and first(each)) or self.operand(each) for each in (*tensors, *args)]
        if name in SIGNS and len(words) == 2:
            return f"{words[0]} {SIGNS[name]} {words[1]}"
        return f"-{words[0]}" if name == "neg" else f"{name}({', '.join(words)})"

    def operand(self, given: Any) -> str:
        """What an operand is called: its number, the learner's name, or its value."""
        if isinstance(given, TensorBase):
            fn = given._grad_fn
            if fn is not None and fn in self.keys:
                return ordinal(self.keys[fn])
            known = self.names.get(fn) or self.leaves.get(id(given))
            given = known or given._array
        if isinstance(given, str):
            return given
        if getattr(given, "shape", None):
            return shape_text(given.shape)
        text = number(given.item()) if hasattr(given, "item") else str(given)
        return text if len(text) <= LONGEST else text[:LONGEST - 1] + "…"

    # ---- for the recorder ----------------------------------------------------------------------

    def know(self, subject: Any) -> None:
        """Learn what the pass's own nodes are called."""
        self.subject = weakref.ref(subject)            # which knows the task, and that knows this
        if self.on:
            self.learn()

    def learn(self) -> None:
        """Look the names up."""
        subject = self.subject()
        if subject is not None and not self.names:
            names = {node["id"]: who(node) for node in subject.head["nodes"]}
            self.names = {node: names[subject.ids[node]] for node in subject.order}
            called.update({node: name for node in subject.order
                           if (name := subject.names.of(node)) is not None})
            self.leaves = {id(node.variable): name for node, name in self.names.items()
                           if hasattr(node, "variable")}

    def fork(self) -> "Growth":
        """The same for a copy of the pass: what it makes is its own."""
        other = Growth(self.on)
        other.keys.update(self.keys)
        other.names, other.leaves, other.count = self.names, self.leaves, self.count
        other.subject = self.subject
        return other

    def take(self, subject: Any, ran: Node) -> dict:
        """The nodes made by `ran`, for the record: key -> what is known of it."""
        made, self.made, out = self.made, [], {}
        alive = [(ref(), text, value) for ref, text, value in made]
        for node, text, value in alive:
            if node is None:
                continue
            makers[node] = Maker(self.names[ran], subject.head["root"], text, value)
            to = [self.place(subject, consumer) for consumer in node.next if consumer is not None]
            out[f"b{self.keys[node]}"] = {
                "number": self.keys[node], "name": node.name().rpartition("::")[2], "text": text,
                "by": subject.ids[ran], "value": value, "to": [key for key in to if key]}
        return out

    def place(self, subject: Any, node: Node) -> str | None:
        """The key of a node in either graph."""
        return f"b{self.keys[node]}" if node in self.keys else subject.ids.get(node)
