"""autograd.functional: Jacobians, Hessians and their products with vectors, of functions.

    vjp(f, x, v)    vᵀ J      one backward pass
    jvp(f, x, v)    J v       by two: vᵀ J is linear in v, so its own gradient is J v
    jacobian        all rows  one pass each, or (vectorize=True) all in one
    vhp, hvp        vᵀ H, H v    the same for gradients
    hessian         the Jacobian of the gradient

`torch.func` has the same as transforms that nest.
"""

from collections.abc import Callable
from typing import Any

from autodidact.autograd.functional_parts import (
    IN_STRICT, IN_STRICT_GRAPH, as_tuple, check_depends, filled, gradients, leave, prepare,
    refuse_inside, unit_vector, vector, zeros_like,
)
from autodidact.autograd.grad_mode import enable_grad, mode, set_grad_enabled
from autodidact.func.jacobians import basis_of, last_first, split_rows
from autodidact.func.transforms import jvp_of
from autodidact.func.vmap import run as run_lanes
from autodidact.func.tree import LEAF, Spec
from autodidact.ops import join
from autodidact.tensor_base import TensorBase

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

OUTPUTS = "outputs of the user-provided function"


def one_or_all(results: tuple, many: bool) -> Any:
    """A tuple where one came in, else its only entry."""
    return results if many else results[0]


def vjp(func: Callable, inputs: Any, v: Any = None, create_graph: bool = False,
        strict: bool = False) -> tuple:
    """The outputs of `func`, and vᵀ J.

    Args:
        func: takes tensors; gives a tensor or a tuple.
        inputs: a tensor or a tuple.
        v: like the outputs; may be left out for a single number.
        create_graph: results can be differentiated.
        strict: raise where the output does not depend on an input (else zeros).

    Raises:
        TypeError: anything but tensors. RuntimeError: a v that does not fit; see `strict`.

    Example:
        >>> torch.autograd.functional.vjp(lambda x: x ** 2, torch.tensor(3.), torch.tensor(1.))
        (tensor(9.), tensor(6.))
    """
    refuse_inside("vjp")
    with enable_grad():
        many, inputs = as_tuple(inputs, "inputs", "vjp")
        inputs = prepare(inputs, create_graph, True)
        many_out, outputs = as_tuple(func(*inputs), OUTPUTS, "vjp")
        check_depends(outputs, "outputs", strict)
        v = vector(v, outputs, many_out, create_graph, "vjp", "the user-provided function returns a "
                   "single Tensor with a single element")
    with set_grad_enabled(create_graph or mode.grad):
        found = filled(gradients(outputs, inputs, v, create_graph=create_graph), inputs, strict,
                       create_graph, "back")
    return (one_or_all(leave(outputs, create_graph), many_out),
            one_or_all(leave(found, create_graph), many))


def jvp(func: Callable, inputs: Any, v: Any = None, create_graph: bool = False,
        strict: bool = False) -> tuple:
    """The outputs of `func`, and J v.

    Args:
        func: takes tensors; gives a tensor or a tuple.
        inputs: a tensor or a tuple.
        v: like the inputs; may be left out for a single number.
        create_graph: results can be differentiated.
        strict: raise where the output does not depend on the inputs (else zeros).

    Raises:
        TypeError: anything but tensors. RuntimeError: a v that does not fit; see `strict`.

    Example:
        >>> torch.autograd.functional.jvp(lambda x: x ** 2, torch.tensor(3.), torch.tensor(1.))
        (tensor(9.), tensor(6.))
    """
    refuse_inside("jvp")
    with enable_grad():
        many, inputs = as_tuple(inputs, "inputs", "jvp")
        inputs = prepare(inputs, create_graph, True)
        v = vector(v, inputs, many, create_graph, "jvp", "the input to the user-provided function is a "
                   "single Tensor with a single element")
        many_out, outputs = as_tuple(func(*inputs), OUTPUTS, "jvp")
        check_depends(outputs, "outputs", strict)
        firsts = tuple(zeros_like(o, True) for o in outputs)
        pulled = gradients(outputs, inputs, firsts, create_graph=True)
        check_depends(pulled, "grad_inputs", strict)
    with set_grad_enabled(create_graph or mode.grad):
        found = filled(gradients(pulled, firsts, v, create_graph=create_graph), outputs, strict,
                       create_graph, "back_trick")
    return (one_or_all(leave(outputs, create_graph), many_out),
            one_or_all(leave(found, create_graph), many_out))


# ---- Jacobians ------------------------------------------------------------------------------------


