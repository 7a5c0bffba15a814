"""A notebook with a few steppers in a real JupyterLab, each held against what the kernel says.

`open_scenes` writes one: after each program a cell that prints the text form of its
stepper `s`. `OneScene(page, k)` runs program `k` and shows it.

Tests may share such a notebook: a scene begins with its program, run afresh, and whoever switches
theme or language does it in a `with`, which switches back also where an assertion has failed.
"""

import contextlib
import json
import re

from playwright.sync_api import expect

from tests.widgets.browser import jupyter
from tests.widgets.browser.accessible import axe

FIRST = """import autodidact as torch
from autodidact_widgets import show"""
STEP = re.compile("^(Step|Шаг)$")
TELL = "print(s.text())"
RECORDED = """import json
print(json.dumps([s.record.text(k) for k in range(len(s.record))]))"""
SAYS = """(form, text) => new Promise((done, fail) => {
  const say = () => form.textContent.trim() === text && (watcher.disconnect(), done(), true);
  const watcher = new MutationObserver(say);
  watcher.observe(form, {childList: true, characterData: true, subtree: true});
  say() || setTimeout(() => fail(Error("the text form never said:\\n" + text)), 20000);
})"""
SHOW = """index => window.jupyterapp.shell.currentWidget.content.scrollToItem(index, 'start')"""


def open_scenes(page, server, name, programs, first=FIRST):
    """Open a new notebook of these programs, its kernel ready."""
    cells = [first]
    for program in programs:
        cells += [program, TELL]
    cells += ['torch.set_language("ru")', 'torch.set_language("en")', RECORDED]
    jupyter.open_notebook(page, server.write(name, *cells))
    jupyter.run_cell(page, 0)


@contextlib.contextmanager
def scenes_page(browser, server, name, programs, first=FIRST):
    """A page with a notebook of these programs, wide and high enough for a whole stepper."""
    with jupyter.run_page(browser, server, viewport={"width": 1500, "height": 1500}) as page:
        open_scenes(page, server, name, programs, first)
        yield page
    server.stop_kernels()


CELLS = "() => window.jupyterapp.shell.currentWidget.content.model.cells.length"


