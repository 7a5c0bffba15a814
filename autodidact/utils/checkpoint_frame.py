"""What a checkpoint keeps between its two runs: a place for every saved tensor.

A place belongs to the node that saved the tensor; the frame knows it weakly. When the first place
is opened in a backward pass, the function runs again; tensors come by in the same order, and each
goes into its place. So a graph that dies takes its places along, and nothing is computed for a
place that is gone.
"""

import itertools
import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, NamedTuple

from autodidact.autograd.function import Function
from autodidact.autograd.grad_mode import enable_grad, mode, no_grad
from autodidact.autograd.saved_hooks import saved_tensors_hooks
from autodidact.tensor_base import TensorBase

__all__ = [
    "CheckpointError",
    "Frame",
    "Log",
    "Options",
    "SaveInputs",
    "hooks_of",
    "set_checkpoint_debug_enabled",
    "set_checkpoint_early_stop",
]


class CheckpointError(RuntimeError):
    """The second run of a checkpointed function differs from the first."""


class Stop(BaseException):
    """Everything that is needed is there: end the second run."""


class Switches:
    """The two settings that outlive a call."""

    early_stop = True
    debug: bool | None = None


@contextmanager
def set_checkpoint_early_stop(enable: bool) -> Iterator[None]:
    """Whether checkpoints made inside may end their second run early."""
    before = Switches.early_stop
    Switches.early_stop = enable
    try:
        yield
    finally:
        Switches.early_stop = before


@contextmanager
def set_checkpoint_debug_enabled(enabled: bool | None) -> Iterator[None]:
    """Whether checkpoints made inside debug, whatever their own argument says; None: as it says."""
    before = Switches.debug
    Switches.debug = enabled
    try:
        yield
    finally:
        Switches.debug = before


class Options(NamedTuple):
    """The arguments of `checkpoint` that the second run needs."""

    preserve_rng_state: bool
    determinism_check: str
    debug: bool
    early_stop: bool


class SaveInputs(Function):
    """Keeps the tensors among the arguments as saved tensors, so that hooks around see them."""

    @staticmethod
    def forward(*tensors: Any) -> TensorBase:
        """A tensor of nothing, whose node keeps the others."""
        return TensorBase.wrap(tensors[0]._array.copy())

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple, output: Any) -> None:
        """Keep all but the first."""
        ctx.save_for_backward(*inputs[1:])

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> None:
        """Nobody asks for this gradient."""
        raise AssertionError("a checkpoint's keeper of inputs has no gradient")


class Place:
    """Where one saved tensor will be: per backward pass a ticket for the tensor in the frame."""

    __slots__ = ("__weakref__", "looks", "tickets")

    def __init__(self, looks: dict) -> None:
        self.looks, self.tickets = looks, {}


class Ticket:
    """Holds a recomputed tensor alive until its place has given it away."""

    __slots__ = ("__weakref__",)


class Log:
    """The operations of one run, for the message."""

    FORWARD, AGAIN = 0, 1


alone = itertools.count(-2, -1)  # numbers for reads outside a backward pass