def jacobian(func: Callable, inputs: Any, create_graph: bool = False, strict: bool = False,
             vectorize: bool = False, strategy: str = "reverse-mode") -> Any:
    """The Jacobian of `func`.

    Args:
        func: takes tensors; gives a tensor or a tuple.
        inputs: a tensor or a tuple.
        create_graph: the result can be differentiated.
        strict: raise where an output does not depend on an input (else zeros).
        vectorize: all rows (or columns) in one pass.
        strategy: "reverse-mode", row by row; or, only with `vectorize`, "forward-mode".

    Returns:
        For one input and one output a tensor of shape out + in; for tuples `result[output][input]`.

    Raises:
        TypeError: anything but tensors. RuntimeError, NotImplementedError: options that exclude each
            other; see `strict`.

    Example:
        >>> torch.autograd.functional.jacobian(lambda x: x ** 2, torch.tensor([1., 2.]))
        tensor([[2., 0.],
                [0., 4.]])
    """
    refuse_inside("jacobian")
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode". Hint: if '
                             'there are more outputs than inputs, "forward-mode" is the cheaper one')
    if vectorize and strict:
        raise RuntimeError("torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are "
                           "not supported together. Please either set `strict=False` or "
                           "`vectorize=False`.")
    if strategy == "forward-mode":
        return forward_jacobian(func, inputs, create_graph, vectorize)
    with enable_grad():
        many, inputs = as_tuple(inputs, "inputs", "jacobian")
        inputs = prepare(inputs, create_graph, True)
        many_out, outputs = as_tuple(func(*inputs), OUTPUTS, "jacobian")
        check_depends(outputs, "outputs", strict)
        if vectorize:
            found = rows_at_once(outputs, inputs, create_graph)
        else:
            found = tuple(rows_of(i, o, inputs, create_graph, strict) for i, o in enumerate(outputs))
    found = leave(found, create_graph)
    return one_or_all(tuple(one_or_all(row, many) for row in found), many_out)


def rows_of(i: int, output: TensorBase, inputs: tuple, create_graph: bool, strict: bool) -> tuple:
    """The Jacobians of one output, one backward pass for each of its entries."""
    rows: list = [[] for _ in inputs]
    for j in range(output._array.size):
        unit = unit_vector(output._array.shape, output._array.dtype, j)
        found = gradients((output,), inputs, (unit,), create_graph=create_graph, retain_graph=True)
        for k, (g, x) in enumerate(zip(found, inputs, strict=True)):
            if g is None and strict:
                raise RuntimeError(f"Output {i} of the user-provided function is independent of input "
                                   f"{k}. " + IN_STRICT)
            if g is not None and strict and create_graph and not g.requires_grad:
                raise RuntimeError("The jacobian of the user-provided function is independent of input "
                                   f"{k}. " + IN_STRICT_GRAPH)
            rows[k].append(zeros_like(x) if g is None else g)
    return tuple(join.stack.call(r, 0).reshape(output._array.shape + x._array.shape) if r
                 else zeros_like(x).reshape(output._array.shape + x._array.shape)
                 for r, x in zip(rows, inputs, strict=True))


def rows_at_once(outputs: tuple, inputs: tuple, create_graph: bool) -> tuple:
    """All rows of all outputs in one pass."""
    basis = basis_of(list(outputs))
    found = gradients(outputs, inputs, basis, create_graph=create_graph, retain_graph=True, batched=True)
    sizes, total = [o._array.size for o in outputs], sum(o._array.size for o in outputs)
    blocks = [zeros_like(x).expand((total, *x._array.shape)) if g is None else g
              for g, x in zip(found, inputs, strict=True)]
    parts = [split_rows(block, sizes) for block in blocks]
    return tuple(tuple(part[k].reshape(o._array.shape + x._array.shape)
                       for part, x in zip(parts, inputs, strict=True))
                 for k, o in enumerate(outputs))


def forward_jacobian(func: Callable, inputs: Any, create_graph: bool, vectorize: bool) -> Any:
    """All columns at once, by forward mode."""
    for given, name in ((create_graph, "create_graph=True"), (not vectorize, "vectorize=False")):
        if given:
            raise NotImplementedError(f"torch.autograd.functional.jacobian: `{name}` and "
                                      '`strategy="forward-mode"` are not supported together (yet). Use '
                                      "torch.func.jacfwd, or reverse mode")
    many, inputs = as_tuple(inputs, "inputs", "jacobian")
    held: dict[str, bool] = {}

    def checked(*values: Any) -> tuple:
        held["many"], outputs = as_tuple(func(*values), OUTPUTS, "jacobian")
        return outputs

    def push(*directions: Any) -> tuple:
        return jvp_of(checked, inputs, directions, internal=True)[1]
    spec = Spec(tuple, (), (LEAF,) * len(inputs))
    basis = basis_of(list(inputs))
    columns = run_lanes(push, basis, [0] * len(basis), spec, basis[0]._array.shape[0], 0, "error", {},
                        internal=True)
    sizes = [x._array.size for x in inputs]
    found = tuple(tuple(last_first(part, x) for part, x in
                        zip(split_rows(block, sizes), inputs, strict=True)) for block in columns)
    return one_or_all(tuple(one_or_all(row, many) for row in found), held["many"])


