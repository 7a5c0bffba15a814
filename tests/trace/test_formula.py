"""A formula's program text as mathematics."""

import re

import numpy as np
import pytest

from autodidact.trace.formula import expression, numbers, rule
from autodidact.trace.mathml import mathml
from tests.trace.test_text import HOSTILE

NAMES = {"grad": "∂L/∂c", "self": "a", "other": "b", "result": "c", "exponent": "n"}
VALUES = {"grad": "16", "self": "-2", "other": "3", "result": "6", "exponent": "3"}
G = r"\frac{\partial L}{\partial c}"


spread, size, LN2 = max, len, 0.693147  # only their names are read


def conj(x):
    return x


def helper(grad, self, dim):
    scaled = grad * self
    return scaled.sum(dim)


def square(grad, self):
    """Twice."""
    return 2 * grad * self


CASES = [
    (lambda grad, other: grad * other.conj(), "dL/dc * b", rf"{G} \cdot b", "16 * 3"),
    (lambda grad, other: grad * conj(other), "dL/dc * b", rf"{G} \cdot b", "16 * 3"),
    (lambda grad: grad, "dL/dc", G, None),
    (lambda grad: -grad, "-dL/dc", f"-{G}", "-16"),
    (
        lambda grad, self, other: -grad * conj(self / other / other),
        "-dL/dc * a / b / b",
        rf"-{G} \cdot \frac{{a}}{{b^{{2}}}}",
        "-16 * (-2) / 3 / 3",
    ),
    (
        lambda grad, self: grad * np.cos(self),
        "dL/dc * cos(a)",
        rf"{G} \cdot \cos\left(a\right)",
        "16 * cos(-2)",
    ),
    (
        lambda grad, result: grad * (1 - result * result),
        "dL/dc * (1 - c * c)",
        rf"{G} \cdot \left(1 - {{c}}^{{2}}\right)",
        "16 * (1 - 6 * 6)",
    ),
    (
        lambda grad, self, exponent: grad * exponent * self ** (exponent - 1),
        "dL/dc * n * a**(n - 1)",
        rf"{G} \cdot n \cdot {{a}}^{{n - 1}}",
        "16 * 3 * (-2)**(3 - 1)",
    ),
    (
        lambda grad, self: np.where(self > 0, grad, 0.0),
        "where(a > 0, dL/dc, 0)",
        rf"\begin{{cases}} {G} & a \gt 0 \\ 0 & \text{{else}} \end{{cases}}",
        "where(-2 > 0, 16, 0)",
    ),
    (
        lambda grad, other: grad @ other.swapaxes(-1, -2),
        "dL/dc @ b^T",
        rf"{G} \, {{b}}^{{\top}}",
        None,
    ),
    (lambda grad, self: np.matmul(self.mT, grad), "a^T @ dL/dc", rf"{{a}}^{{\top}} \, {G}", None),
    (
        lambda grad, self: grad / (2 * np.sqrt(self)),
        "dL/dc / (2 * sqrt(a))",
        rf"\frac{{{G}}}{{2 \cdot \sqrt{{a}}}}",
        "16 / (2 * sqrt(-2))",
    ),
    (
        lambda grad, self_shape, dim, keepdim: helper(grad, self_shape, dim),
        "helper(dL/dc, dim)",
        rf"\operatorname{{helper}}\left({G}, \text{{dim}}\right)",
        None,
    ),
    (
        lambda grad, self: grad - (self - grad),
        "dL/dc - (a - dL/dc)",
        rf"{G} - \left(a - {G}\right)",
        "16 - (-2 - 16)",
    ),
    (
        lambda grad, self: grad * np.exp(-self),
        "dL/dc * exp(-a)",
        rf"{G} \cdot e^{{-a}}",
        "16 * exp(-(-2))",
    ),
    (
        lambda grad, self: grad * np.sign(self),
        "dL/dc * sign(a)",
        rf"{G} \cdot \operatorname{{sign}}\left(a\right)",
        "16 * sign(-2)",
    ),
    (lambda grad, self: np.zeros_like(grad), "0", "0", None),
    (
        lambda grad, into: grad.swapaxes(0, 1) if len(into) == 2 else grad,
        "dL/dc^T",
        rf"{{{G}}}^{{\top}}",
        None,
    ),
    (
        lambda grad, self_shape: spread(grad / size(self_shape, None), self_shape, None, False),
        "spread(dL/dc / size(a))",
        rf"\operatorname{{spread}}\left(\frac{{{G}}}{{\operatorname{{size}}\left(a\right)}}\right)",
        None,
    ),
    (
        lambda grad, self: grad / (self * self * LN2),
        "dL/dc / (a * a * ln(2))",
        rf"\frac{{{G}}}{{{{a}}^{{2}} \cdot \ln 2}}",
        "16 / ((-2) * (-2) * ln(2))",
    ),
    (
        helper,
        "helper(dL/dc, a, dim)",
        rf"\operatorname{{helper}}\left({G}, a, \text{{dim}}\right)",
        None,
    ),
    (square, "2 * dL/dc * a", rf"2 \cdot {G} \cdot a", "2 * 16 * (-2)"),
    (lambda grad, self: grad[self:], "grad[a:]", r"\text{grad[a:]}", None),
]


