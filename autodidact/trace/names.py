"""Names: what the learner calls the tensors and nodes of a graph.

Three sources, the best first: names given in the call, the variables that hold a tensor now, and
the assignments that a recording has seen. A name that belongs to several nodes (a loop writes `h`
three times) gets a small number, in the order of the program: h₁, h₂, h₃.
"""

import sys
from typing import Any

from autodidact.autograd.graph import Node
from autodidact.tensor_base import TensorBase
from autodidact.trace.module_paths import parameters
from autodidact.trace.notes import note_of
from autodidact.trace.second import called_before, maker_of

__all__ = ["Names", "variables"]

MOST_ITEMS = 100       # of a list, tuple or dict are looked at for names
CO_OPTIMIZED = 1       # flag of a function's code: its variables lie in slots, not in a dict
SMALL = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def variables(frame: Any) -> dict[str, TensorBase]:
    """The tensors that a frame can name: its locals, then its globals.

    After the plain variables come the parameters of modules, `model.0.weight`, and what lies in
    flat lists, tuples and dicts: `params[0]`.
    """
    values: dict[str, Any] = {}
    for space in (local_variables(frame), frame.f_globals):
        for name, value in list(space.items()):
            if not name.startswith("_"):
                values.setdefault(name, value)
    found = {name: value for name, value in values.items() if isinstance(value, TensorBase)}
    for name, value in values.items():
        found |= {f"{name}.{path}": each for path, each in parameters(value)}
    for name, value in values.items():
        if isinstance(value, (list, tuple)):
            inside = [(f"{name}[{i}]", item) for i, item in enumerate(value[:MOST_ITEMS])]
        elif isinstance(value, dict) and len(value) <= MOST_ITEMS:
            inside = [(f"{name}[{key!r}]", item) for key, item in value.items()
                      if isinstance(key, str)]
        else:
            continue
        found |= {where: item for where, item in inside if isinstance(item, TensorBase)}
    return found


def local_variables(frame: Any) -> dict[str, Any]:
    """A frame's own variables, without leaving a trace.

    Before Python 3.13 a function's frame remembers the dict that it hands out, and with it every
    tensor, until the function ends; so that dict is emptied again.
    """
    space = frame.f_locals
    if sys.version_info < (3, 13) and frame.f_code.co_flags & CO_OPTIMIZED:
        values = dict(space)
        space.clear()
        return values
    return dict(space)


class Names:
    """Looks names up by tensor and by node."""

    def __init__(self, given: dict[str, TensorBase] | None, found: dict[str, TensorBase]) -> None:
        self.by_tensor: dict[int, str] = {}
        self.by_node: dict[tuple, str] = {}
        self.tensors: list = []                       # keeps ids valid while the names are in use
        self.named: list = []                         # the same with their names
        for name, tensor in [*(given or {}).items(), *found.items()]:
            self.by_tensor.setdefault(id(tensor), name)
            self.tensors.append(tensor)
            self.named.append((name, tensor))
            if tensor._grad_fn is not None and not tensor._flags:
                self.by_node.setdefault((tensor._grad_fn, tensor.output_nr), name)
        self.final: dict[Node, str | None] = {}

    def settle(self, order: list) -> None:
        """Decide every node's name, and number those that would be the same."""
        seen: dict[str, list] = {}
        unnamed = 0
        for node in sorted(order, key=lambda n: n.sequence_nr):
            name = self.raw(node)
            if name is None and hasattr(node, "variable"):
                unnamed += 1
                name = f"leaf{unnamed}"
            self.final[node] = name
            if name is not None:
                seen.setdefault(name, []).append(node)
        for name, nodes in seen.items():
            if len(nodes) > 1:
                for i, node in enumerate(nodes, 1):
                    self.final[node] = name + str(i).translate(SMALL)
        self.tensors.clear()
        self.named.clear()

    def raw(self, node: Node) -> str | None:
        """The name of a node before numbering."""
        if hasattr(node, "variable"):
            return self.by_tensor.get(id(node.variable)) or called_before(node)
        note, maker = note_of(node), maker_of(node)
        if note is not None and note.var and maker is None:
            return note.var
        slots = range(len(node.outputs or (None,)))
        found = next((n for n in (self.by_node.get((node, i)) for i in slots) if n), None)
        return found or (maker.name if maker else called_before(node))

    def of(self, node: Node) -> str | None:
        """The name of a node."""
        return self.final.get(node)

    def of_input(self, node: Node, position: int) -> str | None:
        """The name of the tensor that went into a node at `position`."""
        consumer = node.next[position]
        if consumer is not None:
            slot_name = self.by_node.get((consumer, node.nrs[position]))
            many = consumer.outputs is not None and len(consumer.outputs) > 1
            return slot_name if many and slot_name else self.final.get(consumer)
        note = note_of(node)
        tensor = None
        if note is not None and position < len(note.inputs) and note.inputs[position]:
            tensor = note.inputs[position]()
        return None if tensor is None else self.by_tensor.get(id(tensor))

    def of_saved(self, node: Node, item: Any) -> str | None:
        """The name of a saved tensor."""
        if not isinstance(item, TensorBase):
            return self.final.get(node) if hasattr(item, "_array") else None
        name = self.by_tensor.get(id(item))
        if item._grad_fn is not None:
            return self.final.get(item._grad_fn) or name
        return name

    def is_input(self, node: Node, item: Any) -> bool:
        """Whether a tensor that a custom Function saved is one of its inputs."""
        if not isinstance(item, TensorBase):
            return False
        for consumer, slot in zip(node.next, node.nrs, strict=True):
            if consumer is not None and ((consumer is item._grad_fn and slot == item.output_nr)
                                         or getattr(consumer, "variable", None) is item):
                return True
        note = note_of(node)
        return note is not None and any(r is not None and r() is item for r in note.inputs)
