"""The head of a record: what a graph looks like before its pass, as plain data.

Nodes, edges and leaves in the planned order of running, with all that is known of them: names,
lines, values, saved tensors, rules.
"""

from heapq import heappop, heappush
from typing import Any

from autodidact.arrays import gpu
from autodidact.arrays.foreign import device_of_dtype
from autodidact.arrays.strided import owner
from autodidact.autograd.engine import GraphTask
from autodidact.autograd.graph import Node
from autodidact.autograd.saved_tensors import Packed, SavedResult
from autodidact.tensor_base import TRACKED, TensorBase
from autodidact.trace.again import Room, place_of
from autodidact.trace.calls import within
from autodidact.trace.families import Families, holder, writes
from autodidact.trace.lines import context_of, program_of
from autodidact.trace.measure import measure
from autodidact.trace.names import Names
from autodidact.trace.notes import note_of
from autodidact.trace.rules import rules
from autodidact.trace.second import Maker, maker_of

__all__ = ["Subject"]


class Subject:
    """A graph about to be stepped, and the ids that its record uses.

    Args:
        task: the pass, not yet begun.
        names: what the learner calls the tensors.
        seed_edges: (node, slot) pairs that receive the first gradients.

    Attributes:
        head: the record without its states.
        ids: node -> id. edges: (node, position) -> edge id. entries: node -> its saved entries.
    """

    families_class: Any = Families

    def __init__(self, task: GraphTask, names: Names, roots: list, options: dict,
                 root_name: str | None) -> None:
        self.task, self.names = task, names
        self.order = planned(task, [node for node, _, _ in roots])
        self.ids = {node: f"n{i}" for i, node in enumerate(self.order)}
        self.numbers = numbers(self.order)
        self.edges: dict[tuple, str] = {}
        self.storages: dict[int, dict] = {}
        self.keep_alive: list = []                # owners of storages: their ids must stay theirs
        self.entries: dict[Node, list] = {}
        self.keys = 0                             # saved entries that have got an id
        self.called: dict | None = None           # node id -> name in sentences, once asked for
        edges = self.edge_list()
        self.families = self.families_class(names.named)
        names.settle(self.order)
        self.root = root_name or (names.of(roots[0][0]) if roots else None)
        parameters = {id(owner_of(n.variable)) for n in self.order if is_leaf(n)}
        nodes = [self.node(n) for n in self.order]
        devices = self.devices(nodes)
        for node, slot, _ in roots:
            nodes[int(self.ids[node][1:])]["outputs"][slot]["expected"] += 1
        for key, storage in self.storages.items():
            storage["parameter"] = key in parameters
        self.head = {
            "format": 1, "engine": "autodidact", "root": root_name,
            "roots": list(dict.fromkeys(self.ids[node] for node, _, _ in roots)),
            "options": options, "recorded": any(
                note_of(n) or maker_of(n) for n in self.order if not is_leaf(n)),
            "nodes": nodes, "edges": edges, "storages": list(self.storages.values()),
            "layout": None,
        }
        self.called_in(nodes)
        self.families.choose(self.ids, self.storages)
        if self.families.head:
            self.head["families"] = self.families.head
        if gpu.simulated() and devices:
            self.head["simulated"] = sorted({str(w) for w in devices if w.type == "cuda"})

    def devices(self, nodes: list) -> list:
        """The device of each node's value, told to the nodes; [] where all is on the CPU."""
        found = [device_of_dtype(n.outputs[0][1] if n.outputs else n.dtype) for n in self.order]
        if all(where.type == "cpu" for where in found):
            return []
        for node, where in zip(nodes, found, strict=True):
            node["device"] = str(where)
        return found

    def runs(self, node: Node) -> bool:
        """Whether the pass will run this node at all."""
        return self.task.exec_info is None or node in self.task.exec_info

    def edge_list(self) -> list:
        """Every edge, in the order of its sender, with the ids given."""
        out = []
        for node in self.order:
            for position, (consumer, slot) in enumerate(zip(node.next, node.nrs, strict=True)):
                if consumer is not None:
                    key = self.edges[node, position] = f"e{len(out)}"
                    out.append({"id": key, "from": self.ids[node], "position": position,
                                "to": self.ids[consumer], "slot": slot})
        self.expected: dict[tuple, int] = {}
        for node in self.order:
            if self.runs(node):
                for consumer, slot in zip(node.next, node.nrs, strict=True):
                    if consumer is not None:
                        self.expected[consumer, slot] = self.expected.get((consumer, slot), 0) + 1
        return out

    def node(self, node: Node) -> dict:
        """One node as plain data."""
        leaf, note = is_leaf(node), note_of(node)
        var = self.names.of(node)
        pairs = node.outputs or [(node.shape, node.dtype)]
        outputs = [None if pair is None else
                   {"shape": list(pair[0]), "dtype": pair[1].name,
                    "expected": self.expected.get((node, slot), 0)}
                   for slot, pair in enumerate(pairs)]
        name = node.name().rpartition("::")[2]
        number = None if leaf else self.numbers[node]
        value = measure(node.variable._array) if leaf else (note.value if note else None)
        maker = maker_of(node)
        source = maker.text if maker else note.source if note else None
        inputs = [{"position": i, "var": self.names.of_input(node, i),
                   "edge": self.edges.get((node, i))} for i in range(len(node.next))]
        return {
            **program(node), **made_by(maker), **written(node), **self.ends(note),
            **moved(node, note),
            "id": self.ids[node], "kind": "leaf" if leaf else "op" if node.op else "function",
            "label": f"{name}({var})" if leaf else f"{name}#{number}",
            "name": name, "number": number, "var": var,
            "source": source, "where": note.where if note and not maker else None,
            "module": None, "value": maker.value if maker else value,
            "outputs": [o or {"shape": [], "dtype": "none", "expected": 0} for o in outputs],
            "inputs": inputs, "saved": self.saved(node), "rules": rules(self, node), "hooks": [],
        }

    def called_in(self, nodes: list) -> None:
        """Say of the nodes in which calls of the learner's functions they were made."""
        noted = {self.ids[node]: note_of(node) for node in self.order if not is_leaf(node)}
        paths = {key: getattr(note, "calls", ()) for key, note in noted.items()}
        for key, calls in within(paths).items():
            nodes[int(key[1:])]["calls"] = calls

    def ends(self, note: Any) -> dict:
        """Of a node with inputs that have lost their graph: where the ways back from them end."""
        found = [{"var": self.names.by_tensor.get(id(ref())) if ref() is not None else None, **told}
                 for ref, told in (note.cut if note else ())]
        return {"ends": found} if found else {}

    def saved(self, node: Node) -> list:
        """What a node has saved (None once freed: then what its note remembers)."""
        inside = holder(node)
        items = inside.saved
        if items is None:
            return self.freed(node)
        names = inside.plan.saved_names if inside.plan is not None else [
            str(i) for i in range(len(items))]
        note = note_of(inside)
        out = self.entries[node] = []
        for i, (name, item) in enumerate(zip(names, items, strict=True)):
            if item is not None:
                remembered = note.saved[i] if note and i < len(note.saved) else None
                out.append((i, self.entry(inside, name, item, remembered)))
        return [entry for _, entry in out]

    def freed(self, node: Node) -> list:
        """Entries of a node that an earlier pass has freed: what the note knows of them."""
        note = note_of(node)
        names = node.plan.saved_names if node.plan is not None else [
            str(i) for i in range(len(note.saved) if note else 1)]
        out = self.entries[node] = []
        for i, name in enumerate(names):
            value = note.saved[i] if note and i < len(note.saved) else None
            out.append((i, {
                "key": self.key(), "name": name, "role": "input", "var": None,
                "shape": value["shape"] if value else [], "bytes": 0,
                "dtype": value["dtype"] if value else "none", "storage": self.storage(None),
                "value": value}))
        return [entry for _, entry in out]

    def entry(self, node: Node, name: str, item: Any, remembered: dict | None) -> dict:
        """One saved entry as plain data."""
        packed, place = isinstance(item, Packed), place_of(item)
        array = None if packed else getattr(item, "_array", item)
        value = remembered or measure(array)
        if place is not None:                          # a tensor that is not there yet
            array = Room(place.looks)
        role = ("intermediate" if place else "packed" if packed
                else "output" if isinstance(item, SavedResult)
                else "scalar" if not hasattr(item, "_array")
                else "input" if node.op else "intermediate")
        if role == "intermediate" and not place and self.names.is_input(node, item):
            role = "input"
        return {
            "key": self.key(), "name": name, "role": role,
            "var": self.names.of_saved(node, item),
            "shape": value["shape"] if value else list(getattr(array, "shape", ())),
            "dtype": value["dtype"] if value else array.dtype.name if place else "packed",
            "bytes": 0 if array is None else int(getattr(array, "nbytes", 8)),
            "storage": self.storage(None if role == "scalar" else array), "value": value}

    def key(self) -> str:
        """The next id of a saved entry."""
        self.keys += 1
        return f"s{self.keys - 1}"

    def storage(self, array: Any) -> str:
        """The id of the memory behind an array; the same for everything that shares it."""
        base = object() if array is None else owner(array) if hasattr(array, "base") else array
        self.keep_alive.append(base)
        found = self.storages.get(id(base))
        if found is None:
            found = self.storages[id(base)] = {
                "id": f"m{len(self.storages)}", "bytes": int(getattr(base, "nbytes", 0)),
                "parameter": False}
        return found["id"]


