"""The gate: the place where a running cell stops until somebody says how to go on.

    gate = Gate(view)
    command = gate.wait("L runs next")      # blocks; {"type": "step"}, ...

How it waits depends on where it is:

    Jupyter's own kernel    the cell looks after the widgets' messages itself, see `pump.py`
    JupyterLite             a channel of the browser, see `channel.py`
    no widget on the page   a question in the cell, or in the terminal: Enter, c, q
    nobody there            (nbconvert, a script without a terminal) no wait at all

A command comes from the view through `put()`, which only puts it in a queue: whatever it asks for
is done by the thread that waits.
"""

import queue
import sys
import threading
import time
from typing import Any

from autodidact._optional import optional
from autodidact.trace.messages import say
from autodidact_widgets import channel

__all__ = ["RUN_ON", "STEP", "STOP", "Gate", "place"]

STEP, RUN_ON, STOP = {"type": "step"}, {"type": "run_on"}, {"type": "stop"}
ANSWERS = {"": STEP, "c": RUN_ON, "q": STOP}
LOOK_AGAIN = 0.02       # seconds between two looks at the queue


def kernel_here() -> Any:
    """The Jupyter kernel that runs this code, or None."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return getattr(shell, "kernel", None)


def place() -> str:
    """Where this code runs: "kernel", "browser", "thread", "terminal" or "nobody"."""
    kernel = kernel_here()
    if kernel is None:
        return "terminal" if sys.stdin is not None and sys.stdin.isatty() else "nobody"
    if not getattr(kernel, "_allow_stdin", True):
        return "nobody"                            # nbconvert, nbval, papermill: run and be read
    if sys.platform == "emscripten":
        return "browser"
    if threading.current_thread() is not threading.main_thread():
        return "thread"                            # the kernel's own loop turns meanwhile
    return "kernel"


class Gate:
    """Where a pass waits.

    Args:
        view: the widget, displayed already; None where only a question can be asked.

    Attributes:
        patience: seconds until a view that has not said a word is taken for absent. A slow server
            needs some; nothing is lost meanwhile.
    """

    patience = 10.0

    def __init__(self, view: Any = None) -> None:
        self.commands: queue.SimpleQueue = queue.SimpleQueue()
        self.seen = threading.Event()
        self.place = place()
        self.pump = self.channel = None
        if view is None:
            return
        if self.place == "kernel":
            self.pump = pump_of(kernel_here())
        elif self.place == "browser" and channel.can_wait():
            self.channel = channel.Channel(channel.name_of(view), self.put)

    def put(self, command: Any) -> None:
        """A view says something; any thread may call this."""
        self.seen.set()
        self.commands.put(command)

    def wait(self, question: str = "") -> Any:
        """Block until a command is there.

        Args:
            question: where the pass stands, for places without a view.

        Returns:
            What the view has sent, or STEP, RUN_ON, STOP.

        Raises:
            KeyboardInterrupt: the cell was interrupted.
        """
        if self.place == "nobody":
            return nobody()
        if self.place == "terminal" or (self.place == "browser" and self.channel is None):
            return ask(question)
        until = time.monotonic() + self.patience
        while True:
            try:
                return self.look()
            except queue.Empty:
                waiting = self.seen.is_set() or self.place == "thread"
                if not waiting and time.monotonic() > until:
                    self.patience = 0.0            # asked once, asked always, till a view speaks
                    return ask(question)

    def look(self) -> Any:
        """The next command, after a moment at most; raises queue.Empty."""
        if self.channel is not None:
            return self.channel.next(self.commands)
        try:
            return self.commands.get(timeout=LOOK_AGAIN)
        except queue.Empty:
            if self.pump is not None:
                self.pump()
            raise

    def close(self) -> None:
        """The cell goes on."""
        if self.pump is not None:
            self.pump.leave()
        if self.channel is not None:
            self.channel.close()


def pump_of(kernel: Any) -> Any:
    """A pump for this kernel; None where it is not one that the pump understands."""
    try:
        pump = optional("autodidact_widgets.pump").Pump(kernel)
    except ImportError:
        return None                                # not ipykernel
    return pump if pump.works else None


def ask(question: str) -> Any:
    """Ask in the cell or in the terminal."""
    keys = say("gate.keys")
    try:
        answer = input(f"{question} {keys} ")
    except (EOFError, NotImplementedError):
        return nobody()
    except Exception as error:
        if type(error).__name__ != "StdinNotImplementedError":
            raise
        return nobody()
    return ANSWERS.get(answer.strip().lower() if isinstance(answer, str) else "c", STEP)


def nobody() -> Any:
    """Nobody can answer: say so, once, and run on."""
    print(say("gate.nobody"))
    return RUN_ON
