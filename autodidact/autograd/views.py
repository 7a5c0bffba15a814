"""Views: tensors that look into another tensor's memory, and what a write through one does.

A view knows its `base` (never itself a view) and the `steps` that lead from the base to it. A write
through a view changes the base, so the base's history is rewired: its new node is `CopySlices`,
which passes the gradient of what was overwritten to the write, and of the rest to the old history.
The other views' grad_fn are then out of date: each is made anew when next read, see
`view_steps.py`.

    creation    how the view came about; all but DEFAULT refuse recorded in-place writes
    attr_version    the version at which the view's own grad_fn was right
"""

import weakref
from typing import Any

import numpy as np

from autodidact.arrays.foreign import made
from autodidact.arrays.strided import data_ptr, element_strides, restride
from autodidact.autograd import graph, saved_hooks, saved_tensors, view_steps
from autodidact.autograd.grad_mode import mode
from autodidact.autograd.saved_tensors import FREED, error_name
from autodidact.autograd.view_steps import Kept, ViewNode, joined, remade, replay, undo
from autodidact.tensor_base import INFERENCE, VIEW, TensorBase, memory

__all__ = ["CopySlices", "View", "make_view", "rebase_history"]

DEFAULT, CUSTOM, MULTI, NO_GRAD, INFERENCE_CREATION = range(5)

REASON = {
    CUSTOM: " This view was created inside a custom Function (or because an input was returned "
            "as-is) and the autograd logic to handle view+inplace would override the custom "
            "backward associated with the custom Function, leading to incorrect gradients. "
            "Clone the output of the Function instead.",
    MULTI: " This view is the output of a function that returns multiple views. Such functions do "
           "not allow the output views to be modified inplace. Replace the inplace operation by an "
           "out-of-place one.",
    NO_GRAD: " It, or the view it was made from, was created in no_grad mode. Make the view inside "
             "the recorded part, or write inside no_grad too.",
    INFERENCE_CREATION: " It, or the view it was made from, was created in inference mode. Clone "
                        "it outside inference mode first.",
}


class View:
    """What a view knows of its origin.

    Attributes:
        base: the tensor that is no view itself.
        root: the base's array when the view was made: an in-place `t_()` of the base replaces it.
        steps: linked (steps before, row, plain arguments, input shape), first step innermost.
        attr_version, creation: see the module's text.
    """

    __slots__ = ("attr_version", "base", "creation", "root", "steps")

    def __init__(self, base: TensorBase, root: Any, steps: tuple, attr_version: int,
                 creation: int) -> None:
        self.base, self.root, self.steps = base, root, steps
        self.attr_version, self.creation = attr_version, creation


def base_of(t: TensorBase) -> TensorBase:
    """The tensor whose memory `t` looks into; itself when it is no view."""
    return t._view.base if t._flags & VIEW else t


def make_view(x: TensorBase, array: np.ndarray, row: Any, args: tuple,
              creation: int | None = None, steps: tuple | None = None) -> TensorBase:
    """A tensor on `array`, a view of `x` by `row`; its history is the caller's business.

    Args:
        x: the tensor looked at.
        array: the view of its array.
        row: the view row.
        args: its plain arguments.
        creation: as in the module's text; None: by the mode.
        steps: the steps from the base, where they are not those of `x` and one more.
    """
    t = TensorBase.wrap(array)
    cell = t._version_cell = x._version_cell
    if cell is None:
        t._flags = x._flags & INFERENCE
        return t
    if creation is None:
        creation = (DEFAULT if mode.grad else INFERENCE_CREATION if mode.inference else NO_GRAD)
    if x._flags & VIEW:
        old = x._view
        base, root, before = old.base, old.root, old.steps
        if creation == DEFAULT or old.creation == INFERENCE_CREATION:
            creation = old.creation
    else:
        base, root, before = x, x._array, None
    if steps is None:
        steps = (before, row, args, x._array.shape)
    if mode.tracking:
        steps = Kept(steps)
    t._view = View(base, root, steps, cell[0], creation)
    t._flags = VIEW
    return t


# ---- the lazily remade grad_fn ----------------------------------------------------------------


def gradient_function(t: TensorBase) -> Any:
    """The grad_fn of a tensor; a view whose base was written to since gets a new one here."""
    if not t._flags & VIEW:
        return t._grad_fn
    v = t._view
    if t._grad_fn is None and not v.base._requires_grad:
        return None
    cell = t._version_cell
    if v.attr_version == cell[0]:
        return t._grad_fn
    if v.creation != DEFAULT:
        refuse(t, v.creation, "its base or another view of its base has been")
    node = remade(v.base, steps_of(t), t._array)
    if written_last(v.base) is t:
        node.sequence_nr = v.base._grad_fn.sequence_nr + 1
    old, old_nr = t._grad_fn, t.output_nr
    t._grad_fn, t.output_nr, t._requires_grad = node, 0, True
    v.attr_version = cell[0]
    move_hooks(t, old, old_nr, node)
    return node


