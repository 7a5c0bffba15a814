"""The live stepper: an anywidget whose kernel half owns the record and whose browser half draws it.

The head of the record (`trace/record.schema.json`) and a few counters are synced traits; states
travel as messages, each a delta, so that a step costs what it changed. Whatever the browser sends
is checked word for word and answered; nothing it sends can raise here.
"""

import base64
import html
import logging
import pathlib

import anywidget
import traitlets

from autodidact.trace.messages import catalogue, current_language, follow_language, say
from autodidact.trace.plain import headline, value_text, visible
from autodidact.trace.record import fold
from autodidact_widgets import asking, breaks, grouping, saving, second, whatif
from autodidact_widgets.wire import told

_STATIC = pathlib.Path(__file__).with_name("static")
_OPTIONS = ("retain_graph", "create_graph")
_log = logging.getLogger(__name__)

# What a view may say: type -> the other members with the test each must pass.
_REQUESTS = {
    "hello": {},
    "step": {},
    "run": {},
    "event": {},
    **breaks.REQUESTS,
    **asking.REQUESTS,
    **whatif.REQUESTS,
    **saving.REQUESTS,
    **grouping.REQUESTS,
    **second.REQUESTS,
    "retry": {"number": lambda number: type(number) is int},
    "option": {
        "name": lambda name: isinstance(name, str) and name in _OPTIONS,
        "value": lambda on: type(on) is bool,
    },
}

# These may say how many states the view knew of when it asked; a late or doubled one is left out.
_NUMBERED = ("step", "run", "event")


def _is_request(content, requests):
    """Is this one of the requests, with exactly its members?"""
    if not isinstance(content, dict):
        return False
    kind = content.get("type")
    members = requests.get(kind) if isinstance(kind, str) else None
    if members is None or set(content) - {"at"} != {"type", *members}:
        return False
    if "at" in content and (kind not in _NUMBERED or type(content["at"]) is not int):
        return False
    return all(test(content[name]) for name, test in members.items())


