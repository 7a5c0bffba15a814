"""W18: where a second derivative gets cut."""

import json

import pytest
from autodidact_widgets import compare, show

import autodidact as torch
from autodidact import trace
from autodidact.trace.record import Record
from tests.trace.sinh import ALL, Intermediates, Once, first, leaf
from tests.trace.test_record import validator


def cuts(record):
    return [(c["kind"], c["why"]["id"]) for c in record.state(-1).get("cuts", {}).values()]


def passes(make):
    """The record of a pass with create_graph, its leaf, and the loss."""
    x = leaf()
    loss = make(x)
    return trace.record(loss, create_graph=True), x


@pytest.mark.parametrize("name, kind", [
    ("inputs", []), ("intermediates", [("plain", "cut.saved")]), ("returned", []),
    ("once", [("plain", "cut.once")]),
])
def test_which_version_of_sinh_keeps_its_graph(name, kind):
    record, x = passes(lambda x: first(ALL[name].apply(x)))
    assert cuts(record) == kind
    assert x.grad.requires_grad == (not kind)
    assert ("lost on the way" in record.text()) == bool(kind)
    plain = trace.record(first(ALL[name].apply(leaf())))
    assert cuts(plain) == []                                  # without create_graph nothing is lost


def test_where_the_incoming_gradient_has_a_graph_a_part_is_lost_or_an_error_node_comes():
    record, x = passes(lambda x: Intermediates.apply(x) ** 2)
    assert cuts(record) == [("part", "cut.saved")] and x.grad.requires_grad
    record, x = passes(lambda x: Once.apply(x) ** 2)
    assert cuts(record) == [("error", "cut.once")]
    made = [each["name"] for each in record.state(-1)["second"].values()]
    assert "Error" in made
    second = trace.record(x.grad)
    assert second.state(-1)["error"]["class"] == "RuntimeError"
    assert "once_differentiable" in second.state(-1)["error"]["message"]


class Cube(torch.autograd.Function):
    """x ** 3, once_differentiable: its second derivative at 1 is 6."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 3 * x**2


def test_the_silent_partial_result_and_the_warning_that_can_be_switched_on():
    """x ** 3 + x ** 2 at 1: the second derivative is 8, what comes out is 2."""
    x = leaf()
    stepper = show(Cube.apply(x) + x**2, create_graph=True)
    stepper.finish()
    second = stepper.second("x")
    second.finish()
    assert second.record.as_reference()["final"]["grad"] == {"x": [2.0]}
    assert "Warning" not in stepper.text()
    stepper.warnings = True
    assert "a second derivative leaves out what goes through CubeBackward #" in stepper.text()
    stepper.set_state({"warnings": "yes", "position": True})
    assert stepper.warnings is True


def test_the_four_versions_in_lock_step():
    def run(name):
        x = leaf()
        y = first(ALL[name].apply(x))
        return [show(y, create_graph=True), "x.grad"]

    both = compare(*map(run, ALL), labels=list(ALL))
    both.finish()
    text = both.text()
    assert text.count("x.grad has no graph: no second pass") == 2
    row = next(row for row in both.comparison.differences() if row["kind"] == "cut")
    assert [cell["id"] for cell in row["cells"]] == [
        "compare.linked", "compare.lost", "compare.linked", "compare.lost"]
    assert "x.grad   1.1752   1.54308         1.1752     1.54308" in text
    both.close()


def test_the_record_keeps_to_the_schema_and_round_trips():
    record, _ = passes(lambda x: Intermediates.apply(x) ** 2)
    record.layout()
    validator().validate(json.loads(json.dumps({**record.head, "states": record.states})))
    again = Record.from_json(record.to_json())
    assert [again.text(k) for k in range(4)] == [record.text(k) for k in range(4)]


def test_watching_changes_no_gradient():
    for name, function in ALL.items():
        x, z = leaf(), leaf()
        first(function.apply(x)).backward(create_graph=True)
        trace.record(first(function.apply(z)), create_graph=True)
        assert x.grad.item() == z.grad.item() and x.grad.requires_grad == z.grad.requires_grad, name
