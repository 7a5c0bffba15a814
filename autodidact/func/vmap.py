"""vmap: a function of one example, made a function of many, without a loop."""

import functools
from collections.abc import Callable
from typing import Any

from autodidact.func.tree import flatten, spread, unflatten
from autodidact.levels.level import VMAP, Level, below, lift, of_level
from autodidact.ops import join, view
from autodidact.tensor_base import TensorBase, resolve

__all__ = ["vmap"]


def vmap(
    func: Callable,
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> Callable:
    """`func` over a dimension of its arguments: called once, it does all examples together.

    Inside, every tensor has the shape of one example.

    Args:
        func: takes and gives tensors, or trees of tuples, lists and dicts of them.
        in_dims: which dimension of each argument counts the examples; None: the same for all. One
            number, or a tuple, nested like the arguments.
        out_dims: where that dimension goes in each output.
        randomness: random numbers inside raise ("error"), differ for each example ("different"), or
            are the same for all ("same").
        chunk_size: at most so many examples at once; default: all.

    Raises:
        ValueError: dimensions that do not fit the arguments or outputs, or have different sizes.
        RuntimeError: what has no meaning for many examples at once, such as `item()`.

    Example:
        >>> torch.vmap(torch.dot)(torch.ones(3, 5), torch.ones(3, 5))
        tensor([5., 5., 5.])
    """
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(
            "Only allowed values for randomness are 'error', 'different', or 'same'. "
            f"Got {randomness}"
        )
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    @functools.wraps(func)
    def mapped(*args: Any, **kwargs: Any) -> Any:
        values, dims, spec, size = read_inputs(func, args, in_dims)
        if chunk_size is not None and chunk_size < size:
            return in_chunks(
                func, values, dims, spec, size, out_dims, randomness, kwargs, chunk_size
            )
        return run(func, values, dims, spec, size, out_dims, randomness, kwargs)

    return mapped


def name_of(func: Callable) -> str:
    """How messages call the function."""
    return getattr(func, "__name__", repr(func))


# ---- inputs -------------------------------------------------------------------------------------


def read_inputs(func: Callable, args: tuple, in_dims: Any) -> tuple:
    """(leaves, the dimension of each, spec, number of examples), all checked."""
    name = name_of(func)
    said = f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): "
    if not isinstance(in_dims, (int, tuple, list)):
        raise ValueError(
            said + "expected `in_dims` to be int or a (potentially nested) tuple matching "
            f"the structure of inputs, got: {type(in_dims)}."
        )
    if not args:
        raise ValueError(
            f"vmap({name})(<inputs>): got no inputs. Maybe you forgot to add inputs, or "
            "you are trying to vmap over a function with no inputs. The latter is "
            "unsupported."
        )
    values, spec = flatten(tuple(args))
    dims = spread(tuple(in_dims) if isinstance(in_dims, list) else in_dims, spec)
    if dims is None:
        raise ValueError(
            said + "in_dims is not compatible with the structure of `inputs`. in_dims has "
            f"structure {flatten(in_dims)[1]} but inputs has structure {spec}."
        )
    dims = [check_in_dim(v, d, said) for v, d in zip(values, dims, strict=True)]
    sizes = [v._array.shape[d] for v, d in zip(values, dims, strict=True) if d is not None]
    if not sizes:
        raise ValueError(
            said + "at least one in_dim must be a dimension of a Tensor: there is nothing "
            "to vmap over"
        )
    if len(set(sizes)) > 1:
        raise ValueError(
            "vmap: Expected all tensors to have the same size in the mapped dimension, "
            f"got sizes {sizes} for the mapped dimension"
        )
    return values, dims, spec, sizes[0]


def check_in_dim(value: Any, dim: Any, said: str) -> int | None:
    """One in_dim, counted from the front."""
    if dim is None:
        return None
    if not isinstance(dim, int):
        raise ValueError(
            said + f"Got in_dim={dim} for an input but in_dim must be either an integer "
            "dimension or None."
        )
    if not isinstance(value, TensorBase):
        raise ValueError(
            said + f"Got in_dim={dim} for an input but the input is of type "
            f"{type(value)}. We cannot vmap over non-Tensor arguments, please use None as "
            "the respective in_dim"
        )
    rank = len(value._array.shape)
    if not -rank <= dim < rank:
        raise ValueError(
            said + f"Got in_dim={dim} for some input, but that input is a Tensor of "
            f"dimensionality {rank} so expected in_dim to satisfy -{rank} <= in_dim < "
            f"{rank}."
        )
    return dim % rank


