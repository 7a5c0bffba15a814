"""Which nodes of PyTorch's graph a step looks at for changes by the learner's own code."""

from typing import Any

__all__ = ["Window"]

WIDTH = 60        # nodes looked at in one step; a graph that is not larger is looked at as a whole


class Window:
    """A window that moves over the graph, so that a step costs the same however large that is.

    The node that runs and the next one are always looked at. What was changed elsewhere in a large
    graph is seen some steps later, when the window comes there, and always before it is used.

    Args:
        task: the pass.
        subject: its graph.
    """

    def __init__(self, task: Any, subject: Any) -> None:
        self.task, self.subject, self.start = task, subject, 0

    def before(self, node: Any) -> list:
        """`node` is about to run: the nodes to look at."""
        order = self.subject.order
        if len(order) <= WIDTH:
            self.nodes = order
        else:
            self.nodes = [node, *order[self.start:self.start + WIDTH]]
            self.start = (self.start + WIDTH) % len(order)
        return self.nodes

    def after(self, node: Any) -> list:
        """`node` has run: the same nodes, and the next one."""
        ready = self.task.ready
        return [*self.nodes, ready[0][2]] if ready else self.nodes
