"""The kernel's half of the stepper: what a view sends is checked, answered, and never raises."""

import base64
import json
from pathlib import Path

import pytest

pytest.importorskip("anywidget")

from autodidact_widgets import wire
from autodidact_widgets.channel import heard
from autodidact_widgets.stepper import StepperWidget

from autodidact.trace.record import Record

SAMPLES = Path(__file__).parent / "samples"


class Replay:
    """A driver that plays a finished record; `broken` makes it fail like a bug would."""

    def __init__(self, data, broken=False):
        self.data, self.broken = data, broken
        self.head = {key: data[key] for key in data if key != "states"}
        self.states = data["states"][:1]

    @property
    def done(self):
        return len(self.states) == len(self.data["states"])

    def _play(self, count):
        if self.broken:
            raise ZeroDivisionError("a bug")
        start = len(self.states)
        self.states += self.data["states"][start : start + count]
        return self.states[start:]

    def step(self):
        return self._play(1)

    def run(self):
        return self._play(len(self.data["states"]))

    def set_option(self, name, value):
        if len(self.states) > 1:
            return [{"id": "refused.started", "args": {"name": name}}]
        self.head = self.head | {"options": self.head["options"] | {name: value}}
        return self.head, self.states


def sample(name="diamond"):
    return json.loads((SAMPLES / f"{name}.json").read_text(encoding="utf-8"))


@pytest.fixture
def widget(monkeypatch):
    made = StepperWidget(Replay(sample()), svg=lambda: "<svg>&</svg>", text=lambda: "the text")
    made.sent = []
    monkeypatch.setattr(made, "send", lambda message, buffers=None: made.sent.append(message))
    return made


def ask(widget, content):
    """Deliver a message as the comm does, and return the answers."""
    widget.sent.clear()
    widget._handle_custom_msg(content, [])
    return list(widget.sent)


def test_a_new_view_is_sent_all_states(widget):
    ask(widget, {"type": "step"})
    states = widget._driver.states
    assert ask(widget, {"type": "hello"}) == [{"type": "states", "from": 0, "states": states}]


def test_a_step_sends_its_own_delta_only_and_moves_on(widget):
    for k in range(1, 6):
        answer = ask(widget, {"type": "step"})
        assert answer == [{"type": "states", "from": k, "states": [sample()["states"][k]]}]
        assert (widget.count, widget.position, widget.done) == (k + 1, k, k == 5)
    refused = {"type": "refused", "say": [{"id": "refused.done", "args": {}}]}
    assert ask(widget, {"type": "step"}) == ask(widget, {"type": "run"}) == [refused]


def test_where_none_would_be_lost_what_may_hold_one_goes_as_text(monkeypatch):
    wanted = StepperWidget(Replay(sample())).get_state()
    monkeypatch.setattr(wire, "LOSES_NONE", True)
    made = StepperWidget(Replay(sample()))
    messages = []
    monkeypatch.setattr(made, "_send", lambda message, buffers=None: messages.append(message))
    made.step()
    state = made.get_state()
    for name in ("_head", "asking", "breaks", "halts"):
        assert json.loads(state[name]["json"]) == wanted[name]
    customs = [m["content"] for m in messages if m["method"] == "custom"]
    assert [json.loads(m["json"])["type"] for m in customs] == ["states"]
    assert "null" in customs[0]["json"] and "None" not in repr(customs[0])


@pytest.mark.parametrize("text", ["", "{", None, 7, "[" * 9999])
def test_what_is_no_message_on_the_browsers_channel_is_no_request(widget, text):
    [answer] = ask(widget, heard(text))
    assert answer["type"] == "refused"


def test_run_goes_to_the_end(widget):
    (answer,) = ask(widget, {"type": "run"})
    assert answer["from"] == 1 and len(answer["states"]) == 5
    assert widget.done and widget.position == 5


