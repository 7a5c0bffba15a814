"""Writing a formula's tree as plain text or as LaTeX.

Both styles share one walk; each says how it writes a sum, a fraction, a power, a call. A piece is a
pair: its text, and how tightly it holds together (1 comparison, 3 sum, 4 product, 5 sign, 6 power,
9 a single thing).
"""

import ast
import re
from itertools import groupby
from types import MappingProxyType

from autodidact.trace.summary import number

_OPERATORS = {
    ast.Add: (3, "+"),
    ast.Sub: (3, "-"),
    ast.Mult: (4, "*"),
    ast.Div: (4, "/"),
    ast.MatMult: (4, "@"),
    ast.Pow: (6, "**"),
    ast.BitAnd: (2, "&"),
    ast.BitOr: (2, "|"),
    ast.FloorDiv: (4, "//"),
    ast.Mod: (4, "%"),
}
_COMPARISONS = {
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}
_SAME = {"conj", "conjugate"}  # left out for real numbers
_FIRST_ONLY = {"sum_to", "spread", "expand", "cast", "broadcast", "zeros_like", "ones_like"}
_BINARY = {
    "matmul": ast.MatMult,
    "mm": ast.MatMult,
    "mv": ast.MatMult,
    "multiply": ast.Mult,
    "add": ast.Add,
    "subtract": ast.Sub,
    "divide": ast.Div,
    "true_divide": ast.Div,
    "power": ast.Pow,
}
_MODULES = {"np", "numpy", "xp", "math", "torch"}
SCALAR_FUNCTIONS = frozenset(
    "conj conjugate exp exp2 expm1 log log2 log10 log1p sqrt square abs absolute sign sin cos tan "
    "sinh cosh tanh arcsin arccos arctan arcsinh arccosh arctanh power maximum minimum where "
    "negative reciprocal".split()
)
_DIGITS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_HIDDEN = re.compile(r"(_shape|_dtype)$|^(into|keepdims?|shape|size|dtype)$")
_CONSTANTS = {"LN2": "ln(2)", "LN10": "ln(10)", "pi": "pi", "inf": "inf"}


