"""jacrev, jacfwd, hessian, linearize: all directions at once.

jacrev    one row for each output entry:   vmap over the basis of the outputs, of vjp
jacfwd    one column for each input entry: vmap over the basis of the inputs, of jvp
"""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from autodidact.func.forward import jvp_of
from autodidact.func.transforms import argnums_of, vjp_of, zeros_like
from autodidact.func.tree import flatten, unflatten
from autodidact.func.vmap import vmap
from autodidact.ops import join, view
from autodidact.tensor_base import TensorBase

__all__ = ["hessian", "jacfwd", "jacrev", "linearize"]


def basis_of(tensors: list, start: int = 0, stop: int | None = None) -> list:
    """The unit vectors of all entries of some tensors: for each one (vectors, *shape)."""
    sizes = [t._array.size for t in tensors]
    stop = sum(sizes) if stop is None else stop
    found, first = [], 0
    for t, n in zip(tensors, sizes, strict=True):
        block = np.eye(stop - start, n, start - first, dtype=t._array.dtype)
        found.append(TensorBase.wrap(block.reshape((stop - start, *t._array.shape))))
        first += n
    return found


def refuse_complex(tensors: list, what: str, kind: str) -> None:
    """Jacobians of complex functions need two directions for each entry."""
    for i, t in enumerate(tensors):
        if isinstance(t, TensorBase) and t._array.dtype.kind == "c":
            raise RuntimeError(
                f"{what}: Expected all {kind}s to be real but received complex tensor at "
                f"flattened {kind} idx: {i}"
            )


def split_rows(block: TensorBase, sizes: list) -> list:
    """The parts of a tensor along its first dimension."""
    found, first = [], 0
    for n in sizes:
        found.append(view.slice_.call(block, 0, first, first + n, 1))
        first += n
    return found


# ---- rows ----------------------------------------------------------------------------------------


def jacrev(
    func: Callable,
    argnums: Any = 0,
    *,
    has_aux: bool = False,
    chunk_size: int | None = None,
    _preallocate_and_copy: bool = False,
) -> Callable:
    """The Jacobian of `func`, by reverse mode: cheap for few outputs.

    Args:
        func: takes and gives trees of real tensors.
        argnums: which positional arguments; a tuple gives a tuple for each output.
        has_aux: whether `func` gives (output, aux); then so does the result.
        chunk_size: how many rows at once; default: all; 1: one after the other, without vmap.
        _preallocate_and_copy: accepted for PyTorch's sake.

    Returns:
        A function that gives, for each output and argument, a tensor of shape out + in.

    Raises:
        ValueError: a chunk_size that is not positive. RuntimeError: complex inputs or outputs.

    Example:
        >>> torch.func.jacrev(torch.sin)(torch.zeros(2))
        tensor([[1., 0.],
                [0., 1.]])
    """
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")

    @functools.wraps(func)
    def jacobian(*args: Any, **kwargs: Any) -> Any:
        wanted = argnums_of(argnums, len(args))
        inputs, in_spec = flatten(tuple(args[n] for n in wanted))
        refuse_complex(inputs, "jacrev", "input")
        out, back, *aux = vjp_of(lambda *a: func(*a, **kwargs), args, wanted, has_aux, "jacrev")
        outputs, out_spec = flatten(out)
        refuse_complex(outputs, "jacrev", "output")
        rows = all_rows(
            lambda *v: flatten(back(unflatten(list(v), out_spec)))[0], outputs, chunk_size
        )
        sizes = [o._array.size for o in outputs]
        per_input = [
            [
                part.reshape(o._array.shape + part._array.shape[1:])
                for part, o in zip(split_rows(block, sizes), outputs, strict=True)
            ]
            for block in rows
        ]
        result = unflatten(
            [answer(list(parts), in_spec, argnums) for parts in zip(*per_input, strict=True)],
            out_spec,
        )
        return (result, aux[0]) if has_aux else result

    return jacobian


def answer(parts: list, in_spec: Any, argnums: Any) -> Any:
    """One output's Jacobians, in the structure of the arguments."""
    found = unflatten(parts, in_spec)
    return found if isinstance(argnums, tuple) else found[0]


def all_rows(back: Callable, outputs: list, chunk_size: int | None) -> list:
    """For each input a tensor (output entries, *shape of the input)."""
    count = sum(o._array.size for o in outputs)
    step = chunk_size or count
    if chunk_size == 1:
        singles = [
            back(*(view.select.call(b, 0, 0) for b in basis_of(outputs, i, i + 1)))
            for i in range(count)
        ]
        return [join.stack.call(list(parts), 0) for parts in zip(*singles, strict=True)]
    chunks = [
        vmap(back)(*basis_of(outputs, i, min(i + step, count)))
        for i in range(0, count, max(step, 1))
    ] or [vmap(back)(*basis_of(outputs))]
    if len(chunks) == 1:
        return chunks[0]
    return [join.cat.call(list(parts), 0) for parts in zip(*chunks, strict=True)]


