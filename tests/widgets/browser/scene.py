"""One scene in a notebook of a real JupyterLab, for the tests `test_scene_wNN.py`.

    scene = Scene(page, server, "w17", CODE)      # CODE ends with `s = show(...)`
    scene.walk()                                  # by keyboard to the end and back, text form on
    scene.pictures()                              # both themes, and Russian

`walk` compares, at every place it stops, what the view says with what the kernel says, and has
axe-core look at it.
"""

from playwright.sync_api import expect

from tests.widgets.browser import jupyter
from tests.widgets.browser.accessible import axe

FIRST = """import autodidact as torch
from autodidact_widgets import compare, show"""
SHOW = "index => window.jupyterapp.shell.currentWidget.content.scrollToItem(index, 'start')"
MOST = 80


class Scene:
    """A stepper in a notebook, and what the kernel says of it."""

    CODE, TELL, RUSSIAN = 1, 2, 3

    def __init__(self, page, server, name, code):
        self.page, self.name = page, name
        russian = f'torch.set_language("ru")\n{code}s.finish()\ns'
        cells = (FIRST, f"{code}s", "print(s.text())", russian)
        jupyter.open_notebook(page, server.write(f"scene-{name}.ipynb", *cells))
        jupyter.run_cell(page, 0)
        jupyter.run_cell(page, self.CODE)
        self.root = self.view(self.CODE)
        expect(self.root.locator(".count").first).to_be_visible()

    def view(self, index):
        """The view of a cell, scrolled to."""
        self.page.evaluate(SHOW, index)
        return self.page.locator(f'.jp-Cell[data-windowed-list-index="{index}"] .ad').first

    def words(self):
        """The text form, as the view shows it."""
        return self.root.locator(".textform").text_content().strip()

    def told(self):
        """The text form, as the kernel prints it."""
        jupyter.run_cell(self.page, self.TELL)
        text = jupyter.cell_text(self.page, self.TELL).strip()
        self.page.evaluate(SHOW, self.CODE)
        return text

    def focus(self):
        """To the Step button, where every key of the view is heard."""
        self.root.get_by_role("button", name="Step", exact=True).focus()

    def press(self, key):
        """Press a key that moves, and wait until it has."""
        before = self.words()
        self.focus()
        self.page.keyboard.press(key)
        expect(self.root.locator(".textform")).not_to_have_text(before)

    def text_form(self, on=True):
        """By key."""
        self.focus()
        self.page.keyboard.press("t")
        expect(self.root.locator(".textform")).to_be_visible(visible=on)

    def agrees(self):
        """View and kernel say the same, and nothing stands in the browser's console.

        As `OneScene.agrees`: a place that was moved to may reach the kernel a question later.
        """
        for _ in range(3):
            told = self.told()
            if told == self.words():
                break
        assert self.words() == told
        assert jupyter.console_errors(self.page) == []

    @property
    def over(self):
        """Whether there is nothing left to step."""
        step = self.root.get_by_role("button", name="Step", exact=True)
        return step.get_attribute("aria-disabled") == "true"

    def walk(self, events=False):
        """By keyboard alone to the end, and two places back; returns how many moves it took."""
        self.text_form()
        if events:
            self.page.keyboard.press("n")
        moves = 0
        while not self.over and moves < MOST:
            self.press("ArrowRight")
            moves += 1
            if moves == 2:
                self.agrees()
        assert self.over
        self.agrees()
        assert axe(self.page) == []
        for _ in range(min(2, moves)):
            self.press("ArrowLeft")
        self.agrees()
        self.text_form(on=False)
        assert axe(self.page) == []
        return moves

    def pictures(self, part=""):
        """What is shown, in both themes, and the end in Russian."""
        for theme in (jupyter.LIGHT, jupyter.DARK):
            jupyter.set_theme(self.page, theme)
            self.page.evaluate(SHOW, self.CODE)
            word = "dark" if theme == jupyter.DARK else "light"
            jupyter.screenshot(self.page, f"scene-{self.name}{part}-{word}", self.root)
        jupyter.set_theme(self.page, jupyter.LIGHT)

    def in_russian(self):
        """The end of the same scene in Russian, the last of a test; returns its text form."""
        jupyter.run_cell(self.page, self.RUSSIAN)
        root = self.view(self.RUSSIAN)
        expect(root.locator(".count").first).to_be_visible()
        jupyter.screenshot(self.page, f"scene-{self.name}-ru", root)
        root.locator('button[aria-label^="Текст"]').click()
        return root.locator(".textform").text_content()
