"""Lanes, chips and slot cells of a layout.

Every edge has two lanes: forward, down from the receiver's lower edge, and back, up from the
sender's upper edge into the receiver's slot. Both bend at the same heights, and keep their order,
left and right, at every row they pass: that is why they never cross. The gradient's lane is the
right one, except where a receiver has a sender on its far right: there the forward lane goes
outside.
"""

from itertools import pairwise
from typing import NamedTuple

from autodidact.trace.layering import spread

ASIDE = 11  # between a chip or cell and the forward lane beside it
PITCH = 8  # between forward lanes of a double edge, and between lanes at a bend
STUB = 8  # a lane ends straight
OVERHANG = 16  # where lanes begin to bend, below the slot cells and their arrow heads


class Slot(NamedTuple):
    """One slot's row of cells (edge id or None, x, width); the sum is (x, width) or None."""

    number: int
    folded: bool
    cells: list
    sum: tuple | None


class Lanes:
    """All lanes of a layout; x first (`Lanes(layout)`), y when the rows are placed (`as_json`)."""

    def __init__(self, layout):
        self.layout = layout
        self.by_id = {box.id: box for box in layout.boxes}
        self.slots = {}  # box id -> [Slot]
        self.inner = {}  # bundle -> how many forward lanes lie between its own and the cells
        self.stops = {}  # edge id -> [(row, x of forward, x of back)], receiver first, sender last
        self._outside()
        for box in layout.boxes:
            self._place_cells(box)
        self.sending = {}  # box id -> its bundles
        for pair, edges in layout.bundles.items():
            self.stops.update({edge["id"]: [] for edge in edges})
            self.sending.setdefault(pair[0], []).append(pair)
        self.side = self._sides()
        for pair, edges in layout.bundles.items():
            self._receiver_stop(pair, edges)
            self._bend_stops(pair, edges)
        for box in layout.boxes:
            self._sender_stops(box)

    # ---- across

    def _outside(self):
        """Very long edges run beside the drawing: bends far right, shorter ones inside."""
        layers, bundles = self.layout.layers, self.layout.bundles
        x = max(box.right for box in self.layout.boxes)
        x = max(
            [
                x,
                *(
                    layers.x[bend] + layers.width[bend] / 2
                    for chain in layers.bends.values()
                    for bend in chain
                ),
            ]
        )
        self.bend_x = {
            pair: [layers.x[bend] for bend in chain] for pair, chain in layers.bends.items()
        }
        for pair in layers.outside:
            width = PITCH * (2 * len(bundles[pair]) + 1)
            rows = self.by_id[pair[1]].row - self.by_id[pair[0]].row - 1
            self.bend_x[pair] = [x + width / 2 + PITCH] * rows
            x += width + PITCH

    def _near_receiver(self, pair):
        """x of the stop just below the receiver."""
        bends = self.bend_x[pair]
        return bends[-1] if bends else self.by_id[pair[0]].x

    def _place_cells(self, box):
        """Cells of a box in the order of their senders; a slot's sum follows its cells."""
        layout = self.layout
        slots = layout.slots(box.node)
        widths = [layout.cells_width(edges, folded) for _, edges, folded in slots]
        sums = [layout.sum_width(box.node, edges, folded) for _, edges, folded in slots]
        total = sum(widths) + 10 * (len(slots) - 1)
        if len(slots) > 1:
            total += sum(width + 3 for width in sums if width)
        x = box.x - total / 2
        for (slot, edges, folded), width, extra in zip(slots, widths, sums, strict=True):
            cells = [(None, x, width)]
            if not folded:
                edges = sorted(edges, key=self._sender_key)
                step = layout.cell + 2
                cells = [
                    (edge and edge["id"], x + i * step, layout.cell) for i, edge in enumerate(edges)
                ]
            x += width
            self.slots.setdefault(box.id, []).append(
                Slot(slot, folded, cells, (x + 3, extra) if extra else None)
            )
            x += 10 + (extra + 3 if extra else 0)

    def _sender_key(self, edge):
        """Where a contribution comes from (of a leaf: where that use's pill stands); seed last."""
        receiver = edge and self.layout.receiver.get(edge["id"])
        if receiver is None:                       # the first gradient; one from outside a part
            return (1, 0.0, edge["position"] if edge else 0)
        pair = self.layout.sender(edge).id, receiver.id
        x = receiver.x if receiver.leaf else self._near_receiver(pair)
        return (0, x, edge["position"])

    def _sides(self):
        """+1 for bundles whose forward lane goes right of the gradient's, -1 for the others."""
        side, groups = {}, {}
        for pair in self.layout.bundles:
            groups.setdefault(pair[1], []).append(pair)
        for pairs in groups.values():
            pairs.sort(key=self._near_receiver)
            for i, pair in enumerate(pairs):
                side[pair] = 1 if len(pairs) > 1 and 2 * i >= len(pairs) else -1
            self._ranks(pairs, side)
        return side

    def _ranks(self, pairs, side):
        """How many forward lanes lie between a bundle's own and the cells."""
        for wanted, ordered in ((-1, reversed(pairs)), (1, pairs)):
            count = 0
            for pair in ordered:
                if side[pair] == wanted:
                    self.inner[pair] = count
                    count += len(self.layout.bundles[pair])

    def _receiver_stop(self, pair, edges):
        box = self.by_id[pair[1]]
        first, last = self.slots[box.id][0], self.slots[box.id][-1]
        left = first.cells[0][1]
        right = sum(last.sum or last.cells[-1][1:])
        edges.sort(key=lambda edge: (edge["slot"], edge["position"]))
        for i, edge in enumerate(edges):
            count = self.inner[pair] + (len(edges) - 1 - i if self.side[pair] < 0 else i)
            forward = (
                right + ASIDE + PITCH * count
                if self.side[pair] > 0
                else left - ASIDE - PITCH * count
            )
            self.stops[edge["id"]].append((box.row, forward, self._dock(box, edge, edges)))

    def _dock(self, box, edge, edges):
        cells = next(slot.cells for slot in self.slots[box.id] if slot.number == edge["slot"])
        for name, x, width in cells:
            if name == edge["id"]:
                return x + width / 2
        _, x, width = cells[0]  # folded: lanes share the cell, spread over its width
        uses = sorted(self.layout.into[box.node["id"]], key=self._sender_key)
        if box.leaf:
            uses = edges
        place = [other["id"] for other in uses].index(edge["id"])
        return x + width * (place + 1) / (len(uses) + 1)

    def _bend_stops(self, pair, edges):
        count, side = len(edges), self.side[pair]
        row = self.by_id[pair[1]].row
        for i, x in enumerate(reversed(self.bend_x[pair]), 1):
            for k, edge in enumerate(edges):
                low, high = x - PITCH * (count - k), x + PITCH * (k + 1)
                forward, back = (low, high) if side < 0 else (high, low)
                self.stops[edge["id"]].append((row - i, forward, back))

    def _sender_stops(self, box):
        """Ports on a card's upper edge, in the order of what they lead to, kept straight."""
        pairs = self.sending.get(box.id)
        if not pairs:
            return
        step = self.layout.cell + 2
        blocks = []
        for pair in pairs:
            edges, side = self.layout.bundles[pair], self.side[pair]
            docks = [self.stops[edge["id"]][-1][2] for edge in edges]
            chips, beside = len(edges) * step - 2, ASIDE + PITCH * (len(edges) - 1) + 4
            wanted = (
                sum(docks) / len(docks) + side * beside / 2
            )  # centre of chips and forward lanes together
            blocks.append((wanted, chips + beside, pair))
        blocks.sort(key=lambda block: (block[0], block[2]))
        spots = _inside(blocks, box)
        for (_, width, pair), spot in zip(blocks, spots, strict=True):
            self._ports(pair, spot - width / 2, width, step)

    def _ports(self, pair, left, width, step):
        edges, side = self.layout.bundles[pair], self.side[pair]
        count, row = len(edges), self.by_id[pair[0]].row
        chips = count * step - 2
        start = left + width - chips if side < 0 else left
        for i, edge in enumerate(edges):
            chip = start + i * step + (step - 2) / 2
            if side < 0:
                forward = start - ASIDE - PITCH * (count - 1 - i)
            else:
                forward = start + chips + ASIDE + PITCH * i
            self.stops[edge["id"]].append((row, forward, chip))

    def shift(self, row):
        """The longest way sideways that a lane goes in the gap below `row`."""
        if not hasattr(self, "_shifts"):
            self._shifts = {}
            for stops in self.stops.values():
                for (above, *a), (_, *b) in pairwise(stops):
                    way = max(abs(p - q) for p, q in zip(a, b, strict=True))
                    self._shifts[above] = max(way, self._shifts.get(above, 0))
        return self._shifts.get(row, 0)

    def reach(self):
        """[leftmost, rightmost] x of any lane; empty without lanes."""
        xs = [x for stops in self.stops.values() for _, *pair in stops for x in pair]
        return [min(xs), max(xs)] if xs else []

    def seed_x(self, box):
        """Where the first gradient enters a root."""
        for slot in self.slots[box.id]:
            for name, x, width in slot.cells:
                if name is None:
                    return x + width / 2
        return box.x

    def cell_x(self, box, edge):
        """The middle of the cell of an edge, of the folded cell where it has none of its own."""
        cells = [cell for slot in self.slots[box.id] for cell in slot.cells]
        found = [cell for cell in cells if cell[0] == edge] or cells
        _, x, width = found[0]
        return x + width / 2

    # ---- down

    def as_json(self, shift):
        """The lanes, in the order of the record's edges."""
        out = []
        for edge in self.layout.head["edges"]:
            receiver, sender = self.layout.receiver[edge["id"]], self.layout.sender(edge)
            stops = [  # tenths, so that all that begins at a stop agrees about where it is
                (row, round(f + shift, 1), round(b + shift, 1))
                for row, f, b in self.stops[edge["id"]]
            ]
            dock = [_num(stops[0][2]), _num(_cell_top(receiver) + 10)]
            out.append(
                {
                    "edge": edge["id"],
                    "forward": self._forward(stops, receiver, sender),
                    "back": self._back(stops, receiver, sender),
                    "box": receiver.id,
                    "chip": [_num(stops[-1][2]), _num(sender.y - 11)],
                    "room": self.layout.cell,
                    "dock": dock,
                }
            )
        return out

    def _gap(self, row):
        """Between which heights the lanes below `row` bend."""
        return self.layout.row_bottom[row] + OVERHANG, self.layout.row_top[row - 1] - STUB

    def _forward(self, stops, receiver, sender):
        parts = [f"M{_num(stops[0][1])} {_num(receiver.bottom)}"]
        for (row, x, _), (_, to, _) in pairwise(stops):
            top, low = self._gap(row)
            parts.append(_bend(x, top, to, low))
        return "".join(parts) + f"V{_num(sender.y)}"

    def _back(self, stops, receiver, sender):
        parts = [f"M{_num(stops[-1][2])} {_num(sender.y)}"]
        for (row, _, to), (_, _, x) in reversed(list(pairwise(stops))):
            top, low = self._gap(row)
            parts.append(_bend(x, low, to, top))
        return "".join(parts) + f"V{_num(_cell_top(receiver) + 21)}"

    def slots_json(self, box, shift):
        """The slots of one box: cells at its lower edge and the cell of the sum."""
        y = _num(_cell_top(box))
        return [
            {
                "slot": slot.number,
                "folded": slot.folded,
                "cells": [
                    {"edge": edge, "x": _num(x + shift), "y": y, "w": w, "h": 20}
                    for edge, x, w in slot.cells
                ],
                "sum": slot.sum
                and {"x": _num(slot.sum[0] + shift), "y": y, "w": slot.sum[1], "h": 20},
            }
            for slot in self.slots[box.id]
        ]


def _inside(blocks, box):
    """Centres of the blocks, moved apart and kept on the card."""
    spots = spread([wanted for wanted, _, _ in blocks], [width + 2 for _, width, _ in blocks])
    edge = box.left + 4
    for i, (_, width, _) in enumerate(blocks):
        spots[i] = max(spots[i], edge + width / 2)
        edge = spots[i] + width / 2 + 2
    edge = box.right - 4
    for i in reversed(range(len(blocks))):
        width = blocks[i][1]
        spots[i] = min(spots[i], edge - width / 2)
        edge = spots[i] - width / 2 - 2
    return spots


def _cell_top(box):
    return box.bottom + box.overhang - 20


def _bend(x, y, to, end):
    """A straight piece to `y` and an S to another x; nothing where the lane goes straight on."""
    if abs(x - to) < 0.05:
        return ""  # the next straight piece covers it
    middle = _num((y + end) / 2)
    return f"V{_num(y)}C{_num(x)} {middle} {_num(to)} {middle} {_num(to)} {_num(end)}"


def _num(value):
    value = round(value, 1)
    return int(value) if value == int(value) else value
