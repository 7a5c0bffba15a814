"""W14: what a write through a view rewires, and who shares a version counter."""

import json

import pytest

import autodidact as torch
from autodidact import trace
from autodidact.trace.record import Record
from tests.trace.test_record import validator


def scene():
    base = torch.zeros(3, dtype=torch.double)
    x = torch.tensor(2.0, dtype=torch.double, requires_grad=True)
    with trace.recording():
        v, d, e = base[0], base.detach(), base.data
        base[1] = x * x
        loss = (base * base).sum()
    return {"base": base, "x": x, "v": v, "d": d, "e": e, "loss": loss}


def record(found):
    return trace.record(found["loss"], names=found)


def test_the_write_is_a_node_with_two_inputs_where_the_base_had_none():
    made = record(scene())
    steps = [(s["node"], s["incoming"]) for s in made.as_reference()["steps"]]
    assert steps == [
        ("SumBackward0#0", [[1.0]]), ("MulBackward0#1", [[1.0, 1.0, 1.0]]),
        ("CopySlices#2", [[0.0, 8.0, 0.0]]), ("MulBackward0#3", [[8.0]]),
        ("AccumulateGrad(x)", [[32.0]]),
    ]
    node = made.head["nodes"][2]
    assert node["writes"] == {"cells": [0, 1, 0], "count": 1, "size": 3}
    assert (node["source"], node["var"], len(node["inputs"])) == ("base[1] = x * x", "base", 2)
    assert [node["source"] for node in made.head["nodes"][3:4]] == ["x * x"]
    text = made.text(0)
    assert "base[1] = x * x   1 of 3 elements ·■·   none" in text
    assert "base as it was, x * x #3" in text


def test_views_share_a_counter_with_their_base_and_data_does_not():
    found = scene()
    made = record(found)
    members = {m["name"]: (m["kind"], m["counter"]) for m in made.head["families"][0]["members"]}
    shared = members["base"][1]
    assert members == {"base": ("base", shared), "v": ("view", shared), "d": ("detached", shared),
                       "e": ("data", members["e"][1])}
    for name, (_, counter) in members.items():
        assert made.state(0)["versions"][counter] == found[name]._version
    assert "e      .data        its own                  0" in made.text(0)


def test_a_write_between_two_steps_is_counted_at_the_next():
    found = scene()
    recorder = trace.recorder.Recorder(found["loss"], names=found)
    recorder.step()
    with torch.no_grad():
        found["e"].add_(1)
    recorder.step()
    record_ = recorder.record
    counter = record_.head["families"][0]["members"][-1]["counter"]
    assert [record_.state(k)["versions"][counter] for k in range(3)] == [0, 0, 1]


def test_nothing_is_told_while_nothing_was_written():
    w = torch.ones(2, 2, dtype=torch.double, requires_grad=True)
    t = w.T
    loss = (t * t).sum()
    made = trace.record(loss, names={"w": w, "t": t, "loss": loss})
    assert made.head["families"] and "in one memory" not in made.text(0)
    other = torch.ones(2, dtype=torch.double)
    half = other[:1]
    loss = (w * w).sum()
    unrelated = trace.record(loss, names={"w": w, "other": other, "half": half})
    told = [m["name"] for family in unrelated.head["families"] for m in family["members"]]
    assert "w" in told and "other" not in told and "half" not in told


@pytest.mark.parametrize("write, cells", [
    (lambda b, x: b[1:3].mul_(x), [0, 1, 1, 0]),
    (lambda b, x: b.view(2, 2)[0].copy_(x.expand(2)), [1, 1, 0, 0]),
    (lambda b, x: b.unsqueeze(0)[0, ::2].add_(x), [1, 0, 1, 0]),
])
def test_the_written_elements_and_the_node_before(write, cells):
    x = torch.tensor(2.0, dtype=torch.double, requires_grad=True)
    base = torch.ones(4, dtype=torch.double) * x
    write(base, x)
    made = trace.record((base * base).sum())
    node = next(n for n in made.head["nodes"] if "writes" in n)
    assert node["writes"]["cells"] == cells
    assert "MulBackward0" in made.text(0).split("writes through a view")[1].splitlines()[2]


def test_the_record_keeps_to_the_schema_and_round_trips():
    made = record(scene())
    made.layout()
    validator().validate(json.loads(json.dumps({**made.head, "states": made.states})))
    again = Record.from_json(made.to_json())
    assert [again.text(k) for k in range(6)] == [made.text(k) for k in range(6)]
