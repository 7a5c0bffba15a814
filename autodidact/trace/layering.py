"""Boxes in rows: which row each stands in, in what order, and how far to the right.

Row 0 holds the roots of the backward pass; an edge leads from a row to a higher one. A long edge
passes the rows between through bends, boxes of their own, so that no lane ever runs over a card.
Order and coordinates come from Graphviz where it is installed, else from grandalf, else from the
plain engine below; whichever it was, `settle` has the last word, so that two boxes never overlap.
"""

from bisect import bisect_right, insort
from itertools import pairwise

from autodidact._optional import MissingExtra, optional
from autodidact.trace import dot

GAP = 30  # least room between two neighbours
MOST_BENDS = 600  # longer edges than these allow go round the outside
MOST_FOR_GRANDALF = 400  # grandalf recurses over its columns
SWEEPS = 8
SMALL = 5  # graphs of more rows stand straight; small ones look better balanced


def rows_of(nodes, edges):
    """The row of every node: one more than the highest of those that send to it.

    `edges` are pairs (sender, receiver): the row is the longest path from a
    root. Kahn's order, so no recursion; what lies on a circle stays in row 0.
    """
    waiting = dict.fromkeys(nodes, 0)
    upward = {node: [] for node in nodes}
    for sender, receiver in edges:
        waiting[receiver] += 1
        upward[sender].append(receiver)
    row = dict.fromkeys(nodes, 0)
    ready = [node for node in nodes if not waiting[node]]
    while ready:
        node = ready.pop()
        for receiver in upward[node]:
            row[receiver] = max(row[receiver], row[node] + 1)
            waiting[receiver] -= 1
            if not waiting[receiver]:
                ready.append(receiver)
    return row


class Layers:
    """A layered graph: boxes with width and row, links between rows, long edges' bends.

    `edges` is a list of (sender box, receiver box), each pair once; `bend_width` says how wide a
    lane's bend is, `spine` which boxes should stand straight above each other where they can
    (cards, not pills).
    """

    def __init__(self, width, row, edges, bend_width, spine):
        self.width, self.row, self.spine = dict(width), dict(row), set(spine)
        self.links, self.bends, self.outside = [], {}, []
        budget = MOST_BENDS
        for edge in sorted(edges, key=lambda edge: self._span(edge)):
            budget -= self._span(edge) - 1
            if budget < 0:
                self.outside.append(edge)
            else:
                self._chain(edge, bend_width[edge])
        place = {edge: i for i, edge in enumerate(edges)}
        self.links.sort(key=lambda link: place[link[2]])
        self.x = {}
        self.engine = "simple"

    def _span(self, edge):
        return self.row[edge[1]] - self.row[edge[0]]

    def _chain(self, edge, width):
        sender, receiver = edge
        self.bends[edge] = chain = [
            f"bend:{sender}:{receiver}:{row}"
            for row in range(self.row[sender] + 1, self.row[receiver])
        ]
        for offset, bend in enumerate(chain, 1):
            self.row[bend], self.width[bend] = self.row[sender] + offset, width
        self.spine.update(chain)
        stops = [sender, *chain, receiver]
        self.links += [(low, high, edge) for low, high in pairwise(stops)]

    def place(self):
        """Fill `x` (the centre of every box) and `engine`."""
        for name, engine in (("graphviz", _graphviz), ("grandalf", _grandalf), ("simple", _simple)):
            try:
                x = engine(self)
            except MissingExtra:
                continue
            except Exception:
                if name == "simple":
                    raise
                continue
            if x is not None and x.keys() >= self.row.keys():
                self.engine = name
                break
        self.x = x
        self.settle()

    def in_rows(self):
        """The boxes of each row, from left to right."""
        rows = [[] for _ in range(max(self.row.values()) + 1)]
        for box in self.row:
            rows[self.row[box]].append(box)
        for boxes in rows:
            boxes.sort(key=lambda box: self.x[box])
        return rows

    def settle(self):
        """Move boxes of a row apart where they stand too close, each as little as possible."""
        for boxes in self.in_rows():
            spots = spread([self.x[box] for box in boxes], [self.width[box] + GAP for box in boxes])
            self.x.update(zip(boxes, spots, strict=True))


def spread(wanted, widths):
    """Places for things in a row, nearest to the wanted centres without overlap (least squares).

    Pool-adjacent-violators: neighbours that would collide are glued together and move as one block.
    Example: spread([0, 0], [10, 10]) is [-5.0, 5.0].
    """
    offsets, edge = [], 0.0
    for width in widths:
        offsets.append(edge + width / 2)
        edge += width
    blocks = []  # [sum of wanted positions of the common zero, how many]
    for want, offset in zip(wanted, offsets, strict=True):
        blocks.append([want - offset, 1])
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] > blocks[-1][0] / blocks[-1][1]:
            total, count = blocks.pop()
            blocks[-1][0] += total
            blocks[-1][1] += count
    zeros = [total / count for total, count in blocks for _ in range(count)]
    return [zero + offset for zero, offset in zip(zeros, offsets, strict=True)]