class Text:
    """Plain text: "dL/dc * b". `names` maps parameters to pieces; `real` leaves out conjugates."""

    times, matrix, transposed = " * ", " @ ", "{}^T"
    comparisons = MappingProxyType({})
    constants = MappingProxyType(_CONSTANTS)

    def __init__(self, names, real=True):
        self.names, self.real = names, real

    @staticmethod
    def name(shown):
        """A learner's name as this style writes it."""
        return shown

    @staticmethod
    def partial(top, bottom):
        """The piece for the derivative of `top` by `bottom`."""
        return f"d{top}/d{bottom}", 9

    def write(self, tree):
        """The whole formula as a string."""
        return self.piece(tree)[0]

    def piece(self, node):
        """One node of the tree as (text, how tightly it holds together)."""
        method = getattr(self, f"on_{type(node).__name__.lower()}", None)
        return (method(node) if method else None) or self.unknown(node)

    def held(self, node, tightness):
        """The node's text, in parentheses where it would fall apart."""
        text, own = self.piece(node)
        return text if own >= tightness else self.parenthesised(text)

    # ---- leaves of the tree

    def on_name(self, node):
        """A parameter, by the learner's name."""
        known = self.names.get(node.id)
        return known or (self.constants.get(node.id) or self.name(node.id), 9)

    def on_constant(self, node):
        """A number; other constants are program text."""
        if isinstance(node.value, (int, float, complex)) and not isinstance(node.value, bool):
            text = number(node.value)
            return text, 5 if text.startswith("-") else 9
        return None

    def unknown(self, node):
        """What no rule reads: program text, with the learner's names where they are plain words."""
        return self.code(ast.unparse(_Renamed(self.names).visit(_copy(node)))), 9

    # ---- operators

    def on_binop(self, node):
        """A sum, product, quotient or power."""
        if type(node.op) not in _OPERATORS:
            return None
        tightness, sign = _OPERATORS[type(node.op)]
        if sign == "/":
            return self.fraction(*_chain(node))
        if sign == "**":
            return self.power(node.left, node.right)
        right = tightness + (sign in "-//%")
        between = {"*": self.times, "@": self.matrix}.get(sign, f" {sign} ")
        return self.held(node.left, tightness) + between + self.held(node.right, right), tightness

    def on_unaryop(self, node):
        """A sign or a negation."""
        if isinstance(node.op, ast.USub):
            return "-" + self.held(node.operand, 5), 4
        if isinstance(node.op, ast.Invert | ast.Not):
            return self.call("not", [node.operand])
        return self.piece(node.operand)

    def on_compare(self, node):
        """A comparison, also a chain of them."""
        if any(type(op) not in _COMPARISONS for op in node.ops):
            return None
        text = self.held(node.left, 3)
        for op, right in zip(node.ops, node.comparators, strict=True):
            sign = _COMPARISONS[type(op)]
            text += f" {self.comparisons.get(sign, sign)} {self.held(right, 3)}"
        return text, 1

    def on_ifexp(self, node):
        """One of two values; where only a shape decides, the usual one."""
        if all(_hidden(name) or name.id == "len" for name in _names(node.test)):
            return self.piece(node.body)
        return self.cases(node.test, node.body, node.orelse)

    # ---- attributes and calls

    def on_attribute(self, node):
        """A transpose, a real part, a constant of a module."""
        if node.attr in ("T", "mT", "H", "mH"):
            return self.transposed.format(self.held(node.value, 7)), 7
        if node.attr == "real":
            return self.piece(node.value) if self.real else self.call("Re", [node.value])
        if isinstance(node.value, ast.Name) and node.value.id in _MODULES:
            return self.constants.get(node.attr) or self.name(node.attr), 9
        return None

    def on_call(self, node):
        """A call of a function or of a method."""
        function, arguments = node.func, [a for a in node.args if not isinstance(a, ast.Starred)]
        if isinstance(function, ast.Attribute):
            module = isinstance(function.value, ast.Name) and function.value.id in _MODULES
            name = function.attr
            arguments = arguments if module else [function.value, *arguments]
        elif isinstance(function, ast.Name):
            module, name = True, function.id
        else:
            return None
        return self.named(name, arguments, method=not module)

    def named(self, name, arguments, method):
        """A call of a function or method that has a name."""
        if name in _SAME:
            return self.piece(arguments[0]) if self.real else self.conjugate(arguments[0])
        if name in _BINARY and len(arguments) == 2:
            return self.piece(ast.BinOp(arguments[0], _BINARY[name](), arguments[1]))
        if name == "where" and len(arguments) == 3:
            return self.cases(*arguments)
        if name == "negative":
            return self.piece(ast.UnaryOp(ast.USub(), arguments[0]))
        if name == "square":
            return self.power(arguments[0], ast.Constant(2))
        if name in ("zeros_like", "ones_like"):
            return ("0" if name == "zeros_like" else "1"), 9
        if name in ("swapaxes", "t"):
            return self.transposed.format(self.held(arguments[0], 7)), 7
        if name == "size":
            arguments = [_owner(each) for each in arguments]
        if method or name in _FIRST_ONLY:
            arguments = arguments[:1]
        return self.call(name, [a for a in arguments if not _hidden(a)] or arguments[:1])

    def call(self, name, arguments):
        """name(a, b)."""
        return f"{self.function(name)}({', '.join(self.piece(a)[0] for a in arguments)})", 9

    # ---- what the styles write differently

    def parenthesised(self, text):
        """The text in parentheses."""
        return f"({text})"

    def code(self, text):
        """Program text as this style shows it."""
        return text

    def function(self, name):
        """The name of a function."""
        return {"absolute": "abs", "amax": "max"}.get(name, name)

    def fraction(self, over, under):
        """A quotient; `under` is the list of what is divided by, one after the other."""
        below = [self.held(each, 5) for each in under]
        return " / ".join([self.held(over, 4), *below]), 4

    def power(self, base, exponent):
        """base to the exponent."""
        return f"{self.held(base, 7)}**{self.held(exponent, 6)}", 6

    def cases(self, test, yes, no):
        """`yes` where the test holds, else `no`."""
        return self.call("where", [test, yes, no])

    def conjugate(self, argument):
        """The complex conjugate."""
        return self.call("conj", [argument])


