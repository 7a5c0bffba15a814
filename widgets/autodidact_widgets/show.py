"""show(): step the real backward pass of a loss, live.

    loss = (x * x).sum()
    show(loss)                  # as the last line of a cell: the stepper appears

Each step runs one node of the real pass and writes the real `.grad`. A lesson's next cell calls
`.finish()` first, so that its numbers do not depend on how far somebody has clicked.
"""

import sys
from collections.abc import Callable
from typing import Any

import autodidact
from autodidact.trace.groups import LARGEST_WHOLE
from autodidact.trace.messages import say
from autodidact.trace.module_paths import by_parameters, parameters, watched
from autodidact.trace.names import variables
from autodidact.trace.record import Record
from autodidact.trace.recorder import Recorder
from autodidact.trace.repairs import values_before
from autodidact.trace.text_scenes import warnings as lost
from autodidact_widgets.notice import Notice, Snapshot
from autodidact_widgets.obstacles import obstacle
from autodidact_widgets.second import leaves_of
from autodidact_widgets.stepper import StepperWidget
from autodidact_widgets.whatif import Fork, place_of

__all__ = ["Driver", "Stepper", "show"]

GROUPS = (None, "module", "function")
OTHERS: list[Callable] = []  # shows of other engines, asked first; torch_view.py puts its own here


class Driver:
    """Runs a recorded pass for a widget, and begins it anew when an option changes.

    Args:
        loss: what to go back from.
        found: the caller's variables.
        options: the arguments of `show`.
        paths: from the nodes to a dict, node -> path of its module.
        call: (file, line) of who has asked for the pass.
        group: what a big graph is grouped by.
    """

    def __init__(self, loss: Any, found: dict, options: dict, paths: Callable | None = None,
                 call: tuple | None = None, group: str | None = None) -> None:
        self.loss, self.found, self.options = loss, found, options
        self.paths, self.call, self.group = paths, call, group
        self.begin()

    def begin(self) -> None:
        """Prepare the pass: nothing runs, nothing is written."""
        self.recorder = self.make()
        self.recorder.call = self.call
        if self.group is not None:
            self.head["grouped"] = self.group
        if self.paths is not None:
            order = self.recorder.subject.order
            known = self.paths(order)
            for node, told in zip(order, self.head["nodes"], strict=True):
                told["module"] = known.get(node)
        if len(self.record.head["nodes"]) <= LARGEST_WHOLE:    # above, nodes stand in groups
            self.record.layout()

    def make(self) -> Any:
        """The pass, not yet begun."""
        return Recorder(self.loss, found=self.found, **self.options)

    @property
    def record(self) -> Record:
        """The record so far."""
        return self.recorder.record

    @property
    def head(self) -> dict:
        """The record without its states."""
        return self.record.head

    @property
    def states(self) -> list:
        """State 0 and the deltas so far."""
        return self.record.states

    @property
    def done(self) -> bool:
        """Whether the pass is over."""
        return self.recorder.done

    def step(self) -> list:
        """Run one node; the new states."""
        values = values_before(self.recorder)
        self.mended = (Fork(self), values) if values else None
        states = self.advance(self.recorder.step)
        if self.recorder.error is None:
            self.mended = None
        return states

    def run(self) -> list:
        """Run what is left; the new states."""
        before = len(self.states)
        while not self.done:
            self.step()
        return self.states[before:]

    mended = None       # where a tensor was changed in place: a copy of the pass, the old values

    def repaired(self) -> Fork | None:
        """A copy that goes on from the node that stopped, with the values that it had saved."""
        if self.mended is None:
            return None
        stopped, values = self.mended
        made = Fork(stopped)                           # of the fork, so that it can be tried again
        made.original = self
        made.put_back(values)
        return made

    def advance(self, move: Callable) -> list:
        """Move on; at the end let go of the graph: the record is all that is needed then."""
        states = move()
        if self.done:
            self.release()
        return states

    def release(self) -> None:
        """Keep the record, let go of everything else: graph, tensors, the caller's variables."""
        self.recorder = Over(self.record, self.recorder.error, leaves_of(self.recorder))
        self.loss, self.found, self.paths = None, {}, None
        self.options.update(dict.fromkeys(self.options))

    def set_option(self, name: str, value: bool) -> tuple | list:
        """Change an option before the first step; else the sentences that say why not."""
        if self.done or len(self.states) > 1:
            return [{"id": "refused.started", "args": {"name": name}}]
        self.options[name] = value
        self.begin()
        return self.head, self.states


