"""W29: which nodes a pass asks for; what is written, returned, kept and freed."""

import json
import warnings

import pytest
from autodidact_widgets import show

import autodidact as torch
from autodidact import trace
from autodidact.trace.messages import paragraph
from autodidact.trace.torch_bridge import TorchRecorder
from tests.trace.test_record import validator


def program(library=torch):
    x = library.tensor(2.0, requires_grad=True)
    with trace.recording():
        m = x * x
        y = m * 3
        L = y * y
    return x, m, y, L


def at_end(record):
    """Variable -> (status, the states of what it saved)."""
    state = record.state(-1)
    validator().validate(json.loads(record.to_json()))
    return {node["var"]: (state["status"][node["id"]],
                          {state["saved"][entry["key"]]["state"] for entry in node["saved"]})
            for node in record.head["nodes"]}


def grad_of(record, var):
    node = next(n for n in record.head["nodes"] if n["var"] == var)
    value = record.state(-1)["grads"].get(node["id"], {"value": None})["value"]
    return value and value["text"]


@pytest.mark.parametrize("copy", [False, True])
def test_backward_to_a_result_runs_and_frees_its_node(copy):
    x, m, y, L = program()                                         # noqa: RUF059
    stepper = show(L, inputs=[m], copy=copy)
    stepper.finish()
    found = at_end(stepper.record)
    assert found["m"] == ("done", {"freed"}) and found["x"][0] == "skipped"
    assert (grad_of(stepper.record, "m"), grad_of(stepper.record, "x")) == ("72", None)
    assert x.grad is None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert (m.grad is None) == copy
    assert "m.grad: None -> 72" in stepper.text()


def test_grad_of_a_result_does_not_run_its_node():
    x, m, y, L = program()                                         # noqa: RUF059
    record = trace.record(L, inputs=[m], accumulate=False)
    found = at_end(record)
    assert found["m"] == ("skipped", {"kept"}) and found["y"] == ("done", {"freed"})
    assert len(record) == 3 and record.head["options"]["returns"]
    assert paragraph(record.states[-1]["say"]).startswith(
        "y sent 72 to m. 72 is the result for m; the node of m does not run.")
    assert "only returned" in record.text() and "returned for m" in record.text()
    m.backward()
    assert x.grad.item() == 4                                      # its node was not freed


def test_a_branch_that_is_not_asked_for_keeps_what_it_saved():
    a, b = (torch.tensor(v, requires_grad=True) for v in (2.0, 3.0))
    with trace.recording():
        p = a * a
        q = b * b
        z = p + q
    found = at_end(trace.record(z, inputs=[a], accumulate=False))
    assert found["p"] == ("done", {"freed"}) and found["q"] == ("skipped", {"kept"})
    assert a.grad is None
    q.backward()
    assert b.grad.item() == 6


def test_the_root_itself_can_be_what_is_asked_for():
    _, _, _, L = program()
    record = trace.record(L, inputs=[L], accumulate=False)
    assert record.state(-1)["end"] == "ok" and at_end(record)["L"] == ("skipped", {"kept"})


def test_a_result_that_retains_its_gradient_is_shown_like_a_leaf():
    x, m, y, L = program()                                         # noqa: RUF059
    m.retain_grad()
    record = trace.record(L)
    assert (grad_of(record, "m"), grad_of(record, "x")) == ("72", "288")
    assert "m.grad was None and is now 72." in paragraph(record.states[3]["say"])
    assert record.states[2]["predicted"]                  # keeping a gradient changes none


def test_without_inputs_there_is_nothing_to_return():
    _, _, _, L = program()
    with pytest.raises(TypeError, match="inputs="):
        trace.record(L, accumulate=False)


def test_the_bridge_runs_the_same_nodes(oracle):
    for accumulate, ran in ((True, ["L", "y", "m"]), (False, ["L", "y"])):
        x, m, y, L = program(oracle)
        recorder = TorchRecorder(L, inputs=[m], accumulate=accumulate,
                                 found={"x": x, "m": m, "y": y, "L": L})
        recorder.run()
        var = {n["id"]: n["var"] for n in recorder.record.head["nodes"]}
        assert [var[s["ran"]] for s in recorder.record.states[1:] if s["ran"]] == ran
        assert x.grad is None and recorder.error is None