def test_options_change_the_head_before_the_first_step_and_are_refused_after_it(widget):
    ask(widget, {"type": "option", "name": "retain_graph", "value": True})
    assert widget._head["options"]["retain_graph"] is True and widget.count == 1
    ask(widget, {"type": "step"})
    (answer,) = ask(widget, {"type": "option", "name": "create_graph", "value": True})
    assert answer["say"] == [{"id": "refused.started", "args": {"name": "create_graph"}}]
    assert widget._head["options"]["create_graph"] is False


@pytest.mark.parametrize(
    "content",
    (
        None, 3, "step", [], {}, {"type": None}, {"type": ["step"]}, {"type": "Step"},
        {"type": "step", "n": 5}, {"type": "option"}, {"type": "option", "name": "retain_graph"},
        {"type": "option", "name": "live", "value": True},
        {"type": "option", "name": ["retain_graph"], "value": True},
        {"type": "option", "name": "retain_graph", "value": 1},
        {"type": "option", "name": "retain_graph", "value": "true"},
        {"type": "option", "name": "retain_graph", "value": True, "more": 1},
    ),
)  # fmt: skip
def test_every_other_message_is_refused_and_changes_nothing(widget, content):
    answer = ask(widget, content)
    assert answer == [{"type": "refused", "say": [{"id": "refused.unknown", "args": {}}]}]
    assert (widget.count, widget.position) == (1, 0)


def test_a_bug_below_is_said_and_the_next_message_is_heard(widget):
    widget._driver.broken = True
    (answer,) = ask(widget, {"type": "step"})
    assert answer["say"][0]["id"] == "error.raised"
    assert answer["say"][0]["args"]["class"] == "ZeroDivisionError"
    widget._driver.broken = False
    assert ask(widget, {"type": "step"})[0]["type"] == "states"


def test_a_view_may_set_the_position_within_the_record_and_nothing_else(widget):
    ask(widget, {"type": "run"})
    for sent, position in ((2, 2), (-3, 0), (99, 5), ("4", 5), (None, 5), (True, 5), (1.5, 5)):
        widget.set_state({"position": sent})
        assert widget.position == position, sent
    before = widget._head
    widget.set_state({"_head": {}, "count": 1, "done": False, "messages": {}, "language": "xx"})
    assert (widget._head, widget.count, widget.done, widget.language) == (before, 6, True, "en")
    assert widget.messages["ui.step"] == "Step"


def test_where_no_widget_runs_there_is_a_picture_a_table_and_text(widget):
    data, _ = widget._repr_mimebundle_()
    assert data["text/plain"] == "the text"
    page = data["text/html"]
    code = page.split("base64,")[1].split('"')[0]
    assert base64.b64decode(code) == b"<svg>&</svg>"
    assert page.count("<tr>") == 6 and "L = d * d" in page
    assert "application/vnd.jupyter.widget-view+json" in data


def test_names_in_the_table_are_text():
    hostile = '<img src=x onerror="pwned()">'
    data = json.loads(json.dumps(sample()).replace('"d = c + a"', json.dumps(hostile)))
    page = StepperWidget(Replay(data))._repr_mimebundle_()[0]["text/html"]
    assert "<img" not in page and "&lt;img src=x onerror=&quot;pwned()&quot;&gt;" in page


@pytest.mark.parametrize("name", ("diamond", "linear", "inplace_error"))
def test_the_sample_records_are_records(name):
    schema = pytest.importorskip("jsonschema")
    import autodidact.trace

    path = Path(autodidact.trace.__file__).with_name("record.schema.json")
    validator = schema.Draft202012Validator(json.loads(path.read_text(encoding="utf-8")))
    assert [error.message for error in validator.iter_errors(sample(name))] == []
    record = Record.from_json(json.dumps(sample(name)))
    assert len(record) == len(sample(name)["states"])


def test_the_page_carries_every_fact_of_the_text_form():
    record = Replay(sample())
    page = StepperWidget(record, text=lambda: "cut <here>")._repr_mimebundle_()[0]["text/html"]
    assert "<pre>cut &lt;here&gt;</pre>" in page
