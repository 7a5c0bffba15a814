"""grad and vjp: derivatives of functions, backward.

Each pushes a level, calls the user's function with tensors of that level, and takes off the level
from what comes out. Gradients run on the level's graph after it has ended: their formulas compute
one level down, in the caller's modes, so that the derivative of a derivative needs nothing special.
"""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from autodidact.autograd.backward import root_gradient
from autodidact.autograd.grad_mode import mode
from autodidact.autograd.graph import edge
from autodidact.func.tree import flatten, unflatten
from autodidact.levels.level import GRAD, Level, lift, of_level
from autodidact.levels.passes import pull
from autodidact.tensor_base import TensorBase, resolve

__all__ = ["grad", "grad_and_value", "vjp"]

# ---- arguments ----------------------------------------------------------------------------------


def argnums_of(argnums: Any, count: int) -> tuple:
    """The positions that are meant, from the front; RuntimeError for anything else."""
    if not isinstance(argnums, (int, tuple)):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    wanted = argnums if isinstance(argnums, tuple) else (argnums,)
    if not wanted:
        raise RuntimeError("argnums must be non-empty, got argnums=()")
    for n in wanted:
        if not isinstance(n, int):
            raise RuntimeError(f"argnum elements must be int, got: {type(n)}")
        if not -count <= n < count:
            raise RuntimeError(f"Got argnum={n}, but only {count} positional inputs")
    wanted = tuple(n % count for n in wanted)
    if len(set(wanted)) != len(wanted):
        raise RuntimeError(f"argnums elements must be unique, got argnums={argnums}")
    return wanted


def replaced(args: tuple, wanted: tuple, values: list) -> tuple:
    """The arguments with those at the wanted positions exchanged."""
    changed = list(args)
    for n, value in zip(wanted, values, strict=True):
        changed[n] = value
    return tuple(changed)


def tracked(leaf: Any, level: Level) -> TensorBase:
    """An argument as a leaf of the level."""
    if not isinstance(leaf, TensorBase):
        raise ValueError(f"Thing passed to transform API must be Tensor, got {type(leaf)}")
    if leaf._array.dtype.kind not in "fc":
        raise RuntimeError(
            f"only Tensors of floating point dtype can require gradients, this one is {leaf.dtype}"
        )
    t = lift(resolve(leaf), level)
    t._requires_grad = True
    return t


def outside(t: Any, level: Level) -> Any:
    """A result with the level taken off."""
    t = resolve(t) if isinstance(t, TensorBase) else t
    return t._array.value if of_level(t, level) else t


def split_aux(out: Any, has_aux: bool, what: str) -> tuple:
    """(output, aux); aux must hold tensors only."""
    if not has_aux:
        return out, None
    if not (isinstance(out, tuple) and len(out) == 2):
        raise RuntimeError(
            f"{what}: output of function f should be a tuple: (output, aux) if has_aux is True"
        )
    return out


def aux_outside(aux: Any, level: Level) -> Any:
    """aux with the level taken off."""
    values, spec = flatten(aux)
    for value in values:
        if not isinstance(value, TensorBase):
            raise RuntimeError(f"Expected tensors, got unsupported type {type(value)}")
    return unflatten([outside(value, level) for value in values], spec)


def zeros_like(t: TensorBase) -> TensorBase:
    """Zeros of shape and dtype of a tensor."""
    return TensorBase.wrap(np.zeros(t._array.shape, t._array.dtype))


# ---- grad ---------------------------------------------------------------------------------------


def grad_and_value(func: Callable, argnums: Any = 0, has_aux: bool = False) -> Callable:
    """A function that gives (gradient, value) of `func`; with `has_aux` (gradient, (value, aux)).

    Args:
        func: gives one number (a 0-dim tensor), or (number, aux).
        argnums: which positional arguments to differentiate by; a tuple gives a tuple of gradients.
        has_aux: whether `func` gives something else, too: tensors, passed through.

    Raises:
        RuntimeError: argnums that do not fit; an output that is no single number.

    Example:
        >>> torch.func.grad_and_value(torch.sin)(torch.tensor(0.))
        (tensor(1.), tensor(0.))
    """

    @functools.wraps(func)
    def both(*args: Any, **kwargs: Any) -> tuple:
        wanted = argnums_of(argnums, len(args))
        with Level(GRAD) as level:
            inputs, spec = flatten([args[n] for n in wanted])
            leaves = [tracked(x, level) for x in inputs]
            out, aux = split_aux(
                func(*replaced(args, wanted, unflatten(leaves, spec)), **kwargs),
                has_aux,
                "grad_and_value",
            )
            check_number(out)
            edge(out) if of_level(out, level) else None  # a stale view gets its node in time
            if has_aux:
                aux = aux_outside(aux, level)
        one = TensorBase.wrap(np.ones(out._array.shape, out._array.dtype))
        found = gradients([out], [one], leaves, inputs, level, keep_graph=False)
        found = unflatten(found, spec)
        value = outside(out, level)
        result = tuple(found) if isinstance(argnums, tuple) else found[0]
        return (result, (value, aux)) if has_aux else (result, value)

    return both


