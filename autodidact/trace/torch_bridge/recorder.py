"""A pass over PyTorch's graph, recorded: the same record as of autodidact's own engine."""

import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

from autodidact.trace.recorder import Recorder, strides
from autodidact.trace.torch_bridge.hand import HandTask
from autodidact.trace.torch_bridge.library import array_of, is_tensor, summary, torch
from autodidact.trace.torch_bridge.modules import modules_of
from autodidact.trace.torch_bridge.names import TorchNames, note_lines
from autodidact.trace.torch_bridge.nodes import Graph
from autodidact.trace.torch_bridge.pause import PauseTask
from autodidact.trace.torch_bridge.place import memory
from autodidact.trace.torch_bridge.subject import TorchSubject
from autodidact.trace.torch_bridge.window import Window

__all__ = ["TorchRecorder"]


class TorchRecorder(Recorder):
    """One pass of PyTorch's, recorded: run it by `step()` or to its end by `run()`.

    Args:
        loss: the tensor to go back from, or several.
        gradient, retain_graph, create_graph, inputs: as for `torch.autograd.backward`.
        names: what to call tensors, besides those in `found`.
        found: name -> tensor; see `tensors_in`.
        copy: by hand, on a copy: nothing is freed, no `.grad` is written, no hook fires.
        call: what runs the real pass, where that is not `torch.autograd.backward` of the above.
        accumulate: False for a call that returns gradients, as `torch.autograd.grad` does.
        modules: from a `grad_fn` to the path of its module, see `watched`.
    """

    subject_class = TorchSubject

    def __init__(self, loss: Any, *, gradient: Any = None, retain_graph: bool | None = None,
                 create_graph: bool = False, inputs: Any = None, names: dict | None = None,
                 found: dict | None = None, copy: bool = False, call: Callable | None = None,
                 accumulate: bool = True, modules: Callable | None = None) -> None:
        roots = [loss] if is_tensor(loss) else list(loss)
        graph = Graph([torch().autograd.graph.get_gradient_edge(root).node for root in roots])
        edges = [graph.edge(root) for root in roots]
        seeds = first_gradients(roots, gradient)
        wanted = None if inputs is None else [inputs] if is_tensor(inputs) else list(inputs)
        keep = create_graph if retain_graph is None else bool(retain_graph)
        options = {"keep_graph": keep, "create_graph": create_graph, "accumulate": accumulate,
                   "inputs": None if wanted is None else [graph.edge(t) for t in wanted]}
        triples = [(*edge, seed) for edge, seed in zip(edges, seeds, strict=True)]
        if copy:
            task: Any = HandTask(graph, triples, **options)
        else:
            task = PauseTask(call or real_pass(roots, gradient, retain_graph, create_graph, wanted,
                                               accumulate),
                             graph, triples, **options)
        naming = TorchNames(names, found or {}, graph)
        note_lines(graph, naming)
        task.modules = modules_of(graph, found or {}, modules)
        asked = None if wanted is None else [naming.by_tensor.get(id(t)) or "?" for t in wanted]
        self.seed = memory(gradient)[0] if is_tensor(gradient) else 0
        self.attach(task, naming, triples, naming.by_tensor.get(id(loss)), asked, None, not copy)

    def silent_look(self) -> None:
        """Nothing: what silent errors are seen by, a recording notes of our own tensors only."""

    def outside_look(self) -> Any:
        """PyTorch tells nobody of a change: only looking helps."""
        return Window(self.task, self.subject)

    def grad(self, node: Any) -> dict:
        """A leaf's `.grad`: value, which object it is, whether it shares memory."""
        tensor = self.task.grad_of(node)
        if tensor is None:
            return {"value": None, "object": None, "new": False, "shares": None}
        key, old = self.objects.key(tensor), getattr(self, "state", None)
        before = old["grads"][self.subject.ids[node]]["object"] if old else key
        shares = "gradient" if self.seed and memory(tensor)[0] == self.seed else None
        return {"value": self.told(tensor, key), "object": key, "new": before != key,
                "shares": shares, **strides(tensor, getattr(node, "variable", None))}

    def told(self, tensor: Any, key: str) -> dict | None:
        """SUMMARY of a `.grad`, made anew only where its numbers are others: most stay as they are.

        Its version would not tell: a write into `.data` leaves that alone.
        """
        array = array_of(tensor)
        if array is None:
            return summary(tensor)
        mark = id(tensor), tensor.shape, zlib.crc32(np.ascontiguousarray(array))
        marked = self.__dict__.setdefault("marks", {})
        if marked.get(key, (None,))[0] != mark:
            marked[key] = mark, summary(tensor)
        return marked[key][1]

    def saved_state(self, node: Any, index: int, entry: dict) -> dict:
        """kept, stale, packed, freed; none for plain values."""
        item = node.saved[index]
        if self.task.is_freed(node, item):
            return {"state": "freed", "expected": 0, "actual": 0}
        return item.state()

    def predict(self, node: Any, state: dict) -> dict:
        """Nothing: running a node of PyTorch's to see what it gives could be noticed."""
        return {}

    def edit(self, node_id: str, slot: int, value: Any) -> None:
        """Change a gradient that has arrived at the next node, before it runs.

        Args:
            node_id: the next node's id in the record.
            slot: which of its slots.
            value: a tensor, number or nested list of the slot's shape.

        Raises:
            ValueError: it is not this node's turn, nothing has arrived there, or the shape is
                another.
        """
        node = self.task.ready[0][2] if self.task.ready else None
        if node is None or self.subject.ids[node] != node_id:
            raise ValueError(f"{node_id} does not run next: only what the next node has received "
                             "can be changed")
        total = self.state["total"][node_id]
        if not 0 <= slot < len(total) or total[slot] is None:
            raise ValueError(f"nothing has arrived at slot {slot} of {node_id}")
        shape, dtype = node.outputs[slot]
        new = torch().as_tensor(value, dtype=dtype.torch)
        if tuple(new.shape) != shape:
            raise ValueError(f"a gradient of shape {tuple(new.shape)} for a slot of shape {shape}")
        self.task.edit(node, slot, new)
        totals = [*total[:slot], summary(new), *total[slot + 1:]]
        self.state["total"] = {**self.state["total"], node_id: totals}
        self.record.states[-1].setdefault("total", {})[node_id] = totals
        self.record._folded.clear()

    def close(self) -> None:
        """Give the pass up: the thread ends, the hooks are taken away."""
        self.task.close()


def first_gradients(roots: list, gradient: Any) -> list:
    """The gradient of each root: given, or one."""
    given = [gradient] if is_tensor(gradient) or gradient is None else list(gradient)
    given += [None] * (len(roots) - len(given))
    return [torch().ones_like(root).detach() if g is None else g.detach()
            for root, g in zip(roots, given, strict=True)]


def real_pass(roots: list, gradient: Any, retain_graph: bool | None, create_graph: bool,
              inputs: list | None, accumulate: bool = True) -> Callable:
    """`torch.autograd.backward` (or `grad`) of these, to be called once."""
    given = None if gradient is None else [gradient] if is_tensor(gradient) else gradient
    backward, grad = torch().autograd.backward, torch().autograd.grad

    def call() -> Any:
        if not accumulate:
            return grad(roots, inputs, given, retain_graph=retain_graph, create_graph=create_graph)
        return backward(roots, given, retain_graph=retain_graph, create_graph=create_graph,
                        inputs=inputs)
    return call
