"""What is shown where there is no live stepper: one sentence, or a picture that stays."""

import base64
import html
from collections.abc import Callable
from typing import Any

from autodidact.trace.messages import paragraph, say

__all__ = ["Notice", "Snapshot"]


class Notice:
    """One sentence in place of a stepper; its methods are there, so that a lesson's cells go on.

    Args:
        message: id in the catalogue.
        after: what `finish()` does; without it `finish()` raises the sentence as RuntimeError.
        more: further sentences, as plain data.
        args: the sentence's arguments.
    """

    def __init__(self, message: str, after: Callable | None = None, more: Any = (),
                 **args: Any) -> None:
        self.sentence = f"{say(message, args)} {paragraph(more)}".rstrip()
        self._after, self.done = after, False

    def step(self) -> "Notice":
        """There is nothing to step."""
        return self

    back = step

    def finish(self) -> None:
        """Run the pass by other means (another library's own), or say why there is none."""
        if self._after is None:
            raise RuntimeError(self.sentence)
        if not self.done:
            self._after()
            self.done = True

    def text(self) -> str:
        """The sentence."""
        return self.sentence

    def snapshot(self) -> "Notice":
        """The notice itself."""
        return self

    def memory(self) -> "Notice":
        """The notice itself."""
        return self

    def __repr__(self) -> str:
        return self.sentence

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(self.sentence)}</p>"


class Snapshot:
    """A state as a picture and as text, for pages without a kernel.

    Args:
        svg: the picture, or None where the graph is too large for one.
        text: the text form.
    """

    def __init__(self, svg: str | None, text: str) -> None:
        self.svg, self._text = svg, text

    def text(self) -> str:
        """The text form of the state."""
        return self._text

    def __repr__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        words = f"<pre>{html.escape(self._text)}</pre>"
        if self.svg is None:
            return words
        code = base64.b64encode(self.svg.encode()).decode("ascii")
        name = html.escape(say("text.picture"), quote=True)
        return f'<img alt="{name}" src="data:image/svg+xml;base64,{code}">'
