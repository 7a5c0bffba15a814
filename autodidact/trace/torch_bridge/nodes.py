"""PyTorch's graph in the shape that the recorder reads: nodes with edges, slots and numbers.

A node of PyTorch's cannot be referred to weakly, so whoever holds this graph holds the real one: it
is let go of when the pass is over or its stepper is closed.
"""

from types import SimpleNamespace
from typing import Any

from autodidact.trace.torch_bridge.library import array_of, dtype_name, torch
from autodidact.trace.torch_bridge.saved import Item, items_of

__all__ = ["Graph", "Leaf", "TorchNode"]


def dtype_of(dtype: Any, device: Any) -> SimpleNamespace:
    """A dtype with the name that a record gives it, and its device; `torch` is PyTorch's own."""
    return SimpleNamespace(name=dtype_name(dtype), torch=dtype, metadata={"device": device})


class TorchNode:
    """One `grad_fn`.

    Attributes:
        function: the `grad_fn` itself.
        next, nrs: for each edge the node it leads to (or None), and its slot there.
        outputs: (shape, dtype) of each value it made.
        saved: what it has saved.
    """

    op = plan = _hooks = None
    args: tuple = ()

    def __init__(self, function: Any) -> None:
        self.function = function
        self.sequence_nr = function._sequence_nr()
        self.next: list[TorchNode | None] = []
        self.nrs: list[int] = []
        described = getattr(function, "_input_metadata", ())
        self.outputs = [(tuple(map(int, m.shape)), dtype_of(m.dtype, m.device))
                        for m in described]
        self.shape, self.dtype = self.outputs[0] if self.outputs else (
            (), dtype_of(torch().float32, torch().device("cpu")))
        self.saved: list[Item] = [] if hasattr(function, "variable") else items_of(function)

    def name(self) -> str:
        """PyTorch's name of the node."""
        return self.function.name()

    @property
    def custom(self) -> bool:
        """Whether it belongs to a custom Function."""
        return isinstance(self.function, torch().autograd.function.BackwardCFunction)

    def freed(self) -> bool:
        """Whether saved tensors were there and are no more."""
        return any(item.state()["state"] == "freed" for item in self.saved)


class Leaf(TorchNode):
    """An accumulator; `variable` is its tensor in the recorder's eyes."""

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        self.variable = Variable(function.variable)


class Variable:
    """A leaf tensor."""

    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor

    @property
    def _array(self) -> Any:
        found = array_of(self.tensor)
        return found if found is not None else torch().empty(0).numpy()

    def stride(self) -> tuple:
        """The tensor's strides."""
        return self.tensor.stride()

    def is_contiguous(self) -> bool:
        """Whether it lies row by row."""
        return self.tensor.is_contiguous()


class Graph:
    """All nodes below some roots.

    Attributes:
        nodes: `grad_fn` -> its node.
    """

    def __init__(self, functions: list) -> None:
        self.nodes: dict[Any, TorchNode] = {}
        stack = list(functions)
        while stack:
            function = stack.pop()
            if function is not None and function not in self.nodes:
                kind = Leaf if hasattr(function, "variable") else TorchNode
                self.nodes[function] = kind(function)
                stack += [each for each, _ in function.next_functions]
        for function, node in self.nodes.items():
            for each, slot in function.next_functions:
                node.next.append(self.nodes.get(each))
                node.nrs.append(slot)

    def edge(self, tensor: Any) -> tuple:
        """(node, slot) that a tensor's gradient arrives at; (None, 0) outside this graph."""
        edge = torch().autograd.graph.get_gradient_edge(tensor)
        return self.nodes.get(edge.node), edge.output_nr