# ---- columns -------------------------------------------------------------------------------------


def jacfwd(
    func: Callable, argnums: Any = 0, has_aux: bool = False, *, randomness: str = "error"
) -> Callable:
    """The Jacobian of `func`, by forward mode: cheap for few inputs.

    Args:
        func: takes and gives trees of real tensors.
        argnums: which positional arguments; a tuple gives a tuple for each output.
        has_aux: whether `func` gives (output, aux); then so does the result.
        randomness: as in `vmap`.

    Returns:
        A function that gives, for each output and argument, a tensor of shape out + in.

    Raises:
        RuntimeError: complex inputs or outputs.

    Example:
        >>> torch.func.jacfwd(torch.sin)(torch.zeros(2))
        tensor([[1., 0.],
                [0., 1.]])
    """

    @functools.wraps(func)
    def jacobian(*args: Any, **kwargs: Any) -> Any:
        wanted = argnums_of(argnums, len(args))
        primals = tuple(args[n] for n in wanted)
        inputs, in_spec = flatten(primals)
        refuse_complex(inputs, "jacfwd", "input")
        held: list = []

        def push(*directions: Any) -> Any:
            found = jvp_of(
                lambda *a: func(*a, **kwargs),
                primals,
                unflatten(list(directions), in_spec),
                has_aux=has_aux,
                wanted=wanted,
                args=args,
            )
            moved, spec = flatten(found[1])
            refuse_complex(moved, "jacfwd", "output")
            held[:] = [spec, found[2] if has_aux else None]
            return (tuple(moved), found[2]) if has_aux else tuple(moved)

        out_dims = (0, None) if has_aux else 0
        found = vmap(push, randomness=randomness, out_dims=out_dims)(*basis_of(inputs))
        columns, aux = found if has_aux else (found, None)
        sizes = [x._array.size for x in inputs]
        result = unflatten(
            [
                answer(
                    [
                        last_first(part, x)
                        for part, x in zip(split_rows(block, sizes), inputs, strict=True)
                    ],
                    in_spec,
                    argnums,
                )
                for block in columns
            ],
            held[0],
        )
        return (result, aux) if has_aux else result

    return jacobian


def last_first(part: TensorBase, x: TensorBase) -> TensorBase:
    """(input entries, *out) as (*out, *in)."""
    rank = len(part._array.shape)
    turned = view.permute.call(part, (*range(1, rank), 0))
    return turned.reshape(turned._array.shape[:-1] + x._array.shape)


def hessian(func: Callable, argnums: Any = 0) -> Callable:
    """The second derivatives of `func`: forward mode over reverse mode.

    Example:
        >>> torch.func.hessian(lambda x: (x ** 3).sum())(torch.ones(2))
        tensor([[6., 0.],
                [0., 6.]])
    """
    return jacfwd(jacrev(func, argnums), argnums)


def linearize(func: Callable, *primals: Any) -> tuple:
    """`func(*primals)`, and `jvp` at that point as a function that may be called many times.

    vᵀ J is linear in v, so its own vjp is J t: nothing of `func` is computed again.

    Returns:
        (output, jvp_fn): `jvp_fn(*tangents)` is the tangent of the output.

    Raises:
        RuntimeError: tangents of another structure, shape or dtype than the primals.

    Example:
        >>> out, push = torch.func.linearize(torch.sin, torch.tensor(0.))
        >>> push(torch.tensor(3.))
        tensor(3.)
    """
    out, back = vjp_of(func, primals, tuple(range(len(primals))), what="linearize")
    outputs, out_spec = flatten(out)
    inputs, in_spec = flatten(primals)
    zeros = [zeros_like(o) for o in outputs]
    _, forth = vjp_of(
        lambda *v: back(unflatten(list(v), out_spec)),
        tuple(zeros),
        tuple(range(len(zeros))),
        what="linearize",
    )

    def jvp_fn(*tangents: Any) -> Any:
        given, spec = flatten(tangents)
        if spec != in_spec:
            raise RuntimeError(
                f"Expected the tangents {spec} to have the same argspec as the primals "
                f"{in_spec}"
            )
        for i, (t, x) in enumerate(zip(given, inputs, strict=True)):
            for what in ("shape", "dtype"):
                mine, its = getattr(t, what), getattr(x, what)
                if mine != its:
                    raise RuntimeError(
                        f"tangent:{i} with {what} {mine} in flattened pytree doesn't match the "
                        f"{what} {its} of the corresponding primal."
                    )
        return unflatten(list(forth(tangents)), out_spec)

    return out, jvp_fn
