"""The second pass of a stepper: back from a gradient, through the graph that the first pass made.

It runs on a copy that begins without any `.grad`, so that what it gives is the second derivative
alone; the first pass and the learner's tensors stay as they are.
"""

import weakref
from typing import Any

import numpy as np

from autodidact.autograd.graph import Node
from autodidact.tensor_base import TensorBase
from autodidact.trace.messages import say
from autodidact.trace.names import Names
from autodidact.trace.plain import who
from autodidact.trace.recorder import Recorder
from autodidact.trace.second import maker_of
from autodidact.trace.subject import is_leaf
from autodidact.trace.tasks import CopyTask
from autodidact_widgets.copies import CopyDriver

__all__ = ["REQUESTS", "SecondDriver", "Seconds", "leaves_of", "second_pass"]

# What a view may ask for: type -> the other members with the test each must pass.
REQUESTS = {"second": {"leaf": lambda leaf: isinstance(leaf, str)}}


class SecondTask(CopyTask):
    """A copy that starts with empty leaves."""

    def grad_of(self, node: Node) -> TensorBase | None:
        """What this pass alone has given a leaf."""
        return self.grads.get(node)


def leaves_of(recorder: Any) -> dict:
    """id -> weak reference to the tensor, of every leaf of a pass; {} once it is over."""
    subject = getattr(recorder, "subject", None)
    if not hasattr(subject, "order"):
        return getattr(recorder, "leaves", {})
    return {subject.ids[node]: weakref.ref(node.variable) for node in subject.order
            if is_leaf(node) and isinstance(getattr(node, "variable", None), TensorBase)}


def root_of(grad: TensorBase | None) -> tuple | None:
    """(node, slot) that a leaf's `.grad` came from: before the copy that the leaf made of it."""
    node, slot = (None, 0) if grad is None else (grad._grad_fn, grad.output_nr)
    if node is not None and node.name() == "CloneBackward0" and maker_of(node):
        node, slot = node.next[0], node.nrs[0]
    return None if node is None or is_leaf(node) else (node, slot)


class SecondDriver(CopyDriver):
    """Runs the pass of a gradient for a widget.

    Args:
        original: the driver of the pass that has made the graph.
        grad: the leaf's `.grad`.
        name: what to call it.
    """

    mended = None

    def __init__(self, original: Any, grad: TensorBase, name: str) -> None:
        self.original = original
        node, slot = root_of(grad)
        shape, dtype = node.outputs[slot] if node.outputs else (node.shape, node.dtype)
        roots = [(node, slot, np.ones(shape, dtype))]
        self.recorder = Recorder.__new__(Recorder)
        self.recorder.attach(SecondTask(roots), Names(None, {}), roots, name,
                             None, None, False)
        self.head["second_of"] = original.record.head["root"] or say("title.output")
        self.record.layout()


class Seconds:
    """A widget's way from a pass to the pass of one of its gradients."""

    def _answer_second(self, content: dict) -> None:
        """Do what a view has asked for; `content` has been checked."""
        made = self._second_of(content["leaf"])
        if made is None:
            node = next((n for n in self._driver.head["nodes"] if n["id"] == content["leaf"]), None)
            args = {"who": who(node) if node else "-"}
            self._refuse([{"id": "refused.second", "args": args}])
        else:
            self.take(made)

    def _second_of(self, leaf: str) -> SecondDriver | None:
        """The pass of a leaf's gradient; None where that has no graph."""
        return second_pass(self._driver, leaf)


def second_pass(driver: Any, leaf: str) -> SecondDriver | None:
    """The pass of a leaf's gradient, by the leaf's name or id; None where that has no graph."""
    node = next((n for n in driver.record.head["nodes"] if leaf in (n["id"], who(n))), None)
    found = leaves_of(getattr(driver, "recorder", None)).get(node["id"]) if node else None
    grad = getattr(found() if found else None, "_grad", None)
    if node is None or not driver.done or root_of(grad) is None:
        return None
    return SecondDriver(driver, grad, f"{who(node)}.grad")
