"""A learner's own graph as the head of a record: objects with `parents()`, `value()`, `rule()`.

Nothing of the package's engine is asked for. What is not there (saved tensors, hooks, versions) is
simply absent.
"""

from typing import Any

import numpy as np

from autodidact.trace.measure import measure

__all__ = ["OwnGraph"]

MOST = 2000                  # nodes; a list longer than that is no lesson
OPERATORS = ("+", "-", "*", "/", "**", "@")


class OwnGraph:
    """The objects behind `root`, and the ids that their record uses.

    Args:
        root: the last object of the learner's graph.
        order: the objects in the order in which they shall run; None: the right one.
        names: object id -> what the learner calls it.

    Attributes:
        head: the record without its states.
        nodes: the objects in the order of running; those that the order leaves out come last.
        runs: how many of them run.
        parents: for each object's id, its parents; None where a parent is a plain number.

    Raises:
        TypeError: an object without the three methods.
        ValueError: a circle among the parents, an order with a stranger or with one object twice.
    """

    def __init__(self, root: Any, order: Any, names: dict[int, str]) -> None:
        self.parents: dict[int, tuple] = {}
        right = self.sorted(root)
        given = right if order is None else listed(order, right)
        seen = {id(node) for node in given}
        self.nodes = [*given, *(node for node in right if id(node) not in seen)]
        self.runs, self.right = len(given), right
        self.ids = {id(node): f"n{k}" for k, node in enumerate(self.nodes)}
        self.names = self.settled(names)
        self.edges: dict[tuple, str] = {}
        edges = self.edge_list()
        self.head = {
            "format": 1, "engine": "own", "root": self.names.get(id(root)),
            "roots": [self.ids[id(root)]],
            "options": {"retain_graph": False, "create_graph": False, "inputs": None,
                        "live": False},
            "recorded": True, "nodes": [self.node(k, n) for k, n in enumerate(self.nodes)],
            "edges": edges, "storages": [], "layout": None,
        }
        at = int(self.ids[id(root)][1:])
        self.head["nodes"][at]["outputs"][0]["expected"] += 1

    def sorted(self, root: Any) -> list:
        """The right order: every node before its parents. Iterative: graphs are deep."""
        order, begun, stack = [], {id(root)}, [(root, iter(self.ask(root)))]
        done: set[int] = set()
        while stack:
            node, rest = stack[-1]
            parent = next((p for p in rest if p is not None and id(p) not in done), None)
            if parent is None:
                done.add(id(node))
                order.append(stack.pop()[0])
            elif id(parent) in begun:
                raise ValueError(f"the parents of {type(parent).__name__} lead back to it: a graph "
                                 "with a circle in it has no order")
            elif len(begun) >= MOST:
                raise ValueError(f"more than {MOST} objects behind the root")
            else:
                begun.add(id(parent))
                stack.append((parent, iter(self.ask(parent))))
        return order[::-1]

    def ask(self, node: Any) -> tuple:
        """An object's parents; a plain number among them has no edge."""
        missing = [name for name in ("parents", "value", "rule") if not hasattr(node, name)]
        if missing:
            raise TypeError(f"{type(node).__name__} has no {' and no '.join(missing)}: the stepper "
                            "needs parents(), value() and rule(grad)")
        found = tuple(p if hasattr(p, "parents") else None for p in asked(node, "parents"))
        return self.parents.setdefault(id(node), found)

    def settled(self, names: dict[int, str]) -> dict[int, str]:
        """Every leaf has a name; a result goes by its variable, where it has one."""
        out, count = {}, 0
        for node in self.right[::-1]:
            name = names.get(id(node)) or (getattr(node, "name", None) or None)
            if not isinstance(name, str) and not self.parents[id(node)]:
                count += 1
                name = f"leaf{count}"
            if isinstance(name, str):
                out[id(node)] = name
        return out

    def edge_list(self) -> list:
        """Every edge, in the order of its sender."""
        out = []
        self.expected = dict.fromkeys(self.ids, 0)
        for k, node in enumerate(self.nodes):
            for position, parent in enumerate(self.parents[id(node)]):
                if parent is not None:
                    self.expected[id(parent)] += k < self.runs
                    key = self.edges[id(node), position] = f"e{len(out)}"
                    out.append({"id": key, "from": self.ids[id(node)], "position": position,
                                "to": self.ids[id(parent)], "slot": 0})
        return out

    def node(self, number: int, node: Any) -> dict:
        """One object as plain data."""
        parents, value = self.parents[id(node)], measure(asked(node, "value"))
        leaf, name = not parents, type(node).__name__
        var = self.names.get(id(node))
        return {
            "id": self.ids[id(node)], "kind": "leaf" if leaf else "op",
            "label": f"{name}({var})" if leaf else f"{name}#{number}", "name": name,
            "number": None if leaf else number, "var": var, "source": self.source(node),
            "where": None, "module": None, "value": value,
            "outputs": [{"shape": value["shape"], "dtype": value["dtype"],
                         "expected": self.expected[id(node)]}],
            "inputs": [{"position": i, "var": p and self.names.get(id(p)),
                        "edge": self.edges.get((id(node), i))} for i, p in enumerate(parents)],
            "saved": [], "rules": [], "hooks": [],
        }

    def source(self, node: Any) -> str | None:
        """`c = a * b`, put together from the object's `op`, where it has one, and the names."""
        op, parents = getattr(node, "op", None), self.parents[id(node)]
        if not isinstance(op, str) or not op or not parents:
            return None
        words = [(p and self.names.get(id(p))) or (p and "(...)") or "..." for p in parents]
        text = f" {op} ".join(words) if op in OPERATORS and len(words) == 2 else (
            f"{op}({', '.join(words)})")
        var = self.names.get(id(node))
        return f"{var} = {text}" if var else text


def asked(node: Any, name: str) -> Any:
    """What a method of the learner's class answers; an attribute is taken as it is."""
    found = getattr(node, name)
    return found() if callable(found) else found


def listed(order: Any, right: list) -> list:
    """The learner's order as a list; refused where it is not one of this graph's objects."""
    order, known, seen = list(order), {id(node) for node in right}, set()
    for node in order:
        if id(node) not in known:
            raise ValueError(f"the order holds a {type(node).__name__} that is not in the graph of "
                             "the root")
        if id(node) in seen:
            raise ValueError(f"the order holds the same {type(node).__name__} twice")
        seen.add(id(node))
    if not order:
        raise ValueError("the order is empty: nothing would run")
    return order


def close(a: Any, b: Any) -> bool:
    """Whether two gradients are the same number, but for rounding."""
    if a is None or b is None:
        return a is b
    return np.shape(a) == np.shape(b) and bool(np.allclose(a, b, rtol=1e-6, equal_nan=True))
