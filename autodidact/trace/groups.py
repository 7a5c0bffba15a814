"""A big graph in groups that can be read: by module or function, then by line of the program.

Every group holds either other groups or nodes, and never many of them: a module holds its
submodules (a call of a function the calls in it) and, between them, runs of its own operations;
what is still too many is divided into stretches of the pass. So a view draws one group at a time,
however large the graph is.
"""

import re
from collections import Counter

from autodidact.trace.plain import visible

__all__ = ["LARGEST_WHOLE", "groups", "steps_within"]

LARGEST_WHOLE = 60    # nodes that are drawn as one picture, as in `widgets/src/groups.ts`
MOST_NODES = 30       # of one group, leaves apart
MOST_GROUPS = 40      # side by side
LONGEST = 60          # characters of a name
SHORT = 12            # steps, each of which has its name on the time line
MOST_STRETCHES = 30   # brackets under it
DEEPEST = 12          # modules inside modules that are told there
SMALL = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_NUMBER = re.compile(r"Backward\d*$")


class Group:
    """A group in the making: `parts` are groups and nodes, in the order of the pass."""

    def __init__(self, name, parts=(), stretch=None):
        self.name, self.parts, self.stretch = name, list(parts), stretch


def groups(head):
    """The groups of a head, every group after the one that holds it.

    Returns:
        A list of {"id", "parent", "name", "stretch", "nodes"}: the id of the group it lies in (None
        for those of the first level), its name, for a stretch of the pass the numbers of its first
        and last node there, else None, and the ids of the nodes in it (empty where it holds groups;
        a leaf is in the group of the node that sends to it first).

    Example: groups(record.head)[0]["name"].
    """
    order = [node for node in head["nodes"] if node["kind"] != "leaf"]
    number = {node["id"]: i for i, node in enumerate(order, 1)}
    outer = set() if by_function(head) else called_from(order)
    top = divided(runs(tree(order, paths(head, order)), outer), number)
    leaves = leaves_of(head)
    out = []
    todo = [(None, part) for part in top]
    while todo:
        parent, group = todo.pop(0)
        key = f"g{len(out)}"
        nodes = [part["id"] for part in group.parts if isinstance(part, dict)]
        out.append({"id": key, "parent": parent, "name": group.name, "stretch": group.stretch,
                    "nodes": [each for node in nodes for each in (node, *leaves.get(node, ()))]})
        todo += [(key, part) for part in group.parts if isinstance(part, Group)]
    return out


def by_function(head):
    """Whether calls of functions are the groups: if that is asked for, or no module is known."""
    known = any(node["module"] for node in head["nodes"])
    return head.get("grouped", "module" if known else "function") == "function"


def paths(head, order):
    """Node id -> the way to its group: (key, name) of each group on it, outermost first."""
    if not by_function(head):
        return {node["id"]: [(name, visible(name)[:LONGEST]) for name in node["module"].split(".")]
                for node in order if node["module"]}
    calls = {number: name for node in order for number, name in node.get("calls", ())}
    several = Counter(calls.values())
    seen, names = Counter(), {}
    for number, name in sorted(calls.items()):
        seen[name] += 1
        which = str(seen[name]).translate(SMALL) if several[name] > 1 else ""
        names[number] = visible(name)[:LONGEST] + which
    return {node["id"]: [(number, names[number]) for number, _ in node.get("calls", ())]
            for node in order}


def steps_within(head, skipped):
    """The stretches of a long pass that are in one module, or in one call of a function.

    As deep inside as there is room for: at most `MOST_STRETCHES`, as in `timeline_parts.ts`.

    Args:
        head: the record without its states.
        skipped: ids of the nodes that do not run.

    Returns:
        A list of (path, first step, last step); of a pass of few steps, or where neither modules
        nor calls are known, it is empty.
    """
    nodes, sender = {node["id"]: node for node in head["nodes"]}, {}
    for edge in head["edges"]:
        sender.setdefault(edge["to"], edge["from"])
    way = own_way if by_function(head) else module_way
    # a leaf is in the module that sends to it
    ways = [way(nodes[sender.get(node["id"], node["id"])] if node["kind"] == "leaf" else node)
            for node in head["nodes"] if node["id"] not in skipped]
    if len(ways) <= SHORT:
        return []
    for depth in range(min(DEEPEST, max(map(len, ways))), 0, -1):
        found = []
        for step, path in enumerate(ways, 1):
            if found and found[-1][0] == path[:depth]:
                found[-1][2] = step
            else:
                found.append([path[:depth], step, step])
        if len(found) <= MOST_STRETCHES:
            return [(".".join(visible(name) for _, name in path), first, last)
                    for path, first, last in found if path]
    return []


