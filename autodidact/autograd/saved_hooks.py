"""Hooks on saved tensors: the user decides in what form a node keeps what it saves.

`pack_hook` turns a tensor that is being saved into anything at all (a copy on disk, a number, the
tensor itself); `unpack_hook` turns that back into a tensor whenever it is needed.

Example:
    >>> with torch.autograd.graph.saved_tensors_hooks(lambda t: t.numpy(), torch.from_numpy):
    ...     y = x * x
"""

import functools
from collections.abc import Callable
from typing import Any

from autodidact.autograd.grad_mode import mode
from autodidact.tensor_base import CHANGES, TensorBase, version_cell

__all__ = ["Packed", "disable_saved_tensors_hooks", "pack", "save_on_cpu", "saved_tensors_hooks"]


class Packed:
    """A saved tensor in the form that the pack hook gave it.

    What autograd must know of the tensor it keeps itself: its history (an output's is the node that
    saved it), and for a leaf its accumulator. The unpack hook gives the numbers only; `reads`
    counts how often it has been called.
    """

    __slots__ = ("accumulator", "fn", "output_nr", "own", "packed", "reads", "requires_grad",
                 "unpack")

    def __init__(self, packed: Any, unpack: Callable, tensor: TensorBase, fn: Any,
                 own: bool) -> None:
        self.packed, self.unpack, self.fn, self.own, self.reads = packed, unpack, fn, own, 0
        self.output_nr, self.requires_grad = tensor.output_nr, tensor._requires_grad
        self.accumulator = getattr(tensor, "_accumulator", None)

    def tensor(self, node: Any) -> TensorBase:
        """Call the unpack hook; give what it returns the history of what was saved."""
        before = mode.reading, mode.node
        mode.reading, mode.node = False, node
        self.reads += 1
        if mode.task is None:
            CHANGES[0] += 1                            # a look from outside: see tensor_base.py
        try:
            result = self.unpack(self.packed)
        finally:
            mode.reading, mode.node = before
        if not isinstance(result, TensorBase):
            raise TypeError("Output of saved tensor unpack_hook expected to be a Tensor but got "
                            f"result of type {type(result).__name__}")
        fn = node if self.own else self.fn
        if fn is None and not self.requires_grad:
            return result
        t = TensorBase.wrap(result._array)
        t._version_cell = version_cell(result)
        t._requires_grad, t._grad_fn, t.output_nr = True, fn, self.output_nr
        if fn is None and self.accumulator is not None:
            t._accumulator = self.accumulator
        return t


def pack(tensor: TensorBase, is_output: bool = False, given: TensorBase | None = None) -> Packed:
    """Let the innermost pack hook turn a tensor into what shall be kept instead.

    Args:
        tensor: what is saved.
        is_output: its history is the node that saves it.
        given: what the hook is to see instead of the tensor itself.
    """
    pack_hook, unpack_hook = mode.saved_hooks[-1]
    fn = gradient_function(tensor)
    given, cell, before = tensor if given is None else given, version_cell(tensor), mode.grad
    version = cell[0]
    mode.set(grad=False)
    try:
        packed = pack_hook(given)
    finally:
        mode.set(grad=before)
    if cell[0] != version:
        raise RuntimeError("A saved tensor pack hook is modifying its input in place. A pack hook "
                           "may read the tensor it is given; write into a clone() of it")
    own = is_output and fn is not None
    return Packed(packed, unpack_hook, tensor, None if own else fn, own)


gradient_function: Callable = None      # set by views.py


class saved_tensors_hooks:
    """Inside, every saved tensor goes through `pack_hook`, and through `unpack_hook` when read.

    Of nested pairs only the innermost counts. What was packed inside is unpacked by the same pair
    later, wherever that happens. The check for in-place writes is the hooks' business then.

    Args:
        pack_hook: tensor -> anything; must not write into the tensor.
        unpack_hook: that thing -> a tensor with the numbers of the first.
    """

    def __init__(self, pack_hook: Callable, unpack_hook: Callable) -> None:
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook

    def __enter__(self) -> None:
        if mode.saved_hooks and mode.saved_hooks[-1][0] is None:
            raise RuntimeError(mode.saved_hooks[-1][1])
        mode.set(saved_hooks=(*mode.saved_hooks, (self.pack_hook, self.unpack_hook)))

    def __exit__(self, *error: object) -> None:
        mode.set(saved_hooks=mode.saved_hooks[:-1])


class save_on_cpu(saved_tensors_hooks):
    """Inside, saved tensors wait in the CPU's memory and return to their device when needed.

    Args:
        pin_memory, device_type: accepted for PyTorch's sake.
    """

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        super().__init__(lambda t: (t.device, t.cpu()), lambda kept: kept[1].to(kept[0]))


class disable_saved_tensors_hooks:
    """Inside (also as a decorator), entering `saved_tensors_hooks` raises `error_message`.

    Raises:
        RuntimeError: `error_message`, when hooks are already in force.
    """

    def __init__(self, error_message: str) -> None:
        self.message = error_message

    def __enter__(self) -> None:
        self._before = mode.saved_hooks
        if self._before and self._before[-1][0] is not None:
            raise RuntimeError(self.message)
        mode.set(saved_hooks=((None, self.message),))

    def __exit__(self, *error: object) -> None:
        mode.set(saved_hooks=self._before)

    def __call__(self, function: Callable) -> Callable:
        """As a decorator."""
        @functools.wraps(function)
        def disabled(*args: Any, **kwargs: Any) -> Any:
            with disable_saved_tensors_hooks(self.message):
                return function(*args, **kwargs)
        return disabled


def saved_tensors_hooks_is_enabled() -> bool:
    """Whether `saved_tensors_hooks` may be entered here."""
    return not mode.saved_hooks or mode.saved_hooks[-1][0] is not None
