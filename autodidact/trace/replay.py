"""Inside a step: the states between two nodes, one per event, put together from the record.

A record holds one state per node. What happened inside a step is in its list of events, so the
states in between need not be kept: `part` starts from the state before and lets the first `count`
events happen. The same is done in the browser (`widgets/src/replay.ts`).
"""

from autodidact.trace.plain import expected_count, received_count

__all__ = ["KEEP", "bytes_kept", "part"]

KEEP = ("kept", "stale")


def part(head, before, after, count):
    """The state in which the first `count` events of a step have happened.

    Args:
        head: the record without its states.
        before, after: the folded states around the step.
        count: how many events; 0 is the moment before the first, all of them give `after`.

    Returns:
        A state as `fold` gives it, with one member more where it lies inside a step:
        "part", {"done": count, "of": number of events}.
    """
    events = after["events"]
    if count >= len(events):
        return after
    ran = after["ran"]
    state = {**before, "step": after["step"], "ran": ran, "next": ran, "events": events[:count],
             "say": [], "error": None, "outside": after["outside"], "end": None,
             "part": {"done": count, "of": len(events)}}
    for key in ("status", "received", "total", "saved", "grads", "sent", "predicted"):
        state[key] = dict(before[key])
    state["status"] = {**state["status"], ran: "next"}
    edges = {edge["id"]: edge for edge in head["edges"]}
    nodes = {node["id"]: node for node in head["nodes"]}
    for event in state["events"]:
        if event["kind"] == "send":
            _deliver(state, after, edges[event["edge"]], nodes, event)
        elif event["kind"] == "free":
            state["saved"][event["key"]] = after["saved"][event["key"]]
        elif event["kind"] == "accumulate":
            state["grads"][ran] = after["grads"][ran]
    state["bytes"] = bytes_kept(head, state["saved"])
    return state


def _deliver(state, after, edge, nodes, event):
    """One gradient arrives."""
    to, slot = edge["to"], edge["slot"]
    value = after["sent"][edge["id"]]
    slots = [list(parts) for parts in state["received"][to]]
    slots[slot].append({"edge": edge["id"], "value": value})
    totals = list(state["total"][to])
    totals[slot] = event["total"] if "total" in event else after["total"][to][slot]
    state["received"][to], state["total"][to] = slots, totals
    state["sent"][edge["id"]] = value
    state["predicted"].pop(edge["id"], None)
    whole = received_count(to, state) >= expected_count(nodes[to])
    if whole and state["status"][to] == "waiting":
        state["status"][to] = "ready"


def bytes_kept(head, saved):
    """Bytes of the storages that are still kept, each counted once, parameters apart."""
    sizes = {each["id"]: each["bytes"] for each in head["storages"] if not each["parameter"]}
    kept = {entry["storage"] for node in head["nodes"] for entry in node["saved"]
            if entry["role"] != "scalar" and saved.get(entry["key"], {}).get("state") in KEEP}
    return sum(sizes.get(each, 0) for each in kept)
