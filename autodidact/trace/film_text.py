"""A training film as text: the place in it, the training step's moments, parameters, the course."""

from typing import Any

from autodidact.trace.messages import paragraph, say
from autodidact.trace.plain import aligned, shorten, visible
from autodidact.trace.summary import number

__all__ = ["FilmText"]

MOST_COURSE = 12     # training steps that are listed
MOST_WHAT, MOST_SAID = 28, 90


class FilmText:
    """The texts of a film in one language; a view puts them together as `text` does."""

    def __init__(self, film: Any, language: str | None = None) -> None:
        self.film, self.language = film, language

    def say(self, message: str, /, **args: Any) -> str:
        """A message in the language of this text."""
        return say(message, args, self.language)

    def title(self, frame: dict, moment: int | None) -> str:
        """The film, and where in it."""
        left = self.say("film.title", steps=len(self.film))
        if moment is None:
            return f"{left}   {self.say('film.at', step=frame['step'])}"
        moments = frame["moments"]
        part = moments[moment]["part"]
        same = [k for k, each in enumerate(moments) if each["part"] == part]
        at = self.say("film.at_part", step=frame["step"], part=self.say(f"film.part.{part}"),
                      n=same.index(moment) + 1, of=len(same))
        return f"{left}   {at}"

    def rows(self, frame: dict) -> list:
        """A line for each moment; above them the titles."""
        if not frame["moments"]:
            whole = [str(each["step"]) for each in self.film.frames if each["moments"]]
            return [self.say("film.light", what=whole)] if whole else []
        titles = ["  " + self.say("film.part"), self.say("film.what"), self.say("film.happens")]
        return aligned([titles, *(
            ["  " + self.say(f"film.part.{each['part']}"), shorten(visible(each["who"]), MOST_WHAT),
             self.happens(each)] for each in frame["moments"])])

    def happens(self, moment: dict) -> str:
        """What a moment says."""
        if moment["part"] == "backward":
            return shorten(paragraph(moment["say"], self.language), MOST_SAID)
        if moment["part"] == "loss":
            return self.say("film.loss_is", value=moment["value"] or "-")
        if moment["part"] == "forward":
            return self.say("film.forward", source=shorten(moment["source"], 48),
                            value=moment["value"] or "-")
        before, grad, after = moment["values"]
        return self.say("film.optimizer", before=before, after=after, grad=grad)

    def table(self, frame: dict) -> list:
        """A line for each parameter."""
        titles = [self.say(f"film.{name}") for name in (
            "parameter", "shape", "before", "grad", "change", "after")]
        rows = [[visible(layer["name"]), layer["shape"],
                 *(short(frame[name][i]) for name in ("before", "grads", "change", "after"))]
                for i, layer in enumerate(self.film.layers)]
        return aligned([titles, *rows])

    def course(self) -> list:
        """The training as a whole: some of its steps."""
        frames = self.film.frames
        count = min(MOST_COURSE, len(frames))
        picked = sorted({round(k * (len(frames) - 1) / max(1, count - 1)) for k in range(count)})
        titles = [self.say(f"film.{name}") for name in ("step", "loss", "all", "whole")]
        rows = [[str(frames[k]["step"]), short(frames[k]["loss"]), short(total(frames[k]["grads"])),
                 self.say("film.yes") if frames[k]["moments"] else ""] for k in picked]
        return aligned([titles, *rows])

    def text(self, frame: dict, moment: int | None) -> str:
        """One place of the film."""
        rows = self.rows(frame)
        if moment is not None:
            rows[moment + 1] = "> " + rows[moment + 1][2:]
        parts = [[self.title(frame, moment)], rows, self.table(frame), self.course()]
        return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def short(value: Any) -> str:
    """A number of at most four digits."""
    if value is None:
        return "-"
    return number(float(f"{value:.4g}")) if isinstance(value, float) else number(value)


def total(grads: list) -> float | None:
    """The norm of all gradients together; None where there is none."""
    known = [g for g in grads if isinstance(g, float)]
    return sum(g * g for g in known) ** 0.5 if known else None
