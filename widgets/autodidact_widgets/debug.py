"""debug(): the `backward()` calls inside a `with` block stop in a stepper, at every node.

    with autodidact.debug():
        loss.backward()         # the cell waits here while you click

The running cell itself waits; the widget on the page, and every other widget, stays usable. The
next cells wait for this one, as always. How a cell can wait and still hear a click: `gate.py`.
"""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import traitlets
from ipywidgets import Widget

from autodidact.autograd import anomaly_mode, engine
from autodidact.autograd.grad_mode import mode
from autodidact.trace.directions import level_now
from autodidact.trace.groups import LARGEST_WHOLE
from autodidact.trace.messages import paragraph
from autodidact.trace.names import variables
from autodidact.trace.notes import user_frame
from autodidact.trace.record import Record
from autodidact.trace.recorder import Recorder, RecordingTask
from autodidact.trace.torch_bridge import (
    THREAD,
    TorchRecorder,
    asked_first,
    is_tensor,
    tensors_in,
    used_up,
)
from autodidact_widgets import gate as gates
from autodidact_widgets.channel import name_of
from autodidact_widgets.show import Driver, Stepper
from autodidact_widgets.torch_view import caller

__all__ = ["Debug", "GatedStepper", "debug"]


class Debug:
    """A `with` block whose passes stop.

    Attributes:
        passes: the record of every pass that stopped here, in order.
        stops: whether the next pass stops; False after "run on".
    """

    def __init__(self) -> None:
        self.passes: list[Record] = []
        self.stops, self.in_torch = True, False
        self.before: type = engine.task_class

    def wants(self, options: dict) -> bool:
        """Whether a pass is one to stop: not one inside another, nor one inside a transform.

        One in many directions (`is_grads_batched`) is its own transform, and stops.
        """
        transformed = options.get("tensors") and not (len(mode.stack) == 1 and level_now())
        if not self.stops or mode.task is not None or transformed:
            return False
        if gates.place() == "nobody":
            gates.nobody()
            self.stops = False
        return self.stops

    def usual(self) -> type:
        """The class that passes have outside this block."""
        mine, engine.task_class = engine.task_class, self.before
        try:
            return anomaly_mode.task_class()
        finally:
            engine.task_class = mine

    def torch_pass(self, usual: Callable, accumulate: bool, given: dict) -> Any:
        """A call of PyTorch's `backward` or `grad`: its result, after it was stepped through."""
        roots = given.get("tensors" if accumulate else "outputs")
        roots = [roots] if is_tensor(roots) else list(roots)
        inside = threading.current_thread().name.startswith(THREAD) or self.in_torch
        if inside or given.get("is_grads_batched") or not all(map(steppable, roots)) \
                or not self.wants({}):
            return usual()
        recorder = TorchRecorder(
            roots[0] if len(roots) == 1 else roots,
            gradient=given.get("grad_tensors" if accumulate else "grad_outputs"),
            retain_graph=given.get("retain_graph"), create_graph=bool(given.get("create_graph")),
            inputs=given.get("inputs"), found=tensors_in(caller(torch_frame())), call=usual,
            accumulate=accumulate)
        self.in_torch = True
        try:
            self.step_through(recorder)
        finally:
            self.in_torch = False
            recorder.close()
        return recorder.task.result

    def step_through(self, recorder: Recorder) -> None:
        """Show a pass that is about to run, and run it as the view says."""
        stepper = GatedStepper(Attached(recorder))
        self.passes.append(recorder.record)
        if stepper.hold() == gates.RUN_ON:
            self.stops = False


class StoppingTask(RecordingTask):
    """A pass that is run by whoever looks at it. `session` is set by `debug`."""

    session: Debug

    def __new__(cls, roots: list, **options: Any) -> Any:
        """This task, or the usual one where nothing is to be stopped."""
        if cls.session.wants(options):
            return super().__new__(cls)
        return cls.session.usual()(roots, **options)

    def __init__(self, roots: list, **options: Any) -> None:
        self.given = roots
        super().__init__(roots, **options)

    def run(self, limit: int = -1) -> bool:
        """To the end: step by step, as the view says. So many nodes: as always."""
        if limit >= 0:
            return super().run(limit)
        recorder = Recorder.of_task(self, self.given, variables(user_frame()))
        self.given = []
        self.session.step_through(recorder)
        return False


