"""torch.utils._pytree: nested containers flattened to a list of leaves, and put together again.

Containers are tuples, lists, dicts, named tuples, `OrderedDict`, `defaultdict`, `deque`, and what
`register_pytree_node` adds; everything else is a leaf, None too.

Example:
    >>> leaves, spec = tree_flatten({"w": 1, "rest": [2, (3, None)]})
    >>> leaves
    [1, 2, 3, None]
    >>> tree_unflatten([4, 5, 6, 7], spec)
    {'w': 4, 'rest': [5, (6, 7)]}
"""

from collections import namedtuple
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from autodidact.func.tree import LEAF, NODES, Spec, build, children_of, count

__all__ = ["TreeSpec", "register_pytree_node", "tree_all", "tree_all_only", "tree_any",
           "tree_any_only", "tree_flatten", "tree_is_leaf", "tree_iter", "tree_leaves", "tree_map",
           "tree_map_", "tree_map_only", "tree_map_only_", "tree_structure", "tree_unflatten"]


class TreeSpec:
    """The shape of a tree.

    Attributes:
        type: the kind of container; None for a leaf.
        num_leaves, num_nodes, num_children: how many of each.
    """

    __slots__ = ("_spec",)

    def __init__(self, spec: Spec) -> None:
        self._spec = spec

    @property
    def type(self) -> Any:
        """The kind of container, for all named tuples `namedtuple`; None for a leaf."""
        kind = self._spec.kind
        own = hasattr(kind, "_fields") and kind.__module__ != "torch.return_types"
        return namedtuple if own else kind

    @property
    def num_leaves(self) -> int:
        """Leaves of the whole tree."""
        return count(self._spec)

    @property
    def num_children(self) -> int:
        """Entries of the outermost container."""
        return len(self._spec.children)

    @property
    def num_nodes(self) -> int:
        """Leaves and containers together."""
        return 1 + sum(child.num_nodes for child in self.children())

    def children(self) -> list:
        """The shapes of the entries."""
        return [TreeSpec(child) for child in self._spec.children]

    def is_leaf(self) -> bool:
        """Whether this is a leaf's."""
        return self._spec.kind is None

    def unflatten(self, leaves: Iterable) -> Any:
        """The tree of this shape with these leaves; ValueError for a wrong number."""
        leaves = list(leaves)
        if len(leaves) != self.num_leaves:
            raise ValueError(f"treespec.unflatten(leaves): `leaves` has length {len(leaves)} but "
                             f"the spec refers to a pytree that holds {self.num_leaves} items "
                             f"({self}).")
        return build(iter(leaves), self._spec)

    def flatten_up_to(self, tree: Any) -> list:
        """What a tree has where this one has leaves; ValueError where it is no such tree."""
        return flattened_up_to(tree, self._spec)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TreeSpec) and self._spec == other._spec

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        if self.is_leaf():
            return "*"
        known = self._spec.kind if self.type is namedtuple else self._spec.keys
        known = list(known) if isinstance(known, tuple) else known
        return f"TreeSpec({self.type.__name__}, {known or None}, {self.children()})"


def flattened_up_to(tree: Any, spec: Spec) -> list:
    """As `TreeSpec.flatten_up_to`."""
    if spec.kind is None:
        return [tree]
    if type(tree) is not spec.kind:
        raise ValueError(f"Node type mismatch; expected {spec.kind!r}, but got {type(tree)!r}.")
    keys, values = children_of(tree)
    if len(values) != len(spec.children):
        raise ValueError(f"Node arity mismatch; expected {len(spec.children)}, but got "
                         f"{len(values)}.")
    if isinstance(tree, dict) and spec.kind not in NODES:
        if set(keys) != set(spec.keys):
            raise ValueError(f"Node keys mismatch; missing key(s): {set(spec.keys) - set(keys)}; "
                             f"extra key(s): {set(keys) - set(spec.keys)}.")
        values = [tree[key] for key in spec.keys]
    return [leaf for value, child in zip(values, spec.children, strict=True)
            for leaf in flattened_up_to(value, child)]


def register_pytree_node(cls: type, flatten_fn: Callable, unflatten_fn: Callable) -> None:
    """Make a class a container, here and for `torch.func`.

    Args:
        cls: the class; ValueError if it is a container already.
        flatten_fn: object -> (its children, what else is to be known of it).
        unflatten_fn: (children, the same) -> object.
    """
    if cls in NODES or cls in (tuple, list, dict):
        raise ValueError(f"{cls!r} is already registered as pytree node.")
    NODES[cls] = flatten_fn, unflatten_fn


