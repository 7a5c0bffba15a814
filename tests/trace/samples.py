"""Records made by hand, for tests that need no engine: a program told node by node."""

import copy
from itertools import pairwise

from autodidact.trace.record import difference
from autodidact.trace.summary import summarise


def summary(value):
    """SUMMARY of a float64 array given as a nested list, or None."""
    if value is None:
        return None
    shape, probe = [], value
    while isinstance(probe, list):
        shape.append(len(probe))
        probe = probe[0]
    return summarise(value, shape, "float64")


def add(a, b):
    """Elementwise sum of nested lists; None is no gradient."""
    if a is None or b is None:
        return b if a is None else a
    return [add(x, y) for x, y in zip(a, b, strict=True)] if isinstance(a, list) else a + b


class Node:
    """One node of a hand-made program; `sends` are the gradients for its inputs, in order."""

    def __init__(
        self,
        name,
        var,
        source=None,
        value=0.0,
        inputs=(),
        saved=(),
        sends=(),
        rules=(),
        line=None,
        **kw,
    ):
        self.name, self.var, self.source, self.value = name, var, source, value
        self.inputs, self.saved, self.sends, self.rules, self.line = (
            inputs,
            saved,
            sends,
            rules,
            line,
        )
        self.outputs = kw.get("outputs", 1)
        self.kind = kw.get("kind", "leaf" if name == "AccumulateGrad" else "op")
        self.grad = kw.get("grad")
        self.fails = kw.get("fails")


