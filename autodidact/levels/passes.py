"""Backward passes and transforms: many gradients in one pass, and a pass inside vmap."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from autodidact.autograd import engine
from autodidact.autograd.backward import (
    PASSES,
    as_sequence,
    captured_by,
    root_gradient,
    run,
    start,
)
from autodidact.autograd.grad_mode import mode
from autodidact.autograd.graph import GradientEdge, edge, metadata_of, requires_grad
from autodidact.levels.level import VMAP, Level, below, lift, lower, of_level
from autodidact.ops import view
from autodidact.tensor_base import BATCHED, TensorBase

__all__ = ["batched_start", "pull"]


def pull(outputs: list, grads: list, inputs: list, *, keep_graph: bool, create_graph: bool) -> list:
    """One backward pass whose formulas are read on Tensors; None where nothing arrives.

    Outside a level, on a graph of that level, formulas work one level down: whatever the modes of
    the caller say is recorded there.

    Args:
        outputs: tensors; those without history are left out.
        grads: what arrives at each.
        inputs: tensors that require grad, at the level of the outputs.
        keep_graph: keep what the nodes saved.
        create_graph: record the pass.
    """
    roots = [
        (*edge(o), g)
        for o, g in zip(outputs, grads, strict=True)
        if requires_grad(o) and edge(o)[0] is not None
    ]
    if not roots:
        return [None] * len(inputs)
    task = engine.task_class(
        roots,
        keep_graph=keep_graph,
        create_graph=create_graph,
        inputs=[edge(x) for x in inputs],
        accumulate=False,
        tensors=True,
    )
    run(task)
    return task.captured_vars


def batched_pass(
    outputs: Sequence, inputs: Sequence, grad_outputs: Any, keep_graph: bool, create_graph: bool
) -> list:
    """`is_grads_batched=True`: every gradient is many, along its first dimension; one pass."""
    with batch(outputs, grad_outputs) as (level, lifted):
        found = captured_by(outputs, inputs, lifted, keep_graph, create_graph)
        return [f if f is None else laned(f, level) for f in found]


def batched_start(outputs: Any, inputs: Any, grad_outputs: Any, keep_graph: bool | None,
                  create_graph: bool, task_class: Any) -> Any:
    """The task of such a pass, ready to be run node by node; its `lanes` is the level it runs on.

    Args:
        outputs, inputs, grad_outputs, keep_graph, create_graph: as for `batched_pass`, a tensor
            standing for a sequence of one.
        task_class: makes the task; a class that enters the level whenever it runs.
    """
    outputs = as_sequence(outputs, "outputs")
    with batch(outputs, grad_outputs) as (_, lifted):
        return start(outputs, lifted, keep_graph, create_graph, inputs, task_class, False)


@contextmanager
def batch(outputs: Sequence, grad_outputs: Any) -> Iterator[tuple[Level, list]]:
    """Inside, every gradient is one tensor with lanes: (the level, the lifted gradients)."""
    grads = list(as_sequence(() if grad_outputs is None else grad_outputs, "grad_outputs"))
    if not grads or any(g is None for g in grads):
        for i, (o, g) in enumerate(zip(outputs, grads or [None] * len(outputs), strict=False)):
            root_gradient(o, g, i) if g is None else None     # refused for more than one number
        raise ValueError(
            "vmap: every gradient of a batch must be a tensor: None has no dimension "
            "for the given in_dim 0"
        )
    size = count_of(outputs, grads)
    with Level(VMAP, size, internal=True) as level:
        yield level, [lift(g, level, True) for g in grads]


def count_of(outputs: Sequence, grads: list) -> int:
    """How many gradients there are; refuses shapes that do not fit."""
    for output, g in zip(outputs, grads, strict=False):
        shape = metadata_of(output)[0] if isinstance(output, GradientEdge) else output._array.shape
        have = g._array.shape
        if len(have) == 0 or have[1:] != shape:
            raise RuntimeError(
                "If `is_grads_batched=True`, we interpret the first dimension of each "
                "grad_output as the batch dimension (vmap runs over it). The sizes of "
                "the remaining dimensions are expected to match the shape of the "
                f"corresponding output, but a mismatch was detected: grad_output has "
                f"shape {list(have)} and output has shape {list(shape)}."
            )
    sizes = {g._array.shape[0] for g in grads}
    if len(sizes) > 1:
        raise ValueError(
            "vmap: Expected all tensors to have the same size in the mapped dimension, "
            f"got sizes {[g._array.shape[0] for g in grads]} for the mapped dimension"
        )
    return sizes.pop()


def laned(t: TensorBase, level: Level) -> TensorBase:
    """A result with its lanes as first dimension: one value repeated where it has none."""
    if of_level(t, level):
        return t._array.value
    with below(level):
        return view.expand.call(view.unsqueeze.call(t, 0), (level.size, *t._array.shape))


def lanes_pass(
    outputs: Sequence, inputs: Sequence, grad_outputs: Any, keep_graph: bool, create_graph: bool
) -> list:
    """`autograd.grad` inside vmap: history and gradients live one level down, lanes and all."""
    level = next(t._level for t in outputs if isinstance(t, TensorBase) and t._flags & BATCHED)
    if level is not mode.stack[-1]:
        return captured_by(outputs, inputs, grad_outputs, keep_graph, create_graph)
    given = (
        [None] * len(outputs)
        if grad_outputs is None
        else list(as_sequence(grad_outputs, "grad_outputs"))
    )
    firsts = [root_gradient(o, g, i) for i, (o, g) in enumerate(zip(outputs, given, strict=True))]
    with below(level):
        low = [lower(o, level) for o in outputs]
        grads = [with_lanes_of(o, g, level) for o, g in zip(outputs, firsts, strict=True)]
        found = captured_by(low, [lower(x, level) for x in inputs], grads, keep_graph, create_graph)
        found = [f if f is None or isinstance(f, TensorBase) else TensorBase.wrap(f) for f in found]
    return [
        f if f is None or not of_level(x, level) else lift(f, level, bool(x._flags & BATCHED))
        for f, x in zip(found, inputs, strict=True)
    ]


def with_lanes_of(output: TensorBase, g: TensorBase, level: Level) -> TensorBase:
    """A gradient with lanes where the output has some."""
    if of_level(g, level):
        return g._array.value
    if not of_level(output, level):
        return g
    return view.expand.call(view.unsqueeze.call(g, 0), (level.size, *g._array.shape))


PASSES["batched"], PASSES["lanes"] = batched_pass, lanes_pass
