"""show(): what the learner's own graph and `.grad` look like before, during and after stepping."""

import gc
import html
import json
import warnings
import weakref

import pytest
from autodidact_widgets import Notice, Stepper, show, show_own

import autodidact as torch
from tests.trace import test_own_engine as own_engine


def diamond():
    """c = a * b; d = c + a; L = d * d at a = 2, b = 3."""
    a = torch.tensor(2.0, dtype=torch.double, requires_grad=True)
    b = torch.tensor(3.0, dtype=torch.double, requires_grad=True)
    c = a * b
    d = c + a
    L = d * d
    return a, b, L


def statuses(stepper):
    """Status of every node in the state that is shown, in the order of running."""
    state = stepper.record.state(stepper.position)
    return [state["status"][node["id"]] for node in stepper.record.head["nodes"]]


def test_each_step_runs_one_node_of_the_real_pass():
    a, b, L = diamond()
    stepper = show(L)
    assert isinstance(stepper, Stepper) and statuses(stepper) == ["next"] + ["waiting"] * 4
    stepper.step().step().step()
    assert a.grad is None and b.grad is None            # the leaves have not run yet
    with pytest.raises(RuntimeError, match="second time"):
        print(L.grad_fn._saved_self)                    # the root has, and was freed
    stepper.step()
    assert a.grad.item() == 64 and b.grad is None
    stepper.finish()
    stepper.finish()                                    # nothing left: does nothing
    assert (a.grad.item(), b.grad.item()) == (64, 32)
    assert statuses(stepper) == ["done"] * 5 and stepper.done


def test_back_moves_in_the_record_and_undoes_nothing():
    a, _, L = diamond()
    stepper = show(L)
    stepper.finish()
    stepper.back()
    assert stepper.position == 4 and a.grad.item() == 64
    assert statuses(stepper) == ["done"] * 4 + ["next"]
    assert stepper.text() == stepper.record.text(4) != stepper.record.text(5)
    stepper.step()
    assert stepper.position == 5 and a.grad.item() == 64


def test_a_copy_leaves_graph_and_leaves_alone():
    a, b, L = diamond()
    stepper = show(L, copy=True)
    stepper.finish()
    final = stepper.record.as_reference()["final"]
    assert final["grad"] == {"a": [64.0], "b": [32.0]}
    assert set(final["saved"].values()) == {"freed", "none"}
    assert a.grad is None and b.grad is None
    L.backward()                                        # nothing had been freed
    assert (a.grad.item(), b.grad.item()) == (64, 32)


@pytest.mark.parametrize("options", [{}, {"retain_graph": True}, {"create_graph": True}])
def test_observing_changes_nothing(options):
    seen = []
    results = []
    for watched in (False, True):
        a, b, L = diamond()
        a.register_hook(lambda g: seen.append(g.item()))
        show(L, **options).finish() if watched else L.backward(**options)
        try:
            kept = L.grad_fn._saved_self is not None
        except RuntimeError:
            kept = False
        results.append((a.grad.item(), b.grad.item(), a._version, a.grad._version,
                        a.grad.requires_grad, kept))
    assert results[0] == results[1] and seen == [64.0, 64.0]


def test_options_change_before_the_first_step_only():
    a, _, L = diamond()
    stepper = show(L)
    stepper.set_option("retain_graph", True)
    assert stepper.record.head["options"]["retain_graph"] is True
    stepper.step()
    sent = []
    stepper.send = lambda content, *rest: sent.append(content)
    stepper.set_option("retain_graph", False)
    assert sent == [{"type": "refused",
                     "say": [{"id": "refused.started", "args": {"name": "retain_graph"}}]}]
    stepper.finish()
    L.backward()
    assert a.grad.item() == 128


def test_gradient_and_inputs_are_backwards_own():
    a, b, _ = diamond()
    v = torch.stack([a, b]) * 2
    show(v, gradient=torch.tensor([1.0, 10.0], dtype=torch.double), inputs=[b]).finish()
    assert a.grad is None and b.grad.item() == 20


def test_an_error_is_a_state_at_its_node_and_reaches_the_cell():
    x = torch.tensor(3.0, dtype=torch.double, requires_grad=True)
    w = x * 1
    L = w * w * 2
    w.add_(1)
    stepper = show(L)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        stepper.finish()
    state = stepper.record.state(-1)
    assert state["end"] == "error" and state["error"]["class"] == "RuntimeError"
    assert "failed" in statuses(stepper) and x.grad is None
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        stepper.finish()                                # a cell that is run again says it again


