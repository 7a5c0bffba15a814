"""The layout: nothing overlaps or is missing, lanes keep their order, every run is the same."""

import json
import random
import re
import sys

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from autodidact._optional import MissingExtra
from autodidact.trace import dot, layering
from autodidact.trace.layering import rows_of, spread
from autodidact.trace.layout import lay_out
from tests.trace import samples
from tests.trace.test_record import validator

QUICK = (Phase.explicit, Phase.reuse, Phase.generate)  # shrinking a graph takes minutes


def head_of(count, edges, leaves, outputs=None):
    """A head without values: operations n0 ..., leaves after them; edges as (from, to) or more."""
    kinds = ["op"] * count + ["leaf"] * leaves
    nodes = [
        {
            "id": f"n{i}",
            "kind": kind,
            "value": None,
            "name": "MulBackward0",
            "var": f"v{i}",
            "outputs": [
                {"shape": [], "dtype": "float64", "expected": 0}
                for _ in range((outputs or {}).get(i, 1))
            ],
        }
        for i, kind in enumerate(kinds)
    ]
    listed = []
    for sender, receiver, *slot in edges:
        position = sum(edge["from"] == f"n{sender}" for edge in listed)
        slot = slot[0] if slot else 0
        nodes[receiver]["outputs"][slot]["expected"] += 1
        listed.append(
            {
                "id": f"e{len(listed)}",
                "from": f"n{sender}",
                "position": position,
                "to": f"n{receiver}",
                "slot": slot,
            }
        )
    nodes[0]["outputs"][0]["expected"] += 1
    return {"nodes": nodes, "edges": listed, "roots": ["n0"], "root": "L"}


@st.composite
def heads(draw, most=80):
    """Graphs as backward passes have them: everything hangs on node 0, edges lead onwards only."""
    count, leaves = draw(st.integers(1, most)), draw(st.integers(1, 6))
    seed = draw(st.randoms(use_true_random=False))
    return any_head(seed, count, leaves, draw(st.sampled_from([2, 5, count + 1])))


def any_head(seed, count, leaves, far):
    """A random one of them; no edge but one to a leaf leads further than `far`."""
    outputs = {i: 2 for i in range(count) if seed.random() < 0.1}
    edges = []
    for i in range(count):
        for _ in range(seed.choice((1, 1, 2, 2, 3))):
            onward = i + 1 < count and seed.random() < 0.55
            to = (
                seed.randrange(i + 1, min(count, i + 1 + far))
                if onward
                else count + seed.randrange(leaves)
            )
            edges.append((i, to, seed.randrange(outputs.get(to, 1))))
    reached = {to for _, to, _ in edges}
    edges += [(i - 1, i) for i in range(1, count) if i not in reached]
    return head_of(count, edges, leaves, outputs)


def apart(boxes, by=0):
    for i, a in enumerate(boxes):
        for b in boxes[:i]:
            across = a["x"] < b["x"] + b["w"] + by and b["x"] < a["x"] + a["w"] + by
            down = a["y"] < b["y"] + b["h"] and b["y"] < a["y"] + a["h"]
            assert not (across and down), (a, b)


def numbers(path):
    return [float(x) for x in re.findall(r"-?\d+\.?\d*", path)]