class OneScene:
    """One stepper in the notebook, and what the kernel says of it."""

    def __init__(self, page, number):
        self.page, self.index = page, 1 + 2 * number
        jupyter.command(page, "notebook:clear-all-cell-outputs")     # whose turn is over costs time
        jupyter.run_cell(page, self.index)
        page.evaluate(SHOW, self.index)
        cell = f'.jp-Cell[data-windowed-list-index="{self.index}"]'
        self.root = page.locator(f"{cell} .ad").first
        expect(self.step).to_be_visible()
        expect(self.root.locator(".count").first).to_be_visible()    # the first state is here

    @property
    def step(self):
        """The button that steps, in either language."""
        return self.root.get_by_role("button", name=STEP)

    def focus(self):
        """The keyboard's place: the button that steps."""
        self.step.focus()

    def words(self):
        """The text form, as the view shows it."""
        return self.root.locator(".textform").text_content().strip()

    def text_form(self, on):
        """Show or hide the text form, by its key."""
        self.focus()
        self.page.keyboard.press("t")
        form = expect(self.root.locator(".textform"))
        form.to_be_visible() if on else form.to_be_hidden()

    def told(self):
        """The text form, as the kernel prints it."""
        jupyter.run_cell(self.page, self.index + 1)
        text = jupyter.cell_text(self.page, self.index + 1).strip()
        self.page.evaluate(SHOW, self.index)
        return text

    def press(self, key):
        """Press a key that moves, and wait until it has; the text form is open."""
        before = self.words()
        self.focus()
        self.page.keyboard.press(key)
        expect(self.root.locator(".textform")).not_to_have_text(before)

    def agrees(self):
        """View and kernel say the same, and nothing stands in the browser's console.

        A place that was moved to waits in the browser until the kernel has answered the message
        before it, so the first question may come too early; the answer to it ends the waiting.
        """
        for _ in range(3):
            told = self.told()
            if told == self.words():
                break
        assert self.words() == told
        assert jupyter.console_errors(self.page) == []

    def stepped(self, times):
        """Some steps by button, each waited for until the view is there and the picture rests.

        (A new state comes before the view moves to it: "0 of 5 steps, the pass is at 1".)
        """
        count = self.root.locator(".count")
        for _ in range(times):
            expect(count).to_have_text(re.compile(r"^\d"))     # not where another pass has stopped
            done = int(count.inner_text().split()[0])
            self.step.click()
            there = rf"^(stopped in step )?{done + 1} of \d+( steps)?$"
            expect(count).to_have_text(re.compile(there))
            expect(self.root.locator(".rides")).to_have_count(0)

    def boxes(self):
        """What each box of the picture is called, by its source; a leaf's by its name."""
        names = self.root.locator(".box").evaluate_all(
            "all => all.map(box => box.getAttribute('aria-label'))")
        return {name.split(", ")[0]: name for name in names}

    def grads_now(self):
        """The last column of the leaves' table."""
        return self.root.locator(".leaves tbody tr td:last-child").all_inner_texts()

    @property
    def over(self):
        """Whether there is nothing left to step."""
        return self.step.get_attribute("aria-disabled") == "true"

    def to_the_end_and_back(self, most=60):
        """By keyboard alone, with the text form open, which is compared; the number of steps."""
        self.text_form(True)
        moves = 0
        while not self.over and moves < most:
            self.press("ArrowRight")
            moves += 1
        assert self.over
        self.agrees()
        assert axe(self.page) == []
        self.press("ArrowLeft")
        self.agrees()
        self.press("ArrowRight")
        self.text_form(False)
        return moves

    def pictures(self, name):
        """The picture form in both themes."""
        for theme in (jupyter.DARK, jupyter.LIGHT):
            jupyter.set_theme(self.page, theme)
            self.page.evaluate(SHOW, self.index)
            word = "dark" if theme == jupyter.DARK else "light"
            jupyter.screenshot(self.page, f"scene-{name}-{word}", self.root)

    def picture(self, name):
        """A picture of the view as it stands."""
        jupyter.screenshot(self.page, f"scene-{name}", self.root)

    def recorded(self):
        """The text form of every state, from the record of the kernel."""
        last = self.page.evaluate(CELLS) - 1
        jupyter.run_cell(self.page, last)
        texts = json.loads(jupyter.cell_text(self.page, last))
        self.page.evaluate(SHOW, self.index)
        return [text.strip() for text in texts]

    def await_words(self, text):
        """Wait until the text form says this, to the letter."""
        self.root.locator(".textform").evaluate(SAYS, text)

    @contextlib.contextmanager
    def dark(self):
        """JupyterLab in its dark theme, switched in place."""
        jupyter.set_theme(self.page, jupyter.DARK)
        try:
            self.page.evaluate(SHOW, self.index)
            yield
        finally:
            jupyter.set_theme(self.page, jupyter.LIGHT)
            self.page.evaluate(SHOW, self.index)

    @contextlib.contextmanager
    def russian(self):
        """Every stepper in Russian, switched in place."""
        last = self.page.evaluate(CELLS)
        jupyter.run_cell(self.page, last - 3)
        try:
            self.page.evaluate(SHOW, self.index)
            expect(self.root.get_by_role("button", name="Шаг", exact=True)).to_be_visible()
            yield
        finally:
            jupyter.run_cell(self.page, last - 2)
            self.page.evaluate(SHOW, self.index)
            expect(self.root.get_by_role("button", name="Step", exact=True)).to_be_visible()

    def in_russian(self, name):
        """The language switched in place; the text form in Russian, and a picture."""
        last = self.page.evaluate(CELLS)
        jupyter.run_cell(self.page, last - 3)
        self.page.evaluate(SHOW, self.index)
        step = self.root.get_by_role("button", name="Шаг", exact=True)
        expect(step).to_be_visible()
        for alert in self.root.get_by_role("alert").all_inner_texts():
            assert re.search("[а-я]{3}", alert), alert
        jupyter.screenshot(self.page, f"scene-{name}-ru", self.root)
        step.focus()
        self.page.keyboard.press("t")
        expect(self.root.locator(".textform")).to_be_visible()
        self.agrees()
        text = self.words()
        step.focus()
        self.page.keyboard.press("t")
        jupyter.run_cell(self.page, last - 2)
        return text
