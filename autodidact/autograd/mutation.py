"""allow_mutation_on_saved_tensors: write into what was saved; the old value is copied first.

A saved tensor is remembered by its memory and version. Before a write, what was saved of that
memory at that version is cloned, once; backward then finds the clone.
"""

import contextlib
from collections import defaultdict
from collections.abc import Iterator
from typing import Any
from weakref import WeakKeyDictionary, WeakValueDictionary

from autodidact.autograd.grad_mode import mode
from autodidact.autograd.saved_hooks import saved_tensors_hooks
from autodidact.tensor_base import TensorBase, version_cell

__all__ = ["allow_mutation_on_saved_tensors"]

OUTSIDE = ("Trying to backward outside of the 'allow_mutation_on_saved_tensors' context in which "
           "the graph was originally recorded.")


class Handle:
    """What the graph keeps in place of a saved tensor."""


class Context:
    """The state of one `with` block.

    Attributes:
        cloned: handle -> copy of the value that a write has replaced.
        original: handle -> the saved tensor, as long as nobody has written into it.
        tid_to_weakhandle: (tensor's id, memory, version) -> handle: the saved tensors alive.
        sid_to_tid: (memory, version) -> the keys above with that memory.
    """

    def __init__(self) -> None:
        self.cloned: WeakKeyDictionary = WeakKeyDictionary()
        self.original: WeakKeyDictionary = WeakKeyDictionary()
        self.tid_to_weakhandle: WeakValueDictionary = WeakValueDictionary()
        self.sid_to_tid: dict[tuple, set] = defaultdict(set)

    def clear(self) -> None:
        """Forget everything."""
        for part in (self.cloned, self.original, self.tid_to_weakhandle, self.sid_to_tid):
            part.clear()

    def pack(self, tensor: TensorBase) -> Handle:
        """Remember a saved tensor; the same one at the same version only once."""
        sid = memory_id(tensor)
        tid = (id(tensor), *sid)
        self.sid_to_tid[sid].add(tid)
        handle = self.tid_to_weakhandle.get(tid)
        if handle is None:
            handle = self.tid_to_weakhandle[tid] = Handle()
            self.original[handle] = tensor
        return handle

    def unpack(self, handle: Handle) -> TensorBase:
        """The value as it was when it was saved."""
        found = self.cloned.get(handle)
        if found is None:
            found = self.original.get(handle)
        if found is None:
            raise AssertionError(OUTSIDE)
        return found

    def before_write(self, tensor: TensorBase) -> None:
        """Copy what has been saved of the memory that is about to be written."""
        if tensor._version_cell is None:
            return
        for tid in self.sid_to_tid.get(memory_id(tensor), ()):
            handle = self.tid_to_weakhandle.get(tid)
            if handle is not None and handle not in self.cloned:
                self.cloned[handle] = self.original.pop(handle).clone()


def memory_id(tensor: TensorBase) -> tuple:
    """Which memory, and its version: a tensor shares the counter with all that look into it."""
    cell = version_cell(tensor)
    return id(cell), cell[0]


@contextlib.contextmanager
def allow_mutation_on_saved_tensors() -> Iterator[Context]:
    """Inside, a saved tensor may be written to: backward uses the value it had when it was saved.

    Forward and backward must both run inside.

    Yields:
        The context's own books, for the curious.

    Raises:
        RuntimeError: inside another such block.
        AssertionError: in backward, outside the block in which the graph was recorded.

    Example:
        >>> with torch.autograd.graph.allow_mutation_on_saved_tensors():
        ...     b = x * 2
        ...     y = (b ** 2).sum()
        ...     b.sin_()
        ...     y.backward()
    """
    if mode.mutations is not None:
        raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
    context = Context()

    def unpack(handle: Handle) -> Any:
        if mode.mutations is None:
            raise AssertionError(OUTSIDE)
        return context.unpack(handle)

    with saved_tensors_hooks(context.pack, unpack):
        mode.set(mutations=context.before_write)
        try:
            yield context
        finally:
            mode.set(mutations=None)
            context.clear()
