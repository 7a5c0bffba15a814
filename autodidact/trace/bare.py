"""A record without a pass: the leaves that there are, where a program has stopped before any."""

from typing import Any

from autodidact.trace.measure import measure
from autodidact.trace.record import Record

__all__ = ["bare_record"]


NOTHING = {"width": 200, "height": 40, "engine": "simple", "boxes": [], "lanes": [], "slots": {},
           "ties": [], "seed": {}, "texts": []}                       # the picture of no node


def bare_record(leaves: dict, root: str | None, error: dict | None) -> Record:
    """One state, ended: the leaves by name, no node, no edge."""
    nodes = [bare_leaf(i, name, tensor) for i, (name, tensor) in enumerate(leaves.items())]
    head = {
        "format": 1, "engine": "autodidact", "root": root, "roots": [],
        "options": {"retain_graph": False, "create_graph": False, "inputs": None, "live": False},
        "recorded": True, "nodes": nodes, "edges": [], "storages": [],
        "layout": None if nodes else NOTHING}
    ids = [node["id"] for node in nodes]
    grads = {f"n{i}": grad_of(tensor, i) for i, tensor in enumerate(leaves.values())}
    state = {
        "step": 0, "ran": None, "next": None, "end": "error" if error else "ok",
        "status": dict.fromkeys(ids, "skipped"), "received": {i: [[]] for i in ids},
        "total": {i: [None] for i in ids}, "saved": {}, "bytes": 0, "sent": {}, "grads": grads,
        "predicted": {}, "events": [], "say": [], "error": error, "outside": []}
    return Record(head, [state])


def bare_leaf(index: int, name: str, tensor: Any) -> dict:
    """A leaf as a node of its own."""
    shape, dtype = list(tensor.shape), tensor._array.dtype.name
    return {
        "id": f"n{index}", "kind": "leaf", "label": f"AccumulateGrad({name})",
        "name": "AccumulateGrad", "number": None, "var": name, "source": None, "where": None,
        "module": None, "value": measure(tensor._array),
        "outputs": [{"shape": shape, "dtype": dtype, "expected": 0}], "inputs": [], "saved": [],
        "rules": [], "hooks": []}


def grad_of(tensor: Any, index: int) -> dict:
    """A leaf's `.grad` as it is."""
    grad = getattr(tensor, "_grad", None)
    return {"value": None if grad is None else measure(grad._array),
            "object": None if grad is None else f"g{index}", "new": False, "shares": None}
