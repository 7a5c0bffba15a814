"""Under create_graph: the second graph of a pass of PyTorch's, and where it is cut.

Nobody says when PyTorch makes a node. But every gradient that a node sends knows its `grad_fn`:
what lies below that, and was not known before, this node's backward has made. So which nodes there
are and who made them is seen; what their operands were beside other nodes, and values that are not
sent anywhere, are not visible here.
"""

from typing import Any

from autodidact.trace.second import ordinal
from autodidact.trace.torch_bridge.library import is_tensor, summary, torch

__all__ = ["TorchGrowth", "is_once", "links_of"]

REFUSES = "Error"           # the end of the name of a node that refuses a second pass
HIDDEN = "…"                # an operand that is not visible


class TorchGrowth:
    """The second graph of one pass; the same methods as `trace.second.Growth`.

    Args:
        create_graph: whether the pass makes one at all.
        graph: the first graph.
    """

    def __init__(self, create_graph: bool, graph: Any) -> None:
        self.on, self.graph = create_graph, graph
        self.keys: dict[Any, int] = {}
        self.made: list[tuple] = []

    def know(self, subject: Any) -> None:
        """Names are asked of the subject when they are needed."""

    def note(self, results: Any) -> None:
        """A node has sent these: number what has been made for them, in the order of making."""
        if not self.on:
            return
        values = {grad.grad_fn: grad for grad in results if is_tensor(grad)}
        found, stack = set(), list(values)
        while stack:
            function = stack.pop()
            if function is None or function in found or function in self.keys or (
                    function in self.graph.nodes or hasattr(function, "variable")):
                continue
            found.add(function)
            stack += [each for each, _ in function.next_functions]
        for function in sorted(found, key=lambda each: each._sequence_nr()):
            self.keys[function] = len(self.keys) + 1
            self.made.append((function, summary(values.get(function))))

    def take(self, subject: Any, ran: Any) -> dict:
        """The nodes made by `ran`, for the record: key -> what is known of it."""
        if self.on and hasattr(ran, "variable"):
            self.note([subject.task.grad_of(ran)])     # a leaf stores a copy, or a sum
        made, self.made, out = self.made, [], {}
        for function, value in made:
            number = self.keys[function]
            to = [self.place(subject, each) for each, _ in function.next_functions]
            out[f"b{number}"] = {
                "number": number, "name": function.name().rpartition("::")[2],
                "text": f"{ordinal(number)} = {self.text(subject, function)}",
                "by": subject.ids[ran], "value": value, "to": [key for key in to if key]}
        return out

    def text(self, subject: Any, function: Any) -> str:
        """A node as program text, as far as it is visible: `mul(①, x)`."""
        name = function.name().rpartition("::")[2]
        if name.endswith(REFUSES):
            return "once_differentiable"
        words = [self.word(subject, each) for each, _ in function.next_functions]
        return f"{name.partition('Backward')[0].lower()}({', '.join(words)})"

    def word(self, subject: Any, function: Any) -> str:
        """What an operand is called: its number, or what the first graph calls it."""
        if function in self.keys:
            return ordinal(self.keys[function])
        node = self.graph.nodes.get(function)
        return (subject.names.of(node) if node is not None else None) or HIDDEN

    def place(self, subject: Any, function: Any) -> str | None:
        """The key of a node in either graph."""
        if function in self.keys:
            return f"b{self.keys[function]}"
        return subject.ids.get(self.graph.nodes.get(function))


def links_of(node: Any, results: Any) -> list:
    """Of each gradient that a custom Function sends: how it is linked; see `cuts.links`."""
    found: list[str | None] = []
    for grad in results:
        if not is_tensor(grad):
            found.append(None)
        elif not grad.requires_grad:
            found.append("plain")
        else:
            refuses = grad.grad_fn is not None and grad.grad_fn.name().endswith(REFUSES)
            found.append("error" if refuses else "graph")
    return found


def is_once(node: Any) -> bool:
    """Whether the backward of a custom Function is marked `once_differentiable`."""
    backward = getattr(getattr(node.function, "_forward_cls", None), "backward", None)
    marked = torch().autograd.function.once_differentiable(lambda ctx: None)
    return getattr(backward, "__code__", None) is marked.__code__