class StepperWidget(
    breaks.Breaks, asking.Asking, whatif.Edits, saving.Saving, second.Seconds, grouping.Grouping,
    anywidget.AnyWidget
):
    """One backward pass, shown and stepped.

    Args:
        driver: runs the pass. It has `head` (the record without its states), `states` (a list: the
            first state and the deltas so far), `done`, `step()` and `run()`, which return the list
            of new states, and `set_option(name, value)`, which returns `(head, states)` of the
            prepared new record, or a list of sentences (`{"id": ..., "args": ...}`) that say why
            not.
        svg: called without arguments, returns the picture of the state at display time as SVG text.
        text: called without arguments, returns the same state as plain text.

    Example: `StepperWidget(driver, svg=record.svg, text=record.text)`; lessons use
    `autodidact_widgets.show`.
    """

    # As text: of a path anywidget would watch the file, and its watcher keep every stepper alive.
    _esm = (_STATIC / "stepper.js").read_text(encoding="utf-8")
    _css = (_STATIC / "stepper.css").read_text(encoding="utf-8")
    requests = _REQUESTS

    _head = traitlets.Dict().tag(sync=True, to_json=told)
    count = traitlets.Int(1).tag(sync=True)
    position = traitlets.Int(0).tag(sync=True)
    event = traitlets.Int(-1).tag(sync=True)  # inside a step: how many of its events; -1: all
    done = traitlets.Bool(False).tag(sync=True)
    warnings = traitlets.Bool(False).tag(sync=True)  # of second derivatives that lose something
    messages = traitlets.Dict().tag(sync=True)
    language = traitlets.Unicode("en").tag(sync=True)

    def __init__(self, driver, *, svg=None, text=None):
        self._driver, self._svg, self._text = driver, svg, text
        self._packed = None, None
        self._words = dict(catalogue(current_language()))
        self._tongue = current_language()
        self._breaks, self._said, self._halts, self._looked = [], [], {}, 0
        self._asking, self._asked_at = {}, None
        self.on_msg(self._receive)               # before the page can know of it
        super().__init__(
            _head=self._wire(),
            count=len(driver.states),
            position=len(driver.states) - 1,
            done=bool(driver.done),
            messages=self._words,
            language=self._tongue,
        )
        follow_language(self)

    def language_changed(self):
        """Speak the language that `set_language` has chosen, from now on and of what is shown."""
        self._words, self._tongue = dict(catalogue(current_language())), current_language()
        with self.hold_sync():
            self.language, self.messages = self._tongue, self._words

    # ---- what the browser may not change: a view that tries gets the kernel's value back

    @traitlets.validate("_head", "count", "done", "messages", "language", "halts", "asking")
    def _own(self, proposal):
        return {
            "halts": self._halts,
            "asking": self._asking,
            "_head": self._wire(),
            "count": len(self._driver.states),
            "done": bool(self._driver.done),
            "messages": self._words,
            "language": self._tongue,
        }[proposal["trait"].name]

    @traitlets.validate("position")
    def _inside(self, proposal):
        return max(0, min(proposal["value"], len(self._driver.states) - 1))

    @traitlets.validate("event")
    def _inside_step(self, proposal):
        return proposal["value"] if 0 <= proposal["value"] < self._events_of(self.position) else -1

    def _events_of(self, position):
        """How many events a step has; none before the first."""
        states = self._driver.states
        inside = 0 < position < len(states)
        return len(states[position].get("events", ())) if inside else 0

    def set_state(self, sync_data):
        """Take trait values from a view; places and the switch of warnings are a view's to set."""
        given = sync_data if isinstance(sync_data, dict) else {}
        taken = {key: given[key] for key in ("position", "event") if type(given.get(key)) is int}
        if type(given.get("warnings")) is bool:
            taken["warnings"] = given["warnings"]
        super().set_state(taken)

    # ---- requests

    def _receive(self, _widget, content, _buffers):
        try:
            if not _is_request(content, self.requests):
                self._refuse([{"id": "refused.unknown", "args": {}}])
            elif content["type"] == "hello":
                self._send_states(0)
            elif content["type"] == "option":
                self.set_option(content["name"], content["value"])
            elif content.get("at", len(self._driver.states)) != len(self._driver.states):
                return
            elif content["type"] in saving.REQUESTS:
                self._answer_save(content)
            elif content["type"] in grouping.REQUESTS:
                self._answer_group(content)
            elif content["type"] in second.REQUESTS:
                self._answer_second(content)
            elif content["type"] in whatif.REQUESTS:
                self._answer_what_if(content)
            elif content["type"] == "retry":
                self._answer_retry(content)
            elif content["type"] == "run":
                self._advance(self._driver.run)
            elif content["type"] in asking.REQUESTS:
                self._answer_ask(content)
            elif content["type"] in breaks.REQUESTS:
                self._answer_break(content)
            elif content["type"] == "event":
                self._advance(self._driver.step, events=True)
            else:
                self._advance(self._driver.step)
        except Exception as error:  # a broken driver must not break the comm
            _log.exception("the stepper could not answer %r", content)
            args = {"who": "stepper", "class": type(error).__name__, "message": str(error)[:200]}
            self._refuse([{"id": "error.raised", "args": args}])

    def _answer_retry(self, content):
        self._refuse([{"id": "refused.repair", "args": {}}])  # only a clinic's can

    def step(self):
        """Run the next node of the pass, and show the state after it."""
        self._advance(self._driver.step)

    def run(self):
        """Run what is left of the pass, and show its end."""
        self._advance(self._driver.run)

    def back(self):
        """Show the state one step earlier; undoes nothing."""
        self._show(max(0, self.position - 1))

    def step_event(self):
        """Show one event more: of the step that is shown, or the first of the next."""
        if self.event >= 0:
            self._show(self.position, self.event + 1)
        elif self.position < self.count - 1:
            self._show(self.position + 1, 1)
        else:
            self._advance(self._driver.step, events=True)

    def back_event(self):
        """Show one event less; undoes nothing."""
        last = (self.event if self.event >= 0 else self._events_of(self.position)) - 1
        if last >= 1:
            self._show(self.position, last)
        else:
            self._show(max(0, self.position - 1))

    def set_option(self, name, value):
        """Change `retain_graph` or `create_graph` before the first step; later say why not."""
        answer = self._driver.set_option(name, value)
        if not isinstance(answer, tuple):
            self._refuse(answer)
            return
        self._send_states(0)
        self._update(0)
        self.send_state("_head")

    def _advance(self, move, events=False):
        if self._driver.done:
            self._refuse([{"id": "refused.done", "args": {}}])
            return
        move()
        self.follow(events)

    def follow(self, events=False):
        """Show the newest state, or its first event; for a driver that was stepped from Python."""
        known = min(self.count, len(self._driver.states))
        self._send_states(known)
        self._update(len(self._driver.states) - 1, 1 if events else -1)

    def _update(self, position, event=-1):
        # One message: a view never sees a new place half told (moved, but Step not greyed yet).
        with self.hold_sync(), self.hold_trait_notifications():
            self._head = self._wire()
            self.count = len(self._driver.states)
            self.done = bool(self._driver.done)
            self._look_for_halts()
            self._next_questions()
            self._show(position, event)

    def _show(self, position, event=-1):
        with self.hold_sync(), self.hold_trait_notifications():
            self.position = position
            self.event = event if event < self._events_of(position) and event > 0 else -1

    def send(self, content, buffers=None):
        """Send a message of one's own to the views."""
        super().send(told(content), buffers)

    def _send_states(self, start):
        self.send({"type": "states", "from": start, "states": self._driver.states[start:]})

    def _refuse(self, sentences):
        self.send({"type": "refused", "say": list(sentences)})

    # ---- where no widget can run

    def _repr_mimebundle_(self, **kwargs):
        """The live view, and a picture, a table and text for pages where no widget runs."""
        bundle = super()._repr_mimebundle_(**kwargs)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle or {}, {})
        return {**data, "text/plain": self._plain(), "text/html": self._page()}, metadata

    def _plain(self):
        return self._text() if self._text else f"StepperWidget({self.position} of {self.count - 1})"

    def _page(self):
        """An `<img>`, a table, the text form: what Jupyter leaves standing of untrusted output."""
        picture = ""
        if self._svg and self._driver.head.get("layout"):
            code = base64.b64encode(self._svg().encode("utf-8")).decode("ascii")
            name = html.escape(self._say("text.picture"))
            picture = f'<img alt="{name}" src="data:image/svg+xml;base64,{code}">'
        words = ""
        if self._text:
            name = html.escape(self._say("ui.button.text"))
            words = (f"<details><summary>{name}</summary>"
                     f"<pre>{html.escape(self._text())}</pre></details>")
        return f"{picture}{self._table()}{words}"

    def _table(self):
        head, state = self._driver.head, None
        for delta in self._driver.states[: self.position + 1]:
            state = delta if state is None else fold(state, delta)
        names = ("order", "node", "receives", "state", "grad_now")
        titles = [self._say(f"text.{name}") for name in names]
        rows = [self._row(order, node, state) for order, node in enumerate(head["nodes"], 1)]
        lines = [_line("th", titles), *(_line("td", row) for row in rows)]
        return f"<table>{''.join(lines)}</table>"

    def _row(self, order, node, state):
        totals = [self._value(total) for total in state["total"].get(node["id"], ()) if total]
        grad = state["grads"].get(node["id"])
        now = self._value(grad["value"]) if grad else ""
        status = self._say(f"status.{state['status'].get(node['id'], 'waiting')}")
        name = f"{headline(node)} ({visible(node['name'])})"
        return [str(order), name, ", ".join(totals), status, now]

    def _value(self, summary):
        return value_text(summary, language=self._tongue)

    def _say(self, message):
        return say(message, None, self._tongue)


def _line(tag, cells):
    return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"
