"""What the learner's own code may have changed of a graph while its pass stands still.

Between two steps anything can happen: a tensor is written to, a `.grad` set, a hook added, another
pass run. All of it counts up `CHANGES`; so a step looks at the whole graph again only where that
has moved by more than the step itself moves it.
"""

from typing import Any

from autodidact.tensor_base import CHANGES, FRESH, TensorBase, version
from autodidact.trace.subject import is_leaf

__all__ = ["Objects", "Outside"]


class Outside:
    """Which nodes a step has to look at.

    Args:
        task: the pass.
        subject: its graph.
    """

    def __init__(self, task: Any, subject: Any) -> None:
        self.task, self.subject = task, subject
        self.seen, self.tied = CHANGES[0], self.grad_is_saved()
        self.counted, self.clean, self.wrote = 0, False, None    # of the last step: see `excuse`
        self.own = {id(node.variable) for node in subject.order if is_leaf(node)}
        self.saved = {mark for node in subject.entries for item in node.saved or ()
                      if isinstance(item, TensorBase) for mark in marks_of(item)}

    def before(self, node: Any) -> list:
        """`node` is about to run: the nodes that may be other than at the last look."""
        self.changed = self.tied or CHANGES[0] != self.seen
        self.seen = CHANGES[0]
        self.grad = self.task.grad_of(node) if is_leaf(node) else None
        self.version = None if self.grad is None else version(self.grad)
        return self.subject.order if self.changed else [node]

    def after(self, node: Any) -> list:
        """`node` has run: the same, together with what the step may have changed.

        The step itself is one pass, and may write into the `.grad` that was there. If more has
        been counted, user code has run in it: a hook, a custom backward.
        """
        own = 1
        if self.grad is not None and self.task.grad_of(node) is self.grad:
            own += version(self.grad) - self.version
        self.counted, self.wrote = CHANGES[0] - self.seen, node.variable if is_leaf(node) else None
        self.clean = self.counted <= own
        changed = self.changed or not self.clean
        self.seen = CHANGES[0]
        if changed:
            self.tied = self.grad_is_saved()
        return self.subject.order if changed else [node]

    def excuse(self, other: "Outside") -> None:
        """Another pass has taken a step beside this one, in lock step.

        What that has counted is no change of this graph: unless user code has run in it, or it has
        written a `.grad` that this graph knows.
        """
        leaf = other.wrote
        grad = getattr(leaf, "_grad", None)
        known = leaf is not None and (id(leaf) in self.own or (
            grad is not None and not self.saved.isdisjoint(marks_of(grad))))
        if other.clean and not known:
            self.seen += other.counted

    def grad_is_saved(self) -> bool:
        """Whether a node has saved some leaf's `.grad`: accumulating would make it stale."""
        grads = [self.task.grad_of(node) for node in self.subject.order if is_leaf(node)]
        marks = {mark for grad in grads if grad is not None for mark in marks_of(grad)}
        return bool(marks) and any(
            mark in marks for node in self.subject.entries for item in node.saved or ()
            if isinstance(item, TensorBase) for mark in marks_of(item))


def marks_of(tensor: Any) -> tuple:
    """What a tensor is known by, and what it shares with its views."""
    cell = tensor._version_cell
    return (id(tensor),) if cell is None or cell is FRESH else (id(tensor), id(cell))


class Objects:
    """The `.grad` tensors seen so far, numbered: "g0" is the first."""

    def __init__(self, tensors: Any = ()) -> None:
        self.tensors = list(tensors)
        self.numbers = {id(tensor): i for i, tensor in enumerate(self.tensors)}

    def key(self, tensor: Any) -> str:
        """The tensor's key; a new one where it has not been seen."""
        number = self.numbers.setdefault(id(tensor), len(self.tensors))
        if number == len(self.tensors):
            self.tensors.append(tensor)
        return f"g{number}"

    def copy(self, others: dict) -> "Objects":
        """The same numbers; `others`, key -> tensor, in place of some."""
        return Objects(others.get(f"g{i}", tensor) for i, tensor in enumerate(self.tensors))
