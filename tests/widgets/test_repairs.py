"""Repairs after a write in place: rewritten lines, and the pass run on with what was saved."""

import json

import pytest
from autodidact_widgets import Stepper, show

import autodidact as torch
from autodidact import trace
from autodidact.trace.repairs import out_of_place
from tests.trace.test_record import validator


def broken():
    x = torch.tensor(3.0, dtype=torch.double, requires_grad=True)
    with trace.recording():
        w = x * 1
        y = w * w
        L = y * 2
        w.add_(1)
    return x, w, y, L


def stopped():
    x, w, y, L = broken()                                  # noqa: RUF059
    stepper = show(L)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        stepper.finish()
    return x, w, stepper


@pytest.mark.parametrize("line, new", [
    ("w.add_(1)", "w = w.add(1)"), ("w.mul_(a, b)", "w = w.mul(a, b)"),
    ("w += 2 * x", "w = w + 2 * x"),
    ("w **= 2", "w = w ** 2"), ("w[0] = 1", None), ("w.add(1)", None), ("w = w + 1", None)])
def test_a_line_without_the_write_in_place(line, new):
    assert out_of_place(line) == new


def test_three_candidates_name_the_lines():
    _x, _w, stepper = stopped()
    error = stepper.record.state(-1)["error"]
    assert [each["id"] for each in error["repairs"]] == [
        "repair.new", "repair.clone", "repair.later"]
    new, clone, later = (each["args"] for each in error["repairs"])
    assert (new["old"], new["new"]) == ("w.add_(1)", "w = w.add(1)")
    assert clone["new"] == "kept = w.clone(); y = kept * kept"
    assert new["line"] == later["line"] == clone["line"] + 2
    assert "w.add_(1) -> w = w.add(1)" in stepper.text()
    validator().validate(json.loads(stepper.record.to_json()))


def test_the_program_is_listed_with_who_saved_who_changed_and_who_asks():
    _x, _w, stepper = stopped()
    found = stepper.record.state(-1)["clinic"]
    listing = found["listing"]
    text = {mark["kind"]: listing["lines"][mark["line"] - listing["first"]].strip()
            for mark in listing["marks"]}
    assert text == {"save": "y = w * w", "guilty": "w.add_(1)", "stop": "stepper = show(L)"}
    assert (found["kind"], found["rule"]["id"], found["lesson"]) == (
        "error", "rule.version", "09-views-in-place-versions")
    assert "saves w twice, at version 0" in stepper.text()


def test_the_line_that_asks_is_listed_where_it_is_in_the_same_text():
    x = torch.tensor(3.0, requires_grad=True)
    with trace.recording():
        w = x * 1
        y = w * w
        w.add_(1)
    stepper = show(y)
    with pytest.raises(RuntimeError):
        stepper.finish()
    (asks,) = [mark for mark in stepper.record.state(-1)["clinic"]["listing"]["marks"]
               if mark["kind"] == "stop"]
    assert asks["say"]["id"] == "listing.gone" and asks["say"]["args"]["version"] == 0


def test_a_repair_is_tried_on_a_copy_and_changes_nothing():
    x, w, stepper = stopped()
    before = stepper.record.to_json()
    for _ in range(2):                                     # as often as one likes
        mended = stepper.repair()
        assert isinstance(mended, Stepper) and "repaired in step 1" in mended.text()
        mended.finish()
        assert mended.record.state(-1)["grads"]["n3"]["value"]["text"] == "12"
        validator().validate(json.loads(mended.record.to_json()))
    assert (x.grad, w._version, w.item()) == (None, 1, 4.0)
    assert stepper.record.to_json() == before


def test_a_view_tries_a_repair_and_goes_back():
    _x, _w, stepper = stopped()
    stepper._receive(stepper, {"type": "repair"}, None)
    assert not stepper.done and stepper.count == 2
    stepper._receive(stepper, {"type": "run"}, None)
    assert stepper.record.state(-1)["end"] == "ok"
    stepper._receive(stepper, {"type": "undo"}, None)
    assert stepper.record.state(-1)["end"] == "error"


def test_where_there_is_nothing_to_repair_it_says_so():
    x = torch.tensor(3.0, requires_grad=True)
    stepper = show(x * x)
    stepper.finish()
    with pytest.raises(RuntimeError, match="nothing to repair"):
        stepper.repair()
    stepper._receive(stepper, {"type": "repair"}, None)
    assert stepper.done
