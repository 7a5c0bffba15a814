"""The newest state of a pass, kept so that a step costs what it changes, however large the graph.

A state's parts have an entry for every node. `on_top` begins the state after a step: its parts look
through to those of the state before, and take what the step writes. So both states can be read
while the step is told. `settle` then writes the changes into the state before, which becomes the
one after.
"""

from collections import ChainMap

from autodidact.trace.record import MERGED, OPTIONAL, difference

__all__ = ["on_top", "settle", "snapshot", "written"]

PARTS = (*MERGED, *OPTIONAL)


def on_top(state: dict) -> dict:
    """A state that begins as a copy of `state`, and copies nothing."""
    parts = {part: ChainMap({}, state[part]) for part in PARTS if part in state}
    return {**state, **parts}


def written(state: dict, part: str) -> dict:
    """What a step has written to a part of a state that `on_top` began."""
    found = state.get(part, {})
    return found.maps[0] if isinstance(found, ChainMap) else found


def settle(before: dict, after: dict) -> dict:
    """Make `after` a plain state, at the expense of `before`; returns the delta between them."""
    delta = difference(before, after)
    for part in PARTS:
        if isinstance(after.get(part), ChainMap):
            before[part].update(after[part].maps[0])
            after[part] = before[part]
    return delta


def snapshot(state: dict) -> dict:
    """A copy that stays as it is while the pass goes on."""
    return {**state, **{part: dict(state[part]) for part in PARTS if part in state}}
