"""show() and debug() with tensors of PyTorch's."""

import subprocess
import sys

import pytest

pytest.importorskip("anywidget")

from autodidact_widgets import Notice, Stepper, TorchStepper, compare, gate, show, torch_view

import autodidact

ORACLE = pytest.mark.oracle


pytestmark = pytest.mark.usefixtures("held")


def diamond(torch):
    """c = a * b; d = c + a; L = d * d at a = 2, b = 3."""
    a = torch.tensor(2.0, dtype=torch.double, requires_grad=True)
    b = torch.tensor(3.0, dtype=torch.double, requires_grad=True)
    c = a * b
    d = c + a
    return a, b, c, d, d * d


@ORACLE
def test_the_same_stepper_on_pytorchs_engine(oracle, held):
    a, b, c, d, L = diamond(oracle)
    stepper = show(L)
    assert isinstance(stepper, TorchStepper) and isinstance(stepper, Stepper) and held() == []
    stepper.step().step().step()
    assert a.grad is None and len(held()) == 1
    stepper.step()
    assert a.grad.item() == 64 and b.grad is None
    stepper.finish()
    stepper.finish()
    assert (a.grad.item(), b.grad.item()) == (64, 32) and stepper.done
    assert [n["var"] for n in stepper.record.head["nodes"]] == ["L", "d", "c", "a", "b"]
    assert "This is PyTorch's own engine, held before each node." in stepper.text()
    stepper.back()
    assert stepper.position == 4 and c.requires_grad and d.requires_grad


@ORACLE
def test_it_shows_what_autodidacts_own_run_of_the_program_shows(oracle):
    texts = []
    for library in (oracle, autodidact):
        a, b, c, d, L = diamond(library)
        stepper = show(L)
        names = (a, b, c, d)
        assert len(names) == 4
        stepper.finish()
        lines = stepper.text().splitlines()
        texts.append([" ".join(line.split()) for line in lines if "engine" not in line
                      and "recording" not in line])
    assert texts[0] == texts[1]


def little_model(torch):
    """A model, its data and its loss, with the same numbers in either library."""
    model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))
    with torch.no_grad():
        for weight in model.parameters():
            numbers = torch.arange(weight.numel(), dtype=torch.float32)
            weight.copy_(numbers.reshape(weight.shape) * 0.3 - 0.4)
    y = model(torch.ones(4, 2))
    return model, y, (y * y).mean()


@ORACLE
def test_a_pass_of_pytorchs_beside_autodidacts_own(oracle, held):
    sides = []
    for library in (oracle, autodidact):
        model, y, loss = little_model(library)
        sides.append((model, y, show(loss)))
    both = compare(*(side[-1] for side in sides))
    assert both.comparison.labels == ["PyTorch", "autodidact"]
    both.step().step()
    assert len(held()) == 1
    both.finish()
    assert both.comparison.differences() == [] and "no difference so far" in both.text()
    assert "model.0.weight.grad" in both.text() and held() == []
    for mine, theirs in zip(*(side[0].parameters() for side in sides), strict=True):
        assert abs(mine.grad.numpy() - theirs.grad.numpy()).max() < 1e-5


@ORACLE
def test_the_first_difference_between_two_engines_is_named(oracle):
    def program(torch, factor):
        x = torch.tensor(2.0, requires_grad=True)
        y = x * x
        return x, show(y * factor)

    both = compare(program(oracle, 3)[1], program(autodidact, 4)[1])
    both.finish()
    assert "first difference in step 1" in both.text()
    assert "y receives 3 | y receives 4" in both.text()


@ORACLE
def test_tensors_of_pytorchs_are_compared_on_copies(oracle):
    a, b, c, d, L = diamond(oracle)
    both = compare(L, c * d)
    assert both.comparison.labels == ["1", "2"]
    both.finish()
    assert a.grad is b.grad is None and not both.comparison.runs[0][0].head["options"]["live"]
    leaf = oracle.ones(1, requires_grad=True)
    assert isinstance(compare(leaf, leaf * 2), Notice)


@ORACLE
def test_a_copy_leaves_graph_and_leaves_alone(oracle):
    a, b, c, d, L = diamond(oracle)
    stepper = show(L, copy=True)
    stepper.finish()
    assert stepper.record.as_reference()["final"]["grad"] == {"a": [64.0], "b": [32.0]}
    assert a.grad is None and "called by hand on a copy" in stepper.text()
    L.backward()
    assert a.grad.item() == 64 and b.grad.item() == 32 and (c, d)


@ORACLE
def test_a_gradient_replaced_in_the_real_pass(oracle):
    x = oracle.tensor(2.0, requires_grad=True)
    loss = x * x * 3
    stepper = show(loss).step()
    stepper.replace(lambda old: 10 * old)
    stepper.finish()
    assert x.grad.item() == 120
    with pytest.raises(ValueError, match="over"):
        stepper.replace(1.0)


