"""Signatures, overloads and refusals of the functions of shape, index, join and product.

Each line of `data/shape_expressions.txt` is evaluated here and on PyTorch: the same shape, strides,
dtype, nodes, view or not, itself or not; or an exception of the same class.
"""

import warnings
from pathlib import Path

import pytest

import autodidact

LINES = (Path(__file__).parent / "data" / "shape_expressions.txt").read_text("utf-8").splitlines()


def environment(m, oracle):
    """The names that the expressions use."""
    def r(*shape):
        numbers = oracle.rand(*shape, dtype=oracle.double,
                              generator=oracle.Generator().manual_seed(1))
        return m.from_numpy(numbers.numpy()).requires_grad_()

    return {"torch": m, "r": r, "a": r(2, 3), "c": r(4, 4), "z": m.tensor(1.), "e": m.zeros(0, 3)}


def described(value, a, m):
    """What counts of a result."""
    if isinstance(value, (tuple, list)):
        return [described(v, a, m) for v in value]
    if not isinstance(value, m.Tensor):
        return value
    nodes, node = [], value.grad_fn
    while node is not None:
        nodes.append(node.name())
        node = node.next_functions[0][0] if node.next_functions else None
    return (tuple(value.shape), tuple(value.stride()), str(value.dtype), nodes, value._is_view(),
            value is a)


def outcome(m, line, oracle):
    """The description of the result, or the class of the exception."""
    env = environment(m, oracle)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return described(eval(line, env), env["a"], m)
        except Exception as error:
            return type(error).__name__


@pytest.mark.parametrize("line", LINES)
def test_same_as_pytorch(line, oracle):
    assert outcome(autodidact, line, oracle) == outcome(oracle, line, oracle)
