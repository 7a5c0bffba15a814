"""The still picture's marks that only some passes have.

The second graph beside the first, where a second derivative is cut, where a way back ends before a
leaf: the same geometry as the live view's (`second_graph.ts`, `cuts.ts`, `ends.ts`).
"""

from autodidact.trace.plain import shape_text, shorten, visible, who
from autodidact.trace.svg_parts import CODE_WIDTH, VALUE_WIDTH, fitting, text

__all__ = ["cut_marks", "end_marks", "second_graph"]

CARD_WIDTH, CARD_HEIGHT = 176, 38
GAP = 12
AWAY = 64         # from the first graph's right edge: room for the links
LABEL = 24        # for what is written at the right of a box
TITLE = 24        # above the highest card
OUT = 40          # for edges that pass other cards by
MOST_WORDS = 12   # characters of a name beside a mark


def cut_marks(layout, cuts, say):
    """Two strokes across the lane of a gradient whose graph is cut, and a word.

    Args:
        layout: a LAYOUT.
        cuts: the state's, edge -> how it is cut.
        say: from a message id to its words.
    """
    out = []
    for lane in layout["lanes"]:
        if lane["edge"] in cuts:
            x, y = lane["dock"][0], (lane["dock"][1] + lane["chip"][1]) / 2 + 4
            out += [stroke("cut-mark", x - 9, y + 5, 14, -10),
                    stroke("cut-mark", x - 5, y + 9, 14, -10),
                    text(x + 14, y + 6, say("ui.cuts.mark"), "cap cut-word")]
    return out


def end_marks(layout, nodes, say):
    """Two strokes below each box with an input that has lost its graph: right, at a root left."""
    out, captions = [], {caption["node"] for caption in layout["texts"]}
    for box in layout["boxes"]:
        ends = nodes[box["node"]].get("ends", ())
        if ends:
            names = dict.fromkeys(end["var"] or say("text.input") for end in ends)
            words = shorten(visible(", ".join(names)), MOST_WORDS)
            left = box["node"] in captions
            x, y = box["x"] + (72 if left else box["w"] - 14), box["y"] + box["h"] + 9
            out += [stroke("end-mark", x - 7, y + 3, 12, -8),
                    stroke("end-mark", x - 4, y + 7, 12, -8),
                    text(x + (-12 if left else 12), y + 6, say("ui.ends.mark", var=words),
                         f"cap end-word{' end' if left else ''}")]
    return out


def stroke(kind, x, y, dx, dy):
    """A short line."""
    return f'<path class="{kind}" d="M{x:g} {y:g}l{dx:g} {dy:g}"/>'


def second_graph(layout, nodes, made, say):
    """The second graph beside the first.

    Args:
        layout: a LAYOUT.
        nodes: id -> node of the first graph.
        made: key -> node of the second, in the order of making.
        say: from a message id to its words.

    Returns:
        (lines of SVG, width of the whole picture, how far it rises above the first graph).
    """
    if not made:
        return [], layout["width"], 0
    left = beside(layout)
    places = placed(layout, made, left)
    top = min(y for _, y in places.values())
    lines = [text(left, top - 10, say("ui.second"), "cap")]
    for key, (x, y) in places.items():
        lines.append(link(layout, made[key]["by"], x, y))
        lines += [edge(places[to], (x, y)) for to in made[key]["to"] if to in places]
    lines += [card(made[key], nodes, x, y) for key, (x, y) in places.items()]
    width = max(layout["width"], left + CARD_WIDTH + OUT)
    return [line for line in lines if line], width, max(0, TITLE - top)


def beside(layout):
    """Where the second graph begins; the room there for long labels may be used."""
    boxes = max((box["x"] + box["w"] for box in layout["boxes"]), default=0)
    return min(layout["width"], boxes + LABEL) + AWAY


def box_of(layout, node):
    """The first box of a node; None where it has none."""
    return next((box for box in layout["boxes"] if box["node"] == node), None)


def placed(layout, made, left):
    """key -> (x, y): from below upwards, each maker's cards beside it or above those there."""
    places, floor, maker = {}, layout["height"], None
    for key, each in made.items():
        box = box_of(layout, each["by"])
        if box is not None and each["by"] != maker:
            floor = min(floor, box["y"] + box["h"])
        maker = each["by"]
        places[key] = left, floor - CARD_HEIGHT
        floor -= CARD_HEIGHT + GAP
    return places


def link(layout, node, x, y):
    """A dotted tie from a made node to the node whose backward made it."""
    box = box_of(layout, node)
    if box is None:
        return ""
    right, middle, end = box["x"] + box["w"], box["y"] + box["h"] / 2, y + CARD_HEIGHT / 2
    free = all(each["x"] <= box["x"] or each["y"] > box["y"] + box["h"]
               or each["y"] + each["h"] < box["y"] for each in layout["boxes"])
    if free:
        start, sx, sy = f"M{right + 2:g} {middle:g}", right + 2, middle
    else:                                              # over the heads of the same row
        start, sx, sy = f"M{right - 10:g} {box['y']:g}q0 -14 14 -14", x - AWAY, box["y"] - 14
    half = (sx + x - 2) / 2
    curve = f"C{half:g} {sy:g} {half:g} {end:g} {x - 2:g} {end:g}"
    return f'<path class="tie" d="{start}L{sx:g} {sy:g}{curve}"/>'


def edge(sender, receiver):
    """A forward line from what a made node takes, where that is a made node, too."""
    (x, low), (_, high) = sender, receiver
    steps = round((low - high) / (CARD_HEIGHT + GAP))
    if steps == 1:
        middle = x + CARD_WIDTH / 2
        d = f"M{middle:g} {low:g}V{high + CARD_HEIGHT + 2:g}"
    else:
        side = x + CARD_WIDTH
        out = side + min(OUT - 6, 8 + 6 * steps)
        d = (f"M{side:g} {low + 12:g}C{out:g} {low + 12:g} {out:g} {high + 26:g} "
             f"{side + 2:g} {high + 26:g}")
    return f'<path class="fwd" d="{d}"/>'


def card(made, nodes, x, y):
    """A made node: its operation, its class and its maker, its value."""
    value = made["value"]
    if value is None:
        shown = "-"
    elif value["label"] == "value":
        shown = fitting(visible(value["text"]), 56)
    else:
        shown = shape_text(value["shape"])
    room = CARD_WIDTH - 28 - VALUE_WIDTH * len(shown)
    source = shorten(visible(made["text"]), int(room / CODE_WIDTH))
    by = f"{visible(made['name'])} ← {who(nodes[made['by']])}"
    about = shorten(by, int((CARD_WIDTH - 20) / VALUE_WIDTH))
    return (
        f'<g class="made"><rect class="body" x="{x:g}" y="{y:g}" width="{CARD_WIDTH}" '
        f'height="{CARD_HEIGHT}" rx="4"/>'
        + text(x + 10, y + 16, source, "src") + text(x + CARD_WIDTH - 10, y + 16, shown, "val")
        + text(x + 10, y + 31, about, "sub") + "</g>")