@ORACLE
def test_an_error_is_shown_at_its_node_and_raised(oracle, held):
    x = oracle.tensor(3.0, requires_grad=True)
    w = x * 1
    loss = (w * w) * 2
    w.add_(1)
    stepper = show(loss).step()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        stepper.step()
    said = stepper.record.state(-1)["error"]["say"][0]
    assert said["id"] == "error.inplace_unknown"
    assert (said["args"]["expected"], said["args"]["actual"]) == (0, 1)
    if hasattr(loss.grad_fn._raw_saved_other, "data"):
        assert said["args"]["var"] == "w"
    assert x.grad is None and held() == []


@ORACLE
@pytest.mark.parametrize("finish", [False, True])
def test_closing_ends_the_thread_and_lets_go(oracle, finish, held):
    _, _, _, _, L = diamond(oracle)
    stepper = show(L).step()
    assert len(held()) == 1
    if finish:
        stepper.finish()
    stepper.close()
    assert held() == [] and len(stepper.record) >= 2


@ORACLE
def test_a_pass_left_behind_by_a_rerun_cell_is_closed(oracle, monkeypatch, held):
    now = ["cell-1", 1]
    monkeypatch.setattr(torch_view, "cell_now", lambda: tuple(now))
    steppers = []
    for _ in range(2):
        _, _, _, _, L = diamond(oracle)
        steppers.append(show(L).step())
    assert len(held()) == 2                              # two of one run are both wanted
    now[1] = 2
    _, _, _, _, L = diamond(oracle)
    again = show(L).step()
    assert len(held()) == 1 and all(old._driver.done for old in steppers) and not again.done
    now[0] = "cell-2"
    other = show(diamond(oracle)[4]).step()
    assert len(held()) == 2
    again.close()
    other.close()


@ORACLE
def test_options_change_before_the_first_step(oracle):
    _, _, _, _, L = diamond(oracle)
    stepper = show(L)
    stepper.set_option("retain_graph", True)
    stepper.finish()
    assert stepper.record.head["options"]["retain_graph"] is True
    L.backward()


@ORACLE
@pytest.mark.parametrize("library", ["torch", "autodidact"])
def test_modules_and_parameters_are_named(oracle, library):
    oracle = {"torch": oracle, "autodidact": autodidact}[library]
    model = oracle.nn.Sequential(oracle.nn.Linear(2, 3), oracle.nn.Tanh())
    x = oracle.ones(1, 2)
    stepper = show(module=model, loss=lambda: model(x).sum())
    told = {n["name"]: (n["var"], n["module"]) for n in stepper.record.head["nodes"]}
    assert told["TanhBackward0"][1] == "1" and told["AddmmBackward0"][1] == "0"
    leaves = {n["var"] for n in stepper.record.head["nodes"] if n["kind"] == "leaf"}
    assert leaves == {"0.weight", "0.bias"}
    loss = model(x).sum()
    told = {n["name"]: n["module"] for n in show(loss, module=model).record.head["nodes"]}
    assert told["AddmmBackward0"] == "0" and told["TanhBackward0"] is None    # not guessed
    leaves = {n["var"] for n in show(loss).record.head["nodes"] if n["kind"] == "leaf"}
    assert leaves == {"model.0.weight", "model.0.bias"}


@ORACLE
@pytest.mark.parametrize("make, words", [
    (lambda torch: torch.tensor(1.0), "no graph to step"),
    (lambda torch: torch.tensor(1.0, requires_grad=True), "is a leaf"),
    (lambda torch: torch.ones(2, requires_grad=True) * 2, "has 2 elements"),
])
def test_where_there_is_nothing_to_step_one_sentence_says_why(oracle, make, words):
    notice = show(make(oracle))
    assert isinstance(notice, Notice) and words in notice.text()


@ORACLE
def test_a_graph_that_is_used_up(oracle):
    *_, L = diamond(oracle)
    L.backward()
    assert "let go of its saved tensors" in show(L).text()


def test_a_model_that_is_none_is_said(monkeypatch):
    notice = show(autodidact.ones(1), module="model")
    assert "torch.nn.Module" in notice.text() and "str" in notice.text()


def test_nothing_here_loads_pytorch():
    code = ("import sys, autodidact_widgets, autodidact\n"
            "x = autodidact.ones(1, requires_grad=True)\n"
            "autodidact_widgets.show((x * x).sum()).finish()\n"
            "with autodidact.debug():\n    (x * x).sum().backward()\n"
            "assert 'torch' not in sys.modules")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr


# ---- debug() ------------------------------------------------------------------------------------


@pytest.fixture
def terminal(monkeypatch):
    """A terminal whose user types these answers; returns what was asked."""
    def type_in(*answers):
        left, asked = list(answers), []
        monkeypatch.setattr(gate, "place", lambda: "terminal")
        monkeypatch.setattr("builtins.input", lambda text: asked.append(text) or left.pop(0))
        return asked
    return type_in


