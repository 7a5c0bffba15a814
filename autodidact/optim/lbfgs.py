"""LBFGS: Newton's method with a curvature learned from the last steps.

The direction is minus the gradient times an inverse Hessian that is never written down: the last
changes of the gradient (y) and of the parameters (s) say how it acts.
"""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from autodidact.arrays.foreign import as_array, copied
from autodidact.autograd.grad_mode import enable_grad
from autodidact.inplace import count_write
from autodidact.optim.line_search import strong_wolfe
from autodidact.optim.optimizer import Optimizer, need, number
from autodidact.tensor import wrap
from autodidact.tensor_base import memory

__all__ = ["LBFGS"]


class LBFGS(Optimizer):
    """Limited-memory BFGS; one group of parameters, and `step` needs a closure.

    Args:
        params: the parameters.
        lr: the length of a step, in units of the direction.
        max_iter: iterations in one `step`.
        max_eval: evaluations of the closure in one `step`; default `max_iter * 5 // 4`.
        tolerance_grad: stop when no entry of the gradient is larger.
        tolerance_change: stop when parameters or loss change less.
        history_size: how many pairs (s, y) are kept.
        line_search_fn: "strong_wolfe" or None.

    Example:
        >>> optimizer = torch.optim.LBFGS(model.parameters())
        >>> def closure():
        ...     optimizer.zero_grad()
        ...     loss = model(x).square().sum()
        ...     loss.backward()
        ...     return loss
        >>> optimizer.step(closure)
    """

    def __init__(self, params: Iterable, lr: Any = 1, max_iter: int = 20,
                 max_eval: int | None = None, tolerance_grad: float = 1e-7,
                 tolerance_change: float = 1e-9, history_size: int = 100,
                 line_search_fn: str | None = None) -> None:
        need(number(lr) >= 0, "learning rate", lr)
        super().__init__(params, {
            "lr": lr, "max_iter": max_iter,
            "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad, "tolerance_change": tolerance_change,
            "history_size": history_size, "line_search_fn": line_search_fn})
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")
        self._params = self.param_groups[0]["params"]

    # ---- all parameters as one vector ----------------------------------------------------------

    def _gather(self) -> np.ndarray:
        return np.concatenate([
            np.zeros_like(as_array(p._array)).reshape(-1) if p.grad is None
            else as_array(p.grad._array).reshape(-1) for p in self._params])

    def _add(self, step: float, direction: np.ndarray) -> None:
        place = 0
        for p in self._params:
            array = memory(p)
            array += (step * direction[place:place + array.size]).reshape(array.shape).astype(
                array.dtype, copy=False)
            place += array.size
            count_write(p)

    def _set(self, arrays: list) -> None:
        for p, array in zip(self._params, arrays, strict=True):
            memory(p)[...] = array
            count_write(p)

    # ---- a step ------------------------------------------------------------------------------

    def step(self, closure: Callable) -> Any:
        """Some iterations; the loss before the first.

        Args:
            closure: computes loss and gradients anew.
        """
        closure = enable_grad()(closure)
        first = closure()
        run = Iterations(self, closure, float(first))
        run.to_the_end()
        return first


class Iterations:
    """The iterations of one `step`; what is kept for the next is in the optimizer's state."""

    def __init__(self, optimizer: LBFGS, closure: Callable, loss: float) -> None:
        self.optimizer, self.closure, self.loss = optimizer, closure, loss
        self.group = optimizer.param_groups[0]
        self.state = optimizer.state[optimizer._params[0]]
        self.state.setdefault("func_evals", 0)
        self.state.setdefault("n_iter", 0)
        self.state["func_evals"] += 1
        self.grad = optimizer._gather()
        self.evaluations = 1

    def to_the_end(self) -> None:
        """Iterate until a limit or a tolerance is reached."""
        state, done = self.state, 0
        if self.flat():
            return
        while done < self.group["max_iter"]:
            done += 1
            state["n_iter"] += 1
            self.choose_direction()
            state["prev_flat_grad"], state["prev_loss"] = wrap(self.grad.copy()), self.loss
            direction = state["d"]._array
            slope = float(self.grad @ direction)
            state["t"] = t = self.first_length()
            if slope > -self.group["tolerance_change"]:
                return
            before = self.loss
            state["t"] = t = self.move(t, direction, slope, last=done == self.group["max_iter"])
            if (done == self.group["max_iter"] or self.evaluations >= self.group["max_eval"]
                    or self.flat()
                    or np.abs(direction * t).max() <= self.group["tolerance_change"]
                    or abs(self.loss - before) < self.group["tolerance_change"]):
                return

    def flat(self) -> bool:
        """Whether the gradient is as good as zero."""
        return bool(np.abs(self.grad).max() <= self.group["tolerance_grad"])

    def choose_direction(self) -> None:
        """Minus the inverse Hessian times the gradient, from the pairs (s, y) kept."""
        state = self.state
        if state["n_iter"] == 1:
            state.update(d=wrap(-self.grad), old_dirs=[], old_stps=[], ro=[], H_diag=1)
            return
        self.remember()
        changes = [(y._array, s._array, ro) for y, s, ro in zip(
            state["old_dirs"], state["old_stps"], state["ro"], strict=True)]
        state.setdefault("al", [None] * self.group["history_size"])
        q, factors = -self.grad, []
        for y, s, ro in reversed(changes):
            factors.append((s @ q) * ro)
            q = q - factors[-1] * y
        state["al"][:len(factors)] = reversed(factors)
        q = q * self.grad.dtype.type(state["H_diag"])
        for (y, s, ro), factor in zip(changes, reversed(factors), strict=True):
            q = q + (factor - (y @ q) * ro) * s
        state["d"] = wrap(q)

    def remember(self) -> None:
        """The last step and the change of the gradient along it, if the curvature is positive."""
        state = self.state
        y = self.grad - state["prev_flat_grad"]._array
        s = state["d"]._array * self.grad.dtype.type(state["t"])
        product = y @ s
        if product <= 1e-10:
            return
        if len(state["old_dirs"]) == self.group["history_size"]:
            for name in ("old_dirs", "old_stps", "ro"):
                state[name].pop(0)
        state["old_dirs"].append(wrap(y))
        state["old_stps"].append(wrap(s))
        state["ro"].append(1.0 / product)
        state["H_diag"] = product / (y @ y)

    def first_length(self) -> float:
        """How far to go at first: the very first direction has no scale yet."""
        lr = number(self.group["lr"])
        if self.state["n_iter"] > 1:
            return lr
        return min(1.0, 1.0 / float(np.abs(self.grad).sum())) * lr

    def move(self, t: float, direction: np.ndarray, slope: float, last: bool) -> float:
        """Go along the direction; how far."""
        optimizer, search = self.optimizer, self.group["line_search_fn"]
        if search is not None:
            if search != "strong_wolfe":
                raise RuntimeError("only 'strong_wolfe' is supported")
            start = [copied(p._array) for p in optimizer._params]

            def evaluate(t: float) -> tuple:
                optimizer._add(t, direction)
                loss = float(self.closure())
                grad = optimizer._gather()
                optimizer._set(start)
                return loss, grad
            self.loss, self.grad, t, count = strong_wolfe(
                evaluate, t, direction, self.loss, self.grad, slope,
                limit=self.group["max_eval"] - self.evaluations)
            optimizer._add(t, direction)
        else:
            optimizer._add(t, direction)
            count = 0 if last else 1              # in the last iteration nobody needs the new loss
            if not last:
                self.loss = float(self.closure())
                self.grad = optimizer._gather()
        self.evaluations += count
        self.state["func_evals"] += count
        return t
