"""The memory of a pass as a picture: the curve, and under it the life of every storage."""

from xml.sax.saxutils import escape

from autodidact.trace.memory_text import storage_name
from autodidact.trace.messages import say
from autodidact.trace.plain import shorten, visible, who

WIDTH, LEFT, RIGHT = 860, 250, 24
TOP, HEIGHT = 44, 150
NAMES, ROW = 96, 24
MOST_NAMED = 40
STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#212121}.q{fill:#5c5c5c}.b{font-weight:600}"
    ".g{stroke:#dbdbdb}.c{fill:none;stroke:#1976d2;stroke-width:2.25}.a{fill:#eaf2fb}"
    ".p{fill:#7a7a7a;fill-opacity:.35;stroke:#7a7a7a}.d{stroke-dasharray:5 4;stroke-width:1.5}"
    ".n{stroke:#1976d2;stroke-width:2}.k{fill:#212121}.f{fill:#a6a6a6}"
    ".t{fill:none;stroke:#7a7a7a;stroke-dasharray:3 2}"
)


def render(memory, step, language=None):
    """The SVG text of one state of a `Memory`.

    Example: `trace.record(loss).memory().svg()` calls this.
    """
    return _Picture(memory, step, language).render()


class _Picture:
    def __init__(self, memory, step, language):
        self.memory, self.step, self.language = memory, step, language
        self.up, self.down = memory.forward(), memory.backward()
        self.length = max(1, len(self.up) + len(self.down) - 1)
        self.now = len(self.up) + step
        sizes = [size for _, size, _ in self.up] + [size for size, _ in self.down]
        self.peak = max([*sizes, 1])
        self.lives = memory.lives()

    def render(self):
        below = TOP + HEIGHT + (NAMES if self.length <= MOST_NAMED else 16)
        height = below + ROW * len(self.lives) + 34
        parts = [*self.curve(), *self.names(), *self.rows(below), *self.total(height)]
        name = escape(self.say("ui.memory.title"))
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
            f'viewBox="0 0 {WIDTH} {height}" role="img"><title>{name}</title><style>{STYLE}</style>'
            f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>{"".join(parts)}</svg>'
        )

    def say(self, message, /, **args):
        return say(message, args, self.language)

    def x(self, place):
        """Where a place of the time axis stands, in pixels."""
        return round(LEFT + place * (WIDTH - LEFT - RIGHT) / self.length, 1)

    def y(self, size):
        return round(TOP + HEIGHT - HEIGHT * size / self.peak, 1)

    def stairs(self, values, start, end):
        """A path through values that begin in the middle of their places."""
        first = values[max(0, min(len(values), start) - 1)] if start else 0
        path = f"M{self.x(start)} {self.y(first)}"
        for k, value in enumerate(values):
            if start < k + 0.5 <= end:
                path += f"H{self.x(k + 0.5)}V{self.y(value)}"
        return f"{path}H{self.x(end)}"

    def curve(self):
        """The axes, the curve so far, what is recorded beyond, the share of parameters."""
        sizes = [size for _, size, _ in self.up] + [size for size, _ in self.down[1:]]
        shares = [share for *_, share in self.up] + [share for _, share in self.down[1:]]
        floor = f"V{self.y(0)}H{self.x(0)}Z"
        past = self.stairs(sizes, 0, self.now)
        size, share = self.down[self.step]
        told = self.say("ui.memory.now", bytes=f"{size} B")
        if share:
            told += " " + self.say("ui.memory.parameters", parameters=f"{share} B")
        anchor = "end" if self.now > 0.6 * self.length else "start"
        right = f'x1="{LEFT}" x2="{WIDTH - RIGHT}"'
        forward = self.say("ui.memory.forward", n=len(self.up))
        backward = self.say("ui.memory.backward", n=len(self.down) - 1)
        return [
            *(
                f'<line class="g" {right} y1="{self.y(v)}" y2="{self.y(v)}"/>'
                for v in (0, self.peak / 2, self.peak)
            ),
            f'<path class="a" d="{past}{floor}"/>',
            f'<path class="p" d="{self.stairs(shares, 0, self.now)}{floor}"/>',
            f'<path class="c" d="{past}"/>',
            f'<path class="c d" d="{self.stairs(sizes, self.now, self.length)}"/>',
            _text(LEFT, 14, forward, "q"),
            _text(self.x(len(self.up)) + 4, 14, backward, "q"),
            _text(LEFT - 8, TOP + 4, f"{self.peak} B", "q", "end"),
            _text(LEFT - 8, TOP + HEIGHT + 4, "0", "q", "end"),
            _text(self.x(self.now), TOP - 10, told, "b", anchor),
        ]

    def names(self):
        """The operations and the nodes under their places."""
        if self.length > MOST_NAMED:
            return []
        nodes = {node["id"]: node for node in self.memory.record.head["nodes"]}
        ran = [delta["ran"] for delta in self.memory.record.states[1:]]
        words = [who(node) for node, *_ in self.up]
        words += [who(nodes[key]) if key in nodes else "-" for key in ran]
        out = []
        for k, word in enumerate(words):
            x, y = self.x(k + 0.5) + 4, TOP + HEIGHT + 14
            kind = "b" if k == self.now - 1 else "q"
            out.append(
                f'<g transform="rotate(-52 {x} {y})">'
                f"{_text(x, y, shorten(word, 14), kind, 'end')}</g>"
            )
        return out

    def rows(self, top):
        """A line for each storage; a bar for each entry that keeps it."""
        out = []
        for i, life in enumerate(self.lives):
            y = top + i * ROW
            out.append(_text(16, y + 16, storage_name(life), "b"))
            out.append(_text(LEFT - 12, y + 16, f"{life['bytes']} B", "", "end"))
            out.append(
                f'<line class="g" x1="16" x2="{WIDTH - RIGHT}" y1="{y + ROW}" y2="{y + ROW}"/>'
            )
            for k, use in enumerate(life["entries"][:2]):
                out += self.bar(use, y + 5 + 8 * k, life["parameter"])
        out.append(
            f'<line class="n" x1="{self.x(self.now)}" x2="{self.x(self.now)}" y1="{TOP}" '
            f'y2="{top + ROW * len(self.lives)}"/>'
        )
        return out

    def bar(self, use, y, parameter):
        end = self.length if use["until"] is None else len(self.up) + use["until"] - 0.5
        start, now = use["from"] - 0.5, min(end, self.now)
        kind = "f" if end <= self.now else "p" if parameter else "k"
        yield _rect(self.x(start), y, self.x(now) - self.x(start), kind)
        if end > self.now:
            yield _rect(self.x(now), y, self.x(end) - self.x(now), "t")

    def total(self, height):
        """The sum of the storages that are kept: the curve's value."""
        size, share = self.down[self.step]
        n = len(self.memory.kept(self.step))
        words = self.say("memory.sum", n=n, bytes=size, parameters=share)
        return [_text(16, height - 12, words, "b")]


def _text(x, y, words, kind, anchor="start"):
    return (
        f'<text class="{kind}" x="{x}" y="{y}" text-anchor="{anchor}">'
        f"{escape(visible(words))}</text>"
    )


def _rect(x, y, width, kind):
    return f'<rect class="{kind}" x="{x}" y="{y}" width="{round(max(width, 0), 1)}" height="6"/>'