def to_front(x: TensorBase, dim: int) -> TensorBase:
    """A view with this dimension first."""
    if dim == 0:
        return x
    rank = len(x._array.shape)
    return view.permute.call(x, (dim, *(d for d in range(rank) if d != dim)))


def from_front(x: TensorBase, dim: int) -> TensorBase:
    """A view with the first dimension at this place."""
    rank = len(x._array.shape)
    order = list(range(1, rank))
    order.insert(dim, 0)
    return x if dim == 0 else view.permute.call(x, tuple(order))


def entered(x: Any, dim: int | None, level: Level) -> Any:
    """An argument inside; it remembers how the user gave it."""
    if dim is None:
        return x
    x = resolve(x)
    t = lift(to_front(x, dim), level, True)
    t._given = (x, dim)
    return t


# ---- running ------------------------------------------------------------------------------------


def run(
    func: Callable,
    values: list,
    dims: list,
    spec: Any,
    size: int,
    out_dims: Any,
    randomness: str,
    kwargs: dict,
    internal: bool = False,
) -> Any:
    """All examples at once."""
    with Level(VMAP, size, randomness, internal) as level:
        inside = [entered(v, d, level) for v, d in zip(values, dims, strict=True)]
        out = func(*unflatten(inside, spec), **kwargs)
        return left(func, out, out_dims, level)


def left(func: Callable, out: Any, out_dims: Any, level: Level) -> Any:
    """The outputs outside, each with the examples where `out_dims` says."""
    values, spec = flatten(out)
    dims = spread(tuple(out_dims) if isinstance(out_dims, list) else out_dims, spec)
    if (
        dims is None
        and isinstance(out, TensorBase)
        and isinstance(out_dims, tuple)
        and len(out_dims) == 1
    ):
        dims = list(out_dims)
    name = name_of(func)
    if dims is None:
        raise ValueError(
            f"vmap({name}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible "
            f"with the structure of `outputs`. out_dims has structure "
            f"{flatten(out_dims)[1]} but outputs has structure {spec}."
        )
    return unflatten([leave(name, v, d, level) for v, d in zip(values, dims, strict=True)], spec)


def leave(name: str, t: Any, dim: Any, level: Level) -> Any:
    """One output."""
    if dim is None and not isinstance(t, TensorBase):
        return t
    if not isinstance(t, TensorBase):
        raise ValueError(
            f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(t)}. "
            "Did you mean to set out_dims= to None for output?"
        )
    t = resolve(t)
    has = of_level(t, level)
    if dim is None:
        if has:
            raise ValueError(
                f"vmap({name}, ...): `{name}` can not return a BatchedTensor when out_dim is None"
            )
        return t
    if not isinstance(dim, int):
        raise ValueError(
            f"vmap({name}, ..., out_dims={dim}): `out_dims` must be an int, None or a "
            f"tree of them, got {type(dim)}"
        )
    rank = len(t._array.shape) + 1
    if not -rank <= dim < rank:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-rank}, {rank - 1}], "
            f"but got {dim})"
        )
    with below(level):
        if has:
            return from_front(t._array.value, dim % rank)
        one = view.unsqueeze.call(t, dim % rank)
        return view.expand.call(
            one, tuple(level.size if i == dim % rank else n for i, n in enumerate(one._array.shape))
        )


def in_chunks(
    func: Callable,
    values: list,
    dims: list,
    spec: Any,
    size: int,
    out_dims: Any,
    randomness: str,
    kwargs: dict,
    chunk_size: int,
) -> Any:
    """Some examples at a time, and the outputs joined."""
    found, shape = [], None
    for start in range(0, size, chunk_size):
        stop = min(start + chunk_size, size)
        part = [
            v if d is None else view.slice_.call(v, d, start, stop, 1)
            for v, d in zip(values, dims, strict=True)
        ]
        out = run(func, part, dims, spec, stop - start, out_dims, randomness, kwargs)
        some, shape = flatten(out)
        found.append(some)
    places = spread(out_dims, shape) or list(out_dims)
    joined = [
        parts[0] if d is None else join.cat.call(list(parts), d % len(parts[0]._array.shape))
        for d, *parts in zip(places, *found, strict=True)
    ]
    return unflatten(joined, shape)
