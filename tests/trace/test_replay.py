"""Inside a step: every moment is a state, and the last moment of a step is the recorded one."""

import json

import pytest

import autodidact as torch
from autodidact import trace
from tests.trace.test_record import validator


def diamond(**options):
    a = torch.tensor(2.0, dtype=torch.double, requires_grad=True)
    b = torch.tensor(3.0, dtype=torch.double, requires_grad=True)
    with trace.recording():
        c = a * b
        d = c + a
        L = d * d
    return trace.record(L, **options)


def hooked():
    x = torch.tensor([2.0, 3.0], requires_grad=True)
    with trace.recording():
        y = x * x
        L = (y * 2).sum()

    def clip(grad):
        return grad.clamp(max=1)

    def look(grads):
        return None

    def times_ten(results, grads):
        return tuple(r * 10 for r in results)

    y.register_hook(clip)
    y.grad_fn.register_prehook(look)
    y.grad_fn.register_hook(times_ten)
    x.register_hook(lambda g: g * 2)
    x.register_post_accumulate_grad_hook(look)
    return trace.record(L)


@pytest.mark.parametrize("make", [diamond, hooked, lambda: diamond(retain_graph=True)])
def test_every_moment_lies_between_the_states_around_it(make):
    record = make()
    for k in range(1, len(record)):
        after, count = record.state(k), len(record.state(k)["events"])
        assert record.moment(k, count) == record.moment(k) == after
        seen = []
        for event in range(count):
            state = record.moment(k, event)
            assert state["part"] == {"done": event, "of": count}
            assert state["next"] == state["ran"] == after["ran"]
            assert state["events"] == after["events"][:event]
            plain = {key: value for key, value in state.items() if key != "part"}
            validator("state").validate(json.loads(json.dumps(plain)))
            seen.append(sum(len(slot) for slots in state["received"].values() for slot in slots))
            record.text(k, event=event)
        assert seen == sorted(seen)


def test_a_sum_grows_contribution_by_contribution():
    record = diamond()
    totals = []
    for event in range(len(record.state(1)["events"]) + 1):
        totals.append(record.moment(1, event)["total"]["n1"][0])
    assert [t and t["text"] for t in totals] == [None, None, None, None, None, "8", "16"]
    record = diamond(gradient=torch.tensor(2.0, dtype=torch.double))
    assert [e["total"]["text"] for e in record.state(1)["events"] if "total" in e] == ["16"]


def test_freed_bytes_go_event_by_event():
    x = torch.ones(4, requires_grad=True)
    with trace.recording():
        u, v = x * 1, x * 1
        L = (u * v).sum()
    record = trace.record(L)
    kinds = [e["kind"] for e in record.state(2)["events"]]
    assert kinds[:4] == ["unpack", "unpack", "free", "free"]
    assert [record.moment(2, e)["bytes"] for e in (2, 3, 4)] == [32, 16, 0]


def test_hooks_are_events_in_the_order_in_which_the_engine_calls_them():
    record = hooked()
    said = [(e["args"]["hook"]["id"], e["args"].get("before"), e["args"].get("after"))
            for k in (3, 4) for e in record.state(k)["events"] if e["kind"] == "hook"]
    assert said == [
        ("hook.tensor", "[2, 2]", "[1, 1]"), ("hook.pre", None, None),
        ("hook.post", ["[2, 3]", "[2, 3]"], ["[20, 30]", "[20, 30]"]),
        ("hook.tensor", "[40, 60]", "[80, 120]"), ("hook.accumulate", None, None)]
    kinds = [e["kind"] for e in record.state(3)["events"]]
    assert kinds == ["hook", "hook", "unpack", "unpack", "hook", "free", "free", "send", "send"]
    assert [e["kind"] for e in record.state(4)["events"]] == ["hook", "accumulate", "hook"]
    assert "tensor hook clip on y: [2, 2] -> [1, 1]" in record.text(3)
    assert "hooks on y: tensor hook clip, prehook look and node hook times_ten" in record.text(0)
    validator().validate(json.loads(record.to_json()))


def test_watching_hooks_calls_each_once_and_leaves_the_gradients_as_they_are():
    def run(watch):
        calls = []
        x = torch.tensor([2.0, 3.0], requires_grad=True)
        y = x * x
        y.register_hook(lambda g: calls.append("tensor") or g * 3)
        y.grad_fn.register_prehook(lambda g: calls.append("pre"))
        y.grad_fn.register_hook(lambda r, g: calls.append("post"))
        y.retain_grad()
        first = x.register_hook(lambda g: (calls.append("leaf"), first.remove())[0])
        x.register_hook(lambda g: calls.append("second"))
        x.register_post_accumulate_grad_hook(lambda t: calls.append("accumulated"))
        watch(y.sum())
        return calls, x.grad.tolist(), y.grad.tolist(), x._version, len(x._hooks.tensor[0])
    assert run(trace.record) == run(lambda loss: loss.backward())


def test_a_hook_that_is_taken_away_loses_its_mark():
    x = torch.tensor(2.0, requires_grad=True)
    y = x * x
    handle = y.register_hook(lambda g: g)
    y2 = y * 1
    y2.register_hook(lambda g: handle.remove())
    record = trace.record(y2)
    assert len(record.state(0)["hooks"]["n1"]) == 1 and record.state(1)["hooks"]["n1"] == []


def test_an_exception_in_a_hook_stops_at_its_node():
    x = torch.tensor(2.0, requires_grad=True)
    with trace.recording():
        y = x * x

    def broken(grad):
        raise KeyError("lost")

    y.register_hook(broken)
    record = trace.record(y * 1)
    state = record.state(-1)
    assert state["error"]["class"] == "KeyError" and state["error"]["node"] == "n1"
    assert "tensor hook broken on y stopped with KeyError" in record.text()
    assert [e["kind"] for e in state["events"]] == ["hook", "error"]
    assert state["saved"]["s1"]["state"] == "kept"
