"""Trees of tuples, lists and dicts: flattened to a list of leaves, and put together again."""

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable
from typing import Any, NamedTuple

from autodidact.size import Size

__all__ = ["LEAF", "NODES", "Spec", "flatten", "leaves", "map_tree", "spread", "unflatten"]

# Further containers: kind -> (its children and what else is to be known, both put together again).
NODES: dict[type, tuple[Callable, Callable]] = {
    defaultdict: (lambda d: (list(d.values()), (d.default_factory, *d)),
                  lambda values, known: defaultdict(known[0], zip(known[1:], values, strict=True))),
    deque: (lambda d: (list(d), d.maxlen), deque),
    Size: (lambda size: (list(size), ()), lambda values, known: tuple(values)),
}


class Spec(NamedTuple):
    """The shape of a tree: the kind of container, its keys, and the shapes of what it holds.

    `keys` are those of a dict; of the containers in `NODES` whatever else is to be known of them.
    """

    kind: Any
    keys: Any
    children: tuple

    def __repr__(self) -> str:
        return "*" if self.kind is None else f"{self.kind.__name__}{list(self.children)}"


LEAF = Spec(None, (), ())


def children_of(x: Any) -> tuple | None:
    """(keys, values) of a container; None for a leaf."""
    if type(x) in NODES:
        values, known = NODES[type(x)][0](x)
        return known, list(values)
    if type(x) in (tuple, list) or (isinstance(x, tuple) and hasattr(x, "_fields")):
        return (), list(x)
    if type(x) in (dict, OrderedDict):
        return tuple(x), list(x.values())
    return None


def flatten(tree: Any) -> tuple:
    """(leaves, spec)."""
    inside = children_of(tree)
    if inside is None:
        return [tree], LEAF
    found, specs = [], []
    for child in inside[1]:
        some, spec = flatten(child)
        found += some
        specs.append(spec)
    return found, Spec(type(tree), inside[0], tuple(specs))


def leaves(tree: Any) -> list:
    """The leaves."""
    return flatten(tree)[0]


def unflatten(values: list, spec: Spec) -> Any:
    """The tree of this shape with these leaves."""
    return build(iter(values), spec)


def build(values: Any, spec: Spec) -> Any:
    """One container, its leaves taken from an iterator."""
    if spec.kind is None:
        return next(values)
    children = [build(values, child) for child in spec.children]
    if spec.kind in NODES:
        return NODES[spec.kind][1](children, spec.keys)
    if spec.keys:
        return spec.kind(zip(spec.keys, children, strict=True))
    if hasattr(spec.kind, "_fields"):
        return spec.kind(*children)
    return spec.kind(children)


def map_tree(function: Callable, tree: Any) -> Any:
    """The tree with the function applied to every leaf."""
    values, spec = flatten(tree)
    return unflatten([function(v) for v in values], spec)


def spread(prefix: Any, spec: Spec) -> list | None:
    """A value for every leaf of `spec`, from a tree that may stop earlier; None if it cannot."""
    if spec.kind is None:
        return None if children_of(prefix) is not None else [prefix]
    inside = children_of(prefix)
    if inside is None:
        return [prefix] * count(spec)
    keys, values = inside
    if (
        keys != spec.keys
        or len(values) != len(spec.children)
        or (isinstance(prefix, dict) != bool(issubclass(spec.kind, dict)))
    ):
        return None
    if type(prefix) is not spec.kind and not (
        isinstance(prefix, (tuple, list))
        and prefix is not None
        and issubclass(spec.kind, type(prefix))
    ):
        return None
    parts = [spread(v, child) for v, child in zip(values, spec.children, strict=True)]
    if any(p is None for p in parts):
        return None
    return [leaf for p in parts for leaf in p]


def count(spec: Spec) -> int:
    """The number of leaves."""
    return 1 if spec.kind is None else sum(count(c) for c in spec.children)
