"""Parts of the text form that only some passes have: the second graph, and what is said of it."""

from autodidact.trace.groups import steps_within
from autodidact.trace.messages import say
from autodidact.trace.plain import aligned, headline, place, shorten, visible, who
from autodidact.trace.text_cells import MOST_SOURCE

__all__ = ["engine_lines", "scenes", "warnings"]


def scenes(view):
    """Lists of lines, one for each part that this pass has; `view` is what `text.render` writes."""
    return [parts(view), tangents(view), writes(view), families(view), ends(view),
            second_graph(view), lost(view), made_before(view)]


def engine_lines(view):
    """Of PyTorch's engine: how it is stepped, and what of it is not visible."""
    lines = [view.say(f"text.engine.{view.head['engine']}")]
    names = [visible(n["name"]) for n in view.head["nodes"] if n["kind"] == "function"]
    if names:
        lines.append(view.say("text.hidden_inside", what=list(dict.fromkeys(names))))
    if view.state.get("second"):
        lines.append(view.say("text.hidden_second"))
    return lines


def table(view, title, titles, rows):
    """Lines of a table under a title; nothing where it has no rows."""
    if not rows:
        return []
    words = [view.say(f"text.{each}") if each else "" for each in titles]
    lines = aligned([["  " + first, *rest] for first, *rest in [words, *rows]])
    return [view.say(title), *lines]


def parts(view):
    """Of a long pass: which module, or which function, its steps are in."""
    status = view.first["status"]
    skipped = {key for key, word in status.items() if word == "skipped"}
    rows = [[path, view.say("text.from_to", first=first, last=last)]
            for path, first, last in steps_within(view.head, skipped)]
    return table(view, "text.parts", ("part", "steps"), rows)


def tangents(view):
    """Of values that forward mode has moved: each beside its tangent."""
    rows = [[shorten(headline(node), MOST_SOURCE), view.value(node["value"]),
             view.value(node["tangent"])]
            for node in view.head["nodes"] if "tangent" in node]
    return table(view, "text.tangents", ("node", "value", "tangent"), rows)


def writes(view):
    """Writes through a view: what was replaced, what the base was before, what goes in now."""
    rows = []
    for node in view.head["nodes"]:
        if "writes" in node:
            to = {e["position"]: e["to"] for e in view.head["edges"] if e["from"] == node["id"]}
            base = visible(node["var"] or view.say("text.base"))
            inputs = [view.say("text.as_it_was", who=base)]
            inputs += [view.who(to[i]) if i in to else "-" for i in range(1, len(node["inputs"]))]
            rows.append([
                shorten(headline(node), MOST_SOURCE), elements(view, node["writes"]),
                view.who(to[0]) if 0 in to else view.say("text.no_node"), ", ".join(inputs)])
    return table(view, "text.writes", ("node", "written", "base_before", "inputs_now"), rows)


def elements(view, written):
    """How many elements were written, and which: 1 of 3 elements ·■· for example."""
    if written["count"] is None:
        return "-"
    words = view.say("text.elements", count=written["count"], size=written["size"])
    marks = "".join("■" if cell else "·" for cell in written["cells"] or ())
    return f"{words} {marks}".strip()


def families(view):
    """Tensors in one memory and their version counters; nothing while all of these are 0."""
    versions, rows = view.state.get("versions", {}), []
    for family in view.head.get("families", ()):
        members = family["members"]
        if not any(versions.get(each["counter"]) for each in members):
            continue
        for each in members:
            others = [visible(m["name"]) for m in members
                      if m["counter"] == each["counter"] and m is not each]
            counter = (view.say("text.hidden_counter") if each["kind"] == "alias" else
                       view.say("text.counter.shared", what=others) if others else
                       view.say("text.counter.own"))
            rows.append([visible(each["name"]), view.say(f"kind.{each['kind']}"), counter,
                         str(versions.get(each["counter"], 0))])
    return table(view, "text.families", ("name", "kind", "counter", "version_now"), rows)


def ends(view):
    """Inputs that have lost their graph: by what, and in which line."""
    rows = [
        [shorten(headline(node), MOST_SOURCE), visible(end["var"] or "-"),
         view.say(f"end.{end['how']}"), shorten(visible(end["source"] or "-"), MOST_SOURCE),
         place(end, view.language)]
        for node in view.head["nodes"] for end in node.get("ends", ())
    ]
    return table(view, "text.ends", ("node", "input", "ended_by", "program", None), rows)


def lost(view):
    """Gradients that lost their graph, or a part of it, on the way out of a custom Function."""
    edges = {edge["id"]: edge for edge in view.head["edges"]}
    rows = [
        [view.who(edges[key]["from"]), view.who(edges[key]["to"]), view.say(f"cut.{cut['kind']}"),
         view.say(cut["why"]["id"], **cut["why"]["args"])]
        for key, cut in view.state.get("cuts", {}).items()
    ]
    lines = table(view, "text.cuts", ("sent_by", "sent_to", "its_graph", "why"), rows)
    return [*lines, view.say("rule.once")] if silently_once(view.state) else lines


def silently_once(state):
    """Whether a `once_differentiable` backward has cut a graph where nothing else will say so."""
    told = state.get("clinic") and state["clinic"]["rule"]
    if told and told["id"] == "rule.once":
        return False
    return any(cut["why"]["id"] == "cut.once" and cut["kind"] != "error"
               for cut in state.get("cuts", {}).values())


def warnings(head, state, language=None):
    """What a learner who asks for it is warned of: a second derivative that leaves something out.

    Returns:
        Lines; none where nothing is lost.
    """
    nodes = {node["id"]: node for node in head["nodes"]}
    edges = {edge["id"]: edge for edge in head["edges"]}
    names = dict.fromkeys(
        who(nodes[edges[key]["from"]]) for key, cut in state.get("cuts", {}).items()
        if cut["kind"] != "error")
    return [say("cut.warning", {"who": name}, language) for name in names]


def second_graph(view):
    """Under create_graph: every node made so far, who made it, and where it will send to."""
    rows = []
    for each in view.state.get("second", {}).values():
        to = [goal(view, key) for key in each["to"]]
        rows.append([
            visible(each["text"]), visible(each["name"]), view.who(each["by"]),
            view.value(each["value"]) if each["value"] else "-", ", ".join(to) or "-"])
    return table(view, "text.second", ("node", None, "made_by", "value", "sends"), rows)


def goal(view, key):
    """A node of either graph in a word: its number, or what the pass calls it."""
    made = view.state["second"].get(key)
    return made["text"].partition(" ")[0] if made else view.who(key)


def made_before(view):
    """Of a second pass: which node of the first made which of its nodes."""
    makers = {}
    for node in view.head["nodes"]:
        if "made_by" in node:
            by = node["made_by"]
            makers.setdefault((by["root"], by["who"]), []).append(view.who(node["id"]))
    return [view.say("text.made_before", root=visible(root or view.say("title.output")),
                     who=visible(who), what=what)
            for (root, who), what in makers.items()]