class Over:
    """What is left of a recorder when its pass is over, or its stepper is closed."""

    done = True

    def __init__(self, record: Record, error: BaseException | None, leaves: dict) -> None:
        self.record, self.error, self.leaves = record, error, leaves

    def step(self) -> list:
        """There is nothing left to run."""
        return []

    run = step


class Stepper(StepperWidget):
    """A backward pass on the screen: click, use the keys, or call its methods.

    Attributes:
        record: the `Record` so far; `record.to_json()` keeps it.
        warnings: whether the view warns where a second derivative leaves something out; PyTorch
            does not, and it is False at first.
        position: the state that is shown; `step()` at the end of the record runs the next node.
    """

    def __init__(self, driver: Driver) -> None:
        super().__init__(driver, svg=self._svg_now, text=self.text)

    @property
    def record(self) -> Record:
        """What has happened so far, as plain data."""
        return self._driver.record

    def step(self) -> "Stepper":
        """Run the next node; an error of the pass is shown at its node and raised here."""
        if self.position < self.count - 1:
            self._show(self.position + 1)
        elif not self.done:
            super().step()
            self._raise()
        return self

    def finish(self) -> None:
        """Run what is left of the pass; nothing more runs when it is over.

        Raises:
            what the pass raises or has raised at its node, so that a lesson's next cell does the
            same whether somebody has clicked as far as the error or not.
        """
        if not self.done:
            super().run()
        self._raise()

    def text(self) -> str:
        """The state that is shown, as text with the same facts as the picture."""
        text = self.record.text(self.position, event=self._moment(), hide=self._open_now())
        return text + self._warning_lines() + self._break_lines() + self._ask_lines()

    def _warning_lines(self) -> str:
        """What is lost on the way to a second derivative, if `warnings` is on."""
        if not self.warnings:
            return ""
        state = self.record.moment(self.position, self._moment())
        return "".join(f"{line}\n" for line in lost(self.record.head, state))

    def run_to_break(self) -> "Stepper":
        """Go on until a breakpoint, or to the end of the pass.

        Raises:
            what the pass raises, at its node.
        """
        known = self.count
        super().run_to_break()
        if self.count > known:
            self._raise()
        return self

    def step_event(self) -> "Stepper":
        """Show one event more; runs the next node when all events of the last have been shown."""
        known = self.count
        super().step_event()
        if self.count > known:
            self._raise()
        return self

    def _moment(self) -> int | None:
        return self.event if self.event >= 0 else None

    def _svg_now(self) -> str:
        return self.record.svg(self.position, event=self._moment(), hide=self._open_now())

    def snapshot(self) -> Snapshot:
        """The state that is shown as a picture that stays: without kernel, without widget."""
        picture = self._svg_now() if self.record.head["layout"] else None
        return Snapshot(picture, self.text())

    def memory(self) -> Snapshot:
        """The bytes that the graph keeps, up to the state that is shown: a curve, and as text.

        Example: `print(show(loss).memory().text())`.
        """
        memory = self.record.memory()
        return Snapshot(memory.svg(self.position), memory.text(self.position))

    def edit(self, node: str, value: Any, *, slot: int = 0, saved: str | None = None) -> "Stepper":
        """What if? A second stepper that goes on from here, on a copy, with another number.

        The pass itself stays where it is; the copy frees nothing and writes no `.grad`.

        Args:
            node: what the node is called in the text form: "y", "MulBackward0 #2".
            value: the number (or array of the same shape) in place of the one there, or a function
                from the old array to the new one: `lambda g: g * 10`.
            slot: of a node with several outputs, which output's gradient.
            saved: change a saved value instead, by its name ("self", or the learner's). What comes
                out then is no gradient of the program, and the view says so.

        Raises:
            ValueError: no such node or entry, nothing has arrived there yet, another shape.
            RuntimeError: the pass is over.

        Example:
            >>> import autodidact_widgets
            >>> x = torch.tensor(2., requires_grad=True)
            >>> y = x * x
            >>> stepper = show(y * 3)
            >>> what_if = stepper.step().edit("y", lambda g: g * 10)
            >>> what_if.finish()
            >>> autodidact_widgets.compare(stepper, what_if).finish()
        """
        made = Fork(self._driver)
        place, key = place_of(self.record.head, node, saved)
        made.edit(place, None if key else slot, key, value)
        return Stepper(made)

    def repair(self) -> "Stepper":
        """After a tensor was changed in place: a stepper that goes on, on a copy, as if it was not.

        The graph, the tensor and every `.grad` stay as they are.

        Raises:
            RuntimeError: the pass has not stopped for that reason, or the old values are not known.
        """
        made = self._driver.repaired() if hasattr(self._driver, "repaired") else None
        if made is None:
            raise RuntimeError(say("refused.repair"))
        return Stepper(made)

    def second(self, leaf: str) -> "Stepper":
        """The pass of a leaf's gradient, through the graph that this pass has made.

        It runs on a copy that begins without any `.grad`; of a gradient of several elements it goes
        back from their sum.

        Args:
            leaf: what the leaf is called in the text form: "x".

        Raises:
            RuntimeError: the pass is not over, had no create_graph, or its graph is gone.

        Example:
            >>> x = torch.tensor(2., requires_grad=True)
            >>> first = show(x ** 3, create_graph=True)
            >>> first.finish()
            >>> first.second("x").finish()
        """
        made = self._second_of(leaf)
        if made is None:
            raise RuntimeError(say("refused.second", {"who": leaf}))
        return Stepper(made)

    def close(self) -> None:
        """Take the view away and let go of the graph; the record stays."""
        super().close()
        self._driver.mended = None
        self._driver.release()

    def _raise(self) -> None:
        error = self._driver.recorder.error
        if error is not None:
            raise error


