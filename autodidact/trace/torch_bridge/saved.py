"""What a node of PyTorch's has saved, looked at without unpacking a packed tensor."""

import re
from typing import Any

from autodidact.trace.packed import described
from autodidact.trace.plain import shape_text
from autodidact.trace.torch_bridge.library import dtype_name, is_tensor

__all__ = ["Item", "items_of", "used_up"]

LEFT_OUT = ("sizes", "strides", "_numel")      # sizes of the inputs: known from the graph itself
FIRST, LAST = ("self", "input", "mat1", "tensors"), ("result", "output", "result0", "result1")
VERSIONS = re.compile(r"is at version (\d+); expected version (\d+)")


class Item:
    """One saved value of one node.

    Attributes:
        name: as PyTorch calls it, without `_saved_`; of a custom Function its position.
        parts, reads: how often a packed value has been read, PyTorch does not say.
    """

    parts = reads = None

    def __init__(self, function: Any, attribute: str, position: int | None, name: str) -> None:
        self.function, self.attribute, self.position = function, attribute, position
        self.name = name

    def value(self) -> Any:
        """The value, unpacked. Raises RuntimeError where it is freed or changed."""
        found = getattr(self.function, self.attribute)
        return found if self.position is None else found[self.position]

    def raw(self) -> Any:
        """What stands for the value where it is saved; None where PyTorch shows nothing of it."""
        raw = getattr(self.function, "_raw" + underscored(self.attribute), None)
        return raw if self.position is None or raw is None else raw[self.position]

    def changed_value(self) -> Any:
        """The tensor behind a value that was changed since; None where PyTorch does not show it."""
        try:
            return getattr(self.raw(), "data", None)
        except (RuntimeError, IndexError):
            return None

    def packed(self) -> bool:
        """Whether a pack hook has it: then a look would call the learner's unpack hook."""
        try:
            return getattr(self.raw(), "unpack_hook", None) is not None
        except (RuntimeError, IndexError, TypeError):
            return False

    def place(self) -> Any:
        """The empty place that a checkpoint keeps instead of a tensor; None for everything else."""
        try:
            held = self.raw().data if self.packed() else None
        except (RuntimeError, IndexError, AttributeError):
            return None
        return held if isinstance(getattr(held, "handles", None), dict) else None

    def packed_as(self) -> dict:
        """What a pack hook has made of it, and which hook gives it back."""
        place = self.place()
        if place is not None:
            filled = any(handle is not None for handle in place.handles.values())
            return {"state": "kept" if filled else "packed", "packed": {
                "what": "checkpoint", "hook": "checkpoint", "reads": 0,
                "place": "filled" if filled else "absent"}}
        hook = self.raw().unpack_hook
        name = str(getattr(hook, "__name__", None) or type(hook).__name__)
        return {"state": "packed", "packed": {
            "what": packed_text(self.raw().data), "hook": name, "reads": 0}}

    def state(self) -> dict:
        """kept, stale, freed, packed; none for plain values."""
        try:
            if self.packed():
                return {"expected": None, "actual": None, **self.packed_as()}
            value = self.value()
        except RuntimeError as error:
            return gone(str(error))
        if not is_tensor(value):
            return {"state": "none", "expected": 0, "actual": 0}
        version = getattr(value, "_version", 0) if not value.is_inference() else 0
        return {"state": "kept", "expected": version, "actual": version}

    @property
    def _version_cell(self) -> list:
        """Where an in-place write leaves its mark; PyTorch does not say which line wrote."""
        return []


def packed_text(thing: Any) -> str:
    """A packed object in a few words."""
    if is_tensor(thing):
        return f"tensor {shape_text(thing.shape)} {dtype_name(thing.dtype)}"
    return described(thing)


def underscored(attribute: str) -> str:
    """`_saved_self`, and `_saved_tensors` for what a custom Function calls `saved_tensors`."""
    return attribute if attribute.startswith("_") else "_" + attribute


def gone(message: str) -> dict:
    """The state that an error at a look tells of."""
    versions = VERSIONS.search(message)
    if versions is None:
        return {"state": "freed", "expected": 0, "actual": 0}
    actual, expected = map(int, versions.groups())
    return {"state": "stale", "expected": expected, "actual": actual}


def items_of(function: Any) -> list[Item]:
    """Everything a node has saved: tensors, and plain numbers."""
    if hasattr(type(function), "saved_tensors"):
        return numbered(function, "saved_tensors", "")
    found: list[Item] = []
    for attribute in sorted(dir(function), key=signature):
        name = attribute.removeprefix("_saved_")
        if name == attribute or name.endswith(LEFT_OUT):
            continue
        item = Item(function, attribute, None, name)
        try:
            value = None if item.packed() else item.value()
        except RuntimeError:
            found.append(item)                         # freed or changed, and there all the same
            continue
        if isinstance(value, tuple | list) and any(map(is_tensor, value)):
            found += numbered(function, attribute, name)
        elif item.packed() or is_tensor(value) or isinstance(value, bool | int | float | complex):
            found.append(item)
    return found


def signature(attribute: str) -> tuple:
    """Sorts saved names as a signature has them: the tensor itself, others, what came out."""
    name = attribute.removeprefix("_saved_")
    return name not in FIRST, name in LAST, name


def numbered(function: Any, attribute: str, name: str) -> list[Item]:
    """The items of a tuple; one that stands for all of it where it is freed."""
    try:
        raw = getattr(function, "_raw" + underscored(attribute), None)
        count = len(getattr(function, attribute) if raw is None else raw)
    except RuntimeError:
        return [Item(function, attribute, None, name or "0")]
    places = [f"{name}[{i}]" if name else str(i) for i in range(count)]
    return [Item(function, attribute, i, place) for i, place in enumerate(places)]


def used_up(function: Any) -> bool:
    """Whether an earlier pass has let go of what this node saved."""
    return any(item.state()["state"] == "freed" for item in items_of(function))
