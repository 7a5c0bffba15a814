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
    counts = count(roots)
    reach = None if inputs is None else towards(counts, inputs, accumulate)
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
