"""compare(): sessions in lock step, live, replayed, or on a copy."""

import html

import pytest
from autodidact_widgets import Notice, SideBySide, compare, show

import autodidact as torch
from autodidact import trace


def leaf(value):
    return torch.tensor(value, dtype=torch.double, requires_grad=True)


def run(retain, kept):
    """Two passes through a shared part, not yet run; `kept` gets the leaf."""
    x = leaf(2.0)
    kept.append(x)
    s = x * x
    l1, l2 = s * 1, s * 2
    return [show(l1, retain_graph=retain), show(l2)]


def test_one_step_moves_both_and_the_later_pass_finds_what_the_first_has_done():
    leaves = []
    both = compare(run(False, leaves), run(True, leaves))
    assert isinstance(both, SideBySide) and both.position == 0
    assert [x.grad for x in leaves] == [None, None]
    both.step().step().step()
    assert [x.grad.item() for x in leaves] == [4, 4] and not both.done
    both.step()                                          # the second passes begin
    second = [both.comparison.state(i, (1, 0)) for i in (0, 1)]
    words = [{s["state"] for s in state["saved"].values()} for state in second]
    assert words == [{"kept", "freed"}, {"kept"}]
    both.finish()                                        # raises nothing: errors are states
    assert [x.grad.item() for x in leaves] == [4, 12] and both.done
    assert [row["at"]["args"].get("n") for row in both.comparison.differences()] == [1, 2, 5, 6]
    both.finish()
    assert "stopped: RuntimeError" in both.text() and both.position == 7


def test_back_moves_in_the_record_only():
    leaves = []
    both = compare(run(False, leaves), run(True, leaves))
    both.finish()
    both.back()
    assert both.position == 6 and leaves[1].grad.item() == 12
    assert both.text() == both.comparison.text(6) != both.comparison.text(7)
    assert both.step().position == 7


def test_records_are_there_as_a_whole():
    first, second = (trace.record(leaf(3.0) * factor) for factor in (2, 5))
    both = compare(first, second, labels=["twice", "five times"])
    assert both.done and both.position == 2
    assert "leaf1.grad   2       5" in both.text()


def test_tensors_run_on_a_copy():
    x = leaf(0.5)
    one, other = torch.sinh(x), torch.sinh(x) * 2
    both = compare(one, other)
    both.finish()
    assert x.grad is None
    assert both.comparison.labels == ["one", "other"]
    one.backward()                                       # nothing had been freed
    assert x.grad.item() == pytest.approx(1.1276, 1e-4)


def test_a_live_pass_beside_a_record_takes_its_steps_with_it():
    x = leaf(2.0)
    done = trace.record((x * x) * 3)
    both = compare(done, show((x * x) * 3))
    assert not both.done and both.position == 0
    both.step()
    assert [len(run[0]) for run in both.comparison.runs] == [2, 2]
    both.finish()
    assert told_kinds(both) == ["grad", "grad"] and x.grad.item() == 24


def told_kinds(both):
    return [row["kind"] for row in both.comparison.differences()]


def test_what_cannot_be_compared():
    x = leaf(2.0)
    with pytest.raises(TypeError, match="at least two"):
        compare(show(x * x))
    with pytest.raises(TypeError, match="given int"):
        compare(3, show(x * x))
    with pytest.raises(TypeError, match="empty"):
        compare([], [show(x * x)])
    with pytest.raises(ValueError, match="2 runs, but 1 labels"):
        compare(show(x * x), show(x * x), labels=["one"])
    assert isinstance(compare(show(torch.ones(())), show(x * x)), Notice)
    assert isinstance(compare(torch.ones(()), x * x), Notice)


def test_what_a_view_is_sent_adds_up_to_the_records():
    leaves = []
    both = compare(run(False, leaves), run(True, leaves))
    both.finish()
    driver = both._driver
    assert len(driver.states) == len(both.comparison.places()) == 8
    for i in (0, 1):
        sent = [place["states"][i] for place in driver.states if place["states"][i]]
        records = driver.comparison.runs[i]
        assert sent == [state for record in records for state in record.states]
        heads = [place["heads"][i] for place in driver.states if place["heads"]]
        assert heads == [record.head for record in records]
    rows = [row for place in driver.states for row in place["rows"]]
    assert rows == both.comparison.differences()
    assert [place["steps"] for place in driver.states] == [0, 1, 2, 3, 3, 4, 5, 6]
    assert {place["total"] for place in driver.states} == {6}


def test_hostile_labels_and_names_stay_text():
    name = '<img src=x onerror="window.__pwn=1">'
    both = compare(show(leaf(2.0) * 2), show(leaf(2.0) * 3), labels=[name, "b"])
    both.finish()
    page = both._repr_mimebundle_()[0]["text/html"]
    assert "<img src=x" not in page and html.escape(name) in page
    assert name in both.text()


def test_malformed_messages_are_refused():
    both = compare(show(leaf(2.0) * 2), show(leaf(2.0) * 3))
    sent = []
    both.send = lambda message, buffers=None: sent.append(message)
    for message in ({"type": "option", "name": "retain_graph", "value": True}, {"type": "x"}, 3):
        both._handle_custom_msg(message, [])
    assert [each["type"] for each in sent] == ["refused"] * 3 and both.count == 1