def check_number(out: Any) -> None:
    """What grad differentiates must be one number."""
    if not isinstance(out, TensorBase):
        raise RuntimeError(
            f"Expected the function given to grad to return a scalar tensor, got type {type(out)}"
        )
    if out._array.shape:
        raise RuntimeError(
            "Expected f(*args) to return a scalar tensor, got tensor with "
            f"{len(out._array.shape)} dims. Maybe you wanted to use the vjp or jacrev "
            "APIs instead?"
        )


def gradients(
    outputs: list,
    firsts: list,
    leaves: list,
    inputs: list,
    level: Level,
    *,
    keep_graph: bool,
    create_graph: bool | None = None,
) -> list:
    """What arrives at each leaf of an ended level; zeros where nothing does."""
    create_graph = mode.grad if create_graph is None else create_graph
    pairs = [(o, g) for o, g in zip(outputs, firsts, strict=True) if of_level(o, level)]
    found = pull(
        [o for o, _ in pairs],
        [g for _, g in pairs],
        leaves,
        keep_graph=keep_graph,
        create_graph=create_graph,
    )
    return [zeros_like(x) if g is None else g for g, x in zip(found, inputs, strict=True)]


def grad(func: Callable, argnums: Any = 0, has_aux: bool = False) -> Callable:
    """A function that gives the gradient of `func`; with `has_aux` (gradient, aux).

    Args:
        func: gives one number (a 0-dim tensor), or (number, aux).
        argnums: which positional arguments to differentiate by; a tuple gives a tuple of gradients.
        has_aux: whether `func` gives something else, too: tensors, passed through.

    Raises:
        RuntimeError: argnums that do not fit; an output that is no single number.

    Example:
        >>> torch.func.grad(torch.func.grad(torch.sin))(torch.tensor(1.))
        tensor(-0.8415)
    """
    both = grad_and_value(func, argnums, has_aux)

    @functools.wraps(func)
    def gradient(*args: Any, **kwargs: Any) -> Any:
        found, value = both(*args, **kwargs)
        return (found, value[1]) if has_aux else found

    return gradient


# ---- vjp ----------------------------------------------------------------------------------------


def vjp(func: Callable, *primals: Any, has_aux: bool = False) -> tuple:
    """`func(*primals)`, and the function that sends a cotangent back: v -> vᵀ J.

    Args:
        func: takes and gives trees of tensors.
        primals: where to differentiate.
        has_aux: whether `func` gives (output, aux).

    Returns:
        (output, vjp_fn), with `has_aux` (output, vjp_fn, aux). `vjp_fn` takes a tree like the
        output and gives a tuple with a cotangent for each of the primals.

    Raises:
        RuntimeError: outputs that are no tensors; cotangents of another structure.

    Example:
        >>> out, back = torch.func.vjp(torch.sin, torch.tensor(0.))
        >>> back(torch.tensor(1.))
        (tensor(1.),)
    """
    return vjp_of(func, primals, tuple(range(len(primals))), has_aux)


def vjp_of(
    func: Callable, args: tuple, wanted: tuple, has_aux: bool = False, what: str = "vjp"
) -> tuple:
    """`vjp` with respect to some of the arguments."""
    with Level(GRAD) as level:
        inputs, spec = flatten(tuple(args[n] for n in wanted))
        leaves = [tracked(x, level) for x in inputs]
        out, aux = split_aux(
            func(*replaced(args, wanted, list(unflatten(leaves, spec)))), has_aux, what
        )
        outputs, out_spec = flatten(out)
        check_outputs(outputs, what)
        for o in outputs:
            edge(o) if of_level(o, level) else None  # a stale view gets its node in time
        if has_aux:
            aux = aux_outside(aux, level)

    def vjp_fn(
        *cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None
    ) -> tuple:
        given = cotangents[0] if len(cotangents) == 1 else cotangents
        firsts, given_spec = flatten(given)
        if given_spec != out_spec:
            raise RuntimeError(
                "Expected pytree structure of cotangents to be the same as pytree "
                f"structure of outputs to the function. cotangents: {given_spec}, "
                f"primal output: {out_spec}"
            )
        firsts = [
            root_gradient(o, g, i) for i, (o, g) in enumerate(zip(outputs, firsts, strict=True))
        ]
        found = gradients(
            outputs,
            firsts,
            leaves,
            inputs,
            level,
            keep_graph=retain_graph,
            create_graph=create_graph,
        )
        return unflatten(found, spec)

    result = unflatten([outside(o, level) for o in outputs], out_spec)
    return (result, vjp_fn, aux) if has_aux else (result, vjp_fn)


def check_outputs(outputs: list, what: str) -> None:
    """Outputs that can be differentiated: at least one, all tensors."""
    if not outputs:
        raise RuntimeError(
            f"{what}(f, *primals): Expected f to be a function that has non-empty output "
            "(got output = ())"
        )
    for o in outputs:
        if not isinstance(o, TensorBase):
            raise RuntimeError(
                f"{what}(f, *primals): expected f(*primals) to return only tensors, got "
                f"unsupported type {type(o)}"
            )
