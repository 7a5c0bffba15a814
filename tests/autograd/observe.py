"""What the programs use to turn a behaviour into plain data."""

import gc
import math
import warnings
import weakref
from contextlib import contextmanager

__all__ = ["alive", "collector_off", "f64", "leaf", "names", "plain", "quiet", "raises", "says",
           "warned"]


def plain(value):
    """Tensors, sizes, dtypes, numbers and containers as data that JSON can hold; floats rounded."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            return str(value)
        return round(value, 5) + 0.0
    if isinstance(value, complex):
        return [plain(value.real), plain(value.imag)]
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(v) for v in value]
    if hasattr(value, "detach"):
        return plain(value.detach().tolist())
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    return str(value)


def f64(torch, values, requires_grad=False):
    """A float64 tensor."""
    return torch.tensor(values, dtype=torch.float64, requires_grad=requires_grad)


def leaf(torch, values=2.0):
    """A float64 leaf that requires grad."""
    return f64(torch, values, True)


def raises(act, *phrases):
    """The class of the exception, then the phrases its message has (others are shown with "no: ").

    The built-in class nearest to the exception's own, so that subclasses count as their base.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = act()
    except Exception as error:
        kind = next(c.__name__ for c in type(error).__mro__ if c.__module__ == "builtins")
        return [kind, *(p if p in str(error) else f"no: {p}" for p in phrases)]
    return ["nothing raised", plain(result)]


def says(act, *phrases):
    """Like `raises`, for the message only, whatever its class."""
    return raises(act, *phrases)[1:]


def warned(act, *phrases):
    """[category, phrases found] of each warning, in order."""
    with warnings.catch_warnings(record=True) as log:
        warnings.simplefilter("always")
        act()
    return [[w.category.__name__, *(p for p in phrases if p in str(w.message))] for w in log]


@contextmanager
def quiet():
    """No warnings inside."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@contextmanager
def collector_off():
    """Without Python's cycle collector: only reference counts free things."""
    gc.collect()
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def alive(*things):
    """A function that tells which of `things` are alive; it keeps none of them so."""
    references = [weakref.ref(t) for t in things]
    return lambda: [r() is not None for r in references]


def names(node, depth=100):
    """Names of the nodes met on a walk along the edges, each node once."""
    seen, order, stack = set(), [], [node]
    while stack and len(order) < depth:
        node = stack.pop(0)
        if node is None or node in seen:
            continue
        seen.add(node)
        order.append(node.name())
        stack.extend(n for n, _ in node.next_functions)
    return order
