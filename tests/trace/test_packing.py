"""A packed record is the same record, only shorter."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import autodidact as torch
from autodidact import trace
from autodidact.trace.packing import packed, unpacked
from autodidact.trace.record import Record

plain = st.recursive(
    st.none() | st.booleans() | st.integers(0, 3) | st.sampled_from(["", "$", "long " * 9]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abcd"), inner),
    max_leaves=40,
)


@given(st.dictionaries(st.sampled_from(["nodes", "states", "x"]), plain))
def test_unpacking_gives_back_what_was_packed(data):
    slim = json.loads(json.dumps(packed(data)))
    assert unpacked(slim) == json.loads(json.dumps(data))


def test_what_occurs_twice_is_written_once():
    part = {"text": "a long formula", "values": list(range(10))}
    slim = packed({"a": [part, part], "b": part})
    assert slim["pool"] == [part] and slim["a"] == [{"$": 0}, {"$": 0}] and slim["b"] == {"$": 0}
    rows = [{"x": i, "y": i, "z": i} for i in range(2)]
    assert packed({"rows": rows}) == {
        "pool": [], "names": [["x", "y", "z"]], "rows": [{"$": [0, i, i, i]} for i in range(2)]}


@pytest.mark.parametrize("pool", [[{"$": 0}], [{"$": -1}], [{"$": "x"}], [1, {"$": 7}], 3, None])
def test_a_broken_pool_is_told(pool):
    with pytest.raises(ValueError, match="pool is broken"):
        unpacked({"pool": pool, "names": [["a"]], "nodes": [{"$": 1}]})


@pytest.mark.parametrize("place", [[], [4, 1], [0, 1, 2], ["x"]])
def test_names_that_are_not_there_are_told(place):
    with pytest.raises(ValueError, match="pool is broken"):
        unpacked({"pool": [], "names": [["a"]], "nodes": [{"$": place}]})


def chain(count):
    """`count` operations on a number, and a loss."""
    y = x = torch.tensor(0.5, requires_grad=True)
    with trace.recording():
        for _ in range(count // 2):
            y = torch.sin(y) * 1.1
    assert x.grad is None
    return trace.record(y)


def test_a_graph_of_401_nodes_stays_under_500_kilobytes_and_reopens():
    record = chain(400)
    text = record.to_json()
    assert len(record.head["nodes"]) == 401 and len(text.encode()) < 500_000
    again = Record.from_json(text)
    assert again.states == record.states
    assert {**again.head, "layout": None} == {**record.head, "layout": None}
    assert again.text(200) == record.text(200) and again.text() == record.text()


def test_a_short_record_is_written_as_it_is():
    record = chain(6)
    assert json.loads(record.to_json())["states"] == record.states
