"""Bytes kept: counted once, told apart from parameters, and the table adds up to the curve."""

import re

import pytest

import autodidact as torch
import autodidact.nn.functional as F
from autodidact import nn, trace
from autodidact.trace.record import Record
from tests.trace import samples


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * g * x


def network(torch=torch, nn=nn, F=F, square=Square):
    """The network of the lessons: two linear layers, a custom Function, a loss."""
    torch.manual_seed(0)
    mlp = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
    return F.cross_entropy(square.apply(mlp(torch.ones(5, 4))), torch.tensor([0, 1, 2, 0, 1]))


@pytest.fixture
def memory():
    return trace.record(network()).memory()


def test_the_curve_rises_in_forward_and_falls_to_nothing(memory):
    assert [size for _, size, _ in memory.forward()] == [0, 80, 240, 240, 336, 396, 456, 496]
    assert [share for *_, share in memory.forward()] == [0, 0, 0, 0, 96, 96, 96, 96]
    down = [size for size, _ in memory.backward()]
    assert down == [496, 456, 396, 336, 240, 240, 240, 240, 80, 0, 0, 0, 0]
    assert down[0] == memory.forward()[-1][1]


def test_the_sum_of_the_table_is_the_curve_in_every_state(memory):
    for step in range(len(memory.record)):
        text = memory.text(step)
        rows = re.findall(r"(\d+) +kept", text)
        assert sum(map(int, rows)) == memory.at(step)[0]
        assert re.search(rf"kept now: {len(rows)} storages?, {memory.at(step)[0]} B", text)


def test_parameters_apart_is_what_the_states_say(memory):
    for step in range(len(memory.record)):
        size, share = memory.at(step)
        assert size - share == memory.record.state(step)["bytes"]


def test_torch_keeps_the_same_storages_but_for_the_total_weight(oracle, memory):
    import torch.nn.functional as oracle_F

    class OracleSquare(oracle.autograd.Function):
        forward, backward = Square.forward, Square.backward

    sizes = {}

    def pack(t):
        sizes[t.untyped_storage().data_ptr()] = t.untyped_storage().nbytes()
        return t

    with oracle.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        loss = network(oracle, oracle.nn, oracle_F, OracleSquare)
    assert loss is not None
    assert sorted(sizes.values()) == sorted([4, *(life["bytes"] for life in memory.lives())])


def test_retain_graph_keeps_the_curve_flat():
    memory = trace.record(network(), retain_graph=True).memory()
    assert {size for size, _ in memory.backward()} == {496}
    assert all(use["until"] is None for life in memory.lives() for use in life["entries"])


def test_two_entries_of_one_storage_count_once():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1
    memory = trace.record((y * y).sum()).memory()
    (life,) = (life for life in memory.lives() if len(life["entries"]) > 1)
    assert life["bytes"] == 8 and memory.at(0)[0] == sum(each["bytes"] for each in memory.lives())


@pytest.mark.parametrize("language", ["en", "ru"])
@pytest.mark.parametrize("name", samples.ALL)
def test_every_record_has_text_and_picture(name, language):
    record = Record(*samples.ALL[name]())
    for node in record.head["nodes"]:
        node["var"] = "<script>&"
    for step in range(len(record)):
        text = record.memory().text(step, language)
        assert "[memory." not in text and text.endswith("\n")
        picture = record.memory().svg(step, language)
        assert picture.startswith("<svg") and "<script" not in picture
