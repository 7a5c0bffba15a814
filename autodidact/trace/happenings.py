"""The events of one step, in the order in which they happened, as a record holds them."""

from typing import Any

from autodidact.trace.families import holder
from autodidact.trace.index import index_of
from autodidact.trace.packed import reads_of
from autodidact.trace.sentences import sentence, text_of
from autodidact.trace.subject import is_leaf
from autodidact.trace.tasks import hook_name

__all__ = ["deliver", "event", "happenings", "hooks_now"]


EARLY = ("retain", "again", "forward")      # these come before a node unpacks what it saved


def event(kind: str, node: str, edge: str | None = None, entry: str | None = None,
          args: dict | None = None) -> dict:
    """One event as plain data."""
    return {"kind": kind, "node": node, "edge": edge, "key": entry, "args": args or {}}


def happenings(recorder: Any, state: dict, ran: Any) -> None:
    """Put what the task has noted into `state`: events, and what has arrived where.

    A node unpacks what it saved when its own work begins: after the hooks that see the gradient
    first, before all else.
    """
    key, waiting = recorder.subject.ids[ran], []
    for kind, *what in recorder.task.events:
        early = kind in EARLY or (kind == "hook" and what[1] in ("tensor", "pre"))
        if not early and kind != "run":
            state["events"] += waiting
            waiting = []
        if kind in ("line", "return", "unpack"):
            state["events"] += own_line(recorder, state, ran, key, kind, what[1:])
        elif kind == "run" and any(each[0] == "line" for each in recorder.task.events):
            waiting = []                               # a custom backward unpacks when it likes
        elif kind == "run":
            waiting = own_work(recorder, state, ran, key, what[1])
        elif kind == "hook":
            state["events"].append(hook_event(recorder.subject.ids[what[0]], *what[1:]))
        elif kind == "retain" and what[0] in recorder.subject.ids:
            state["events"].append(event("accumulate", recorder.subject.ids[what[0]]))
        elif kind in ("again", "forward"):
            state["events"].append(again(key, kind, what))
        elif kind == "free":
            state["events"] += [
                event("free", key, entry=entry["key"])
                for _, entry in recorder.subject.entries.get(ran, ())
                if state["saved"][entry["key"]]["state"] != "none"]
        elif kind == "transfer":
            crossed = what[0]
            state["events"].append(event("transfer", key, args={
                "from": str(crossed.source), "to": str(crossed.target),
                "bytes": f"{crossed.nbytes} B"}))
        elif kind == "deliver":
            deliver(recorder, state, *what)
    if not (recorder.error is not None and state["events"]
            and state["events"][-1]["args"].get("failed")):
        state["events"] += waiting


def own_work(recorder: Any, state: dict, ran: Any, key: str, came: bool) -> list:
    """What a node does between its hooks: unpack what it saved; a leaf adds to `.grad`."""
    if is_leaf(ran):
        return [event("accumulate", key)] if recorder.error is None else []
    if not came and recorder.error is None:
        return []                                      # nothing came, so nothing was computed
    return unpacked(recorder, state, ran, key)


def unpacked(recorder: Any, state: dict, ran: Any, key: str) -> list:
    """A look at everything that is there; what was packed comes from its hook."""
    out = []
    for i, entry in recorder.subject.entries.get(ran, ()):
        now = state["saved"][entry["key"]]
        # it may have stopped before it came there
        missed = recorder.error is not None and "packed" in now and (
            reads_of(holder(ran).saved[i]) == now["packed"]["reads"])
        if now["state"] in ("kept", "packed") and not missed:
            args = {"hook": now["packed"]["hook"]} if "packed" in now else None
            out.append(event("unpack", key, entry=entry["key"], args=args))
    return out


def again(key: str, kind: str, what: list) -> dict:
    """A checkpoint's second run begins; or one operation of it."""
    if kind == "again":
        runs, same = what
        word = {True: "again.same", False: "again.other", None: "again.unknown"}.get(
            same, "again.hidden")
        return event("again", key, args={"runs": runs, "random": sentence(word)})
    text, value = what
    return event("forward", key, args={"text": text, "value": text_of(value)})


def own_line(recorder: Any, state: dict, ran: Any, key: str, kind: str, what: list) -> list:
    """An event of a custom backward: a line, a look at the saved tensors, what it returns."""
    if kind == "line":
        number, news = what
        return [event("line", key, args={
            "line": number, "code": line_of(recorder, key, number), "set": news})]
    if kind == "return":
        return [event("return", key, args={"what": what[0]})]
    return unpacked(recorder, state, ran, key)


def line_of(recorder: Any, key: str, number: int) -> str:
    """The text of a line of a custom backward."""
    program = index_of(recorder.subject).nodes[key].get("program")
    at = number - program["first"] if program else -1
    return program["lines"][at].strip() if program and 0 <= at < len(program["lines"]) else "-"


def hook_event(key: str, kind: str, name: str, before: list, after: list | None) -> dict:
    """A hook that ran; old and new where it changed something; `failed` where it raised."""
    args: dict[str, Any] = {"hook": sentence(f"hook.{kind}", name=name)}
    if after is None:
        args["failed"] = True
    elif before != after:
        args |= {"before": texts(before), "after": texts(after)}
    return event("hook", key, args=args)


def hooks_now(recorder: Any, state: dict, nodes: list) -> None:
    """The hooks on each of some nodes at this moment; [] where the last one has been removed."""
    known = state.get("hooks", {})
    for node in nodes:
        key = recorder.subject.ids[node]
        hooks = list_of(node._hooks) if node._hooks is not None else []
        if hooks or key in known:
            state.setdefault("hooks", {})[key] = hooks


def list_of(hooks: Any) -> list:
    """A node's hooks in the order in which they run, each with its kind and its name."""
    kinds = [("tensor", found) for found in hooks.tensor.values()]
    kinds += [("pre", hooks.pre), ("accumulate", hooks.post_accumulate), ("post", hooks.post)]
    return [sentence(f"hook.{kind}", name=hook_name(hook))
            for kind, found in kinds for hook in found.values()]


def texts(values: list) -> Any:
    """One value as it is, several as a list."""
    words = [text_of(value) for value in values]
    return words[0] if len(words) == 1 else words


def deliver(recorder: Any, state: dict, edge: tuple | None, consumer: Any, slot: int,
            value: dict | None, total: dict | None, midway: bool) -> None:
    """A gradient has arrived; the last one to come makes its receiver ready."""
    subject = recorder.subject
    key, name = subject.ids[consumer], subject.edges[edge] if edge else None
    slots = [list(parts) for parts in state["received"][key]]
    slots[slot].append({"edge": name, "value": value})
    state["received"][key] = slots
    totals = list(state["total"][key])
    totals[slot] = total
    state["total"][key] = totals
    if name:
        state["sent"][name] = value
        sent = event("send", subject.ids[edge[0]], edge=name)
        state["events"].append({**sent, "total": total} if midway else sent)
    if not recorder.task.dependencies[consumer] and subject.runs(consumer):
        state["status"][key] = "ready"