def tree_is_leaf(tree: Any, is_leaf: Callable | None = None) -> bool:
    """Whether it is no container, or `is_leaf` says so."""
    return (is_leaf is not None and bool(is_leaf(tree))) or children_of(tree) is None


def tree_flatten(tree: Any, is_leaf: Callable | None = None) -> tuple:
    """(leaves, the tree's shape); `is_leaf` may make leaves of containers."""
    leaves: list = []
    return leaves, TreeSpec(flattened(tree, is_leaf, leaves))


def flattened(tree: Any, is_leaf: Callable | None, leaves: list) -> Spec:
    """The shape of a tree, its leaves added to a list."""
    if tree_is_leaf(tree, is_leaf):
        leaves.append(tree)
        return LEAF
    keys, values = children_of(tree)
    return Spec(type(tree), keys, tuple(flattened(v, is_leaf, leaves) for v in values))


def tree_unflatten(leaves: Iterable, treespec: TreeSpec) -> Any:
    """The tree of this shape with these leaves."""
    if not isinstance(treespec, TreeSpec):
        raise TypeError("Expected `treespec` to be an instance of PyTreeSpec but got item of type "
                        f"{type(treespec)}.")
    return treespec.unflatten(leaves)


def tree_leaves(tree: Any, is_leaf: Callable | None = None) -> list:
    """The leaves."""
    return tree_flatten(tree, is_leaf)[0]


def tree_iter(tree: Any, is_leaf: Callable | None = None) -> Iterator:
    """The leaves, one by one."""
    yield from tree_leaves(tree, is_leaf)


def tree_structure(tree: Any, is_leaf: Callable | None = None) -> TreeSpec:
    """The tree's shape."""
    return tree_flatten(tree, is_leaf)[1]


def tree_map(func: Callable, tree: Any, *rests: Any, is_leaf: Callable | None = None) -> Any:
    """The tree with `func` applied to every leaf, and to what other trees have in its place.

    Example:
        >>> tree_map(lambda a, b: a + b, {"x": 1, "y": [2]}, {"x": 10, "y": [20]})
        {'x': 11, 'y': [22]}
    """
    leaves, spec = tree_flatten(tree, is_leaf)
    return spec.unflatten(map(func, leaves, *map(spec.flatten_up_to, rests)))


def tree_map_(func: Callable, tree: Any, *rests: Any, is_leaf: Callable | None = None) -> Any:
    """Apply `func`, which changes leaves in place, to all of them; the tree itself."""
    tree_map(func, tree, *rests, is_leaf=is_leaf)
    return tree


def only(what: Any, func: Callable, otherwise: Any = None) -> Callable:
    """`func` for leaves of a type (or several, or for which `what` is true); the rest pass by."""
    asked = what if callable(what) and not isinstance(what, type) else (
        lambda leaf: isinstance(leaf, what))
    return lambda leaf: func(leaf) if asked(leaf) else leaf if otherwise is None else otherwise


def tree_map_only(type_or_types: Any, func: Callable, tree: Any,
                  is_leaf: Callable | None = None) -> Any:
    """`tree_map` for leaves of some types; the others stay."""
    return tree_map(only(type_or_types, func), tree, is_leaf=is_leaf)


def tree_map_only_(type_or_types: Any, func: Callable, tree: Any,
                   is_leaf: Callable | None = None) -> Any:
    """`tree_map_` for leaves of some types."""
    return tree_map_(only(type_or_types, func), tree, is_leaf=is_leaf)


def tree_all(pred: Callable, tree: Any, is_leaf: Callable | None = None) -> bool:
    """Whether `pred` holds for all leaves."""
    return all(map(pred, tree_leaves(tree, is_leaf)))


def tree_any(pred: Callable, tree: Any, is_leaf: Callable | None = None) -> bool:
    """Whether `pred` holds for some leaf."""
    return any(map(pred, tree_leaves(tree, is_leaf)))


def tree_all_only(type_or_types: Any, pred: Callable, tree: Any,
                  is_leaf: Callable | None = None) -> bool:
    """Whether `pred` holds for all leaves of some types."""
    return tree_all(only(type_or_types, pred, otherwise=True), tree, is_leaf)


def tree_any_only(type_or_types: Any, pred: Callable, tree: Any,
                  is_leaf: Callable | None = None) -> bool:
    """Whether `pred` holds for some leaf of some types."""
    return tree_any(only(type_or_types, pred, otherwise=False), tree, is_leaf)
