"""W19: a checkpoint's forward runs again, and is watched."""

import gc
import json
import weakref

import pytest

import autodidact as torch
from autodidact import trace
from autodidact.trace.messages import paragraph
from autodidact.trace.record import Record
from autodidact.utils.checkpoint import checkpoint
from tests.trace.test_record import validator


def program(**options):
    """L = sum(exp(dropout(tanh(x))) ** 2), all but the square in a checkpoint."""
    calls = []

    def segment(x):
        calls.append(len(calls) + 1)
        h = torch.tanh(x)
        h = torch.nn.functional.dropout(h, 0.5, True)
        return torch.exp(h)

    torch.manual_seed(0)
    x = torch.tensor([1.0, 2.0, 3.0], dtype=torch.double, requires_grad=True)
    with trace.recording():
        y = checkpoint(segment, x, use_reentrant=False, **options)
        loss = (y * y).sum()
    return x, loss, calls


def recorded(**options):
    x, loss, calls = program(**options)
    return trace.record(loss, names={"x": x}), x, calls


def words(record, step):
    """Node -> the state of what it saved, in words."""
    text = record.text(step, "en").split("\n\n")[1].splitlines()[1:]
    return {line[2:4].strip(): line.split("  ")[-1].strip() for line in text}


def test_what_the_segment_saved_is_absent_until_it_is_computed_again():
    record, _, calls = recorded()
    assert calls == [1, 2]
    before, after = words(record, 2), words(record, 3)
    assert [before[k] for k in "345"] == ["absent"] * 3
    assert [after[k] for k in "345"] == ["freed (1 read)", "computed again", "computed again"]
    events = [e for e in record.state(3)["events"] if e["kind"] in ("again", "forward")]
    assert events[0]["args"] == {"runs": 2, "random": {"id": "again.same", "args": {}}}
    assert [e["args"]["text"] for e in events[1:]] == ["① = tanh(x)", "② = ① * (3,)", "③ = exp(…)"]
    assert "its forward ran again, 3 operations, run 2." in paragraph(record.state(3)["say"], "en")
    again = [k for k in range(len(record)) if any(
        e["kind"] == "again" for e in record.state(k)["events"])]
    assert again == [3]                                # once for the whole segment


def test_the_memory_curve_beside_the_one_without_a_checkpoint():
    record, _, _ = recorded()
    assert [size for size, _ in record.memory().backward()] == [24, 24, 0, 48, 24, 0, 0]
    assert [size for _, size, _ in record.memory().forward()] == [0, 0, 0, 24, 24]
    assert [record.state(k)["bytes"] for k in range(7)] == [24, 24, 0, 48, 24, 0, 0]
    x = torch.tensor([1.0, 2.0, 3.0], dtype=torch.double, requires_grad=True)
    with trace.recording():
        y = torch.exp(torch.tanh(x) * torch.ones(3, dtype=torch.double))
        loss = (y * y).sum()
    plain = trace.record(loss)
    assert max(size for size, _ in plain.memory().backward()) == 72
    assert "computed again in step 3" in record.memory().text()


def test_watching_changes_neither_gradients_nor_random_numbers_nor_calls():
    x, loss, calls = program()
    loss.backward()
    after = torch.rand(2)
    record, z, other = recorded()
    assert torch.equal(x.grad, z.grad) and calls == other == [1, 2]
    assert torch.equal(after, torch.rand(2)) and len(record) == 7


def test_a_random_state_that_is_not_kept_is_told():
    record, _, _ = recorded(preserve_rng_state=False)
    event = next(e for e in record.state(3)["events"] if e["kind"] == "again")
    assert event["args"]["random"]["id"] == "again.unknown"


@pytest.mark.parametrize("early", [True, False])
def test_with_and_without_the_early_stop(early):
    record, _, calls = recorded(early_stop=early)
    texts = [e["args"]["text"] for e in record.state(3)["events"] if e["kind"] == "forward"]
    assert len(texts) == 3 and calls == [1, 2]
    assert texts[-1] == ("③ = exp(…)" if early else "③ = exp(②)")


def test_the_record_keeps_to_the_schema_and_round_trips():
    record, _, _ = recorded()
    record.layout()
    validator().validate(json.loads(json.dumps({**record.head, "states": record.states})))
    again = Record.from_json(record.to_json())
    assert [again.text(k) for k in range(7)] == [record.text(k) for k in range(7)]
    for count in range(len(record.state(3)["events"])):
        assert again.text(3, event=count)


def test_the_frame_dies_with_its_graph():
    gc.collect()
    gc.disable()
    try:
        _, loss, _ = program()
        node = loss.grad_fn.next_functions[0][0].next_functions[0][0]
        place = weakref.ref(node.saved[0].packed)
        trace.record(loss)
        del loss, node
        assert place() is None
        recorder = trace.recorder.Recorder(program()[1])
        graph = weakref.ref(recorder.subject)
        del recorder
        assert graph() is None                         # no circle of task, names and graph
    finally:
        gc.enable()