class Program:
    """Nodes in order of running; an input is (variable, slot) or variable, None for a constant."""

    def __init__(self, *nodes, root="L", retain=False, seed=1.0, stale=()):
        self.nodes, self.retain, self.seed, self.stale = nodes, retain, seed, stale
        self.ids = {node.var: f"n{i}" for i, node in enumerate(nodes)}
        self.edges, self.storages, self.root = [], {}, root
        self.head = self._head()

    def record_parts(self):
        """(head, states) of the whole pass; `full` keeps the states before they became deltas."""
        self.full = self._states()
        return self.head, [
            self.full[0],
            *(difference(a, b) for a, b in pairwise(self.full)),
        ]

    # ---- head

    def _head(self):
        nodes = [self._node(i, node) for i, node in enumerate(self.nodes)]
        arriving = {}
        for edge in self.edges:
            key = edge["to"], edge["slot"]
            arriving[key] = arriving.get(key, 0) + 1
        for node in nodes:
            for slot, output in enumerate(node["outputs"]):
                output["expected"] = arriving.get((node["id"], slot), 0) + (
                    node["id"] == "n0" and slot == 0
                )
        return {
            "format": 1,
            "engine": "autodidact",
            "root": self.root,
            "roots": ["n0"],
            "options": {
                "retain_graph": self.retain,
                "create_graph": False,
                "inputs": None,
                "live": True,
            },
            "recorded": True,
            "nodes": nodes,
            "edges": self.edges,
            "storages": list(self.storages.values()),
            "layout": None,
        }

    def _node(self, i, node):
        leaf = node.kind == "leaf"
        number = None if leaf else sum(other.kind != "leaf" for other in self.nodes[:i])
        value = summary(node.value)
        out = {"shape": value["shape"], "dtype": "float64"}
        inputs, rules = [], []
        for position, given in enumerate(node.inputs):
            var, slot = given if isinstance(given, tuple) else (given, 0)
            edge = None
            if var in self.ids:
                edge = f"e{len(self.edges)}"
                self.edges.append(
                    {
                        "id": edge,
                        "from": f"n{i}",
                        "position": position,
                        "to": self.ids[var],
                        "slot": slot,
                    }
                )
                if position < len(node.rules):
                    latex = node.rules[position]
                    rules.append({"edge": edge, "latex": latex, "mathml": None, "text": latex})
            inputs.append({"position": position, "var": var, "edge": edge})
        return {
            "id": f"n{i}",
            "label": f"AccumulateGrad({node.var})" if leaf else f"{node.name}#{number}",
            "kind": node.kind,
            "name": node.name,
            "number": number,
            "var": node.var,
            "source": node.source,
            "where": {"cell": 3, "line": node.line, "file": None} if node.line else None,
            "module": None,
            "value": value,
            "outputs": [dict(out) for _ in range(node.outputs)],
            "inputs": inputs,
            "saved": [self._saved(i, k, *entry) for k, entry in enumerate(node.saved)],
            "rules": rules,
            "hooks": [],
        }

    def _saved(self, i, k, name, var, value, role="input"):
        told = summary(value)
        count = max(1, len(_flat(value)))
        storage = self.storages.setdefault(
            var or name, {"id": f"m{len(self.storages)}", "bytes": 8 * count}
        )
        storage["parameter"] = False
        return {
            "key": f"s{i}_{k}",
            "name": name,
            "role": role,
            "var": var,
            "shape": told["shape"],
            "dtype": "float64",
            "bytes": 8 * count,
            "storage": storage["id"],
            "value": told,
        }

    # ---- states

    def _states(self):
        full = [self._first()]
        for i, node in enumerate(self.nodes):
            full.append(self._step(full[-1], i, node))
            if node.fails:
                break
        return full

    def _first(self):
        empty = {node["id"]: [[] for _ in node["outputs"]] for node in self.head["nodes"]}
        total = {node["id"]: [None for _ in node["outputs"]] for node in self.head["nodes"]}
        empty["n0"][0] = [{"edge": None, "value": summary(self.seed)}]
        total["n0"][0] = summary(self.seed)
        self.totals = {("n0", 0): self.seed}
        saved = {}
        for node in self.head["nodes"]:
            for entry in node["saved"]:
                state = (
                    "none"
                    if entry["role"] == "scalar"
                    else "stale"
                    if entry["var"] in self.stale
                    else "kept"
                )
                actual = 1 if state == "stale" else 0
                saved[entry["key"]] = {"state": state, "expected": 0, "actual": actual}
        leaves = {self.ids[node.var]: node for node in self.nodes if node.kind == "leaf"}
        state = {
            "step": 0,
            "ran": None,
            "next": "n0",
            "end": None,
            "status": {node["id"]: "waiting" for node in self.head["nodes"]} | {"n0": "next"},
            "received": empty,
            "total": total,
            "saved": saved,
            "bytes": self._bytes(saved),
            "grads": {
                i: {
                    "value": summary(leaf.grad),
                    "object": "g0" if leaf.grad is not None else None,
                    "new": False,
                    "shares": None,
                }
                for i, leaf in leaves.items()
            },
            "predicted": {},
            "sent": {},
            "events": [],
            "say": [{"id": "step.next", "args": {"who": self.nodes[0].var}}],
            "error": None,
            "outside": [],
        }
        state["predicted"] = self._predicted(0)
        return state

    def _predicted(self, i):
        out, held = {}, {}
        sends = iter(self.nodes[i].sends)
        for edge in (e for e in self.edges if e["from"] == f"n{i}"):
            value = next(sends)
            key = edge["to"], edge["slot"]
            held[key] = add(held.get(key, self.totals.get(key)), value)
            out[edge["id"]] = {"value": summary(value), "numbers": None, "then": summary(held[key])}
        return out

    def _bytes(self, saved):
        kept = {
            entry["storage"]
            for node in self.head["nodes"]
            for entry in node["saved"]
            if saved[entry["key"]]["state"] in ("kept", "stale")
        }
        return sum(m["bytes"] for m in self.head["storages"] if m["id"] in kept)

    def _step(self, before, i, node):
        state, me = copy.deepcopy(before), f"n{i}"
        last = i + 1 == len(self.nodes)
        state |= {
            "step": i + 1,
            "ran": me,
            "next": None if last else f"n{i + 1}",
            "end": "ok" if last else None,
        }
        state |= {"predicted": {}, "events": [], "say": [], "error": None, "outside": []}
        if node.fails:
            return self._failure(state, me, node)
        events = state["events"]
        for entry in self.head["nodes"][i]["saved"]:
            events.append(
                {"kind": "unpack", "node": me, "edge": None, "key": entry["key"], "args": {}}
            )
        if not self.retain:
            for entry in self.head["nodes"][i]["saved"]:
                if state["saved"][entry["key"]]["state"] != "none":
                    state["saved"][entry["key"]]["state"] = "freed"
                    events.append(
                        {"kind": "free", "node": me, "edge": None, "key": entry["key"], "args": {}}
                    )
        state["status"][me] = "done"
        if node.kind == "leaf":
            value = add(node.grad, self.totals.get((me, 0)))
            new = node.grad is None
            state["grads"][me] = {
                "value": summary(value),
                "object": "g1" if new else "g0",
                "new": new,
                "shares": None,
            }
            events.append({"kind": "accumulate", "node": me, "edge": None, "key": None, "args": {}})
        self._send(state, i, node)
        state["bytes"] = self._bytes(state["saved"])
        if not last:
            state["status"][f"n{i + 1}"] = "next"
            state["predicted"] = self._predicted(i + 1)
        return state

    def _send(self, state, i, node):
        sends = iter(node.sends)
        for edge in (e for e in self.edges if e["from"] == f"n{i}"):
            value, key = next(sends), (edge["to"], edge["slot"])
            self.totals[key] = add(self.totals.get(key), value)
            state["received"][key[0]][key[1]].append({"edge": edge["id"], "value": summary(value)})
            state["total"][key[0]][key[1]] = summary(self.totals[key])
            state["sent"][edge["id"]] = summary(value)
            state["events"].append(
                {"kind": "send", "node": f"n{i}", "edge": edge["id"], "key": None, "args": {}}
            )
            target = next(n for n in self.head["nodes"] if n["id"] == key[0])
            got = sum(len(slot) for slot in state["received"][key[0]])
            if got == sum(output["expected"] for output in target["outputs"]):
                state["status"][key[0]] = "ready"

    def _failure(self, state, me, node):
        message, say = node.fails
        state |= {"next": None, "end": "error"}
        state["status"][me] = "failed"
        state["error"] = {"class": "RuntimeError", "message": message, "node": me, "say": say}
        state["events"].append({"kind": "error", "node": me, "edge": None, "key": None, "args": {}})
        return state