for _module in (graph, saved_tensors, saved_hooks):
    _module.gradient_function = gradient_function


def settle(t: TensorBase) -> None:
    """Bring a view's own history up to date before a recorded operation uses it."""
    v = t._view
    if mode.grad and v.attr_version != t._version_cell[0]:
        gradient_function(t)


def refuse(t: TensorBase, creation: int, what: str, name: str | None = None) -> None:
    """Raise the reason why a view may not be written to while recording."""
    number = t.output_nr if name is None else 0
    fn = t._grad_fn
    if fn is not None:
        first = (f"Output {number} of {name or error_name(fn)} is a view and {what} modified "
                 "inplace.")
    elif creation == INFERENCE_CREATION:
        first = f"A view was created in inference mode and {what} modified inplace in normal mode."
    else:
        first = (f"A view was created in no_grad mode and {what} modified inplace with grad mode "
                 "enabled.")
    raise RuntimeError(first + REASON[creation])


def move_hooks(t: TensorBase, old: Any, old_nr: int, new: Any) -> None:
    """Hooks stay with the old value's node; a retain_grad entry follows the tensor."""
    t._hooks = None
    if old is not None and old._hooks is not None:
        entry = old._hooks.retain.get(old_nr)
        if entry is not None and entry() is t:
            del old._hooks.retain[old_nr]
            new.hooks().retain[0] = entry


# ---- writes ------------------------------------------------------------------------------------


def steps_of(t: TensorBase) -> tuple | None:
    """The steps from the base's present array to `t`.

    When an in-place view operation has given the base another array since, the old steps no longer
    start from it; one strided step, computed from pointers, takes their place.
    """
    v = t._view
    if v.base._array is v.root:
        return v.steps
    base, array = memory(v.base), t._array
    item = array.itemsize
    args = (array.shape, element_strides(array), (data_ptr(array) - data_ptr(base)) // item,
            element_strides(base))
    return (None, view_steps.STRIDED, args, base.shape)


