"""The head of a record of PyTorch's graph: the recorder's own, with PyTorch's tensors read."""

from math import prod
from typing import Any

from autodidact.trace.subject import Subject, is_leaf
from autodidact.trace.torch_bridge.families import TorchFamilies
from autodidact.trace.torch_bridge.library import is_tensor, summary
from autodidact.trace.torch_bridge.place import memory

__all__ = ["TorchSubject"]


class TorchSubject(Subject):
    """A graph of PyTorch's about to be stepped. Rules of nodes are PyTorch's own: not told here."""

    families_class = TorchFamilies

    def __init__(self, task: Any, names: Any, roots: list, options: dict,
                 root_name: str | None) -> None:
        super().__init__(task, names, roots, options, root_name)
        leaves = {memory(n.variable.tensor)[0] for n in self.order if is_leaf(n)}
        for key, storage in self.storages.items():
            storage["parameter"] = key in leaves
        self.head["engine"] = task.engine
        self.head.pop("simulated", None)               # a GPU of PyTorch's is a real one

    def node(self, node: Any) -> dict:
        """One node as plain data."""
        told = super().node(node)
        told["module"] = self.task.modules.get(node)
        if node.name().endswith("::CopySlices"):       # which elements it wrote is not visible
            told["writes"] = {"cells": None, "count": None, "size": prod(node.shape)}
        if node.custom:
            told["kind"] = "function"
        elif not is_leaf(node):
            told["kind"] = "op"
        return told

    def saved(self, node: Any) -> list:
        """What a node has saved."""
        out = self.entries[node] = []
        for i, item in enumerate(node.saved):
            out.append((i, self.entry(node, item.name, item, None)))
        return [entry for _, entry in out]

    def entry(self, node: Any, name: str, item: Any, remembered: dict | None) -> dict:
        """One saved entry as plain data; a look at it unpacks nothing of the learner's."""
        state = "packed" if item.packed() else item.state()["state"]
        value = item.value() if state in ("kept", "none") else (
            item.changed_value() if state == "stale" else None)
        tensor = value if is_tensor(value) else None
        told = summary(value)
        shown = None if state == "stale" else told     # these are not the numbers that were saved
        place, size = memory(tensor)
        return {
            "key": self.key(), "name": name, "role": self.role(node, state, tensor),
            "var": None if tensor is None else self.names.of_function(self.task.graph, tensor),
            "shape": told["shape"] if told else [],
            "dtype": told["dtype"] if told else "none",
            "bytes": 0 if tensor is None else tensor.numel() * tensor.element_size(),
            "storage": self.torch_storage(place, size), "value": shown}

    def role(self, node: Any, state: str, tensor: Any) -> str:
        """What a saved value was to its node."""
        if state == "packed":
            return "packed"
        if state == "none":
            return "scalar"
        if tensor is None:
            return "input"                             # gone already: most are
        if tensor.grad_fn is not None and tensor.grad_fn is node.function:
            return "output"
        return "intermediate" if node.custom and not self.is_input(node, tensor) else "input"

    def is_input(self, node: Any, tensor: Any) -> bool:
        """Whether a custom Function has saved one of its inputs that require a gradient."""
        for consumer, slot in zip(node.next, node.nrs, strict=True):
            if consumer is None:
                continue
            if is_leaf(consumer) and consumer.variable.tensor is tensor:
                return True
            if tensor.grad_fn is consumer.function and tensor.output_nr == slot:
                return True
        return False

    def torch_storage(self, place: int, size: int) -> str:
        """The id of some memory; what no one can share has its own."""
        place = place or -len(self.storages) - 1
        found = self.storages.setdefault(
            place, {"id": f"m{len(self.storages)}", "bytes": size, "parameter": False})
        return found["id"]
