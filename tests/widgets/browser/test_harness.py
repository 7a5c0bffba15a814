"""The harness proves itself with a trivial widget, so that a red stepper test means the stepper."""

import re

import pytest

pytest.importorskip("playwright")

from playwright.sync_api import expect

from tests.widgets.browser import bare
from tests.widgets.browser.jupyter import (
    DARK,
    LIGHT,
    cell_text,
    console_errors,
    open_notebook,
    run_all,
    run_cell,
    screenshot,
    set_theme,
)

COUNTER = """export default {
  render({model, el}) {
    const button = document.createElement("button"), out = document.createElement("output");
    button.textContent = "Step"; button.setAttribute("aria-label", "Step one node");
    const draw = () => { out.textContent = "step " + model.get("count"); };
    const key = event => {
      if (event.key !== "ArrowRight" || !el.contains(document.activeElement)) return;
      event.preventDefault(); event.stopImmediatePropagation(); model.send({type: "step"});
    };
    button.onclick = () => model.send({type: "step"});
    window.addEventListener("keydown", key, true);
    model.on("change:count", draw); draw(); el.append(button, out);
    return () => { model.off("change:count", draw);
                   window.removeEventListener("keydown", key, true); };
  }
}"""
WIDGET = f'''import anywidget, traitlets
class Counter(anywidget.AnyWidget):
    _esm = """{COUNTER}"""
    count = traitlets.Int(0).tag(sync=True)
    def __init__(self):
        super().__init__()
        self.on_msg(lambda widget, message, buffers: setattr(self, "count", self.count + 1))
counter = Counter()
counter'''


def test_a_widget_in_jupyterlab(page, server):
    cells = ("# Harness", WIDGET, "counter", "print('count =', counter.count)", "1 / 0")
    open_notebook(page, server.write("harness.ipynb", *cells))
    run_all(page)
    button, shown = page.get_by_role("button", name="Step one node"), page.locator("output")
    expect(shown).to_have_text(["step 0", "step 0"])            # two views of one model
    button.first.click()
    expect(shown).to_have_text(["step 1", "step 1"])
    button.last.press("ArrowRight")
    expect(shown).to_have_text(["step 2", "step 2"])
    run_cell(page, 3)
    assert cell_text(page, 3) == "count = 2\n"                  # the kernel agrees
    assert cell_text(page, 4) == "ZeroDivisionError: division by zero"
    pictures = []
    for theme in (LIGHT, DARK):
        set_theme(page, theme)
        pictures.append(screenshot(page, f"harness-{theme.split()[1].lower()}").read_bytes())
    assert pictures[0] != pictures[1]
    assert console_errors(page) == []


def test_console_errors_are_noticed(page, server):
    open_notebook(page, server.write("errors.ipynb", "1"))
    with page.expect_event("pageerror"):
        page.evaluate("console.error('from the widget'); setTimeout(() => { throw Error('late') })")
    assert any("from the widget" in text for text in console_errors(page))
    assert any("late" in text for text in console_errors(page))


def test_a_test_leaves_no_kernel_behind(server):
    """Runs after the two above: their pages have closed, so the server must be idle."""
    assert server.get("/api/kernels") == []


def test_the_server_wants_its_token(server):
    stranger = type(server)(server.url, "wrong", server.root)
    with pytest.raises(OSError, match="403"):
        stranger.get("/api/contents")


def test_a_widget_in_a_bare_page(bare_page):
    widget = bare.mount(bare_page, COUNTER, {"count": 0}, css="output { color: rgb(1, 2, 3) }")
    widget.get_by_role("button").click()
    widget.get_by_role("button").press("ArrowRight")
    assert bare.sent(bare_page) == [{"type": "step"}, {"type": "step"}]
    bare.set_trait(bare_page, "count", 7)
    expect(widget.locator("output")).to_have_text("step 7")
    expect(widget.locator("output")).to_have_css("color", "rgb(1, 2, 3)")
    assert bare.trait(bare_page, "count") == 7
    assert bare.unmount(bare_page) == 0
    assert console_errors(bare_page) == []


def test_a_bare_widget_receives_messages(bare_page):
    source = """export default () => ({
      initialize({model}) { model.on("msg:custom", message => model.send({echo: message})); },
      render({el}) { el.textContent = "here"; }
    })"""
    expect(bare.mount(bare_page, source, {})).to_have_text(re.compile("here"))
    bare.receive(bare_page, {"type": "states", "from": 1})
    assert bare.sent(bare_page) == [{"echo": {"type": "states", "from": 1}}]
    assert bare.unmount(bare_page) == 1                         # a leak is counted
