"""Before a pass: how many gradients each node waits for, and which nodes run at all.

Both follow from the arrows of the graph, and arrows never change once a node is made: a write in
place makes new nodes. So a root from which pass after pass starts (`retain_graph`, a Jacobian row
by row) keeps the answer, from its second pass on.
"""

from typing import Any, NamedTuple

__all__ = ["count", "prepare"]


class Prepared(NamedTuple):
    """The answer, kept by the only root of a pass.

    The root itself is left out of it: it would be kept alive by what it keeps. All other nodes live
    as long as the root in any case. `others`: those of them that run, where inputs are given.
    """

    inputs: list | None
    accumulate: bool
    counts: dict
    others: set


def prepare(roots: tuple, inputs: list | None, accumulate: bool, again: bool) -> tuple:
    """How many gradients each node waits for, and the nodes that run (None: all).

    Args:
        roots: the nodes where the pass starts, each once.
        inputs: (node, output number) of what is asked for; None: every leaf.
        accumulate: the nodes of `inputs` run, too: they write `.grad`.
        again: the graph is kept, so another pass may come.
    """
    root = roots[0] if len(roots) == 1 else None
    kept = getattr(root, "_prepared", None)
    if kept and kept.inputs == inputs and kept.accumulate is accumulate:
        return {root: 0, **kept.counts}, None if inputs is None else {root, *kept.others}
    counts, reach = (count(roots), None) if inputs is None else towards(roots, inputs, accumulate)
    if root is not None and again:
        root._prepared = () if kept is None else keep(root, inputs, accumulate, counts, reach)
    return counts, reach


def keep(root: Any, inputs: list | None, accumulate: bool, counts: dict, reach: set | None) -> Any:
    """The answer without its root; () where something asked for is the root, or is not reached."""
    for node, _ in inputs or ():
        if node is root or node not in counts:
            return ()
    waiting = {node: n for node, n in counts.items() if node is not root}
    return Prepared(inputs, accumulate, waiting, (reach or set()) - {root})


def count(roots: tuple) -> dict:
    """How many gradients each node of the graph waits for. Iterative: graphs are deep."""
    counts = dict.fromkeys(roots, 0)
    nodes = list(counts)
    counts[None] = 0                                   # where no gradient is wanted
    for node in nodes:                                 # grows on the way
        for consumer in node.next:
            if consumer in counts:
                counts[consumer] += 1
            else:
                counts[consumer] = 1
                nodes.append(consumer)
    del counts[None]
    return counts


def towards(roots: tuple, inputs: list, accumulate: bool) -> tuple:
    """The same counts, and the nodes on a way to one of `inputs`: a walk against the arrows."""
    senders: dict[Any, list] = {root: [] for root in roots}
    stack = list(senders)
    while stack:
        node = stack.pop()
        for consumer in node.next:
            if consumer is not None:
                known = senders.get(consumer)
                if known is None:
                    senders[consumer] = [node]
                    stack.append(consumer)
                else:
                    known.append(node)
    targets = [node for node, _ in inputs if node in senders]
    reach, stack = set(), list(targets)
    while stack:
        for sender in senders[stack.pop()]:
            if sender not in reach:
                reach.add(sender)
                stack.append(sender)
    counts = dict(zip(senders, map(len, senders.values()), strict=True))
    return counts, reach.union(targets) if accumulate else reach
