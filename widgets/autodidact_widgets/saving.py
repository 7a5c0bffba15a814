"""Files that a view may ask for: the page that replays, the picture, the record."""

from typing import Any

__all__ = ["REQUESTS", "Saving"]

REQUESTS = {"save": {"what": lambda what: what in ("html", "svg", "json")}}
MIME = {"html": "text/html", "svg": "image/svg+xml", "json": "application/json"}


class Saving:
    """A widget whose record can be saved."""

    file = "backward-pass"        # what a saved file is called, without its ending

    def html(self) -> str:
        """What is shown as one interactive HTML page, without kernel or network."""
        return self._driver.record.html(self.position)

    def _file(self, what: str) -> str:
        """The text of a file."""
        if what == "html":
            return self.html()
        record: Any = self._driver.record
        return record.to_json() if what == "json" else record.svg(self.position)

    def _answer_save(self, content: dict) -> None:
        """Send a file; `content` has been checked."""
        what = content["what"]
        name = f"{self.file}.{what}"
        self.send({"type": "file", "name": name, "mime": MIME[what], "text": self._file(what)})
