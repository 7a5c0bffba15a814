"""A record packed for a file: what occurs several times is written once.

The same value is sent, received, summed and shown, every `sin` has the same formula, and every
event the same members. So parts that occur more than once go into a pool, and `{"$": 3}` stands for
the pool's entry 3; and an object whose members' names are those of many others is written as
`{"$": [2, ...]}`: its values, in the order of the names in `names[2]`. Pool entries may refer to
earlier ones. `unpacked` puts everything back; the unpacked form is what `record.schema.json`
describes. `widgets/src/unpack.ts` reads the same.
"""

import functools
import json

__all__ = ["packed", "unpacked"]

SHORTEST = 16  # characters of JSON; what is shorter is written out
FEWEST = 3  # members; an object with fewer keeps their names


def packed(data):
    """Plain JSON data with a pool: `{"pool": [...], "names": [...], ...}`. `data` is an object.

    Example: packed({"a": [[1, 2, 3, 4, 5, 6]] * 2})["pool"] is [[1, 2, 3, 4, 5, 6]].
    """
    press = _Press()
    press.note(data)
    press.count(data)
    slim = {key: press.slim(value) for key, value in data.items()}
    return {"pool": press.pool, "names": press.names, **slim}


class _Press:
    """Packs one object."""

    def __init__(self):
        self.texts, self.counts, self.kinds = {}, {}, {}
        self.pool, self.places = [], {}
        self.names, self.known = [], {}

    def note(self, value):
        """The value's JSON, noted for it and for every part of it."""
        if not isinstance(value, (dict, list, tuple)):
            return _plain(value)
        known = self.texts.get(id(value))
        if known is not None:
            return known
        if isinstance(value, dict):
            parts = [f"{_plain(key)}:{self.note(each)}" for key, each in value.items()]
            text = "{" + ",".join(parts) + "}"
        else:
            text = "[" + ",".join(map(self.note, value)) + "]"
        self.texts[id(value)] = text
        return text

    def text(self, value):
        """The JSON of a list, an object or a string."""
        if isinstance(value, str):
            return _plain(value)
        return self.texts[id(value)]

    def count(self, value):
        """How often each part occurs; the parts of a repeated one are not counted again."""
        if not isinstance(value, (dict, list, tuple, str)):
            return
        text = self.text(value)
        self.counts[text] = self.counts.get(text, 0) + 1
        if isinstance(value, str) or (self.counts[text] > 1 and len(text) >= SHORTEST):
            return
        if isinstance(value, dict):
            self.kinds[tuple(value)] = self.kinds.get(tuple(value), 0) + 1
        for each in value.values() if isinstance(value, dict) else value:
            self.count(each)

    def slim(self, value):
        """A value with what is in the pool replaced."""
        if not isinstance(value, (dict, list, tuple, str)):
            return value
        text = self.text(value)
        if self.counts.get(text, 0) < 2 or len(text) < SHORTEST:
            return self.inside(value)
        if text not in self.places:
            entry = self.inside(value)
            self.places[text] = len(self.pool)
            self.pool.append(entry)
        return {"$": self.places[text]}

    def inside(self, value):
        """The same with its parts made slim; the names of members kept apart where they recur."""
        if isinstance(value, dict):
            kind = tuple(value)
            parts = [self.slim(each) for each in value.values()]
            if len(kind) < FEWEST or self.kinds.get(kind, 0) < 2:
                return dict(zip(kind, parts, strict=True))
            if kind not in self.known:
                self.known[kind] = len(self.names)
                self.names.append(list(kind))
            return {"$": [self.known[kind], *parts]}
        if isinstance(value, (list, tuple)):
            return [self.slim(each) for each in value]
        return value


_encode = json.JSONEncoder(allow_nan=False, ensure_ascii=False).encode


@functools.lru_cache(maxsize=4096)
def _text(kind, value):
    """The JSON of a string, a whole number, a truth value or None; `kind` tells 1 from True."""
    return _encode(value)


def _plain(value):
    """The JSON of a value without parts; 0.0 and -0.0 are equal, but not the same text."""
    return _encode(value) if type(value) is float else _text(type(value), value)


def unpacked(data):
    """The data as it was; parts that were the same are the same object.

    Raises:
        ValueError: a reference to something that is not there.
    """
    if "pool" not in data:
        return data
    pool, names = [], data.get("names", [])
    try:
        for entry in data["pool"]:
            pool.append(_full(entry, pool, names))
        return {
            key: _full(value, pool, names)
            for key, value in data.items()
            if key not in ("pool", "names")
        }
    except (IndexError, TypeError, ValueError) as problem:
        raise ValueError("not a record of a backward pass: its pool is broken") from problem


def _full(value, pool, names):
    """A value with references resolved; no deeper than the data nests."""
    if isinstance(value, list):
        return [_full(each, pool, names) for each in value]
    if not isinstance(value, dict):
        return value
    place = value.get("$") if len(value) == 1 else None
    if place is None:
        return {key: _full(each, pool, names) for key, each in value.items()}
    if isinstance(place, list):
        kind, *parts = place
        return dict(zip(names[kind], (_full(each, pool, names) for each in parts), strict=True))
    if type(place) is not int or place < 0:
        raise TypeError
    return pool[place]
