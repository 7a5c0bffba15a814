"""`torch.optim.swa_utils`: averages of a model's parameters over training."""

import math
from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any

from autodidact.arrays.dtype import int64
from autodidact.autograd.grad_mode import no_grad
from autodidact.functions.creation import tensor
from autodidact.nn.module import Module
from autodidact.optim.optimizer import Optimizer
from autodidact.optim.schedule import LRScheduler, for_groups
from autodidact.tensor import Tensor

__all__ = ["SWALR", "AveragedModel", "get_ema_avg_fn", "get_ema_multi_avg_fn", "get_swa_avg_fn",
           "get_swa_multi_avg_fn", "update_bn"]


def get_ema_avg_fn(decay: float = 0.999) -> Callable:
    """The average that forgets: `decay * average + (1 - decay) * new`."""
    if not 0 <= decay <= 1:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] "
                         "range.")

    @no_grad()
    def average(ema: Tensor, current: Tensor, count: Any) -> Tensor:
        return decay * ema + (1 - decay) * current
    return average


def for_all(average: Callable) -> Callable:
    """An average of tensors as one of lists of them, which are changed in place."""
    @no_grad()
    def averages(means: list, currents: list, count: Any) -> None:
        for mean, current in zip(means, currents, strict=True):
            mean.copy_(average(mean, current, count))
    return averages


def get_ema_multi_avg_fn(decay: float = 0.999) -> Callable:
    """`get_ema_avg_fn` for lists of tensors: (averages, new, how many so far)."""
    return for_all(get_ema_avg_fn(decay))


def get_swa_multi_avg_fn() -> Callable:
    """`get_swa_avg_fn` for lists of tensors."""
    return for_all(get_swa_avg_fn())


def get_swa_avg_fn() -> Callable:
    """The plain average of all."""
    @no_grad()
    def average(mean: Tensor, current: Tensor, count: Any) -> Tensor:
        return mean + (current - mean) / (count + 1)
    return average


class AveragedModel(Module):
    """A copy of a model whose parameters are averages of the model's.

    Args:
        model: the model.
        device: "cpu".
        avg_fn: (average, new, how many so far) -> average; default: the plain one.
        multi_avg_fn: the same for lists, which it changes in place.
        use_buffers: average the buffers, too; else they are copied.

    Example:
        >>> averaged = torch.optim.swa_utils.AveragedModel(model)
        >>> averaged.update_parameters(model)
    """

    def __init__(self, model: Module, device: Any = None, avg_fn: Callable | None = None,
                 multi_avg_fn: Callable | None = None, use_buffers: bool = False) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = deepcopy(model)
        self.register_buffer("n_averaged", tensor(0, dtype=int64))
        self.avg_fn, self.use_buffers = avg_fn or get_swa_avg_fn(), use_buffers
        self.multi_avg_fn = multi_avg_fn or for_all(self.avg_fn)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The averaged model's answer."""
        return self.module(*args, **kwargs)

    @no_grad()
    def update_parameters(self, model: Module) -> None:
        """Take the model's present parameters into the average."""
        def values(m: Module) -> list:
            return [t.detach() for t in (
                *m.parameters(), *(m.buffers() if self.use_buffers else ()))]
        means, news = values(self.module), values(model)
        if self.n_averaged.item():
            self.multi_avg_fn(means, news, self.n_averaged)
        else:
            for mean, new in zip(means, news, strict=True):
                mean.copy_(new)
        if not self.use_buffers:
            for own, new in zip(self.module.buffers(), model.buffers(), strict=True):
                own.copy_(new)
        self.n_averaged.add_(1)


@no_grad()
def update_bn(loader: Iterable, model: Module, device: Any = None) -> None:
    """Compute the running values of all batch normalisations anew, in one walk over the data."""
    momenta = {}
    for module in model.modules():
        if hasattr(module, "reset_running_stats") and hasattr(module, "num_batches_tracked"):
            module.reset_running_stats()
            momenta[module] = module.momentum
            module.momentum = None
    if not momenta:
        return
    was_training = model.training
    model.train()
    for batch in loader:
        model(batch[0] if isinstance(batch, list | tuple) else batch)
    for module, momentum in momenta.items():
        module.momentum = momentum
    model.train(was_training)


class SWALR(LRScheduler):
    """From the rate at the beginning to `swa_lr`, in `anneal_epochs` steps; then it stays.

    Args:
        optimizer: whose rates are set.
        swa_lr: the rate at the end; one, or one for each group.
        anneal_epochs: how many steps it takes.
        anneal_strategy: "cos", along half a cosine, or "linear".
        last_epoch: where to go on; -1: at the beginning.

    Raises:
        ValueError: for another strategy, or a negative number of steps.
    """

    def __init__(self, optimizer: Optimizer, swa_lr: Any, anneal_epochs: int = 10,
                 anneal_strategy: str = "cos", last_epoch: int = -1) -> None:
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError("anneal_strategy must be one of 'cos' or 'linear', instead got "
                             f"{anneal_strategy}")
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError("anneal_epochs must be equal or greater than 0, got "
                             f"{anneal_epochs}")
        for group, lr in zip(optimizer.param_groups, for_groups(optimizer, swa_lr, "swa_lr"),
                             strict=True):
            group["swa_lr"] = lr
        self.anneal_epochs, self.anneal_strategy = anneal_epochs, anneal_strategy
        super().__init__(optimizer, last_epoch)

    def _share(self, step: int) -> float:
        """Which part of the way is done."""
        part = max(0, min(1, step / max(1, self.anneal_epochs)))
        return part if self.anneal_strategy == "linear" else (1 - math.cos(math.pi * part)) / 2

    def get_lr(self) -> list:
        """The rates now."""
        step = self._step_count - 1
        step = step if self.anneal_epochs else max(1, step)
        before, now, rates = self._share(step - 1), self._share(step), []
        for group in self.optimizer.param_groups:
            lr, end = group["lr"], group["swa_lr"]
            first = end if before == 1 else (lr - before * end) / (1 - before)
            rates.append(end * now + first * (1 - now))
        return rates
