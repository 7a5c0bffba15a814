"""The stepper's bundle on a bare page, played by a small kernel that has the whole record already.

def test_step(bare_page):
stepper = Stepper(bare_page, record("diamond"))
stepper.step()
assert stepper.text() == stepper.record.text(1)
"""

import json
from pathlib import Path

from autodidact.trace.layout import lay_out
from autodidact.trace.messages import catalogue
from autodidact.trace.record import Record
from tests.widgets.browser import bare

ROOT = Path(__file__).resolve().parents[3]
STATIC = ROOT / "widgets" / "autodidact_widgets" / "static"
MODULES = ROOT / "widgets" / "node_modules"  # what `npm ci` in widgets/ brings
SAMPLES = ROOT / "tests" / "widgets" / "samples"
RECORDS = ("diamond", "linear", "inplace_error")

# JupyterLab's own variables, for a page that looks like its light or its dark theme.
THEMES = {
    "light": {
        "layout-color0": "#fff", "layout-color1": "#fff", "ui-font-color0": "#000",
        "ui-font-color1": "rgba(0, 0, 0, 0.87)", "brand-color1": "#1976d2",
        "error-color1": "#d32f2f", "warn-color1": "#f57c00",
    },
    "dark": {
        "layout-color0": "#111", "layout-color1": "#212121", "ui-font-color0": "#fff",
        "ui-font-color1": "rgba(255, 255, 255, 0.87)", "brand-color1": "#2196f3",
        "error-color1": "#f44336", "warn-color1": "#ff9800",
    },
    "none": {},
}  # fmt: skip


def sample(name):
    """A record's JSON as plain data, to be changed at will."""
    return json.loads((SAMPLES / f"{name}.json").read_text(encoding="utf-8"))


def theme(name, width):
    """A style sheet that plays the notebook around the widget."""
    rules = "".join(f"--jp-{key}: {value};" for key, value in THEMES[name].items())
    return (
        f":root {{ {rules} }} body {{ margin: 20px; background: var(--jp-layout-color0); }}"
        f"#widget {{ width: {width}px; }}"
    )


class Stepper:
    """One view, and the kernel's half of the protocol; `data` is a record as plain data.

    `told` makes of plain data what the kernel sends.
    """

    def __init__(self, page, data, *, colours="light", width=900, lay=True, told=lambda data: data):
        self.page, self.data, self.told = page, data, told
        if lay:
            data["layout"] = lay_out({key: data[key] for key in data if key != "states"})
        self.record = Record.from_json(json.dumps(data))
        self.count, self.answered, self.requests = 1, 0, []
        traits = {
            "_head": told({key: data[key] for key in data if key != "states"}),
            "count": 1, "position": 0, "event": -1,
            "breaks": told([]), "halts": told({}), "asking": told({}),
            "done": False,
            "messages": catalogue("en"), "language": "en",
        }  # fmt: skip
        css = theme(colours, width) + (STATIC / "stepper.css").read_text(encoding="utf-8")
        bundle = (STATIC / "stepper.js").read_text(encoding="utf-8")
        self.root = bare.mount(page, bundle, traits, css).locator(".ad")
        self.serve()

    def serve(self):
        """Answer what the view has sent since the last time, as `StepperWidget` does."""
        messages = bare.sent(self.page)[self.answered :]
        self.answered += len(messages)
        for message in messages:
            self.requests.append(message)
            last = len(self.data["states"])
            if message["type"] == "hello":
                self._send(0, self.count)
            elif message["type"] in ("step", "event", "run"):
                to = last if message["type"] == "run" else min(self.count + 1, last)
                self._send(self.count, to)
                self.count = to
                bare.set_trait(self.page, "done", to == last)
                bare.set_trait(self.page, "count", to)
                inside = message["type"] == "event" and self.events(to - 1) > 1
                bare.set_trait(self.page, "event", 1 if inside else -1)
                bare.set_trait(self.page, "position", to - 1)

    def _send(self, start, stop):
        states = self.data["states"][start:stop]
        message = {"type": "states", "from": start, "states": states}
        bare.receive(self.page, self.told(message))

    def events(self, position):
        """How many events a step has."""
        return len(self.data["states"][position].get("events", ()))

    @property
    def position(self):
        """The step that is shown."""
        return bare.trait(self.page, "position")

    def step(self, times=1):
        """Press the Step button, wait for the answer, and let the gradients arrive."""
        for _ in range(times):
            self.root.get_by_role("button", name="Step", exact=True).click()
            self.serve()
            self.settle()

    def press(self, key):
        """Press a key, and answer."""
        self.page.keyboard.press(key)
        self.serve()

    def settle(self):
        """Wait until nothing rides in the picture."""
        self.page.wait_for_function("!document.querySelector('.rides')")

    def button(self, name):
        """A control by the beginning of its accessible name."""
        return self.root.locator(f'button[aria-label^="{name}"]')

    def text(self):
        """The text form of the state that is shown."""
        hidden = self.root.locator(".textform").is_hidden()
        if hidden:
            self.button("Text form").click()
        text = self.root.locator(".textform").text_content()
        if hidden:
            self.button("Text form").click()
        return text

    def sentence(self):
        """What the sentence says."""
        return self.root.locator(".say").text_content()

    def statuses(self):
        """Node -> the status its boxes show, as a set: one, unless two boxes disagree."""
        boxes = self.root.locator(".box").evaluate_all(
            "all => all.map(box => [box.dataset.node, box.getAttribute('class')])"
        )
        found = {}
        for node, classes in boxes:
            words = {each[3:] for each in classes.split() if each.startswith("is-")}
            found.setdefault(node, set()).update(words - {"selected", "lit"})
        return found
