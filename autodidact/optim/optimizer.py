"""Optimizer: parameters in groups, a state for each parameter, and `step`.

The rules of the subclasses are written on NumPy arrays, in place: one step is no part of a graph.
"""

import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable
from copy import deepcopy
from itertools import chain
from typing import Any

import numpy as np

from autodidact.arrays.bfloat16 import keeping, rounding
from autodidact.arrays.foreign import as_array, contiguous, copied
from autodidact.autograd.grad_mode import enable_grad, no_grad
from autodidact.autograd.hooks import HookDict, RemovableHandle
from autodidact.inplace import count_write
from autodidact.tensor import Tensor, wrap
from autodidact.tensor_base import memory

__all__ = ["Optimizer", "required"]

required = object()             # the default of an option that every group must give


def need(holds: bool, name: str, value: Any) -> None:
    """Refuse a value that makes no sense."""
    if not holds:
        raise ValueError(f"Invalid {name}: {value}")


def number(value: Any) -> float:
    """A Python number, also from a tensor with one element."""
    return value.item() if isinstance(value, Tensor) else value


def new(array: Any) -> Tensor:
    """A plain tensor for the state."""
    return wrap(keeping(copied(array)))


def zeros_like(array: np.ndarray) -> Tensor:
    """Zeros for the state."""
    return wrap(keeping(np.zeros_like(array)))


def counter() -> Tensor:
    """The number of steps so far, as PyTorch keeps it: a float32 tensor."""
    return wrap(np.zeros((), np.float32))