def module_way(node):
    """The modules that a node is in, outermost first."""
    return [(name, name) for name in node["module"].split(".")] if node["module"] else []


def own_way(node):
    """The calls of the learner's functions that a node is in, outermost first."""
    return [tuple(call) for call in node.get("calls", ())]


def tree(order, ways):
    """Modules (or calls) inside each other; what belongs to none, and their own nodes, beside."""
    root, known = Group(""), {}
    for node in order:
        group, path = root, ()
        for key, name in ways.get(node["id"], ()):
            path = (*path, key)
            if path not in known:
                known[path] = Group(name)
                group.parts.append(known[path])
            group = known[path]
        group.parts.append(node)
    return root


def called_from(order):
    """Lines that stand for more than one module: calls of a model, no line of its own."""
    modules = {}
    for node in order:
        if node["module"]:
            modules.setdefault(line_of(node), set()).add(node["module"])
    return {line for line, paths in modules.items() if len(paths) > 1}


def runs(group, outer):
    """The same, with neighbouring nodes of one line as groups wherever there are groups."""
    stack = [group]
    while stack:
        now = stack.pop()
        if now is not group and all(isinstance(part, dict) for part in now.parts):
            continue
        parts, last = [], None
        for part in now.parts:
            key = None if isinstance(part, Group) else line_of(part)
            if key is None:
                parts.append(part)
                stack.append(part)
            elif key == last:
                parts[-1].parts.append(part)
            else:
                parts.append(Group("", [part]))
            last = key
        for each in parts:
            each.name = each.name or name_of(each.parts, outer)
        now.parts = parts
    return group


def line_of(node):
    """What nodes of one run share: the line of the program, where it is known."""
    where = node["where"] or {"cell": None, "file": None, "line": None}
    return where["cell"], where["file"], where["line"]


def name_of(nodes, outer):
    """A run's name: the longest piece of its line, else its operations."""
    words = max((node["source"] or "" for node in nodes), key=len)
    if not words or line_of(nodes[0]) in outer:
        names = dict.fromkeys(_NUMBER.sub("", node["name"]) for node in nodes)
        words = ", ".join(name[:1].lower() + name[1:] for name in names)
    return visible(words)[:LONGEST]


def divided(group, number):
    """The parts of a group, no more than can be read at once; so in all groups below."""
    stack = [group]
    while stack:
        now = stack.pop()
        while len(now.parts) > (most := most_of(now)):
            now.parts = stretches(now.parts, most, number)
        stack += [part for part in now.parts if isinstance(part, Group)]
    return group.parts


def most_of(group):
    """How many parts a group may have."""
    return MOST_GROUPS if isinstance(group.parts[0], Group) else MOST_NODES


def stretches(parts, most, number):
    """Neighbours together, `most` at a time."""
    out = []
    for start in range(0, len(parts), most):
        part = Group("", parts[start:start + most])
        inside = sorted(number[node["id"]] for node in nodes_in(part))
        part.stretch = [inside[0], inside[-1]]
        out.append(part)
    return out


def nodes_in(group):
    """All nodes of a group and of the groups in it."""
    stack, out = [group], []
    while stack:
        for part in stack.pop().parts:
            (out if isinstance(part, dict) else stack).append(part)
    return out


def leaves_of(head):
    """Node -> the leaves that it is the first to send to."""
    kinds = {node["id"]: node["kind"] for node in head["nodes"]}
    out, seen = {}, set()
    place = {node["id"]: i for i, node in enumerate(head["nodes"])}
    for edge in sorted(head["edges"], key=lambda edge: place[edge["from"]]):
        if kinds[edge["to"]] == "leaf" and edge["to"] not in seen:
            seen.add(edge["to"])
            out.setdefault(edge["from"], []).append(edge["to"])
    return out
