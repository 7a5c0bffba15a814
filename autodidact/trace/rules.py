"""The rule of each edge: a row's formula with the learner's names, and with numbers put in."""

from typing import Any

from autodidact.ops.op import Kind
from autodidact.trace.formula import Rule, numbers, rule
from autodidact.trace.index import index_of
from autodidact.trace.mathml import mathml
from autodidact.trace.notes import note_of
from autodidact.trace.summary import number

__all__ = ["numbers_put_in", "rules"]

WORD_LIMIT = 12        # a plain argument is put into a formula up to this length


def rules(subject: Any, node: Any) -> list:
    """One rule for each edge of a node; none for a custom Function, whose backward is a program."""
    out = []
    for position, formula in formulas(node):
        edge = subject.edges.get((node, position))
        if edge is None:
            continue
        read = rule(formula, names(subject, node, position), real=real(node),
                    latex=(node.op.formula or {}).get(parameter(node, position)))
        dims = summed(node, position)
        told = as_json(summed_rule(read, dims) if dims else read)
        out.append({"edge": edge, **told, **({"over": list(dims)} if dims else {})})
    return out


def summed(node: Any, position: int) -> tuple:
    """The dimensions of the result along which this input was repeated (broadcast).

    The engine sums the gradient over them on its way.
    """
    consumer, slot = node.next[position], node.nrs[position]
    if consumer is None or Kind.ELEMENTWISE not in (node.op.kind or Kind(0)):
        return ()
    shape = consumer.outputs[slot][0] if consumer.outputs else consumer.shape
    lead = len(node.shape) - len(shape)
    return tuple(range(lead)) + tuple(
        i + lead for i, n in enumerate(shape) if n == 1 and node.shape[i + lead] != 1)


def summed_rule(read: Rule, dims: tuple) -> Rule:
    """A rule with the sum over repeated dimensions around it."""
    one = ", ".join(map(str, dims))
    latex = read.latex and rf"\sum_{{\mathrm{{dim}}\,{one}}} {read.latex}"
    return Rule(latex, f"sum({read.text}, dim={one if len(dims) == 1 else f'({one})'})")


def as_json(read: Rule) -> dict:
    """A rule as a record holds it."""
    return {"latex": read.latex, "mathml": mathml(read.latex) if read.latex else None,
            "text": read.text}


def numbers_put_in(subject: Any, node: Any, position: int, state: dict) -> str | None:
    """The rule with values in place of names, where all of them are single numbers: "16 * 3"."""
    formula = dict(formulas(node)).get(position)
    if formula is None:
        return None
    told = index_of(subject).nodes[subject.ids[node]]
    values = plain_arguments(node, position)
    for entry in told["saved"]:
        if entry["value"] is not None and entry["value"]["label"] == "value":
            values[entry["name"]] = entry["value"]["text"]
    arrived = state["total"][told["id"]][0]
    if arrived is not None and arrived["label"] == "value":
        values["grad"] = arrived["text"]
    shown = numbers(formula, values, real=real(node))
    return None if shown is not None and shown.lstrip("-").replace(".", "").isdigit() else shown


def formulas(node: Any) -> list:
    """(position, formula) of a node's edges; for a view its way back, or the word for it."""
    op = node.op
    if op is None:
        return []
    if hasattr(node.plan, "formulas"):
        return list(enumerate(node.plan.formulas))
    if hasattr(op, "inverse"):
        return [(0, op.inverse or op.adjoint or "scatter")]
    return []


def parameter(node: Any, position: int) -> str:
    """What the row calls the input at a position."""
    op = node.op
    if op.variadic:
        return op.inputs[0]
    wanted = [name for i, name in enumerate(op.inputs) if op.differentiable(i)]
    return wanted[position] if position < len(wanted) else op.inputs[0]


def names(subject: Any, node: Any, position: int) -> dict:
    """What the learner calls each parameter of the formula at a position."""
    op, own = node.op, subject.names.of(node)
    out = plain_arguments(node, position)
    if not op.variadic:
        edges = (i for i in range(len(op.inputs)) if op.differentiable(i))
        for at, i in enumerate(edges):
            if at < len(node.next):
                out[op.inputs[i]] = subject.names.of_input(node, at)
    for _, entry in subject.entries.get(node, ()):
        value = entry["value"]
        known = entry["var"] or out.get(entry["name"])
        if known is None and value is not None and value["label"] == "value":
            known = value["text"]
        out[entry["name"]] = known
    if own is not None:
        out |= {name: own for name in op.outputs[:1]}
    grad = gradient_name(subject.root, own or part_of_line(node))
    return {**{key: text for key, text in out.items() if text}, "grad": grad, "grads": grad}


def gradient_name(root: str | None, own: str | None) -> str:
    """∂L/∂c; just "grad" where the value has no name."""
    return f"∂{root or 'output'}/∂{own}" if own else "grad"


def part_of_line(node: Any) -> str | None:
    """The short program text of an operation without a variable, in parentheses: (h * u)."""
    note = note_of(node)
    source = note.source if note else None
    if source is None or len(source) > WORD_LIMIT or "=" in source:
        return None
    return f"({source})"


def plain_arguments(node: Any, position: int) -> dict:
    """Arguments that are no tensors, as short text: `alpha` 2, `dim` 0."""
    out = {"k": str(position)}
    given = zip(getattr(node.plan, "names", ())[-len(node.args):], node.args, strict=False)
    for name, value in given if node.args else ():
        word = number(value) if isinstance(value, (int, float, complex)) else str(value)
        if len(word) <= WORD_LIMIT and not name.endswith(("_shape", "_dtype")):
            out[name] = word
    return out


def real(node: Any) -> bool:
    """Whether a node's values are real numbers: then conjugates say nothing."""
    pairs = node.outputs or [(node.shape, node.dtype)]
    return all(pair is None or pair[1].kind != "c" for pair in pairs)
