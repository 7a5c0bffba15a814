"""Two views of one widget, a page loaded again, a kernel restarted: nothing breaks."""

import pytest

pytest.importorskip("playwright")

from playwright.sync_api import expect

from tests.widgets.browser.jupyter import (
    READY,
    WIDGET,
    cell_text,
    command,
    console_errors,
    open_notebook,
    run_cell,
)

PASS = """import autodidact as torch
from autodidact_widgets import show
a = torch.tensor(2., requires_grad=True)
c = a * 3
s = show(c * a)
s"""
COUNTS = "print(s.count, s.done, a.grad)"
RESTART = """async () => {
  await window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart();
}"""


@pytest.fixture
def notebook(page, server):
    """A pass shown in two cells."""
    open_notebook(page, server.write("again.ipynb", PASS, "s", COUNTS))
    run_cell(page, 0)
    run_cell(page, 1)
    return page


def test_two_views_of_one_widget_move_together(notebook):
    one, two = notebook.locator(".ad").first, notebook.locator(".ad").last
    one.locator(".btn.main").click()
    expect(one.locator(".say")).to_contain_text("sent")
    expect(two.locator(".say")).to_contain_text("sent")
    two.locator(".btn.main").click()
    expect(one.locator(".num").first).to_contain_text("2 of 3")
    run_cell(notebook, 2)
    assert cell_text(notebook, 2).startswith("3 False")      # each click ran one node
    assert console_errors(notebook) == []


def test_a_page_that_is_loaded_again_shows_the_pass_where_it_was(notebook):
    notebook.locator(".ad").first.locator(".btn.main").click()
    expect(notebook.locator(".ad").first.locator(".say")).to_contain_text("sent")
    command(notebook, "docmanager:save")
    notebook.reload()
    notebook.wait_for_function(f"{WIDGET} && {WIDGET}.sessionContext")
    notebook.evaluate(READY)
    view = notebook.locator(".ad").first
    expect(view.locator(".num").first).to_contain_text("1 of 3")
    view.locator(".btn.main").click()
    expect(view.locator(".num").first).to_contain_text("2 of 3")
    assert console_errors(notebook) == []


def test_after_a_restart_an_old_view_is_silent_and_a_new_one_works(notebook):
    view = notebook.locator(".ad").first
    view.locator(".btn.main").click()
    expect(view.locator(".say")).to_contain_text("sent")
    notebook.evaluate(RESTART)
    notebook.evaluate(READY)
    view.locator(".btn.main").click()                        # nobody is there to answer
    expect(view.locator(".notice")).to_contain_text("The kernel that ran this pass is gone")
    run_cell(notebook, 0)
    view = notebook.locator(".ad").first
    expect(view.locator(".num").first).to_contain_text("0 of 3")
    view.locator(".btn.main").click()
    expect(view.locator(".num").first).to_contain_text("1 of 3")
    assert console_errors(notebook) == []
