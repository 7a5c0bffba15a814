"""Custom Functions on a level of vmap: the user's rule, or one made of the Function itself."""

from typing import Any, NamedTuple

from autodidact.autograd.function import STEPS, Function
from autodidact.levels.functions import NO_CONTEXT
from autodidact.levels.lane_indices import with_lanes
from autodidact.levels.level import VMAP, Level, below, lift, lower, of_level
from autodidact.ops import reduction, view
from autodidact.tensor_base import TensorBase, resolve

__all__ = ["VmapInfo"]


class VmapInfo(NamedTuple):
    """What a rule is told: how many lanes, and what random numbers shall do."""

    batch_size: int
    randomness: str


def apply(level: Level, cls: Any, args: tuple, kwargs: dict) -> Any:
    """`cls.apply(*args)` on a level of vmap; without lanes it is done below."""
    if any(isinstance(v, TensorBase) for v in kwargs.values()):
        raise NotImplementedError(
            f"Run vmap on autograd.Function with kwarg-only Tensor args: {cls.__name__}"
        )
    if not any(has_lanes(a, level) for a in args):
        with below(level):
            return cls.apply(*(stripped(a, level) for a in args), **kwargs)
    own = cls.vmap is not Function.vmap
    if cls.generate_vmap_rule and own:
        raise RuntimeError(
            f"You tried to vmap over {cls.__name__}, but it has both generate_vmap_rule="
            "True and an overridden vmap staticmethod. Please set generate_vmap_rule="
            "False or delete the overridden vmap staticmethod"
        )
    if not cls.generate_vmap_rule and not own:
        raise RuntimeError(
            f"You tried to vmap over {cls.__name__}, but it does not have vmap support. "
            "Please override and implement the vmap staticmethod or set "
            "generate_vmap_rule=True."
        )
    if cls.setup_context is Function.setup_context:
        raise RuntimeError(NO_CONTEXT)
    values = tuple(stripped(a, level) for a in args)
    dims = tuple(dims_of(a, level) for a in args)
    if cls.generate_vmap_rule:
        return generate(level, cls, values, dims, kwargs)
    with below(level):
        returned = cls.vmap(VmapInfo(level.size, level.randomness), dims, *values, **kwargs)
    return returned_by_rule(cls, returned, level)


def has_lanes(a: Any, level: Level) -> bool:
    """Whether an argument, or something in a list of them, has lanes."""
    if isinstance(a, (tuple, list)):
        return any(has_lanes(x, level) for x in a)
    return with_lanes(a, level)


def stripped(a: Any, level: Level) -> Any:
    """An argument below the level, in the layout in which the user gave it."""
    if isinstance(a, (tuple, list)):
        return type(a)(stripped(x, level) for x in a)
    if not of_level(a, level):
        return a
    given = getattr(a, "_given", None)
    return lower(a, level) if given is None else given[0]


def dims_of(a: Any, level: Level) -> Any:
    """Where the lanes are in `stripped(a)`; None without lanes."""
    if isinstance(a, (tuple, list)):
        return type(a)(dims_of(x, level) for x in a)
    if not with_lanes(a, level):
        return None
    given = getattr(a, "_given", None)
    return 0 if given is None else given[1]


def returned_by_rule(cls: Any, returned: Any, level: Level) -> Any:
    """(output, out_dims) of the user's rule as outputs of the level."""
    if not (isinstance(returned, tuple) and len(returned) == 2):
        count = len(returned) if isinstance(returned, tuple) else 1
        raise RuntimeError(
            f"Expected the vmap staticmethod of {cls.__name__} to have two returns, an "
            f"output and out_dims, got {count}"
        )
    out, dims = returned
    many = isinstance(out, tuple)
    outs = out if many else (out,)
    if many and not isinstance(dims, tuple):
        dims = (dims,) * len(outs)
    elif not many:
        dims = dims if isinstance(dims, tuple) else (dims,)
    if len(dims) != len(outs) or not all(d is None or isinstance(d, int) for d in dims):
        raise RuntimeError(
            f"The vmap staticmethod of {cls.__name__} returned an incompatible "
            f"(output, out_dims): {len(outs)} outputs and {len(dims)} out_dims"
        )
    results = tuple(entered(o, d, level) for o, d in zip(outs, dims, strict=True))
    return results if many else results[0]


def entered(o: Any, dim: int | None, level: Level) -> Any:
    """A value with lanes at `dim` as a tensor of the level."""
    if dim is None or not isinstance(o, TensorBase):
        return o
    given, rank = o, len(o._array.shape)
    dim %= rank
    if dim:
        with below(level):
            o = view.permute.call(o, (dim, *(d for d in range(rank) if d != dim)))
    t = lift(o, level, True)
    t._given = (given, dim)
    return t


# ---- generate_vmap_rule --------------------------------------------------------------------------


