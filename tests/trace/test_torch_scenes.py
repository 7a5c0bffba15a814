"""W14, W16 to W19 on PyTorch's own engine: what it gives is shown, what not is said."""

import json

import pytest

from autodidact.trace.torch_bridge import TorchRecorder
from tests.trace.test_record import validator

pytestmark = pytest.mark.oracle


@pytest.fixture(params=[False, True], ids=["pause", "hand"])
def by_hand(request):
    return request.param


def stepped(loss, found, **options):
    """The record of a whole pass, valid in every state."""
    recorder = TorchRecorder(loss, found=found, **options)
    recorder.run()
    record = recorder.record
    validator().validate(json.loads(json.dumps({**record.head, "states": record.states})))
    return record


def cube(torch, once):
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            square = x * x
            ctx.save_for_backward(square)
            return square * x

        @staticmethod
        def backward(ctx, grad):
            return grad * 3 * ctx.saved_tensors[0]

    if once:
        marked = torch.autograd.function.once_differentiable(Cube.__dict__["backward"].__func__)
        Cube.backward = staticmethod(marked)
    return Cube


def test_w14_a_write_through_a_view(oracle, by_hand):
    x = oracle.tensor(2.0, requires_grad=True)
    base = oracle.ones(3)
    part, apart = base[1:], base.detach()
    base[1] = x * x
    record = stepped(base.sum(), {"x": x, "base": base, "part": part, "apart": apart},
                     copy=by_hand)
    (family,) = record.head["families"]
    kinds = {each["name"]: each["kind"] for each in family["members"]}
    assert kinds == {"base": "base", "part": "view", "apart": "alias"}
    text = record.text(0)
    assert "part    view          shared with base" in text
    assert "apart   same memory   not visible here   1" in text
    copies = next(node for node in record.head["nodes"] if node["name"] == "CopySlices")
    assert copies["writes"] == {"cells": None, "count": None, "size": 3}
    assert "base as it was" in text


def test_w16_what_a_pack_hook_has_made_of_a_tensor(oracle, by_hand):
    looks = []

    def out(packed):
        looks.append(packed)
        return packed[1]

    x = oracle.tensor(2.0, requires_grad=True)
    with oracle.autograd.graph.saved_tensors_hooks(lambda t: ("kept", t.detach()), out):
        loss = x * x
    recorder = TorchRecorder(loss, found={"x": x}, copy=by_hand)
    text = recorder.record.text()
    assert looks == []
    assert "packed: tuple (str 'kept', Tensor), given back by out" in text
    assert "version check off" in text
    recorder.run()
    assert "unpacked self by out" in recorder.record.text(1) and len(looks) == 2


def test_w17_the_second_graph_is_seen_as_it_grows(oracle, by_hand):
    x = oracle.tensor(2.0, requires_grad=True)
    record = stepped(3 * x ** 2, {"x": x}, create_graph=True, copy=by_hand)
    made = [record.state(k).get("second", {}) for k in range(len(record))]
    assert made[0] == {} and made[1] == {}
    assert [each["name"] for each in made[2].values()] == [
        "PowBackward0", "MulBackward1", "MulBackward0"]
    assert [each["text"] for each in made[2].values()] == [
        "① = pow(x)", "② = mul(①)", "③ = mul(…, ②)"]
    assert [each["to"] for each in made[2].values()] == [["n2"], ["b1"], ["b2"]]
    assert made[2]["b3"]["value"]["text"] == "12" and made[2]["b1"]["value"] is None
    assert len(made[3]) == len(made[2]) + 1 and "④" in made[3]["b4"]["text"]
    assert "Not visible here: operands of the second graph" in record.text()
    assert "Second graph" in record.svg() and "not visible here: operands" not in record.text(0)
    first = stepped(3 * x ** 2, {"x": x}, copy=by_hand)
    assert not any("second" in state for state in first.states)


@pytest.mark.parametrize("once", [False, True])
def test_w18_where_a_second_derivative_is_cut(oracle, by_hand, once):
    x = oracle.tensor(2.0, requires_grad=True)
    y = cube(oracle, once).apply(x)
    record = stepped(y + x ** 2, {"x": x, "y": y}, create_graph=True, copy=by_hand)
    (lost,) = record.state(-1)["cuts"].values()
    assert lost["kind"] == "plain"
    assert lost["why"]["id"] == ("cut.once" if once else "cut.saved")
    linked = stepped(x ** 3 + x ** 2, {"x": x}, create_graph=True, copy=by_hand)
    assert "cuts" not in linked.state(-1)


def test_w18_an_error_node_when_the_gradient_requires_grad(oracle, by_hand):
    x = oracle.tensor(2.0, requires_grad=True)
    start = oracle.tensor(1.0, requires_grad=True)
    y = cube(oracle, True).apply(x) * start
    record = stepped(y, {"x": x, "start": start}, create_graph=True, copy=by_hand)
    kinds = [each["kind"] for each in record.state(-1)["cuts"].values()]
    assert kinds == ["error"]
    assert "a node that refuses a second pass" in record.text()
    assert any(each["text"].endswith("once_differentiable")
               for each in record.state(-1)["second"].values())


def test_w19_a_checkpoint_runs_forward_again(oracle, by_hand):
    calls = []

    def segment(t):
        calls.append(1)
        return (t * t).exp()

    x = oracle.tensor(0.5, requires_grad=True)
    loss = oracle.utils.checkpoint.checkpoint(segment, x, use_reentrant=False)
    record = stepped(loss, {"x": x, "loss": loss}, copy=by_hand)
    assert record.text(0).count("absent") >= 2
    state = record.state(1)
    (again,) = [event for event in state["events"] if event["kind"] == "again"]
    assert again["args"]["runs"] == 2 <= len(calls)
    assert "operations and random state not visible here" in record.text(1)
    assert state["say"][1]["id"] == "step.again_hidden"
    assert "computed again" in record.text(1)
    if not by_hand:
        assert len(calls) == 2 and x.grad.item() == pytest.approx(1.2840254)
        assert not any(event["kind"] == "again" for event in record.state(2)["events"])


def test_looking_changes_nothing_under_create_graph(oracle):
    def program():
        x = oracle.tensor(2.0, requires_grad=True)
        return x, cube(oracle, False).apply(x) * x ** 2

    x, loss = program()
    loss.backward(create_graph=True)
    seen, other = program()
    record = stepped(other, {"x": seen}, create_graph=True)
    assert record.state(-1)["end"] == "ok" and seen.grad.item() == x.grad.item()
    second, wanted = (oracle.autograd.grad(each.grad, each)[0] for each in (seen, x))
    assert second.item() == wanted.item()
