"""Saved tensors: what forward keeps for backward, and the two checks on the way out.

A node keeps `saved` (the things its formulas named) and `versions` (the version of each at that
moment). Reading them checks that the graph has not been freed and that no in-place write has
changed the numbers since.

An input is kept as the tensor itself. An output is kept as array and version cell only
(`SavedResult`): were the node to keep its own output, which knows the node, the two would keep
each other alive. On reading, a tensor is made anew, with the node as its grad_fn.
"""

from typing import Any

from autodidact.autograd.grad_mode import mode
from autodidact.autograd.saved_hooks import Packed, pack
from autodidact.tensor_base import DETACHED, FRESH, LIFTED, VIEW, TensorBase, resolve

__all__ = ["Packed", "SavedResult", "SavedTensor"]

FREED = ("Trying to backward through the graph a second time (or directly access saved tensors "
         "after they have already been freed). The first pass has let go of what this node had "
         "saved. Specify retain_graph=True in the first backward() or grad() call if you need "
         "to go through the graph again or to read its saved tensors afterwards.")


class SavedResult:
    """An output kept by its own node: numbers and version cell, no way back to the tensor."""

    __slots__ = ("_array", "_flags", "_version_cell", "output_nr", "view_fn")

    def __init__(self, tensor: TensorBase) -> None:
        cell = tensor._version_cell
        if cell is FRESH:
            cell = tensor._version_cell = [0]          # shared with the tensor from now on
        self._array, self._version_cell, self.output_nr = tensor._array, cell, tensor.output_nr
        self._flags, self.view_fn = 0, None

    def tensor(self, node: Any) -> TensorBase:
        """The output as a tensor whose grad_fn is `node` (for a view: the view's own node)."""
        fn = self.view_fn() if self.view_fn is not None else None
        result = TensorBase.wrap(self._array)
        result._version_cell = self._version_cell
        result._grad_fn, result.output_nr = (node, self.output_nr) if fn is None else (fn, 0)
        result._requires_grad = True
        return result


class PackedParts(Packed):
    """Several index tensors saved as one, each packed by itself."""

    __slots__ = ("kind", "parts")

    def __init__(self, item: TensorBase) -> None:
        self.kind, self.parts = type(item), [t if t is None else pack(t) for t in item.tensors]

    def tensor(self, node: Any) -> TensorBase:
        """Unpack each."""
        return self.kind(tuple(p if p is None else p.tensor(node) for p in self.parts))


NOT_CHECKED = -1      # in `versions`: a number, None, or something packed: no version to compare


def save(item: Any, is_output: bool = False) -> tuple:
    """What a node keeps of `item`, and its version: the general way, with hooks and checks."""
    if item is None or not isinstance(item, (TensorBase, SavedResult)):
        return item, NOT_CHECKED
    if item._version_cell is None:
        raise RuntimeError("Inference tensors cannot be saved for backward. Make a clone() of it "
                           "outside InferenceMode to get a normal tensor and use it in autograd, "
                           "or use `torch.no_grad()` instead of `torch.inference_mode()`.")
    if mode.saved_hooks and mode.saved_hooks[-1][0] is not None:
        several = getattr(item, "tensors", None) is not None
        return PackedParts(item) if several else pack(item, is_output), NOT_CHECKED
    kept = SavedResult(item) if is_output else item
    return kept, item._version_cell[0]


# ---- on the way out ---------------------------------------------------------------------------


def unpack_arrays(node: Any) -> tuple:
    """The values of a node's formulas as arrays, checked: saved tensors, then plain values."""
    saved, versions, args = node.saved, node.versions, node.args
    if saved is None:
        raise RuntimeError(FREED)
    if len(saved) == 1:                       # the two usual cases, without a loop
        x, i = saved[0], versions[0]
        if i >= 0 and x._version_cell[0] == i and not x._flags & DETACHED:
            return (x._array, *args) if args else (x._array,)
    elif len(saved) == 2:
        (x, y), (i, j) = saved, versions
        if (i >= 0 <= j and x._version_cell[0] == i and y._version_cell[0] == j
                and not (x._flags | y._flags) & DETACHED):
            return (x._array, y._array, *args) if args else (x._array, y._array)
    values = []
    for item, expected in zip(saved, versions, strict=True):
        if expected < 0:
            values.append(_array_of(item, node))
        else:
            check(node, item, expected)
            values.append(item._array)
    return (*values, *args)


def unpack_tensors(node: Any) -> list:
    """The same as Tensors: inputs as they were, outputs made anew, numbers as they are."""
    if node.saved is None:
        raise RuntimeError(FREED)
    values = []
    for item, expected in zip(node.saved, node.versions, strict=True):
        if expected < 0 or item._flags or item._version_cell[0] != expected:
            values.append(unpack(node, item, expected))
        else:                                 # nothing to ask: no view, no transform, no write
            values.append(item if isinstance(item, TensorBase) else item.tensor(node))
    values.extend(node.args)
    return values


def unpack(node: Any, item: Any, expected: int) -> Any:
    """One saved entry as the user may see it."""
    if expected >= 0:
        check(node, item, expected)
    if isinstance(item, (SavedResult, Packed)):
        item = item.tensor(node)
    return resolve(item) if isinstance(item, TensorBase) and item._flags & LIFTED else item


