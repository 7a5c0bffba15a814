"""PyTorch's `backward` and `grad`, with somebody asked before each call: what `debug()` needs."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["asked_first"]


@contextmanager
def asked_first(stop: Callable) -> Iterator[None]:
    """Inside, `stop(usual, accumulate, arguments)` takes the place of both functions.

    Args:
        stop: called with the function as it always is, whether it writes `.grad` (`backward`) or
            returns gradients (`grad`), and the call's arguments by name. Its result is the call's.
    """
    library = sys.modules.get("torch")
    if library is None:
        yield
        return
    usual = {name: getattr(library.autograd, name) for name in ("backward", "grad")}
    for name, function in usual.items():
        setattr(library.autograd, name, wrapper(stop, name, function))
    try:
        yield
    finally:
        for name, function in usual.items():
            setattr(library.autograd, name, function)


ORDER = {"backward": ("tensors", "grad_tensors", "retain_graph", "create_graph", "grad_variables",
                      "inputs"),
         "grad": ("outputs", "inputs", "grad_outputs", "retain_graph", "create_graph",
                  "only_inputs", "allow_unused", "is_grads_batched", "materialize_grads")}


def wrapper(stop: Callable, name: str, usual: Callable) -> Callable:
    """One of the two functions, its arguments told by name."""
    def call(*args: Any, **kwargs: Any) -> Any:
        given = dict(zip(ORDER[name], args, strict=False)) | kwargs
        return stop(lambda: usual(*args, **kwargs), name == "backward", given)
    return call
