"""show() of a tensor of PyTorch's: the same stepper on PyTorch's own engine.

A pass that is held keeps a thread and the graph, so it is closed when its stepper is, and when the
cell that has made it runs again.
"""

import sys
import weakref
from typing import Any

from autodidact.trace import module_paths
from autodidact.trace.messages import say
from autodidact.trace.names import local_variables
from autodidact.trace.torch_bridge import (
    ForkedTorchRecorder,
    TorchRecorder,
    is_module,
    is_tensor,
    tensors_in,
    used_up,
    watched,
)
from autodidact_widgets.notice import Notice
from autodidact_widgets.show import OTHERS, Driver, Stepper
from autodidact_widgets.whatif import FORKS

__all__ = ["TorchDriver", "TorchStepper", "caller", "show_torch"]


class TorchDriver(Driver):
    """Drives a pass of PyTorch's; `modules` and `call` as for `TorchRecorder`."""

    def make(self) -> TorchRecorder:
        """The pass, not yet begun."""
        return TorchRecorder(self.loss, found=self.found, **self.options)

    def begin(self) -> None:
        """Prepare the pass; one that was prepared before is given up."""
        self.give_up()
        super().begin()

    def release(self) -> None:
        """End the thread, take the hooks away, let go of graph and tensors."""
        self.give_up()
        super().release()

    def give_up(self) -> None:
        """End a pass that is held."""
        recorder = getattr(self, "recorder", None)
        if isinstance(recorder, TorchRecorder):
            recorder.close()


class TorchStepper(Stepper):
    """A stepper whose pass ends when its cell runs again."""

    def __init__(self, driver: TorchDriver) -> None:
        super().__init__(driver)
        cell = cell_now()
        if cell is not None:
            for old in left_behind(cell):
                old.close()
            _open.setdefault(cell[0], []).append((cell[1], weakref.ref(self)))

    def replace(self, value: Any, *, slot: int = 0) -> "TorchStepper":
        """Change what the next node has received, in the real pass; `edit` does it on a copy.

        Args:
            value: a tensor, number or nested list of that gradient's shape, or a function from the
                old numbers (a nested list) to the new ones.
            slot: which of the node's outputs it belongs to.

        Raises:
            ValueError: the pass is over, nothing has arrived there, or the shape is another.

        Example:
            stepper = show(loss).step()         # a loss of PyTorch's
            stepper.replace(lambda old: [[10 * number for number in row] for row in old])
        """
        state = self.record.state(-1)
        if self.done:
            raise ValueError("the pass is over: nothing is on its way any more")
        total = state["total"][state["next"]]
        if callable(value):
            value = value(total[slot]["values"])
        self._driver.recorder.edit(state["next"], slot, value)
        self._send_states(self.count - 1)
        self._update(self.count - 1)
        return self


_open: dict[str, list] = {}


def cell_now() -> tuple[str, int] | None:
    """(the running cell, how often any has run); None outside a notebook."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None:
        return None
    parent = shell.get_parent() if hasattr(shell, "get_parent") else {}
    identity = parent.get("metadata", {}).get("cellId")
    return (identity, shell.execution_count) if identity else None


def left_behind(cell: tuple[str, int]) -> list:
    """Steppers that an earlier run of this cell has made."""
    kept = _open.pop(cell[0], [])
    now = [(run, ref) for run, ref in kept if run == cell[1]]
    if now:
        _open[cell[0]] = now
    return [found for run, ref in kept if run != cell[1] and (found := ref()) is not None]


def caller(frame: Any) -> dict[str, Any]:
    """What a frame can name, whatever it is: its own variables before the globals."""
    return frame.f_globals | local_variables(frame)


def show_torch(loss: Any, module: Any, frame: Any, options: dict) -> Stepper | Notice | None:
    """The stepper of a PyTorch loss, or the one sentence that says why there is none.

    Args:
        loss: a tensor with a graph; or, with `module`, a function that runs the forward pass and
            returns it: then every node knows its module.
        module: the model whose parameters are called by their path.
        frame: the caller's.
        options: of `show`.

    Returns:
        None where nothing here is PyTorch's.
    """
    if not is_tensor(loss) and (module is None or module_paths.is_module(module)):
        return None
    if module is not None and not is_module(module):
        return Notice("error.not_a_module", given=type(module).__name__)
    options = dict(options)
    if not is_tensor(loss) and callable(loss):
        loss, options["modules"] = watched(module, loss)
    if not is_tensor(loss):
        return Notice("error.not_a_tensor", given=type(loss).__name__)
    found = tensors_in(caller(frame), module)
    if options.pop("is_grads_batched", False):
        return Notice("error.batched_torch", name=named(loss, found))
    return (obstacle(loss, options["gradient"], found)
            or TorchStepper(TorchDriver(loss, found, options)))


def named(loss: Any, found: dict) -> str:
    """What the learner calls the loss."""
    return next((n for n, t in found.items() if t is loss), None) or say("title.output")


def obstacle(loss: Any, gradient: Any, found: dict) -> Notice | None:
    """Why a tensor cannot be stepped; None when it can."""
    name = named(loss, found)
    if not loss.requires_grad:
        return Notice("error.no_graph", name=name)
    if loss.grad_fn is None:
        return Notice("error.leaf_root", name=name)
    if loss.numel() != 1 and gradient is None:
        return Notice("error.not_scalar", name=name, count=loss.numel(),
                      shape=str(tuple(loss.shape)))
    if used_up(loss.grad_fn):
        return Notice("error.graph_freed", name=name)
    return None


OTHERS.append(show_torch)
FORKS |= dict.fromkeys((TorchRecorder, ForkedTorchRecorder), ForkedTorchRecorder)
