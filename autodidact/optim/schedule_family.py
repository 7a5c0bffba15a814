"""Schedulers of schedulers: one after the other, or several together."""

from bisect import bisect_right
from collections.abc import Sequence

from autodidact.optim.optimizer import Optimizer
from autodidact.optim.schedule import LRScheduler

__all__ = ["ChainedScheduler", "SequentialLR"]


def check_family(name: str, optimizer: Optimizer, schedulers: Sequence) -> None:
    """Several schedulers of one optimizer."""
    if not schedulers:
        raise ValueError(f"{name} expects at least one scheduler, but got no scheduler.")
    for i, scheduler in enumerate(schedulers):
        if not hasattr(scheduler, "optimizer"):
            raise TypeError(f"{name} at index {i} should have `optimizer` as its attribute.")
        if not hasattr(scheduler, "get_lr") or scheduler.optimizer is not optimizer:
            raise ValueError(f"{name} expects all schedulers to belong to the same optimizer and "
                             f"to step without arguments, but the one at index {i} does not.")


class Family(LRScheduler):
    """What schedulers of schedulers share: their state is that of all."""

    _schedulers: Sequence

    def state_dict(self) -> dict:
        """Everything but the optimizer."""
        state = {k: v for k, v in super().state_dict().items() if k != "_schedulers"}
        return {**state, "_schedulers": [s.state_dict() for s in self._schedulers]}

    def load_state_dict(self, state_dict: dict) -> None:
        """Take back what `state_dict` gave."""
        self.__dict__.update({k: v for k, v in state_dict.items() if k != "_schedulers"})
        for scheduler, saved in zip(self._schedulers, state_dict["_schedulers"], strict=True):
            scheduler.load_state_dict(saved)


class SequentialLR(Family):
    """One scheduler after the other: the next takes over at each milestone."""

    def __init__(self, optimizer: Optimizer, schedulers: list, milestones: list,
                 last_epoch: int = -1) -> None:
        check_family("SequentialLR", optimizer, schedulers)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError("Sequential Schedulers expects number of schedulers provided to be "
                             "one more than the number of milestone points, but got number of "
                             f"schedulers {len(schedulers)} and the number of milestones to be "
                             f"equal to {len(milestones)}")
        self._schedulers, self._milestones = schedulers, milestones
        self.last_epoch, self.optimizer = last_epoch + 1, optimizer
        for group in optimizer.param_groups:
            group["lr"] = group["initial_lr"]
        undo(schedulers)
        first = schedulers[bisect_right(milestones, 0)]
        first._initial_step()
        self._last_lr = first.get_last_lr()

    def step(self) -> None:
        """Go to the next epoch."""
        self.last_epoch += 1
        i = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[i]
        if i > 0 and self._milestones[i - 1] == self.last_epoch:
            scheduler._update_lr(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()


def undo(schedulers: Sequence) -> None:
    """Take back the step that each has made when it was made."""
    for scheduler in schedulers:
        if hasattr(scheduler, "_schedulers"):
            undo(scheduler._schedulers)
        else:
            scheduler.last_epoch -= 1


class ChainedScheduler(Family):
    """Several schedulers that step together; their factors multiply."""

    def __init__(self, schedulers: Sequence, optimizer: Optimizer | None = None) -> None:
        optimizer = optimizer or (schedulers[0].optimizer if schedulers else None)
        check_family("ChainedScheduler", optimizer, schedulers)
        self._schedulers, self.optimizer = schedulers, optimizer
        self._last_lr = self._now()

    def step(self) -> None:
        """Go to the next epoch."""
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = self._now()
