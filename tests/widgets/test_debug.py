"""debug(): passes of a `with` block stop, in every place but a kernel (test_debug_kernel.py)."""

import gc
import threading
import weakref

import pytest

pytest.importorskip("anywidget")

from autodidact_widgets import gate
from autodidact_widgets.debug import Attached, GatedStepper

import autodidact as torch
from autodidact.autograd import engine
from autodidact.trace.recorder import Recorder


def diamond():
    """c = a * b; d = c + a; L = d * d at a = 2, b = 3: five nodes."""
    a = torch.tensor(2.0, dtype=torch.double, requires_grad=True)
    b = torch.tensor(3.0, dtype=torch.double, requires_grad=True)
    d = a * b + a
    return a, b, d * d


@pytest.fixture
def terminal(monkeypatch):
    """A terminal whose user types these answers; returns what was asked."""

    def type_in(*answers):
        left, asked = list(answers), []

        def read(question):
            asked.append(question)
            return left.pop(0)

        monkeypatch.setattr(gate, "place", lambda: "terminal")
        monkeypatch.setattr("builtins.input", read)
        return asked

    return type_in


@pytest.fixture
def view(monkeypatch):
    """A page whose view, once displayed, sends these messages, each when the one before is done."""

    def click(*messages):
        seen = []
        monkeypatch.setattr(gate, "place", lambda: "thread")

        def begin(stepper):
            seen.append(stepper)
            usual(stepper)
            for message in messages:
                stepper._handle_custom_msg(message, [])

        usual = GatedStepper._begin
        monkeypatch.setattr(GatedStepper, "_begin", begin)
        return seen

    return click


def test_where_nobody_can_answer_it_runs_through_and_says_so_once(capsys, monkeypatch):
    monkeypatch.setattr(gate, "place", lambda: "nobody")
    a, b, L = diamond()
    with torch.debug() as session:
        L.backward(retain_graph=True)
        L.backward()
    assert (a.grad.item(), b.grad.item()) == (128, 64) and session.passes == []
    said = "Nobody can click here: the pass runs through without a stop.\n"
    assert capsys.readouterr().out == said


def test_a_script_without_a_terminal_is_nobody(monkeypatch):
    monkeypatch.setattr("sys.stdin", None)
    assert gate.place() == "nobody"


def test_in_a_terminal_each_node_waits_for_an_answer(terminal, capsys):
    a, b, L = diamond()
    asked = terminal("", "", "", "", "")
    with torch.debug() as session:
        L.backward()
    assert len(asked) == 5 and (a.grad.item(), b.grad.item()) == (64, 32)
    assert asked[0].startswith("The pass starts: L receives 1. L runs next.")
    assert "[Enter] step, c run on, q stop" in asked[0]
    assert "backward pass of L" in capsys.readouterr().out
    (record,) = session.passes
    assert record.state(-1)["end"] == "ok" and len(record) == 6


def test_run_on_ends_the_stops_of_the_whole_block(terminal):
    a, _, L = diamond()
    asked = terminal("", "c")
    with torch.debug() as session:
        L.backward(retain_graph=True)
        L.backward()
    assert len(asked) == 2 and a.grad.item() == 128 and len(session.passes) == 1


def test_stop_ends_the_pass_unfinished(terminal):
    a, _, L = diamond()
    terminal("", "q")
    with pytest.raises(KeyboardInterrupt), torch.debug() as session:
        L.backward()
    assert a.grad is None and engine.task_class is engine.GraphTask
    (record,) = session.passes
    assert record.state(-1)["end"] == "stopped"
    assert record.text().splitlines()[0].endswith("1 of 5 steps done, stopped")


def test_no_more_input_is_nobody(terminal, monkeypatch, capsys):
    a, _, L = diamond()
    terminal()

    def read(question):
        raise EOFError

    monkeypatch.setattr("builtins.input", read)
    with torch.debug():
        L.backward()
    assert a.grad.item() == 64 and "runs through" in capsys.readouterr().out


@pytest.mark.parametrize(
    "messages, steps",
    [
        ([{"type": "hello"}, *[{"type": "step"}] * 5], 5),
        ([{"type": "step", "at": 1}, {"type": "step", "at": 1}, {"type": "run", "at": 2}], 5),
        ([{"type": "nonsense"}, None, {"type": "step", "at": "1"}, {"type": "run"}], 5),
        ([{"type": "option", "name": "retain_graph", "value": True}, {"type": "run"}], 5),
        ([{"type": "run_on"}], 5),
    ],
)
def test_what_a_view_says_is_done_by_the_waiting_thread(view, messages, steps):
    a, b, L = diamond()
    seen = view(*messages)
    with torch.debug() as session:
        L.backward()
    (stepper,) = seen
    assert (a.grad.item(), b.grad.item()) == (64, 32)
    assert stepper.done and not stepper.waiting and stepper.position == steps
    assert session.passes[0].head["options"]["retain_graph"] is False
    assert session.stops == (messages != [{"type": "run_on"}])


def test_a_late_and_a_doubled_click_do_not_step_twice(view):
    _, _, L = diamond()
    seen = view({"type": "step", "at": 1}, {"type": "step", "at": 1}, {"type": "stop"})
    with pytest.raises(KeyboardInterrupt), torch.debug():
        L.backward()
    assert seen[0].count == 2 and seen[0].done


