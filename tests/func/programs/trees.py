"""torch.utils._pytree: nested containers flattened, put together, mapped."""

from collections import OrderedDict, defaultdict, deque, namedtuple

from tests.autograd.observe import raises

Pair = namedtuple("Pair", "first second")


class Marked(list):
    """A list of a kind of its own: a leaf."""


def _trees(torch):
    return {
        "leaf": 5, "none": None, "empty": (), "tuple": (1, 2), "list": [1, [2]], "dict": {"a": 1},
        "deep": {"x": (1, [2, None]), "y": {"z": []}}, "pair": Pair(1, [2]),
        "ordered": OrderedDict(b=1, a=2), "default": defaultdict(list, q=[5]),
        "deque": deque([6, [7]], maxlen=3), "size": torch.Size([1, 2]), "marked": Marked([1, 2]),
        "result": torch.max(torch.tensor([[1.0, 2.0]]), 1), "words": ("a", {"b": "c"}),
    }


def there_and_back(torch):
    """Leaves, counts, and the tree built from other leaves, with its kind."""
    tree = torch.utils._pytree
    found = {}
    for name, t in _trees(torch).items():
        leaves, spec = tree.tree_flatten(t)
        again = tree.tree_unflatten(range(len(leaves)), spec)
        found[name] = [leaves, spec.num_leaves, spec.num_nodes, spec.num_children, spec.is_leaf(),
                       spec.type.__name__ if spec.type else None, str(again),
                       [c.num_leaves for c in spec.children()], list(tree.tree_iter(t)),
                       tree.tree_leaves(t) == leaves, tree.tree_is_leaf(t),
                       tree.tree_structure(t) == spec]
    return found


def shapes_are_compared_and_shown(torch):
    tree = torch.utils._pytree
    trees = [(1, 2), (3, 4), [1, 2], (1, (2,)), {"a": 1}, {"b": 1}, 7, deque([1]), deque([1], 2)]
    specs = [tree.tree_structure(t) for t in trees]
    return [[a == b for a in specs for b in specs],
            [str(tree.tree_structure(t)).replace("\n ", "") for t in
             (5, (), [1], {"a": 1}, deque([1]), Pair(1, 2))]]


def mapped(torch):
    tree, lists = torch.utils._pytree, lambda x: isinstance(x, list)
    log = [[1], [2]]
    return [
        tree.tree_map(lambda x: x * 2, {"a": 1, "b": (2, [3])}),
        tree.tree_map(lambda a, b: [a, b], (1, [2]), (3, [4])),
        tree.tree_map(lambda a, b: a, (1, 2), ([3, 1], {"a": 4})),
        tree.tree_map(lambda a, b: a - b, {"a": 5, "b": 7}, {"b": 1, "a": 2}),
        tree.tree_map(lambda x: x * 2, (1, [2]), is_leaf=lists),
        tree.tree_leaves((1, [2, [3]]), is_leaf=lists),
        tree.tree_structure((1, [2, [3]]), is_leaf=lists).num_leaves,
        tree.tree_is_leaf([1], is_leaf=lists),
        tree.tree_map_only(int, lambda x: -x, (1, 2.5, ["3", 4])),
        tree.tree_map_only((int, float), lambda x: -x, (1, 2.5, ["3"])),
        tree.tree_map_only(lambda x: x == 1, lambda x: -x, (1, 2, [1])),
        tree.tree_map_(lambda x: x.append(0), (log, ), is_leaf=lists) == (log,), log,
        tree.tree_map_only_(list, lambda x: x.append(9), [log], is_leaf=lambda x: x is log), log,
    ]


def asked(torch):
    tree, t = torch.utils._pytree, (1, [2, "a"])
    return [tree.tree_all(bool, t), tree.tree_all(bool, (1, [0])), tree.tree_any(bool, (0, [0])),
            tree.tree_any(bool, (0, [1])), tree.tree_all(bool, ()), tree.tree_any(bool, ()),
            tree.tree_all_only(int, lambda x: x > 0, t),
            tree.tree_all_only(int, lambda x: x > 1, t),
            tree.tree_any_only(int, lambda x: x > 2, t),
            tree.tree_any_only(str, lambda x: x == "a", t)]


def refused(torch):
    tree = torch.utils._pytree
    spec = tree.tree_structure((1, (2, 3)))

    def both(a, b):
        return lambda: tree.tree_map(lambda x, y: x, a, b)

    return [
        raises(lambda: spec.unflatten([1]), "`leaves` has length 1 but the spec refers to a pytree "
                                            "that holds 3 items"),
        raises(lambda: tree.tree_unflatten([1], 3), "Expected `treespec` to be an instance of"),
        raises(both((1, [2]), (3, [4, 5])), "Node arity mismatch; expected 1, but got 2."),
        raises(both((1, 2), [3, 4]), "Node type mismatch; expected <class 'tuple'>, but got "
                                     "<class 'list'>."),
        raises(both({"a": 1}, {"b": 1}), "Node keys mismatch; missing key(s): {'a'}; extra "
                                         "key(s): {'b'}."),
        raises(lambda: tree.register_pytree_node(list, None, None), "is already registered"),
    ]


def a_container_of_ones_own(torch):
    """Registered, it is flattened here and by torch.func."""
    class Box:
        def __init__(self, inside, name):
            self.inside, self.name = inside, name

    tree = torch.utils._pytree
    tree.register_pytree_node(Box, lambda box: ([box.inside], box.name),
                              lambda children, name: Box(*children, name))
    box = tree.tree_map(lambda x: x + 1, Box((1, 2), "mine"))
    x = torch.tensor(3.0)
    gradient = torch.func.grad(lambda b: b.inside ** 2)(Box(x, "his"))
    return [tree.tree_leaves([Box(3, "a"), 4]), box.inside, box.name, gradient.inside,
            gradient.name, torch.vmap(lambda b: b.inside * 2)(Box(torch.ones(3), ""))]
