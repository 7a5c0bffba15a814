"""A custom backward, line by line: what the record tells, and that looking changes nothing."""

import gc
import json
import sys
import weakref

import pytest

import autodidact as torch
from autodidact import trace
from autodidact.autograd.function import once_differentiable
from tests.trace.test_record import validator


class Blend(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        m = x * factor
        out = m * x
        ctx.save_for_backward(x, m, out)
        ctx.factor = factor
        return out

    @staticmethod
    def backward(ctx, grad):
        x, m, out = ctx.saved_tensors               # noqa: RUF059
        slope = 2 * x * ctx.factor
        return grad * slope, None


def blended(function=Blend, value=2.0):
    x = torch.tensor(value, requires_grad=True)
    with trace.recording():
        y = function.apply(x, 3.0)
        L = y.sum() if y.dim() else y * 5
    return x, L


def broken(body):
    """A Function whose backward is `body`."""
    return type("Broken", (torch.autograd.Function,), {
        "forward": Blend.forward, "backward": staticmethod(body)})


def kinds(record, k):
    return [event["kind"] for event in record.state(k)["events"]]


def test_lines_saved_tensors_and_results_are_events_in_their_order():
    _x, L = blended()
    record = trace.record(L)
    assert kinds(record, 2) == [
        "line", *["unpack"] * 3, "line", "line", "return", *["free"] * 3, "send"]
    events = record.state(2)["events"]
    lines = [event["args"] for event in events if event["kind"] == "line"]
    assert [line["code"] for line in lines] == [
        "x, m, out = ctx.saved_tensors               # noqa: RUF059", "slope = 2 * x * ctx.factor",
        "return grad * slope, None"]
    assert [line["set"] for line in lines] == [
        [["grad", "5"]], [["x", "2"], ["m", "6"], ["out", "12"]], [["slope", "12"]]]
    assert [lines[0]["line"] + k for k in range(3)] == [line["line"] for line in lines]
    assert events[6]["args"] == {"what": ["60", "None"]}
    node = record.head["nodes"][1]
    assert node["context"] == [["factor", "3.0"]]
    assert [entry["role"] for entry in node["saved"]] == ["input", "intermediate", "output"]
    assert node["program"]["lines"][1] == "def backward(ctx, grad):"
    assert "0 input" in record.text(1) and "on ctx      factor = 3.0" in record.text(1)
    validator().validate(json.loads(record.to_json()))


@pytest.mark.parametrize("body, sentence, line", [
    (lambda ctx, grad: grad, "returned 1 gradients; 2 were expected", None),
    (lambda ctx, grad: 1 / 0, "stopped with ZeroDivisionError", "It stopped in line"),
])
def test_a_wrong_backward_stops_at_its_node_with_the_reason(body, sentence, line):
    _x, L = blended(broken(body))
    record = trace.record(L)
    state = record.state(-1)
    assert state["error"]["node"] == "n1" and state["status"]["n1"] == "failed"
    assert sentence in record.text()
    assert (line in record.text()) if line else ("It stopped in line" not in record.text())
    validator().validate(json.loads(record.to_json()))


def test_a_gradient_of_a_wrong_shape_stops_at_the_node_that_returned_it():
    _x, L = blended(broken(lambda ctx, grad: (torch.ones(3), None)), [2.0, 3.0])
    record = trace.record(L)
    assert record.state(-1)["error"]["node"] == "n1"
    assert "y returned a gradient of shape (3,); shape (2,) was expected." in record.text()


def test_looking_changes_nothing():
    def run(watch):
        seen = []

        def backward(ctx, grad):
            x, m, _ = ctx.saved_tensors
            gone = weakref.ref(ctx.saved_tensors[2])
            gc.collect()
            seen.append((gone() is None, sys.gettrace() is None))
            m = x * 3
            del x
            return grad * 2 * m, None

        unpacked = []
        with torch.autograd.graph.saved_tensors_hooks(
                lambda t: t.clone(), lambda t: unpacked.append(1) or t):
            x, L = blended(broken(backward))
        watch(L)
        return x.grad.item(), x._version, seen[0][0], len(unpacked)
    assert run(trace.record) == run(lambda loss: loss.backward()) == (60.0, 0, True, 6)
    assert sys.gettrace() is None


def test_a_tracer_that_is_already_there_is_left_alone():
    seen = []

    def tracer(frame, what, arg):
        seen.append(frame.f_code.co_name)
        return None

    _x, L = blended()
    recorder = trace.stepper.Recorder(L)
    sys.settrace(tracer)
    try:
        recorder.run()
        assert sys.gettrace() is tracer
    finally:
        sys.settrace(None)
    assert "backward" in seen and kinds(recorder.record, 2)[0] == "unpack"


def test_a_decorated_backward_and_one_raising_and_catching():
    @once_differentiable
    def backward(ctx, grad):
        try:
            raise KeyError("inside")
        except KeyError:
            grad = grad * 2
        return grad, None

    _x, L = blended(broken(backward))
    record = trace.record(L)
    assert kinds(record, 2).count("line") == 5 and "return" in kinds(record, 2)
    assert record.state(-1)["grads"]["n2"]["value"]["text"] == "10"
