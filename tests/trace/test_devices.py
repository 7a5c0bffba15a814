"""Scene W21: where each array lives, and what crosses between devices, in record and text."""

import pytest

import autodidact as torch
from autodidact import trace
from autodidact.arrays import transfers
from autodidact.arrays.simulated import simulated_gpu
from autodidact.trace.record import Record


@pytest.fixture
def gpu():
    with simulated_gpu() as driver:
        yield driver


def program():
    """A leaf of the CPU, a matrix of the GPU, a loss there."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    w = torch.tensor([[1.0, 0.0], [0.0, 3.0]], device="cuda", requires_grad=True)
    y = w @ x.to("cuda")
    return x, w, (y * y).sum()


def test_every_node_says_its_device(gpu):
    x, w, loss = program()
    head = trace.record(loss, names={"x": x, "w": w}).head
    assert {node["var"] or node["name"]: node["device"] for node in head["nodes"]} == {
        "loss": "cuda:0", "MulBackward0": "cuda:0", "MvBackward0": "cuda:0", "w": "cuda:0",
        "ToCopyBackward0": "cuda:0", "x": "cpu"}
    assert head["simulated"] == ["cuda:0"]


def test_a_transfer_is_an_event_with_its_bytes(gpu):
    x, w, loss = program()
    record = trace.record(loss, names={"x": x, "w": w})
    crossed = [(record.state(k)["ran"], event["args"]) for k in range(len(record))
               for event in record.state(k)["events"] if event["kind"] == "transfer"]
    copy = next(n["id"] for n in record.head["nodes"] if n["name"] == "ToCopyBackward0")
    assert crossed == [(copy, {"from": "cuda:0", "to": "cpu", "bytes": "8 B"})]
    assert x.grad.tolist() == [2.0, 36.0] and x.grad.is_cpu and w.grad.is_cuda


def test_watching_is_no_transfer_and_no_race(gpu):
    x, w, loss = program()
    with transfers.watched() as crossed:
        trace.record(loss, names={"x": x, "w": w}).text()
    assert [str(t) for t in crossed] == ["cuda:0 -> cpu, 8 bytes"] and not gpu.races


def test_the_text_says_it(gpu):
    x, w, loss = program()
    record = trace.record(loss, names={"x": x, "w": w})
    texts = [record.text(k) for k in range(len(record))]
    assert "MulBackward0 on cuda:0" in texts[0] and "on cpu" in texts[0]
    assert "cuda:0: a simulated GPU; NumPy computes, nothing is faster" in texts[0]
    assert any("8 B copied from cuda:0 to cpu" in text for text in texts)
    assert Record.from_json(record.to_json()).text() == record.text()


def test_on_the_cpu_nothing_is_said():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    head = trace.record((x * x).sum()).head
    assert "simulated" not in head and not any("device" in node for node in head["nodes"])


def test_a_pass_on_meta_has_shapes_only():
    x = torch.ones(2, 3, device="meta", requires_grad=True)
    text = trace.record((x * x).sum()).text()
    assert "MulBackward0 on meta" in text and x.grad.is_meta
