"""A state as a picture: one self-contained SVG in light colours, with the marks of the live view.

It is the fallback where no widget runs, and what a printed page shows. Names and values are text:
everything that comes from the learner's program passes `esc`.
"""

import math

from autodidact.trace import svg_parts as parts
from autodidact.trace import svg_second as extra
from autodidact.trace.messages import paragraph, say
from autodidact.trace.plain import (
    expected_count,
    headline,
    plain_values,
    received_count,
    shape_text,
    shorten,
    value_text,
    values_text,
    visible,
    who,
)
from autodidact.trace.svg_parts import CODE_WIDTH, SMALL_WIDTH, VALUE_WIDTH, esc, icon, rect, text


def render(head, layout, state, language=None):
    """The SVG text of one folded state.

    Args:
        head: the record without its states.
        layout: its LAYOUT.
        state: the folded state.
        language: "en" or "ru"; None takes the current one.

    Returns:
        A string beginning with `<svg`. Example: `Record.svg(2)` calls this.
    """
    return _Picture(head, layout, state, language).render()


class _Picture:
    def __init__(self, head, layout, state, language):
        self.head, self.layout, self.state, self.language = head, layout, state, language
        self.nodes = {node["id"]: node for node in head["nodes"]}
        self.edges = {edge["id"]: edge for edge in head["edges"]}
        self.box_of = {lane["edge"]: lane["box"] for lane in layout["lanes"]}
        self.boxes = {box["id"]: box for box in layout["boxes"]}

    def say(self, message, /, **args):
        return say(message, args, self.language)

    def render(self):
        made = self.state.get("second", {})
        second, width, rise = extra.second_graph(self.layout, self.nodes, made, self.say)
        body = [
            self._key(),
            *(f'<path class="fwd" d="{lane["forward"]}"/>' for lane in self.layout["lanes"]),
            *(self._lane(lane) for lane in self.layout["lanes"]),
            *(f'<path class="back sent" d="{path}"/>' for path in self.layout["seed"].values()),
            *(f'<path class="tie" d="{path}"/>' for path in self.layout["ties"]),
            *(self._box(box) for box in self.layout["boxes"]),
            *(self._slots(box) for box in self.layout["boxes"]),
            *(self._chip(lane) for lane in self.layout["lanes"]),
            *(self._caption(each) for each in self.layout["texts"]),
            self._cut(),
            *extra.cut_marks(self.layout, self.state.get("cuts", {}), self.say),
            *extra.end_marks(self.layout, self.nodes, self.say),
            *second,
        ]
        above, height = math.ceil(rise), math.ceil(rise) + self.layout["height"]
        view = f'width="{width:g}" height="{height:g}" viewBox="0 {-above} {width:g} {height:g}"'
        title = f"<title>{esc(self.say('text.picture'))}</title>"
        words = f"<desc>{esc(paragraph(self.state['say'], self.language))}</desc>"
        ground = f'<rect class="ground" y="{-above}" width="100%" height="100%"/>'
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" {view} role="img" class="g">'
            f"{title}{words}"
            f"<style>{parts.STYLE}</style><defs>{parts.MARKERS}{parts.ICONS}</defs>{ground}\n"
            + "\n".join(line for line in body if line)
            + "\n</svg>\n"
        )

    # ---- lanes and chips

    def _fate(self, edge):
        """What has become of an edge's gradient: sent, soon, cut or later."""
        if edge in self.state["sent"]:
            return "sent"
        if edge in self.state["predicted"]:
            return "soon"
        sender = self.edges[edge]["from"]
        return "cut" if self.state["status"].get(sender) == "failed" else "later"

    def _lane(self, lane):
        return f'<path class="back {self._fate(lane["edge"])}" d="{lane["back"]}"/>'

    def _chip(self, lane):
        """What the next node will send, on its upper edge."""
        if self._fate(lane["edge"]) != "soon":
            return ""
        (x, y), width = lane["chip"], lane["room"]
        value = self.state["predicted"][lane["edge"]]["value"]
        return self._cell({"x": x - width / 2, "y": y - 10, "w": width, "h": 20}, "soon", value)

    def _cell(self, place, kind, value, prefix=""):
        box = rect((place["x"], place["y"], place["w"], place["h"]), f"slot {kind}", 3)
        if value is None:
            words, style = self.say("value.none"), "n none"
        else:
            words = prefix + self._number(value, place["w"] - 4 - parts.digits_width(prefix))
            style = "n on" if kind == "full" else "n"
        return box + text(place["x"] + place["w"] / 2, place["y"] + 14.5, words, style)

    def _number(self, value, room):
        """All numbers of an array that is small enough, else one number: its norm."""
        if value["label"] != "value" and value["values"] is not None:
            text = values_text(value["values"])
            if len(text) <= 12 and parts.digits_width(text) <= room:
                return text
        return parts.fitting(value["text"], room)

    def _cut(self):
        """The words "nothing sent", beside the lanes of a node that failed."""
        cut = [lane for lane in self.layout["lanes"] if self._fate(lane["edge"]) == "cut"]
        if not cut:
            return ""
        x, y = max(lane["chip"] for lane in cut)
        return text(x + 14, y - 4, self.say("text.nothing_sent"), "cap")

    # ---- slots

    def _slots(self, box):
        node = self.nodes[box["node"]]
        received = self.state["received"].get(node["id"], [])
        totals = self.state["total"].get(node["id"], [])
        out = []
        for slot in self.layout["slots"][box["id"]]:
            arrived = received[slot["slot"]] if slot["slot"] < len(received) else []
            total = totals[slot["slot"]] if slot["slot"] < len(totals) else None
            out += self._slot(box, node, slot, arrived, total)
        return "".join(out)

    def _slot(self, box, node, slot, arrived, total):
        expected = node["outputs"][slot["slot"]]["expected"]
        if slot["folded"]:
            place = slot["cells"][0]
            kind = "full" if len(arrived) >= expected else "sum" if arrived else "empty"
            words = self.say("text.of", got=len(arrived), of=expected)
            style = "n on" if kind == "full" else "n"
            out = [
                rect((place["x"], place["y"], place["w"], place["h"]), f"slot {kind}", 3),
                text(place["x"] + place["w"] / 2, place["y"] + 14.5, words, style),
            ]
        else:
            by_edge = {part["edge"]: part["value"] for part in arrived}
            out = [self._slot_cell(box, node, expected, cell, by_edge) for cell in slot["cells"]]
        if slot["sum"] and len(arrived) >= (1 if slot["folded"] else 2) and total is not None:
            out.append(self._cell(slot["sum"], "sum", total, "= "))
        return out

    def _slot_cell(self, box, node, expected, cell, by_edge):
        edge = cell["edge"]
        if edge in by_edge:
            own = edge is None or self.box_of[edge] == box["id"]
            kind = "full" if own and by_edge[edge] is not None else "ghost"
            return self._cell(cell, kind, by_edge[edge])
        running = self.state["status"].get(node["id"]) in ("next", "done", "failed")
        if edge is None and not expected and running:
            return self._cell(cell, "ghost", None)
        return rect((cell["x"], cell["y"], cell["w"], cell["h"]), "slot empty", 3)

    # ---- cards and pills

    def _box(self, box):
        node = self.nodes[box["node"]]
        status = self.state["status"].get(node["id"], "waiting")
        label = f"{headline(node)}: {self.say(f'status.{status}')}"
        inside = (
            self._pill(box, node, status)
            if node["kind"] == "leaf"
            else self._card(box, node, status)
        )
        kind = f"is-{status} is-wrong" if self._wrong(node) else f"is-{status}"
        if node["id"] in self.state.get("silent", {}):
            kind += " is-silent"
        return f'<g class="{kind}"><title>{esc(label)}</title>{inside}</g>'

    def _status_icon(self, node, status, x, y):
        name = {"waiting": "wait1" if received_count(node["id"], self.state) else "wait0"}.get(
            status, status
        )
        kind = {"next": "c-grad", "failed": "c-bad", "done": "c-2", "skipped": "c-2"}.get(
            status, "c-ink"
        )
        return icon(name, x, y, 16, "c-2" if name == "wait0" else kind)

    def _first_line(self, node, left, right, y):
        """Source text from the left, forward value at the right; the text gives way."""
        line, room, value = headline(node), right - left, node["value"]
        if value is None:
            shown = ""
        elif value["label"] == "value":
            shown = self._dual(node, room - CODE_WIDTH * len(line) - 8) or parts.fitting(
                visible(value["text"]), min(room * 0.35, 44))
        else:
            needed = min(CODE_WIDTH * len(line), room * 0.45)
            shown = shorten(
                shape_text(value["shape"]), max(int((room - needed - 8) / VALUE_WIDTH), 3)
            )
        room -= VALUE_WIDTH * len(shown) + 8 if shown else 0
        line = shorten(line, max(int(room / CODE_WIDTH), 2))
        return text(left, y, line, "src") + (text(right, y, shown, "val") if shown else "")

    def _dual(self, node, room):
        """A number and its tangent, where both have room beside the text; else nothing."""
        tangent = node.get("tangent")
        if tangent is None or tangent["label"] != "value":
            return ""
        number, moved = (visible(each["text"]) for each in (node["value"], tangent))
        both = self.say("text.tangent.short", value=number, tangent=moved)
        return both if VALUE_WIDTH * len(both) <= room else ""

    def _pill(self, box, node, status):
        x, y, w, h = box["x"], box["y"], box["w"], box["h"]
        wrong = self._wrong(node)
        of = wrong or self.say(
            "text.of_received", got=received_count(node["id"], self.state), of=expected_count(node)
        )
        return (
            rect((x, y, w, h), "body", 22)
            + self._status_icon(node, status, x + 14, y + 7)
            + self._first_line(node, x + 36, x + w - 18, y + 19)
            + text(x + w / 2, y + 35, of, "sub mid bad" if wrong else "sub mid")
        )

    def _card(self, box, node, status):
        x, y, w, h = box["x"], box["y"], box["w"], box["h"]
        outer = rect((x - 4, y - 4, w + 8, h + 8), "outer", 7) if status == "failed" else ""
        saved, width = self._saved(node, x + w - 12, y)
        number = "" if node["number"] is None else f" #{node['number']}"
        number += f" · {visible(node['device'])}" if "device" in node else ""
        name = (
            shorten(visible(node["name"]), int((w - 52 - width) / SMALL_WIDTH) - len(number))
            + number
        )
        return (
            outer
            + rect((x, y, w, h), "body", 4)
            + self._status_icon(node, status, x + 10, y + 7)
            + self._first_line(node, x + 32, x + w - 12, y + 20)
            + text(x + 32, y + 36, name, "sub")
            + saved
        )

    def _wrong(self, node):
        """"0 instead of 16"; empty where nothing is known to be wrong."""
        mark = self.state.get("wrong", {}).get(node["id"])
        if mark is None:
            return ""
        got, expected = (
            mark[key]["text"] if mark[key] else self.say("value.none")
            for key in ("got", "expected")
        )
        return self.say("text.instead", got=got, expected=expected)

    def _saved(self, node, right, y):
        """How many tensors the node has saved, and their state; and the width that this takes."""
        if self.head["engine"] == "own":
            words = self._wrong(node)
            return text(right, y + 36, words, "sub end bad"), SMALL_WIDTH * len(words)
        entries, _ = plain_values(node, self.state)
        states = [self.state["saved"].get(entry["key"], {}).get("state") for entry in entries]
        order = ("stale", "packed", "kept", "freed")
        state = next((each for each in order if each in states), None)
        if state is None:
            words = self.say("text.saves_none")
            return text(right, y + 36, words, "sub end"), SMALL_WIDTH * len(words)
        words = self.say(f"count.{state}", n=states.count(state))
        width = SMALL_WIDTH * len(words)
        kind = {"stale": "c-bad", "freed": "c-2"}.get(state, "c-ink")
        return text(right, y + 36, words, "sub end") + icon(
            state, right - width - 16, y + 26, 12, kind
        ), width + 18

    # ---- captions

    def _caption(self, caption):
        args = {}
        if caption["node"]:
            seeds = [
                p
                for slot in self.state["received"].get(caption["node"], [])
                for p in slot
                if p["edge"] is None
            ]
            if not seeds or seeds[0]["value"] is None:
                return ""
            one = len(self.head["roots"]) == 1
            name = self.head["root"] if one else who(self.nodes[caption["node"]])
            root = shorten(visible(name or self.say("title.output")), 8)
            seed = seeds[0]["value"]
            args = {"root": root, "value": value_text(seed, 20, self.language)}
            if "directions" in self.head["options"]:
                many = self.say("text.starts_directions", n=self.head["options"]["directions"])
                return text(caption["x"], caption["y"], many, "cap")
            if seed["label"] != "value":                     # given weights: no derivative is 1
                return text(caption["x"], caption["y"], self.say("text.starts_many", **args), "cap")
        return text(caption["x"], caption["y"], self.say(caption["id"], **args), "cap")

    def _key(self):
        forward = '<path class="fwd" d="M19 16V28"/>' + text(
            32, 26, self.say("text.forward"), "sub"
        )
        back = '<path class="back sent" d="M19 46V34"/>' + text(
            32, 44, self.say("text.backward"), "sub"
        )
        return forward + back
