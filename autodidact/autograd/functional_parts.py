"""What the functions of `autograd.functional` share: arguments, gradients, results."""

from typing import Any

import numpy as np

from autodidact.autograd.backward import grad
from autodidact.autograd.grad_mode import mode
from autodidact.tensor_base import TensorBase

__all__ = [
    "as_tuple",
    "check_depends",
    "filled",
    "gradients",
    "leave",
    "prepare",
    "refuse_inside",
    "unit_vector",
    "zeros_like",
]

IN_STRICT = "This is not allowed in strict mode."
IN_STRICT_GRAPH = "This is not allowed in strict mode when create_graph=True."


def refuse_inside(name: str) -> None:
    """torch.func transforms have functions of their own for this."""
    if any(not level.internal for level in mode.stack):
        raise RuntimeError(
            f"torch.autograd.functional.{name} was called inside a torch.func transform "
            "(vmap, grad, vjp, jvp, ...). This is not supported; use the function of the "
            "same name in torch.func instead"
        )


def as_tuple(given: Any, what: str, name: str) -> tuple:
    """(whether it was a tuple, the tensors as a tuple); TypeError for anything but tensors."""
    many = isinstance(given, tuple)
    found = given if many else (given,)
    for i, t in enumerate(found):
        if not isinstance(t, TensorBase):
            which = f"the value at index {i}" if many else f"the given {what}"
            raise TypeError(
                f"The {what} given to {name} must be either a Tensor or a tuple of Tensors "
                f"but {which} has type {type(t)}."
            )
    return many, found


def prepare(tensors: tuple, create_graph: bool, need_graph: bool) -> tuple:
    """Fresh starting points: recorded aliases where the graph goes on, else leaves of their own."""
    return tuple(
        t.view_as(t) if create_graph and t.requires_grad else t.detach().requires_grad_(need_graph)
        for t in tensors
    )


def leave(results: Any, create_graph: bool) -> Any:
    """Results without history unless it was asked for."""
    if isinstance(results, TensorBase):
        return results if create_graph else results.detach()
    return tuple(leave(r, create_graph) for r in results)


def zeros_like(t: TensorBase, requires_grad: bool = False) -> TensorBase:
    """Zeros of shape and dtype of a tensor."""
    made = TensorBase.wrap(np.zeros(t._array.shape, t._array.dtype))
    return made.requires_grad_() if requires_grad else made


def unit_vector(shape: tuple, dtype: Any, j: int) -> TensorBase:
    """One at entry `j` of the flattened shape, zeros elsewhere."""
    array = np.zeros(int(np.prod(shape)), dtype)
    array[j] = 1
    return TensorBase.wrap(array.reshape(shape))


def vector(v: Any, like: tuple, many: bool, create_graph: bool, name: str, alone: str) -> tuple:
    """The given v, checked against what it belongs to; None only for a single number."""
    if v is None:
        if len(like) != 1 or like[0]._array.size != 1:
            raise RuntimeError(f"The vector v can only be None if {alone}.")
        return (TensorBase.wrap(np.ones(like[0]._array.shape, like[0]._array.dtype)),)
    _, found = as_tuple(v, "v", name)
    found = prepare(found, create_graph, False)
    if len(found) != len(like):
        if many:
            raise RuntimeError(
                f"v is a tuple of invalid length: should be {len(like)} but got {len(found)}."
            )
        raise RuntimeError("The given v should contain a single Tensor.")
    for i, (t, x) in enumerate(zip(found, like, strict=True)):
        if t._array.shape != x._array.shape:
            where = f"Entry {i} in " if many else ""
            raise RuntimeError(f"{where}v has invalid size: should be {x.shape} but got {t.shape}.")
    return found


def gradients(
    outputs: tuple,
    inputs: tuple,
    firsts: Any = None,
    *,
    create_graph: bool = False,
    retain_graph: bool | None = None,
    batched: bool = False,
) -> tuple:
    """`autograd.grad` that passes over outputs without history; None where nothing arrives."""
    firsts = (None,) * len(outputs) if firsts is None else firsts
    pairs = [
        (o, g) for o, g in zip(outputs, firsts, strict=True) if o is not None and o.requires_grad
    ]
    if not pairs:
        return (None,) * len(inputs)
    given = None if all(g is None for _, g in pairs) else [g for _, g in pairs]
    return grad(
        [o for o, _ in pairs],
        inputs,
        given,
        allow_unused=True,
        create_graph=create_graph,
        retain_graph=retain_graph,
        is_grads_batched=batched,
    )


def check_depends(tensors: tuple, what: str, strict: bool) -> None:
    """In strict mode every one of these must depend on the inputs."""
    if not strict:
        return
    for i, t in enumerate(tensors):
        if t is None:
            raise RuntimeError(
                f"The output of the user-provided function is independent of input {i}. "
                + IN_STRICT
            )
        if not t.requires_grad:
            said = {
                "outputs": f"Output {i} of the user-provided function does not require gradients. "
                f"The "
                "outputs must be computed in a differentiable manner from the input when "
                "running in strict mode.",
                "grad_inputs": f"The gradient with respect to input {i} is independent of the "
                f"inputs of "
                "the user-provided function. " + IN_STRICT,
                "jacobian": f"While computing the hessian, found that the jacobian of the "
                f"user-provided function with respect to input {i} is "
                "independent of the input. " + IN_STRICT + " The function must be twice "
                "differentiable, and its jacobian must depend on the input.",
                "hessian": f"The hessian of the user-provided function with respect to input {i} "
                f"is "
                "independent of the input. " + IN_STRICT + " The function must be thrice "
                "differentiable, and its hessian must depend on the input.",
            }
            raise RuntimeError(said[what])


MISSING = {
    "back": "The output of the user-provided function is independent of input {}.",
    "back_trick": "The gradient with respect to the input is independent of entry {} in the "
    "grad_outputs when using the double backward trick to compute forward mode gradients.",
    "double_back": "The jacobian of the user-provided function is independent of input {}.",
    "double_back_trick": "The hessian of the user-provided function is independent of entry {} in "
    "the "
    "grad_jacobian.",
}
CONSTANT = {
    "back": "The jacobian of the user-provided function is independent of input {}.",
    "back_trick": "The gradient with respect to the input is independent of entry {} in the "
    "grad_outputs when using the double backward trick to compute forward mode gradients.",
    "double_back": "The hessian of the user-provided function is independent of input {}.",
    "double_back_trick": "The hessian of the user-provided function is independent of entry {} in "
    "the "
    "grad_jacobian.",
}


def filled(found: tuple, like: tuple, strict: bool, create_graph: bool, stage: str) -> tuple:
    """Zeros where nothing arrived; in strict mode an error, also for a constant derivative."""
    result = []
    for i, (g, x) in enumerate(zip(found, like, strict=True)):
        if g is None:
            if strict:
                raise RuntimeError(MISSING[stage].format(i) + " " + IN_STRICT)
            g = zeros_like(x)
        elif strict and create_graph and not g.requires_grad:
            raise RuntimeError(CONSTANT[stage].format(i) + " " + IN_STRICT_GRAPH)
        result.append(g)
    return tuple(result)