def test_the_work_is_done_in_the_thread_that_called_backward(view):
    a, _, L = diamond()
    threads = []
    a.register_hook(lambda g: threads.append(threading.current_thread()))
    view({"type": "run"})
    with torch.debug():
        L.backward()
    assert threads == [threading.current_thread()]


def test_closing_the_view_lets_the_pass_run_on(view):
    a, _, L = diamond()
    seen = view({"type": "step"})
    usual = GatedStepper._obey

    def obey(stepper, command):
        usual(stepper, command)
        if stepper.count == 2:
            stepper.close()

    GatedStepper._obey = obey
    try:
        with torch.debug():
            L.backward()
    finally:
        GatedStepper._obey = usual
    assert a.grad.item() == 64 and seen[0].comm is None


def test_an_error_of_the_pass_reaches_the_call(terminal):
    x = torch.tensor(3.0, requires_grad=True)
    w = x * 1
    loss = (w * w) * 2
    w.add_(1)
    asked = terminal("", "", "")
    with pytest.raises(RuntimeError, match="modified by an inplace operation"), \
            torch.debug() as session:
        loss.backward()
    assert len(asked) == 2 and x.grad is None
    assert session.passes[0].state(-1)["error"]["class"] == "RuntimeError"
    assert engine.task_class is engine.GraphTask


def test_grad_stops_too_and_returns_what_it_always_returns(terminal):
    a, b, L = diamond()
    terminal(*[""] * 9)
    with torch.debug() as session:
        (got,) = torch.autograd.grad(L, [a])
    assert got.item() == 64 and a.grad is None and b.grad is None
    (record,) = session.passes
    said = [each for k in range(len(record)) for each in record.state(k)["say"]]
    assert {"id": "step.captured", "args": {"who": "a", "value": "64"}} in said
    assert record.head["options"]["inputs"] == ["a"]


def test_passes_inside_others_and_inside_transforms_do_not_stop(terminal):
    x = torch.tensor(2.0, requires_grad=True)
    y = x * 3
    inner = (x * x) * 1
    y.register_hook(lambda g: inner.backward())
    asked = terminal(*[""] * 3)
    with torch.debug() as session:
        (y * 1).backward()
        assert torch.func.grad(lambda t: t * t)(torch.tensor(3.0)).item() == 6
        rows = torch.func.jacrev(lambda t: t * t)(torch.ones(2))
        z = torch.tensor(2.0, requires_grad=True)
        lanes = torch.func.vmap(lambda v: torch.autograd.grad(z * 1, z, v)[0])(torch.ones(2))
    assert len(asked) == 3 and len(session.passes) == 1
    assert x.grad.item() == 7 and rows.tolist() == [[2, 0], [0, 2]] and lanes.tolist() == [1, 1]


@pytest.mark.parametrize(("vectorize", "passes"), [(False, 2), (True, 1)])
def test_a_jacobian_stops_row_by_row_or_once_for_all(terminal, vectorize, passes):
    asked = terminal(*[""] * passes)
    with torch.debug() as session:
        rows = torch.autograd.functional.jacobian(
            lambda t: t * t, torch.ones(2), vectorize=vectorize)
    assert len(asked) == passes == len(session.passes) and rows.tolist() == [[2, 0], [0, 2]]
    shapes = [record.state(0)["total"]["n0"][0]["shape"] for record in session.passes]
    assert shapes == ([[2, 2]] if vectorize else [[2], [2]])


def test_the_engine_is_as_before_after_the_block_and_blocks_nest(terminal):
    terminal(*[""] * 10)
    _, _, L = diamond()
    with torch.debug() as outer:
        with torch.debug() as inner:
            L.backward(retain_graph=True)
        L.backward()
    assert engine.task_class is engine.GraphTask
    assert (len(outer.passes), len(inner.passes)) == (1, 1)
    with pytest.raises(ZeroDivisionError), torch.debug():
        raise ZeroDivisionError
    assert engine.task_class is engine.GraphTask


@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::UserWarning")
def test_anomaly_mode_goes_on_working(terminal):
    x = torch.tensor(0.0, requires_grad=True)
    asked = terminal(*[""] * 9)
    with torch.autograd.detect_anomaly(), torch.debug() as session:
        loss = ((x * 0) / (x * 0)) * 1
        with pytest.raises(RuntimeError, match="returned nan values"):
            loss.backward()
    assert asked and session.passes[0].state(-1)["error"]["node"] == "n1"


def test_nothing_holds_the_graph_afterwards(terminal):
    terminal(*[""] * 5)

    def run():
        _, _, L = diamond()
        with torch.debug() as session:
            L.backward()
        return weakref.ref(L.grad_fn), session

    node, session = run()
    gc.collect()
    assert node() is None and session.passes[0].state(-1)["end"] == "ok"


def test_a_stepper_that_does_not_wait_any_more_answers_like_any_other(view):
    _, _, L = diamond()
    seen = view({"type": "run"})
    with torch.debug():
        L.backward()
    sent = []
    seen[0].send = lambda message, buffers=None: sent.append(message)
    seen[0]._handle_custom_msg({"type": "hello"}, [])
    seen[0]._handle_custom_msg({"type": "step"}, [])
    assert [message["type"] for message in sent] == ["states", "refused"]


def test_the_driver_of_a_program_keeps_the_programs_options():
    _, _, L = diamond()
    driver = Attached(Recorder(L))
    assert driver.set_option("retain_graph", True) == [
        {"id": "refused.program", "args": {"name": "retain_graph"}}]
    assert not driver.done
