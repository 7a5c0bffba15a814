"""film(): a training on one time line: forward, loss, backward, optimizer, step after step.

Each `with` of it is one training step; the film is shown as the last line of a cell.
"""

import html
import sys
from typing import Any

from autodidact.tensor_base import TensorBase
from autodidact.trace.film import EVERY, Film
from autodidact.trace.film_text import FilmText, short
from autodidact.trace.messages import current_language, say
from autodidact.trace.names import variables
from autodidact.trace.page import page
from autodidact.trace.plain import place
from autodidact.trace.record import Record
from autodidact_widgets.stepper import StepperWidget

__all__ = ["FilmStepper", "Filming", "film"]


class FilmDriver:
    """The places of a film, for a widget: all is recorded, nothing is left to run."""

    done = True

    def __init__(self, shot: Film) -> None:
        self.film, self.words = shot, FilmText(shot, current_language())
        self.places = shot.places()
        first: dict[int, int] = {}
        for position, (k, _) in enumerate(self.places):
            first.setdefault(k, position)
        self.head = {
            "format": 1, "kind": "film", "layers": shot.layers, "course": self.words.course(),
            "frames": [self.frame(frame, first[k]) for k, frame in enumerate(shot.frames)]}
        self.states = [self.told(*each) for each in self.places]

    def frame(self, frame: dict, first: int) -> dict:
        """A frame for the view: its numbers, its lines, and where on the time line it begins."""
        numbers = {name: frame[name] for name in ("step", "loss", "grads", "before", "after",
                                                  "change")}
        cells = [[short(frame[name][i]) for name in ("before", "grads", "change", "after")]
                 for i in range(len(self.film.layers))]
        parts = [moment["part"] for moment in frame["moments"] or ()]
        return {**numbers, "first": first, "parts": parts, "rows": self.words.rows(frame),
                "table": self.words.table(frame), "cells": cells,
                "loss_text": short(frame["loss"])}

    def told(self, k: int, moment: int | None) -> dict:
        """One place."""
        frame = self.film.frames[k]
        told = frame["moments"][moment] if moment is not None else {}
        return {"frame": k, "moment": moment, "part": told.get("part"),
                "title": self.words.title(frame, moment), "who": told.get("who"),
                "layer": told.get("layer"),
                "where": place(told, current_language()) if told.get("where") else None,
                "happens": self.words.happens(told) if told else "",
                "say": told.get("say", [])}

    def step(self) -> list:
        """There is nothing left to run."""
        return []

    run = step

    def set_option(self, name: str, value: bool) -> list:
        """A film has none."""
        return [{"id": "refused.unknown", "args": {}}]


class FilmStepper(StepperWidget):
    """A film on the screen.

    Attributes:
        position: the place on the time line that is shown; it begins with the first.
    """

    file = "training-film"
    requests = StepperWidget.requests | {"save": {"what": lambda what: what == "html"}}

    def __init__(self, shot: Film) -> None:
        super().__init__(FilmDriver(shot), text=self.text)
        self.position = 0

    def language_changed(self) -> None:
        """As of any stepper; the lines are told anew."""
        self._driver = FilmDriver(self._driver.film)
        super().language_changed()
        self._head = self._wire()
        self._send_states(0)

    def text(self, position: int | None = None) -> str:
        """A place of the film as text; without one, that which is shown."""
        driver = self._driver
        k, moment = driver.places[self.position if position is None else position]
        return driver.words.text(driver.film.frames[k], moment)

    def html(self) -> str:
        """The film as one interactive HTML page, without kernel or network."""
        driver = self._driver
        title = say("film.title", {"steps": len(driver.film)})
        return page(driver.head, driver.states, self.position, title, self.text())

    def step(self) -> "FilmStepper":
        """Go to the next place."""
        self.position = min(self.position + 1, self.count - 1)
        return self

    def jump(self, step: int, part: str | None = None) -> "FilmStepper":
        """Go to a training step, or to a part of it: forward, loss, backward, optimizer.

        Raises:
            ValueError: there is no such step, or no such part of it.
        """
        found = [i for i, state in enumerate(self._driver.states)
                 if self._driver.head["frames"][state["frame"]]["step"] == step
                 and part in (None, state["part"])]
        if not found:
            raise ValueError(f"the film has no step {step}" + (f" with {part}" if part else ""))
        self.position = found[0]
        return self

    def _page(self) -> str:
        return f"<pre>{html.escape(self.text())}</pre>"


class Filming:
    """A film that is being made: each `with` is one training step.

    Attributes:
        film: the frames so far, as plain data.
    """

    def __init__(self, shot: Film) -> None:
        self.film = shot

    def __enter__(self) -> "Filming":
        self.film.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self.film.__exit__(*error)

    def __len__(self) -> int:
        """How many training steps have been filmed."""
        return len(self.film)

    def show(self) -> FilmStepper:
        """The film so far, as a widget.

        Raises:
            ValueError: nothing has been filmed yet.
        """
        if not self.film.frames:
            raise ValueError(say("film.none"))
        return FilmStepper(self.film)

    def text(self, step: int = 0, part: str | None = None) -> str:
        """A training step (or a part of it) as text."""
        return self.show().jump(step, part).text()

    def html(self, step: int = 0, part: str | None = None) -> str:
        """The film as one HTML page that plays it, without kernel or network.

        Args:
            step, part: the place that is shown first.
        """
        return self.show().jump(step, part).html()

    def record(self, step: int) -> Record:
        """The record of the backward pass of a training step that was recorded whole.

        Raises:
            KeyError: this step was not.
        """
        return self.film.records[step]

    def __repr__(self) -> str:
        return self.show().text() if self.film.frames else say("film.none")

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        if not self.film.frames:
            return {"text/plain": say("film.none")}
        return self.show()._repr_mimebundle_(**kwargs)


def film(parameters: Any, *, every: int = EVERY) -> Filming:
    """Film a training: its steps on one time line, some of them recorded whole.

    Of every training step the loss, the norm of each gradient and of each parameter before and
    after are kept; of one step in `every`, the first among them, each operation of the forward
    pass, each step of the backward pass and what the optimizer did.

    Args:
        parameters: a model, a dict of tensors by name, or a list of tensors.
        every: one training step in so many is recorded whole; 0: none.

    Returns:
        A `Filming`: each `with` of it is one training step, and as the last value of a cell it is
        shown. A hundred steps with `every=100` take at most 2.5 times as long as without a film,
        for a network as small as one hidden layer on the digits; a larger one feels it less.

    Raises:
        TypeError: parameters of another kind, or none.

    Example:
        >>> from autodidact_widgets import film
        >>> model = torch.nn.Linear(2, 1)
        >>> optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        >>> training = film(model)
        >>> for _ in range(3):
        ...     with training:
        ...         optimizer.zero_grad()
        ...         loss = model(torch.ones(4, 2)).square().mean()
        ...         loss.backward()
        ...         optimizer.step()
        >>> len(training)
        3
    """
    if hasattr(parameters, "named_parameters"):
        named = dict(parameters.named_parameters())
    elif isinstance(parameters, dict):
        named = dict(parameters)
    elif isinstance(parameters, (list, tuple)):
        names = {id(t): name for name, t in reversed(variables(sys._getframe(1)).items())}
        named = {names.get(id(t), f"[{i}]"): t for i, t in enumerate(parameters)}
    else:
        named = {}
    if not named or not all(isinstance(t, TensorBase) for t in named.values()):
        raise TypeError("film() takes a model, or its parameters: a dict or a list of tensors; it "
                        f"was given {type(parameters).__name__}")
    return Filming(Film(named, every))
