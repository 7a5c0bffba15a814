"""debug() in a real kernel: the running cell waits, and the widgets are heard meanwhile.

A page without a browser (`kernel_page.py`) plays the notebook: what goes over the wire is the same.
The scenes that need a screen are in `browser/test_debug.py`.
"""

import pytest

pytest.importorskip("anywidget")
pytest.importorskip("ipykernel")
pytest.importorskip("jupyter_client")

from tests.widgets.kernel_page import run_page

SETUP = """
import autodidact as torch
import autodidact_widgets
from autodidact_widgets import gate
gate.Gate.patience = 10.0
x = torch.tensor(1.0, requires_grad=True)
L = x
for _ in range(9):
    L = L * 2
loss = L * 2
"""
STOP = """
with torch.debug() as session:
    loss.backward(retain_graph=True)
print('grad', x.grad.item())"""
NODES = 11


@pytest.fixture(scope="module")
def kernel():
    """One kernel for all tests here."""
    with run_page() as page:
        yield page


@pytest.fixture
def page(kernel):
    """The kernel with a fresh chain of ten nodes and a leaf, and a page that has seen nothing."""
    kernel.forget()
    kernel.result(SETUP)
    return kernel


def begin(page, code=STOP, number=0):
    """Run a cell that stops; (the cell, its stepper with a view that has said hello)."""
    cell = page.run(code)
    stepper = page.widget("_head", number)
    stepper.send({"type": "hello"})
    page.wait(lambda: stepper.received)
    return cell, stepper


def step(page, stepper, times=1):
    """Click, and wait for the answer, so many times."""
    for _ in range(times):
        at = stepper.state["count"]
        stepper.send({"type": "step", "at": at})
        page.wait(lambda at=at: stepper.state["position"] == at)


def test_the_cell_waits_at_every_node(page):
    cell, stepper = begin(page)
    step(page, stepper, 10)
    assert page.stays(lambda: not cell.done()) and stepper.state["waiting"] is True
    assert stepper.state["position"] == 10 and not stepper.state["done"]
    step(page, stepper)
    page.wait(cell.done)
    assert cell.status == "ok" and cell.text == "grad 1024.0\n"
    page.wait(lambda: stepper.state["waiting"] is False)
    assert stepper.state["done"] and cell.error is None


def test_a_look_back_is_heard_while_the_cell_waits(page):
    cell, stepper = begin(page)
    step(page, stepper, 3)
    stepper.set(position=1)
    assert page.stays(lambda: not cell.done(), 0.2)
    step(page, stepper)
    assert stepper.state["position"] == 4
    stepper.send({"type": "run"})
    page.wait(cell.done)


def test_other_widgets_stay_usable(page):
    page.result(
        "import ipywidgets\nseen = []\nother = ipywidgets.IntText(description='other')\n"
        "other.observe(lambda change: seen.append((change.new, x.grad)), 'value')\n"
        "twin = ipywidgets.IntText()\nipywidgets.dlink((other, 'value'), (twin, 'value'))"
    )
    other, twin = page.widget("description"), None
    cell, stepper = begin(page)
    step(page, stepper, 2)
    other.set(value=7)
    twin = [w for w in page.widgets.values() if w.state.get("_model_name") == "IntTextModel"][1]
    page.wait(lambda: twin.state["value"] == 7)
    assert not cell.done()
    step(page, stepper, 9)
    page.wait(cell.done)
    assert page.result("print(seen)") == "[(7, None)]\n"


def test_a_failing_handler_of_another_widget_is_not_the_cells_fault(page):
    page.result("import ipywidgets\nother = ipywidgets.IntText(description='other')\n"
                "other.observe(lambda change: 1 / 0, 'value')")
    cell, stepper = begin(page)
    page.widget("description").set(value=7)
    step(page, stepper, NODES)
    page.wait(cell.done)
    assert cell.status == "ok"


@pytest.mark.parametrize("turn", range(3))
def test_later_cells_wait_and_run_in_order(page, turn):
    cell, stepper = begin(page)
    later = [page.run(f"print('cell', {i}, x.grad.item())") for i in range(5)]
    step(page, stepper, 3)
    assert page.stays(lambda: not any(c.done() for c in later))
    stepper.send({"type": "run"})
    page.wait(later[-1].done)
    assert page.order[-6:] == [cell, *later]
    assert [c.text for c in later] == [f"cell {i} 1024.0\n" for i in range(5)]
    assert [c.count for c in later] == list(range(cell.count + 1, cell.count + 6))


@pytest.mark.parametrize("turn", range(3))
def test_an_interrupt_ends_the_cell_and_drops_the_next_ones(page, turn):
    cell, stepper = begin(page)
    later = page.run("print('later')")
    step(page, stepper, 3)
    page.manager.interrupt_kernel()
    page.wait(lambda: cell.done() and later.done())
    assert (cell.status, cell.error) == ("error", "KeyboardInterrupt")
    assert later.status in ("aborted", "error") and later.text == ""
    page.wait(lambda: stepper.state["waiting"] is False)
    stepper.send({"type": "step", "at": 4})                     # harmless afterwards
    assert page.result("print(x.grad, session.passes[0].state(-1)['end'])") == "None stopped\n"
    again, stepper = begin(page, number=1)
    step(page, stepper, NODES)
    page.wait(again.done)
    assert again.text == "grad 1024.0\n"


