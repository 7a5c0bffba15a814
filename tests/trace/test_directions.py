"""W20: a pass in many directions at once, stepped; the same numbers as PyTorch's."""

import json

import pytest

pytest.importorskip("anywidget")

from autodidact_widgets import gate, show

import autodidact
from autodidact import trace
from autodidact.autograd.grad_mode import mode
from autodidact.trace.messages import paragraph
from tests.trace.test_record import validator

DIRECTIONS = [[1.0, 0.0], [0.0, 1.0], [2.0, 3.0]]


def program(library, calls=None):
    """x, y, z and w with dw/dx = 12 * x * x: y goes two ways, its backward is the learner's own."""
    class Cube(library.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x * x

        @staticmethod
        def backward(ctx, grad):
            if calls is not None:
                calls.append(tuple(grad.shape))
            (x,) = ctx.saved_tensors
            return 3 * x * x * grad

    x = library.tensor([1.0, 2.0], dtype=library.double, requires_grad=True)
    with trace.recording():
        y = Cube.apply(x)
        z = y * 3
        w = z + y
    return x, y, z, w


def matrix(library):
    return library.tensor(DIRECTIONS, dtype=library.double)


def at(record, var, step=-1):
    """(what has arrived at a node, its status) in a state, by the node's variable."""
    state = record.state(step)
    node = next(n for n in record.head["nodes"] if n["var"] == var)
    total = state["total"][node["id"]][0]
    return total and total["values"], state["status"][node["id"]]


def valid(record):
    validator().validate(json.loads(record.to_json()))
    return record


def test_the_numbers_are_pytorchs():
    torch = pytest.importorskip("torch")
    theirs, ours = [], []
    x, *_, w = program(torch, theirs)
    (expected,) = torch.autograd.grad(w, x, matrix(torch), is_grads_batched=True)
    x, *_, w = program(autodidact, ours)
    record = valid(trace.record(w, gradient=matrix(autodidact), inputs=[x], is_grads_batched=True))
    values, status = at(record, "x")
    assert values == expected.tolist() and status == "skipped"
    assert ours == theirs == [(2,)]                        # the learner's backward: once, for one
    assert record.head["options"]["directions"] == 3 and record.head["options"]["returns"]
    assert x.grad is None


@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("copy", [False, True])
def test_one_pass_in_which_every_slot_has_a_row_for_each_direction(copy, create_graph):
    calls = []
    x, y, z, w = program(autodidact, calls)                 # noqa: RUF059
    stepper = show(w, gradient=matrix(autodidact), inputs=[x], is_grads_batched=True, copy=copy,
                   create_graph=create_graph)
    assert at(stepper.record, "w")[0] == DIRECTIONS
    stepper.step()
    assert mode.stack == ()                                # between two steps nothing is special
    assert at(stepper.record, "y")[0] == DIRECTIONS        # one of two has come
    stepper.step()
    assert at(stepper.record, "y")[0] == [[4, 0], [0, 4], [8, 12]]
    stepper.finish()
    assert calls == [(2,)]
    assert at(stepper.record, "x")[0] == [[12, 0], [0, 48], [24, 144]]
    valid(stepper.record)
    assert mode.stack == () and x.grad is None


def test_what_will_be_sent_is_known_before_and_comes_so():
    x = autodidact.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    v = autodidact.tensor([1.0, -1.0], requires_grad=True)
    with trace.recording():
        p = x @ v
        q = (p * v).sum()                              # broadcast, summed, reduced
    given = autodidact.tensor([1.0, 10.0])
    record = valid(trace.record(q, gradient=given, inputs=[x, v], is_grads_batched=True))
    known = 0
    for k in range(len(record) - 1):
        for edge, told in record.state(k)["predicted"].items():
            sent = record.state(k + 1)["sent"][edge]
            assert told["value"] == sent and sent["shape"][0] == 2
            known += 1
    assert known >= 4
    (plain,) = autodidact.autograd.grad((x @ v * v).sum(), v)
    assert at(record, "v")[0] == [plain.tolist(), (plain * 10).tolist()]


def test_hooks_see_one_direction_and_the_view_shows_all():
    x, *_, w = program(autodidact)
    shapes = []
    w.register_hook(lambda g: shapes.append(tuple(g.shape)) or g * 2)
    stepper = show(w, gradient=matrix(autodidact), inputs=[x], is_grads_batched=True)
    stepper.step()
    assert shapes == [(2,)]
    (hook,) = (e for e in stepper.record.state(1)["events"] if e["kind"] == "hook")
    assert hook["args"]["before"] == "[[1, 0], [0, 1], [2, 3]]"
    assert hook["args"]["after"] == "[[2, 0], [0, 2], [4, 6]]"


def test_a_changed_gradient_goes_on_in_every_direction():
    x, y, z, w = program(autodidact)                        # noqa: RUF059
    stepper = show(w, gradient=matrix(autodidact), inputs=[x], is_grads_batched=True)
    other = stepper.step().edit("z", lambda g: g * 10)
    other.finish()
    stepper.finish()
    assert at(stepper.record, "x")[0] == [[12, 0], [0, 48], [24, 144]]
    assert at(other.record, "x")[0] == [[93, 0], [0, 372], [186, 1116]]


@pytest.mark.parametrize(("language", "words"), [
    ("en", "backward pass of w, 3 directions at once and returned for x"),
    ("ru", "обратный проход от w, 3 направления сразу и возвращается для x")])
def test_text_and_picture_say_how_many(language, words):
    x, *_, w = program(autodidact)
    stepper = show(w, gradient=matrix(autodidact), inputs=[x], is_grads_batched=True)
    record = stepper.record
    text = record.text(0, language)
    assert words in text and "[[1, 0], [0, 1], [2, 3]]" in text
    assert ("3 directions" if language == "en" else "3 направления") in record.svg(0, language)
    if language == "en":
        assert "the first dimension of each gradient counts them" in text
        assert "3 directions at once" in paragraph(record.state(0)["say"])


@pytest.mark.parametrize("create_graph", [False, True])
def test_debug_stops_such_a_pass_and_changes_nothing(monkeypatch, create_graph):
    x, *_, w = program(autodidact)
    given = {"grad_outputs": matrix(autodidact), "is_grads_batched": True,
             "create_graph": create_graph}
    (plain,) = autodidact.autograd.grad(w, x, **given)
    monkeypatch.setattr(gate, "place", lambda: "terminal")
    asked, answers = [], iter(["", "", ""])
    monkeypatch.setattr("builtins.input", lambda question: asked.append(question) or next(answers))
    x, *_, w = program(autodidact)
    with autodidact.debug() as session:
        (found,) = autodidact.autograd.grad(w, x, **given)
    assert found.tolist() == plain.tolist() == [[12, 0], [0, 48], [24, 144]]
    assert found.requires_grad == plain.requires_grad == create_graph
    (record,) = session.passes
    assert at(valid(record), "x")[0] == found.tolist()
    assert len(asked) == 3 and "3 directions at once" in asked[0]
    if create_graph:                                       # and what it gave can be differentiated
        (second,) = autodidact.autograd.grad(found[0, 0], x)
        assert second.tolist() == [24, 0]


def test_wrong_gradients_are_refused_as_by_grad():
    x, *_, w = program(autodidact)
    with pytest.raises(RuntimeError, match="is_grads_batched=True"):
        show(w, gradient=autodidact.ones(3), inputs=[x], is_grads_batched=True)
    assert mode.stack == ()


def test_of_pytorchs_tensors_one_sentence_says_why_not():
    torch = pytest.importorskip("torch")
    x = torch.ones(2, requires_grad=True)
    w = x * 2
    notice = show(w, gradient=torch.eye(2), inputs=[x], is_grads_batched=True)
    assert "w is a tensor of PyTorch's" in notice.text() and x.grad is None


class One(autodidact.autograd.Function):
    """Its gradient is 1, whatever comes: a tensor without a row for each direction."""

    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return autodidact.ones(2)


def test_a_gradient_that_all_directions_share_stands_in_every_row():
    x = autodidact.tensor([1.0, 2.0], requires_grad=True)
    with trace.recording():
        h = x * 3
        y = One.apply(h)
        z = y + x
    record = valid(trace.record([z, y.sum()], gradient=[autodidact.eye(2), autodidact.ones(2)],
                                inputs=[x], is_grads_batched=True))
    assert at(record, "h")[0] == [[1, 1], [1, 1]]
    assert at(record, "x")[0] == [[4, 3], [3, 4]]
