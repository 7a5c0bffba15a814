"""debug() in a real JupyterLab: the running cell waits at the node, and the page stays alive."""

import json

import pytest

pytest.importorskip("playwright")

from playwright.sync_api import expect

from tests.widgets.browser.jupyter import (
    DARK,
    LIGHT,
    OUTPUTS,
    SELECT,
    cell_text,
    console_errors,
    open_notebook,
    run_cell,
    screenshot,
    set_theme,
)

SETUP = """
import autodidact as torch, autodidact_widgets, ipywidgets
x = torch.tensor(1.0, requires_grad=True)
y = torch.tensor(2.0, requires_grad=True)
loss = x
for _ in range(4):
    loss = (loss * y) * x
other = ipywidgets.Button(description="other")
seen = ipywidgets.Label("not yet")
other.on_click(lambda button: setattr(seen, "value", f"heard, x.grad is {x.grad}"))
ipywidgets.VBox([other, seen])
"""
STOP = "with torch.debug() as session:\n    loss.backward()\nprint('x.grad', x.grad.item())"
NODES = 10
START = "name => { window.jupyterapp.commands.execute(name, {}); }"       # and do not wait for it
PROMPTS = """() => [...document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')]
  .map(prompt => prompt.innerText.trim())"""
INTERRUPT = """async () => {
  await window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.interrupt();
}"""
RESTART = """async () => {
  const context = window.jupyterapp.shell.currentWidget.sessionContext;
  await context.session.kernel.restart(); await context.session.kernel.info;
}"""
# After an error the kernel refuses what comes until it has been told that the queue is empty. Its
# answer to a question shows that the cell has ended, the second that the refusing has, too.
RESTS = """async () => {
  const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
  await kernel.requestKernelInfo(); await kernel.requestKernelInfo();
}"""
SAVE = "async () => window.jupyterapp.shell.currentWidget.context.save()"


@pytest.fixture
def lab(page, server):
    """A notebook whose second cell stops, running, with a stepper on the screen."""
    later = [f"print('later', {i}, x.grad.item())" for i in range(3)]
    open_notebook(page, server.write("stops.ipynb", SETUP, STOP, *later))
    page.evaluate(START, "notebook:run-all-cells")
    return page


def stepper(page, number=0):
    """The stepper's element, once the cell waits at it."""
    root = page.locator(".ad").nth(number)
    expect(root.locator(".gate")).to_be_visible(timeout=30_000)
    root.scroll_into_view_if_needed()
    return root


def step(root, start, times):
    """Click Step, and see each answer."""
    for done in range(start + 1, start + times + 1):
        root.locator(".btn.main").click()
        expect(root.locator(".count")).to_have_text(f"{done} of {NODES} steps")


def prompts(page):
    """What stands before each code cell: [1]:, [*]: or [ ]:."""
    return page.evaluate(PROMPTS)


def wait_for_text(page, index, text):
    """Until a cell has put out a text."""
    page.wait_for_function(
        "([index, text]) => JSON.stringify(window.jupyterapp.shell.currentWidget.content.model"
        ".cells.get(index).outputs.toJSON()).includes(text)", arg=[index, text])


def run_again(page, index):
    """Run a cell that has ended with an error once more, and do not wait for it."""
    page.evaluate(RESTS)
    page.evaluate(SELECT, index)
    page.evaluate(START, "notebook:run-cell")


def test_the_cell_waits_while_ten_clicks_step_it_and_another_widget_is_heard(lab):
    root = stepper(lab)
    step(root, 0, 3)
    assert prompts(lab) == ["[1]:", *["[*]:"] * 4]
    lab.get_by_role("button", name="other").click()
    expect(lab.get_by_text("heard, x.grad is None")).to_be_visible()
    set_theme(lab, DARK)
    root.scroll_into_view_if_needed()
    screenshot(lab, "debug-dark")
    set_theme(lab, LIGHT)
    screenshot(lab, "debug-light")
    step(root, 3, NODES - 3)
    wait_for_text(lab, 4, "later 2")
    assert prompts(lab) == [f"[{i}]:" for i in range(1, 6)]
    assert cell_text(lab, 1).endswith("x.grad 80.0\n")
    expect(root.locator(".gate")).to_be_hidden()
    assert console_errors(lab) == []


