"""Parts of the text form that only some passes have: the second graph, and what is said of it."""

from autodidact.trace.plain import aligned, visible

__all__ = ["scenes"]


def scenes(view):
    """Lists of lines, one for each part that this pass has; `view` is what `text.render` writes."""
    return [second_graph(view), made_before(view)]


def second_graph(view):
    """Under create_graph: every node made so far, who made it, and where it will send to."""
    made = view.state.get("second")
    if not made:
        return []
    titles = ("node", None, "made_by", "value", "sends")
    rows = [["  " * (not i) + (view.say(f"text.{t}") if t else "") for i, t in enumerate(titles)]]
    for each in made.values():
        to = [goal(view, key) for key in each["to"]]
        rows.append([
            "  " + visible(each["text"]), visible(each["name"]), view.who(each["by"]),
            view.value(each["value"]), ", ".join(to) or "-"])
    return [view.say("text.second"), *aligned(rows)]


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
