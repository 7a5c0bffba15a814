"""Names, values and widths as plain text: what text form, picture and sentences share."""

import re
import unicodedata

from autodidact.trace.messages import say
from autodidact.trace.summary import number

SHORT_SOURCE = 16      # program text of this length stands for a node that has no variable
_SPACE = re.compile(r"\s+")
_UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def visible(text):
    r"""The text on one line, with every character spelled out that would not show or turn the line.

    Example: visible("a\n  b\u202ec") is r"a b\u202ec".
    """
    text = _SPACE.sub(" ", str(text))
    if text.isascii() and text.isprintable():
        return text
    return "".join(_spelled(c) if unicodedata.category(c) in _UNSEEN else c for c in text)


def _spelled(character):
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def width(text):
    """Columns the text takes in a fixed-width font: wide characters two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def shorten(text, columns):
    """At most `columns` columns of the text, an ellipsis standing for what is left out."""
    if width(text) <= columns:
        return text
    out, used = [], 1
    for character in text[:columns]:
        used += width(character)
        if used > columns:
            break
        out.append(character)
    return "".join(out).rstrip() + "…"


def aligned(rows, gap=3):
    """Rows of cells as lines with straight columns; a row may be shorter than the widest."""
    count = max((len(row) for row in rows), default=0)
    widths = [max((width(row[i]) for row in rows if len(row) > i), default=0) for i in range(count)]
    return [
        (" " * gap)
        .join(cell + " " * (widths[i] - width(cell)) for i, cell in enumerate(row))
        .rstrip()
        for row in rows
    ]


def who(node):
    """What a sentence calls a node: the learner's words before the node's own name.

    Example: who({"var": "d", ...}) is "d"; without a variable "h * u #2", and where the line is
    long or not known "MulBackward0 #2".
    """
    if node["var"]:
        return visible(node["var"])
    if node["kind"] == "leaf":
        return visible(node["label"])
    words = visible(node["source"] or "")
    name = words if 0 < len(words) <= SHORT_SOURCE else visible(node["name"])
    return name + ("" if node["number"] is None else f" #{node['number']}")


def headline(node):
    """A node's first line: its source text where known, else its variable, else "-"."""
    return visible(node["source"] or node["var"] or "-") if node["kind"] != "leaf" else who(node)


def shape_text(shape):
    """A shape as Python writes it: (), (3,), (2, 3)."""
    return "(" + ", ".join(str(n) for n in shape) + ("," if len(shape) == 1 else "") + ")"


def value_text(summary, most=28, language=None):
    """An array in a few words: the number; all values if they fit into `most`; else the norm."""
    if summary is None:
        return say("value.none", None, language)
    if summary["label"] == "value":
        return visible(summary["text"])
    if summary["values"] is not None:
        text = values_text(summary["values"])
        if len(text) <= most:
            return text
    norm = say("text.norm", {"value": summary["text"]}, language)
    return f"{norm} {shape_text(summary['shape'])}"


def values_text(values):
    """A nested list of numbers as text; nested at most as deep as an array's axes."""
    if isinstance(values, (list, tuple)):
        return "[" + ", ".join(values_text(each) for each in values) + "]"
    return number(values)


def saved_name(entry):
    """What a saved entry is called: the formula's name and the learner's, "self d"."""
    name, var = visible(entry["name"]), entry["var"]
    return f"{name} {visible(var)}" if var and var != name else name


def place(node, language=None):
    """Where in the learner's program a node was made: "cell 3 line 5"; empty when unknown."""
    where = node["where"]
    if not where:
        return ""
    args = {name: visible(value) for name, value in where.items() if value is not None}
    if where["cell"] is not None:
        return say("text.place.cell", args, language)
    return say("text.place.file", {"file": "-"} | args, language)


def received_count(node_id, state):
    """How many contributions a node has received, over all its slots."""
    return sum(len(slot) for slot in state["received"].get(node_id, ()))


def expected_count(node):
    """How many contributions a node waits for before it runs."""
    return sum(output["expected"] for output in node["outputs"])


def plain_values(node, state):
    """A node's saved entries split in two: tensors, and plain values such as numbers and shapes."""
    tensors, values = [], []
    for entry in node["saved"]:
        status = state["saved"].get(entry["key"])
        (values if status and status["state"] == "none" else tensors).append(entry)
    return tensors, values


def is_result(head, node):
    """Whether `grad()` was asked for this node's tensor: what comes there is returned."""
    options = head["options"]
    return bool(options.get("returns")) and node["var"] in (options["inputs"] or ())
