"""record() and counting(): a pass run to its end under observation."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from autodidact.autograd import engine
from autodidact.tensor_base import TensorBase
from autodidact.trace.names import variables
from autodidact.trace.record import Record
from autodidact.trace.recorder import Recorder

__all__ = ["counting", "record"]


def record(loss: Any, *, gradient: Any = None, retain_graph: bool | None = None,
           create_graph: bool = False, inputs: Any = None,
           names: dict[str, TensorBase] | None = None, accumulate: bool = True,
           is_grads_batched: bool = False) -> Record:
    """Run the backward pass of `loss` to its end, or to its error, and return what happened.

    Args:
        loss: the tensor to go back from.
        gradient, retain_graph, create_graph, inputs: as for `Tensor.backward`.
        names: name -> tensor; the caller's variables are looked up besides.
        accumulate: False records the pass of `autograd.grad(loss, inputs)` instead: what comes to
            `inputs` would be returned, and no `.grad` is written.
        is_grads_batched: the pass of `autograd.grad(loss, inputs, gradient, is_grads_batched=True)`
            instead: `gradient` holds many along its first dimension, and each node runs once.

    Returns:
        The record. An exception inside the pass ends it and is in its last state, not raised.

    Raises:
        RuntimeError, TypeError: when the pass cannot begin, as `backward` raises.

    Example:
        >>> x = torch.tensor(3., requires_grad=True)
        >>> trace.record(x * x).as_reference()["final"]["grad"]
        {'x': [6.0]}
    """
    recorder = Recorder(loss, gradient=gradient, retain_graph=retain_graph,
                        create_graph=create_graph, inputs=inputs, names=names,
                        found=variables(sys._getframe(1)), accumulate=accumulate,
                        is_grads_batched=is_grads_batched)
    recorder.run()
    return recorder.record


class CountingTask(engine.GraphTask):
    """A task that counts the nodes it runs: the least an observer can do."""

    nodes = 0

    def apply(self, node: Any, grads: list) -> Any:
        CountingTask.nodes += 1
        return super().apply(node, grads)


@contextmanager
def counting() -> Iterator[type]:
    """Watch every node of the passes inside; yields the class whose `nodes` counts them."""
    before, engine.task_class = engine.task_class, CountingTask
    CountingTask.nodes = 0
    try:
        yield CountingTask
    finally:
        engine.task_class = before