# ---- engines: each gives the centre of every box, or None


def _graphviz(layers):
    names = {box: f"n{i}" for i, box in enumerate(layers.row)}
    boxes = {name: box for box, name in names.items()}
    lines = [
        "digraph { rankdir=BT; nodesep=%.3f; node [shape=box fixedsize=true height=0.7];"
        % (GAP / 72)
    ]
    lines += [f"{name} [width={layers.width[box] / 72:.3f}];" for box, name in names.items()]
    tall = max(layers.row.values()) > SMALL
    for low, high, _ in layers.links:
        weight = 8 if tall and low in layers.spine and high in layers.spine else 1
        lines.append(f"{names[low]} -> {names[high]} [weight={weight}];")
    x = {}
    for line in dot.plain("\n".join([*lines, "}"])).splitlines():
        if line.startswith("node "):
            _, name, across, *_ = line.split()
            x[boxes[name]] = float(across) * 72
    return x


def _grandalf(layers):
    if len(layers.row) > MOST_FOR_GRANDALF:
        return None
    graphs = optional("grandalf.graphs", extra="lab")
    layouts = optional("grandalf.layouts", extra="lab")
    vertices = {box: graphs.Vertex(box) for box in layers.row}
    for box, vertex in vertices.items():
        vertex.view = layouts.VertexViewer(w=layers.width[box], h=50)
    edges = [graphs.Edge(vertices[low], vertices[high]) for low, high, _ in layers.links]
    left, x = 0.0, {}
    for component in graphs.Graph(list(vertices.values()), edges).C:
        sugiyama = layouts.SugiyamaLayout(component)
        sugiyama.xspace = GAP
        sugiyama.init_all()
        sugiyama.draw(3)
        placed = [vertex for vertex in component.sV if vertex.data in vertices]
        start = min(vertex.view.xy[0] - vertex.view.w / 2 for vertex in placed)
        for vertex in placed:
            x[vertex.data] = vertex.view.xy[0] - start + left
        left = GAP + max(x[vertex.data] + vertex.view.w / 2 for vertex in placed)
    return x


def _simple(layers):
    """Barycentre sweeps for the order, then each box near its neighbours' middle."""
    down, up = {box: [] for box in layers.row}, {box: [] for box in layers.row}
    for low, high, _ in layers.links:
        up[low].append(high)
        down[high].append(low)
    x = _first_order(layers, up)
    best, crossings = dict(x), _crossings(layers.links, layers.row, x)
    for sweep in range(SWEEPS):
        layers.x = x
        rows = layers.in_rows()
        near = up if sweep % 2 else down
        for boxes in reversed(rows) if sweep % 2 else rows:
            boxes.sort(key=lambda box: _middle(x, near[box], x[box]))
            x.update(zip(boxes, range(len(boxes)), strict=True))
        count = _crossings(layers.links, layers.row, x)
        if count < crossings:
            best, crossings = dict(x), count
    return _coordinates(layers, best, down, up)


def _first_order(layers, up):
    """Numbers along each row as a walk from the roots meets the boxes, first inputs first."""
    x, used, seen = {}, {}, set()
    stack = [box for box in reversed(layers.row) if not layers.row[box]]
    while stack:
        box = stack.pop()
        if box in seen:
            continue
        seen.add(box)
        row = layers.row[box]
        x[box] = used[row] = used.get(row, -1) + 1
        stack.extend(reversed(up[box]))
    for box in layers.row:  # only bends of a broken record could be left
        x.setdefault(box, len(x))
    return x


def _middle(x, near, default):
    return sum(x[box] for box in near) / len(near) if near else default


def _crossings(links, row, x):
    """How many pairs of links cross: inversions, counted with a sorted list per row."""
    by_row = {}
    for low, high, _ in links:
        by_row.setdefault(row[low], []).append((x[low], x[high]))
    count = 0
    for pairs in by_row.values():
        seen = []
        for _, high in sorted(pairs):
            count += len(seen) - bisect_right(seen, high)
            insort(seen, high)
    return count


def _coordinates(layers, order, down, up):
    layers.x = order
    rows = layers.in_rows()
    x = {}
    for boxes in rows:
        x.update(
            zip(
                boxes, spread([0] * len(boxes), [layers.width[b] + GAP for b in boxes]), strict=True
            )
        )
    for sweep in range(2 * SWEEPS):
        near = up if sweep % 2 else down
        for boxes in reversed(rows) if sweep % 2 else rows:
            wanted = [_middle(x, near[box], x[box]) for box in boxes]
            spots = spread(wanted, [layers.width[box] + GAP for box in boxes])
            x.update(zip(boxes, spots, strict=True))
    return x