@contextmanager
def debug() -> Iterator[Debug]:
    """Stop every `backward()` and `autograd.grad()` of the block in a stepper.

    The call waits at each node until you step, run the pass to its end, run on (no further stop in
    this block) or stop it (KeyboardInterrupt). Without a widget it asks in the cell or in the
    terminal; where nobody can answer it runs through, and says so. A pass inside a pass (of a hook,
    of a checkpoint) and passes of `torch.func` run without a stop. Where PyTorch has been imported,
    its own `backward()` and `autograd.grad()` stop too, but with `is_grads_batched=True`.

    Yields:
        a `Debug`; its `passes` are the records.

    Raises:
        what the pass raises, from its node; KeyboardInterrupt when it is stopped.

    Example:
        >>> with torch.debug() as session:
        ...     loss.backward()
    """
    session = Debug()
    engine.task_class = type("StoppingTask", (StoppingTask,), {"session": session})
    try:
        with asked_first(session.torch_pass):
            yield session
    finally:
        engine.task_class = session.before


def steppable(root: Any) -> bool:
    """Whether a root of a PyTorch call is a tensor with a graph; else the call itself complains."""
    return is_tensor(root) and root.grad_fn is not None and not used_up(root.grad_fn)


def torch_frame() -> Any:
    """The innermost frame that is neither ours nor PyTorch's."""
    frame = user_frame()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("torch."):
        frame = frame.f_back
    return frame


class Attached(Driver):
    """Drives a pass that the learner's program has begun: its options stand there."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.loss, self.found, self.options = None, {}, {}
        if len(self.record.head["nodes"]) <= LARGEST_WHOLE:
            self.record.layout()

    def set_option(self, name: str, value: bool) -> list:
        """Not here: the call itself says it."""
        return [{"id": "refused.program", "args": {"name": name}}]


class GatedStepper(Stepper):
    """A stepper for which a cell waits.

    Attributes:
        waiting: whether it does; the view then offers to run on and to stop.
        channel: the browser channel on which it is spoken to, in JupyterLite; else empty.
    """

    waiting = traitlets.Bool(False).tag(sync=True)
    channel = traitlets.Unicode("").tag(sync=True)

    def __init__(self, driver: Driver) -> None:
        super().__init__(driver)
        self._gate = gates.Gate(self)

    def hold(self) -> Any:
        """Wait until the pass is over; return the last command.

        Raises:
            what the pass raises; KeyboardInterrupt when it was stopped.
        """
        command, real = None, self._driver
        self._begin()
        try:
            while not real.done:                       # a what-if that is over ends nothing
                command = self._gate.wait(self._question())
                self._obey(command)
        except BaseException:
            self._stopped()
            raise
        finally:
            self._end()
        self._raise()
        return command

    def _begin(self) -> None:
        """Appear, and hear the view without the events that end a cell (figures stay open)."""
        self.waiting = True
        if self._gate.channel is not None:
            self.channel = name_of(self)
        if self.comm is not None:
            self.comm.handle_msg = self._handle_msg
        ipython = sys.modules.get("IPython")
        if self._gate.place == "terminal":
            print(self.text())
        elif ipython is not None:
            ipython.display.display(self)

    def _end(self) -> None:
        """The cell goes on."""
        self._gate.close()
        self.waiting, self.channel = False, ""
        if self.comm is not None:
            self.comm.__dict__.pop("handle_msg", None)

    def _question(self) -> str:
        return paragraph(self.record.state(-1)["say"])

    def _obey(self, command: Any) -> None:
        if command == gates.RUN_ON:
            self.undo()
            self.run()
        elif command == gates.STOP:
            raise KeyboardInterrupt
        elif command == gates.STEP:
            self.position = self.count - 1
            self._advance(self._driver.step)
        else:
            super()._receive(self, command, None)

    def _receive(self, widget: Any, content: Any, buffers: Any) -> None:
        """While the cell waits, its own thread does what the view asks for."""
        if self.waiting:
            self._gate.put(content)
        else:
            super()._receive(widget, content, buffers)

    def _stopped(self) -> None:
        """The pass ends here, unfinished."""
        self.undo()
        if not self.done:
            self.record.stop()
            self._driver.release()
            self._send_states(self.count - 1)
            self._update(self.count - 1)

    def close(self) -> None:
        """Take the view away; a pass that waits runs on."""
        if self.waiting:
            self._gate.put({"type": "run"})
            Widget.close(self)
        else:
            super().close()