class Context:
    """The context that the user's code sees inside: reads and writes go to the real one.

    What it saves is kept without lanes, beside a note of where they were.
    """

    def __init__(self, ctx: Any, level: Level, note: dict) -> None:
        object.__setattr__(self, "_ctx", ctx)
        object.__setattr__(self, "_level", level)
        object.__setattr__(self, "_note", note)  # a rule of a rule has a note of its own

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ctx, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._ctx, name, value)

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep for backward."""
        pairs = [as_given(t, self._level) for t in tensors]
        self._note["saved"] = tuple(dim for _, dim in pairs)
        self._ctx.save_for_backward(*(t for t, _ in pairs))

    def save_for_forward(self, *tensors: Any) -> None:
        """Keep for jvp."""
        pairs = [as_given(t, self._level) for t in tensors]
        self._note["forward"] = tuple(dim for _, dim in pairs)
        self._ctx.save_for_forward(*(t for t, _ in pairs))

    def mark_dirty(self, *tensors: Any) -> None:
        """Inputs changed in place."""
        self._ctx.mark_dirty(*(outside(t, self._level) for t in tensors))

    def mark_non_differentiable(self, *tensors: Any) -> None:
        """Outputs without gradient."""
        self._ctx.mark_non_differentiable(*(outside(t, self._level) for t in tensors))

    @property
    def saved_tensors(self) -> tuple:
        """What was kept, with its lanes."""
        ctx = self._ctx
        word = "forward" if getattr(ctx, "for_jvp", None) is not None else "saved"
        lanes = self._note.get(word, ())
        return tuple(
            t if dim is None else entered(t, dim, self._level)
            for t, dim in zip(ctx.saved_tensors, lanes, strict=True)
        )


def resolved(t: Any) -> Any:
    """A tensor with ended transforms taken off."""
    return resolve(t) if isinstance(t, TensorBase) else t


def as_given(t: Any, level: Level) -> tuple:
    """(a value outside, where its lanes are): an input as it came, so that its history goes on."""
    t = resolved(t)
    if not of_level(t, level):
        return t, None
    return getattr(t, "_given", None) or (t._array.value, 0)


def outside(t: Any, level: Level) -> Any:
    """A value with the level taken off."""
    t = resolved(t)
    return t._array.value if of_level(t, level) else t


def generate(level: Level, cls: Any, values: tuple, dims: tuple, kwargs: dict) -> Any:
    """A Function for all lanes at once: each of the user's methods in a level of its own."""
    note: dict[str, Any] = {}
    rule = generated_class(cls, level.size, level.randomness, dims, note, kwargs)
    with below(level):
        out = rule.apply(*values)
    many = isinstance(out, tuple)
    results = tuple(
        lift(o, level, True) if has else o
        for o, has in zip(out if many else (out,), note["lanes"], strict=True)
    )
    return results if many else results[0]


def generated_class(cls: Any, size: int, randomness: str, dims: tuple, note: dict,
                    kwargs: dict) -> Any:
    """`Vmapped` + the name: forward, setup_context, backward and jvp of `cls`, each under vmap."""

    def into(values: tuple, level: Level) -> tuple:
        return tuple(
            entered(v, d, level) if isinstance(v, TensorBase) else v
            for v, d in zip(values, dims, strict=True)
        )

    def forward(*values: Any) -> Any:
        with Level(VMAP, size, randomness) as level:
            out = cls.forward(*into(values, level), **kwargs)
            many = isinstance(out, tuple)
            outs = out if many else (out,)
            note["lanes"] = tuple(of_level(resolved(o), level) for o in outs)
            outs = tuple(outside(o, level) for o in outs)
        return outs if many else outs[0]

    def setup_context(ctx: Any, inputs: tuple, output: Any) -> None:
        many = isinstance(output, tuple)
        with Level(VMAP, size, randomness) as level:
            outs = tuple(
                lift(o, level, True) if has else o
                for o, has in zip(output if many else (output,), note["lanes"], strict=True)
            )
            note["shapes"] = tuple(
                v._array.shape if isinstance(v, TensorBase) else None for v in inputs
            )
            cls.setup_context(
                Context(ctx, level, note), into(inputs, level), outs if many else outs[0]
            )

    def backward(ctx: Any, *grads: Any) -> tuple:
        with Level(VMAP, size, randomness) as level:
            given = tuple(
                g if g is None or not has else lift(g, level, True)
                for g, has in zip(grads, note["lanes"], strict=True)
            )
            function = cls.vjp if cls.vjp is not Function.vjp else cls.backward
            found = function(Context(ctx, level, note), *given)
            found = found if isinstance(found, tuple) else (found,)
            return tuple(
                gradient(g, d, s, level)
                for g, d, s in zip(found, dims, note["shapes"], strict=True)
            )

    def jvp(ctx: Any, *tangents: Any) -> Any:
        with Level(VMAP, size, randomness) as level:
            found = cls.jvp(Context(ctx, level, note), *into(tangents, level))
            many = isinstance(found, tuple)
            outs = tuple(
                spread(t, has, level)
                for t, has in zip(found if many else (found,), note["lanes"], strict=True)
            )
        return outs if many else outs[0]

    methods = {"forward": forward, "setup_context": setup_context, "backward": backward, "jvp": jvp}
    return type(
        f"Vmapped{cls.__name__}",
        (Function,),
        {"generate_vmap_rule": True, **{name: staticmethod(f) for name, f in methods.items()}},
    )


def spread(t: Any, has: bool, level: Level) -> Any:
    """A tangent outside, with lanes where its output has them."""
    if t is None:
        return None
    t = resolved(t)
    if of_level(t, level):
        return t._array.value
    if not has:
        return t
    with below(level):
        return view.expand.call(view.unsqueeze.call(t, 0), (level.size, *t._array.shape))


def gradient(g: Any, dim: int | None, shape: tuple | None, level: Level) -> Any:
    """A gradient outside: with its lanes where the input had them, else summed over the lanes."""
    if g is None or shape is None:
        return None
    g = resolved(g)
    if not of_level(g, level):
        if dim is None:
            return g
        g = lift(spread(g, True, level), level, True)
    value = g._array.value
    with below(level):
        if dim is None:
            return reduction.sum_dim.call(value, (0,), False)
        if not dim:
            return value
        order = list(range(1, len(value._array.shape)))
        order.insert(dim, 0)
        return view.permute.call(value, tuple(order))


STEPS["lanes"] = apply
