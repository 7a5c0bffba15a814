"""What the learner calls the tensors of a PyTorch graph: variables, parameters by their path."""

import linecache
import re
from typing import Any

from autodidact.trace import notes
from autodidact.trace.names import Names
from autodidact.trace.torch_bridge.library import is_module, is_tensor, summary

__all__ = ["TorchNames", "note_lines", "tensors_in"]

FRAME = re.compile(r'File "(.+)", line (\d+)')


def tensors_in(variables: dict[str, Any], module: Any = None) -> dict[str, Any]:
    """name -> tensor: variables first, then parameters of modules, then what lies in lists.

    Args:
        variables: what a frame can name.
        module: this one's parameters are called by their path alone: `fc1.weight`.
    """
    found: dict[str, Any] = {}
    if module is not None:
        found |= dict(module.named_parameters())
    plain = {k: v for k, v in variables.items() if not k.startswith("_")}
    found |= {name: value for name, value in plain.items() if is_tensor(value)}
    for name, value in plain.items():
        if is_module(value) and value is not module:
            found |= {f"{name}.{path}": each for path, each in value.named_parameters()}
    for name, value in plain.items():
        if isinstance(value, list | tuple):
            found |= {f"{name}[{i}]": each for i, each in enumerate(value[:100]) if is_tensor(each)}
        elif isinstance(value, dict) and len(value) <= 100:
            found |= {f"{name}[{key!r}]": each for key, each in value.items() if is_tensor(each)}
    return found


class TorchNames(Names):
    """Names by tensor and by node."""

    def __init__(self, given: dict[str, Any] | None, found: dict[str, Any], graph: Any) -> None:
        self.by_tensor: dict[int, str] = {}
        self.by_node: dict[tuple, str] = {}
        self.values: dict[Any, Any] = {}
        self.tensors: list = []
        self.named: list = []
        self.final: dict[Any, str | None] = {}
        for name, tensor in [*(given or {}).items(), *found.items()]:
            self.by_tensor.setdefault(id(tensor), name)
            self.tensors.append(tensor)
            self.named.append((name, tensor))
            node = graph.nodes.get(tensor.grad_fn) if tensor.grad_fn is not None else None
            if node is not None:
                self.by_node.setdefault((node, tensor.output_nr), name)
                self.values.setdefault(node, summary(tensor))

    def raw(self, node: Any) -> str | None:
        """The name of a node before numbering."""
        if hasattr(node, "variable"):
            return self.by_tensor.get(id(node.variable.tensor))
        slots = range(max(1, len(node.outputs)))
        return next((n for n in (self.by_node.get((node, i)) for i in slots) if n), None)

    def of_function(self, graph: Any, tensor: Any) -> str | None:
        """The name of a tensor that a node has saved."""
        name = self.by_tensor.get(id(tensor))
        node = graph.nodes.get(tensor.grad_fn) if tensor.grad_fn is not None else None
        if node is not None:
            return self.final.get(node) or name
        return name


class BridgeNote:
    """What is known of one node beyond the graph, as a recording would have noted it."""

    def __init__(self, value: Any, place: tuple) -> None:
        self.var, self.source, self.where = place
        self.value, self.saved, self.inputs, self.cut, self.calls = value, (), (), (), ()
        self.tangent = self.file = None                # PyTorch does not say


def note_lines(graph: Any, names: TorchNames) -> None:
    """Keep values that have a variable, and the lines that anomaly mode has noted."""
    for node in graph.nodes.values():
        if not hasattr(node, "variable"):
            lines = node.function.metadata.get("traceback_")
            if lines or node in names.values:
                note = BridgeNote(names.values.get(node), place(lines or ()))
                notes.notes[node] = note


def place(lines: Any) -> tuple:
    """(None, program text, where) of the innermost line that is not PyTorch's."""
    for line in reversed(lines):
        found = FRAME.search(line)
        if found is None or "/torch/" in found[1].replace("\\", "/"):
            continue
        file, number = found[1], int(found[2])
        cell = notes.cell_number(file)
        text = linecache.getline(file, number).strip() or None
        return None, text, {"cell": cell, "line": number, "file": None if cell is not None else
                            file.replace("\\", "/").rpartition("/")[2]}
    return None, None, None
