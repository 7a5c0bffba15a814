"""Repairs of a program, as changed lines: each is (a sentence, {line number: new text or None})."""

import re
from typing import Any

from autodidact.trace.repairs import out_of_place
from autodidact.trace.sentences import sentence

__all__ = ["added", "data", "freed", "in_place", "leaf", "no_graph", "once", "scalar", "unused"]

BACKWARD = re.compile(r"([\w.]+|\(.*\))\.backward\((.*)\)$")
CUTS = (
    (re.compile(r"\.detach\(\)"), ""), (re.compile(r"\.data\b"), ""),
    (re.compile(r"\.item\(\)"), ""),
    (re.compile(r"(\w+\.)?tensor\((\w+)\)"), r"\2"))


def repair(visit: Any, kind: str, line: int, new: str | None, **more: Any) -> tuple:
    """One repair of one line; `more` is what else its sentence names."""
    old = visit.program.line(line)
    said = sentence(f"repair.{kind}", line=line, old=old, new=new or "", **more)
    return said, {line: new}


def with_argument(call: str, argument: str) -> str:
    """A call with one keyword argument more."""
    inside = call[:-1]
    return f"{inside}{'' if inside.endswith('(') else ', '}{argument})"


def freed(visit: Any, earlier: Any, last: Any) -> list:
    """Keep the graph in the earlier pass; or go through both at once."""
    if earlier is None or not earlier.line or not last.line:
        return []
    one, two = (visit.program.line(each.line) for each in (earlier, last))
    out = []
    if one.endswith(")") and earlier.line != last.line:
        out.append(repair(visit, "keep", earlier.line, with_argument(one, "retain_graph=True")))
    first, second = BACKWARD.match(one), BACKWARD.match(two)
    if first and second and earlier.line != last.line and not first[2] and not second[2]:
        said, edits = repair(visit, "together", last.line,
                             f"({first[1]} + {second[1]}).backward()")
        out.append((said, edits | {earlier.line: None}))
    return out


def in_place(visit: Any, found: list) -> list:
    """The candidates that the pass itself has named, as edits."""
    out = []
    for said in found:
        args, kind = said["args"], said["id"].removeprefix("repair.")
        line, stop = args["line"], visit.stop
        if visit.program.line(line) != args["old"]:
            continue
        edits = {line: args["new"]}
        if kind == "later":
            if stop is None:
                continue
            edits = {line: None, stop: f"{visit.program.line(stop)}; {args['old']}"}
        out.append((said, edits))
    return out


def no_graph(visit: Any, cut: tuple | None) -> list:
    """Take away what cuts the graph."""
    if cut is None:
        return []
    line, _, _ = cut
    text = visit.program.line(line)
    out = [repair(visit, "uncut", line, pattern.sub(new, text))
           for pattern, new in CUTS if pattern.search(text)]
    for above in range(line, visit.program.first, -1):
        block = visit.program.line(above)
        if re.match(r"with .*(no_grad|inference_mode)\(\)", block):
            new = re.sub(r"no_grad|inference_mode", "enable_grad", block)
            return [*out, repair(visit, "uncut", above, new)]
    return out


def scalar(visit: Any, name: str) -> list:
    """One number out of many; or say how much of each."""
    line = visit.stop
    text = visit.program.line(line) if line else ""
    found = BACKWARD.match(text)
    if not found or found[2]:
        return []
    root = found[1]
    library = next((name for name in ("torch", "autodidact") if name in visit.program.space),
                   "torch")
    return [repair(visit, "sum", line, f"{root}.sum().backward()"),
            repair(visit, "mean", line, f"{root}.mean().backward()"),
            repair(visit, "ones", line, f"{root}.backward({library}.ones_like({root}))")]


def unused(visit: Any, name: str) -> list:
    """None for it; or do not ask for it. What was forgotten, nobody knows but the learner."""
    line = visit.stop
    text = visit.program.line(line) if line else ""
    call = re.search(r"grad\((?:[^()]|\([^()]*\))*\)", text)
    if not call:
        return []
    allowed = text.replace(call[0], with_argument(call[0], "allow_unused=True"))
    return [repair(visit, "allow", line, allowed, who=name)]


def leaf(visit: Any) -> list:
    """Write without recording; or make a new leaf."""
    line = visit.stop
    text = visit.program.line(line) if line else ""
    out = [repair(visit, "no_grad", line, f"with torch.no_grad(): {text}")] if text else []
    new = out_of_place(text)
    if new is not None:
        target, _, value = new.partition(" = ")
        out.append(repair(visit, "fresh", line,
                          f"{target} = ({value}).detach().requires_grad_()"))
    return out


def data(visit: Any, line: int) -> list:
    """Make a new tensor; or write so that it is noticed."""
    text = visit.program.line(line)
    plain = re.sub(r"\.data\b", "", text)
    out = [repair(visit, "noticed", line, plain)] if plain != text else []
    new = out_of_place(plain)
    return [repair(visit, "new", line, new), *out] if new else out


def added(visit: Any, each: Any, name: str) -> list:
    """Empty it before the pass."""
    if not each.line or not re.fullmatch(r"[\w.]+", name):
        return []
    text = visit.program.line(each.line)
    return [repair(visit, "empty", each.line, f"{name}.grad = None; {text}", who=name)]


def once(function: Any) -> list:
    """Let the backward be differentiated: the decorator away."""
    said = sentence("repair.twice", who=function.__name__, line="-",
                    old="@once_differentiable", new="def backward")
    return [(said, {"undecorated": function})]