class Latex(Text):
    r"""LaTeX: "\frac{\partial L}{\partial c} \cdot b"."""

    times, matrix, transposed = r" \cdot ", r" \, ", r"{{{}}}^{{\top}}"
    comparisons = MappingProxyType(
        {">=": r"\geq", "<=": r"\leq", "==": "=", "!=": r"\neq", "<": r"\lt", ">": r"\gt"}
    )
    functions = MappingProxyType({"log": r"\ln", "absolute": "abs"})
    constants = MappingProxyType(
        {"LN2": r"\ln 2", "LN10": r"\ln 10", "pi": r"\pi", "inf": r"\infty"}
    )
    known = frozenset("sin cos tan sinh cosh tanh arcsin arccos arctan exp max min".split())

    @staticmethod
    def name(shown):
        """A learner's name as this style writes it."""
        if len(shown) == 1 and shown.isalpha():
            return shown
        numbered = re.fullmatch(r"(.+?)([₀₁₂₃₄₅₆₇₈₉]+)", shown)  # h₁, h₂: names in a loop
        if numbered:
            return f"{Latex.name(numbered[1])}_{{{numbered[2].translate(_DIGITS)}}}"
        return r"\text{" + re.sub(r"[^\w.,:;()\[\]=+*/' -]", "?", shown)[:40] + "}"

    def on_binop(self, node):
        """As in plain text; a factor that comes several times over is a power."""
        factors = _factors(node)
        runs = [(key, len(list(run))) for key, run in groupby(factors, key=ast.dump)]
        if all(count == 1 for _, count in runs):
            return super().on_binop(node)
        by_key = {ast.dump(each): each for each in factors}
        pieces = [
            self.held(by_key[key], 4)
            if count == 1
            else f"{{{self.held(by_key[key], 8)}}}^{{{count}}}"
            for key, count in runs
        ]
        return self.times.join(pieces), 4 if len(pieces) > 1 else 6

    @staticmethod
    def partial(top, bottom):
        """The piece for the derivative of `top` by `bottom`."""
        return rf"\frac{{\partial {Latex.name(top)}}}{{\partial {Latex.name(bottom)}}}", 9

    def parenthesised(self, text):
        """The text in parentheses."""
        return rf"\left({text}\right)"

    def code(self, text):
        """Program text as this style shows it."""
        return self.name(text)

    def function(self, name):
        """The name of a function."""
        if name in self.known:
            return "\\" + name
        return self.functions.get(name) or rf"\operatorname{{{name.replace('_', '')}}}"

    def call(self, name, arguments):
        """name(a, b)."""
        if name == "exp":
            return f"e^{{{self.piece(arguments[0])[0]}}}", 6
        if name == "sqrt":
            return rf"\sqrt{{{self.piece(arguments[0])[0]}}}", 9
        if name in ("abs", "absolute"):
            return rf"\left|{self.piece(arguments[0])[0]}\right|", 9
        if name == "sum":
            return rf"\sum {self.held(arguments[0], 4)}", 4
        inside = ", ".join(self.piece(a)[0] for a in arguments)
        return rf"{self.function(name)}\left({inside}\right)", 9

    def fraction(self, over, under):
        """A quotient; `under` is the list of what is divided by, one after the other."""
        texts = [self.piece(each)[0] for each in under]
        if len(texts) > 1 and len(set(texts)) == 1:
            below = f"{self.held(under[0], 7)}^{{{len(texts)}}}"
        elif len(texts) > 1:
            below = self.times.join(self.held(each, 4) for each in under)
        else:
            below = texts[0]
        return rf"\frac{{{self.piece(over)[0]}}}{{{below}}}", 7

    def power(self, base, exponent):
        """base to the exponent."""
        return f"{{{self.held(base, 8)}}}^{{{self.piece(exponent)[0]}}}", 6

    def cases(self, test, yes, no):
        """`yes` where the test holds, else `no`."""
        rows = (self.piece(each)[0] for each in (yes, test, no))
        return r"\begin{{cases}} {} & {} \\ {} & \text{{else}} \end{{cases}}".format(*rows), 9

    def conjugate(self, argument):
        """The complex conjugate."""
        return rf"\overline{{{self.piece(argument)[0]}}}", 9


class _Renamed(ast.NodeTransformer):
    """Program text with the learner's names, where those are plain words."""

    def __init__(self, names):
        self.names = {name: text for name, (text, _) in names.items() if text.isidentifier()}

    def visit_Name(self, node):
        return ast.Name(self.names.get(node.id, node.id))


def _copy(node):
    return ast.parse(ast.unparse(node), mode="eval").body


def _chain(node):
    """a / b / c as (a, [b, c])."""
    under = []
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        under.insert(0, node.right)
        node = node.left
    return node, under


def _hidden(node):
    """Arguments that say nothing as mathematics: shapes, dtypes, keepdim, None, True."""
    if isinstance(node, ast.Constant):
        return node.value is None or isinstance(node.value, bool)
    return isinstance(node, ast.Name) and _HIDDEN.search(node.id) is not None


def _names(node):
    return [each for each in ast.walk(node) if isinstance(each, ast.Name)]


def _owner(node):
    """The input that a shape belongs to: `self` for `self_shape`."""
    shape = isinstance(node, ast.Name) and node.id.endswith("_shape")
    return ast.Name(node.id.removesuffix("_shape")) if shape else node


def _factors(node):
    """a * b * c as [a, b, c]."""
    factors = []
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        factors.insert(0, node.right)
        node = node.left
    return [node, *factors]