def show(loss: Any, *, gradient: Any = None, retain_graph: bool | None = None,
         create_graph: bool = False, inputs: Any = None, copy: bool = False,
         ask: bool = False, module: Any = None, accumulate: bool = True,
         group: str | None = None, is_grads_batched: bool = False) -> Stepper | Notice:
    """Step the backward pass of `loss`, live: each step runs one node of the real pass.

    Args:
        loss: a tensor with a graph: one element, or any shape together with `gradient`. A tensor of
            PyTorch's is stepped on PyTorch's own engine, held before each node.
        gradient, retain_graph, create_graph, inputs: as for `Tensor.backward`.
        copy: step a copy instead: the graph is not freed, no `.grad` is written. On a copy of a
            PyTorch graph no hook fires either.
        ask: hide each number before the step that sends it, and ask for it (`Stepper.ask`).
        module: a model (`torch.nn.Module`): its parameters are called by their path, `fc1.weight`.
            With a function that returns the loss in place of the loss, every node knows its module.
        accumulate: False steps the pass of `autograd.grad(loss, inputs)` instead: what comes to
            `inputs` would be returned, and no `.grad` is written.
        group: what a graph that is too big for one picture is grouped by: "module", or "function":
            the calls of your functions. Without it by module where any is known.
        is_grads_batched: True steps the pass of `autograd.grad(loss, inputs, gradient,
            is_grads_batched=True)`: `gradient` holds many along its first dimension, all go through
            one pass, and no `.grad` is written.

    Raises:
        ValueError: another `group`.

    Returns:
        The stepper; as the last value of a cell it is displayed. Where there is nothing to step (no
        graph, a graph that is freed, several elements without `gradient`, a tensor of another
        library), a `Notice` that says so in one sentence.

    Example:
        >>> x = torch.tensor(3., requires_grad=True)
        >>> stepper = show(x * x)
        >>> stepper.finish()
        >>> x.grad
        tensor(6.)
    """
    if group not in GROUPS:
        raise ValueError(f"show: group={group!r}; expected 'module' or 'function'")
    frame = sys._getframe(1)
    options = {"gradient": gradient, "retain_graph": retain_graph, "create_graph": create_graph,
               "inputs": inputs, "copy": copy, "accumulate": accumulate,
               "is_grads_batched": is_grads_batched}
    for elsewhere in OTHERS:
        if (shown := elsewhere(loss, module, frame, options)) is not None:
            return asking(shown) if ask and isinstance(shown, Stepper) else shown
    found, paths = variables(frame), None
    if module is not None:
        found = dict(parameters(module)) | found
        loss, paths = placed(loss, module, found)
    notice = obstacle(loss, gradient, found, options)
    if notice is not None:
        return notice
    call = frame.f_code.co_filename, frame.f_lineno
    stepper = Stepper(Driver(loss, found, options, paths, call, group))
    return asking(stepper) if ask else stepper


def placed(loss: Any, module: Any, found: dict) -> tuple[Any, Callable]:
    """(the loss, from nodes to the paths of their modules); a function is run, and watched."""
    if not callable(loss):
        return loss, lambda nodes: by_parameters(nodes, found, lambda leaf: leaf.variable)
    loss, path_of = watched(autodidact, module, loss)
    return loss, lambda nodes: {node: path_of(node) for node in nodes}


def asking(stepper: Stepper) -> Stepper:
    """The same, with `ask()` called."""
    stepper.ask()
    return stepper
