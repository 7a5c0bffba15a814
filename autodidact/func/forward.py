"""jvp: derivatives of functions, forward.

The arguments become tensors of a level, with tangents; what comes out carries its own.
"""

from collections.abc import Callable
from typing import Any

from autodidact.autograd.grad_mode import mode
from autodidact.func.transforms import (
    aux_outside,
    check_outputs,
    outside,
    replaced,
    split_aux,
    zeros_like,
)
from autodidact.func.tree import flatten, map_tree, unflatten
from autodidact.levels.level import JVP, Level, lift
from autodidact.levels.tangents import get_tangent
from autodidact.tensor_base import TensorBase, resolve

__all__ = ["jvp", "jvp_of"]


def jvp(
    func: Callable, primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False
) -> tuple:
    """`func(*primals)`, and how fast it moves when the primals move along the tangents: J t.

    Args:
        func: takes and gives trees of tensors.
        primals: a tuple of arguments.
        tangents: a tuple like it.
        strict: refuse an output that does not depend on the primals (else its tangent is zero).
        has_aux: whether `func` gives (output, aux).

    Returns:
        (output, tangent of the output), with `has_aux` also aux.

    Raises:
        RuntimeError: primals that are no tuple; tangents of another structure; inside a dual_level.

    Example:
        >>> torch.func.jvp(torch.sin, (torch.tensor(0.),), (torch.tensor(2.),))
        (tensor(0.), tensor(2.))
    """
    return jvp_of(func, primals, tangents, strict=strict, has_aux=has_aux)


def jvp_of(
    func: Callable,
    primals: Any,
    tangents: Any,
    *,
    strict: bool = False,
    has_aux: bool = False,
    wanted: tuple | None = None,
    args: tuple | None = None,
    internal: bool = False,
) -> tuple:
    """`jvp`; with `wanted` and `args` the primals are those arguments among others."""
    moving, directions, spec = read_arguments(primals, tangents)
    with Level(JVP, internal=internal) as level:
        duals = unflatten(
            [dual(p, t, level) for p, t in zip(moving, directions, strict=True)], spec
        )
        if wanted is not None:
            others = tuple(map_tree(lambda x: inside(x, level), a) for a in args)
            duals = replaced(others, wanted, list(duals))
        out, aux = split_aux(func(*duals), has_aux, "jvp")
        outputs, out_spec = flatten(out)
        check_outputs(outputs, "jvp")
        moved = [tangent_of(o, level, strict) for o in outputs]
        values = [outside(o, level) for o in outputs]
        if has_aux:
            aux = aux_outside(aux, level)
    result = unflatten(values, out_spec), unflatten(moved, out_spec)
    return (*result, aux) if has_aux else result


def read_arguments(primals: Any, tangents: Any) -> tuple:
    """(values, tangents, structure), checked."""
    said = "jvp(f, primals, tangents): "
    if not isinstance(primals, tuple):
        raise RuntimeError(
            said + "Expected primals to be a tuple. E.g. it should be valid to call f(*primals)."
        )
    moving, spec = flatten(primals)
    directions, spec_of_tangents = flatten(tangents)
    if spec != spec_of_tangents:
        raise RuntimeError(
            said + "Expected primals and tangents to have the same python structure. "
            f"Got primals with structure {spec} but tangents with structure "
            f"{spec_of_tangents}"
        )
    for name, values in (("primals", moving), ("tangents", directions)):
        if not values:
            raise RuntimeError(f"{said}Expected {name} to contain at least one Tensor.")
        for v in values:
            if not isinstance(v, TensorBase):
                raise RuntimeError(
                    f"{said}Expected {name} to only contain Tensors, got unsupported type {type(v)}"
                )
    if mode.duals:
        raise RuntimeError(
            "Nested forward mode AD is not supported at the moment: func.jvp cannot run "
            "inside forward_ad.dual_level"
        )
    return moving, directions, spec


def inside(x: Any, level: Level) -> Any:
    """An argument that does not move, as a tensor of the level, so that it may be written to."""
    return lift(resolve(x), level) if isinstance(x, TensorBase) else x


def dual(primal: TensorBase, tangent: TensorBase, level: Level) -> TensorBase:
    """An argument with its tangent."""
    if primal._array.shape != tangent._array.shape:
        raise RuntimeError(
            "Trying to set a forward gradient that has a different size than that of "
            f"the original Tensor: {list(tangent._array.shape)} for a Tensor of size "
            f"{list(primal._array.shape)}"
        )
    t = lift(resolve(primal), level)
    tangent = resolve(tangent)
    if tangent._array.dtype != primal._array.dtype:
        tangent = tangent.to_numpy_dtype(primal._array.dtype)
    t._tangent = lift(tangent, level)
    return t


def tangent_of(o: TensorBase, level: Level, strict: bool) -> TensorBase:
    """An output's tangent outside the level; zeros without one."""
    o = resolve(o)
    found = get_tangent(o, level)
    if found is None:
        if strict:
            raise RuntimeError(
                "jvp(f, primals, tangents, strict=True): The output of f is independent "
                "of the inputs. This is not allowed with strict=True."
            )
        return zeros_like(o)
    return outside(found, level)
