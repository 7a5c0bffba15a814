"""What `Function.apply` does after forward: outputs get their history, what was offered is saved.

An output may be new, an input returned as it came, an input written to (`mark_dirty`), or without
gradient; each has its own rule, in the order of PyTorch's.
"""

import warnings
from typing import Any

import numpy as np

from autodidact.autograd import graph, saved_tensors
from autodidact.autograd.grad_mode import no_grad
from autodidact.autograd.views import CUSTOM, DEFAULT, MULTI, rebase_history, refuse
from autodidact.tensor_base import VIEW, TensorBase, count_write

__all__ = ["record"]


def record(ctx: Any, args: tuple, outputs: tuple, recorded: bool, separate: bool) -> tuple:
    """Give the outputs their history, and keep what was asked to be saved.

    Args:
        ctx: the node.
        args: what the Function was applied to.
        outputs: what it returned.
        recorded: whether there is a graph to be in.
        separate: whether the Function has a `setup_context`.
    """
    tensors = [a for a in args if isinstance(a, TensorBase)]
    check_dirty(ctx, tensors, outputs)
    if separate:
        check_saved(ctx, tensors, outputs)
    ctx.outputs = tuple((o._array.shape, o._array.dtype) if isinstance(o, TensorBase) else None
                        for o in outputs)
    first = next((m for m in ctx.outputs if m is not None), ((), np.dtype(np.float32)))
    ctx.shape, ctx.dtype = first
    ctx.non_diff_outputs = {i for i, o in enumerate(outputs) if isinstance(o, TensorBase) and (
        any(o is t for t in ctx.non_differentiable) or o._array.dtype.kind not in "fc")}
    results, done = [], {}
    for number, o in enumerate(outputs):
        if isinstance(o, TensorBase):
            if id(o) in done and number not in ctx.non_diff_outputs:
                again = results[done[id(o)]]         # returned twice: the last place counts
                again.output_nr = number if recorded else 0
                results.append(again)
                continue
            done[id(o)] = number
            o = with_history(ctx, tensors, o, number, recorded)
        results.append(o)
    mark_creation(ctx, tensors, outputs, results, recorded)
    keep(ctx, outputs, results, recorded)
    ctx.dirty_tensors = ctx.non_differentiable = ctx.to_save = ()     # the node keeps no output
    return tuple(results)


def with_history(ctx: Any, tensors: list, o: TensorBase, number: int, recorded: bool) -> TensorBase:
    """One output: dirty, returned as it came, without gradient, or plainly new."""
    is_input = any(o is t for t in tensors)
    dirty = any(o is t for t in ctx.dirty_tensors)
    if dirty:
        count_write(o)
    if not recorded or number in ctx.non_diff_outputs:
        if not graph.requires_grad(o):
            if is_input and not dirty:
                with no_grad():
                    return o.view_as(o)
            return o
        if is_input:
            return o.detach()
        return o if o._flags & VIEW else o.detach_()
    if dirty:
        check_leaf(ctx, o)
        rebase_history(o, ctx)
        o.output_nr = o.output_nr if o._flags & VIEW else number
        return o
    if is_input:
        with no_grad():
            o = o.view_as(o)
    o._grad_fn, o.output_nr, o._requires_grad = ctx, number, True
    if o._flags & VIEW:
        o._view.attr_version = o._version_cell[0]
    return o


def check_dirty(ctx: Any, tensors: list, outputs: tuple) -> None:
    """mark_dirty names inputs, and they must be returned."""
    for t in ctx.dirty_tensors:
        if not any(t is x for x in tensors):
            warnings.warn("Tensor arguments passed to mark_dirty() that are not inputs of the "
                          "Function have no effect", UserWarning, stacklevel=4)
        elif not any(t is o for o in outputs):
            raise RuntimeError("Some elements marked as dirty during the forward method were not "
                               "returned as output. The inputs that are modified inplace must all "
                               "be outputs of the Function.")


def check_saved(ctx: Any, tensors: list, outputs: tuple) -> None:
    """An input that comes back is exchanged for a view, so what was saved is not the output."""
    for o in outputs:
        if (any(o is t for t in tensors) and not any(o is t for t in ctx.dirty_tensors)
                and any(o is t for t in (*ctx.to_save, *ctx.saved_for_forward))):
            raise RuntimeError("An input that has been returned as-is as output is being saved for "
                               "backward. This is not supported if you override setup_context. "
                               "You should return and save a view of the input instead, e.g. with "
                               "x.view_as(x) or setup ctx inside the forward function itself.")


def check_leaf(ctx: Any, o: TensorBase) -> None:
    """What may not be changed in place inside a Function."""
    if o._grad_fn is None and graph.requires_grad(o):
        raise RuntimeError("a leaf Variable that requires grad has been used in an in-place "
                           "operation.")
    if o._flags & VIEW:
        base = o._view.base
        if o._view.creation != DEFAULT:
            refuse(o, o._view.creation, "is being")
        if base._grad_fn is None and graph.requires_grad(o):
            raise RuntimeError("a view of a leaf Variable that requires grad is being used in an "
                               "in-place operation.")
        if sum(m is not None for m in ctx.outputs) > 1:
            raise RuntimeError("If your Function modifies inplace an input that is a view of "
                               "another Tensor, your Function cannot return more than one Tensor. "
                               "Clone the input before modifying it.")


def mark_creation(ctx: Any, tensors: list, outputs: tuple, results: list, recorded: bool) -> None:
    """Views that a Function returns refuse recorded in-place writes."""
    different = [r for i, r in enumerate(results) if recorded
                 and isinstance(r, TensorBase) and i not in ctx.non_diff_outputs]
    for r in results:
        if not isinstance(r, TensorBase) or not r._flags & VIEW:
            continue
        if any(r is t for t in ctx.dirty_tensors):
            continue
        r._view.creation = MULTI if len(different) > 1 else CUSTOM


def keep(ctx: Any, outputs: tuple, results: list, recorded: bool) -> None:
    """What save_for_backward was given becomes the node's saved tensors."""
    kept = []
    for i, t in enumerate(ctx.to_save):
        if t is not None and not isinstance(t, TensorBase):
            raise TypeError(f"save_for_backward can only save variables, but argument {i} is of "
                            f"type {type(t).__name__}")
        if not recorded:
            continue
        place = next((k for k, o in enumerate(outputs) if o is t and t is not None), None)
        if place is None or place in ctx.non_diff_outputs:
            kept.append(saved_tensors.save(t))
        else:
            own = results[place]._grad_fn is ctx
            kept.append(saved_tensors.save(results[place], is_output=own))
    ctx.saved = tuple(item for item, _ in kept)
    ctx.versions = tuple(version for _, version in kept)
