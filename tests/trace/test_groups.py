"""Groups of a big graph: every node in one, none too large to be read, each with a picture."""

import pytest

import autodidact as torch
import autodidact.nn as nn
import autodidact.nn.functional as F
from autodidact import trace
from autodidact.trace.groups import MOST_GROUPS, MOST_NODES, groups, steps_within
from autodidact.trace.parts import lay_out_part


def chain(count):
    y = torch.tensor(0.5, requires_grad=True)
    with trace.recording():
        for _ in range(count // 2):
            y = torch.sin(y) * 1.1
    return trace.record(y).head


def layers(count):
    h = torch.ones(2, 4)
    for _ in range(count // 4):
        w = torch.full((4, 4), 0.1, requires_grad=True)
        h = torch.tanh(h @ w)
    return trace.record(h.sum()).head


def lines():
    y = torch.ones(2, 2, requires_grad=True)
    with trace.recording():
        y = y.sin() * 1.5
        y = y + 1.25
        z = y.sum()
    return trace.record(z).head


def modules():
    """A record whose nodes know their modules, with a module's own operation between two others."""
    head = layers(16)
    paths = [None, "1", "1", "0.a.fc", "0.a.fc", "0.a", "0.a.norm", "0.b"]
    operations = [node for node in head["nodes"] if node["kind"] != "leaf"]
    for node, path in zip(operations, paths, strict=False):
        node["module"] = path
    return head


GRAPHS = {"lines": lines, "modules": modules, "chain of 200": lambda: chain(200),
          "chain of 4000": lambda: chain(4000), "layers": lambda: layers(1000)}


@pytest.mark.parametrize("name", GRAPHS)
def test_every_node_is_in_one_group_that_can_be_read(name):
    head = GRAPHS[name]()
    found = groups(head)
    inside = [node for group in found for node in group["nodes"]]
    assert sorted(inside) == sorted(node["id"] for node in head["nodes"])
    kinds = {node["id"]: node["kind"] for node in head["nodes"]}
    ids = [group["id"] for group in found]
    for i, group in enumerate(found):
        assert group["parent"] is None or group["parent"] in ids[:i]
        children = [other for other in found if other["parent"] == group["id"]]
        assert bool(children) != bool(group["nodes"])          # groups, or nodes
        assert len(children) <= MOST_GROUPS
        assert sum(kinds[node] != "leaf" for node in group["nodes"]) <= MOST_NODES
        assert bool(group["name"]) != bool(group["stretch"])
    assert len([group for group in found if group["parent"] is None]) <= MOST_GROUPS


def test_modules_lie_in_modules_and_lines_are_called_by_their_text():
    found = {group["id"]: group for group in groups(modules())}

    def path(group):
        above = found.get(group["parent"])
        return (path(above) if above else "") + "/" + group["name"]
    named = [path(group) for group in found.values() if group["nodes"]]
    assert {"/1", "/0/a/fc", "/0/a/norm", "/0/b"} <= set(named)
    assert any(name.startswith("/0/a/") and name.count("/") == 3 for name in named)
    assert [group["name"] for group in groups(lines())] == [
        "z = y.sum()", "y = y + 1.25", "y = y.sin() * 1.5"]


def test_a_call_of_a_model_is_no_name_for_what_its_modules_do():
    model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
    with trace.recording():
        loss = F.mse_loss(model(torch.ones(2, 3)), torch.zeros(2, 2))
    head = trace.record(loss).head
    for i, node in enumerate(head["nodes"]):
        node["module"] = None if i < 1 else "a.b" if i < 3 else "a.c" if i < 5 else "a"
    assert not any("model(" in group["name"] for group in groups(head)[1:])


@pytest.mark.parametrize("name", GRAPHS)
def test_the_picture_of_a_group_has_its_nodes_and_names_what_is_outside(name):
    head = GRAPHS[name]()
    edges = {edge["id"]: edge for edge in head["edges"]}
    kinds = {node["id"]: node["kind"] for node in head["nodes"]}
    for group in [group for group in groups(head) if group["nodes"]][:3]:
        picture = lay_out_part(head, group["nodes"])
        drawn = {box["node"] for box in picture["boxes"]}
        own = {node for node in group["nodes"] if kinds[node] != "leaf"}
        assert own <= drawn
        lanes = {lane["edge"] for lane in picture["lanes"]}
        assert lanes == {key for key, e in edges.items() if e["from"] in own and e["to"] in drawn}
        told = {edge for text in picture["texts"] for edge in text.get("edges", ())}
        border = {key for key, e in edges.items() if (e["from"] in own) != (e["to"] in own)
                  and kinds[e["to"]] != "leaf"}
        assert told == border
        cells = {cell["edge"] for places in picture["slots"].values() for place in places
                 for cell in place["cells"] if not place["folded"]}
        assert {key for key in border if edges[key]["to"] in own} <= cells | {None}


def test_a_long_pass_says_which_module_its_steps_are_in():
    head = modules()
    inside = [node["module"] for node in head["nodes"] if node["kind"] != "leaf"]
    found = steps_within(head, set())
    assert [path for path, _, _ in found][:4] == ["1", "0.a.fc", "0.a", "0.a.norm"]
    number = {step: path for path, first, last in found for step in range(first, last + 1)}
    for step, node in enumerate(head["nodes"], 1):
        if node["kind"] != "leaf":
            assert number.get(step) == node["module"], (step, inside)
    assert steps_within(chain(40), set()) == []          # no module, no function
    short = {**head, "nodes": head["nodes"][:10],
             "edges": [e for e in head["edges"] if e["from"] in {
                 node["id"] for node in head["nodes"][:10]}]}
    assert steps_within(short, set()) == []


def test_where_there_are_too_many_stretches_the_modules_around_them_are_told():
    head = layers(400)
    operations = [node for node in head["nodes"] if node["kind"] != "leaf"]
    for i, node in enumerate(operations):
        node["module"] = f"block{i // 50}.part{i}"
    found = steps_within(head, set())
    assert [path for path, _, _ in found] == [f"block{i}" for i in range(len(found))]
    skipped = {node["id"] for node in head["nodes"][-9:]}
    assert found[-1][2] == len(head["nodes"]) == steps_within(head, skipped)[-1][2] + 9
    for i, node in enumerate(operations):
        node["module"] = f"part{i}"
    assert steps_within(head, set()) == []
