"""Where everything stands in the picture of a pass; computed once, from the static head.

Forward runs down, so leaves are on top and the root at the bottom; gradients climb. A leaf has one
pill per node that uses it, which removes nearly all crossings. The numbers that will fly are not
known yet: cells get a width for the kind of numbers the graph holds, and views shorten a number
that is longer.

`lay_out(head)` is the whole interface; the result is the LAYOUT of `record.schema.json`, in SVG
user units.
"""

from itertools import pairwise

from autodidact.trace.lanes import Lanes
from autodidact.trace.layering import GAP, Layers, rows_of

CARD = (212, 50)
PILL = (124, 54)
CELL_HEIGHT = 20
MARGIN = 16
TOP = 14
KEY = (104, 50)  # the corner that the picture's own key ("forward", "backward") takes
LEAST_WIDTH = 552
BELOW = 34  # under the last row: the seed's arrow
ROW_GAP, WIDEST_ROW_GAP = 60, 130
MOST_CELLS = 4
FAR = 420  # ties reach no further


class Box:
    """A card or pill: `x` is its centre, `y` its upper edge."""

    def __init__(self, name, node, edges, size):
        self.id, self.node, self.edges = name, node, edges
        self.w, self.h = size
        self.x = self.y = 0.0
        self.row = 0

    @property
    def left(self):
        """Left edge."""
        return self.x - self.w / 2

    @property
    def right(self):
        """Right edge."""
        return self.x + self.w / 2

    @property
    def bottom(self):
        """Lower edge."""
        return self.y + self.h

    @property
    def leaf(self):
        """Whether this is a leaf's pill."""
        return self.node["kind"] == "leaf"

    @property
    def overhang(self):
        """How far the slot cells stick out below."""
        return CELL_HEIGHT / 2 if self.leaf else CELL_HEIGHT * 0.6


def lay_out(head):
    """The LAYOUT of a record's head; always the same for the same head.

    Example: `lay_out(record.head)["boxes"][0]` is `{"id": "b0", "node": "n0", "x": 224, "y": 342,
    ...}`.
    """
    return Layout(head).result()


