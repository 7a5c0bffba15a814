"""A film of a training: every step a frame, some steps recorded whole.

A frame of the low rate costs little: the loss, the norm of each gradient, the norm of each
parameter before and after. A whole frame has every operation of the forward pass, every step of the
backward pass, and what the optimizer made of each parameter.
"""

from contextlib import ExitStack
from typing import Any

import numpy as np

from autodidact.autograd import engine
from autodidact.autograd.grad_mode import mode
from autodidact.tensor_base import TensorBase
from autodidact.trace.measure import measure, without_pictures
from autodidact.trace.names import local_variables, variables
from autodidact.trace.notes import note_of, recording, user_frame
from autodidact.trace.plain import shape_text, value_text, visible, who
from autodidact.trace.recorder import Recorder
from autodidact.trace.summary import json_number, number
from autodidact.trace.tasks import RecordingTask

__all__ = ["EVERY", "Film"]

EVERY = 100          # one step in so many is recorded whole
MOST_FRAMES = 2000   # of one film
MOST_MOMENTS = 400   # of one whole frame


class Film:
    """The frames of a training, as plain data.

    Args:
        parameters: name -> tensor.
        every: one training step in so many is recorded whole, the first among them.

    Attributes:
        layers: [{"name", "shape", "size"}], a parameter each.
        frames: [{"step", "loss", "grads", "before", "after", "moments"}], numbers per parameter.
        records: training step -> the `Record` of its pass.
    """

    def __init__(self, parameters: dict[str, TensorBase], every: int = EVERY) -> None:
        self.parameters, self.every = dict(parameters), every
        self.layers = [{"name": name, "shape": shape_text(list(t.shape)), "size": t.numel()}
                       for name, t in self.parameters.items()]
        self.frames: list[dict] = []
        self.records: dict[int, Any] = {}
        self.taken = 0
        self._open: Any = None

    def __enter__(self) -> "Film":
        whole = self.every > 0 and self.taken % self.every == 0
        self._open = Frame(self, whole)
        self._open.begin()
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        frame, self._open = self._open, None
        frame.end()
        if len(self.frames) < MOST_FRAMES:
            self.frames.append(frame.told(self.taken))
            if frame.record is not None:
                self.records[self.taken] = frame.record
        self.taken += 1

    def places(self) -> list:
        """(frame, moment) of every place of the time line; moment None where it is not whole."""
        return [(k, m) for k, frame in enumerate(self.frames)
                for m in (range(len(frame["moments"])) if frame["moments"] else (None,))]

    def __len__(self) -> int:
        """How many training steps have been filmed."""
        return self.taken


