"""A real widget of ours and its bundle on a bare page: both halves, without Jupyter between them.

`Live(bare_page, compare(one, other))` shows a comparison; `.click("Step")` presses a button and
lets the widget answer; `.text()` is the text form as shown.
"""

from tests.widgets.browser import bare
from tests.widgets.browser.stepping import STATIC, theme

SYNCED = (
    "_head", "count", "position", "done", "messages", "language", "breaks", "halts", "asking",
    "warnings",
)


class Live:
    """The page shows `widget`; what the view asks is answered by the widget itself."""

    def __init__(self, page, widget, *, colours="light", width=900):
        self.page, self.widget, self.answered = page, widget, 0
        widget.send = lambda message, buffers=None: bare.receive(page, message)
        traits = {name: getattr(widget, name) for name in SYNCED}
        css = theme(colours, width) + (STATIC / "stepper.css").read_text(encoding="utf-8")
        bundle = (STATIC / "stepper.js").read_text(encoding="utf-8")
        self.root = bare.mount(page, bundle, traits, css).locator(".ad")
        for name in SYNCED:
            widget.observe(self._changed, names=name)
        self.serve()

    def _changed(self, change):
        if bare.trait(self.page, change.name) != change.new:
            bare.set_trait(self.page, change.name, change.new)

    def serve(self):
        """Answer what the view has sent, and take over the position that it has set."""
        while True:
            messages = bare.sent(self.page)[self.answered:]
            if not messages:
                break
            self.answered += len(messages)
            for message in messages:
                self.widget._handle_custom_msg(message, [])
        warnings = bool(bare.trait(self.page, "warnings"))
        if warnings != self.widget.warnings:
            self.widget.set_state({"warnings": warnings})
        position = bare.trait(self.page, "position")
        if position != self.widget.position:
            self.widget.set_state({"position": position})

    def click(self, name, exact=True):
        """Press a button by its accessible name, and answer."""
        self.root.get_by_role("button", name=name, exact=exact).first.click()
        self.serve()
        self.settle()

    def press(self, key):
        """Press a key, and answer."""
        self.page.keyboard.press(key)
        self.serve()
        self.settle()

    def settle(self):
        """Wait until nothing rides in the picture."""
        self.page.wait_for_function("!document.querySelector('.rides')")

    def text(self):
        """The text form of the state that is shown."""
        hidden = self.root.locator(".textform").is_hidden()
        if hidden:
            self.click("Text form")
        text = self.root.locator(".textform").text_content()
        if hidden:
            self.click("Text form")
        return text
