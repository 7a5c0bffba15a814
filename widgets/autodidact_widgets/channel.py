"""The same wait in JupyterLite, whose kernel lives in the browser.

There a cell that waits keeps all of the kernel's messages waiting, widgets' clicks too. A click
goes round them on a channel of the browser's own, from the page to the kernel's worker; and while
the cell waits, Python gives the worker back to the browser, where the browser can do that (it must
be able to suspend WebAssembly). Nothing here is loaded outside Pyodide.
"""

import asyncio
import json
import queue
import sys
from collections.abc import Callable
from typing import Any

from autodidact._optional import optional

__all__ = ["Channel", "can_wait", "name_of"]

MOMENT = 0.01       # seconds


def can_wait() -> bool:
    """Whether this is Pyodide in a browser that can suspend a running cell."""
    return sys.platform == "emscripten" and bool(optional("pyodide.ffi").can_run_sync())


def name_of(widget: Any) -> str:
    """The channel's name: both sides can say it, and no other widget's is the same."""
    return f"autodidact-{widget.model_id}"


def heard(text: Any) -> Any:
    """A message of the page; None, which no request is, for what is none (anybody may post)."""
    try:
        return json.loads(text)
    except (TypeError, ValueError, RecursionError):
        return None


class Channel:
    """The kernel's end of a browser channel.

    Args:
        name: the channel's name, see `name_of`.
        put: called with each message of the page; it comes as JSON text.
    """

    def __init__(self, name: str, put: Callable[[Any], None]) -> None:
        self.proxy = optional("pyodide.ffi").create_proxy(lambda event: put(heard(event.data)))
        self.channel = optional("js").BroadcastChannel.new(name)
        self.channel.onmessage = self.proxy

    def next(self, commands: queue.SimpleQueue) -> Any:
        """The next command, after a moment at most, in which the browser's worker is free.

        Raises queue.Empty.
        """
        optional("pyodide.ffi").run_sync(asyncio.sleep(MOMENT))
        return commands.get_nowait()

    def close(self) -> None:
        """Stop listening."""
        self.channel.onmessage = None
        self.channel.close()
        self.proxy.destroy()