def _flat(value):
    return [x for each in value for x in _flat(each)] if isinstance(value, list) else [value]


class Diamond(Program):
    """The diamond of the mock pictures: numbers in the rules, sentences of step 2."""

    def _states(self):
        full = super()._states()
        numbers = {"e4": "16 * 3", "e5": "16 * 2", "e0": "1 * 8", "e1": "1 * 8"}
        for state in full:
            for edge, predicted in state["predicted"].items():
                predicted["numbers"] = numbers.get(edge)
        full[2]["say"] = [
            {"id": "step.sent", "args": {"who": "d", "what": [["16", "c"], ["16", "a"]]}},
            {"id": "step.next_waits", "args": {"who": "c", "waiting": [["a", 1]]}},
        ]
        return full


def diamond():
    """c = a * b; d = c + a; L = d * d."""
    return Diamond(
        Node(
            "MulBackward0",
            "L",
            "L = d * d",
            64.0,
            ("d", "d"),
            (("self", "d", 8.0), ("other", "d", 8.0)),
            (8.0, 8.0),
            ("dL/dL * d", "dL/dL * d"),
            line=5,
        ),
        Node(
            "AddBackward0",
            "d",
            "d = c + a",
            8.0,
            ("c", "a"),
            (),
            (16.0, 16.0),
            ("dL/dd", "dL/dd"),
            line=4,
        ),
        Node(
            "MulBackward0",
            "c",
            "c = a * b",
            6.0,
            ("a", "b"),
            (("self", "a", 2.0), ("other", "b", 3.0)),
            (48.0, 32.0),
            ("dL/dc * b", "dL/dc * a"),
            line=3,
        ),
        Node("AccumulateGrad", "a", value=2.0),
        Node("AccumulateGrad", "b", value=3.0),
    )


def linear():
    """h = x @ W; z = h + bias; y = z.relu(); L = y.sum()."""
    ones, mask = [[1.0, 1.0], [1.0, 1.0]], [[0.0, 1.0], [1.0, 0.0]]
    x = [[1.0, -1.0, 2.0], [0.0, 1.0, 1.0]]
    h = [[-1.0, 3.0], [2.0, 0.0]]
    return Program(
        Node(
            "SumBackward0", "L", "L = y.sum()", 5.0, ("y",), (), (ones,), ("expand(dL/dL)",), line=4
        ),
        Node(
            "ReluBackward0",
            "y",
            "y = z.relu()",
            [[0.0, 2.5], [2.5, 0.0]],
            ("z",),
            (("result", "y", [[0.0, 2.5], [2.5, 0.0]], "output"),),
            (mask,),
            ("where(y > 0, dL/dy, 0)",),
            line=3,
        ),
        Node(
            "AddBackward0",
            "z",
            "z = h + bias",
            [[-0.5, 2.5], [2.5, -0.5]],
            ("h", "bias"),
            (("alpha", None, 1.0, "scalar"),),
            (mask, [1.0, 1.0]),
            ("dL/dz", "dL/dz"),
            line=2,
        ),
        Node("AccumulateGrad", "bias", value=[0.5, -0.5]),
        Node(
            "MmBackward0",
            "h",
            "h = x @ W",
            h,
            ("x", "W"),
            (("self", "x", x),),
            ([[0.0, 1.0], [1.0, -1.0], [1.0, 2.0]],),
            ("", "x^T @ dL/dh"),
            line=1,
        ),
        Node("AccumulateGrad", "W", value=[[1.0, 0.0], [2.0, -1.0], [0.0, 1.0]]),
    )


