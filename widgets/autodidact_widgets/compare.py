"""compare(): two or more runs side by side, in lock step; the first difference is named.

As the last line of a cell, `compare(show(one), show(other))` shows both; one Step moves both.
"""

import base64
import html
import sys
from typing import Any

from autodidact.tensor_base import TensorBase
from autodidact.trace.compare import Comparison
from autodidact.trace.messages import current_language, say
from autodidact.trace.names import variables
from autodidact.trace.page import page
from autodidact.trace.record import Record
from autodidact_widgets.lockstep import LARGEST_PICTURE, Later, Lockstep, Replayed
from autodidact_widgets.notice import Notice
from autodidact_widgets.show import OTHERS, Driver, Stepper, obstacle
from autodidact_widgets.stepper import StepperWidget

__all__ = ["SideBySide", "compare"]


class SideBySide(StepperWidget):
    """Runs side by side on the screen: click, use the keys, or call its methods.

    Attributes:
        comparison: the runs so far, as plain data: `comparison.differences()`.
        position: the place that is shown.
    """

    requests = {kind: {} for kind in ("hello", "step", "run")}

    def __init__(self, driver: Lockstep) -> None:
        super().__init__(driver, text=self.text)

    @property
    def comparison(self) -> Comparison:
        """The records of all runs, aligned, and what differs."""
        return self._driver.comparison

    def language_changed(self) -> None:
        """As of any stepper; the lines told so far are told anew."""
        self._driver.speak(current_language())
        super().language_changed()
        self._send_states(0)

    def step(self) -> "SideBySide":
        """Every run takes one step. An error is a state of its run: it is shown, not raised."""
        if self.position < self.count - 1:
            self.position += 1
        elif not self.done:
            super().step()
        return self

    def finish(self) -> None:
        """Run what is left of all runs; does nothing when they are over.

        An error ends its run and is shown there; it is not raised, so that the other runs go on.
        """
        if not self.done:
            super().run()

    def text(self, position: int | None = None) -> str:
        """The place that is shown, as text: every step so far, and what differs.

        Example: `print(both.text())`.
        """
        return self.comparison.text(self.position if position is None else position)

    def html(self) -> str:
        """What is shown as one interactive HTML page, without kernel or network."""
        driver = self._driver
        title = say("compare.title", {"runs": " | ".join(self.comparison.labels)})
        return page(driver.head, driver.states, self.position, title, self.text())

    def snapshot(self) -> "Page":
        """The place that is shown as pictures that stay: without kernel, without widget."""
        return Page(self._page(), self.text())

    def close(self) -> None:
        """Take the view away and let go of the graphs; the records stay."""
        super().close()
        self._driver.release()

    def _page(self) -> str:
        """One `<img>` for each run, and the text: what Jupyter leaves of untrusted output."""
        place = self.comparison.places()[self.position]
        cells = []
        for run, label in enumerate(self.comparison.labels):
            record, k = self.comparison.at(run, place)
            if len(record.head["nodes"]) <= LARGEST_PICTURE:
                code = base64.b64encode(record.svg(k).encode()).decode("ascii")
                name = html.escape(f"{label}: {say('text.picture')}", quote=True)
                cells.append(f'<td><img alt="{name}" src="data:image/svg+xml;base64,{code}"></td>')
        heads = "".join(f"<th>{html.escape(label)}</th>" for label in self.comparison.labels)
        pictures = f"<table><tr>{heads}</tr><tr>{''.join(cells)}</tr></table>" if cells else ""
        return f"{pictures}<pre>{html.escape(self.text())}</pre>"


class Page:
    """What was shown, as HTML and as text, for pages without a kernel.

    Args:
        page: HTML without scripts.
        text: the text form.
    """

    def __init__(self, page: str, text: str) -> None:
        self._page, self._text = page, text

    def text(self) -> str:
        """The text form."""
        return self._text

    def __repr__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        return self._page


