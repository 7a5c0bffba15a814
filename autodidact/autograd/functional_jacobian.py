"""The ways to a Jacobian: row by row, all rows in one pass, all columns by forward mode."""

from collections.abc import Callable
from typing import Any

from autodidact.autograd.functional_parts import (
    IN_STRICT,
    IN_STRICT_GRAPH,
    as_tuple,
    gradients,
    unit_vector,
    zeros_like,
)
from autodidact.func.forward import jvp_of
from autodidact.func.jacobians import basis_of, last_first, split_rows
from autodidact.func.tree import LEAF, Spec
from autodidact.func.vmap import run as run_lanes
from autodidact.ops import join
from autodidact.tensor_base import TensorBase

__all__ = ["OUTPUTS", "forward_jacobian", "one_or_all", "rows_at_once", "rows_of"]

OUTPUTS = "outputs of the user-provided function"


def one_or_all(results: tuple, many: bool) -> Any:
    """A tuple where one came in, else its only entry."""
    return results if many else results[0]


def rows_of(i: int, output: TensorBase, inputs: tuple, create_graph: bool, strict: bool) -> tuple:
    """The Jacobians of one output, one backward pass for each of its entries."""
    rows: list = [[] for _ in inputs]
    for j in range(output._array.size):
        unit = unit_vector(output._array.shape, output._array.dtype, j)
        found = gradients((output,), inputs, (unit,), create_graph=create_graph, retain_graph=True)
        for k, (g, x) in enumerate(zip(found, inputs, strict=True)):
            if g is None and strict:
                raise RuntimeError(
                    f"Output {i} of the user-provided function is independent of input "
                    f"{k}. " + IN_STRICT
                )
            if g is not None and strict and create_graph and not g.requires_grad:
                raise RuntimeError(
                    "The jacobian of the user-provided function is independent of input "
                    f"{k}. " + IN_STRICT_GRAPH
                )
            rows[k].append(zeros_like(x) if g is None else g)
    return tuple(
        join.stack.call(r, 0).reshape(output._array.shape + x._array.shape)
        if r
        else zeros_like(x).reshape(output._array.shape + x._array.shape)
        for r, x in zip(rows, inputs, strict=True)
    )


def rows_at_once(outputs: tuple, inputs: tuple, create_graph: bool) -> tuple:
    """All rows of all outputs in one pass."""
    basis = basis_of(list(outputs))
    found = gradients(
        outputs, inputs, basis, create_graph=create_graph, retain_graph=True, batched=True
    )
    sizes, total = [o._array.size for o in outputs], sum(o._array.size for o in outputs)
    blocks = [
        zeros_like(x).expand((total, *x._array.shape)) if g is None else g
        for g, x in zip(found, inputs, strict=True)
    ]
    parts = [split_rows(block, sizes) for block in blocks]
    return tuple(
        tuple(
            part[k].reshape(o._array.shape + x._array.shape)
            for part, x in zip(parts, inputs, strict=True)
        )
        for k, o in enumerate(outputs)
    )


def forward_jacobian(func: Callable, inputs: Any, create_graph: bool, vectorize: bool) -> Any:
    """All columns at once, by forward mode."""
    for given, name in ((create_graph, "create_graph=True"), (not vectorize, "vectorize=False")):
        if given:
            raise NotImplementedError(
                f"torch.autograd.functional.jacobian: `{name}` and "
                '`strategy="forward-mode"` are not supported together (yet). Use '
                "torch.func.jacfwd, or reverse mode"
            )
    many, inputs = as_tuple(inputs, "inputs", "jacobian")
    held: dict[str, bool] = {}

    def checked(*values: Any) -> tuple:
        held["many"], outputs = as_tuple(func(*values), OUTPUTS, "jacobian")
        return outputs

    def push(*directions: Any) -> tuple:
        return jvp_of(checked, inputs, directions, internal=True)[1]

    spec = Spec(tuple, (), (LEAF,) * len(inputs))
    basis = basis_of(list(inputs))
    columns = run_lanes(
        push, basis, [0] * len(basis), spec, basis[0]._array.shape[0], 0, "error", {}, internal=True
    )
    sizes = [x._array.size for x in inputs]
    found = tuple(
        tuple(last_first(part, x) for part, x in zip(split_rows(block, sizes), inputs, strict=True))
        for block in columns
    )
    return one_or_all(tuple(one_or_all(row, many) for row in found), held["many"])
