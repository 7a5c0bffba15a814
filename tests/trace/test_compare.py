"""Runs side by side: what is aligned with what, and which difference is the first."""

import pytest

import autodidact as torch
from autodidact import trace
from autodidact.trace.alike import Facts, partners, same_value
from autodidact.trace.compare import Comparison
from autodidact.trace.compare_text import Columns
from autodidact.trace.record import Record
from autodidact.trace.summary import summarise
from tests.trace import samples


def leaf(value):
    return torch.tensor(value, dtype=torch.double, requires_grad=True)


def two_losses(retain):
    """Two passes through a shared part, the first with or without retain_graph."""
    x = leaf(2.0)
    with trace.recording():
        s = x * x
        l1 = s * 1
        l2 = s * 2
    return [trace.record(l1, retain_graph=retain), trace.record(l2)]


def told(comparison, language=None):
    """The differences in words."""
    return [tuple(Columns(comparison, language).words(row)) for row in comparison.differences()]


def test_retain_graph_true_against_false():
    both = Comparison([two_losses(False), two_losses(True)])
    assert both.labels == ["retain_graph=False", "retain_graph=True"]
    assert both.places() == [(0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (1, 1), (1, 2), (1, 3)]
    assert told(both) == [
        ("in step 1, l1", "saved tensor of l1 freed", "saved tensor of l1 kept"),
        ("in step 2, s", "2 saved tensors of s freed", "2 saved tensors of s kept"),
        ("in step 5, s", "s stopped: RuntimeError", "s has run"),
        ("in step 6, x", "x.grad is 4", "x.grad is 12"),
    ]
    lines = both.text().splitlines()
    title, count = lines[0].split("   ")
    assert title == "side by side: retain_graph=False | retain_graph=True"
    assert count == "6 of 6 steps"
    assert lines[1].startswith("first difference in step 1, l1: saved tensor of l1 freed |")
    assert "x.grad   4                    12" in lines
    assert "no difference so far" in both.text(0)
    assert both.text(1).count("saved tensor of l1 freed") == 2      # on top, and in the list


def test_the_same_twice_is_alike_to_the_end():
    both = Comparison([two_losses(True), two_losses(True)])
    assert both.differences() == [] and both.labels == ["1", "2"]
    assert "no difference so far" in both.text()


def test_a_hook_shows_where_the_gradient_changes():
    runs = []
    for hooked in (False, True):
        x = leaf(2.0)
        with trace.recording():
            y = x * x
            L = y * 3
        if hooked:
            y.register_hook(lambda g: g * 10)
        runs.append([trace.record(L)])
    assert told(Comparison(runs, ["plain", "hooked"])) == [
        ("in step 2, y", "x receives 12", "x receives 120"),
        ("in step 3, x", "x.grad is 12", "x.grad is 120"),
    ]


def test_graphs_of_other_shape_are_told_apart_at_the_beginning_and_compared_at_their_ends():
    x = leaf(0.5)
    fused, parts = torch.sinh(x), (torch.exp(x) - torch.exp(-x)) / 2
    wrong = torch.sinh(x) * 2
    same = Comparison([[trace.record(fused)], [copied(parts, x)]])
    assert [row["kind"] for row in same.differences()] == ["graph"]
    x.grad = None
    other = Comparison([[trace.record(torch.sinh(x))], [copied(wrong, x)]])
    assert [row["kind"] for row in other.differences()] == ["graph", "received", "received", "grad"]
    assert len(other.places()) == 4 and other.total() == 3


def copied(loss, x):
    """A pass that begins with an empty .grad again."""
    x.grad = None
    return trace.record(loss, names={"x": x})


def test_what_differs_in_a_later_pass_only_because_it_differed_before_is_not_told_again():
    both = Comparison([two_losses(False), two_losses(True)])
    beginning = [row for row in both.differences() if row["place"] == 4]
    assert beginning == []


def test_growing_records_give_the_same_rows_as_finished_ones():
    whole = [two_losses(False), two_losses(True)]
    growing = [[Record(run[0].head, run[0].states[:1])] for run in whole]
    both, seen = Comparison(growing), 0
    for p in range(2):
        if p:
            for run, own in zip(growing, whole, strict=True):
                run.append(Record(own[p].head, own[p].states[:1]))
        for k in range(1, 4):
            for run, own in zip(growing, whole, strict=True):
                run[p].states += own[p].states[k:k + 1]
            assert len(both.differences()) >= seen
            seen = len(both.rows)
    assert both.differences() == Comparison(whole).differences()
    assert both.text() == Comparison(whole).text()


@pytest.mark.parametrize("language", ["en", "ru"])
@pytest.mark.parametrize("name", samples.ALL)
def test_every_place_has_a_text_and_no_hole_in_a_sentence(name, language):
    record = Record(*samples.ALL[name]())
    both = Comparison([[record], [Record(*samples.ALL["diamond"]())]], ["a", "b"])
    for place in range(len(both)):
        text = both.text(place, language)
        assert "[compare." not in text and "[count." not in text and text.endswith("\n")


def test_values_are_the_same_where_they_read_the_same():
    def value(*numbers, dtype="float64"):
        return summarise(list(numbers), (len(numbers),), dtype)

    assert same_value(value(1.0, 2.0), value(1.0, 2.0 + 1e-12))
    assert not same_value(value(1.0, 2.0), value(1.0, 2.001))
    assert not same_value(value(2.0, 1.0), value(1.0, 2.0))            # of the same norm
    assert not same_value(value(1.0), value(1.0, 0.0))
    near = {**value(1.0, 3e-9), "dtype": "float32"}                    # two engines' sums
    assert same_value({**value(1.0 + 2e-6, 1e-9), "dtype": "float32"}, near)
    assert not same_value({**value(1.0 + 2e-5, 3e-9), "dtype": "float32"}, near)
    assert same_value(None, None) and not same_value(None, value(0.0))
    assert same_value(value(float("nan")), value(float("nan")))
    assert same_value(value(1 + 2j), value(1 + 2j)) and not same_value(value(1 + 2j), value(1j))


def test_nodes_stand_for_nodes_by_name():
    fused, shared = samples.diamond().record_parts()[0], samples.inplace().record_parts()[0]
    assert partners(fused, fused) == {node["id"]: node["id"] for node in fused["nodes"]}
    assert all(
        next(n["name"] for n in shared["nodes"] if n["id"] == own)
        == next(n["name"] for n in fused["nodes"] if n["id"] == mine)
        for own, mine in partners(fused, shared).items()
    )
    state, told = Record(*samples.ALL["diamond"]()).state(1), Facts(fused)
    kinds = {key[0] for node in told.nodes for key in told.of(node, state)}
    assert kinds == {"status", "received", "saved", "grad"}