class Layout:
    """A picture in the making; of the whole graph of a head."""

    top = TOP

    def __init__(self, head):
        self.head = head
        self.cell = _cell_width(head)
        self.into = {node["id"]: [] for node in head["nodes"]}
        self.ports = dict.fromkeys(self.into, 0)
        for edge in head["edges"]:
            self.into[edge["to"]].append(edge)
            self.ports[edge["from"]] += 1
        self.boxes, self.box_of, self.receiver = [], {}, {}
        for node in head["nodes"]:
            self._add_boxes(node)
        self._place_rows()
        self._order_pills()
        self.lanes = Lanes(self)
        self._place_down()

    # ---- boxes

    def _add_boxes(self, node):
        """One card for an operation; one pill for each node that uses a leaf."""
        edges = self.into[node["id"]]
        uses = {}
        if node["kind"] == "leaf":
            for edge in edges:
                uses.setdefault(edge["from"], []).append(edge)
        for group in list(uses.values()) or [edges]:
            box = Box(f"b{len(self.boxes)}", node, group, self._size(node))
            self.boxes.append(box)
            self.box_of.setdefault(node["id"], box)
            for edge in group:
                self.receiver[edge["id"]] = box

    def arriving(self, node):
        """The edges that lead to a node."""
        return self.into[node["id"]]

    def slots(self, node):
        """A node's lower edge: [(slot number, edges, with None for the seed, folded)]."""
        slots = [[] for _ in node["outputs"]]
        for edge in self.arriving(node):
            slots[edge["slot"]].append(edge)
        if node["id"] in self.head["roots"]:
            short = [i for i, out in enumerate(node["outputs"]) if out["expected"] > len(slots[i])]
            slots[short[0] if short else 0].append(None)
        few = len(slots) <= MOST_CELLS  # an output that nobody used: None arrives there
        cells = [(i, edges or [None]) for i, edges in enumerate(slots) if edges or few]
        return [(i, edges, len(edges) > MOST_CELLS) for i, edges in cells]

    def sum_width(self, node, edges, folded):
        """Width of the cell with the running sum; 0 where there is none."""
        several = len(edges) > 1 and node["kind"] != "leaf"
        return self.cell + 8 if folded or several else 0

    def cells_width(self, edges, folded):
        """Width of a slot's row of cells without the sum."""
        return 64 if folded else len(edges) * (self.cell + 2) - 2

    def _size(self, node):
        slots = self.slots(node)
        row = 10 * (len(slots) - 1)
        sums = [self.sum_width(node, edges, folded) for _, edges, folded in slots]
        row += sum(self.cells_width(edges, folded) for _, edges, folded in slots)
        row += (2 if len(slots) == 1 else 1) * sum(width + 3 for width in sums if width)
        if node["kind"] == "leaf":
            return max(PILL[0], row + 58), PILL[1]
        ports = self.ports[node["id"]] * (self.cell + 24) + 20
        return max(CARD[0], row + 60, ports), CARD[1]

    def sender(self, edge):
        """The box an edge's gradient comes from."""
        return self.box_of[edge["from"]]

    # ---- rows

    def _place_rows(self):
        """Across: rows, order and x, with the help of an engine."""
        self.bundles = {}
        for edge in self.head["edges"]:
            pair = self.sender(edge).id, self.receiver[edge["id"]].id
            self.bundles.setdefault(pair, []).append(edge)
        row = rows_of([box.id for box in self.boxes], list(self.bundles))
        bend = {pair: 16 * (len(edges) + 1) for pair, edges in self.bundles.items()}
        width = {box.id: box.w for box in self.boxes}
        cards = [box.id for box in self.boxes if not box.leaf]
        self.layers = Layers(width, row, list(self.bundles), bend, cards)
        self.layers.place()
        for box in self.boxes:
            box.x, box.row = self.layers.x[box.id], row[box.id]

    def _order_pills(self):
        """Neighbouring pills stand as the node's inputs do, but towards siblings elsewhere."""
        by_id = {box.id: box for box in self.boxes}
        for names in self.layers.in_rows():
            run = []
            for name in [*names, None]:
                box = by_id.get(name)
                single = box is not None and box.leaf and box.edges
                if run and not (single and box.edges[0]["from"] == run[0].edges[0]["from"]):
                    self._order_run(run)
                    run = []
                if single:
                    run.append(box)

    def _order_run(self, run):
        if len(run) < 2:
            return
        middle = (run[0].left + run[-1].right) / 2
        siblings = {
            box.id: [other.x for other in self.boxes if other.node is box.node and other not in run]
            for box in run
        }

        def key(box):
            near = min(siblings[box.id], key=lambda x: abs(x - middle), default=middle)
            return (near > middle) - (near < middle), box.edges[0]["position"]

        gaps = [b.left - a.right for a, b in pairwise(run)]
        left = run[0].left
        for box, gap in zip(sorted(run, key=key), [*gaps, 0], strict=True):
            box.x = left + box.w / 2
            left += box.w + gap
            self.layers.x[box.id] = box.x

    def _place_down(self):
        """Down: the highest row first; a row of long sideways lanes gets more room below it."""
        count = max(box.row for box in self.boxes) + 1
        heights = [
            max((box.h for box in self.boxes if box.row == row), default=0) for row in range(count)
        ]
        self.row_top, y = [0.0] * count, float(self.top)
        for row in reversed(range(count)):
            self.row_top[row] = y
            y += heights[row] + min(
                max(ROW_GAP, ROW_GAP + (self.lanes.shift(row) - 150) / 8), WIDEST_ROW_GAP
            )
        self.row_bottom = [top + height for top, height in zip(self.row_top, heights, strict=True)]
        for box in self.boxes:
            # A tenth, as in the JSON: its lanes begin where the rounded card ends.
            box.y = round(self.row_top[box.row] + (heights[box.row] - box.h) / 2, 1)

    # ---- the result

    def result(self):
        """Everything moved into the frame, as plain JSON."""
        texts = []
        ties = self._ties(texts)
        texts += [
            {
                "id": "text.starts",
                "node": root,
                "x": self.box_of[root].x + 26,
                "y": self.box_of[root].bottom + 22,
            }
            for root in self.head["roots"]
        ]
        self.shift, width = self._frame(texts)
        return {
            "width": width,
            "height": num(self.row_bottom[0] + BELOW),
            "engine": self.layers.engine,
            "boxes": [self._box(box) for box in self.boxes],
            "lanes": self.lanes.as_json(self.shift),
            "slots": {box.id: self.lanes.slots_json(box, self.shift) for box in self.boxes},
            "ties": [path(points, self.shift) for points in ties],
            "seed": {root: self._seed(self.box_of[root]) for root in self.head["roots"]},
            "texts": [
                {**text, "x": num(text["x"] + self.shift), "y": num(text["y"])} for text in texts
            ],
        }

    def _box(self, box):
        use = box.edges[0]["id"] if box.leaf and box.edges else None
        x = num(box.left + self.shift)
        return {
            "id": box.id,
            "node": box.node["id"],
            "x": x,
            "y": num(box.y),
            "w": num(box.w),
            "h": box.h,
            "use": use,
        }

    def _seed(self, box):
        x = self.lanes.seed_x(box) + self.shift
        return f"M{num(x)} {num(box.bottom + 30)}V{num(box.bottom + box.overhang)}"

    def _frame(self, texts):
        """How far to move everything right, and the picture's width."""
        reach = self.lanes.reach()
        left = min([box.left for box in self.boxes] + reach[:1])
        ends = [text["x"] + (62 if text["id"] == "text.same_leaf" else 120) for text in texts]
        right = max([box.right for box in self.boxes] + reach[1:] + ends)
        under_key = [box.left for box in self.boxes if box.y < KEY[1]]
        shift = max(MARGIN - left, KEY[0] - min(under_key, default=KEY[0]))
        room = LEAST_WIDTH - (right + shift + MARGIN)
        if room > 0:  # a narrow graph stands in the middle
            centred = (LEAST_WIDTH - left - right) / 2
            shift = min(max(shift, centred), shift + room)
        shift = float(round(shift))
        return shift, num(max(LEAST_WIDTH, float(round(right + shift + MARGIN))))

    # ---- ties

    def _ties(self, texts):
        """Dotted curves between neighbouring pills of a leaf, where nothing stands between."""
        ties = []
        pills = {}
        for box in self.boxes:
            if box.leaf:
                pills.setdefault(box.node["id"], []).append(box)
        for group in pills.values():
            group.sort(key=lambda box: (box.x, box.y))
            for left, right in pairwise(group):
                points = _tie(left, right)
                if points and not self._hits(_curve(points), (left, right)):
                    ties.append(points)
                    self._caption(points, texts)
        return ties

    def _caption(self, points, texts):
        """The words "same leaf", once, beside the first curve that has room for them."""
        (x, y), (end, _) = points[0], points[-1]
        x = x + 30 if end > x else x - 92
        spots = [(x + dx, y - 7) for dx in (0, 20, 40, 62)]
        if not texts and len({y for _, y in points}) > 1 and not self._hits(spots, ()):
            texts.append({"id": "text.same_leaf", "node": None, "x": x, "y": y - 7})

    def _hits(self, points, ends):
        return any(
            box.left - 4 < x < box.right + 4 and box.y - 4 < y < box.bottom + box.overhang
            for box in self.boxes
            if box not in ends
            for x, y in points
        )


