"""Files that a view may ask for: the page that replays, the picture, the record."""

from typing import Any

__all__ = ["REQUESTS", "Saving"]

REQUESTS = {"save": {"what": lambda what: what in ("html", "svg", "json")}}
MIME = {"html": "text/html", "svg": "image/svg+xml", "json": "application/json"}


class Saving:
    """A widget whose record can be saved."""

    def html(self) -> str:
        """What is shown as one interactive HTML page, without kernel or network."""
        return self._driver.record.html(self.position)

    def _file(self, what: str) -> str:
        """The text of a file."""
        record: Any = self._driver.record
        if what == "html":
            return self.html()
        return record.to_json() if what == "json" else record.svg(self.position)

    def _answer_save(self, content: dict) -> None:
        """Send a file; `content` has been checked."""
        what = content["what"]
        name = f"backward-pass.{what}"
        self.send({"type": "file", "name": name, "mime": MIME[what], "text": self._file(what)})
