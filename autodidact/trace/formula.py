"""A row's formula as mathematics: `lambda grad, other: grad * conj(other)` becomes (dL/dc) times b.

The lambda's own program text is found by the position of its code, read as a tree and written down
three times: as LaTeX, as plain text, and with numbers in place of the names. What this file cannot
read stays program text.
"""

import ast
import linecache
import re
from functools import lru_cache
from typing import NamedTuple

from autodidact.trace.formula_styles import SCALAR_FUNCTIONS, Latex, Text

_PARTIAL = re.compile(r"^[∂d](?P<top>.+)/[∂d](?P<bottom>.+)$")
_MACRO = re.compile(r"\\([A-Za-z_]+)")


class Rule(NamedTuple):
    """What a node does to a gradient, as LaTeX (None where there is none) and as plain text."""

    latex: str | None
    text: str


def rule(formula, names, *, real=True, latex=None):
    r"""The rule of one input, in the learner's names.

    Args:
        formula: the row's lambda for this input, or a word for a rule that is no formula.
        names: what the lambda's parameters are called, "grad" as "∂L/∂c".
        real: whether all values are real, so that conjugates can be left out.
        latex: LaTeX that the row gives itself; `\grad`, `\self`, ... in it stand for the names.

    Example: with `lambda grad, other: grad * other.conj()` and {"grad": "∂L/∂c", "other": "b"}:
    `Rule(r"\frac{\partial L}{\partial c} \cdot b", "dL/dc * b")`.
    """
    if isinstance(formula, str):
        tree = ast.parse(f"{formula}(grad)", mode="eval").body if formula.isidentifier() else None
    else:
        tree = expression(formula)
    if tree is None:
        return Rule(_with_names(latex, names) if latex else None, _apart(names, Text))
    math = Latex(_named(names, Latex), real).write(tree)
    return Rule(
        _with_names(latex, names) if latex else math, Text(_named(names, Text), real).write(tree)
    )


def numbers(formula, values, *, real=True):
    """The rule with short numbers in place of its names, "16 * 3"; None where one is missing.

    Also None for a rule that passes the gradient on as it is: there is nothing to compute.
    """
    tree = None if isinstance(formula, str) else expression(formula)
    if tree is None or isinstance(tree, ast.Name) or not _arithmetic(tree):
        return None
    needed = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    if any(values.get(name) is None for name in needed & set(parameters(formula))):
        return None
    tightness = {
        name: 3.5 if value.startswith("-") else 9 for name, value in values.items() if value
    }
    return Text({name: (values[name], tight) for name, tight in tightness.items()}, real).write(
        tree
    )


def _arithmetic(tree):
    """Whether it is arithmetic on single numbers: no matrix products, shapes or helpers."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = (
                node.func.attr
                if isinstance(node.func, ast.Attribute)
                else getattr(node.func, "id", "")
            )
            if name not in SCALAR_FUNCTIONS:
                return False
        elif isinstance(node, ast.Subscript | ast.MatMult | ast.Lambda):
            return False
    return True


def parameters(formula):
    """The names of a formula's parameters."""
    code = formula.__code__
    return code.co_varnames[: code.co_argcount]


# ---- names


def _named(names, style):
    return {
        name: _partial(shown, style) if name in ("grad", "grads") else (style.name(shown), 9)
        for name, shown in names.items()
        if shown
    }


def _partial(shown, style):
    """A gradient, "∂L/∂c", as a fraction of the style; a plain word otherwise."""
    parts = _PARTIAL.match(shown)
    return style.partial(parts["top"], parts["bottom"]) if parts else (style.name(shown), 9)


def _apart(names, style):
    shown = names.get("grad") or "grad"
    return f"f({_partial(shown, style)[0]})"


def _with_names(latex, names):
    """LaTeX of a row; macros called like its parameters become the learner's names."""
    shown = {name: text for name, (text, _) in _named(names, Latex).items()}
    return _MACRO.sub(lambda macro: shown.get(macro[1], macro[0]), latex)


# ---- from a function to the tree of its program text


def expression(formula):
    """The tree of what a lambda (or a function of one `return`) computes; None without its text."""
    code = getattr(formula, "__code__", None)
    if code is None:
        return None
    if code not in _trees:
        _trees[code] = _find(code, getattr(formula, "__globals__", None))
    return _trees[code]


_trees = {}  # code object -> tree; as many as there are formulas


def _find(code, module):
    lines = linecache.getlines(code.co_filename, module)
    same = [
        node
        for node in _functions("".join(lines))
        if node.lineno <= code.co_firstlineno <= node.end_lineno
        and _arguments(node) == code.co_varnames[: code.co_argcount]
    ]
    spans = [node for node in same if _span(_body(node)) == _code_span(code)]
    found = spans[0] if spans else same[0] if len(same) == 1 else None
    return _body(found) if found is not None else None


@lru_cache(maxsize=64)
def _functions(source):
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return ()
    return tuple(
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Lambda)
        or (
            isinstance(node, ast.FunctionDef)
            and isinstance(node.body[-1], ast.Return)
            and _body(node) is not None
        )
    )


def _body(node):
    if isinstance(node, ast.Lambda):
        return node.body
    statements = node.body[1:] if ast.get_docstring(node) is not None else node.body
    return statements[0].value if len(statements) == 1 else _call(node)


def _call(node):
    """A function of several statements is shown by its name."""
    arguments = [ast.Name(each.arg) for each in node.args.args]
    return ast.Call(ast.Name(node.name), arguments, [])


def _arguments(node):
    return tuple(each.arg for each in (*node.args.posonlyargs, *node.args.args))


def _span(node):
    return (
        (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
        if hasattr(node, "lineno")
        else None
    )


def _code_span(code):
    """(first line, column, last line, column) of the expression that a lambda's code computes."""
    spots = [spot for spot in code.co_positions() if None not in spot and spot[2:] != (0, 0)]
    if not spots:
        return None
    start = min((line, column) for line, _, column, _ in spots)
    end = max((line, column) for _, line, _, column in spots)
    return (*start, *end)