def hessian(func: Callable, inputs: Any, create_graph: bool = False, strict: bool = False,
            vectorize: bool = False, outer_jacobian_strategy: str = "reverse-mode") -> Any:
    """The second derivatives of `func`, which gives one number.

    Args:
        func: takes tensors; gives a tensor of one element.
        inputs: a tensor or a tuple.
        create_graph, strict, vectorize: as for `jacobian`.
        outer_jacobian_strategy: how the gradient is differentiated: "reverse-mode", or, only with
            `vectorize`, "forward-mode".

    Returns:
        For one input a tensor of shape in + in; for a tuple `result[i][j]`.

    Example:
        >>> torch.autograd.functional.hessian(lambda x: (x ** 3).sum(), torch.ones(2))
        tensor([[6., 0.],
                [0., 6.]])
    """
    refuse_inside("hessian")
    many, inputs = as_tuple(inputs, "inputs", "hessian")
    if outer_jacobian_strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode".')

    def single(*values: Any) -> TensorBase:
        return one_number(func(*values), "hessian").squeeze()

    def slopes(*values: Any) -> tuple:
        if outer_jacobian_strategy == "forward-mode":
            values = tuple(x.requires_grad_(True) for x in values)
        found = jacobian(single, values, create_graph=True)
        check_depends(found, "jacobian", strict)
        return found
    found = jacobian(slopes, inputs, create_graph, strict, vectorize, outer_jacobian_strategy)
    return one_or_all(tuple(one_or_all(row, many) for row in found), many)


def one_number(output: Any, name: str) -> TensorBase:
    """The output of a function whose second derivatives are wanted."""
    many, found = as_tuple(output, OUTPUTS, name)
    if many:
        raise RuntimeError(f"The function given to {name} should return a single Tensor")
    if found[0]._array.size != 1:
        raise RuntimeError(f"The Tensor returned by the function given to {name} should contain a "
                           "single element")
    return found[0]


# ---- products with the Hessian ------------------------------------------------------------------------


def vhp(func: Callable, inputs: Any, v: Any = None, create_graph: bool = False,
        strict: bool = False) -> tuple:
    """The output of `func`, and vᵀ H: the gradient of (gradient · v).

    Args:
        func: takes tensors; gives a tensor of one element.
        inputs: a tensor or a tuple.
        v: like the inputs; may be left out for a single number.
        create_graph, strict: as for `vjp`.

    Example:
        >>> torch.autograd.functional.vhp(lambda x: (x ** 3).sum(), torch.ones(2), torch.ones(2))
        (tensor(2.), tensor([6., 6.]))
    """
    refuse_inside("vhp")
    with enable_grad():
        many, inputs = as_tuple(inputs, "inputs", "vhp")
        inputs = prepare(inputs, create_graph, True)
        v = vector(v, inputs, many, create_graph, "vhp", "the input to the user-provided function is a "
                   "single Tensor with a single element")
        output = one_number(func(*inputs), "vhp")
        check_depends((output,), "outputs", strict)
        slopes = gradients((output,), inputs, create_graph=True)
        check_depends(slopes, "jacobian", strict)
    with set_grad_enabled(create_graph or mode.grad):
        found = filled(gradients(slopes, inputs, v, create_graph=create_graph), inputs, strict,
                       create_graph, "double_back")
    return leave(output, create_graph), one_or_all(leave(found, create_graph), many)


def hvp(func: Callable, inputs: Any, v: Any = None, create_graph: bool = False,
        strict: bool = False) -> tuple:
    """The output of `func`, and H v. As H is symmetric, `vhp` gives the same, cheaper.

    Args:
        func: takes tensors; gives a tensor of one element.
        inputs: a tensor or a tuple.
        v: like the inputs; may be left out for a single number.
        create_graph, strict: as for `vjp`.

    Example:
        >>> torch.autograd.functional.hvp(lambda x: (x ** 3).sum(), torch.ones(2), torch.ones(2))
        (tensor(2.), tensor([6., 6.]))
    """
    refuse_inside("hvp")
    with enable_grad():
        many, inputs = as_tuple(inputs, "inputs", "hvp")
        inputs = prepare(inputs, create_graph, True)
        v = vector(v, inputs, many, create_graph, "hvp", "the input to the user-provided function is a "
                   "single Tensor with a single element")
        output = one_number(func(*inputs), "hvp")
        check_depends((output,), "outputs", strict)
        slopes = gradients((output,), inputs, create_graph=True)
        check_depends(slopes, "jacobian", strict)
        firsts = tuple(zeros_like(x, True) for x in inputs)
        pulled = gradients(slopes, inputs, firsts, create_graph=True)
        check_depends(pulled, "hessian", strict)
    with set_grad_enabled(create_graph or mode.grad):
        found = filled(gradients(pulled, firsts, v, create_graph=create_graph), inputs, strict,
                       create_graph, "double_back_trick")
    return leave(output, create_graph), one_or_all(leave(found, create_graph), many)