class Optimizer:
    """Base class: subclasses write `update` (or, by hand, `step`).

    Args:
        params: tensors, pairs of name and tensor, or dicts: groups with options of their own.
        defaults: the options of groups that do not say them.

    Attributes:
        param_groups: dicts with the parameters under "params" and the options.
        state: for each parameter a dict of what the rule remembers.

    Raises:
        TypeError, ValueError: no tensors, none at all, or one twice.
    """

    def __init__(self, params: Iterable, defaults: dict) -> None:
        if isinstance(params, Tensor):
            raise TypeError("params argument given to the optimizer should be an iterable of "
                            f"Tensors or dicts, but got {params.type()}")
        self.defaults = defaults
        self.state: defaultdict = defaultdict(dict)
        self.param_groups: list = []
        self._pre_hooks, self._post_hooks = HookDict(), HookDict()
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    def add_param_group(self, param_group: dict) -> None:
        """Add parameters with options of their own, e.g. a layer that is no longer frozen.

        Example:
            >>> optimizer.add_param_group({"params": nn.Linear(2, 1).parameters(), "lr": 1e-4})
        """
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        given = param_group["params"]
        if isinstance(given, set):
            raise TypeError("optimizer parameters need to be organized in ordered collections, but "
                            "the ordering of tensors in sets will change between runs. Please use "
                            "a list instead.")
        params = [given] if isinstance(given, Tensor) else list(given)
        group = {**param_group, "params": params}
        if params and isinstance(params[0], tuple):
            group["param_names"] = [name for name, _ in params]
            group["params"] = params = [p for _, p in params]
        for p in params:
            if not isinstance(p, Tensor):
                raise TypeError("optimizer can only optimize Tensors, but one of the params is "
                                f"{type(p).__name__}")
            if not (p.is_leaf or p.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")
        for name, default in self.defaults.items():
            if default is required and name not in group:
                raise ValueError("parameter group didn't specify a value of required optimization "
                                 f"parameter {name}")
            group.setdefault(name, default)
        if len({id(p) for p in params}) < len(params):
            warnings.warn("optimizer contains a parameter group with duplicate parameters; in "
                          "future, this will cause an error", UserWarning, stacklevel=3)
        known = {id(p) for other in self.param_groups for p in other["params"]}
        if known & {id(p) for p in params}:
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(group)

    # ---- a step ------------------------------------------------------------------------------

    def step(self, closure: Callable | None = None) -> Any:
        """Change every parameter that has a gradient.

        Args:
            closure: computes the loss anew, with its gradients; called first.

        Returns:
            The closure's loss, or None.
        """
        for hook in list(self._pre_hooks.values()):
            hook(self, () if closure is None else (closure,), {})
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    self._update(p, group)
        for hook in list(self._post_hooks.values()):
            hook(self, () if closure is None else (closure,), {})
        return loss

    def _update(self, p: Tensor, group: dict) -> None:
        """The rule on the arrays; complex numbers count as pairs of real ones."""
        array, grad = rounding(memory(p)), rounding(as_array(p.grad._array))
        if array.dtype.kind == "c":
            real = np.dtype(f"f{array.itemsize // 2}")
            array, grad = array.view(real), contiguous(grad).view(real)
        self.update(array, -grad if group.get("maximize") else grad, self._state_of(p), group)
        count_write(p)

    def _state_of(self, p: Tensor) -> "State":
        return State(self.state, p)

    def update(self, p: np.ndarray, grad: np.ndarray, state: "State", group: dict) -> None:
        """The rule: change `p` in place.

        Args:
            p: the parameter.
            grad: its gradient; must not be changed.
            state: what is remembered, as arrays; empty before the first step.
            group: the options.
        """
        raise NotImplementedError

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients; with False, set them to zero.

        A parameter without gradient is skipped by `step`; one whose gradient is zero still moves by
        momentum and weight decay.
        """
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                if set_to_none:
                    p.grad = None
                else:
                    if p.grad.grad_fn is not None:
                        p.grad.detach_()
                    with no_grad():
                        p.grad.zero_()

    def register_step_pre_hook(self, hook: Callable) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` before each step."""
        return self._pre_hooks.add(hook)

    def register_step_post_hook(self, hook: Callable) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` after each step."""
        return self._post_hooks.add(hook)

    # ---- saving ------------------------------------------------------------------------------

    def state_dict(self) -> dict:
        """State and options, the parameters replaced by their numbers."""
        numbers: dict = {}
        groups = []
        for group in self.param_groups:
            for p in group["params"]:
                numbers.setdefault(id(p), len(numbers))
            packed = {name: value for name, value in group.items() if name != "params"}
            groups.append({**packed, "params": [numbers[id(p)] for p in group["params"]]})
        state = {numbers.get(id(p), p) if isinstance(p, Tensor) else p: dict(value)
                 for p, value in self.state.items()}
        return {"state": state, "param_groups": groups}

    def load_state_dict(self, state_dict: dict) -> None:
        """Take back what `state_dict` gave; floating state gets the dtype of its parameter.

        Raises:
            ValueError: for groups of other sizes.
        """
        saved = state_dict["param_groups"]
        if len(saved) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(len(a["params"]) != len(b["params"])
               for a, b in zip(saved, self.param_groups, strict=True)):
            raise ValueError("loaded state dict contains a parameter group that doesn't match the "
                             "size of optimizer's group")
        by_number = dict(zip(chain.from_iterable(g["params"] for g in saved),
                             chain.from_iterable(g["params"] for g in self.param_groups),
                             strict=True))
        self.state = defaultdict(dict)
        for key, value in state_dict["state"].items():
            p = by_number.get(key)
            self.state[key if p is None else p] = (
                deepcopy(value) if p is None else
                {name: fitted(name, item, p) for name, item in value.items()})
        self.param_groups = [
            {**deepcopy({k: v for k, v in new_group.items() if k != "params"}),
             "params": old["params"]}
            for old, new_group in zip(self.param_groups, saved, strict=True)]

    def __getstate__(self) -> dict:
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state: dict) -> None:
        self.__dict__.update(state)
        self._pre_hooks, self._post_hooks = HookDict(), HookDict()

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for i, group in enumerate(self.param_groups):
            lines += [""] * (i > 0) + [f"Parameter Group {i}"]
            lines += [f"    {name}: {group[name]}" for name in sorted(group) if name != "params"]
        return "\n".join([*lines, ")"])


def fitted(name: str, value: Any, p: Tensor) -> Any:
    """One saved value, copied; in the parameter's dtype where it is floating."""
    if isinstance(value, Tensor):
        if name == "step" or not p.is_floating_point():
            return value.clone()
        return value.to(p.dtype, copy=True)
    return deepcopy(value)


class State:
    """The state of one parameter while a rule runs: arrays to read and write in place.

    In a rule:

        if not state:
            state.start(step=counter(), exp_avg=zeros_like(p))
        state.exp_avg[...] = 0
    """

    __slots__ = ("_all", "_p")

    def __init__(self, every: defaultdict, p: Tensor) -> None:
        self._all, self._p = every, p

    def __bool__(self) -> bool:
        return bool(self._all.get(self._p))

    def start(self, **tensors: Any) -> None:
        """Remember new tensors."""
        self._all[self._p].update(tensors)

    def has(self, name: str) -> bool:
        """Whether something is remembered under this name."""
        return self._all.get(self._p, {}).get(name) is not None

    def __getattr__(self, name: str) -> np.ndarray:
        array = memory(self._all[self._p][name])
        if array.dtype.kind == "c":
            return array.view(np.dtype(f"f{array.itemsize // 2}"))
        return rounding(array)

    def next_step(self) -> int:
        """Count one step; its number."""
        count = self.step
        count += 1
        return int(count)