class Frame:
    """One training step while it runs."""

    def __init__(self, film: Film, whole: bool) -> None:
        self.film, self.whole = film, whole
        self.loss: float | None = None
        self.grads: list = [None] * len(film.parameters)
        self.steps: dict[int, Any] = {}            # parameter -> SUMMARY of its gradient
        self.record: Any = None
        self.order: list = []

    def begin(self) -> None:
        """The step begins: remember the parameters, watch the passes."""
        tensors = self.film.parameters.values()
        self.old = [np.array(t._array, copy=True) for t in tensors]
        self.usual = engine.task_class
        base = WholeTask if self.whole else LightTask
        engine.task_class = type(base.__name__, (base,), {"frame": self, "usual": self.usual})
        self.watch = ExitStack()
        if self.whole:
            self.watch.enter_context(without_pictures())
            self.watch.enter_context(recording())
        self.values = [measure(t._array) for t in tensors] if self.whole else []

    def end(self) -> None:
        """The step is over: look at the parameters again."""
        engine.task_class = self.usual
        tensors = list(self.film.parameters.values())
        self.before = [norm(old) for old in self.old]
        self.after = [norm(t._array) for t in tensors]
        self.change = [norm(t._array - old) for t, old in zip(tensors, self.old, strict=True)]
        self.now = [measure(t._array) for t in tensors] if self.whole else []
        self.watch.close()

    def passed(self, loss: float | None) -> None:
        """A pass is over: the gradients as it left them; of several passes the last one counts."""
        self.loss = loss if loss is not None else self.loss
        for i, t in enumerate(self.film.parameters.values()):
            grad = getattr(t, "_grad", None)
            if grad is not None:
                self.grads[i] = norm(grad._array)
                if self.whole:
                    self.steps[i] = measure(grad._array)

    def told(self, step: int) -> dict:
        """The frame as plain data."""
        return {"step": step, "loss": json_number(self.loss),
                "grads": list(map(json_number, self.grads)),
                "before": list(map(json_number, self.before)),
                "after": list(map(json_number, self.after)),
                "change": list(map(json_number, self.change)),
                "moments": self.moments() if self.whole else None}

    # ---- a whole frame's moments, in the order of the program

    def moments(self) -> list:
        """[{"part", "who", "say"...}]: forward, loss, backward, optimizer in one time line."""
        made = [self.forward_moment(node) for node in self.order]
        loss = [{"part": "loss", "who": made[-1]["who"] if made else "loss",
                 "value": None if self.loss is None else number(self.loss), "source": None,
                 "where": None, "say": []}]
        return [*made[:-1], *loss, *self.backward_moments(), *self.optimizer_moments()][
            :MOST_MOMENTS]

    def forward_moment(self, node: dict) -> dict:
        """An operation of the forward pass."""
        value = node["value"]
        return {"part": "forward", "who": who(node), "source": visible(node["source"] or who(node)),
                "where": node["where"], "value": value and value_text(value, 40), "say": [],
                "shape": shape_text(value["shape"]) if value else "-"}

    def backward_moments(self) -> list:
        """A step of the backward pass: its own sentences."""
        if self.record is None:
            return []
        nodes = {node["id"]: node for node in self.record.head["nodes"]}
        return [{"part": "backward", "who": who(nodes[state["ran"]]), "source": None,
                 "where": None, "value": None, "say": state["say"]}
                for state in self.record.states[1:] if state["ran"]]

    def optimizer_moments(self) -> list:
        """What became of each parameter."""
        return [{"part": "optimizer", "who": layer["name"], "source": None, "where": None,
                 "value": None, "say": [], "layer": i,
                 "values": [value_text(self.values[i], 40),
                            value_text(self.steps.get(i), 40), value_text(self.now[i], 40)]}
                for i, layer in enumerate(self.film.layers)]


class LightTask(engine.GraphTask):
    """A pass of which only loss and gradients are looked at. `Frame` sets `frame`, `usual`."""

    frame: Frame
    usual: type

    def __new__(cls, roots: list, **options: Any) -> Any:
        """This task, or the usual one inside another pass or a transform."""
        if mode.task is None and not options.get("tensors"):
            return super().__new__(cls)
        return cls.usual(roots, **options)

    def run(self, limit: int = -1) -> bool:
        """As ever; at the end look at loss and gradients."""
        loss = self.loss_now() if limit < 0 else None
        left = super().run(limit)
        if limit < 0:
            self.frame.passed(loss)
        return left

    def loss_now(self) -> float | None:
        """The number that the caller went back from, where a variable of its holds it."""
        frame = user_frame()
        if frame is None or len(self.roots) != 1:
            return None
        for value in local_variables(frame).values():
            if isinstance(value, TensorBase) and value._grad_fn is self.roots[0]:
                return float(value._array) if value._array.size == 1 else None
        return None


class Watching(Recorder):
    """A recorder that foretells nothing: the film shows what has happened."""

    def predict(self, node: Any, state: dict) -> dict:
        """Nothing."""
        return {}

    def silent_look(self) -> None:
        """Nothing: a film must not slow the training down."""


class WholeTask(LightTask, RecordingTask):
    """A pass that is recorded."""

    def __init__(self, roots: list, **options: Any) -> None:
        self.given = roots
        super().__init__(roots, **options)

    def run(self, limit: int = -1) -> bool:
        """To the end, recorded; so many nodes: as always."""
        if limit >= 0:
            return RecordingTask.run(self, limit)
        loss = self.loss_now()
        found = self.frame.film.parameters | variables(user_frame())
        recorder = Watching.of_task(self, self.given, found | self.frame.film.parameters)
        self.given = []
        recorder.run()
        self.frame.record, subject = recorder.record, recorder.subject
        nodes = sorted((n for n in subject.order if not hasattr(n, "variable") and note_of(n)),
                       key=lambda n: n.sequence_nr)
        told = subject.head["nodes"]
        self.frame.order = [told[int(subject.ids[n][1:])] for n in nodes]
        self.frame.passed(loss)
        if recorder.error is not None:
            raise recorder.error
        return False


def norm(array: Any) -> float:
    """The length of an array as a vector, as a Python number."""
    flat = np.asarray(array).reshape(-1)
    if flat.dtype.kind not in "fc":
        flat = flat.astype(np.float64)
    return float(np.sqrt(np.vdot(flat, flat).real))
