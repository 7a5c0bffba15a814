"""Tensors of PyTorch's in one memory: bases, views, and those of which no more is visible."""

from typing import Any

from autodidact.trace.families import MOST_MEMBERS
from autodidact.trace.torch_bridge.library import is_tensor
from autodidact.trace.torch_bridge.place import memory

__all__ = ["TorchFamilies"]


class TorchFamilies:
    """The learner's tensors that lie in one memory with another one; as `trace.families.Families`.

    A view knows its base, and counts with it. What `detach()` and `.data` give does not say what it
    came from, nor which counter it has: it is told as "same memory", with its version.

    Args:
        named: (name, tensor) pairs, the learner's variables.
    """

    def __init__(self, named: list) -> None:
        groups: dict[int, dict] = {}
        for name, tensor in named:
            place, size = memory(tensor)
            if is_tensor(tensor) and size:
                groups.setdefault(place, {}).setdefault(id(tensor), (name, tensor))
        self.groups = {place: list(group.values()) for place, group in groups.items()
                       if len(group) > 1}
        self.head: list[dict] = []
        self.tensors: dict[str, Any] = {}              # counter -> one tensor that counts with it

    def choose(self, ids: dict, storages: dict) -> None:
        """Keep what concerns a graph: memory it has saved, or a tensor that one of its nodes made.

        Args:
            ids: node -> id.
            storages: address of memory -> anything.
        """
        functions = {node.function for node in ids}
        leaves = {id(node.variable.tensor) for node in ids if hasattr(node, "variable")}
        for place, group in self.groups.items():
            if place in storages or any(t.grad_fn in functions or id(t) in leaves
                                        for _, t in group):
                self.head.append(self.family(group[:MOST_MEMBERS]))
        self.groups = {}

    def family(self, group: list) -> dict:
        """One family as plain data: its base first."""
        bases = [t._base for _, t in group if t._is_view() and t._base is not None]
        base = next((t for _, t in group if any(t is each for each in bases)), None)
        plain = next((t for _, t in group if not t._is_view()), None)
        base = base if base is not None else plain
        members, counters = [], {}
        for name, tensor in sorted(group, key=lambda pair: pair[1] is not base):
            view = tensor._is_view()
            owner = id(tensor._base) if view and tensor._base is not None else id(tensor)
            counter = counters.setdefault(owner, f"c{len(self.tensors)}")
            self.tensors.setdefault(counter, tensor)
            kind = "base" if tensor is base else "view" if view else "alias"
            members.append({"name": name, "kind": kind, "counter": counter})
        return {"members": members}

    def versions(self) -> dict:
        """counter -> what it says now."""
        return {key: 0 if tensor.is_inference() else tensor._version
                for key, tensor in self.tensors.items()}
