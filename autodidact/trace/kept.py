"""Bytes kept by saved tensors, counted up and down as entries come and go."""

from collections import Counter

from autodidact.trace.replay import KEEP

__all__ = ["Kept"]


class Kept:
    """The bytes of the storages that are still kept, each counted once, parameters apart.

    Args:
        head: the record without its states.
        saved: the state of every saved entry.

    Attributes:
        bytes: how many they are now.
    """

    def __init__(self, head: dict, saved: dict) -> None:
        self.sizes = {each["id"]: 0 if each["parameter"] else each["bytes"]
                      for each in head["storages"]}
        self.storages = {entry["key"]: entry["storage"] for node in head["nodes"]
                         for entry in node["saved"] if entry["role"] != "scalar"}
        self.users: Counter = Counter()
        self.bytes = 0
        for key, state in saved.items():
            self.count(key, state["state"], 1)

    def change(self, key: str, old: str, new: str) -> None:
        """An entry's state is another now."""
        self.count(key, old, -1)
        self.count(key, new, 1)

    def count(self, key: str, state: str, by: int) -> None:
        """One user of a storage more (or less)."""
        storage = self.storages.get(key)
        if storage is None or state not in KEEP:
            return
        before = self.users[storage] > 0
        self.users[storage] += by
        self.bytes += ((self.users[storage] > 0) - before) * self.sizes.get(storage, 0)
