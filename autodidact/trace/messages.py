"""One catalogue of sentences: everything a learner reads comes from here, in English or Russian.

A record stores `{"id": "step.sent", "args": {...}}`, never the sentence, so that a saved session
can be read in either language. An entry of `messages/<language>.json` is a template with
`{names}`, or, where the wording depends on a number, `{"count": name, "one": ..., "few": ...,
"other": ...}`: `count` names the argument that decides (a list counts its length), `few` is needed
in Russian only.

A list argument is joined as prose: "a", "a and b", "a, b and c". Items that are themselves lists
are worded first, through the entry `<id>.item`, whose fields are numbered: `{0} to {1}`.
"""

import json
import pathlib
import re
import weakref
from functools import cache

_FOLDER = pathlib.Path(__file__).with_name("messages")
_FIELD = re.compile(r"\{(\w+)\}")
LANGUAGES = ("en", "ru")
_current = ["en"]
_followers = weakref.WeakSet()


def set_language(language):
    """Choose the language of sentences made from now on, "en" or "ru"; steppers on the page follow.

    Raises ValueError for another one. Example: `set_language("ru")`.
    """
    if language not in LANGUAGES:
        raise ValueError(f"set_language: expected one of {LANGUAGES}, got {language!r}")
    _current[0] = language
    for each in list(_followers):
        each.language_changed()


def follow_language(one):
    """Call `one.language_changed()` after each `set_language`, as long as `one` lives."""
    _followers.add(one)


def current_language():
    """The language that `say` uses when none is given."""
    return _current[0]


@cache
def catalogue(language="en"):
    """All entries of a language; what is not translated yet comes in English."""
    entries = json.loads((_FOLDER / "en.json").read_text(encoding="utf-8"))
    path = _FOLDER / f"{language}.json"
    if language != "en" and language in LANGUAGES and path.exists():
        entries.update(json.loads(path.read_text(encoding="utf-8")))
    return entries


def say(message, args=None, language=None):
    """The sentence for a message id and its arguments.

    Never raises on a record's content: an unknown id comes back in brackets, a missing argument as
    "-".

    Example: `say("step.sent", {"who": "d", "what": [["16", "c"], ["16", "a"]]})` is
    "d sent 16 to c and 16 to a."
    """
    language = language or _current[0]
    entry = catalogue(language).get(message)
    if entry is None:
        return f"[{message}]"
    args = args or {}
    if isinstance(entry, dict):
        entry = entry[_form(args.get(entry["count"]), entry, language)]
    words = {name: _word(message, value, language) for name, value in args.items()}
    return _FIELD.sub(lambda field: words.get(field[1], "-"), entry)


def paragraph(sentences, language=None):
    """The sentences of a record's `say` list, one after the other."""
    return " ".join(say(each["id"], each.get("args"), language) for each in sentences)


def _word(message, value, language):
    if isinstance(value, dict):                       # a phrase inside a sentence: "norm 2.8"
        return say(value.get("id"), value.get("args"), language)
    if isinstance(value, (list, tuple)):
        return _joined([_item(message, each, language) for each in value], language)
    return say("value.none", None, language) if value is None else str(value)


def _item(message, value, language):
    if isinstance(value, (list, tuple)):
        return say(f"{message}.item", {str(i): each for i, each in enumerate(value)}, language)
    return _word(message, value, language)


def _joined(words, language):
    if len(words) < 2:
        return "".join(words)
    if len(words) == 2:
        return say("list.two", {"0": words[0], "1": words[1]}, language)
    front = words[0]
    for word in words[1:-1]:
        front = say("list.comma", {"0": front, "1": word}, language)
    return say("list.last", {"0": front, "1": words[-1]}, language)


def _form(count, entry, language):
    """Which wording a number asks for: one, few or other."""
    if isinstance(count, (list, tuple)):
        count = len(count)
    try:
        count = abs(int(count))
    except (TypeError, ValueError):
        return "other"
    if language == "ru" and "few" in entry:
        if count % 10 == 1 and count % 100 != 11:
            return "one"
        return "few" if 2 <= count % 10 <= 4 and not 12 <= count % 100 <= 14 else "other"
    return "one" if count == 1 else "other"