def compare(*runs: Any, labels: list[str] | None = None) -> SideBySide | Notice:
    """Step two or more runs side by side: one Step moves all, and what differs is named.

    Args:
        runs: at least two. A run is
            a `Stepper`, as `show(loss)` gives it: it runs live. Runs that have been stepped
            already (one, and a what-if made from it) go on from where they stand;
            a `Record`, or a `Stepper` that is over: it is played again;
            a tensor with a graph, autodidact's or PyTorch's: its pass runs on a copy, graph and
            `.grad` stay as they are;
            in a list "x.grad", the pass of the gradient that the pass before it has made:
            `[show(y, create_graph=True), "x.grad"]`; it does not begin where that has no graph;
            or a list of those, passes that follow one another: two losses that share a graph, say.
            A later pass of a list is prepared when its turn comes, so it finds what the passes
            before it have freed and written; if one of them fails, the later ones do not begin.
        labels: a name for each run. Default: the option that differs (`retain_graph=True`),
            the engine, else the names of the losses, else numbers.

    Returns:
        A `SideBySide`; as the last value of a cell it is displayed. `.step()`, `.back()`,
        `.finish()` as with `show`; `.text()` has all steps and the differences, the first one on
        top; `.comparison.differences()` has them as plain data. An error of a pass is a state of
        its run, shown there and not raised.

    Raises:
        TypeError: fewer than two runs, or something that is none.
        ValueError: a wrong number of labels.

    Example:
        >>> from autodidact_widgets import compare, show
        >>> def run(retain):
        ...     x = torch.tensor(2., requires_grad=True)
        ...     s = x * x
        ...     l1, l2 = s * 1, s * 2
        ...     return [show(l1, retain_graph=retain), show(l2)]
        >>> both = compare(run(False), run(True))
        >>> both.finish()
        >>> print(both.text())
    """
    if len(runs) < 2:
        raise TypeError(f"compare() takes at least two runs; it was given {len(runs)}")
    if labels is not None and len(labels) != len(runs):
        raise ValueError(f"compare(): {len(runs)} runs, but {len(labels)} labels")
    frame = sys._getframe(1)
    found = variables(frame)
    passes = [[opened(each, frame) for each in run] if isinstance(run, (list, tuple))
              else [opened(run, frame)] for run in runs]
    for run in passes:
        if not run:
            raise TypeError("compare(): a run is an empty list; it needs at least one pass")
        notice = next((each for each in run if isinstance(each, Notice)), None)
        if notice is not None:
            return notice
        problem = next(filter(None, (no_session(each, found) for each in run)), None)
        if problem is not None:
            return problem
    both = SideBySide(Lockstep([sessions(run, found) for run in passes], labels))
    if all(isinstance(each, Replayed) for run in both._driver.runs for each in run):
        both.finish()
    return both


def opened(item: Any, frame: Any) -> Any:
    """A tensor of another engine as its stepper, on a copy; everything else as it is."""
    options = {"gradient": None, "retain_graph": None, "create_graph": False, "inputs": None,
               "copy": True}
    shown = (elsewhere(item, None, frame, options) for elsewhere in OTHERS)
    return next((each for each in shown if each is not None), item)


def no_session(item: Any, found: dict) -> Notice | None:
    """Why a tensor cannot be stepped, in one sentence; None for everything else."""
    if not isinstance(item, TensorBase):
        return None
    return obstacle(item, None, found, {"copy": True})


def sessions(run: list, found: dict) -> list:
    """The sessions of one run; the name of a gradient is the pass of what comes before it."""
    out: list = []
    for item in run:
        later = out and isinstance(item, str) and item.endswith(".grad")
        out.append(Later(out[-1], item) if later else session(item, found))
    return out


def session(item: Any, found: dict) -> Any:
    """What can be stepped: a driver, or a record that is played again."""
    if isinstance(item, Record):
        return Replayed(item)
    if isinstance(item, TensorBase):
        return Driver(item, found, {"gradient": None, "retain_graph": None, "create_graph": False,
                                    "inputs": None, "copy": True})
    if not isinstance(item, Stepper):
        raise TypeError("compare() takes steppers (what show() gives), records, tensors with a "
                        f"graph, or lists of those; it was given {type(item).__name__}")
    if item.done:
        return Replayed(item.record)
    return item._driver
