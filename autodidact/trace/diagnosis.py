"""What is the matter with a program that was run: a record to look at, its case, and its repairs.

An error that a pass met is in that pass's record already. The other ones are put into words here:
those that come before a pass, after it or between passes, and those without an exception.
"""

import re
from typing import Any

import numpy as np

from autodidact.autograd.function import once_differentiable
from autodidact.tensor_base import TensorBase
from autodidact.trace import mend
from autodidact.trace.bare import bare_record
from autodidact.trace.case import case
from autodidact.trace.lines import told
from autodidact.trace.listing import asked, listing, mark, marks_of_stale
from autodidact.trace.plain import who
from autodidact.trace.record import Record
from autodidact.trace.recorder import Recorder
from autodidact.trace.sentences import error_args, error_words, sentence, text_of
from autodidact.trace.visit import Pass, Visit, name_of

__all__ = ["Finding", "diagnose"]

ONCE = once_differentiable(lambda ctx: None).__code__
KEY_WORDS = (
    ("does not require grad and does not have", "no_graph"), ("only for scalar outputs", "scalar"),
    ("not have been used in the graph", "unused"), ("leaf Variable that requires grad", "leaf"))


class Finding:
    """What `diagnose` has found.

    Attributes:
        record: the pass in which the program stopped or went wrong, or what is known without one.
        step: the state of it that has the case.
        repairs: for each repair of the case, the edits of the program: {line: new text or None}.
    """

    def __init__(self, record: Record, step: int, found: dict, repairs: list) -> None:
        self.record, self.step = record, step
        self.repairs = [edits for _, edits in repairs]
        found["repairs"] = [said for said, _ in repairs]
        for state in record.states:                    # the pass's own finding: this one knows more
            state.pop("clinic", None)
            state.pop("silent", None)
        record.states[step]["clinic"] = found
        record._folded.clear()


def diagnose(visit: Visit) -> Finding:
    """The one thing that is the matter: an exception, else the first silent error, else nothing."""
    if visit.error is not None:
        return of_error(visit)
    for look in (sly, added, once):
        found = look(visit)
        if found is not None:
            return found
    return healthy(visit)


# ---- exceptions ----------------------------------------------------------------------------------


def of_error(visit: Visit) -> Finding:
    """An exception: of a pass, or before, after and between passes."""
    last = visit.passes[-1] if visit.passes else None
    if last is not None and last.recorder.error is visit.error:
        return in_a_pass(visit, last)
    kind = next((kind for words, kind in KEY_WORDS if words in str(visit.error)), None)
    made = {"no_graph": no_graph, "scalar": scalar, "unused": unused, "leaf": leaf}.get(kind or "")
    return made(visit) if made else unknown(visit)


def in_a_pass(visit: Visit, last: Pass) -> Finding:
    """The pass has stopped at a node."""
    recorder, record = last.recorder, last.recorder.record
    state = record.state(-1)
    message = state["error"]["say"][0]["id"]
    ran = recorder.subject.order[int(state["error"]["node"][1:])]
    marks, said = marks_of_stale(recorder, state, ran), []
    if message == "error.freed":
        earlier = freed_by(visit, last, ran)
        if earlier is not None:
            said = [sentence("clinic.freed_by", line=earlier.line)]
            marks = [mark(earlier.line, "guilty", "listing.frees",
                          who=who_of(recorder, ran))]
        repairs = mend.freed(visit, earlier, last)
    else:
        repairs = mend.in_place(visit, state["error"].get("repairs", []))
    state["error"].pop("repairs", None)
    if message.startswith("error.inplace") and marks:
        marks.append(asked(recorder, state, ran, visit.stop or 0))
    else:
        marks.append(stopped(visit, "listing.pass_stops", step=state["step"],
                             who=who_of(recorder, ran)))
    found = case("error", message, say=said, listing=lines_of(visit, marks))
    return Finding(record, len(record) - 1, found, repairs)


def freed_by(visit: Visit, last: Pass, node: Any) -> Pass | None:
    """The earlier pass that let go of what a node had saved."""
    for each in visit.passes:
        ids = each.recorder.subject.ids
        if each is not last and node in ids:
            state = each.recorder.record.state(-1)
            entries = [entry["key"] for _, entry in each.recorder.subject.entries.get(node, ())]
            if any(state["saved"][key]["state"] == "freed" for key in entries):
                return each
    return None


def no_graph(visit: Visit) -> Finding:
    """The root has no graph: where was it cut?"""
    root = root_of(visit)
    name = name_of(visit, root) or "?"
    cut = first_cut(visit, root)
    marks, said = [stopped(visit, "listing.needs_graph", who=name)], []
    if cut is not None:
        line, made, through = cut
        said = [sentence("clinic.cut", line=line, code=visit.program.line(line))]
        marks.insert(0, mark(line, "guilty", "listing.cut", var=made, who=through))
    leaves = {n: t for n, t in visit.values.items() if is_leaf_tensor(t)}
    record = bare_record(leaves, name, failure(
        visit, sentence("error.no_graph", name=name), sentence("error.stops_before")))
    found = case("error", "error.no_graph", say=said, listing=lines_of(visit, marks))
    return Finding(record, 0, found, mend.no_graph(visit, cut))