@ORACLE
def test_debug_stops_pytorchs_backward_and_grad(oracle, terminal, held):
    a, b, c, d, L = diamond(oracle)
    asked = terminal(*[""] * 20)
    usual = oracle.autograd.backward
    with autodidact.debug() as session:
        L.backward(retain_graph=True)
        assert len(asked) == 5 and (a.grad.item(), b.grad.item()) == (64, 32)
        got = oracle.autograd.grad(L, [a, c], retain_graph=True)
    assert [g.item() for g in got] == [64, 16] and a.grad.item() == 64
    assert oracle.autograd.backward is usual and held() == []
    assert [r.state(-1)["end"] for r in session.passes] == ["ok", "ok"]
    assert session.passes[0].head["engine"] == "torch" and d is not None
    assert [n["var"] for n in session.passes[0].head["nodes"]] == ["L", "d", "c", "a", "b"]


@ORACLE
def test_debug_of_pytorch_can_be_stopped_and_run_on(oracle, terminal, held):
    a, *_, L = diamond(oracle)
    terminal("", "q", "", "c")
    with pytest.raises(KeyboardInterrupt), autodidact.debug():
        L.backward(retain_graph=True)
    assert a.grad is None and held() == []
    a, *_, L = diamond(oracle)
    with autodidact.debug() as session:
        L.backward(retain_graph=True)
        L.backward()
    assert a.grad.item() == 128 and len(session.passes) == 1


@ORACLE
def test_debug_raises_what_pytorchs_pass_raises(oracle, terminal):
    terminal(*[""] * 9)
    *_, L = diamond(oracle)
    L.backward()
    with autodidact.debug(), pytest.raises(RuntimeError, match="second time"):
        L.backward()
    with autodidact.debug(), pytest.raises(RuntimeError, match="does not require grad"):
        oracle.tensor(1.0).backward()
    x = oracle.tensor(3.0, requires_grad=True)
    w = x * 1
    loss = (w * w) * 2
    w.add_(1)
    with autodidact.debug(), pytest.raises(RuntimeError, match="inplace operation"):
        loss.backward()


@ORACLE
def test_an_optimizer_and_a_checkpoint_inside_debug(oracle, terminal):
    checkpoint = pytest.importorskip("torch.utils.checkpoint").checkpoint
    terminal(*[""] * 30)
    layer = oracle.nn.Linear(2, 2)
    for reentrant in (False, True):
        x = oracle.ones(1, 2, requires_grad=True)
        want = layer(x).tanh().sum()
        want.backward()
        grads = [layer.weight.grad.clone(), x.grad.clone()]
        layer.zero_grad(), setattr(x, "grad", None)
        with autodidact.debug():
            checkpoint(lambda t: layer(t).tanh(), x, use_reentrant=reentrant).sum().backward()
        assert oracle.equal(layer.weight.grad, grads[0]) and oracle.equal(x.grad, grads[1])
        layer.zero_grad()


# ---- what if ------------------------------------------------------------------------------------


@ORACLE
def test_what_if_runs_a_copy_and_the_pass_itself_goes_on(oracle):
    x = oracle.tensor(2.0, requires_grad=True)
    y = x * x
    loss = y * 3
    stepper = show(loss).step()
    what_if = stepper.edit("y", lambda g: g * 10)
    stepper.finish()                                     # frees what the copy would need
    what_if.finish()
    assert x.grad.item() == 12
    assert what_if.record.as_reference()["final"]["grad"] == {"x": [120.0]}
    assert "called by hand on a copy" in what_if.text()
    assert what_if.record.head["edits"][0]["after"]["text"] == "30"
    other = show(oracle.tensor(2.0, requires_grad=True).exp() * 2).step()
    with pytest.raises(ValueError, match="cannot be changed"):
        other.edit("n1", 1.0, saved="result")
    other.close()


@ORACLE
def test_what_if_from_a_view(oracle):
    x = oracle.tensor(2.0, requires_grad=True)
    loss = (x * x) * 3
    stepper = show(loss).step()
    stepper._receive(None, {"type": "edit", "node": "n1", "slot": 0, "key": None, "how": "times",
                            "value": 10}, [])
    stepper._receive(None, {"type": "run"}, [])
    assert stepper.record.as_reference()["final"]["grad"] == {"x": [120.0]} and x.grad is None
    stepper._receive(None, {"type": "undo"}, [])
    stepper._receive(None, {"type": "run"}, [])
    assert x.grad.item() == 12


@ORACLE
def test_a_breakpoint_finds_the_node_that_makes_a_nan(oracle):
    x = oracle.tensor([0.0, 1.0], requires_grad=True)
    root = x.sqrt()
    loss = (root * 0).sum()
    stepper = show(loss)
    stepper.break_at(nan=True).run_to_break()
    assert not stepper.done and x.grad is None
    ran = next(n for n in stepper.record.head["nodes"]
               if n["id"] == stepper.record.state(-1)["ran"])
    assert ran["name"] == "SqrtBackward0"
    stepper.close()