def points(path):
    """The path as points: M x y, V y (every ten units), C six numbers (21 places)."""
    out, x, y = [], 0.0, 0.0
    for command, values in re.findall(r"([MVC])([^MVC]*)", path):
        values = numbers(values)
        if command == "M":
            x, y = values
        elif command == "V":
            low, high = sorted((y, values[0]))
            between = [(x, float(level)) for level in range(int(low) // 10 * 10, int(high), 10)]
            out += [point for point in between if low < point[1] < high][:: 1 if y == low else -1]
            y = values[0]
        else:
            start, (a, b, c, d, e, f) = (x, y), values
            for i in range(1, 21):
                t = i / 20
                w = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
                out.append(
                    (
                        w[0] * start[0] + w[1] * a + w[2] * c + w[3] * e,
                        w[0] * start[1] + w[1] * b + w[2] * d + w[3] * f,
                    )
                )
            x, y = e, f
        out.append((x, y))
    return out


def check(head, layout):
    """Everything a layout promises."""
    validator("layout").validate(json.loads(json.dumps(layout)))
    boxes = {box["id"]: box for box in layout["boxes"]}
    apart(list(boxes.values()), by=10)
    for box in boxes.values():
        assert box["x"] >= 0 and box["x"] + box["w"] <= layout["width"]
        assert box["y"] >= 0 and box["y"] + box["h"] <= layout["height"]
        assert box["x"] >= 100 or box["y"] >= 50  # the corner of the picture's key
    assert [lane["edge"] for lane in layout["lanes"]] == [edge["id"] for edge in head["edges"]]
    assert {box["node"] for box in boxes.values()} == {node["id"] for node in head["nodes"]}
    for edge, lane in zip(head["edges"], layout["lanes"], strict=True):
        check_lane(head, layout, boxes, edge, lane)
    for box in boxes.values():
        cells = [cell for slot in layout["slots"][box["id"]] for cell in slot["cells"]]
        cells += [slot["sum"] for slot in layout["slots"][box["id"]] if slot["sum"]]
        apart(cells)
        for cell in cells:
            assert box["x"] <= cell["x"] and cell["x"] + cell["w"] <= box["x"] + box["w"]
            assert cell["y"] < box["y"] + box["h"] < cell["y"] + cell["h"]


def check_lane(head, layout, boxes, edge, lane):
    receiver = boxes[lane["box"]]
    assert receiver["node"] == edge["to"]
    sender = next(box for box in boxes.values() if box["node"] == edge["from"])
    forward, back = points(lane["forward"]), points(lane["back"])[::-1]
    assert forward[0][1] == receiver["y"] + receiver["h"]
    assert forward[-1][1] == back[-1][1] == sender["y"]
    for x, *_ in (forward[-1], back[-1]):
        assert sender["x"] <= x <= sender["x"] + sender["w"]
    assert lane["chip"][0] == back[-1][0]
    assert lane["dock"][0] == back[0][0]
    sides = {f[0] < b[0] for f, b in zip(at(forward, back), at(back, forward), strict=True)}
    assert len(sides) == 1, "the two lanes of an edge cross"
    ends = {receiver["id"], sender["id"]}
    for x, y in (*forward[1:-1], *back[1:-1]):
        for box in boxes.values():
            if box["id"] not in ends:
                inside = box["x"] < x < box["x"] + box["w"] and box["y"] < y < box["y"] + box["h"]
                assert not inside, "a lane runs over a card"


def at(line, other):
    """x of `line` at the heights where both lines have been measured."""
    heights = sorted({y for _, y in line} & {y for _, y in other})
    first = {}
    for x, y in line:
        first.setdefault(y, x)
    return [(first[y], y) for y in heights]


@pytest.mark.parametrize("name", samples.ALL)
def test_samples(name):
    head, _ = samples.ALL[name]()
    layout = lay_out(head)
    check(head, layout)
    assert layout["engine"] == "graphviz"


@settings(max_examples=40, deadline=None, phases=QUICK)
@given(heads())
def test_any_graph(head):
    check(head, lay_out(head))


@pytest.mark.parametrize("engine", ["grandalf", "simple"])
@settings(max_examples=20, deadline=None, phases=QUICK)
@given(head=heads(most=40))
def test_without_graphviz(engine, head):
    def missing(layers):
        raise MissingExtra("not installed")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layering, "_graphviz", missing)
        if engine == "simple":
            patch.setattr(layering, "_grandalf", missing)
        layout = lay_out(head)
    check(head, layout)
    assert layout["engine"] == engine


@pytest.mark.parametrize("seed", [152, 861, 1235, 1433])
def test_lanes_begin_where_cards_end_in_rows_of_uneven_height(seed, monkeypatch):
    def missing(layers):
        raise MissingExtra("not installed")

    monkeypatch.setattr(layering, "_graphviz", missing)
    monkeypatch.setattr(layering, "_grandalf", missing)
    head = any_head(random.Random(seed), 8 + seed % 25, 1 + seed % 4, (2, 5, 40)[seed % 3])
    check(head, lay_out(head))  # their cards stand at odd twentieths, which a tenth rounds off


def test_graphviz_works_without_a_cache_folder():
    def unwritable(wasmtime):
        raise OSError("read-only")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dot, "_cached", unwritable)
        dot._renderer.cache_clear()
        without = dot.plain("digraph { a -> b }")
    dot._renderer.cache_clear()
    assert dot.plain("digraph { a -> b }") == without


def test_an_engine_that_fails_costs_nothing():
    def broken(layers):
        raise RuntimeError("out of memory")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layering, "_graphviz", broken)
        patch.setattr(layering, "_grandalf", broken)
        assert lay_out(samples.diamond().head)["engine"] == "simple"


@settings(max_examples=15, deadline=None, phases=QUICK)
@given(heads(most=30))
def test_the_same_graph_always_looks_the_same(head):
    assert json.dumps(lay_out(head)) == json.dumps(lay_out(json.loads(json.dumps(head))))


