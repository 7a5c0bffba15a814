"""Helpers of the programs `cases_*.py`."""

import builtins
import math
import warnings

DIGITS = 5
_BUILTIN = {
    v for v in vars(builtins).values() if isinstance(v, type) and issubclass(v, BaseException)
}


def num(v):
    """A Python number made JSON-safe: rounded, nan/inf as words."""
    if isinstance(v, bool) or v is None or isinstance(v, str):
        return v
    if isinstance(v, complex):
        return [num(v.real), num(v.imag)]
    if isinstance(v, int):
        return v
    v = float(v)
    if math.isnan(v):
        return "nan"
    if math.isinf(v):
        return "inf" if v > 0 else "-inf"
    v = round(v, DIGITS)
    return 0.0 if v == 0 else v


def val(t):
    """A tensor (or None, number, list, tuple, dict) as plain JSON data."""
    if t is None or isinstance(t, (bool, int, float, complex, str)):
        return num(t)
    if isinstance(t, dict):
        return {str(k): val(v) for k, v in t.items()}
    if isinstance(t, (list, tuple)):
        return [val(v) for v in t]
    if hasattr(t, "detach"):
        t = t.detach()
    return val(t.tolist())


def shape(t):
    return None if t is None else [int(n) for n in t.shape]


def dtype(t):
    return None if t is None else str(getattr(t, "dtype", t)).rsplit(".", 1)[-1]


def _kind(e):
    """Nearest built-in exception class, so a library's own subclass is accepted."""
    for k in type(e).__mro__:
        if k in _BUILTIN:
            return k.__name__
    return type(e).__name__


def err(fn, *frags):
    """Run fn(); the kind of exception, and whether its message has each phrase (case ignored)."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fn()
    except Exception as e:
        if type(e) is AttributeError and "attribute" in str(e) and "AttributeError" not in frags:
            return {"raises": "AttributeError", "note": str(e)[:80]}
        out = {"raises": _kind(e)}
        text = str(e).lower()
        if frags:
            out["says"] = {f: f.lower() in text for f in frags if f != "AttributeError"}
        return out
    return {"raises": None}


def warned(fn, *frags):
    """Run fn(); was there any warning holding each phrase?"""
    with warnings.catch_warnings(record=True) as log:
        warnings.simplefilter("always")
        fn()
    text = " | ".join(str(w.message) for w in log).lower()
    if not frags:
        return bool(log)
    return {f: f.lower() in text for f in frags}


def quiet(fn):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fn()


def leaf(torch, data, dt=None):
    return torch.tensor(data, dtype=dt or torch.float64, requires_grad=True)


def nodes(root):
    """Distinct backward nodes reachable from a node (None links skipped), without recursion."""
    seen, todo = set(), [root]
    while todo:
        n = todo.pop()
        if n is None or n in seen:
            continue
        seen.add(n)
        todo.extend(p for p, _ in n.next_functions)
    return seen


def stem(node):
    """Node name without a trailing index: MulBackward0 -> MulBackward, AccumulateGrad stays."""
    return node.name().split("::")[-1].rstrip("0123456789")