def test_a_cell_gets_the_error_also_when_clicks_have_come_to_it_first():
    x = torch.tensor(3.0, requires_grad=True)
    w = x * 1
    L = w * w
    w.add_(1)
    stepper = show(L)
    stepper._receive(None, {"type": "run"}, [])         # a click: nothing is raised in the comm
    assert stepper.done
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        stepper.finish()


OBSTACLES = {
    "no graph": (lambda: torch.ones(()), "does not require a gradient"),
    "inside no_grad": (lambda: torch.no_grad()(lambda: diamond()[2] * 2)(), "no graph to step"),
    "a leaf": (lambda: diamond()[0], "is a leaf"),
    "several elements": (lambda: torch.ones(3, requires_grad=True) * 2,
                         r"3 elements, shape \(3,\)"),
    "freed": (lambda: freed(), "used by an earlier pass"),
    "no tensor": (lambda: 3, "takes a tensor; it was given int"),
}


def freed():
    L = diamond()[2]
    L.backward()
    return L


@pytest.mark.parametrize("name", OBSTACLES)
def test_what_cannot_be_stepped_is_told_in_one_sentence(name):
    make, words = OBSTACLES[name]
    notice = show(make())
    assert isinstance(notice, Notice)
    with pytest.raises(RuntimeError, match=words):
        notice.finish()
    assert "<" not in notice._repr_html_().removeprefix("<p>").removesuffix("</p>")
    assert notice.step() is notice and notice.text() == repr(notice)
    assert notice.memory().text() == notice.snapshot().text() == notice.text()


def test_hostile_names_stay_text():
    name = '<img src=x onerror="window.__pwn=1">'
    stepper = eval("show(globals()[name])", {"show": show, "name": name, name: diamond()[2]})
    bundle = stepper._repr_mimebundle_()
    data = bundle[0] if isinstance(bundle, tuple) else bundle
    assert name in data["text/plain"]                   # it is the root's name
    assert "<img src=x" not in data["text/html"] and html.escape(name) in data["text/html"]
    assert "<img src=x" not in stepper.record.svg()


def test_a_closed_stepper_keeps_nothing_alive():
    x = torch.ones(3, requires_grad=True)
    L = (x * x).sum()
    node = weakref.ref(L.grad_fn)
    stepper = show(L)
    stepper.step()
    stepper.close()
    del stepper, L
    gc.collect()
    assert node() is None


def test_pytorchs_own_loss_is_told_apart(oracle):
    x = oracle.tensor(3.0, requires_grad=True)
    notice = show(x * x)
    assert "PyTorch" in notice.text()
    notice.finish()
    notice.finish()
    assert x.grad.item() == 6.0


def test_the_snapshot_is_a_picture_and_the_same_facts_as_text():
    _, _, L = diamond()
    stepper = show(L)
    stepper.step()
    picture = stepper.snapshot()
    assert picture.svg.startswith("<svg") and picture.text() == stepper.text()
    assert "data:image/svg+xml" in picture._repr_html_()
    stepper.finish()


def test_stepping_warns_of_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _, _, L = diamond()
        show(L).finish()


# ---- the learner's own engine


def test_show_own_steps_what_has_three_methods():
    a, b, c, d, L = own_engine.diamond().values()
    stepper = show_own(L, order=[L, c, d, a, b])
    stepper.step().step()
    assert stepper.record.head["root"] == "L"
    assert "wrong: c has 0 instead of 16" in stepper.text()
    stepper.set_option("retain_graph", True)               # refused in words, not an error
    stepper.finish()
    assert stepper.record.state(-1)["grads"]["n3"]["value"]["text"] == "16"
    assert isinstance(show_own(3.0), Notice) and "three" not in repr(show_own(3.0))


# ---- event by event


def test_step_event_runs_a_node_once_and_shows_its_events_one_by_one():
    a, _, L = diamond()
    stepper = show(L)
    seen = []
    while not (stepper.done and stepper.event < 0):
        stepper.step_event()
        seen.append((stepper.position, stepper.event))
        assert stepper.text() == stepper.record.text(
            stepper.position, event=stepper.event if stepper.event >= 0 else None)
    assert a.grad.item() == 64 and seen[:7] == [*((1, e) for e in (1, 2, 3, 4, 5)), (1, -1), (2, 1)]
    for place in seen[-2::-1]:
        stepper.back_event()
        assert (stepper.position, stepper.event) == place
    stepper.step()
    assert stepper.event == -1 and stepper.position == 2