class CopySlices(ViewNode):
    """The base's history after a write through a view.

    Its first edge goes to the base's old history, the others are those of the writing node `fn`;
    `view` is (a weak reference to the view that was written to, the version after the write), where
    that view's own grad_fn need not be made at once.
    """

    __slots__ = ("fn", "own", "strides", "view")

    def __init__(self, base: TensorBase, steps: tuple | None, fn: graph.Node) -> None:
        node, number = graph.edge(base)
        # A row without a formula for `self` has no edge there: the old numbers get nothing.
        self.own = int(fn.op is None or fn.op.differentiable(0))
        self.next, self.nrs = (node, *fn.next[self.own:]), (number, *fn.nrs[self.own:])
        self.steps, self.fn, self.view = steps, fn, None
        array = memory(base)
        self.strides = None if array.flags.c_contiguous else array.strides
        self.start(base._array.shape, base._array.dtype)
        self.saved = (fn,)                      # not empty: there is something to let go of

    def name(self) -> str:
        """PyTorch's name, with its C++ namespace."""
        return "torch::autograd::CopySlices"

    def apply(self, grads: list, tensors: bool = False) -> tuple:
        """Split the base's gradient: the written part to `fn`, the rest to the old history."""
        grad = grads[0]
        if self.fn is None:
            raise RuntimeError(FREED)
        if grad is None:
            return (None,) * len(self.next)
        if tensors and (mode.stack or mode.duals):
            return self.without_writing(grad)
        result = self.buffer(grad._array if tensors else grad)
        if tensors:
            result = TensorBase.wrap(result).copy_(grad)
            piece = replay(result, self.steps)
            inner = self.fn.apply([piece.clone()], True)
            kept = inner[0] if self.own else None
            piece.copy_(kept) if kept is not None else piece.zero_()
        else:
            result[...] = grad
            piece = replay(result, self.steps)
            inner = self.fn.apply([piece.copy()], False)
            kept = inner[0] if self.own else None
            piece[...] = 0 if kept is None else kept
        return (result, *inner[self.own:])

    def without_writing(self, grad: TensorBase) -> tuple:
        """The same inside transforms, where one gradient may have lanes and the other none."""
        piece = replay(grad, self.steps)
        inner = self.fn.apply([piece], True)
        kept = inner[0] if self.own else None
        own = 0 if kept is None else undo(kept, self.steps)
        one = 1 + 1j if piece._array.dtype.kind == "c" else 1.0
        written = undo(np.full(piece._array.shape, one), self.steps)
        if written.dtype.kind != "c":
            return (np.where(written != 0, own, grad), *inner[self.own:])
        real = np.where(written.real != 0, own.real, grad.real)        # perhaps one of them only
        return (real + 1j * np.where(written.imag != 0, own.imag, grad.imag), *inner[self.own:])

    def buffer(self, like: Any) -> Any:
        """Memory laid out as the base's, so that strided steps mean the same in it."""
        if self.strides is None:
            return made(like, np.empty, self.shape, self.dtype)
        last = sum((n - 1) * s for n, s in zip(self.shape, self.strides, strict=True))
        block = made(like, np.zeros, last // like.itemsize + 1, self.dtype)
        return restride(block, self.shape, self.strides)

    def release_variables(self) -> None:
        """Let go of the writing node and what it saved."""
        self.fn = self.saved = None


def rebase_history(t: TensorBase, node: graph.Node, at_once: bool = False) -> None:
    """After a recorded in-place write: `node` is the new history of `t`, or of its base.

    Args:
        t: the tensor written to.
        node: the node of the write.
        at_once: make a view's new grad_fn now (its formula names `result`), not when next read.
    """
    if not t._flags & VIEW:
        old, old_nr = t._grad_fn, t.output_nr
        t._grad_fn, t.output_nr, t._requires_grad = node, 0, True
        move_hooks(t, old, old_nr, node)
        return
    rebase_base(t._view.base, steps_of(t), node, graph.requires_grad(t))
    retained = t._grad_fn is not None and t._grad_fn._hooks is not None and bool(
        t._grad_fn._hooks.retain)
    if t._grad_fn is None or retained or at_once:
        gradient_function(t)
    else:
        t._hooks = None
        t._view.base._grad_fn.view = weakref.ref(t), t._version_cell[0]
        next(graph.sequence)                # whenever it is made, the node's turn is after this one


def written_last(base: TensorBase) -> TensorBase | None:
    """The view that the last write to the base went through, where its new node could wait."""
    fn = base._grad_fn
    if type(fn) is not CopySlices or fn.view is None:
        return None
    view, version = fn.view
    return view() if base._version_cell[0] == version else None


def before_detaching(base: TensorBase) -> None:
    """A view that was written to last keeps the history that its base is about to forget."""
    t = written_last(base)
    if t is not None and t._view.creation == DEFAULT:
        gradient_function(t)


def rebase_base(base: TensorBase, steps: tuple | None, node: graph.Node,
                needed_before: bool) -> None:
    """The history of a base after a write where `steps` lead."""
    old, old_nr = base._grad_fn, base.output_nr
    slices = CopySlices(base, steps, node)
    base._grad_fn, base.output_nr, base._requires_grad = slices, 0, True
    if needed_before:
        move_hooks(base, old, old_nr, slices)


def rebase_through(x: TensorBase, steps: tuple, node: graph.Node) -> None:
    """After `x[...] = v`: as `rebase_history` of the view that `steps` lead to from `x`."""
    base = base_of(x)
    if base is not x:
        steps = joined(steps_of(x), steps)
    rebase_base(base, steps, node, graph.requires_grad(x))


def check_write(x: TensorBase, name: str) -> None:
    """`check_inplace` of a view of `x` that `x[...] = v` need not make; `name`: its node's."""
    base = x
    if x._flags & VIEW:
        base = x._view.base
        if x._view.creation != DEFAULT:
            refuse(x, x._view.creation, "is being", name)
    if base._grad_fn is None and graph.requires_grad(x):
        raise RuntimeError("a view of a leaf Variable that requires grad is being used in an "
                           "in-place operation.")


def check_inplace(t: TensorBase) -> None:
    """Refuse a recorded in-place write that would make gradients wrong."""
    if t._flags & VIEW:
        v = t._view
        if v.creation != DEFAULT:
            refuse(t, v.creation, "is being")
        if v.base._grad_fn is None and graph.requires_grad(t):
            raise RuntimeError("a view of a leaf Variable that requires grad is being used in an "
                               "in-place operation.")
    if t._grad_fn is None and graph.requires_grad(t):      # so does a view older than its base's
        raise RuntimeError("a leaf Variable that requires grad is being used in an in-place "
                           "operation.")