def _array_of(item: Any, node: Any) -> Any:
    if isinstance(item, Packed):
        item = item.tensor(node)
    return getattr(item, "_array", item)


def check(node: Any, item: Any, expected: int) -> None:
    """Raise if the saved tensor was changed in place, or detached in place, since it was saved."""
    if item._flags & VIEW and isinstance(item, TensorBase):
        gradient_function(item)              # a stale view may have its own reason to refuse
    actual = item._version_cell[0]
    if actual != expected:
        item = getattr(item, "changed", item)
        raise RuntimeError(modified(item, expected, actual, node))
    if item._flags & DETACHED and isinstance(item, TensorBase) and _had_history(node, item):
        raise RuntimeError("Trying to use a saved tensor that has been detached in-place, i.e. "
                           "with .detach_(). This is not supported, please use out-of-place "
                           "`.detach()` instead")


def _had_history(node: Any, item: Any) -> bool:
    if node.plan is None:
        return False                          # a custom Function: PyTorch does not ask there
    position = next((i for i, kept in zip(node.plan.inputs, node.saved, strict=False)
                     if kept is item), None)
    if position is None or not node.op.differentiable(position):
        return False
    consumer = node.next[sum(map(node.op.differentiable, range(position)))]
    return consumer is not None and not hasattr(consumer, "variable") and item._grad_fn is None


def modified(item: Any, expected: int, actual: int, node: Any) -> str:
    """The famous message: which tensor, which output of what, and the two versions."""
    kind = TensorBase.wrap(item._array).type()
    text = (f"one of the variables needed for gradient computation has been modified by an "
            f"inplace operation: [{kind} {list(item._array.shape)}]")
    fn = node if isinstance(item, SavedResult) else item._grad_fn
    if fn is not None:
        text += f", which is output {item.output_nr} of {error_name(fn)},"
    return (text + f" is at version {actual}; expected version {expected} instead. Hint: find the "
            "line that wrote into it after it was used, and write into a clone() or use the "
            "out-of-place form; torch.autograd.set_detect_anomaly(True) names the operation.")


def error_name(fn: Any) -> str:
    """A node's name as messages give it: `Mul` of `MulBackward0`."""
    name = fn.name()
    return name if ":" in name else name.replace("Backward0", "").replace("Backward", "")


gradient_function: Any = None       # set by views.py, which knows how a stale view gets a new node


def saved_attribute(node: Any, name: str) -> Any:
    """`node._saved_self`: a saved tensor or a plain value, by the name its formula uses."""
    names = node.plan.names
    if name not in names:
        return None                           # an argument that no wanted formula needs
    i = names.index(name)
    count = len(node.plan.saved_names)
    if i >= count:
        return node.args[i - count]
    if node.saved is None:
        raise RuntimeError(FREED)
    found = unpack(node, node.saved[i], node.versions[i])
    return getattr(found, "tensors", found)              # several index tensors, saved as one


class SavedTensor:
    """`node._raw_saved_self`: a saved tensor before unpacking; hooks may be registered on it."""

    def __init__(self) -> None:
        raise RuntimeError("Trying to create a SavedTensor object from Python is forbidden: read "
                           "a node's _raw_saved_... attribute")

    def register_hooks(self, pack_hook: Any, unpack_hook: Any) -> None:
        """Pack this one saved tensor now; at most once.

        Raises:
            RuntimeError: hooks are set already; the tensor is freed; there is none.
            TypeError: anything but two callables.
        """
        if not (callable(pack_hook) and callable(unpack_hook)):
            raise TypeError("register_hooks(): incompatible function arguments. Two callables are "
                            "expected, pack_hook and unpack_hook")
        node, i = self._node, self._index
        if node.saved is None:
            raise RuntimeError("Calling register_hooks on a saved tensor after it has been freed. "
                               + FREED)
        item = None if i is None else node.saved[i]
        if isinstance(item, Packed):
            raise RuntimeError("Calling register_hooks on a saved tensor whose hooks have already "
                               "been set. Hint: only one pair of hooks is allowed at a time.")
        if item is None:
            raise RuntimeError("Calling register_hooks on a saved tensor with value None is "
                               "forbidden")
        result = not isinstance(item, TensorBase)
        tensor, before = item.tensor(node) if result else item, mode.saved_hooks
        mode.set(saved_hooks=((pack_hook, unpack_hook),))
        try:
            kept = pack(tensor, result, tensor.detach())
        finally:
            mode.set(saved_hooks=before)
        node.saved = (*node.saved[:i], kept, *node.saved[i + 1:])
        node.versions = (*node.versions[:i], NOT_CHECKED, *node.versions[i + 1:])


def raw(node: Any, index: int | None) -> SavedTensor:
    """The saved tensor number `index` of a node, unopened; None: one that was not needed."""
    found = object.__new__(SavedTensor)
    found._node, found._index = node, index
    return found


def raw_saved(node: Any, name: str) -> SavedTensor:
    """The saved tensor called `name`, unopened."""
    names = node.plan.saved_names
    return raw(node, names.index(name) if name in names else None)
