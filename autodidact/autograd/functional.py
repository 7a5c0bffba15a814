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

from autodidact.autograd.functional_jacobian import (
    OUTPUTS,
    forward_jacobian,
    one_or_all,
    rows_at_once,
    rows_of,
)
from autodidact.autograd.functional_parts import (
    as_tuple,
    check_depends,
    filled,
    gradients,
    leave,
    prepare,
    refuse_inside,
    vector,
    zeros_like,
)
from autodidact.autograd.grad_mode import enable_grad, mode, set_grad_enabled
from autodidact.tensor_base import TensorBase

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]


def vjp(
    func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple:
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
        v = vector(
            v,
            outputs,
            many_out,
            create_graph,
            "vjp",
            "the user-provided function returns a single Tensor with a single element",
        )
    with set_grad_enabled(create_graph or mode.grad):
        found = filled(
            gradients(outputs, inputs, v, create_graph=create_graph),
            inputs,
            strict,
            create_graph,
            "back",
        )
    return (
        one_or_all(leave(outputs, create_graph), many_out),
        one_or_all(leave(found, create_graph), many),
    )


def jvp(
    func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple:
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
        v = vector(
            v,
            inputs,
            many,
            create_graph,
            "jvp",
            "the input to the user-provided function is a single Tensor with a single element",
        )
        many_out, outputs = as_tuple(func(*inputs), OUTPUTS, "jvp")
        check_depends(outputs, "outputs", strict)
        firsts = tuple(zeros_like(o, True) for o in outputs)
        pulled = gradients(outputs, inputs, firsts, create_graph=True)
        check_depends(pulled, "grad_inputs", strict)
    with set_grad_enabled(create_graph or mode.grad):
        found = filled(
            gradients(pulled, firsts, v, create_graph=create_graph),
            outputs,
            strict,
            create_graph,
            "back_trick",
        )
    return (
        one_or_all(leave(outputs, create_graph), many_out),
        one_or_all(leave(found, create_graph), many_out),
    )


# ---- Jacobians -----------------------------------------------------------------------------------


def jacobian(
    func: Callable,
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
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
        TypeError: anything but tensors. RuntimeError, NotImplementedError: options that exclude
            each other; see `strict`.

    Example:
        >>> torch.autograd.functional.jacobian(lambda x: x ** 2, torch.tensor([1., 2.]))
        tensor([[2., 0.],
                [0., 4.]])
    """
    refuse_inside("jacobian")
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError(
            'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: if '
            'there are more outputs than inputs, "forward-mode" is the cheaper one'
        )
    if vectorize and strict:
        raise RuntimeError(
            "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are "
            "not supported together. Please either set `strict=False` or "
            "`vectorize=False`."
        )
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
            found = tuple(
                rows_of(i, o, inputs, create_graph, strict) for i, o in enumerate(outputs)
            )
    found = leave(found, create_graph)
    return one_or_all(tuple(one_or_all(row, many) for row in found), many_out)


def hessian(
    func: Callable,
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
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
        output = one_number(func(*values), "hessian")
        check_depends((output,), "outputs", strict)
        return output.squeeze()

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
        raise RuntimeError(
            f"The Tensor returned by the function given to {name} should contain a single element"
        )
    return found[0]


# ---- products with the Hessian -------------------------------------------------------------------


def gradient_graph(
    name: str, func: Callable, inputs: Any, v: Any, create_graph: bool, strict: bool
) -> tuple:
    """What `vhp` and `hvp` begin with: the inputs and `v` checked, the output, its gradient.

    Returns:
        (whether several inputs were given, inputs, v, output, recorded gradient).
    """
    many, inputs = as_tuple(inputs, "inputs", name)
    inputs = prepare(inputs, create_graph, True)
    single = "the input to the user-provided function is a single Tensor with a single element"
    v = vector(v, inputs, many, create_graph, name, single)
    output = one_number(func(*inputs), name)
    check_depends((output,), "outputs", strict)
    slopes = gradients((output,), inputs, create_graph=True)
    check_depends(slopes, "jacobian", strict)
    return many, inputs, v, output, slopes


def vhp(
    func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple:
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
        many, inputs, v, output, slopes = gradient_graph(
            "vhp", func, inputs, v, create_graph, strict
        )
    with set_grad_enabled(create_graph or mode.grad):
        found = filled(
            gradients(slopes, inputs, v, create_graph=create_graph),
            inputs,
            strict,
            create_graph,
            "double_back",
        )
    return leave(output, create_graph), one_or_all(leave(found, create_graph), many)


def hvp(
    func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple:
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
        many, inputs, v, output, slopes = gradient_graph(
            "hvp", func, inputs, v, create_graph, strict
        )
        firsts = tuple(zeros_like(x, True) for x in inputs)
        pulled = gradients(slopes, inputs, firsts, create_graph=True)
        check_depends(pulled, "hessian", strict)
    with set_grad_enabled(create_graph or mode.grad):
        found = filled(
            gradients(pulled, firsts, v, create_graph=create_graph),
            inputs,
            strict,
            create_graph,
            "double_back_trick",
        )
    return leave(output, create_graph), one_or_all(leave(found, create_graph), many)