@settings(max_examples=15, deadline=None, phases=QUICK)
@given(heads(most=40))
def test_edges_that_go_round_the_outside(head):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layering, "MOST_BENDS", 5)
        check(head, lay_out(head))


def test_the_diamond_is_laid_out_as_in_the_mock():
    head = samples.diamond().head
    layout = lay_out(head)
    box = {(box["node"], box["use"]): box for box in layout["boxes"]}
    loss, d, c = (box[node, None] for node in ("n0", "n1", "n2"))
    a_of_d, a_of_c, b = box["n3", "e3"], box["n3", "e4"], box["n4", "e5"]
    assert b["y"] == a_of_c["y"] < c["y"] < d["y"] < loss["y"]  # forward runs down
    assert b["x"] + b["w"] < a_of_c["x"]  # next to its sibling
    assert c["x"] + c["w"] < a_of_d["x"] and abs(a_of_d["y"] - c["y"]) <= 2
    assert loss["x"] == d["x"]
    first, second = (lane for lane in layout["lanes"] if lane["edge"] in ("e0", "e1"))
    assert first["dock"][0] == first["chip"][0]  # straight, side by side
    assert second["dock"][0] - first["dock"][0] == 34
    assert len(layout["ties"]) == 1
    assert [text["id"] for text in layout["texts"]] == ["text.same_leaf", "text.starts"]
    assert layout["width"] == 552 and abs(layout["height"] - 424) < 20
    assert (c["w"], c["h"], b["w"], b["h"]) == (212, 50, 124, 54)


def test_one_pill_for_every_node_that_uses_a_leaf():
    head = head_of(3, [(0, 1), (0, 2), (1, 3), (1, 3), (2, 3)], 1)
    layout = lay_out(head)
    check(head, layout)
    pills = [box for box in layout["boxes"] if box["node"] == "n3"]
    assert [pill["use"] for pill in pills] == ["e2", "e4"]
    for pill in pills:
        cells = layout["slots"][pill["id"]][0]["cells"]
        assert sorted(cell["edge"] for cell in cells) == ["e2", "e3", "e4"]


def test_many_uses_fold_into_one_cell():
    head = head_of(7, [*((i, i + 1) for i in range(6)), *((i, 7) for i in range(7))], 1)
    layout = lay_out(head)
    check(head, layout)
    for pill in (box for box in layout["boxes"] if box["node"] == "n7"):
        (slot,) = layout["slots"][pill["id"]]
        assert slot["folded"] and len(slot["cells"]) == 1 and slot["sum"]


def test_an_output_that_nobody_uses_has_its_cell():
    head = head_of(2, [(0, 1, 0), (1, 2)], 1, {1: 2})
    box = next(box for box in lay_out(head)["boxes"] if box["node"] == "n1")
    slots = lay_out(head)["slots"][box["id"]]
    assert [[cell["edge"] for cell in slot["cells"]] for slot in slots] == [["e0"], [None]]


def test_a_leaf_alone_and_several_roots():
    check(head_of(0, [], 1), lay_out(head_of(0, [], 1)))
    head = head_of(3, [(0, 2), (1, 2), (2, 3)], 1)
    head["roots"] = ["n0", "n1"]
    head["nodes"][1]["outputs"][0]["expected"] += 1
    layout = lay_out(head)
    check(head, layout)
    assert set(layout["seed"]) == {"n0", "n1"}


def test_deep_graphs_need_no_recursion():
    count = 1500
    edges = [(i, i + 1) for i in range(count - 1)] + [(count - 1, count)]
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(260)
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(layering, "_graphviz", lambda layers: None)
            layout = lay_out(head_of(count, edges, 1))
    finally:
        sys.setrecursionlimit(limit)
    assert len(layout["boxes"]) == count + 1


def test_rows_are_the_longest_paths():
    assert rows_of("abcd", [("a", "b"), ("b", "c"), ("a", "c"), ("c", "d")]) == {
        "a": 0,
        "b": 1,
        "c": 2,
        "d": 3,
    }


@given(st.lists(st.tuples(st.integers(-500, 500), st.integers(1, 80)), max_size=12))
def test_spread_keeps_order_and_distance_and_moves_no_more_than_needed(things):
    wanted, widths = [float(w) for w, _ in things], [float(w) for _, w in things]
    spots = spread(wanted, widths)
    for i in range(1, len(spots)):
        assert spots[i] - spots[i - 1] >= (widths[i] + widths[i - 1]) / 2 - 1e-6
    free = all(
        wanted[i] - wanted[i - 1] >= (widths[i] + widths[i - 1]) / 2 for i in range(1, len(things))
    )
    assert not free or spots == pytest.approx(wanted)
    assert sum(spots) == pytest.approx(sum(wanted), abs=1e-6)