def first_cut(visit: Visit, root: Any) -> tuple | None:
    """The first line after which something on the way to the root has no graph."""
    return visit.cuts[0] if visit.cuts else None


def scalar(visit: Visit) -> Finding:
    """A pass from several numbers, without a gradient to begin with."""
    root = root_of(visit)
    name = name_of(visit, root) or "?"
    ones = TensorBase.wrap(np.ones(root._array.shape, root._array.dtype))
    recorder = Recorder(root, gradient=ones, copy=True, found=tensors(visit))
    shape = str(tuple(root.shape))
    state = recorder.record.states[0]
    state |= {"end": "error", "next": None, "predicted": {}, "say": [], "error": failure(
        visit, sentence("error.not_scalar", name=name, count=root.numel(), shape=shape),
        sentence("error.stops_before"))}
    forget_start(recorder, state)
    marks = [stopped(visit, "listing.needs_number", who=name, shape=shape)]
    found = case("error", "error.not_scalar", listing=lines_of(visit, marks))
    return Finding(recorder.record, 0, found, mend.scalar(visit, name))


def forget_start(recorder: Recorder, state: dict) -> None:
    """Nothing has been given to the root: the pass did not begin."""
    for node in recorder.subject.head["nodes"]:
        state["received"][node["id"]] = [[] for _ in node["outputs"]]
        state["total"][node["id"]] = [None for _ in node["outputs"]]
        state["status"][node["id"]] = "waiting"


def unused(visit: Visit) -> Finding:
    """`grad()` was asked for a tensor to which no way leads; its pass has run."""
    index = int(re.search(r"index (\d+)", str(visit.error))[1])
    wanted = asked_for(visit)
    name = (name_of(visit, wanted[index]) if index < len(wanted) else None) or f"[{index}]"
    record = visit.passes[-1].recorder.record
    root = record.head["root"] or who(record.head["nodes"][0])
    made = next((n for n in range(visit.program.first, visit.stop or 0)
                 if re.match(rf"{re.escape(name)}\b.*=", visit.program.line(n))), None)
    marks = [stopped(visit, "listing.asks", who=name)]
    if made:
        marks.append(mark(made, "guilty", "listing.unused", who=name))
    last = record.states[-1]
    last |= {"end": "error", "error": failure(
        visit, sentence("error.unused", who=name, root=root), sentence("error.stops_after"))}
    found = case("error", "error.unused", listing=lines_of(visit, marks))
    return Finding(record, len(record) - 1, found, mend.unused(visit, name))


def leaf(visit: Visit) -> Finding:
    """A recorded write into a leaf."""
    name = re.match(r"(\w+)", visit.program.line(visit.stop or 0))
    name = name[1] if name else "?"
    say = [sentence("error.leaf_written", line=visit.stop, who=name),
           sentence("error.stops_before" if not visit.passes else "error.stops_between")]
    if visit.passes:
        record = visit.passes[-1].recorder.record
        record.states[-1] |= {"end": "error", "error": failure(visit, *say)}
    else:
        record = bare_record({n: t for n, t in visit.values.items() if is_leaf_tensor(t)}, name,
                             failure(visit, *say))
    marks = [mark(visit.stop or 0, "stop", "listing.writes_leaf", who=name)]
    found = case("error", "error.leaf_written", listing=lines_of(visit, marks))
    return Finding(record, len(record) - 1, found, mend.leaf(visit))


def unknown(visit: Visit) -> Finding:
    """Another exception: its words, and the line."""
    args = error_words(visit.error or Exception())
    say = sentence("error.raised", who=visit.program.name, **args)
    record = visit.passes[-1].recorder.record if visit.passes else bare_record(
        {n: t for n, t in visit.values.items() if is_leaf_tensor(t)}, None, None)
    record.states[-1] |= {"end": "error", "error": failure(visit, say)}
    marks = [mark(visit.stop, "stop")] if visit.stop else []
    found = case("error", "error.raised", listing=lines_of(visit, marks))
    return Finding(record, len(record) - 1, found, [])


# ---- errors without an exception -----------------------------------------------------------------


def sly(visit: Visit) -> Finding | None:
    """A pass that used a saved tensor which was changed behind its version."""
    for each in visit.passes:
        for node, (line, i, old, now) in visit.sly.items():
            step = step_of(each, node)
            if step is None:
                continue
            entry = next(e for at, e in each.recorder.subject.entries[node] if at == i)
            var = entry["var"] or entry["name"]
            name = who_of(each.recorder, node)
            saved = each.recorder.record.state(step)["saved"][entry["key"]]
            said = [sentence("silent.data", line=line, var=var, before=text_of(old),
                             after=text_of(now), who=name, version=saved["expected"])]
            where = each.recorder.subject.head["nodes"][int(each.recorder.subject.ids[node][1:])]
            marks = [mark(line, "guilty", "listing.unnoticed", var=var)]
            if where["where"]:
                marks.append(mark(where["where"]["line"], "save", "listing.saves", var=var,
                                  version=saved["expected"]))
            found = case("silent", "silent.data", say=said, listing=lines_of(visit, marks))
            return Finding(each.recorder.record, step, found, mend.data(visit, line))
    return None


