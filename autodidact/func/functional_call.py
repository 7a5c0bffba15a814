"""functional_call: a module as a function of its parameters; many modules as one."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from autodidact.ops import join
from autodidact.tensor_base import TensorBase

__all__ = ["functional_call", "replace_all_batch_norm_modules_", "stack_module_state"]


def functional_call(
    module: Any,
    parameter_and_buffer_dicts: Any,
    args: Any = None,
    kwargs: dict | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """`module(*args, **kwargs)` with other tensors in the place of its parameters and buffers.

    Args:
        module: a `torch.nn.Module`; it is as before afterwards.
        parameter_and_buffer_dicts: name -> tensor, or several such dicts without common names.
        args: a tuple of arguments, or one.
        kwargs: arguments by name.
        tie_weights: a parameter that has two names is replaced under both.
        strict: every name must be given, and no other.

    Raises:
        ValueError: anything but dicts; a name in two dicts. RuntimeError: see `strict`.

    Example:
        >>> torch.func.functional_call(nn.Linear(2, 1), {"weight": torch.ones(1, 2),
        ...                                              "bias": torch.zeros(1)}, (y,))
    """
    given = merged(parameter_and_buffer_dicts)
    known = {
        **dict(module.named_parameters(remove_duplicate=False)),
        **dict(module.named_buffers(remove_duplicate=False)),
    }
    check_names(given, known, strict)
    if tie_weights:
        given = tied(given, known)
    args = () if args is None else args if isinstance(args, tuple) else (args,)
    with exchanged(module, given):
        return module(*args, **(kwargs or {}))


def merged(dicts: Any) -> dict:
    """One dict from one or several."""
    if isinstance(dicts, dict):
        return dicts
    if not isinstance(dicts, Sequence):
        raise ValueError(
            "Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but "
            f"got {type(dicts)}"
        )
    if not all(isinstance(d, dict) for d in dicts):
        raise ValueError("Expected all elements of parameter_and_buffer_dicts to be dictionaries")
    found: dict = {}
    for d in dicts:
        for name, t in d.items():
            if name in found:
                raise ValueError(
                    f"{name} appears in multiple dictionaries; behavior of functional call "
                    "is ambiguous"
                )
            found[name] = t
    return found


def check_names(given: dict, known: dict, strict: bool) -> None:
    """Names that the module does not have; in strict mode also those that are missing."""
    unexpected, missing = sorted(set(given) - set(known)), sorted(set(known) - set(given))
    if strict and (unexpected or missing):
        raise RuntimeError(
            f"functional_call: Missing key(s): {', '.join(missing)}. Unexpected key(s): "
            f"{', '.join(unexpected)}."
        )


def tied(given: dict, known: dict) -> dict:
    """What is given for one name of a tensor counts for its other names, too."""
    found = dict(given)
    by_tensor: dict[int, list] = {}
    for name, t in known.items():
        by_tensor.setdefault(id(t), []).append(name)
    for names in by_tensor.values():
        values = {id(given[n]): given[n] for n in names if n in given}
        if len(values) > 1:
            raise ValueError(
                f"functional_call got different values for {names}, which are one tensor. "
                "Pass one of them, or tie_weights=False"
            )
        for value in values.values():
            found.update(dict.fromkeys(names, value))
    return found


MISSING = object()


@contextmanager
def exchanged(module: Any, tensors: dict) -> Iterator[None]:
    """Inside, the module's tensors are others; names that it does not have are attributes."""
    before = []
    try:
        for name, t in tensors.items():
            path, _, last = name.rpartition(".")
            owner = module.get_submodule(path) if path else module
            place = next((p for p in (owner._parameters, owner._buffers) if last in p), vars(owner))
            before.append((place, last, place.get(last, MISSING)))
            place[last] = t
        yield
    finally:
        for place, last, t in reversed(before):
            if t is MISSING:
                del place[last]
            else:
                place[last] = t


def stack_module_state(models: Sequence) -> tuple:
    """The parameters and the buffers of several modules of one kind, stacked: for vmap over models.

    Returns:
        (parameters, buffers): name -> tensor of shape (models, *shape), leaves that require grad
        where the parameters do.

    Raises:
        RuntimeError: no module; different classes, modes or requires_grad.

    Example:
        >>> models = [nn.Linear(2, 1) for _ in range(3)]
        >>> params, buffers = torch.func.stack_module_state(models)
        >>> torch.vmap(lambda p, b, x: functional_call(models[0], (p, b), (x,)),
        ...            in_dims=(0, 0, None))(params, buffers, x)
    """
    said = "stack_module_state: Expected "
    if len(models) == 0:
        raise RuntimeError(f"{said}at least one model, got 0.")
    if len({m.training for m in models}) > 1:
        raise RuntimeError(f"{said}all models to have the same training/eval mode.")
    if len({type(m) for m in models}) > 1:
        raise RuntimeError(f"{said}all models to be of the same class.")
    return tuple(
        {name: stacked([each[name] for each in kinds], name) for name in kinds[0]}
        for kinds in (
            [dict(m.named_parameters()) for m in models],
            [dict(m.named_buffers()) for m in models],
        )
    )


def stacked(tensors: list, name: str) -> TensorBase:
    """Tensors of the same name as one leaf."""
    wanted = {t.requires_grad for t in tensors}
    if len(wanted) > 1:
        raise RuntimeError(f"Expected {name} from each model to have the same .requires_grad")
    return join.stack.call(tensors, 0).detach().requires_grad_(wanted.pop())


def replace_all_batch_norm_modules_(root: Any) -> Any:
    """Let no BatchNorm in a module keep running averages: vmap could not say which lane's.

    Returns:
        The module itself.
    """
    for module in root.modules():
        # By name: networks stand on a higher floor than the transforms of functions.
        if (any(cls.__name__.startswith("BatchNorm") for cls in type(module).__mro__)
                and module.track_running_stats):
            module.running_mean = module.running_var = module.num_batches_tracked = None
            module.track_running_stats = False
    return root
