"""The parts of the static picture: colours, arrow heads, icons, text; and how wide a number is."""

from xml.sax.saxutils import escape

from autodidact.trace.plain import visible

# greatest usual width of a character: 13 px code, 13 px value, 11.5 px label
CODE_WIDTH, VALUE_WIDTH, SMALL_WIDTH = 7.9, 7.0, 6.3

STYLE = """
.g text{font-family:system-ui,-apple-system,"Segoe UI","Noto Sans","DejaVu Sans",sans-serif;
fill:#212121;font-size:12px;font-variant-numeric:tabular-nums;unicode-bidi:isolate}
.g .src{font-family:ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;
font-size:13px;font-weight:600}
.g .val{font-size:13px;text-anchor:end}
.g .sub{fill:#5c5c5c;font-size:11.5px}
.g .end{text-anchor:end}.g .mid{text-anchor:middle}
.ground{fill:#f6f6f6}
.g .body{fill:#fff;stroke:#7a7a7a;stroke-width:1}
.g .is-done .body{fill:#ededed}
.g .is-next .body{stroke:#1976d2;stroke-width:2.5;fill:#eaf3fb}
.g .is-ready .body{stroke:#212121;stroke-width:1.5}
.g .is-skipped .body{stroke-dasharray:1.5 4;stroke-linecap:round;fill:none}
.g .is-skipped .src{fill:#5c5c5c}
.g .is-failed .body{stroke:#b12727;stroke-width:2.5;fill:#fbeeee}
.g .is-wrong .body,.g .is-silent .body{stroke:#b12727;stroke-width:2}
.g .is-silent .body{stroke-dasharray:6 3}
.g .bad{fill:#b12727}
.cut-mark,.end-mark{fill:none;stroke:#9a5200;stroke-width:2.5}
.end-mark{stroke:#5c5c5c;stroke-width:2}
.g .cut-word{fill:#9a5200;font-weight:600}.g .end-word{font-weight:600}
.g .made .src{font-size:12px}
.g .outer{fill:none;stroke:#b12727;stroke-width:1}
.fwd{fill:none;stroke:#7a7a7a;stroke-width:1.25;marker-end:url(#m-fwd)}
.back{fill:none;stroke:#1976d2;stroke-width:2.25;marker-end:url(#m-back)}
.back.soon{stroke-dasharray:5 4;stroke-width:1.75}
.back.later{stroke:#7a7a7a;stroke-dasharray:1.5 4;stroke-width:1.5;stroke-linecap:round;
marker-end:url(#m-later)}
.back.cut{stroke:#b12727;stroke-dasharray:1.5 4;stroke-linecap:round;marker-end:url(#m-cut)}
.tie{fill:none;stroke:#7a7a7a;stroke-width:1;stroke-dasharray:1 3;stroke-linecap:round}
.slot{fill:#fff;stroke:#7a7a7a;stroke-width:1}
.slot.empty{stroke-dasharray:3 2.5}
.slot.full{fill:#1976d2;stroke:#1976d2}
.slot.sum,.slot.ghost{fill:#eaf3fb;stroke:#1976d2}
.slot.soon{stroke:#1976d2;stroke-width:1.5;stroke-dasharray:4 2.5}
.g .n{font-size:12.5px;font-weight:600;text-anchor:middle}
.g .n.on{fill:#fff}
.g .n.none{font-style:italic;font-weight:400}
.g .cap{font-size:11.5px;fill:#5c5c5c}
.ic{fill:none;stroke:currentColor;stroke-width:1.5;stroke-linecap:round;stroke-linejoin:round}
.ic .f{fill:currentColor;stroke:none}.ic .s{fill:#fff;stroke:none}.ic .sl{stroke:#fff;fill:none}
.c-ink{color:#212121}.c-2{color:#5c5c5c}.c-grad{color:#1976d2}.c-bad{color:#b12727}
"""

