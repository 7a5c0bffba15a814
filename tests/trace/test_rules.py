"""The rules of a real graph, in the learner's names and with its numbers."""

import pytest

import autodidact as torch
import autodidact.nn  # declares the rows of networks
from autodidact.ops.op import TABLE
from autodidact.trace import record, recording
from autodidact.trace.formula import expression, rule
from autodidact.trace.mathml import mathml


def leaf(value):
    return torch.tensor(value, dtype=torch.double, requires_grad=True)


def rules(made):
    return {
        (node["label"], made.head["edges"][i]["to"]): each["text"]
        for node in made.head["nodes"]
        for each in node["rules"]
        for i, edge in enumerate(made.head["edges"])
        if edge["id"] == each["edge"]
    }


def test_the_diamond():
    a, b = leaf(2.0), leaf(3.0)
    with recording():
        c = a * b
        d = c + a
        L = d * d
    made = record(L)
    texts = [each["text"] for node in made.head["nodes"] for each in node["rules"]]
    assert texts == ["dL/dL * d", "dL/dL * d", "dL/dd", "dL/dd", "dL/dc * b", "dL/dc * a"]
    numbers = [p["numbers"] for p in made.state(2)["predicted"].values()]
    assert numbers == ["16 * 3", "16 * 2"]
    assert all("<math>" in each["mathml"] for n in made.head["nodes"] for each in n["rules"])


def test_a_part_of_a_line_is_named_by_its_text():
    a = leaf(2.0)
    with recording():
        L = (a * 3).tanh()
    texts = [each["text"] for node in record(L).head["nodes"] for each in node["rules"]]
    assert texts == ["dL/dL * (1 - L * L)", "dL/d(a * 3) * 3"]


def test_arguments_and_constants_are_put_in():
    a = leaf(2.0)
    with recording():
        L = torch.add(a, a, alpha=5)
    made = record(L)
    texts = [each["text"] for node in made.head["nodes"] for each in node["rules"]]
    assert texts == ["dL/dL", "dL/dL * 5"]
    assert [p["numbers"] for p in made.state(0)["predicted"].values()] == [None, "1 * 5"]


def test_a_custom_function_has_no_rule():
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    a = leaf(2.0)
    with recording():
        L = Twice.apply(a)
    assert all(node["rules"] == [] for node in record(L).head["nodes"])


FORMULAS = [(name, key) for name, op in TABLE.items() for key in op.vjp]


@pytest.mark.parametrize("name, key", FORMULAS)
def test_every_rows_formula_reads_as_mathematics(name, key):
    op = TABLE[name]
    formula = op.vjp[key]
    assert expression(formula) is not None
    made = rule(formula, {"grad": "∂L/∂c", "self": "a"}, latex=(op.formula or {}).get(key))
    assert "lambda" not in made.text
    assert mathml(made.latex) is not None
