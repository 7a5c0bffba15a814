"""torch.ops.aten: operations by PyTorch's own names, for code that asks which operation it sees.

The names are those of the nodes: what records `MmBackward0` is `torch.ops.aten.mm`. PyTorch has an
overload for each signature (`mul.Tensor`, `mul.Scalar`); here one row computes them all, so
overloads of one name are equal.

Example:
    >>> torch.ops.aten.mm.default
    <OpOverload(op='aten.mm', overload='default')>
"""

import re
from typing import Any

from autodidact.ops.op import TABLE, Op, camel

__all__ = ["OpOverload", "OpOverloadPacket", "overload_of"]


class OpOverload:
    """One operation: equal to every overload of the same name."""

    def __init__(self, name: str, overload: str = "default") -> None:
        self._name, self._overloadname = name, overload

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OpOverload) and other._name == self._name

    def __hash__(self) -> int:
        return hash(self._name)

    def __str__(self) -> str:
        return f"aten.{self._name}.{self._overloadname}"

    def __repr__(self) -> str:
        return f"<OpOverload(op='aten.{self._name}', overload='{self._overloadname}')>"


class OpOverloadPacket:
    """All overloads of a name, as its attributes."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> OpOverload:
        if name.startswith("__"):
            raise AttributeError(name)
        return OpOverload(self._name, name)

    def __str__(self) -> str:
        return f"aten.{self._name}"

    def __repr__(self) -> str:
        return f"<OpOverloadPacket(op='aten.{self._name}')>"


def aten_name(op: Op) -> str:
    """PyTorch's name of a row, from the name of its node."""
    node = re.sub(r"Backward\d*$", "", op.node_name)
    if node == op.node_name or node == camel(op.name):         # no node of PyTorch, or its own name
        return op.name
    return re.sub(r"(?<!^)(?=[A-Z])", "_", node).lower()


def overload_of(op: Op, in_place: bool = False) -> OpOverload:
    """The operation that a row is; with `in_place` the one that writes into its first input."""
    return OpOverload(aten_name(op) + "_" * in_place)


def __getattr__(name: str) -> Any:
    if name.startswith("__") or name.removesuffix("_") not in set(map(aten_name, TABLE.values())):
        raise AttributeError(f"'_OpNamespace' 'aten' object has no attribute '{name}'")
    return OpOverloadPacket(name)
