"""Selective checkpointing: some results are kept, so that the second run need not compute them.

A policy is asked about every operation of the first run. Results that are to be saved go into a
store, by operation and turn; in the second run the same operation, at the same turn, finds its
result there: a node is recorded as usual, only `forward` is skipped.
"""

import enum
from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Any

from autodidact.autograd.grad_mode import mode, no_grad
from autodidact.ops.aten import OpOverload, OpOverloadPacket, overload_of
from autodidact.ops.op import Op, View

__all__ = ["CheckpointPolicy", "SelectiveCheckpointContext", "create_selective_checkpoint_contexts"]


class CheckpointPolicy(enum.Enum):
    """What becomes of an operation's result: kept for backward, or computed again.

    MUST and PREFER are the same here, and there is one device, so CPU_OFFLOAD computes again.
    """

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3
    MUST_CPU_OFFLOAD = 4
    PREFER_CPU_OFFLOAD = 5


SAVING = (CheckpointPolicy.MUST_SAVE, CheckpointPolicy.PREFER_SAVE)


class SelectiveCheckpointContext:
    """What a policy is told besides the operation.

    Attributes:
        is_recompute: always False: policies are asked in the first run only.
        op_output: the operation's result.
    """

    def __init__(self, *, is_recompute: bool, op_output: Any = None) -> None:
        self.is_recompute, self.op_output = is_recompute, op_output


class Kept:
    """Results that are kept, and how often they had been written to by then."""

    def __init__(self, results: tuple) -> None:
        with no_grad():
            self.tensors = tuple(t.detach() for t in results)
        self.versions = tuple(t._version for t in self.tensors)

    def arrays(self, mutable: bool) -> Any:
        """Their arrays, as a row's forward gives them."""
        if not mutable and self.versions != tuple(t._version for t in self.tensors):
            raise RuntimeError("Tensor cached during selective activation checkpoint has been "
                               "mutated")
        found = tuple(t._array for t in self.tensors)
        return found if len(found) > 1 else found[0]


COMPUTE, USED = object(), object()
MISMATCH = ("This can happen if the operations in the checkpointed region are nondeterministic or "
            "depend on global state that changed between forward and backward.")


class Known:
    """A row whose result is there already."""

    def __init__(self, op: Op, result: Any) -> None:
        self.op, self.result = op, result

    def __getattr__(self, name: str) -> Any:
        return getattr(self.op, name)

    def forward(self, *_: Any) -> Any:
        """The result."""
        return self.result


class Keeping:
    """The first run: ask the policy about every operation, and keep what it wants kept."""

    def __init__(self, policy: Callable, store: dict) -> None:
        self.policy, self.store = policy, store

    def __enter__(self) -> None:
        self.before = mode.watch
        mode.set(watch=self.seen)

    def __exit__(self, *error: object) -> None:
        mode.set(watch=self.before)

    def seen(self, op: Any, tensors: tuple, args: tuple, results: tuple, node: Any) -> None:
        """One operation has been computed."""
        if self.before is not None:
            self.before(op, tensors, args, results, node)
        if not isinstance(op, Op):
            return                            # a Function: PyTorch sees the operations inside only
        in_place = any(results[0] is t for t in tensors)
        output = results if len(op.outputs) > 1 else results[0]
        mode.set(watch=None)
        try:
            policy = self.policy(SelectiveCheckpointContext(is_recompute=False, op_output=output),
                                 overload_of(op, in_place), *tensors, *args)
        finally:
            mode.set(watch=self.seen)
        saved = policy in SAVING or policy is True
        if not (in_place or isinstance(op, View)):          # these are done again in any case
            self.store[op.name].append(Kept(results) if saved else COMPUTE)


class Replaying:
    """The second run: operations whose results are kept are not computed."""

    def __init__(self, store: dict, mutable: bool) -> None:
        self.store, self.mutable = store, mutable

    def __enter__(self) -> None:
        self.turns: Counter = Counter()
        self.before = mode.known
        mode.set(known=self)

    def __exit__(self, *error: object) -> None:
        mode.set(known=self.before)

    def row(self, op: Op) -> Any:
        """The row to compute with: the same, or one that knows its result."""
        turn, entries = self.turns[op.name], self.store[op.name]
        self.turns[op.name] += 1
        if turn >= len(entries):
            what = (f"invocation index {turn} encountered" if entries else "encountered")
            raise RuntimeError(f"{overload_of(op)} {what} during backward but not found in "
                               f"storage. {MISMATCH}")
        entry = entries[turn]
        if entry is USED:
            raise RuntimeError("Trying to backward an extra time. You are only allowed to backward "
                               "once on any region computed under selective activation checkpoint.")
        if entry is COMPUTE:
            return op
        entries[turn] = USED
        return Known(op, entry.arrays(self.mutable))


def create_selective_checkpoint_contexts(policy_fn_or_list: Any,
                                         allow_cache_entry_mutation: bool = False) -> tuple:
    """The `context_fn` of a checkpoint that keeps some results: two contexts, for the two runs.

    Args:
        policy_fn_or_list: called as `policy(ctx, op, *args)` for every operation of the first run;
            returns a CheckpointPolicy. Or a list of operations, whose results are to be saved.
        allow_cache_entry_mutation: accept that a kept result was written to since.

    Raises:
        ValueError: something in the list that is no OpOverload.
        TypeError: neither a function nor a list.

    Example:
        >>> from functools import partial
        >>> saving = partial(create_selective_checkpoint_contexts, [torch.ops.aten.mm.default])
        >>> checkpoint = torch.utils.checkpoint.checkpoint
        >>> y = checkpoint(layer, x, use_reentrant=False, context_fn=saving)
    """
    if isinstance(policy_fn_or_list, list):
        for op in policy_fn_or_list:
            if not isinstance(op, OpOverload):
                more = (f" Choose one of its overloads: {op}.default."
                        if isinstance(op, OpOverloadPacket) else "")
                raise ValueError(f"Expected op in `op_list` to be an OpOverload but got: {op} of "
                                 f"type {type(op)}.{more}")

        def policy(ctx: Any, op: OpOverload, *args: Any) -> CheckpointPolicy:
            return (CheckpointPolicy.MUST_SAVE if op in policy_fn_or_list
                    else CheckpointPolicy.PREFER_RECOMPUTE)
    elif callable(policy_fn_or_list):
        policy = policy_fn_or_list
    else:
        raise TypeError("policy_fn_or_list must be either a function or a list of ops.")
    store: dict = defaultdict(list)
    return Keeping(policy, store), Replaying(store, allow_cache_entry_mutation)