_MARKER = (
    '<marker id="{}" viewBox="0 0 9 9" refX="{}" refY="{}" markerWidth="{}" markerHeight="{}" '
    'orient="auto" '
    'markerUnits="userSpaceOnUse"><path d="{}" fill="{}" stroke="{}"/></marker>'
)
MARKERS = "".join(
    _MARKER.format(*marker)
    for marker in (
        ("m-fwd", 7, 4, 9, 9, "M1 1l6 3-6 3", "none", "#7a7a7a"),
        ("m-back", 8, 4.5, 9, 9, "M0 .5l9 4-9 4z", "#1976d2", "none"),
        ("m-later", 7, 4, 9, 9, "M1 1l6 3-6 3z", "#f6f6f6", "#7a7a7a"),
        ("m-cut", 7, 4, 9, 9, "M1 1l6 3-6 3z", "#f6f6f6", "#b12727"),
    )
)

_SYMBOL = '<symbol id="i-{}" viewBox="0 0 16 16"><g class="ic">{}</g></symbol>'
_ICONS = {
    "done": '<circle cx="8" cy="8" r="6.25"/><path d="M5.2 8.2l2 2 3.7-4.2"/>',
    "next": '<circle class="f" cx="8" cy="8" r="7"/><path class="s" d="M6.3 4.9v6.2l5-3.1z"/>',
    "ready": '<circle cx="8" cy="8" r="6.25"/><circle class="f" cx="8" cy="8" r="3"/>',
    "wait0": '<circle cx="8" cy="8" r="6.25" stroke-dasharray="2.6 2.3"/>',
    "wait1": (
        '<circle cx="8" cy="8" r="6.25" stroke-dasharray="2.6 2.3"/>'
        '<path class="f" d="M8 4a4 4 0 0 1 0 8z"/>'
    ),
    "failed": (
        '<path class="f" d="M5 1h6l4 4v6l-4 4H5l-4-4V5z"/>'
        '<path class="sl" d="M5.6 5.6l4.8 4.8M10.4 5.6l-4.8 4.8"/>'
    ),
    "skipped": '<circle cx="8" cy="8" r="6.25"/><path d="M5 8h6"/>',
    "kept": '<rect class="f" x="3" y="3" width="10" height="10" rx="1.5"/>',
    "freed": (
        '<rect x="3.25" y="3.25" width="9.5" height="9.5" rx="1.5" stroke-dasharray="2.4 2"/>'
        '<path d="M2 14L14 2"/>'
    ),
    "stale": '<path d="M8 1.6L15 14H1z"/><path d="M8 6v4M8 12v.01"/>',
    "packed": (
        '<rect x="2.25" y="2.25" width="11.5" height="11.5" rx="1.5"/>'
        '<rect class="f" x="5.5" y="5.5" width="5" height="5"/>'
    ),
}
ICONS = "".join(_SYMBOL.format(*icon) for icon in _ICONS.items())

_NARROW = {".": 3.7, "-": 5.0, " ": 3.6, ",": 3.7}


def digits_width(text):
    """About how wide a number is at 12.5 px, semibold."""
    return sum(_NARROW.get(c, 7.6) for c in text)


def fitting(text, room):
    """The number with as many digits as fit into `room`; at least one significant digit.

    Example: fitting("0.658421", 28) is "0.66".
    """
    if digits_width(text) <= room:
        return text
    try:
        value = float(text)
    except ValueError:
        return text[: max(1, int(room / 7.6) - 1)] + "…"
    for digits in range(5, 0, -1):
        mantissa, e, exponent = f"{value:.{digits}g}".partition("e")
        shorter = f"{mantissa}e{int(exponent)}" if e else mantissa
        if digits_width(shorter) <= room:
            break
    return shorter


def esc(words):
    """Text as text, whatever it holds."""
    return escape(visible(words), {'"': "&quot;"})


def text(x, y, words, kind):
    """Words that begin (or, by their class, end or are centred) at a place."""
    return f'<text class="{kind}" x="{short(x)}" y="{short(y)}">{esc(words)}</text>'


def rect(place, kind, radius):
    """A box (x, y, width, height) with round corners."""
    x, y, w, h = map(short, place)
    return f'<rect class="{kind}" x="{x}" y="{y}" width="{w}" height="{h}" rx="{radius}"/>'


def icon(name, x, y, size, kind):
    """A sign."""
    place = f'x="{short(x)}" y="{short(y)}" width="{size}" height="{size}"'
    return f'<use href="#i-{name}" {place} class="{kind}"/>'


def short(value):
    """A coordinate to a tenth."""
    return f"{value:g}" if isinstance(value, int) else f"{round(value, 1):g}"
