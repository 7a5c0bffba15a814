"""Before a pass: how many gradients each node waits for, which nodes run at all, in which order.

All three follow from the arrows of the graph, and arrows never change once a node is made: a write
in place makes new nodes. So a root from which pass after pass starts (`retain_graph`, a Jacobian
row by row) keeps the answer, from its second pass on.
"""

from heapq import heapify, heappop, heappush
from itertools import chain
from operator import attrgetter
from typing import Any, NamedTuple

__all__ = ["RENUMBERED", "count", "order", "prepare"]

LARGE = 1 << 16      # nodes: for more, nothing is kept, which would be megabytes
next_of = attrgetter("next")
RENUMBERED = [0]     # goes up when a node is given another sequence number: orders may change


class Prepared(NamedTuple):
    """The answer, kept by the only root of a pass.

    The root itself is left out of it: it would be kept alive by what it keeps. All other nodes live
    as long as the root in any case.

    Attributes:
        asked: inputs, accumulate, RENUMBERED: what the answer is for.
        counts: how many gradients each node waits for.
        others: where inputs are given, the nodes that run.
        first, route: of the root, and of the nodes after it that run or are asked for, in their
            order: to whom results go, as (position, node), where nothing else comes to any of
            them; None where sums have to be made.
    """

    asked: tuple
    counts: dict
    others: set
    first: tuple | None
    route: list


def prepare(roots: tuple, inputs: list | None, accumulate: bool, again: bool) -> tuple:
    """How many gradients each node waits for; the nodes that run (None: all); the route.

    The route is the order of the nodes, with where their results go, where a root has kept it.

    Args:
        roots: the nodes where the pass starts, each once.
        inputs: (node, output number) of what is asked for; None: every leaf.
        accumulate: the nodes of `inputs` run, too: they write `.grad`.
        again: the graph is kept, so another pass may come.
    """
    root = roots[0] if len(roots) == 1 else None
    kept = getattr(root, "_prepared", None)
    if kept:
        asked, counts, others, first, route = kept
        if asked == (inputs, accumulate, RENUMBERED[0]):
            return ({root: 0, **counts}, None if inputs is None else {root, *others},
                    [(root, first), *route])
    counts = count(roots)
    reach = None if inputs is None else towards(counts, inputs, accumulate)
    if root is not None and again:
        root._prepared = () if kept is None else keep(root, inputs, accumulate, counts, reach)
    return counts, reach, None


def keep(root: Any, inputs: list | None, accumulate: bool, counts: dict, reach: set | None) -> Any:
    """The answer without its root; () where something asked for is the root, or is not reached."""
    if len(counts) > LARGE:
        return ()
    for node, _ in inputs or ():
        if node is root or node not in counts:
            return ()
    waiting = {node: n for node, n in counts.items() if node is not root}
    runs = counts if reach is None else reach.union(node for node, _ in inputs or ())
    route = [(node, targets_of(node, runs, counts)) for node in order((root,), counts)
             if node in runs]
    return Prepared((inputs, accumulate, RENUMBERED[0]), waiting, (reach or set()) - {root},
                    route[0][1], route[1:])


def targets_of(node: Any, runs: Any, counts: dict) -> tuple | None:
    """(position, receiver) of the results that are wanted; None where one is part of a sum."""
    found = tuple([(i, to) for i, to in enumerate(node.next) if to is not None and to in runs])
    return found if all(counts[to] == 1 and to.outputs is None for _, to in found) else None


def order(roots: tuple, counts: dict) -> list:
    """The nodes in the order in which a pass runs them."""
    waiting = dict(counts)
    heap = [(-node.sequence_nr, i, node) for i, node in enumerate(roots) if not waiting[node]]
    heapify(heap)
    found, arrivals = [], len(heap)
    while heap:
        node = heappop(heap)[2]
        found.append(node)
        for consumer in node.next:
            if consumer is None:
                continue
            waiting[consumer] -= 1
            if not waiting[consumer]:
                arrivals += 1
                heappush(heap, (-consumer.sequence_nr, arrivals, consumer))
    return found


def count(roots: tuple) -> dict:
    """How many gradients each node of the graph waits for. Iterative: graphs are deep."""
    counts = dict.fromkeys(roots, 0)
    nodes = list(counts)
    counts[None] = 0                                   # where no gradient is wanted
    for consumer in chain.from_iterable(map(next_of, nodes)):      # `nodes` grows on the way
        if consumer in counts:
            counts[consumer] += 1
        else:
            counts[consumer] = 1
            nodes.append(consumer)
    del counts[None]
    return counts


def towards(counts: dict, inputs: list, accumulate: bool) -> set:
    """The nodes that lead to one of `inputs`; with `accumulate` also those of the inputs.

    Every way through the graph comes to an end. Where all ends are asked for (all parameters of a
    model), so is everything before them, and nobody needs to walk back.
    """
    targets = {node for node, _ in inputs}
    ends = [node for node in counts if not any(node.next)]
    reach = set(counts).difference(ends) if targets.issuperset(ends) else before(counts, targets)
    return reach.union(targets.intersection(counts)) if accumulate else reach


def before(counts: dict, targets: set) -> set:
    """The nodes from which a way leads to one of the targets: a walk against the arrows."""
    senders: dict[Any, list] = {node: [] for node in counts}
    for node in counts:
        for consumer in node.next:
            if consumer is not None:
                senders[consumer].append(node)
    reach, stack = set(), [node for node in targets if node in counts]
    while stack:
        for sender in senders[stack.pop()]:
            if sender not in reach:
                reach.add(sender)
                stack.append(sender)
    return reach
