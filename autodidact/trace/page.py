"""A record as one HTML page: it replays without kernel, network or any other file.

The page holds the stepper's own bundle, its style sheet, the words of one language and the record.
A content security policy lets nothing else run or load. Names and values lie in a JSON text that no
browser reads as markup.
"""

import base64
import hashlib
import html
import importlib.util
import json
import pathlib

from autodidact.trace.groups import LARGEST_WHOLE, groups
from autodidact.trace.messages import catalogue, current_language
from autodidact.trace.packing import packed
from autodidact.trace.parts import lay_out_part
from autodidact.trace.plain import visible

__all__ = ["page"]

MOST_DRAWN = 400        # nodes of a graph whose groups are drawn in a page
EXPORT = "export {\n  stepper_default as default\n};"
PAGE = """<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ margin: 20px auto; max-width: 1100px; padding: 0 12px; font: 14px system-ui, sans-serif; }}
pre {{ overflow-x: auto; }}
{css}
</style>
</head>
<body>
<main id="stepper"><pre>{text}</pre></main>
<script type="application/json" id="autodidact-record">{data}</script>
<script type="module">{script}</script>
</body>
</html>
"""


def page(head, states, position, title, text, language=None):
    """The page as text.

    Args:
        head, states: what a view is given: a record's, or those of runs side by side.
        position: the state that is shown first.
        title: the page's title.
        text: the text form, for readers that run no scripts.
        language: "en" or "ru"; None takes the current one.

    Raises:
        FileNotFoundError: the stepper's bundle (the package autodidact_widgets) is not installed.
    """
    language = language or current_language()
    folder = static_folder()
    bundle = (folder / "stepper.js").read_text(encoding="utf-8")
    script = bundle.replace(EXPORT, "stepper_default.page();")
    if script == bundle or "</script" in script.lower():
        raise FileNotFoundError("the stepper's bundle is not the one that this page needs")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
    policy = (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    known = groups(head) if len(head.get("nodes", ())) > LARGEST_WHOLE else []
    data = {
        "record": packed({**head, "states": states, **({"groups": known} if known else {})}),
        "layouts": layouts(head, known),
        "position": position,
        "messages": catalogue(language),
        "language": language,
    }
    return PAGE.format(
        language=language,
        policy=policy,
        title=html.escape(visible(title)),
        css=(folder / "stepper.css").read_text(encoding="utf-8"),
        text=html.escape(text),
        data=as_script_data(data),
        script=script,
    )


def layouts(head, known):
    """The picture of every group; none in a graph so big that they would make a big page."""
    if not known or len(head["nodes"]) > MOST_DRAWN:
        return {}
    return {group["id"]: lay_out_part(head, group["nodes"]) for group in known if group["nodes"]}


def as_script_data(data):
    """JSON that may stand inside a script element: nothing in it ends one or begins a comment."""
    text = json.dumps(data, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def static_folder():
    """Where the bundle lies: data of the package above, read but not imported."""
    spec = importlib.util.find_spec("autodidact_widgets")
    if spec is None or not spec.submodule_search_locations:
        raise FileNotFoundError("a page needs the stepper's bundle: install the extra `lab`")
    return pathlib.Path(spec.submodule_search_locations[0]) / "static"
