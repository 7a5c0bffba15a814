"""einsum of any number of operands: PyTorch's values and gradients, and small products."""

import random

import numpy as np
import pytest

import autodidact as ad
from autodidact.functions import einsum

LETTERS = "abcdef"


def drawn(seed):
    """A random equation of one to five operands, and its arrays."""
    rng = random.Random(seed)
    sizes = {c: rng.choice([1, 2, 3]) for c in LETTERS}
    terms = ["".join(rng.choice(LETTERS) for _ in range(rng.randint(0, 3)))
             for _ in range(rng.randint(1, 5))]
    dots = [rng.random() < 0.2 for _ in terms]
    used = sorted(set("".join(terms)))
    equation = ",".join("..." * d + term for d, term in zip(dots, terms, strict=True))
    if rng.random() < 0.8:
        output = rng.sample(used, rng.randint(0, len(used)))
        equation += "->" + "..." * any(dots) + "".join(output)
    numbers = np.random.RandomState(seed)
    arrays = [np.array(numbers.standard_normal((2,) * d + tuple(sizes[c] for c in term)))
              for d, term in zip(dots, terms, strict=True)]
    return equation, arrays


def answer(m, equation, arrays):
    """Value and gradients."""
    leaves = [m.tensor(a, requires_grad=True) for a in arrays]
    result = m.einsum(equation, *leaves)
    result.sum().backward()
    return [result.detach().numpy(), *(leaf.grad.numpy() for leaf in leaves)]


@pytest.mark.parametrize("planned", [True, False], ids=["planned", "left-to-right"])
def test_any_equation(oracle, planned, monkeypatch):
    if not planned:
        monkeypatch.setattr(einsum, "opt_einsum", lambda: None)
    for seed in range(150):
        equation, arrays = drawn(seed)
        ours, theirs = (answer(m, equation, arrays) for m in (ad, oracle))
        for a, b in zip(ours, theirs, strict=True):
            assert a.shape == b.shape, equation
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12, err_msg=equation)


def largest_product(equation, *shapes):
    """The most elements that any node of the graph has."""
    leaves = [ad.zeros(shape, requires_grad=True) for shape in shapes]
    todo, largest = [ad.einsum(equation, *leaves).grad_fn], 0
    while todo:
        node = todo.pop()
        if not hasattr(node, "variable"):
            largest = max(largest, *(int(np.prod(m.shape)) for m in node._input_metadata))
            todo.extend(n for n, _ in node.next_functions if n is not None)
    return largest


def test_the_order_of_products_keeps_them_small(monkeypatch):
    """(A B) v is 100 x 100 on its way, A (B v) never more than B."""
    chain = ("ij,jk,k->i", (100, 5), (5, 100), (100,))
    assert largest_product(*chain) == 500
    monkeypatch.setattr(einsum, "opt_einsum", lambda: None)
    assert largest_product(*chain) == 10_000