def program(node: Node) -> dict:
    """Of a custom Function: the lines of its backward, and what forward has put on `ctx`."""
    if not hasattr(node, "_forward_cls"):
        return {}
    return {"program": program_of(node), "context": context_of(node)}


def made_by(maker: Maker | None) -> dict:
    """Of a node that a backward pass has made: which pass, and which of its nodes."""
    return {"made_by": {"who": maker.by, "root": maker.root}} if maker else {}


def moved(node: Node, note: Any) -> dict:
    """Of a value that forward mode has given a tangent: that, as it was then."""
    if is_leaf(node):
        own = node.variable
        dual = isinstance(own, TensorBase) and own._flags & TRACKED and own._level is None
        tangent = own._tangent if dual else None
        found = measure(tangent._array) if tangent is not None else None
    else:
        found = note.tangent if note is not None else None
    return {"tangent": found} if found is not None else {}


def written(node: Node) -> dict:
    """Of a write through a view: what it replaced."""
    found = writes(node)
    return {"writes": found} if found else {}


def owner_of(t: Any) -> Any:
    """The array (or NumPy scalar) that owns a tensor's memory."""
    return owner(t._array) if hasattr(t._array, "base") else t._array


def is_leaf(node: Node) -> bool:
    """Whether the node is an accumulator."""
    return hasattr(node, "variable")


def keeps_grad(node: Node) -> bool:
    """Whether a pass writes a `.grad` here: an accumulator, or a result that retains its own."""
    return is_leaf(node) or bool(node._hooks is not None and node._hooks.retain)


def planned(task: GraphTask, roots: list) -> list:
    """All nodes in the order in which they will run; those not asked for at the end.

    The engine's rule played through without computing anything.
    """
    left = dict(task.dependencies)
    heap, arrivals, order = list(task.ready), len(task.ready), []
    runs = task.exec_info
    while heap:
        node = heappop(heap)[2]
        order.append(node)
        for consumer in node.next:
            if consumer is not None:
                left[consumer] -= 1
                if not left[consumer] and (runs is None or consumer in runs):
                    arrivals += 1
                    heappush(heap, (-consumer.sequence_nr, arrivals, consumer))
    seen = set(order)
    rest = [n for n in task.dependencies if n not in seen]
    return order + sorted(rest, key=lambda n: -n.sequence_nr)


def numbers(order: list) -> dict:
    """#0, #1, ... for operations, newest first."""
    operations = sorted((n for n in order if not is_leaf(n)), key=lambda n: -n.sequence_nr)
    return {node: i for i, node in enumerate(operations)}
