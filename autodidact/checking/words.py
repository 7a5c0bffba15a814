"""Sentences of `check`, from `check_data/sentences_*.json`, and values as they show them."""

import json
from functools import cache
from importlib import resources
from typing import Any

from autodidact.trace.messages import current_language

__all__ = ["cut", "load", "say", "sentences", "short"]

DATA = resources.files("autodidact") / "check_data"


def short(value: Any) -> str:
    """A value as the texts show it: 64, not 64.0; long lists cut."""
    if isinstance(value, dict):
        text = ", ".join(f"{key}: {short(entry)}" for key, entry in value.items())
    elif isinstance(value, list):
        text = "[" + ", ".join(map(short, value)) + "]"
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        text = f"{value:.6g}"
    elif isinstance(value, (str, bool, complex)) or value is None:
        text = str(value)
    else:
        text = type(value).__name__
    return cut(text)


def cut(value: Any, limit: int = 120) -> str:
    """A text on one line, its end cut off if it is long."""
    text = " ".join(str(value).split())
    return text if len(text) <= limit else text[: limit - 3] + "..."


def say(sentence: str, **arguments: Any) -> str:
    """A sentence in the current language, its gaps filled."""
    return sentences(current_language())[sentence].format(**arguments)


@cache
def sentences(language: str) -> dict[str, str]:
    """All sentences of a language."""
    return load(f"sentences_{language}.json")


def load(name: str) -> dict:
    """A file of `check_data`."""
    return json.loads((DATA / name).read_text("utf-8"))
