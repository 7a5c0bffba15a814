"""What is said after each step, as message ids and arguments: who sent what to whom, who is next.

The words themselves are in the catalogue (`messages/`); records hold no sentences.
"""

import re
from typing import Any

from autodidact.trace.families import holder
from autodidact.trace.index import index_of
from autodidact.trace.layered import written
from autodidact.trace.notes import note_of, write_of
from autodidact.trace.plain import shape_text, values_text, who

__all__ = ["after", "error_args", "error_words", "failure", "start"]


def sentence(message: str, /, **args: Any) -> dict:
    """One sentence as plain data."""
    return {"id": message, "args": args}


MOST_WORDS = 24        # a small array is written out in a sentence up to this length


def text_of(summary: dict | None) -> str | dict | None:
    """A value in a sentence: the number, a small array's numbers, or the phrase "norm 2.8"."""
    if summary is None or summary["label"] == "value":
        return None if summary is None else summary["text"]
    if summary["values"] is not None:
        text = values_text(summary["values"])
        if len(text) <= MOST_WORDS:
            return text
    return sentence("text.norm", value=summary["text"])


def people(recorder: Any) -> dict:
    """node id -> what a sentence calls it; names do not change while a pass is stepped."""
    subject = recorder.subject
    if getattr(subject, "called", None) is None:
        subject.called = {node["id"]: who(node) for node in subject.head["nodes"]}
    return subject.called


def start(recorder: Any, state: dict) -> list:
    """The sentence of state 0."""
    names = people(recorder)
    nxt = names[state["next"]]
    roots = recorder.subject.head["roots"]
    first = [text_of(next((t for t in state["total"][r] if t), None)) for r in roots]
    options = recorder.subject.head["options"]
    many = [sentence("step.directions", n=options["directions"])] if "directions" in options else []
    if len(roots) == 1:
        return [sentence("step.start", root=names[roots[0]], value=first[0], who=nxt), *many]
    what = [[names[r], value] for r, value in zip(roots, first, strict=True)]
    return [sentence("step.start_many", what=what, who=nxt), *many]


def after(recorder: Any, before: dict, state: dict) -> list:
    """The sentences after a step."""
    names, said = people(recorder), []
    if state["outside"]:
        said.append(sentence("step.outside", what=state["outside"]))
    said += [sentence("step.hook_changed", **hook["args"]) for hook in state["events"]
             if hook["kind"] == "hook" and "after" in hook["args"]]
    if state["error"]:
        return said + state["error"]["say"]
    ran, index = state["ran"], index_of(recorder.subject)
    node = index.nodes[ran]
    new = [m["text"].partition(" ")[0] for m in written(state, "second").values()]
    if node["kind"] == "leaf":
        said.append(accumulated(before, state, node, names[ran]))
    else:
        sent = [e for e in state["events"] if e["kind"] == "send"]
        what = [[text_of(state["sent"][e["edge"]]), names[index.edges[e["edge"]]["to"]]]
                for e in sent]
        said.append(sentence("step.sent", who=names[ran], what=what) if what else
                    sentence("step.sent_nothing", who=names[ran]))
        kept = [e["node"] for e in state["events"] if e["kind"] == "accumulate"]
        said += [retained(before, state, key, names[key]) for key in kept]
    said += captured(recorder, state, names)
    said += [ran_again(state, names[ran], e["args"]["runs"]) for e in state["events"]
             if e["kind"] == "again"]
    if new:
        said.append(sentence("step.made", what=new, who=names[ran]))
    return [*said, coming(recorder, state, names)]


def ran_again(state: dict, name: str, runs: int) -> dict:
    """A checkpoint has run forward again; of PyTorch's nobody sees the operations."""
    count = sum(each["kind"] == "forward" for each in state["events"])
    if not count:
        return sentence("step.again_hidden", who=name, runs=runs)
    return sentence("step.again", who=name, runs=runs, n=count)


def accumulated(before: dict, state: dict, node: dict, name: str) -> dict:
    """How `.grad` changed."""
    old, now = before["grads"][node["id"]], state["grads"][node["id"]]
    arrived = next((t for t in before["total"][node["id"]] if t), None)
    if arrived is not None and not any(e["kind"] == "accumulate" for e in state["events"]):
        return sentence("step.captured", who=name, value=text_of(arrived))
    if now["value"] is None:
        return sentence("step.sent_nothing", who=name)
    if old["value"] is None:
        return sentence("step.grad_first", who=name, now=text_of(now["value"]))
    message = "step.grad_added" if old["object"] == now["object"] else "step.grad_new"
    return sentence(message, who=name, before=text_of(old["value"]), added=text_of(arrived),
                    now=text_of(now["value"]))


def retained(before: dict, state: dict, key: str, name: str) -> dict:
    """A result inside the graph has kept its gradient."""
    old, now = (each["grads"].get(key, {}).get("value") for each in (before, state))
    if old is None:
        return sentence("step.grad_first", who=name, now=text_of(now))
    return sentence("step.grad_kept", who=name, before=text_of(old), now=text_of(now))


def captured(recorder: Any, state: dict, names: dict) -> list:
    """What `grad()` has just kept for tensors whose own nodes do not run."""
    subject, out = recorder.subject, []
    task = getattr(recorder, "task", None)
    for node, wanted in getattr(task, "captures", {}).items():
        key = subject.ids.get(node)            # None: no way leads there
        came = any(e["kind"] == "send" and subject.head["edges"][int(e["edge"][1:])]["to"] == key
                   for e in state["events"])
        if came and not subject.runs(node) and not task.dependencies[node]:
            kept = state["total"][key][wanted[0][0]]
            leaf = hasattr(node, "variable")
            out.append(sentence("step.captured" if leaf else "step.captured_only",
                                who=names[key], value=text_of(kept)))
    return out


