"""Learning rates that rise and fall, with the momentum against them; and one that waits."""

import math
from collections.abc import Callable
from typing import Any

from autodidact.optim.optimizer import Optimizer
from autodidact.optim.schedule import LRScheduler, check_optimizer, for_groups

__all__ = ["CyclicLR", "OneCycleLR", "ReduceLROnPlateau"]


class Cycling(LRScheduler):
    """What the two share: momentum, or the first beta, that moves against the rate."""

    def _begin_momentum(self, base: Any, largest: Any, begin: bool) -> None:
        optimizer = self.optimizer
        if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
            raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` "
                             "option enabled")
        self.use_beta1 = "betas" in optimizer.defaults
        self.base_momentums = for_groups(optimizer, base, "base_momentum")
        self.max_momentums = for_groups(optimizer, largest, "max_momentum")
        if begin:
            for group, low, high in zip(optimizer.param_groups, self.base_momentums,
                                        self.max_momentums, strict=True):
                self._set_momentum(group, high)
                group["max_momentum"], group["base_momentum"] = high, low

    def _set_momentum(self, group: dict, value: float) -> None:
        if self.use_beta1:
            group["betas"] = (value, *group["betas"][1:])
        else:
            group["momentum"] = value


class CyclicLR(Cycling):
    """The rate goes from `base_lr` up to `max_lr` and down, again and again.

    Args:
        optimizer: the optimizer.
        base_lr: the lowest rate; one, or one for each group.
        max_lr: the highest.
        step_size_up: steps of the way up.
        step_size_down: steps of the way down; default: as many.
        mode: "triangular"; "triangular2": half the height each time; "exp_range": `gamma ** steps`.
        gamma: see mode.
        scale_fn: a function for the height, instead of a mode.
        scale_mode: whether `scale_fn` gets the number of the "cycle" or of "iterations".
        cycle_momentum: let the momentum move against the rate.
        base_momentum: the lowest momentum.
        max_momentum: the highest.
        last_epoch: -1 to begin.
    """

    def __init__(self, optimizer: Optimizer, base_lr: Any, max_lr: Any, step_size_up: int = 2000,
                 step_size_down: int | None = None, mode: str = "triangular", gamma: float = 1.0,
                 scale_fn: Callable | None = None, scale_mode: str = "cycle",
                 cycle_momentum: bool = True, base_momentum: Any = 0.8, max_momentum: Any = 0.9,
                 last_epoch: int = -1) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        base_lrs = for_groups(optimizer, base_lr, "base_lr")
        if last_epoch == -1:
            for group, lr in zip(optimizer.param_groups, base_lrs, strict=True):
                group["lr"] = lr
        self.max_lrs = for_groups(optimizer, max_lr, "max_lr")
        down = step_size_up if step_size_down is None else step_size_down
        self.total_size = float(step_size_up) + float(down)
        self.step_ratio = step_size_up / self.total_size
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode, self.gamma, self._scale_fn_custom = mode, gamma, scale_fn
        self.scale_mode = scale_mode
        if scale_fn is None:
            self.scale_mode = "iterations" if mode == "exp_range" else "cycle"
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._begin_momentum(base_momentum, max_momentum, last_epoch == -1)
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def scale_fn(self, x: float) -> float:
        """The height of cycle (or step) x, in parts of the first one's."""
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(x)
        if self.mode == "exp_range":
            return self.gamma**x
        return 1.0 if self.mode == "triangular" else 1 / 2.0 ** (x - 1)

    def get_lr(self) -> list:
        """The rates now; the momentum is set as well."""
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        ratio = self.step_ratio
        height = x / ratio if x <= ratio else (x - 1) / (ratio - 1)
        height *= self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            for group, low, high in zip(self.optimizer.param_groups, self.base_momentums,
                                        self.max_momentums, strict=True):
                self._set_momentum(group, high - (high - low) * height)
        return [low + (high - low) * height
                for low, high in zip(self.base_lrs, self.max_lrs, strict=True)]


class OneCycleLR(Cycling):
    """The rate goes up once, then down far below where it began.

    Args:
        optimizer: the optimizer.
        max_lr: the highest rate; one, or one for each group.
        total_steps: the number of steps; or give the next two.
        epochs: the number of epochs.
        steps_per_epoch: and of steps in each.
        pct_start: the part of the way up.
        anneal_strategy: "cos" or "linear".
        cycle_momentum: let the momentum move against the rate.
        base_momentum: the lowest momentum.
        max_momentum: the highest.
        div_factor: the first rate is `max_lr / div_factor`.
        final_div_factor: the last one is the first over this.
        three_phase: come down as fast as up, then go on down.
        last_epoch: -1 to begin.
    """

    def __init__(self, optimizer: Optimizer, max_lr: Any, total_steps: int | None = None,
                 epochs: int | None = None, steps_per_epoch: int | None = None,
                 pct_start: float = 0.3, anneal_strategy: str = "cos", cycle_momentum: bool = True,
                 base_momentum: Any = 0.85, max_momentum: Any = 0.95, div_factor: float = 25.0,
                 final_div_factor: float = 1e4, three_phase: bool = False,
                 last_epoch: int = -1) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        self.total_steps = total(total_steps, epochs, steps_per_epoch)
        if not isinstance(pct_start, float) or not 0 <= pct_start <= 1:
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError("anneal_strategy must be one of 'cos' or 'linear', instead got "
                             f"{anneal_strategy}")
        self._anneal_func_type = anneal_strategy
        self._phases = phases(self.total_steps, pct_start, three_phase)
        if last_epoch == -1:
            for group, high in zip(optimizer.param_groups,
                                   for_groups(optimizer, max_lr, "max_lr"), strict=True):
                group["initial_lr"], group["max_lr"] = high / div_factor, high
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._begin_momentum(base_momentum, max_momentum, last_epoch == -1)
        super().__init__(optimizer, last_epoch)

    def _between(self, start: float, end: float, part: float) -> float:
        if self._anneal_func_type == "linear":
            return (end - start) * part + start
        return end + (start - end) / 2.0 * (math.cos(math.pi * part) + 1)

    def get_lr(self) -> list:
        """The rates now; the momentum is set as well."""
        step = self.last_epoch
        if step > self.total_steps:
            raise ValueError(f"Tried to step {step} times. The specified number of total steps is "
                             f"{self.total_steps}")
        begin, (end, lrs, momentums) = 0.0, self._phases[0]
        for following in self._phases[1:]:
            if step <= end:
                break
            begin, (end, lrs, momentums) = end, following
        part, rates = (step - begin) / (end - begin), []
        for group in self.optimizer.param_groups:
            rates.append(self._between(group[lrs[0]], group[lrs[1]], part))
            if self.cycle_momentum:
                self._set_momentum(group, self._between(group[momentums[0]], group[momentums[1]],
                                                        part))
        return rates


def total(steps: Any, epochs: Any, each: Any) -> int:
    """The number of steps, however it was given."""
    if steps is not None:
        if steps <= 0 or not isinstance(steps, int):
            raise ValueError(f"Expected positive integer total_steps, but got {steps}")
        return steps
    if epochs is None or each is None:
        raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
    for name, value in (("epochs", epochs), ("steps_per_epoch", each)):
        if value <= 0 or not isinstance(value, int):
            raise ValueError(f"Expected positive integer {name}, but got {value}")
    return epochs * each


def phases(steps: int, up: float, three: bool) -> list:
    """End, rates and momenta (by their names in a group) of each phase."""
    rise = (up * steps - 1, ("initial_lr", "max_lr"), ("max_momentum", "base_momentum"))
    if not three:
        return [rise, (steps - 1, ("max_lr", "min_lr"), ("base_momentum", "max_momentum"))]
    return [rise,
            (2 * up * steps - 2, ("max_lr", "initial_lr"), ("base_momentum", "max_momentum")),
            (steps - 1, ("initial_lr", "min_lr"), ("max_momentum", "max_momentum"))]


class ReduceLROnPlateau:
    """The rate times `factor` when a number has not become better for `patience` epochs.

    Args:
        optimizer: the optimizer.
        mode: "min" or "max": what is better.
        factor: below 1.
        patience: epochs to wait.
        threshold: how much better counts.
        threshold_mode: "rel" (a part) or "abs".
        cooldown: epochs to wait after a change.
        min_lr: the lowest rate; one, or one for each group.
        eps: smaller changes are not made.

    Example:
        >>> scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer)
        >>> scheduler.step(loss)
    """

    def __init__(self, optimizer: Optimizer, mode: str = "min", factor: float = 0.1,
                 patience: int = 10, threshold: float = 1e-4, threshold_mode: str = "rel",
                 cooldown: int = 0, min_lr: Any = 0, eps: float = 1e-8) -> None:
        if factor >= 1.0:
            raise ValueError("Factor should be < 1.0.")
        check_optimizer(optimizer)
        if mode not in ("min", "max"):
            raise ValueError(f"mode {mode} is unknown!")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError(f"threshold mode {threshold_mode} is unknown!")
        self.optimizer, self.mode, self.factor, self.patience = optimizer, mode, factor, patience
        self.threshold, self.threshold_mode = threshold, threshold_mode
        self.cooldown, self.eps, self.last_epoch = cooldown, eps, 0
        self.min_lrs = for_groups(optimizer, min_lr, "min_lrs")
        self.best = math.inf if mode == "min" else -math.inf
        self.cooldown_counter = self.num_bad_epochs = 0
        self._last_lr = [group["lr"] for group in optimizer.param_groups]

    def _is_better(self, value: float) -> bool:
        sign = 1 if self.mode == "min" else -1
        if self.threshold_mode == "abs":
            return sign * value < sign * self.best - self.threshold
        bound = self.best * (1 - sign * self.threshold)
        return value < bound if self.mode == "min" else value > bound

    def step(self, metrics: Any, epoch: int | None = None) -> None:
        """Tell the number of this epoch."""
        value = float(metrics)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        if self._is_better(value):
            self.best, self.num_bad_epochs = value, 0
        else:
            self.num_bad_epochs += 1
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            for group, low in zip(self.optimizer.param_groups, self.min_lrs, strict=True):
                new = max(group["lr"] * self.factor, low)
                if group["lr"] - new > self.eps:
                    group["lr"] = new
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]

    def get_last_lr(self) -> list:
        """The rates now."""
        return self._last_lr

    def state_dict(self) -> dict:
        """Everything but the optimizer."""
        return {name: value for name, value in self.__dict__.items() if name != "optimizer"}

    def load_state_dict(self, state_dict: dict) -> None:
        """Take back what `state_dict` gave."""
        self.__dict__.update(state_dict)