def added(visit: Visit) -> Finding | None:
    """A gradient added to one that belongs to an older value of the leaf."""
    seen: dict[int, Any] = {}
    for each in visit.passes:
        first = each.recorder.record.states[0]
        for node in each.leaves:
            key = each.recorder.subject.ids[node]
            value = each.recorder.subject.head["nodes"][int(key[1:])]["value"]
            earlier = seen.get(id(node.variable))
            seen[id(node.variable)] = value
            old, step = first["grads"][key]["value"], step_of(each, node)
            empty = old is None or not old["norm"]
            if each.returns or empty or step is None or earlier == value:
                continue
            name = who_of(each.recorder, node)
            new = each.recorder.record.state(step)["total"][key][0]
            known = earlier is not None
            said = [sentence("silent.added" if known else "silent.added_before", who=name,
                             before=text_of(old), added=text_of(new),
                             **({"value": text_of(earlier)} if known else {}))]
            marks = [mark(each.line or 0, "guilty", "listing.adds", who=name)]
            found = case("silent", "silent.added", say=said, listing=lines_of(visit, marks))
            return Finding(each.recorder.record, step, found, mend.added(visit, each, name))
    return None


def once(visit: Visit) -> Finding | None:
    """A pass with create_graph through a backward that leaves no graph."""
    for each in visit.passes:
        if not each.recorder.subject.head["options"]["create_graph"]:
            continue
        for node in each.recorder.subject.order:
            backward = getattr(getattr(node, "_forward_cls", None), "backward", None)
            step = step_of(each, node)
            if getattr(backward, "__code__", None) is not ONCE or step is None:
                continue
            name = who_of(each.recorder, node)
            where = each.recorder.subject.head["nodes"][int(each.recorder.subject.ids[node][1:])]
            marks = [mark(each.line or 0, "note", "listing.creates")]
            if where["where"]:
                marks.append(mark(where["where"]["line"], "guilty", "listing.once",
                                  who=node._forward_cls.__name__))
            found = case("silent", "silent.once", say=[sentence("silent.once", who=name)],
                         listing=lines_of(visit, marks))
            return Finding(each.recorder.record, step, found, mend.once(node._forward_cls))
    return None


def healthy(visit: Visit) -> Finding:
    """Nothing was found."""
    record = visit.passes[-1].recorder.record if visit.passes else bare_record(
        {n: t for n, t in visit.values.items() if is_leaf_tensor(t)}, None, None)
    said = [sentence("clinic.healthy"), sentence("clinic.returns", value=told(visit.value))]
    found = case("healthy", "", say=said, listing=lines_of(visit, []))
    return Finding(record, len(record) - 1, found, [])


# ---- parts ---------------------------------------------------------------------------------------


def lines_of(visit: Visit, marks: list) -> dict | None:
    """The program with marks; None where its text is not known."""
    if not visit.program.lines:
        return None
    return listing(visit.program.first, visit.program.lines, [m for m in marks if m["line"]])


def stopped(visit: Visit, message: str, **args: Any) -> dict:
    """The mark of the line that stopped."""
    return mark(visit.stop or 0, "stop", message, **args)


def failure(visit: Visit, *say: dict) -> dict:
    """The error of a state that no pass has met."""
    return {**error_args(visit.error or Exception()), "node": None, "say": list(say)}


def who_of(recorder: Recorder, node: Any) -> str:
    """What a sentence calls a node."""
    return who(recorder.subject.head["nodes"][int(recorder.subject.ids[node][1:])])


def step_of(each: Pass, node: Any) -> int | None:
    """The step of a pass that ran a node."""
    key = each.recorder.subject.ids.get(node)
    states = each.recorder.record.states
    return next((k for k in range(1, len(states)) if states[k]["ran"] == key), None)


def is_leaf_tensor(value: Any) -> bool:
    """Whether a variable holds a leaf that requires a gradient."""
    return isinstance(value, TensorBase) and value._requires_grad and value._grad_fn is None


def tensors(visit: Visit) -> dict:
    """The program's tensors by name."""
    return {name: v for name, v in visit.values.items() if isinstance(v, TensorBase)}


def given_to(visit: Visit, function: str, name: str) -> Any:
    """An argument of one of our functions that the exception has passed through."""
    trace = visit.error.__traceback__ if visit.error else None
    while trace is not None:
        frame = trace.tb_frame
        if frame.f_code.co_name == function and name in frame.f_locals:
            return frame.f_locals[name]
        trace = trace.tb_next
    return None


def root_of(visit: Visit) -> Any:
    """The tensor that the pass was to begin with."""
    outputs = given_to(visit, "root_gradients", "outputs") or ()
    return next(iter(outputs), None)


def asked_for(visit: Visit) -> list:
    """What `grad()` was asked for."""
    return list(given_to(visit, "grad", "wanted") or ())

