"""Whatever arrives at a widget, malformed, late, repeated, a thousand at once: it stays valid.

And when widgets are closed, nothing of them or of their graphs is held.
"""

import gc
import logging
import math
import random
import weakref

import pytest
from autodidact_widgets import compare, show
from autodidact_widgets.stepper import _REQUESTS
from ipywidgets.widgets import widget as registry

import autodidact as torch
from autodidact.trace.record import Record

EVIL = '<img src=x onerror="window.__pwn=1">'
VALUES = [None, True, False, -1, 0, 1, 10**12, 1.5, -0.0, math.nan, math.inf, "", "n0", "n99", "s0",
          EVIL, "x" * 10_000, "__class__", [], ["n0"], {}, {"kind": "node", "value": "n0"},
          {"kind": "line", "value": -1}, {"kind": "nan", "value": None}, {"kind": [], "value": {}}]


def diamond(**options):
    a = torch.tensor(2.0, requires_grad=True)
    b = torch.tensor(3.0, requires_grad=True)
    c = a * b
    d = c + a
    return show(d * d, **options)


def many():
    y = torch.tensor(0.5, requires_grad=True)
    for _ in range(50):
        y = torch.sin(y) * 1.1
    return show(y)


def both():
    return compare(diamond(copy=True), diamond(copy=True, retain_graph=True))


WIDGETS = {"pass": diamond, "copy": lambda: diamond(copy=True), "big": many, "compare": both,
           "predict": lambda: diamond(ask=True)}


def messages(seed, count):
    """Requests of every kind with members of every kind, some of them left out or too many."""
    chance = random.Random(seed)
    for _ in range(count):
        kind = chance.choice([*_REQUESTS, EVIL, None])
        names = [*_REQUESTS.get(kind, ()), *chance.choice([(), (), ("at",), ("more",)])]
        content = {name: chance.choice(VALUES) for name in names if chance.random() < 0.9}
        yield chance.choice([{"type": kind, **content}] * 9 + [chance.choice(VALUES)])


def valid(widget):
    """Whether the traits fit the driver, and every answer was told."""
    states = widget._driver.states
    assert widget.count == len(states) and 0 <= widget.position < len(states)
    assert widget.done == bool(widget._driver.done)
    assert -1 <= widget.event


@pytest.mark.parametrize("name", WIDGETS)
@pytest.mark.parametrize("seed", range(3))
def test_a_thousand_requests_of_any_kind_leave_it_valid(name, seed, caplog):
    widget = WIDGETS[name]()
    answers = []
    widget.send = lambda content, buffers=None: answers.append(content)
    with caplog.at_level(logging.WARNING):
        for content in messages(seed, 1000):
            widget._handle_custom_msg(content, [])
            widget.set_state({"position": content} if seed else content)
            valid(widget)
    assert [each for each in caplog.records if each.exc_info] == []
    kinds = {each["type"] for each in answers}
    assert kinds <= {"states", "refused", "file", "layout"} and "refused" in kinds
    if name != "compare":
        Record.from_json(widget.record.to_json())
    widget.close()


def test_a_late_and_a_doubled_step_do_not_step_twice():
    stepper = diamond()
    for _ in range(5):
        stepper._handle_custom_msg({"type": "step", "at": 1}, [])
    assert stepper.count == 2
    stepper.finish()
    count = stepper.count
    for content in ({"type": "step", "at": 1}, {"type": "step"}, {"type": "run"},
                    {"type": "event"}, {"type": "continue"}):
        stepper._handle_custom_msg(content, [])
    assert stepper.count == count


@pytest.mark.parametrize("name", WIDGETS)
def test_what_comes_after_closing_is_answered_by_nobody(name, caplog):
    widget = WIDGETS[name]()
    widget.close()
    with caplog.at_level(logging.WARNING):
        for content in messages(9, 200):
            widget._handle_custom_msg(content, [])
    assert [each for each in caplog.records if each.exc_info] == []


@pytest.mark.parametrize("end", ["closed", "stepped and closed", "finished"])
@pytest.mark.parametrize("count", [1, 2])
def test_nothing_holds_a_graph_whose_steppers_are_gone(end, count):
    x = torch.ones(3, requires_grad=True)
    L = (x * x).sum()
    node = weakref.ref(L.grad_fn)
    steppers = [show(L, copy=count > 1) for _ in range(count)]
    ids = [stepper.model_id for stepper in steppers]
    for stepper in steppers:
        if end != "closed":
            stepper.step()
        if end == "finished":
            stepper.finish()
        stepper.close()
    held = [weakref.ref(stepper) for stepper in steppers]
    del steppers, stepper, L
    gc.collect()
    assert node() is None and [each() for each in held] == [None] * count
    assert not set(ids) & set(registry._instances)


def test_a_closed_one_leaves_the_other_of_the_same_graph_alone():
    x = torch.tensor(3.0, requires_grad=True)
    L = x * x
    one, other = show(L, copy=True), show(L)
    one.step()
    one.close()
    other.finish()
    assert x.grad.item() == 6.0 and other.done


def test_the_sides_of_a_comparison_and_its_forks_are_let_go():
    x = torch.tensor(3.0, requires_grad=True)
    L = x * x
    node = weakref.ref(L.grad_fn)
    stepper = show(L, copy=True)
    fork = stepper.edit("L", 10.0)
    sides = compare(stepper, fork)
    sides.step()
    for each in (sides, fork, stepper):
        each.close()
    del sides, fork, stepper, L, each
    gc.collect()
    assert node() is None


def test_a_second_view_and_a_reloaded_page_get_the_whole_record():
    stepper = diamond()
    sent = []
    stepper.send = lambda content, buffers=None: sent.append(content)
    stepper.step()
    for _ in range(3):
        stepper._handle_custom_msg({"type": "hello"}, [])
    assert [len(each["states"]) for each in sent] == [1, 2, 2, 2]
    assert stepper.count == 2