def _tie(left, right):
    """Four points of a curve from a pill to its neighbour; None where they are far apart."""
    if right.x - left.x > FAR or abs(left.row - right.row) > 2:
        return None
    if left.row == right.row:
        y = left.y + 22
        return [(left.right, y), (left.right + 4, y), (right.left - 4, y), (right.left, y)]
    start, end, side = (left, right, 1) if left.row > right.row else (right, left, -1)
    x, y = start.x + side * start.w / 2, start.y + 22
    if (end.x - x) * side < 12:
        return None
    return [(x, y), (x + (end.x - x) * 0.7, y), (end.x, y + 8), (end.x, end.y - 2)]


def _curve(points):
    """Some places on a cubic curve."""
    out = []
    for i in range(1, 20):
        t = i / 20
        weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
        out.append(
            tuple(sum(w * p[axis] for w, p in zip(weights, points, strict=True)) for axis in (0, 1))
        )
    return out


def path(points, shift):
    """The SVG path of one cubic curve given by its four points."""
    (x, y), *rest = points
    return f"M{num(x + shift)} {num(y)}C" + " ".join(f"{num(a + shift)} {num(b)}" for a, b in rest)


def num(value):
    """A coordinate for JSON: one decimal, none where it is whole."""
    value = round(value, 1)
    return int(value) if value == int(value) else value


def _cell_width(head):
    """Room for the kind of numbers this graph holds: 32 for "64", up to 56 for "-0.658"."""
    texts = [node["value"]["text"] for node in head["nodes"] if node["value"]]
    longest = max((len(text) for text in texts), default=4)
    return 32 + 8 * min(max(longest - 3, 0), 3)


__all__ = ["GAP", "Box", "Layout", "lay_out", "num"]