def test_keys_and_run_work_as_in_any_stepper(lab):
    root = stepper(lab)
    root.locator(".btn.main").focus()
    for done in (1, 2):
        lab.keyboard.press("ArrowRight")
        expect(root.locator(".count")).to_have_text(f"{done} of {NODES} steps")
    lab.keyboard.press("ArrowLeft")
    expect(root.locator(".count")).to_contain_text("the pass is at 2")
    root.locator(".speed").select_option("0")
    root.get_by_role("button", name="Run", exact=True).click()
    wait_for_text(lab, 4, "later 2 80.0")


def test_interrupt_and_the_stop_button_end_the_cell(lab):
    root = stepper(lab)
    step(root, 0, 2)
    lab.evaluate(INTERRUPT)
    wait_for_text(lab, 1, "KeyboardInterrupt")
    expect(root.locator(".gate")).to_be_hidden()
    expect(root.locator(".say")).to_contain_text("The pass was stopped here.")
    lab.evaluate(RESTS)
    run_cell(lab, 0)                                    # a new graph: two nodes have been freed
    run_again(lab, 1)
    root = stepper(lab)
    root.get_by_role("button", name="Stop the cell").click()
    wait_for_text(lab, 1, "KeyboardInterrupt")
    run_again(lab, 1)
    root = stepper(lab)
    root.get_by_role("button", name="Run on without stops").click()
    wait_for_text(lab, 1, "x.grad 80.0")
    assert console_errors(lab) == []


def test_a_restart_while_stopped_and_run_again(lab):
    step(stepper(lab), 0, 2)
    lab.evaluate(RESTART)
    lab.evaluate(START, "notebook:run-all-cells")
    lab.wait_for_function("document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')[1]"
                          ".innerText.includes('*')")
    root = lab.locator(".ad", has_text=f"0 of {NODES} steps")
    expect(root.locator(".gate")).to_be_visible(timeout=30_000)
    step(lab.locator(".ad").last, 0, NODES)
    wait_for_text(lab, 4, "later 2 80.0")


def test_a_reloaded_page_finds_the_stepper_where_it_was(lab):
    step(stepper(lab), 0, 3)
    lab.evaluate(SAVE)
    lab.reload()
    root = lab.locator(".ad").first
    expect(root.locator(".count")).to_have_text(f"3 of {NODES} steps", timeout=30_000)
    expect(root.locator(".gate")).to_be_visible()
    step(root, 3, NODES - 3)
    expect(root.locator(".gate")).to_be_hidden()


def test_a_view_that_is_taken_away_and_an_input_in_its_place(page, server):
    quick = SETUP + "\nfrom autodidact_widgets.gate import Gate\nGate.patience = 0.5\n" \
        "from autodidact_widgets.debug import GatedStepper\n" \
        "GatedStepper._begin = lambda self: None"
    open_notebook(page, server.write("prompt.ipynb", quick, STOP))
    page.evaluate(START, "notebook:run-all-cells")
    for words, answer in (("The pass starts", ""), ("runs next", ""), ("runs next", ""), ("", "c")):
        asked = page.locator(".jp-Stdin", has_text=words).last.locator(".jp-Stdin-input")
        line = asked.element_handle()
        line.fill(answer)
        line.press("Enter")
        page.wait_for_function("line => !line.isConnected", arg=line)     # the next is another
    wait_for_text(page, 1, "x.grad 80.0")


def test_what_is_saved_while_stopped_and_after(lab, server):
    root = stepper(lab)
    step(root, 0, 3)
    lab.evaluate(SAVE)
    cells = json.loads((server.root / "stops.ipynb").read_text(encoding="utf-8"))["cells"]
    assert cells[1]["execution_count"] is None and len(cells[1]["outputs"]) == 1
    step(root, 3, NODES - 3)
    wait_for_text(lab, 4, "later 2")
    lab.evaluate(SAVE)
    cells = json.loads((server.root / "stops.ipynb").read_text(encoding="utf-8"))["cells"]
    assert [cell["execution_count"] for cell in cells] == [1, 2, 3, 4, 5]
    assert [o["output_type"] for o in cells[1]["outputs"]] == ["display_data", "stream"]
    assert lab.evaluate(OUTPUTS, 1)[0]["data"]["text/plain"]
