"""`x[...]` and `x[...] = v` for drawn indices: PyTorch's result, gradient, graph or refusal."""

import random
import re

import numpy as np
import pytest

import autodidact
from autodidact.arrays import scatter

SHAPE = (3, 4, 2)
INTS = ["0", "-1", "2", "np.int64(1)", "m.tensor(1)"]
SLICES = [":", "1:", ":-1", "::2", "1:1", "-2:", "m.tensor(0):2"]
LISTS = ["[0, 1]", "[[0], [1]]", "[-1]", "[]", "m.tensor([0, 1])", "m.tensor([[1, 0], [0, 0]])",
         "np.array([1, 0])", "range(2)", "m.tensor([1], dtype=m.int32)"]
MASKS = ["m.tensor([True, False, True])", "m.tensor([True, False, True, True])",
         "m.tensor([False, True])", "[True, False, True]", "True", "False", "m.tensor(True)",
         "m.ones(3, 4) > 0", "m.tensor([1, 0, 1], dtype=m.uint8)"]
WRONG = ["3", "-4", "1.0", "'x'", "::-1", "::0", "[5]", "m.tensor([0.5])", "[0, 1, 2, 1]",
         "m.tensor([True])"]
VALUES = ["1.5", "m.tensor(2., dtype=m.float64)", "v[0]", "v", "v[:1, :1]", "True", "m.ones(7)"]
KINDS = [(INTS, 4), (SLICES, 4), (["None"], 2), (["..."], 2), (LISTS, 3), (MASKS, 2), (WRONG, 0.4)]


def drawn(seed):
    """An index expression and a value to assign."""
    r = random.Random(seed)
    count = r.choice([1, 1, 2, 2, 3, 4])
    items = []
    for _ in range(count):
        kind = r.choices([k for k, _ in KINDS], [w for _, w in KINDS])[0]
        items.append(r.choice(kind))
    if items.count("...") > 1:
        items = [i for i in items if i != "..."] or ["..."]
    text = ", ".join(items)
    if count == 1 and r.random() < 0.3:
        text = f"({text},)" if ":" not in text else text
    return text, r.choice(VALUES)


def environment(m):
    leaf = m.from_numpy(np.linspace(0.1, 2.4, 24).reshape(SHAPE).copy()).requires_grad_()
    v = m.from_numpy(np.linspace(-1, 1, 8).reshape(4, 2).copy()).requires_grad_()
    return {"m": m, "np": np, "leaf": leaf, "x": leaf * 1, "v": v}


def outcome(m, text):
    """The result (as numbers, gradients and node names) or the error of one statement."""
    env = environment(m)
    try:
        exec(text, env)
    except Exception as error:
        return type(error).__name__
    y, leaves = env.get("y", env["x"]), (env["leaf"], env["v"])
    weight = m.from_numpy(np.linspace(1, 2, y.numel()).reshape(tuple(y.shape)).copy())
    grads = m.autograd.grad(y, leaves, weight, allow_unused=True)
    return {"shape": tuple(y.shape), "values": y.detach().numpy(), "graph": graph(y),
            "view": y._is_view(), "version": env["x"]._version,
            "grads": [None if g is None else g.numpy() for g in grads]}


def graph(t):
    """Node names along first edges."""
    names, node = [], t.grad_fn
    while node is not None:
        names.append(node.name())
        node = node.next_functions[0][0] if node.next_functions else None
    return names


def same(ours, theirs, text):
    if ours == "IndexError" and "[5]" in text and "1:1" in text:
        return                             # PyTorch does not look at indices that pick nothing
    if isinstance(ours, str) or isinstance(theirs, str):
        assert ours == theirs, text
        return
    for key in ("shape", "graph", "view", "version"):
        assert ours[key] == theirs[key], (text, key)
    np.testing.assert_array_equal(ours["values"], theirs["values"], err_msg=text)
    for a, b in zip(ours["grads"], theirs["grads"], strict=True):
        assert (a is None) == (b is None), text
        if a is not None:
            np.testing.assert_allclose(a, b, err_msg=text)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("first", range(0, 1000, 100))
def test_reading(first, oracle):
    for seed in range(first, first + 100):
        text = f"y = x[{drawn(seed)[0]}]"
        same(outcome(autodidact, text), outcome(oracle, text), text)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("first", range(0, 1000, 100))
def test_assigning(first, oracle):
    for seed in range(first, first + 100):
        index, value = drawn(seed)
        text = f"x[{index}] = {value}"
        ours, theirs = outcome(autodidact, text), outcome(oracle, text)
        if repeats(index) and not isinstance(theirs, str):
            continue                       # which of several writes to one place wins is open
        same(ours, theirs, text)


@pytest.mark.filterwarnings("ignore")
def test_picked_entries_lie_in_rows(oracle):
    """As in PyTorch, the result of index tensors can be viewed in any other shape."""
    tried = 0
    for seed in range(1000):
        text, places = f"y = x[{drawn(seed)[0]}]", []
        for m in (autodidact, oracle):
            env = environment(m)
            try:
                exec(text, env)
            except Exception:
                break
            places.append(env["y"])
        if len(places) == 2 and places[1].grad_fn.name() == "IndexBackward0":
            ours, theirs = places
            tried += theirs.numel() > 1
            assert ours.is_contiguous() == theirs.is_contiguous(), text
            assert not theirs.is_contiguous() or ours.view(-1).shape == theirs.view(-1).shape
    assert tried > 100


def repeats(index):
    """Whether an index names a place twice."""
    return re.search(r"\[\[1, 0\], \[0, 0\]\]", index) is not None


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.float16, np.int64])
@pytest.mark.parametrize("most", [3, 700])
def test_many_rows_are_summed_as_one_by_one(dtype, most):
    rng = np.random.default_rng(11)
    places = rng.integers(-most, most, 900)
    rows = rng.integers(-9, 9, (900, 20)).astype(dtype)              # more numbers than MANY
    assert rows.size >= scatter.MANY
    for chosen in (places, np.abs(places) % most):
        expected = np.zeros((most, 20), dtype)
        np.add.at(expected, chosen, rows)
        np.testing.assert_array_equal(scatter.sum_rows(most, chosen, rows), expected)
    with pytest.raises(IndexError):
        scatter.sum_rows(most, np.full(900, most), rows)


def test_rows_are_summed_without_scipy(monkeypatch):
    def missing(name):
        raise scatter.MissingExtra(name)
    monkeypatch.setattr(scatter, "optional", missing)
    rows = np.ones((900, 20), np.float32)
    np.testing.assert_array_equal(scatter.sum_rows(2, np.arange(900) % 2, rows),
                                  np.full((2, 20), 450, np.float32))