def coming(recorder: Any, state: dict, names: dict) -> dict:
    """Who runs next and who has to wait; at the end, what the leaves hold."""
    head, index = recorder.subject.head, index_of(recorder.subject)
    if state["end"]:
        grads = [[names[n["id"]], text_of(state["grads"][n["id"]]["value"])]
                 for n in head["nodes"] if n["kind"] == "leaf"
                 and state["grads"][n["id"]]["value"] is not None]
        return sentence("step.end_grads", what=grads) if grads else sentence("step.end")
    touched = dict.fromkeys(index.edges[e["edge"]]["to"]
                            for e in state["events"] if e["kind"] == "send")
    waiting = []
    for key in touched:
        if state["status"][key] == "waiting":
            due = sum(o["expected"] for o in index.nodes[key]["outputs"])
            got = sum(len(slot) for slot in state["received"][key])
            waiting.append([names[key], due - got])
    if waiting:
        return sentence("step.next_waits", who=names[state["next"]], waiting=waiting)
    return sentence("step.next", who=names[state["next"]])


# ---- errors -------------------------------------------------------------------------------------


def error_args(error: BaseException) -> dict:
    """Class and message of an exception."""
    return {"class": type(error).__name__, "message": str(error)}


def error_words(error: BaseException) -> dict:
    """The same for a sentence: the message ends before the next one begins."""
    text = str(error).rstrip()
    ended = not text or text.endswith((".", "!", "?"))
    return {"class": type(error).__name__, "message": text if ended else f"{text}."}


def failure(recorder: Any, state: dict, ran: Any) -> dict:
    """The error of a state: class, message, node, and what to say about it."""
    error, name = recorder.error, people(recorder)[state["ran"]]
    text = str(error)
    if hasattr(error, "say"):
        say = error.say
    elif "modified by an inplace operation" in text:
        say = changed_in_place(recorder, state, ran, name)
    elif found := UNPACKED.search(text):
        hook = next((each["packed"]["hook"] for each in kept_by(recorder, state, ran)
                     if "packed" in each), "-")
        say = sentence("error.unpack", who=name, hook=hook, got=found[1])
    elif "second time" in text:
        say = sentence("error.freed", who=name)
    elif state["events"] and "failed" in state["events"][-1].get("args", {}):
        hook = state["events"][-1]["args"]["hook"]
        say = sentence("error.hook", hook=hook, who=name, **error_words(error))
    else:
        say = returned_wrongly(text, name) or sentence(
            "error.raised", who=name, **error_words(error))
    said = [say, *in_line(state)]
    empty = [f"{people(recorder)[n['id']]}.grad" for n in recorder.subject.head["nodes"]
             if n["kind"] == "leaf" and state["grads"][n["id"]]["value"] is None]
    consequence = (sentence("error.stops_none", what=empty) if empty
                   else sentence("error.stops"))
    return {**error_args(error), "node": state["ran"], "say": [*said, consequence]}


def kept_by(recorder: Any, state: dict, ran: Any) -> list:
    """The states of all that a node has saved."""
    return [state["saved"][entry["key"]] for _, entry in recorder.subject.entries.get(ran, ())]


UNPACKED = re.compile(r"unpack_hook expected to be a Tensor but got result of type (\w+)")
COUNT = re.compile(r"incorrect number of gradients \(expected (\d+), got (\d+)\)")
SHAPE = re.compile(r"invalid gradient at index \d+ - got \[(.*?)\] but expected shape "
                   r"compatible with \[(.*?)\]")


def returned_wrongly(text: str, name: str) -> dict | None:
    """A backward that returned too many gradients, too few, or one of another shape."""
    if found := COUNT.search(text):
        return sentence("error.count", who=name, expected=int(found[1]), got=int(found[2]))
    if found := SHAPE.search(text):
        got, expected = (shape_text(each.split(", ") if each else []) for each in found.groups())
        return sentence("error.shape", who=name, got=got, expected=expected)
    return None


def in_line(state: dict) -> list:
    """The line of a custom backward that raised; nothing once it has returned."""
    kinds = ("line", "return")
    last = next((e for e in reversed(state["events"]) if e["kind"] in kinds), None)
    if last is None or last["kind"] == "return":
        return []
    return [sentence("error.at_line", line=last["args"]["line"], code=last["args"]["code"])]


def changed_in_place(recorder: Any, state: dict, ran: Any, name: str) -> dict:
    """Which line changed which saved tensor after which line had saved it."""
    for i, entry in recorder.subject.entries.get(ran, ()):
        saved = state["saved"][entry["key"]]
        if saved["state"] != "stale":
            continue
        var, note = entry["var"] or entry["name"], note_of(ran)
        cell = holder(ran).saved[i]._version_cell
        wrote = write_of(cell, saved["expected"] + 1)
        if wrote is None or note is None or note.where is None:
            return sentence("error.inplace_unknown", var=var, who=name,
                            expected=saved["expected"], actual=saved["actual"])
        if wrote["cell"] == note.where["cell"]:
            return sentence("error.inplace", changed=wrote["line"], var=var,
                            saved=note.where["line"])
        return sentence("error.inplace_cells", changed=wrote["line"], changed_cell=wrote["cell"],
                        var=var, saved=note.where["line"], saved_cell=note.where["cell"])
    return sentence("error.raised", who=name, **error_words(recorder.error))