def test_stop_is_an_interrupt_and_run_on_stops_no_more(page):
    cell, stepper = begin(page)
    stepper.send({"type": "stop"})
    page.wait(cell.done)
    assert cell.error == "KeyboardInterrupt"
    twice = STOP.replace("(retain_graph=True)\n", "(retain_graph=True)\n    loss.backward()\n")
    cell, stepper = begin(page, twice, number=1)
    stepper.send({"type": "run_on"})
    page.wait(cell.done)
    assert cell.status == "ok" and cell.text == "grad 2048.0\n"


def test_an_error_of_the_pass_reaches_the_cell_and_the_cell_runs_again(page):
    code = ("w = x * 1; bad = (w * w) * 2; w.data.add_(0); w.add_(1)\n"
            "with torch.debug():\n    bad.backward()")
    for number in range(2):
        cell, stepper = begin(page, code, number)
        step(page, stepper, 2)
        page.wait(cell.done)
        assert (cell.status, cell.error) == ("error", "RuntimeError")
        assert stepper.received[-1]["states"][-1]["error"]["class"] == "RuntimeError"


def test_two_passes_stop_one_after_the_other(page):
    twice = "with torch.debug():\n    loss.backward(retain_graph=True)\n    loss.backward()"
    cell, first = begin(page, twice)
    step(page, first, NODES)
    second = page.widget("_head", 1)
    first.send({"type": "step", "at": NODES + 1})               # a click too many, on the first one
    second.send({"type": "hello"})
    page.wait(lambda: second.received)
    assert page.stays(lambda: second.state["count"] == 1)
    step(page, second, NODES)
    page.wait(cell.done)
    assert page.result("print(x.grad.item())") == "2048.0\n"


def test_an_open_figure_survives_the_clicks(page):
    pytest.importorskip("matplotlib")
    page.result("%matplotlib inline\nimport matplotlib.pyplot as plt")
    cell, stepper = begin(page, "plt.figure()\nplt.plot([1, 2])\n" + STOP +
                          "\nplt.plot([2, 1])\nprint('lines', len(plt.gca().lines))")
    step(page, stepper, NODES)
    page.wait(cell.done)
    page.stays(lambda: True, 0.3)
    assert "lines 2" in cell.text
    assert sum("image/png" in data for data in cell.data) == 1


def test_a_view_that_never_speaks_is_asked_for_in_the_cell(page):
    page.result("gate.Gate.patience = 0.2")
    cell = page.run(STOP)
    asked = [page.answer("") for _ in range(3)]
    assert asked[0].startswith("The pass starts: loss receives 1.") and "runs next" in asked[1]
    page.answer("c")
    page.wait(cell.done)
    assert cell.text.endswith("grad 1024.0\n")


def test_a_kernel_that_the_pump_does_not_know_asks_too(page):
    page.result("gate.Gate.patience = 0.2; known = gate.pump_of; gate.pump_of = lambda k: None")
    cell = page.run(STOP)
    page.answer("")
    page.answer("q")
    page.wait(cell.done)
    assert cell.error == "KeyboardInterrupt"
    page.result("gate.pump_of = known")


def test_what_a_reloaded_page_asks_is_answered_while_the_cell_waits(page):
    cell, stepper = begin(page)
    step(page, stepper, 2)
    answers = []
    page.listeners.append(lambda message: answers.append(message["msg_type"]))
    for kind, content in (("kernel_info_request", {}), ("comm_info_request", {})):
        page.client.shell_channel.send(page.client.session.msg(kind, content))
    page.wait(lambda: len(answers) == 2)
    assert answers == ["kernel_info_reply", "comm_info_reply"] and not cell.done()
    before = len(stepper.received)
    page.comm("comm_msg", stepper.identity, {"method": "request_state"})
    stepper.send({"type": "hello"})
    page.wait(lambda: len(stepper.received) > before)
    assert len(stepper.received[-1]["states"]) == 3
    step(page, stepper, 9)
    page.wait(cell.done)


def test_a_pass_in_a_thread_waits_without_holding_the_kernel(page):
    page.result("import threading\n"
                "def work():\n    with torch.debug():\n        loss.backward()\n"
                "thread = threading.Thread(target=work, daemon=True)\nthread.start()")
    stepper = page.widget("_head")
    page.wait(lambda: stepper.state["waiting"])      # it is made in the thread: not all at once
    assert page.result("print('free', x.grad)") == "free None\n"
    step(page, stepper, NODES)
    assert page.result("thread.join(); print(x.grad.item())") == "1024.0\n"


def test_a_look_without_a_message_is_cheap(page):
    text = page.result(
        "import timeit\nfrom autodidact_widgets.pump import Pump\n"
        "pump = Pump(get_ipython().kernel)\n"
        "print(pump.works, min(timeit.repeat(pump, number=500, repeat=5)) / 500 * 1e6)")
    works, cost = text.split()
    assert works == "True" and float(cost) < 500               # microseconds; a few in fact