def test_a_view_may_set_the_place_inside_a_step_but_no_other():
    stepper = show(diamond()[2])
    stepper.step().step()
    for wish, is_now in ((3, -1), (1, 1), (0, 0), (-7, -1), ("1", -1), (True, -1)):
        stepper.set_state({"event": wish})
        assert stepper.event == is_now, wish
    stepper.set_state({"position": 1, "event": 4})
    assert (stepper.position, stepper.event) == (1, 4)


# ---- breakpoints


def test_run_to_break_stops_before_the_node_and_goes_on_to_the_end():
    a, b, L = diamond()
    stepper = show(L).break_at(op="MulBackward0").break_at(leaf="b")
    assert stepper.run_to_break().position == 2 and a.grad is None
    assert "before every MulBackward0 and before leaf b" in stepper.text()
    assert stepper.text().endswith("Breakpoint: MulBackward0 #2 runs next.\n")
    assert [stepper.run_to_break().position for _ in range(2)] == [4, 5]
    assert stepper.done and a.grad.item() == 64 and b.grad.item() == 32
    stepper.position = 0
    assert stepper.run_to_break().position == 2             # in the record
    stepper.clear_breaks()
    assert stepper.run_to_break().position == 5 and "Breakpoint" not in stepper.text()


def test_a_view_sets_breakpoints_by_message_only():
    stepper = show(diamond()[2])
    point = {"kind": "node", "value": "n2"}
    for message in ({"type": "break", "point": point}, {"type": "break", "point": {"kind": "eval"}},
                    {"type": "continue"}, {"type": "continue", "to": 3}, {"type": "unbreak"}):
        stepper._receive(stepper, message, None)
    assert stepper.position == 2 and [p["value"] for p in stepper.breaks] == ["n2"]
    assert set(stepper.halts) == {"2"}
    stepper.set_state({"breaks": [], "halts": {}})
    assert stepper.breaks and stepper.halts
    stepper._receive(stepper, {"type": "break", "point": point}, None)
    assert not stepper.breaks and not stepper.halts
    for _ in range(3):
        stepper._receive(stepper, {"type": "unbreak", "index": 0}, None)


# ---- predict


def test_predict_asks_hides_judges_and_writes_one_file(tmp_path):
    a, b, L = diamond()
    stepper = show(L, ask=True)
    assert "Predict: what will L send to AddBackward0 #1, in all?" in stepper.text()
    assert stepper.answer("16") and "1 of 1 right" in stepper.text()
    stepper.step()
    assert not stepper.answer(8)                           # a sum hands on all it gets
    stepper.reveal()
    stepper.step()
    assert "off by 8 (the rule is" in stepper.text() and "1 of 3 right" in stepper.text()
    with pytest.raises(ValueError, match="no number"):
        stepper.answer("many")
    for message in ({"type": "answer", "text": "x"}, {"type": "answer", "text": "48"},
                    {"type": "answer"}, {"type": "ask", "on": 1}, {"type": "reveal"}):
        stepper._receive(stepper, message, None)
    stepper.finish()
    with pytest.raises(ValueError, match="no open question"):
        stepper.answer(1)
    stepper.save_answers(tmp_path / "answers.json")
    told = json.loads((tmp_path / "answers.json").read_text(encoding="utf-8"))
    assert (told["asked"], told["right"]) == (5, 2)
    assert [each["said"] for each in told["answers"]] == [16, 8, None, 48, None]
    stepper.set_state({"asking": {}})
    stepper.forget_answers()
    assert stepper.answers()["asked"] == 0
    stepper.ask(False)
    assert "right" not in stepper.text() and (a.grad.item(), b.grad.item()) == (64, 32)


def test_a_view_asks_for_the_next_event_by_number():
    stepper = show(diamond()[2])
    for at, place in ((1, (1, 1)), (1, (1, 1)), (2, (2, 1))):          # the second comes too late
        stepper._receive(stepper, {"type": "event", "at": at}, None)
        assert (stepper.position, stepper.event) == place