class Frame:
    """One checkpointed call."""

    def __init__(self, again: Callable, args: tuple, kept: Any, options: Options) -> None:
        self.again, self.keeper, self.options = again, kept.grad_fn, options
        self.others = tuple(None if isinstance(a, TensorBase) else a for a in args)
        self.are_tensors = tuple(isinstance(a, TensorBase) for a in args)
        self.early_stop = options.early_stop and Switches.early_stop
        self.debug = options.debug if Switches.debug is None else Switches.debug
        self.places: list = []  # weak, in order of saving
        self.metadata: list = []  # what each saved tensor looked like
        self.recomputed: dict[int, Any] = {}  # pass -> {ticket: tensor}, tickets known weakly
        self.counts: dict[int, int] = {}  # pass -> tensors seen by the second run
        self.complete: dict[int, bool] = {}
        self.finished, self.loose = False, False
        self.runs = 1  # of the function
        self.logs: tuple = ([], [])

    def arguments(self) -> tuple:
        """The arguments, tensors from where they were saved."""
        tensors = iter(self.keeper.saved_tensors)
        return tuple(
            next(tensors) if is_tensor else other
            for is_tensor, other in zip(self.are_tensors, self.others, strict=True)
        )

    def finish(self) -> None:
        """The first run is over."""
        self.finished = True

    @contextmanager
    def watching(self, run: int) -> Iterator[None]:
        """In debug, note the names of the operations of a run."""
        if not self.debug:
            yield
            return
        log, before = self.logs[run], mode.watch
        log.clear()

        def note(op: Any, *rest: Any) -> None:
            if op is not None:
                log.append(getattr(op, "name", getattr(op, "__name__", "?")))
            if before is not None:
                before(op, *rest)

        mode.set(watch=note)
        try:
            yield
        finally:
            mode.set(watch=before)

    # ---- the second run -----------------------------------------------------------------------

    def compute(self, number: int) -> None:
        """Run the function again and fill the places, once for each pass."""
        if self.complete.get(number):
            return
        args = self.arguments()
        self.recomputed[number], self.counts[number] = weakref.WeakKeyDictionary(), 0
        try:
            with refilling(weakref.ref(self), number), self.watching(Log.AGAIN), enable_grad():
                self.again(self.watched, *args)
        except Stop:
            pass
        self.complete[number] = True
        self.check(number)

    def watched(self, state: Any) -> AbstractContextManager:
        """What a second run happens in: the pass that asks for it may want to look."""
        self.runs += 1
        look = getattr(mode.task, "recomputing", None)
        return nullcontext() if look is None else look(self, state)

    def arrive(self, x: TensorBase, number: int) -> TensorBase:
        """The next tensor that the second run saves."""
        index = self.counts[number]
        self.counts[number] = index + 1
        if index >= len(self.places):
            if not self.finished:
                self.loose = True  # asked for in the middle of forward: nothing to compare
                return x.detach()
            raise CheckpointError(
                "torch.utils.checkpoint: trying to save more tensors during "
                "recomputation than during the original forward pass." + self.told()
            )
        place = self.places[index]()
        if place is not None:
            ticket = place.tickets[number] = Ticket()
            self.recomputed[number][ticket] = x.detach()
        if self.early_stop and index + 1 == len(self.places):
            raise Stop
        return x.detach()

    def check(self, number: int) -> None:
        """Both runs must have saved the same number of tensors, and of the same kinds."""
        if self.loose:
            return
        if self.counts[number] != len(self.places):
            raise CheckpointError(
                "torch.utils.checkpoint: A different number of tensors was saved during the "
                "original "
                f"forward and recomputation.\nNumber of tensors saved during forward: "
                f"{len(self.places)}\nNumber of tensors saved during recomputation: "
                f"{self.counts[number]}" + self.told()
            )
        if self.options.determinism_check == "none":
            return
        wrong = []
        for index, place in enumerate(self.places):
            holder = place()
            ticket = None if holder is None else holder.tickets.get(number)
            if ticket is None:
                continue
            found = looks(self.recomputed[number][ticket])
            if found != self.metadata[index]:
                wrong.append(
                    f"tensor at position {index}:\nsaved metadata: {self.metadata[index]}\n"
                    f"recomputed metadata: {found}"
                )
        if wrong:
            raise CheckpointError(
                "torch.utils.checkpoint: Recomputed values for the following tensors "
                "have different metadata than during the forward pass.\n"
                + "\n".join(wrong)
                + self.told()
            )

    def told(self) -> str:
        """What to do next; in debug, the operations of both runs."""
        if not self.debug:
            return "\nPass debug=True to checkpoint() to see the operations of both runs."
        runs = (", ".join(log) for log in self.logs)
        return (
            "\nYou are seeing this error because you passed `debug=True` to checkpoint, or "
            "switched "
            "it on. Operations of forward: {}\nOperations of the second run: {}".format(*runs)
        )


def looks(x: TensorBase) -> dict:
    """What is compared of a saved tensor."""
    return {"shape": x.shape, "dtype": x.dtype, "device": x.device}


def hooks_of(frame: Frame) -> saved_tensors_hooks:
    """Saved tensors become places; a place that is opened makes the function run again."""

    def pack(x: TensorBase) -> Place:
        with no_grad():
            place = Place(looks(x))
        frame.places.append(weakref.ref(place))
        frame.metadata.append(place.looks)
        return place

    def unpack(place: Place) -> TensorBase:
        number = next(alone) if mode.task is None else mode.task.id
        frame.compute(number)
        ticket = place.tickets.get(number)
        if number not in place.tickets:
            raise CheckpointError(
                "torch.utils.checkpoint: A different number of tensors was saved "
                "during the original forward and recomputation." + frame.told()
            )
        if ticket is None:
            raise CheckpointError(
                "torch.utils.checkpoint: Unpack is being triggered for a tensor that "
                "was already unpacked once. If you are calling ctx.saved_tensors in "
                "backward, make sure to do so only once."
            )
        place.tickets[number] = None
        return frame.recomputed[number].pop(ticket)

    return saved_tensors_hooks(pack, unpack)


def refilling(frame: Any, number: int) -> saved_tensors_hooks:
    """Saved tensors of the second run go into the places of the first."""

    def pack(x: TensorBase) -> TensorBase:
        return frame().arrive(x, number)

    def unpack(x: TensorBase) -> TensorBase:
        if mode.task is None:
            raise CheckpointError(
                "torch.utils.checkpoint: Unpack is being triggered outside of a backward pass"
            )
        return x

    return saved_tensors_hooks(pack, unpack)
