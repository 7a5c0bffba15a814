"""A record folds, round-trips, keeps to its schema and gives the reference traces."""

import copy
import importlib.resources
import json
import pathlib

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autodidact.trace.record import Record, difference, fold
from tests.trace import samples

SCHEMA = json.loads(
    importlib.resources.files("autodidact.trace").joinpath("record.schema.json").read_text("utf-8")
)
REFERENCE = json.loads(
    pathlib.Path(__file__).with_name("reference.json").read_text(encoding="utf-8")
)
ALL = pytest.mark.parametrize("name", samples.ALL)


def validator(part=None):
    """The whole schema, or one definition of it, as a validator."""
    schema = SCHEMA if part is None else {"$ref": f"#/$defs/{part}", "$defs": SCHEMA["$defs"]}
    return jsonschema.Draft202012Validator(schema)


def record(name):
    return Record(*samples.ALL[name]())


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@ALL
def test_a_record_keeps_to_the_schema(name):
    made = record(name)
    made.layout()
    validator().validate(json.loads(made.to_json()))


@ALL
def test_every_folded_state_and_every_delta_keeps_to_the_schema(name):
    made = record(name)
    for k, state in enumerate(made.states):
        validator("state").validate(json.loads(json.dumps(made.state(k))))
        if k:
            validator("delta").validate(json.loads(json.dumps(state)))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: data.update(extra=1),
        lambda data: data["nodes"][0].update(address="0x7f"),
        lambda data: data["states"][1].update(time=3),
        lambda data: data["states"][0].pop("bytes"),
        lambda data: data["nodes"][0]["outputs"][0].pop("expected"),
        lambda data: data["states"][0]["saved"].update(x={"state": "lost"}),
        lambda data: data["edges"][0].update(id="<b>"),
        lambda data: data.update(format=2),
    ],
)
def test_the_schema_refuses_what_it_does_not_name(spoil):
    data = json.loads(record("diamond").to_json())
    spoil(data)
    assert not validator().is_valid(data)


@ALL
def test_folding_gives_the_states_that_were_recorded(name):
    program = samples.PROGRAMS[name]()
    head, deltas = program.record_parts()
    made = Record(head, deltas)
    for k, full in enumerate(program.full):
        assert made.state(k) == full
    assert made.state(-1) == program.full[-1]


@ALL
def test_states_may_be_asked_for_in_any_order(name):
    made, again = record(name), record(name)
    last = len(made) - 1
    backward = [made.state(k) for k in range(last, -1, -1)]
    assert backward[::-1] == [again.state(k) for k in range(len(again))]
    with pytest.raises(IndexError):
        made.state(len(made))


def test_a_long_record_folds_like_a_short_one():
    first = record("diamond").state(0)
    full, deltas = [first], [first]
    for k in range(1, 150):
        state = copy.deepcopy(full[-1]) | {"step": k, "bytes": k % 7}
        state["status"][f"n{k % 5}"] = ("waiting", "ready", "done")[k % 3]
        deltas.append(difference(full[-1], state))
        full.append(state)
    made = Record(record("diamond").head, deltas)
    for k in (149, 3, 32, 31, 33, 148, 0, 96):
        assert made.state(k) == full[k]


maps = st.dictionaries(st.sampled_from("abcd"), st.integers(0, 3))


def _state(draw):
    merged = {k: draw(maps) for k in ("status", "received", "total", "saved", "grads", "sent")}
    return {
        "step": draw(st.integers(0, 9)),
        "ran": None,
        "next": "n1",
        "end": None,
        "bytes": draw(st.integers(0, 99)),
        **merged,
        "predicted": draw(maps),
        "events": draw(st.lists(st.just({}))),
        "say": [],
        "error": None,
        "outside": draw(st.lists(st.just("x"))),
    }


@given(st.data())
def test_a_delta_holds_what_is_needed_and_no_more(data):
    before = _state(data.draw)
    after = _state(data.draw)
    for key in ("status", "received", "total", "saved", "grads", "sent"):
        after[key] = {**before[key], **after[key]}  # keys never go away
    delta = difference(before, after)
    assert fold(before, delta) == after
    assert all(before["status"].get(k) != v for k, v in delta.get("status", {}).items())


@ALL
def test_json_round_trip(name):
    made = record(name)
    again = Record.from_json(made.to_json())
    assert again.states == made.states
    assert again.to_json() == made.to_json()
    assert again.text() == made.text()


@pytest.mark.parametrize(
    "spoil, words",
    [
        (lambda data: data.update(format=7), "format 7"),
        (lambda data: data.pop("nodes"), "without nodes"),
        (lambda data: data.update(states=[]), "no state"),
        (lambda data: data["states"][0].pop("saved"), "state 0 without saved"),
        (lambda data: data["states"][2].update(step=9), "state 2"),
        (lambda data: data["edges"][0].update(to="n99"), "e0"),
        (lambda data: data.update(nodes=3), "nodes is not a list"),
    ],
)
def test_from_json_says_what_is_wrong(spoil, words):
    data = json.loads(record("diamond").to_json())
    spoil(data)
    with pytest.raises(ValueError, match="not a record of a backward pass") as error:
        Record.from_json(data)
    assert words in str(error.value)


@pytest.mark.parametrize("junk", ["[]", "3", "null", "{}"])
def test_from_json_of_something_else(junk):
    with pytest.raises(ValueError, match="not a record"):
        Record.from_json(junk)


@pytest.mark.parametrize("name", sorted(REFERENCE))
def test_as_reference_is_what_torch_recorded(name):
    assert record(name).as_reference() == REFERENCE[name]


def test_a_still_holds_the_picture_as_data_and_the_text_escaped():
    made = record("diamond")
    made.head["nodes"][3]["var"] = "<script>alert(1)</script>"
    page = made.still()
    assert page.startswith('<img alt="" src="data:image/svg+xml;base64,')
    assert "<script" not in page
    assert "&lt;script&gt;" in page
