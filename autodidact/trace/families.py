"""Views and writes: which tensors share memory and a version counter, and what a write rewired."""

from typing import Any

import numpy as np

from autodidact.arrays.strided import owner
from autodidact.autograd.graph import Node
from autodidact.autograd.views import CopySlices, replay
from autodidact.tensor_base import VIEW, TensorBase, version

__all__ = ["Families", "holder", "writes"]

MOST_MEMBERS = 12      # of a family that are told
MOST_CELLS = 24        # elements of a base that are told one by one
LARGEST = 1 << 16      # elements of a base whose written part is looked for


class Families:
    """The learner's tensors that lie in one memory with another one.

    Args:
        named: (name, tensor) pairs, the learner's variables.

    Attributes:
        head: the families of the graph, for a record's head; set by `choose`.
    """

    def __init__(self, named: list) -> None:
        groups: dict[int, dict] = {}
        for name, tensor in named:
            array = getattr(tensor, "_array", None)
            if isinstance(array, np.ndarray) and array.size and tensor._version_cell is not None:
                groups.setdefault(id(owner(array)), {}).setdefault(id(tensor), (name, tensor))
        self.groups = [list(group.values()) for group in groups.values() if len(group) > 1]
        self.head: list[dict] = []
        self.tensors: dict[str, TensorBase] = {}      # counter -> one tensor that counts with it

    def choose(self, ids: dict, storages: dict) -> None:
        """Keep what concerns a graph: memory it has saved, or a tensor that one of its nodes made.

        Args:
            ids: node -> id.
            storages: identity of an owner of memory -> anything.
        """
        leaves = {id(node.variable) for node in ids if hasattr(node, "variable")}
        for group in self.groups:
            if any(id(owner(t._array)) in storages or t._grad_fn in ids or id(t) in leaves
                   for _, t in group):
                self.head.append(self.family(group[:MOST_MEMBERS]))
        self.groups = []

    def family(self, group: list) -> dict:
        """One family as plain data: its base first."""
        base = base_of(group)
        counters: dict[int, str] = {}
        members = []
        for name, tensor in sorted(group, key=lambda pair: pair[1] is not base):
            cell = tensor._version_cell
            if id(cell) not in counters:
                counters[id(cell)] = f"c{len(self.tensors)}"
                self.tensors[counters[id(cell)]] = tensor
            members.append({"name": name, "kind": kind_of(tensor, base),
                            "counter": counters[id(cell)]})
        return {"members": members}

    def versions(self) -> dict:
        """counter -> what it says now."""
        return {key: version(tensor) for key, tensor in self.tensors.items()}


def base_of(group: list) -> TensorBase:
    """The tensor that the others look into."""
    tensors = [tensor for _, tensor in group]
    bases = [t._view.base for t in tensors if t._flags & VIEW and t._view is not None]
    known = next((t for t in tensors if any(t is base for base in bases)), None)
    if known is not None:
        return known
    return next((t for t in tensors if not t._flags & VIEW and owner(t._array) is t._array),
                tensors[0])


def kind_of(tensor: TensorBase, base: TensorBase) -> str:
    """What a tensor is to the base of its family."""
    if tensor is base:
        return "base"
    if tensor._flags & VIEW:
        return "view"
    return "detached" if tensor._version_cell is base._version_cell else "data"


def holder(node: Any) -> Any:
    """The node that has saved what a node needs: of a write through a view the writing one."""
    return getattr(node, "fn", None) or node


def writes(node: Node) -> dict | None:
    """Of a write through a view (CopySlices): which elements of the base it replaced.

    `cells` has 1 for a written element, None where the base is large; `own` says whether the first
    edge leads to the base as it was before.
    """
    if not isinstance(node, CopySlices):
        return None
    shape = tuple(node.shape)
    size = int(np.prod(shape, dtype=np.int64))
    if size > LARGEST:
        return {"cells": None, "count": None, "size": size}
    mask = np.zeros(shape, np.int8)
    try:
        replay(mask, node.steps)[...] = 1
    except (TypeError, ValueError):                   # steps of strides: they need the real memory
        return {"cells": None, "count": None, "size": size}
    cells = mask.ravel().tolist() if size <= MOST_CELLS else None
    return {"cells": cells, "count": int(mask.sum()), "size": size}