def inplace():
    """w = x * 1; y = w * w; L = y * 2; w.add_(1): the pass stops at y."""
    say = [
        {"id": "error.inplace", "args": {"changed": 5, "var": "w", "saved": 3}},
        {"id": "error.stops_none", "args": {"what": ["x.grad"]}},
    ]
    message = (
        "one of the variables needed for gradient computation has been modified "
        "by an inplace operation"
    )
    return Program(
        Node(
            "MulBackward0",
            "L",
            "L = y * 2",
            18.0,
            ("y", None),
            (("other", None, 2.0),),
            (2.0,),
            ("dL/dL * 2",),
            line=4,
        ),
        Node(
            "MulBackward0",
            "y",
            "y = w * w",
            9.0,
            ("w", "w"),
            (("self", "w", 4.0), ("other", "w", 4.0)),
            (6.0, 6.0),
            ("dL/dy * w", "dL/dy * w"),
            line=3,
            fails=(message, say),
        ),
        Node(
            "MulBackward0",
            "w",
            "w = x * 1",
            4.0,
            ("x", None),
            (("other", None, 1.0),),
            (12.0,),
            ("dL/dw * 1",),
            line=2,
        ),
        Node("AccumulateGrad", "x", value=3.0),
        stale=("w",),
    )


def unbind():
    """p, q = x.unbind(0); L = p * 4: q is not used, so None arrives."""
    return Program(
        Node(
            "MulBackward0",
            "L",
            "L = p * 4",
            4.0,
            (("p", 0), None),
            (("other", None, 4.0),),
            (4.0,),
            ("dL/dL * 4",),
        ),
        Node(
            "UnbindBackward0",
            "p",
            "p, q = x.unbind(0)",
            1.0,
            ("x",),
            (),
            ([4.0, 0.0],),
            (),
            outputs=2,
        ),
        Node("AccumulateGrad", "x", value=[1.0, 2.0]),
    )


def rnn(steps=3):
    """h = tanh(h * u + x), several times; numbers are not torch's, the graph is."""
    nodes = [Node("SumBackward0", "L", "L = h.sum()", 0.5, (f"h{steps}",), (), (1.0,), ("dL/dL",))]
    for k in range(steps, 0, -1):
        before = f"h{k - 1}" if k > 1 else None
        sends = (0.25, 0.5) if before else (0.5,)
        inputs = (f"m{k}", "x")
        saved = (("result", f"h{k}", 0.658421, "output"),)
        nodes += [
            Node(
                "TanhBackward0",
                f"h{k}",
                "h = torch.tanh(h * u + x)",
                0.658421,
                (f"s{k}",),
                saved,
                (0.5,),
            ),
            Node("AddBackward0", f"s{k}", "h = torch.tanh(h * u + x)", 0.8, inputs, (), (0.5, 0.5)),
            Node(
                "MulBackward0",
                f"m{k}",
                "h = torch.tanh(h * u + x)",
                0.3,
                (before, "u"),
                (("self", "h", 0.3), ("other", "u", 0.3)),
                sends,
            ),
        ]
    nodes += [
        Node("AccumulateGrad", "u", value=0.3, grad=1.0),
        Node("AccumulateGrad", "x", value=0.5),
    ]
    return Program(*nodes)


PROGRAMS = {"diamond": diamond, "linear": linear, "inplace": inplace, "unbind": unbind, "rnn": rnn}
ALL = {name: lambda make=make: make().record_parts() for name, make in PROGRAMS.items()}