@pytest.mark.parametrize("formula, text, latex, put_in", CASES, ids=[case[1] for case in CASES])
def test_formula(formula, text, latex, put_in):
    assert rule(formula, NAMES) == (latex, text)
    assert numbers(formula, VALUES) == put_in
    assert mathml(latex).startswith("<math>")


def test_lambdas_on_one_line_are_told_apart():
    pair = (lambda grad, self: grad * self, lambda grad, self: grad / self)
    assert [rule(each, NAMES).text for each in pair] == ["dL/dc * a", "dL/dc / a"]


def test_conjugates_matter_for_complex_numbers():
    assert rule(lambda grad, other: grad * conj(other), NAMES, real=False) == (
        rf"{G} \cdot \overline{{b}}",
        "dL/dc * conj(b)",
    )


def test_a_missing_number_means_no_numbers():
    assert numbers(lambda grad, other: grad * other, {"grad": "16", "other": None}) is None


def test_the_rows_own_latex_wins():
    made = rule(
        lambda grad, self: grad * self, NAMES, latex=r"\grad \cdot \tanh'\left(\self\right)"
    )
    assert made.latex == rf"{G} \cdot \tanh'\left(a\right)"


def test_a_word_stands_for_a_way_back_that_is_no_formula():
    assert rule("scatter", NAMES).text == "scatter(dL/dc)"


def test_without_program_text_there_is_still_a_rule():
    formula = eval("lambda grad, other: grad * other")
    assert expression(formula) is None
    assert rule(formula, NAMES).text == "f(dL/dc)"


def test_small_numbers_of_loop_names():
    names = {"grad": "∂L/∂h₂", "other": "h₁"}
    made = rule(lambda grad, other: grad * other, names)
    assert made.text == "dL/dh₂ * h₁"
    assert made.latex == r"\frac{\partial L}{\partial h_{2}} \cdot h_{1}"


@pytest.mark.parametrize(
    "name", [*HOSTILE, r"\href{javascript:1}{x}", "}{", "$", "%", "a_b^c", "\\"]
)
def test_a_hostile_name_makes_no_markup(name):
    made = rule(lambda grad, other: grad * other, {"grad": f"∂{name}/∂{name}", "other": name})
    shown = mathml(made.latex)
    assert shown is None or ("<script" not in shown and "href" not in shown.replace("?href", ""))
    if shown is not None:
        assert set(re.findall(r"</?([a-z]+)", shown)) <= {
            "math",
            "mrow",
            "mi",
            "mo",
            "mn",
            "mtext",
            "mfrac",
            "msub",
            "mspace",
        }


def test_mathml_lets_only_its_own_elements_through():
    assert "href" not in mathml(r"\href{javascript:alert(1)}{x}")
    assert mathml(r"\frac{") is None
